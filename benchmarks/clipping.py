"""Measure the effect of clipping predictions to the range of the training target.

    python -m benchmarks.clipping                       # about ten minutes of one core
    python -m benchmarks.clipping --methods ElasticNet

Models of genetic programming come from the published runs; other learners are fitted again with
their tuned parameters. With clipping, each must reach its published R². If the paper reports
medians of a method, the difference from ours is compared with the effect of clipping. Datasets that
are not shipped come from PMLB, or from the cache folder in VJMGP_PMLB_CACHE.
"""

from __future__ import annotations

import argparse
import json
import warnings
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import machine
from benchmarks.accuracy import markdown
from benchmarks.competitors import METHODS as CATALOGUE
from benchmarks.competitors import problem_of
from vjmgp import load_results
from vjmgp.study.protocols import r2
from vjmgp.study.published.index import ReusedRuns
from vjmgp.study.published.load import published_runs
from vjmgp.study.published.rows import model_of, read_rows, splits_of
from vjmgp.study.runs.baselines import TunedEstimator
from vjmgp.study.runs.problems import Problem
from vjmgp.study.scoreboard.verdicts import MARGIN
from vjmgp.study.statistics.summaries import paper_medians

METHODS = ["VJM", "Standard GP", "ElasticNet", "SVR", "MLP", "LinearRegression", "KernelRidge"]
CLOSE = 1e-6
"""Largest difference of a refitted learner from its published R²."""


class PublishedModels:
    """The models of the published runs of a method."""

    def __init__(self, method: str) -> None:
        self.definition = CATALOGUE[method]
        published = published_runs(None)
        cells = published.cells.items()
        taken = [ReusedRuns(i, c.seeds) for i, c in cells if c[0] == "paper" and c[2] == method]
        self.rows = read_rows(published, taken).set_index(["dataset", "seed"], drop=False)
        self.splits = splits_of(published)

    def values(self, problem: Problem) -> np.ndarray:
        """Return the predictions of a run on its test rows before clipping."""
        row = self.rows.loc[problem.dataset, problem.seed]
        if "gp" in self.definition:
            return model_of(row.to_dict(), self.splits).evaluate(problem.test_table)
        chosen = json.loads(row["parameters"]) if "grid" in self.definition else {}
        grid = {name: [value] for name, value in chosen.items()}
        learner = TunedEstimator(self.definition | {"grid": grid})
        learner.fit(problem)
        x = problem.standardizer.standardize(problem.test_table)
        return problem.standardizer.restore_target(np.ravel(learner.search.model.predict(x)))


def scores_of(models: PublishedModels, run: Any) -> dict[str, float]:
    """Return R² of a run with and without clipping."""
    problem = problem_of(run["dataset"], run["seed"])
    scales, truth = problem.standardizer, problem.target[problem.test]
    values = models.values(problem)
    values = np.where(np.isnan(values), scales.target_mean, values)
    clipped = r2(truth, scales.clip_target(values))
    if not abs(clipped - run["test_r2"]) < CLOSE:
        raise SystemExit(f"{run['method']}, {run['dataset']}, seed {run['seed']}: R² is {clipped}, "
                         f"but {run['test_r2']} is published.")  # fmt: skip
    return {"clipped": clipped, "as computed": r2(truth, values)}


def beside_the_paper(medians: pd.DataFrame, paper: pd.Series) -> str:
    """Return whether clipping could explain the difference of our medians from the paper's."""
    gap, effect = medians["clipped"] - paper, medians["clipped"] - medians["as computed"]
    lower = effect >= MARGIN
    found = medians.assign(**{"in the paper": paper})[lower].map("{:.3f}".format)
    return (
        f"Clipping adds {effect.sum():.2f} R² in all, {effect[lower].sum():.2f} of it on "
        f"{lower.sum()} datasets. The gap to the paper is {gap.mean():.3f} on all {len(gap)} and "
        f"{gap[~lower].mean():.3f} on the others; gap and effect correlate at "
        f"{np.corrcoef(gap, effect)[0, 1]:.2f}.\n\n{markdown(found.reset_index(names='dataset'))}\n"
    )


def main() -> None:
    """Print means over datasets of medians over runs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--seeds", type=int, default=30)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine.description(), flush=True)
    published = load_results()
    published = published[(published["protocol"] == "paper") & (published["seed"] < options.seeds)]
    rows, known = [], paper_medians()
    for method in options.methods:
        models, runs = PublishedModels(method), published[published["method"] == method]
        scores = pd.DataFrame([scores_of(models, run) for run in runs.to_dict("records")])
        medians = scores.groupby(runs["dataset"].to_numpy()).median()
        lower = medians["clipped"] - medians["as computed"] >= MARGIN
        paper = known[method].reindex(medians.index) if method in known else None
        rows.append(
            {"": method} | medians.mean().map("{:.3f}".format).to_dict()
            | {f"lower by {MARGIN} or more on": f"{lower.sum()} of {len(lower)}",
               "in the paper": "" if paper is None else f"{paper.mean():.3f}"}
        )  # fmt: skip
        print(f"{method}: {'' if paper is None else beside_the_paper(medians, paper)}", flush=True)
    print(markdown(pd.DataFrame(rows)))


if __name__ == "__main__":
    main()
