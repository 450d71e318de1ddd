"""Choose the training rows of each seed of a block."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.runs.splits import split_rows

    split_rows(**arguments)
