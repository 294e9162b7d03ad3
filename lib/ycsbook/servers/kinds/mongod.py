"""Servers of our own: a private mongod or replica set, its specs emulated."""

import contextlib
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pymongo
from pymongo.errors import PyMongoError

from ycsbook.errors import ToolError, shown
from ycsbook.params import Spec, Sweep
from ycsbook.params.server import Server
from ycsbook.processes import Guard
from ycsbook.secrets import Secret, redact
from ycsbook.servers import access, mongod, mongodb, quota
from ycsbook.servers.access import HOST, Access
from ycsbook.servers.kind import Target
from ycsbook.servers.mongod import Mongod
from ycsbook.servers.mongodb import MongoServers

NAME = "ycsbook"
DEFAULT_MEMBERS = 3
# MongoDB takes 5 % of the disk; this is what a load of 10 GB writes in a few minutes.
OPLOG_MIB = 990
ELECTION_LIMIT_S = 60.0
STEP_LIMIT_S = 600.0
_POLL_S = 0.05
# The first election is made in a second instead of ten. Afterwards MongoDB's own patience: a member that is held back
# to a fraction of a core answers late, and a set that votes in the middle of a run has measured an election.
_WHILE_ELECTING = {"electionTimeoutMillis": 1000, "heartbeatIntervalMillis": 200}
_AFTERWARDS = {"electionTimeoutMillis": 10_000, "heartbeatIntervalMillis": 2000}
# The settings of a params file that only a start can give, and their options.
_OPTIONS = {"checkpoint_s": "--syncdelay", "journal_compressor": "--wiredTigerJournalCompressor"}
_DATA_BEARING = ("PRIMARY", "SECONDARY")


def identity(sweep: Sweep, spec: Spec) -> str:
    """The version of the mongod that would be started."""
    return f"mongod {mongod.PROGRAM.version(mongod.find())}"


def start(sweep: Sweep, guard: Guard, folder: Path) -> "PrivateMongod":
    """Start the server or the set."""
    return PrivateMongod(sweep, guard, folder)


class PrivateMongod(MongoServers):
    """One mongod, or one set, of our own for the whole sweep; each member's cores by quota and RAM by cache size, both
    changed at run time."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        server_settings = sweep.server
        self._sweep, self._folder = sweep, folder
        several = server_settings.topology == "replica_set"
        self._access = access.make(folder, auth=server_settings.auth, tls=server_settings.tls, several=several)
        cache_gib = mongod.cache_for(sweep.specs[0].ram_gib)
        options = [option for name, value in _asked(server_settings) for option in (_OPTIONS[name], str(value))]
        self._set: ReplicaSet | None = None
        if several:
            count = server_settings.members or DEFAULT_MEMBERS
            self._set = ReplicaSet.start(
                guard, folder, cache_gib=cache_gib, members=count, options=options, access=self._access
            )
            self._members = self._set.members
            self._uri = self._set.uri
        else:
            server = mongod.Mongod.start(guard, folder, cache_gib=cache_gib, options=options, access=self._access)
            self._access.create_user(server.port)
            self._members = [server]
            self._uri = self._access.uri([server.port])
        for member in self._members:
            self._settings = _verified(member, server_settings)
        self._quotas = [quota.choose(guard, member.pid) for member in self._members]
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
            facts={"cores_not_enforced_by": self._quotas[0].refused, **self._settings, **self._shape(spec)},
        )

    def _shape(self, spec: Spec) -> dict[str, object]:
        """Facts for the manifest: members, users and TLS, where there are any."""
        facts: dict[str, object] = {}
        if self._set is not None:
            facts["members"] = len(self._members)
            wanted, usable = spec.cores * len(self._members), self._usable
            if wanted > usable:
                # Each member has its limit, but together they cannot reach it.
                facts["cores_short"] = {"wanted": wanted, "usable": usable}
        if self._access.password is not None:
            facts["auth"] = True
        if self._access.tls is not None:
            facts["tls"] = "verified"
        return facts

    def unthrottle(self) -> None:
        for limit in self._quotas:
            limit.set_cores(None)

    def close(self) -> None:
        for limit in self._quotas:
            limit.close()
        for member in self._members:
            member.stop()


def _asked(server: Server) -> list[tuple[str, object]]:
    """The settings of a server's own that a params file gives, with their values."""
    return [(name, value) for name in _OPTIONS if (value := getattr(server, name)) is not None]


