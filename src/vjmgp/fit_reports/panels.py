"""Describe each model of a fit for its page: formula, errors, response curves, texts to copy."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..export import export_model
from ..formulas.printers.mathml import formula_mathml
from ..inspection.importance import columns_used
from ..inspection.response import values_along
from ..models.symbolic import SymbolicModel
from .about import names_of
from .charts import Axis
from .fits import Rows, Versions, evenly

Context = dict[str, Any]
MOST_CURVES, POINTS, MOST_ROWS = 6, 41, 100
"""Response curves of a model, points of a curve, and rows that it is averaged over, at most."""
MOST_COLUMNS = 20
"""Columns of a model that are compared for its most important response curves, at most."""
CELLS = 4_000_000
"""Cells of a table that is predicted for one curve, at most: wide ones use fewer rows."""
WORK = 200_000_000
"""Cells and nodes that are computed for curves of models that are not chosen, at most."""
LABELS = 18
"""Characters of all labels of levels below a curve, at most."""
SMALL = {"left": 54, "right": 216, "top": 8, "bottom": 116}
LARGE = {"left": 52, "right": 472, "top": 10, "bottom": 290}
"""Edges of response curves, and of errors against sizes, in their pictures."""
LONGEST = 100
"""Characters of a formula in a tooltip, at most."""


@dataclass(frozen=True)
class Curve:
    """The mean prediction if a column has the same value in all rows, for each of its values."""

    column: str
    values: list[Any]
    levels: int
    """Number of levels of a nominal column, not all of which may be values; 0 for numbers."""
    means: Floats
    tenths: list[float]
    """Deciles of a column of numbers."""

    @property
    def span(self) -> float:
        """The largest difference along the curve."""
        return float(np.ptp(self.means))


def response_curves(versions: Versions, rows: Rows) -> list[list[Curve] | None]:
    """Return the most important curves of each model; None for those that take too long.

    The chosen model has priority, then the shorter versions.
    """
    models, short = versions.models, versions.short["row"].tolist()
    standardizer = models[0].standardizer
    most = np.clip(CELLS // (POINTS * max(len(standardizer.inputs), 1)), 5, MOST_ROWS)
    x = standardizer.standardize(rows.inputs.iloc[evenly(np.arange(len(rows.data)), int(most))])
    wanted, work = {}, 0
    for row in dict.fromkeys([versions.chosen, *short, *range(len(models))]):
        columns = columns_used(models[row])[:MOST_COLUMNS]
        work += len(columns) * POINTS * (x.size + len(x) * models[row].evolved_size)
        if work <= WORK or row == versions.chosen:
            wanted[row] = columns
    found: dict[int, list[Curve]] = {row: [] for row in wanted}
    for name in dict.fromkeys(name for columns in wanted.values() for name in columns):
        values, inputs, along = values_along(standardizer, name, POINTS)
        column = standardizer.inputs[inputs[0]]
        some = evenly(np.arange(len(values)), POINTS)
        table = np.repeat(x[None], len(some), axis=0)
        table[:, :, inputs] = along[some, None, :]
        table = table.reshape(-1, x.shape[1])
        levels = 0 if column.codes is None else len(values)
        tenths = (
            np.quantile(x[:, inputs[0]], np.arange(0.1, 0.95, 0.1)) * column.scale + column.mean
        )
        for row in (row for row, columns in wanted.items() if name in columns):
            means = models[row].predict_rows(table).reshape(len(some), -1).mean(axis=1)
            found[row].append(Curve(name, [values[k] for k in some], levels, means, tenths))
    return [
        sorted(found[row], key=lambda curve: -curve.span)[:MOST_CURVES] if row in found else None
        for row in range(len(models))
    ]


def texts_of(model: SymbolicModel) -> Iterator[Context]:
    """Yield what can be copied of a model, or why it cannot be written in a language."""
    yield {"name": "Text", "copied": model.text(), "above": "", "why": ""}
    for language in ("excel", "python"):
        above, copied, why = "", "", ""
        try:
            copied = export_model(model, language)
        except ValueError as error:
            why = str(error)
        if language == "excel":  # notes on cells are not part of a cell's formula
            start = copied.find("\n=") + 1
            above, copied = copied[:start], copied[start:]
        yield {"name": language.capitalize(), "copied": copied, "above": above, "why": why}
    yield {"name": "LaTeX", "copied": model.latex(), "above": "", "why": ""}


def panels(versions: Versions, about: Context, rows: Rows | None) -> list[Context]:
    """Return the content of the panel of each row of the table of models."""
    curves: list[list[Curve] | None] = [None] * len(versions.models)
    if rows is not None:
        curves = response_curves(versions, rows)
    entries: list[Any] = versions.table.to_dict("records")
    return [
        entry
        | {
            "math": formula_mathml(model),
            "names": names_of(model, about),
            "texts": list(texts_of(model)),
            "columns": len(columns_used(model)),
            "curves": found and _drawn(found, model.standardizer.target_scale),
        }
        for entry, model, found in zip(entries, versions.models, curves, strict=True)
    ]


def _drawn(curves: list[Curve], scale: float) -> list[Context]:
    """Return curves as charts with the same axis of predictions."""
    means = np.concatenate([curve.means for curve in curves] or [np.zeros(1)])
    least = means.mean() + 0.25 * scale * np.array([-1.0, 1.0])  # rounding errors fill no chart
    y = Axis.around([*means, *least], SMALL["bottom"], SMALL["top"], most=3)
    return [_chart(curve, y) for curve in curves]


def _chart(curve: Curve, y: Axis) -> Context:
    places = np.arange(len(curve.values)) if curve.levels else np.array(curve.values, float)
    x = Axis.around(places, SMALL["left"], SMALL["right"], most=3)
    ticks, letters = x.ticks, LABELS // len(places)
    if curve.levels:
        texts = [str(value) for value in curve.values] if letters > 1 else []
        ticks = [(x.at(k), _shortened(text, letters)) for k, text in enumerate(texts)]
    points = [(x.at(a), y.at(b)) for a, b in zip(places, curve.means, strict=True)]
    marks = [x.at(value) for value in curve.tenths]
    ends = [(curve.values[k], float(curve.means[k])) for k in (0, -1)]
    chart = {"x_ticks": ticks, "y_ticks": y.ticks, "edges": SMALL, "points": points}
    return chart | {"curve": curve, "marks": marks, "ends": ends}


def size_chart(models: list[Context], target: str) -> Context:
    """Return error against size as a chart; what matters more is drawn later."""
    sizes, errors = ([m[key] for m in models] for key in ("size", "rmse"))
    x = Axis(0.0, 1.06 * max(sizes), LARGE["left"], LARGE["right"]).logarithmic(sizes)
    y = Axis.around(errors, LARGE["bottom"], LARGE["top"]).logarithmic(errors)
    points = [
        {
            "row": m["row"],
            "x": x.at(m["size"]),
            "y": y.at(m["rmse"]),
            "kind": "chosen" if m["chosen"] else "short" if np.isfinite(m["max_size"]) else "other",
            "title": f"row {m['row']}, size {m['size']}, RMSE {m['rmse']:.4g}: "
            f"{target} = {_shortened(m['formula'], LONGEST)}",
        }
        for m in models
    ]
    order = ("other", "short", "chosen")
    points.sort(key=lambda point: order.index(point["kind"]))
    return {"x_ticks": x.ticks, "y_ticks": y.ticks, "edges": LARGE, "points": points}


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
