"""Which import paths a setting may name: those of classes that others offer for use."""

from __future__ import annotations

import sys


def refuse_import(path: str) -> None:
    """Refuse a path that leads to no class of a method, without importing it.

    Some modules do things when they are imported. So nothing is let through that holds no method:
    Python's own library, and what libraries do not mean for others, such as package.__main__ and
    package.tests.
    """
    parts = path.split(".")
    if not all(part.isidentifier() for part in parts):
        raise ValueError(f"{path} is no import path; write package.module.Class.")
    if parts[0] in sys.stdlib_module_names:
        raise ValueError(f"{path} is of Python's own library, which has no such class.")
    private = [part for part in parts if part.startswith("_") or part in ("tests", "conftest")]
    if private:
        raise ValueError(f"{path} is not for others to import ({private[0]}); give a public path.")
