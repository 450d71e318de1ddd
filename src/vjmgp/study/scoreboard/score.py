"""Every claim of the paper beside ours, with a verdict and the amount."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...paper_study import paper_datasets
from ..latex import write_latex
from ..names import LABEL_NOISE, PAPER
from ..statistics.paired import OUTCOMES, scores_by_seed, tests_of_pair, too_few
from ..tables import read_runs, write_csv
from .claims import (
    CountClaim,
    Counts,
    MedianClaim,
    ValueClaim,
    count_claims,
    headline_figures,
    median_claims,
    value_claims,
)
from .verdicts import (
    CONFIRMED,
    NOT_CONFIRMED,
    NOT_RUN,
    TOO_FEW_RUNS,
    datasets_needed,
    direction,
    verdict_on_counts,
    verdict_on_median,
    verdict_on_values,
)

Row = dict[str, Any]
WORDS = {1: "better than", 0: "like", -1: "worse than"}
SETTINGS = (
    *("datasets", "runs_per_dataset", "label_noise_datasets", "significance_level"),
    "same_runtime_budget_seconds",
)
COLUMNS = [
    *("part", "claim", "paper", "ours", "status", "unit", "paper_amount", "our_amount"),
    *("difference", "note", "metric", "method", "versus", "dataset"),
]


def score_claims(runs: str, study: dict[str, Any], table: str, latex: str) -> None:
    """Write the scoreboard."""
    found = scoreboard(read_runs(runs), study)
    write_csv(table, found)
    shown = found[["claim", "paper", "ours", "status"]][found["part"] != "medians"]
    write_latex(Path(latex), shown, "Claims of the paper and our outcome")


def scoreboard(runs: pd.DataFrame, study: dict[str, Any]) -> pd.DataFrame:
    """One row per claim.

    `study` has the names of the protocols that are the paper's (`protocols`), the level of the
    tests (`significance`), the methods that the study defines itself (`own_methods`), which are not
    the paper's, and the seconds (`budget`) and names (`timed`) of methods whose runs end by time.
    """
    evidence = Evidence(runs, study)
    rows = [evidence.values(claim) for claim in value_claims()]
    rows += evidence.settings()
    rows += [evidence.counts(claim) for claim in count_claims(study["timed"])]
    rows += [evidence.median(claim) for claim in median_claims()]
    return pd.DataFrame(rows, columns=COLUMNS)


class Evidence:
    """The runs of a study that speak to the paper's claims: its datasets, protocols, methods."""

    def __init__(self, runs: pd.DataFrame, study: dict[str, Any]) -> None:
        self.study = study
        self.level: float = study["significance"]
        ours = runs[runs["dataset"].isin(list(paper_datasets()))]
        ours = ours[~ours["method"].isin(study["own_methods"])]
        self.runs = {
            protocol: ours[ours["protocol"].isin(study["protocols"][protocol])].drop_duplicates(
                ["dataset", "method", "seed"]
            )
            for protocol in (PAPER, LABEL_NOISE)
        }
        self.methods = {kind: set(table["method"]) for kind, table in self.runs.items()}
        self.datasets = {kind: sorted(set(table["dataset"])) for kind, table in self.runs.items()}
        self._scores: dict[tuple[str, str], dict[str, Any]] = {}
        by_name = self.runs[PAPER].groupby(["dataset", "method"])["test_r2"]
        self._test_r2 = {key: values.to_numpy(dtype=np.float64) for key, values in by_name}

    def scores(self, protocol: str, metric: str) -> dict[str, Any]:
        """Datasets × seeds of each method."""
        key = protocol, metric
        if key not in self._scores:
            self._scores[key] = scores_by_seed(
                self.runs[protocol], sorted(self.methods[protocol]), self.datasets[protocol], metric
            )
        return self._scores[key]

    def missing(self, protocol: str, *methods: str) -> str:
        """Why methods cannot be compared: those of the study's own, and those without runs."""
        own = [name for name in methods if name in self.study["own_methods"]]
        if own:
            return f"{', '.join(own)}: defined by this study, not as in the paper"
        none = [name for name in dict.fromkeys(methods) if name not in self.methods[protocol]]
        return f"no runs of {', '.join(none)}" if none else ""

    def counts(self, claim: CountClaim) -> Row:
        """Better, similar, worse."""
        words = f"{claim.method} {WORDS[direction(claim.counts)]} {claim.versus}"
        words += " on training data" if claim.metric == "train_r2" else ""
        unit = "better − worse, share of datasets"
        row = _row(claim.part, words, str(claim.counts), unit, claim.counts.net)
        row |= {"metric": claim.metric, "method": claim.method, "versus": claim.versus}
        missing = self.missing(claim.protocol, claim.method, claim.versus)
        if missing:
            return row | _not_run(missing)
        scores = self.scores(claim.protocol, claim.metric)
        tests = tests_of_pair(scores[claim.method], scores[claim.versus], self.level)
        tests = tests[tests["pairs"] > 0]
        if not len(tests):
            return row | _not_run("no dataset with runs of both")
        enough = tests[[not too_few(int(pairs), self.level) for pairs in tests["pairs"]]]
        ours, judged = (_counted(part["outcome"]) for part in (tests, enough))
        status = verdict_on_counts(claim.counts, judged)
        note = _too_few(judged.datasets, datasets_needed(claim.counts.datasets), status)
        if not note and ours.datasets < claim.counts.datasets:
            note = f"on {ours.datasets} of {claim.counts.datasets} datasets"
        return row | _outcome(row, str(ours), status, ours.net, note)

    def values(self, claim: ValueClaim) -> Row:
        """Two figures and which is larger."""
        larger = "larger" if claim.values[0] > claim.values[1] else "smaller"
        words = f"{claim.method} {larger} than {claim.versus}: {claim.words}"
        amount = _ratio if claim.ratio else _difference
        unit = "ratio" if claim.ratio else "difference"
        row = _row(claim.part, words, _pair(claim.values), unit, amount(claim.values))
        row |= {"metric": claim.column, "method": claim.method, "versus": claim.versus}
        row["dataset"] = claim.dataset or ""
        missing = self.missing(claim.protocol, claim.method, claim.versus)
        if missing:
            return row | _not_run(missing)
        runs = self.runs[claim.protocol]
        if claim.dataset:
            runs = runs[runs["dataset"] == claim.dataset]
        both = runs.pivot_table(index=["dataset", "seed"], columns="method", values=claim.column)
        both = both.reindex(columns=[claim.method, claim.versus]).dropna()
        if not len(both):
            return row | _not_run("no dataset with runs of both")
        pairs = both.groupby(level="dataset").size()
        needed = 1 if claim.dataset else datasets_needed(int(_headline("datasets")))
        judged = int(sum(not too_few(int(n), self.level) for n in pairs))
        # Every dataset counts the same in a mean, as in the paper, even if runs are missing.
        found = both.median() if claim.how == "median" else both.groupby(level=0).mean().mean()
        ours = float(found[claim.method]), float(found[claim.versus])
        status = verdict_on_values(claim.values, ours, judged >= needed)
        note = _too_few(judged, needed, status)
        return row | _outcome(row, _pair(ours, 3), status, amount(ours), note)

    def settings(self) -> list[Row]:
        """The size and the rules of the study itself."""
        runs = self.runs[PAPER].groupby(["dataset", "method"]).size()
        ours = (
            len(self.datasets[PAPER]),
            int(runs.median()) if len(runs) else 0,
            len(self.datasets[LABEL_NOISE]),
            self.level,
            self.study["budget"],
        )
        rows = []
        for name, value in zip(SETTINGS, ours, strict=True):
            paper = _headline(name)
            row = _row(
                "headline", f"The study: {name.replace('_', ' ')}", f"{paper:g}", "number", paper
            )
            counted = name in SETTINGS[:3]
            reached = value and (value >= paper if counted else value == paper)
            status = CONFIRMED if reached else TOO_FEW_RUNS if counted else NOT_CONFIRMED
            note = "a setting: our program is the faster one" if name == SETTINGS[4] else ""
            rows.append(
                row | _outcome(row, f"{value:g}", status, value, note)
                if value
                else row | _not_run("no runs")
            )
        return rows

    def median(self, claim: MedianClaim) -> Row:
        """One method on one dataset."""
        words = f"Median test R² of {claim.method} on {claim.dataset}"
        row = _row("medians", words, f"{claim.median:.3f}", "R²", claim.median)
        row |= {"metric": "test_r2", "method": claim.method, "dataset": claim.dataset}
        values = self._test_r2.get((claim.dataset, claim.method), np.array([]))
        if not len(values):
            return row | _not_run(self.missing(PAPER, claim.method) or "no runs on this dataset")
        least = next(n for n in range(1, 100) if not too_few(n, self.level))
        ours = float(np.median(values))
        status = verdict_on_median(claim.median, values, least)
        note = f"{len(values)} of {least} runs" if status == TOO_FEW_RUNS else ""
        return row | _outcome(row, f"{ours:.3f}", status, ours, note)


