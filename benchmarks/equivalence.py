"""Judge whether the text of a formula is a known law, by the criterion of SRBench.

Both are read with plain symbols and π as 3.1415926535. Constants below 0.0001 become 0, others are
rounded to three decimals and three significant digits. The formula is a solution if its R² on test
rows is above 0.5, and its difference from the law, or its ratio to it, simplifies to a constant.
SRBench's program simplifies the formula, then its difference; on three of its laws it does not find
that they equal themselves. If values agree, too, other orders of the same steps are therefore tried
as well (`MORE`).

SymPy runs in a separate process and is stopped after a time limit; the formula then counts as not
equivalent. Formulas whose values are far from the law's are settled without SymPy.
"""

from __future__ import annotations

import functools
import multiprocessing
import re
import warnings
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

PI = "3.1415926535"
ZERO, DECIMALS = 1e-4, 3
LEAST_R2 = 0.5
FAR, FAR_ROUNDED, EQUAL = 0.05, 0.01, 3e-4
"""Distances from the law: no constant helps beyond the first, or after rounding the second; values
within the last are equal but for three digits."""
SECONDS = 60.0
MORE = "more simplification"
"""The reason of solutions that SRBench's program does not recognise."""


class Verdict(NamedTuple):
    """Whether a formula is the law, and which step decided: `difference`, `ratio`, `far`, …"""

    solved: bool
    reason: str


def distance(values: np.ndarray, law: np.ndarray) -> float:
    """Return the distance of values from the law, up to a summand or else a factor.

    It is relative to the law's deviation, or to the mean ratio; infinite if values are undefined.
    """
    with np.errstate(all="ignore"):
        difference = np.std(values - law) / np.std(law)
        ratio = values / law
        gaps = np.nan_to_num([difference, np.std(ratio) / abs(np.mean(ratio))], nan=np.inf)
    return float(gaps.min())


def rounded(expression: Any) -> Any:
    """Round the constants of an expression as SRBench does."""
    from sympy import Float, Integer, preorder_traversal

    for value in [node for node in preorder_traversal(expression) if isinstance(node, Float)]:
        small = abs(value) < ZERO
        expression = expression.subs(
            value, Integer(0) if small else Float(round(value, DECIMALS), DECIMALS)
        )
    return expression


@functools.lru_cache(maxsize=1000)
def parsed(text: str, names: tuple[tuple[str, str], ...]) -> Any:
    """Read a formula; `names` pairs the words for inputs with the inputs."""
    from sympy import Symbol
    from sympy.parsing.sympy_parser import parse_expr

    symbols = {word: Symbol(name) for word, name in names}
    return rounded(parse_expr(re.sub(r"\bpi\b", PI, text), local_dict=symbols))


def is_constant(expression: Any) -> bool:
    """Return whether SymPy proves that an expression is a finite constant."""
    from sympy import nan, oo, zoo

    return not expression.has(nan, zoo, oo) and expression.is_constant() is True


def compare(
    text: str, names: Mapping[str, str], law: str, rows: Mapping[str, np.ndarray]
) -> Verdict:
    """Compare a formula with the law without a time limit."""
    from sympy import nan, oo, simplify, zoo

    truth = parsed(law, tuple((name, name) for name in rows))
    formula = parsed(text, tuple(names.items()))
    if {nan, zoo, oo} & formula.atoms():
        return Verdict(False, "far")
    gap = distance(*(_values(expression, rows) for expression in (formula, truth)))
    if gap > FAR_ROUNDED:
        return Verdict(False, "far")
    simple = simplify(formula, ratio=1)
    if is_constant(rounded(simple / truth)):
        return Verdict(True, "ratio")
    difference = rounded(truth - simple)
    if is_constant(difference) or is_constant(rounded(simplify(difference, ratio=1))):
        return Verdict(True, "difference")
    rest = (formula / truth, truth - formula, simplify(simple / truth), simplify(truth - simple))
    if gap <= EQUAL and any(is_constant(rounded(expression)) for expression in rest):
        return Verdict(True, MORE)
    return Verdict(False, "different")


def _values(expression: Any, rows: Mapping[str, np.ndarray]) -> np.ndarray:
    from sympy import Float, lambdify

    # Printing rounds a constant to its digits, which have fewer than its bits.
    whole = expression.xreplace({x: Float(float(x)) for x in expression.atoms(Float)})
    values = lambdify(list(rows), whole, "numpy")(*rows.values())
    return np.broadcast_to(values, len(next(iter(rows.values()))))


def serve(connection: Connection) -> None:
    """Answer questions until the connection is closed."""
    import sympy  # noqa: F401, imported before the first question's time starts

    connection.send(None)
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer = compare(*question)
        except Exception as error:  # noqa: BLE001, as in SRBench: whatever SymPy cannot do
            answer = Verdict(False, type(error).__name__)
        connection.send(answer)


class Judge:
    """Compare formulas with laws in a process that is restarted if it exceeds the time limit."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: Any = None

    def __call__(
        self,
        text: str,
        values: Sequence[float] | np.ndarray,
        names: Mapping[str, str],
        law: str,
        rows: Mapping[str, np.ndarray],
        exact: np.ndarray,
    ) -> Verdict:
        """Judge a text with these values at rows where the law has the values `exact`.

        `names` maps the words that the text uses to inputs, which are the keys of `rows`.
        """
        values = np.asarray(values, dtype=float)
        if not r2(values, exact) > LEAST_R2 or distance(values, exact) > FAR:
            return Verdict(False, "far")
        if self._process is None:
            self._start()
        self._connection.send((text, dict(names), law, dict(rows)))
        if self._connection.poll(self.seconds):
            answer: Verdict = self._connection.recv()
            return answer
        self.close()
        return Verdict(False, "time")

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other,), daemon=True)
        self._process.start()
        other.close()
        self._connection.recv()

    def close(self) -> None:
        """Stop the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None


def r2(values: np.ndarray, exact: np.ndarray) -> float:
    """Return R²; −∞ if values are undefined."""
    with np.errstate(all="ignore"):
        score = 1.0 - np.mean((values - exact) ** 2) / np.var(exact)
    return float(score) if np.isfinite(score) else -np.inf
