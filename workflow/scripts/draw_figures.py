"""Draw the figures of an experiment."""

from vjmgp.study.jobs import run_step

run_step(
    "figures:draw_figures",
    log=snakemake.log[0],
    runs=snakemake.input.runs,
    curves=snakemake.input.curves,
    methods=snakemake.params.methods,
    all_methods=snakemake.params.all_methods,
    datasets=snakemake.params.datasets,
    curve_datasets=snakemake.params.curve_datasets,
    test_figure=snakemake.output.test,
    cost_figure=snakemake.output.cost,
    curves_figure=snakemake.output.curves,
)
