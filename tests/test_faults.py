"""What happens to long studies, done to the real workflow."""

import copy
import errno
import os
import shutil
import subprocess
import time

import pandas as pd
import pytest
from workflow_runs import STUDY, TABLES, all_tables, made, ran, snakemake

from vjmgp.cli.place import read_config
from vjmgp.engine.identity import source_hash
from vjmgp.study import running, status
from vjmgp.study.seals import read_records

VJM = "results/runs/paper/192_vineyard/VJM/seeds_0-1.jsonl"
LASSO = "results/runs/paper/192_vineyard/LassoLars/seeds_0-1.jsonl"
SPLITS = "results/splits/paper/192_vineyard/seeds_0-1.json"
NOISE = "results/noise/paper/192_vineyard/seeds_0-1.json"
DATA = "results/datasets/192_vineyard/data.parquet"
TABLES_OF_ONE = "results/tables/one/runs.csv"
SOURCE = "results/datasets/192_vineyard/source.tsv.gz"


def flip(path, share=0.9):
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[int(len(content) * share)] ^= 4
    path.write_bytes(content)


@pytest.fixture
def mount(tmp_path):
    """A function that makes a folder a small disk of its own."""
    mounted = []

    def make(folder, options):
        folder.mkdir(parents=True, exist_ok=True)
        call = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        result = subprocess.run(call, capture_output=True, text=True, check=False)
        if result.returncode:
            pytest.skip(f"needs the right to mount a file system: {result.stderr.strip()}")
        mounted.append(folder)

    yield make
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)


# -- damaged files -------------------------------------------------------------------------------


def test_damaged_results_are_named_and_computed_again(study):
    folder, config, _ = study
    snakemake(folder, config, "one")
    tables, before = all_tables(folder), made(folder)
    first = next(read_records(folder / VJM))
    flip(folder / VJM)  # in the second of two runs
    (folder / LASSO).write_bytes((folder / LASSO).read_bytes()[:-300])
    said = snakemake(folder, config, "one")
    for name in (VJM, LASSO):
        assert f"DAMAGED: {name} is not as it was written." in said
    assert ran(before, folder) == {VJM.removeprefix("results/"), LASSO.removeprefix("results/")}
    assert all_tables(folder) == tables
    assert next(read_records(folder / VJM)) == first  # wall time and all: it was whole
    assert not list(folder.rglob("*.damaged"))
    assert "DAMAGED" not in snakemake(folder, config, "one")


def test_damaged_splits_and_data_are_made_again_before_they_are_used(study):
    folder, config, _ = study
    old = pd.read_csv(folder / TABLES_OF_ONE)
    contents = {name: (folder / name).read_bytes() for name in (SPLITS, DATA, SOURCE)}
    for name in contents:
        flip(folder / name, 0.5)
    config["experiments"]["one"]["methods"].append("Standard GP")
    said = snakemake(folder, config, "one")
    for name, content in contents.items():
        assert f"DAMAGED: {name} is not as it was written." in said
        assert (folder / name).read_bytes() == content
    new = pd.read_csv(folder / TABLES_OF_ONE)
    assert len(new) == 6
    for column in ("train_r2", "test_r2", "size"):  # of the runs from before the damage
        assert new[new["method"] != "Standard GP"][column].tolist() == old[column].tolist()


def test_damage_in_a_complete_study_is_made_good(study):
    """Also of files that nothing asks for any more, as all runs are done."""
    folder, config, _ = study
    damaged, runs = (SPLITS, NOISE, DATA, SOURCE), (VJM, LASSO)
    contents = {name: (folder / name).read_bytes() for name in (*damaged, *runs)}
    for name in damaged:
        flip(folder / name, 0.5)
    said = snakemake(folder, config)
    for name in damaged:
        assert f"DAMAGED: {name} is not as it was written." in said
    # No run was computed again: their wall times are the same.
    assert {name: (folder / name).read_bytes() for name in contents} == contents


