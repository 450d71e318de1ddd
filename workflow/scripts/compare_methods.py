"""Compare the methods of an experiment."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.statistics.compare_methods import compare_methods

    compare_methods(**arguments)
