"""Compile a part of the kernels in a second process while the first compiles the rest.

numba compiles one function at a time in a process, so two processes need half the time. Each has
its own cache folder, because two writers to one folder may lose or mix up kernels. The first
process moves the kernels of the second to its folder and compiles what is missing, so the second
may fail, be killed or not start at all.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Self

import joblib
import numpy as np

from ..distillation.candidates import collect
from ..distillation.choice import written_length
from ..distillation.constants import target_of
from ..distillation.distil import teaching_points
from ..distillation.revision import polished
from ..distillation.student import select
from ..distillation.teacher import teacher_of
from ..laws.fitting import LawData, fitted, leave_one_out
from ..preparation import Prepared, prepare
from ..search.archive import merged, update_archive
from ..search.evolution import Evolution
from ..search.population import rehash, release
from ..search.survival import nsga2
from ..settings import Settings
from ..trees.pool import compact
from ..trees.primitives import FIRST_VARIABLE, SQUARE
from .kernels import CACHE_VARIABLE, kernel_folder, rare_garbage_collection

PREFIX = "second-"
"""Prefix of the names of its folders."""
LEAST_PATIENCE = 30.0
"""Seconds that the first process waits at least; else as long as its own part took."""


def small_run(regularizer: str, selection: str) -> Evolution:
    """Return a run on a few rows that is prepared but not started."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 2))
    y = x[:, 0] + 0.1 * rng.normal(size=20)  # easy to learn, so that there is a student
    small = Settings(
        regularizer=regularizer, selection=selection, population_size=8, intrusion_detection=True
    )
    return Evolution(prepare(x, y, small, seed=0))


def use_second_part(selection: str) -> None:
    """Use the kernels of initialisation, selection, variation, archive, students, constants.

    The first part, evaluation and vicinal points, takes about as long.
    """
    run = small_run("none", selection)
    rows = run.new_individuals()
    run.individuals.o1[rows] = run.individuals.o2[rows] = 1.0  # as if they were evaluated
    update_archive(run.archive, run.pool, run.individuals, run.y, run.weights, rows, 0)
    run.population = rows
    run.breed()
    release(run.pool, run.individuals, rows)
    compact(run.pool, room=1)
    nsga2(np.zeros(4), np.zeros(4), 2)
    rehash(np.zeros(1, np.uint64), np.zeros(2, np.uint64))
    archive = merged([run.archive])
    collect(archive, teacher_of(archive, 1.0), 2, 0.0)
    teaching_points(run.prepared)
    select(np.eye(4), np.ones(4), np.zeros(4), 2)
    use_constants(run.prepared)


def use_constants(prepared: Prepared) -> None:
    """Use the kernels that fit constants of trees and laws."""
    columns, y, weights = prepared.columns, prepared.y, prepared.weights
    tree = np.array([SQUARE, FIRST_VARIABLE], np.int32), np.zeros(2)
    written_length(tree[0])
    polished([tree], target_of(columns, y, weights, 1.0, prepared.addresses), 0.0, Settings())
    x = np.ascontiguousarray(prepared.x.T)
    problem = LawData(x, y, weights.each, np.ones(len(x), bool))
    leave_one_out(problem, ("*", ("k", 1.0), ("x", 0)), weights.copy)
    fitted(problem, ("*", ("k", 1.0), ("x", 0)), 1.0)


class SecondCompiler:
    """The second process and its cache folder; the context ends both."""

    def __init__(self, selection: str) -> None:
        home = kernel_folder()
        for left_over in home.glob(f"{PREFIX}*"):  # left by a process that was killed
            shutil.rmtree(left_over, ignore_errors=True)
        self._folder = tempfile.TemporaryDirectory(
            prefix=PREFIX, dir=home, ignore_cleanup_errors=True
        )
        self._started = time.monotonic()
        self._process = self._start(selection)

    def _start(self, selection: str) -> subprocess.Popen[bytes] | None:
        package = str(Path(__file__).parents[3])
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        changes = {CACHE_VARIABLE: self._folder.name, "PYTHONPATH": os.pathsep.join(paths)}
        try:
            return subprocess.Popen(  # noqa: S603 (this package itself)
                [sys.executable, "-P", "-m", __name__, selection],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | changes,
            )
        except OSError:
            return None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the process and delete its folder."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._folder.cleanup()

    def take_kernels(self) -> None:
        """Wait for the process and move its kernels, unless it failed."""
        patience = max(LEAST_PATIENCE, time.monotonic() - self._started)
        try:
            if self._process is None or self._process.wait(patience) != 0:
                return
        except subprocess.TimeoutExpired:
            return
        home = kernel_folder()
        made = Path(self._folder.name) / "vjmgp" / home.name
        for index in made.glob("*/*.nbi"):
            own = home / index.relative_to(made)
            if own.exists():  # also compiled here: an index must match its kernels
                continue
            own.parent.mkdir(exist_ok=True)
            for kernel in index.parent.glob(f"{index.stem}.*.nbc"):
                kernel.replace(own.with_name(kernel.name))
            index.replace(own)


def is_worthwhile() -> bool:
    """Return whether there is a core and an interpreter for it, and much to compile."""
    is_first = not any(kernel_folder().glob("*-*.compiled"))
    return is_first and joblib.cpu_count() > 1 and not getattr(sys, "frozen", False)


def _end_with_first() -> None:
    """Exit when the first process ends, which closes its end of the pipe."""
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_first, daemon=True).start()
    with rare_garbage_collection():
        use_second_part(sys.argv[1])
