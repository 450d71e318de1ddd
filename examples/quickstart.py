"""Fit the shipped datasets with VJM-GP and Standard GP and write one report.

    python examples/quickstart.py

Offline, well under a minute once the kernels are compiled. The report is one HTML file.
"""

from __future__ import annotations

import base64
import html
import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from vjmgp import VJMRegressor, compile_kernels, embedded_datasets, load_dataset, paper_split, r2
from vjmgp.datasets import paper_medians, pmlb_number

METHODS = {"VJM": "jensen_gap", "Standard GP": "none"}
SEEDS = range(3)
EXAMPLE = "547_no2"
REPORT = Path("results/demo/report.html")
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1f24; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .3rem .6rem; text-align: right;
       border-bottom: 1px solid #d8dee4; } td:first-child, th:first-child { text-align: left; }
img { max-width: 100%; } code { display: block; background: #f6f8fa; padding: .8rem;
       overflow-wrap: anywhere; white-space: pre-wrap; } .note { color: #57606a; }
"""


def fit(name: str, method: str, seed: int) -> tuple[VJMRegressor, float, float]:
    """One run of the paper's protocol: the model, its training and its test R²."""
    data = load_dataset(name)
    train, test = paper_split(name, len(data), seed)
    model = VJMRegressor(METHODS[method], random_state=seed, categorical_features=data.nominal)
    model.fit(data.inputs.iloc[train], data.target[train])
    scores = [
        r2(data.target[rows], model.predict(data.inputs.iloc[rows])) for rows in (train, test)
    ]
    return model, scores[0], scores[1]


def as_image(figure: plt.Figure) -> str:
    """A figure as an HTML image that needs no file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=150, bbox_inches="tight")
    plt.close(figure)
    return f'<img src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def curves(models: dict[str, VJMRegressor]) -> str:
    """Training and test R² of the model that would be chosen after each generation."""
    data = load_dataset(EXAMPLE)
    train, test = paper_split(EXAMPLE, len(data), 0)
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6))
    for axis, (title, rows) in zip(axes, {"Training": train, "Test": test}.items(), strict=False):
        for method, model in models.items():
            scores = [
                r2(data.target[rows], p) for p in model.staged_predict(data.inputs.iloc[rows])
            ]
            axis.plot(scores, label=method)
        axis.set(title=f"{title} R²", xlabel="generation")
        axis.legend()
    front = models["VJM"].pareto_front_
    axes[2].plot(front["o1"], front["o2"], "o", markersize=4)
    chosen = front[front["chosen"]]
    axes[2].plot(chosen["o1"], chosen["o2"], "o", markersize=9, color="C3", label="chosen")
    axes[2].set(title="Pareto front", xlabel="leave-one-out error", ylabel="Jensen gap")
    axes[2].legend()
    figure.tight_layout()
    return as_image(figure)


def main() -> None:
    """Run everything and write the report."""
    sns.set_theme(style="whitegrid", palette="colorblind")
    print("Compiling the kernels (half a minute, the first time only) …", flush=True)
    compile_kernels()
    jobs = [
        (name, method, seed) for name in embedded_datasets() for method in METHODS for seed in SEEDS
    ]
    print(f"{len(jobs)} runs of 20,200 evaluations each …", flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # the kernels hold no lock
        runs = list(threads.map(lambda job: fit(*job), jobs))
    scores = pd.DataFrame(
        [(*job, train, test) for job, (_, train, test) in zip(jobs, runs, strict=True)],
        columns=["dataset", "method", "seed", "train", "test"],
    )
    table = scores.pivot_table(index="dataset", columns="method", values="test", aggfunc="median")
    table = table[list(METHODS)]
    table["paper's VJM"] = [paper_medians()["VJM-GP"][pmlb_number(name)] for name in table.index]
    models = {
        job[1]: model
        for job, (model, _, _) in zip(jobs, runs, strict=True)
        if job[0] == EXAMPLE and job[2] == 0
    }
    formulas = "".join(
        f"<h3>{method}: {model.model_.size} nodes</h3><code>{html.escape(str(model.model_))}</code>"
        for method, model in models.items()
    )
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(
        f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>vjmgp</title><style>{STYLE}</style>
<h1>VJM-GP on {len(table)} small datasets</h1>
<p>Median test R² of {len(SEEDS)} splits (the paper: of 30), 100 training rows or half of them.</p>
{table.round(3).to_html(border=0)}
<h2>{EXAMPLE}: one run</h2>{curves(models)}
<p class="note">Standard GP goes on improving on the training rows when the test score no longer
follows. The Jensen gap tells a model that bends between neighbouring points from one that does
not.</p>
<h2>The final models</h2>{formulas}</html>""",
        encoding="utf-8",
    )
    print(table.round(3).to_string())
    print(f"\nReport: {REPORT.resolve()}")


if __name__ == "__main__":
    main()
