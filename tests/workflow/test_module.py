"""The workflow as a module of another one, from a clone and from GitHub."""

import os
import shutil
import subprocess
import sys

import pytest
import yaml
from tests.support.workflow_runs import ROOT, STUDY

SNAKEFILE = """
configfile: "config.yaml"


module vjmgp:
    snakefile:
        {snakefile}
    config:
        config["comparison"]


rule mine:
    output:
        "mine.txt",
    shell:
        "touch {{output}}"


use rule * from vjmgp as vjmgp_*
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """Return the folder and commit of a repository with the current workflow."""
    folder = tmp_path_factory.mktemp("github") / "someone/vjmgp"
    for part in ("workflow", "config", "envs"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", folder)
    for words in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "--message=x"],
        ["tag", "v1"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    head = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(head, cwd=folder, capture_output=True, text=True, check=True)
    return folder, commit.stdout.strip()


def run_module(folder, snakefile, *arguments, **variables):
    """Run Snakemake with the workflow as a module, and return its output."""
    (folder / "Snakefile").write_text(SNAKEFILE.format(snakefile=snakefile))
    study = STUDY | {"results": "out"}
    (folder / "config.yaml").write_text(yaml.safe_dump({"comparison": study}))
    result = subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments, "--cores", "2"],
        cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def test_module_from_a_clone_runs_and_keeps_the_default_target(tmp_path, repository):
    place, commit = repository
    snakefile = f'gitfile("{place}", path="workflow/Snakefile", commit="{commit}")'
    said = run_module(tmp_path, snakefile)
    assert (tmp_path / "mine.txt").exists()
    assert "run_gp" not in said
    call = "vjmgp_all", "--rerun-triggers", "mtime"  # else Snakemake 9.27 fails with gitfile
    run_module(tmp_path, snakefile, *call)
    assert (tmp_path / "out/report.html").exists()
    assert "Nothing to be done" in run_module(tmp_path, snakefile, *call)


def test_module_from_github_can_be_read(tmp_path, repository):
    """git takes the clone for GitHub; all else is as on the network."""
    git = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{repository[0].parent.parent}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    snakefile = 'github("someone/vjmgp", path="workflow/Snakefile", tag="v1")'
    said = run_module(tmp_path, snakefile, "vjmgp_all", "-n", **git)
    for rule in ("vjmgp_fetch_dataset", "vjmgp_run_gp", "vjmgp_write_report"):
        assert rule in said
