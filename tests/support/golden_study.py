"""Small golden runs of data and competitors, for `DATA_VERSION` and `COMPETITORS_VERSION`.

`python -m tests.support.golden_study --write` rewrites `tests/data/golden_study.json`, which needs
a new version. Other learners are third-party code, so their predictions are compared as numbers.
"""

import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from vjmgp.competitors.packages import missing_extra
from vjmgp.study.plan.identities import COMPETITORS_VERSION, DATA_VERSION
from vjmgp.study.protocols import LABEL_NOISE, PAPER
from vjmgp.study.runs.baselines import TunedEstimator
from vjmgp.study.runs.problems import Problem
from vjmgp.tables.pmlb import embedded_datasets, load_dataset

HOME = Path(__file__).parents[1]
FILE = HOME / "data" / "golden_study.json"
METHODS = yaml.safe_load((HOME.parent / "config/methods.yaml").read_text(encoding="utf-8"))
OWN_TESTS = ("Operon", "FFX", "ExcelFormer")
"""Slow learners, which test_competitors.py tests."""
COMPETITORS = [n for n, d in METHODS.items() if "estimator" in d and n not in OWN_TESTS]


def dataset(name: str) -> str:
    """Return a digest of a table and of its splits and labels under the paper's protocols."""
    data = load_dataset(name)
    digest = hashlib.sha256(json.dumps([list(data.inputs.columns), data.nominal]).encode())
    for column in data.inputs.columns:
        digest.update(data.inputs[column].to_numpy(np.float64).tobytes())
    digest.update(data.target.tobytes())
    for protocol in (PAPER, LABEL_NOISE):
        for seed in (0, 29):
            train, test = protocol.split(name, len(data), seed)
            labels = protocol.training_labels(data.target[train], name, seed)
            for part in (train, test, labels):
                digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]


def competitor(name: str) -> list[float]:
    """Return predictions of a learner tuned over the beginning of its grid."""
    data = load_dataset("192_vineyard")
    train, test = PAPER.split(data.name, len(data), 3)
    definition: dict[str, Any] = dict(METHODS[name])
    grid = definition.get("grid", {})
    definition["grid"] = {key: values[:2] for key, values in grid.items()}
    problem = Problem(
        data.name, 3, data.inputs, data.target, [], train, test, data.target[train]
    )  # fmt: skip
    learner = TunedEstimator(definition)
    with warnings.catch_warnings():  # short training does not converge
        warnings.simplefilter("ignore")
        learner.fit(problem)
    return [round(float(value), 6) for value in learner.predict(problem.test_table)[:5]]


def stored() -> dict[str, Any]:
    """Return the versions, digests and predictions in the repository."""
    content: dict[str, Any] = json.loads(FILE.read_text())
    return content


def main() -> None:
    """Write them."""
    if "--write" not in sys.argv:
        sys.exit(__doc__)
    missing = [name for name in COMPETITORS if missing_extra(METHODS[name]["estimator"])]
    if missing:
        sys.exit(f"Packages are missing for {', '.join(missing)}.")
    found = {
        "data": {"version": DATA_VERSION, "found": {n: dataset(n) for n in embedded_datasets()}},
        "competitors": {
            "version": COMPETITORS_VERSION,
            "found": {name: competitor(name) for name in COMPETITORS},
        },
    }
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
