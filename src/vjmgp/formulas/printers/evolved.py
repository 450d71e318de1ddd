"""Trees as they were evolved: every scale, centre and function call, in sympy's syntax."""

from typing import TYPE_CHECKING

from ..functions import ATOM, FUNCTIONS, POWER, PRODUCT, SUM, fold
from ..numbers import number
from .precedence import Part

if TYPE_CHECKING:
    from ...models.symbolic import Feature, SymbolicModel

LEVELS = {"factor": PRODUCT, "product": PRODUCT, "power": POWER, "atom": ATOM}
"""The precedence that a place in a template requires, by its name."""


class EvolvedPart(Part):
    """A text that knows the places of a function's template: `{0:product}/{1:power}`."""

    def __format__(self, place: str) -> str:
        """Return the text as it stands in a place, in brackets if its precedence is too low."""
        text, level = self
        if place == "signed":
            return f" - {text[1:]}" if text.startswith("-") else f" + {text}"
        has_sign = text.startswith("-") and place in ("factor", "power", "atom")
        return f"({text})" if has_sign or level < LEVELS.get(place, SUM) else text


def evolved_text(model: "SymbolicModel", digits: int | None = None) -> str:
    """Return the whole model: intercept and weighted features, by default with all digits."""
    intercept, coefficients = model.original_units()
    text = number(intercept, digits)
    for coefficient, feature in zip(coefficients, model.features, strict=True):
        sign = "-" if coefficient < 0 else "+"
        part = _feature_part(feature, model, digits)
        text += f" {sign} {number(abs(coefficient), digits)}*{part:factor}"
    return text


def _feature_part(feature: "Feature", model: "SymbolicModel", digits: int | None) -> EvolvedPart:
    inputs, names = model.standardizer.inputs, model.variables
    user_functions = {function.name: function for function in model.functions}

    def leaf(column: int) -> EvolvedPart:
        name, mean, scale = names[column], inputs[column].mean, inputs[column].scale
        if (mean, scale) == (0.0, 1.0):
            return EvolvedPart(name, ATOM)
        sign = "-" if mean >= 0 else "+"
        shifted = f"{name} {sign} {number(abs(mean), digits)}"
        return EvolvedPart(f"({shifted})/{number(scale, digits)}", PRODUCT)

    def constant(value: float) -> EvolvedPart:
        return EvolvedPart(number(value, digits), ATOM if value >= 0 else PRODUCT)

    def call(name: str, parts: list[EvolvedPart]) -> EvolvedPart:
        if name in user_functions:
            texts = [f"{part:atom}" for part in parts]
            return EvolvedPart(user_functions[name].text_of(texts), ATOM)
        row = FUNCTIONS[name]
        return EvolvedPart(row.evolved.format(*parts), row.level)

    makers = leaf, constant, call
    part: EvolvedPart = fold(feature.codes, feature.constants, *makers, model.functions)
    return part
