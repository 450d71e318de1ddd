"""Make the page of a fit: formula, shorter versions, errors, plots and cautions in one file."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..core.optional import install_command, is_installed
from ..formulas.printers.mathml import formula_mathml
from ..inspection.importance import importance
from ..models.extrapolation import extrapolation_ignored
from ..models.symbolic import SymbolicModel
from ..pages.templating import SHARED, make_templates
from . import pictures
from .about import clipping, ending, names_of, summary
from .cautions import noise_in_words
from .fits import Rows, Versions, evenly

Context = dict[str, Any]
MOST_ROWS = 2000
"""Number of rows of a large table that plots and importances use."""


def page_of(folder: Path, versions: Versions, about: Context, rows: Rows | None) -> str:
    """Return the page; without the table's rows, leave out what needs them."""
    context = _about_model(versions, about) | {"folder": shlex.quote(str(folder)), "about": about}
    context["without_plots"] = without_plots(folder, versions.chosen)
    context["rows"] = None if rows is None else _about_rows(versions, about, rows)
    context["style"] = _safe((SHARED / "style.css").read_text(encoding="utf-8"))
    templates = make_templates(Path(__file__).parent / "templates")
    return str(templates.get_template("fit.html.jinja").render(context))


def _safe(text: str) -> Any:
    """Mark text that was made here, with all names escaped, as safe."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _picture(draw: Callable[..., str], *arguments: Any) -> Any:
    """Draw a plot; return "" if matplotlib is not installed."""
    return _safe(draw(*arguments)) if is_installed("matplotlib") else ""


def without_plots(folder: Path, row: int) -> str:
    """Say how to get plots if matplotlib is not installed; otherwise return ""."""
    if is_installed("matplotlib"):
        return ""
    again = f"vjmgp choose {shlex.quote(str(folder))} {row}"
    install = install_command("matplotlib")
    return f"The page has no plots, which need matplotlib: {install}. Then {again} draws them."


def _about_model(versions: Versions, about: Context) -> Context:
    """Return what is known without the table."""
    model, target = versions.model, about["target"]
    short = versions.short.to_dict("records")
    for entry in short:
        entry["math"] = _safe(formula_mathml(versions.models[entry["row"]]))
    chosen = next(entry for entry in short if entry["chosen"])
    return {
        "title": f"{target} of {Path(about['table']).name}" if about["table"] else target,
        "target": target,
        "model": model,
        "text": model.text(),
        "names": names_of(model, about),
        "clipping": clipping(model),
        "summary": summary(about, versions),
        "ending": ending(about),
        "noise": noise_in_words(about["noise_r2"], chosen["test_r2"]),
        "chosen": chosen,
        "short": short,
        "front": versions.table.to_dict("records"),
        "sizes": _picture(pictures.sizes_picture, versions, target),
        "deviation": model.standardizer.target_scale,
    }


def _about_rows(versions: Versions, about: Context, rows: Rows) -> Context:
    """Return what needs the rows: errors, intervals, residuals, importances, responses."""
    model, tested = versions.model, versions.tested_model if rows.can_test else None
    target, level = about["target"], about["options"]["interval"]
    some = seen = rows.part(evenly(np.arange(len(rows.data)), MOST_ROWS))
    if tested is not None:
        seen = rows.part(evenly(rows.test, MOST_ROWS))
    with extrapolation_ignored():
        fitted = pictures.fitted_of(model, some, target)
        judged = pictures.fitted_of(model if tested is None else tested, seen, target)
        found = importance(fitted, some.inputs, some.data.target)
        matters = found["importance"] > 0
        columns = found.loc[matters, "column"].tolist()
        return {
            "errors": _errors(versions, about, rows),
            "judged": tested is not None,
            "prediction": _picture(pictures.prediction_picture, judged, seen, level),
            "residuals": _picture(pictures.residuals_picture, judged, seen),
            "intervals": _intervals(model, tested, rows, level),
            "importance": found[matters].to_dict("records"),
            "unused": found.loc[~matters, "column"].tolist(),
            "influence": _picture(pictures.importance_picture, fitted, some),
            "responses": _picture(pictures.response_pictures, fitted, some, columns),
        }


def _errors(versions: Versions, about: Context, rows: Rows) -> list[Context]:
    """Return errors on test, training and all rows, each with the fit it belongs to."""
    model, tested = versions.model, versions.tested_model
    parts: list[tuple[str, Any, SymbolicModel, str]] = []
    if tested is not None and len(rows.test):
        first = f"of a fit to the {len(rows.train)} training rows"
        parts = [("test rows", rows.test, tested, first)] if rows.can_test else []
        parts.append(("training rows", rows.train, tested, first))
    if about["fitted_to"] == "all" or not len(rows.test):
        parts.append(("all rows", np.arange(len(rows.data)), model, "of the formula above"))
    return [
        {"rows": name, "count": len(chosen), "fit": fit} | rows.errors(fitted, chosen)
        for name, chosen, fitted, fit in parts
    ]


def _intervals(
    model: SymbolicModel, tested: SymbolicModel | None, rows: Rows, level: float
) -> Context:
    """Return how wide intervals are, and how many of the test rows lie inside."""
    width = pictures.width_of_intervals(model, level)
    found: Context = {"level": level, "width": width, "inside": None}
    if tested is not None and np.isfinite(pictures.width_of_intervals(tested, level)):
        values, ends = tested.predict(rows.inputs.iloc[rows.test], interval=level)
        observed = rows.data.target[rows.test]
        inside = (observed >= ends[:, 0]) & (observed <= ends[:, 1])
        found |= {"inside": int(inside.sum()), "tested": len(values)}
    return found
