"""Exported code computes what `predict` does, in each language."""

import math
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sympy
from tests.support import exported
from tests.support.command import said_by, write_table
from tests.support.twins import random_tree
from tests.support.workflow_runs import ROOT

from vjmgp import UserFunction, VJMRegressor
from vjmgp.cli import main
from vjmgp.engine.trees.primitives import CONSTANT, FIRST_VARIABLE, codes_by_name
from vjmgp.export import LANGUAGES, export_model
from vjmgp.export.c import CPrinter
from vjmgp.export.source import source_of, words
from vjmgp.models.ensemble import BlendModel
from vjmgp.models.symbolic import Feature, SymbolicModel
from vjmgp.tables.preprocessing import fit_standardizer

CODES = codes_by_name()
NAMES = ["speed", 'wind "chill" (°C)', "3rd", "sin", "O'Brien; --", "t1"]
LEVELS = ["O'Brien", '"x"', "für \\ ??/ {0}", "a*/b"]
MODELS = range(24)
NEEDS_GCC = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")


def random_table(rng, rows, missing):
    table = pd.DataFrame(rng.normal(3, 2, size=(rows, 6)), columns=NAMES)
    table["sin"] = rng.choice(LEVELS, rows)
    table["O'Brien; --"] = rng.integers(1, 9, rows)
    if missing:
        table.loc[rng.random(rows) < 0.2, "3rd"] = np.nan
        table.loc[rng.random(rows) < 0.2, "sin"] = None
    return table


def random_model(seed, depth=3):
    """A model of all functions, for odd seeds with missing values; and rows with unseen levels."""
    rng = np.random.default_rng(seed)
    missing = bool(seed % 2)
    table, y = random_table(rng, 60, missing), rng.normal(-4, 7, size=60)
    how = "indicator" if missing else "error"
    standardizer = fit_standardizer(table, y, NAMES, [3, 4], encoding="auto", missing=how)
    features = []
    for _ in range(3):
        codes, constants = random_tree(rng, depth, len(standardizer.inputs), sorted(CODES.values()))
        numbers = rng.normal(), rng.normal(), rng.uniform(0.1, 2)
        features.append(Feature(tuple(codes), tuple(constants), *numbers))
    new = random_table(rng, 25, missing)
    new.loc[:3, "sin"] = "for \\ ??/ {0}"
    new.loc[2:5, "O'Brien; --"] = 77
    new.loc[4:6, "speed"] = 40.0  # far out: predictions are clipped
    model = SymbolicModel(standardizer, tuple(features), 0.25)
    return model, new


def feature(*codes, numbers=(1.0, 0.0, 1.0)):
    return Feature(codes, (0.0,) * len(codes), *numbers)


def predicted(model, table):
    return model.predict_rows(model.standardizer.standardize(table))


