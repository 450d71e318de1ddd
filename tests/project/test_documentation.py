"""Examples, commands and code blocks of the documentation: each is run, or at least parsed."""

import doctest
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.support.documentation import BLOCK, PAGES, ROOT, blocks, commands, inline_commands

import vjmgp
from vjmgp import VJMRegressor
from vjmgp.cli import main, parser
from vjmgp.study.config.read_study import read_study

SHOWN = {"": "a tree of files", "text": "output", "c": "output", "sql": "output", "latex": "output"}
RUN = {"python", "sh", "yaml", "snakemake"}
PROGRAMS = {"snakemake", "ruff", "mypy", "lint-imports", "snakefmt", "python", "python3", "vjmgp"}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
SMALL = {"population_size": 10, "generations": 2}
SHORT = ["--population", "100", "--generations", "10", "--quiet"]
pytestmark = pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")


def test_code_blocks_have_a_tested_language():
    kinds = {kind for page in PAGES.values() for kind, _ in BLOCK.findall(page)}
    assert kinds <= RUN | set(SHOWN)
    assert all(page.count("\n```") % 2 == 0 for page in PAGES.values())


def test_guide_lists_every_parameter():
    section = PAGES["docs/guide.md"].split("## Parameters")[1].split("\n## ")[0]
    named = re.findall(r"`(\w+)`", section.split("| --- | --- |")[1])
    assert sorted(named) == sorted(VJMRegressor().get_params())


@pytest.fixture(scope="module")
def names():
    """Return the names that the guides presuppose: a table, a fitted model."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(150, 2)), columns=["speed", "load"])
    y = table["speed"] * table["load"] + 0.1 * rng.normal(size=150)
    rows, rest = slice(0, 100), slice(100, 150)
    return {
        "VJMRegressor": VJMRegressor,
        "X": table[rows], "y": y[rows], "X_test": table[rest], "y_test": y[rest],
        "X_new": table[rest].round(1),
        "model": VJMRegressor(generations=10, random_state=0).fit(table[rows], y[rows]),
    }  # fmt: skip


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python_blocks_run(page, names, here, monkeypatch):
    """The blocks of a page form one program; a class becomes a module beside it."""
    monkeypatch.syspath_prepend(here)
    names = dict(names)
    for code in blocks(page, "python"):
        if "class " in code:
            (here / "my_measures.py").write_text(code)
        exec(compile(code, page, "exec"), names)
    sys.modules.pop("my_measures", None)


def test_practitioner_tutorial(here, capsys):
    page = "docs/tutorial_practitioner.md"
    shutil.copytree(ROOT / "docs/data", here, dirs_exist_ok=True)
    said = []
    for line in commands(page):
        assert main([*shlex.split(line)[1:], *(["--quiet"] if " fit " in line else [])]) == 0, line
        said.append(capsys.readouterr().out)
    (shown,) = blocks(page, "text")
    assert said[0].startswith(shown)
    (latex,) = blocks(page, "latex")
    assert latex in Path("plant_model/formulas.txt").read_text(encoding="utf-8")
    assert " 22 " in said[1]  # the line that the text takes
    assert pd.read_csv("predictions.csv")["low"].notna().all()
    assert said[-1].splitlines()[-1].startswith("=IF(")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Write the tables that the guide of the command names."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    data["hours"] = rng.integers(1, 5, 80)
    data["site"] = rng.choice([1, 2, 3], 80)
    data["y"] = data["a"] * data["b"] + data["site"] + 0.3 * rng.normal(size=80)
    data.to_csv(folder / "data.csv", index=False)
    data.drop(columns="y")[:5].to_csv(folder / "new.csv", index=False)
    sheet = data.assign(id=range(80), name="x")
    sheet.to_excel(folder / "data.xlsx", sheet_name="Plant", index=False)
    return folder


GUIDE = [shlex.split(line)[1:] for line in commands("docs/command.md")]
OF_STUDIES = ("study", "verify")


def test_command_guide(tables, monkeypatch):
    monkeypatch.chdir(tables)
    for words in GUIDE:
        if words[0] not in OF_STUDIES:
            assert main([*words, *(SHORT if words[0] == "fit" else [])]) == 0, words
    assert Path("predictions.csv").is_file()


def test_study_commands_of_the_guide(tables, here, monkeypatch):
    """Verification of published runs is left out: its datasets may need a network."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    shutil.copy(tables / "data.csv", here)
    for words in GUIDE:
        if words[0] in OF_STUDIES and "--published" not in words:
            assert main(words) == 0, words
        if words[:2] == ["study", "init"]:
            _make_small(Path("my.yaml"))
            shutil.copy("my.yaml", "other.yaml")
    assert Path("results/my/report.html").is_file()


