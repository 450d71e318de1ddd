"""Compile the engine for this machine, or find that it is compiled."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.engine.compilation.warmup import compile_for_this_machine

    compile_for_this_machine(**arguments)
