"""Judge every claim of the paper by our runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...tables.paper_datasets import paper_datasets
from ..latex import write_latex
from ..names import LABEL_NOISE, METRICS, PAPER, REFERENCE
from ..result_tables import read_runs, write_csv
from ..statistics.fewest_pairs import fewest_pairs
from ..statistics.paired_tests import OUTCOMES, compare_over_datasets, outcomes, p_values
from . import claims, verdicts
from .claims import PAPER_RUNS, CountClaim, OutcomeCounts, ValueClaim
from .verdicts import FEWEST_RUNS, INCONCLUSIVE, LEVEL, NO_CLAIM, NOT_RUN, SAME, VERDICTS

Row = dict[str, Any]
WORDS = {1: "better than", 0: "like", -1: "worse than", None: "against"}
MEDIANS = "medians"
COLUMNS = [
    *("part", "claim", "paper", "ours", "low", "high", "p", "verdict", "note"),
    *("metric", "method", "versus", "dataset"),
]


def score_claims(runs: str, study: dict[str, Any], table: str, latex: str) -> None:
    """Write the scoreboard as CSV and LaTeX."""
    found = scoreboard(read_runs(runs), study)
    write_csv(table, found)
    shown = found[["part", "claim", "paper", "ours", "verdict"]][found["part"] != MEDIANS]
    write_latex(Path(latex), shown, "Claims of the paper and our outcome")


def scoreboard(runs: pd.DataFrame, study: dict[str, Any]) -> pd.DataFrame:
    """Return one row per claim, with a note if counting twins once changes the verdict.

    `study` has the names of the paper's protocols (`protocols`), the level of the tests by dataset
    (`significance`), the methods that the study redefines (`own_methods`), which are not the
    paper's, and the names of methods whose runs end by time (`timed`).
    """
    evidence = Evidence(runs, study)
    rows = evidence.over_datasets()
    once = Evidence(runs[~runs["dataset"].isin(list(claims.TWINS))], study).over_datasets()
    for row, other in zip(rows, once, strict=True):
        if row["verdict"] != other["verdict"]:
            _note(row, f"{other['verdict']} if twins count once")
    return pd.DataFrame([*rows, *evidence.medians()], columns=COLUMNS)


def tally(board: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts on the claims of each part."""
    table = pd.crosstab(board["part"], board["verdict"])
    table = table.reindex(index=board["part"].unique(), columns=list(VERDICTS), fill_value=0)
    table.insert(0, "claims", table.sum(axis=1))
    return table


