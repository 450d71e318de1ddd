"""Kill a smoke study at random moments, resume it, and compare its tables with intact ones.

    python -m benchmarks.kills               # 30 kills
    python -m benchmarks.kills --kills 5 --seed 3

Each kill is of a new study, by SIGKILL: of Snakemake alone, or with its jobs and the worker. Then
`vjmgp study resume` completes it.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import yaml

from benchmarks import ROOT, machine
from vjmgp import compile_kernels
from vjmgp.study.names import ALL_TIMES

CONFIG = ROOT / "config/smoke.yaml"
VJMGP = [sys.executable, "-c", "import sys, vjmgp.cli; sys.exit(vjmgp.cli.main())", "study"]


def call(what: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start `vjmgp study …` in a folder."""
    study = yaml.safe_load(CONFIG.read_text()) | {"results": "results"}
    (folder / "smoke.yaml").write_text(yaml.safe_dump(study))
    return subprocess.Popen(
        [*VJMGP, what, "smoke.yaml"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=(folder / "said.txt").open("ab"),
        start_new_session=True,
    )


def tables(folder: Path) -> dict[str, str]:
    """Return all tables without wall times."""
    found = {}
    for path in sorted(folder.glob("results/tables/**/*.csv")):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        kept = table.drop(columns=[name for name in ALL_TIMES if name in table])
        found[path.relative_to(folder).as_posix()] = kept.to_csv()
    return found


def snakemake_of(process: subprocess.Popen[bytes]) -> int | None:
    """Return the process id of the Snakemake that a command has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    words = children.read_text(encoding="utf-8").split() if children.exists() else []
    return int(words[0]) if words else None


def kill(process: subprocess.Popen[bytes], whole: bool) -> None:
    """Kill Snakemake, or its whole session."""
    target = snakemake_of(process)
    if whole or target is None:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        os.kill(target, signal.SIGKILL)
    process.wait()


def runs_done(folder: Path) -> int:
    return sum(
        path.read_bytes().count(b"\n") for path in folder.glob("results/runs/**/seeds_*.jsonl")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(machine.description(), flush=True)
    compile_kernels("jensen_gap")
    compile_kernels("none")
    rng = random.Random(arguments.seed)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        for name in ("undisturbed", "undisturbed again"):
            folder = Path(place) / name
            folder.mkdir()
            started = time.perf_counter()
            if call("run", folder).wait():
                raise SystemExit((folder / "said.txt").read_text())
            whole = time.perf_counter() - started
            wanted, total = tables(folder), runs_done(folder)
            print(f"{name}: {total} runs, {len(wanted)} tables, {whole:.0f} s", flush=True)
        if tables(Path(place) / "undisturbed") != wanted:
            raise SystemExit("Two undisturbed studies differ.")
        for number in range(arguments.kills):
            folder = Path(place) / f"kill{number}"
            folder.mkdir()
            process = call("run", folder)
            moment, everything = rng.uniform(0.0, whole), rng.random() < 0.5
            try:
                process.wait(timeout=moment)
                when = "after its end"
            except subprocess.TimeoutExpired:
                kill(process, everything)
                when = f"after {moment:.1f} s, {runs_done(folder)} of {total} runs"
            if call("resume", folder).wait():
                raise SystemExit((folder / "said.txt").read_text())
            ours = tables(folder)
            other = [name for name in wanted | ours if wanted.get(name) != ours.get(name)]
            found["DIFFERENT" if other else "equal"] += 1
            what = "everything" if everything else "Snakemake"
            outcome = f"DIFFERENT: {', '.join(other)}" if other else "equal"
            print(f"{number + 1}: {what} killed {when}: {outcome}", flush=True)
    print(f"{arguments.kills} kills: {dict(found)}")
    sys.exit(1 if found["DIFFERENT"] else 0)


if __name__ == "__main__":
    main()
