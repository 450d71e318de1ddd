"""A real browser, for tests of pages."""

import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
DRIVER = shutil.which("chromedriver")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--window-size=1200,900", "--force-prefers-reduced-motion"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options, Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(params=[400, 1200])
def width(request, browser):
    """The width of a phone or a desktop, which the browser has during the test."""
    size = {"width": request.param, "height": 900, "deviceScaleFactor": 1}
    size["mobile"] = request.param < 600
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield request.param
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def css(browser, selector):
    return browser.find_elements("css selector", selector)
