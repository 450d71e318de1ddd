"""The page of `vjmgp fit`: formula, scores, plots and the front, in one HTML file.

It needs no template engine: every text goes through `html.escape`.
"""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import Any

from ..files import write_whole
from .folder import clipping, ending

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
h1, h2 { line-height: 1.2 } code, pre { font: 14px/1.5 ui-monospace, monospace }
pre { background: #f5f5f5; padding: .8rem; overflow-x: auto; white-space: pre-wrap }
table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ddd }
td:last-child, th:last-child { text-align: left } tr.chosen { background: #e8f1fb }
figure { margin: 1rem 0 } img { max-width: 100% }
.plots { display: flex; flex-wrap: wrap; gap: 1rem }
"""
SHORT = 60
"""Letters of a formula that the table of the front shows."""
COLUMNS = {
    "o1": "leave-one-out error",
    "o2": "regulariser",
    "train_r2": "training R²",
    "size": "size",
}


def write_page(
    model: Any,
    data: Any,
    train: Any,
    test: Any,
    scores: dict[str, float],
    target: str,
    folder: Path,
) -> None:
    """Draw the plots and write them, with everything else, on one page."""
    plots = {
        "prediction": _plot_prediction(model, data, train, test, target, folder),
        "front": _plot_front(model, folder),
    }
    title = f"{target} of {data.name}"
    figures = "".join(
        f'<figure><img src="{_as_address(path)}" alt="{escape(name)}"></figure>'
        for name, path in plots.items()
    )
    shown = "".join(
        f"<tr><th>R² on {len(train if rows == 'training' else test)} {rows} rows</th>"
        f"<td>{score:.4f}</td></tr>"
        for rows, score in scores.items()
    )
    legend = "".join(
        f"<li><code>{escape(name)}</code>: {escape(text)}</li>" for name, text in _legend(model)
    )
    body = f"""
<h1>{escape(title)}</h1>
<p>{len(data)} rows, {data.inputs.shape[1]} inputs; {model.n_iter_} generations of
{model.population_size} models, seed {model.random_state},
engine <code>{model.engine_version_}</code>.</p>
{f"<p><strong>{ending(model)}</strong></p>" if ending(model) else ""}
<table>{shown}<tr><th>size, nodes</th><td>{model.model_.size}</td></tr></table>
<h2>Formula</h2>
<pre>{escape(target)} = {escape(model.model_.text())}</pre>
{f"<ul>{legend}</ul>" if legend else ""}
<p>{clipping(model.model_)}</p>
<h2>Constructed features</h2>
<pre>{escape(chr(10).join(model.model_.feature_texts(digits=4)))}</pre>
<h2>Plots</h2>
<div class="plots">{figures}</div>
<h2>Other compromises between error and regularity</h2>
{_front_table(model)}
<p>Files: model.json, formulas.txt (LaTeX, sympy), front.csv, about.json.</p>
"""
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body>{body}</body></html>\n"
    )
    write_whole(folder / "report.html", [page.encode()])


def _as_address(path: Path) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"


def _legend(model: Any) -> list[list[str]]:
    from ..study.described import legend_of

    return legend_of(model.model_)


def _front_table(model: Any) -> str:
    front = model.pareto_front_
    head = "".join(f"<th>{escape(text)}</th>" for text in (*COLUMNS.values(), "formula"))
    rows = []
    for row in front.to_dict("records"):
        cells = "".join(f"<td>{row[column]:.4g}</td>" for column in COLUMNS)
        mark = ' class="chosen"' if row["chosen"] else ""
        rows.append(f"<tr{mark}>{cells}<td>{_folded(row['formula'])}</td></tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _folded(formula: str) -> str:
    """A formula of which only the start is seen, until one clicks on it."""
    if len(formula) <= SHORT:
        return f"<code>{escape(formula)}</code>"
    start = f"<code>{escape(formula[:SHORT])} …</code>"
    return f"<details><summary>{start}</summary><code>{escape(formula)}</code></details>"


def _plot_prediction(
    model: Any, data: Any, train: Any, test: Any, target: str, folder: Path
) -> Path:
    from ..extrapolation import extrapolation_ignored

    figure, axes = _figure()
    for rows, name, colour in ((train, "training", "#9ab"), (test, "test", "#d62728")):
        if len(rows):
            with extrapolation_ignored():
                predicted = model.predict(data.inputs.iloc[rows])
            axes.scatter(data.target[rows], predicted, s=14, alpha=0.7, color=colour, label=name)
    low, high = float(data.target.min()), float(data.target.max())
    axes.plot([low, high], [low, high], color="#333", linewidth=0.8)
    axes.set(xlabel=f"{_plain(target)}, observed", ylabel=f"{_plain(target)}, predicted")
    axes.legend(frameon=False)
    return _save(figure, folder / "prediction.svg")


def _plot_front(model: Any, folder: Path) -> Path:
    figure, axes = _figure()
    front = model.pareto_front_
    evolved, chosen = front[~front["student"]], front[front["chosen"]]
    axes.plot(evolved["o1"], evolved["o2"], "o-", color="#9ab", markersize=4, linewidth=0.8)
    label = "the formula, distilled from all models" if chosen["student"].any() else "chosen"
    axes.plot(chosen["o1"], chosen["o2"], "o", color="#d62728", label=label)
    axes.set(xlabel="leave-one-out error", ylabel="regulariser")
    axes.legend(frameon=False)
    return _save(figure, folder / "front.svg")


def _figure() -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 3.8), layout="constrained")
    return figure, figure.subplots()


def _plain(text: str) -> str:
    """A name as it is: matplotlib would take what stands between dollars for mathematics."""
    return text.replace("$", r"\$")


def _save(figure: Any, path: Path) -> Path:
    figure.savefig(path, metadata={"Date": None})
    return path
