"""Lay out small charts, which templates write as SVG. They need no plotting library."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

RATIO = 20.0
"""Ratio of the largest to the smallest value from which an axis may be logarithmic."""


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`, which are at the places `start` and `end` of a picture."""

    low: float
    high: float
    start: float
    end: float
    most: int = 6
    """Largest number of ticks."""
    log: bool = False

    @classmethod
    def around(cls, values: Any, start: float, end: float, most: int = 6) -> Self:
        """Return a linear axis with some space beyond its values."""
        low, high = float(np.min(values)), float(np.max(values))
        space = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
        return cls(low - space, high + space, start, end, most)

    def logarithmic(self, values: Any) -> Self:
        """Return a logarithmic axis if the values need one, otherwise this one."""
        low, high = float(np.min(values)), float(np.max(values))
        if not 0.0 < RATIO * low < high:
            return self
        return replace(self, low=low / 1.2, high=high * 1.2, log=True)

    def at(self, value: float) -> float:
        """Return the place of a value."""
        ends = np.array([self.low, self.high, value])
        low, high, place = np.log(ends) if self.log else ends
        return round(float(self.start + (self.end - self.start) * (place - low) / (high - low)), 1)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of round values."""
        values = self._decades() if self.log else self._multiples()
        return [(self.at(value), f"{value:.6g}".replace("-", "−")) for value in values]

    def _decades(self) -> list[float]:
        powers = 10.0 ** np.arange(np.floor(np.log10(self.low)), np.log10(self.high) + 1.0)
        for digits in ((1, 2, 5), (1, 3), (1,)):
            values = [n * power for power in powers.tolist() for n in digits]
            inside = [value for value in values if self.low <= value <= self.high]
            if len(inside) <= self.most:
                return inside
        return inside[:: len(inside) // self.most + 1]

    def _multiples(self) -> list[float]:
        """Return multiples of 1, 2 or 5 times a power of ten."""
        least = (self.high - self.low) / self.most
        power = 10.0 ** np.floor(np.log10(least))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= least)
        first, last = np.ceil(self.low / step), np.floor(self.high / step)
        return [float(f"{k * step:.12g}") + 0.0 for k in np.arange(first, last + 1.0).tolist()]
