"""Draw the illustrations of the method."""

from vjmgp.study.jobs import run_step

run_step(
    "illustrations.draw:draw_illustrations",
    log=snakemake.log[0],
    folder=snakemake.output[0],
)
