"""Estimate the label noise of each run of a block."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.noise import estimate_noise

    estimate_noise(
        data=snakemake.input.data,
        facts=snakemake.input.facts,
        splits=snakemake.input.splits,
        output=snakemake.output[0],
    )
