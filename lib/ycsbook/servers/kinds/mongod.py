"""Servers of our own: a private mongod, its specs emulated."""

from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes.guard import Guard
from ycsbook.secrets import Secret
from ycsbook.servers import mongod, quota
from ycsbook.servers.counters import MongoCounters
from ycsbook.servers.dataset import MongoDataset
from ycsbook.servers.kind import Shape, Target


def identity(sweep: Sweep, spec: Spec) -> str:
    """The version of the mongod that would be started."""
    return f"mongod {mongod.version(mongod.find())}"


def start(sweep: Sweep, guard: Guard, folder: Path) -> "PrivateMongod":
    """Start it."""
    return PrivateMongod(sweep, guard, folder)


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
            pids=(self._server.pid,),
            told={"cores_not_enforced_by": self._quota.refused},
        )

    def unthrottle(self) -> None:
        self._quota.set_cores(None)

    def dataset(self, target: Target, table: str, shape: Shape) -> MongoDataset:
        return MongoDataset(target.uri, table, shape)

    def counters(self, target: Target) -> MongoCounters:
        return MongoCounters(target.uri)

    def close(self) -> None:
        self._quota.close()
        self._server.stop()
