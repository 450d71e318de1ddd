"""Tests that invalid input raises one clear line that names it, before any work."""

import copy
import datetime
import json
import re
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import DataConversionWarning

from vjmgp import VJMRegressor, load_dataset, load_model, r2
from vjmgp.engine.parameters import PARAMETERS, checked
from vjmgp.engine.settings import Settings
from vjmgp.tables import validation
from vjmgp.tables.preprocessing import fit_standardizer, nominal_columns

NAN, INF, HUGE = float("nan"), float("inf"), 1.7e308
ROWS = 30
SHAPES = [(), (0,), (2,), (2, 1), (2, 2), (0, 2), (2, 0), (1, 2, 2)]
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(5, 3, size=(ROWS, 3)), columns=["speed", "wind chill", "3rd"])
MATRIX = TABLE.to_numpy()
TARGET = MATRIX[:, 0] * MATRIX[:, 1]
DAYS = pd.date_range("2020-01-01", periods=ROWS)
HOURS = pd.to_timedelta(np.arange(ROWS), unit="h")
OBJECTS = MATRIX.astype(object)


class Bad(NamedTuple):
    what: str
    call: Callable
    message: str
    error: type[Exception] = ValueError


def small(**parameters):
    return VJMRegressor(**{"population_size": 10, "generations": 1, "random_state": 0} | parameters)


def fit(X=TABLE, y=TARGET, **parameters):
    return lambda at: small(**parameters).fit(X, y)


def with_cell(value, table=TABLE):
    """Return the table with a value in the fourth row of its second column replaced."""
    changed = table.astype(object)
    if isinstance(changed, np.ndarray):
        changed[3, 1] = value
    else:
        changed.iloc[3, 1] = value
    return changed


def with_target(value, dtype=object):
    changed = TARGET.astype(dtype)
    changed[3] = value
    return changed


def masked(values):
    mask = np.zeros(np.shape(values), bool)
    mask[3] = True
    return np.ma.MaskedArray(values, mask)


class Frame:
    """A table that converts to pandas, as in polars and others."""

    def __init__(self, table):
        self.table, self.columns = table, list(table.columns)

    def to_pandas(self):
        return self.table