def _verified(member: Mongod, server: Server) -> dict[str, object]:
    """The settings as the running server has them, given or not.

    Raises
        ToolError: it has another one than was asked for.
    """
    try:
        with member.client() as client:
            every_s = client.admin.command("getParameter", 1, syncdelay=1)["syncdelay"]
    except PyMongoError as e:
        raise ToolError(f"mongod on port {member.port}: does not tell its settings: {shown(str(e))}") from None
    settings = {"checkpoint_s": every_s, "journal_compressor": member.journal_compressor()}
    for name, value in _asked(server):
        if settings[name] != value:
            raise ToolError(
                f"mongod on port {member.port}: {name} is {shown(settings[name])}, expected {value}; its version may "
                "not take that value"
            )
    return settings


class ReplicaSet:
    """Running private members of one set. `uri` names them all."""

    def __init__(self, members: list[Mongod], access: Access):
        self.members, self._access = members, access
        self.uri: Secret = access.uri([member.port for member in members], replica_set=NAME)

    @classmethod
    def start(
        cls,
        guard: Guard,
        folder: Path,
        *,
        cache_gib: float,
        members: int,
        options: Sequence[str] = (),
        access: Access,
    ) -> "ReplicaSet":
        """Start the members on loopback and wait until one of them leads; the guard ends them where that fails.

        Parameters
            folder: each member's data and log go into a folder of its own in it.
            cache_gib: WiredTiger cache of each member, GiB.
            options: further command line options of each.
            access: its user is made.
        Raises
            ToolError: as for one server, or no primary within 60 s.
        """
        options = ["--replSet", NAME, "--oplogSize", str(OPLOG_MIB), *options]
        folders = [folder / f"member-{number}" for number in range(members)]
        replica_set = cls(
            [Mongod.start(guard, own, cache_gib=cache_gib, options=options, access=access) for own in folders], access
        )
        replica_set._join()
        return replica_set

    def primary_first(self) -> list[Mongod]:
        """The members, the one that leads now first.

        Raises
            ToolError: none leads within 60 s.
        """
        limit = time.monotonic() + ELECTION_LIMIT_S
        while True:
            for member in self.members:
                # One that does not answer does not lead.
                with contextlib.suppress(PyMongoError), member.client(as_user=False) as client:
                    if client.admin.command("hello")["isWritablePrimary"]:
                        return [member, *(other for other in self.members if other is not member)]
            if time.monotonic() > limit:
                raise ToolError(
                    f"replica set: no member leads after {ELECTION_LIMIT_S:g} s; more cores or fewer members may help"
                )
            time.sleep(_POLL_S)

    def await_in_step(self) -> None:
        """Wait until each member has what the primary has now: reads from a secondary find all records.

        Raises
            ToolError: a member does not get there within 10 minutes.
        """
        limit = time.monotonic() + STEP_LIMIT_S
        try:
            with self.primary_first()[0].client() as client:
                goal = max(at for state, at in _members(client).values() if state == "PRIMARY")
                while behind := [
                    n for n, (state, at) in _members(client).items() if state not in _DATA_BEARING or at < goal
                ]:
                    if time.monotonic() > limit:
                        raise ToolError(
                            f"replica set: member {behind[0]} is still behind after {STEP_LIMIT_S:g} s; a smaller "
                            "load, more cores or fewer members may help"
                        )
                    time.sleep(_POLL_S)
        except (PyMongoError, ValueError) as e:
            raise ToolError(f"replica set: does not tell its state: {shown(redact(str(e), [self.uri]))}") from None

    def _join(self) -> None:
        hosts = [{"_id": i, "host": f"{HOST}:{member.port}"} for i, member in enumerate(self.members)]
        config = {"_id": NAME, "members": hosts, "settings": _WHILE_ELECTING}
        try:
            with self.members[0].client(as_user=False) as client:
                client.admin.command("replSetInitiate", config)
            leader = self.primary_first()[0]
            self._access.create_user(leader.port)
            with leader.client() as client:
                config = client.admin.command("replSetGetConfig")["config"]
                config["settings"] |= _AFTERWARDS
                client.admin.command("replSetReconfig", {**config, "version": config["version"] + 1})
        except PyMongoError as e:
            raise ToolError(f"replica set: cannot be joined: {shown(redact(str(e), [self.uri]))}") from None
        self.await_in_step()


def _members(client: pymongo.MongoClient) -> dict[str, tuple[str, object]]:
    """By name of each member its state and the last operation that it has."""
    status = client.admin.command("replSetGetStatus")
    return {m["name"]: (m["stateStr"], m["optime"]["ts"] if "optime" in m else None) for m in status["members"]}
