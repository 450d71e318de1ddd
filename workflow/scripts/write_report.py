"""Write the report: a page to start from, and the pages beside it."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.report.write import write_report

    write_report(
        study=snakemake.params.study,
        files=snakemake.params.files,
        page=snakemake.output.page,
        pages=snakemake.output.pages,
        config=snakemake.output.config,
    )
