"""Join the runs of all experiments into one table."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.runs.collect import join_runs

    join_runs(**arguments)
