"""The steps of a study and their order, stated once.

Each step is a rule of the same name in `workflow/rules`. Identities, manifests, the report of an
unfinished study, the picture of the workflow and its documentation follow this table; a test
compares it with Snakemake's graph. Every job reads it, so nothing heavy is imported here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Literal, NamedTuple

Scope = Literal["folder", "machine", "dataset", "block", "experiment", "study", "request"]


class Step(NamedTuple):
    """A step of the study."""

    name: str
    does: str
    """A few words for the picture of the workflow."""
    per: Scope
    """The unit that it is done for."""
    after: tuple[str, ...] = ()
    """The steps that it follows directly; those they follow in turn are left out."""
    function: str = ""
    """The import path of its function, if it has one."""

    @property
    def module(self) -> str:
        """The module of its function."""
        return self.function.rpartition(".")[0]


def load(function: str) -> Callable[..., None]:
    """Import a function by its path."""
    module, _, name = function.rpartition(".")
    found: Callable[..., None] = getattr(importlib.import_module(module), name)
    return found


_ALL = (
    Step("mark_results", "claims the folder", "folder"),
    Step(
        *("fetch_dataset", "PMLB, or a cache", "dataset", ("mark_results",)),
        "vjmgp.study.runs.fetch.fetch_dataset",
    ),
    Step(
        *("compile_kernels", "once for a machine", "machine", ("mark_results",)),
        "vjmgp.engine.compilation.warmup.compile_for_this_machine",
    ),
    Step(
        *("prepare_dataset", "types and checks", "dataset", ("fetch_dataset",)),
        "vjmgp.study.runs.prepare.prepare_dataset",
    ),
    Step(
        *("split_rows", "by dataset and seed", "block", ("prepare_dataset",)),
        "vjmgp.study.runs.splits.split_rows",
    ),
    Step(
        *("estimate_noise", "how noisy labels are", "block", ("split_rows", "compile_kernels")),
        "vjmgp.study.runs.noise_estimates.estimate_noise",
    ),
    Step(
        *("run_baseline", "other learners", "block", ("split_rows",)),
        "vjmgp.study.runs.block.run_block",
    ),
    Step(
        *("run_gp", "genetic programming", "block", ("estimate_noise",)),
        "vjmgp.study.runs.block.run_block",
    ),
    Step(
        *("collect_runs", "records to tables", "experiment", ("run_gp", "run_baseline")),
        "vjmgp.study.runs.collect.collect_runs",
    ),
    Step(
        *("join_runs", "of all experiments", "study", ("collect_runs",)),
        "vjmgp.study.runs.collect.join_runs",
    ),
    Step(
        *("compare_methods", "tests and effects", "experiment", ("collect_runs",)),
        "vjmgp.study.statistics.compare_methods.compare_methods",
    ),
    Step(
        *("compare_srbench", "beside SRBench's results", "experiment", ("collect_runs",)),
        "vjmgp.study.srbench.compare_srbench.compare_srbench",
    ),
    Step(
        *("score_claims", "what the paper says", "study", ("join_runs",)),
        "vjmgp.study.scoreboard.score.score_claims",
    ),
    Step(
        *("draw_figures", "SVG, PDF, PNG", "experiment", ("compare_methods",)),
        "vjmgp.study.figures.draw_figures.draw_figures",
    ),
    Step(
        *("illustrations", "the method in pictures", "study", ("compile_kernels",)),
        "vjmgp.study.illustrations.draw_illustrations.draw_illustrations",
    ),
    Step(
        *("write_report", "the report", "study"),
        ("score_claims", "draw_figures", "compare_srbench", "illustrations"),
        "vjmgp.study.report.write.write_report",
    ),
    Step(
        *("report_so_far", "the report of an unfinished study", "request", ()),
        "vjmgp.study.report.so_far.report_so_far",
    ),
)
STEPS = {step.name: step for step in _ALL}
"""Every step by name; a step comes after those that it follows."""
TABLE_STEPS = {step.name: step for step in _ALL if step.per in ("experiment", "study")}
"""The steps after the runs: each has an identity, and a manifest of the files that it writes."""
EXPERIMENT_STEPS = tuple(step.name for step in _ALL if step.per == "experiment")
"""The steps that are done for each experiment."""
RULES = ("all", "runs", *STEPS)
"""The names of the workflow's rules: its targets and its steps."""