NOT_WHOLE = [2.5, "many", None, True, NAN, [3]]
NOT_RATES = ["often", None, -0.1, 1.5, NAN, INF, True, [0.5]]
NOT_POSITIVE = ["wide", None, 0.0, -1.0, NAN, INF, True]
NOT_FLAGS = ["no", None, 1, 0.0, []]
NOT_WORDS = ["no such word", None, 5, ["model"]]
WRONG: dict[str, list] = {
    "regularizer": [
        *("jensen", "", None, 5, ["jensen_gap"], "antigravity.x", "nowhere.Thing"),
        *("numpy.ndarray", "numpy.f2py.__main__.X", "a..b", "subprocess.Popen"),
    ],
    "population_size": [*NOT_WHOLE, 1, -5, 10**9],
    "generations": [*NOT_WHOLE, -1, 10**12],
    "max_time": ["a while", 0, -1.0, NAN, INF, True],
    "patience": [1.5, "long", True, NAN, [3], 0, -1],
    "max_rows": [1.5, "all", True, NAN, [3], 0, 9, -1],
    "restarts": [*NOT_WHOLE, 0, 10**9],
    "n_jobs": [0, 1.5, "all", True],
    "warm_start": ["no", None, 1, 0.5],
    "random_state": [-1, 1.5, "lucky", NAN, True, np.random.default_rng(0)],
    "functions": [
        *("add", (), ("add", "tan"), None, 5, ("add", None), {"add": 1}, {"add"}, iter(["add"])),
    ],
    "forbidden_inside": [
        *("sin", ("sin",), {"sin": "cos"}, {"sin": ()}, {3: ("sin",)}, {"sin": (3,)}),
    ],
    "max_size": [2.5, "many", True, NAN, [3], 0, -1, 10**9],
    "max_trees": [*NOT_WHOLE, 0, 10**6],
    "max_depth": [*NOT_WHOLE, 0, 40],
    "init_depth": [2, (3, 2), (0.5, 2), (0, 1, 2), (0, 11), (-1, 2), "03", None],
    "selection": [*NOT_WORDS, "roulette"],
    "crossover_rate": NOT_RATES,
    "mutation_rate": NOT_RATES,
    "addition_rate": NOT_RATES,
    "deletion_rate": NOT_RATES,
    "ridge_alphas": [1.0, (), (0.0,), (-1.0,), (INF,), (NAN,), ("strong",), None, "1", {1.0}],
    "rounds": [*NOT_WHOLE, 0, 10**9],
    "mixup_alpha": NOT_POSITIVE,
    "mixup_gamma": NOT_POSITIVE,
    "mixup_kernel": NOT_WORDS,
    "fold_share": NOT_FLAGS,
    "sigma": NOT_POSITIVE,
    "tau": ["low", None, -1.0, NAN, INF, True, 10**400],
    "noise_r2": ["good", NAN, INF, -INF, 1.5, True],
    "noise_score": NOT_WORDS,
    "intrusion_detection": ["yes", None, 1],
    "intrusion_margin": ["wide", None, -0.1, NAN, INF, True],
    "early_stopping": NOT_FLAGS,
    "unscaled_clean_features": NOT_FLAGS,
    "final_rule": [*NOT_WORDS, "best"],
    "node_price": ["low", None, -1, NAN, INF, True],
    "predict_with": [*NOT_WORDS, "all"],
    "clip_predictions": NOT_FLAGS,
    "categorical_features": [1.5, {"speed": 1}, [1.5], [None], object(), iter([0])],
    "encoding": NOT_WORDS,
    "missing": [*NOT_WORDS, "mean"],
    "row_labels": [*NOT_WORDS, "ignore", None],
    "memory_limit": ["much", None, -1, NAN, INF, True],
    "callback": ["print", 5],
    "progress": NOT_FLAGS,
}
PARAMETER_ROWS = [
    Bad(re.sub(" at 0x.*", "", f"{name} is {value!r}"[:60]), fit(**{name: value}),
        rf"^{name} is .*; it must be ")
    for name, values in WRONG.items()
    for value in values
]  # fmt: skip


def on_a_small_machine(X=TABLE, **parameters):
    def call(at):
        at.monkeypatch.setattr("vjmgp.engine.parameters.physical_memory", lambda: 2.0**28)
        return fit(X, **parameters)(at)

    return call


TOGETHER = [
    Bad("distil with parsimony", fit(final_rule="distil", regularizer="parsimony"),
        "final_rule is 'distil', but 'parsimony' is not in units"),
    Bad("a rule of nesting for no function", fit(forbidden_inside={"sin": ("tan",)}),
        "^forbidden_inside has 'tan'; it must be one of 'add', "),
    Bad("of the engine", lambda at: Settings(sigma="wide"), "sigma is 'wide'; it must be a pos"),
    Bad("too much for this machine", on_a_small_machine(population_size=10**6),
        "population_size is 1000000, which with 30 rows takes [0-9]+ GiB or more"),
    Bad("too many points for this machine",
        on_a_small_machine(np.tile(MATRIX, (1, 20)), rounds=10**5),
        "rounds is 100000, which with 30 rows"),
]  # fmt: skip

