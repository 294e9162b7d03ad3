"""MongoDB behind a REST gateway: a private mongod that is loaded by its driver and measured over HTTP."""

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from ycsbook.params import Spec, Sweep
from ycsbook.processes import Guard
from ycsbook.servers import gateways
from ycsbook.servers.kind import BenchmarkRecords, Counters, RecordShape, Target
from ycsbook.servers.kinds import mongod

NOT_MEASURED = "a REST gateway serves the experiment crud; say so with 'experiment: crud', or measure kind mongod"


def identity(sweep: Sweep, spec: Spec) -> str:
    """The gateway, and the mongod behind it."""
    name = sweep.server_of(spec).gateway
    gateways.program(name)
    gateways.load_tool()
    return f"{name}, {mongod.identity(sweep, spec)}"


def start(sweep: Sweep, guard: Guard, folder: Path) -> "GatewayServer":
    """Start the mongod; the gateway with its first spec."""
    return GatewayServer(sweep, guard, folder)


class GatewayServer:
    """A private mongod with a gateway in front. The spec's cores and RAM are the mongod's: the gateway shares what is
    left with the client."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        self._guard, self._folder, self._name = guard, folder, sweep.server.gateway
        self._mongod = mongod.start(sweep, guard, folder)
        self._gateway: gateways.RunningGateway | None = None

    def check(self, spec: Spec) -> None:
        self._mongod.check(spec)

    def prepare(self, spec: Spec) -> Target:
        target = self._mongod.prepare(spec)
        if self._gateway is None:
            self._gateway = gateways.RunningGateway(self._name, self._guard, self._folder, target.uri)
        return replace(
            target,
            http=self._gateway.url,
            pids=(*target.pids, self._gateway.pid),
            facts={**target.facts, "gateway": self._name},
        )

    def unthrottle(self) -> None:
        self._mongod.unthrottle()

    def dataset(self, target: Target, table: str, shape: RecordShape) -> BenchmarkRecords:
        return self._mongod.dataset(target, table, shape)

    def counters(self, target: Target) -> AbstractContextManager[Counters]:
        return self._mongod.counters(target)

    def close(self) -> None:
        if self._gateway is not None:
            self._gateway.stop()
        self._mongod.close()
