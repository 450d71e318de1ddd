"""Optional packages of learners, found without importing them."""

import contextlib
import functools
import importlib
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any


@dataclass(frozen=True)
class Requirement:
    """Packages that a class needs in addition to vjmgp's dependencies."""

    modules: tuple[str, ...]
    distributions: tuple[str, ...]
    """Packages whose versions affect results; of alternative names, the installed one counts."""
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
"""Requirements by module of the class, or by a parent package."""


def requirement_of(path: str) -> Requirement | None:
    """Return the requirement of the class with this import path."""
    return next((REQUIREMENTS[name] for name in REQUIREMENTS if path.startswith(f"{name}.")), None)


def missing_extra(path: str) -> str | None:
    """Return the missing extra of vjmgp that the class needs, if any."""
    requirement = requirement_of(path)
    if requirement is None or all(map(importlib.util.find_spec, requirement.modules)):
        return None
    return requirement.extra


def import_all(path: str) -> None:
    """Import what the class needs, which it might otherwise import during a fit."""
    requirement = requirement_of(path)
    for module in requirement.modules if requirement else ():
        importlib.import_module(module)


def load_class(path: str) -> Any:
    """Return a class by its import path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


@functools.cache
def _providers(module: str) -> tuple[str, ...]:
    """Return the distributions that provide a module; none for a user's file."""
    if module in ("", "sklearn", "vjmgp"):  # every record has these versions
        return ()
    return tuple(sorted(set(packages_distributions().get(module, ()))))


def how_to_install(extras: Iterable[str]) -> str:
    """Return the installation command."""
    return f'pip install "vjmgp[{",".join(sorted(set(extras)))}]"'


def versions_for(path: str) -> dict[str, str]:
    """Return versions of packages that a class's results depend on, beyond the common ones."""
    requirement = requirement_of(path)
    found = {}
    for name in requirement.distributions if requirement else _providers(path.split(".")[0]):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
