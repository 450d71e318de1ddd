"""Make the page of a fit: formula, shorter versions, errors, plots and cautions in one file."""

import base64
import json
import shlex
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..core.optional import install_command, is_installed
from ..formulas.printers.mathml import formula_mathml
from ..inspection.importance import columns_used, importance
from ..models.extrapolation import extrapolation_ignored
from ..models.symbolic import SymbolicModel
from ..pages.templating import SHARED, make_templates
from . import pictures
from .about import clipping, ending, summary
from .cautions import noise_in_words
from .fits import Rows, Versions, evenly
from .panels import panels, size_chart

Context = dict[str, Any]
TEMPLATES = Path(__file__).parent / "templates"
MOST_ROWS = 2000
"""Number of rows of a large table that plots and importances use."""
MOST_CELLS, MOST_COLUMNS, FEW_ROWS = 4_000_000, 60, 200
"""Cells of a table that is shuffled, and columns of the formula that are, at most; and rows that
always are."""
MOST_NAMES = 20
"""Columns in a list, at most."""


def page_of(folder: Path, versions: Versions, about: Context, rows: Rows | None) -> str:
    """Return the page; without the table's rows, leave out what needs them."""
    environment = make_templates(TEMPLATES)
    models = panels(versions, about, rows)
    panel = environment.get_template("panel.html.jinja").module.panel
    shown = {"about": about, "folder": shlex.quote(str(folder)), "has_rows": rows is not None}
    short = [models[row] for row in versions.short["row"]]
    fragments = {model["row"]: panel(model, **shown) for model in models}
    context = _about_model(versions, about) | shown | {
        "without_plots": without_plots(folder, versions.chosen),
        "rows": None if rows is None else _about_rows(versions, about, rows),
        "models": models,
        "chosen": models[versions.chosen],
        "short": sorted(short, key=lambda model: model["size"]),
        "sizes": size_chart(models, about["target"]),
        "panel": fragments[versions.chosen],
        "packed": _packed(fragments),
        "most_names": MOST_NAMES,
        "style": _safe(_text(SHARED / "style.css") + _text(TEMPLATES / "fit.css")),
        "scripts": [_safe(_text(SHARED / "report.js")), _safe(_text(TEMPLATES / "fit.js"))],
    }  # fmt: skip
    return str(environment.get_template("fit.html.jinja").render(context))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _packed(fragments: dict[int, str]) -> str:
    """Return the panels of all rows for the page's script: JSON, compressed, in base 64."""
    return base64.b64encode(zlib.compress(json.dumps(fragments).encode(), 9)).decode()


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
    return (
        f"The page lacks the plots of predictions, which need matplotlib: {install}. Then {again} "
        "draws them."
    )


def _about_model(versions: Versions, about: Context) -> Context:
    """Return what is known of the chosen model without the table."""
    model, target = versions.model, about["target"]
    chosen = versions.table.iloc[versions.chosen]
    return {
        "title": f"{target} of {Path(about['table']).name}" if about["table"] else target,
        "target": target,
        "model": model,
        "math": _safe(formula_mathml(model)),
        "clipping": clipping(model),
        "summary": summary(about, versions),
        "ending": ending(about),
        "noise": noise_in_words(about["noise_r2"], chosen["test_r2"]),
        "deviation": model.standardizer.target_scale,
    }


def _about_rows(versions: Versions, about: Context, rows: Rows) -> Context:
    """Return what needs the rows: errors, intervals, residuals, importances."""
    model, tested = versions.model, versions.tested_model if rows.can_test else None
    target, level = about["target"], about["options"]["interval"]
    seen = evenly(np.arange(len(rows.data)) if tested is None else rows.test, MOST_ROWS)
    with extrapolation_ignored():
        judged = pictures.fitted_of(tested or model, rows.part(seen), target)
        return {
            "errors": _errors(versions, about, rows),
            "judged": tested is not None,
            "prediction": _picture(pictures.prediction_picture, judged, rows.part(seen), level),
            "residuals": _picture(pictures.residuals_picture, judged, rows.part(seen)),
            "intervals": _intervals(model, tested, rows, level),
            **_influence(model, rows, target),
        }


def _influence(model: SymbolicModel, rows: Rows, target: str) -> Context:
    """Return the importance of columns, those without any, and what was left out to save time."""
    most = max(MOST_CELLS // len(model.standardizer.names), FEW_ROWS)
    some = rows.part(evenly(np.arange(len(rows.data)), min(most, MOST_ROWS)))
    fitted = pictures.fitted_of(model, some, target)
    used = columns_used(model)
    shuffled, left_out = used[:MOST_COLUMNS], used[MOST_COLUMNS:]
    found = importance(fitted, some.inputs, some.data.target, columns=shuffled)
    matters = found[found["importance"] > 0]
    known = {*matters["column"], *left_out}
    return {
        "importance": matters.to_dict("records"),
        "unused": [name for name in found["column"] if name not in known],
        "left_out": left_out,
        "shuffled_rows": len(some.data),
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
        parts.append(
            ("all rows", np.arange(len(rows.data)), model, "of the formula of this folder")
        )
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
