"""A parsed page, for tests of reports."""

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Tags in balance, ids, and where links and pictures point."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.faults = [], set(), [], []
        self.feed(text)
        self.close()
        self.faults += self.open

    def handle_startendtag(self, tag, attrs):
        pass  # closed at once, as in SVG

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)
