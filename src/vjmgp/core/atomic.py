"""State is whole or not at all."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

Estimator = TypeVar("Estimator")
P = ParamSpec("P")


def whole_or_not_at_all(
    method: Callable[Concatenate[Estimator, P], Any],
) -> Callable[Concatenate[Estimator, P], Estimator]:
    """A method that changes an estimator entirely or, where it fails, not at all.

    It works on a copy, whose attributes take the place of the estimator's own once it is through,
    in one step. So an error, Ctrl-C or a callback that raises leaves an earlier fit as it was.
    """

    @functools.wraps(method)
    def on_a_copy(self: Estimator, /, *args: P.args, **kwargs: P.kwargs) -> Estimator:
        fresh = object.__new__(type(self))
        fresh.__dict__ = dict(self.__dict__)
        method(fresh, *args, **kwargs)
        self.__dict__ = fresh.__dict__
        return self

    return on_a_copy
