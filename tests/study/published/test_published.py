"""Published runs: written, reused, read as tables and models, and repeated."""

import copy
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml
from tests.support.configs import CATALOGUE, ROOT, SCHEMA
from tests.support.result_files import all_tables, made, ran
from tests.support.workflow_runs import STUDY, snakemake, study_in

from vjmgp import load_results, load_run_model
from vjmgp.cli import main
from vjmgp.core.files import DamagedFileError, checksum, read_sealed, write_sealed
from vjmgp.study.config.preflight import check_before_a_run
from vjmgp.study.config.read_study import read_study
from vjmgp.study.config.schema import ConfigError
from vjmgp.study.paths import RUNS, parse
from vjmgp.study.plan.identities import own_code
from vjmgp.study.published import load
from vjmgp.study.published import rows as compact
from vjmgp.study.published.index import HOME, INDEX, read_published
from vjmgp.study.published.publish import Publication
from vjmgp.study.runs.records import read_block


@pytest.fixture(scope="module")
def folder(finished, tmp_path_factory):
    """The runs of the finished study, published."""
    place = tmp_path_factory.mktemp("published")
    publication = Publication(place)
    assert publication.add(study_in(finished, STUDY)) == 4
    publication.write()
    return place


def study_that_reuses(folder, **changes):
    return copy.deepcopy(STUDY) | {"published": "use", "published_folder": str(folder)} | changes


def records(finished):
    study = study_in(finished, STUDY)
    return [record for path in study.files.runs() for record in read_block(path)]


def methods_run(study):
    """Return the methods whose runs are computed."""
    return [parse(RUNS, path)["method"] for path in study.files.runs()]


def test_row_holds_the_whole_record(finished, folder):
    published = read_published(folder)
    splits = compact.splits_of(published)
    found = [record for record in records(finished) if "model" in record]
    assert found
    for record in found:
        row = compact.row_of(record)
        model = compact.model_of(row, splits)
        wanted = record["model"]
        wanted["scores"]["train_r2"] = record["train_r2"]
        assert model.to_dict() == wanted
        assert model.text() == record["formula"]
        curve = np.array([row[name] for name in compact.CURVE], dtype=float).T
        curve[:, 1:] *= compact.CURVE_UNIT
        np.testing.assert_allclose(curve, record["curve"], atol=1e-9)


def test_reused_runs_give_the_same_tables(finished, folder, tmp_path):
    said = snakemake(tmp_path, study_that_reuses(folder), "join_runs")
    assert "4 published runs (engine 1.0" in said
    assert "0 are left to compute" in said
    assert "published=ignore" in said
    assert not made(tmp_path)
    ours, theirs = all_tables(tmp_path, "file"), all_tables(finished, "file")
    assert {name for name in theirs if ours[name] != theirs[name]} == set()
    for name in ("curves.csv", "models.json"):
        place = f"results/tables/one/{name}"
        assert (tmp_path / place).read_bytes() == (finished / place).read_bytes()


def test_more_seeds_compute_only_new_runs(folder, tmp_path):
    config = study_that_reuses(folder, seeds=3)
    snakemake(tmp_path, config, "join_runs")
    assert ran({}, tmp_path) >= {
        f"runs/paper/192_vineyard/{m}/seeds_2-2" for m in ("VJM", "LassoLars")
    }
    assert not any("runs/" in name and "seeds_2-2" not in name for name in ran({}, tmp_path))
    table = pd.read_csv(tmp_path / "results/tables/runs.csv")
    assert table.groupby("method")["seed"].apply(list).to_dict() == {
        "VJM": [0, 1, 2],
        "LassoLars": [0, 1, 2],
    }
    assert table["file"].str.endswith(".parquet").sum() == 4
    # They can be published with the rest.
    publication = Publication(folder)
    assert publication.add(study_in(tmp_path, config)) == 2
    publication.folder = tmp_path / "published"
    publication.write()
    before, after = load_results(folder), load_results(tmp_path / "published")
    assert after.groupby("method")["seed"].apply(sorted).tolist() == [[0, 1, 2], [0, 1, 2]]
    assert after[after["seed"] < 2].reset_index(drop=True).equals(before)


