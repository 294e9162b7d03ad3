"""Deployments of the user's, each reached by the URI in its spec's environment variable or the file that it names."""

from collections.abc import Callable, Iterable
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes import Guard
from ycsbook.secrets import FILE_SUFFIX, Secret, hosts, uri_from_env
from ycsbook.servers import mongodb, remote
from ycsbook.servers.kind import RecordShape, Target
from ycsbook.servers.mongodb import MongoServers
from ycsbook.units import BYTES_PER_GIB


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


class GivenServers(MongoServers):
    """Each spec's deployment, asked before every run.

    Parameters
        uri: gives a spec's URI, or raises ToolError; by default that of its environment variable.
    """

    def __init__(self, sweep: Sweep, uri: Callable[[Spec], Secret] = uri_of):
        self._sweep, self._uri = sweep, uri

    def check(self, spec: Spec) -> None:
        target = self.prepare(spec)
        if (free_gib := target.facts["free_gib"]) is not None:
            stored_bytes = self.dataset(target, self._sweep.table, RecordShape.of(self._sweep)).storage_bytes()
            where = f"{target.reach} (spec {spec.name})"
            mongodb.require_room(mongodb.records_bytes(self._sweep), free_gib * BYTES_PER_GIB + stored_bytes, where)

    def prepare(self, spec: Spec) -> Target:
        return remote.preflight(self._uri(spec))

    def unthrottle(self) -> None:
        pass

    def close(self) -> None:
        pass
