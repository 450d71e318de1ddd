"""Get a dataset of PMLB: shipped, from the cache folder, or by download."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.runs.fetch import fetch_dataset

    fetch_dataset(**arguments)