DATES = "Column 'day' holds dates or times: turn it into numbers"
INPUTS = [
    Bad("no X", fit(None), "X is a NoneType, not a table"),
    Bad("a path", fit("data.csv"), "X is a str, not a table"),
    Bad("a number", fit(5.0), "X is a float, not a table"),
    Bad("a generator", fit(iter([1])), "not a table"),
    Bad("a dict", fit({"a": [1, 2]}), "X is a dict, not a table"),
    Bad("a Series", fit(TABLE["speed"]), r"X is one column, not a table: give X\.to_frame"),
    Bad("a polars Series", fit(SimpleNamespace(to_pandas=lambda: TABLE["speed"])), "X is one col"),
    Bad("a list", fit(list(TARGET)), r"X has 1 dimension\(s\) .* Reshape your data"),
    Bad("a row", fit(TARGET), r"X has 1 dimension\(s\)"),
    Bad("a cube", fit(MATRIX[None]), r"X has 3 dimension\(s\)"),
    Bad("an empty list", fit([]), r"X has 1 dimension\(s\)"),
    Bad("no rows", fit(np.empty((0, 3)), []), "needs 2 rows or more; got n_samples = 0"),
    Bad("one row", fit([[1.0, 2.0]], [1.0]), "needs 2 rows or more; got n_samples = 1"),
    Bad("no columns", fit(np.empty((ROWS, 0))), r"0 feature\(s\).*give X a column"),
    Bad("a frame without columns", fit(TABLE[[]]), r"0 feature\(s\).*give X a column"),
    Bad("a ragged list", fit([[1.0], [1.0, 2.0]]), "X has rows of different lengths"),
    Bad("a structured array", fit(TABLE.to_records()), r"X is a structured array: give pandas"),
    Bad("a sparse matrix", fit(scipy.sparse.csr_matrix(MATRIX)), r"X is sparse: give X\.toarray"),
    Bad("a sparse array", fit(scipy.sparse.coo_array(MATRIX)), r"X is sparse: give X\.toarray"),
    Bad("complex numbers", fit(MATRIX + 1j), "Complex data not supported: column 'x0'"),
    Bad("a complex column", fit(TABLE.assign(z=1j)), "Complex data not supported: column 'z'"),
    Bad("a complex cell", fit(with_cell(1j)), "Complex data not supported: column 'wind chill'"),
    Bad("an array of dates", fit(np.array([DAYS] * 2).T.astype("M8[D]")),
        "Column 'x0' holds dates"),
    Bad("an array of times", fit(np.array([HOURS] * 2).T.astype("m8[h]")),
        "Column 'x0' holds dates"),
    Bad("a column of dates", fit(TABLE.assign(day=DAYS)), DATES),
    Bad("dates beside text", fit(TABLE.assign(day=DAYS, colour="red")), DATES),
    Bad("dates with a zone", fit(TABLE.assign(day=DAYS.tz_localize("UTC"))), DATES),
    Bad("time spans", fit(TABLE.assign(day=HOURS)), DATES),
    Bad("periods", fit(TABLE.assign(day=DAYS.to_period("M"))), DATES),
    Bad("timestamps as objects", fit(TABLE.assign(day=DAYS.astype(object))), DATES),
    Bad("dates as objects", fit(TABLE.assign(day=DAYS.date)), DATES),
    Bad("times as objects", fit(TABLE.assign(day=DAYS.time)), DATES),
    Bad("spans as objects", fit(TABLE.assign(day=HOURS.astype(object))), DATES),
    Bad("dates of Arrow", fit(TABLE.assign(day=pd.array(DAYS.date, "date32[pyarrow]"))), DATES),
    Bad("dates named as levels", fit(TABLE.assign(day=DAYS), categorical_features=["day"]), DATES),
    Bad("one date among numbers", fit(with_cell(datetime.date(2020, 1, 1))),
        "Column 'wind chill' holds dates"),
    Bad("a date in an array", fit(with_cell(pd.Timestamp(0), MATRIX)), "Column 'x1' holds dates"),
    Bad("a pyarrow table with dates", fit(pa.Table.from_pandas(TABLE.assign(day=DAYS))), DATES),
    Bad("a polars table with dates", fit(Frame(TABLE.assign(day=DAYS))), DATES),
    Bad("lists in a column", fit(TABLE.assign(z=[[1]] * ROWS)),
        "Column 'z' holds a list, .*leave it out"),
    Bad("dicts in a column", fit(TABLE.assign(z=[{"a": 1}] * ROWS)), "Column 'z' holds a dict"),
    Bad("an array in a cell", fit(with_cell(np.zeros(2))), "Column 'wind chill' holds a ndarray"),
    Bad("a dict in an array", fit(with_cell({}, MATRIX)), "Column 'x1' holds a dict"),
    Bad("an object in an array", fit(with_cell(print, MATRIX)), "Column 'x1' is not numeric"),
    Bad("text in an array", fit(with_cell("fast", MATRIX)), "Column 'x1' is not numeric .*'fast'"),
    Bad("an array of text", fit(np.full((ROWS, 2), "red")), "Column 'x0' is not numeric .*'red'"),
    Bad("a list with text", fit([[1.0, "a"]] * ROWS), "Column 'x1' is not numeric .*'a'"),
    Bad("text that is not to be levels", fit(TABLE.assign(colour="red"), categorical_features=None),
        "Column 'colour' is not numeric .*categorical_features"),
    Bad("NaN", fit(with_cell(NAN).astype(float)),
        r"NaN in column 'wind chill' \(1 of 30 rows\): fill"),
    Bad("NaN beside text", fit(with_cell(NAN).astype(float).assign(c="a")),
        "NaN in column 'wind chill'"),
    Bad("NaN in an array", fit(with_cell(NAN, MATRIX).astype(float)), "NaN in column 'x1'"),
    Bad("None in an array", fit(with_cell(None, MATRIX)), "NaN in column 'x1'"),
    Bad("None among objects", fit(with_cell(None)), "NaN in column 'wind chill'"),
    Bad("NA among objects", fit(with_cell(pd.NA)), "NaN in column 'wind chill'"),
    Bad("NaT among objects", fit(with_cell(pd.NaT)), "Column 'wind chill' holds dates"),
    Bad("NA among whole numbers", fit(TABLE.assign(n=pd.array([None, *range(ROWS - 1)], "Int64"))),
        "NaN in column 'n'"),
    Bad("a masked row", fit(masked(MATRIX)), "NaN in column 'x0'"),
    Bad("infinity", fit(with_cell(INF).astype(float)), "infinity in column 'wind chill'"),
    Bad("minus infinity", fit(with_cell(-INF, MATRIX).astype(float)), "infinity in column 'x1'"),
    Bad("infinity where NaN is allowed", fit(with_cell(INF).astype(float), missing="median"),
        "infinity in column 'wind chill'"),
    Bad("a column without numbers", fit(TABLE.assign(n=NAN), missing="median"),
        "Column 'n' has no number in any of 30 rows: leave it out"),
    Bad("a huge number", fit(with_cell(HUGE).astype(float)),
        r"Column 'wind chill' has values beyond"),
    Bad("a huge negative number", fit(with_cell(-HUGE, MATRIX).astype(float)),
        "Column 'x1' has values beyond"),
    Bad("a number that is no float", fit(with_cell(10**400)),
        "Column 'wind chill' is not numeric .*too large"),
    Bad("two columns of a name", fit(TABLE.set_axis(["a", "a", "b"], axis=1)),
        "'a' appears more than once"),
    Bad("names of two kinds", fit(TABLE.set_axis(["a", 1, "b"], axis=1)),
        "column name 1 is not text"),
    Bad("an unknown nominal column", fit(categorical_features=["nope"]), "'nope'.*'speed'"),
    Bad("a nominal column too many", fit(categorical_features=[9]), "column number 9.*3 columns"),
    Bad("a negative nominal column", fit(categorical_features=[-1]), "column number -1.*3 columns"),
    Bad("a short mask", fit(categorical_features=[True, False]), "mask of 2 values.*3 columns"),
    Bad("too many levels", fit(pd.DataFrame({"x0": list(map(str, range(240)))}), range(240),
            encoding="onehot"),
        "Column 'x0' has 240 levels.*encoding='target'"),
]  # fmt: skip

