"""A password goes through success, failure, kill and report, and is found nowhere but where the user put it."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pymongo
import pytest

sys.path += [os.path.dirname(__file__), str(Path(__file__).parents[1] / "contract")]
import stand_in
import sweeping

from ycsbook import paths
from ycsbook.processes import Guard
from ycsbook.servers.mongod import Mongod

pytestmark = [pytest.mark.live, pytest.mark.matrix]

CANARY, WRONG = "c4nary/p@ss", "wr0ng/c4nary"
# As it is, as a URI has it, as a properties file has it, as Python and JSON quote it.
FORMS = [
    form
    for word in (CANARY, WRONG)
    for form in (
        word,
        word.replace("/", "%2F").replace("@", "%40"),
        word.replace("/", "%2f").replace("@", "%40"),
        word.replace("/", "\\u002f").replace("@", "\\u0040"),
        word.replace("/", "\\/"),
    )
]
NAME = "canary-test"
PARAMS = f"""
name: {NAME}
server: {{kind: uri}}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1, uri_env: CANARY_URI}}
workloads: [a]
threads: [1, 2]
records: 200
min_duration: 1s
"""


class Place:
    """A server with a password, a load generator that prints it, and everything that is written while it is used."""

    def __init__(self, folder: Path, mongod: Mongod):
        self.folder, self.mongod = folder, mongod
        self.home = stand_in.install(folder, show_url=True)
        self.params = folder / "canary.yml"
        self.params.write_text(PARAMS)
        self.store, self.output = folder / "runs", paths.OUTPUT / NAME
        self.printed: list[str] = []

    def start(self, *arguments: object, password: str = CANARY) -> subprocess.Popen:
        encoded = password.replace("/", "%2F").replace("@", "%40")
        uri = f"mongodb://anna:{encoded}@127.0.0.1:{self.mongod.port}/bench?authSource=admin"
        return subprocess.Popen(
            [sweeping.YCSBOOK, *map(str, arguments), "--store", str(self.store)],
            env={**os.environ, "JAVA_HOME": str(self.home), "CANARY_URI": uri},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ycsbook(self, *arguments: object, password: str = CANARY) -> subprocess.CompletedProcess:
        process = self.start(*arguments, password=password)
        out, err = process.communicate(timeout=400)
        self.printed += [out, err]
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def hits(self) -> list[str]:
        """Where it stands: files and their names, and what was printed."""
        files = [path for root in (self.store, self.output) for path in root.rglob("*")]
        found = [str(path) for path in files if shows(str(path)) or (path.is_file() and shows(path.read_bytes()))]
        return found + [text for text in self.printed if shows(text)]


def shows(text: str | bytes) -> bool:
    content = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    return any(form.encode() in content for form in FORMS)


def _read(path: str) -> bytes:
    with contextlib.suppress(OSError):  # of a process that has ended meanwhile
        return Path(path).read_bytes()
    return b""


@contextlib.contextmanager
def watched() -> Iterator[dict[str, set[bytes]]]:
    """Sample what any user sees of all processes, and the environments of guards and of all that they started."""
    seen: dict[str, set[bytes]] = {"lines": set(), "environments": set(), "clients": set()}
    ended = threading.Event()

    def look() -> None:
        for pid in filter(str.isdecimal, os.listdir("/proc")):
            line = _read(f"/proc/{pid}/cmdline")
            if shows(line):
                seen["lines"].add(line)
            if b"site.ycsb.Client" in line:
                seen["clients"].add(line)
            ours = b"site.ycsb.Client" in line or b"guard_main.py" in line
            if ours and shows(_read(f"/proc/{pid}/environ")):
                seen["environments"].add(line)

    def watch() -> None:
        while not ended.wait(0.05):
            look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        ended.set()
        watcher.join()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("canary")
    with Guard() as guard, Mongod.start(guard, folder / "db", cache_gib=0.25, options=("--auth",)) as mongod:
        with pymongo.MongoClient(mongod.uri) as client:
            client.admin.command("createUser", "anna", pwd=CANARY, roles=["root"])
        one = Place(folder, mongod)
        try:
            yield one
        finally:
            shutil.rmtree(one.output, ignore_errors=True)


@pytest.mark.timeout(600)
def test_nothing_shows_it_in_runs_that_are_killed_refused_or_completed_or_in_their_report(place):
    with watched() as seen:
        # Killed in the middle of a run: what lies there then is what is searched, before anything can tidy up.
        stand_in.behave(place.home, show_url=True, seconds=60)
        process = place.start("run", place.params)
        try:
            sweeping.until(lambda: b" operations; " in _status(place.store), 60)
            assert shows(Path(f"/proc/{process.pid}/environ").read_bytes())  # where the user put it, it is found
        finally:
            process.kill()
            process.communicate()
        sweeping.until(lambda: not stand_in.clients(place.store), 30)
        sweeping.until(lambda: not list(place.store.glob(".server")), 30)
        assert b"connecting to REDACTED" in _status(place.store)
        assert place.hits() == []

        refused = place.ycsbook("run", place.params, password=WRONG)
        assert refused.returncode == 1 and "wrong user or password" in refused.stderr

        stand_in.behave(place.home, show_url=True)
        made = place.ycsbook("run", place.params)
        assert made.returncode == 0 and "2 completed" in made.stdout, made.stderr
        place.ycsbook("status", place.params)

        # The notebooks run in processes of their own, which find everything made already.
        told = place.ycsbook("report", place.params, "--json")
        assert told.returncode == 0, told.stderr
    written = json.loads(told.stdout)
    assert "<html" in Path(written["html"]).read_text().lower() and list(Path(written["notebooks"]).glob("*.ipynb"))
    assert len(seen["clients"]) >= 4
    assert seen["lines"] == set() and seen["environments"] == set()
    assert place.hits() == []
    # The clients did print their address, and the store has what they printed.
    logs = [path.read_text() for path in place.store.glob("*/run.out")]
    assert len(logs) == 3 and all("new database url = REDACTED" in log for log in logs)


def _status(store: Path) -> bytes:
    return b"".join(path.read_bytes() for path in store.glob("*.partial/run.err"))
