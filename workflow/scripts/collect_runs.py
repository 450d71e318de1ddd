"""Collect the runs of an experiment into tables."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.collect import collect_runs

    collect_runs(
        files=list(snakemake.input.runs),
        runs=snakemake.output.runs,
        curves=snakemake.output.curves,
        models=snakemake.output.models,
    )
