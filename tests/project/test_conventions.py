"""The project's structure, and the files that check, release and cite it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from benchmarks import house

import vjmgp

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GITHUB = ROOT / ".github"
FORMS = GITHUB / "ISSUE_TEMPLATE"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.dependabot", [GITHUB / "dependabot.yml"]),
        ("vendor.github-issue-config", [FORMS / "config.yml"]),
        ("vendor.github-issue-forms", [FORMS / "bug.yml", FORMS / "idea.yml"]),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
def test_files_match_their_schemas(schema, files):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_make_targets_and_test_paths_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    workflows = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"\bmake ([\w-]+)", workflows)) <= targets
    named = re.findall(r"tests/[\w/.]+", makefile + workflows)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_workflows_have_the_permissions_they_need_and_no_others():
    for path in WORKFLOWS:
        workflow = read(path)
        assert workflow["permissions"] == {"contents": "read"}, path.name
        for name, job in workflow["jobs"].items():
            if "write" in job.get("permissions", {}).values():
                assert (path.stem, name) in {
                    ("docs", "publish"), ("release", "pypi"), ("release", "github"),
                }  # fmt: skip


def test_every_supported_python_is_tested_on_every_system():
    project = PYPROJECT["project"]
    matrix = read(GITHUB / "workflows/checks.yml")["jobs"]["systems"]["strategy"]["matrix"]
    said = "\n".join(project["classifiers"])
    assert re.findall(r"Python :: (3\.\d+)", said) == matrix["python"]
    assert f">={matrix['python'][0]}" == project["requires-python"]
    assert len(matrix["os"]) == len(re.findall("Operating System", said)) == 3


def test_version_is_the_same_everywhere():
    assert read(ROOT / "CITATION.cff")["version"] == vjmgp.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert newest[1] == vjmgp.__version__


def test_pre_commit_hooks_are_part_of_make_lint():
    hooks = read(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    lint = (ROOT / "Makefile").read_text().split("\nlint:")[1].split("\n\n")[0]
    for hook in hooks:
        tool = hook["entry"].removeprefix(".venv/bin/").split()[0]
        assert f"$(BIN)/{tool}" in lint


def test_architecture_page_shows_the_layers_of_the_contract():
    (contract,) = PYPROJECT["tool"]["importlinter"]["contracts"]
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    drawn = [re.findall(r"\w+", line) for line in re.findall("^│.*│$", page, re.MULTILINE)]
    assert [" | ".join(names) for names in drawn] == contract["layers"]
    table = page.split("| --- | --- |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [
        n for names in drawn for n in names
    ]


MADE_UP = {
    "src/vjmgp/__init__.py": '"""What a package is."""\n',
    "src/vjmgp/core/__init__.py": "",
    "src/vjmgp/core/names.py": 'A = 1\n"""What A is."""\n\n\nclass _Row:\n    """A row."""\n',
    "src/vjmgp/tables/names.py": 'def f():\n    """None."""\n\n    class _Row:\n        pass\n',
    "src/vjmgp/models/ffx.py": "class Model:\n    pass\n",
    "src/vjmgp/competitors/ffx.py": "class Model:\n    pass\n",  # a fixed path
    "tests/test_names.py": "\n" * 9,
}


def test_house_measures_a_tree_and_checks_limits(tmp_path, monkeypatch, capsys):
    for name, text in MADE_UP.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    figures, details = house.measure(tmp_path)
    assert list(figures.values()) == [1, 16, 9, 2, 1, 1]
    both = "src/vjmgp/core/names.py, src/vjmgp/tables/names.py"
    assert details[:3] == [f"names: {both}", f"_Row: {both}", "tests/test_names.py: 9 lines"]
    monkeypatch.setattr(sys, "argv", ["house", str(tmp_path)])
    with pytest.raises(SystemExit, match="True"):
        house.main()
    marked = [line for line in capsys.readouterr().out.splitlines() if line.endswith("exceeded")]
    assert [line.split("  ")[0] for line in marked] == list(house.LIMITS)[-2:]
    (tmp_path / "src/vjmgp/tables/names.py").unlink()
    with pytest.raises(SystemExit, match="False"):
        house.main()
