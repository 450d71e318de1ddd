"""Collect the runs of an experiment into tables."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.runs.collect import collect_runs

    collect_runs(**arguments)
