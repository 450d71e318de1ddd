"""Compiled kernels and the folder that keeps them between processes.

numba can keep compiled code on disk, but its own rules miss an edit in a *called* function that
lives in another file, and two processes that compile at once may write over each other. Here the
folder's name holds a hash of every module of the engine and of where and when it was installed, so
an edit anywhere gives a new folder, and `compile_once` lets one process compile while the others
wait for it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding
import numba
from filelock import FileLock
from platformdirs import user_cache_path

from ..version import ENGINE_FOLDER, source_hash

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_VARIABLE = "VJMGP_CACHE_DIR"


@functools.cache
def kernel_folder() -> Path:
    """Where compiled kernels are kept: one per installed engine, processor, Python and numba.

    The parent is `VJMGP_CACHE_DIR`, else numba's `NUMBA_CACHE_DIR`, else the user's cache
    folder; where none of them can be written, or others may write there, a temporary one that lasts
    for this process.
    """
    processor = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES or llvmlite.binding.get_host_cpu_features().flatten()
    name = "-".join(
        [
            source_hash(),
            _installation(),
            processor or platform.machine(),
            hashlib.sha256(features.encode()).hexdigest()[:6],
            f"py{sys.version_info.major}{sys.version_info.minor}",
            f"numba{numba.__version__}",
        ]
    )
    given = (os.environ.get(CACHE_VARIABLE), os.environ.get("NUMBA_CACHE_DIR"))
    places = [Path(place) / "vjmgp" for place in given if place]
    for place in (*places, user_cache_path("vjmgp", appauthor=False)):
        folder = place / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Others could put code there; on Windows the mode does not tell.
            if os.name == "posix" and folder.stat().st_mode & 0o022:
                continue
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="vjmgp-kernels-"))


def _installation() -> str:
    """A short hash of what numba knows a module by: its path and its time.

    Another copy of the same engine finds no kernels here, so it must not find our marks either.
    """
    modules = sorted(ENGINE_FOLDER.rglob("*.py"))
    known_by = [(str(path), path.stat().st_mtime_ns) for path in modules]
    return hashlib.sha256(repr(known_by).encode()).hexdigest()[:6]


@contextlib.contextmanager
def kept_on_disk() -> Iterator[None]:
    """What is decorated in here with `cache=True` is kept in the folder of kernels."""
    previous = numba.config.CACHE_DIR
    # numba reads this while decorating; the user's own kernels keep their own place.
    numba.config.CACHE_DIR = str(kernel_folder())
    try:
        yield
    finally:
        numba.config.CACHE_DIR = previous


def kernel(function: Function) -> Function:
    """Compile a plain loop with numba: no GIL, strict IEEE arithmetic, kept on disk.

    No `fastmath`: the order of every sum is the one in the source, so results do not depend on
    how wide a machine's vectors are.
    """
    with kept_on_disk():
        compiled: Function = numba.njit(
            cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True
        )(function)
    return compiled


def part_of_kernel(function: Function) -> Function:
    """Like `kernel`, for a step of a larger one: its source is put in where it is called.

    A called kernel is compiled once by itself and again within every caller; a part is compiled
    with its caller only, which keeps the first fit's wait short.
    """
    compiled: Function = numba.njit(inline="always", nogil=True, error_model="numpy")(function)
    return compiled


@contextlib.contextmanager
def seldom_collecting() -> Iterator[None]:
    """Compiling makes many objects that live long: looking through them is a sixth of its time."""
    previous = gc.get_threshold()
    gc.set_threshold(100_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*previous)


def is_compiled(name: str) -> bool:
    """Whether a compilation of this name was finished."""
    return (kernel_folder() / f"{name}.compiled").exists()


def compile_once(name: str, use_every_kernel: Callable[[], None]) -> None:
    """Run `use_every_kernel` in the first process that gets here; the others wait, then load.

    The finished compilation is marked by a file, so a process that died halfway (its lock goes
    with it) leaves no mark and the next one compiles again.
    """
    if is_compiled(name):
        return
    with FileLock(kernel_folder() / "compiling.lock"):
        if not is_compiled(name):
            use_every_kernel()
            (kernel_folder() / f"{name}.compiled").touch()
