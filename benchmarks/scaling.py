"""Measure how time and memory grow with rows, inputs, rounds, population and generations.

Each line is a run in a new process, which has its own peak memory.
"""

from __future__ import annotations

import argparse
import json
import sys

from benchmarks import machine

STANDARD = {"rows": 100, "inputs": 7, "rounds": 10, "population_size": 200, "generations": 100}
TABLE = {
    "rows": [100, 1000, 10_000, 100_000],
    "inputs": [2, 7, 30, 100],
    "rounds": [1, 10, 100],
    "population_size": [50, 200, 1000],
    "generations": [10, 100, 1000],
}
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
    run = Evolution(prepare(*synthetic(case["rows"], case["inputs"]), settings, seed=0))
    run.start()
    for _ in range(settings.generations):
        run.step()
    return {
        "preparation": run.prepared.seconds,
        "evolution": run.evolution_seconds,
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(json.loads(arguments.case))))
    else:
        print("\n".join(report(QUICK if arguments.quick else TABLE)))
