"""The files of a study's results: where they are, when they were written, what tables hold."""

from pathlib import Path

import pandas as pd

from vjmgp.study.names import ALL_TIMES


def file_of(folder: Path, kind: str, block: str = "0-1", dataset: str = "192_vineyard") -> Path:
    """Return the only file of splits, noise estimates or runs (kind: a method) of a block."""
    if kind in ("splits", "noise"):
        pattern = f"results/{kind}/paper/{dataset}-*/seeds_{block}.json"
    else:
        pattern = f"results/runs/paper/{dataset}/{kind}-*/seeds_{block}.jsonl"
    (path,) = folder.glob(pattern)
    return path


def flip(path: Path, share: float = 0.9) -> None:
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[int(len(content) * share)] ^= 4
    path.write_bytes(content)


def made(folder: Path) -> dict[str, int]:
    """Return every file of the steps before the tables, and its time."""
    results = folder / "results"
    return {
        path.relative_to(results).as_posix(): path.stat().st_mtime_ns
        for part in ("datasets", "splits", "noise", "runs")
        for path in results.glob(f"{part}/**/*")
        if path.is_file() and path.suffix != ".journal"
    }


def ran(before: dict[str, int], folder: Path) -> set[str]:
    """Return the files written since, without identities: "runs/paper/D/VJM/seeds_0-1"."""
    new = {Path(name) for name, when in made(folder).items() if before.get(name) != when}
    return {f"{p.parent.as_posix()[:-9]}/{p.stem}" for p in new if p.name.startswith("seeds_")}


def timeless(path: Path, *more: str) -> str:
    """Return a table as text, without columns of times."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return table.drop(columns=[c for c in (*ALL_TIMES, *more) if c in table]).to_csv()


def all_tables(folder: Path, *more: str) -> dict[str, str]:
    """Return all tables of a study, without columns of times."""
    results = folder / "results"
    return {
        path.relative_to(results).as_posix(): timeless(path, *more)
        for path in sorted(results.glob("tables/**/*.csv"))
    }
