"""Studies of small and of shipped configs."""

from __future__ import annotations

import yaml
from tests.support.workflow_runs import ROOT

from vjmgp.study.config.reader import read_study

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
CATALOGUE = ROOT / "config/methods.yaml"
MINIMAL = {
    "published": "ignore",
    "datasets": ["547_no2"],
    "experiments": {"one": {"methods": ["VJM"]}},
}


def study_of(**changes):
    return read_study(MINIMAL | changes, SCHEMA, CATALOGUE)


def load(name):
    return yaml.safe_load((ROOT / "config" / name).read_text())


def study_of_config(name, **changes):
    return read_study(load(name) | {"published": "ignore"} | changes, SCHEMA, CATALOGUE)
