"""Figures of the code's structure, measured on a made-up tree."""

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


def test_figures_and_limits(tmp_path, monkeypatch, capsys):
    for name, text in FILES.items():
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
