# From records of runs to tables, and from tables to statistics.
TABLES = paths.ExperimentFiles(STUDY.config["results"], "{experiment}")


rule collect_runs:
    input:
        runs=lambda wildcards: kept(STUDY.run_files(wildcards.experiment)),
    output:
        runs=TABLES.runs,
        curves=TABLES.curves,
        models=TABLES.models,
        made=at(STUDY.manifests["collect_runs"]),
    log:
        at("logs/collect_runs/{experiment}.log"),
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    script:
        "../scripts/collect_runs.py"


rule join_runs:
    input:
        tables=kept(files.runs for files in STUDY.report_files().experiments.values()),
        made=[made_by("collect_runs", experiment=name) for name in STUDY.experiments],
    output:
        runs=report(
            at(paths.ALL_RUNS),
            caption="../report/runs.rst",
            category="Tables",
            labels={"table": "all runs"},
        ),
        failures=at(paths.FAILURES),
        made=at(STUDY.manifests["join_runs"]),
    log:
        at("logs/join_runs.log"),
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    script:
        "../scripts/join_runs.py"


rule compare_methods:
    input:
        runs=ancient(TABLES.runs),
        made=ancient(at(STUDY.manifests["collect_runs"])),
    output:
        summary=report(
            TABLES.statistics["summary"],
            caption="../report/summary.rst",
            category="Tables",
            labels={"table": "{experiment}: methods at a glance"},
        ),
        medians=report(
            TABLES.statistics["medians"],
            caption="../report/medians.rst",
            category="Tables",
            labels={"table": "{experiment}: medians by dataset"},
        ),
        win_tie_loss_test_r2=report(
            TABLES.statistics["win_tie_loss_test_r2"],
            caption="../report/win_tie_loss.rst",
            category="Tables",
            labels={"table": "{experiment}: better, similar, worse on test data"},
        ),
        pairwise=report(
            TABLES.statistics["pairwise"],
            caption="../report/pairwise.rst",
            category="Tables",
            labels={"table": "{experiment}: pairs of methods over all datasets"},
        ),
        win_tie_loss_train_r2=TABLES.statistics["win_tie_loss_train_r2"],
        means=TABLES.statistics["means"],
        tests_test_r2=TABLES.statistics["tests_test_r2"],
        tests_train_r2=TABLES.statistics["tests_train_r2"],
        latex=directory(TABLES.latex),
        made=at(STUDY.manifests["compare_methods"]),
    log:
        at("logs/compare_methods/{experiment}.log"),
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        significance=STUDY.significance,
    script:
        "../scripts/compare_methods.py"


rule score_claims:
    input:
        runs=ancient(at(paths.ALL_RUNS)),
        made=made_by("join_runs"),
    output:
        table=report(
            at(paths.SCOREBOARD),
            caption="../report/scoreboard.rst",
            category="Tables",
            labels={"table": "the paper's claims and our outcome"},
        ),
        latex=at(paths.SCOREBOARD_TEX),
        made=at(STUDY.manifests["score_claims"]),
    log:
        at("logs/score_claims.log"),
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        study=STUDY.for_scoreboard(),
    script:
        "../scripts/score_claims.py"
