"""Studies from small configs, and from those of the repository."""

from pathlib import Path
from typing import Any

import yaml

from vjmgp.study.config.read_study import read_study
from vjmgp.study.plan.study import Study

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
CATALOGUE = ROOT / "config/methods.yaml"
MINIMAL: dict[str, Any] = {
    "published": "ignore",
    "datasets": ["547_no2"],
    "experiments": {"one": {"methods": ["VJM"]}},
}


def study_of(**changes: Any) -> Study:
    """Return the study of a minimal config with changes."""
    return read_study(MINIMAL | changes, SCHEMA, CATALOGUE)


def load(name: str) -> Any:
    """Return a config of the repository."""
    return yaml.safe_load((ROOT / "config" / name).read_text())


def study_of_config(name: str, **changes: Any) -> Study:
    """Return the study of a config of the repository, without published runs."""
    return read_study(load(name) | {"published": "ignore"} | changes, SCHEMA, CATALOGUE)


def one(*methods: str, **entry: Any) -> dict[str, Any]:
    """Return the key of a config with one experiment."""
    return {"experiments": {"one": {"methods": [*methods], **entry}}}


def mine(**definition: Any) -> dict[str, Any]:
    """Return the key of a config with one more method."""
    return {"methods": {"Mine": definition}}
