"""Servers of our own: a private mongod or replica set, its specs emulated."""

import shutil
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes.guard import Guard
from ycsbook.servers import access, mongod, quota, space
from ycsbook.servers.counters import MongoCounters
from ycsbook.servers.dataset import MongoDataset
from ycsbook.servers.kind import Shape, Target
from ycsbook.servers.replica_set import DEFAULT_MEMBERS, ReplicaSet


def identity(sweep: Sweep, spec: Spec) -> str:
    """The version of the mongod that would be started."""
    return f"mongod {mongod.version(mongod.find())}"


def start(sweep: Sweep, guard: Guard, folder: Path) -> "PrivateMongod":
    """Start it."""
    return PrivateMongod(sweep, guard, folder)


class PrivateMongod:
    """One mongod, or one set, of our own for the whole sweep; each member's cores by quota and RAM by cache size, both
    changed at run time."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        asked = sweep.server
        self._sweep, self._folder = sweep, folder
        several = asked.topology == "replica_set"
        self._access = access.make(folder, auth=asked.auth, tls=asked.tls, several=several)
        cache_gib = mongod.cache_for(sweep.specs[0].ram_gib)
        self._set: ReplicaSet | None = None
        if several:
            count = asked.members or DEFAULT_MEMBERS
            self._set = ReplicaSet.start(guard, folder, cache_gib=cache_gib, members=count, access=self._access)
            self._members = self._set.members
            self._uri = self._set.uri
        else:
            server = mongod.Mongod.start(guard, folder, cache_gib=cache_gib, access=self._access)
            self._access.create_user(server.port)
            self._members = [server]
            self._uri = self._access.uri([server.port])
        cores = [spec.cores for spec in sweep.specs]
        self._quotas = [quota.choose(guard, member.pid, cores=cores) for member in self._members]
        self._usable = quota.usable_cores(self._members[0].pid)

    def check(self, spec: Spec) -> None:
        try:
            quota.check_cores(spec.cores, self._usable)
            space.check(
                space.of_records(self._sweep) * len(self._members), shutil.disk_usage(self._folder).free, "this machine"
            )
        except ToolError as e:
            raise ToolError(f"spec {spec.name}: {e}") from None

    def prepare(self, spec: Spec) -> Target:
        members = self._members
        if self._set is not None:
            # Held back, they would take as many times longer to catch up.
            self.unthrottle()
            self._set.await_in_step()
            members = self._set.primary_first()
        cache_gib = mongod.cache_for(spec.ram_gib)
        for member in self._members:
            member.set_cache_gib(cache_gib)
        for limit in self._quotas:
            limit.set_cores(spec.cores)
        return Target(
            uri=self._uri,
            reach="private mongod",
            version=members[0].version,
            topology=self._sweep.server.topology,
            cache_gib=cache_gib,
            cores_enforced_by=self._quotas[0].name,
            rtt_us=None,
            pids=tuple(member.pid for member in members),
            told={"cores_not_enforced_by": self._quotas[0].refused, **self._shape(spec)},
        )

    def _shape(self, spec: Spec) -> dict[str, object]:
        """What the manifest says of a server that is not the plainest."""
        told: dict[str, object] = {}
        if self._set is not None:
            told["members"] = len(self._members)
            wanted, usable = spec.cores * len(self._members), self._usable
            if wanted > usable:
                # Each member has its limit, but together they cannot reach it.
                told["cores_short"] = {"wanted": wanted, "usable": usable}
        if self._access.password is not None:
            told["auth"] = True
        if self._access.tls is not None:
            told["tls"] = "verified"
        return told

    def unthrottle(self) -> None:
        for limit in self._quotas:
            limit.set_cores(None)

    def dataset(self, target: Target, table: str, shape: Shape) -> MongoDataset:
        return MongoDataset(target.uri, table, shape)

    def counters(self, target: Target) -> MongoCounters:
        return MongoCounters(target.uri)

    def close(self) -> None:
        for limit in self._quotas:
            limit.close()
        for member in self._members:
            member.stop()
