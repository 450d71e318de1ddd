"""Write all illustrations."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from ...core.files import write_json
from ..figures.figure_style import save_figure, study_style
from ..latex import write_latex
from ..result_tables import write_csv
from .example_models import EXAMPLE, example_models, rugged_and_smooth
from .flow_chart import flow_chart
from .vicinity import (
    beta_densities,
    gap_and_difference,
    kernels,
    limits_of_kernels,
    manifold_intrusion,
    noise_estimates,
)

TABLE = "features_547_no2"
ILLUSTRATIONS: list[tuple[Callable[[], Any], str, str]] = [
    (
        flow_chart, "The algorithm",
        "A run of VJM. Green: once per run, before evolution. Blue: in every generation. Orange: "
        "the result. The noise estimate switches intrusion detection and sets τ.",
    ),
    (
        gap_and_difference, "Finite difference and Jensen gap",
        "A straight, steep function and a fluctuating one. Thick: the worst finite difference "
        "(left) and the worst gap to the line between two points (right). The finite difference "
        "penalises slope, the Jensen gap only curvature. Numbers: the mean over all rows of the "
        "worst square.",
    ),
    (
        noise_estimates, "How noisy are the labels?",
        "Extra Trees' cross-validated predictions (diamonds) of a sine (line) from 100 rows (dots) "
        "with normal noise of standard deviation σ. If their R² falls below 0.5, τ becomes 10.",
    ),
    (
        manifold_intrusion, "Manifold intrusion",
        "Rows (dots) of a parabola and mixtures of rows with similar labels. Without detection, "
        "mixtures of both arms lie far from the data. With detection, mixtures that Extra Trees "
        "reject are drawn again (triangles).",
    ),
    (
        rugged_and_smooth, "A rugged and a smooth model",
        "Two models of one run's front on 40 noisy rows; dashed: the truth. Rugged: the smallest "
        "leave-one-out error. Smooth: the smallest sum of error and Jensen gap.",
    ),
    (
        limits_of_kernels, "Where each kernel goes wrong",
        "Mix_Y chooses partners by label alone and mixes across the valley; Mix_XY stays on the "
        "curve. With many inputs, all rows are far apart and Mix_XY has few partners left "
        "(effective number: exp of the entropy of those drawn).",
    ),
    (
        beta_densities, "Shares",
        "Density of Beta(α, α), and 20,000 draws of the engine (bars). The larger of λ and 1 − λ "
        "is the anchor's share.",
    ),
    (
        kernels, "The kernel",
        "The probability that a row becomes the partner of another, by the distance of their "
        "labels, and the distances of 20,000 pairs drawn among 100 normal labels.",
    ),
]  # fmt: skip
"""Functions that draw, after which the files are named, with titles and captions."""


def draw_illustrations(figures: str) -> None:
    """Write figures as SVG, PDF and PNG, a table as CSV and LaTeX, and all captions as JSON."""
    from ...engine.compilation.warmup import compile_kernels

    compile_kernels()
    compile_kernels("none")
    home = Path(figures)
    entries: list[dict[str, Any]] = []
    with study_style():
        for draw, title, caption in ILLUSTRATIONS:
            save_figure(draw(), home / draw.__name__)
            entries.append({"name": draw.__name__, "title": title, "caption": caption})
    models = example_models()
    rows = [
        {"method": model["method"], "coefficient": float(weight), "feature": text}
        for model in models
        for weight, text in model["features"]
    ]
    caption = (
        f"Final features of VJM and of Standard GP on {EXAMPLE}, seed {models[0]['seed']}, with "
        "their coefficients, in the columns and units of the data"
    )
    write_csv(home / f"{TABLE}.csv", pd.DataFrame(rows))
    write_latex(home / f"{TABLE}.tex", pd.DataFrame(rows), caption, digits={"coefficient": 4})
    about = {"name": TABLE, "title": f"Features on {EXAMPLE}", "caption": f"{caption}."}
    entries.append(about | {"models": models})
    write_json(home / "figures.json", entries)