def _row(part: str, claim: str, paper: str, unit: str, amount: float) -> Row:
    return {"part": part, "claim": claim, "paper": paper, "unit": unit, "paper_amount": amount}


def _outcome(row: Row, ours: str, status: str, amount: float, note: str) -> Row:
    difference = amount - row["paper_amount"]
    found = {"ours": ours, "status": status, "our_amount": amount, "difference": difference}
    return found | {"note": note}


def _not_run(note: str) -> Row:
    return {"ours": "", "status": NOT_RUN, "note": note}


def _too_few(judged: int, needed: int, status: str) -> str:
    text = f"{judged} of the {needed} datasets needed have enough paired runs"
    return text if status == TOO_FEW_RUNS else ""


def _headline(name: str) -> float:
    return float(str(headline_figures()[name]))


def _counted(outcomes: Any) -> Counts:
    better, similar, worse = (int((outcomes == kind).sum()) for kind in OUTCOMES)
    return Counts(better, similar, worse, len(outcomes))


def _pair(values: tuple[float, float], digits: int = 4) -> str:
    return f"{values[0]:.{digits}g} and {values[1]:.{digits}g}"


def _ratio(values: tuple[float, float]) -> float:
    return values[0] / values[1] if values[1] else np.nan


def _difference(values: tuple[float, float]) -> float:
    return values[0] - values[1]
