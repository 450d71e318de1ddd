"""Which optional package a learner needs: told before anything runs, without importing it."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any


@dataclass(frozen=True)
class Requirement:
    """What a class needs that vjmgp alone does not bring."""

    modules: tuple[str, ...]
    distributions: tuple[str, ...]
    """Whose versions decide its results; of several names for one package, that which is there."""
    extra: str


REQUIREMENTS = {
    "lightgbm": Requirement(("lightgbm",), ("lightgbm",), "competitors"),
    "xgboost": Requirement(("xgboost",), ("xgboost-cpu", "xgboost"), "competitors"),
    "vjmgp.competitors.operon": Requirement(("pyoperon",), ("pyoperon",), "competitors"),
    "vjmgp.competitors.ffx": Requirement(("ffx", "six"), ("ffx",), "competitors"),
    "vjmgp.competitors.excelformer": Requirement(
        ("torch", "torch_frame"), ("torch", "pytorch-frame"), "excelformer"
    ),
}
"""By module: that of the class, or one above it."""


def requirement_of(path: str) -> Requirement | None:
    """What the class with this import path needs."""
    for module, requirement in REQUIREMENTS.items():
        if path.startswith(f"{module}."):
            return requirement
    return None


def missing_extra(path: str) -> str | None:
    """The extra of vjmgp that has to be installed for the class, if any."""
    requirement = requirement_of(path)
    if requirement is None or all(map(importlib.util.find_spec, requirement.modules)):
        return None
    return requirement.extra


def import_all(path: str) -> None:
    """Import what the class needs, which it may otherwise do when it is fitted."""
    requirement = requirement_of(path)
    for module in requirement.modules if requirement else ():
        importlib.import_module(module)


def load_class(path: str) -> Any:
    """A class by its import path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


@functools.cache
def _providers(module: str) -> tuple[str, ...]:
    """The distributions that a module is from; none for a file of the user's own."""
    if module in ("", "sklearn", "vjmgp"):  # every record has their versions
        return ()
    return tuple(sorted(set(packages_distributions().get(module, ()))))


def how_to_install(extras: Iterable[str]) -> str:
    """The command."""
    return f'pip install "vjmgp[{",".join(sorted(set(extras)))}]"'


def versions_for(path: str) -> dict[str, str]:
    """Versions of the packages that a class's results depend on, beyond those of every method."""
    requirement = requirement_of(path)
    found = {}
    for name in requirement.distributions if requirement else _providers(path.split(".")[0]):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
