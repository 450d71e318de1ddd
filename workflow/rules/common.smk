# Loads and checks the config, and names the files that the stages ask of each other.
import re
import sys
from pathlib import Path

import snakemake_logger_plugin_vjmgp as progress
from snakemake.exceptions import WorkflowError
from vjmgp.engine.identity import ENGINE_VERSION, source_hash
from vjmgp.study import checks, faults, leftovers, running, warm
from vjmgp.study.config import SHARED_KERNELS, code_id, read_study, seeds_of
from vjmgp.study.outdated import code_of
from vjmgp.study.schema import ConfigError, refuse_repeated_keys

ROOT = Path(str(workflow.current_basedir)).parent.parent
CONFIG_FILES = ", ".join(map(str, workflow.configfiles))


def only_looks():
    """Whether Snakemake was asked for a plan, a check or a report so far, and not to run."""
    looking = {"--dry-run", "--dryrun", "--lint", "--unlock", "report_so_far"}
    # -n alone, or among other short options without a value, as in -np
    return any(
        word in looking or re.fullmatch("-[FRkpq]*n[FRkpq]*", word) for word in sys.argv
    )


def load_study():
    """The study of this config; one line tells what is wrong with it."""
    try:
        for path in workflow.configfiles if workflow.is_main_process else ():
            refuse_repeated_keys(Path(path))
        study = read_study(
            config,
            ROOT / "workflow/schemas/config.schema.yaml",
            ROOT / "config/methods.yaml",
        )
        if workflow.is_main_process:
            checks.check_before_a_run(study)
            faults.put_in_order(study, only_look=only_looks())
    except (ConfigError, OSError) as error:
        raise WorkflowError(f"{CONFIG_FILES or 'config'}: {error}")
    return study


STUDY = load_study()
RESULTS = STUDY.config["results"]
METRICS = ["test_r2", "train_r2"]
TABLES = [
    *("runs.csv", "curves.csv", "models.json"),
    *("summary.csv", "medians.csv", "means.csv", "pairwise.csv", "latex"),
    *(
        f"{table}_{metric}.csv"
        for table in ("win_tie_loss", "tests")
        for metric in METRICS
    ),
]
GP_METHODS = [method.slug for method in STUDY.methods.values() if method.is_gp]
BASELINES = [method.slug for method in STUDY.methods.values() if not method.is_gp]
if workflow.is_main_process:
    progress.ANSWERS[:] = [checks.last_words(STUDY)]
    progress.UNDER_WAY[:] = filter(None, [running.is_running(Path(RESULTS))])


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",


wildcard_constraints:
    dataset="|".join(map(re.escape, STUDY.datasets)),
    experiment="|".join(STUDY.experiments),
    protocol="|".join(STUDY.protocols),
    block="[0-9]+-[0-9]+",


def method_of(wildcards):
    """The method that a path names."""
    return STUDY.methods_by_slug[wildcards.method]


def files_of_block(step, wildcards):
    """The files of a step, splits or noise, that hold the seeds of a method's block."""
    seeds = seeds_of(wildcards.block)
    return [
        f"{RESULTS}/{step}/{wildcards.protocol}/{wildcards.dataset}/seeds_{block}.json"
        for block in STUDY.split_blocks()
        if seeds_of(block)[0] <= seeds[-1] and seeds_of(block)[-1] >= seeds[0]
    ]


def kernels_of(wildcards):
    """The mark that a method's kernels are compiled."""
    return f"{RESULTS}/kernels/{source_hash()}/{method_of(wildcards).kernels}.txt"


def source_of(wildcards):
    """What is known of the file from PMLB."""
    name = wildcards.dataset
    return [] if name in STUDY.own_data else f"{RESULTS}/datasets/{name}/source.json"


def table_of(wildcards):
    """The file that a dataset starts from: the user's own, or the one from PMLB."""
    own = STUDY.own_data.get(wildcards.dataset)
    return own.file if own else f"{RESULTS}/datasets/{wildcards.dataset}/source.tsv.gz"


def runs_of_experiment(wildcards):
    """The files with the runs of an experiment."""
    return STUDY.run_files(wildcards.experiment)


def everything_of(*experiments):
    """All files of experiments: what runs are made from, the runs, tables and figures.

    Targets ask for all of them, or one that was set aside or lost would not be missed.
    """
    files = []
    for name in experiments:
        files += STUDY.sources(name) + STUDY.run_files(name)
        files += [f"{RESULTS}/tables/{name}/{table}" for table in TABLES]
        files.append(f"{RESULTS}/figures/{name}")
    return list(dict.fromkeys(files))


def growing(amount):
    """An amount of memory or time that is twice as much after each failed attempt."""
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)


def block_memory(wildcards, attempt):
    """MB that a block of runs asks a cluster for: 330 measured for 500 rows, 430 for 177,000."""
    return growing(method_of(wildcards).mem_mb or 2000)(wildcards, attempt)


def block_minutes(wildcards, attempt):
    """Minutes that a block of runs asks a cluster for."""
    minutes = checks.minutes(method_of(wildcards), len(seeds_of(wildcards.block)))
    return growing(minutes)(wildcards, attempt)


def is_report_so_far():
    """Whether nothing is asked for but a report of what is there."""
    return set(workflow.dag_settings.targets) == {"report_so_far"}


def before_the_run():
    """Nothing starts while datasets are missing that cannot be had; then a worker for local jobs."""
    global LOCK
    if is_report_so_far():
        return
    try:
        checks.check_datasets_can_be_had(STUDY)
        faults.tell_of_another_study(STUDY, CONFIG_FILES)
        # What SLURM's executor calls all jobs of this run; others have no such name.
        run_id = getattr(workflow.scheduler._executor, "run_uuid", None)
        LOCK = running.claim(Path(RESULTS), CONFIG_FILES, run_id)
        leftovers.cancel(Path(RESULTS), run_id, is_alone=LOCK is not None)
    except OSError as error:
        raise WorkflowError(str(error))
    if STUDY.config["warm_workers"] and workflow.local_exec:
        warm.start()
    # Snakemake's limit of 100 starts a second has it choose jobs again a second after each choice:
    # after some hundred jobs it does little else. So many are never started here.
    workflow.scheduler.job_rate_limiter = None


def after_the_run():
    """What a person wants to know at the end."""
    print(checks.last_words(STUDY, so_far=is_report_so_far()))


def after_a_failure():
    """What is lost and what is not."""
    print(checks.last_words_after_failure(STUDY))
