"""Several params files measured on real servers and told in one report; what cannot be measured is left out."""

import shutil

import pytest
from typer.testing import CliRunner

from ycsbook import paths
from ycsbook.batch import reports
from ycsbook.commands import app
from ycsbook.errors import ParamsError, YcsbookError

CRUD = """
name: {name}
title: {title}
experiment: crud
server: {server}
specs:
  - {{name: whole, cores: 1, ram_gib: 1}}
  - {{name: sql, cores: 1, ram_gib: 1, server: {{kind: mariadb}}}}
workloads: [find-key, find-pattern]
threads: [2]
records: 3000
operations: 200
java_options: [-XX:TieredStopAtLevel=1, -Xmx256m]
"""
HERE, ABSENT = "test-systems-here", "test-systems-absent"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("MARIADBD_BIN", str(tmp_path / "absent"))
    here, absent = tmp_path / "here.yml", tmp_path / "absent.yml"
    here.write_text(CRUD.format(name=HERE, title="Finding", server="{kind: mongod}"))
    absent.write_text(CRUD.format(name=ABSENT, title="Not here", server="{kind: mariadb}"))
    yield absent, here
    for name in (HERE, ABSENT):
        shutil.rmtree(paths.OUTPUT / name, ignore_errors=True)


def test_what_has_no_server_is_left_out_with_a_line_and_the_others_are_told(files, tmp_path):
    absent, here = files
    done = reports.measured_systems([absent, here], store=tmp_path / "runs", folder=tmp_path / "report")

    page = (tmp_path / "report" / "report.md").read_text()
    assert "finding by key is fastest" in page and "## Finding" in page
    assert [name for name, _ in done.left_out] == ["absent.yml", "here.yml"] and not done.failed
    assert "**Left out:** absent.yml: " in page and "here.yml: spec sql: " in page
    assert (paths.OUTPUT / HERE / "report.html").is_file()

    # What is measured is not measured again.
    runs = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*/run.out")}
    reports.measured_systems([here], store=tmp_path / "runs", folder=tmp_path / "report")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*/run.out")} == runs


def test_nothing_to_measure_and_names_that_stand_twice_are_errors(files, tmp_path):
    absent, here = files
    with pytest.raises(YcsbookError, match=r"no system could be measured: absent\.yml: "):
        reports.measured_systems([absent], store=tmp_path / "runs", folder=tmp_path / "report")
    again = tmp_path / "again.yml"
    again.write_text(here.read_text())
    with pytest.raises(ParamsError, match=f"the name '{HERE}' stands in two params files"):
        reports.measured_systems([here, again], store=tmp_path / "runs", folder=tmp_path / "report")


def test_the_committed_systems_are_planned_and_have_names_of_their_own():
    done = CliRunner().invoke(app, ["systems", "--help"])
    assert done.exit_code == 0 and "params/systems" in done.output
    names = [path.stem for path in (paths.PARAMS / reports.SYSTEMS).glob("*.yml")]
    assert {"crud", "ycsb"} <= set(names)