TARGETS = [
    Bad("no y", fit(y=None), "requires y to be passed, but the target y is None"),
    Bad("y is a number", fit(y=5.0), "y is a float; it must be one number per row"),
    Bad("y is text", fit(y="target"), "y is a str; it must be one number per row"),
    Bad("y is a dict", fit(y={"a": 1}), "y is a dict"),
    Bad("y of text", fit(y=["high"] * ROWS), "The target y is not numeric .*'high'"),
    Bad("y of levels", fit(y=pd.Categorical(["high"] * ROWS)), "The target y is not numeric"),
    Bad("y too short", fit(y=TARGET[:-1]), "X has 30 rows, but y has 29"),
    Bad("y too long", fit(y=[*TARGET, 1.0]), "X has 30 rows, but y has 31"),
    Bad("two targets", fit(y=MATRIX[:, :2]), r"y has the shape \(30, 2\)"),
    Bad("a frame of two targets", fit(y=TABLE.iloc[:, :2]), r"y has the shape \(30, 2\)"),
    Bad("y is a cube", fit(y=TARGET[None, None]), r"y has the shape \(1, 1, 30\)"),
    Bad("a ragged y", fit(y=[[1.0], [1.0, 2.0]]), "y has rows of different lengths"),
    Bad("y of dates", fit(y=DAYS), "The target y holds dates or times"),
    Bad("y of dates in an array", fit(y=DAYS.to_numpy()), "The target y holds dates or times"),
    Bad("y of time spans", fit(y=pd.Series(HOURS)), "The target y holds dates or times"),
    Bad("y of timestamps as objects", fit(y=DAYS.astype(object)), "The target y holds dates"),
    Bad("NaN in y", fit(y=with_target(NAN, float)),
        r"Input y contains NaN \(1 of 30 rows\): leave"),
    Bad("NaN in y beside text", fit(TABLE.assign(c="a"), with_target(NAN, float)),
        "y contains NaN"),
    Bad("None in y", fit(y=with_target(None)), "Input y contains NaN"),
    Bad("None in a list y", fit(y=[None, *TARGET[1:]]), "Input y contains NaN"),
    Bad("NA in y", fit(y=with_target(pd.NA)), "Input y contains NaN"),
    Bad("NA in whole numbers y", fit(y=pd.array([None, *range(ROWS - 1)], "Int64")),
        "y contains NaN"),
    Bad("missing y whatever X may be", fit(y=with_target(NAN, float), missing="median"),
        "y contains NaN"),
    Bad("a masked y", fit(y=masked(TARGET)), "Input y contains NaN"),
    Bad("infinity in y", fit(y=with_target(INF, float)), "Input y contains infinity"),
    Bad("a huge y", fit(y=with_target(HUGE, float)), "The target y has values beyond"),
    Bad("complex y", fit(y=TARGET + 1j), "Complex data not supported: the target y"),
    Bad("a sparse y", fit(y=scipy.sparse.csr_matrix(TARGET)), r"y is sparse: give y\.toarray"),
    Bad("lists in y", fit(y=with_target([1.0])), "The target y holds a list"),
]  # fmt: skip

