"""Run a block of seeds of another learner on one dataset."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.baselines import TunedEstimator
    from vjmgp.study.runs import run_block

    definition = snakemake.params.definition
    run_block(
        lambda: TunedEstimator(definition),
        method=snakemake.params.name,
        definition=definition,
        data=snakemake.input.data,
        facts=snakemake.input.facts,
        splits=list(snakemake.input.splits),
        noise={},
        output=snakemake.output[0],
    )
