"""Measure speed: a full run, start-up, tree evaluation beside pyoperon, and scaling.

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

from benchmarks import machine, rows, scaling, throughput
from benchmarks.problems import no2
from benchmarks.yardstick import STORED, yardstick
from vjmgp import REGULARIZERS, compile_kernels
from vjmgp.engine.preparation import prepare
from vjmgp.engine.search.evolution import Evolution
from vjmgp.engine.settings import Settings

WANTED = {"VJM": 2.5, "FDM": 2.5, "P-VRM": 2.5, "RC": 4, "WCRV": 15} | dict.fromkeys(
    ("PP", "TK", "GC", "IODC"), 1.5
)
"""Largest accepted multiples of Standard GP's time."""
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
    """Time the standard run: 200 × 100, K = 10, 100 training rows, 7 inputs."""
    compile_kernels()
    x, y = no2()
    cases = {REGULARIZERS[name].label: Settings(regularizer=name) for name in REGULARIZERS}
    cases["VJM with intrusion detection"] = Settings(intrusion_detection=True)
    cases["VJM with early stopping"] = Settings(early_stopping=True)
    preparation: dict[str, list[float]] = {label: [] for label in cases}
    evolution: dict[str, list[float]] = {label: [] for label in cases}
    in_yardsticks: dict[str, list[float]] = {label: [] for label in STORED}
    for repeat in range(repeats + 1):
        for label, settings in cases.items():  # in turn, so that a slow moment hits all alike
            run = Evolution(prepare(x, y, settings, seed=repeat))
            started = time.process_time()
            run.start()
            for _ in range(settings.generations):
                run.step()
            worked = time.process_time() - started
            if repeat and label in STORED:
                in_yardsticks[label].append(worked / yardstick())
            if repeat:  # the first round loads the kernels
                preparation[label].append(run.prepared.seconds)
                evolution[label].append(run.evolution_seconds)
    whole = {
        label: list(map(sum, zip(preparation[label], evolution[label], strict=True)))
        for label in cases
    }
    stopping = ratio(evolution["VJM"], evolution["VJM with early stopping"])
    return [
        f"547_no2, 100 rows, 7 inputs, 200 × 100 evaluations, one thread; medians of {repeats}.",
        "",
        "| method | preparation s | evolution s | fastest | whole run, × Standard GP | at most |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {label} | {statistics.median(preparation[label]):.3f} | "
            f"{statistics.median(evolution[label]):.3f} | {min(evolution[label]):.3f} | "
            f"{ratio(whole[label], whole['Standard GP']):.2f} | {WANTED.get(label, '')} |"
            for label in cases
        ),
        "",
        f"Evolution of VJM takes {stopping:.2f} times as long as with early stopping.",
        "",
        *(
            f"Evolution of {label}: {statistics.median(in_yardsticks[label]):.2f} yardsticks; "
            f"engine 1.0 had {stored:.2f}."
            for label, stored in STORED.items()
        ),
    ]


def ratio(times: list[float], others: list[float]) -> float:
    """Return the median ratio of the times of two methods that ran in turn."""
    return statistics.median(a / b for a, b in zip(times, others, strict=True))


def start_up() -> list[str]:
    """Time the first fit with nothing compiled, then that of a new process."""
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


SECTIONS = {
    "runs": ("A full run", lambda quick: full_runs(3 if quick else 15)),
    "start": ("Start-up", lambda quick: start_up()),
    "rows": ("Rows", lambda quick: rows.report(rows.SIZES[:2] if quick else rows.SIZES)),
    "trees": ("Tree evaluation, node·rows per second", lambda quick: throughput.report()),
    "scaling": (
        "Scaling",
        lambda quick: scaling.report(scaling.QUICK if quick else scaling.TABLE),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds, small sizes")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="parts to measure")
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks/speed.md"))
    arguments = parser.parse_args()
    text = f"# Speed\n\n{machine.description()}\n"
    for name in arguments.only or SECTIONS:
        title, measure = SECTIONS[name]
        text += f"\n## {title}\n\n" + "\n".join(measure(arguments.quick)) + "\n"
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
