"""The adapter for SRBench, called as SRBench's evaluate_model calls a method."""

import importlib.util
import inspect
import json
import re
import time
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sympy
import yaml
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from vjmgp import load_dataset
from vjmgp.formulas.rounding import TOLERANCE
from vjmgp.models.extrapolation import extrapolation_ignored

FOLDER = Path(__file__).parents[2] / "benchmarks/srbench_adapter/vjmgp"


@pytest.fixture(scope="module")
def adapter():
    spec = importlib.util.spec_from_file_location("srbench_method", FOLDER / "regressor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def evaluate(adapter, inputs, target, *, as_frame=True, max_time=360, **params):
    """Split, scale, fit, ask for the model and score it, in SRBench's order."""
    names = list(inputs.columns)
    est = clone(adapter.est)
    est.random_state = 860
    table = inputs if as_frame else inputs.to_numpy()
    parts = train_test_split(table, target, train_size=0.75, test_size=0.25, random_state=860)
    scaler, target_scaler = StandardScaler(), StandardScaler()
    x_train, x_test = scaler.fit_transform(parts[0]), scaler.transform(parts[1])
    if as_frame:
        x_train, x_test = (pd.DataFrame(x, columns=names) for x in (x_train, x_test))
    y_train = target_scaler.fit_transform(parts[2].reshape(-1, 1)).flatten()
    est.set_params(**adapter.eval_kwargs["test_params"] | params)
    assert hasattr(est, "max_time")
    est.max_time = max_time
    est.fit(x_train, y_train)
    json.dumps({name: str(value) for name, value in est.get_params().items()})
    assert "X" in inspect.signature(adapter.model).parameters
    text = adapter.model(est, pd.DataFrame(x_train, columns=names))
    with extrapolation_ignored():
        scaled = est.predict(x_test)
    score = r2_score(parts[3], target_scaler.inverse_transform(scaled.reshape(-1, 1)))
    return est, text, x_test, scaled, score


def values_of(text, table, names):
    """Evaluate a model string with sympy on the rows of a table."""
    symbols = {name: sympy.Symbol(name) for name in names}
    expression = sympy.parse_expr(text, local_dict=symbols)
    assert expression.free_symbols <= set(symbols.values())
    function = sympy.lambdify(list(symbols.values()), expression, "numpy")
    return np.broadcast_to(function(*np.asarray(table).T), len(table))


def is_near(found, predicted):
    """Return whether the rounded formula predicts nearly the same on test rows."""
    return np.sqrt(np.mean((found - predicted) ** 2)) < 5 * TOLERANCE * np.std(predicted)


@pytest.mark.parametrize("as_frame", [True, False])
def test_model_string_predicts_like_the_model(adapter, as_frame):
    data = load_dataset("547_no2")
    est, text, x, predicted, score = evaluate(
        adapter, data.inputs, data.target, as_frame=as_frame, generations=20
    )
    assert score > 0.3
    assert adapter.complexity(est) == est.model_.size
    assert is_near(values_of(text, x, data.inputs.columns), predicted)
    assert max(map(len, re.findall(r"[\d.]+", text))) < 10


def test_column_names_are_unchanged(adapter):
    names = ["wheel-base", "S", "lambda", "exec", "x0"]
    rng = np.random.default_rng(100)
    inputs = pd.DataFrame(rng.normal(size=(120, 5)), columns=names)
    target = inputs.to_numpy().sum(axis=1)
    longer = {"population_size": 60, "generations": 30}
    _, text, x, predicted, score = evaluate(adapter, inputs, target, **longer)
    assert score > 0.9
    assert is_near(values_of(text, x, names), predicted)
    found = sympy.parse_expr(text, local_dict={name: sympy.Symbol(name) for name in names})
    assert {symbol.name for symbol in found.free_symbols} == set(names)


def test_scales_equal_to_one_are_omitted(adapter):
    data = load_dataset("192_vineyard")
    text = evaluate(adapter, data.inputs, data.target)[1]
    assert "0.99999" not in text
    assert "e-16)" not in text


def test_max_time_ends_a_fit(adapter):
    data = load_dataset("547_no2")
    started = time.perf_counter()
    est, text, *_ = evaluate(
        adapter, data.inputs, data.target, max_time=0.5, population_size=100, generations=100_000
    )
    assert est.stopped_by_ == "max_time"
    assert time.perf_counter() - started < 60
    assert text


def test_folder_follows_the_contribution_guide(adapter):
    kinds = {
        "test_params": dict, "max_train_samples": int, "scale_x": bool, "scale_y": bool,
        "pre_train": types.FunctionType, "use_dataframe": bool,
    }  # fmt: skip
    for name, value in adapter.eval_kwargs.items():
        assert isinstance(value, kinds[name])
    about = yaml.safe_load((FOLDER / "metadata.yml").read_text(encoding="utf-8"))
    assert set(about) == {"authors", "email", "name", "description", "url"}
    conda = yaml.safe_load((FOLDER / "environment.yml").read_text(encoding="utf-8"))
    pins = yaml.safe_load((FOLDER.parents[2] / "envs/vjmgp.yaml").read_text(encoding="utf-8"))
    assert set(conda["dependencies"]) <= set(pins["dependencies"])
    assert (FOLDER / "install.sh").read_text().startswith("#!/bin/bash")
