"""The tables of functions: definitions, and texts in every language.

Functions of trees have the engine's names. Formulas consist of sums, products, powers and calls,
from which `build` makes such a function; printers write them by precedence.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..engine.trees import primitives as engine

if TYPE_CHECKING:
    from .nodes import Node

SUM, PRODUCT, POWER, ATOM = range(4)
"""Precedence of a text: the lower, the sooner it needs brackets."""
USUAL_CALLS: dict[str, Callable[[str], str]] = {
    "text": "{}({{}})".format,
    "latex": r"\{}{{{{\left({{}}\right)}}}}".format,
    "mathml": "<mrow><mi>{}</mi><mrow><mo>(</mo>{{}}<mo>)</mo></mrow></mrow>".format,
    "python": "np.{}({{}})".format,
    "c": "{}({{}})".format,
    "sql": "{}({{}})".format,
    "postgres": "{}({{}})".format,
    "excel": lambda name: f"{name.upper()}({{}})",
    "st": lambda name: f"{name.upper()}({{}})",
}
"""The languages, each with its usual call of a function: a template for the arguments.

"text" is sympy's syntax, "sql" SQLite's dialect, "st" Structured Text.
"""


class Call:
    """A function that formulas call by name, with its template in each language.

    `{0}` stands for all arguments; a template with `{1}` takes two and is nested for more.
    `parity` is 1 for an even function, −1 for an odd one, 0 for any other.
    """

    def __init__(
        self,
        numpy: Callable[..., Any],
        parity: int = 0,
        is_never_negative: bool = False,
        **texts: str,
    ) -> None:
        self.numpy, self.parity, self.is_never_negative = numpy, parity, is_never_negative
        self._texts = texts

    def template(self, name: str, language: str) -> str:
        """Return the template of the call in a language."""
        return self._texts.get(language) or USUAL_CALLS[language](name)


CALLS = {
    "max": Call(
        np.maximum, text="Max({})", latex=r"\max\left({}\right)", python="np.maximum({0}, {1})",
        c="larger({0}, {1})", postgres="GREATEST({})"),
    "min": Call(
        np.minimum, text="Min({})", latex=r"\min\left({}\right)", python="np.minimum({0}, {1})",
        c="smaller({0}, {1})", postgres="(-GREATEST({}))"),  # of negated arguments
    "log": Call(np.log, sql="ln({})", postgres="ln({})", excel="LN({})", st="LN({})"),
    "sin": Call(np.sin, parity=-1),
    "cos": Call(np.cos, parity=1),
    "abs": Call(
        np.abs, is_never_negative=True, text="Abs({})", latex=r"\left|{}\right|",
        mathml="<mrow><mo>|</mo>{}<mo>|</mo></mrow>", c="fabs({})"),
    "exp": Call(
        np.exp, is_never_negative=True, latex="e^{{{}}}",
        mathml="<msup><mi>e</mi><mrow>{}</mrow></msup>",
        # Where overflow is an error, large arguments are limited.
        postgres="exp(-GREATEST(-700.0, -GREATEST(-700.0, {})))",
        excel="EXP(MIN({},700))", st="EXP(MIN({}, 700.0))"),
    "tanh": Call(np.tanh, parity=-1, st="(1.0 - 2.0/(EXP(MIN(2.0*({}), 700.0)) + 1.0))"),
    "cbrt": Call(
        np.cbrt, parity=-1, text="real_root({}, 3)", latex=r"\sqrt[3]{{{}}}",
        mathml="<mroot><mrow>{}</mrow><mn>3</mn></mroot>",
        sql="(sign({0})*power(abs({0}), 1.0/3.0))", excel="(SIGN({0})*ABS({0})^(1/3))",
        st="(SEL({0} < 0.0, 1.0, -1.0)*EXPT(ABS({0}), 1.0/3.0))"),
    "atan": Call(
        np.arctan, parity=-1, latex=r"\operatorname{{atan}}{{\left({}\right)}}",
        python="np.arctan({})"),
    "step": Call(
        lambda a: np.heaviside(a, 0.0), is_never_negative=True, text="Heaviside({}, 0)",
        latex=r"\theta\left({}\right)", python="np.heaviside({}, 0.0)",
        sql="(1.0*({0} > 0.0))", excel="IF({0}>0,1,0)", st="SEL({0} > 0.0, 0.0, 1.0)",
        postgres="CASE WHEN {0} = 'NaN' THEN 'NaN' WHEN {0} > 0.0 THEN 1.0 ELSE 0.0 END"),
}  # fmt: skip
"""The functions that formulas call by name; all take one argument but "max" and "min"."""


class TreeFunction(NamedTuple):
    """A function that trees are built from."""

    numpy: Callable[..., Any]
    """The definition: the kernels are tested against it."""
    evolved: str
    """A template of the tree as evolved, in sympy's syntax: `printers/evolved.py`."""
    level: int = ATOM
    """The precedence of that text."""
    build: "Callable[..., Node] | None" = None
    """Builds the function by an `Algebra` from its nodes; None for the call itself."""


