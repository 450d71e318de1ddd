"""Fixtures that several folders share, and the compilation of kernels on demand."""

import copy
import os
import shutil

# scikit-learn skips a check without it; SciPy reads it when it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from tests.support.result_files import made
from tests.support.workflow_runs import STUDY, TARGET, snakemake

ON_DEMAND = ("competitors", "core", "pages", "project", "study", "tables")
"""Folders most of whose tests need no kernels; the rest compile with their first fit.

Tests elsewhere run kernels of the default method without a fit, or read what a fit prints.
"""


@pytest.fixture(scope="session")
def kernels() -> None:
    """Compile the kernels of the default method; other workers wait, then load them."""
    from vjmgp import compile_kernels

    compile_kernels()


@pytest.fixture(scope="session")
def all_kernels() -> None:
    """Compile the kernels of every method, for tests that run them without a fit."""
    from vjmgp import REGULARIZERS, SELECTIONS, compile_kernels

    for name in REGULARIZERS:
        compile_kernels(name)
    for name in SELECTIONS:
        compile_kernels(selection=name)


@pytest.fixture(scope="module", autouse=True)
def _kernels_of_folder(request: pytest.FixtureRequest) -> None:
    if request.path.parent.name not in ON_DEMAND:
        request.getfixturevalue("kernels")


@pytest.fixture(scope="session")
def problem() -> tuple[np.ndarray, np.ndarray]:
    """Return a small standardised problem: 60 rows, 4 inputs, some noise."""
    from tests.support.engine_runs import small_problem

    return small_problem()


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Change to an empty folder, and return it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Run a small study up to its tables, and return its folder."""
    folder = tmp_path_factory.mktemp("finished")
    snakemake(folder, STUDY, TARGET)
    return folder


@pytest.fixture
def study(finished, tmp_path):
    """Copy the finished study with the times of its files; a test may run it further."""
    folder = tmp_path / "study"
    shutil.copytree(finished, folder)
    return folder, copy.deepcopy(STUDY), made(folder)
