# The report, and one target per experiment.
FILES = STUDY.report_files()
PICTURES = ["illustrations"] if STUDY.runs_papers_methods else []


rule write_report:
    input:
        kept([FILES.runs, FILES.scoreboard]),
        kept([FILES.illustrations] if PICTURES else []),
        kept([*FILES.facts.values(), *FILES.notes.values()]),
        kept(
            path
            for files in FILES.experiments.values()
            for path in (files.models, files.figures, *files.statistics.values())
        ),
        made=made_by("join_runs", "score_claims", *PICTURES, *OF_EXPERIMENT),
        outdated=run_unless_made("write_report"),
    output:
        page=at(paths.REPORT),
        pages=directory(at(paths.PAGES)),
        config=at(paths.CONFIG),
        made=STUDY.manifest("write_report"),
    log:
        at("logs/write_report.log"),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=10),
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
    resources:
        **grow(mem_mb=4000, runtime=20),
    params:
        study=STUDY.for_report(),
        scoreboard=STUDY.for_scoreboard(),
        runs=lambda wildcards: {
            name: STUDY.run_files(name) for name in STUDY.experiments
        },
        taken={name: STUDY.taken(name) for name in STUDY.experiments},
        published=STUDY.published_folder,
        files=STUDY.report_files(at(paths.SO_FAR)),
        illustrations=FILES.illustrations,
        folder=at(paths.SO_FAR),
    script:
        "../scripts/report_so_far.py"


rule runs:
    # All runs and nothing made of them. In parts, where one plan is too large: --batch runs=1/8
    input:
        lambda wildcards: STUDY.run_files(),
    localrule: True


for experiment in STUDY.experiments:

    rule:
        name:
            experiment
        input:
            lambda wildcards, name=experiment: STUDY.everything(name),
        localrule: True
