"""The folder of a fit: reserved before the work, filled after it, and read again."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from ..core.files import write_whole
from ..models.symbolic import SymbolicModel
from ..tables.errors import InputError
from ..tables.reader import EXACT
from .about import clipping, names_of
from .fits import Versions

FORMAT = "vjmgp-models"
OTHER_FOLDER = "; name another folder with {folder}."


def reserve_folder(folder: Path, table: Path | None, sha256: str, target: str) -> None:
    """Make the folder; raise before the fit if it cannot be used."""
    if (folder / "model.json").exists():
        _refuse_other_model(folder, table, sha256, target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = "it is a file" if folder.is_file() else error.strerror
        text = f"{folder}: cannot write there ({reason})"
        raise InputError("folder", text, OTHER_FOLDER) from None


def model_file(given: Path) -> Path:
    """Return the file of a model, which may be given by its folder."""
    path = given / "model.json" if given.is_dir() else given
    if not path.is_file():
        raise ValueError(f"{path}: no such file; name the model.json that vjmgp fit has written.")
    return path


def read_about(folder: Path) -> dict[str, Any]:
    """Return how a fit was made; nothing if that is not recorded, or damaged."""
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def _refuse_other_model(folder: Path, table: Path | None, sha256: str, target: str) -> None:
    """Raise unless the folder's model is of the same target and table, or file."""
    owner = "a model of unknown origin"
    about = read_about(folder)
    if {"table", "target", "sha256"} <= set(about):
        before = about["table"]
        owner = f"the model of {before or 'a DataFrame'}, target {about['target']!r}"
        same_place = table is not None and Path(before or "") == table.resolve()
        if about["target"] == target and (same_place or about["sha256"] == sha256):
            return
    raise InputError("folder", f"{folder} holds {owner}", OTHER_FOLDER)


def write_models(folder: Path, versions: Versions) -> None:
    """Write all models that can be chosen."""
    rows = [
        {"model": model.to_dict(), "tested": tested and tested.to_dict()}
        for model, tested in zip(versions.models, versions.tested, strict=True)
    ]
    text = json.dumps({"format": FORMAT, "version": 1, "rows": rows}, ensure_ascii=False)
    write_whole(folder / "models.json", [text.encode(), b"\n"])


def read_versions(folder: Path) -> Versions:
    """Read the models of a fit and their table."""
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
    """Write how the fit was made, then the chosen model, its formulas and the table of models."""
    model = versions.model
    text = json.dumps(about, ensure_ascii=False, indent=1)
    write_whole(folder / "about.json", [text.encode(), b"\n"])
    write_whole(folder / "model.json", [model.to_json().encode(), b"\n"])
    write_whole(folder / "front.csv", [versions.table.to_csv(index=False).encode()])
    write_whole(folder / "formulas.txt", [formulas_of(model, about).encode()])


def formulas_of(model: Any, about: dict[str, Any]) -> str:
    """Return the model as text, as LaTeX and with all digits."""
    parts = {
        "Formula": f"{model.text()}\n\n{clipping(model)}",
        "What its names stand for": "\n".join(f"{name}: {t}" for name, t in names_of(model, about)),
        "With all digits, as sympy reads it": model.text(digits=None),
        "LaTeX": model.latex(),
        "Constructed features": "\n".join(model.feature_texts(digits=4)),
    }
    blocks = [f"{title}\n{'-' * len(title)}\n{body}\n" for title, body in parts.items() if body]
    return "\n".join(blocks)
