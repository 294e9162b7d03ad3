"""A private server lets nobody in who has not its password, and the password is nowhere to be read."""

import contextlib
import os
import stat
import sys
import threading
from pathlib import Path

import psutil
import pymongo
import pytest
from pymongo.errors import OperationFailure

sys.path += [os.path.dirname(__file__), str(Path(__file__).parents[1] / "contract")]
import stand_in
import sweeping

from ycsbook.errors import ToolError
from ycsbook.params import load
from ycsbook.processes import Guard
from ycsbook.runner import sweep
from ycsbook.servers import private
from ycsbook.servers.mongod import Mongod
from ycsbook.store.runs import RunStore

pytestmark = pytest.mark.live

PASSWORD = "c4nary-of-a-private-server-0123456789"


def what_others_see() -> bytes:
    """The command lines of all processes, and the environments of those that are ours."""
    seen = b""
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError):  # of a process that has ended meanwhile
                seen += Path(f"/proc/{pid}/{name}").read_bytes()
    return seen


def test_nobody_gets_into_a_private_server_and_its_password_is_nowhere_to_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(private.secrets, "token_urlsafe", lambda _: PASSWORD)
    monkeypatch.setenv("JAVA_HOME", str(stand_in.install(tmp_path, show_url=True, seconds=2)))
    params, store = load(sweeping.write_params(tmp_path, "private", duration="1s")), tmp_path / "runs"
    runner = threading.Thread(target=sweep.run, args=(params, RunStore(store)))
    runner.start()
    try:
        sweeping.until(lambda: stand_in.clients(store), 30)
        assert PASSWORD.encode() not in what_others_see()
        (server,) = sweeping.working_for(store, "mongod")
        address = dict(zip(line := server.cmdline(), line[1:], strict=False))
        assert (address["--bind_ip"], "--auth" in line) == ("127.0.0.1", True)
        with pymongo.MongoClient("127.0.0.1", int(address["--port"])) as stranger:
            for order in (stranger.ycsb.usertable.find_one, lambda: stranger.ycsb.usertable.delete_many({})):
                with pytest.raises(OperationFailure, match="requires authentication"):
                    order()
            with pytest.raises(OperationFailure, match="requires authentication"):
                stranger.admin.command("createUser", "mallory", pwd="x", roles=["root"])
        holding = [p for p in (store / ".server").rglob("*") if p.is_file() and PASSWORD.encode() in p.read_bytes()]
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in holding)
        assert stat.S_IMODE((store / ".server").stat().st_mode) == 0o700
    finally:
        runner.join(120)
    kept = [path for path in store.rglob("*") if path.is_file()]
    assert {"manifest.json", "run.out", "run.err", "samples.csv"} <= {path.name for path in kept}
    assert [path for path in kept if PASSWORD.encode() in path.read_bytes()] == []
    manifests = sweeping.manifests(store)
    assert [m["outcome"] for m in manifests if m["phase"] == "load"] == ["completed"] and len(manifests) == 2
    assert all(m["server"]["auth"] is True for m in manifests)
    assert not psutil.pid_exists(server.pid) and not (store / ".server").exists()


def test_a_server_whose_first_user_is_somebody_elses_is_not_used(tmp_path):
    entered = private.make_access(tmp_path, auth=True, tls=False, several=False)
    with Guard() as guard, Mongod.start(guard, tmp_path, cache_gib=0.25, access=entered) as server:
        with entered.client(server.port, as_user=False) as mallory:
            mallory.admin.command("createUser", "mallory", pwd="x", roles=["root"])
        with pytest.raises(ToolError, match=r"its user cannot be made: .*requires authentication.*; start again") as e:
            entered.create_user(server.port)
        assert "\n" not in str(e.value)
