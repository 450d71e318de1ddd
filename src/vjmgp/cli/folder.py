"""The folder of a fit: claimed before the work, filled after it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from ..files import checksum, write_whole


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


def _refuse_another_model(folder: Path, table: Path, target: str) -> None:
    """The same table and target may be fitted again, also after the table was changed or moved."""
    whose = "a model of unknown origin"
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        whose = f"the model of {about['table']}, target {about['target']!r}"
        same_place = Path(about["table"]).resolve() == table.resolve()
        same_table = same_place or about["sha256"] == checksum(table)
        if same_table and about["target"] == target:
            return
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"{folder} holds {whose}; name another folder with --output.")


def write_files(model: Any, folder: Path, about: dict[str, Any]) -> None:
    """Everything but the page; first what the folder is about, which the next fit asks for."""
    text = json.dumps(about, ensure_ascii=False, indent=1)
    write_whole(folder / "about.json", [text.encode(), b"\n"])
    write_whole(folder / "model.json", [model.model_.to_json().encode(), b"\n"])
    front = model.pareto_front_.to_csv(index=False)
    write_whole(folder / "front.csv", [front.encode()])
    write_whole(folder / "formulas.txt", [formulas_of(model.model_).encode()])


def formulas_of(model: Any) -> str:
    """The model in all kinds of text."""
    from ..study.described import legend_of

    parts = {
        "Formula": f"{model.text()}\n\n{clipping(model)}",
        "What its names stand for": "\n".join(f"{name}: {text}" for name, text in legend_of(model)),
        "With all digits, as sympy reads it": model.text(digits=None),
        "LaTeX": model.latex(),
        "Constructed features": "\n".join(model.feature_texts(digits=4)),
    }
    blocks = [f"{title}\n{'-' * len(title)}\n{body}\n" for title, body in parts.items() if body]
    return "\n".join(blocks)


def clipping(model: Any) -> str:
    """What predictions do beside the formula."""
    low, high = model.standardizer.target_range
    if not model.standardizer.clips:
        return "Predictions are not clipped."
    return f"Predictions are clipped to the range of the training target, {low:.6g} to {high:.6g}."


def ending(model: Any) -> str:
    """Why the fit ended before its last generation, if it did."""
    so_far = f"after {model.n_iter_} of {model.generations} generations"
    return {
        "max_time": f"Ended by --seconds {so_far}.",
        "interrupt": f"Stopped by Ctrl-C {so_far}: this is the model so far.",
    }.get(model.stopped_by_, "")
