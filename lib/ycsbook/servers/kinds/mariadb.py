"""A MariaDB server of our own, its specs emulated: started, shaped and probed; nothing is measured on it yet."""

import contextlib
from pathlib import Path
from typing import NoReturn

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes.guard import Guard
from ycsbook.servers import mariadb, mongod, quota
from ycsbook.servers.kind import Shape, Target

NOT_MEASURED = (
    "YCSB has no SQL binding here yet, so nothing can be measured on it; 'ycsbook probe PARAMS' starts it and says "
    "what it is"
)


def identity(sweep: Sweep, spec: Spec) -> str:
    """The version of the mariadbd that would be started."""
    return f"mariadbd {mariadb.version(mariadb.find().server)}"


def start(sweep: Sweep, guard: Guard, folder: Path) -> "PrivateMariadb":
    """Start it."""
    return PrivateMariadb(sweep, guard, folder)


class PrivateMariadb:
    """One mariadbd of our own; cores by quota, RAM by InnoDB's buffer pool, by the rule of the other private servers,
    so that two kinds of one spec have the same cache."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        if sweep.server.shape:
            raise ToolError("server kind mariadb: topology, members, auth and tls are not offered; leave them out")
        self._server = mariadb.Mariadb.start(guard, folder, cache_gib=mongod.cache_for(sweep.specs[0].ram_gib))
        self._quota = quota.choose(guard, self._server.pid, cores=[spec.cores for spec in sweep.specs])

    def check(self, spec: Spec) -> None:
        try:
            quota.check_cores(spec.cores, quota.usable_cores(self._server.pid))
        except ToolError as e:
            raise ToolError(f"spec {spec.name}: {e}") from None

    def prepare(self, spec: Spec) -> Target:
        self.unthrottle()
        self._server.set_cache_gib(mongod.cache_for(spec.ram_gib))
        facts = self._server.facts()
        self._quota.set_cores(spec.cores)
        return Target(
            uri=self._server.uri,
            reach="private mariadbd",
            version=facts.version,
            topology="standalone",
            cache_gib=facts.buffer_pool_gib,
            cores_enforced_by=self._quota.name,
            rtt_us=None,
            pids=(self._server.pid,),
            told={"engines": list(facts.engines), "cores_not_enforced_by": self._quota.refused},
        )

    def unthrottle(self) -> None:
        self._quota.set_cores(None)

    def dataset(self, target: Target, table: str, shape: Shape) -> NoReturn:
        raise ToolError(NOT_MEASURED)

    def counters(self, target: Target) -> contextlib.AbstractContextManager:
        raise ToolError(NOT_MEASURED)

    def close(self) -> None:
        self._quota.close()
        self._server.stop()