# Names that training did not have are told in scikit-learn's own words, which take several lines;
# its checks hold us to them.


def new(X, kind):
    return {
        "regressor": lambda at: at.fitted.predict(X),
        "unnamed": lambda at: at.unnamed.predict(X),
        "transform": lambda at: at.fitted.transform(X),
        "stages": lambda at: list(at.fitted.staged_predict(X)),
        "model": lambda at: at.fitted.model_.predict(X),
        "front": lambda at: at.front.predict(X),
    }[kind]


NEW_ROWS = [
    Bad(f"{what}: {kind}", new(X, kind), message)
    for what, X, message in (
        ("two columns of a name", TABLE.set_axis(["speed", "speed", "3rd"], axis=1),
            "'speed' appears"),
        ("one column more of a name", TABLE[[*TABLE, "speed"]], "'speed' appears more than once"),
        ("a Series", TABLE["speed"], "X is one column"),
        ("a row", TARGET, r"X has 1 dimension\(s\)"),
        ("nothing", None, "X is a NoneType"),
        ("NaN", with_cell(NAN).astype(float), "NaN in column 'wind chill'"),
        ("infinity", with_cell(INF).astype(float), "infinity in column 'wind chill'"),
        ("text", with_cell("fast"), "'wind chill' is not numeric .*'fast'"),
        ("dates", TABLE.assign(speed=DAYS), "Column 'speed' holds dates"),
        ("complex numbers", TABLE.astype(complex), "Complex data not supported: column"),
        ("a sparse matrix", scipy.sparse.csr_matrix(MATRIX), "X is sparse"),
    )
    for kind in ("regressor", "model")
] + [
    *(Bad(f"a duplicate to {kind}", new(TABLE[[*TABLE, "3rd"]], kind), "'3rd' appears more")
      for kind in ("transform", "stages", "front")),
    Bad("NaN to a front", new(with_cell(NAN).astype(float), "front"), "NaN in column 'wind chill'"),
    Bad("a masked row", new(masked(MATRIX), "unnamed"), "NaN in column 'x0'"),
    Bad("columns missing", new(MATRIX[:, :2], "unnamed"),
        "X has 2 features, but VJMR.* 3 features"),
    Bad("no rows to predict", new(MATRIX[:0], "unnamed"), "X has no rows"),
    Bad("no columns to predict", new(MATRIX[:, :0], "unnamed"), r"0 feature\(s\)"),
    Bad("a column missing", new(TABLE[["speed", "3rd"]], "model"),
        "column 'wind chill' of the train"),
    Bad("too few columns", new(MATRIX[:, :2], "model"), "Expected 3 columns, got 2"),
    Bad("predict before fit", lambda at: small().predict(TABLE), "is not fitted yet"),
    Bad("choose before fit", lambda at: small().choose(), "is not fitted yet"),
    Bad("names of other inputs", lambda at: at.fitted.get_feature_names_out(["a", "b", "c"]),
        "input_features is not equal to feature_names_in_"),
]  # fmt: skip

