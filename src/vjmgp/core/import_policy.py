"""Reject import paths in settings that do not lead to a public class of a library."""

import sys


def refuse_import(path: str) -> None:
    """Raise ValueError if a path cannot lead to a learner or regulariser; import nothing.

    Importing a module may run code. Python's standard library and private parts of libraries, such
    as package.__main__ and package.tests, are therefore rejected.
    """
    parts = path.split(".")
    if not all(part.isidentifier() for part in parts):
        raise ValueError(f"{path} is not an import path; write package.module.Class.")
    if parts[0] in sys.stdlib_module_names:
        raise ValueError(f"{path} is in Python's standard library, which has no learners.")
    private = [part for part in parts if part.startswith("_") or part in ("tests", "conftest")]
    if private:
        raise ValueError(f"{path} is private ({private[0]}); give a public path.")
