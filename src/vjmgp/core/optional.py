"""Check for optional packages, and say how to install them."""

from importlib.util import find_spec

INSTALLED_BY = {
    "matplotlib": "vjmgp[plots]",
    "openpyxl": "vjmgp[excel]",
    "pyarrow": "pyarrow",
    "shtab": "shtab",
    "sympy": "vjmgp[sympy]",
    "xlrd": "xlrd",
}
"""Argument of pip install for each module; `vjmgp[workflow]` installs all others."""


def is_installed(module: str) -> bool:
    """Return whether a module is installed, without importing it."""
    return find_spec(module) is not None


def missing(module: str) -> ModuleNotFoundError:
    """Return the error for a missing module, which says how to install it."""
    return ModuleNotFoundError(f"this needs {module}: {install_command(module)}", name=module)


def install_command(module: str) -> str:
    """Return the command that installs a module."""
    return f"pip install '{INSTALLED_BY.get(module, 'vjmgp[workflow]')}'"


def require_module(module: str) -> None:
    """Raise if a module is missing; the error says how to install it."""
    if not is_installed(module):
        raise missing(module)
