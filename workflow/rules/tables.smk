# From records of runs to tables, and from tables to statistics.
TABLES = paths.experiment_files(STUDY.config["results"], "{experiment}")
SUMMARIES = {
    "summary": "methods at a glance",
    "medians": "medians by dataset",
    "win_tie_loss_test_r2": "better, similar, worse on test data",
    "pairwise": "pairs of methods over all datasets",
}


rule collect_runs:
    input:
        records=lambda wildcards: kept(FILES.runs(wildcards.experiment)),
        outdated=run_unless_made("collect_runs"),
    output:
        runs=TABLES.runs,
        curves=TABLES.curves,
        models=TABLES.models,
        made=FILES.manifest("collect_runs"),
    log:
        log_of("collect_runs", "{experiment}"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=4000, runtime=20),
    params:
        step="collect_runs",
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        reused=lambda wildcards: STUDY.reused(wildcards.experiment),
        folder=STUDY.published_folder,
    script:
        "../scripts/run_step.py"


rule join_runs:
    input:
        tables=kept(files.runs for files in FILES.report().experiments.values()),
        made=made_by("collect_runs"),
        outdated=run_unless_made("join_runs"),
    output:
        runs=table(at(paths.ALL_RUNS), "all runs"),
        failures=at(paths.FAILURES),
        made=FILES.manifest("join_runs"),
    log:
        log_of("join_runs"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=4000, runtime=20),
    params:
        step="join_runs",
    script:
        "../scripts/run_step.py"


rule compare_methods:
    input:
        runs=ancient(TABLES.runs),
        made=ancient(FILES.manifest("collect_runs")),
        outdated=run_unless_made("compare_methods"),
    output:
        **TABLES.statistics
        | {
            name: table(TABLES.statistics[name], f"{{experiment}}: {words}")
            for name, words in SUMMARIES.items()
        },
        latex=directory(TABLES.latex),
        made=FILES.manifest("compare_methods"),
    log:
        log_of("compare_methods", "{experiment}"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        step="compare_methods",
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        significance=STUDY.significance,
    script:
        "../scripts/run_step.py"


rule compare_srbench:
    # Compares with SRBench's published results, for experiments under its protocol.
    input:
        runs=ancient(TABLES.runs),
        made=ancient(FILES.manifest("collect_runs")),
        outdated=run_unless_made("compare_srbench"),
    output:
        srbench=table(
            TABLES.srbench, "{experiment}: beside SRBench's published results"
        ),
        srbench_figure=directory(TABLES.srbench_figure),
        made=FILES.manifest("compare_srbench"),
    log:
        log_of("compare_srbench", "{experiment}"),
    wildcard_constraints:
        experiment="|".join(STUDY.experiments_of("compare_srbench")) or "-",
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=10),
    params:
        step="compare_srbench",
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        kinds=STUDY.kinds,
    script:
        "../scripts/run_step.py"


rule score_claims:
    input:
        runs=ancient(at(paths.ALL_RUNS)),
        made=made_by("join_runs"),
        outdated=run_unless_made("score_claims"),
    output:
        table=table(at(paths.SCOREBOARD), "the paper's claims and our outcome"),
        latex=at(paths.SCOREBOARD_TEX),
        made=FILES.manifest("score_claims"),
    log:
        log_of("score_claims"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        step="score_claims",
        study=STUDY.for_scoreboard(),
    script:
        "../scripts/run_step.py"
