"""Estimate the label noise of each run of a block."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.noise import estimate_noise

    estimate_noise(**arguments)
