"""Servers of our own: a private mongod or replica set, its specs emulated."""

import shutil
from pathlib import Path

from pymongo.errors import PyMongoError

from ycsbook.errors import ToolError, shown
from ycsbook.params import Spec, Sweep
from ycsbook.params.sections import Server
from ycsbook.processes import Guard
from ycsbook.servers import mongod, mongodb, private, quota
from ycsbook.servers.kind import Target
from ycsbook.servers.mongod import LimitedMongod
from ycsbook.servers.mongodb import MongoServers
from ycsbook.servers.network import PrivateNetwork
from ycsbook.servers.replica_set import NEED_NETWORK, ReplicaSet

DEFAULT_MEMBERS = 3
# The settings of a params file that only a start can give, and their options.
_OPTIONS = {"checkpoint_s": "--syncdelay", "journal_compressor": "--wiredTigerJournalCompressor"}


def identity(sweep: Sweep, spec: Spec) -> str:
    return f"mongod {mongod.PROGRAM.version(mongod.find())}"


class PrivateMongod(MongoServers):
    """One mongod, or one set, for the whole sweep; each member's cores by quota, RAM by cache, changed as it runs."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        server_settings = sweep.server
        self._sweep, self._folder = sweep, folder
        several = server_settings.is_set
        self._access = private.make_access(folder, auth=server_settings.auth, tls=server_settings.tls, several=several)
        options = [
            text for name, value in _given_settings(server_settings).items() for text in (_OPTIONS[name], str(value))
        ]
        cache_gib = mongod.cache_for(sweep.specs[0].ram_gib)
        start_settings = {"cache_gib": cache_gib, "options": options, "access": self._access}
        self.replica_set: ReplicaSet | None = None
        if several:
            count = server_settings.members or DEFAULT_MEMBERS
            network, no_network = _network(guard, sweep, count)
            self.replica_set = ReplicaSet(
                guard, folder, members=count, network=network, no_network=no_network,
                election_s=server_settings.election_timeout, **start_settings,
            )  # fmt: skip
            self._members, self._uri = self.replica_set.members, self.replica_set.uri
        else:
            server = LimitedMongod(guard, folder, **start_settings)
            self._access.create_user(server.port)
            self._members, self._uri = [server], self._access.uri([server.address])
        for member in self._members:
            self._settings = _verified(member, server_settings)
        self._usable = quota.usable_cores(self._members[0].pid)

    def check(self, spec: Spec) -> None:
        try:
            quota.check_cores(spec.cores, self._usable)
            mongodb.require_room(
                mongodb.records_bytes(self._sweep) * len(self._members),
                shutil.disk_usage(self._folder).free,
                "this machine",
            )
        except ToolError as e:
            raise ToolError(f"spec {spec.name}: {e}") from None

    def prepare(self, spec: Spec) -> Target:
        members = self._members
        if self.replica_set is not None:
            # Held back, they would take as many times longer to catch up.
            self.unthrottle()
            self.replica_set.await_in_step()
            members = self.replica_set.primary_first()
            self.replica_set.cores = spec.cores
        cache_gib = mongod.cache_for(spec.ram_gib)
        for member in self._members:
            member.set_cache_gib(cache_gib)
        for member in self._members:
            member.quota.set_cores(spec.cores)
        return Target(
            uri=self._uri,
            reach="private mongod",
            version=members[0].version,
            topology=self._sweep.server.topology,
            cache_gib=cache_gib,
            cores_enforced_by=members[0].quota.name,
            rtt_us=None,
            pids=tuple(member.pid for member in members),
            facts={"cores_not_enforced_by": members[0].quota.refused, **self._settings, **self._shape(spec)},
        )

    def _shape(self, spec: Spec) -> dict[str, object]:
        facts: dict[str, object] = {}
        if self.replica_set is not None:
            facts["members"] = len(self._members)
            facts["election"] = self.replica_set.patience
            needed, usable = spec.cores * len(self._members), self._usable
            if needed > usable:
                # Each member has its limit, but together they cannot reach it.
                facts["cores_short"] = {"wanted": needed, "usable": usable}
        if self._access.password is not None:
            facts["auth"] = True
        if self._access.tls is not None:
            facts["tls"] = "verified"
        return facts

    def unthrottle(self) -> None:
        for member in self._members:
            member.quota.set_cores(None)

    def close(self) -> None:
        for member in self._members:
            member.stop()


start = PrivateMongod


def _given_settings(server: Server) -> dict[str, object]:
    return {name: value for name in _OPTIONS if (value := getattr(server, name)) is not None}


def _verified(member: LimitedMongod, server: Server) -> dict[str, object]:
    """The settings as the running server reports them; raises ToolError where one is not as asked for."""
    try:
        with member.client() as client:
            every_s = client.admin.command("getParameter", 1, syncdelay=1)["syncdelay"]
    except PyMongoError as e:
        raise ToolError(f"mongod on port {member.port}: does not tell its settings: {shown(str(e))}") from None
    settings = {"checkpoint_s": every_s, "journal_compressor": member.journal_compressor()}
    for name, value in _given_settings(server).items():
        if settings[name] != value:
            raise ToolError(
                f"mongod on port {member.port}: {name} is {shown(settings[name])}, expected {value}; its version may "
                "not take that value"
            )
    return settings


def _network(guard: Guard, sweep: Sweep, members: int) -> tuple[PrivateNetwork | None, str]:
    """The network for a set whose members are to be cut off; None, and why, where none is needed or possible."""
    if NEED_NETWORK.isdisjoint(workload.operation for workload in sweep.workloads):
        return None, "no member is to be cut off"
    if sweep.server.tls:
        return None, "its members are known by the certificates of loopback; leave tls out"
    try:
        return PrivateNetwork(guard, members), ""
    except ToolError as e:
        return None, str(e)
