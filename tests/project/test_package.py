"""What is built from the repository: a wheel with the workflow inside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import vjmgp

ROOT = Path(__file__).parents[2]
NOT_NEEDED = (
    ".*",
    "build",
    "dist",
    "results",
    "tests",
    "docs",
    "benchmarks",
    "__pycache__",
    "*-info",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The unpacked wheel, built from a copy."""
    source, built = tmp_path_factory.mktemp("source") / "vjmgp", tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*NOT_NEEDED))
    command = ["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", built, source]
    subprocess.run([sys.executable, "-m", *command], check=True)
    with zipfile.ZipFile(next(built.glob("vjmgp-*.whl"))) as file:
        file.extractall(built)
    return built


def test_the_wheel_has_the_workflow(wheel):
    place = wheel / "vjmgp" / "_workflow"
    for part in ("config", "envs", "profiles", "workflow"):
        files = [path for path in (ROOT / part).rglob("*") if path.is_file()]
        for path in files:
            if path.suffix != ".pyc":
                assert (place / path.relative_to(ROOT)).read_bytes() == path.read_bytes()
    assert (place / "Snakefile").exists()
    assert (wheel / "snakemake_logger_plugin_vjmgp" / "__init__.py").exists()
    assert not list(wheel.glob("*.data"))  # nothing outside of packages


def test_the_wheel_finds_its_workflow(wheel, tmp_path):
    config = wheel / "vjmgp/_workflow/config/smoke.yaml"
    call = (
        "from vjmgp.cli import main, place\n"
        "print(place.workflow_folder())\n"
        f"raise SystemExit(main(['study', 'check', {str(config)!r}]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", call],
        env=os.environ | {"PYTHONPATH": str(wheel)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0] == str(wheel / "vjmgp" / "_workflow")


def test_the_sdist_has_all_that_is_in_the_repository():
    """Each name at the top is in MANIFEST.in, or setuptools takes it unasked."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs the repository, not an sdist")
    listed = ["git", "ls-files"]
    tracked = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    named = {word for line in lines for word in line.split()[1:]}
    unasked = {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py", "src"}
    tops = {name.split("/")[0] for name in tracked.splitlines()}
    assert tops - named - unasked == {".gitignore", "results"}
    for name in tracked.splitlines():
        if name.startswith("results/"):
            assert name == "results/README.md" or name.startswith("results/paper/")


def test_the_recipe_and_the_images_are_in_step_with_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == vjmgp.__version__
    assert f">={recipe['context']['python_min']}" == project["requires-python"]
    wanted = [entry.replace(">=", " >=") for entry in project["dependencies"]]
    assert recipe["requirements"]["run"][1:] == sorted(wanted)
    for image in ("Dockerfile", "vjmgp.def"):
        text = (ROOT / "packaging" / image).read_text(encoding="utf-8")
        extras = re.search(r'--constraint requirements.lock "\.\[(.+)\]"', text)
        assert extras
        assert set(extras[1].split(",")) <= project["optional-dependencies"].keys()
