"""Tests of the command in a shell: completion and pipes."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.support.command import VJMGP

from vjmgp.cli import main


def completed(*words):
    """Return what bash offers for the last word."""
    script = (
        'eval "$(cat script)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_shtab_vjmgp; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    answer = subprocess.run(
        ["bash", "-c", script, "bash", "vjmgp", *words], capture_output=True, text=True, check=True
    )
    return sorted(answer.stdout.split())


def test_bash_completes_files_folders_and_methods(here, capsys):
    Path("data.csv").touch()
    assert main(["completion", "bash"]) == 0
    Path("script").write_text(capsys.readouterr().out)
    Path("data_folder").mkdir()
    assert completed("fit", "da") == ["data.csv", "data_folder"]
    assert completed("fit", "data.csv", "--output", "da") == ["data_folder"]
    assert completed("fit", "data.csv", "--method", "Sta") == ["StandardGP"]
    assert completed("predict", "data.csv", "da") == ["data.csv", "data_folder"]
    for words in (["study", "run"], ["study", "init", "x.yaml", "--data"], ["verify"]):
        assert completed(*words, "data.") == ["data.csv"]
    assert completed("fit", "--hold") == ["--holdout"]


@pytest.mark.parametrize("buffering", ["", "1"])
def test_a_closed_pipe_is_not_an_error(buffering):
    reader, writer = os.pipe()
    os.close(reader)
    environment = os.environ | {"PYTHONUNBUFFERED": buffering}
    answer = subprocess.run(
        [*VJMGP, "completion", "bash"],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment,
        check=True,
    )
    os.close(writer)
    assert answer.stderr == b""
