"""Run the step that a rule names."""

from vjmgp.operations.jobs import run_step
from vjmgp.study.steps import STEPS

run_step(snakemake, STEPS[snakemake.params.step].function)
