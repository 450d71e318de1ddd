"""Fit sixteen public tables, in Python and as a report, and check what was promised.

    python -m benchmarks.public_tables --only mtcars trees

The tables are those of `benchmarks.classics` with ten rows or more, and four of R's as it exports
them: with the names of rows in a column without a name, and missing cells. No formula may use the
names of rows, and none may be longer than a linear model that cross-validation finds better.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks import machine
from benchmarks.classics import CLASSICS, FOLDER

TOO_SHORT = ("BOD", "Formaldehyde", "planets")
TABLES = {
    **{name: FOLDER / f"{name}.csv" for name in CLASSICS if name not in TOO_SHORT},
    **{path.stem: path for path in sorted((FOLDER / "exported").glob("*.csv"))},
}


def run(name: str, **settings: Any) -> dict[str, Any]:
    """Fit a table both ways; `settings` are those of the report."""
    from vjmgp import VJMRegressor, fit_report
    from vjmgp.fit_reports.folder import read_about, read_versions

    table = pd.read_csv(TABLES[name])
    target = table.columns[-1]
    known = table.dropna()
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = VJMRegressor(
            population_size=settings.get("population", 200),
            generations=settings.get("generations", 100),
            random_state=settings.get("seed", 0),
        ).fit(known.drop(columns=target), known[target])
        with tempfile.TemporaryDirectory() as folder:
            report = fit_report(TABLES[name], target, folder, missing="drop", **settings)
            versions, about = read_versions(Path(folder)), read_about(Path(folder))
    validation = about["validation"]
    scores = {key: found["rmse"] for key, found in validation["procedures"].items()}
    chosen, linear = scores[validation["chosen"]], scores["linear model"]
    columns = [*model.model_.standardizer.names, *report.model.standardizer.names]
    return {
        "table": name,
        "rows": len(known),
        "RMSE": chosen,
        "linear": linear,
        "trees": scores["Extra Trees"],
        "names rows": any(column.startswith("Unnamed") for column in columns),
        "worse and longer": bool(chosen > linear and report.model.size > versions.models[-1].size),
        "seconds": time.process_time() - start,
        "in Python": str(model.model_),
        "in the report": str(report.model),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    runs = pd.DataFrame([run(name) for name in parser.parse_args().only])
    print(machine.description())
    print(runs.drop(columns=["in Python", "in the report"]).round(4).to_string(index=False))
    for row in runs.to_dict("records"):
        print(f"{row['table']}: {row['in the report']}")
    if runs[["names rows", "worse and longer"]].to_numpy().any():
        raise SystemExit("A promise is broken.")


if __name__ == "__main__":
    main()
