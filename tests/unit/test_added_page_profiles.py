"""A page profile that another package adds: the example of docs/extending.md, installed as packages are."""

import os
import re
import subprocess
import sys

import pytest
from published_reports import few, made
from report_samples import local_tables

from ycsbook import paths
from ycsbook.ingest.published.page import parse_page

# A promise in all its variations.
pytestmark = pytest.mark.matrix

EXAMPLE = (paths.REPOSITORY / "docs" / "extending.md").read_text(encoding="utf-8").partition("## Page profiles")[2]


def block(language):
    return re.search(rf"```{language}\n(.*?)```", EXAMPLE, re.DOTALL)[1]


@pytest.fixture
def site(tmp_path):
    """A folder with the example's package, installed."""
    package, metadata = tmp_path / "site" / "acme", tmp_path / "site" / "acme-0.1.dist-info"
    for folder in (package, metadata):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('profiles are data')")
    (package / "acme.md.j2").write_text(block("jinja"))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-pages\nVersion: 0.1\n")
    group, name, module = re.fullmatch(r'\[project\.entry-points\."(.+)"\]\n(\w+) = "(.+)"\n', block("toml")).groups()
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
    return tmp_path / "site"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return made(tmp_path_factory.mktemp("made") / "local", few(local_tables()))


def publish(site, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-c", "from ycsbook import cli; cli.main()", "publish", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.matrix
def test_its_page_is_published_and_follows_from_its_data_without_the_package(site, report, tmp_path):
    docs = tmp_path / "docs"
    refused = publish(tmp_path, report, "--to", docs, "--profile", "acme")
    assert refused.returncode == 1 and "expected one of qingcloud, tencent, a template" in refused.stderr
    done = publish(site, report, "--to", docs, "--profile", "acme")
    assert done.returncode == 0, done.stderr
    text = (docs / "local-acme" / "index.md").read_text()
    assert "## Reads and writes 50:50" in text and {row.threads for row in parse_page(text, "acme")} == {16}
    checked = publish(tmp_path, "--check", docs)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "acme, qingcloud, tencent" in publish(site, report, "--to", docs, "--profile", "nobody").stderr


@pytest.mark.parametrize(("gone", "message"), [("acme.md.j2", "acme.md.j2 is no file"), ("", "there is no module")])
def test_a_package_without_its_template_is_named(site, report, tmp_path, gone, message):
    (site / "acme" / gone).rename(site / "gone")
    refused = publish(site, report, "--to", tmp_path / "docs", "--profile", "acme")
    assert refused.returncode == 1 and "Traceback" not in refused.stderr
    said = refused.stderr.replace(f"{site / 'acme'}/", "")
    assert f"the profile 'acme' of the package acme-pages: {message}" in said
