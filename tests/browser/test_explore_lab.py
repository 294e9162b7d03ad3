"""explore.ipynb as people use it: JupyterLab in a real browser, Run All, move a widget, point, zoom,
click a point and a finding."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ycsbook import explore, paths
from ycsbook.explore.view import Place
from ycsbook.store import parquet

sys.path.append(str(Path(__file__).parents[1] / "unit"))
import report_samples as samples

pytestmark = pytest.mark.matrix
NAME = "test-explore-lab"
MEASURED = f"{NAME}-measured"
SLOW_MS = 120_000  # a machine that does other work as well
SAID = "Throughput over cores: 50:50, {law} law, 36 runs."
# Pictures lie one above the other; the last takes what the mouse does.
PICTURE = ".jupyter-matplotlib-canvas-div canvas:last-child"
OVER_TIME = "Throughput over time of {n} runs. Runs of the finding {rule}"
OF_ONE = "Throughput over time of one run. "
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
    return page.locator(".widget-vbox:has(.widget-dropdown)").nth(number)


def _pictures(page: Page, panel: int) -> Locator:
    return _panel(page, panel).locator(PICTURE)


LOOK = """canvas => {
    const drawn = canvas.parentElement.querySelector('canvas');
    const pixels = drawn.getContext('2d').getImageData(0, 0, drawn.width, drawn.height).data;
    return pixels.some(value => value) ? drawn.toDataURL() : '';
}"""


def _settled(picture: Locator, wanted: Callable[[str], bool]) -> str:
    """What a picture looks like, once it is as wanted and stays so for two seconds: the kernel draws it when it can."""
    until, seen = time.monotonic() + SLOW_MS / 1000, []
    while len(seen) < 5 or len(set(seen[-5:])) > 1 or not seen[-1] or not wanted(seen[-1]):
        assert time.monotonic() < until, "the picture does not look as wanted"
        time.sleep(0.5)
        seen.append(picture.evaluate(LOOK))
    return seen[-1]


def _places(place: Place) -> dict[str, tuple[float, float]]:
    """Where the points of the runs are in the browser's picture, which is drawn as this one."""
    place.canvas.draw()
    picture = place.drawn.picture
    points = picture.axes[0].transData.transform([(mark.x, mark.y) for mark in place.drawn.marks])
    return {m.run_id: (x, picture.bbox.height - y) for m, (x, y) in zip(place.drawn.marks, points, strict=True)}


def _at(picture: Locator, place: tuple[float, float]) -> tuple[float, float]:
    """A place of a picture on the page, once it is to be seen."""
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    return box["x"] + place[0], box["y"] + place[1]


def _choose(page: Page, panel: int, name: str, option: str) -> None:
    """Choose in a panel's list, and wait until the list shows it."""
    _panel(page, panel).get_by_label(name, exact=True).select_option(option)


def _click_point(page: Page, panel: int, places: dict[str, tuple[float, float]], run_id: str) -> str:
    """Click a run's point in a panel's first picture, and wait for its series; the run that is listed then."""
    x, y = _at(_pictures(page, panel).first, places[run_id])
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    expect(_panel(page, panel).locator("p", has_text=OF_ONE)).to_be_attached(timeout=SLOW_MS)
    return _panel(page, panel).get_by_label("Run", exact=True).locator("option:checked").text_content()


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
            expect(_panel(page, 2).locator("p", has_text=told)).to_be_attached(timeout=SLOW_MS / 4)
            return
        except AssertionError:
            if last:
                raise AssertionError(f"{_panel(page, 2).inner_text()}\n{findings.input_value()}") from None
            findings.select_option(index=0)


