"""A private replica set: mongods that elect a primary and copy its data; and faults made on purpose, and undone."""

import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pymongo
from pymongo.errors import NotPrimaryError, PyMongoError

from ycsbook.errors import ToolError, shown
from ycsbook.processes import Guard, polls
from ycsbook.secrets import Secret, redact
from ycsbook.servers.mongod import LimitedMongod
from ycsbook.servers.network import PrivateNetwork, inside
from ycsbook.servers.private import Access
from ycsbook.units import MS_PER_S

NAME = "ycsbook"
# MongoDB takes 5 % of the disk; this is what a load of 10 GB writes in a few minutes.
OPLOG_MIB = 990
ELECTION_LIMIT_S = 60.0
STEP_LIMIT_S = 600.0
_POLL_S = 0.05
# The first election takes a second instead of ten. Afterwards MongoDB's own patience: a member that is held back to a
# fraction of a core answers late, and a set that votes in the middle of a run has measured an election.
_WHILE_ELECTING = {"electionTimeoutMillis": 1000, "heartbeatIntervalMillis": 200}
_HEARTBEATS_MS = 2000
_HEARTBEAT_LIMIT_S = 10
_HEARTBEATS_AN_ELECTION = 5
_DATA_BEARING = ("PRIMARY", "SECONDARY")
# Those that need a network for each member.
NEED_NETWORK = frozenset({"cut", "split"})
WHOLE_LIMIT_S = 120.0
DRAINED_LIMIT_S = 60.0
# A member that is frozen does not answer, and is asked again soon.
ASK_MS = 400
_ASK_AGAIN_S = 0.1


class Member(LimitedMongod):
    """A member of a set: which by `number`, and which `fault` it has on purpose now, if any."""

    def __init__(self, number: int, guard: Guard, folder: Path, **settings: Any):
        super().__init__(guard, folder, **settings)
        self.number, self.fault = number, ""
        times = dict.fromkeys(("serverSelectionTimeoutMS", "connectTimeoutMS", "socketTimeoutMS"), ASK_MS)
        self._asker = self.client(maxPoolSize=1, **times)

    def view(self) -> dict:
        """What it says of itself: state, term, `applied` (when its last operation was written, a datetime in UTC), and
        `term_began`, when it became primary; empty where it does not answer within 0.4 s."""
        try:
            status = self._asker.admin.command("replSetGetStatus")
        except PyMongoError:
            return {}
        member = next((m for m in status["members"] if m.get("self")), {})
        applied = status.get("optimes", {}).get("lastAppliedWallTime")
        if not member or applied is None:
            return {}
        return {
            "state": member["stateStr"],
            "term": status["term"],
            "applied": applied,
            "term_began": status.get("electionCandidateMetrics", {}).get("newTermStartDate"),
        }

    def stop(self) -> int:
        self._asker.close()
        return super().stop()


