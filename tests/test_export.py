"""What is exported computes what `predict` does, in each language."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest
import sympy
from exported import by_c, by_excel, by_python, by_sqlite, by_st, compiled, st_as_python, st_inputs
from the_command import FIT, said_by, write_table
from twins import random_tree

from vjmgp import UserFunction, load_model
from vjmgp.cli import main
from vjmgp.engine.functions import FIRST_VARIABLE, codes_by_name
from vjmgp.ensemble import BlendModel
from vjmgp.export import LANGUAGES, export_model
from vjmgp.export.source import source_of, words
from vjmgp.model import Feature, SymbolicModel
from vjmgp.tabular import fit_standardizer

EVERY_FUNCTION = sorted(codes_by_name().values())
NAMES = ["speed", 'wind "chill" (°C)', "3rd", "sin", "O'Brien; --", "t1"]
LEVELS = ["O'Brien", '"x"', "für \\ ??/ {0}", "a*/b"]
MODELS = range(24)


def random_table(rng, rows, missing):
    table = pd.DataFrame(rng.normal(3, 2, size=(rows, 6)), columns=NAMES)
    table["sin"] = rng.choice(LEVELS, rows)
    table["O'Brien; --"] = rng.integers(1, 9, rows)
    if missing:
        table.loc[rng.random(rows) < 0.2, "3rd"] = np.nan
        table.loc[rng.random(rows) < 0.2, "sin"] = None
    return table


def random_model(seed, depth=3):
    """A model of all functions, half of them with missing values; and rows with unseen levels."""
    rng = np.random.default_rng(seed)
    missing = bool(seed % 2)
    table, y = random_table(rng, 60, missing), rng.normal(-4, 7, size=60)
    how = "indicator" if missing else "error"
    standardizer = fit_standardizer(table, y, NAMES, [3, 4], encoding="auto", missing=how)
    features = []
    for _ in range(3):
        codes, constants = random_tree(rng, depth, len(standardizer.inputs), EVERY_FUNCTION)
        numbers = rng.normal(), rng.normal(), rng.uniform(0.1, 2)
        features.append(Feature(tuple(codes), tuple(constants), *numbers))
    new = random_table(rng, 25, missing)
    new.loc[:3, "sin"] = "for \\ ??/ {0}"
    new.loc[2:5, "O'Brien; --"] = 77
    new.loc[4:6, "speed"] = 40.0  # far out: predictions are clipped
    model = SymbolicModel(standardizer, tuple(features), 0.25)
    return model, new


def predicted(model, table):
    return model.predict_rows(model.standardizer.standardize(table))


def check(model, table, compute):
    """Compare on rows where predictions do not hang on the last digits of the inputs."""
    numeric = table.columns.difference(["sin", "O'Brien; --"])
    expected = predicted(model, table)
    near = table.assign(**{name: table[name] * (1 + 1e-11) for name in numeric})
    usual = np.abs(predicted(model, near) - expected) < 1e-7
    assert usual.mean() > 0.6
    found = np.broadcast_to(compute(table[list(source_of(model).columns)]), len(table))
    np.testing.assert_allclose(found[usual], expected[usual], rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("seed", MODELS)
def test_python(seed):
    model, table = random_model(seed)
    check(model, table, lambda columns: by_python(model.export("python"), columns))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_c(tmp_path):
    models = [random_model(seed) for seed in MODELS]
    texts = [model.export("c", name=f"f{k}") for k, (model, _) in enumerate(models)]
    library = compiled(texts, tmp_path)
    for k, (model, table) in enumerate(models):
        check(model, table, lambda columns, k=k: by_c(library[f"f{k}"], columns))


@pytest.mark.parametrize("seed", MODELS)
def test_sqlite(seed):
    model, table = random_model(seed)
    check(model, table, lambda columns: by_sqlite(model.export("sql", table="t"), columns))


@pytest.mark.parametrize("seed", MODELS)
def test_excel(seed):
    model, table = random_model(seed, depth=2)
    cells = [f"{'ABCDEF'[k]}2" for k in range(len(source_of(model).columns))]
    check(model, table, lambda columns: by_excel(model.export("excel", cells=cells), columns))


@pytest.mark.parametrize("seed", MODELS)
def test_structured_text(seed):
    model, table = random_model(seed)
    check(model, table, lambda columns: by_st(model.export("st"), columns))