CHOICES = [
    Bad(f"choose({name}={value!r})", lambda at, a={name: value}: at.fitted.choose(**a),
        f"^{name} is ")
    for name, values in {
        "index": [1.5, "first", True, [0]],
        "tau": ["adaptive", -1, NAN, INF, True],
        "rule": ["best", "", 5],
        "node_price": ["low", -1, NAN, INF],
        "predict_with": ["all", "", 5],
    }.items()
    for value in values
] + [
    Bad("a model too many", lambda at: at.fitted.choose(10**6), "no number 1000000", IndexError),
    Bad("a negative number", lambda at: at.fitted.choose(-1), "no number -1", IndexError),
    Bad("a rule set later",
        lambda at: copy.copy(at.fitted).set_params(final_rule="best").choose(),
        "final_rule is 'best'; it must be"),
    Bad("to distil another measure",
        lambda at: copy.copy(at.fitted).set_params(regularizer="parsimony").choose(rule="distil"),
        "rule is 'distil', but 'parsimony' is not in units"),
]  # fmt: skip


def load(text):
    def call(at):
        at.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_model(at.path)

    return call


def load_with(**changes):
    return lambda at: load(json.dumps(at.fitted.model_.to_dict() | changes))(at)


def tree(part, **changes):
    return [{"tree": part, "weight": 1, "centre": 0, "factor": 1} | changes]


def nested(depth):
    return ["sin", nested(depth - 1)] if depth else 0.5


