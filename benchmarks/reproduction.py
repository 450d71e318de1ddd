"""Print the tables of docs/reproduction.md from the published runs.

    python -m benchmarks.reproduction
    python -m benchmarks.reproduction --folder FOLDER  # another folder of published runs

Counts are of datasets on which the first method is better / similar / worse than the second
(Wilcoxon's signed-rank test at 0.01 on the paired runs), as in the paper's tables.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, false_discovery_control, wilcoxon

from benchmarks.accuracy import accuracy_table, markdown
from vjmgp import load_results
from vjmgp.study.names import METRICS
from vjmgp.study.scoreboard import verdicts as verdict_rules
from vjmgp.study.scoreboard.claims import TWINS, CountClaim, competitors, count_claims
from vjmgp.study.scoreboard.score import MEDIANS, scoreboard, tally
from vjmgp.study.statistics.paired_tests import (
    compare_by_dataset,
    compare_over_datasets,
    p_values,
)
from vjmgp.study.statistics.summaries import by_dataset, paper_medians
from vjmgp.study.statistics.win_tie_loss import win_tie_loss
from vjmgp.tables.paper_datasets import paper_datasets

LEVEL = 0.01
COMPLEXITY = "complexity_measures"
MEASURES = ["P-VRM", "PP", "RC", "GC", "IODC", "TK", "WCRV", "Standard GP"]
TIMED = {"VJM": "VJM 1 s", "PP": "PP 1 s", "Standard GP": "Standard GP 1 s"}
FEW = "ExcelFormer"
"""A learner that was run on the datasets of `config/slow.yaml` only."""
READINGS = {
    "VJM bounded": "VJM",
    "GC population": "GC",
    "RC and size": "RC",
    "RC free refits": "RC",
    "WCRV residuals": "WCRV",
}
"""Other readings of the paper's measures, with the methods that they stand in for."""
LEARNERS = ["GaussianProcess", *competitors()]
"""All methods but variants of genetic programming."""
SMALL = 200
"""With fewer rows, half of them are for training."""
STUDY = {
    "protocols": {"paper": ["paper"], "label_noise": ["label_noise"]},
    "significance": LEVEL,
    "own_methods": [],
    "timed": TIMED,
}


def coverage(runs: pd.DataFrame) -> pd.DataFrame:
    """Return numbers and times of runs by protocol and method."""
    groups = runs.groupby(["protocol", "method"], sort=False)
    table = pd.DataFrame(
        {
            "datasets": groups["dataset"].nunique(),
            "runs": groups.size(),
            "failed": groups["status"].apply(lambda status: (status == "failed").sum()),
            "CPU hours": (groups["cpu_seconds"].sum() / 3600).round(2),
            "CPU seconds a run": groups["cpu_seconds"].mean().round(2),
        }
    )
    return table.reset_index()


def counts(runs: pd.DataFrame, methods: list[str], metric: str) -> pd.DataFrame:
    """Count better, similar and worse for all pairs."""
    found = [name for name in methods if name in set(runs["method"])]
    tests = compare_by_dataset(runs, found, sorted(runs["dataset"].unique()), metric, LEVEL)
    return win_tie_loss(tests, found).set_index(["method", "versus"])