def test_a_whole_file_in_the_wrong_place_is_damage(study):
    """Splits, noise estimates and runs of another dataset or other seeds, with right checksums."""
    folder, config, _ = study
    config["datasets"].append("228_elusage")
    snakemake(folder, config, TABLES)
    tables = all_tables(folder)
    moved = [name.replace("192_vineyard", "228_elusage") for name in (SPLITS, NOISE, VJM)]
    for name in moved:
        (folder / name).write_bytes(
            (folder / name.replace("228_elusage", "192_vineyard")).read_bytes()
        )
    first = (folder / LASSO).read_bytes().splitlines(True)[0]
    (folder / LASSO).write_bytes(first * 2)
    said = snakemake(folder, config, TABLES)
    for name in (*moved, LASSO):
        assert f"DAMAGED: {name} is not as it was written." in said
    assert all_tables(folder) == tables
    assert len(set(read_seeds(folder / LASSO))) == 2


def read_seeds(path):
    return [record["seed"] for record in read_records(path)]


def test_a_damaged_table_is_made_again(study):
    folder, config, _ = study
    snakemake(folder, config, "one")
    tables = all_tables(folder)
    runs, models = folder / TABLES_OF_ONE, folder / "results/tables/one/models.json"
    runs.write_text(runs.read_text().replace("0.", "0.9", 3))
    models.write_bytes(models.read_bytes()[:-20])
    said = snakemake(folder, config, "one")
    for path in (runs, models):
        assert f"DAMAGED: {path.relative_to(folder)} is not as it was written." in said
    assert all_tables(folder) == tables
    (folder / "results/tables/one/medians.csv").unlink()
    (folder / "results/tables/one/curves.csv").unlink()
    snakemake(folder, config, "one")
    assert all_tables(folder) == tables


def test_what_cannot_be_read_hides_no_damage(study):
    folder, config, _ = study
    (folder / VJM).with_name("seeds_7-8.jsonl").symlink_to("nowhere")
    flip(folder / LASSO)
    said = snakemake(folder, config, "one")
    assert f"DAMAGED: {LASSO} is not as it was written." in said


def test_a_lost_note_of_a_datasets_origin_is_fetched_again(study):
    folder, config, _ = study
    for name in ("source.json", "data.parquet"):
        (folder / "results/datasets/192_vineyard" / name).unlink()
    snakemake(folder, config, "one")
    assert (folder / SOURCE).with_name("source.json").exists()


def test_whoever_only_looks_changes_nothing(study):
    folder, config, _ = study
    flip(folder / LASSO)
    before = made(folder)
    for word in ("-n", "-np", "--lint"):
        said = snakemake(folder, config, word)
        assert f"DAMAGED: {LASSO} is not as it was written. A run makes it again." in said
    assert made(folder) == before


# -- settings and places -------------------------------------------------------------------------


def test_other_settings_are_noticed_without_snakemakes_notes(study, tmp_path):
    """Results that were copied, or whose .snakemake is gone: times tell nothing there."""
    folder, config, _ = study
    other = tmp_path / "elsewhere"
    shutil.copytree(folder / "results", other / "results")  # all files are as new as each other
    config["methods"]["VJM"]["gp"]["generations"] = 3
    (other / "study.yaml").write_text(str(config))
    state = status.progress_of(cli_config(other))
    assert [row[1:] for row in state.rows] == [(2, 0, 4)]
    flip(other / LASSO)  # damage hides no other settings
    said = snakemake(other, config, TABLES)
    assert f"DAMAGED: {LASSO} is not as it was written." in said
    assert "Note: 1 files of runs are of other settings or code; they are made again." in said
    assert set(pd.read_csv(other / TABLES)["generations"].dropna()) == {3}
    # Fewer methods: the table of the other study is not taken for this one's.
    shutil.rmtree(other / ".snakemake")
    config["experiments"]["one"]["methods"] = ["VJM"]
    snakemake(other, config, TABLES)
    assert set(pd.read_csv(other / TABLES)["method"]) == {"VJM"}


