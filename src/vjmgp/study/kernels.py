"""The step that compiles the engine before many jobs need it."""

from __future__ import annotations

from pathlib import Path

from ..engine.compiling import kernel_folder
from ..fetching import write_whole
from ..warmup import compile_kernels


def compile_for_this_machine(output: str) -> None:
    """Compile the kernels, or find them compiled, and write down where they are."""
    compile_kernels()
    write_whole(Path(output), [str(kernel_folder()).encode(), b"\n"])
