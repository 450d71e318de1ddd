"""Measure how time and memory grow with rows, inputs, rounds, population and generations.

    python -m benchmarks.scaling
    python -m benchmarks.scaling --cost  # beside the paper's O(|P| G (K + 1))

Each line is a run in a new process, which has its own peak memory. Times are CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

from benchmarks import machine

STANDARD = {"rows": 100, "inputs": 7, "rounds": 10, "population_size": 200, "generations": 100}
TABLE = {
    "rows": [100, 1000, 10_000, 100_000],
    "inputs": [2, 7, 30, 100],
    "rounds": [1, 10, 100],
    "population_size": [50, 200, 1000],
    "generations": [10, 100, 1000],
}
COST = {
    "population_size": [50, 100, 200, 400, 800],
    "generations": [25, 50, 100, 200, 400],
    "rounds": [1, 3, 10, 30, 100],
}
"""The factors of the paper's O(|P| G (K + 1))."""
QUICK_COST = {"population_size": [50, 100], "generations": [10, 20], "rounds": [1, 10]}
SYMBOLS = {"population_size": "P", "generations": "G", "rounds": "K"}
REPEATS = 3
QUICK = {"rows": [100, 1000], "inputs": [2, 30], "generations": [10, 100]}


def measure(case: dict[str, int]) -> dict[str, float]:
    """Measure one run in this process."""
    from benchmarks.problems import synthetic
    from vjmgp import compile_kernels
    from vjmgp.engine.preparation import prepare
    from vjmgp.engine.search.evolution import Evolution
    from vjmgp.engine.settings import Settings

    compile_kernels()
    # A small run loads the kernels.
    small = Evolution(prepare(*synthetic(20, 2), Settings(population_size=10), seed=0))
    small.start()
    small.step()
    settings = Settings(
        rounds=case["rounds"],
        population_size=case["population_size"],
        generations=case["generations"],
    )
    started = time.process_time()
    run = Evolution(prepare(*synthetic(case["rows"], case["inputs"]), settings, seed=0))
    prepared = time.process_time()
    run.start()
    for _ in range(settings.generations):
        run.step()
    return {
        "preparation": prepared - started,
        "evolution": time.process_time() - prepared,
        "memory": machine.peak_memory(),
    }


def report(table: dict[str, list[int]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [
        "One thread; other sizes as in the standard run (100 rows, 7 inputs, K = 10, 200 × 100). "
        "Growth: ratio of the total time to that of the first line, and ratio of the sizes.",
        "",
        "| what | size | preparation s | evolution s | total s | growth | peak MiB |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, sizes in table.items():
        first = None
        for size in sizes:
            found = machine.in_new_process("scaling", STANDARD | {name: size})
            total = found["preparation"] + found["evolution"]
            first = first or total
            lines.append(
                f"| {name} | {size:,} | {found['preparation']:.2f} | {found['evolution']:.2f} | "
                f"{total:.2f} | {total / first:.1f} × for {size / sizes[0]:g} × | "
                f"{found['memory']:.0f} |"
            )
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def cost(table: dict[str, list[int]]) -> list[str]:
    """Return Markdown of the time of evolution beside the paper's |P| G (K + 1), with fits."""
    lines = [
        "| varied | CPU seconds | µs per individual | ns per individual and set of rows |",
        "| --- | --- | --- | --- |",
    ]
    powers, found = [], []
    for name, sizes in table.items():
        times = []
        for size in sizes:
            case = STANDARD | {name: size}
            runs = [machine.in_new_process("scaling", case)["evolution"] for _ in range(REPEATS)]
            individuals, sets = case["population_size"] * case["generations"], case["rounds"] + 1
            times.append(min(runs))
            found.append((individuals, sets, times[-1]))
            each = times[-1] / individuals
            lines.append(
                f"| {SYMBOLS[name]} = {size} | {times[-1]:.2f} | {each * 1e6:.1f} | "
                f"{each / sets * 1e9:.0f} |"
            )
            print(lines[-1], file=sys.stderr, flush=True)
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        powers.append(f"{SYMBOLS[name]} to the power {slope:.2f}")
    individuals, sets, seconds = np.array(found).T
    # The least relative error of individuals × (a + b × sets).
    columns = np.column_stack([individuals, individuals * sets]) / seconds[:, np.newaxis]
    fitted = np.linalg.lstsq(columns, np.ones(len(seconds)), rcond=None)[0]
    share = columns @ fitted
    a, b = fitted * 1e6
    return [
        *lines,
        "",
        f"Time grows with {', '.join(powers)}. Fitted to all lines: "
        f"P·G·({a:.1f} + {b:.2f}·(K + 1)) µs, {share.min():.2f} to {share.max():.2f} times the "
        "measured times.",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument(
        "--cost", action="store_true", help="population, generations and K only, with fits"
    )
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(json.loads(arguments.case))))
    elif arguments.cost:
        print("\n".join(cost(QUICK_COST if arguments.quick else COST)))
    else:
        print("\n".join(report(QUICK if arguments.quick else TABLE)))
