"""Deployments of the user's, each reached by the URI in its spec's environment variable or the file that it names."""

import math
from collections.abc import Callable, Iterable
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes.guard import Guard
from ycsbook.secrets import FILE_SUFFIX, Secret, hosts, uri_from_env
from ycsbook.servers import mongodb, remote
from ycsbook.servers.kind import RecordShape, Target
from ycsbook.servers.mongodb import MongoCounters, MongoDataset
from ycsbook.units import BYTES_PER_GIB
from ycsbook.verdicts import Warn


def identity(sweep: Sweep, spec: Spec) -> str:
    """The hosts of the spec's URI; empty where the variable is not set."""
    uri = uri_from_env(spec.uri_env)
    return hosts(uri) if uri else ""


def shared(sweep: Sweep, specs: Iterable[Spec]) -> list[Secret]:
    """The URI of each server, once where several specs name it."""
    uris = {uri.reveal(): uri for uri in map(uri_of, specs)}
    return list(uris.values())


def start(sweep: Sweep, guard: Guard, folder: Path) -> "GivenServers":
    """The servers of the URIs, which run already."""
    return GivenServers(sweep)


def uri_of(spec: Spec) -> Secret:
    """The URI in a spec's environment variable, or in the file that it names.

    Raises
        ToolError: it is not set, or no URI.
    """
    uri = uri_from_env(spec.uri_env)
    if uri is None:
        raise ToolError(
            f"spec {spec.name}: environment variable {spec.uri_env} is not set; put the URI there, or the path of "
            f"a file with it into {spec.uri_env}{FILE_SUFFIX}"
        )
    return uri


class GivenServers:
    """Each spec's deployment, asked before every run.

    Parameters
        uri: gives a spec's URI, or raises ToolError; by default that of its environment variable.
    """

    def __init__(self, sweep: Sweep, uri: Callable[[Spec], Secret] = uri_of):
        self._sweep, self._uri = sweep, uri

    def check(self, spec: Spec) -> None:
        uri = self._uri(spec)
        facts = remote.preflight(uri)
        if math.isnan(facts.free_bytes):
            return
        stored_bytes = MongoDataset(uri, self._sweep.table, RecordShape.of(self._sweep)).storage_bytes()
        mongodb.require_room(
            mongodb.records_bytes(self._sweep), facts.free_bytes + stored_bytes, f"{hosts(uri)} (spec {spec.name})"
        )

    def prepare(self, spec: Spec) -> Target:
        uri = self._uri(spec)
        facts, verified = remote.preflight(uri), remote.tls_verified(uri)
        return Target(
            uri=uri,
            reach=hosts(uri),
            version=facts.version,
            topology=facts.topology,
            cache_gib=None,
            cores_enforced_by="",
            rtt_us=facts.rtt_us,
            facts={
                "cores": _or_none(facts.cores),
                "ram_gib": _or_none(facts.ram_gib),
                "process": facts.process,
                **({"members": facts.members} if facts.members > 1 else {}),
                "rtt_mean_us": facts.rtt_mean_us,
                "rtt_max_us": facts.rtt_max_us,
                "clock_difference_s": facts.clock_difference_s,
                "free_gib": _or_none(facts.free_bytes / BYTES_PER_GIB),
                **({} if verified is None else {"tls": "verified" if verified else "not verified"}),
            },
            warnings=(Warn.TLS_NOT_VERIFIED,) if verified is False else (),
        )

    def unthrottle(self) -> None:
        pass

    def dataset(self, target: Target, table: str, shape: RecordShape) -> MongoDataset:
        return MongoDataset(target.uri, table, shape)

    def counters(self, target: Target) -> MongoCounters:
        return MongoCounters(target.uri)

    def close(self) -> None:
        pass


def _or_none(value: float) -> float | None:
    """The number; None, which JSON has, for NaN, which it has not."""
    return None if math.isnan(value) else value
