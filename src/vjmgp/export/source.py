"""The source of every export: an expression, the columns that it needs, and a comment."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..formulas.input_names import unused
from ..formulas.nodes import Algebra, Node, in_order
from ..tables.preprocessing import MISSING, Column, Standardizer, level_text

if TYPE_CHECKING:
    from ..models.symbolic import SymbolicModel


class Levels(NamedTuple):
    """The codes of a nominal column's levels."""

    kind: str
    """ "text", "number" or "truth"; levels of several kinds are given as text."""
    names: list[Any]
    cases: list[tuple[Any, float]]
    """Levels whose code is not `other`."""
    missing: float | None
    """The code of a missing value, if it is not `other`."""
    other: float
    """The code of any other level."""


@dataclass(frozen=True)
class Exportable:
    """A model as an expression of its inputs."""

    model: "SymbolicModel"
    algebra: Algebra
    root: Node

    @property
    def standardizer(self) -> Standardizer:
        """The model's columns and target."""
        return self.model.standardizer

    @property
    def inputs(self) -> dict[int, Column]:
        """The inputs in the expression, by their position."""
        positions = sorted(int(n.number) for n in in_order(self.root) if n.kind == "input")
        return {k: self.standardizer.inputs[k] for k in positions}

    @property
    def columns(self) -> dict[str, list[Column]]:
        """The table's columns that are needed, each with the inputs derived from it."""
        found: dict[str, list[Column]] = {}
        for column in self.inputs.values():
            found.setdefault(column.name, []).append(column)
        return found

    @property
    def needed_numbers(self) -> list[str]:
        """The columns in which numbers must not be missing."""
        columns = self.columns
        return [n for n in self.numeric_columns if not any(map(may_be_missing, columns[n]))]

    @property
    def numeric_columns(self) -> list[str]:
        """The columns of numbers."""
        return [name for name, (first, *_) in self.columns.items() if first.codes is None]

    def comment(self, called: dict[str, str]) -> list[str]:
        """Return lines of comment; `called` maps columns to their names in the code."""
        from .. import __version__

        target = self.standardizer
        low, high = target.target_range
        lines = [f"Written by vjmgp {__version__} from the model", str(self.model)]
        lines += [
            (f"Column {name!r}" if called[name] == name else f"{called[name]}: column {name!r}")
            + _training_facts(columns)
            for name, columns in self.columns.items()
        ]
        beyond = "between {:.6g} and {:.6g}".format(*target.limits)
        where = beyond if target.reach else "within this range"
        are = f"stay {where}, and are" if target.clips else "are"
        given = f"{low:.6g} to {high:.6g}; predictions {are}"
        lines.append(f"The training target has the range {given}")
        lines.append(f"its mean, {target.target_mean:.6g}, where the formula is undefined.")
        return [" ".join(line.split()) for line in lines]


def may_be_missing(column: Column) -> bool:
    """Return whether the input is defined for a missing value."""
    return column.fill is not None or column.tells_missing or MISSING in (column.codes or {})


def _training_facts(columns: Sequence[Column]) -> str:
    first = columns[0]
    if first.codes is not None:
        return ", levels " + ", ".join(map(repr, map(level_text, first.codes)))
    for column in columns:
        if column.limits is not None:
            filled = "" if column.fill is None else f", {column.fill:.6g} where missing"
            return f", {column.limits[0]:.6g} to {column.limits[1]:.6g} in training{filled}"
    return ""


def source_of(model: "SymbolicModel", *, rounded: bool = False) -> Exportable:
    """Return the model's simplified or displayed form; raise if it is undefined everywhere."""
    form = model.shown.rounded if rounded else model.shown.exact
    for node in in_order(form):
        if not all(map(math.isfinite, (node.number, *node.numbers))):
            raise ValueError("The formula is undefined everywhere: there is nothing to export.")
    return Exportable(model, model.shown.algebra, form)


def levels_of(column: Column) -> Levels:
    """Return the levels of an input that is derived from a nominal column."""
    codes = dict(column.codes or {})
    missing = codes.get(MISSING, column.unseen)
    types = {type(level) for level in codes if level != MISSING}
    kind = "truth" if types == {bool} else "number" if types <= {int, float} else "text"
    if kind != "text":  # a text may be the marker itself
        codes.pop(MISSING, None)
    for level in codes:
        if "\0" in str(level) or level in (math.inf, -math.inf):
            raise ValueError(
                f"The column {column.name!r} has the level {level!r}, which cannot be exported: "
                "replace it before the fit."
            )
    known = {level_text(level) if kind == "text" else level: code for level, code in codes.items()}
    if len(known) < len(codes):
        raise ValueError(
            f"The column {column.name!r} has levels that differ only in being text or a number: "
            "they cannot be exported."
        )
    cases = [(level, code) for level, code in known.items() if code != column.unseen]
    found = missing if missing != column.unseen else None
    return Levels(kind, list(known), cases, found, column.unseen)


def literal(level: Any, quote: str) -> str:
    """Return a level as SQL and Excel write it; quotation marks in a text are doubled."""
    if isinstance(level, str):
        return quote + level.replace(quote, 2 * quote) + quote
    return str(level).upper() if isinstance(level, bool) else repr(level)


def escaped(codes: Iterable[int], special: str, template: str) -> str:
    """Return characters with a template in place of special ones and of those beyond ASCII."""
    plain = {*range(32, 127)} - {*map(ord, special)}
    return "".join(chr(code) if code in plain else template.format(code) for code in codes)


def words(names: Sequence[str], reserved: Iterable[str], reserved_form: str = "") -> list[str]:
    """Return the names as words of ASCII letters, digits and single underscores.

    They are distinct even if case is ignored, and none has the form that is reserved.
    """
    taken = {word.lower() for word in reserved}
    result = []
    for name in names:
        plain = unicodedata.normalize("NFKD", str(name)).encode("ascii", "ignore").decode()
        word = re.sub(r"[\W_]+", "_", plain).strip("_")
        if not word[:1].isalpha() or word.lower() in taken or re.fullmatch(reserved_form, word):
            word = f"x_{word}".strip("_")
        result.append(word + unused(word.lower(), taken).removeprefix(word.lower()))
        taken.add(result[-1].lower())
    return result
