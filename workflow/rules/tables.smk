# From records of runs to tables, and from tables to statistics.


rule collect_runs:
    input:
        runs=runs_of_experiment,
    output:
        runs="<results>/tables/{experiment}/runs.csv",
        curves="<results>/tables/{experiment}/curves.csv",
        models="<results>/tables/{experiment}/models.json",
    log:
        "<logs>/collect_runs/{experiment}.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        engine=ENGINE_VERSION,
        code=code_id("study/collect.py"),
    script:
        "../scripts/collect_runs.py"


rule join_runs:
    input:
        tables=expand(
            "<results>/tables/{experiment}/runs.csv", experiment=STUDY.experiments
        ),
    output:
        runs=report(
            "<results>/tables/runs.csv",
            caption="../report/runs.rst",
            category="Tables",
            labels={"table": "all runs"},
        ),
        failures="<results>/tables/failures.csv",
    log:
        "<logs>/join_runs.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        code=code_id("study/collect.py"),
    script:
        "../scripts/join_runs.py"


rule compare_methods:
    input:
        runs="<results>/tables/{experiment}/runs.csv",
    output:
        summary=report(
            "<results>/tables/{experiment}/summary.csv",
            caption="../report/summary.rst",
            category="Tables",
            labels={"table": "{experiment}: methods at a glance"},
        ),
        medians=report(
            "<results>/tables/{experiment}/medians.csv",
            caption="../report/medians.rst",
            category="Tables",
            labels={"table": "{experiment}: medians by dataset"},
        ),
        test=report(
            "<results>/tables/{experiment}/win_tie_loss_test_r2.csv",
            caption="../report/win_tie_loss.rst",
            category="Tables",
            labels={"table": "{experiment}: better, similar, worse on test data"},
        ),
        train="<results>/tables/{experiment}/win_tie_loss_train_r2.csv",
        means="<results>/tables/{experiment}/means.csv",
        tests=expand(
            "<results>/tables/{{experiment}}/tests_{metric}.csv",
            metric=METRICS,
        ),
        pairwise=report(
            "<results>/tables/{experiment}/pairwise.csv",
            caption="../report/pairwise.rst",
            category="Tables",
            labels={"table": "{experiment}: pairs of methods over all datasets"},
        ),
        latex=directory("<results>/tables/{experiment}/latex"),
    log:
        "<logs>/compare_methods/{experiment}.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        methods=lambda wildcards: STUDY.experiments[wildcards.experiment].methods,
        datasets=lambda wildcards: STUDY.experiments[wildcards.experiment].datasets,
        papers_protocol=lambda wildcards: checks.is_papers(STUDY, wildcards.experiment),
        significance=STUDY.config["significance"],
        code=code_id("study/collect.py", "study/statistics", "study/latex.py"),
    script:
        "../scripts/compare_methods.py"


rule score_claims:
    input:
        runs="<results>/tables/runs.csv",
    output:
        table=report(
            "<results>/tables/scoreboard.csv",
            caption="../report/scoreboard.rst",
            category="Tables",
            labels={"table": "the paper's claims and our outcome"},
        ),
        latex="<results>/tables/scoreboard.tex",
    log:
        "<logs>/score_claims.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        study=checks.for_scoreboard(STUDY),
        code=code_id(
            "paper",
            "study/collect.py",
            "study/statistics",
            "study/scoreboard",
            "study/latex.py",
        ),
    script:
        "../scripts/score_claims.py"