def _point_and_zoom(page: Page, linear: str) -> None:
    """Point at a run of the first panel, whose picture of the linear law looks like `linear`, and zoom there."""
    first = _pictures(page, 0).first
    # A point says what it is when pointed at, and nothing later.
    inputs, picture, *_ = explore.View("params/qingcloud-4.0.3.yml").scaling().children
    next(w for w in inputs.children if w.description == "Law").value = "linear"
    place = list(_places(picture).values())[-1]
    page.mouse.move(*_at(first, place))
    _settled(first, lambda now: now != linear)
    page.mouse.move(*_at(first, (place[0] - 60, 2)))
    _settled(first, lambda now: now == linear)

    # The picture zooms, chooses nothing meanwhile, and is whole again.
    buttons = _panel(page, 0).locator(".jupyter-matplotlib-toolbar").first
    runs = _panel(page, 0).get_by_label("Run", exact=True)
    chosen = runs.locator("option:checked").text_content()
    buttons.get_by_title("Zoom to rectangle").click()
    page.mouse.move(*_at(first, place))
    page.mouse.down()
    page.mouse.move(*_at(first, (place[0] - 150, place[1] + 150)), steps=5)
    page.mouse.up()
    _settled(first, lambda now: now != linear)
    assert runs.locator("option:checked").text_content() == chosen
    buttons.get_by_title("Zoom to rectangle").click()
    buttons.get_by_title("Reset original view").click()
    page.mouse.move(*_at(first, (place[0] - 60, 2)))
    _settled(first, lambda now: now == linear)


def test_choose_point_and_click(page):
    page.locator(".jp-Toolbar-kernelName", has_text="Python 3").wait_for()
    _idle(page)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    pictures = page.locator(PICTURE)
    # The last cell has run when its table is there.
    page.locator(".jp-OutputArea-output table").last.wait_for()
    _idle(page)
    expect(pictures).to_have_count(3, timeout=SLOW_MS)

    # No law of these rows is claimed. Another law, another picture.
    first = pictures.first
    expect(_panel(page, 0).locator("p", has_text=SAID.format(law="no"))).to_be_attached(timeout=SLOW_MS)
    before = _settled(first, bool)
    _choose(page, 0, "Law", "linear")
    expect(_panel(page, 0).locator("p", has_text=SAID.format(law="linear"))).to_be_attached(timeout=SLOW_MS)
    linear = _settled(first, lambda now: now != before)
    expect(pictures).to_have_count(3, timeout=SLOW_MS)

    _point_and_zoom(page, linear)

    # Measured runs: a finding leads to its runs, second by second.
    _choose(page, 2, "Dataset", MEASURED)
    _click_finding(page, "periodic swings", runs=3)
    _click_finding(page, "warm-up", runs=48)

    # A click on a point leads to its run's series, as the list does: in each panel, and the same point twice.
    _choose(page, 0, "Law", "what is claimed")
    _idle(page)
    view = explore.View(str(paths.OUTPUT / MEASURED))
    for panel, (_, picture, *_) in ((0, view.scaling().children), (1, view.latency().children)):
        series = _panel(page, panel).locator("p", has_text=OF_ONE)
        expect(series).to_have_count(0, timeout=SLOW_MS)
        places = _places(picture)
        run_id = next(run for run in places if "-1c-a-t16-" in run)
        clicked = _click_point(page, panel, places, run_id)
        assert clicked.replace("\xa0", " ").startswith("1c, 50:50, 16 threads")
        runs = _panel(page, panel).get_by_label("Run", exact=True)
        runs.select_option(index=0)
        expect(series).to_have_count(0, timeout=SLOW_MS)
        runs.select_option(label=clicked)
        expect(series).to_have_count(1, timeout=SLOW_MS)
        runs.select_option(index=0)
        expect(series).to_have_count(0, timeout=SLOW_MS)
        assert _click_point(page, panel, places, run_id) == clicked
    # What makes way leaves nothing behind.
    expect(pictures).to_have_count(6, timeout=SLOW_MS)

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
    pictures = page.locator('svg[role="img"]')
    assert pictures.count() == 3 and all(picture.is_visible() for picture in pictures.all())
    assert pictures.first.get_attribute("aria-label").startswith("Throughput over cores")
    assert [url for url in asked if not url.startswith("data:")] == [here]
    assert troubles == []
    page.close()
