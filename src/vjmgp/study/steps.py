"""The steps of a study and their order, stated once.

Each step is a rule of the same name in `workflow/rules`. Identities, manifests, the
picture of the workflow and its documentation follow this table; a test compares it with Snakemake's
graph. Every job reads it, so nothing heavy is imported here.
"""

import pkgutil
from collections.abc import Callable
from typing import Literal, NamedTuple

Scope = Literal["folder", "machine", "dataset", "block", "experiment", "study", "request"]


class Step(NamedTuple):
    """A step of the study."""

    name: str
    per: Scope
    """The unit that it is done for."""
    function: str
    """The import path of its function, if it has one."""
    after: tuple[str, ...]
    """The steps that it follows directly; those they follow in turn are left out."""
    does: str
    """A few words for the picture of the workflow."""

    @property
    def module(self) -> str:
        """The module of its function."""
        return self.function.rpartition(".")[0]


def load(function: str) -> Callable[..., None]:
    """Import a function by its path."""
    found: Callable[..., None] = pkgutil.resolve_name(function)
    return found


# fmt: off
_ALL = (
    Step("mark_results", "folder", "", (), "claims the folder"),
    Step("fetch_dataset", "dataset", "vjmgp.study.runs.prepare.fetch_dataset",
         ("mark_results",), "PMLB, or a cache"),
    Step("compile_kernels", "machine", "vjmgp.engine.compilation.warmup.compile_for_this_machine",
         ("mark_results",), "once for a machine"),
    Step("prepare_dataset", "dataset", "vjmgp.study.runs.prepare.prepare_dataset",
         ("fetch_dataset",), "types and checks"),
    Step("split_rows", "block", "vjmgp.study.runs.prepare.split_rows",
         ("prepare_dataset",), "by dataset and seed"),
    Step("estimate_noise", "block", "vjmgp.study.runs.noise_estimates.estimate_noise",
         ("split_rows", "compile_kernels"), "how noisy labels are"),
    Step("run_baseline", "block", "vjmgp.study.runs.block.run_block",
         ("split_rows",), "other learners"),
    Step("run_gp", "block", "vjmgp.study.runs.block.run_block",
         ("estimate_noise",), "genetic programming"),
    Step("collect_runs", "experiment", "vjmgp.study.runs.collect.collect_runs",
         ("run_gp", "run_baseline"), "records to tables"),
    Step("join_runs", "study", "vjmgp.study.runs.collect.join_runs",
         ("collect_runs",), "of all experiments"),
    Step("compare_methods", "experiment", "vjmgp.study.statistics.compare_methods.compare_methods",
         ("collect_runs",), "tests and effects"),
    Step("compare_srbench", "experiment", "vjmgp.study.srbench.compare_srbench.compare_srbench",
         ("collect_runs",), "with SRBench's results"),
    Step("score_claims", "study", "vjmgp.study.scoreboard.score.score_claims",
         ("join_runs",), "what the paper says"),
    Step("draw_figures", "experiment", "vjmgp.study.figures.draw_figures.draw_figures",
         ("compare_methods",), "SVG, PDF, PNG"),
    Step("illustrations", "study",
         "vjmgp.study.illustrations.draw_illustrations.draw_illustrations",
         ("compile_kernels",), "the method in pictures"),
    Step("write_report", "study", "vjmgp.study.report.write.write_report",
         ("score_claims", "draw_figures", "compare_srbench", "illustrations"), "the report"),
    Step("report_so_far", "request", "vjmgp.study.report.so_far.report_so_far",
         (), "the report on an unfinished study"),
)
# fmt: on
STEPS = {step.name: step for step in _ALL}
"""Every step by name; a step comes after those that it follows."""
TABLE_STEPS = {step.name: step for step in _ALL if step.per in ("experiment", "study")}
"""The steps after the runs: each has an identity, and a manifest of the files that it writes."""
EXPERIMENT_STEPS = tuple(step.name for step in _ALL if step.per == "experiment")
"""The steps that are done for each experiment."""
RULES = ("all", "runs", *STEPS)
"""The names of the workflow's rules: its targets and its steps."""
