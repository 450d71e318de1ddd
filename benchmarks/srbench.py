"""Print the figures of docs/srbench.md from the published runs.

python -m benchmarks.srbench            # ranks, sizes, times, pairs; some seconds
python -m benchmarks.srbench --symbols  # and the lengths of our formulas; some minutes
"""

from __future__ import annotations

import argparse
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
    return ", ".join(
        f"{n} {r:.1f}" for n, r in zip(first["method"], first["mean_rank"], strict=True)
    )


def among_the_last(runs: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Count the datasets on which a method is among the last, beside our first alone."""
    ours = by_dataset(runs, METHODS[:1], sorted(runs["dataset"].unique()))
    ranks = ours.join(published_medians("test_r2")).rank(axis=1)
    rows = pd.Series({name: about.rows for name, about in paper_datasets().items()})
    last = {name: ranks.index[ranks[name] <= LAST] for name in methods}
    return pd.DataFrame(
        {
            "method": last.keys(),
            "datasets": [len(names) for names in last.values()],
            "most rows": [int(rows[names].max()) for names in last.values()],
        }
    )


def symbols(runs: pd.DataFrame) -> pd.Series[Any]:
    """Return the median number of symbols of our formulas as written, by method."""
    models = zip(*(runs[name] for name in ("dataset", "method", "seed")), strict=True)
    counts = [load_run_model(*run, protocol=SRBENCH).shown_size for run in models]
    counted = runs.assign(symbols=counts)
    return by_dataset(counted, METHODS, list(runs["dataset"].unique()), "symbols").median()


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--symbols", action="store_true", help="count the symbols of our formulas")
    options = parser.parse_args()
    every = load_results()
    runs = every[(every["protocol"] == SRBENCH) & (every["status"] == "ok")]
    table = compared(runs)
    print(markdown(shown(table)))
    once = compared(runs[~runs["dataset"].isin(list(TWINS))])
    count = once["datasets"].max()
    print(f"\nWith twins counted once, on {count} datasets: {with_ranks(once)}.")
    print(f"\nAmong the last {LAST} of {len(table) - len(METHODS) + 1}:\n")
    print(markdown(among_the_last(runs, [METHODS[0], "MMTGP", "MAPMX-GP", "SHM-GP", "Operon"])))
    cpu = by_dataset(runs, METHODS, list(runs["dataset"].unique()), "cpu_seconds").median()
    print("\nMedian CPU seconds: " + ", ".join(f"{n} {s:.2f}" for n, s in cpu.items()) + ".")
    if options.symbols:
        print("\nSymbols: " + ", ".join(f"{n} {s:.0f}" for n, s in symbols(runs).items()) + ".")


if __name__ == "__main__":
    main()
