"""A private MariaDB server: started, shaped and asked, and what the commands say of it."""

import dataclasses
import json
import os
import signal
import socket
import sys
from pathlib import Path

import psutil
import pymysql
import pytest

from ycsbook.errors import ToolError
from ycsbook.params import Sweep
from ycsbook.processes import Guard
from ycsbook.servers import kind, private
from ycsbook.servers.kind import RecordShape
from ycsbook.servers.kinds import mariadb
from ycsbook.servers.kinds.mariadb import MariadbTable
from ycsbook.units import BYTES_PER_GIB

sys.path.append(os.path.dirname(__file__))
import sweeping

pytestmark = [pytest.mark.live, pytest.mark.matrix]

PARAMS = """
name: maria
server: {kind: mariadb}
specs:
  - {name: half, cores: 0.5, ram_gib: 1}
  - {name: 1c, cores: 1, ram_gib: 2}
"""
SWEEP = Sweep.model_validate(
    {
        "name": "maria",
        "server": {"kind": "mariadb"},
        "specs": [{"name": "half", "cores": 0.5, "ram_gib": 1}, {"name": "1c", "cores": 1, "ram_gib": 2}],
    }
)


@pytest.fixture(scope="module")
def servers(guard, tmp_path_factory):
    servers = kind.start(SWEEP, guard, tmp_path_factory.mktemp("a maria"))
    yield servers
    servers.close()


@pytest.fixture
def params(tmp_path):
    path = tmp_path / "maria.yml"
    path.write_text(PARAMS)
    return path


def test_it_has_the_cores_and_the_cache_of_the_spec_and_its_engines(servers):
    for spec, cache_gib in zip(SWEEP.specs, (0.25, 0.5), strict=True):
        servers.check(spec)
        target = servers.prepare(spec)
        assert target.cache_gib == cache_gib
        with servers.client() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT @@innodb_buffer_pool_size")
            assert cursor.fetchone()[0] == cache_gib * BYTES_PER_GIB
    assert target.version == f"MariaDB {mariadb.PROGRAM.version(mariadb.find()[0])}"
    assert target.facts["engine"] == "InnoDB" and target.facts["durability"]["innodb_flush_log_at_trx_commit"] == "1"
    assert target.facts["engines"] == ["InnoDB", "MyISAM", "Aria"]
    assert target.pids == (servers.process.pid,) and target.cores_enforced_by == servers._quota.name


@pytest.mark.parametrize("engine", mariadb.ENGINES)
def test_each_engine_keeps_records(servers, engine):
    with servers.client() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE IF NOT EXISTS kept")
        cursor.execute(f"CREATE TABLE kept.{engine} (k INT PRIMARY KEY) ENGINE={engine}")
        cursor.execute(f"INSERT INTO kept.{engine} VALUES (1), (2)")
        cursor.execute(f"SELECT COUNT(*) FROM kept.{engine}")
        assert cursor.fetchone() == (2,)
        cursor.execute(
            "SELECT engine FROM information_schema.tables WHERE table_schema='kept' AND table_name=%s", [engine]
        )
        assert cursor.fetchone() == (engine,)


def test_only_its_user_gets_in_and_the_password_stands_nowhere(servers):
    server = servers
    for user in ("root", "ycsbook", "", "mysql"):
        with pytest.raises(pymysql.OperationalError, match="Access denied"):
            pymysql.connect(host="127.0.0.1", port=server.port, user=user, password="")
    password = server._password.reveal()
    process = psutil.Process(server.process.pid)
    assert password not in " ".join(process.cmdline()) + " ".join(process.environ().values())
    assert not (server.folder / "init.sql").exists()
    files = [p for p in server.folder.rglob("*") if p.is_file() and password.encode() in p.read_bytes()]
    assert files == []
    assert {c.laddr.ip for c in process.net_connections("tcp") if c.status == "LISTEN"} == {"127.0.0.1"}


SHAPE = RecordShape(records=3, field_count=4, field_length=256, experiment="crud", indexes=3)


@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_its_table_has_the_engine_and_the_indexes_and_counts_as_ready_only_as_it_was_loaded(servers, engine):
    table = MariadbTable(servers.client, f"made_{engine}", SHAPE, engine)
    assert not table.is_ready()
    table.clear()
    with pytest.raises(ToolError, match="holds 0 records after loading 3"):
        table.mark_ready()
    with servers.client() as connection, connection.cursor() as cursor:
        cursor.execute(f"SHOW CREATE TABLE ycsb.made_{engine}")
        made = cursor.fetchone()[1]
        assert f"ENGINE={mariadb.ENGINE_NAMES[engine]}" in made and made.count("  KEY ") == 3
        cursor.execute(
            f"INSERT INTO ycsb.made_{engine} (age, test1, test2, test3, test4) VALUES (1, '', '', '', ''), "
            "(2, '', '', '', ''), (3, '', '', '', '撒旦法')"
        )
    table.mark_ready()
    assert table.is_ready() and table.size()["data_bytes"] > 0 and table.size()["index_bytes"] > 0
    other = dataclasses.replace(SHAPE, indexes=2)
    assert not MariadbTable(servers.client, f"made_{engine}", other, engine).is_ready()
    table.mark_changed()
    assert not table.is_ready()
    table.clear()
    assert not table.is_ready()


