"""An executed notebook as a page in a real browser: nothing fetched, no error, no place of this machine."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from ycsbook import paths
from ycsbook.batch.notebook_page import export
from ycsbook.report.blocks import Table

pytestmark = pytest.mark.matrix

NAME = "test-notebook-html"
MADE = """
import sys
from pathlib import Path
from ycsbook import paths
from ycsbook.batch.execute import execute
from ycsbook.batch.notebook_page import export

folder = Path(sys.argv[1])
values = {"params": (folder / "params.yml").relative_to(paths.REPOSITORY).as_posix(), "store": "output/no-runs-here"}
for stage in ("30_scaling", "90_report"):
    export(execute(paths.NOTEBOOKS / f"{stage}.ipynb", folder / f"{stage}.ipynb", values))
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of a vendor's study, its params inside the repository; moved away so that nothing beside them helps."""
    folder = paths.OUTPUT / NAME
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        text = (paths.PARAMS / "qingcloud-4.0.3.yml").read_text()
        (folder / "params.yml").write_text(text.replace("name: qingcloud-4.0.3\n", f"name: {NAME}\n"))
        subprocess.run([sys.executable, "-c", MADE, folder], check=True, timeout=120)
        place = tmp_path_factory.mktemp("pages")
        for stage in ("30_scaling", "90_report"):
            for suffix in (".ipynb", ".html"):
                shutil.copy(folder / f"{stage}{suffix}", place)
        shutil.copy(folder / "report.html", place)
        return place
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("stage", ["30_scaling", "90_report"])
def test_names_no_place_of_this_machine(pages, stage):
    for suffix in (".ipynb", ".html"):
        text = (pages / f"{stage}{suffix}").read_text()
        assert str(paths.REPOSITORY) not in text
        for opening in ("'", '"', " ", "(", "&#39;", "&quot;"):
            assert f"{opening}{Path.home()}/" not in text
    assert json.loads((pages / f"{stage}.ipynb").read_text())["metadata"]["papermill"]["input_path"].startswith(
        "notebooks/"
    )


@pytest.mark.parametrize("name", ["30_scaling.html", "90_report.html", "report.html"])
def test_opens_without_a_request_or_an_error(browser, pages, name):
    context = browser.new_context()
    page = context.new_page()
    requests, troubles = [], []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.route(lambda url: not url.startswith(("file:", "data:")), lambda route: route.abort())
    page.goto((pages / name).as_uri())
    page.wait_for_load_state("networkidle")
    # A report holds its pictures in itself, notebooks as images.
    pictures = page.locator("img, svg[role=img]")
    assert pictures.count() > 0
    for picture in pictures.filter(visible=True).all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate(
            "(e) => e.localName === 'svg' ? e.getBBox().width > 0 : e.complete && e.naturalWidth > 0"
        )
    fetched = [url for url in requests if not url.startswith(("data:", "blob:"))]
    assert fetched == [(pages / name).as_uri()]
    assert troubles == []
    context.close()


def test_shows_code_and_results(browser, pages):
    page = browser.new_page()
    page.goto((pages / "90_report.html").as_uri())
    text = page.locator("body").inner_text()
    assert "study.write_report(report)" in text and "MongoDB 4.0.3 at QingCloud" in text
    page.close()


def test_what_an_output_brings_along_is_shown_and_not_run(browser, tmp_path):
    hostile = "<p>kept</p><img src='data:,' onerror=\"document.title='run'\"><script>document.title='run'</script>"
    output = nbformat.v4.new_output("display_data", {"text/html": hostile})
    cell = nbformat.v4.new_code_cell("show()", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "asked.ipynb")
    page = browser.new_page()
    page.goto(export(tmp_path / "asked.ipynb").as_uri())
    page.wait_for_load_state("networkidle")
    assert "kept" in page.locator("body").inner_text()
    assert page.title() != "run" and page.locator("script").count() == 0
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_a_table_stand_left_and_break_into_lines(browser, tmp_path, scheme):
    """The first column as well, which stays on one line where it is short; JupyterLab's own style is for figures."""
    table = Table.of(
        pd.DataFrame({"said": ["word " * 200, "8c32g, 16 threads"], "text": ["word " * 30] * 2, "n": [1.5, 20]})
    )
    cell = nbformat.v4.new_code_cell(
        "table", outputs=[nbformat.v4.new_output("execute_result", table._repr_mimebundle_())]
    )
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "asked.ipynb")
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1200, "height": 800})
    page.goto(export(tmp_path / "asked.ipynb").as_uri())
    assert page.locator(".yb .scroll").evaluate("(e) => e.scrollWidth <= e.clientWidth")
    sides = (
        page.locator(".yb tbody tr")
        .first.locator("th, td")
        .evaluate_all("(c) => c.map(e => getComputedStyle(e).textAlign)")
    )
    assert sides == ["left", "left", "right"]
    assert page.locator(".yb tbody th").last.evaluate("(e) => getComputedStyle(e).whiteSpace") == "nowrap"
    # The page is as dark as the reader's others.
    ground, ink = page.evaluate(
        "() => [document.body, document.querySelector('.yb td')].map(e => getComputedStyle(e))"
        ".map((s, i) => i ? s.color : s.backgroundColor)"
        ".map(c => c.match(/[\\d.]+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0))"
    )
    assert (ground < 150 and ink > 500) if scheme == "dark" else (ground > 700 and ink < 300)
    page.close()
