"""Compare the methods of an experiment."""

from vjmgp.study.jobs import run_step

run_step(
    "statistics:compare_methods",
    log=snakemake.log[0],
    runs=snakemake.input.runs,
    methods=snakemake.params.methods,
    datasets=snakemake.params.datasets,
    papers_protocol=snakemake.params.papers_protocol,
    significance=snakemake.params.significance,
    summary=snakemake.output.summary,
    medians=snakemake.output.medians,
    test=snakemake.output.test,
    train=snakemake.output.train,
)
