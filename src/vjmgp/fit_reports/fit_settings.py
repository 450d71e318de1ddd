"""Settings of a fit and its report. Light to import: the command line reads its defaults here."""

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
    holdout: float = 0.25
    final_fit: bool = True
    interval: float = 0.9

    def __post_init__(self) -> None:
        for name in LISTS:
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        for name, choices in CHOICES.items():
            if getattr(self, name) not in (None, *choices):
                known = ", ".join(map(repr, choices))
                raise SettingError(name, f"is {getattr(self, name)!r}; it must be one of {known}.")
        for name, is_right, wanted in (
            ("holdout", 0 <= self.holdout <= 0.9, "from 0 to 0.9"),
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
