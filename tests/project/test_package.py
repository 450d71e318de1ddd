"""The wheel and the source distribution that are built from the repository."""

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
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NOT_NEEDED = (".*", "build", "dist", "results", "tests", "docs", "benchmarks", "__pycache__")
NOT_PACKAGED = ("config/.mine.yaml", "workflow/.cache/x.log", "src/vjmgp/__pycache__/x.pyc")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the unpacked wheel, built from a copy of the repository."""
    source, built = tmp_path_factory.mktemp("source") / "vjmgp", tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*NOT_NEEDED))
    for name in NOT_PACKAGED:
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).touch()
    command = ["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", built, source]
    subprocess.run([sys.executable, "-m", *command], check=True)
    with zipfile.ZipFile(next(built.glob("vjmgp-*.whl"))) as file:
        file.extractall(built)
    return built


def run_in_wheel(wheel, folder, code):
    """Run Python code outside the repository, with the wheel's package; return its output."""
    call, found = [sys.executable, "-c", code], os.environ | {"PYTHONPATH": str(wheel)}
    ran = subprocess.run(call, env=found, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def contents(files):
    """Return the contents of files by name, without hidden and compiled ones."""
    return {
        str(name): path.read_bytes()
        for name, path in files
        if path.is_file() and not re.search(r"/\.|__pycache__", str(name))
    }


def test_wheel_contains_package_and_workflow(wheel):
    package = [(path.relative_to(ROOT / "src"), path) for path in ROOT.glob("src/*vjmgp/**/*")]
    parts = [ROOT / part for part in ("Snakefile", "config", "envs", "profiles", "workflow")]
    workflow = [path for part in parts for path in (part, *part.rglob("*"))]
    package += [("vjmgp/_workflow" / path.relative_to(ROOT), path) for path in workflow]
    found = [(path.relative_to(wheel), path) for path in wheel.glob("*vjmgp/**/*")]
    assert contents(found) == contents(package)
    assert not [name for name in NOT_PACKAGED if list(wheel.rglob(Path(name).name))]
    assert not list(wheel.glob("*.data"))  # no files outside packages


def test_installed_package_finds_its_workflow(wheel, tmp_path):
    output = run_in_wheel(
        wheel,
        tmp_path,
        "from vjmgp.cli import main\n"
        "from vjmgp.cli.config_files import workflow_folder\n"
        "print(workflow_folder())\n"
        "assert main(['study', 'check', f'{workflow_folder()}/config/smoke.yaml']) == 0",
    )
    assert output.splitlines()[0] == str(wheel / "vjmgp" / "_workflow")


def test_docstring_examples_run_without_the_repository(wheel, tmp_path):
    """Those of published runs are skipped: only the repository has the runs."""
    output = run_in_wheel(
        wheel,
        tmp_path,
        "import doctest, importlib, vjmgp\n"
        "homes = {home for home in vjmgp._HOME.values() if not home.startswith('engine.')}\n"
        "for home in homes - {vjmgp._HOME['load_results']}:\n"
        "    module = importlib.import_module(f'vjmgp.{home}')\n"
        "    assert not doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed\n"
        "try:\n"
        "    vjmgp.load_results()\n"
        "except FileNotFoundError as error:\n"
        "    print(error)\n",
    )
    assert "Clone the repository" in output


def test_sdist_contains_every_tracked_file():
    """Compare git's list with pyproject.toml's; hatchling adds the rest without being asked."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git repository")
    listed = ["git", "ls-files"]
    tracked = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    named = PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"]
    added = (".gitignore", "LICENSE", "README.md", "pyproject.toml")
    covered = tuple(f"{name}/" for name in (*named, *added))
    assert [name for name in tracked.splitlines() if not f"{name}/".startswith(covered)] == []


def test_conda_recipe_and_images_match_the_package():
    project = PYPROJECT["project"]
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == vjmgp.__version__
    assert f">={recipe['context']['python_min']}" == project["requires-python"]
    spaced = [entry.replace(">=", " >=") for entry in project["dependencies"]]
    assert recipe["requirements"]["run"][1:] == sorted(spaced)
    backend = [entry.replace(">=", " >=") for entry in PYPROJECT["build-system"]["requires"]]
    assert recipe["requirements"]["host"][2:] == backend
    for image in ("Dockerfile", "vjmgp.def"):
        text = (ROOT / "packaging" / image).read_text(encoding="utf-8")
        extras = re.search(r'--constraint requirements.lock "\.\[(.+)\]"', text)
        assert extras
        assert set(extras[1].split(",")) <= project["optional-dependencies"].keys()
