"""The engine's identity: what a result names, and what compiled code depends on.

It imports nothing heavy, because every job of the workflow asks for it.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

ENGINE_VERSION = "1.0"
"""Two engines of the same version give the same results, to the bit.

`tests/engine/test_golden.py` holds digests of small runs of every method. A change that alters one
needs another version here and a line in CHANGELOG.md that says why; refactoring does not.
"""
ENGINE_FOLDER = Path(__file__).parent


def hash_of_files(paths: Iterable[Path], root: Path) -> str:
    """A short hash of files: their places under `root` and what is in them."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@functools.cache
def source_hash() -> str:
    """A short hash of the engine's source files: compiled kernels belong to it."""
    return hash_of_files(ENGINE_FOLDER.rglob("*.py"), ENGINE_FOLDER)