def test_researcher_tutorial_study_is_valid(here, capsys):
    """Only checked here; tests of own regularisers run such a study."""
    page = "docs/tutorial_researcher.md"
    Path("my_measures.py").write_text(blocks(page, "python")[0])
    Path("roughness.yaml").write_text(blocks(page, "yaml")[0])
    (check,) = [line for line in commands(page) if line.startswith("vjmgp")]
    assert main(shlex.split(check)[1:]) == 0
    assert "80 runs" in capsys.readouterr().out


def _make_small(path):
    study = yaml.safe_load(path.read_text())
    methods = {"VJM": {"gp": {"regularizer": "jensen_gap", **SMALL}}}
    study |= {"seeds": 2, "datasets": ["data"], "methods": methods}
    study["experiments"]["comparison"]["methods"] = ["VJM", "LinearRegression"]
    path.write_text(yaml.safe_dump(study))


IN_MAKEFILE = re.findall(
    r"^\t\$\(BIN\)/((?:vjmgp|snakemake) .+)$", (ROOT / "Makefile").read_text(), re.MULTILINE
)
EVERY = sorted(
    {c for page in PAGES for c in (*commands(page), *inline_commands(page))} | {*IN_MAKEFILE}
)


@pytest.mark.parametrize("command", EVERY)
def test_commands_parse(command, capsys):
    """Words in capitals and dots are placeholders; the rest must exist."""
    words = [w for w in shlex.split(command.replace("…", "")) if not re.match(r"\w+=\.$", w)]
    program, *rest = words
    if program == "vjmgp" and rest[:1] != ["--version"]:
        more = rest.index("--") if "--" in rest else len(rest)
        _read_by_parser(rest[:more], capsys)
    elif program == "make":
        assert f"\n{rest[0]}: " in (ROOT / "Makefile").read_text()
    elif program == "pip":
        wanted = re.findall(r"\[([\w,]+)\]", command)
        assert {name for names in wanted for name in names.split(",")} <= set(EXTRAS)
    elif program == "python" and rest[:1] == ["-m"] and rest[1].startswith("benchmarks."):
        source = (ROOT / (rest[1].replace(".", "/") + ".py")).read_text(encoding="utf-8")
        assert all(f'"{word}"' in source for word in rest if word.startswith("--")), command
    else:
        assert program in PROGRAMS


def _read_by_parser(words, capsys):
    """Parse a whole command, or check the name of part of one, such as `vjmgp study`."""
    try:
        parser().parse_args(words)
    except SystemExit:
        said = capsys.readouterr().err
        assert "required" in said, (words, said)
        assert "invalid choice" not in said


