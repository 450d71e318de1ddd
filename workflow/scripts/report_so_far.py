"""Write a report of the runs that are there."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.report.so_far import report_so_far

    report_so_far(
        study=snakemake.params.study,
        scoreboard=snakemake.params.scoreboard,
        runs=snakemake.params.runs,
        files=snakemake.params.files,
        illustrations=snakemake.params.illustrations,
        folder=snakemake.params.folder,
    )
