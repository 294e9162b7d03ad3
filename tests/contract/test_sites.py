"""Published reports rendered by the sites they are published for."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import paths
from ycsbook.errors import PublishError
from ycsbook.report.site import publish

sys.path.insert(0, str(paths.REPOSITORY / "tests" / "unit"))
sys.path.insert(0, str(paths.REPOSITORY / "docs"))
from build_site import build, outside
from published_reports import few, made, remember
from report_samples import local_tables

pytestmark = pytest.mark.matrix
LAYOUT = "<html><head><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1>{{ .Content }}</body></html>\n"


@pytest.fixture(autouse=True)
def _derived_once(monkeypatch):
    remember(monkeypatch)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return made(tmp_path_factory.mktemp("out") / "local", few(local_tables()))


def test_hugo_renders_report_vendor_page_and_index(report, tmp_path):
    publish(report, tmp_path / "content" / "reports", site="hugo", profile="tencent")
    (tmp_path / "hugo.toml").write_text('baseURL = "https://example.org/"\ntitle = "t"\ndisableKinds = ["taxonomy"]\n')
    (tmp_path / "layouts").mkdir()
    for name in ("single", "list", "home"):
        (tmp_path / "layouts" / f"{name}.html").write_text(LAYOUT)
    hugo = Path(sys.executable).with_name("hugo")
    result = subprocess.run(
        [hugo, "--panicOnWarning"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )

    assert result.returncode == 0, result.stdout + result.stderr
    public = tmp_path / "public" / "reports"
    page = (public / "local" / "index.html").read_text(encoding="utf-8")
    assert page.count("<h1>") == 1 and "<table>" in page and 'src="figures/scaling-1.svg"' in page
    assert (public / "local" / "figures" / "scaling-1.svg").is_file()
    index = (public / "index.html").read_text(encoding="utf-8")
    assert 'href="local/"' in index and 'href="local-tencent/"' in index
    assert "<td" in (public / "local-tencent" / "index.html").read_text(encoding="utf-8")


@pytest.fixture
def docs(report, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    shutil.copy(paths.REPOSITORY / "docs" / "conf.py", folder)
    shutil.copytree(paths.REPOSITORY / "docs" / "_static", folder / "_static")
    (folder / "index.md").write_text("# Docs\n\n```{toctree}\nreports/index\n```\n")
    publish(report, folder / "reports", site="sphinx", profile="qingcloud")
    return folder


def test_sphinx_renders_without_a_warning_and_fetches_nothing(docs, tmp_path):
    build(docs, tmp_path / "site")

    page = tmp_path / "site" / "reports" / "local" / "index.html"
    assert "In short" in page.read_text(encoding="utf-8")
    assert [address for html in (tmp_path / "site").rglob("*.html") for address in outside(html)] == []


def test_a_page_that_names_a_picture_that_is_not_there_is_refused(docs, tmp_path, capfd):
    page = docs / "reports" / "index.md"
    page.write_text(page.read_text() + "\n![x](missing.svg)\n")

    with pytest.raises(PublishError, match="Sphinx refuses"):
        build(docs, tmp_path / "site")
    assert "missing.svg" in capfd.readouterr().err


def test_a_site_that_fetches_or_whose_numbers_do_not_follow_is_refused(docs, tmp_path):
    page = docs / "reports" / "index.md"
    text = page.read_text()
    page.write_text(text + '\n<img src="https://example.org/x.png" alt="x">\n')
    with pytest.raises(PublishError, match=r"fetch from elsewhere: .*https://example\.org/x\.png"):
        build(docs, tmp_path / "site")

    page.write_text(text.replace("GiB, 16 threads |", "GiB, 17 threads |"))
    with pytest.raises(PublishError, match="prints 17"):
        build(docs, tmp_path / "site")


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<script src="//cdn.example/x.js"></script>', ["//cdn.example/x.js"]),
        ('<link rel="stylesheet" href="https://f.example/c.css">', ["https://f.example/c.css"]),
        ('<img srcset="a.png 1x, https://i.example/b.png 2x">', ["https://i.example/b.png 2x"]),
        ("<style>@import 'https://f.example/c.css'; b { background: url(//f.example/d) }</style>",
         ["//f.example/d", "https://f.example/c.css"]),
        ('<link rel="stylesheet" href="own.css?v=1">', ["https://f.example/font.woff"]),
        ('<a href="https://example.org">x</a><link rel="canonical" href="https://example.org">', []),
        ('<svg xmlns="http://www.w3.org/2000/svg"></svg><img src="x.svg">', []),
    ],
)  # fmt: skip
def test_what_a_browser_would_fetch(tmp_path, html, found):
    (tmp_path / "own.css").write_text("@font-face { src: url(https://f.example/font.woff) }")
    page = tmp_path / "page.html"
    page.write_text(html)

    assert outside(page) == found