PLANNED = sorted(
    {c.removeprefix("PYTHONPATH=. ") for page in PAGES for c in commands(page) if "snakemake " in c}
    | {command for command in IN_MAKEFILE if command.startswith("snakemake ")}
    - {"snakemake --lint"}
)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """Create a folder like a clone, with a small study."""
    folder = tmp_path_factory.mktemp("workplace")
    for name in ("config", "profiles", "Snakefile", "workflow", "src", "envs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "results").mkdir()
    (folder / "results/paper").symlink_to(ROOT / "results/paper")
    study = {"datasets": ["192_vineyard"], "experiments": {"one": {"methods": ["VJM"]}}}
    for name in ("my.yaml", "roughness.yaml"):
        (folder / name).write_text(yaml.safe_dump(study))
    return folder


def dry_run(folder, *words):
    call = [sys.executable, "-m", "snakemake", *words, "--dry-run", "--quiet", "all"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", PLANNED)
def test_snakemake_commands_plan_jobs(command, workplace):
    """Arguments, profile and config are read, and jobs planned; none is run."""
    words = shlex.split(command)[1:]
    if words[0] == "--cores" and "config/paper.yaml" in words and "--config" not in words:
        words += ["--config", "published=only"]  # 7,000 jobs take half a minute to plan
    dry_run(workplace, *words, "--nolock")


STUDIES = [(page, text) for page in PAGES for text in blocks(page, "yaml")]


@pytest.mark.parametrize(("page", "text"), STUDIES, ids=[page for page, _ in STUDIES])
def test_configs_are_valid(page, text, here, monkeypatch):
    """Each is a study, or part of one."""
    monkeypatch.syspath_prepend(here)
    measure = blocks("docs/own_regularizer.md", "python")[0]
    (here / "my_measures.py").write_text(measure)
    (here / "data").mkdir()
    (here / "data/plant.csv").write_text("site,a,yield\n" + "1,2,3\n" * 20)
    config = yaml.safe_load(text)
    config = config.get("comparison", config)
    if "experiments" not in config:
        names = list(config["methods"])
        config |= {"datasets": ["547_no2"], "experiments": {"one": {"methods": names}}}
    study = read_study(
        config,
        ROOT / "workflow/schemas/config.schema.yaml",
        ROOT / "config/methods.yaml",
        home=ROOT,
    )
    assert study.files.runs() or study.reused()


def test_module_guide(tmp_path):
    (snakefile,) = blocks("docs/module.md", "snakemake")
    (config,) = blocks("docs/module.md", "yaml")
    here = re.sub(r"github\(.*\)", f'"{ROOT}/workflow/Snakefile"', snakefile)
    assert here != snakefile
    (tmp_path / "config").mkdir()
    (tmp_path / "Snakefile").write_text(here)
    (tmp_path / "config/config.yaml").write_text(config)
    dry_run(tmp_path, "--cores", "1")


def test_notebook_output_is_current(capsys):
    cells = json.loads((ROOT / "docs/notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
            shown = "".join("".join(output["text"]) for output in cell["outputs"])
            assert capsys.readouterr().out == shown


WITH_EXAMPLES = sorted({home for home in vjmgp._HOME.values() if not home.startswith("engine.")})


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_docstring_examples(name):
    if name == vjmgp._HOME["load_results"] and not (ROOT / "results/paper").exists():
        pytest.skip("needs the published runs of the repository")
    module = importlib.import_module(f"vjmgp.{name}")
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_public_functions_have_an_example():
    public = [getattr(vjmgp, name) for name in vjmgp.__all__]
    ours = [thing for thing in public if callable(thing) and "engine" not in thing.__module__]
    without = {thing.__name__ for thing in ours if ">>>" not in (thing.__doc__ or "")}
    assert without == {"Dataset", "ExtrapolationWarning", "RowLabelWarning"}


def test_readme_example(here, capsys):
    (example,), (shown,) = blocks("README.md", "python"), blocks("README.md", "text")
    names = {}
    exec(example, names)
    assert capsys.readouterr().out == shown
    assert names["features"].shape[0] == 500
    assert len(example.splitlines()) <= 15


def test_readme_is_short_and_links_existing_files():
    text = PAGES["README.md"]
    assert len(text.splitlines()) <= 130
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    named = re.findall(r"\]\((?!https?:)([^)]+)\)", prose)
    assert len(named) > 20
    assert all((ROOT / link).exists() for link in named)
    not_clickable = re.findall(r"`(?:(?:docs|config)/[\w/]+\.\w+|[A-Z]+\.(?:md|cff))`", prose)
    assert not not_clickable
    assert "cannot predict classes or several targets at once, and uses no GPU" in prose
