"""The figures of the package's structure, measured on a made-up tree."""

import sys

import pytest
from benchmarks import house

FILES = {
    "src/vjmgp/__init__.py": '"""What a package is."""\n',
    "src/vjmgp/core/__init__.py": "",
    "src/vjmgp/core/names.py": 'A = 1\n"""What A is."""\n\n\nclass _Row:\n    """A row."""\n',
    "src/vjmgp/tables/names.py": 'def f():\n    """None."""\n\n    class _Row:\n        pass\n',
    "src/vjmgp/models/ffx.py": "class Model:\n    pass\n",
    "src/vjmgp/competitors/ffx.py": "class Model:\n    pass\n",  # a fixed path
    "tests/test_names.py": "\n" * 9,
}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_figures_of_a_tree(tree):
    figures, details = house.measure(tree)
    assert list(figures.values()) == [1, 16, 9, 2, 1, 1]
    assert details[:3] == [
        "names: src/vjmgp/core/names.py, src/vjmgp/tables/names.py",
        "_Row: src/vjmgp/core/names.py, src/vjmgp/tables/names.py",
        "tests/test_names.py: 9 lines",
    ]


def test_exceeded_limits_are_an_error(tree, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["house", str(tree)])
    with pytest.raises(SystemExit, match="True"):
        house.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines if line.endswith("exceeded")] == [
        "module names used twice",
        "class names used twice",
    ]
    (tree / "src/vjmgp/tables/names.py").unlink()
    with pytest.raises(SystemExit, match="False"):
        house.main()
