"""VJMRegressor as SRBench calls its methods: `est`, `model`, `complexity`, `eval_kwargs`."""

from __future__ import annotations

import keyword
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from vjmgp import VJMRegressor

if TYPE_CHECKING:
    import pandas as pd

    from vjmgp import SymbolicModel

est = VJMRegressor(clip_predictions=False)
"""Unclipped, so that what is scored is what `model` returns. SRBench sets `random_state` and
`max_time`; the search ends after 100 generations, long before the hours that SRBench grants."""

eval_kwargs = {"test_params": {"population_size": 20, "generations": 5}}
"""Settings of SRBench's quick tests."""

ROUNDING = 1e-9
"""Tolerance for columns that SRBench has already standardised."""
WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


def model(est: VJMRegressor, X: pd.DataFrame | None = None) -> str:
    """Return the displayed formula as text for sympy, with the names of the columns.

    It has the digits that predictions need, as people see it, and differs from them by about a
    thousandth of the target's deviation. A name that is not an identifier, such as `wheel-base`,
    becomes `Symbol('wheel-base')`.
    """
    fitted = _without_scales(est.model_)
    names = fitted.standardizer.names
    columns = dict(zip(names, names if X is None else X.columns, strict=True))
    inputs = [_symbol(str(columns[column.name])) for column in fitted.standardizer.inputs]
    words = dict(zip(fitted.variables, inputs, strict=True))
    return WORD.sub(lambda word: words.get(word[0], word[0]), fitted.text())


def _without_scales(model: SymbolicModel) -> SymbolicModel:
    """Return the model without means and scales of columns that are already standardised."""
    columns = tuple(
        replace(column, mean=0.0, scale=1.0)
        if abs(column.mean) < ROUNDING and math.isclose(column.scale, 1.0, rel_tol=ROUNDING)
        else column
        for column in model.standardizer.columns
    )
    return replace(model, standardizer=replace(model.standardizer, columns=columns))


def _symbol(name: str) -> str:
    is_word = name.isidentifier() and not keyword.iskeyword(name)
    return name if is_word else f"Symbol({name!r})"


def complexity(est: VJMRegressor) -> int:
    """Return the number of nodes of all trees; SRBench uses it if sympy cannot count."""
    return est.model_.size
