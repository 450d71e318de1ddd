# The report, and one target per experiment.


rule write_report:
    input:
        facts=expand("<results>/datasets/{dataset}/facts.json", dataset=STUDY.datasets),
        runs="<results>/tables/runs.csv",
        failures="<results>/tables/failures.csv",
        scoreboard="<results>/tables/scoreboard.csv",
        models=expand(
            "<results>/tables/{experiment}/models.json", experiment=STUDY.experiments
        ),
        statistics=expand(
            "<results>/tables/{experiment}/summary.csv", experiment=STUDY.experiments
        ),
        illustrations="<results>/figures/illustrations",
        figures=expand("<results>/figures/{experiment}", experiment=STUDY.experiments),
    output:
        page="<results>/report.html",
        pages=directory("<results>/report"),
        config="<results>/config.yaml",
    log:
        "<logs>/write_report.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        results=lambda wildcards, output: os.path.dirname(output.page),
        study=checks.for_report(STUDY),
        code=code_id("paper", "study/scoreboard", "study/report"),
    script:
        "../scripts/write_report.py"


rule report_so_far:
    # Of a study in the middle of its run; asks for no run. While one is going on: --nolock
    log:
        "<logs>/report_so_far.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        results=RESULTS,
        engine=ENGINE_VERSION,
        study=lambda wildcards: checks.for_report_so_far(STUDY),
    script:
        "../scripts/report_so_far.py"


rule runs:
    # All runs and nothing made of them. In parts, where one plan is too large: --batch runs=1/8
    input:
        STUDY.all_run_files(),
    localrule: True


for experiment in STUDY.experiments:

    rule:
        name:
            experiment
        input:
            everything_of(experiment),
        localrule: True