def cli_config(folder):
    """The study as the command reads it, with its results folder."""
    study = read_config(folder / "study.yaml")
    study.config["results"] = str(folder / "results")
    return study


def test_an_own_table_that_was_replaced_by_an_older_one(tmp_path):
    table = tmp_path / "mine.csv"
    rows = [f"{k},{(k * 7) % 11}\n" for k in range(40)]
    table.write_text("a,y\n" + "".join(rows))
    config = STUDY | {
        "datasets": ["mine"],
        "own_data": {"mine": {"file": "mine.csv", "target": "y"}},
        "experiments": {"one": {"methods": ["LassoLars"]}},
    }
    snakemake(tmp_path, config, TABLES)
    before = pd.read_csv(tmp_path / TABLES)["test_r2"].tolist()
    table.write_text("a,y\n" + "".join(rows[::-1]))
    os.utime(table, (1e9, 1e9))
    snakemake(tmp_path, config, TABLES)
    assert pd.read_csv(tmp_path / TABLES)["test_r2"].tolist() != before


# -- runs that fail ------------------------------------------------------------------------------

NAN = '''
import numpy as np
from sklearn.linear_model import LinearRegression


class Void(LinearRegression):
    """Predicts nothing for seed 1, but not in the trial before the run."""

    def __init__(self, random_state=None):
        super().__init__()
        self.random_state = random_state

    def predict(self, x):
        return super().predict(x) * (np.nan if self.random_state == 1 else 1.0)
'''


def test_a_run_that_gives_nan_is_listed_and_not_averaged_in(tmp_path):
    (tmp_path / "void.py").write_text(NAN)
    config = copy.deepcopy(STUDY)
    config["methods"]["Void"] = {"estimator": "void.Void"}
    config["experiments"]["one"]["methods"] = ["LassoLars", "Void"]
    said = snakemake(tmp_path, config, PYTHONPATH=str(tmp_path))
    assert "failed and are left out of the tables:" in said
    assert "Void on 192_vineyard, seed 1: ValueError:" in said
    good = pd.read_csv(tmp_path / TABLES).query("method == 'Void' and status == 'ok'")
    medians = pd.read_csv(tmp_path / "results/tables/one/medians.csv").set_index("dataset")
    assert medians.loc["192_vineyard", "Void"] == pytest.approx(good["test_r2"].item())


# -- killed --------------------------------------------------------------------------------------


def test_killed_when_kernels_were_just_compiled(tmp_path):
    """Snakemake did not live to note it; everything else is still to be done."""
    mark = f"results/kernels/{source_hash()}/jensen_gap-lexicase.txt"
    snakemake(tmp_path, STUDY, mark)
    notes = tmp_path / ".snakemake"
    for path in (notes / "metadata").iterdir():
        (notes / "incomplete" / path.name).write_text('{"external_jobid": null}')
    snakemake(tmp_path, STUDY, TABLES)
    assert len(pd.read_csv(tmp_path / TABLES)) == 4


# -- disks ---------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_nothing_finished_is_lost(tmp_path, mount, finished):
    mount(tmp_path / "results", "size=52k")
    said = snakemake(tmp_path, STUDY, TABLES, ok=False)
    assert "No space is left on the disk, or in your quota. Make room, and run again." in said
    assert "Everything that was finished is kept" in said
    before = made(tmp_path)
    assert before
    subprocess.run(["mount", "-o", "remount,size=10m", tmp_path / "results"], check=True)
    said = snakemake(tmp_path, STUDY, TABLES)
    assert "DAMAGED" not in said  # no half file was left
    assert not ran(before, tmp_path) & set(before)
    assert all_tables(tmp_path) == all_tables(finished)


