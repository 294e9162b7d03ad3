"""The server of each spec, made ready to be measured. A new kind of server is one more class here."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes.guard import Guard
from ycsbook.secrets import Secret, hosts, uri_from_env
from ycsbook.servers import mongod, quota, remote


@dataclass(frozen=True)
class Target:
    """A server that is ready: its address, what it is, and how its spec was brought about.

    `pid` is None where the server's processes are not ours; `reach` tells one server's data from another's. `told`:
    what else was found out, for the manifest.
    """

    uri: Secret
    reach: str
    version: str
    topology: str
    cache_gib: float | None
    cores_enforced_by: str
    rtt_us: float | None
    pid: int | None
    told: Mapping[str, object] = field(default_factory=dict)


class Servers(Protocol):
    """What the sweep asks of a kind of server."""

    def check(self, spec: Spec) -> None:
        """Refuse, before anything is run, a spec that cannot be had: raises ToolError."""

    def prepare(self, spec: Spec) -> Target:
        """Bring the spec about; the data is kept."""

    def unthrottle(self) -> None:
        """Lift the limit on cores, for loading."""

    def close(self) -> None:
        """End what was started."""


class PrivateMongod:
    """One mongod of our own for the whole sweep; cores by quota, RAM by cache size, both changed at run time."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        self._server = mongod.Mongod.start(guard, folder, cache_gib=mongod.cache_for(sweep.specs[0].ram_gib))
        self._quota = quota.choose(guard, self._server.pid)

    def check(self, spec: Spec) -> None:
        try:
            quota.check_cores(spec.cores, quota.usable_cores(self._server.pid))
        except ToolError as e:
            raise ToolError(f"spec {spec.name}: {e}") from None

    def prepare(self, spec: Spec) -> Target:
        cache_gib = mongod.cache_for(spec.ram_gib)
        self._server.set_cache_gib(cache_gib)
        self._quota.set_cores(spec.cores)
        return Target(
            uri=Secret(self._server.uri),
            reach="private mongod",
            version=self._server.version,
            topology="standalone",
            cache_gib=cache_gib,
            cores_enforced_by=self._quota.name,
            rtt_us=None,
            pid=self._server.pid,
            told={"cores_not_enforced_by": self._quota.refused},
        )

    def unthrottle(self) -> None:
        self._quota.set_cores(None)

    def close(self) -> None:
        self._quota.close()
        self._server.stop()


class GivenServers:
    """Deployments of the user's, each reached by the URI in its spec's environment variable."""

    def check(self, spec: Spec) -> None:
        remote.preflight(self._uri(spec))

    def prepare(self, spec: Spec) -> Target:
        uri = self._uri(spec)
        facts = remote.preflight(uri)
        return Target(
            uri=uri,
            reach=hosts(uri),
            version=facts.version,
            topology=facts.topology,
            cache_gib=None,
            cores_enforced_by="",
            rtt_us=facts.rtt_us,
            pid=None,
            told={
                "cores": _known(facts.cores),
                "ram_gib": _known(facts.ram_gib),
                "rtt_mean_us": facts.rtt_mean_us,
                "rtt_max_us": facts.rtt_max_us,
                "clock_difference_s": facts.clock_difference_s,
            },
        )

    def unthrottle(self) -> None:
        pass

    def close(self) -> None:
        pass

    @staticmethod
    def _uri(spec: Spec) -> Secret:
        uri = uri_from_env(spec.uri_env)
        if uri is None:
            raise ToolError(f"spec {spec.name}: environment variable {spec.uri_env} is not set; put the URI there")
        return uri


def _known(value: float) -> float | None:
    """What JSON has for a number that is not known."""
    return None if math.isnan(value) else value


def _mongod_identity(spec: Spec) -> str:
    return f"mongod {mongod.version(mongod.find())}"


def _given_identity(spec: Spec) -> str:
    uri = uri_from_env(spec.uri_env)
    return hosts(uri) if uri else ""


# kind: (who starts it, who it is without secrets; an empty identity: not to be had now)
KINDS: dict[str, tuple[Callable[[Sweep, Guard, Path], Servers], Callable[[Spec], str]]] = {
    "mongod": (PrivateMongod, _mongod_identity),
    "uri": (lambda sweep, guard, folder: GivenServers(), _given_identity),
}


def identities(sweep: Sweep) -> dict[str, str]:
    """Each spec's server by spec name, without secrets; empty where there is none to measure.

    Raises
        ToolError: the kind is not one that can be run, or its program is missing.
    """
    if sweep.server.kind not in KINDS:
        raise ToolError(
            f"{sweep.name}: server kind {sweep.server.kind!r} cannot be run yet, expected one of {', '.join(KINDS)}"
        )
    identify = KINDS[sweep.server.kind][1]
    return {spec.name: identify(spec) for spec in sweep.specs}
