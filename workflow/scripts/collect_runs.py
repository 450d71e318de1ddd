"""Collect the runs of an experiment into tables."""

from vjmgp.study.jobs import run_step

run_step(
    "collect:collect_runs",
    log=snakemake.log[0],
    files=list(snakemake.input.runs),
    engine=snakemake.params.engine,
    runs=snakemake.output.runs,
    curves=snakemake.output.curves,
    models=snakemake.output.models,
)
