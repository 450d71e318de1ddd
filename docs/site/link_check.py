"""Check every link of a built site: files and anchors within it must exist."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"script", "img", "link", "source", "iframe"}
"""Tags whose address is loaded with the page; it must not be on another host."""
KNOWN = {"canonical", "next", "prev"}


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = {""}
        self.links: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the anchors and links of a tag."""
        values = {name: value or "" for name, value in attrs}
        self.places |= {values[key] for key in ("id", "name") if key in values}
        if tag == "link" and values.get("rel") in KNOWN:
            return
        self.links += [(tag, values[key]) for key in ("href", "src") if key in values]


def broken_links(site: Path) -> list[str]:
    """Return the broken links of a site, each with the page and the reason."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    return [
        f"{path.relative_to(site)}: {address} ({fault})"
        for path, page in pages.items()
        if path.name != "404.html"  # its links are relative to the server's root
        for address, fault in _faults(path, page, pages)
    ]


def _faults(path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[tuple[str, str]]:
    for tag, address in page.links:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            if parts.scheme not in ("http", "https", "mailto", "data") or " " in address:
                yield address, "not an address"
            elif tag in LOADS and parts.scheme != "data":
                yield address, "loaded from another host"
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            yield address, "no such file"
        elif target in pages and unquote(parts.fragment) not in pages[target].places:
            yield address, "no such anchor"
