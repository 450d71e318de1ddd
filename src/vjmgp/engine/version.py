"""The engine's version and the hash of its code.

Light to import: every job of the workflow needs both.
"""

import functools
import hashlib
from pathlib import Path
from types import CodeType
from typing import Any

ENGINE_VERSION = "1.0"
"""Two engines of the same version give the same results, to the bit.

`tests/engine/test_golden.py` compares digests of small runs of every method. A change that alters
one needs a new version here and a line in CHANGELOG.md that says why; refactoring does not.
"""
ENGINE_FOLDER = Path(__file__).parent


@functools.cache
def source_hash() -> str:
    """Return a short hash of the engine's code; compiled kernels depend on it.

    Comments, the text of docstrings, line numbers and the installation folder do not count. Nor do
    assertions, so kernels must not have any.
    """
    digest = hashlib.sha256()
    for path in sorted(ENGINE_FOLDER.rglob("*.py")):
        digest.update(path.relative_to(ENGINE_FOLDER).as_posix().encode())
        # Level 2 drops docstrings and assertions.
        code = compile(path.read_bytes(), "", "exec", dont_inherit=True, optimize=2)
        digest.update(repr(_without_positions(code)).encode())
    return digest.hexdigest()[:12]


def _without_positions(constant: Any) -> Any:
    """Return what a code object, or a constant in one, consists of, without line numbers."""
    if isinstance(constant, frozenset):  # the order differs between processes
        return sorted(map(repr, constant))
    if not isinstance(constant, CodeType):
        return constant
    return (
        (constant.co_name, constant.co_code, constant.co_exceptiontable, constant.co_flags),
        (constant.co_argcount, constant.co_posonlyargcount, constant.co_kwonlyargcount),
        (constant.co_names, constant.co_varnames, constant.co_freevars, constant.co_cellvars),
        [_without_positions(inner) for inner in constant.co_consts],
    )
