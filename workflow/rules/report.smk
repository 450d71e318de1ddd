# The report, and one target per experiment.
REPORT_FILES = FILES.report()
PICTURES = ["illustrations"] if STUDY.runs_papers_methods else []


rule write_report:
    input:
        kept([REPORT_FILES.runs, REPORT_FILES.scoreboard]),
        kept([REPORT_FILES.illustrations] if PICTURES else []),
        kept([*REPORT_FILES.facts.values(), *REPORT_FILES.notes.values()]),
        kept(
            path
            for files in REPORT_FILES.experiments.values()
            for path in (files.models, files.figures, *files.statistics.values())
        ),
        made=made_by("join_runs", "score_claims", *PICTURES, *EXPERIMENT_STEPS),
        outdated=run_unless_made("write_report"),
    output:
        page=at(paths.REPORT),
        pages=directory(at(paths.PAGES)),
        config=at(paths.CONFIG),
        made=FILES.manifest("write_report"),
    log:
        log_of("write_report"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=10),
    params:
        step="write_report",
        study=STUDY.for_report(),
        files=REPORT_FILES,
    script:
        "../scripts/run_step.py"


rule report_so_far:
    # Reports on an unfinished study and runs nothing. While the study is running: --nolock
    log:
        log_of("report_so_far"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=4000, runtime=20),
    params:
        step="report_so_far",
        study=STUDY.for_report(),
        scoreboard=STUDY.for_scoreboard(),
        runs=lambda wildcards: {name: FILES.runs(name) for name in STUDY.experiments},
        reused={name: STUDY.reused(name) for name in STUDY.experiments},
        published=STUDY.published_folder,
        files=FILES.report(at(paths.SO_FAR)),
        illustrations=REPORT_FILES.illustrations,
        folder=at(paths.SO_FAR),
    script:
        "../scripts/run_step.py"


rule runs:
    # All runs without tables. In parts, if one plan is too large: --batch runs=1/8
    input:
        lambda wildcards: FILES.runs(),
    localrule: True


for experiment in STUDY.experiments:

    rule:
        name:
            experiment
        input:
            lambda wildcards, name=experiment: FILES.everything(name),
        localrule: True
