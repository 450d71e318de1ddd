"""Run a block of seeds of one method on one dataset."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.runs.block import run_block

    run_block(**arguments)
