"""Draw the figures of an experiment."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.figures.draw import draw_figures

    draw_figures(
        experiment=snakemake.params.experiment,
        symbolic=snakemake.params.symbolic,
        curve_datasets=snakemake.params.curve_datasets,
        significance=snakemake.params.significance,
        runs=snakemake.input.runs,
        curves=snakemake.input.curves,
        statistics=dict(snakemake.input.items()),
        folder=snakemake.output.figures,
    )
