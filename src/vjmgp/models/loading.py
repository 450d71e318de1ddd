"""Load models of any kind from files."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..formulas.user_function import UserFunction
from .ensemble import BlendModel, FrontModel
from .symbolic import SymbolicModel


def load_model(path: str | os.PathLike[str], functions: Sequence[UserFunction] = ()) -> Any:
    """Read a model that `to_json` wrote: a SymbolicModel, FrontModel or BlendModel.

    If the model contains functions of the user, give them as `functions`: no file contains code.

    Parameters
    ----------
    path : path
        The file.
    functions : sequence of UserFunction
        The functions of the user that the model contains.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from vjmgp import VJMRegressor, load_dataset, load_model
    >>> data = load_dataset("192_vineyard")
    >>> model = VJMRegressor(generations=5, random_state=0).fit(data.inputs, data.target).model_
    >>> with TemporaryDirectory() as folder:
    ...     text = model.to_json(Path(folder) / "model.json")
    ...     again = load_model(Path(folder) / "model.json")
    >>> str(again) == str(model)
    True

    """
    try:
        return _from_text(Path(path).read_text(encoding="utf-8"), functions)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except TypeError:
        raise ValueError(f"load_model takes the path of a file, not {path!r}.") from None
    except RecursionError:
        raise ValueError(
            f"{path}: The model is malformed: its lists are nested too deeply."
        ) from None


def _from_text(text: str, functions: Sequence[UserFunction]) -> Any:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"This is not a vjmgp model: it is not JSON ({error}).") from None
    kinds = {kind.format: kind for kind in (FrontModel, BlendModel)}
    name = data.get("format") if isinstance(data, dict) else None
    kind = kinds.get(name, SymbolicModel) if isinstance(name, str) else SymbolicModel
    return kind.from_dict(data, functions)