def check(model, table, compute):
    """Compare on rows whose predictions do not depend on the last digits of the inputs."""
    numeric = table.columns.difference(["sin", "O'Brien; --"])
    expected = predicted(model, table)
    near = table.assign(**{name: table[name] * (1 + 1e-11) for name in numeric})
    usual = np.abs(predicted(model, near) - expected) < 1e-7
    assert usual.mean() > 0.6
    found = np.broadcast_to(compute(table[list(source_of(model).columns)]), len(table))
    np.testing.assert_allclose(found[usual], expected[usual], rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("seed", MODELS)
@pytest.mark.parametrize(
    ("language", "run", "options"),
    [
        ("python", exported.by_python, {}),
        ("sql", exported.by_sqlite, {"table": "t"}),
        ("st", exported.by_st, {}),
    ],
)
def test_python_sqlite_and_structured_text(language, run, options, seed):
    model, table = random_model(seed)
    check(model, table, lambda columns: run(model.export(language, **options), columns))


@NEEDS_GCC
def test_c(tmp_path):
    models = [random_model(seed) for seed in MODELS]
    texts = [model.export("c", name=f"f{k}") for k, (model, _) in enumerate(models)]
    library = exported.compiled(texts, tmp_path)
    for k, (model, table) in enumerate(models):
        check(model, table, lambda columns, k=k: exported.by_c(library[f"f{k}"], columns))


def in_first_cells(model):
    """Export to Excel with the formula's columns in A2, B2, …."""
    cells = [f"{'ABCDEF'[k]}2" for k in range(len(source_of(model).columns))]
    return model.export("excel", cells=cells)


@pytest.mark.parametrize("seed", MODELS)
def test_excel(seed):
    model, table = random_model(seed, depth=2)
    check(model, table, lambda columns: exported.by_excel(in_first_cells(model), columns))


def run_all(model, table, folder):
    """Return the predictions of each language."""
    columns = table[list(source_of(model).columns)]
    found = {
        "python": exported.by_python(model.export("python"), columns),
        "sql": exported.by_sqlite(model.export("sql", table="t"), columns),
        "excel": exported.by_excel(in_first_cells(model), columns),
        "st": exported.by_st(model.export("st"), columns),
    }
    if shutil.which("gcc"):
        found["c"] = exported.by_c(exported.compiled([model.export("c")], folder).predict, columns)
    return found


def ratio_model(clips=True, **columns):
    """Return a model of a/(b − 3) with integers, plus nominal columns."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(1, 9, 40), "b": rng.integers(1, 6, 40), **columns})
    y, names = rng.normal(5.0, 1.0, 40), list(table)
    nominal = [k for k, name in enumerate(names) if name not in "ab"]
    standardizer = fit_standardizer(table, y, names, nominal, encoding="target")
    plain = tuple(replace(column, mean=3.0 * (column.name == "b"), scale=1.0)
                  for column in standardizer.columns)  # fmt: skip
    codes = [(CODES["div"], FIRST_VARIABLE, FIRST_VARIABLE + 1)]
    codes += [(FIRST_VARIABLE + k,) for k in nominal]
    features = tuple(feature(*code) for code in codes)
    standardizer = replace(standardizer, columns=plain, clips=clips)
    return SymbolicModel(standardizer, features), table


@pytest.mark.parametrize("clips", [True, False])
def test_integers_and_zero_divisors(clips, tmp_path):
    model, table = ratio_model(clips)
    expected = predicted(model, table)
    assert (expected == model.standardizer.target_mean).any()
    assert clips == (expected.max() == model.standardizer.target_range[1])
    for found in run_all(model, table, tmp_path).values():
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("power", [None, 0.5, -0.7])
def test_logarithms_and_roots_of_negative_numbers(power, tmp_path):
    """The logarithm of 0, too, is undefined, not infinite."""
    model, table = ratio_model()
    codes, constants = (CODES["ln"], FIRST_VARIABLE + 1), (0.0, 0.0)
    if power is not None:
        codes, constants = (
            (CODES["exponential"], CODES["mul"], CONSTANT, *codes),
            (0, 0, power, 0, 0),
        )
        table = table[table["b"] != 3]
    model = replace(model, features=(Feature(codes, constants, 1.0, 0.0, 1.0),))
    expected = predicted(model, table)
    assert (expected == model.standardizer.target_mean).any()
    for found in run_all(model, table, tmp_path).values():
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert "GREATEST(CAST" in model.export("sql", dialect="postgres")


def test_missing_numbers_give_nan(tmp_path):
    model, table = ratio_model()
    table = table.astype(float)
    table.loc[0, "a"] = table.loc[1, "b"] = np.nan
    for language, found in run_all(model, table, tmp_path).items():
        if language != "st":  # which has no missing numbers
            assert np.flatnonzero(np.isnan(found)).tolist() == [0, 1]


@pytest.mark.parametrize(
    "levels", [["x", "y", None], [1, 2, 3], [0.5, 1.5, 0.0], [1.0, 2.0, np.nan], ["1", 1.5, "a"]]
)
def test_levels_of_all_kinds(levels, tmp_path):
    given = np.array(levels, dtype=object)[np.random.default_rng(1).integers(0, 3, 40)]
    model, table = ratio_model(city=pd.Series(given, dtype=object))
    mixed = len({type(level) for level in levels}) > 1 and levels[-1] == "a"
    expected = predicted(model, table)
    if mixed:  # one type a column: text
        table["city"] = table["city"].map(str)
    for language, found in run_all(model, table, tmp_path).items():
        if not (mixed and language == "python"):
            np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=language)


def test_levels_with_equal_text_raise():
    given = np.array(["1", 1, "a"], dtype=object)[np.arange(40) % 3]
    model, _ = ratio_model(city=pd.Series(given, dtype=object))
    with pytest.raises(ValueError, match="'city' has levels that differ only in being text"):
        model.export("c")


def check_level(levels, folder, languages=("python", "sql", "excel", "st", "c")):
    """Compare the languages with `predict` on a table with a nominal column."""
    given = np.array(levels, dtype=object)[np.random.default_rng(0).integers(0, 3, 40)]
    model, table = ratio_model(clips=False, city=pd.Series(given, dtype=object))
    expected, found = predicted(model, table), run_all(model, table, folder)
    for language in languages:
        np.testing.assert_allclose(found[language], expected, rtol=1e-12, err_msg=language)


@NEEDS_GCC
@pytest.mark.parametrize(
    "levels",
    [
        ["(missing)", "b", "c"],
        ["(missing)", "b", None],
        ["a\nb", "a b", "c"],
        ["a\r\u2028b\x85", 300 * "a", 299 * "aü" + "b"],
        [2**31, 2**40, 1],
    ],
)
def test_levels_that_languages_cannot_write_plainly(levels, tmp_path):
    check_level(levels, tmp_path)


def test_levels_beyond_a_language_raise():
    rows = np.random.default_rng(0).integers(0, 3, 40)

    def model_with(*levels):
        given = pd.Series(np.array(levels, dtype=object)[rows], dtype=object)
        return ratio_model(clips=False, city=given)

    model, table = model_with(2**53, 2**53 + 1, 3)
    expected = predicted(model, table)
    np.testing.assert_allclose(exported.by_python(model.export("python"), table), expected)
    np.testing.assert_allclose(exported.by_sqlite(model.export("sql", table="t"), table), expected)
    for language in ("c", "excel"):
        message = f"'city' has the level 90071992547409.., too large a number for {language}"
        with pytest.raises(ValueError, match=message):
            model.export(language)
    model, table = model_with(math.inf, -math.inf, 3.0)
    expected = predicted(model, table)
    np.testing.assert_allclose(exported.by_python(model.export("python"), table), expected)
    with_nul, _ = model_with("a\0b", "a", "c")
    for given, name in ((model, "-?inf"), (with_nul, r"'a\\x00b'")):
        for language in ("c", "excel", "sql", "st"):
            with pytest.raises(ValueError, match=f"has the level {name}, which cannot be exported"):
                given.export(language)


@pytest.mark.parametrize("missing", ["error", "median", "indicator"])
def test_excel_takes_true_and_false(missing):
    """MAX of cells, unlike a product, passes over TRUE and FALSE."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"on": rng.choice([True, False], 40), "b": rng.normal(size=40)})
    if missing != "error":
        table["on"] = table["on"].astype(object).where(rng.random(40) < 0.8, None)
    standardizer = fit_standardizer(table, rng.normal(size=40), list(table), [], missing=missing)
    trees = [(FIRST_VARIABLE + k,) for k in range(len(standardizer.inputs))]
    larger = CODES["max"], FIRST_VARIABLE, FIRST_VARIABLE + len(trees) - 1
    features = tuple(feature(*tree) for tree in (larger, *trees))
    model = SymbolicModel(standardizer, features)
    found = exported.by_excel(in_first_cells(model), table)
    np.testing.assert_allclose(found, predicted(model, table), rtol=1e-9)


def names_of_macros():
    """Return the macros that gcc and its headers define and that are not reserved names."""
    source = b"#include <math.h>\n#include <string.h>\n"
    command = ["gcc", "-dM", "-E", "-D_GNU_SOURCE", "-"]
    text = subprocess.run(command, input=source, capture_output=True, check=True).stdout.decode()
    return sorted(set(re.findall(r"#define ([A-Za-z]\w*) ", text)))


@NEEDS_GCC
def test_c_avoids_macros_and_nested_comments(tmp_path):
    found = {"asm", "typeof", "unix", *names_of_macros()}
    assert {"M_E", "M_PI", "INFINITY"} <= found
    named = words(sorted(found), CPrinter.reserved, CPrinter.reserved_form)
    assert not found & set(named)
    rng = np.random.default_rng(0)
    names = ["unix", "asm", "M_E", "a/*b*/c/*/", "NULL"]
    table = pd.DataFrame(rng.normal(size=(40, 5)), columns=names)
    model = model_of(table, rng, *(feature(FIRST_VARIABLE + k) for k in range(5)))
    functions = exported.compiled([model.export("c")], tmp_path, ["-std=gnu17"])
    np.testing.assert_allclose(exported.by_c(functions.predict, table), predicted(model, table))


def softplus(a):
    return math.log1p(math.exp(-abs(a))) + max(a, 0.0)


def ratio(static, q):
    return max(static, q) / (2.0 + q * q)


def model_of(table, rng, *features, nominal=(), functions=()):
    """A model of a table; the target is noise."""
    target = rng.normal(size=len(table))
    standardizer = fit_standardizer(table, target, list(table), list(nominal))
    return SymbolicModel(standardizer, features, functions=functions)


def user_model(*functions):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(1.0, 2.0, size=(50, 2)), columns=["a", "b"])
    known = codes_by_name(functions)
    trees = [(known[f.name], *range(FIRST_VARIABLE, FIRST_VARIABLE + f.arity)) for f in functions]
    features = [feature(*tree, numbers=(0.5, 0.2, 0.5)) for tree in trees]
    return model_of(table, rng, *features, functions=functions), table


