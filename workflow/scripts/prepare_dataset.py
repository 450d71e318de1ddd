"""Check a dataset and write it as a typed table."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.runs.prepare import prepare_dataset

    prepare_dataset(**arguments)