class Evidence:
    """The runs of a study with the paper's datasets, protocols and methods."""

    def __init__(self, runs: pd.DataFrame, study: dict[str, Any]) -> None:
        self.study = study
        self.level: float = study["significance"]
        self.seeds = fewest_pairs(self.level)
        ours = runs[runs["dataset"].isin(list(paper_datasets()))]
        ours = ours[~ours["method"].isin(study["own_methods"])]
        self.runs = {
            protocol: ours[ours["protocol"].isin(study["protocols"][protocol])].drop_duplicates(
                ["dataset", "method", "seed"]
            )
            for protocol in (PAPER, LABEL_NOISE)
        }
        self.scores = {
            (protocol, column): table.pivot_table(
                index=["dataset", "seed"], columns="method", values=column
            )
            for protocol, table in self.runs.items()
            for column in (*METRICS, "size", "cpu_seconds")
        }

    def over_datasets(self) -> list[Row]:
        """Judge all claims but the medians."""
        rows = [self.counts(claim) for claim in claims.count_claims(self.study["timed"])]
        return [*rows, self.beats("XGB"), *(self.values(claim) for claim in claims.value_claims())]

    def missing(self, protocol: str, *methods: str) -> str:
        """Return why methods cannot be compared: redefined by the study, or without runs."""
        own = [name for name in methods if name in self.study["own_methods"]]
        if own:
            return f"{', '.join(own)}: defined by this study, not as in the paper"
        none = [name for name in methods if name not in self.scores[protocol, "test_r2"]]
        return f"no runs of {', '.join(none)}" if none else ""

    def paired(
        self, row: Row, methods: list[str], protocol: str = PAPER, seeds: int = 0, dataset: str = ""
    ) -> pd.DataFrame | None:
        """Return the runs that methods share on datasets with enough seeds.

        Return None if these are less than half of the paper's datasets. Notes in the row say what
        is missing.
        """
        scores = self.scores[protocol, row["metric"]].reindex(columns=methods).dropna()
        if dataset:
            scores = scores[scores.index.get_level_values("dataset") == dataset]
        missing = self.missing(protocol, *methods)
        if missing or scores.empty:
            row |= {"verdict": NOT_RUN, "note": missing or "no dataset with runs of all"}
            return None
        seeds, papers = seeds or self.seeds, 1 if dataset else claims.datasets_of(protocol)
        shared = scores.groupby(level="dataset").size()
        judged = shared[shared >= seeds]
        if 2 * len(judged) < papers:
            what = "seeds" if 2 * len(shared) >= papers else "datasets"
            row |= {"verdict": INCONCLUSIVE, "note": f"too few {what} to tell"}
            _note(row, f"{len(judged)} of {papers} datasets have {seeds} seeds or more")
            return None
        if len(judged) < papers:
            _note(row, f"runs on {len(judged)} of {papers} datasets")
        if judged.min() < PAPER_RUNS:
            _note(row, f"from {judged.min()} seeds of {PAPER_RUNS}")
        return scores[scores.index.get_level_values("dataset").isin(judged.index)]

    def counts(self, claim: CountClaim) -> Row:
        """Judge counts of better, similar and worse.

        Few runs decide little and look even, so a claim of even needs as many runs as the paper's.
        """
        pair, training = [claim.method, claim.versus], claim.metric == "train_r2"
        wanted = verdicts.claimed(claim.counts)
        words = f"{claim.method} {WORDS[wanted]} {claim.versus}{' on training data' * training}"
        row = _row(f"{claim.part}{'_training' * training}", words, claim.metric, *pair)
        row["paper"] = str(claim.counts)
        runs = self.paired(row, pair, claim.protocol, PAPER_RUNS if wanted == 0 else self.seeds)
        if runs is not None:
            runs["difference"] = runs[claim.method] - runs[claim.versus]
            table = runs.pivot_table("difference", "dataset", "seed").to_numpy(dtype=np.float64)
            found = outcomes(table, p_values(table, self.level), self.level)
            better, similar, worse = (int((found == kind).sum()) for kind in OUTCOMES)
            ours = OutcomeCounts(better, similar, worse, len(found))
            row |= {"ours": str(ours), "p": verdicts.binomial_p(ours)}
            row["verdict"] = verdicts.verdict_on_counts(claim.counts, ours)
        return row | {"verdict": NO_CLAIM} if wanted is None else row

    def values(self, claim: ValueClaim) -> Row:
        """Judge a figure of one method against those of others.

        While a method is missing, runs cannot confirm that another is the best of all, but they can
        contradict it.
        """
        several = len(claim.versus) > 1
        versus = "all" if several else claim.versus[0]
        row = _row(claim.part, claim.words, claim.column, claim.method, versus)
        row |= {"paper": _figures(claim, claim.paper), "dataset": claim.dataset}
        absent = [m for m in claim.versus if several and self.paired(dict(row), [m]) is None]
        others = [m for m in claim.versus if m not in absent] or list(claim.versus)
        runs = self.paired(row, [claim.method, *others], dataset=claim.dataset)
        if runs is None:
            return row
        if not claim.dataset:
            runs = runs.groupby(level="dataset").agg(claim.over_runs)
        figures = runs.agg(claim.over_datasets)
        best = str(figures.iloc[1:].idxmax())
        low, high = verdicts.interval(claim, runs)
        verdict = verdicts.verdict_on_interval(low, high, claim.bound)
        if several:
            _note(row, f"{best} is the best other")
            row["paper"] = _figures(claim, claims.paper_means(runs.index))
        if absent:
            _note(row, f"too few runs of {', '.join(absent)}")
            verdict = INCONCLUSIVE if verdict == SAME else verdict
        ours = _figures(claim, (float(figures[claim.method]), float(figures[best])))
        return row | {"ours": ours, "low": low, "high": high, "verdict": verdict}

    def beats(self, other: str) -> Row:
        """Test VJM against one learner over all datasets, adjusted for all pairs of learners."""
        words = f"{REFERENCE} beats {other} after Benjamini–Hochberg"
        row = _row("competitors", words, "test_r2", REFERENCE, other)
        runs = self.paired(row, [REFERENCE, other])
        if runs is None:
            return row
        learners = [REFERENCE, other, *(name for name in claims.competitors() if name != other)]
        scores = self.scores[PAPER, "test_r2"].reindex(columns=learners)
        medians = scores.groupby(level="dataset").median()
        tests = compare_over_datasets(medians.loc[runs.index.unique("dataset")], LEVEL)
        pair = tests.iloc[0]
        _note(row, f"one of {tests['p'].notna().sum()} pairs of learners")
        row |= {"ours": f"{pair['median_difference']:+.3f} R²", "p": pair["p_adjusted"]}
        verdict = verdicts.verdict_on_test(pair["p_adjusted"], pair["rank_biserial"])
        return row | {"low": pair["low"], "high": pair["high"], "verdict": verdict}

    def medians(self) -> list[Row]:
        """Judge the medians of each method on each dataset; p-values are adjusted together."""
        groups = self.runs[PAPER].groupby(["dataset", "method"])["test_r2"]
        runs = {key: values.to_numpy(dtype=np.float64) for key, values in groups}
        rows, judged, p = [], [], []
        for dataset, method, median in claims.median_claims():
            row = _row(MEDIANS, f"Median test R² of {method} on {dataset}", "test_r2", method)
            row |= {"paper": f"{median:.3f}", "dataset": dataset}
            rows.append(row)
            values = runs.get((dataset, method))
            if values is None:
                missing = self.missing(PAPER, method) or "no runs on this dataset"
                row |= {"verdict": NOT_RUN, "note": missing}
                continue
            row |= {"ours": f"{np.median(values):.3f}", "verdict": INCONCLUSIVE}
            if len(values) < PAPER_RUNS:
                few = "too few seeds to tell: " * (len(values) < FEWEST_RUNS)
                _note(row, f"{few}{len(values)} of {PAPER_RUNS}")
            if len(values) >= FEWEST_RUNS:
                judged.append(row)
                p.append(verdicts.median_p(median, values))
        for row, found in zip(judged, verdicts.verdicts_on_medians(p), strict=True):
            row |= found
        return rows


def _row(part: str, claim: str, metric: str, method: str, versus: str = "") -> Row:
    about = {"part": part, "claim": claim, "metric": metric, "method": method, "versus": versus}
    return about | {"paper": "", "ours": "", "note": "", "dataset": ""}


def _note(row: Row, text: str) -> None:
    row["note"] = f"{row['note']}; {text}" if row["note"] else text


def _figures(claim: ValueClaim, values: tuple[float, float] | None) -> str:
    """Return two figures and their ratio or difference as text, or the bound."""
    if values is None:
        return f"{claim.bound:g}"
    sign = "/" if claim.ratio else "−"
    result = verdicts.amount(claim, np.array(values))
    return f"{values[0]:.4g} {sign} {values[1]:.4g} = {result:.3g}".replace("-", "−")