@NEEDS_GCC
def test_user_functions_in_python_and_c(tmp_path):
    a, p, q = sympy.symbols("a static q")
    functions = (
        UserFunction("softplus", softplus, sympy.log(1 + sympy.exp(a))),
        UserFunction("ratio", ratio, sympy.Max(p, q) / (2 + q**2)),
    )
    model, table = user_model(*functions)
    expected = predicted(model, table)
    found = exported.by_c(exported.compiled([model.export("c")], tmp_path).predict, table)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    found = exported.by_python(model.export("python"), table)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for language in ("excel", "sql", "st"):
        with pytest.raises(ValueError, match=f"'softplus' cannot be written in {language}"):
            model.export(language)


def test_user_formula_without_numpy_equivalent_raises():
    a = sympy.symbols("a")
    model, _ = user_model(UserFunction("area", lambda a: math.erf(a), sympy.erf(a)))
    assert "erf(a)" in model.export("c")
    with pytest.raises(ValueError, match="function 'area' cannot be written in python"):
        model.export("python")


def test_structured_text_is_well_formed():
    for seed in MODELS:
        text = random_model(seed)[0].export("st")
        code = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
        declared = set(re.findall(r"^    (\w+) : ", code, flags=re.MULTILINE))
        assert len({word.lower() for word in declared}) == len(declared)
        plain = re.sub(r"""'[^']*'|"[^"]*"|\d+\.\d+(E-?\d+)?""", " ", exported.st_as_python(text))
        assert plain.count("(") == plain.count(")")
        used = set(re.findall(r"[A-Za-z_]\w*", plain))
        assert used <= declared | {*exported.ST_FUNCTIONS, "Predict", "True", "if", "elif", "else"}
        assert not [word for word in declared if "__" in word or word[0] == "_" or word[-1] == "_"]
        literals = set(re.findall(r"""^ *(?:ELS)?IF \w+ = (['"])""", code, flags=re.MULTILINE))
        assert literals <= {'"'}  # a level is not ASCII, so all of the column are wide
        assert not re.search(r"\d[eE]", re.sub(r"\d+\.\d+E-?\d+", "", plain))


