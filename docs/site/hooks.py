"""What MkDocs calls while it builds the site: pages that are made, links, formulas, a check."""

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
    "study.md": lambda: (ROOT / "config/README.md").read_text(encoding="utf-8"),
    "changelog.md": lambda: (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
}
"""Pages that are made from what they describe."""
PAGE = re.compile(r"`(?:docs/)?([a-z_/]+\.md|config/README\.md)`(?!\])")
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    for uri, make in MADE.items():
        files.append(File.generated(config, uri, content=make()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Make links of the names of other pages: `docs/trust.md` becomes its title."""

    def link(found: re.Match[str]) -> str:
        name = found[1].replace("config/README.md", "study.md")
        target = files.get_file_from_path(name)
        if target is None or target is page.file:
            return found[0]
        up = "../" * page.file.src_uri.count("/")
        return f"[{_title(target)}]({up}{name})"

    return PAGE.sub(link, markdown)


def _title(file: File) -> str:
    heading = re.search(r"^# (.+)$", file.content_string, re.MULTILINE)
    return heading[1].replace("`", "") if heading else file.name


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Set formulas as MathML, which browsers show without a script."""
    return FORMULA.sub(_mathml, html)


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found[2] == "[" else "inline"
    latex = found[3].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return str(latex2mathml.converter.convert(latex, display=display))


def on_post_build(config: Any) -> None:
    """Follow every link of the finished site."""
    broken = link_check.broken_links(Path(config.site_dir))
    if broken:
        raise PluginError("\n".join(["Links that lead nowhere:", *broken]))
