"""Versions of the libraries that every result depends on. Light to import."""

import functools
from importlib.metadata import version

LIBRARIES = ("vjmgp", "numpy", "numba", "scikit-learn")


@functools.cache
def library_versions() -> dict[str, str]:
    """Return the version of each library."""
    return {name: version(name) for name in LIBRARIES}
