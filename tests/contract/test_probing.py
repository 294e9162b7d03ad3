"""`ycsbook probe`, and what is found out about servers that are given: room, a URI in a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pymongo
import pytest

from ycsbook.commands.probe import servers_of
from ycsbook.errors import ParamsError, ToolError
from ycsbook.params import Sweep
from ycsbook.processes import Guard
from ycsbook.servers import kind
from ycsbook.servers.mongod import Mongod

pytestmark = pytest.mark.live

YCSBOOK = Path(sys.executable).with_name("ycsbook")
PASSWORD = "pr0be-canary"
SPECS = """
specs:
  - {name: 2c, cores: 2, ram_gib: 4, uri_env: PROBED_2C}
  - {name: 4c, cores: 4, ram_gib: 8, uri_env: PROBED_4C}
"""


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    with Guard() as guard:
        server = Mongod(guard, tmp_path_factory.mktemp("server"), cache_gib=0.25, options=["--auth"])
        with pymongo.MongoClient(server.uri) as client:
            client.admin.command("createUser", "anna", pwd=PASSWORD, roles=["root"])
        yield f"mongodb://anna:{PASSWORD}@127.0.0.1:{server.port}/bench?authSource=admin"
        server.stop()


@pytest.fixture
def params(tmp_path):
    path = tmp_path / "given.yml"
    path.write_text("name: given\nserver: {kind: uri}\n" + SPECS)
    return path


def ycsbook(*arguments, **variables):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PROBED")}
    done = subprocess.run(
        [YCSBOOK, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, env=kept | variables
    )
    assert PASSWORD not in done.stdout + done.stderr and "Traceback" not in done.stderr
    return done


def test_a_server_whose_uri_is_in_a_file(uri, params, tmp_path):
    file = tmp_path / "uri"
    file.write_text(uri + "\n")
    file.chmod(0o600)
    done = ycsbook("probe", params, "--spec", "2c", "--json", PROBED_2C_FILE=str(file))
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert (found["spec"], found["error"], found["topology"]) == ("2c", "", "standalone")
    assert found["cores"] >= 1 and found["ram_gib"] > 0 and found["free_gib"] > 0
    assert 0 < found["rtt_us"] <= found["rtt_mean_us"] <= found["rtt_max_us"] and abs(found["clock_difference_s"]) < 1
    file.chmod(0o644)
    refused = ycsbook("probe", params, "--spec", "2c", PROBED_2C_FILE=str(file))
    assert refused.returncode == 1 and "others may read it (mode 0644), expected 0600; chmod 600" in refused.stderr


def test_the_table_shows_each_spec_and_an_absent_one_is_named(uri, params):
    done = ycsbook("probe", params, PROBED_2C=uri)
    assert done.returncode == 1
    assert "round trip, mean" in done.stdout and "2c" in done.stdout and "4c" in done.stdout
    assert "no server: 4c: not set: PROBED_4C" in done.stdout
    (line,) = done.stderr.splitlines()
    assert "1 of 2 specs have no server: spec 4c: environment variable PROBED_4C is not set" in line


def test_probing_leaves_nothing_behind(uri, params):
    assert ycsbook("probe", params, "--spec", "2c", PROBED_2C=uri).returncode == 0
    with pymongo.MongoClient(uri) as client:
        assert client.bench.list_collection_names() == []


def test_a_spec_that_is_none(params):
    done = ycsbook("probe", params, "--spec", "8c")
    assert done.returncode == 1 and "--spec: got '8c', expected one of 2c, 4c" in done.stderr


def test_a_private_mongod_is_probed_too():
    asked = Sweep.model_validate(
        {"name": "p", "server": {"kind": "mongod"}, "specs": [{"name": "half", "cores": 0.5, "ram_gib": 2}]}
    )
    (found,) = servers_of(asked)
    assert (found["topology"], found["cache_gib"], found["error"]) == ("standalone", 0.5, "")
    with pytest.raises(ParamsError, match="--spec: got 'x'"):
        servers_of(asked, ["x"])


def test_records_that_find_no_room_on_a_given_server(uri, monkeypatch, tmp_path):
    monkeypatch.setenv("PROBED_2C", uri)
    spec = {"name": "2c", "cores": 2, "ram_gib": 4, "uri_env": "PROBED_2C"}
    values = {"name": "given", "server": {"kind": "uri"}, "specs": [spec]}
    fits = Sweep.model_validate(values)
    kind.start(fits, None, tmp_path).check(fits.specs[0])
    large = Sweep.model_validate({**values, "vary": {"records": [1000, 2**31 - 1]}, "field_length": 100_000})
    with pytest.raises(
        ToolError, match=r"127\.0\.0\.1:\d+ \(spec 2c\) has .* GiB free for the data, the load needs"
    ) as e:
        kind.start(large, None, tmp_path).check(large.specs[0])
    assert PASSWORD not in str(e.value)