def test_words_are_ascii_and_distinct():
    found = words(
        ["Für", "fur", "a b", "a__b", "", "²", "if", "t1", "1st", "日本"], ["IF"], r"t\d+"
    )
    assert found == ["Fur", "x_fur", "a_b", "x_a_b", "x", "x_2", "x_if", "x_t1", "x_1st", "x_3"]


def test_postgres_uses_its_dialect():
    """Checked as text: no test runs PostgreSQL."""
    model, _ = ratio_model(city=pd.Series(["O'Brien", "b"] * 20))
    text = model.export("sql", dialect="postgres", table='my.ta"ble', name="y")
    assert "/COALESCE(NULLIF(CAST(" in text
    assert """WHEN "my"."ta""ble"."city" = 'O''Brien' THEN""" in text
    assert text.endswith('AS "y"\nFROM "my"."ta""ble";\n')
    texts = [random_model(seed)[0].export("sql", dialect="postgres") for seed in MODELS]
    assert not [text for text in texts if re.search(r"\b(max|min|sign)\(", text.split("\n--")[-1])]


def test_excel_limits_raise():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=400), "b": np.arange(400)})
    long = model_of(table, rng, feature(FIRST_VARIABLE + 1), nominal=[1])
    with pytest.raises(ValueError, match=r"characters; Excel takes 8192: choose a smaller"):
        long.export("excel")
    assert len(long.export("excel", digits=4)) < 8192
    deep = model_of(table, rng, feature(*[CODES["tanh"]] * 70, FIRST_VARIABLE), nominal=[1])
    with pytest.raises(ValueError, match="nested brackets; Excel takes 64"):
        deep.export("excel")


