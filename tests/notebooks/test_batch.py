"""Many reports in one go, as people start them."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import paths
from ycsbook.batch import reports

YCSBOOK = Path(sys.executable).with_name("ycsbook")
VENDOR = paths.PARAMS / "tencent-2020-08.yml"


@pytest.fixture(scope="module")
def made():
    """A batch of a report, one params file that is none and one with another's name; what it printed and left."""
    folder = paths.OUTPUT / "test-batch"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kept = {p: p.read_bytes() for p in paths.OUTPUT.glob("batch.*")}
    try:
        for name in ("one", "again"):
            text = VENDOR.read_text().replace("name: tencent-2020-08\n", "name: test-batch-one\n")
            (folder / f"{name}.yml").write_text(text)
        (folder / "broken.yml").write_text("name: broken\nspecs: 3\n")
        files = [folder / f"{name}.yml" for name in ("broken", "one", "again")]
        done = subprocess.run(
            [YCSBOOK, "batch", *files, "-j", "2", "--json"], capture_output=True, text=True, timeout=280, check=False
        )
        pages = {p.name: p.read_text() for p in paths.OUTPUT.glob("batch.*")}
        left = {p.relative_to(paths.OUTPUT).as_posix() for p in paths.OUTPUT.glob("test-batch-*/**/*") if p.is_file()}
        yield done, pages, left
    finally:
        for name in ("test-batch", "test-batch-one"):
            shutil.rmtree(paths.OUTPUT / name, ignore_errors=True)
        for name in ("batch.html", "batch.md"):
            (paths.OUTPUT / name).unlink(missing_ok=True)
        for path, content in kept.items():
            path.write_bytes(content)


def test_one_failure_does_not_stop_the_others(made):
    done, _, left = made
    assert done.returncode == 1, done.stderr
    states = {Path(r["params"]).stem: r["state"] for r in json.loads(done.stdout)["reports"]}
    assert states == {"one": "done", "broken": "failed", "again": "failed"}
    name = "test-batch-one"
    stages = {f"{name}/notebooks/{p.stem}.ipynb" for p in paths.NOTEBOOKS.glob("[1-4,9]*.ipynb")}
    assert {f"{name}/report.html", f"{name}/report.md", *stages} <= left
    assert not any(".failed." in path for path in left)


def test_each_end_is_told_as_it_comes_and_each_failure_with_its_reason(made):
    lines = made[0].stderr.splitlines()
    ends = [re.match(r"(\d)/3  (done|failed) +(\w+)  \(\d+ s\)", line) for line in lines[:3]]
    assert [e[1] for e in ends] == ["1", "2", "3"] and {e[3] for e in ends} == {"one", "broken", "again"}
    assert any("broken.yml:1: server: missing" in line for line in lines)
    assert any("has the name 'test-batch-one' as" in line for line in lines)
    assert "Traceback" not in made[0].stderr


def test_the_page_links_what_is_there_and_names_no_place_of_this_machine(made):
    _, pages, left = made
    for text in pages.values():
        assert str(paths.REPOSITORY) not in text and "1 of 3 reports made." in text
    links = re.findall(r'<a href="([^"]+)"', pages["batch.html"])
    assert len(links) == 4
    assert all(link in left or any(path.startswith(f"{link}/") for path in left) for link in links)
    assert "<script" not in pages["batch.html"] and "http" not in re.sub(r"http-equiv", "", pages["batch.html"])


def test_the_page_of_an_earlier_batch_goes_before_the_next_begins(tmp_path):
    page = reports.write_page([], tmp_path)
    assert page.is_file()
    reports.clear_page(tmp_path)
    assert not list(tmp_path.iterdir())
