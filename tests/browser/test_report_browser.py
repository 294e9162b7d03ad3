"""The report in a real browser: no request, no error, readable on a phone and in the dark."""

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from ycsbook import anomalies, scaling
from ycsbook.report import build, write

sys.path.append(str(Path(__file__).parents[1] / "unit"))
import report_samples as samples

LUMINANCE = "(e) => getComputedStyle(e).backgroundColor.match(/[0-9.]+/g).slice(0, 3).map(Number)"


@pytest.fixture(scope="module")
def page_path(tmp_path_factory) -> Path:
    tables = samples.local_tables()
    tables.runs["source"] = "<img src=http://127.0.0.1:9/x onerror=alert(1)>" + tables.runs["source"]
    report = build(
        samples.local_sweep(title="<script>alert(1)</script> MongoDB"), tables, scaling.analyse(tables.runs),
        anomalies.find(tables), samples.ENVIRONMENT,
    )  # fmt: skip
    return write(report, tmp_path_factory.mktemp("report")).html


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)])
def test_opens_without_requests_or_errors_and_fits(browser: Browser, page_path: Path, scheme, width):
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    page = context.new_page()
    requests, troubles = [], []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.route(lambda url: not url.startswith(("file:", "data:")), lambda route: route.abort())
    page.goto(page_path.as_uri())
    pictures = page.locator("main img")
    assert pictures.count() == 12
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("(e) => e.complete && e.naturalWidth > 0")
        assert picture.bounding_box()["width"] <= width
    assert [url for url in requests if not url.startswith("data:")] == [page_path.as_uri()]
    assert troubles == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    bright = sum(page.locator("body").evaluate(LUMINANCE)) > 3 * 128
    assert bright == (scheme == "light")
    drawn = pictures.first.evaluate("(e) => e.currentSrc")
    assert ("%231b2733" in drawn) == (scheme == "light")
    context.close()


def test_can_be_read_with_the_keyboard_and_by_name(browser: Browser, page_path: Path):
    page = browser.new_page()
    page.goto(page_path.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.get_by_role("link", name="Findings and what to do").first.click()
    assert page.url.endswith("#findings")
    assert page.get_by_role("heading", level=1).inner_text() == "<script>alert(1)</script> MongoDB"
    assert page.get_by_role("img").filter(visible=True).count() == 12
    assert page.locator("img:not([alt])").count() == 0
    page.close()


def test_prints_in_light_colours_even_where_the_screen_is_dark(browser: Browser, page_path: Path):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(page_path.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert sum(page.locator("body").evaluate(LUMINANCE)) == 3 * 255
    assert page.locator("nav").is_hidden()
    context.close()