ROWS: dict[str, tuple[Any, ...]] = {
    "add": (np.add, "{0}{1:signed}", SUM, lambda g, a, b: g.sum([(a, 1.0), (b, 1.0)])),
    "sub": (np.subtract, "{0} - {1:factor}", SUM, lambda g, a, b: g.sum([(a, 1.0), (b, -1.0)])),
    "mul": (np.multiply, "{0:product}*{1:factor}", PRODUCT,
            lambda g, a, b: g.product([(a, 1.0), (b, 1.0)])),
    "aq": (lambda a, b: a / np.sqrt(1.0 + b * b), "{0:product}/sqrt(1 + {1:atom}**2)", PRODUCT,
           lambda g, a, b: g.product([(a, 1.0), (g.one_plus_square(b), -0.5)])),
    "max": (np.maximum, "Max({0}, {1})"),
    "min": (np.minimum, "Min({0}, {1})"),
    "square": (np.square, "{0:atom}**2", POWER, lambda g, a: g.power(a, 2.0)),
    "log": (lambda a: np.log(np.sqrt(1.0 + a * a)), "log(sqrt(1 + {0:atom}**2))", ATOM,
            lambda g, a: g.scaled(g.call("log", g.one_plus_square(a)), 0.5)),
    "sqrt": (lambda a: np.sqrt(np.abs(a)), "sqrt(Abs({0}))", ATOM, lambda g, a: g.root(a)),
    "sin": (lambda a: np.sin(np.pi * a), "sin(pi*{0:factor})", ATOM,
            lambda g, a: g.call("sin", g.scaled(a, np.pi))),
    "cos": (lambda a: np.cos(np.pi * a), "cos(pi*{0:factor})", ATOM,
            lambda g, a: g.call("cos", g.scaled(a, np.pi))),
    "abs": (np.abs, "Abs({0})"),
    "neg": (np.negative, "-{0:factor}", PRODUCT, lambda g, a: g.scaled(a, -1.0)),
    # A divisor of 0 gives NaN, so that the formula is the plain quotient.
    "div": (lambda a, b: np.where(b == 0.0, np.nan, a / b), "{0:product}/{1:power}", PRODUCT,
            lambda g, a, b: g.product([(a, 1.0), (b, -1.0)])),
    "inv": (lambda a: np.where(a == 0.0, np.nan, 1.0 / a), "1/{0:power}", PRODUCT,
            lambda g, a: g.power(a, -1.0)),
    "exp": (lambda a: np.exp(np.minimum(a, engine.LARGEST_EXPONENT)),
            f"exp(Min({{0}}, {engine.LARGEST_EXPONENT:g}))", ATOM,
            lambda g, a: g.call("exp", g.call("min", a, g.number(engine.LARGEST_EXPONENT)))),
    "gauss": (lambda a: np.exp(-(a * a)), "exp(-{0:atom}**2)", ATOM,
              lambda g, a: g.call("exp", g.scaled(g.power(a, 2.0), -1.0))),
    "tanh": (np.tanh, "tanh({0})"),
    "sigmoid": (lambda a: 1.0 / (1.0 + np.exp(-a)), "1/(1 + exp(-{0:factor}))", PRODUCT,
                lambda g, a: g.power(g.sum([(g.call("exp", g.scaled(a, -1.0)), 1.0)], 1.0), -1.0)),
    "cube": (lambda a: a * a * a, "{0:atom}**3", POWER, lambda g, a: g.power(a, 3.0)),
    "cbrt": (np.cbrt, "real_root({0}, 3)"),
    "atan": (np.arctan, "atan({0})"),
    "step": (CALLS["step"].numpy, "Heaviside({0}, 0)"),
    "ln": (lambda a: np.log(np.where(a > 0.0, a, np.nan)), "log({0})", ATOM,
           lambda g, a: g.call("log", a)),
    "exponential": (np.exp, "exp({0})", ATOM, lambda g, a: g.call("exp", a)),
}  # fmt: skip
FUNCTIONS = {name: TreeFunction(*row) for name, row in ROWS.items()}
"""The functions of trees by the engine's names."""


def fold(
    codes: Sequence[int],
    constants: Sequence[float],
    leaf: Callable[[int], Any],
    constant: Callable[[float], Any],
    call: Callable[[str, list[Any]], Any],
    user_functions: Sequence[engine.UserFunctionLike] = (),
) -> Any:
    """Walk a prefix tree bottom up: leaves by column number, constants, function calls."""
    functions = engine.functions_by_code(user_functions)
    stack: list[Any] = []
    for code, value in zip(reversed(codes), reversed(constants), strict=True):
        if code >= engine.FIRST_VARIABLE:
            stack.append(leaf(code - engine.FIRST_VARIABLE))
        elif code == engine.CONSTANT:
            stack.append(constant(value))
        else:
            function = functions[code]
            stack.append(call(function.name, [stack.pop() for _ in range(function.arity)]))
    return stack[0]
