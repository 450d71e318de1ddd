"""The browser for tests of pages."""

from tests.support.browser import browser  # noqa: F401 (a fixture)
