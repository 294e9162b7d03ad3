"""A rule that another package adds: the example of docs/extending.md, installed as packages are."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import paths
from ycsbook.facts import fact

# A promise in all its variations.
pytestmark = pytest.mark.matrix

EXAMPLE = (paths.REPOSITORY / "docs" / "extending.md").read_text(encoding="utf-8").partition("## Rules")[2]
TABLES = "from ycsbook.named_tables import read; tables = read('qingcloud-4.0.3'); "
REPORT = TABLES + (
    "from ycsbook import anomalies, params, scaling; from ycsbook.report import build, markdown; "
    "sweep = params.load('params/qingcloud-4.0.3.yml'); "
    "sweep = sweep.model_copy(update={'report': sweep.report.model_copy(update={'lang': 'LANG'})}); "
    "analysis = scaling.analyse(tables.runs, tables.operations); "
    "print(markdown.page(build(sweep, tables, analysis, anomalies.find(tables), {})))"
)


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", EXAMPLE, re.DOTALL)[1]


@pytest.fixture
def site(tmp_path) -> Path:
    """A folder with the example's package, installed."""
    package, metadata = tmp_path / "roundish", tmp_path / "roundish-0.1.dist-info"
    for folder in (package / "en", metadata):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text(block("python"))
    (package / "en" / "roundish.ftl").write_text(block("text"))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: roundish\nVersion: 0.1\n")
    groups = re.findall(r'\[project\.entry-points\."(.+)"\]\n(\w+) = "(.+)"', block("toml"))
    assert [group for group, _, _ in groups] == ["ycsbook.rules", "ycsbook.messages"]
    (metadata / "entry_points.txt").write_text("".join(f"[{group}]\n{name} = {of}\n" for group, name, of in groups))
    return tmp_path


def python(site: Path, code: str, *arguments: object) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=paths.REPOSITORY)


def test_it_shows_up_in_the_command(site, tmp_path):
    command, folder = "from ycsbook import cli; cli.main()", tmp_path / "tables"
    code = TABLES + "from ycsbook.store import parquet; parquet.write(tables, Path(sys.argv[1]))"
    assert python(site, f"import sys; from pathlib import Path; {code}", folder).returncode == 0
    rule = ("--rule", "round_figures")
    (found, *_) = json.loads(python(site, command, "anomalies", folder, *rule, "--all", "--json").stdout)
    assert (found["message_key"], found["severity"]) == ("round_figures", "notice")
    rate = json.loads(found["message_values"])["ops_s"]
    assert found["message"] == f"throughput is exactly {rate:,.0f} ops/s" and rate % 10 == 0
    assert found["advice_key"] == fact("round_figures-advice").key and found["next_step"].startswith("look at the log")

    params = tmp_path / "x.yml"
    params.write_text(
        "name: x\nserver: {kind: mongod}\nspecs: [{name: 1c, cores: 1, ram_gib: 1}]\nanomalies: {round_figures: off}\n"
    )
    off = python(site, command, "anomalies", folder, "--params", params, "--json")
    assert "round_figures" not in off.stdout and off.returncode == 0, off.stderr
    params.write_text(params.read_text().replace("off", "{tow: 3}"))
    assert "did you mean 'to'?" in python(site, command, "anomalies", folder, "--params", params).stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_shows_up_in_the_report_in_english_where_it_has_no_other_language(site, lang):
    page = python(site, REPORT.replace("LANG", lang))
    assert page.returncode == 0, page.stderr
    assert "throughput is exactly" in page.stdout and "look at the log" in page.stdout


def test_a_package_that_cannot_be_loaded_is_named(site):
    (site / "roundish" / "__init__.py").write_text("import nothing_of_this_name")
    broken = python(site, "from ycsbook import cli; cli.main()", "anomalies", "data/published")
    assert broken.returncode == 1 and "Traceback" not in broken.stderr
    assert "rule round_figures of roundish: cannot be loaded: No module named 'nothing_of_this_name'" in broken.stderr
