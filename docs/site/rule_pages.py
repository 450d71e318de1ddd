"""The reference of the rules: their picture, and where each is defined."""

from __future__ import annotations

import re
from pathlib import Path

from vjmgp.study.report.run_page import picture_of_workflow
from vjmgp.study.steps import STEPS

HEAD = """# Rules of the workflow

What Snakemake runs, and in which order. Lines leave out what follows from others. The graph with
every edge: `snakemake --rulegraph mermaid-js --configfile config/smoke.yaml`."""
COLUMNS = """\
| rule | what | in `workflow/rules/` | function |
| --- | --- | --- | --- |"""
RULE = re.compile(r"^(?:use rule \w+ as (\w+) with|rule (\w+)):$(.*?)(?=^\S|\Z)", re.M | re.S)


def page(folder: Path) -> str:
    """Return the page: the picture, and a row for each rule."""
    rows = [row for path in sorted(folder.glob("*.smk")) for row in _rows(path)]
    table = "\n".join([COLUMNS, *rows])
    return f"{HEAD}\n\n{_picture()}\n\n## Where each rule is\n\n{table}"


def _rows(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return [
        _row(path.name, text.count("\n", 0, found.start()) + 1, found)
        for found in RULE.finditer(text)
    ]


def _row(file: str, line: int, found: re.Match[str]) -> str:
    name = found[1] or found[2]
    function = STEPS[name].function if name in STEPS else ""
    what = _words(name, found[3])
    return f"| `{name}` | {what} | `{file}`, line {line} | {f'`{function}`' if function else ''} |"


def _words(name: str, body: str) -> str:
    """Return the comment that a rule begins with, or the words of the picture."""
    comment = re.match(r"(?:\s+#[^\n]*)+", body)
    if comment:
        return " ".join(comment[0].replace("#", " ").split())
    return STEPS[name].does if name in STEPS else ""


def _picture() -> str:
    picture = picture_of_workflow()
    wide, high = picture["wide"], picture["high"]
    lines = "".join(f'<path d="{line}"/>' for line in picture["lines"])
    boxes, names = "", ""
    for box in picture["boxes"]:
        x, y = box["x"], box["y"]
        boxes += f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="5"/>'
        names += f'<text x="{x + 10}" y="{y + 18}" font-weight="bold">{box["name"]}</text>'
        names += f'<text x="{x + 10}" y="{y + 35}">{box["does"]}</text>'
    return (
        f'<svg viewBox="0 0 {picture["width"]} {picture["height"]}" '
        f'style="max-width:{picture["width"]}px" role="img" aria-label="Rules and their order">'
        f'<g fill="none" stroke="currentColor">{lines}{boxes}</g>'
        f'<g fill="currentColor" font-size="13">{names}</g></svg>'
    )
