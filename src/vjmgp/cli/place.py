"""Where the workflow is: in the repository, or where pip has put it."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any


def workflow_folder() -> Path:
    """The folder with Snakefile, workflow/, config/ and profiles/."""
    repository = Path(__file__).parents[3]
    installed = Path(sysconfig.get_path("data")) / "share" / "vjmgp"
    for folder in (repository, installed):
        if (folder / "workflow" / "Snakefile").exists():
            return folder
    raise OSError(
        f"the workflow is neither in {repository} nor in {installed}: install vjmgp again, or "
        "clone its repository."
    )


def read_config(path: Path) -> Any:
    """The study of a config file; an error names the file."""
    import yaml

    from ..study.config import read_study
    from ..study.schema import ConfigError, refuse_repeated_keys

    root = workflow_folder()
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is no YAML: {error}") from None
    try:
        refuse_repeated_keys(path)
        return read_study(
            config, root / "workflow/schemas/config.schema.yaml", root / "config/methods.yaml"
        )
    except ConfigError as error:
        raise ValueError(f"{path}: {error}") from None
