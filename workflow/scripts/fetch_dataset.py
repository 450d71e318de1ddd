"""Get a dataset of PMLB: shipped, from the cache folder, or by download."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.fetch import fetch_dataset

    fetch_dataset(
        name=snakemake.wildcards.dataset,
        cache=snakemake.params.cache,
        table=snakemake.output.table,
        note=snakemake.output.note,
    )
