"""Compile kernels, and keep them on disk for other processes.

By itself numba misses an edit in a *called* function that lives in another file, compiles again
after an edited comment, and lets two processes that compile at the same time overwrite each other's
files. Here the folder's name holds a hash of the engine's code, which also is the stamp by which
numba recognises a kernel, and `compile_once` lets one process compile while other ones wait.
Installations of the same engine share their kernels.
"""

import atexit
import contextlib
import functools
import gc
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self, TypeVar

import llvmlite.binding
import numba
from filelock import FileLock
from numba.core.caching import CacheImpl, _CacheLocator
from platformdirs import user_cache_path

from ..version import ENGINE_FOLDER, source_hash

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_VARIABLE = "VJMGP_CACHE_DIR"


@functools.cache
def kernel_folder() -> Path:
    """Return the folder of compiled kernels: one per engine, processor, Python and numba.

    The parent is `VJMGP_CACHE_DIR`, else numba's `NUMBA_CACHE_DIR`, else the user's cache folder.
    If none of them is writable, or other users may write there, it is a temporary folder, which
    the process removes at its end.
    """
    processor = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES or llvmlite.binding.get_host_cpu_features().flatten()
    digest = hashlib.sha256(features.encode()).hexdigest()[:6]
    machine = f"{processor or platform.machine()}-{digest}"
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    name = f"{source_hash()}-{machine}-{python}-numba{numba.__version__}"
    given = (os.environ.get(CACHE_VARIABLE), os.environ.get("NUMBA_CACHE_DIR"))
    places = [Path(place) / "vjmgp" for place in given if place]
    for place in (*places, user_cache_path("vjmgp", appauthor=False)):
        folder = place / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Other users could put code there; on Windows the mode says nothing about that.
            if os.name == "posix" and folder.stat().st_mode & 0o022:
                continue
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    folder = Path(tempfile.mkdtemp(prefix="vjmgp-kernels-"))
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, process: int) -> None:
    """Remove a temporary folder, unless this is a fork of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


class EngineLocator(_CacheLocator):  # type: ignore[misc]
    """Where numba finds a compiled function of the engine, and whether it is up to date."""

    def __init__(self, place: Path, py_file: str) -> None:
        self._place = place
        self._py_file = py_file  # numba names it in warnings

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Self | None:
        """Return the locator of a function, or None if the engine does not have its source."""
        path = Path(py_file)
        if not path.is_relative_to(ENGINE_FOLDER) or not path.exists():
            return None
        return cls(path.parent.relative_to(ENGINE_FOLDER.parent), py_file)

    def get_cache_path(self) -> str:
        """Return the folder of the kernels of a package."""
        return str(kernel_folder() / ".".join(self._place.parts))

    def get_source_stamp(self) -> str:
        """Return what changes if the code changes."""
        return source_hash()

    def get_disambiguator(self) -> str:
        """Return a part of the file's name; numba's own is a line number, which may shift."""
        return "kernel"


CacheImpl._locator_classes.insert(0, EngineLocator)


@contextlib.contextmanager
def kept_on_disk() -> Iterator[None]:
    """Keep functions that are decorated with `cache=True` in the folder of kernels."""
    # numba reads this while it decorates; functions of the user elsewhere keep their own folder.
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(kernel_folder())
    try:
        yield
    finally:
        numba.config.CACHE_DIR = previous


def kernel(function: Function) -> Function:
    """Compile a plain loop with numba: no GIL, strict IEEE arithmetic, cached on disk.

    There is no `fastmath`: sums keep the order of the source, so results do not depend on the width
    of a machine's vectors.
    """
    with kept_on_disk():
        compiled: Function = numba.njit(
            cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True
        )(function)
    return compiled


def part_of_kernel(function: Function) -> Function:
    """Compile a function as a part of the kernels that call it.

    A called kernel is compiled once by itself and again within every caller; a part is inlined and
    compiled with its callers only, which shortens the first fit.
    """
    compiled: Function = numba.njit(inline="always", nogil=True, error_model="numpy")(function)
    return compiled


@contextlib.contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Collect garbage less often, which saves a sixth of the time of compiling."""
    previous = gc.get_threshold()
    gc.set_threshold(100_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*previous)


def is_compiled(name: str) -> bool:
    """Return whether a compilation of this name is complete."""
    return (kernel_folder() / f"{name}.compiled").exists()


def compile_once(name: str, use_every_kernel: Callable[[], None]) -> None:
    """Run `use_every_kernel` in the first process that calls this; the rest wait, then load.

    A file marks a complete compilation. A process that dies halfway releases its lock and leaves no
    mark, so the next one compiles again.
    """
    if is_compiled(name):
        return
    with FileLock(kernel_folder() / "compiling.lock"):
        if not is_compiled(name):
            use_every_kernel()
            (kernel_folder() / f"{name}.compiled").touch()
