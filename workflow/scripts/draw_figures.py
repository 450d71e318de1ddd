"""Draw the figures of an experiment."""

from pathlib import Path

from vjmgp.study.jobs import run_step

run_step(
    "figures.draw:draw_figures",
    log=snakemake.log[0],
    tables=str(Path(snakemake.input.runs).parent),
    folder=snakemake.output[0],
    **snakemake.params.study,
)
