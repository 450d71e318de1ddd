"""Check a dataset and write it as a typed table."""

from vjmgp.study.jobs import run_step

run_step(
    "data:prepare_dataset",
    log=snakemake.log[0],
    name=snakemake.wildcards.dataset,
    table=snakemake.input.table,
    data=snakemake.output.data,
    facts=snakemake.output.facts,
    own=snakemake.params.own,
)
