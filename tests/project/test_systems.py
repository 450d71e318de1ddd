"""What differs between systems and installations: signals, sockets, consoles, missing parts."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from vjmgp.fit_reports import page
from vjmgp.inspection import plots
from vjmgp.operations import stops, warm


def test_studies_are_refused_where_their_jobs_could_not_be_ended(monkeypatch):
    stops.require_signals()
    monkeypatch.delattr(signal, "pthread_sigmask")
    with pytest.raises(OSError, match="studies run on Linux and macOS"):
        stops.require_signals()


def test_jobs_run_by_themselves_where_there_are_no_local_sockets(monkeypatch, tmp_path):
    monkeypatch.delenv(warm.ADDRESS_VARIABLE, raising=False)
    monkeypatch.delattr(socket, "AF_UNIX")
    assert warm.run("script.py", tmp_path / "log") is None


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_consoles_without_a_letter_show_a_question_mark(encoding):
    said = subprocess.run(
        [sys.executable, "-c", "from vjmgp.cli import main; main(['export', '--help'])"],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    ).stdout
    assert (b"A2,B2,?" in said) == (encoding == "ascii")


def test_a_plain_installation_says_how_to_have_plots(monkeypatch):
    monkeypatch.setattr("vjmgp.core.optional.find_spec", lambda module: None)
    with pytest.raises(ModuleNotFoundError, match=r"this needs matplotlib: pip install 'vjmgp\["):
        plots._axes(None)
    assert page._picture(pytest.fail) == ""
    assert page.without_plots(Path("my fit"), 3) == (
        "The page has no plots, which need matplotlib: pip install 'vjmgp[plots]'. Then vjmgp "
        "choose 'my fit' 3 draws them."
    )


@pytest.mark.parametrize(
    ("name", "most"), [("vjmgp", ("numpy",)), ("vjmgp.cli", ("numba", "pandas", "sklearn"))]
)
def test_a_light_import_stays_light(name, most):
    """`import vjmgp` and the command line's help load none of the large libraries."""
    call = f"import sys, {name}; print(*[m for m in {most!r} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True)
    assert ran.stdout == "\n"


def test_the_regressor_loads_no_part_that_it_may_not_need():
    parts = ("matplotlib", "seaborn", "pyarrow.parquet", "sympy", "sklearn.inspection", "snakemake")
    call = "import sys; from vjmgp import VJMRegressor; print(*[m for m in {} if m in sys.modules])"
    ran = subprocess.run(
        [sys.executable, "-c", call.format(parts)], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "\n"
