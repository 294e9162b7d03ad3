"""explore.ipynb as people use it: JupyterLab in a real browser, Run All, move a widget, point, click a finding."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ycsbook import paths
from ycsbook.store import parquet

sys.path.append(str(Path(__file__).parents[1] / "unit"))
import report_samples as samples

pytestmark = pytest.mark.matrix
NAME = "test-explore-lab"
MEASURED = f"{NAME}-measured"
SLOW_MS = 120_000  # a machine that does other work as well
SAID = "Throughput over cores: 50:50, {law} law, 36 runs."
SERIES = '.ycsbook-hover svg[aria-label^="Throughput over time"]'
OVER_TIME = "Throughput over time of {n} runs. Runs of the finding {rule}"
ANNOUNCEMENTS = "@jupyterlab/apputils-extension:announcements"


@pytest.fixture
def lab(tmp_path):
    """JupyterLab on a copy of the notebook that begins with a vendor's study; its address with the token."""
    folders = [paths.OUTPUT / NAME, paths.OUTPUT / MEASURED]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    work, config = tmp_path / "work", tmp_path / "config"
    (config / "labconfig").mkdir(parents=True)
    (config / "labconfig" / "page_config.json").write_text(json.dumps({"disabledExtensions": {ANNOUNCEMENTS: True}}))
    work.mkdir()
    params = work / "params.yml"
    text = (paths.PARAMS / "qingcloud-4.0.3.yml").read_text()
    params.write_text(text.replace("name: qingcloud-4.0.3\n", f"name: {NAME}\n"))
    notebook = (paths.NOTEBOOKS / "explore.ipynb").read_text()
    (work / "explore.ipynb").write_text(notebook.replace("params/local.yml", str(params)))
    token, log = secrets.token_hex(16), (tmp_path / "lab.log").open("wb")
    places = {f"JUPYTER_{what}_DIR": str(tmp_path / what.lower()) for what in ("DATA", "RUNTIME")}
    environment = os.environ | places | {
        "JUPYTER_CONFIG_DIR": str(config), "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"), "IPYTHONDIR": str(tmp_path / "ipython"),
    }  # fmt: skip
    process = None
    try:
        tables = samples.local_tables(seconds=30)
        # From how long a run took follows what its operations took together.
        tables.runs["runtime_ms"] = 30_000.0
        parquet.write(tables, paths.OUTPUT / MEASURED / "tables")
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
             "--ServerApp.port=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={work}",
             "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
             "--ServerApp.terminals_enabled=False", "--LabApp.extension_manager=readonly"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True,
        )  # fmt: skip
        yield _address(process, tmp_path / "runtime", tmp_path / "lab.log"), token
    finally:
        if process is not None:
            _end(process, tmp_path / "runtime", token)
        log.close()
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def _address(process: subprocess.Popen, runtime: Path, log: Path) -> str:
    """Where the server listens, once it says so."""
    until = time.monotonic() + SLOW_MS / 1000
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()
        for file in runtime.glob("jpserver-*.json"):
            told = file.read_text()
            if told.endswith("}"):
                return json.loads(told)["url"]
        time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start: {log.read_text()}")


def _end(process: subprocess.Popen, runtime: Path, token: str) -> None:
    """Its kernels first, which are in groups of their own and outlive a server that is killed."""
    for file in runtime.glob("jpserver-*.json"):
        request = urllib.request.Request(
            f"{json.loads(file.read_text())['url']}api/shutdown",
            method="POST",
            headers={"Authorization": f"token {token}"},
        )
        urllib.request.urlopen(request, timeout=60).close()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def page(browser, lab):
    """The notebook open in JupyterLab, with what its console said and what it asked for elsewhere."""
    address, token = lab
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(SLOW_MS)
    page.troubles, page.elsewhere = [], []
    page.on("console", lambda said: page.troubles.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: page.troubles.append(str(error)))

    def only_here(route):
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            page.elsewhere.append(route.request.url)
            route.abort()

    page.route("**/*", only_here)
    page.goto(f"{address}lab/tree/explore.ipynb?token={token}")
    yield page
    context.close()


