"""Run a block of seeds of a method of genetic programming on one dataset."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.gp import GeneticProgramming
    from vjmgp.study.noise import noise_estimates
    from vjmgp.study.runs import run_block

    definition = snakemake.params.definition
    noise = noise_estimates(list(snakemake.input.noise))
    run_block(
        lambda: GeneticProgramming(definition["gp"], noise),
        method=snakemake.params.name,
        definition=definition,
        data=snakemake.input.data,
        facts=snakemake.input.facts,
        splits=list(snakemake.input.splits),
        noise=noise,
        output=snakemake.output[0],
    )
