"""Examples in docstrings."""

import doctest
import importlib

import pytest

import vjmgp

MODULES = sorted({home for home in vjmgp._HOME.values() if not home.startswith("engine.")})


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    module = importlib.import_module(f"vjmgp.{name}")
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_public_functions_have_an_example():
    shown = [getattr(vjmgp, name) for name in vjmgp.__all__]
    ours = [thing for thing in shown if callable(thing) and "engine" not in thing.__module__]
    without = {thing.__name__ for thing in ours if ">>>" not in (thing.__doc__ or "")}
    assert without == {"Dataset", "ExtrapolationWarning"}
