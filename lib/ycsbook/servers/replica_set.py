"""A private replica set: its members started, joined, and asked who leads them."""

import contextlib
import time
from pathlib import Path

import pymongo
from pymongo.errors import PyMongoError

from ycsbook.errors import ToolError, shown
from ycsbook.processes import Guard
from ycsbook.secrets import Secret, redact
from ycsbook.servers.access import HOST, OPEN, Access
from ycsbook.servers.mongod import Mongod

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
_DATA_BEARING = ("PRIMARY", "SECONDARY")


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
        members: int = DEFAULT_MEMBERS,
        access: Access = OPEN,
    ) -> "ReplicaSet":
        """Start the members on loopback and wait until one of them leads.

        Parameters
            folder: each member's data and log go into a folder of its own in it.
            cache_gib: WiredTiger cache of each member, GiB.
            access: its user is made.
        Raises
            ToolError: as for one server, or no primary within 60 s.
        """
        options = ["--replSet", NAME, "--oplogSize", str(OPLOG_MIB)]
        started: list[Mongod] = []
        try:
            for number in range(members):
                started.append(
                    Mongod.start(
                        guard, folder / f"member-{number}", cache_gib=cache_gib, options=options, access=access
                    )
                )
            found = cls(started, access)
            found._join()
            return found
        except BaseException:
            for member in started:
                member.stop()
            raise

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
                begun = _members(client)
                goal = max(at for state, at in begun.values() if state == "PRIMARY")
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

    def stop(self) -> None:
        """Stop all members."""
        for member in self.members:
            member.stop()

    def __enter__(self) -> "ReplicaSet":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

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
    """By name each member's state, and how far in the primary's history it is."""
    status = client.admin.command("replSetGetStatus")
    return {m["name"]: (m["stateStr"], m["optime"]["ts"] if "optime" in m else None) for m in status["members"]}
