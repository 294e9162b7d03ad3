"""MongoDB behind a REST gateway: a private mongod, loaded by its driver, measured over HTTP; gateways and requests."""

import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from ycsbook import paths
from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes import Guard, GuardedProcess
from ycsbook.secrets import Secret, clean_environment
from ycsbook.servers.kind import Target
from ycsbook.servers.kinds import mongod
from ycsbook.servers.private import HOST, NewText, on_free_port, private_file, started

NOT_MEASURED = "a REST gateway serves the experiment crud; say so with 'experiment: crud', or measure kind mongod"
# What lib/setup.sh gateways installs, and the sources beside which nothing is written.
INSTALLED, SOURCES = paths.REPOSITORY / ".venv" / "gateways", paths.REPOSITORY / "lib" / "gateways"
HOW_TO_GET = "get it with 'sh lib/setup.sh gateways'"
START_LIMIT_S = 60.0
_QUERY = "%7B%22age%22%3A{}%7D"


@dataclass(frozen=True)
class Gateway:
    """A gateway: its program inside INSTALLED or on PATH, what that is called, arguments with {port} and {source}, the
    path that finds 20 documents by age, the file that says it is whole, more environment."""

    program: str
    needs: str
    arguments: tuple[str, ...]
    search: str
    ready: Path
    env: Mapping[str, str] = field(default_factory=dict)

    def request(self, operation: str) -> tuple[str, str, str]:
        """An operation of the crud experiment as an HTTP request: its method, its path with {} for what is drawn, and
        what that is: a key, an age, or the next key."""
        return {
            "find-key": ("GET", "/crud/{}", "key"),
            "find-index": ("GET", self.search, "age"),
            "insert-increasing": ("POST", "/crud", "next"),
        }[operation]


GATEWAYS = {
    "eve": Gateway(
        program="eve/venv/bin/gunicorn",
        needs="Python",
        # As many workers as gunicorn advises for two cores; it has one by default.
        arguments=("--workers=5", "--bind=127.0.0.1:{port}", "--chdir={source}", "--no-control-socket", "app:app"),
        search=f"/crud?where={_QUERY}&max_results=20",
        ready=INSTALLED / "eve" / ".ready",
        env={"PYTHONDONTWRITEBYTECODE": "1"},
    ),
    "restify": Gateway(
        program="node",
        needs="Node.js",
        arguments=("{source}/server.js",),
        search=f"/crud?query={_QUERY}&limit=20",
        ready=INSTALLED / "restify" / ".ready",
        env={"NODE_PATH": str(INSTALLED / "restify" / "node_modules"), "NODE_ENV": "production"},
    ),
    "spring": Gateway(
        program="java",
        needs="a JDK and Maven",
        arguments=("-cp", "{source}/target/gateway.jar:{source}/target/lib/*", "ycsbook.gateway.Gateway"),
        search="/crud/search/findByAge?age={}&size=20",
        ready=SOURCES / "spring" / "target" / ".ready",
    ),
}


def program(name: str) -> Path:
    """What runs a gateway; raises ToolError, which says how to get it, where it is not installed."""
    gateway = GATEWAYS[name]
    path = os.pathsep.join((os.path.join(os.environ.get("JAVA_HOME", ""), "bin"), os.environ.get("PATH", "")))
    # A path with a slash in it is looked for as it is.
    binary = shutil.which(INSTALLED / gateway.program) or shutil.which(gateway.program, path=path)
    if not (gateway.ready.is_file() and binary):
        raise ToolError(f"gateway {name}: not found; {HOW_TO_GET}, which needs {gateway.needs}")
    return Path(binary)


def load_tool() -> Path:
    """The wrk on PATH; raises ToolError, which says how to get it, where there is none."""
    if binary := shutil.which("wrk"):
        return Path(binary)
    raise ToolError(f"wrk: not found; {HOW_TO_GET}, or from your system's packages")


def identity(sweep: Sweep, spec: Spec) -> str:
    name = sweep.server_of(spec).gateway
    program(name)
    load_tool()
    return f"{name}, {mongod.identity(sweep, spec)}"


class GatewayServer(mongod.PrivateMongod):
    """A private mongod with a gateway in front, which shares with the client the cores that the mongod leaves."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        super().__init__(sweep, guard, folder)
        self._guard, self._name = guard, sweep.server.gateway
        self._gateway: RunningGateway | None = None

    def prepare(self, spec: Spec) -> Target:
        target = super().prepare(spec)
        if self._gateway is None:
            self._gateway = RunningGateway(self._name, self._guard, self._folder, target.uri)
        return replace(
            target,
            http=self._gateway.url,
            pids=(*target.pids, self._gateway.process.pid),
            facts={**target.facts, "gateway": self._name},
        )

    def close(self) -> None:
        if self._gateway is not None:
            self._gateway.process.stop()
        super().close()


start = GatewayServer


class RunningGateway:
    """A gateway that answers; `url`, `process`. It reads the database's address, a secret, from a file in `folder`."""

    def __init__(self, name: str, guard: Guard, folder: Path, uri: Secret):
        gateway, log = GATEWAYS[name], folder / "gateway.out"
        # With the database's name, which gateways take from the path.
        address = private_file(folder / "uri", urlsplit(uri.reveal())._replace(path="/ycsb").geturl().encode())

        def start_at(port: int) -> GuardedProcess:
            self.url = f"http://{HOST}:{port}"
            arguments = [part.format(port=port, source=SOURCES / name) for part in gateway.arguments]
            env = clean_environment(GATEWAY_URI_FILE=str(address), GATEWAY_PORT=str(port), **gateway.env)
            return started(
                guard, [program(name), *arguments], log, name=f"gateway {name}", port=port,
                answers=self._answers, limit_s=START_LIMIT_S, log=NewText(log),
                why=lambda text: text.strip().rpartition("\n")[2], hidden=[uri], cwd=folder, env=env,
            )  # fmt: skip

        self.process = on_free_port(start_at)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url + "/crud", timeout=5):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
