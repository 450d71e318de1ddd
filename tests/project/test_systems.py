"""Differences between systems and installations: signals, sockets, consoles, optional parts."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.engine_runs import printed_by

from vjmgp.fit_reports import page
from vjmgp.inspection import plots
from vjmgp.operations import stops, warm


def test_studies_need_signals(monkeypatch):
    stops.require_signals()
    monkeypatch.delattr(signal, "pthread_sigmask")
    with pytest.raises(OSError, match="studies run on Linux, macOS and WSL"):
        stops.require_signals()


def test_jobs_run_without_worker_if_local_sockets_are_missing(monkeypatch, tmp_path):
    monkeypatch.delenv(warm.ADDRESS_VARIABLE, raising=False)
    monkeypatch.delattr(socket, "AF_UNIX")
    assert warm.run("script.py", tmp_path / "log") is None


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_consoles_replace_letters_they_cannot_encode(encoding):
    said = subprocess.run(
        [sys.executable, "-c", "from vjmgp.cli import main; main(['export', '--help'])"],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    ).stdout
    assert (b"A2,B2,?" in said) == (encoding == "ascii")


def test_missing_matplotlib_is_reported_with_its_install_command(monkeypatch):
    monkeypatch.setattr("vjmgp.core.optional.find_spec", lambda module: None)
    with pytest.raises(ModuleNotFoundError, match=r"this needs matplotlib: pip install 'vjmgp\["):
        plots.axes_for(None)
    assert page._picture(pytest.fail) == ""
    assert page.without_plots(Path("my fit"), 3) == (
        "The page lacks the plots of predictions, which need matplotlib: pip install "
        "'vjmgp[plots]'. Then vjmgp choose 'my fit' 3 draws them."
    )


def test_dir_lists_public_names_without_importing_them():
    code = "import sys, vjmgp; print(set(vjmgp.__all__) <= set(dir(vjmgp)), 'numpy' in sys.modules)"
    assert printed_by(code) == "True False\n"


OPTIONAL = ("matplotlib", "seaborn", "pyarrow.parquet", "sympy", "sklearn.inspection", "snakemake")
CONFIG = (
    "import vjmgp.operations.hooks, vjmgp.study.config.read_study; "
    "from vjmgp.competitors.packages import REQUIREMENTS, missing_extra"
)
"""Imports of every job, which reads the config again."""
EXTRAS = "assert not any(missing_extra(f'{name}.X') for name in REQUIREMENTS)"


@pytest.mark.parametrize(
    ("code", "libraries"),
    [
        ("import vjmgp", ("numpy", "numba", "pandas")),
        ("import vjmgp.cli", ("numba", "pandas", "sklearn")),
        ("from vjmgp import VJMRegressor", OPTIONAL),
        (CONFIG, ("pandas", "sklearn", "numba", "scipy")),
        (f"{CONFIG}; {EXTRAS}", ("torch", "xgboost", "lightgbm", "pyoperon", "ffx")),
    ],
)
def test_imports_load_no_library_they_may_not_need(code, libraries):
    found = printed_by(f"import sys; {code}; print({{*{libraries}}} & {{*sys.modules}})")
    assert found == "set()\n"