def test_status_counts_published_and_computed_runs(study, folder, monkeypatch, capsys):
    place, _, _ = study
    monkeypatch.chdir(place)
    Path("more.yaml").write_text(yaml.safe_dump(study_that_reuses(folder, seeds=3)))
    assert main(["study", "status", "more.yaml"]) == 3
    assert "one       4 of 6 runs done (4 published, 0 computed here)\n" in capsys.readouterr().out
    assert main(["study", "status", "study.yaml"]) == 3
    assert "one       4 of 4 runs done\n" in capsys.readouterr().out


def test_runs_with_other_settings_are_computed(folder, tmp_path):
    """Other settings, another method, or another method with the same name."""
    study = study_in(tmp_path, study_that_reuses(folder))
    assert sum(cell.seeds for cell in study.reused()) == 4
    assert study.files.runs() == []
    other = study_that_reuses(folder)
    other["methods"]["VJM"]["gp"]["generations"] = 3
    study = study_in(tmp_path, other)
    assert methods_run(study) == ["VJM"]
    assert study.datasets_to_read == {"192_vineyard"}
    assert study_in(tmp_path, study_that_reuses(folder, published="ignore")).reused() == []


def test_published_only_leaves_out_unpublished_runs(folder, tmp_path, monkeypatch):
    experiments = {
        "one": {"methods": ["VJM", "LassoLars", "SVR", "Operon"]},
        "two": {"methods": ["SVR"]},
    }
    config = study_that_reuses(folder, experiments=experiments, seeds=30)
    config["datasets"] = ["192_vineyard", "547_no2"]
    monkeypatch.setitem(sys.modules, "pyoperon", None)  # it need not be installed
    study = study_in(tmp_path, config | {"published": "only"})
    assert list(study.experiments) == ["one"]
    assert study.experiments["one"].methods == ["VJM", "LassoLars"]
    assert study.datasets == ["192_vineyard"]
    assert study.files.runs() == []
    assert study.missing == [
        "No runs are published on 547_no2.",
        "No runs are published of SVR, Operon.",
        "A part is published of VJM (2 of 30 runs), LassoLars (2 of 30 runs).",
    ]
    with pytest.raises(ConfigError, match="experiments: none of their runs is published"):
        study_in(tmp_path, config | {"published": "only", "datasets": ["547_no2"]})


@pytest.fixture
def without_learners(monkeypatch):
    """As if no package of a learner were installed."""
    before = study_of_paper().ids
    for name in ("lightgbm", "xgboost", "pyoperon", "ffx", "torch", "torch_frame"):
        monkeypatch.setitem(sys.modules, name, None)
    own_code.cache_clear()
    yield before
    own_code.cache_clear()


def study_of_paper(**changes):
    """Return a study that reuses the runs of this repository."""
    experiments = {"one": {"methods": ["VJM", "published"]}}
    changes = {"experiments": experiments, "datasets": ["547_no2"], "seeds": 8} | changes
    return read_study(changes, SCHEMA, CATALOGUE, home=ROOT)


@pytest.mark.skipif(not (ROOT / HOME).exists(), reason="needs the published runs")
def test_published_runs_need_no_package_of_their_learner(without_learners):
    every = "LGBM", "XGB", "Operon", "FFX", "ExcelFormer"
    for changes in ({}, {"published": "only"}, {"unavailable": "skip", "seeds": 30}):
        study = study_of_paper(**changes)
        assert set(study.methods) >= {"LGBM", "XGB"}
        assert study.files.runs() == []
        check_before_a_run(study)
        for name in study.methods:
            assert study.ids.method(name) == without_learners.method(name)
    experiments = {"one": {"methods": ["VJM", *every]}}
    with pytest.raises(ConfigError, match="packages are missing for XGB, Operon"):
        study_of_paper(experiments=experiments, seeds=30)
    # A user's class that is missing is reported even if nothing is computed.
    for path in ("lightgbm_of_mine.Model", "lightgbmm.LGBMRegressor"):
        changes = {"methods": {"Mine": {"estimator": path}}, "published": "only"}
        with pytest.raises(ConfigError, match=f"Mine.estimator: Python cannot find .* {path}"):
            study_of_paper(experiments={"one": {"methods": ["VJM", "Mine"]}}, **changes)


