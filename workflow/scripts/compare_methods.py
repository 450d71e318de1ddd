"""Compare the methods of an experiment."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.statistics.compare import compare_methods

    experiment = snakemake.params.experiment
    compare_methods(
        runs=snakemake.input.runs,
        methods=experiment.methods,
        datasets=experiment.datasets,
        beside_paper=experiment.papers_kind == "paper",
        significance=snakemake.params.significance,
        tables=dict(snakemake.output.items()),
        latex=snakemake.output.latex,
    )
