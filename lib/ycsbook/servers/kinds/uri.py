"""Deployments of the user's, each reached by the URI in its spec's environment variable."""

import math
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes.guard import Guard
from ycsbook.secrets import Secret, hosts, uri_from_env
from ycsbook.servers import remote
from ycsbook.servers.counters import MongoCounters
from ycsbook.servers.dataset import MongoDataset
from ycsbook.servers.kind import Shape, Target


def identity(sweep: Sweep, spec: Spec) -> str:
    """The hosts of the spec's URI; empty where the variable is not set."""
    uri = uri_from_env(spec.uri_env)
    return hosts(uri) if uri else ""


def start(sweep: Sweep, guard: Guard, folder: Path) -> "GivenServers":
    """They run already."""
    return GivenServers()


class GivenServers:
    """Each spec's deployment, asked before every run."""

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

    def dataset(self, target: Target, table: str, shape: Shape) -> MongoDataset:
        return MongoDataset(target.uri, table, shape)

    def counters(self, target: Target) -> MongoCounters:
        return MongoCounters(target.uri)

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