def test_cells_are_given_for_all_or_for_needed_columns():
    model, _ = random_model(0)
    needed = list(source_of(model).columns)
    assert len(needed) < len(NAMES)
    few = [f"Sheet1!$B${k + 1}" for k in range(len(needed))]
    assert f"' {few[0]}: column {needed[0]!r}" in model.export("excel", cells=few)
    everything = model.export("excel")
    assert f"' {'ABCDEF'[NAMES.index(needed[-1])]}2: column {needed[-1]!r}" in everything
    wrong = (["A2"], "There are 1 cells for"), (["A0", *few[1:]], "'A0' is not a cell")
    for cells, message in wrong:
        with pytest.raises(ValueError, match=message):
            model.export("excel", cells=cells)


def test_digits_shorten_numbers():
    model, _ = random_model(3)
    for language in LANGUAGES:
        short, full = model.export(language, digits=3), model.export(language)
        assert len(short) < len(full)
        code = (
            short.splitlines()[-1] if language == "excel" else re.sub("(?m)^ *(#|--).*", "", short)
        )
        assert not re.search(r"\d\.\d{7}", re.sub(r"(?s)/\*.*?\*/|\(\*.*?\*\)", "", code))


@pytest.mark.parametrize(
    ("language", "options", "message"),
    [
        ("java", {}, "Unknown language 'java'; use one of python, c, excel, sql, st"),
        ("c", {"cells": ["A2"]}, "The export to c has no option 'cells'; use digits, name"),
        ("c", {"name": "a-b"}, "'a-b' is not a valid name of a function"),
        ("st", {"name": "Limit"}, "The name 'Limit' means something else in st"),
        ("st", {"name": "Value"}, "The name 'Value' means something else in st"),
        ("st", {"name": "T1"}, "The name 'T1' means something else in st"),
        ("python", {"name": "_encoded"}, "The name '_encoded' means something else in python"),
        ("c", {"name": "M_PI"}, "The name 'M_PI' means something else in c"),
        ("sql", {"table": "t", "name": "a\0b"}, "The name 'a.x00b' cannot be written in sql"),
        ("st", {"digits": 0}, "digits is 0; it must be an integer from 1 to 17"),
        ("sql", {"dialect": "oracle"}, "Unknown dialect 'oracle'; use 'sqlite' or 'postgres'"),
    ],
)
def test_invalid_options_raise(language, options, message):
    with pytest.raises(ValueError, match=message):
        ratio_model()[0].export(language, **options)


