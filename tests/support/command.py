"""Helpers of the tests of the `vjmgp` command."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from vjmgp.cli import main

VJMGP = [sys.executable, "-c", "import vjmgp.cli, sys; sys.exit(vjmgp.cli.main())"]
QUICK = ("--population", "20", "--generations", "3", "--holdout", "0.25", "--quiet")
FIT = ["fit", "data.csv", "--target", "y", *QUICK]
SITE = [*FIT, "--nominal", "site"]


def write_table(folder: Path) -> pd.DataFrame:
    """Write data.csv, a table with names and levels that are easily misread."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"gamma": rng.normal(size=60), "it's ok": rng.normal(size=60)})
    data["site"] = rng.choice(["01", "02", "A"], 60)
    data["y"] = data["gamma"] * data["it's ok"] + 3 * (data["site"] == "02")
    data.to_csv(folder / "data.csv", index=False)
    return data


def about(folder: str = "data_model") -> Any:
    """Return what a fit has recorded about itself."""
    return json.loads(Path(folder, "about.json").read_text(encoding="utf-8"))


def said_by(capsys: Any, words: list[str], code: int = 2, lines: int = 1) -> str:
    """Run a command that ends with a code; return its messages, at most `lines` lines."""
    assert main(words) == code
    said = capsys.readouterr()
    assert said.err.count("\n") <= lines
    return str(said.err)
