"""Choose the training rows of each seed of a block."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.splits import split_rows

    split_rows(
        data=snakemake.input.data,
        facts=snakemake.input.facts,
        protocol=snakemake.params.protocol,
        block=snakemake.wildcards.block,
        output=snakemake.output[0],
    )
