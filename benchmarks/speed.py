"""Speed: a full run, start-up, tree evaluation beside pyoperon, and scaling. One command:

python -m benchmarks.speed            # everything; about half an hour
python -m benchmarks.speed --quick    # a minute or two
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread, before anything loads
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import machine, scaling, throughput
from benchmarks.problems import no2
from vjmgp import REGULARIZERS, compile_kernels
from vjmgp.engine.evolution import Evolution
from vjmgp.engine.settings import Settings

FIT = """
import time
started = time.perf_counter()
import numpy as np
from vjmgp import VJMRegressor
imported = time.perf_counter()
x = np.random.default_rng(0).normal(size=(30, 2))
VJMRegressor(population_size=2, generations=0).fit(x, x[:, 0])
print(imported - started, time.perf_counter() - imported)
"""


def full_runs(repeats: int) -> list[str]:
    """The standard run: 200 × 100, K = 10, 100 training rows, 7 inputs."""
    compile_kernels()
    x, y = no2()
    cases = {REGULARIZERS[name].label: Settings(regularizer=name) for name in REGULARIZERS}
    cases["VJM with intrusion detection"] = Settings(intrusion_detection=True)
    cases["VJM with early stopping"] = Settings(early_stopping=True)
    times: dict[str, list[tuple[float, float]]] = {label: [] for label in cases}
    for repeat in range(repeats + 1):
        for label, settings in cases.items():  # in turn, so that a slow moment hits all alike
            run = Evolution(x, y, settings, seed=repeat)
            run.start()
            for _ in range(settings.generations):
                run.step()
            if repeat:  # the first round loads the kernels
                times[label].append((run.preparation_seconds, run.evolution_seconds))
    lines = [
        f"547_no2, 100 rows, 7 inputs, 200 × 100 evaluations, {repeats} seeds, one thread.",
        "",
        "| method | preparation s (median) | evolution s (median) | evolution s (fastest) |",
        "| --- | --- | --- | --- |",
    ]
    for label, pairs in times.items():
        preparation, evolution = zip(*pairs, strict=True)
        lines.append(
            f"| {label} | {statistics.median(preparation):.3f} | "
            f"{statistics.median(evolution):.3f} | {min(evolution):.3f} |"
        )
    return lines


def start_up() -> list[str]:
    """First fit with nothing compiled, then a new process."""
    lines = ["| process | whole s | import s | fit s |", "| --- | --- | --- | --- |"]
    with tempfile.TemporaryDirectory() as folder:
        for label in ("first fit, nothing compiled", "new process afterwards"):
            started = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", FIT],
                env=os.environ | {"VJMGP_CACHE_DIR": folder},
                capture_output=True,
                text=True,
                check=True,
            )
            whole = time.perf_counter() - started
            imported, fit = map(float, done.stdout.split())
            lines.append(f"| {label} | {whole:.1f} | {imported:.1f} | {fit:.1f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds, small sizes")
    parser.add_argument("--output", type=Path, default=Path("results/benchmarks/speed.md"))
    arguments = parser.parse_args()
    sections = {
        "A full run": full_runs(3 if arguments.quick else 15),
        "Start-up": start_up(),
        "Tree evaluation, node·rows per second": throughput.report(),
        "Scaling": scaling.report(scaling.QUICK if arguments.quick else scaling.TABLE),
    }
    text = f"# Speed\n\n{machine.description()}\n"
    for title, lines in sections.items():
        text += f"\n## {title}\n\n" + "\n".join(lines) + "\n"
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
