"""Reports in a real browser: they open from disk, sort and search without errors."""

import shlex

import numpy as np
import pandas as pd
import pytest
from benchmarks.report import make_tables, paper_study, steps
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.support.wait import WebDriverWait
from tests.support.browser import BROWSER, DRIVER, css
from tests.support.command import QUICK

from vjmgp.cli import main
from vjmgp.fit_reports.folder import read_versions

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
    pictures, curves = css(browser, "figure svg"), css(browser, ".curves svg")
    assert len(pictures) >= 3 + len(curves) >= 4
    assert all(120 < picture.rect["width"] <= width for picture in pictures)
    assert all(picture.rect["width"] > 200 for picture in pictures if picture not in curves)
    assert css(browser, "p.math")[0].rect["height"] > 20


EVIL = ["</script><img src=x onerror='window.hacked=1'>", "a\"b'c & `${window.hacked=1}`"]


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    """Fit to a table whose names, levels and folder would run code if they were not escaped."""
    folder = tmp_path_factory.mktemp("explored")
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(80, 2)), columns=EVIL)
    data["site"] = rng.choice(["</pre><svg onload='window.hacked=1'>", "south"], 80)
    data["y"] = (
        data[EVIL[0]] * data[EVIL[1]] + 3.0 * data[EVIL[0]] + 2.0 * (data["site"] == "south")
    )
    data["y"] += 0.3 * rng.normal(size=80)
    data.to_csv(folder / "data.csv", index=False)
    out = folder / "it's <b onclick='window.hacked=1'> & co"
    assert (
        main(["fit", str(folder / "data.csv"), "--target", "y", "--output", str(out), *QUICK]) == 0
    )
    return out


@pytest.fixture
def page(explored, browser):
    """Open the page and wait until its script is ready."""
    browser.get("about:blank")
    browser.get((explored / "report.html").as_uri())
    wait_for(browser, "html.scripted")
    return browser


def wait_for(browser, selector):
    return WebDriverWait(browser, 20).until(lambda _: css(browser, selector))[0]


def shown_row(browser):
    """Return the row in the panel, which point and tables must agree on."""
    (point,) = css(browser, ".point[aria-selected=true]")
    rows = {row.get_attribute("data-row") for row in css(browser, "tr.shown")}
    pressed = {b.get_attribute("aria-label") for b in css(browser, "[aria-pressed=true]")}
    row = point.get_attribute("data-row")
    assert rows <= {row}
    assert pressed <= {f"Show row {row}"}
    assert css(browser, "#model-title")[0].text.split(" the ")[0] == f"Row {row}"
    assert [p.get_attribute("data-row") for p in css(browser, ".point[tabindex='0']")] == [row]
    return int(row)


def test_a_click_on_a_point_or_a_row_shows_its_model(explored, page):
    versions = read_versions(explored)
    assert shown_row(page) == versions.chosen
    others = [row for row in versions.short["row"] if row != versions.chosen]
    css(page, f".point[data-row='{others[0]}'] circle")[0].click()
    assert shown_row(page) == others[0]
    css(page, f".short tr[data-row='{others[-1]}'] td:nth-child(2)")[0].click()
    assert shown_row(page) == others[-1]
    css(page, "#models ~ details summary")[0].click()
    css(page, "table.sortable tr[data-row='0'] button")[0].click()
    assert shown_row(page) == 0
    WebDriverWait(page, 20).until(lambda _: page.current_url.endswith("#row-0"))
    page.execute_script("window.location.hash = arguments[0]", f"row-{others[0]}")
    WebDriverWait(page, 20).until(lambda _: shown_row(page) == others[0])
    page.refresh()
    wait_for(page, "html.scripted")
    assert shown_row(page) == others[0]
    assert page.execute_script("return window.hacked") is None
    assert page.get_log("browser") == []


def test_a_click_beside_a_point_shows_the_nearest_one(explored, page):
    row = read_versions(explored).chosen
    chart = css(page, "#sizes")[0]
    page.execute_script("arguments[0].scrollIntoView({ block: 'center' })", chart)
    css(page, ".point.short")[0].click()
    circle = css(page, f".point[data-row='{row}'] circle")[0]
    ActionChains(page).move_to_element_with_offset(circle, 0, 11).click().perform()
    assert shown_row(page) == row
    ActionChains(page).move_to_element_with_offset(
        chart, 0, 4 - chart.rect["height"] // 2
    ).click().perform()
    assert shown_row(page) == row