def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(tmp_path, mount):
    mount(tmp_path / "results", "ro")
    said = snakemake(tmp_path, STUDY, ok=False)
    assert f"results: nothing can be written to {tmp_path}/results (Read-only file system)" in said
    assert "--config results=FOLDER" in said
    assert "Traceback" not in said
    assert not list((tmp_path / "results").iterdir())


# -- two studies ---------------------------------------------------------------------------------


def test_two_runs_do_not_meet_in_one_folder(tmp_path, finished):
    """Started in different directories, which Snakemake's own lock does not see."""
    results = tmp_path / "shared"
    lock = running.claim(results, "other.yaml")
    assert running.is_running(results)
    said = snakemake(tmp_path, STUDY | {"results": str(results)}, ok=False)
    assert f"results: {results} is in use by process {os.getpid()} on " in said
    assert sorted(path.name for path in results.iterdir()) == [".running.json", ".running.lock"]
    lock.release()
    assert not running.is_running(results)


def test_a_file_system_without_locks_does_for_a_study(tmp_path, monkeypatch):
    def refuse(descriptor, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    assert running.claim(tmp_path / "results", "study.yaml") is None
    assert running.last_run(tmp_path / "results")["config"] == "study.yaml"
    assert running.is_running(tmp_path / "results") is None


def test_two_studies_in_one_folder_one_after_the_other(study, tmp_path):
    """The second is told; runs of the same settings are shared, others never mixed."""
    folder, config, before = study
    tables = all_tables(folder)
    other = copy.deepcopy(config)
    other["methods"]["VJM"]["gp"]["generations"] = 1
    path = folder / "other.yaml"
    path.write_text(str(other))
    said = snakemake(folder, path, TABLES)
    assert "Note: results has the study of " in said
    assert "/study.yaml. Runs that both have are shared" in said
    assert ran(before, folder) == {VJM.removeprefix("results/")}
    assert set(pd.read_csv(folder / TABLES)["generations"].dropna()) == {1}
    snakemake(folder, config, TABLES)
    assert all_tables(folder) == tables


# -- clocks and locales --------------------------------------------------------------------------


def test_files_from_the_future_do_no_harm(study):
    """The clock was a day ahead when the study ran, and is right again."""
    folder, config, _ = study
    tomorrow = time.time() + 86400
    for path in (folder / "results").rglob("*"):
        os.utime(path, (tomorrow, tomorrow))
    old = pd.read_csv(folder / TABLES)
    config["experiments"]["one"]["methods"].append("Standard GP")
    said = snakemake(folder, config, TABLES)
    assert "files of results had times in the future; they have now's." in said
    new = pd.read_csv(folder / TABLES)
    assert len(new) == 6
    pd.testing.assert_frame_equal(new[new["method"] != "Standard GP"].reset_index(drop=True), old)


def test_a_table_from_the_future_is_told_before_the_run(tmp_path):
    table = tmp_path / "it's mine.csv"
    table.write_text("a,y\n" + "".join(f"{k},{k * k}\n" for k in range(30)))
    os.utime(table, (time.time() + 7200,) * 2)
    config = STUDY | {
        "datasets": ["mine"],
        "own_data": {"mine": {"file": "it's mine.csv", "target": "y"}},
    }
    said = snakemake(tmp_path, config, ok=False)
    assert "it's mine.csv was last changed 2.0 hours in the future" in said
    assert "touch 'it'\"'\"'s mine.csv'" in said


def test_another_locale_and_time_zone_change_nothing(tmp_path, finished):
    variables = {
        "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "TZ": "Pacific/Kiritimati",
    }  # fmt: skip
    snakemake(tmp_path, STUDY | {"title": "Größe ‹λ›"}, **variables)
    tables, wanted = all_tables(tmp_path), all_tables(finished)
    assert {name: tables[name] for name in wanted} == wanted
    assert "Größe ‹λ›" in (tmp_path / "results/report.html").read_text(encoding="utf-8")
