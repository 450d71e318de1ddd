"""Digests of small runs of every method, which define `ENGINE_VERSION`.

`python -m tests.support.golden_runs` compares them with `tests/data/golden.json` and lists
differences; `--write` updates the file, which requires a new version.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.support import regressors

import vjmgp
from vjmgp.engine.search.archive import FIRST_NODE
from vjmgp.engine.version import ENGINE_VERSION
from vjmgp.models.extrapolation import extrapolation_ignored
from vjmgp.models.serialization import tree_to_list
from vjmgp.models.symbolic import Feature

SECOND_READINGS = (
    *("GrandComplexityOfPopulation", "WcrvOfResiduals", "RefittedRademacher"),
    *("RademacherAndSize", "BoundedJensenGap"),
)
FIRST_OF_MORE = (
    *("div", "inv", "exp", "gauss", "tanh", "sigmoid", "cube", "cbrt", "atan", "step"),
)
FILE = Path(__file__).parents[1] / "data" / "golden.json"
DATASET = "547_no2"
VARIANTS: dict[str, dict[str, Any]] = {
    **{f"regularizer {name}": {"regularizer": name} for name in vjmgp.REGULARIZERS},
    **{
        f"reading {name}": {"regularizer": f"vjmgp.engine.regularizers.second_readings.{name}"}
        for name in SECOND_READINGS
    },
    **{f"selection {name}": {"selection": name} for name in vjmgp.SELECTIONS},
    "early stopping": {"early_stopping": True},
    "joint kernel": {"mixup_kernel": "joint"},
    "shares not folded": {"fold_share": False},
    "small Beta parameter": {"mixup_alpha": 0.4},
    "strong preference of partners": {"mixup_gamma": 20.0},
    "no intrusion detection": {"intrusion_detection": False},
    "intrusion detection": {"intrusion_detection": True, "intrusion_margin": 0.01},
    "pooled noise estimate": {"noise_score": "pooled"},
    "given tau": {"tau": 3.0},
    "unscaled clean features": {"unscaled_clean_features": True},
    "few functions": {"functions": ("add", "mul", "sin")},
    "small trees": {"max_trees": 3, "max_depth": 4, "init_depth": (1, 2)},
    "one ridge strength": {"ridge_alphas": (0.01,)},
    "other rates": {"crossover_rate": 0.3, "mutation_rate": 0.8, "addition_rate": 0.1},
    "distilled": {"final_rule": "distil"},
    "distilled restarts": {"final_rule": "distil", "restarts": 2},
    "distilled finite difference": {"final_rule": "distil", "regularizer": "finite_difference"},
    "more functions": {"functions": (*vjmgp.FUNCTION_NAMES, *FIRST_OF_MORE)},
    "limits": {"max_size": 25, "forbidden_inside": {"sin": ["sin", "cos"]}},
    "sample of rows": {"final_rule": "distil", "max_rows": 40},
    "mean of the front": {"final_rule": "distil", "predict_with": "front"},
}


def digest_of(*parts: Any) -> str:
    """Return a hash of arrays and JSON values."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(json.dumps(part).encode())
    return digest.hexdigest()[:16]


def trees_of(archive: Any, names: list[str]) -> list[Any]:
    """Return every tree of an archive, with names of nodes."""
    return [
        tree_to_list(
            Feature(tuple(codes.tolist()), tuple(constants.tolist()), 0.0, 0.0, 1.0), names
        )
        for entry in range(len(archive.facts))
        for codes, constants in regressors.trees_of(archive, entry)
    ]


def run(**settings: Any) -> str:
    """Return the digest of a small run: its archive and its predictions of test rows."""
    data = vjmgp.load_dataset(DATASET)
    train, test = vjmgp.paper_split(data.name, len(data), 3)
    small = {"population_size": 40, "generations": 8, "random_state": 5}
    model = vjmgp.VJMRegressor.paper(**small | settings)
    model.fit(data.inputs.iloc[train], data.target[train])
    archive = model.archive_
    with extrapolation_ignored():
        predictions = model.predict(data.inputs.iloc[test])
    return digest_of(
        archive.scores,
        np.delete(archive.facts, FIRST_NODE, axis=1),
        archive.linear,
        trees_of(archive, [str(name) for name in data.inputs.columns]),
        [model.noise_r2_, model.tau_],
        predictions,
    )


def weighted_rows() -> str:
    """Return the digest of two weighted runs: one distilled, one with a measure over pairs."""
    data = vjmgp.load_dataset(DATASET)
    weights = (np.arange(len(data)) % 7) / 2.0
    found = []
    for settings in ({"final_rule": "distil"}, {"regularizer": "distance_correlation"}):
        small = {"population_size": 40, "generations": 3, "random_state": 0}
        model = vjmgp.VJMRegressor.paper(**small | settings)
        model.fit(data.inputs, data.target, sample_weight=weights)
        found += [model.archive_.scores, model.predict(data.inputs)]
    return digest_of(*found)


def nominal_columns(**settings: Any) -> str:
    """Return the digest of a run on a table with levels and missing numbers."""
    rng = np.random.default_rng(0)
    data = vjmgp.load_dataset(DATASET)
    table = data.inputs.assign(many=rng.choice(list("abcdefgh"), len(data)))
    table["few"] = rng.choice(list("xyz"), len(data))
    if "missing" in settings:
        table[table.columns[0]] = table[table.columns[0]].mask(rng.uniform(size=len(data)) < 0.1)
    small = {"population_size": 40, "generations": 3, "random_state": 0, "max_rows": None}
    model = vjmgp.VJMRegressor(**small | settings).fit(table, data.target)
    return digest_of(model.archive_.scores, model.predict(table))


def tables() -> str:
    """Return the digest of a dataset."""
    data = vjmgp.load_dataset("547_no2")
    return digest_of(data.target, data.inputs.to_numpy(np.float64))


def splits_and_label_noise() -> str:
    """Return the digest of a split and of label noise."""
    train, test = vjmgp.paper_split("a", 500, 7)
    return digest_of(train, test, vjmgp.add_label_noise(np.arange(50.0), "a", 7))


def information() -> str:
    """Return the digest of MIC for sizes with and without an integer n^0.6."""
    rng = np.random.default_rng(1)
    columns = [rng.normal(size=(2, n)) for n in (32, 100, 450)]
    return digest_of([vjmgp.mic(x, x**2 + y) for x, y in columns])


CASES: dict[str, Callable[[], str]] = {
    **{name: lambda settings=settings: run(**settings) for name, settings in VARIANTS.items()},
    "nominal columns": lambda: nominal_columns(final_rule="paper", encoding="target"),
    "levels and missing numbers": lambda: nominal_columns(final_rule="distil", missing="indicator"),
    "short formula": lambda: nominal_columns(missing="indicator"),
    "weighted rows": weighted_rows,
    "tables": tables,
    "splits and label noise": splits_and_label_noise,
    "maximal information coefficient": information,
}


def stored() -> dict[str, Any]:
    """Read the version and digests in the repository."""
    content: dict[str, Any] = json.loads(FILE.read_text())
    return content


def main() -> None:
    """Compare or write the digests."""
    found = {name: case() for name, case in CASES.items()}
    if "--write" in sys.argv:
        FILE.write_text(json.dumps({"version": ENGINE_VERSION, "digests": found}, indent=1) + "\n")
        return
    differ = [name for name, digest in found.items() if stored()["digests"].get(name) != digest]
    sys.exit(f"These runs differ: {', '.join(differ)}." if differ else 0)


if __name__ == "__main__":
    main()
