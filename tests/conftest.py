"""Shared data; every worker waits here until the kernels are compiled."""

from __future__ import annotations

import copy
import os
import shutil

# scikit-learn leaves a check out without it; SciPy reads it when it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from tests.support.workflow_runs import STUDY, TARGET, made, snakemake

from vjmgp import REGULARIZERS, SELECTIONS, compile_kernels


@pytest.fixture(scope="session", autouse=True)
def kernels() -> None:
    for name in REGULARIZERS:
        compile_kernels(name)
    for name in SELECTIONS:
        compile_kernels(selection=name)


@pytest.fixture(scope="session")
def problem() -> tuple[np.ndarray, np.ndarray]:
    """A small standardised problem: 60 rows, 4 inputs, some noise."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(60, 4))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.2 * rng.normal(size=60)
    return (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A small study that was run, up to its tables."""
    folder = tmp_path_factory.mktemp("finished")
    snakemake(folder, STUDY, TARGET)
    return folder


@pytest.fixture
def study(finished, tmp_path):
    """A copy of it, times of files and all, to go on with."""
    folder = tmp_path / "study"
    shutil.copytree(finished, folder)
    return folder, copy.deepcopy(STUDY), made(folder)
