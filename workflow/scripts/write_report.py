"""Write the report: a page to start from, and the pages beside it."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.report.write import write_report

    write_report(**arguments)
