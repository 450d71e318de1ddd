"""Compare the formulas of small public tables with what textbooks write.

    python -m benchmarks.classics --seeds 0 1 2

The tables are in `benchmarks/classics`, the target last: those of R's packages datasets, MASS and
quantreg (of Puromycin the treated cells, of DNase run 1), and the planets' distances and periods.
A form is recognised by derivatives of the text that users see, for example `c + a*exp(k*x)` by a
constant ratio of the second to the first, however it is written. Formulas with kinks or waves
(`WITHOUT`) have none of these forms.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import ROOT

FOLDER = ROOT / "benchmarks/classics"
WITHOUT = ("Abs", "Heaviside", "Max", "Min", "atan", "cos", "sign", "sin", "tanh")
POINTS, SAME = 25, 1e-4
"""Points at which something must be the same, and its relative tolerance."""
AT_ORIGIN = 0.15
"""Largest value at 0 of curves through the origin, relative to the largest of all."""
HIGHEST = 10.0
"""Largest asymptote of a saturating curve, relative to its largest value."""


class Formula:
    """A formula's text as a function of the inputs of a table."""

    def __init__(self, text: str, table: pd.DataFrame, words: Mapping[str, str] | None = None):
        """`words` maps the words of the text to columns, if these differ."""
        from sympy import Rational, Symbol
        from sympy.parsing.sympy_parser import parse_expr

        self.symbols = [Symbol(str(name), real=True) for name in table]
        named = {symbol.name: symbol for symbol in self.symbols}
        roots = {"real_root": lambda a, degree: a ** Rational(1, degree)}
        given = words or {name: name for name in named}
        self.value = parse_expr(text, {**roots, **{w: named[name] for w, name in given.items()}})
        self.points = np.random.default_rng(0).uniform(
            table.min().to_numpy(), table.max().to_numpy(), size=(POINTS, table.shape[1])
        )

    @property
    def has_kinks_or_waves(self) -> bool:
        """Whether the formula has functions that no textbook form here has."""
        return any(type(node).__name__ in WITHOUT for node in self._nodes())

    def _nodes(self) -> Any:
        from sympy import preorder_traversal

        return preorder_traversal(self.value)

    def at_points(self, expression: Any) -> np.ndarray:
        """Evaluate an expression of the inputs at points of the table's range."""
        from sympy import lambdify

        function = lambdify(self.symbols, expression, "numpy")
        with np.errstate(all="ignore"):
            return np.broadcast_to(function(*self.points.T), POINTS)

    def constant(self, expression: Any) -> float:
        """Return the value of an expression that is the same at all points, NaN otherwise."""
        values = self.at_points(expression)
        if not np.isrealobj(values) or not np.isfinite(values).all():
            return float("nan")
        middle = float(np.median(values))
        return middle if np.ptp(values) <= SAME * abs(middle) + 1e-12 else float("nan")


Form = Callable[[Formula], bool]


def linear(*needed: str) -> Form:
    """A sum of inputs with coefficients, among them those that are needed."""

    def check(formula: Formula) -> bool:
        slopes = [formula.constant(formula.value.diff(symbol)) for symbol in formula.symbols]
        used = {symbol.name for symbol, slope in zip(formula.symbols, slopes, strict=True) if slope}
        return not np.isnan(slopes).any() and used >= set(needed or used) and bool(used)

    return check


def quadratic(formula: Formula) -> bool:
    """A polynomial of second degree in one input."""
    return abs(formula.constant(formula.value.diff(formula.symbols[0], 2))) > 0.0


def power(**exponents: tuple[float, float]) -> Form:
    """`c + a * x**p * z**q …` with each exponent within its ends."""

    def check(formula: Formula) -> bool:
        slopes = [formula.value.diff(symbol) for symbol in formula.symbols]
        if any(slope.is_zero for slope in slopes):
            return False
        for symbol, slope in zip(formula.symbols, slopes, strict=True):
            low, high = exponents[symbol.name]
            own = formula.constant(symbol * slope.diff(symbol) / slope) + 1.0
            others = [other for other in slopes if other is not slope]
            found = [own, *(formula.constant(symbol * o.diff(symbol) / o) for o in others)]
            if not all(low <= value <= high for value in found):
                return False
        return True

    return check


def exponential(formula: Formula, low: float = 0.0, high: float = np.inf) -> bool:
    """`c + a*exp(k*x)` with k between two ends, neither included."""
    slope = formula.value.diff(formula.symbols[0])
    return low < formula.constant(slope.diff() / slope if not slope.is_number else 0) < high


def decay(formula: Formula) -> bool:
    """`c + a*exp(-k*x)`."""
    return exponential(formula, -np.inf, 0.0)


def vapour_pressure(formula: Formula) -> bool:
    """`c + a*exp(-b/(x + d))`, or `c + a*exp(k*x)`."""
    from sympy import log

    (x,) = formula.symbols
    rest = formula.value.as_independent(x, as_Add=True)[1]
    slope = log(rest).diff(x)
    shift = formula.constant(-2 * slope / slope.diff(x) - x) if slope.diff(x) != 0 else np.nan
    return exponential(formula) or (
        not np.isnan(shift) and bool((formula.at_points(slope) > 0).all())
    )


