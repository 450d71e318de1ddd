"""Make the Jinja environment of a set of pages."""

from pathlib import Path
from typing import Any

from .formats import FILTERS

SHARED = Path(__file__).parent / "templates"
"""Folder of the base page, its style and its script."""


def make_templates(folder: Path) -> Any:
    """Return Jinja's environment for a folder of templates and the shared ones.

    Values are escaped, and a missing value is an error.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([folder, SHARED]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    return environment
