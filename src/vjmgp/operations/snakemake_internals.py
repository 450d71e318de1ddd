"""The only writes into Snakemake's internals, which its interface has no option for.

They are known to work with the versions that pyproject.toml allows; with any other version nothing
is written.
"""

from typing import Any

import snakemake
from snakemake.exceptions import WorkflowError


def is_known(version: str = "") -> bool:
    """Return whether these functions are tested with a version, by default the installed one."""
    major, minor, *_ = (version or snakemake.__version__).split(".")
    return (9, 20) <= (int(major), int(minor)) < (10, 0)


def _require_known() -> None:
    if not is_known():
        raise WorkflowError(
            f"vjmgp needs Snakemake 9.20 or later, but before 10; {snakemake.__version__} is "
            'installed. To change it: pip install "snakemake>=9.20,<10"'
        )


def set_default_target(workflow: Any, rule: str) -> None:
    """Set the default target to a rule of an included file."""
    _require_known()
    workflow.default_target = rule


def force(workflow: Any, file: str) -> None:
    """Make Snakemake write a file and its siblings, even if the requested sibling exists."""
    _require_known()  # else tables of other settings would pass for those of this study
    workflow.dag.forcefiles.add(file)


def lift_job_rate_limit(workflow: Any) -> None:
    """Let Snakemake start more than 100 jobs a second.

    Its limit makes it select jobs again a second after each selection: after a few hundred jobs it
    does little else. No option turns it off.
    """
    if is_known():
        workflow.scheduler.job_rate_limiter = None
