"""Find the workflow, in the repository or in the package, and read configs of studies."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..study.plan.study import Study


def workflow_folder() -> Path:
    """Return the folder with Snakefile, workflow/, config/ and profiles/."""
    here = Path(__file__)
    repository, installed = here.parents[3], here.parents[1] / "_workflow"
    for folder in (installed, repository):
        if (folder / "workflow" / "Snakefile").exists():
            return folder
    raise OSError(
        f"the workflow is neither in {installed} nor in {repository}: install vjmgp again, or "
        "clone its repository."
    )


def read_config(path: Path, **changes: str) -> "Study":
    """Return the study of a config file with some keys changed; errors name the file.

    The user's classes may be in modules beside it.
    """
    import yaml

    from ..study.config.read_study import read_study
    from ..study.config.schema import ConfigError, check_text

    if not path.is_file():
        raise ValueError(f"{path}: no such file; write one with vjmgp study init {path}.")
    root, home = workflow_folder(), str(path.absolute().parent)
    if home not in sys.path:
        sys.path.append(home)
    try:
        check_text(path)
        return read_study(
            yaml.safe_load(path.read_text(encoding="utf-8")) | changes,
            root / "workflow/schemas/config.schema.yaml",
            root / "config/methods.yaml",
            (home,),
            root,
        )
    except ConfigError as error:
        raise ValueError(f"{path}: {error}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: config: not YAML: {' '.join(str(error).split())}") from None
