"""Record how a fit was made, and describe it in words."""

import math
from dataclasses import asdict
from typing import Any

from ..core.versions import library_versions
from ..formulas.input_names import legend
from .cautions import cautions_of
from .cross_validation import summary_of_validation, validation_cautions
from .fit_settings import FitSettings
from .fits import Fits, Versions
from .training_table import TrainingTable


def about_fit(
    settings: FitSettings, table: TrainingTable, sha256: str, fits: Fits, validation: Any = None
) -> dict[str, Any]:
    """Return the content of about.json; `sha256` is the checksum of the table.

    `validation` has the plain data of a cross-validation.
    """
    rows, final = fits.rows, fits.final
    errors = {"training": rows.errors(fits.tested.model_, rows.train)}
    if rows.can_test:
        errors["test"] = rows.errors(fits.tested.model_, rows.test)
    if fits.is_refitted:
        errors["all"] = rows.errors(final.model_, range(len(rows.data)))
    path, is_last = table.path, settings.holds_out_last
    cautions = cautions_of(rows, fits.tested.model_, {d.column for d in table.dates})
    return {
        "table": path and str(path.resolve()),
        "sha256": sha256,
        "target": settings.target,
        "options": asdict(settings) | {"table": path and str(path)},
        "reading": asdict(table.form),
        "dates": [asdict(entry) for entry in table.dates],
        "rows": {"training": len(rows.train), "test": len(rows.test), "all": len(rows.data)},
        "fitted_to": "all" if fits.is_refitted else "training",
        "errors": errors,
        "generations": final.n_iter_,
        "stopped_by": fits.stopped_by,
        "noise_r2": None if math.isnan(final.noise_r2_) else final.noise_r2_,
        "stability": _stability(final),
        "validation": validation,
        "cautions": [
            *(caution for caution in cautions if caution.kind != "time order" or not is_last),
            *(() if validation is None else validation_cautions(validation)),
        ],
        "engine": final.engine_version_,
        "versions": library_versions(),
    }


def _stability(model: Any) -> dict[str, Any] | None:
    """Return how far restarts agree, None if there were none."""
    if model.restarts < 2 or model.stopped_by_ == "constant":
        return None
    found = model.stability()
    share = dict(zip(found.inputs["column"], found.inputs["share"].tolist(), strict=True))
    return {"restarts": len(found.models), "spread": float(found.spread.mean()), "share": share}


def summary(about: dict[str, Any], versions: Versions) -> list[str]:
    """Describe how good the chosen model is, and which fit each number belongs to."""
    rows, row = about["rows"], versions.table.iloc[versions.chosen]
    training, whole = rows["training"], about["fitted_to"] == "all"
    errors = f"R² {row['test_r2']:.4f}, RMSE {row['test_rmse']:.4g}, MAE {row['test_mae']:.4g}"
    validation = about.get("validation")
    if row["test_r2"] == row["test_r2"]:
        lines = [
            f"Tested on {rows['test']} rows that a fit to the other {training} did not see: "
            f"{errors}."
        ]
        if validation:
            lines = summary_of_validation(validation, row["procedure"])
    elif validation or "test" in about["errors"]:
        lines = ["Nothing has tested a model like it."]
    else:
        lines = ["No rows were held out that could test it."]
    fitted = f"all {rows['all']} rows" if whole or not rows["test"] else f"{training} training rows"
    second = "of a second fit, to" if whole else "fitted to"
    lines.append(
        f"The formula is {second} {fitted}: R² there {row['train_r2']:.4f}, leave-one-out RMSE "
        f"{row['rmse']:.4g}."
    )
    return lines


def names_of(model: Any, about: dict[str, Any]) -> list[list[str]]:
    """Return names in the formula that need an explanation, each with its meaning."""
    used = {model.standardizer.inputs[k].name for k in model.inputs_used}
    days = [
        [entry["column"], f"days since {entry['origin']}"]
        for entry in about.get("dates", [])
        if entry["column"] in used
    ]
    return legend(model.standardizer, model.inputs_used, model.variables) + days


def clipping(model: Any) -> str:
    """Say whether predictions are clipped."""
    low, high = model.standardizer.limits
    if not model.standardizer.clips:
        return "Predictions are not clipped."
    if model.standardizer.reach:
        return (
            f"The formula is a law: predictions are clipped at {low:.6g} and {high:.6g}, beyond "
            "the range of the training target."
        )
    return f"Predictions are clipped to the range of the training target, {low:.6g} to {high:.6g}."


def ending(about: dict[str, Any]) -> str:
    """Say why the fit ended before its last generation; return "" if it did not."""
    so_far = f"after {about['generations']} of {about['options']['generations']} generations"
    return {
        "max_time": f"The time limit ended the fit {so_far}.",
        "interrupt": f"Stopped by Ctrl-C {so_far}: this is the model so far.",
        "interrupt of the cross-validation": "Stopped by Ctrl-C in the cross-validation: only "
        "the fits before have tested the formula.",
        "interrupt of the final fit": "Stopped by Ctrl-C in the final fit: this is the model of "
        "the first one.",
    }.get(about["stopped_by"], "")
