"""Contents of the pages of the datasets and of the gallery of models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...core.files import read_json
from ..names import PAPER
from ..published.index import DATASETS
from ..result_tables import read_table
from ..scoreboard.claims import headline_figures
from ..statistics.paired_tests import OPPOSITE, SIMILAR, TOO_FEW
from ..statistics.summaries import paper_medians
from .experiment_pages import has_runs

if TYPE_CHECKING:
    from ..paths import StudyFiles

Context = dict[str, Any]
Key = tuple[str, str, str]
"""Dataset, protocol, method."""
EXAMPLE = "547_no2"
"""The dataset whose models the paper prints."""


class DatasetPages:
    """Contents of the pages of all datasets, computed at once."""

    def __init__(self, files: StudyFiles, study: Context, runs: pd.DataFrame) -> None:
        self.files, self.study = files, study
        self.tests = _tests(files, study)
        groups: Any = runs.groupby(["dataset", "protocol", "method"], sort=False)
        test = groups["test_r2"].quantile([0.05, 0.25, 0.5, 0.75, 0.95])
        middles = groups[["train_r2", "size", "cpu_seconds"]].median()
        middles["runs"] = groups.size()
        self.quantiles: dict[Key, Any] = {
            key: part.to_numpy() for key, part in test.groupby(level=[0, 1, 2], sort=False)
        }
        self.middles: dict[Key, Context] = middles.to_dict("index")
        self.noise = runs.groupby("dataset")["noise_r2"].median().to_dict()
        tau = runs.dropna(subset="tau")
        self.noisy = (tau["tau"] > 1).groupby(tau["dataset"]).mean().to_dict()
        self.paper = paper_medians().to_dict()
        self.papers_protocols = {e.protocol for e in study["experiments"] if e.papers_kind == PAPER}
        self.models = self._models()

    def page(self, name: str) -> Context:
        """Return the contents of the page of one dataset."""
        keys = [key for key in self.middles if key[0] == name]
        shown = [self.quantiles[key] for key in keys]
        low = max(min((q[0] for q in shown), default=0.0), -1.0)
        high = max((q[-1] for q in shown), default=1.0)
        rows = [self._row(key, low, high) for key in keys]
        return self._facts(name) | {
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
            "paper": self.paper.get(method, {}).get(dataset, np.nan) if is_papers else np.nan,
            "compared": self.tests.get(key),
        }

    def _models(self) -> list[Context]:
        """Return the typical models of all methods that have any, by dataset and protocol."""
        groups: dict[tuple[str, str], dict[str, Context]] = {}
        references: dict[tuple[str, str], str] = {}
        for entry in self.study["experiments"]:
            path = Path(self.files.experiments[entry.name].models)
            for model in read_json(path) if path.exists() else ():
                where = model["dataset"], model["protocol"]
                references.setdefault(where, entry.methods[0])
                groups.setdefault(where, {}).setdefault(model["method"], model)
        several = len({protocol for _, protocol in groups}) > 1
        names = self.study["datasets"]
        return [
            {"dataset": where[0], "protocol": where[1] if several else None}
            | self._pair(where, groups[where], references[where])
            for where in sorted(groups, key=lambda where: names.index(where[0]))
        ]

    def _pair(self, where: tuple[str, str], models: dict[str, Context], reference: str) -> Context:
        """Return the models of the reference and of the best other method, and the rest."""
        medians = {name: float(self.quantiles[*where, name][2]) for name in models}
        others = sorted((name for name in models if name != reference), key=lambda n: -medians[n])
        pair = [name for name in (reference, *others[:1]) if name in models]
        best = max(medians, key=lambda name: medians[name])
        roles = {name: "best" if name == best else "best other method" for name in pair}
        if reference in roles:
            roles[reference] = "reference and best" if reference == best else "reference"
        is_example = where[0] == EXAMPLE and where[1] in self.papers_protocols
        return {
            "pair": [
                models[name] | {"role": roles[name], "median": medians[name]} for name in pair
            ],
            "rest": [model for name, model in models.items() if name not in pair],
            "example": headline_figures()["example_547_no2"] if is_example else None,
        }


def _of_dataset(path: Path, name: str, part: str) -> Any:
    """Return a part of the file of a dataset, or of the published file for all, if it exists."""
    if not path.is_file():
        return None
    content = read_json(path)
    return content["datasets"][name][part] if path.name == DATASETS else content


def _tests(files: StudyFiles, study: Context) -> dict[Key, Context]:
    """Return how each method compares with the reference, by dataset and protocol."""
    found: dict[Key, Context] = {}
    columns = ["dataset", "versus", "outcome", "note", "median_difference", "low", "high"]
    for entry in study["experiments"]:
        if not has_runs(files.experiments[entry.name]):
            continue
        table = read_table(files.experiments[entry.name].statistics["tests_test_r2"])
        first = table[(table["method"] == entry.methods[0]) & table["outcome"].notna()]
        for row in first[columns].to_dict("records"):
            # The difference is that of the other method from the reference.
            outcome = OPPOSITE[row["outcome"]]
            words = f"{outcome} {'to' if outcome == SIMILAR else 'than'} {entry.methods[0]}"
            seen = {
                "reference": entry.methods[0],
                "outcome": "too few seeds to tell" if row["note"] == TOO_FEW else words,
                "difference": -row["median_difference"],
                "low": -row["high"],
                "high": -row["low"],
            }
            found.setdefault((row["dataset"], entry.protocol, row["versus"]), seen)
    return found
