"""The templates of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .formats import FILTERS

HOME = Path(__file__).parent / "templates"


def make_templates() -> Any:
    """Jinja's environment: everything is escaped, and what is missing is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HOME),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    return environment
