"""What may happen to a member of a set of our own, on purpose: it is struck, stays away for a while, and comes back."""

import os
import signal
import time
from collections.abc import Callable, Sequence

import psutil
from pymongo.errors import NotPrimaryError, PyMongoError

from ycsbook.errors import ToolError
from ycsbook.processes import Guard
from ycsbook.servers import quota
from ycsbook.servers.network import PrivateNetwork
from ycsbook.servers.quota import Quota
from ycsbook.servers.replica_set import ReplicaSet

# Those that need a network for each member.
NEED_NETWORK = frozenset({"cut", "split"})
WHOLE_LIMIT_S = 120.0
DRAINED_LIMIT_S = 60.0
# A member that is frozen does not answer, and is asked again soon.
ASK_MS = 400
_POLL_S = 0.1


class MemberFaults:
    """Strikes members of a set and brings them back.

        kill     SIGKILL; started again on its data
        freeze   SIGSTOP; SIGCONT
        cut      its network link is down, nobody reaches it; up again
        split    the other members do not reach it, nor it them, but the client does; reached again

    `cores`: what each member may use, once it is back.
    """

    def __init__(
        self,
        guard: Guard,
        replica_set: ReplicaSet,
        quotas: list[Quota],
        network: PrivateNetwork | None,
        no_network: str,
    ):
        self._guard, self._set, self._quotas = guard, replica_set, quotas
        self._network, self._no_network = network, no_network
        self.cores: float | None = None
        self._away: dict[int, str] = {}
        times = {name: ASK_MS for name in ("serverSelectionTimeoutMS", "connectTimeoutMS", "socketTimeoutMS")}
        self._askers = [member.client(maxPoolSize=1, **times) for member in replica_set.members]

    @property
    def names(self) -> list[str]:
        """Each member's host:port."""
        return [member.address for member in self._set.members]

    @property
    def patience(self) -> dict[str, int]:
        """The set's election timeout and heartbeats, ms."""
        return self._set.patience

    def refused(self, fault: str) -> str:
        """Why a fault cannot be made here; empty where it can."""
        return self._no_network if fault in NEED_NETWORK and self._network is None else ""

    def primary(self) -> int:
        """The number of the member that leads; raises ToolError where none does within a minute."""
        return self._set.members.index(self._set.primary_first()[0])

    def strike(self, number: int, fault: str) -> None:
        """Have it happen to a member; raises ToolError where it cannot be done."""
        # First: who watches the servers must not take it for lost.
        self._away[number] = fault
        pid = self._set.members[number].pid
        match fault:
            case "kill":
                os.kill(pid, signal.SIGKILL)
            case "freeze":
                self._quotas[number].set_cores(None)  # what limits cores may continue a process that is stopped
                os.kill(pid, signal.SIGSTOP)
            case "cut":
                self._network.cut(number)
            case "split":
                self._network.split(number)

    def bring_back(self, number: int) -> None:
        """Undo it; raises ToolError where it cannot be undone."""
        fault, member = self._away[number], self._set.members[number]
        match fault:
            case "kill":
                member.process.wait(timeout_s=WHOLE_LIMIT_S)
                self._quotas[number].close()
                self._set.members[number] = member.again(self._guard)
                self._quotas[number] = quota.choose(self._guard, self._set.members[number].pid)
                self._quotas[number].set_cores(self.cores)
            case "freeze":
                os.kill(member.pid, signal.SIGCONT)
                self._quotas[number].set_cores(self.cores)
            case "cut":
                self._network.join(number)
            case "split":
                self._network.rejoin(number)
        del self._away[number]

    def bring_all_back(self) -> None:
        """Undo whatever is still done."""
        for number in list(self._away):
            self.bring_back(number)

    def close(self) -> None:
        """Ask nobody any more."""
        for asker in self._askers:
            asker.close()

    def lost(self) -> list[str]:
        """The members whose process has ended although nobody struck them."""
        return [
            member.address
            for number, member in enumerate(self._set.members)
            if number not in self._away and not psutil.pid_exists(member.pid)
        ]

    def await_whole(self, is_to_end: Callable[[], bool] = lambda: False) -> None:
        """Wait until one member leads, all others follow it by what they say themselves, and have what it has; or
        until `is_to_end`.

        Raises
            ToolError: that takes longer than two minutes, or a member is gone.
        """
        limit = time.monotonic() + WHOLE_LIMIT_S
        while not _agree(views := [self.view(number) for number in range(len(self._set.members))]):
            if is_to_end():
                return
            if lost := self.lost():
                raise ToolError(f"replica set: member {lost[0]} has ended; look at its log, and start again")
            if time.monotonic() > limit:
                states = ", ".join(str(view.get("state", "no answer")) for view in views)
                raise ToolError(f"replica set: not whole after {WHOLE_LIMIT_S:g} s ({states}); more cores may help")
            time.sleep(_POLL_S)
        self._set.await_in_step()

    def await_drained(self) -> None:
        """Wait until no load generator is connected any more: each member has read all that was sent to it.

        Raises
            ToolError: that takes longer than a minute.
        """
        limit = time.monotonic() + DRAINED_LIMIT_S
        for member in self._set.members:
            with member.client() as client:
                while _clients(client):
                    if time.monotonic() > limit:
                        raise ToolError(f"{member.address}: still has connections of the client that has ended")
                    time.sleep(_POLL_S)

    def view(self, number: int) -> dict:
        """What a member says of itself: state, term, `applied` (when its last operation was written, a datetime in
        UTC), and `term_began`, when it became primary; empty where it does not answer within 0.4 s."""
        try:
            status = self._askers[number].admin.command("replSetGetStatus")
        except PyMongoError:
            return {}
        own = next((m for m in status["members"] if m.get("self")), {})
        applied = status.get("optimes", {}).get("lastAppliedWallTime")
        if not own or applied is None:
            return {}
        return {
            "state": own["stateStr"],
            "term": status["term"],
            "applied": applied,
            "term_began": status.get("electionCandidateMetrics", {}).get("newTermStartDate"),
        }


def _agree(views: Sequence[dict]) -> bool:
    states = sorted(str(view.get("state")) for view in views)
    return states == ["PRIMARY", *["SECONDARY"] * (len(views) - 1)] and len({view["term"] for view in views}) == 1


def _clients(client) -> bool:
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
