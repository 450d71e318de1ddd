"""Generate the reference of the Python interface: all public names, by purpose."""

from __future__ import annotations

import vjmgp

GROUPS = {
    "Fitting": ("VJMRegressor", "fit_report", "REGULARIZERS", "SELECTIONS", "compile_kernels"),
    "Models": ("SymbolicModel", "load_model"),
    "Warnings": ("ExtrapolationWarning", "RowLabelWarning"),
    "Functions": ("FUNCTION_NAMES", "MORE_FUNCTION_NAMES", "UserFunction"),
    "Data and protocol": (
        *("Dataset", "embedded_datasets", "load_dataset", "load_file"),
        *("paper_split", "label_noise_split", "add_label_noise", "r2", "mic"),
    ),
    "Published runs": ("load_results", "load_run_model", "ENGINE_VERSION"),
}
HEAD = "# Python interface\n\nEverything here is imported from `vjmgp` itself."


def page() -> str:
    """Return the page, which mkdocstrings fills from the docstrings."""
    named = {name for names in GROUPS.values() for name in names}
    if named != set(vjmgp.__all__):
        raise ValueError(f"GROUPS and vjmgp.__all__ differ: {sorted(named ^ set(vjmgp.__all__))}")
    parts = [HEAD]
    for title, names in GROUPS.items():
        parts += [f"## {title}", *(_entry(name) for name in names)]
    return "\n\n".join(parts)


def _entry(name: str) -> str:
    home = vjmgp._HOME[name]
    return f"::: vjmgp.{home}.{name}\n    options:\n      heading_level: 3"
