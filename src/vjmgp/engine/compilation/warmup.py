"""Compile a method's kernels once per machine, in one process at a time."""

import functools
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from filelock import FileLock

from ...core.files import checksum, is_whole, read_sealed, write_sealed, write_whole
from ..distillation.distil import distil
from ..regularizers import REGULARIZERS
from ..search.archive import merged
from ..search.population import rehash
from ..trees.addresses import compiled_more
from ..trees.pool import compact
from .kernels import compile_once, is_compiled, kernel_folder, rare_garbage_collection
from .second_process import SecondCompiler, is_worthwhile, small_run, use_constants

SUMS = "checksums.json"
"""File with size and checksum of every compiled kernel."""


def _use_every_kernel(
    regularizer: str, selection: str, take_second_part: Callable[[], None] = lambda: None
) -> None:
    """Use the first part of the kernels, take the second part, then use all."""
    compiled_more()
    run = small_run(regularizer, selection)
    no_rows = np.empty(0, np.int64)
    run.fit(no_rows)
    if regularizer in REGULARIZERS:  # a user's one need not accept no rows
        run.regularizer.score(run, no_rows)
    take_second_part()
    run.start()
    run.step()
    run.step()
    run.pool = compact(run.pool, room=1)
    if run.regularizer.final_rule == "tau":
        distil(run.prepared, merged([run.archive]))
        use_constants(run.prepared)
    rehash(np.zeros(1, np.uint64), np.zeros(2, np.uint64))


@functools.cache
def compile_kernels(regularizer: str = "jensen_gap", selection: str = "lexicase") -> None:
    """Compile a method's kernels unless they are on disk.

    The first time takes about 20 seconds on two idle cores.

    It is safe in parallel processes: one compiles, and the rest wait for it and load.
    """
    _remove_damaged()

    def compile_all() -> None:
        in_two = is_worthwhile()
        usual = ": about 20 seconds on two idle cores" if in_two else ""
        said = f"Compiling {regularizer} for this machine, once{usual} …"
        print(said, file=sys.stderr, flush=True)
        with rare_garbage_collection():
            if in_two:
                with SecondCompiler(selection) as second:
                    _use_every_kernel(regularizer, selection, second.take_kernels)
            else:
                _use_every_kernel(regularizer, selection)
        home = kernel_folder()
        kernels = {str(p.relative_to(home)): p for p in sorted(home.glob("*/*.nb[ci]"))}
        sums = {name: [p.stat().st_size, checksum(p)] for name, p in kernels.items()}
        write_sealed(home / SUMS, sums)

    compile_once(f"{regularizer}-{selection}", compile_all)


@functools.cache
def _remove_damaged() -> None:
    """Delete compiled kernels if a file is truncated or changed: numba would fail in every fit."""
    if not _is_damaged():
        return
    with FileLock(kernel_folder() / "compiling.lock"):
        if _is_damaged():  # still, with the lock held
            print(
                f"Compiled kernels in {kernel_folder()} are damaged: compiling again.",
                file=sys.stderr,
            )
            for path in kernel_folder().iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.suffix != ".lock":
                    path.unlink()


def _is_damaged() -> bool:
    note = kernel_folder() / SUMS
    if not note.exists():
        return False
    if not is_whole(note.read_bytes()):
        return True
    for name, (size, wanted) in read_sealed(note).items():
        path = kernel_folder() / name
        # A larger index has more kernels in it.
        if not path.exists() or (path.stat().st_size <= size and checksum(path) != wanted):
            return True
    return False


def kernels_are_compiled() -> bool:
    """Return whether the kernels that most methods share are on disk."""
    return is_compiled("jensen_gap-lexicase")


@functools.cache
def load_kernels(regularizer: str = "jensen_gap", selection: str = "lexicase") -> None:
    """Load a method's kernels into this process before a fit does, in about a second."""
    compile_kernels(regularizer, selection)
    _use_every_kernel(regularizer, selection)


def compile_for_this_machine(variant: str, note: str) -> None:
    """Compile the kernels of a variant (regulariser-selection); write their folder to `note`."""
    regularizer, selection = variant.split("-")
    compile_kernels(regularizer, selection)
    write_whole(Path(note), [str(kernel_folder()).encode(), b"\n"])
