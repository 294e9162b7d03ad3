"""A reader that another package adds: the example of docs/extending.md, installed as packages are."""

import json
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ycsbook import paths
from ycsbook.ingest import readers

EXAMPLE = (paths.REPOSITORY / "docs" / "extending.md").read_text(encoding="utf-8").partition("## Another log format")[2]
LOG = "mybench 120000 reads in 60000 ms\n"


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", EXAMPLE, re.DOTALL)[1]


def install(folder: Path, module: str = "mybench", version: str = "0.1") -> None:
    (folder / "mybench.py").write_text(block("python"))
    metadata = folder / f"mybench-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mybench\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(f"[ycsbook.readers]\nmybench = {module}\n")


def ycsbook(folder: Path, *arguments: object) -> subprocess.CompletedProcess:
    """The command, with the packages in a folder installed."""
    code = "from ycsbook import cli; cli.main()"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", code, "ingest", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_it_shows_up_in_the_list_and_reads_its_logs(tmp_path):
    site, logs, out = tmp_path / "site", tmp_path / "logs", tmp_path / "out"
    for folder in (site, logs):
        folder.mkdir()
    for name in ("run.log", "run.mybench"):
        (logs / name).write_text(LOG)
    without = json.loads(ycsbook(site, logs, "-o", out, "--json").stdout)
    assert without["runs"] == 0
    install(site)
    assert ycsbook(site, "--format", "list").stdout.split() == [*readers.names(), "mybench"]
    summary = json.loads(ycsbook(site, logs, "-o", out, "--json").stdout)
    assert (summary["formats"], summary["outcomes"], summary["read"]) == ({"mybench": 2}, {"completed": 2}, 2)
    named = json.loads(ycsbook(site, logs / "run.log", "-o", out, "--json", "--format", "mybench").stdout)
    assert named["formats"] == {"mybench": 1}
    from ycsbook.store import parquet

    (run,) = parquet.read(out).runs.to_dict("records")
    assert (run["format"], run["throughput_ops_s"], run["operations"]) == ("mybench", 2000, 120000)
    # Its next version reads its logs again.
    (site / "mybench-0.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mybench\nVersion: 2\n")
    arguments = (logs / "run.log", "-o", out, "--json", "--format", "mybench")
    assert [json.loads(ycsbook(site, *arguments).stdout)["read"] for _ in range(2)] == [1, 0]


@pytest.mark.parametrize(
    ("module", "reason"), [("nowhere", "cannot be loaded: No module named 'nowhere'"), ("json", "has no recognises")]
)
def test_a_broken_one_is_named(tmp_path, module, reason):
    install(tmp_path, module)
    (tmp_path / "run.log").write_text(LOG)
    done = ycsbook(tmp_path, tmp_path / "run.log", "-o", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.startswith(f"ycsbook: the reader 'mybench' of the package mybench {reason}")


def test_what_is_declared_is_what_is_known_without():
    declared = tomllib.loads((paths.REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    places = declared["project"]["entry-points"][readers.GROUP]
    assert {name: pkgutil.resolve_name(place) for name, place in places.items()} == {
        name: readers.reader(name) for name in readers.names()
    }
    assert block("toml").startswith(f'[project.entry-points."{readers.GROUP}"]\n')
