"""Generate a page from the notebook: its text, code and output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTE = """*This page is the notebook `docs/notebook.ipynb` of the repository. It runs in under two
minutes.*"""


def page(path: Path) -> str:
    """Return the page, with a note on the notebook below its title."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = [part for cell in cells for part in _parts(cell)]
    return "\n\n".join([parts[0], NOTE, *parts[1:]])


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield _shown(output)


def _shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text'])}```"
    data = output["data"]
    if "image/svg+xml" in data:
        return "".join(data["image/svg+xml"])
    return f"```text\n{''.join(data['text/plain'])}\n```"
