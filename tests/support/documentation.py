"""Read the code blocks and commands of the documentation, for the tests that run them."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "config/README.md")),
        *(ROOT / "results/paper/README.md", *sorted(ROOT.glob("docs/*.md"))),
    ]
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`]+)`")
PROGRAMS = ("vjmgp", "snakemake", "make", "pip", "python", "PYTHONPATH=.")


def blocks(page: str, *languages: str) -> list[str]:
    """Return the blocks of a page in these languages."""
    return [text for language, text in BLOCK.findall(PAGES[page]) if language in languages]


def commands(page: str) -> list[str]:
    """Return every command in the blocks of a page."""
    lines = [line for text in blocks(page, "sh") for line in re.split(r"\n| && ", text)]
    words = [shlex.split(line.replace(".venv/bin/", ""), comments=True) for line in lines]
    return [shlex.join(each) for each in words if each]


def inline_commands(page: str) -> list[str]:
    """Return the commands in sentences and tables; a program's name alone is not one."""
    prose = BLOCK.sub("", PAGES[page])
    found = (" ".join(text.split()) for text in INLINE.findall(prose))
    return [text for text in found if text.startswith(tuple(f"{p} " for p in PROGRAMS))]
