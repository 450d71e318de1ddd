"""Write a report of the runs that are there."""

from vjmgp.study.checks import SO_FAR
from vjmgp.study.jobs import run_step

run_step(
    "report.so_far:report_so_far",
    log=snakemake.log[0],
    results=snakemake.params.results,
    folder=f"{snakemake.params.results}/{SO_FAR}",
    engine=snakemake.params.engine,
    study=snakemake.params.study,
)
