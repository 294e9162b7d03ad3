"""A kind of server that another package adds: the example of docs/extending.md, installed as packages are."""

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest

from ycsbook import paths
from ycsbook.params import sections
from ycsbook.processes import Guard
from ycsbook.servers import kind
from ycsbook.servers.mongod import Mongod

EXAMPLE = (paths.REPOSITORY / "docs" / "extending.md").read_text(encoding="utf-8").partition("## Server kinds")[2]
PARAMS = """
name: outside
server: {kind: lab}
specs: [{name: 1c, cores: 1, ram_gib: 1}]
workloads: [a]
threads: [2]
"""


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", EXAMPLE, re.DOTALL)[1]


@pytest.fixture
def site(tmp_path):
    return install(tmp_path / "site")


def install(folder, module="lab"):
    metadata = folder / "lab-0.1.dist-info"
    metadata.mkdir(parents=True)
    (folder / "lab.py").write_text(block("python"))
    (folder / "broken.py").write_text("raise ImportError('no such thing')")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text(f"[ycsbook.server_kinds]\nlab = {module}\n")
    return folder


def ycsbook(site, *arguments, **variables):
    """The command, with the packages in a folder installed."""
    environment = {**os.environ, "PYTHONPATH": str(site), **variables}
    command = [sys.executable, "-c", "from ycsbook import cli; cli.main()", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def params(tmp_path):
    path = tmp_path / "outside.yml"
    path.write_text(PARAMS)
    return path


def test_it_is_unknown_where_it_is_not_installed_and_then_planned(site, params, tmp_path):
    refused = ycsbook(tmp_path / "nothing", "plan", params, "--json")
    assert refused.returncode == 1 and "got 'lab', expected one of mariadb, mongod, rest, uri" in refused.stderr
    (row,) = json.loads(ycsbook(site, "plan", params, "--json", "--store", tmp_path / "runs", LAB_PORT="27017").stdout)
    assert row["state"] == "missing"
    *_, last = ycsbook(site, "plan", params, "--store", tmp_path / "runs").stdout.splitlines()
    assert "1 without a server" in last


def test_doctor_lists_it_and_names_a_broken_one(site, tmp_path):
    def listed(folder):
        (check,) = [c for c in json.loads(ycsbook(folder, "doctor", "--json").stdout) if c["name"] == "Server kinds"]
        return check["state"], check["found"]

    assert listed(site) == ("ok", "mariadb, mongod, rest, uri, lab")
    broken = install(tmp_path / "broken", "broken")
    state, found = listed(broken)
    assert state == "limited" and found.startswith("the server kind 'lab' of the package lab cannot be loaded: ")
    state, found = listed(install(tmp_path / "empty", "json"))
    assert "has no identity()" in found


@pytest.mark.live
def test_it_is_reached_and_asked(site, params, tmp_path):
    with Guard() as guard, Mongod(guard, tmp_path / "server", cache_gib=0.25) as mongod:
        (probed,) = json.loads(ycsbook(site, "probe", params, "--json", LAB_PORT=str(mongod.port)).stdout)
    assert (probed["kind"], probed["error"], probed["topology"]) == ("lab", "", "standalone")
    assert probed["version"] == mongod.version


def test_what_is_declared_is_what_is_known_without():
    declared = tomllib.loads((paths.REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    modules = {name: kind.module(name).__name__ for name in sections.OWN_KINDS}
    assert declared["project"]["entry-points"][sections.KINDS_GROUP] == modules
    assert block("toml").startswith(f'[project.entry-points."{sections.KINDS_GROUP}"]\n')
