"""Put the methods of an experiment beside SRBench's published results."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.srbench.compare_srbench import compare_srbench

    compare_srbench(**arguments)
