"""Make a method atomic: if it fails, the estimator is left unchanged."""

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

Estimator = TypeVar("Estimator")
P = ParamSpec("P")


def atomic(
    method: Callable[Concatenate[Estimator, P], Any],
) -> Callable[Concatenate[Estimator, P], Estimator]:
    """Return a method that changes the estimator completely or, if it raises, not at all.

    It runs on a copy, whose attributes replace those of the estimator in one step when it is done.
    An error, Ctrl-C or a callback that raises therefore leaves an earlier fit as it was.
    """

    @functools.wraps(method)
    def run_on_copy(self: Estimator, /, *args: P.args, **kwargs: P.kwargs) -> Estimator:
        fresh = object.__new__(type(self))
        fresh.__dict__ = dict(self.__dict__)
        method(fresh, *args, **kwargs)
        self.__dict__ = fresh.__dict__
        return self

    return run_on_copy
