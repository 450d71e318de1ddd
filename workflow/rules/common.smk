# Reads and checks the config, and names the files that the stages ask of each other. It changes nothing.
import re
from pathlib import Path

from snakemake.exceptions import WorkflowError
from vjmgp.operations import hooks
from vjmgp.study import paths
from vjmgp.study.plan.study import OF_EXPERIMENT, SHARED_KERNELS
from vjmgp.study.config.reader import read_study
from vjmgp.study.config.schema import check_text

CONFIG_FILES = ", ".join(map(str, workflow.configfiles))
# Classes of the user's own may lie beside the config.
PLACES = tuple(
    dict.fromkeys(str(Path(path).absolute().parent) for path in workflow.configfiles)
)
hooks.search_in(PLACES)


def load_study():
    """The study of this config; an error says in one line what is wrong with it."""
    try:
        for path in workflow.configfiles:
            check_text(Path(path))
        return read_study(
            config,
            workflow.source_path("../schemas/config.schema.yaml"),
            workflow.source_path("../../config/methods.yaml"),
            PLACES,
            # Of a workflow that is used from GitHub, this is no folder, and none is published.
            Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1],
        )
    except (ValueError, OSError) as error:
        raise WorkflowError(f"{CONFIG_FILES or 'config'}: {error}")


STUDY = load_study()


wildcard_constraints:
    dataset="|".join(map(re.escape, STUDY.datasets)),
    experiment="|".join(STUDY.experiments),
    protocol="|".join(STUDY.protocols),
    identity="[0-9a-f]{8}",
    block="[0-9]+-[0-9]+",


def at(pattern):
    """A path in the results folder."""
    return STUDY.at(pattern)


def kept(files):
    """Files whose times play no part: what they are made from is in their paths."""
    return [ancient(path) for path in files]


def slugs(is_gp):
    """The methods of one kind, as a pattern."""
    names = [method.slug for method in STUDY.methods.values() if method.is_gp == is_gp]
    return "|".join(map(re.escape, names)) or "-"


def method_of(wildcards):
    """The method that a path names."""
    return STUDY.methods_by_slug[wildcards.method]


def data_of(wildcards):
    """A prepared dataset and the facts about it."""
    return dict(zip(("data", "facts"), kept(STUDY.prepared(wildcards.dataset))))


def splits_of(wildcards):
    """The splits of a block of seeds."""
    where = wildcards.protocol, wildcards.dataset, paths.seeds_of(wildcards.block)
    return kept(STUDY.splits(*where))


def inputs_of_block(wildcards):
    """What a block of runs is made from."""
    method, seeds = method_of(wildcards), paths.seeds_of(wildcards.block)
    files = data_of(wildcards) | {"splits": splits_of(wildcards)}
    if method.is_gp:
        files["noise"] = kept(STUDY.noise(wildcards.protocol, wildcards.dataset, seeds))
        files["kernels"] = kernels_for(paths.RUNS, method.kernels, wildcards)
    return files


def kernels_for(pattern, variant, wildcards):
    """The mark of compiled kernels, for what is still to be made.

    What is there needs none: a mark that is missing, as of a new release with the same engine, would
    make it anew.
    """
    made = STUDY.at(pattern, **dict(wildcards.items()))
    return [] if Path(made).exists() else ancient(STUDY.kernel_mark(variant))


def source_of(wildcards):
    """What a dataset starts from: the user's own table, or the one from PMLB and the note on it."""
    own = STUDY.own_data.get(wildcards.dataset)
    if own:
        return {"table": ancient(own.file), "mark": ancient(at(paths.MARK))}
    return dict(zip(("table", "note"), kept(STUDY.source(wildcards.dataset))))


def made_by(*steps):
    """The manifests of steps: what these have written, for the study or for each experiment."""
    return kept(
        STUDY.manifest(step, name)
        for step in steps
        for name in (STUDY.experiments_of(step) if step in OF_EXPERIMENT else [""])
    )


def run_unless_made(step):
    """No files, but a step runs whose manifest is missing, whichever of its files is asked for.

    Tables have the same name whatever the config: without it, one of other settings would do.
    """

    def no_files(wildcards):
        manifest = STUDY.manifest(step, getattr(wildcards, "experiment", ""))
        if not Path(manifest).exists():
            workflow.dag.forcefiles.add(manifest)
        return []

    return no_files


def grow(**amounts):
    """Amounts of memory and time that double with each failed attempt."""
    return {
        name: lambda wildcards, attempt, amount=amount: amount * 2 ** (attempt - 1)
        for name, amount in amounts.items()
    }


def block_memory(wildcards, attempt):
    """MB that a block of runs asks a cluster for: 330 measured for 500 rows, 430 for 177,000."""
    return (method_of(wildcards).mem_mb or 2000) * 2 ** (attempt - 1)


def block_minutes(wildcards, attempt):
    """Minutes that a block of runs asks a cluster for."""
    runs = len(paths.seeds_of(wildcards.block))
    return method_of(wildcards).minutes(runs) * 2 ** (attempt - 1)


def table(path, words):
    """A table that Snakemake's own report shows."""
    caption = f"../report/{Path(path).stem.removesuffix('_test_r2')}.rst"
    return report(path, caption=caption, category="Tables", labels={"table": words})


def is_report_so_far():
    """Whether nothing is asked for but a report of what is there."""
    return set(workflow.dag_settings.targets) == {"report_so_far"}


def start_run(logs):
    """Check what the config names, and hold the results folder; a report so far needs neither."""
    global LOCK
    if is_report_so_far():
        return
    try:
        LOCK = hooks.before_run(STUDY, CONFIG_FILES, logs, is_local=workflow.local_exec)
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error))
    # Snakemake's limit of 100 starts a second has it choose jobs again a second after each choice:
    # after some hundred jobs it does little else. No option turns it off.
    workflow.scheduler.job_rate_limiter = None
