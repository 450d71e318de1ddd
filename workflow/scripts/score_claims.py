"""Put the paper's claims beside our outcome."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake):
    from vjmgp.study.scoreboard.score import score_claims

    score_claims(
        runs=snakemake.input.runs,
        study=snakemake.params.study,
        table=snakemake.output.table,
        latex=snakemake.output.latex,
    )
