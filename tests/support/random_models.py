"""Random models of numeric columns, for tests of formulas."""

import numpy as np
import pandas as pd
from tests.support.twins import random_tree

from vjmgp.engine.trees.primitives import codes_by_name
from vjmgp.models.symbolic import Feature, SymbolicModel
from vjmgp.tables.preprocessing import fit_standardizer

NAMES = ["speed", "wind chill", "3rd", "sin", "lambda"]
EVERY_FUNCTION = sorted(codes_by_name().values())


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
