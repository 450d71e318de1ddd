"""The browser for tests of pages."""

from tests.support.browser import browser, width  # noqa: F401 (fixtures)