def _idle(page: Page) -> None:
    page.locator(".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()


def _panel(page: Page, number: int) -> Locator:
    return page.locator(".jp-OutputArea-output .ycsbook-panel").nth(number)


def _choose(page: Page, panel: int, name: str, option: str) -> None:
    """Choose in a panel's list, and wait until the list shows it."""
    _panel(page, panel).get_by_label(name, exact=True).select_option(option)


def _click_point(page: Page, panel: int, which: int) -> str:
    """Click a point in a panel's last picture that is no series, and wait for its run's series; the run."""
    picture = _panel(page, panel).locator('.ycsbook-hover:not(:has(svg[aria-label^="Throughput over time"]))').last
    hit = picture.locator(".hit").nth(which)
    run_id = hit.get_attribute("data-run")
    hit.scroll_into_view_if_needed()
    # Points may lie over one another: the place is clicked, as people do, not an element.
    box = hit.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    series = _panel(page, panel).locator(SERIES)
    expect(series.locator(f'[data-run="{run_id}"]').first).to_be_attached(timeout=SLOW_MS)
    expect(series.locator(f'.hit:not([data-run="{run_id}"])')).to_have_count(0, timeout=SLOW_MS)
    return run_id


def _click_finding(page: Page, rule: str, runs: int) -> None:
    """Click a finding and see its runs' series; once more where the list was being filled when it was clicked."""
    findings, told = page.locator(".widget-select select"), OVER_TIME.format(n=runs, rule=rule)
    findings.locator("option", has_text=f"· {rule} ·").first.wait_for(state="attached")
    for last in (False, False, True):
        _idle(page)
        # The widget's spaces never break.
        texts = [text.replace("\xa0", " ") for text in findings.locator("option").all_text_contents()]
        findings.select_option(index=next(i for i, text in enumerate(texts) if f"· {rule} ·" in text))
        try:
            expect(_panel(page, 2).locator(SERIES)).to_have_attribute("aria-label", told, timeout=SLOW_MS / 4)
            return
        except AssertionError:
            if last:
                raise AssertionError(f"{_panel(page, 2).inner_text()}\n{findings.input_value()}") from None
            findings.select_option(index=0)


def test_choose_point_and_click(page):
    page.locator(".jp-Toolbar-kernelName", has_text="Python 3").wait_for()
    _idle(page)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    pictures = page.locator(".ycsbook-hover svg")
    # The last cell has run when its table is there.
    page.locator(".jp-OutputArea-output table").last.wait_for()
    _idle(page)
    expect(pictures).to_have_count(3, timeout=SLOW_MS)

    # Another law, another picture.
    first = page.locator(".ycsbook-hover").first
    expect(first.locator("svg")).to_have_attribute("aria-label", SAID.format(law="power"), timeout=SLOW_MS)
    before = first.inner_html()
    _choose(page, 0, "Law", "linear")
    expect(first.locator("svg")).to_have_attribute("aria-label", SAID.format(law="linear"), timeout=SLOW_MS)
    assert first.inner_html() != before

    # A point says what it is, when pointed at and when chosen from the list.
    hit = first.locator(".hit").last
    tip = hit.locator("xpath=following-sibling::*[1]")
    expect(tip).to_be_hidden(timeout=SLOW_MS)
    hit.scroll_into_view_if_needed()
    hit.hover()
    expect(tip).to_be_visible(timeout=SLOW_MS)
    assert hit.get_attribute("data-run") in tip.text_content()
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden(timeout=SLOW_MS)

    # Measured runs: a finding leads to its runs, second by second.
    _choose(page, 2, "Dataset", MEASURED)
    _click_finding(page, "periodic swings", runs=3)
    _click_finding(page, "warm-up", runs=48)

    # A click on a point leads to its run's series, as the list does: in each panel, and the same point twice.
    for panel, last in ((0, -1), (1, 5)):
        expect(_panel(page, panel).locator(SERIES)).to_have_count(0, timeout=SLOW_MS)
        clicked = _click_point(page, panel, last)
        runs = _panel(page, panel).get_by_label("Run", exact=True)
        listed = runs.locator("option:checked").text_content()
        runs.select_option(index=0)
        expect(_panel(page, panel).locator(SERIES)).to_have_count(0, timeout=SLOW_MS)
        runs.select_option(label=listed)
        expect(_panel(page, panel).locator(f'{SERIES} [data-run="{clicked}"]').first).to_be_attached(timeout=SLOW_MS)
        runs.select_option(index=0)
        expect(_panel(page, panel).locator(SERIES)).to_have_count(0, timeout=SLOW_MS)
        assert _click_point(page, panel, last) == clicked
    _click_point(page, 2, -1)
    series = _panel(page, 2).locator(SERIES)
    expect(series).to_have_attribute("aria-label", re.compile(r"of one run\. \S+c, \d+:\d+, "), timeout=SLOW_MS)
    # Beside the points nothing happens, and what the picture writes into is never seen or reached.
    _panel(page, 0).locator(".ycsbook-hover svg").first.click(position={"x": 3, "y": 3})
    assert page.locator(".ycsbook-clicked").count() == 3
    assert not any(told.is_visible() for told in page.locator(".ycsbook-clicked input").all())

    assert page.elsewhere == []
    assert page.troubles == []


EXPORTED = """
import sys
from pathlib import Path
from ycsbook import paths
from ycsbook.batch.execute import execute
from ycsbook.batch.notebook_page import export

target = Path(sys.argv[1])
values = {"params": "data/published/tencent-2020-08.csv", "store": "output/no-runs-here"}
export(execute(paths.NOTEBOOKS / "explore.ipynb", target, values))
"""


def test_the_exported_page_shows_what_the_widgets_showed_and_fetches_nothing(browser, tmp_path):
    # Papermill changes its process' working folder.
    subprocess.run([sys.executable, "-c", EXPORTED, tmp_path / "explore.ipynb"], check=True, timeout=SLOW_MS / 1000)
    here = (tmp_path / "explore.html").as_uri()
    page = browser.new_page()
    asked, troubles = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: troubles.append(said.text))
    page.route("http*://**", lambda route: route.abort())
    page.goto(here)
    page.wait_for_load_state("networkidle")
    assert page.locator(".ycsbook-hover svg").count() == 3
    hit = page.locator(".hit").last
    tip = hit.locator("xpath=following-sibling::*[1]")
    assert not tip.is_visible()
    hit.hover()
    expect(tip).to_be_visible(timeout=SLOW_MS)
    assert [url for url in asked if not url.startswith("data:")] == [here]
    assert troubles == []
    page.close()
