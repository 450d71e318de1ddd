"""Write the report: one page with everything."""

from vjmgp.study.jobs import run_step

run_step(
    "report:write_report",
    log=snakemake.log[0],
    results=snakemake.params.results,
    study=snakemake.params.study,
    page=snakemake.output.page,
    config=snakemake.output.config,
)
