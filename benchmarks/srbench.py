"""Print the figures of docs/srbench.md from the published runs.

python -m benchmarks.srbench            # ranks, sizes, times, pairs; some seconds
python -m benchmarks.srbench --symbols  # and the lengths of our formulas; some minutes
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import pandas as pd
import yaml

from benchmarks import ROOT
from benchmarks.accuracy import markdown, two_digits
from vjmgp import load_results, load_run_model
from vjmgp.pages.formats import p_value
from vjmgp.study.names import ONE_FORMULA, SRBENCH
from vjmgp.study.scoreboard.claims import TWINS
from vjmgp.study.srbench.mean_ranks import OURS, beside_published, published_medians
from vjmgp.study.statistics.summaries import by_dataset
from vjmgp.tables.paper_datasets import paper_datasets

CONFIG = yaml.safe_load((ROOT / "config/srbench.yaml").read_text(encoding="utf-8"))
METHODS: list[str] = CONFIG["experiments"]["black_box"]["methods"]
RIVALS = ["Operon", "MAPMX-GP", "SHM-GP", "MMTGP", METHODS[0]]
"""Methods that are among the last on few datasets or many."""
LAST = 6
"""Number of methods that are called the last of a dataset."""


def compared(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the table of a report's page on SRBench."""
    kinds = dict.fromkeys(METHODS, ONE_FORMULA)
    return beside_published(runs, METHODS, CONFIG["datasets"], kinds)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table as the page has it."""
    rows = []
    for row in table.to_dict("records"):
        itself = row["method"] == METHODS[0]
        name = f"**{row['method']}**" if row["source"] == OURS else row["method"]
        rows.append(
            {
                "method": name,
                "model": row["kind"],
                "mean rank": "{mean_rank:.1f} ({rank_low:.1f} to {rank_high:.1f})".format(**row),
                "mean R²": f"{row['mean_r2']:.3f}".replace("-", "−"),
                "median R²": f"{row['median_r2']:.3f}",
                "median size": f"{row['median_size']:,.0f}",
                "median seconds": _seconds(row["median_seconds"]),
                "VJM distilled better / worse": ""
                if itself
                else "{better} / {worse}".format(**row),
                "p": "" if itself else p_value(row["p"]),
            }
        )
    return pd.DataFrame(rows)


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else two_digits(value)


def with_ranks(table: pd.DataFrame, number: int = 12) -> str:
    """Return the first methods with their mean ranks."""
    first = table.head(number)
    return in_line(first["method"], first["mean_rank"].map("{:.1f}".format))


def in_line(names: Iterable[str], values: Iterable[object]) -> str:
    """Return names with values as the rest of a sentence."""
    return ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True)) + "."


def among_the_last(runs: pd.DataFrame) -> str:
    """Count the datasets on which methods are among the last, beside our first alone."""
    ours = by_dataset(runs, METHODS[:1], CONFIG["datasets"]).dropna()
    ranks = ours.join(published_medians("test_r2")).rank(axis=1)
    rows = {name: about.rows for name, about in paper_datasets().items()}
    last = [[rows[name] or 0 for name in ranks.index[ranks[m] <= LAST]] for m in RIVALS]
    counts = [f"{len(found)} ({max(found):,})" for found in last]
    return (
        f"Datasets on which a method is among the last {LAST} of {ranks.shape[1]}, and the rows of "
        f"the largest of them: {in_line(RIVALS, counts)}"
    )


def symbols(runs: pd.DataFrame) -> pd.Series[Any]:
    """Return the median number of symbols of our formulas as written, by method."""
    models = zip(*(runs[name] for name in ("dataset", "method", "seed")), strict=True)
    counts = [load_run_model(*run, protocol=SRBENCH).shown_size for run in models]
    counted = runs.assign(symbols=counts)
    return by_dataset(counted, METHODS, CONFIG["datasets"], "symbols").median()


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--symbols", action="store_true", help="count the symbols of our formulas")
    options = parser.parse_args()
    every = load_results()
    runs = every[(every["protocol"] == SRBENCH) & (every["status"] == "ok")]
    print(markdown(shown(compared(runs))))
    once = compared(runs[~runs["dataset"].isin(list(TWINS))])
    print(f"\nWith twins counted once, on {once['datasets'].max()} datasets: {with_ranks(once)}")
    print(f"\n{among_the_last(runs)}")
    cpu = by_dataset(runs, METHODS, CONFIG["datasets"], "cpu_seconds").median()
    print(f"\nMedian CPU seconds: {in_line(METHODS, cpu.map('{:.2f}'.format))}")
    if options.symbols:
        print(f"\nMedian symbols: {in_line(METHODS, symbols(runs).map('{:.0f}'.format))}")


if __name__ == "__main__":
    main()
