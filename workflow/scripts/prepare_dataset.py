"""Check a dataset and write it as a typed table."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.prepare import prepare_dataset

    prepare_dataset(
        name=snakemake.wildcards.dataset,
        table=snakemake.input.table,
        note=snakemake.input.get("note"),
        own=snakemake.params.own,
        data=snakemake.output.data,
        facts=snakemake.output.facts,
    )
