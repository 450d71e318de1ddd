"""Runners of exported code: a function of rows for each language."""

import ctypes
import math
import re
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ST_FUNCTIONS = {
    **{name.upper(): getattr(np, name) for name in ("abs", "cos", "exp", "sin", "sqrt")},
    "ATAN": np.arctan,
    "EXPT": np.power,
    "LIMIT": lambda low, value, high: min(max(low, value), high),
    "LN": np.log,
    "MAX": lambda *values: max(values),
    "MIN": lambda *values: min(values),
    "SEL": lambda which, if_false, if_true: if_true if which else if_false,
}
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-std=c99", "-Werror"]


def by_python(text: str, table: pd.DataFrame) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return np.asarray(names["predict"](*(table[name] for name in table)), dtype=float)


def compiled(texts: list[str], folder: Path, more: Sequence[str] = ()) -> ctypes.CDLL:
    """Compile all texts into one library; their functions are called f0, f1, …."""
    files = []
    for k, text in enumerate(texts):
        files.append(folder / f"f{k}.c")
        files[-1].write_text(text, encoding="utf-8")
    library = folder / "all.so"
    command = ["gcc", "-O2", *WARNINGS, *more, "-shared", "-fPIC", *files, "-lm", "-o", library]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def by_c(function: Any, table: pd.DataFrame) -> Any:
    function.restype = ctypes.c_double

    def argument(value: Any) -> Any:
        if isinstance(value, str):
            return ctypes.c_char_p(value.encode())
        return None if value is None else ctypes.c_double(value)

    return np.array([function(*map(argument, row)) for row in rows_of(table)])


def rows_of(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return plain values; a missing text is None, a missing number NaN."""
    objects = table.astype(object)
    for name in table:
        if not pd.api.types.is_numeric_dtype(table[name]):
            objects[name] = objects[name].where(table[name].notna(), None)
    return list(objects.itertuples(index=False, name=None))


def by_sqlite(query: str, table: pd.DataFrame) -> Any:
    """Run a query on the table "t" and return its last column."""
    with closing(sqlite3.connect(":memory:")) as connection:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in table)
        connection.execute(f"CREATE TABLE t ({names})")
        marks = ", ".join("?" * table.shape[1])
        rows = table.astype(object).where(table.notna(), None).itertuples(index=False, name=None)
        connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
        return np.array([row[-1] for row in connection.execute(query)], dtype=float)


def by_excel(text: str, table: pd.DataFrame) -> Any:
    """Evaluate a formula of columns in A2, B2, …; an error gives NaN."""
    import formulas

    function = formulas.Parser().ast(text.splitlines()[-1])[1].compile()
    places = [ord(cell.upper()[0]) - ord("A") for cell in function.inputs]
    result = []
    for row in table.astype(object).where(table.notna(), "").itertuples(index=False, name=None):
        found = np.ravel(function(*(row[place] for place in places)))[0]
        result.append(float(found) if isinstance(found, int | float) else math.nan)
    return np.array(result)


def st_as_python(text: str) -> str:
    """Translate the statements of a function, which are indented as in Python."""
    text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
    body = text[text.rindex("END_VAR") + len("END_VAR") : text.index("END_FUNCTION")]

    def literal(match: re.Match[str]) -> str:
        digits = 2 if match[0][0] == "'" else 4
        code = rf"\$([0-9A-F]{{{digits}}})"
        return repr(re.sub(code, lambda sign: chr(int(sign[1], 16)), match[0][1:-1]))

    lines = []
    for line in body.strip().splitlines():
        parts = re.split(r"""('[^']*'|"[^"]*")""", line)
        for k in range(0, len(parts), 2):
            parts[k] = re.sub(r"(?<!:)=", "==", parts[k]).replace(":=", "=").rstrip(";")
            parts[k] = re.sub(r"\bTRUE\b", "True", parts[k].replace(" THEN", ":"))
            parts[k] = re.sub(r"^ELSIF\b", "elif", re.sub(r"^IF\b", "if", parts[k]))
            parts[k] = re.sub(r"^ELSE$", "else:", parts[k])
        parts[1::2] = [literal(re.match(".*", part, re.DOTALL)) for part in parts[1::2]]
        lines.append("".join(parts))
    return "\n".join(line for line in lines if line != "END_IF")


def st_inputs(text: str) -> dict[str, str]:
    """Return the inputs of a function with their types."""
    declared = text[text.index("VAR_INPUT") : text.index("END_VAR")]
    return dict(re.findall(r"^    (\w+) : ([\w\[\]]+)", declared, flags=re.MULTILINE))


def by_st(text: str, table: pd.DataFrame) -> Any:
    """Run a function on rows; a BOOL after a column flags a missing value."""
    code = compile(st_as_python(text), "st", "exec")
    inputs = st_inputs(text)
    result = []
    for row in table.itertuples(index=False, name=None):
        waiting, names, value = list(row), {"undefined": False, **ST_FUNCTIONS}, None
        for word, kind in inputs.items():
            if kind == "BOOL" and word.endswith("_missing"):
                names[word] = bool(pd.isna(value))
            else:
                value = waiting.pop(0)
                names[word] = np.float64(value) if kind == "LREAL" else value
        with np.errstate(all="ignore"):
            exec(code, names)
        result.append(names["Predict"])
    return np.array(result, dtype=float)
