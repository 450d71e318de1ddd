"""Measure the overhead of the workflow: CPU time of a study, and the DAG of the paper's.

    python -m benchmarks.workflow            # the default study and the DAG of config/paper.yaml
    python -m benchmarks.workflow --dag      # the DAG alone

Kernels are compiled first, so compilation does not count.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import yaml

from benchmarks import ROOT, machine
from vjmgp import compile_kernels


def snakemake(*arguments: str) -> tuple[float, float, float, str]:
    """Return wall and CPU seconds of a call with all its jobs, its peak MiB, and its output."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "snakemake", *arguments], cwd=ROOT, stdout=output, stderr=output
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if process.returncode:
        raise SystemExit(text)
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def jobs_in(text: str) -> int:
    """Return the number of jobs that Snakemake has planned."""
    total = re.search(r"^total +(\d+)", text, re.MULTILINE)
    assert total is not None, text
    return int(total[1])


def measure_study(config: str) -> None:
    """Run a new study and compare its CPU time with that of its fits."""
    compile_kernels()
    with tempfile.TemporaryDirectory() as folder:
        arguments = ("--configfile", config, "--cores", "all", "--config", f"results={folder}/r")
        seconds, busy, _, _ = snakemake(*arguments)
        runs = pd.read_csv(f"{folder}/r/tables/runs.csv")
        jobs = sum(1 for _ in Path(folder, "r/logs").rglob("*.log"))
        again, _, _, _ = snakemake(*arguments)
    fits = runs["cpu_seconds"].sum()
    print(
        f"{config}: {len(runs)} runs in {jobs} jobs, {seconds:.0f} s; CPU {busy:.0f} s, of which "
        f"fits {fits:.0f} s = {100 * fits / busy:.0f} %; a second run, with nothing to do, "
        f"{again:.1f} s"
    )


def measure_dag() -> None:
    """Dry-run the paper's study."""
    study = yaml.safe_load((ROOT / "config/paper.yaml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paper.yaml"
        path.write_text(yaml.safe_dump(study | {"results": f"{folder}/r"}))
        seconds, _, memory, text = snakemake("-n", "--cores", "all", "--configfile", str(path))
    print(f"config/paper.yaml: {jobs_in(text)} jobs, dry run {seconds:.1f} s, {memory:.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dag", action="store_true", help="only the DAG")
    parser.add_argument("--config", default="config/config.yaml", help="the study to run")
    arguments = parser.parse_args()
    print(machine.description())
    measure_dag()
    if not arguments.dag:
        measure_study(arguments.config)


if __name__ == "__main__":
    main()
