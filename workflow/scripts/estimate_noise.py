"""Estimate the label noise of each run of a block."""

from vjmgp.study.jobs import run_step

run_step(
    "data:estimate_noise_of",
    log=snakemake.log[0],
    data=snakemake.input.data,
    facts=snakemake.input.facts,
    splits=snakemake.input.splits,
    output=snakemake.output[0],
)
