"""Estimate the label noise of each run of a block."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.runs.noise_estimates import estimate_noise

    estimate_noise(**arguments)
