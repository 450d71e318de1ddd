"""The report: one HTML page that needs nothing but a browser."""

from __future__ import annotations

import base64
import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from ..engine.identity import engine_id
from ..fetching import write_whole
from .collect import read_runs, read_table
from .config import PAPER_COLUMN
from .data import read_json
from .statistics import BETTER, SIMILAR, WORSE, too_few

LIBRARIES = [
    *("vjmgp", "snakemake", "numpy", "numba", "scikit-learn", "scipy", "pandas", "pmlb"),
    *("matplotlib", "seaborn"),
]
Context = dict[str, Any]


def write_report(results: str, study: Context, page: str, config: str) -> None:
    """Gather what the earlier steps wrote and put it on one page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("vjmgp.study", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "figure": as_data_address,
        "breakable": breakable,
    }
    text = environment.get_template("report.html.jinja").render(gather(Path(results), study))
    write_whole(Path(page), [text.encode()])
    write_whole(Path(config), [as_yaml(study["config"]).encode()])


def gather(results: Path, study: Context) -> Context:
    """Everything that the page shows."""
    tables = results / "tables"
    experiments = [_experiment(results, entry, study) for entry in study["experiments"]]
    runs = read_runs(str(tables / "runs.csv"))
    failures = read_table(tables / "failures.csv")
    return {
        "title": study["config"]["title"],
        "experiments": experiments,
        "models": _models(results, study),
        "datasets": [_dataset(results, name, runs, study) for name in study["datasets"]],
        "n_runs": len(runs),
        "n_methods": len(study["methods"]),
        "seeds": study["config"]["seeds"],
        "hours": float(runs["cpu_seconds"].sum()) / 3600,
        "warnings": int(runs["warnings"].sum()),
        "failures": failures.to_dict("records"),
        "skipped": study["skipped"],
        "config": as_yaml(study["config"]),
        "engine": engine_id(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "versions": versions(),
        "files": [
            *("tables/runs.csv", "tables/failures.csv"),
            *(
                path.relative_to(results).as_posix()
                for entry in study["experiments"]
                for path in sorted((tables / entry["name"]).glob("*.csv"))
            ),
        ],
    }


def _experiment(results: Path, entry: Context, study: Context) -> Context:
    tables, figures = results / "tables" / entry["name"], results / "figures" / entry["name"]
    methods = entry["methods"]
    summary = read_table(tables / "summary.csv")
    counts = {
        metric: read_table(tables / f"win_tie_loss_{metric}.csv").fillna("")
        for metric in ("test_r2", "train_r2")
    }
    medians = read_table(tables / "medians.csv").set_index("dataset")
    return entry | {
        "reference": methods[0],
        "summary": summary.to_dict("records"),
        "versus": _versus_first(counts, methods),
        "sums": _sums(counts["test_r2"], methods),
        "matrix": _matrix(counts["test_r2"], methods),
        "medians": _rows_with_best(medians, methods),
        "figures": {path.stem: path for path in sorted(figures.glob("*.svg"))},
        "too_few": too_few(study["config"]["seeds"], study["config"]["significance"]),
        "significance": study["config"]["significance"],
    }


def _versus_first(counts: dict[str, pd.DataFrame], methods: list[str]) -> list[Context]:
    """The first method against each other one."""
    rows = []
    for other in methods[1:]:
        row: Context = {"method": other}
        for metric, table in counts.items():
            pair = table[(table["method"] == methods[0]) & (table["versus"] == other)].iloc[0]
            row[metric] = {key: int(pair[key]) for key in (BETTER, SIMILAR, WORSE)}
        rows.append(row)
    return rows


def _sums(counts: pd.DataFrame, methods: list[str]) -> dict[str, int]:
    """Comparisons of the first method with all others, over all datasets."""
    rows = counts[counts["method"] == methods[0]]
    return {key: int(rows[key].sum()) for key in (BETTER, SIMILAR, WORSE)}


def _matrix(counts: pd.DataFrame, methods: list[str]) -> list[Context]:
    """Rows of "better / similar / worse", method against method."""
    cells = {
        (row["method"], row["versus"]): f"{row[BETTER]} / {row[SIMILAR]} / {row[WORSE]}"
        for row in counts.to_dict("records")
    }
    return [{"method": a, "cells": [cells.get((a, b), "") for b in methods]} for a in methods]


def _rows_with_best(medians: pd.DataFrame, methods: list[str]) -> Context:
    rows = []
    for line in medians.reset_index().to_dict("records"):
        values = [float(line[method]) for method in methods]
        best = np.nanmax(values) if np.isfinite(values).any() else np.nan
        rows.append(
            {
                "dataset": line["dataset"],
                "cells": [{"value": v, "best": v == best} for v in values],
                "paper": float(line.get(PAPER_COLUMN, np.nan)),
            }
        )
    return {"rows": rows, "has_paper": any(np.isfinite(row["paper"]) for row in rows)}


def _models(results: Path, study: Context) -> list[Context]:
    """By dataset and protocol, the typical model of each method, once for all experiments."""
    groups: dict[tuple[str, str], dict[str, Context]] = {}
    for entry in study["experiments"]:
        for model in read_json(results / "tables" / entry["name"] / "models.json"):
            group = groups.setdefault((model["dataset"], model["protocol"]), {})
            group.setdefault(model["method"], model)
    several = len({protocol for _, protocol in groups}) > 1
    return [
        {
            "dataset": dataset,
            "protocol": protocol if several else None,
            "models": list(groups[dataset, protocol].values()),
        }
        for dataset, protocol in sorted(groups, key=lambda key: study["datasets"].index(key[0]))
    ]


def _dataset(results: Path, name: str, runs: pd.DataFrame, study: Context) -> Context:
    facts: Context = read_json(results / "datasets" / name / "facts.json")
    source = results / "datasets" / name / "source.json"
    own = name in study["own_data"]
    part = runs[(runs["dataset"] == name)]
    noise = part["noise_r2"].dropna()
    rows = []
    for (protocol, method), group in part.groupby(["protocol", "method"], sort=False):
        test = group["test_r2"]
        rows.append(
            {
                "protocol": protocol,
                "method": method,
                "runs": len(group),
                "train": group["train_r2"].median(),
                "median": test.median(),
                "low": test.quantile(0.25),
                "high": test.quantile(0.75),
                "size": group["size"].median(),
                "seconds": group["seconds"].median(),
            }
        )
    return facts | {
        "name": name,
        "source": None if own else read_json(source),
        "own": study["config"]["own_data"].get(name, {}).get("file"),
        "noise": noise.median() if len(noise) else np.nan,
        "noisy_share": float((part["tau"].dropna() > 1).mean()) if len(noise) else np.nan,
        "rows_of_methods": rows,
        "several_protocols": len({row["protocol"] for row in rows}) > 1,
    }


# -- small things --------------------------------------------------------------------------------


def number(value: Any, digits: int = 3) -> str:
    """A number for people: a dash for none, a real minus sign."""
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{value:,.{digits}f}" if digits else f"{round(value):,d}"
    return text.replace("-", "−")


def breakable(name: str) -> str:
    """A name that may be broken before its capitals, for narrow columns."""
    return re.sub("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "\u200b", name)


def as_data_address(path: Path) -> str:
    """A picture as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"


def processor() -> str:
    """The processor's name."""
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Processor and system that made the report."""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{processor()}, {os.cpu_count()} cores, {system}"


def versions() -> dict[str, str]:
    """Versions of the libraries that matter."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def as_yaml(config: Context) -> str:
    """The config with all defaults, as a config file would have it."""
    return str(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
