"""Measure how often known laws are found, and how well formulas extrapolate.

    python -m benchmarks.laws run vjmgp --seeds 0 --to vjmgp.jsonl
    python -m benchmarks.laws run vjmgp --set more --seeds 0 --to more.jsonl
    python -m benchmarks.laws run gplearn --seeds 0 --to gplearn.jsonl
    python -m benchmarks.laws table *.jsonl --common

Sixty laws × noise of 0, 1, 10, 15 and 25 % of the target's deviation × 100 and 300 rows. The inputs
of a law are drawn uniformly from its range, beside two irrelevant ones. `--set more` takes 28 other
laws of science and engineering × noise of 0, 5 and 15 % × 100 rows. gplearn is not part of this
package: `pip install gplearn==0.4.3` (it works with scikit-learn 1.9.1), perhaps in a separate
environment from which only `run gplearn` is called.

A law is found if three things hold for the formula (`is_found`):

- Inside the training range, its root mean squared distance from the law is at most 1 % of the law's
  deviation, or twice the standard error of the law's own terms and a constant, fitted to the same
  rows by least squares, whichever is larger. Without noise, the share with at most 0.1 % is listed
  separately. The constants of the other laws are fitted, too, also those inside functions.
- The same on points up to half a range outside; a third of a range for the other laws.
- Other values of irrelevant inputs move it by at most 0.1 % of the deviation.

Our formula is the rounded text that users see; other learners are asked by their `predict`. R² is
against the law without noise, without clipping. Length is that of the text: of ours as shown, of
others with four digits, as written or as simplified by sympy, whichever is shorter.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import functools
import json
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

LAWS = {
    "linear": (
        *("a", "2.5*a + 1", "1.8*a + 32", "a + b", "a - b", "3*a - 2*b + 5"),
        *("0.7*a + 1.3*b - 4", "a + b + c", "2*a - 3*b + 0.5*c", "4*a - 3*b + 2*c - d"),
        *("a - 2*b + 3*c - 4*d + 10", "5*a + 4*b + 3*c + 2*d + e"),
    ),
    "product": (
        *("a*b", "2*a*b", "9.81*a*b", "0.5*a*b + 3", "1.5*a*b - 2", "a*b*c", "3*a*b*c"),
        *("0.25*a*b*c + 1", "a*(b+c)", "2*a*(b-c)", "(a+b)*(c-d)", "a*b*c*d"),
    ),
    "ratio": (
        *("1/a", "a/b", "3*a/b", "a/b + 2", "a*b/c", "a/(b*c)", "10/(a+b)", "(a+b)/c"),
        *("2*a/(b+c)", "(a-b)/(a+b)", "a*b/(a+b)", "a*b/(c*d)"),
    ),
    "power": (
        *("a**2", "4.9*a**2", "2*a**2 - 3", "a**3", "a**4", "a**0.5", "a**1.5", "a**2*b"),
        *("0.5*a*b**2", "a*b**0.5", "a/b**2", "(a**2+b**2)**0.5"),
    ),
    "sum of two": (
        *("a*b + c", "a*b - 2*c", "a**2 + b", "a**2 + b**2", "2*a**3 - b", "a*b + c*d"),
        *("0.5*a**2 + b*c", "a**2 - 3*b*c", "a/b + c", "1/a + 1/b", "a**0.5 + b", "a*b + c/d"),
    ),
}
MORE_LAWS: dict[str, tuple[tuple[str, dict[str, tuple[float, float]]], ...]] = {
    "product of powers": (
        ("3.6*m*w**2/r", {"m": (1, 5), "w": (1, 6), "r": (1, 4)}),
        ("0.85*m**(1/3)*h**(2/3)", {"m": (1, 30), "h": (0.5, 8)}),
        ("1.49*R**(2/3)*S**(1/2)/n", {"R": (0.5, 4), "S": (0.01, 0.1), "n": (0.02, 0.08)}),
        ("0.023*Re**0.8*Pr**0.4", {"Re": (1e4, 1e5), "Pr": (0.7, 7)}),
    ),
    "sum of products": (
        ("s*t + 4.9*t**2", {"s": (1, 10), "t": (0.5, 4)}),
        (
            "P + 0.5*rho*w**2 + 9.8*rho*h",
            {"P": (10, 50), "rho": (0.8, 1.2), "w": (0, 8), "h": (0, 5)},
        ),
        ("3.2*A*(T1 - T2)/d", {"A": (1, 4), "T1": (20, 60), "T2": (5, 15), "d": (0.5, 2)}),
    ),
    "quotient of sums": (
        ("R1*R2/(R1 + R2)", {"R1": (1, 20), "R2": (1, 20)}),
        ("f*(34.0 + w)/(34.0 - s)", {"f": (1, 5), "w": (0, 15), "s": (0, 15)}),
        ("1/(1/f - 1/d)", {"f": (1, 2), "d": (5, 10)}),
        ("8.3*T/(V - 0.4) - 3.6/V**2", {"T": (2, 6), "V": (2, 6)}),
    ),
    "root of a sum": (
        ("sqrt(w**2 + 19.6*h)", {"w": (0.5, 8), "h": (0, 5)}),
        (
            "sqrt((x1 - x2)**2 + (y1 - y2)**2)",
            {"x1": (-3, 3), "x2": (-3, 3), "y1": (-3, 3), "y2": (-3, 3)},
        ),
        ("m/sqrt(1 - w**2)", {"m": (1, 5), "w": (0.1, 0.7)}),
        ("A/(1 + (x/b)**2)", {"A": (1, 5), "x": (-4, 4), "b": (1, 3)}),
    ),
    "exp and log": (
        ("80.0*c*exp(-6.0/T)", {"c": (0.5, 3), "T": (1, 4)}),
        ("N*exp(-0.35*t)", {"N": (2, 10), "t": (0, 8)}),
        ("x*10**(8.07 - 1730.6/(233.4 + T))", {"x": (0.1, 1), "T": (20, 100)}),
        ("0.8 + 0.06*log(a/b)", {"a": (0.1, 10), "b": (0.1, 10)}),
        ("P*exp(k*t)", {"P": (1, 5), "k": (0.01, 0.1), "t": (1, 20)}),
    ),
    "saturation": (
        ("V*S/(1.8 + S)", {"V": (1, 5), "S": (0.2, 10)}),
        ("V*x**2/(9.0 + x**2)", {"V": (1, 5), "x": (0.5, 8)}),
        ("V*S/(1.5*(1 + I/2.0) + S)", {"V": (1, 5), "S": (0.2, 10), "I": (0, 6)}),
        ("K/(1 + exp(-1.2*(t - 4.0)))", {"K": (2, 8), "t": (0, 8)}),
        ("H*tanh(1.4*d/L)", {"H": (1, 4), "d": (0.2, 3), "L": (1, 4)}),
    ),
    "wave": (
        ("A*exp(-0.3*t)*cos(2.5*t)", {"A": (1, 4), "t": (0, 5)}),
        ("w**2*sin(2*theta)/9.8", {"w": (2, 10), "theta": (0.2, 1.3)}),
        ("a**2 + b**2 - 2.0*a*b*cos(phi)", {"a": (1, 5), "b": (1, 5), "phi": (0.2, 3)}),
    ),
}
"""Other laws and the ranges of their inputs. Numbers with a point are constants to be fitted."""
NOISE = (0.0, 0.01, 0.1, 0.15, 0.25)
ROWS = (100, 300)
MORE_NOISE, MORE_ROWS = (0.0, 0.05, 0.15), (100,)
OTHERS = ("u", "v")
"""Irrelevant inputs."""
FRESH = 1000
"""Points at which a formula is compared with the law."""
NEAR, TIMES, EXACT, IDLE = 0.01, 2.0, 0.001, 0.001
"""The criterion's numbers, in the order of its text."""
DIGITS = 4
"""Digits of the numbers of other learners."""
FUNCTIONS = {
    "Abs": np.abs,
    "Heaviside": np.heaviside,
    "Max": lambda *values: functools.reduce(np.maximum, values),
    "Min": lambda *values: functools.reduce(np.minimum, values),
    "atan": np.arctan,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "pi": np.pi,
    "real_root": lambda a, degree: np.cbrt(a),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
Table = pd.DataFrame
Values = Callable[[Table], np.ndarray]


@dataclass(frozen=True)
class Law:
    """A sum of terms with coefficients, for example `3*a - 2*b + 5`."""

    text: str
    kind: str
    beyond = 0.5
    """Ranges outside the training range at which a formula is compared."""

    @property
    def stream(self) -> list[int]:
        """The law's part of a random seed."""
        return [list(LAWS).index(self.kind), LAWS[self.kind].index(self.text)]

    @functools.cached_property
    def terms(self) -> dict[str, float]:
        """Coefficients of the terms; that of a constant is under `1`."""
        found = {}
        for sign, term in re.findall(r"(^|[+-] )(\S+)", self.text):
            number, _, rest = re.fullmatch(r"([\d.]+(?=\*|/|$))?(\*?)(.*)", term).groups()
            rest = f"1{rest}" if rest.startswith("/") else rest or "1"
            found[rest] = float(number or 1.0) * (-1.0 if sign == "- " else 1.0)
        return found

    @property
    def inputs(self) -> list[str]:
        """Its inputs."""
        return sorted(set(re.findall("[a-z]", self.text)))

    @property
    def range(self) -> tuple[float, float]:
        """Range of its inputs: positive if it needs that, and for every second law."""
        needs = "/" in self.text or "**0.5" in self.text or "**1.5" in self.text
        return (1.0, 5.0) if needs or LAWS[self.kind].index(self.text) % 2 else (-3.0, 3.0)

    def features(self, table: Table) -> np.ndarray:
        """Return rows × terms."""
        columns = [values_of(term, table) for term in self.terms]
        return np.column_stack(columns)

    def values(self, table: Table) -> np.ndarray:
        """Return the law without noise."""
        return self.features(table) @ np.array(list(self.terms.values()))

    def draw(self, rng: np.random.Generator, rows: int, beyond: float = 0.0) -> Table:
        """Draw points inside the training range, or up to `beyond` ranges outside it."""
        low, high = self.range
        margin = beyond * (high - low)
        names = [*self.inputs, *OTHERS]
        below = low / 2.0 if beyond and low > 0.0 else low - margin
        points = rng.uniform(below, high + margin, size=(20 * rows if beyond else rows, len(names)))
        if beyond:
            own = points[:, : len(self.inputs)]
            points = points[((own < low) | (own > high)).any(axis=1)][:rows]
        return pd.DataFrame(points, columns=names)


@dataclass(frozen=True)
class OtherLaw(Law):
    """A law of `MORE_LAWS`, with constants anywhere."""

    beyond = 1.0 / 3.0

    @property
    def stream(self) -> list[int]:
        """The law's part of a random seed."""
        laws = [text for kind in MORE_LAWS.values() for text, _ in kind]
        return [len(LAWS), laws.index(self.text)]

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The training ranges of its inputs."""
        return dict(MORE_LAWS[self.kind])[self.text]

    @property
    def inputs(self) -> list[str]:
        """Its inputs."""
        return list(self.ranges)

    def values(self, table: Table) -> np.ndarray:
        """Return the law without noise."""
        return values_of(self.text, table)

    def features(self, table: Table) -> np.ndarray:
        """Return the law and its derivatives by the logarithms of its constants."""
        columns = [self.values(table)]
        for number in re.finditer(r"\d+\.\d+", self.text):
            before, after = self.text[: number.start()], self.text[number.end() :]
            ends = [f"{before}{float(number[0]) * (1.0 + h)!r}{after}" for h in (1e-5, -1e-5)]
            high, low = (values_of(text, table) for text in ends)
            columns.append((high - low) / 2e-5)
        return np.column_stack(columns)

    def draw(self, rng: np.random.Generator, rows: int, beyond: float = 0.0) -> Table:
        """Draw points inside the training ranges, or up to `beyond` ranges outside them.

        Ranges of numbers that are not negative end at half their lower end or before.
        """
        ends = np.array([*self.ranges.values(), *[(1.0, 5.0)] * len(OTHERS)], dtype=float)
        low, high = ends.T
        margin = beyond * (high - low)
        below = np.where(low < 0.0, low - margin, np.maximum(low - margin, low / 2.0))
        size = (20 * rows if beyond else rows, len(ends))
        points = rng.uniform(below, high + margin, size=size)
        if beyond:
            own = len(self.inputs)
            outside = (points < low) | (points > high)
            points = points[outside[:, :own].any(axis=1)][:rows]
        return pd.DataFrame(points, columns=[*self.inputs, *OTHERS])


def values_of(text: str, table: Table) -> np.ndarray:
    """Evaluate a formula without clipping."""
    columns = {name: table[name].to_numpy() for name in table}
    with np.errstate(all="ignore"):
        return np.broadcast_to(eval(text, {**FUNCTIONS, **columns}), len(table))


# -- learners ------------------------------------------------------------------------------------


def fit_vjmgp(x: Table, y: np.ndarray, seed: int, *more: str) -> tuple[Values, str]:
    from vjmgp import FUNCTION_NAMES, VJMRegressor

    functions = {"functions": [*FUNCTION_NAMES, *more]} if more else {}
    model = VJMRegressor(random_state=seed, **functions).fit(x, y).model_
    text = str(model)
    return (lambda table: values_of(text, table.set_axis(model.variables, axis=1))), text


def fit_gplearn(x: Table, y: np.ndarray, seed: int) -> tuple[Values, str]:
    """Fit with its defaults, plus √ and constants up to 10; 20,000 evaluations, as ours."""
    from gplearn.genetic import SymbolicRegressor

    model = SymbolicRegressor(
        function_set=("add", "sub", "mul", "div", "sqrt"),
        const_range=(-10.0, 10.0),
        random_state=seed,
    )
    model.fit(np.array(x), y)
    stack: list[str] = []
    for node in reversed(model._program.program):
        if isinstance(node, int):
            stack.append(x.columns[node])
        elif isinstance(node, float):
            stack.append(f"({node:.{DIGITS}g})")
        else:
            signs = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
            parts = [stack.pop() for _ in range(node.arity)]
            is_root = node.name == "sqrt"
            stack.append(
                f"sqrt(Abs({parts[0]}))" if is_root else f"({signs[node.name].join(parts)})"
            )
    return (lambda table: model.predict(np.array(table))), folded(stack.pop())


def fit_operon(x: Table, y: np.ndarray, seed: int) -> tuple[Values, str]:
    """Fit with error and length as objectives, BIC, optimised constants, 500,000 evaluations.

    On one law, its default criterion (MDL) chose too short a formula; one objective gave 50 nodes.
    """
    from pyoperon.sklearn import SymbolicRegressor

    from vjmgp.competitors.operon import OperonRegressor

    model = OperonRegressor()
    model.operon_ = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sqrt,square,constant,variable",
        objectives=["r2", "length"],
        model_selection_criterion="bayesian_information_criterion",
        optimizer_iterations=5,
        max_evaluations=500_000,
        random_state=seed,
    ).fit(np.array(x), y)
    text = model.model_text(list(x), DIGITS)
    return (lambda table: model.operon_.predict(np.array(table))), folded(text)


METHODS: dict[str, Callable[[Table, np.ndarray, int], tuple[Values, str]]] = {
    "vjmgp": fit_vjmgp,
    "vjmgp with div": lambda x, y, seed: fit_vjmgp(x, y, seed, "div"),
    "gplearn": fit_gplearn,
    "pyoperon": fit_operon,
}


def folded(text: str) -> str:
    """Return the text as written or as simplified by sympy, whichever is shorter."""
    import sympy

    expression = sympy.sympify(text)
    floats = {value: sympy.Float(value, DIGITS) for value in expression.atoms(sympy.Float)}
    return min(text, str(expression.xreplace(floats)), key=len)


# -- one fit, and all ----------------------------------------------------------------------------


def run_law(law: Law, method: str, rows: int, noise: float, seed: int) -> dict[str, Any]:
    """Fit one table and compare with the law."""
    rng = np.random.default_rng([seed, *law.stream, rows, int(1000 * noise)])
    x = law.draw(rng, rows)
    inside, outside = law.draw(rng, FRESH), law.draw(rng, FRESH, beyond=law.beyond)
    exact = law.values(x)
    y = exact + noise * exact.std() * rng.standard_normal(rows)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values, text = METHODS[method](x, y, seed)
        seconds = time.process_time() - start
        fits = {"inside": r2(law, values, inside), "outside": r2(law, values, outside)}
        gaps = gaps_of(law, values, (inside, outside))
        gaps["own"] = [noise * own_error(law, x, place) for place in (inside, outside)]
    about = {"law": law.text, "kind": law.kind, "rows": rows, "noise": noise, "seed": seed}
    result = {"length": len(text), **fits, **gaps, "seconds": seconds, "formula": text}
    return {"method": method, **about, **result}


def r2(law: Law, values: Values, points: Table) -> float:
    """Return R² against the law without noise, at least −1."""
    exact = law.values(points)
    score = 1.0 - np.mean((values(points) - exact) ** 2) / exact.var()
    return float(max(score, -1.0)) if np.isfinite(score) else -1.0


def distance(law: Law, values: Values, points: Table) -> float:
    """Return the root mean squared distance as a share of the law's deviation."""
    exact = law.values(points)
    return float(np.sqrt(np.mean((values(points) - exact) ** 2)) / exact.std())


def own_error(law: Law, x: Table, points: Table) -> float:
    """Return the standard error of the law's fitted terms for noise of the target's deviation."""
    terms = [np.column_stack([np.ones(len(table)), law.features(table)]) for table in (x, points)]
    spread = terms[1] @ np.linalg.pinv(terms[0])
    error = np.sqrt(np.mean(np.sum(spread**2, axis=1)))
    return float(error * law.values(x).std() / law.values(points).std())


def gaps_of(law: Law, values: Values, points: tuple[Table, Table]) -> dict[str, Any]:
    """Return distances inside and outside, and the effect of irrelevant inputs."""
    inside = points[0]
    others = inside.assign(**{name: inside[name].to_numpy()[::-1] for name in OTHERS})
    moved = np.sqrt(np.mean((values(others) - values(inside)) ** 2)) / law.values(inside).std()
    return {"gaps": [distance(law, values, place) for place in points], "moved": float(moved)}


def is_found(run: dict[str, Any], near: float = NEAR) -> bool:
    """Return whether the criterion of this module's docstring holds."""
    allowed = [max(near, TIMES * own) for own in run["own"]]
    close = all(gap <= most for gap, most in zip(run["gaps"], allowed, strict=True))
    return close and run["moved"] <= IDLE


def all_laws(kinds: list[str]) -> Iterator[Law]:
    for kind in kinds:
        if kind in LAWS:
            yield from (Law(text, kind) for text in LAWS[kind])
        else:
            yield from (OtherLaw(text, kind) for text, _ in MORE_LAWS[kind])


SETS = {"sixty": (LAWS, NOISE, ROWS), "more": (MORE_LAWS, MORE_NOISE, MORE_ROWS)}
"""Laws, noise and rows that are run by default."""


def run(options: argparse.Namespace) -> None:
    """Add a line for each fit that the file does not have yet."""
    lines = options.to.read_text("utf-8").splitlines() if options.to.exists() else []
    key = ("method", "law", "rows", "noise", "seed")
    done = {tuple(json.loads(line)[name] for name in key) for line in lines}
    if options.method.startswith("vjmgp"):
        from vjmgp import compile_kernels

        compile_kernels()  # not part of a fit's time
    with options.to.open("a", encoding="utf-8") as file:
        laws, every_noise, every_rows = SETS[options.set]
        chosen = [law for law in all_laws(list(laws)) if law.kind in (options.kinds or laws)]
        rows_and_noise = options.rows or every_rows, options.noise or every_noise
        for seed, law, rows, noise in product(options.seeds, chosen, *rows_and_noise):
            if (options.method, law.text, rows, noise, seed) not in done:
                record = run_law(law, options.method, rows, noise, seed)
                file.write(json.dumps(record) + "\n")
                file.flush()


# -- tables --------------------------------------------------------------------------------------


def summary(runs: Table) -> Table:
    """Return shares found by kind and by noise, and medians, for each method."""
    rows = {}
    for method, own in runs.groupby("method", sort=False):
        shares = own.groupby("kind", sort=False)["found"].mean()
        shares = pd.concat(
            [shares, own.groupby("noise")["found"].mean().rename("noise {:.0%}".format)]
        )
        exact = own["exact"][own["noise"] == 0.0]
        short = own[own["kind"].isin(["linear", "product"])]["length"] <= 40
        rows[method] = {
            "found": f"{own['found'].mean():.0%}",
            **shares.map("{:.0%}".format),
            **({"noise 0%, to 0.1%": f"{exact.mean():.0%}"} if len(exact) else {}),
            "length": f"{own['length'].median():.0f}",
            **({"linear, product ≤ 40": f"{short.mean():.0%}"} if len(short) else {}),
            "R² inside": f"{own['inside'].median():.4f}",
            "R² outside": f"{own['outside'].median():.4f}",
            "R² outside > 0.99": f"{(own['outside'] > 0.99).mean():.0%}",
            "CPU seconds": f"{own['seconds'].mean():.2g}",
            "fits": len(own),
        }
    return pd.DataFrame(rows)


def table(options: argparse.Namespace) -> None:
    """Print the summary."""
    from benchmarks.accuracy import markdown

    lines = [line for path in options.files for line in path.read_text("utf-8").splitlines()]
    records = [json.loads(line) for line in lines]
    runs = pd.DataFrame(records).assign(
        found=[is_found(record) for record in records],
        exact=[is_found(record, EXACT) for record in records],
    )
    if options.common:
        fitted = runs.groupby(["law", "rows", "noise", "seed"])["method"].transform("nunique")
        runs = runs[fitted == runs["method"].nunique()]
    print(markdown(summary(runs).reset_index(names="")))
    if options.missed:
        for row in runs[~runs["found"]].to_dict("records"):
            about = "{method}, {law}, {rows} rows, noise {noise:g}, seed {seed}".format(**row)
            print(f"{about}: {row['formula']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    fits = commands.add_parser("run")
    fits.add_argument("method", choices=METHODS)
    fits.add_argument("--seeds", type=int, nargs="+", default=[0])
    fits.add_argument("--set", choices=SETS, default="sixty", help="laws to fit")
    fits.add_argument("--kinds", nargs="+", choices=[*LAWS, *MORE_LAWS], help="some of the set's")
    fits.add_argument("--rows", type=int, nargs="+")
    fits.add_argument("--noise", type=float, nargs="+")
    fits.add_argument("--to", type=Path, required=True, help="file that lines are added to")
    fits.set_defaults(do=run)
    tables = commands.add_parser("table")
    tables.add_argument("files", type=Path, nargs="+")
    tables.add_argument("--common", action="store_true", help="only tables that all methods have")
    tables.add_argument("--missed", action="store_true", help="print formulas that are no laws")
    tables.set_defaults(do=table)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
