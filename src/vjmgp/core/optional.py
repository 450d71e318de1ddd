"""Packages that a plain installation leaves out, and the command that brings them."""

from __future__ import annotations

from importlib.util import find_spec

INSTALLED_BY = {
    "matplotlib": "vjmgp[plots]",
    "openpyxl": "vjmgp[excel]",
    "pyarrow": "pyarrow",
    "shtab": "shtab",
    "sympy": "vjmgp[sympy]",
    "xlrd": "xlrd",
}
"""What pip installs a module with, if not with the workflow."""


def is_there(module: str) -> bool:
    """Whether a module is installed; it is not imported."""
    return find_spec(module) is not None


def missing(module: str) -> ModuleNotFoundError:
    """The error of a module that is not there, which says how to install it."""
    return ModuleNotFoundError(f"this needs {module}: {install_command(module)}", name=module)


def install_command(module: str) -> str:
    """Return the command that installs a module."""
    return f"pip install '{INSTALLED_BY.get(module, 'vjmgp[workflow]')}'"


def need(module: str) -> None:
    """Say how to install a module if it is not there."""
    if not is_there(module):
        raise missing(module)
