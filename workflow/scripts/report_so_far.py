"""Write a report of the runs that are there."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.report.so_far import report_so_far

    report_so_far(**arguments)
