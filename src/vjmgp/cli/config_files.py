"""Find the workflow, in the repository or in the package, and read configs of studies."""

import sys
from collections.abc import Callable, Sequence
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


def read_config(
    path: Path, checks: Sequence[Callable[["Study"], None]] = (), **changes: str
) -> "Study":
    """Return the study of a config file with some keys changed; one error has all problems.

    `checks` are further checks of the study, which find problems even if there are others. The
    user's classes may be in modules beside the file.
    """
    import yaml

    from ..study.config.read_study import read_valid_part
    from ..study.config.schema import ConfigError, Problems, check_text

    if not path.is_file():
        raise ValueError(f"{path}: no such file; write one with vjmgp study init {path}.")
    root, home = workflow_folder(), str(path.absolute().parent)
    if home not in sys.path:
        sys.path.append(home)
    try:
        check_text(path)
        found = Problems()
        study = read_valid_part(
            yaml.safe_load(path.read_text(encoding="utf-8")) | changes,
            root / "workflow/schemas/config.schema.yaml",
            root / "config/methods.yaml",
            (home,),
            root,
            found,
        )
        for check in checks:
            with found.collected():
                if study:
                    check(study)
        found.raise_any()
    except ConfigError as error:
        raise ValueError(f"{path}: {error}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: config: not YAML: {' '.join(str(error).split())}") from None
    assert study is not None
    return study
