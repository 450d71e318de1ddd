# Reads and checks the config, and names the files that the rules need. Nothing is written here.
import re
from pathlib import Path

from snakemake.exceptions import WorkflowError
from vjmgp.operations import hooks, snakemake_internals
from vjmgp.study import paths
from vjmgp.study.config.read_study import read_study
from vjmgp.study.config.schema import check_text
from vjmgp.study.plan.study import SHARED_KERNELS
from vjmgp.study.steps import EXPERIMENT_STEPS

# If the workflow is used from GitHub, this is not a folder, and has no published runs.
HOME = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
CONFIG_FILES = ", ".join(
    str(HOME / "config/config.yaml" if path == DEFAULT_CONFIG else path)
    for path in workflow.configfiles
)
# Users' classes may be beside the config.
PLACES = tuple(
    dict.fromkeys(str(Path(path).absolute().parent) for path in workflow.configfiles)
)
hooks.search_in(PLACES)


def load_study():
    """Return the study of this config; an error is one line."""
    try:
        for path in workflow.configfiles:
            check_text(Path(path))
        return read_study(
            config,
            workflow.source_path("../schemas/config.schema.yaml"),
            workflow.source_path("../../config/methods.yaml"),
            PLACES,
            HOME,
        )
    except (ValueError, OSError) as error:
        raise WorkflowError(f"{CONFIG_FILES or 'config'}: {error}")


STUDY = load_study()
FILES = STUDY.files


wildcard_constraints:
    dataset="|".join(map(re.escape, STUDY.datasets)),
    experiment="|".join(STUDY.experiments),
    protocol="|".join(STUDY.protocols),
    identity=paths.WILDCARDS["identity"],
    block=paths.WILDCARDS["block"],


def at(pattern):
    """Return a path in the results folder."""
    return FILES.at(pattern)


def log_of(step, *names):
    """Return the log file of a job."""
    return at(paths.log_of(step, *names))


def kept(files):
    """Mark files whose times do not matter: their paths say what they are made from."""
    return [ancient(path) for path in files]


def slugs(is_gp):
    """Return a pattern for the methods of one kind."""
    names = [method.slug for method in STUDY.methods.values() if method.is_gp == is_gp]
    return "|".join(map(re.escape, names)) or "-"


def method_of(wildcards):
    """Return the method that a path names."""
    return STUDY.methods_by_slug[wildcards.method]


def data_of(wildcards):
    """Return a prepared dataset and the facts about it."""
    return dict(zip(("data", "facts"), kept(FILES.prepared(wildcards.dataset))))


def splits_of(wildcards):
    """Return the splits of a block of seeds."""
    where = wildcards.protocol, wildcards.dataset, paths.seeds_of(wildcards.block)
    return kept(FILES.splits(*where))


def inputs_of_block(wildcards):
    """Return the files that a block of runs is made from."""
    method, seeds = method_of(wildcards), paths.seeds_of(wildcards.block)
    files = data_of(wildcards) | {"splits": splits_of(wildcards)}
    if method.is_gp:
        where = wildcards.protocol, wildcards.dataset, seeds
        files["noise"] = kept(FILES.noise(*where))
        files["kernels"] = kernels_for(paths.RUNS, method.kernels, wildcards)
    return files


def kernels_for(pattern, variant, wildcards):
    """Return the mark of compiled kernels if the file is still to be made.

    A missing mark, as after an update with the same engine, must not make finished files again.
    """
    made = FILES.at(pattern, **dict(wildcards.items()))
    return [] if Path(made).exists() else ancient(FILES.kernel_mark(variant))


def source_of(wildcards):
    """Return the file that a dataset starts from: the user's table, or PMLB's and its note."""
    own = STUDY.own_data.get(wildcards.dataset)
    if own:
        return {"table": ancient(own.file), "mark": ancient(at(paths.MARK))}
    return dict(zip(("table", "note"), kept(FILES.source(wildcards.dataset))))


def made_by(*steps):
    """Return the manifests of steps, for the study or for each experiment."""
    return kept(
        FILES.manifest(step, name)
        for step in steps
        for name in (STUDY.experiments_of(step) if step in EXPERIMENT_STEPS else [""])
    )


def run_unless_made(step):
    """Make a step run if its manifest is missing, whichever of its files is requested.

    Tables have the same name whatever the config: without this, one of other settings would do.
    """

    def no_files(wildcards):
        manifest = FILES.manifest(step, getattr(wildcards, "experiment", ""))
        if not Path(manifest).exists():
            snakemake_internals.force(workflow, manifest)
        return []

    return no_files


def grow(**amounts):
    """Return resources that double with each failed attempt."""
    return {
        name: lambda wildcards, attempt, amount=amount: amount * 2 ** (attempt - 1)
        for name, amount in amounts.items()
    }


def block_memory(wildcards, attempt):
    """Return the MB for a block of runs; measured: 330 for 500 rows, 430 for 177,000."""
    return (method_of(wildcards).mem_mb or 2000) * 2 ** (attempt - 1)


def block_minutes(wildcards, attempt):
    """Return the minutes for a block of runs."""
    runs = len(paths.seeds_of(wildcards.block))
    return method_of(wildcards).minutes(runs) * 2 ** (attempt - 1)


def table(path, words):
    """Mark a table that Snakemake's own report shows."""
    caption = f"../report/{Path(path).stem.removesuffix('_test_r2')}.rst"
    return report(path, caption=caption, category="Tables", labels={"table": words})


def is_report_so_far():
    """Return whether only the report of an unfinished study is requested."""
    return set(workflow.dag_settings.targets) == {"report_so_far"}


def start_run(logs):
    """Check what the config names and lock the results folder, unless only reporting so far."""
    global LOCK
    if is_report_so_far():
        return
    try:
        LOCK = hooks.before_run(
            STUDY,
            CONFIG_FILES,
            logs,
            is_local=workflow.local_exec,
            workers=workflow.cores if workflow.local_exec else 1,
        )
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error))
    snakemake_internals.lift_job_rate_limit(workflow)
