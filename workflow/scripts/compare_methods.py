"""Compare the methods of an experiment."""

from pathlib import Path

from vjmgp.study.jobs import run_step

run_step(
    "statistics.compare:compare_methods",
    log=snakemake.log[0],
    runs=snakemake.input.runs,
    methods=snakemake.params.methods,
    datasets=snakemake.params.datasets,
    papers_protocol=snakemake.params.papers_protocol,
    significance=snakemake.params.significance,
    folder=str(Path(snakemake.output.summary).parent),
)
