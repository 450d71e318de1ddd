"""Measure the cost of Snakemake: the paper's whole study, with fits replaced by a short sleep.

    python -m benchmarks.scale                  # 58 datasets, 30 seeds: about 50,000 runs
    python -m benchmarks.scale --datasets 6     # a tenth of it
    python -m benchmarks.scale --dags           # planning alone, also of larger studies

Snakemake, its jobs and all files are real. The tables are made up, and each run writes the same
real record.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from benchmarks import ROOT, machine
from benchmarks.workflow import jobs_in, snakemake
from vjmgp.tables.dataset import known_nominal_columns

STUB = '''
"""Replace the steps that compute, in every process of the workflow."""
import json, os, time
import vjmgp.study.steps as steps

plain = steps.load


def load(function):
    import vjmgp.study.runs.noise_estimates as noise
    import vjmgp.study.runs.block as runs
    import vjmgp.engine.compilation.warmup as warmup
    from vjmgp.core.files import read_sealed, write_sealed

    template = json.loads(open(os.environ["SCALE_TEMPLATE"]).read())

    def run(learner, problem):
        time.sleep(float(os.environ["SCALE_SLEEP"]))
        score = 0.9 - 1e-4 * (hash((problem.dataset, problem.seed)) % 1000)
        return template | {"test_r2": score, "train_r2": score + 0.05}

    def estimate(data, facts, splits, noise):
        split = read_sealed(splits)
        about = {"mean": 0.5, "pooled": 0.5, "tau": 1.0}
        found = [{"seed": run["seed"]} | about for run in split["runs"]]
        write_sealed(noise, {"dataset": split["dataset"], "runs": found})

    def compile(variant, note):
        open(note, "w").write("stub")

    runs.learner_of = lambda *_: None
    runs.run = run
    noise.estimate_noise = estimate
    warmup.compile_for_this_machine = compile
    return plain(function)


steps.load = load
'''


def paper_study(folder: Path, datasets: int, copies: int = 1) -> dict[str, Any]:
    """Return the paper's config with its methods multiplied."""
    study = yaml.safe_load((ROOT / "config/paper.yaml").read_text())
    catalogue = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
    own = {
        name: {"gp": {"generations": 101 + number}}
        for number, (name, method) in enumerate(catalogue.items())
        if "planned" in method
    }
    for experiment in study["experiments"].values():
        for copy in range(1, copies):
            if "seconds" in experiment:
                continue
            for name in list(experiment["methods"]):
                if name.endswith(" again"):
                    continue
                own[f"{name} {copy} again"] = {"gp": {"generations": 200 + copy}}
                experiment["methods"].append(f"{name} {copy} again")
    chosen = study["datasets"][:datasets]
    for experiment in study["experiments"].values():
        if "datasets" in experiment:
            experiment["datasets"] = [d for d in experiment["datasets"] if d in chosen]
    return study | {
        "methods": own,
        "datasets": chosen,
        "results": str(folder / "results"),
        "pmlb_cache": str(folder / "pmlb"),
    }


def write_tables(folder: Path, names: list[str]) -> None:
    """Write made-up datasets in place of PMLB's."""
    rng = np.random.default_rng(0)
    for name in names:
        columns = [*known_nominal_columns().get(name, ()), *"abcdef"]
        table = pd.DataFrame(rng.normal(size=(250, len(columns))).round(1), columns=columns)
        table["target"] = table["a"] + table["b"] ** 2
        place = folder / "pmlb" / name / f"{name}.tsv.gz"
        place.parent.mkdir(parents=True)
        table.to_csv(place, sep="\t", index=False)


def record_of_a_run() -> dict[str, Any]:
    """Return a real record, so that files have their real size."""
    from vjmgp.study.runs.block import run
    from vjmgp.study.runs.gp import GeneticProgramming
    from vjmgp.study.runs.problems import Problem

    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
    target = np.sin(table["a"].to_numpy()) + rng.normal(size=200)
    train, test = np.arange(100), np.arange(100, 200)
    problem = Problem("made up", 0, table, target, [], train, test, target[:100], "", "")
    noise = {0: {"mean": 0.5, "pooled": 0.5}}
    return run(GeneticProgramming({"generations": 50}, noise), problem)


def call(folder: Path, study: dict[str, Any], *arguments: str) -> tuple[float, float, float, str]:
    path = folder / "paper.yaml"
    path.write_text(yaml.safe_dump(study))
    return snakemake("--cores", "all", "--configfile", str(path), *arguments)


def measure_dags(folder: Path, datasets: int) -> None:
    """Plan the paper's study and larger ones."""
    for copies in (1, 2, 4, 8):
        study = paper_study(folder, datasets, copies)
        study["results"] = str(folder / "planned")
        seconds, _, memory, text = call(folder, study, "-n")
        print(f"planning {jobs_in(text)} jobs: {seconds:.0f} s, {memory:.0f} MiB", flush=True)
    seconds, _, memory, text = call(folder, study, "-n", "runs", "--batch", "runs=1/8")
    print(f"of these one of eight batches, {jobs_in(text)} jobs: {seconds:.0f} s, {memory:.0f} MiB")
    seconds, _, memory, text = call(folder, study, "-n", "alpha")
    print(f"of these one experiment, {jobs_in(text)} jobs: {seconds:.0f} s, {memory:.0f} MiB")


def measure_study(folder: Path, datasets: int, sleep: float) -> None:
    """Run the study, and run it again with nothing to do."""
    study = paper_study(folder, datasets)
    write_tables(folder, study["datasets"])
    (folder / "sitecustomize.py").write_text(STUB)
    (folder / "template.json").write_text(json.dumps(record_of_a_run()))
    os.environ |= {
        "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]),
        "PYTHONHASHSEED": "0",
        "SCALE_SLEEP": str(sleep),
        "SCALE_TEMPLATE": str(folder / "template.json"),
    }
    seconds, _, memory, text = call(folder, study, "-n")
    print(f"planning {jobs_in(text)} jobs: {seconds:.0f} s, {memory:.0f} MiB", flush=True)
    jobs, cores = jobs_in(text), len(os.sched_getaffinity(0))
    seconds, busy, memory, _ = call(folder, study)
    runs = len(pd.read_csv(folder / "results/tables/runs.csv", usecols=["seed"]))
    size = sum(path.stat().st_size for path in folder.glob("results/runs/**/*.jsonl")) / 2**20
    idle = cores * seconds - runs * sleep
    print(
        f"{runs} runs in {jobs} jobs on {cores} cores: {seconds:.0f} s, of which asleep "
        f"{runs * sleep / cores:.0f} s; {1000 * idle / runs:.1f} ms of a core and "
        f"{1000 * busy / runs:.1f} ms of CPU time per run, {busy / jobs:.2f} s of CPU time per "
        f"job; Snakemake {memory:.0f} MiB; records {size:.0f} MiB",
        flush=True,
    )
    seconds, _, memory, _ = call(folder, study)
    print(f"a second call, with nothing to do: {seconds:.1f} s, {memory:.0f} MiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dags", action="store_true", help="only plan")
    parser.add_argument("--datasets", type=int, default=58, help="number of the paper's datasets")
    parser.add_argument("--sleep", type=float, default=0.005, help="seconds in place of a fit")
    arguments = parser.parse_args()
    print(machine.description(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if arguments.dags:
            measure_dags(Path(folder), arguments.datasets)
        else:
            measure_study(Path(folder), arguments.datasets, arguments.sleep)


if __name__ == "__main__":
    main()
