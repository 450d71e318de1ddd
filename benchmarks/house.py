"""Print figures of the code's structure; exit with 1 if one exceeds its limit.

`python -m benchmarks.house`; `make lint` runs it, too.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LIMITS = {
    "modules in the root of the package": 4,
    "source lines": 32_600,
    "test lines": 19_600,
    "docstrings that begin with “What”": 20,
    "module names used twice": 0,
    "class names used twice": 0,
}
"""Upper bounds; those of lines rise only with features."""
FIXED = {"gaussian_process", "operon", "ffx", "excelformer"}
"""Modules of `competitors` whose paths are part of published identities, so their names stay."""
LONGEST = 5
"""Number of longest files to list."""


class Module(NamedTuple):
    """A Python file of the source or the tests."""

    path: Path
    lines: int
    tree: ast.Module

    @property
    def may_share_names(self) -> bool:
        """Whether published identities contain the module's path."""
        return self.path.parent.name == "competitors" and self.path.stem in FIXED


def read_modules(folder: Path) -> list[Module]:
    """Read every Python file below a folder."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    return [Module(path, len(text.splitlines()), ast.parse(text)) for path, text in texts.items()]


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Yield every string that stands alone: docstrings, and those below constants and fields."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text


def used_twice(names: Iterable[tuple[str, Path]]) -> list[str]:
    """Return the names that occur in more than one place, with their places."""
    places = defaultdict(list)
    for name, place in names:
        places[name].append(str(place))
    return [f"{name}: {', '.join(at)}" for name, at in sorted(places.items()) if len(at) > 1]


def measure(root: Path) -> tuple[dict[str, int], list[str]]:
    """Return the figures of a repository by the names of their limits, and lines of detail."""
    source, tests = read_modules(root / "src"), read_modules(root / "tests")
    named = [module for module in source if not module.may_share_names]
    modules = used_twice(
        (module.path.stem, module.path.relative_to(root))
        for module in named
        if module.path.name != "__init__.py"
    )
    classes = used_twice(
        (node.name, module.path.relative_to(root))
        for module in named
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    )
    longest = sorted(source + tests, key=lambda module: -module.lines)[:LONGEST]
    figures = (
        sum(module.path.parent == root / "src/vjmgp" for module in source),
        sum(module.lines for module in source),
        sum(module.lines for module in tests),
        sum(text.startswith("What") for module in source for text in docstrings(module.tree)),
        len(modules),
        len(classes),
    )
    sizes = [f"{module.path.relative_to(root)}: {module.lines} lines" for module in longest]
    return dict(zip(LIMITS, figures, strict=True)), [*modules, *classes, *sizes]


def main() -> None:
    """Print figures, limits and details."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, help="a repository")
    figures, details = measure(parser.parse_args().root)
    for name, figure in figures.items():
        mark = "  exceeded" if figure > LIMITS[name] else ""
        print(f"{name:36} {figure:7,} of {LIMITS[name]:7,}{mark}")
    print(*details, sep="\n")
    raise SystemExit(any(figure > LIMITS[name] for name, figure in figures.items()))


if __name__ == "__main__":
    main()
