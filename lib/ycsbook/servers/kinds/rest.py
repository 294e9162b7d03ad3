"""MongoDB behind a REST gateway: a private mongod that is loaded by its driver and measured over HTTP."""

from dataclasses import replace
from pathlib import Path

from ycsbook.params import Spec, Sweep
from ycsbook.processes import Guard
from ycsbook.servers import gateways
from ycsbook.servers.kind import Target
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


class GatewayServer(mongod.PrivateMongod):
    """A private mongod with a gateway in front. The spec's cores and RAM are the mongod's: the gateway shares what is
    left with the client."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        super().__init__(sweep, guard, folder)
        self._guard, self._name = guard, sweep.server.gateway
        self._gateway: gateways.RunningGateway | None = None

    def prepare(self, spec: Spec) -> Target:
        target = super().prepare(spec)
        if self._gateway is None:
            self._gateway = gateways.RunningGateway(self._name, self._guard, self._folder, target.uri)
        return replace(
            target,
            http=self._gateway.url,
            pids=(*target.pids, self._gateway.pid),
            facts={**target.facts, "gateway": self._name},
        )

    def close(self) -> None:
        if self._gateway is not None:
            self._gateway.stop()
        super().close()
