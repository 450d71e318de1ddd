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
        figures=expand(
            "<results>/figures/{experiment}/test_r2.svg", experiment=STUDY.experiments
        ),
    output:
        page="<results>/report.html",
        config="<results>/config.yaml",
    log:
        "<logs>/write_report.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        results=lambda wildcards, output: os.path.dirname(output.page),
        study=checks.for_report(STUDY),
        code=code_id("study/report.py", "study/templates/report.html.jinja"),
    script:
        "../scripts/write_report.py"


for experiment in STUDY.experiments:

    rule:
        name:
            experiment
        input:
            f"<results>/tables/{experiment}/runs.csv",
            f"<results>/tables/{experiment}/summary.csv",
            f"<results>/figures/{experiment}/test_r2.svg",
        localrule: True