def column(**changes):
    return [{"name": "a", "used": True, "mean": 0, "scale": 1} | changes]


def target(**changes):
    return {"mean": 0, "scale": 1, "range": [0, 1]} | changes


FILES = [
    Bad(what, call, rf"model\.json: .*{message}")
    for what, call, message in (
        ("an empty file", load(""), "it is not JSON"),
        ("a table", load("a,b\n1,2\n"), "it is not JSON"),
        ("a picture", load(b"\x89PNG\xff\xfe"), "codec can't decode"),
        ("a list", load("[]"), "not a vjmgp model"),
        ("too deep", load('{"features": ' + "[" * 10**5 + "]" * 10**5 + "}"), "too deep"),
        ("another format", load_with(format="other"), "not a vjmgp model"),
        ("another version", load_with(version=99), "version 99"),
        ("an unknown function", load_with(features=tree(["exec", "x"])), "exec"),
        ("an unknown column", load_with(features=tree(["column", "no"])), "'no'"),
        ("too few arguments", load_with(features=tree(["add", 1.0])), "add"),
        ("no tree", load_with(features=tree(None)), "None"),
        ("a constant that is none", load_with(features=tree(NAN)), "constant is nan"),
        ("an infinite weight", load_with(features=tree(1.0, weight=INF)), "weight is inf"),
        ("no weight", load_with(features=[{"tree": 1.0}]), "weight"),
        ("no target", load_with(target=None), "malformed"),
        ("no scale", load_with(target=target(scale=0)), "scale is 0.0; it must be positive"),
        ("no mean", load_with(target=target(mean=NAN)), "mean is nan"),
        ("an infinite range", load_with(target=target(range=[0, INF])),
            "range has a number that is not"),
        ("a range upside down", load_with(target=target(range=[1, 0])), "range is 1.0 to 0.0"),
        ("half a range", load_with(target=target(range=[1])), "malformed"),
        ("a word for a flag", load_with(target=target(clip="no")), "clip is 'no'"),
        ("a column without scale", load_with(columns=column(scale=NAN)), "scale is nan"),
        ("a column without mean", load_with(columns=column(mean=-INF)), "mean is -inf"),
        ("a column without range", load_with(columns=column(range=[0, NAN])),
            "range has a number that is not"),
        ("a fill that is none", load_with(columns=column(fill=NAN)), "fill is nan"),
        ("a column twice", load_with(columns=column() * 2), "two of its inputs are called 'a'"),
        ("a column without levels", load_with(columns=column(codes=[])), "'a' has no levels"),
        ("400 functions", load_with(features=tree(nested(400))),
            "a tree is more than 100 functions deep"),
        ("a huge intercept", load_with(intercept=10**400), "malformed: int too large"),
    )
] + [
    Bad("no file", lambda at: load_model(at.path), "No such file.*model.json", FileNotFoundError),
    Bad("a folder", lambda at: load_model(at.path.parent), "Is a directory", IsADirectoryError),
    Bad("no path", lambda at: load_model(None), "load_model takes the path of a file, not None"),
]  # fmt: skip
REST = [
    *(
        Bad(f"dataset {name!r}", lambda at, name=name: load_dataset(name), "is not the name of")
        for name in ("../547_no2", "/etc/passwd", "a/b", "a\\b", "", "..", "a..b", "x y", None, 5)
    ),
    Bad("r2 of two lengths", lambda at: r2(TARGET, TARGET[:-1]), r"\(30,\), prediction \(29,\)"),
    Bad("r2 of a column", lambda at: r2(TARGET, TARGET[:, None]), r"prediction \(30, 1\)"),
    Bad("r2 of one number", lambda at: r2(TARGET, 5.0), r"prediction \(\)"),
    Bad("r2 of nothing", lambda at: r2([], []), "two non-empty sequences of the same length"),
    Bad("r2 of text", lambda at: r2(TARGET, ["a"] * ROWS), "r2 needs two sequences of numbers"),
]  # fmt: skip

