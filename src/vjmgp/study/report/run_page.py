"""Contents of the page about a study's run: workflow, hyper-parameters, machine and versions."""

import dataclasses
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...engine.parameters import PARAMETERS
from ...engine.settings import Settings
from ...pages.formats import in_words
from ...regressor import VJMRegressor
from ..steps import STEPS

Context = dict[str, Any]
WITHOUT_EFFECT = ("memory_limit",)
"""Settings that change no result."""
WIDTH, HEIGHT, GAP = 172, 44, 22
"""The size of a box and the space between boxes, in pixels."""
LAYOUT = (
    ("", "mark_results"),
    ("fetch_dataset", "compile_kernels"),
    ("prepare_dataset", "", "illustrations"),
    ("split_rows",),
    ("", "estimate_noise"),
    ("run_baseline", "run_gp"),
    ("", "collect_runs"),
    ("join_runs", "compare_methods"),
    ("score_claims", "draw_figures"),
    ("", "write_report"),
)
"""The rows of the picture, from left to right. Steps that most studies lack are left out."""
LIBRARIES = [
    *("vjmgp", "snakemake", "numpy", "numba", "scikit-learn", "scipy", "pandas", "pmlb"),
    "matplotlib",
]


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


def picture_of_workflow() -> Context:
    """Return boxes and lines of the picture, in pixels."""
    corners = {
        name: (column * (WIDTH + GAP) + 1, row * (HEIGHT + GAP) + 1)
        for row, names in enumerate(LAYOUT)
        for column, name in enumerate(names)
        if name
    }
    boxes = [{"name": n, "does": STEPS[n].does, "x": x, "y": y} for n, (x, y) in corners.items()]
    lines = [
        _line(corners[before], corners[name])
        for name in corners
        for before in STEPS[name].after
        if before in corners
    ]
    width, height = (max(corner[k] for corner in corners.values()) for k in (0, 1))
    size = {"width": width + WIDTH + 1, "height": height + HEIGHT + 1}
    return size | {"boxes": boxes, "lines": lines, "wide": WIDTH, "high": HEIGHT}


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return a path that leaves a box downwards and turns just above the next."""
    x, y = start[0] + WIDTH // 2, start[1] + HEIGHT
    to, bottom = end[0] + WIDTH // 2, end[1]
    return f"M{x} {y}V{bottom - GAP // 2}H{to}V{bottom}"


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    for line in info.read_text(encoding="utf-8").splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Return processor, cores and system as text."""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{processor()}, {os.cpu_count()} cores, {system}"


def versions() -> dict[str, str]:
    """Return the versions of the main libraries."""
    return {name: version(name) for name in LIBRARIES}
