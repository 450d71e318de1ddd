"""MkDocs hooks of the site: generated pages, links, formulas, and a check of all links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import api_pages
import command_pages
import config_pages
import latex2mathml.converter
import link_check
import notebook_pages
import rule_pages
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
MADE = {
    "reference/api.md": api_pages.page,
    "reference/command.md": command_pages.page,
    "reference/config.md": lambda: config_pages.page(ROOT / "workflow/schemas/config.schema.yaml"),
    "reference/rules.md": lambda: rule_pages.page(ROOT / "workflow/rules"),
    "notebook.md": lambda: notebook_pages.page(ROOT / "docs/notebook.ipynb"),
    "study.md": lambda: _text("config/README.md"),
    "changelog.md": lambda: _text("CHANGELOG.md"),
    "contributing.md": lambda: _text("CONTRIBUTING.md"),
    "code_of_conduct.md": lambda: _text("CODE_OF_CONDUCT.md"),
}
"""Generated pages, and pages that are elsewhere in the repository."""
LINK = re.compile(r"\]\((?:\.\./|docs/)?(CONTRIBUTING|CODE_OF_CONDUCT|[a-z_]+)\.md")
"""A link between pages of docs/ and of the repository's root, which share a folder on the site."""
PAGE = re.compile(r"`(?:docs/)?([a-z_/]+\.md|config/README\.md)`(?!\])")
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    for uri, make in MADE.items():
        files.append(File.generated(config, uri, content=make()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn names of pages into links: `docs/trust.md` becomes that page's title."""

    def link(found: re.Match[str]) -> str:
        name = found[1].replace("config/README.md", "study.md")
        target = files.get_file_from_path(name)
        if target is None or target is page.file:
            return found[0]
        up = "../" * page.file.src_uri.count("/")
        return f"[{_title(target)}]({up}{name})"

    here = LINK.sub(lambda found: f"]({found[1].lower()}.md", markdown)
    return PAGE.sub(link, here)


def _title(file: File) -> str:
    heading = re.search(r"^# (.+)$", file.content_string, re.MULTILINE)
    return heading[1].replace("`", "") if heading else file.name


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Write formulas as MathML, which browsers display without scripts."""
    return FORMULA.sub(_mathml, html)


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found[2] == "[" else "inline"
    latex = found[3].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return str(latex2mathml.converter.convert(latex, display=display))


def on_post_build(config: Any) -> None:
    """Raise if a link of the finished site is broken."""
    broken = link_check.broken_links(Path(config.site_dir))
    if broken:
        raise PluginError("\n".join(["Broken links:", *broken]))