def test_records_of_somebody_else_are_never_dropped(servers):
    with servers.client() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE IF NOT EXISTS ycsb")
        cursor.execute("CREATE TABLE ycsb.theirs (k INT)")
        cursor.execute("INSERT INTO ycsb.theirs VALUES (1), (2)")
        with pytest.raises(ToolError, match=r"ycsb\.theirs: holds 2 records that ycsbook did not load"):
            MariadbTable(servers.client, "theirs", SHAPE, "innodb").clear()
        cursor.execute("SELECT COUNT(*) FROM ycsb.theirs")
        assert cursor.fetchone() == (2,)


def test_it_tells_what_it_counts_and_whether_it_is_there(servers):
    with servers.counters(None) as counters:
        before = counters.read()
        with servers.client() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        after = counters.read()
        assert after["queries"] > before["queries"] and after["network_bytes"] > before["network_bytes"]
        assert after["cache_bytes"] > 0 and counters.answers()
        os.kill(servers.process.pid, signal.SIGSTOP)
        try:
            assert counters.read() == {} and not counters.answers()
        finally:
            os.kill(servers.process.pid, signal.SIGCONT)
        assert counters.answers()


def test_it_ends_with_its_guard(tmp_path):
    with Guard() as guard:
        server = kind.start(SWEEP, guard, tmp_path)
        assert psutil.pid_exists(server.process.pid)
    assert not psutil.pid_exists(server.process.pid)


@pytest.mark.parametrize("command", ["run", "plan"])
def test_that_it_cannot_be_measured_is_one_line_before_anything_is_started(params, tmp_path, command):
    done = sweeping.ycsbook(command, params, "--store", tmp_path / "runs")
    assert done.returncode == 1 and not (tmp_path / "runs").exists()
    assert "YCSB's own mixes have no SQL binding here" in sweeping.error_line(done)
    assert len(done.stderr.splitlines()) == 1


def test_probe_says_what_it_is(params):
    done = sweeping.ycsbook("probe", params, "--spec", "half", "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert (found["spec"], found["kind"], found["cache_gib"], found["error"]) == ("half", "mariadb", 0.25, "")
    assert found["engines"] == ["InnoDB", "MyISAM", "Aria"] and found["version"].startswith("MariaDB 1")


def test_probe_says_of_each_spec_what_its_own_server_is_also_where_one_has_none(tmp_path, monkeypatch):
    path = tmp_path / "both.yml"
    path.write_text(PARAMS.replace("ram_gib: 2", "ram_gib: 2, server: {kind: mongod}"))
    monkeypatch.setenv("MARIADBD_BIN", str(tmp_path / "none"))
    done = sweeping.ycsbook("probe", path, "--json")
    first, second = json.loads(done.stdout)
    assert (first["kind"], second["kind"], second["error"]) == ("mariadb", "mongod", "")
    assert "expected the path of an executable mariadbd" in first["error"]
    assert done.returncode == 1 and "1 of 2 specs have no server" in sweeping.error_line(done)


def test_who_we_are_is_not_what_the_environment_says(params, monkeypatch):
    monkeypatch.setenv("LOGNAME", "nobody")
    done = sweeping.ycsbook("probe", params, "--spec", "half")
    assert done.returncode == 0, done.stderr
    assert "InnoDB" in done.stdout and "error" not in done.stdout


def test_more_cores_than_there_are(servers):
    spec = SWEEP.specs[0].model_copy(update={"cores": 4096.0})
    with pytest.raises(ToolError, match="spec half: cores: the spec asks for 4096"):
        servers.check(spec)


def test_a_shape_it_does_not_have_is_refused(guard, tmp_path):
    asked = Sweep.model_validate(
        {**SWEEP.model_dump(include={"name", "specs"}), "server": {"kind": "mariadb", "tls": True}}
    )
    with pytest.raises(ToolError, match="topology, members, auth and tls are not offered"):
        kind.start(asked, guard, tmp_path)


def test_where_it_is_not_installed_the_message_says_how(monkeypatch, tmp_path):
    monkeypatch.delenv("MARIADBD_BIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(mariadb, "_DAEMON_FOLDERS", ())
    with pytest.raises(ToolError, match="mariadbd: not found; install it: Debian apt-get install mariadb-server-core"):
        mariadb.find()
    monkeypatch.setenv("MARIADBD_BIN", str(tmp_path / "none"))
    with pytest.raises(ToolError, match=r"MARIADBD_BIN: got .*, expected the path of an executable mariadbd"):
        mariadb.find()
    with pytest.raises(ToolError, match="--version printed"):
        mariadb.PROGRAM.version(Path("/bin/true"))


def test_why_it_did_not_start_is_said(guard, tmp_path, monkeypatch):
    command = mariadb._command
    monkeypatch.setattr(mariadb, "_command", lambda *a: [*command(*a), "--no-such-option"])
    with pytest.raises(ToolError, match=r"mariadbd ended with code \d+ at start: .*unknown option '--no-such-option'"):
        kind.start(SWEEP, guard, tmp_path)
    assert not (tmp_path / "init.sql").exists()


def test_a_port_taken_meanwhile_is_given_up_for_another_one(guard, tmp_path, monkeypatch):
    with socket.create_server((private.HOST, 0)) as taken:
        ports = [private.free_port(), taken.getsockname()[1]]
        monkeypatch.setattr(private, "free_port", ports.pop)
        servers = kind.start(SWEEP, guard, tmp_path)
    try:
        assert ports == [] and servers.prepare(SWEEP.specs[0]).version.startswith("MariaDB")
    finally:
        servers.close()


def test_a_folder_that_cannot_be_made_a_database(guard, tmp_path):
    (tmp_path / "db").write_text("in the way")
    with pytest.raises(ToolError, match=r"mariadb-install-db: ended with code 1: .*db"):
        kind.start(SWEEP, guard, tmp_path)
