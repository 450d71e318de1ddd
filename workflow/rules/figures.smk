# Figures: SVG for the report, PDF for print, PNG for slides.


rule draw_figures:
    input:
        **{name: ancient(path) for name, path in TABLES.statistics.items()},
        runs=ancient(TABLES.runs),
        curves=ancient(TABLES.curves),
        made=kept(map(FILES.manifest, ("collect_runs", "compare_methods"))),
        outdated=run_unless_made("draw_figures"),
    output:
        figures=report(
            directory(TABLES.figures),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{experiment}: {figure}"},
        ),
        made=FILES.manifest("draw_figures"),
    log:
        log_of("draw_figures", "{experiment}"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        step="draw_figures",
        experiment=lambda wildcards: STUDY.experiments[wildcards.experiment],
        symbolic=STUDY.symbolic,
        curve_datasets=STUDY.config["curve_datasets"],
        significance=STUDY.significance,
    script:
        "../scripts/run_step.py"


rule illustrations:
    # Pictures of the method, which depend on the engine, not on the study's runs.
    input:
        kernels=kept(map(FILES.kernel_mark, (SHARED_KERNELS, "none-lexicase"))),
        outdated=run_unless_made("illustrations"),
    output:
        figures=report(
            directory(at(paths.ILLUSTRATIONS)),
            patterns=["{figure}.svg"],
            caption="../report/illustration.rst",
            category="Illustrations",
            labels={"figure": "{figure}"},
        ),
        made=FILES.manifest("illustrations"),
    log:
        log_of("illustrations"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        step="illustrations",
    script:
        "../scripts/run_step.py"
