"""Tests of the `vjmgp` command, above all of `vjmgp study` and `vjmgp verify`."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.support.command import QUICK, VJMGP, about, said_by
from tests.support.result_files import all_tables, file_of
from tests.support.workflow_runs import STUDY, TARGET

from vjmgp import load_model
from vjmgp.cli import main
from vjmgp.cli.study_commands import _time_of
from vjmgp.core.files import read_records, read_sealed, write_sealed
from vjmgp.operations.lock import claim, is_running


@pytest.fixture
def table(here):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.normal(size=60), "<b>": rng.normal(size=60)})
    data["site"] = rng.choice(["north", "south"], 60)
    data["y"] = data["a"] * data["<b>"] + (data["site"] == "north")
    data.to_csv("my data.csv", index=False)
    return data


def test_fit_writes_all_files(table, tmp_path, capsys):
    assert main(["fit", "my data.csv", "--target", "y", "--output", "out", *QUICK]) == 0
    said = capsys.readouterr().out
    assert "Tested on 15 rows that a fit to the other 45 did not see: R² " in said
    assert "The formula is of a second fit, to all 60 rows: R² there " in said
    assert str(tmp_path / "out/report.html") in said
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {
        *("model.json", "models.json", "formulas.txt", "front.csv", "about.json"),
        "report.html",
    }
    model = load_model("out/model.json")
    assert model.text() in (tmp_path / "out/formulas.txt").read_text()
    assert np.isfinite(model.predict(table.drop(columns="y"))).all()
    page = (tmp_path / "out/report.html").read_text()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert len(about("out")["sha256"]) == 64
    assert set(about("out")["errors"]) == {"training", "test", "all"}


def test_the_same_seed_gives_the_same_model(table):
    for folder in ("one", "two"):
        main(["fit", "my data.csv", "--target", "y", "--output", folder, "--seed", "7", *QUICK])
    assert load_model("one/model.json") == load_model("two/model.json")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["my data.csv", "--target", "z"], "no column 'z'"),
        (["none.csv", "--target", "y"], "none.csv: no such file"),
        (["my data.csv", "--target", "y", "--holdout", "2"], "--holdout is 2.0"),
        (["my data.csv", "--target", "y", "--ignore", "q"], "no column 'q' for --ignore"),
        (["my data.csv", "--target", "site"], "'site' is not numeric"),
        (["my data.csv", "--target", "y", "--method", "magic"], "--method is 'magic'"),
    ],
)
def test_fit_reports_an_error_in_one_line(table, capsys, words, answer):
    assert main(["fit", *QUICK, *words]) == 2
    said = capsys.readouterr().err
    assert answer in said
    assert said.count("\n") == 1


def test_help_and_completion():
    for words, code, answer in (
        (["--help"], 0, "exit codes:"),
        ([], 0, "exit codes:"),
        (["completion", "bash"], 0, "--holdout"),
        (["completion", "zsh"], 0, "--holdout"),
        (["study"], 2, ""),
    ):
        result = subprocess.run([*VJMGP, *words], capture_output=True, text=True, check=False)
        assert result.returncode == code
        assert answer in result.stdout


def test_init_writes_a_valid_config(table, capsys):
    assert main(["study", "init", "mine.yaml", "--data", "my data.csv", "--target", "y"]) == 0
    config = yaml.safe_load(Path("mine.yaml").read_text())
    assert config["own_data"] == {"my_data": {"file": "my data.csv", "target": "y"}}
    with Path("mine.yaml").open("a") as file:
        file.write("published: ignore\n")
    assert main(["study", "check", "mine.yaml"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"It takes about \d+ minutes of one core\.", said)
    assert "The level 0.01 needs at least 8 seeds." in said
    assert "mine.yaml is valid: 1 experiment, 5 methods, 4 datasets, 10 seeds; 200 runs" in said
    assert main(["study", "init", "mine.yaml"]) == 2  # nothing is overwritten
    assert main(["study", "init", "other.yaml"]) == 0
    assert main(["study", "check", "other.yaml"]) == 0


def test_running_times_in_words():
    times = {20: "under a minute", 65: "about 1 minute", 600: "about 10 minutes"}
    times[7200] = "about 2.0 hours"
    assert {seconds: _time_of(seconds) for seconds in times} == times


def test_a_missing_config_is_reported(table, capsys):
    said = said_by(capsys, ["study", "check", "nowhere.yaml"])
    assert said == (
        "vjmgp: nowhere.yaml: no such file; write one with vjmgp study init nowhere.yaml.\n"
    )


def test_an_invalid_config_is_reported_before_anything_runs(table, capsys):
    for name, text, answer in (
        ("a.yaml", "sedes: 3", "a.yaml: 3 things are wrong:\n- config: there is no key 'sedes'"),
        ("b.yaml", "a: [", "b.yaml: config: not YAML, line 1: "),
        ("d.yaml", "seeds: 2\nseeds: 4\n", "d.yaml: "),
        ("c.yaml", "!!python/object/apply:os.getcwd []", "c.yaml: config: not YAML: "),
    ):
        Path(name).write_text(text)
        for what in ("check", "run", "status"):
            assert main(["study", what, name]) == 2
            assert answer in capsys.readouterr().err
    assert main(["study", "run", "none.yaml"]) == 2


def test_run_status_report_and_verify(study, monkeypatch, capfd):
    folder, _, _ = study
    monkeypatch.chdir(folder)
    assert main(["study", "status", "study.yaml"]) == 3  # the fixture has no report
    assert "4 of 4 runs done" in capfd.readouterr().out
    tables = all_tables(folder)
    lock = claim(folder / "results", "study.yaml")
    assert main(["study", "run", "study.yaml"]) == 3
    assert "the study is already running (process" in capfd.readouterr().err
    lock.release()
    assert main(["study", "report", "study.yaml", "--cores", "2"]) == 0
    assert f"Report: {folder}/results/report.html" in capfd.readouterr().out
    assert main(["study", "run", "study.yaml", "--cores", "2"]) == 0
    assert "Nothing to be done" in capfd.readouterr().err
    assert main(["study", "status", "study.yaml"]) == 0
    assert f"Complete. Report: {folder}/results/report.html" in capfd.readouterr().out
    (folder / "other.yaml").write_text((folder / "study.yaml").read_text() + "title: Another\n")
    assert main(["study", "status", "other.yaml"]) == 3  # the report is not of that one
    assert {name: all_tables(folder)[name] for name in tables} == tables
    # Everything is as claimed.
    assert main(["verify", "study.yaml", "--runs", "99"]) == 0
    said = capfd.readouterr().out
    assert "6 of 6 right." in said
    assert said.count("the same to the bit") == 4
    # A page that was changed.
    page = folder / "results/report/datasets.html"
    text = page.read_text()
    page.write_text(text.replace("192", "193"))
    assert main(["verify", "study.yaml", "--runs", "0"]) == 1
    assert "damaged: results/report/datasets.html. To repair it:" in capfd.readouterr().out
    page.write_text(text)
    # A result that was made up, with a checksum that fits.
    path = file_of(folder, "VJM")
    records = read_records(path)
    records[1]["test_r2"] += 1e-15 * abs(records[1]["test_r2"])
    records[1]["test_r2"] = np.nextafter(records[1]["test_r2"], 1.0)
    write_sealed(path, *records)
    assert main(["verify", "study.yaml", "--runs", "99"]) == 1
    said = capfd.readouterr().out
    assert "WRONG  results/tables/one/runs.csv against the records: it has other rows" in said
    assert "WRONG  VJM on 192_vineyard (paper), seed 1: test_r2 differ" in said
    assert "4 of 6 right." in said


def test_verify_finds_wrong_results(study, monkeypatch, capsys):
    """Intact files in their places that do not match the steps before."""
    folder, _, _ = study
    monkeypatch.chdir(folder)
    for part, key in (("noise", "mean"), ("splits", "train")):
        path = file_of(folder, part)
        content = read_sealed(path)
        content["runs"][0][key] = content["runs"][1][key]
        write_sealed(path, content)
        assert main(["verify", "study.yaml", "--runs", "99"]) == 1
        answer = f"WRONG  VJM on 192_vineyard (paper), seed 0: its {part} are wrong: delete "
        assert answer in capsys.readouterr().out
    path = file_of(folder, "VJM")
    first, second = read_records(path)
    first["versions"]["numpy"] = "1.0"
    write_sealed(path, first, second)
    assert main(["verify", "study.yaml", "--runs", "99"]) == 1
    assert "made with other versions (numpy 1.0 then, " in capsys.readouterr().out
    path.write_bytes(path.read_bytes()[:-9])
    assert main(["verify", "study.yaml"]) == 1
    found = f"WRONG  checksums of all files: damaged: {path.relative_to(folder)}"
    assert found in capsys.readouterr().out


def test_verify_and_status_without_runs(table, capsys):
    """A study that never ran, or a wrong folder."""
    assert main(["study", "init", "mine.yaml"]) == 0
    capsys.readouterr()
    assert main(["verify", "mine.yaml"]) == 3
    assert f"no runs of mine.yaml in {Path.cwd()}/results/mine" in capsys.readouterr().err
    assert main(["study", "status", "mine.yaml"]) == 3
    assert f"Nothing is there yet: {Path.cwd()}/results/mine" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--cores", "nope"], "'nope' is neither a number of cores nor 'all'"),
        (["--profile", "nope"], "--profile nope: there is no such folder"),
        (["--profile", "slurm"], '--profile slurm needs a plugin: pip install "vjmgp[cluster]"'),
    ],
)
def test_invalid_options_start_nothing(table, capsys, monkeypatch, words, answer):
    main(["study", "init", "mine.yaml"])
    monkeypatch.setitem(sys.modules, "snakemake_executor_plugin_slurm", None)  # not installed
    try:
        code = main(["study", "run", "mine.yaml", *words])
    except SystemExit as stop:  # of argparse
        code = stop.code
    assert code == 2
    assert answer in capsys.readouterr().err
    assert not Path(".snakemake").exists()


def test_a_read_only_folder_is_reported(table, capsys, monkeypatch):
    main(["study", "init", "mine.yaml"])
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert main(["study", "run", "mine.yaml"]) == 2
    assert f"{Path.cwd()} cannot be written to." in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_stop_a_study(tmp_path, number):
    """Ctrl-C reaches all processes of a terminal, SIGTERM the command only."""
    config = STUDY | {"seeds": 12, "seeds_per_job": 1}
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(config))
    process = subprocess.Popen(
        [*VJMGP, "study", "run", "study.yaml", "--cores", "2", "--", TARGET],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
    )
    while process.poll() is None and not list(tmp_path.glob("results/runs/**/*.jsonl")):
        time.sleep(0.02)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
        time.sleep(0.3)
        os.killpg(process.pid, number)  # an impatient user
    else:
        process.send_signal(number)
    said, _ = process.communicate()
    assert "Traceback" not in said
    assert process.returncode == (130 if number == signal.SIGINT else 128 + number), said
    assert is_running(tmp_path / "results") is None
    assert "Everything that finished is kept in results" in said
    if number == signal.SIGINT:
        assert "did not complete successfully" not in said


def test_two_simultaneous_starts_run_once(tmp_path):
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    call = [*VJMGP, "study", "run", "study.yaml", "--cores", "1", "--", TARGET]
    both = [
        subprocess.Popen(call, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = {process.communicate()[1]: process.returncode for process in both}
    assert sorted(said.values()) == [0, 3]
    (refused,) = (text for text, code in said.items() if code)
    assert "vjmgp: the study is already running (process " in refused
