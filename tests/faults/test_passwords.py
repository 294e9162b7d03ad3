"""A password stands nowhere but where the user put it: in nothing written or printed, on no command line, in no
environment of a program; and nobody gets into a private server without its own."""

import ast
import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pymongo
import pytest
from pymongo.errors import OperationFailure

sys.path += [os.path.dirname(__file__), str(Path(__file__).parents[1] / "contract")]
import stand_in
import sweeping

from ycsbook import paths, secrets
from ycsbook.errors import ToolError
from ycsbook.params import load
from ycsbook.processes import Guard
from ycsbook.runner import sweep
from ycsbook.servers import private
from ycsbook.servers.mongod import Mongod
from ycsbook.store.runs import RunStore

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


def processes() -> list[str]:
    return [pid for pid in os.listdir("/proc") if pid.isdecimal()]


def read(path: str) -> bytes:
    with contextlib.suppress(OSError):  # of a process that has ended meanwhile
        return Path(path).read_bytes()
    return b""


@contextlib.contextmanager
def watched() -> Iterator[dict[str, set[bytes]]]:
    """Sample what any user sees of all processes, and the environments of guards and of all that they started."""
    seen: dict[str, set[bytes]] = {"lines": set(), "environments": set(), "clients": set()}
    ended = threading.Event()

    def look() -> None:
        for pid in processes():
            line = read(f"/proc/{pid}/cmdline")
            if shows(line):
                seen["lines"].add(line)
            if b"site.ycsb.Client" in line:
                seen["clients"].add(line)
            ours = b"site.ycsb.Client" in line or b"guard_main.py" in line
            if ours and shows(read(f"/proc/{pid}/environ")):
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
    with Guard() as guard, Mongod(guard, folder / "db", cache_gib=0.25, options=("--auth",)) as mongod:
        with pymongo.MongoClient(mongod.uri) as client:
            client.admin.command("createUser", "anna", pwd=CANARY, roles=["root"])
        one = Place(folder, mongod)
        try:
            yield one
        finally:
            shutil.rmtree(one.output, ignore_errors=True)


@pytest.mark.live
@pytest.mark.matrix
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


PASSWORD = "c4nary-of-a-private-server-0123456789"


@pytest.mark.live
def test_nobody_gets_into_a_private_server_and_its_password_is_nowhere_to_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(private.secrets, "token_urlsafe", lambda _: PASSWORD)
    monkeypatch.setenv("JAVA_HOME", str(stand_in.install(tmp_path, show_url=True, seconds=2)))
    params, store = load(sweeping.write_params(tmp_path, "private", duration="1s")), tmp_path / "runs"
    runner = threading.Thread(target=sweep.run, args=(params, RunStore(store)))
    runner.start()
    try:
        sweeping.until(lambda: stand_in.clients(store), 30)
        seen = [read(f"/proc/{pid}/{name}") for pid in processes() for name in ("cmdline", "environ")]
        assert seen and not [content for content in seen if PASSWORD.encode() in content]
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


@pytest.mark.live
def test_a_server_whose_first_user_is_somebody_elses_is_not_used(tmp_path):
    entered = private.make_access(tmp_path, auth=True, tls=False, several=False)
    with Guard() as guard, Mongod(guard, tmp_path, cache_gib=0.25, access=entered) as server:
        with entered.client(server.port, as_user=False) as mallory:
            mallory.admin.command("createUser", "mallory", pwd="x", roles=["root"])
        with pytest.raises(ToolError, match=r"its user cannot be made: .*requires authentication.*; start again") as e:
            entered.create_user(server.port)
        assert "\n" not in str(e.value)


ADDRESS = "mongodb://anna:c4nary-env@127.0.0.1:99999/bench"
# Every program by these names says what environment it was given, then is the one that it stands for.
SHIMS = ("git", "java", "javac", "mongod", "mariadbd", "fc-list", "sh", "sleep", "uname", "ldconfig", "gcc", "mvn")


@pytest.fixture
def spied(tmp_path):
    """The environment of a user, and the file with those of all programs that were started."""
    seen, folder = tmp_path / "seen", tmp_path / "bin"
    folder.mkdir()
    for name in SHIMS:
        if real := shutil.which(name):
            shim = folder / name
            shim.write_text(
                f"#!{sys.executable} -ES\nimport os, sys\n"
                f"with open({str(seen)!r}, 'a') as file:\n"
                f"    print({name!r}, dict(os.environ), file=file)\n"
                f"os.execv({real!r}, sys.argv)\n"
            )
            shim.chmod(0o755)
    user = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "MONGOD_BIN")}
    env = {**user, "PATH": f"{folder}{os.pathsep}{user['PATH']}", "MINE_URI": ADDRESS, "MPLCONFIGDIR": str(tmp_path)}
    return env, seen


def ycsbook(env: dict, *arguments: object) -> subprocess.CompletedProcess:
    command = [sweeping.YCSBOOK, *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)


def test_no_program_that_is_started_sees_the_address(spied, tmp_path):
    env, seen = spied
    table = tmp_path / "test-clean-environment.csv"
    table.write_text("cores,threads,qps\n1,100,1000\n2,100,1900\n4,100,3700\n")
    try:
        assert ycsbook(env, "report", table).returncode == 0
        ycsbook(env, "doctor")
    finally:
        shutil.rmtree(paths.OUTPUT / table.stem, ignore_errors=True)
    lines = seen.read_text().splitlines()
    assert {"sh", "fc-list"} <= {line.split()[0] for line in lines}
    assert [line for line in lines if "c4nary" in line] == []


def test_the_address_is_known_all_the_same(spied, tmp_path):
    """It was taken out of the environment, not forgotten: what is wrong with it is said."""
    path = tmp_path / "p.yml"
    path.write_text("name: x\nserver: {kind: uri}\nspecs: [{name: 1c, cores: 1, ram_gib: 1, uri_env: MINE_URI}]\n")
    done = ycsbook(spied[0], "probe", path)
    assert done.returncode == 1 and "c4nary" not in done.stderr
    assert "127.0.0.1:99999: not a MongoDB URI" in done.stderr + done.stdout


def test_the_environment_of_a_program_holds_no_variable_of_ours(monkeypatch):
    monkeypatch.setenv("MINE_URI", ADDRESS)
    monkeypatch.setenv("TOKEN", "x")
    assert {"MINE_URI", "TOKEN"}.isdisjoint(secrets.clean_environment())
    assert secrets.clean_environment("TOKEN", LANG="C") == {**secrets.clean_environment(), "TOKEN": "x", "LANG": "C"}


def test_programs_are_started_in_one_place():
    """What starts a program is `processes`, which cleans its environment."""
    starters = {"run", "Popen", "call", "check_call", "check_output", "getoutput", "system", "popen", "spawnv", "execv"}
    found = []
    for path in sorted((paths.REPOSITORY / "lib" / "ycsbook").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in starters
            if named and node.value.id in ("subprocess", "os") and path.parent.name != "processes":
                found.append(f"{path}:{node.lineno}")
    assert found == []
