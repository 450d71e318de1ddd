"""Put the workflow into wheels, as `vjmgp/_workflow`; all else is in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PARTS = ("Snakefile", "config", "envs", "profiles", "workflow")
"""What Snakemake needs, which the repository has at its top."""


class BuildWithWorkflow(build_py):
    """Copy the parts as well, except into an editable installation, which finds them there."""

    def run(self) -> None:
        """Build the modules, then copy."""
        super().run()
        if self.editable_mode:
            return
        place = Path(self.build_lib) / "vjmgp" / "_workflow"
        shutil.rmtree(place, ignore_errors=True)
        for part in PARTS:
            if Path(part).is_dir():
                shutil.copytree(
                    part, place / part, ignore=shutil.ignore_patterns("__pycache__", ".*")
                )
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(part, place / part)


setup(cmdclass={"build_py": BuildWithWorkflow})