def beside_the_paper(runs: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return our counts and the paper's, a row for each of its cells."""
    claims = [claim for claim in count_claims(TIMED) if claim.part == part]
    rows = []
    for metric, group in itertools.groupby(claims, key=lambda claim: claim.metric):
        cells: list[CountClaim] = list(group)
        own = runs[runs["protocol"] == cells[0].protocol]
        names = list(dict.fromkeys(n for c in cells for n in (c.method, c.versus)))
        ours = counts(own, names, metric)
        for cell in cells:
            if (cell.method, cell.versus) in ours.index:
                found = ours.loc[(cell.method, cell.versus)]
                words = "/".join(str(found[kind]) for kind in ("better", "similar", "worse"))
                rows.append(
                    {"": f"{cell.method} against {cell.versus}", "of": METRICS[metric],
                     "ours": words, "paper": str(cell.counts)}
                )  # fmt: skip
    return pd.DataFrame(rows)


def other_parts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of all parts of the paper but the complexity measures."""
    parts = dict.fromkeys(claim.part for claim in count_claims(TIMED))
    tables = {
        part.replace("_", " "): beside_the_paper(runs, part) for part in parts if part != COMPLEXITY
    }
    return pd.concat(tables, names=["part", None]).reset_index("part")


def matrix(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the paper's 8 × 8 table with our counts first and the paper's in brackets."""
    part = table[table["of"] == METRICS[metric]]
    names = part[""].str.split(" against ", expand=True)
    cells = part["ours"] + " (" + part["paper"] + ")"
    wide = pd.DataFrame({"method": names[0], "versus": names[1], "cell": cells})
    order = list(dict.fromkeys([*names[0], *names[1]]))
    return (
        wide.pivot_table(index="method", columns="versus", values="cell", aggfunc="first")
        .reindex(index=order[:-1], columns=order[1:])
        .fillna("")
        .reset_index()
    )


def means(runs: pd.DataFrame) -> pd.DataFrame:
    """Average medians over datasets, of genetic programming that was run on all datasets."""
    own = runs[(runs["protocol"] == "paper") & ~runs["method"].isin(LEARNERS)]
    methods, datasets = sorted(own["method"].unique()), list(own["dataset"].unique())
    columns = ("test_r2", "train_r2", "size", "cpu_seconds")
    test, train, size, seconds = (by_dataset(own, methods, datasets, c) for c in columns)
    table = pd.DataFrame(
        {
            METRICS["test_r2"]: test.dropna(axis=1).mean(),
            METRICS["train_r2"]: train.mean(),
            "median size": size.median(),
            "CPU seconds": seconds.mean(),
            "datasets": len(datasets),
        }
    ).dropna()
    table = table.sort_values(METRICS["test_r2"], ascending=False).round(3)
    return table.reset_index(names="method")


def learners(runs: pd.DataFrame, datasets: list[str]) -> pd.DataFrame:
    """Return the other learners that were run on all of these datasets, the best mean first."""
    names = ["VJM", "VJM distilled", *LEARNERS]
    own = runs[(runs["protocol"] == "paper") & runs["dataset"].isin(datasets)]
    table = accuracy_table(own, names).sort_values("mean of medians", ascending=False)
    known = paper_medians().loc[datasets].mean()
    table.insert(1, "in the paper", known.reindex(table.index).map("{:.3f}".format, "ignore"))
    return table.fillna({"in the paper": ""}).reset_index(names="")


def leads(runs: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Compare a method with the measures and the other learners over all datasets.

    Differences are of medians over runs. p-values are of Wilcoxon's test over the datasets, the
    adjusted ones for all pairs of the method and the measures, or the paper's learners.
    """
    others = ["VJM"] * (reference != "VJM") + MEASURES + LEARNERS
    own = runs[runs["protocol"] == "paper"]
    medians = by_dataset(own, [reference, *others], sorted(own["dataset"].unique()))
    named = {"": medians, ", twins once": medians.drop(index=list(TWINS), errors="ignore")}
    tables = [_leads(table).add_suffix(suffix) for suffix, table in named.items()]
    return pd.concat(tables, axis=1)


def _leads(medians: pd.DataFrame) -> pd.DataFrame:
    complete = medians.dropna(axis=1)
    first = complete.iloc[:, 0]
    differences = -complete.iloc[:, 1:].sub(first, axis=0)
    table = pd.DataFrame(
        {
            "mean": differences.mean(),
            "median": differences.median(),
            "p": p_values(differences.to_numpy().T, verdict_rules.LEVEL),
        }
    )
    for family in (MEASURES, competitors()):
        columns = [first.name, *medians.columns.intersection(family)]
        tests = compare_over_datasets(medians[columns], verdict_rules.LEVEL)
        of_first = tests[tests["method"] == first.name].set_index("versus")["p_adjusted"]
        table.loc[table.index.intersection(family), "adjusted p"] = of_first
    return table


def digits(value: float) -> str:
    """Return two significant digits of a p-value: 0.068, 4·10⁻⁷."""
    if pd.isna(value):
        return ""
    if value >= 9.5e-4:
        return f"{value:.2g}"
    head, power = f"{value:.0e}".split("e")
    return f"{head}·10{str(int(power)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of leads with its numbers as text."""
    signed = {name: "{:+.3f}".format for name in table if not set(name.split()) & {"p", "p,"}}
    shown = table.apply(lambda column: column.map(signed.get(column.name, digits)))
    return shown.rename_axis("against").reset_index()


def gap_to_the_paper(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how far VJM's medians are above the paper's, on small and on other tables."""
    datasets = sorted(runs["dataset"].unique())
    ours = by_dataset(runs[runs["protocol"] == "paper"], ["VJM"], datasets)["VJM"]
    table = pd.DataFrame({"ours": ours, "paper": paper_medians().loc[datasets, "VJM"]})
    table["gap"] = table["ours"] - table["paper"]
    table["small"] = [paper_datasets()[name].rows < SMALL for name in datasets]
    return table


def readings(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare other readings with ours: in the mean, and in cells of the paper's tables.

    The cells are those of the measure in which ours or the reading differs beyond chance.
    """
    own = runs[(runs["protocol"] == "paper") & runs["method"].isin(["VJM", *MEASURES, *READINGS])]
    datasets, rows, cells = sorted(own["dataset"].unique()), [], []
    counted = own["method"].map(lambda name: name not in READINGS)
    ours = beside_the_paper(own[counted], COMPLEXITY)
    ours_beyond = beyond_chance(ours)
    for reading, base in READINGS.items():
        if reading not in set(own["method"]):
            continue
        of_reading = own["method"] == reading
        known = own[counted & (own["method"] != base) | of_reading]
        found = beside_the_paper(known.replace({"method": {reading: base}}), COMPLEXITY)
        found_beyond = beyond_chance(found)
        of_measure = ours[""].str.split(" against ").map(lambda pair, base=base: base in pair)
        for name, differing in ((base, ours_beyond), (reading, found_beyond)):
            medians = by_dataset(own, [name], datasets, "test_r2").mean().item()
            on_training = by_dataset(own, [name], datasets, "train_r2").mean().item()
            beyond = differing["of"].filter(ours.index[of_measure]).value_counts()
            rows.append(
                {"method": name, "mean test R²": f"{medians:.3f}",
                 "mean training R²": f"{on_training:.3f}",
                 "median size": by_dataset(own, [name], datasets, "size").median().item()}
                | {f"beyond chance, {of}": beyond.get(of, 0) for of in METRICS.values()}
            )  # fmt: skip
        differ = ours_beyond.index.union(found_beyond.index)
        both = ours.rename(columns={"": "cell"}).assign(reading=found["ours"])
        shown = both.loc[of_measure & ours.index.isin(differ)].assign(method=reading)
        cells.append(shown[["method", "cell", "of", "ours", "reading", "paper"]])
    return pd.DataFrame(rows).drop_duplicates("method"), pd.concat(cells)


def verdicts(board: pd.DataFrame) -> pd.DataFrame:
    """Return the tally by part of the paper."""
    return tally(board).rename(index=lambda part: part.replace("_", " ")).reset_index()


def once(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the tally without medians, with datasets that PMLB has twice counted once."""
    board = scoreboard(runs[~runs["dataset"].isin(list(TWINS))], STUDY)
    return verdicts(board[board["part"] != MEDIANS])


def beyond_chance(table: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of a table in which our counts differ significantly from the paper's.

    A χ² test compares the two times three counts of each cell, adjusted by metric after Benjamini
    and Hochberg.
    """
    p = [_p_of_counts(*texts) for texts in zip(table["ours"], table["paper"], strict=True)]
    table = table.assign(p=p)
    table["p"] = table.groupby("of")["p"].transform(false_discovery_control)
    return table[table["p"] < verdict_rules.LEVEL].assign(
        p=lambda found: found["p"].map("{:.2g}".format)
    )


def _p_of_counts(ours: str, paper: str) -> float:
    counts = np.array([[int(n) for n in text.split("/")] for text in (ours, paper)])
    return float(chi2_contingency(counts[:, counts.any(axis=0)]).pvalue)


def beside_its_medians(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare our means of median test R² with the paper's."""
    datasets = sorted(runs["dataset"].unique())
    paper = paper_medians().loc[datasets]
    ours = by_dataset(runs[runs["protocol"] == "paper"], list(paper), datasets).dropna(axis=1)
    paper = paper[list(ours)]
    return pd.DataFrame(
        {
            "ours": ours.mean().round(3),
            "paper": paper.mean().round(3),
            "ours is higher": (ours > paper).sum().astype(str) + f" of {len(datasets)}",
            "p": [f"{wilcoxon(ours[name], paper[name]).pvalue:.2g}" for name in ours],
            "beyond 0.05, up": (ours - paper > verdict_rules.MARGIN).sum(),
            "down": (paper - ours > verdict_rules.MARGIN).sum(),
        }
    ).reset_index(names="method")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="another folder of published runs")
    options = parser.parse_args()
    every: Any = load_results(options.folder)
    print("## What was run\n")
    print(markdown(coverage(every)))
    hours = every.groupby("protocol")["cpu_seconds"].agg(["size", "sum"])
    for protocol, (count, seconds) in hours.iterrows():
        print(f"\n{protocol}: {count:,.0f} runs, {seconds / 3600:.1f} CPU hours")
    runs = every[every["status"] == "ok"]
    print("\n## Means of medians\n")
    print(markdown(means(runs)))
    table = beside_the_paper(runs, COMPLEXITY)
    print("\n## Complexity measures\n")
    for metric in METRICS:
        print(f"{METRICS[metric]}:\n\n{markdown(matrix(table, metric))}\n")
    print(f"Counts that differ beyond chance:\n\n{markdown(beyond_chance(table))}")
    print("\n## The other parts\n")
    print(markdown(other_parts(runs)))
    board = scoreboard(runs, STUDY)
    print("\n## Scoreboard\n")
    print(markdown(verdicts(board)))
    print("\nWith twins counted once:\n")
    print(markdown(once(runs)))
    counted = board[board["part"] != MEDIANS]
    for verdict in (verdict_rules.OPPOSITE, verdict_rules.INCONCLUSIVE):
        print(f"\n{verdict}:\n")
        print(markdown(counted[counted["verdict"] == verdict][["part", "claim", "paper", "ours"]]))
    print("\n## Figures in the text\n")
    of_text = counted["part"].isin(["figures_in_the_text", "competitors"])
    print(markdown(counted[of_text][["claim", "paper", "ours", "verdict"]]))
    print("\n## Other learners\n")
    of_all, of_some = set(runs["dataset"]), set(runs["dataset"][runs["method"] == FEW])
    for datasets in filter(None, dict.fromkeys([frozenset(of_all), frozenset(of_some)])):
        print(f"On {len(datasets)} datasets:\n\n{markdown(learners(runs, sorted(datasets)))}\n")
    for reference in ("VJM", "VJM distilled"):
        print(f"\n{reference}, over all datasets:\n\n{markdown(readable(leads(runs, reference)))}")
    print("\n## Other readings\n")
    for table in readings(runs):
        print(f"{markdown(table)}\n")
    print("\n## Medians\n")
    print(markdown(beside_its_medians(runs)))
    gaps = gap_to_the_paper(runs)
    print("\nVJM above the paper, by size of the table:\n")
    words = gaps["small"].map({True: f"fewer than {SMALL} rows", False: "others"})
    by_size = gaps.groupby(words)["gap"].agg(["size", "mean", "median"]).round(3)
    print(markdown(by_size.rename(columns={"size": "datasets"}).reset_index(names="")))
    print(f"\n{markdown(gaps.nlargest(5, 'gap').round(3).reset_index(names=''))}")


if __name__ == "__main__":
    main()