def test_word_published_stands_for_all_published_names(folder, tmp_path):
    mine = {"Mine": {"estimator": "sklearn.linear_model.Ridge"}}
    experiments = {"one": {"methods": ["Mine", "published"]}}
    config = study_that_reuses(folder, methods=mine, experiments=experiments)
    study = study_in(tmp_path, config | {"datasets": ["published"]})
    assert study.experiments["one"].methods == ["Mine", "LassoLars"]  # VJM is not the same there
    assert set(methods_run(study)) == {"Mine"}
    assert study.datasets == ["192_vineyard"]
    with pytest.raises(ConfigError, match=r"one.methods: 'published': no runs are published here"):
        study_in(tmp_path, config | {"published": "ignore"})


def test_error_names_a_folder_without_published_runs(tmp_path):
    with pytest.raises(ConfigError, match=r"published_folder: there are no published runs in"):
        study_in(tmp_path, study_that_reuses(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"no published runs in .*nowhere"):
        load_results(tmp_path / "nowhere")


def test_damaged_published_file_is_refused(folder, tmp_path):
    copied = tmp_path / "copy"
    copied.mkdir()
    for path in folder.iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    table = copied / "one.parquet"
    table.write_bytes(table.read_bytes()[:-1] + b"x")
    (tmp_path / "run").mkdir()
    said = snakemake(tmp_path / "run", study_that_reuses(copied), "join_runs", ok=False)
    assert f"{table} is damaged (its checksum is not that of index.json). Restore it" in said
    assert "study repair" not in said
    index = copied / INDEX
    index.write_bytes(index.read_bytes().replace(b'"one"', b'"two"'))
    with pytest.raises(DamagedFileError, match=r"index.json is damaged .* published: ignore in"):
        load_results(copied)


@pytest.mark.parametrize("what", ["fewer rows", "99 seeds", "another method", "fewer cells"])
def test_index_is_compared_with_the_runs(folder, tmp_path, capsys, what):
    """Although all checksums and seals are right."""
    publication = Publication(folder)
    publication.folder = tmp_path / "published"
    rows = [rows for cells in publication.groups.values() for rows in cells.values()]
    publication.write()
    index = read_sealed(publication.folder / INDEX)
    identity, cell = next((i, cell) for i, cell in index["cells"].items() if cell[2] == "VJM")
    named = {"99 seeds": (3, 99), "another method": (2, "LassoLars")}
    if what == "fewer rows":
        rows = [row for cell in rows for row in cell if row["method"] != "VJM" or row["seed"] == 0]
        compact.write_rows(publication.folder / "one.parquet", rows, compact.SCHEMA)
        index["files"]["one.parquet"] = checksum(publication.folder / "one.parquet")
    elif what == "fewer cells":
        del index["cells"][identity]
    else:
        place, value = named[what]
        cell[place] = value
    write_sealed(publication.folder / INDEX, index)
    read_published.cache_clear()
    config = tmp_path / "study.yaml"
    config.write_text(
        yaml.safe_dump(study_that_reuses(publication.folder, results=str(tmp_path / "none")))
    )
    named = {"99 seeds": 99, "fewer cells": "no"}.get(what, 2)
    of = f"( of {cell[2]} on 192_vineyard .*)?"
    message = rf"one.parquet is damaged \(of {identity} index.json names {named} runs{of}, "
    message += f"and it has {1 if what == 'fewer rows' else 2} runs of VJM on 192_vineyard"
    with pytest.raises(DamagedFileError, match=message):
        load_results(publication.folder)
    if what in ("fewer rows", "99 seeds"):  # of others no run is reused
        assert main(["verify", "--published", str(config), "--runs", "0"]) == 1
        assert re.search(f"WRONG  published files: .*{message}", capsys.readouterr().out)
        assert main(["study", "check", str(config)]) == 2
        assert re.search(message, capsys.readouterr().err)


def test_verify_says_what_it_could_not_download(folder, tmp_path, capsys, monkeypatch):
    def fail(*_):
        raise OSError("dataset '192_vineyard' could not be downloaded")

    monkeypatch.setattr("vjmgp.operations.verify.fetch_dataset", fail)
    config = tmp_path / "study.yaml"
    config.write_text(yaml.safe_dump(study_that_reuses(folder, results=str(tmp_path / "none"))))
    assert main(["verify", "--published", str(config), "--runs", "2"]) == 3
    said = capsys.readouterr().out
    assert said.count("could not be downloaded") == 2
    assert "WRONG" not in said
    assert "1 of 1 right; 2 not checked." in said


@pytest.fixture(scope="module")
def encodings(tmp_path_factory):
    """A study of a dataset with a nominal column, in two encodings, and its published runs."""
    config = copy.deepcopy(STUDY) | {"datasets": ["210_cloud"], "seeds": 1}
    config["methods"]["One-hot"] = {"gp": config["methods"]["VJM"]["gp"] | {"encoding": "onehot"}}
    config["experiments"]["one"]["methods"] = ["VJM", "One-hot"]
    folder = tmp_path_factory.mktemp("encodings")
    snakemake(folder, config, "join_runs")
    publication = Publication(folder / "published")
    assert publication.add(study_in(folder, config)) == 2
    publication.write()
    config |= {"published": "only", "published_folder": str(folder / "published")}
    return folder, config


def test_methods_may_differ_in_encoding(encodings, tmp_path, capsys):
    folder, config = encodings
    home = config["published_folder"]
    one, other = (load_run_model("210_cloud", method, folder=home) for method in ("VJM", "One-hot"))
    assert one.standardizer.columns != other.standardizer.columns
    snakemake(tmp_path, config, "join_runs")
    models = "results/tables/one/models.json"
    assert (tmp_path / models).read_bytes() == (folder / models).read_bytes()
    path = tmp_path / "study.yaml"
    assert main(["verify", "--published", str(path)]) == 0
    assert capsys.readouterr().out.count("the same to the bit") == 2
    # Scales that runs share are verified, too.
    publication = Publication(Path(home))
    publication.folder = tmp_path / "forged"
    for split in publication.splits.values():
        split["standardizer"] = split["standardizer"].replace('"mean": ', '"mean": 1')
    publication.write()
    path.write_text(yaml.safe_dump(config | {"published_folder": str(publication.folder)}))
    assert main(["verify", "--published", str(path)]) == 1
    assert capsys.readouterr().out.count("standardizer differ") == 2


def test_publish_rejects_runs_of_other_training_rows(encodings, tmp_path):
    folder, config = encodings
    both = config | {"published": "ignore"}
    one_hot = both | {"experiments": {"one": {"methods": ["One-hot"]}}}
    publication = Publication(tmp_path)
    publication.add(study_in(folder, both | {"experiments": {"one": {"methods": ["VJM"]}}}))
    for key in publication.inputs:
        publication.inputs[key] = "those of another table"
    with pytest.raises(ValueError, match="210_cloud, seed 0: its runs have different training"):
        publication.add(study_in(folder, one_hot))
    vjm = both | {"experiments": {"one": {"methods": ["VJM"]}}}
    with pytest.raises(ValueError, match="210_cloud, seed 0: its runs have different training"):
        publication.add(study_in(folder, vjm))  # although these runs are there already


def test_encoding_of_the_paper_has_no_column(encodings, folder):
    """Files without a column of encodings can be read, and are written again unchanged."""
    for home, is_named in ((folder, False), (encodings[1]["published_folder"], True)):
        published = read_published(Path(home))
        for name in ("one.parquet", "splits.parquet"):
            assert ("encoding" in pq.read_schema(published.file(name)).names) == is_named
        found = [key[3] for key in compact.splits_of(published)]
        assert sorted(found) == (["onehot", "target"] if is_named else ["target", "target"])


def test_publishing_again_adds_only_new_runs(finished, folder, tmp_path, capsys, monkeypatch):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.chdir(finished)
    assert main(["study", "publish", "study.yaml", "--to", str(folder)]) == 0
    assert "0 new runs and 0 tables in" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    more = study_in(tmp_path, STUDY | {"experiments": {"two": {"methods": ["Standard GP"]}}})
    publication = Publication(tmp_path / "other")
    assert publication.add(more) == 0  # it has no runs
    assert not publication.groups


def test_load_results_and_models(finished, folder):
    table = load_results(folder)
    assert len(table) == 4
    assert set(table["experiment"]) == {"one"}
    by_run = {(record["method"], record["seed"]): record for record in records(finished)}
    for row in table.to_dict("records"):
        record = by_run[row["method"], row["seed"]]
        assert row["test_r2"] == record["test_r2"]
        wanted = record["cpu_seconds"] + record.get("noise_cpu_seconds", 0.0)
        assert row["cpu_seconds"] == pytest.approx(wanted, rel=1e-5)
    model = load_run_model("192_vineyard", seed=1, folder=folder)
    assert model.text() == by_run["VJM", 1]["formula"]
    with pytest.raises(ValueError, match="Runs of 'LassoLars' have no published symbolic model"):
        load_run_model("192_vineyard", "LassoLars", folder=folder)
    with pytest.raises(ValueError, match=r"No run of 'VJM' on '192_vineyard' with seed 2"):
        load_run_model("192_vineyard", seed=2, folder=folder)


def test_results_and_models_of_any_study(finished, folder):
    """Its table is as that of published runs, as far as its columns exist."""
    place, published = finished / "results", load_results(folder)
    table = load_results(place)
    shared = [name for name in published if name in table]
    assert list(table)[: len(shared)] == shared
    lacking = {"experiment", "identity", "versions", "unconverged_candidates"}
    assert set(published) - set(shared) == lacking
    scores = ["method", "seed", "train_r2", "test_r2", "size"]
    pd.testing.assert_frame_equal(table[scores], published[scores], check_dtype=False)
    model = load_run_model("192_vineyard", seed=1, folder=place)
    assert model.text() == load_run_model("192_vineyard", seed=1, folder=folder).text()
    for name, seed in (("LassoLars", 0), ("VJM", 2)):
        with pytest.raises(ValueError, match="has computed no symbolic model"):
            load_run_model("192_vineyard", name, seed, folder=place)


def test_results_are_found_from_within_a_clone(folder, tmp_path, monkeypatch):
    """An installed package is not beside them; the working directory may be."""
    monkeypatch.setattr(load, "REPOSITORY", tmp_path / "lib")
    work = tmp_path / "clone" / "mine"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    with pytest.raises(FileNotFoundError, match=r"lib/results/paper, .*clone/mine/results/paper"):
        load_results()
    (work.parent / "results").mkdir()
    (work.parent / HOME).symlink_to(folder)
    read_published.cache_clear()
    assert load_results().equals(load_results(folder))
    assert load_run_model("192_vineyard").text()


def test_verify_repeats_published_runs(folder, tmp_path, capsys, monkeypatch):
    config = tmp_path / "study.yaml"
    config.write_text(yaml.safe_dump(study_that_reuses(folder, results=str(tmp_path / "none"))))
    assert main(["verify", "--published", str(config), "--runs", "0"]) == 0
    assert "1 of 1 right" in capsys.readouterr().out
    assert main(["verify", "--published", str(config), "--runs", "4"]) == 0
    said = capsys.readouterr().out
    assert said.count("the same to the bit") == 4
    assert not (tmp_path / "none").exists()
    monkeypatch.setattr("vjmgp.operations.verify.embedded_datasets", lambda: ["547_no2"])
    assert main(["verify", "--published", "--shipped", str(config), "--runs", "4"]) == 1
    assert "none can be computed again on these datasets" in capsys.readouterr().out
    # A wrong number is found even if the checksums agree.
    forged = tmp_path / "forged"
    publication = Publication(folder)
    publication.folder = forged
    rows = next(rows for cells in publication.groups.values() for rows in cells.values())
    rows[0]["test_r2"] = np.nextafter(rows[0]["test_r2"], 1.0)
    publication.write()
    config.write_text(yaml.safe_dump(study_that_reuses(forged, results=str(tmp_path / "none"))))
    assert main(["verify", "--published", str(config), "--runs", "4"]) == 1
    said = capsys.readouterr().out
    assert "test_r2 differ" in said
    assert "4 of 5 right" in said


def test_missing_packages_are_named_at_once(monkeypatch, capsys):
    monkeypatch.setattr("vjmgp.core.optional.find_spec", lambda module: None)
    assert main(["verify", "--published", "--runs", "0"]) == 2
    said = capsys.readouterr().err
    assert said == "vjmgp: this needs jsonschema: pip install 'vjmgp[workflow]'\n"


def test_index_lists_all_files(folder):
    index = read_sealed(folder / INDEX)
    assert set(index["files"]) == {path.name for path in folder.iterdir()} - {INDEX}
    for name, known in index["files"].items():
        assert checksum(folder / name) == known
