"""Draw the illustrations of the method."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.illustrations.draw_illustrations import draw_illustrations

    draw_illustrations(**arguments)
