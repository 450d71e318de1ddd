"""The tables of hyper-parameters: settings of genetic programming, grids of the other learners."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...engine.parameters import PARAMETERS
from ...engine.settings import Settings
from ...pages.formats import in_words
from ...regressor import VJMRegressor

Context = dict[str, Any]
DECIDE_NOTHING = ("memory_limit",)
"""Settings that change no result."""


def gp_settings(methods: dict[str, Context]) -> list[Context]:
    """Each setting that is not left open, with its value and the methods that have another."""
    ours = {name: method["gp"] for name, method in methods.items() if "gp" in method}
    if not ours:
        return []
    usual = VJMRegressor.paper().get_params()
    of_engine = {field.name for field in dataclasses.fields(Settings)}
    told = {key for settings in ours.values() for key in settings}
    shown = [key for key in PARAMETERS if key in of_engine | told and key not in DECIDE_NOTHING]
    rows = [_setting(key, usual[key], ours) for key in shown]
    return [row for row in rows if row["value"] != "none" or row["others"]]


def _setting(key: str, usual: Any, methods: dict[str, Context]) -> Context:
    others: dict[str, list[str]] = {}
    for name, settings in methods.items():
        value = in_words(settings.get(key, usual))
        if value != in_words(usual):
            others.setdefault(value, []).append(name)
    return {"name": key, "value": in_words(usual), "others": others}


def learners(methods: dict[str, Context]) -> list[Context]:
    """The other learners: class, fixed settings, and the grids that they are tuned over."""
    found = []
    for name, method in methods.items():
        if "estimator" in method:
            grid = method.get("grid", [])
            about = {key: method.get(key, {}) for key in ("estimator", "settings")}
            found.append(
                about | {"name": name, "grids": [grid] if isinstance(grid, dict) else grid}
            )
    return found