def test_only_formulas_are_exported():
    with pytest.raises(ValueError, match="exported, not a BlendModel: it averages many"):
        export_model(BlendModel.__new__(BlendModel), "c")
    with pytest.raises(ValueError, match="exported, not a VJMRegressor: give its model_"):
        export_model(VJMRegressor(), "c")
    model, _ = ratio_model()
    nowhere = feature(CODES["inv"], CODES["sub"], FIRST_VARIABLE, FIRST_VARIABLE)
    with pytest.raises(ValueError, match="undefined everywhere: there is nothing to export"):
        replace(model, features=(nowhere,)).export("sql")


def test_export_command(here, capsys):
    table = write_table(here)
    regressor = VJMRegressor(population_size=20, generations=3, random_state=0)
    model = regressor.fit(table.drop(columns="y"), table["y"]).model_
    (here / "data_model").mkdir()
    data = (here / "data.csv").read_text()
    model.to_json("data_model/model.json")
    for language in LANGUAGES:
        assert main(["export", "data_model", "--to", language]) == 0
        assert capsys.readouterr().out == model.export(language)
    words = ["export", "data_model/model.json", "--to", "python", "--output", "out/p.py"]
    assert main([*words, "--digits", "12"]) == 0
    columns = table[list(source_of(model).columns)]
    found = exported.by_python((here / "out/p.py").read_text(encoding="utf-8"), columns)
    np.testing.assert_allclose(found, predicted(model, table), rtol=1e-8)
    for words, answer in (
        (["none", "--to", "c"], "none: no such file"),
        (["data_model", "--to", "c", "--table", "t"], "no option 'table'"),
        (["data_model", "--to", "excel", "--cells", "A2,B2,C2,D2"], "There are 4 cells"),
        (["data_model", "--to", "c", "--output", "data.csv/p.c"], "cannot write there ("),
        (["data_model", "--to", "c", "--output", "data.csv"], "data.csv exists, and this command"),
        (
            ["data_model", "--to", "c", "--output", "data_model/model.json"],
            "did not write it; name",
        ),
    ):
        assert answer in said_by(capsys, ["export", *words])
    assert (here / "data.csv").read_text() == data
    for language in LANGUAGES:  # its own files are replaced
        words = ["export", "data_model", "--to", language, "--output", "out/p.py"]
        assert main(words) == 0
        assert (here / "out/p.py").read_text(encoding="utf-8") == model.export(language)
    assert main(["export", "data_model", "--to", "c", "--output", "data.csv", "--force"]) == 0
    assert (here / "data.csv").read_text(encoding="utf-8") == model.export("c")


def test_large_close_numbers_stay_precise(tmp_path):
    """Seconds since 1970, squared."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"t": 1.6e9 + rng.normal(0, 1000, 50), "b": rng.normal(size=50)})
    trees = (CODES["square"], FIRST_VARIABLE), (CODES["mul"], FIRST_VARIABLE, FIRST_VARIABLE + 1)
    model = model_of(table, rng, *(feature(*tree, numbers=(0.2, 0.0, 1.0)) for tree in trees))
    for found in run_all(model, table, tmp_path).values():
        np.testing.assert_allclose(found, predicted(model, table), rtol=1e-6, atol=1e-6)


def test_digits_auto_exports_the_displayed_formula():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    model = model_of(table, rng)
    scales = [
        column.scale / model.standardizer.target_scale for column in model.standardizer.inputs
    ]
    numbers = enumerate([3.0 * scales[0], -2.00001 * scales[1]])
    terms = (feature(FIRST_VARIABLE + k, numbers=(number, 0.0, 1.0)) for k, number in numbers)
    model = replace(model, features=tuple(terms))
    assert "3*A2 - 2*B2" in model.export("excel", digits="auto")
    assert "2.00001*B2" in model.export("excel")


def test_guide_shows_exported_code():
    guide = (ROOT / "docs/export.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", guide, flags=re.DOTALL)
    names = {}
    exec(blocks[1][1].replace("print(", "("), names)
    shown = [text for _, text in blocks[2:]]
    assert shown == [names["model"].export(language) for language in LANGUAGES]
