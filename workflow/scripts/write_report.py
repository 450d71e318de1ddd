"""Write the report: a page to start from, and the pages beside it."""

from vjmgp.study.jobs import run_step

run_step(
    "report.write:write_report",
    log=snakemake.log[0],
    results=snakemake.params.results,
    folder=snakemake.params.results,
    study=snakemake.params.study,
)
