"""Put the paper's claims beside our outcome."""

from vjmgp.operations.jobs import as_job

with as_job(snakemake) as arguments:
    from vjmgp.study.scoreboard.score import score_claims

    score_claims(**arguments)