def test_keys_go_from_point_to_point_and_to_the_panel(explored, page):
    versions = read_versions(explored)
    sizes = [model.size for model in versions.models]
    css(page, "#compare ~ p code")[-1].click()  # a place in the page to start from
    point = css(page, ".point[tabindex='0']")[0]
    page.execute_script("arguments[0].focus()", point)
    ActionChains(page).send_keys(Keys.HOME).perform()
    seen = [shown_row(page)]
    for _ in range(len(sizes) - 1):
        ActionChains(page).send_keys(Keys.ARROW_RIGHT).perform()
        seen.append(shown_row(page))
        active = page.switch_to.active_element
        assert active.get_attribute("data-row") == str(seen[-1])
        assert active.get_attribute("role") == "option"
    assert sorted(seen) == list(range(len(sizes)))
    assert [sizes[row] for row in seen] == sorted(sizes)
    ActionChains(page).send_keys(Keys.ARROW_LEFT).perform()
    assert shown_row(page) == seen[-2]
    ActionChains(page).send_keys(Keys.ENTER).perform()
    assert page.switch_to.active_element.get_attribute("id") == "model"
    ActionChains(page).send_keys(Keys.TAB).perform()
    assert css(page, "#model")[0] != page.switch_to.active_element
    assert page.execute_script("return document.activeElement.closest('#model') !== null")


def test_keys_go_from_row_to_row(explored, page):
    first, second = css(page, ".short tbody button")[:2]
    page.execute_script("arguments[0].focus()", first)
    ActionChains(page).send_keys(Keys.ARROW_DOWN).perform()
    assert page.switch_to.active_element == second
    assert f"Show row {shown_row(page)}" == second.get_attribute("aria-label")
    ActionChains(page).send_keys(Keys.ARROW_UP, Keys.ENTER).perform()
    assert f"Show row {shown_row(page)}" == first.get_attribute("aria-label")
    assert page.switch_to.active_element.get_attribute("id") == "model"


def test_copied_texts_are_the_exports(explored, page):
    grant = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    page.execute_cdp_cmd("Browser.grantPermissions", grant)
    versions = read_versions(explored)
    row = next(row for row in versions.short["row"] if row != versions.chosen)
    css(page, f".point[data-row='{row}'] circle")[0].click()
    model, found = versions.models[row], {}
    for button in css(page, "#model .copy"):
        button.click()
        WebDriverWait(page, 20).until(lambda _, button=button: button.text == "Copied")
        name = button.get_attribute("aria-label").removeprefix("Copy ")
        found[name] = page.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    *_, formula = model.export("excel").partition("\n=")
    assert found == {
        "the command": f"vjmgp choose {shlex.quote(str(explored))} {row}",
        **{"Text": model.text(), "Excel": f"={formula}"},
        **{"Python": model.export("python"), "LaTeX": model.latex()},
    }


def test_every_model_fits_phone_and_desktop(page, width):
    for point in css(page, ".point"):
        page.execute_script(
            "arguments[0].dispatchEvent(new Event('click', {bubbles: true}))", point
        )
        shown_row(page)
        page.execute_script(
            "for (const d of document.querySelectorAll('#model details')) d.open = 1"
        )
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
    buttons = [*css(page, "#model .copy"), *css(page, ".short tbody button")]
    assert all(b.rect["x"] >= 0 and b.rect["x"] + b.rect["width"] <= width for b in buttons)
    assert css(page, "#sizes")[0].rect["width"] > 300


def test_the_page_without_its_script_shows_the_chosen_model(explored, browser):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get((explored / "report.html").as_uri())
        assert css(browser, "#model-title")[0].text.startswith(
            f"Row {read_versions(explored).chosen}"
        )
        assert len(css(browser, "#model .curves svg")) > 0
        assert not [b for b in css(browser, ".copy, .needs-script") if b.is_displayed()]
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
