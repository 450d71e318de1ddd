"""The README: its example, its length and the files that it names."""

import re
from pathlib import Path

import pytest
from tests.support.documentation import PAGES, blocks


@pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")
def test_readme_example(tmp_path, monkeypatch, capsys):
    (example,) = blocks("README.md", "python")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(example, names)
    (shown,) = blocks("README.md", "text")
    assert capsys.readouterr().out == shown
    assert names["features"].shape[0] == 500


def test_readme_is_short():
    lines = PAGES["README.md"].splitlines()
    assert len(lines) <= 130
    assert len(blocks("README.md", "python")[0].splitlines()) <= 15


def test_files_named_in_the_readme_exist():
    named = re.findall(r"`((?:docs|config)/[\w/]+\.\w+)`|\]\((docs/[^)]+)\)", PAGES["README.md"])
    here = Path(__file__).parents[2]
    assert all((here / (code or link)).is_file() for code, link in named)
