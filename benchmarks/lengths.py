"""Letters of formulas: as evolved, which was shown before 1.0, and as shown now.

    python -m benchmarks.lengths [--method "VJM distilled"] [--seeds 3]

The models are those of the published runs (`vjmgp.load_run_model`). As evolved is with four
significant digits. Seconds are of the processor, for one formula from model to text.
"""

from __future__ import annotations

import argparse
import time

import pandas as pd

from vjmgp import load_results, load_run_model

from .machine import description


def main() -> None:
    """Print one line per dataset and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", default="VJM distilled")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    runs = load_results()
    runs = runs[(runs["method"] == options.method) & (runs["seed"] < options.seeds)]
    runs = runs[["dataset", "seed"]].drop_duplicates()
    rows = []
    for dataset, seed in runs.itertuples(index=False):
        model = load_run_model(dataset, options.method, seed)
        started = time.process_time()
        text = str(model)
        rows.append(
            {
                "dataset": dataset,
                "nodes": model.size,
                "as evolved": len(model.text(4, exact=True)),
                "as shown": len(text),
                "ms": 1e3 * (time.process_time() - started),
            }
        )
    table = pd.DataFrame(rows)
    print(description())
    print(table.groupby("dataset").median().round(1).to_string())
    evolved, shown = (table[name].median() for name in ("as evolved", "as shown"))
    print(f"\n{options.method}, {len(table)} models: median {evolved:.0f} letters as evolved, ")
    print(f"{shown:.0f} as shown ({shown / evolved:.2f}); ms median {table['ms'].median():.1f}, ")
    print(f"95 % below {table['ms'].quantile(0.95):.1f}, largest {table['ms'].max():.1f}")


if __name__ == "__main__":
    main()
