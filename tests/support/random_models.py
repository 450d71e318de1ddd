"""Random models of numeric columns, for tests of formulas."""

import functools

import numpy as np
import pandas as pd
from tests.support.twins import random_tree

from vjmgp.engine.trees.primitives import codes_by_name
from vjmgp.models.symbolic import Feature, SymbolicModel
from vjmgp.tables.preprocessing import fit_standardizer

NAMES = ["speed", "wind chill", "3rd", "sin", "lambda"]
WORDS = ["speed", "wind_chill", "x3rd", "sin_", "lambda_"]
EVERY_FUNCTION = sorted(codes_by_name().values())

NUMPY = {
    **{n: getattr(np, n) for n in ("cos", "exp", "log", "nan", "pi", "sin", "sqrt", "tanh")},
    "Abs": np.abs,
    "Heaviside": np.heaviside,
    "Max": lambda *parts: functools.reduce(np.maximum, parts),
    "Min": lambda *parts: functools.reduce(np.minimum, parts),
    "atan": np.arctan,
    "real_root": lambda a, degree: np.cbrt(a),
}
"""What names in the text of a formula stand for."""


def random_model(seed, depth=3, count=3, names=NAMES, functions=range(13)):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(3, 2, size=(40, 5)), columns=names)
    y = rng.normal(-4, 7, size=40)
    features = []
    for _ in range(count):
        codes, constants = random_tree(rng, depth, 5, functions)
        weight, centre, factor = rng.normal(), rng.normal(), rng.uniform(0.1, 2)
        features.append(Feature(tuple(codes), tuple(constants), weight, centre, factor))
    standardizer = fit_standardizer(table, y, list(names), [])
    return SymbolicModel(standardizer, tuple(features), 0.25), table


def columns(table):
    """Return the values of the names in a formula."""
    return {word: table[name].to_numpy() for word, name in zip(WORDS, NAMES, strict=True)}
