# Figures, as SVG for the report and PDF for print.


rule draw_figures:
    input:
        runs="<results>/tables/{experiment}/runs.csv",
        curves="<results>/tables/{experiment}/curves.csv",
    output:
        test=report(
            "<results>/figures/{experiment}/test_r2.svg",
            caption="../report/test_r2.rst",
            category="Figures",
            labels={"figure": "{experiment}: test R²"},
        ),
        cost=report(
            "<results>/figures/{experiment}/size_and_time.svg",
            caption="../report/size_and_time.rst",
            category="Figures",
            labels={"figure": "{experiment}: size and time"},
        ),
        curves=report(
            "<results>/figures/{experiment}/curves.svg",
            caption="../report/curves.rst",
            category="Figures",
            labels={"figure": "{experiment}: evolution"},
        ),
    log:
        "<logs>/draw_figures/{experiment}.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        methods=lambda wildcards: STUDY.experiments[wildcards.experiment].methods,
        all_methods=list(STUDY.methods),
        datasets=lambda wildcards: STUDY.experiments[wildcards.experiment].datasets,
        curve_datasets=STUDY.config["curve_datasets"],
        code=code_id("study/collect.py", "study/figures.py"),
    script:
        "../scripts/draw_figures.py"
