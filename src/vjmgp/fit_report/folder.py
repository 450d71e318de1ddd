"""The folder of a fit: claimed before the work, filled after it, and read again by `choose`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.files import checksum, write_whole
from .about import clipping, names_of

if TYPE_CHECKING:
    from .fits import Versions

FORMAT = "vjmgp-models"


def claim_folder(folder: Path, table: Path, target: str) -> None:
    """Make the folder, and refuse one that cannot be used before the fit is made in vain."""
    if (folder / "model.json").exists():
        _refuse_another_model(folder, table, target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = "it is a file" if folder.is_file() else error.strerror
        raise ValueError(
            f"{folder}: cannot write there ({reason}); name another folder with --output."
        ) from None


def model_file(given: Path) -> Path:
    """The file of a model, which may be given by its folder."""
    path = given / "model.json" if given.is_dir() else given
    if not path.is_file():
        raise ValueError(f"{path}: no such file; name the model.json that vjmgp fit has written.")
    return path


def write_output(output: Path, text: str, encoding: str = "utf-8") -> None:
    """Write what a command would print, or say why not."""
    try:
        write_whole(output, [text.encode(encoding)])
    except OSError as error:
        raise ValueError(f"--output {output}: cannot write there ({error.strerror}).") from None


def read_about(folder: Path) -> dict[str, Any]:
    """What a fit has noted about itself; nothing where it has not, or the note is damaged."""
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def _refuse_another_model(folder: Path, table: Path, target: str) -> None:
    """The same table and target may be fitted again, also after the table was changed or moved."""
    whose = "a model of unknown origin"
    try:
        about = read_about(folder)
        whose = f"the model of {about['table']}, target {about['target']!r}"
        same_place = Path(about["table"]).resolve() == table.resolve()
        same_table = same_place or about["sha256"] == checksum(table)
        if same_table and about["target"] == target:
            return
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"{folder} holds {whose}; name another folder with --output.")


# -- files ---------------------------------------------------------------------------------------


def write_models(folder: Path, versions: Versions) -> None:
    """All models that can be chosen."""
    rows = [
        {"model": model.to_dict(), "tested": None if like is None else like.to_dict()}
        for model, like in zip(versions.models, versions.tested, strict=True)
    ]
    text = json.dumps({"format": FORMAT, "version": 1, "rows": rows}, ensure_ascii=False)
    write_whole(folder / "models.json", [text.encode(), b"\n"])


def read_versions(folder: Path) -> Versions:
    """The models of a fit again, with their table."""
    import pandas as pd

    from ..models.symbolic import SymbolicModel
    from ..tables.dataset import EXACT
    from .fits import Versions

    try:
        table = pd.read_csv(folder / "front.csv", **EXACT)
        content = json.loads((folder / "models.json").read_text(encoding="utf-8"))
        rows = content["rows"]
        models = [SymbolicModel.from_dict(row["model"]) for row in rows]
        tested = [row["tested"] and SymbolicModel.from_dict(row["tested"]) for row in rows]
        if len(models) != len(table):
            raise ValueError("models.json and front.csv have different numbers of rows")
        return Versions(table, models, tested)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{folder}: it holds no models to choose from ({error}): name a folder that vjmgp fit "
            "has written."
        ) from None


def write_chosen(folder: Path, versions: Versions, about: dict[str, Any]) -> None:
    """What the folder is about, which the next fit asks for, then the chosen model and its rank."""
    model = versions.models[versions.chosen]
    text = json.dumps(about, ensure_ascii=False, indent=1)
    write_whole(folder / "about.json", [text.encode(), b"\n"])
    write_whole(folder / "model.json", [model.to_json().encode(), b"\n"])
    write_whole(folder / "front.csv", [versions.table.to_csv(index=False).encode()])
    write_whole(folder / "formulas.txt", [formulas_of(model, about).encode()])


def formulas_of(model: Any, about: dict[str, Any]) -> str:
    """The model in all kinds of text."""
    parts = {
        "Formula": f"{model.text()}\n\n{clipping(model)}",
        "What its names stand for": "\n".join(f"{name}: {t}" for name, t in names_of(model, about)),
        "With all digits, as sympy reads it": model.text(digits=None),
        "LaTeX": model.latex(),
        "Constructed features": "\n".join(model.feature_texts(digits=4)),
    }
    blocks = [f"{title}\n{'-' * len(title)}\n{body}\n" for title, body in parts.items() if body]
    return "\n".join(blocks)
