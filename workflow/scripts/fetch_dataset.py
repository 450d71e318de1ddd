"""Get a dataset of PMLB: shipped, from the cache folder, or by download."""

from vjmgp.study.jobs import run_step

run_step(
    "data:fetch_dataset",
    log=snakemake.log[0],
    name=snakemake.wildcards.dataset,
    table=snakemake.output.table,
    source=snakemake.output.source,
    cache=snakemake.params.cache,
)
