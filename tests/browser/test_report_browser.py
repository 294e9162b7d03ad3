"""The report in a real browser: no request, no error, readable on a phone and in the dark, sortable, printable."""

import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from ycsbook import anomalies, scaling
from ycsbook.report import build, write

sys.path.append(str(Path(__file__).parents[1] / "unit"))
import report_samples as samples

LUMINANCE = "(e) => getComputedStyle(e).backgroundColor.match(/[0-9.]+/g).slice(0, 3).map(Number)"
# The contrast of each colour of text with the ground behind it, as WCAG 2.2 reckons it.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => colour.slice(0, 3)
    .map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    const own = getComputedStyle(e).backgroundColor;
    return rgba(own)[3] === 255 || !e.parentElement ? own : ground(e.parentElement);
  };
  const pairs = new Map();
  for (const e of document.querySelectorAll("body *")) {
    const said = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!said || e.tagName === "SCRIPT" || !e.checkVisibility()) continue;
    pairs.set(`${getComputedStyle(e).color}|${ground(e)}`, `${e.tagName} ${e.className}`);
  }
  return [...pairs].map(([pair, where]) => {
    const [ink, paper] = pair.split("|").map(rgba);
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    return [ink[3] === 0 ? 21 : (a + 0.05) / (b + 0.05), where];
  });
}"""
FIRST_COLUMN = "(t) => [...t.tBodies[0].rows].map((r) => r.cells[0].textContent)"
QPS = "(t) => [...t.tBodies[0].rows].map((r) => Number(/[0-9,]+/.exec(r.cells[2].textContent)[0].replace(/,/g, '')))"
BEYOND = "(all) => all.filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName)"
TORN = "(all) => all.filter((e) => getComputedStyle(e).breakInside !== 'avoid').length"
# What can be scrolled sideways, and what would have to be.
SIDEWAYS = """(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1
  && getComputedStyle(e).display !== "inline").map((e) => `${e.tagName} ${e.textContent.slice(0, 40)}`)"""
# The cells of a table that stands row by row, with the name of the column that is shown in each and where it ends.
CELLS = """(table) => [...table.tBodies[0].rows].flatMap((row) => [...row.cells].map((cell, at) => ({
  name: getComputedStyle(cell, "::before").content, text: cell.textContent,
  heading: table.tHead.rows[0].cells[at].textContent, width: cell.getBoundingClientRect().width,
  size: parseFloat(getComputedStyle(cell, "::before").fontSize), colour: getComputedStyle(cell, "::before").color,
})))"""
NAMELESS = "(all) => all.filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label'))).length"


@pytest.fixture(scope="module")
def page_path(tmp_path_factory) -> Path:
    tables = samples.local_tables()
    tables.runs["source"] = "<img src=http://127.0.0.1:9/x onerror=alert(1)>" + tables.runs["source"]
    report = build(
        samples.local_sweep(title="<script>alert(1)</script> MongoDB"), tables, scaling.analyse(tables.runs),
        anomalies.find(tables), samples.ENVIRONMENT,
    )  # fmt: skip
    return write(report, tmp_path_factory.mktemp("report")).html


@pytest.fixture
def page(browser: Browser, page_path: Path):
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page.goto(page_path.as_uri())
    yield page
    page.close()


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
    pictures = page.locator("main svg")
    assert pictures.count() == 18
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        assert 200 < picture.bounding_box()["width"] <= width
        # Letters and marks are drawn, wherever they are defined.
        assert picture.locator("use").last.evaluate("(e) => e.getBoundingClientRect().height > 0")
    assert [url for url in requests if not url.startswith("data:")] == [page_path.as_uri()]
    assert troubles == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    bright = sum(page.locator("body").evaluate(LUMINANCE)) > 3 * 128
    assert bright == (scheme == "light")
    title = pictures.first.locator("g[style*='#1b2733']").first
    assert (title.evaluate("(e) => getComputedStyle(e).fill") == "rgb(27, 39, 51)") == (scheme == "light")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 3
    assert min(contrasts)[0] >= 4.5, min(contrasts)
    context.close()


def test_the_first_screen_holds_the_answer_and_the_first_figure(page: Page):
    for selector in ("#finding", ".lead", "main svg"):
        box = page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= 900, selector


def test_no_table_of_a_published_report_is_cut_and_no_option_torn_on_a_desk(browser: Browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    for path in sorted(Path(__file__).parents[2].glob("docs/reports/*/report.html")):
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((e) => (e.open = true))")
        assert page.locator(".scroll").count() > 5
        assert page.locator(".scroll").evaluate_all(SIDEWAYS) == []
        words = page.locator(".advice code span")
        assert words.count() > 20 and words.evaluate_all("(all) => all.every((e) => e.getClientRects().length === 1)")
    page.close()


def test_a_link_to_what_is_folded_away_opens_it(page: Page):
    limits = page.locator("#limits").locator("xpath=ancestor::details")
    assert not limits.evaluate("(e) => e.open")
    page.get_by_role("link", name="What limited each point").first.click()
    assert limits.evaluate("(e) => e.open")


def test_can_be_read_with_the_keyboard_and_by_name(page: Page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.get_by_role("link", name="Findings and what to do").first.click()
    assert page.url.endswith("#findings")
    assert page.get_by_role("heading", level=1).inner_text() == "<script>alert(1)</script> MongoDB"
    assert page.get_by_role("img").filter(visible=True).count() == 4
    page.locator("main details").evaluate_all("(all) => all.forEach((e) => { e.open = true; })")
    assert page.get_by_role("img").filter(visible=True).count() == 18
    assert page.locator("main svg:not([aria-label])").count() == 0
    levels = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all("(all) => all.map((e) => Number(e.tagName[1]))")
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert page.locator("a, button, main [tabindex='0']").evaluate_all(NAMELESS) == 0


def test_tables_are_sorted_with_mouse_and_keyboard_and_put_back(page: Page):
    table = page.locator("section:has(> #results-1) table").first
    qps = table.get_by_role("columnheader", name="QPS (ops/s)")
    before = table.evaluate(FIRST_COLUMN)
    assert qps.get_attribute("aria-sort") is None
    qps.get_by_role("button").click()
    assert qps.get_attribute("aria-sort") == "descending"
    values = table.evaluate(QPS)
    assert values == sorted(values, reverse=True)
    assert len(values) == 8
    # Sorted, each row has to say what it belongs to.
    name = table.locator("tbody tr.same > th").first
    assert name.evaluate("(e) => getComputedStyle(e).color") != "rgba(0, 0, 0, 0)"
    page.keyboard.press("Enter")
    assert qps.get_attribute("aria-sort") == "ascending"
    assert table.evaluate(QPS) == sorted(values)
    page.keyboard.press("Space")
    assert qps.get_attribute("aria-sort") is None
    assert table.evaluate(FIRST_COLUMN) == before
    assert name.evaluate("(e) => getComputedStyle(e).color") == "rgba(0, 0, 0, 0)"


def test_names_are_sorted_as_people_count(page: Page):
    table = page.locator("section:has(> #results-1) table").first
    button = table.get_by_role("columnheader", name="Spec").get_by_role("button")
    button.click()
    names = table.evaluate(FIRST_COLUMN)
    shapes = ("0.25 cores, 0.25 GiB", "0.5 cores, 0.5 GiB", "0.75 cores, 0.75 GiB", "1 core, 1 GiB")
    assert names == [name for name in shapes for _ in range(2)]
    button.click()
    assert table.evaluate(FIRST_COLUMN) == names[::-1]


def test_the_data_of_a_figure_are_downloaded_from_the_page_itself(page: Page, page_path: Path):
    with page.expect_download() as started:
        page.get_by_role("link", name="Data: scaling-1.csv").click()
    assert started.value.suggested_filename == "scaling-1.csv"
    assert Path(started.value.path()).read_bytes() == (page_path.parent / "data" / "scaling-1.csv").read_bytes()


def test_reads_without_its_script(browser: Browser, page_path: Path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_path.as_uri())
    assert page.locator("thead button").count() == 0
    assert page.get_by_role("columnheader", name="QPS (ops/s)").first.is_visible()
    context.close()


def test_a_phone_leads_back_to_the_top(browser: Browser, page_path: Path):
    page = browser.new_page(viewport={"width": 390, "height": 800}, reduced_motion="reduce")
    page.goto(page_path.as_uri())
    page.locator("#provenance").scroll_into_view_if_needed()
    page.get_by_role("link", name="Back to the top").click()
    page.wait_for_function("scrollY === 0")
    page.close()


@pytest.fixture
def phone(browser: Browser, page_path: Path, request: pytest.FixtureRequest):
    """The page on a phone of some width, everything folded open."""
    page = browser.new_page(viewport={"width": getattr(request, "param", 390), "height": 844}, reduced_motion="reduce")
    page.goto(page_path.as_uri())
    page.locator("main details").evaluate_all("(all) => all.forEach((e) => { e.open = true; })")
    yield page
    page.close()


@pytest.mark.parametrize("phone", [390, 360], indirect=True)
def test_nothing_scrolls_sideways_on_a_phone(phone: Page):
    assert phone.locator("body, body *").evaluate_all(SIDEWAYS) == []
    assert phone.locator("main *:not(svg *)").evaluate_all(BEYOND) == []
    # Tables of a few narrow columns stay tables.
    narrow = phone.locator("section:has(> h3:text-is('Machine')) table")
    assert narrow.evaluate("(e) => getComputedStyle(e).display") == "table"
    assert phone.locator("table:not(.stacks)").count() >= 4


@pytest.mark.parametrize("phone", [390, 360], indirect=True)
def test_each_cell_on_a_phone_stands_under_the_name_of_its_column(phone: Page):
    tables = phone.locator("table.stacks")
    assert tables.count() >= 8
    for table in tables.all():
        cells = table.evaluate(CELLS)
        assert cells
        for cell in cells:
            # An empty cell has nothing to name, and takes no room.
            assert cell["width"] > 60 if cell["text"] else cell["width"] <= 1
            # As `"name" / ""`: shown, and not read out once more, as the heading already is.
            assert json.loads(cell["name"].removesuffix(' / ""')) == cell["heading"].strip()
            assert cell["size"] > 11 and cell["colour"] != "rgba(0, 0, 0, 0)"


def test_a_table_that_stands_row_by_row_is_still_one_for_a_screen_reader(phone: Page):
    section = phone.locator("section:has(> #results-1)")
    table = section.get_by_role("table")
    assert table.evaluate("(e) => getComputedStyle(e).display") == "block"
    assert table.get_by_role("row").count() == 9
    assert table.get_by_role("columnheader").all_inner_texts()[:2] == ["Spec", "Threads"]
    assert table.get_by_role("rowheader").count() == 8
    assert table.get_by_role("cell").count() == 8 * 7
    tree = section.aria_snapshot()
    assert 'row "0.25 cores, 0.25 GiB 4 ' in tree and "columnheader" in tree
    # An empty cell is there too, or those behind it would be read out under the headings of others.
    sparse = phone.locator("table.stacks:has(td:empty)").first
    rows, columns = (sparse.get_by_role(role).count() for role in ("rowheader", "columnheader"))
    assert sparse.get_by_role("cell").count() == rows * (columns - 1)


def test_tables_are_sorted_on_a_phone(phone: Page):
    table = phone.locator("section:has(> #results-1) table").first
    button = table.get_by_role("columnheader", name="QPS (ops/s)").get_by_role("button")
    box = button.bounding_box()
    assert box["height"] >= 24 and box["x"] + box["width"] <= 390
    button.click()
    values = table.evaluate(QPS)
    assert values == sorted(values, reverse=True)
    # Lines are between rows, not cells.
    lines = table.locator("tbody tr > *").evaluate_all("(all) => all.map((e) => getComputedStyle(e).borderTopWidth)")
    assert set(lines) == {"0px"}
    # A row that no longer follows its own says what it is of.
    name = table.locator("tbody tr.same > th").first
    assert name.evaluate("(e) => getComputedStyle(e).color") != "rgba(0, 0, 0, 0)"


def test_a_phone_without_scripts_reads_the_rows_too(browser: Browser, page_path: Path):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(page_path.as_uri())
    table = page.locator("section:has(> #results-1) table").first
    # There is nothing to press: the headings are there for screen readers only.
    assert table.locator("thead").bounding_box()["width"] <= 1
    assert table.get_by_role("columnheader", name="QPS (ops/s)").count() == 1
    assert (
        table.get_by_role("cell").first.bounding_box()["y"] > table.get_by_role("rowheader").first.bounding_box()["y"]
    )
    context.close()


def test_a_wide_screen_and_paper_show_tables_as_tables(page: Page):
    table = page.locator("table.stacks").first
    display = "(e) => [e, e.tBodies[0].rows[0], e.tBodies[0].rows[0].cells[0]].map((x) => getComputedStyle(x).display)"
    name = "(e) => getComputedStyle(e.tBodies[0].rows[0].cells[1], '::before').content"
    page.set_viewport_size({"width": 390, "height": 844})
    assert table.evaluate(display) == ["block", "grid", "block"]
    page.emulate_media(media="print")
    assert table.evaluate(display) == ["table", "table-row", "table-cell"] and table.evaluate(name) == "none"
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert table.evaluate(display) == ["table", "table-row", "table-cell"] and table.evaluate(name) == "none"


def test_prints_in_light_colours_even_where_the_screen_is_dark(browser: Browser, page_path: Path):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(page_path.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert sum(page.locator("body").evaluate(LUMINANCE)) == 3 * 255
    assert page.locator("nav").is_hidden()
    context.close()


def test_prints_on_paper_without_cutting_anything(browser: Browser, page_path: Path):
    # As wide as A4 is between margins of 10 mm, at 96 dots an inch.
    page = browser.new_page(viewport={"width": 718, "height": 1000})
    page.goto(page_path.as_uri())
    page.emulate_media(media="print")
    assert page.locator("main :is(svg, pre, p, h2, h3, table)").evaluate_all(BEYOND) == []
    assert page.locator("main svg, main tr, main .finding").evaluate_all(TORN) == 0
    pdf = page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "10mm"))
    assert pdf.startswith(b"%PDF")
    page.close()
