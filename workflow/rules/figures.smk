# Figures of the experiments: SVG for the report, PDF for print, PNG for slides.


rule draw_figures:
    input:
        runs="<results>/tables/{experiment}/runs.csv",
        curves="<results>/tables/{experiment}/curves.csv",
        pairwise="<results>/tables/{experiment}/pairwise.csv",
    output:
        report(
            directory("<results>/figures/{experiment}"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{experiment}: {figure}"},
        ),
    log:
        "<logs>/draw_figures/{experiment}.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        study=lambda wildcards: checks.for_figures(STUDY, wildcards.experiment),
        code=code_id(
            "paper",
            "study/collect.py",
            "study/statistics",
            "study/scoreboard",
            "study/figures",
        ),
    script:
        "../scripts/draw_figures.py"


rule illustrations:
    # They show the method and depend on the engine, not on the study's runs.
    input:
        kernels=expand(
            f"<results>/kernels/{source_hash()}/{{variant}}.txt",
            variant=[SHARED_KERNELS, "none-lexicase"],
        ),
    output:
        report(
            directory("<results>/figures/illustrations"),
            patterns=["{figure}.svg"],
            caption="../report/illustration.rst",
            category="Illustrations",
            labels={"figure": "{figure}"},
        ),
    log:
        "<logs>/illustrations.log",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        engine=ENGINE_VERSION,
        code=code_id(
            "formula.py",
            "model.py",
            "regressor.py",
            "study/gp.py",
            "study/latex.py",
            "study/figures/style.py",
            "study/illustrations",
        ),
    script:
        "../scripts/illustrations.py"
