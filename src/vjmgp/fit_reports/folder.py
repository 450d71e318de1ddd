"""The folder of a fit: checked before the work, replaced as a whole after it, and read again."""

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from ..models.symbolic import SymbolicModel
from ..tables.errors import InputError
from ..tables.reader import EXACT
from .about import clipping, names_of
from .fits import Versions

FORMAT = "vjmgp-models"
FILES = ("model.json", "models.json", "about.json", "front.csv", "formulas.txt", "report.html")
OTHER_FOLDER = "; name another folder with {folder}."


def check_folder(folder: Path, table: Path | None, sha256: str, target: str) -> None:
    """Raise before the fit if the folder cannot be used; it is not made before there is a model."""
    if (folder / "model.json").exists():
        _refuse_other_model(folder, table, sha256, target)
    elif foreign := [name for name in FILES if (folder / name).exists()]:
        text = f"{folder} has a {foreign[0]} but no model.json, so the file may not be of vjmgp fit"
        raise InputError("folder", text, OTHER_FOLDER)
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        reason = "it is a file" if existing.is_file() else error.strerror
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


def files_of(versions: Versions, about: dict[str, Any]) -> dict[str, str]:
    """Return the files about the models of a fit: all models, and the chosen one."""
    model = versions.model
    rows = [
        {"model": model.to_dict(), "tested": tested and tested.to_dict()}
        for model, tested in zip(versions.models, versions.tested, strict=True)
    ]
    models = {"format": FORMAT, "version": 1, "rows": rows}
    return {
        "models.json": json.dumps(models, ensure_ascii=False) + "\n",
        "about.json": json.dumps(about, ensure_ascii=False, indent=1) + "\n",
        "model.json": model.to_json() + "\n",
        "front.csv": versions.table.to_csv(index=False),
        "formulas.txt": formulas_of(model, about),
    }


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Replace all of a folder's files, or none of them if one cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", suffix=".part", dir=folder) as part:
            for name, text in files.items():
                # tempfile would ignore the user's umask: no one else could read the file.
                Path(part, name).write_bytes(text.encode())
            _move([(Path(part, name), folder / name) for name in files])
    except OSError as error:
        with contextlib.suppress(OSError):
            folder.rmdir()  # if it is new, and thus empty
        raise OSError(f"{folder}: cannot write there ({error.strerror}).") from None


def _move(pairs: list[tuple[Path, Path]]) -> None:
    """Move files; Ctrl-C takes effect after the last of them."""
    try:
        while pairs:
            source, place = pairs[-1]
            if source.exists():
                source.replace(place)
            pairs.pop()
    except KeyboardInterrupt:
        _move(pairs)
        raise


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