def from_origin(form: Form) -> Form:
    """The form, about 0 at 0."""

    def check(formula: Formula) -> bool:
        start = formula.value.subs(dict.fromkeys(formula.symbols, 0))
        most = AT_ORIGIN * np.abs(formula.at_points(formula.value)).max()
        return form(formula) and start.is_comparable and bool(abs(start) <= most)

    return check


def saturation(formula: Formula) -> bool:
    """`c + a*x/(k + x)` with a positive k."""
    (x,) = formula.symbols
    slope = formula.value.diff(x)
    return slope.diff(x) != 0 and formula.constant(-2 * slope / slope.diff(x) - x) > 0.0


def hill(formula: Formula) -> bool:
    """`a / (1 + (k/x)**n)` with an n of 0.5 to 2."""
    (x,) = formula.symbols
    inverse = 1 / formula.value
    slope = inverse.diff(x)
    exponent = formula.constant(-x * slope.diff(x) / slope) - 1.0 if slope != 0 else np.nan
    if not 0.5 <= exponent <= 2.0:
        return False
    limit = formula.constant(inverse + x * slope / exponent)
    return limit * HIGHEST * formula.at_points(formula.value).max() >= 1.0


def viscometer(formula: Formula) -> bool:
    """`c + a*Viscosity/(Wt - d)`."""
    viscosity, weight = formula.symbols
    slope = formula.value.diff(viscosity)
    inverse = (1 / slope).diff(weight) if slope != 0 else slope
    start = formula.value.subs(viscosity, 0)
    zeros = (slope.diff(viscosity), start.diff(weight))
    return bool(abs(formula.constant(inverse)) > 0.0) and all(
        formula.constant(z) == 0.0 for z in zeros
    )


class Classic(NamedTuple):
    """What a textbook writes, and the forms that count as that."""

    textbook: str
    forms: tuple[Form, ...]


CLASSICS = {
    "trees": Classic("c*Girth**2*Height", (power(Girth=(1.6, 2.4), Height=(0.5, 1.5)),)),
    "pressure": Classic("exp(a - b/(temperature + c)) or exp(temperature)", (vapour_pressure,)),
    "Puromycin": Classic("a*conc/(k + conc)", (from_origin(saturation), from_origin(hill))),
    "cars": Classic("speed and speed**2, or a power", (quadratic, linear(), power(speed=(1, 2.2)))),
    "stackloss": Classic("linear", (linear("Air.Flow", "Water.Temp"),)),
    "faithful": Classic("linear", (linear(),)),
    "women": Classic("quadratic, or a power", (quadratic, power(height=(1.5, 5)))),
    "DNase": Classic("a/(1 + (k/conc)**n)", (from_origin(saturation), hill)),
    "BOD": Classic("a*(1 - exp(-k*Time))", (from_origin(decay), from_origin(saturation))),
    "Formaldehyde": Classic("linear", (linear(),)),
    "engel": Classic("linear, or a power", (linear(), power(income=(0.5, 1)))),
    "Loblolly": Classic("a - b*exp(-k*age)", (decay,)),
    "stormer": Classic("a*Viscosity/(Wt - d)", (viscometer,)),
    "wtloss": Classic("c + a*exp(-k*Days)", (decay,)),
    "planets": Classic("distance**1.5", (power(distance=(1.45, 1.55)),)),
}


def load(name: str) -> tuple[pd.DataFrame, pd.Series[float]]:
    """Return the inputs and the target of a table."""
    table = pd.read_csv(FOLDER / f"{name}.csv").astype(float)
    return table.iloc[:, :-1], table.iloc[:, -1]


def is_textbook(name: str, text: str, words: Mapping[str, str] | None = None) -> bool:
    """Return whether a formula of the table has the textbook's form."""
    formula = Formula(text, load(name)[0], words)
    return not formula.has_kinks_or_waves and any(form(formula) for form in CLASSICS[name].forms)


def run(name: str, seed: int) -> tuple[bool, float, str]:
    """Fit a table; return whether the form is the textbook's, CPU seconds and the formula."""
    from vjmgp import VJMRegressor

    x, y = load(name)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = VJMRegressor(random_state=seed).fit(x, y).model_
        seconds = time.process_time() - start
        words = dict(zip(model.variables, x.columns, strict=True))
        return is_textbook(name, str(model), words), seconds, str(model)


def main() -> None:
    from vjmgp import compile_kernels

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", nargs="+", choices=CLASSICS, default=list(CLASSICS))
    options = parser.parse_args()
    compile_kernels()
    found = dict.fromkeys(options.only, 0)
    for name in options.only:
        print(f"{name}: {CLASSICS[name].textbook}")
        for seed in options.seeds:
            is_found, seconds, text = run(name, seed)
            found[name] += is_found
            print(
                f"  {seed} {'found' if is_found else '-----'} {seconds:.2f} s  {text}", flush=True
            )
    shares = [times / len(options.seeds) for times in found.values()]
    print(f"found: {sum(shares):.2f} of {len(shares)} tables, mean of {len(options.seeds)} seeds")


if __name__ == "__main__":
    main()
