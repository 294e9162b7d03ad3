"""A replica set of our own: private mongods that are joined, elect a primary, and catch up with it."""

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

import pymongo
from pymongo.errors import PyMongoError

from ycsbook.errors import ToolError, shown
from ycsbook.processes import Guard
from ycsbook.secrets import Secret, redact
from ycsbook.servers.access import Access
from ycsbook.servers.mongod import Mongod
from ycsbook.servers.network import PrivateNetwork, inside
from ycsbook.units import MS_PER_S

NAME = "ycsbook"
# MongoDB takes 5 % of the disk; this is what a load of 10 GB writes in a few minutes.
OPLOG_MIB = 990
ELECTION_LIMIT_S = 60.0
STEP_LIMIT_S = 600.0
_POLL_S = 0.05
# The first election is made in a second instead of ten. Afterwards MongoDB's own patience, where nothing else is asked
# for: a member that is held back to a fraction of a core answers late, and a set that votes in the middle of a run has
# measured an election.
_WHILE_ELECTING = {"electionTimeoutMillis": 1000, "heartbeatIntervalMillis": 200}
_HEARTBEATS_MS = 2000
_HEARTBEAT_LIMIT_S = 10
_HEARTBEATS_AN_ELECTION = 5
_DATA_BEARING = ("PRIMARY", "SECONDARY")


class ReplicaSet:
    """Running private members of one set. `uri` names them all."""

    def __init__(self, members: list[Mongod], access: Access, election_s: float = 10.0):
        self.members, self._access, self._election_s = members, access, election_s
        self.uri: Secret = access.uri([member.address for member in members], replica_set=NAME)

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
        network: PrivateNetwork | None = None,
        election_s: float = 10.0,
    ) -> "ReplicaSet":
        """Start the members on loopback, or in the namespaces of `network`, and wait until one of them leads; the guard
        ends them where that fails.

        Parameters
            folder: each member's data and log go into a folder of its own in it.
            cache_gib: WiredTiger cache of each member, GiB.
            options: further command line options of each.
            access: its user is made.
            election_s: after how long without its primary it elects another one, s.
        Raises
            ToolError: as for one server, or no primary within 60 s.
        """
        options = ["--replSet", NAME, "--oplogSize", str(OPLOG_MIB), *options]
        folders = [folder / f"member-{number}" for number in range(members)]
        how = {"cache_gib": cache_gib, "options": options, "access": access}
        places = [{} if network is None else network.place(member) for member in range(members)]
        started = [Mongod.start(guard, own, **how, **place) for own, place in zip(folders, places, strict=True)]
        replica_set = cls(started, access, election_s)
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

    @property
    def patience(self) -> dict[str, int]:
        """After how long, in ms, a set that has been made elects another primary, how often its members ask each other,
        and for how long, in s, they wait for an answer: MongoDB's own two and ten seconds, or less where it is to be
        less patient. A new primary takes no writes before it has heard from all others, or has waited so long."""
        election_ms = round(self._election_s * MS_PER_S)
        heartbeats_ms = min(_HEARTBEATS_MS, election_ms // _HEARTBEATS_AN_ELECTION)
        answer_s = min(_HEARTBEAT_LIMIT_S, max(1, round(self._election_s)))
        return {
            "electionTimeoutMillis": election_ms,
            "heartbeatIntervalMillis": heartbeats_ms,
            "heartbeatTimeoutSecs": answer_s,
        }

    def _initiate(self, member: Mongod, config: dict) -> None:
        def initiate() -> None:
            with member.local_client() as client:
                client.admin.command("replSetInitiate", config)

        inside(member.namespace, initiate)

    def _join(self) -> None:
        hosts = [{"_id": i, "host": member.address} for i, member in enumerate(self.members)]
        config = {"_id": NAME, "members": hosts, "settings": _WHILE_ELECTING}
        try:
            self._initiate(self.members[0], config)
            leader = self.primary_first()[0]
            inside(leader.namespace, lambda: self._access.create_user(leader.port))
            with leader.client() as client:
                config = client.admin.command("replSetGetConfig")["config"]
                config["settings"] |= self.patience
                client.admin.command("replSetReconfig", {**config, "version": config["version"] + 1})
        except PyMongoError as e:
            raise ToolError(f"replica set: cannot be joined: {shown(redact(str(e), [self.uri]))}") from None
        self.await_in_step()


def _members(client: pymongo.MongoClient) -> dict[str, tuple[str, object]]:
    """By name of each member its state and the last operation that it has."""
    status = client.admin.command("replSetGetStatus")
    return {m["name"]: (m["stateStr"], m["optime"]["ts"] if "optime" in m else None) for m in status["members"]}
