"""Measure fits of 100 to 1,000,000 rows, and the loss of accuracy by sampling rows.

    python -m benchmarks.rows                    # the default, up to a million rows
    python -m benchmarks.rows --full             # beside evolution on all of 100,000 rows
    python -m benchmarks.rows --samples 1000 1500 3000

Each line is a fit in a new process, which has its own peak memory. The real table is
1203_BNG_pwLinear of PMLB.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from typing import Any

import numpy as np

from benchmarks import machine

SIZES = (100, 1000, 10_000, 100_000, 1_000_000)
SAMPLED = (
    *("197_cpu_act", "201_pol", "215_2dplanes", "218_house_8L", "225_puma8NH", "344_mv"),
    *("503_wind", "537_houses", "564_fried", "574_house_16H", "1203_BNG_pwLinear"),
)
"""Tables on which samples of different size are compared."""
SAMPLED_ROWS, SEEDS_OF_SAMPLES = 6000, (100, 101)
LARGE = 100_000
TEST_ROWS = 20_000
PROBLEMS = ("made up", "1203_BNG_pwLinear")
SEEDS = (100, 101, 102)


def table(problem: str, rows: int, seed: int) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Return training and test rows."""
    rng = np.random.default_rng(seed)
    total = rows + TEST_ROWS
    if problem == "made up":
        x = rng.uniform(size=(total, 20))
        y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
        y += 10 * x[:, 3] + 5 * x[:, 4] + rng.normal(size=total)
    else:
        from vjmgp import load_dataset

        data = load_dataset(problem)
        order = rng.permutation(len(data))[:total]
        x, y = data.inputs.to_numpy(float)[order], data.target[order]
    tested = min(TEST_ROWS, len(x) // 4)
    return x[tested:][:rows], y[tested:][:rows], x[:tested], y[:tested]


def measure(case: dict[str, Any]) -> dict[str, float]:
    """Measure one fit in this process."""
    from vjmgp import VJMRegressor

    x, y, test_x, test_y = table(case["problem"], case["rows"], case["seed"])
    VJMRegressor(population_size=10, generations=1, random_state=0).fit(x[:50], y[:50])
    model = VJMRegressor(random_state=case["seed"], **case["settings"])
    started, worked = time.perf_counter(), time.process_time()
    model.fit(x, y)
    return {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - worked,
        "memory": machine.peak_memory(),
        "r2": model.score(test_x, test_y),
        "size": model.model_.evolved_size,
    }


def measured(problem: str, rows: int, seed: int, **settings: Any) -> dict[str, float]:
    """Measure one fit in a new process."""
    case = {"problem": problem, "rows": rows, "seed": seed, "settings": settings}
    found = machine.in_new_process("rows", case)
    print(case, found, file=sys.stderr, flush=True)
    return found


def line(name: str, found: list[dict[str, float]], first: float | None) -> str:
    """Return medians of several fits as a row of a table."""
    middle = {key: statistics.median(f[key] for f in found) for key in found[0]}
    growth = f"{middle['cpu_seconds'] / first:.1f}" if first else ""
    mean = statistics.mean(f["r2"] for f in found)
    return (
        f"| {name} | {middle['cpu_seconds']:.2f} | {growth} | {middle['memory']:.0f} | "
        f"{mean:.4f} | {middle['size']:.0f} |"
    )


HEAD = ["| | CPU s | × 1,000 rows | peak MiB | mean test R² | nodes |", "| --- " * 6 + "|"]


def report(sizes: tuple[int, ...] = SIZES) -> list[str]:
    """Return time and memory by the number of rows, with 20 inputs."""
    found = {rows: [measured("made up", rows, SEEDS[0])] for rows in sizes}
    first = found[1000][0]["cpu_seconds"] if 1000 in found else None
    lines = [line(f"{rows:,} rows", fits, first) for rows, fits in found.items()]
    return ["VJMRegressor() on 20 inputs, one thread.", "", *HEAD, *lines]


def comparison() -> list[str]:
    """Compare the default with evolution on all rows."""
    lines = [f"{LARGE:,} rows, seeds {SEEDS[0]} to {SEEDS[-1]}, one thread.", "", *HEAD]
    for problem in PROBLEMS:
        for name, settings in (("default", {}), ("all rows", {"max_rows": None})):
            fits = [measured(problem, LARGE, seed, **settings) for seed in SEEDS]
            lines.append(line(f"{problem}, {name}", fits, None))
    return lines


def samples(sizes: list[int]) -> list[str]:
    """Compare numbers of rows that evolution sees, on real tables of at most 6,000 rows."""
    lines = [f"Up to {SAMPLED_ROWS:,} rows, seeds {SEEDS_OF_SAMPLES}, one thread.", "", *HEAD]
    for size in sizes:
        fits = [
            measured(problem, SAMPLED_ROWS, seed, max_rows=size)
            for problem in SAMPLED
            for seed in SEEDS_OF_SAMPLES
        ]
        lines.append(line(f"{size:,} rows", fits, None))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="compare with all rows; an hour")
    parser.add_argument("--samples", type=int, nargs="+", help="rows that evolution sees")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(json.loads(arguments.case))))
        return
    if arguments.samples:
        chosen = samples(arguments.samples)
    else:
        chosen = comparison() if arguments.full else report()
    print("\n".join([machine.description(), "", *chosen]))


if __name__ == "__main__":
    main()
