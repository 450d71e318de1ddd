"""Results match the versions of engine, data and competitors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import golden_study
from tests.support.golden_runs import CASES, stored

from vjmgp.competitors.packages import missing_extra
from vjmgp.engine.version import ENGINE_VERSION
from vjmgp.study.plan.identities import COMPETITORS_VERSION, DATA_VERSION
from vjmgp.tables.pmlb import embedded_datasets

HOME = Path(__file__).parents[2]


@pytest.mark.parametrize("name", CASES)
def test_results_match_the_engine_version(name):
    assert stored()["version"] == ENGINE_VERSION, (
        "run `python -m tests.support.golden_runs --write`"
    )
    assert CASES[name]() == stored()["digests"].get(name), (
        f"The engine's results have changed. If that is intended, raise ENGINE_VERSION, say why in "
        "CHANGELOG.md, and run `python -m tests.support.golden_runs --write`. "
        f"Version {ENGINE_VERSION} must give unchanged results."
    )


def test_changelog_explains_the_engine_version():
    assert f"Engine {ENGINE_VERSION}:" in (HOME / "CHANGELOG.md").read_text(encoding="utf-8")


def test_generic_processor_gives_the_same_results(tmp_path):
    """Plain x86-64 or ARM, without this machine's vector instructions."""
    names = ["regularizer jensen_gap", "distilled"]
    code = (
        "import sys; from tests.support.golden_runs import CASES, stored\n"
        f"sys.exit(any(CASES[name]() != stored()['digests'][name] for name in {names}))"
    )
    plain = {"NUMBA_CPU_NAME": "generic", "VJMGP_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=HOME, env=os.environ | plain)
    assert done.returncode == 0


WHAT_TO_DO = (
    "If that is intended, raise {}, say why in CHANGELOG.md, and run "
    "`python -m tests.support.golden_study --write`."
)


@pytest.mark.parametrize("name", embedded_datasets())
def test_data_match_the_data_version(name):
    known = golden_study.stored()["data"]
    assert known["version"] == DATA_VERSION
    assert golden_study.dataset(name) == known["found"][name], WHAT_TO_DO.format("DATA_VERSION")


@pytest.mark.parametrize("name", golden_study.COMPETITORS)
def test_competitors_match_their_version(name):
    if missing_extra(golden_study.METHODS[name]["estimator"]):
        pytest.skip("its package is missing")
    known = golden_study.stored()["competitors"]
    assert known["version"] == COMPETITORS_VERSION
    assert golden_study.competitor(name) == pytest.approx(known["found"][name], rel=1e-4), (
        WHAT_TO_DO.format("COMPETITORS_VERSION")
    )
