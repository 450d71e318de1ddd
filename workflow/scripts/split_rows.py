"""Choose the training rows of each seed of a block."""

from vjmgp.study.jobs import run_step

run_step(
    "data:split_rows",
    log=snakemake.log[0],
    name=snakemake.wildcards.dataset,
    facts=snakemake.input.facts,
    block=snakemake.wildcards.block,
    protocol=snakemake.params.protocol,
    data=snakemake.input.data,
    output=snakemake.output[0],
)