class ReplicaSet:
    """Private members of one set, each started in a folder of its own, on loopback or in the namespaces of `network`,
    until one of them leads; the user of their `access` is made. `uri` names them all. What may happen to one on
    purpose:

        kill     SIGKILL; started again on its data
        freeze   SIGSTOP; SIGCONT
        cut      its network link is down, nobody reaches it; up again
        split    the other members do not reach it, nor it them, but the client does; reached again

    Parameters
        members: how many.
        network: of the members' own; `no_network`: why there is none.
        election_s: after so long without its primary the set elects another one.
        options, mongod_settings: as for Mongod.
    Raises
        ToolError: as for one server, or none leads within 60 s.
    """

    def __init__(
        self, guard: Guard, folder: Path, *, members: int, network: PrivateNetwork | None, no_network: str,
        election_s: float, access: Access, options: Sequence[str], **mongod_settings: Any,
    ):  # fmt: skip
        self.guard, self.access, self.election_s = guard, access, election_s
        self.network, self.no_network = network, no_network
        self.cores: float | None = None  # what each member may use, once it is back
        options = ["--replSet", NAME, "--oplogSize", str(OPLOG_MIB), *options]
        places = ({} if network is None else network.place(member) for member in range(members))
        self.members = [
            Member(i, guard, folder / f"member-{i}", access=access, options=options, **mongod_settings, **place)
            for i, place in enumerate(places)
        ]
        self.uri: Secret = access.uri(self.names, replica_set=NAME)
        self._join()

    @property
    def names(self) -> list[str]:
        return [member.address for member in self.members]

    def primary_first(self) -> list[Member]:
        """The members, the one that leads now first; raises ToolError where none leads within 60 s."""
        for _ in polls(ELECTION_LIMIT_S, _POLL_S):
            for member in self.members:
                # One that does not answer does not lead.
                with contextlib.suppress(PyMongoError), member.client(as_user=False) as client:
                    if client.admin.command("hello")["isWritablePrimary"]:
                        return [member, *(other for other in self.members if other is not member)]
        raise ToolError(
            f"replica set: no member leads after {ELECTION_LIMIT_S:g} s; more cores or fewer members may help"
        )

    def await_in_step(self) -> None:
        """Wait until each member has what the primary has now; ToolError: one does not get there in 10 minutes."""
        try:
            with self.primary_first()[0].client() as client:
                goal = max(at for state, at in _members(client).values() if state == "PRIMARY")
                for _ in polls(STEP_LIMIT_S, _POLL_S):
                    members = _members(client)
                    behind = [n for n, (state, at) in members.items() if state not in _DATA_BEARING or at < goal]
                    if not behind:
                        return
        except (PyMongoError, ValueError) as e:
            raise ToolError(f"replica set: does not tell its state: {shown(redact(str(e), [self.uri]))}") from None
        raise ToolError(
            f"replica set: member {behind[0]} is still behind after {STEP_LIMIT_S:g} s; a smaller load, more cores or "
            "fewer members may help"
        )

    @property
    def patience(self) -> dict[str, int]:
        """After how long, in ms, a set that has been made elects another primary, how often its members ask each other,
        and for how long, in s, they wait for an answer: MongoDB's own two and ten seconds, or less where it is to be
        less patient. A new primary takes no writes before it has heard from all others, or has waited so long."""
        election_ms = round(self.election_s * MS_PER_S)
        heartbeats_ms = min(_HEARTBEATS_MS, election_ms // _HEARTBEATS_AN_ELECTION)
        answer_s = min(_HEARTBEAT_LIMIT_S, max(1, round(self.election_s)))
        return {
            "electionTimeoutMillis": election_ms,
            "heartbeatIntervalMillis": heartbeats_ms,
            "heartbeatTimeoutSecs": answer_s,
        }

    def _join(self) -> None:
        first = self.members[0]
        hosts = [{"_id": i, "host": name} for i, name in enumerate(self.names)]
        config = {"_id": NAME, "members": hosts, "settings": _WHILE_ELECTING}

        def initiate() -> None:
            with self.access.client(first.port, as_user=False) as client:
                client.admin.command("replSetInitiate", config)

        try:
            # Without a user only who is on the member's own machine may do it.
            inside(first.namespace, initiate)
            leader = self.primary_first()[0]
            inside(leader.namespace, lambda: self.access.create_user(leader.port))
            with leader.client() as client:
                config = client.admin.command("replSetGetConfig")["config"]
                config["settings"] |= self.patience
                client.admin.command("replSetReconfig", {**config, "version": config["version"] + 1})
        except PyMongoError as e:
            raise ToolError(f"replica set: cannot be joined: {shown(redact(str(e), [self.uri]))}") from None
        self.await_in_step()

    def refused(self, fault: str) -> str:
        """Why a fault cannot be made here; empty where it can."""
        return self.no_network if fault in NEED_NETWORK and self.network is None else ""

    def strike(self, member: Member, fault: str) -> None:
        """Make the fault happen to a member; raises ToolError where it cannot be done."""
        # First: who watches the servers must not take it for lost.
        member.fault = fault
        match fault:
            case "kill":
                os.kill(member.pid, signal.SIGKILL)
            case "freeze":
                member.quota.set_cores(None)  # what limits cores may continue a process that is stopped
                os.kill(member.pid, signal.SIGSTOP)
            case "cut":
                self.network.set_link(member.number, "down")
            case "split":
                self.network.set_barrier(member.number, "add")

    def bring_back(self, member: Member) -> None:
        """Undo the fault of a member, if it has one; raises ToolError where it cannot be undone."""
        match member.fault:
            case "kill":
                member.process.wait(timeout_s=WHOLE_LIMIT_S)
                member.quota.close()
                member.start_again(self.guard)
                member.quota.set_cores(self.cores)
            case "freeze":
                os.kill(member.pid, signal.SIGCONT)
                member.quota.set_cores(self.cores)
            case "cut":
                self.network.set_link(member.number, "up")
            case "split":
                self.network.set_barrier(member.number, "del")
        member.fault = ""

    def lost(self) -> list[str]:
        return [m.address for m in self.members if not m.fault and not psutil.pid_exists(m.pid)]

    def await_whole(self, is_to_end: Callable[[], bool] = lambda: False) -> None:
        """Wait until one member leads, all others follow it by what they say themselves, and have what it has; or until
        `is_to_end`. Raises ToolError where that takes longer than two minutes, or a member is gone."""
        for _ in polls(WHOLE_LIMIT_S, _ASK_AGAIN_S):
            views = [member.view() for member in self.members]
            states = [str(view.get("state", "no answer")) for view in views]
            is_whole = sorted(states) == ["PRIMARY", *["SECONDARY"] * (len(views) - 1)]
            if is_whole and len({view["term"] for view in views}) == 1:
                return self.await_in_step()
            if is_to_end():
                return None
            if lost := self.lost():
                raise ToolError(f"replica set: member {lost[0]} has ended; look at its log, and start again")
        listed = ", ".join(states)
        raise ToolError(f"replica set: not whole after {WHOLE_LIMIT_S:g} s ({listed}); more cores may help")

    def await_drained(self) -> None:
        """Wait until each member has read all that load generators sent; ToolError: one takes longer than a minute."""
        for member in self.members:
            with member.client() as client:
                if all(_has_load_generator(client) for _ in polls(DRAINED_LIMIT_S, _ASK_AGAIN_S)):
                    raise ToolError(f"{member.address}: still has connections of the client that has ended")


def _members(client: pymongo.MongoClient) -> dict[str, tuple[str, object]]:
    status = client.admin.command("replSetGetStatus")
    return {m["name"]: (m["stateStr"], m["optime"]["ts"] if "optime" in m else None) for m in status["members"]}


def _has_load_generator(client) -> bool:
    """Whether a load generator is connected; also of a member that rolls back, which does not tell."""
    pipeline = [
        {"$currentOp": {"allUsers": True, "idleConnections": True}},
        {"$match": {"clientMetadata.driver.name": {"$regex": "java"}}},
        {"$limit": 1},
    ]
    try:
        return next(client.admin.aggregate(pipeline), None) is not None
    except NotPrimaryError:
        return True
