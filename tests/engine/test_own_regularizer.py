"""The example of docs/own_regularizer.md."""

import re

import pandas as pd
import pytest
import yaml
from tests.support.result_files import made, ran
from tests.support.workflow_runs import ROOT, TABLES, TARGET, snakemake

from vjmgp import VJMRegressor

GUIDE = (ROOT / "docs/own_regularizer.md").read_text(encoding="utf-8")
CODE, CONFIG = (re.search(rf"```{kind}\n(.*?)```", GUIDE, re.S)[1] for kind in ("python", "yaml"))


def small(config):
    """Return the guide's study with short runs."""
    study = yaml.safe_load(CONFIG) | {"seeds": 2, "datasets": ["192_vineyard"]}
    short = {"population_size": 10, "generations": 2}
    names = {"VJM": "jensen_gap", "PP": "parsimony", "Standard GP": "none"}
    study["methods"] |= {name: {"gp": {"regularizer": r}} for name, r in names.items()}
    for method in study["methods"].values():
        method["gp"] |= short
    return study | config


def test_example_of_the_guide_gets_the_full_comparison(tmp_path):
    (tmp_path / "my_measures.py").write_text(CODE)
    snakemake(tmp_path, small({}), PYTHONPATH=str(tmp_path))
    runs = pd.read_csv(tmp_path / TABLES)
    assert (runs["status"] == "ok").all()
    assert set(runs["method"]) == {"VJM", "Roughness", "PP", "Standard GP"}
    counts = pd.read_csv(tmp_path / "results/tables/mine/win_tie_loss_test_r2.csv")
    assert set(counts["method"]) == set(runs["method"])
    # An edit of the file runs it again, and nothing else.
    before = made(tmp_path)
    (tmp_path / "my_measures.py").write_text(CODE.replace("np.max", "np.mean"))
    snakemake(tmp_path, small({}), TARGET, PYTHONPATH=str(tmp_path))
    assert ran(before, tmp_path) == {"runs/paper/192_vineyard/Roughness/seeds_0-1"}


def test_unknown_path_of_a_regularizer_is_reported(tmp_path):
    said = snakemake(tmp_path, small({}), "-n", ok=False)
    where = "methods.Roughness.gp.regularizer"
    assert f"{where}: Python cannot find the module of my_measures.Roughness. Put its file" in said
    x = [[1.0], [2.0], [3.0]]
    for name, message in (
        ("nowhere.Thing", "No module named 'nowhere'"),
        ("numpy.ndarray", "is not a Regularizer"),
        ("numpy.Nothing", "has no attribute"),
    ):
        with pytest.raises(ValueError, match=message):
            VJMRegressor(name).fit(x, [1.0, 2.0, 3.0])
