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
        records=lambda wildcards: kept(STUDY.run_files(wildcards.experiment)),
        outdated=run_unless_made("collect_runs"),
    output:
        runs=TABLES.runs,
        curves=TABLES.curves,
        models=TABLES.models,
        made=STUDY.manifest("collect_runs"),
    log:
        at("logs/collect_runs/{experiment}.log"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=4000, runtime=20),
    params:
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        taken=lambda wildcards: STUDY.taken(wildcards.experiment),
        folder=STUDY.published_folder,
    script:
        "../scripts/collect_runs.py"


rule join_runs:
    input:
        tables=kept(files.runs for files in STUDY.report_files().experiments.values()),
        made=made_by("collect_runs"),
        outdated=run_unless_made("join_runs"),
    output:
        runs=table(at(paths.ALL_RUNS), "all runs"),
        failures=at(paths.FAILURES),
        made=STUDY.manifest("join_runs"),
    log:
        at("logs/join_runs.log"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=4000, runtime=20),
    script:
        "../scripts/join_runs.py"


rule compare_methods:
    input:
        runs=ancient(TABLES.runs),
        made=ancient(STUDY.manifest("collect_runs")),
        outdated=run_unless_made("compare_methods"),
    output:
        **TABLES.statistics
        | {
            name: table(TABLES.statistics[name], f"{{experiment}}: {words}")
            for name, words in SUMMARIES.items()
        },
        latex=directory(TABLES.latex),
        made=STUDY.manifest("compare_methods"),
    log:
        at("logs/compare_methods/{experiment}.log"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        significance=STUDY.significance,
    script:
        "../scripts/compare_methods.py"


rule compare_srbench:
    # Beside SRBench's published results, for experiments that follow its protocol.
    input:
        runs=ancient(TABLES.runs),
        made=ancient(STUDY.manifest("collect_runs")),
        outdated=run_unless_made("compare_srbench"),
    output:
        srbench=table(
            TABLES.srbench, "{experiment}: beside SRBench's published results"
        ),
        srbench_figure=directory(TABLES.srbench_figure),
        made=STUDY.manifest("compare_srbench"),
    log:
        at("logs/compare_srbench/{experiment}.log"),
    wildcard_constraints:
        experiment="|".join(STUDY.experiments_of("compare_srbench")) or "-",
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=10),
    params:
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        kinds=STUDY.kinds,
    script:
        "../scripts/compare_srbench.py"


rule score_claims:
    input:
        runs=ancient(at(paths.ALL_RUNS)),
        made=made_by("join_runs"),
        outdated=run_unless_made("score_claims"),
    output:
        table=table(at(paths.SCOREBOARD), "the paper's claims and our outcome"),
        latex=at(paths.SCOREBOARD_TEX),
        made=STUDY.manifest("score_claims"),
    log:
        at("logs/score_claims.log"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        study=STUDY.for_scoreboard(),
    script:
        "../scripts/score_claims.py"
