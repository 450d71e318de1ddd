"""Parse an HTML page."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Unbalanced tags (`faults`), ids, and targets of links and pictures of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str | None] = set()
        self.links: list[str] = []
        self.faults: list[str] = []
        self.feed(text)
        self.close()
        self.faults += self.open

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Ignore elements that are closed at once, as in SVG."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an open tag, its id and its link."""
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        """Close the last open tag."""
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)
