"""The step that compiles the engine before many jobs need it."""

from __future__ import annotations

from pathlib import Path

from ..engine.compiling import kernel_folder
from ..fetching import write_whole
from ..warmup import compile_kernels


def compile_for_this_machine(variant: str, output: str) -> None:
    """Compile the kernels of a regulariser and a selection operator, if they are not yet.

    Where they are is written down.
    """
    regularizer, selection = variant.split("-")
    compile_kernels(regularizer, selection)
    write_whole(Path(output), [str(kernel_folder()).encode(), b"\n"])
