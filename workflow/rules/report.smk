# The report, and one target per experiment.
FILES = STUDY.report_files()


rule write_report:
    input:
        runs=ancient(FILES.runs),
        scoreboard=ancient(FILES.scoreboard),
        facts=kept(FILES.facts.values()),
        notes=kept(FILES.notes.values()),
        tables=kept(
            path
            for files in FILES.experiments.values()
            for path in (files.models, *files.statistics.values())
        ),
        figures=kept(files.figures for files in FILES.experiments.values()),
        illustrations=ancient(FILES.illustrations),
        made=[
            *made_by("join_runs", "score_claims", "illustrations"),
            *kept(path for name in STUDY.experiments for path in STUDY.products(name)),
        ],
    output:
        page=at(paths.REPORT),
        pages=directory(at(paths.PAGES)),
        config=at(paths.CONFIG),
        made=at(STUDY.manifests["write_report"]),
    log:
        at("logs/write_report.log"),
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        study=STUDY.for_report(),
        files=FILES,
    script:
        "../scripts/write_report.py"


rule report_so_far:
    # Of a study in the middle of its run; asks for no run. While one is going on: --nolock
    log:
        at("logs/report_so_far.log"),
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        study=STUDY.for_report(),
        scoreboard=STUDY.for_scoreboard(),
        runs=lambda wildcards: {
            name: STUDY.run_files(name) for name in STUDY.experiments
        },
        files=STUDY.report_files(at(paths.SO_FAR)),
        illustrations=FILES.illustrations,
        folder=at(paths.SO_FAR),
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
            STUDY.everything(experiment),
        localrule: True
