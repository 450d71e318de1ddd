"""Reports in a real browser: they open from disk, sort and search without errors."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.report import make_tables, paper_study, steps
from tests.support.browser import BROWSER, DRIVER, css
from tests.support.command import QUICK

from vjmgp.cli import main

pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER),
    reason="needs chromium and chromedriver (Debian: apt install chromium chromium-driver)",
)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Write the report of a small made-up study with two of the paper's experiments."""
    folder = tmp_path_factory.mktemp("browser")
    study = paper_study(
        folder / "results",
        datasets=["547_no2", "192_vineyard", "4544_GeographicalOriginalofMusic"],
        seeds=8,
        experiments={
            "complexity_measures": {"methods": ["VJM", "PP", "RC", "GC", "Standard GP"]},
            "alpha": {"methods": ["VJM", "VJM alpha=1", "VJM alpha=100"]},
        },
    )
    make_tables(study)
    for step in steps(study).values():
        step()
    return folder / "results"


def column(table, place):
    return [
        row.find_elements("tag name", "td")[place].text
        for row in table.find_elements("css selector", "tbody tr")
        if row.is_displayed()
    ]


def test_every_page_opens_without_errors(report, browser):
    """Follow every link between pages, starting with a double click on report.html."""
    waiting, seen = [(report / "report.html").as_uri()], set()
    while waiting:
        address = waiting.pop()
        seen.add(address)
        browser.get(address)
        assert css(browser, "h1"), address
        broken = browser.execute_async_script(
            """const done = arguments[0];
            const pictures = Array.from(document.images);
            pictures.forEach((picture) => { picture.loading = "eager"; });
            Promise.all(pictures.map((picture) => picture.decode().catch(() => null)))
              .then(() => done(pictures.filter((p) => !p.naturalWidth).map((p) => p.src)));"""
        )
        assert broken == []
        assert browser.get_log("browser") == [], address
        links = {link.get_attribute("href").split("#")[0] for link in css(browser, "a")}
        waiting += [link for link in links - seen if link.endswith(".html") and link not in waiting]
    pages = {path.as_uri() for path in [report / "report.html", *report.glob("report/*.html")]}
    assert seen == pages
    assert len(pages) == 1 + 6 + 2 + 3 - 1  # overview, shared pages, experiments, datasets


def test_tables_sort_both_ways_with_missing_values_last(report, browser):
    browser.get((report / "report/experiment-complexity_measures.html").as_uri())
    table = next(t for t in css(browser, "table.sortable") if "mean rank" in t.text)
    heading = next(b for b in table.find_elements("css selector", "th button") if "rank" in b.text)
    place = [b.text for b in table.find_elements("css selector", "th button")].index(heading.text)
    before = column(table, place)
    heading.click()
    down = [float(text) for text in column(table, place)]
    assert down == sorted(map(float, before), reverse=True)
    heading.click()
    assert [float(text) for text in column(table, place)] == down[::-1]
    assert [h.get_attribute("aria-sort") for h in table.find_elements("css selector", "th")].count(
        "ascending"
    ) == 1
    names = column(table, 0)
    table.find_elements("css selector", "th button")[0].click()  # text, too
    assert column(table, 0) == sorted(names, key=str.lower, reverse=True)
    browser.get((report / "report/dataset-547_no2.html").as_uri())
    table = css(browser, "table.sortable")[0]
    assert column(table, 4)[0] == "–"  # the difference of the first method from itself
    table.find_elements("css selector", "th button")[4].click()
    shown = column(table, 4)
    assert shown[0] != "–"
    assert shown[-1] == "–"
    assert "–" not in shown[: shown.index("–")]


def test_search_hides_other_rows(report, browser):
    browser.get((report / "report/scoreboard.html").as_uri())
    section = css(browser, "#complexity_measures")[0]
    table = section.find_element("tag name", "table")
    section.find_element("css selector", "input[type=search]").send_keys("vjm rc")
    assert column(table, 0) == ["VJM better than RC"]
    browser.get((report / "report/models.html").as_uri())
    css(browser, "input[type=search]")[0].send_keys("547")
    shown = [h.text for h in css(browser, "section h3") if h.is_displayed()]
    assert shown == ["547_no2"]
    text = css(browser, "main")[0].text
    assert "The paper's VJM model here: training R² 0.74, test R² 0.46" in text


def test_menu_links_to_experiments(report, browser):
    browser.get((report / "report.html").as_uri())
    css(browser, "nav summary")[0].click()
    browser.find_element("link text", "Alpha").click()
    assert browser.current_url.endswith("/report/experiment-alpha.html")
    assert css(browser, "h2")[0].text == "Alpha"


def test_links_show_reports_that_exist(report, browser):
    page = (report / "report.html").read_text(encoding="utf-8")
    links = "".join(f'<a hidden data-report="{name}/">{name}</a>' for name in ("one", "two"))
    (report / "linked.html").write_text(page.replace("</nav>", f"{links}</nav>"), encoding="utf-8")
    (report / "two/report").mkdir(parents=True)
    (report / "two/report/style.css").write_text("")
    browser.get((report / "linked.html").as_uri())
    links = [link for link in css(browser, "a[data-report]") if link.is_displayed()]
    assert [link.text for link in links] == ["two"]
    assert links[0].get_attribute("href") == (report / "two/report.html").as_uri()
    assert browser.get_log("browser") != []  # the missing one; later tests start afresh


def test_report_pages_fit_phone_and_desktop(report, browser, width):
    """Wide tables and figures scroll in boxes; on a desktop most need no scrolling."""
    for path in [report / "report.html", *sorted(report.glob("report/*.html"))]:
        browser.get(path.as_uri())
        shown = browser.execute_script("return document.documentElement.scrollWidth")
        assert shown <= width, path.name
        if width == 1200 and path.name.startswith(("report", "experiment", "run", "models")):
            boxes = css(browser, "main > .scroll")
            assert all(b.rect["width"] >= b.get_property("scrollWidth") for b in boxes), path.name


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Write the page of a fit to a table with long names."""
    folder = tmp_path_factory.mktemp("fitted")
    rng = np.random.default_rng(0)
    names = ["temperature at the second of all sensors", "b"]
    data = pd.DataFrame(rng.normal(size=(80, 2)), columns=names)
    data["y"] = data[names[0]] * data["b"] + rng.normal(size=80)
    data.to_csv(folder / "data.csv", index=False)
    words = ["--target", "y", "--output", str(folder / "out"), *QUICK, "--restarts", "2"]
    assert main(["fit", str(folder / "data.csv"), *words]) == 0
    return folder / "out/report.html"


def test_fit_page_fits_phone_and_desktop(fitted, browser, width):
    browser.get(fitted.as_uri())
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    pictures = css(browser, "figure svg")
    assert len(pictures) >= 5
    assert all(200 < picture.rect["width"] <= width for picture in pictures)
    assert css(browser, "p.math")[0].rect["height"] > 20
