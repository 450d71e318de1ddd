"""What the pages of the datasets and the gallery of models show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...files import read_json
from ..names import PAPER, PLAIN, REFERENCE
from ..published import DATASETS
from ..scoreboard.claims import headline_figures, median_claims
from ..statistics.paired import OPPOSITE
from ..tables import read_table
from .experiments import has_runs

if TYPE_CHECKING:
    from ..paths import StudyFiles

Context = dict[str, Any]
Key = tuple[str, str, str]
"""Dataset, protocol, method."""
EXAMPLE = "547_no2"
"""The dataset whose models the paper prints."""


class Datasets:
    """All about the datasets of a study, computed once for all pages."""

    def __init__(self, files: StudyFiles, study: Context, runs: pd.DataFrame) -> None:
        self.files, self.study = files, study
        self.models = _models(files, study)
        self.tests = _tests(files, study)
        groups: Any = runs.groupby(["dataset", "protocol", "method"], sort=False)
        test = groups["test_r2"].quantile([0.05, 0.25, 0.5, 0.75, 0.95])
        middles = groups[["train_r2", "size", "seconds"]].median()
        middles["runs"] = groups.size()
        self.quantiles: dict[Key, Any] = {
            key: part.to_numpy() for key, part in test.groupby(level=[0, 1, 2], sort=False)
        }
        self.middles: dict[Key, Context] = middles.to_dict("index")
        by_dataset = runs.groupby("dataset")
        self.noise = by_dataset["noise_r2"].median().to_dict()
        tau = runs.dropna(subset="tau")
        self.noisy = (tau["tau"] > 1).groupby(tau["dataset"]).mean().to_dict()
        self.paper = {(c.dataset, c.method): c.median for c in median_claims()}
        papers = [e.protocol for e in study["experiments"] if e.papers_kind == PAPER]
        self.papers_protocols = set(papers)

    def page(self, name: str) -> Context:
        """One dataset."""
        keys = [key for key in self.middles if key[0] == name]
        shown = [self.quantiles[key] for key in keys]
        low = max(min((q[0] for q in shown), default=0.0), -1.0)
        high = max((q[-1] for q in shown), default=1.0)
        rows = [self._row(key, low, high) for key in keys]
        facts = self._facts(name)
        return facts | {
            "name": name,
            "noise": self.noise.get(name, np.nan),
            "noisy_share": self.noisy.get(name, np.nan),
            "methods": rows,
            "low": low,
            "high": high,
            "several_protocols": len({row["protocol"] for row in rows}) > 1,
            "has_paper": any(np.isfinite(row["paper"]) for row in rows),
            "models": [entry for entry in self.models if entry["dataset"] == name],
            "best": max(rows, key=lambda row: row["median"]) if rows else None,
        }

    def _facts(self, name: str) -> Context:
        facts, note = Path(self.files.facts[name]), Path(self.files.notes.get(name, ""))
        about: Context = {"rows": None, "inputs": [], "nominal": []}
        about |= _of_dataset(facts, name, "facts") or {}
        own = self.study["config"]["own_data"].get(name, {}).get("file")
        return about | {"own": own, "source": _of_dataset(note, name, "source")}

    def _row(self, key: Key, low: float, high: float) -> Context:
        dataset, protocol, method = key
        quantiles = self.quantiles[key]
        width = max(high - low, 1e-9)
        is_papers = protocol in self.papers_protocols
        return self.middles[key] | {
            "protocol": protocol,
            "method": method,
            "low": quantiles[1],
            "median": quantiles[2],
            "high": quantiles[3],
            "box": [float(100 * np.clip((q - low) / width, 0, 1)) for q in quantiles],
            "paper": self.paper.get((dataset, method), np.nan) if is_papers else np.nan,
            "compared": self.tests.get(key),
        }


def _of_dataset(path: Path, name: str, part: str) -> Any:
    """What a file says of a dataset, be it the published one for all; None where none is there."""
    if not path.is_file():
        return None
    content = read_json(path)
    return content["datasets"][name][part] if path.name == DATASETS else content


def _models(files: StudyFiles, study: Context) -> list[Context]:
    """By dataset and protocol, the typical model of each method, once for all experiments."""
    groups: dict[tuple[str, str], dict[str, Context]] = {}
    for entry in study["experiments"]:
        path = Path(files.experiments[entry.name].models)
        for model in read_json(path) if path.exists() else ():
            group = groups.setdefault((model["dataset"], model["protocol"]), {})
            group.setdefault(model["method"], model)
    several = len({protocol for _, protocol in groups}) > 1
    place = {name: k for k, name in enumerate(study["datasets"])}
    order = list(dict.fromkeys(entry.protocol for entry in study["experiments"]))
    return [
        {
            "dataset": dataset,
            "protocol": protocol if several else None,
            "pair": _pair(groups[dataset, protocol]),
            "all": list(groups[dataset, protocol].values()),
            "example": headline_figures()["example_547_no2"] if dataset == EXAMPLE else None,
        }
        for dataset, protocol in sorted(
            groups, key=lambda key: (place[key[0]], order.index(key[1]))
        )
    ]


def _pair(models: dict[str, Context]) -> list[Context]:
    """VJM's model and Standard GP's; where a study lacks one, the first of ours that is left."""
    names = [name for name in (REFERENCE, PLAIN) if name in models]
    left = [name for name, model in models.items() if model["features"] and name not in names]
    names += left[: 2 - len(names)]
    return [models[name] for name in names]


def _tests(files: StudyFiles, study: Context) -> dict[Key, Context]:
    """How each method compares with the reference of an experiment, by dataset and protocol."""
    found: dict[Key, Context] = {}
    columns = ["dataset", "versus", "outcome", "median_difference", "low", "high"]
    for entry in study["experiments"]:
        if not has_runs(files.experiments[entry.name]):
            continue
        table = read_table(files.experiments[entry.name].statistics["tests_test_r2"])
        first = table[(table["method"] == entry.methods[0]) & table["outcome"].notna()]
        for row in first[columns].to_dict("records"):
            # Seen from the other method: by how much it is better than the reference.
            seen = {
                "reference": entry.methods[0],
                "outcome": OPPOSITE[row["outcome"]],
                "difference": -row["median_difference"],
                "low": -row["high"],
                "high": -row["low"],
            }
            found.setdefault((row["dataset"], entry.protocol, row["versus"]), seen)
    return found
