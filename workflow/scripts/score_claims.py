"""Put the paper's claims beside our outcome."""

from vjmgp.study.jobs import run_step

run_step(
    "scoreboard.score:score_claims",
    log=snakemake.log[0],
    runs=snakemake.input.runs,
    study=snakemake.params.study,
    table=snakemake.output.table,
    latex=snakemake.output.latex,
)
