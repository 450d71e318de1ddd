"""Tables of hyper-parameters: settings of genetic programming, grids of other learners."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...engine.parameters import PARAMETERS
from ...engine.settings import Settings
from ...pages.formats import in_words
from ...regressor import VJMRegressor

Context = dict[str, Any]
WITHOUT_EFFECT = ("memory_limit",)
"""Settings that change no result."""


def gp_settings(methods: dict[str, Context]) -> list[Context]:
    """Return each setting with the paper's value and the methods that have another."""
    ours = {name: method["gp"] for name, method in methods.items() if "gp" in method}
    if not ours:
        return []
    usual = VJMRegressor.paper().get_params()
    of_engine = {field.name for field in dataclasses.fields(Settings)}
    given = {key for settings in ours.values() for key in settings}
    shown = [key for key in PARAMETERS if key in of_engine | given and key not in WITHOUT_EFFECT]
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
    """Return class, fixed settings and tuning grids of the other learners."""
    return [
        {key: method.get(key, {}) for key in ("estimator", "settings")}
        | {"name": name, "grids": [grid] if isinstance(grid, dict) else grid}
        for name, method in methods.items()
        if "estimator" in method
        for grid in [method.get("grid", [])]
    ]
