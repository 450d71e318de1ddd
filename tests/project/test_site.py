"""The documentation site: it builds without warnings and opens in a browser."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.browser import BROWSER, DRIVER, css
from tests.support.workflow_runs import ROOT

pytest.importorskip("mkdocs", reason="needs pip install 'vjmgp[docs]'")
PAGES = ("index", "method", "glossary", "notebook", "study", "reference/api", "reference/rules")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does, into a temporary folder."""
    folder = tmp_path_factory.mktemp("site")
    call = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder]
    calm = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(call, cwd=ROOT, env=calm, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder


def test_site_has_every_page(site):
    pages = {path.with_suffix(".html").name for path in ROOT.glob("docs/*.md")}
    assert pages <= {path.name for path in site.glob("*.html")}
    assert not list(site.rglob("*.py"))


def test_references_are_generated(site):
    text = {name: (site / f"reference/{name}.html").read_text() for name in ("api", "command")}
    assert 'id="vjmgp.regressor.VJMRegressor.choose"' in text["api"]
    assert "--no-final-fit" in text["command"]
    assert "seeds_per_job" in (site / "reference/config.html").read_text()
    assert "vjmgp.study.runs.prepare.prepare_dataset" in (site / "reference/rules.html").read_text()


def test_formulas_need_no_script(site):
    method = (site / "method.html").read_text()
    assert method.count("<math ") > 10
    assert "arithmatex" not in method


def test_link_check_finds_broken_links(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs/site")
    from link_check import broken_links

    (tmp_path / "a.html").write_text('<a href="b.html#here"></a><a href="https://x.org"></a>')
    (tmp_path / "b.html").write_text('<p id="here"></p><img src="https://x.org/a.png">')
    assert broken_links(tmp_path) == ["b.html: https://x.org/a.png (loaded from another host)"]
    (tmp_path / "b.html").write_text('<a href="c.html"></a><a href="htp://x"></a>')
    assert [line.split("(")[1] for line in broken_links(tmp_path)] == [
        "no such anchor)", "no such file)", "not an address)",
    ]  # fmt: skip


@pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver")
def test_site_pages_fit_phone_and_desktop(site, browser, width):
    for name in PAGES:
        browser.get(Path(site, f"{name}.html").as_uri())
        assert css(browser, "h1"), name
        assert [entry["message"] for entry in browser.get_log("browser")] == [], name
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width, name
        broken = "return Array.from(document.images).filter((p) => p.complete && !p.naturalWidth)"
        assert browser.execute_script(f"{broken}.length") == 0, name
