"""The README's example runs as written."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_sixty_second_example(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(example, names)
    score = float(capsys.readouterr().out.split()[0])
    assert 0.3 < score < 0.7
    assert names["features"].shape[0] == 500
