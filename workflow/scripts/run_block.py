"""Run a block of seeds of one method on one dataset."""

from vjmgp.study.jobs import run_step

run_step(
    "runs:run_block",
    log=snakemake.log[0],
    method=snakemake.params.name,
    definition=snakemake.params.definition,
    protocol=snakemake.wildcards.protocol,
    block=snakemake.wildcards.block,
    data=snakemake.input.data,
    facts=snakemake.input.facts,
    splits=list(snakemake.input.splits),
    noise=list(snakemake.input.get("noise", [])),
    code=snakemake.params.code,
    output=snakemake.output[0],
)
