"""Draw the figures of an experiment."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.figures.draw_figures import draw_figures

    draw_figures(**arguments)