ALL = [
    *PARAMETER_ROWS, *TOGETHER, *INPUTS, *TARGETS, *NEW_ROWS, *CHOICES, *FILES, *REST,
]  # fmt: skip


@pytest.fixture(scope="module")
def models():
    fitted = small().fit(TABLE, TARGET)
    front = copy.copy(fitted).choose(predict_with="front").predictor_
    return {"fitted": fitted, "front": front, "unnamed": small().fit(MATRIX, TARGET)}


@pytest.fixture
def at(models, tmp_path, monkeypatch):
    """Return fitted models and a path, and make any evolution fail."""
    for name in ("prepare", "compile_kernels"):
        monkeypatch.setattr(f"vjmgp.engine.evolve.{name}", lambda *_: pytest.fail("work was done"))
    return SimpleNamespace(**models, path=tmp_path / "model.json", monkeypatch=monkeypatch)


@pytest.mark.parametrize("row", ALL, ids=[row.what for row in ALL])
def test_invalid_input_raises_one_clear_line(row, at):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(row.error, match=row.message) as caught:
            row.call(at)
    assert not told
    assert len(str(caught.value)) < 500
    assert_clear_line(caught.value)


def assert_clear_line(error):
    assert len(str(error).splitlines()) == 1
    assert error.__context__ is None or error.__suppress_context__


def test_the_list_covers_every_parameter():
    assert len({row.what for row in ALL}) >= 150
    assert list(WRONG) == list(PARAMETERS)
    assert set(PARAMETERS) == set(VJMRegressor().get_params())


scalars = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary()),
    *(st.complex_numbers(), st.dates(), st.timedeltas(), st.decimals(allow_nan=False)),
    st.fractions(),
    st.sampled_from([10**400, np.float32(1), np.int8(1), np.datetime64(0, "s"), pd.NA, pd.NaT]),
)
anything = st.one_of(
    scalars,
    st.lists(st.one_of(scalars, st.lists(scalars, max_size=3)), max_size=4),
    st.dictionaries(st.text(max_size=2), scalars, max_size=2),
    st.frozensets(st.integers(), max_size=2),
    arrays(st.sampled_from([float, int, bool, object, "M8[s]", "U3"]), st.sampled_from(SHAPES)),
)


def refused_or_taken(call):
    """Check that only a ValueError of one line is raised, without unknown warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataConversionWarning)
        try:
            call()
        except ValueError as error:
            assert_clear_line(error)


@given(st.sampled_from(list(PARAMETERS)), anything)
@settings(deadline=None, max_examples=500)
def test_any_parameter_value_is_accepted_or_rejected(name, value):
    refused_or_taken(lambda: checked(name, value))


@given(anything)
@settings(deadline=None, max_examples=500)
def test_any_table_or_target_is_accepted_or_rejected(value):
    def take(X):
        table = validation.as_table(X)
        validation.check_columns(table)
        names = validation.column_names(table)
        nominal = nominal_columns(table, names)
        fit_standardizer(table, np.arange(len(table)) * 1.0, names, nominal, missing="median")

    refused_or_taken(lambda: take(value))
    refused_or_taken(lambda: take(pd.DataFrame({"a": pd.Series([value, 1.0], dtype=object)})))
    refused_or_taken(lambda: validation.as_target(value, 2))
    refused_or_taken(lambda: validation.check_sample_weight(value, 2))


@pytest.mark.parametrize(
    "value", [np.int64(7), np.int32(7), np.uint8(7)], ids=lambda value: type(value).__name__
)
def test_numpy_numbers_are_accepted(value):
    settings = Settings(population_size=value, tau=np.float32(value), ridge_alphas=[value])
    assert (settings.population_size, settings.tau, settings.ridge_alphas) == (7, 7.0, (7.0,))
    assert type(settings.population_size) is int
    assert type(settings.tau) is float
