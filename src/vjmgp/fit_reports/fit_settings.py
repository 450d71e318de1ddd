"""Settings of a fit and its report. Light to import: the command line reads its defaults here."""

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from ..core.suggestions import did_you_mean
from ..tables.errors import InputError

CHOICES: dict[str, tuple[Any, ...]] = {
    "decimal": (".", ","),
    "thousands": (".", ",", " ", "'"),
    "missing": ("error", "median", "indicator", "drop"),
    "dates": ("refuse", "elapsed"),
    "row_labels": ("drop", "keep"),
}
LISTS = ("nominal", "ignore", "functions", "na_values")
"""Settings with several values."""
HOLDOUT = re.compile(r"(last)?\s*(?:(\d*\.?\d+(?:e-?\d+)?)\s*(%?))?")
SHARE, MOST = 0.25, 0.9
"""Share of the rows that test a fit by default, and at most."""


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """Settings of `vjmgp.fit_report`, which describes them."""

    target: str
    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    na_values: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    weights: str | None = None
    missing: Literal["error", "median", "indicator", "drop"] = "error"
    dates: str = "refuse"
    row_labels: str = "drop"
    method: str = "VJM"
    population: int = 200
    generations: int = 100
    restarts: int = 1
    seconds: float | None = None
    functions: tuple[str, ...] = ()
    max_trees: int = 10
    max_size: int | None = None
    clip: bool = True
    seed: int = 0
    holdout: float | str | None = None
    folds: int | None = None
    repeats: int | None = None
    final_fit: bool = True
    interval: float = 0.9

    def __post_init__(self) -> None:
        for name in LISTS:
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        if self.holdout is not None:
            with contextlib.suppress(ValueError):
                object.__setattr__(self, "holdout", float(self.holdout))
        for name, choices in CHOICES.items():
            if getattr(self, name) not in (None, *choices):
                known = ", ".join(map(repr, choices))
                raise SettingError(name, f"is {getattr(self, name)!r}; it must be one of {known}.")
        for name, is_right, wanted in (
            ("holdout", 0 <= self.held_out <= MOST, "from 0 to 0.9, 'last', or such as 'last 20%'"),
            ("folds", self.folds is None or self.folds >= 2, "2 or more"),
            ("repeats", self.repeats is None or self.repeats >= 1, "1 or more"),
            ("seed", self.seed >= 0, "0 or more"),
            ("population", self.population >= 2, "2 or more"),
            ("generations", self.generations >= 0, "0 or more"),
            ("restarts", self.restarts >= 1, "1 or more"),
            ("seconds", self.seconds is None or self.seconds > 0, "more than 0"),
            ("max_trees", self.max_trees >= 1, "1 or more"),
            ("max_size", self.max_size is None or self.max_size >= 1, "1 or more"),
            ("interval", 0 < self.interval < 1, "between 0 and 1"),
        ):
            if not is_right:
                raise SettingError(name, f"is {getattr(self, name)!r}; it must be {wanted}.")
        if self.holdout is not None and (self.folds or self.repeats):
            text = "asks for one split; leave it out, or leave out folds and repeats."
            raise SettingError("holdout", text)

    @property
    def held_out(self) -> float:
        """The share of the rows that tests a fit if there is no cross-validation; −1 if wrong."""
        found = HOLDOUT.fullmatch(str(SHARE if self.holdout is None else self.holdout).strip())
        if found is None or not any(found.groups()):
            return -1.0
        return float(found[2] or SHARE) / (100.0 if found[3] else 1.0)

    @property
    def holds_out_last(self) -> bool:
        """Whether the last rows test a fit."""
        return str(self.holdout).strip().startswith("last")

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the settings among these values."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})

    def find_regularizer(self) -> str:
        """Return the regulariser of the method; raise if there is none."""
        from ..engine.paper_names import REGULARIZER_OF, regularizer_name

        name = regularizer_name(self.method)
        if name in REGULARIZER_OF.values():
            return name
        if "." not in self.method:
            known = ", ".join(REGULARIZER_OF)
            wanted = f"; it must be one of {known}, or the import path of a regulariser."
            hint = did_you_mean(self.method, REGULARIZER_OF) or wanted
            raise SettingError("method", f"is {self.method!r}{hint}")
        from ..engine.regularizers import find_regularizer

        try:
            find_regularizer(self.method)
        except ValueError as error:
            raise SettingError("method", f"is invalid: {error}") from None
        return self.method


class SettingError(InputError):
    """A wrong value of a setting."""

    def __init__(self, setting: str, problem: str) -> None:
        super().__init__("setting", problem)
        self.setting, self.args = setting, (setting, problem)

    def message(self, show_setting: Callable[[str], str] = repr) -> str:
        """Return the message; `show_setting` writes the name of the setting."""
        return f"{show_setting(self.setting)} {self.text}"
