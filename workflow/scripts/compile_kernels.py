"""Compile the engine for this machine, or find that it is compiled."""

from vjmgp.study.jobs import run_step

run_step(
    "kernels:compile_for_this_machine",
    log=snakemake.log[0],
    variant=snakemake.wildcards.variant,
    output=snakemake.output[0],
)
