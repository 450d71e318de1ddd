"""The engine's identity: what a result must name, and what a cached result depends on.

It imports nothing heavy, because every job of the workflow asks for it.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

ENGINE_FOLDER = Path(__file__).parent


def hash_of_files(paths: Iterable[Path], root: Path) -> str:
    """A short hash of files: their places under `root` and what is in them."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@functools.cache
def engine_id() -> str:
    """A short hash of every source file that decides results."""
    return hash_of_files(ENGINE_FOLDER.rglob("*.py"), ENGINE_FOLDER)
