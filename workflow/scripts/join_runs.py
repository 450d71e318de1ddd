"""Join the runs of all experiments into one table."""

from vjmgp.study.jobs import run_step

run_step(
    "collect:join_runs",
    log=snakemake.log[0],
    tables=list(snakemake.input.tables),
    runs=snakemake.output.runs,
    failures=snakemake.output.failures,
)
