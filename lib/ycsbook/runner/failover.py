"""A run through a failover: members are struck and come back while a client writes; then every write is looked for.

The schedule follows from the plan: a secondary is struck when a twentieth of the operations are finished and comes back
after two seconds; when the set is whole again, and two fifths of the operations are finished, the primary is struck,
and comes back once another one can have been elected.
"""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path
from typing import Any

from pymongo.errors import PyMongoError

from ycsbook import ingest, units
from ycsbook.errors import ToolError
from ycsbook.facts import Fact, fact
from ycsbook.ingest.failover import AUDIT, FOUND, Event, MemberView, audit, damage, first_writes, read_ledger
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import PlannedRun
from ycsbook.processes import Guard
from ycsbook.runner import client, command
from ycsbook.runner.client import FinishedOperations
from ycsbook.runner.judge import judge
from ycsbook.servers.kind import BenchmarkRecords
from ycsbook.servers.replica_set import Member, ReplicaSet
from ycsbook.store import atomic
from ycsbook.verdicts import Outcome, StopReason

SECONDARY_AT, PRIMARY_AT = 0.05, 0.4
SECONDARY_AWAY_S = 2.0
# A set waits up to 15 % longer than its election timeout, votes, and its new primary waits to hear from the old one.
AWAY_ELECTIONS, AWAY_MORE_S = 2.0, 1.0
VIEW_S = 0.5
_POLL_S = 0.02


class Drill:
    """Strikes members of the set on schedule while the client runs; used in a `with`, at whose end all are back.
    `fault`: as for ReplicaSet; `operations`: of the client; `status`: counts those finished."""

    def __init__(self, replica_set: ReplicaSet, fault: str, operations: int, status: FinishedOperations):
        self._set, self._fault, self._operations, self._status = replica_set, fault, operations, status
        self.events: list[Event] = []
        self.views: list[MemberView] = []
        self.missed: list[Fact] = []
        self._client_ended, self._given_up, self._watched = threading.Event(), threading.Event(), threading.Event()
        self._epoch_s = time.time() - time.monotonic()
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="drill")

    @property
    def away_s(self) -> dict[str, float]:
        """How long a member stays away, s, by its role."""
        election_s = self._set.patience["electionTimeoutMillis"] / units.MS_PER_S
        return {"secondary": SECONDARY_AWAY_S, "primary": AWAY_ELECTIONS * election_s + AWAY_MORE_S}

    def is_lost(self, elapsed_s: float, successes: int) -> bool:
        return bool(self._set.lost())

    def __enter__(self) -> "Drill":
        self._schedule = self._threads.submit(self._carry_out)
        self._watch = self._threads.submit(self._look_on)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.give_up()
        self._client_ended.set()
        try:
            self._schedule.result()
        finally:
            for member in self._set.members:
                self._set.bring_back(member)
            self._watched.set()
            self._threads.shutdown()
        self._watch.result()

    def give_up(self) -> None:
        self._given_up.set()

    def whole(self) -> None:
        """Wait until the set is whole and has read all that was sent; raises ToolError where it does not get there."""
        self._set.await_drained()
        self._set.await_whole()
        self._note("whole", "", "")

    def _carry_out(self) -> None:
        try:
            self._strike("secondary", SECONDARY_AT)
            self._strike("primary", PRIMARY_AT)
        except (ToolError, PyMongoError, OSError) as e:
            self.missed.append(fact("reason-failover-error", text=str(e)))

    def _strike(self, role: str, share: float) -> None:
        while self._status.operations < share * self._operations and not self._is_over():
            time.sleep(_POLL_S)
        if self._is_over():
            self.missed.append(fact("reason-not-struck", role=role))
            return
        members, primary = self._set.members, self._set.primary_first()[0]
        member = primary if role == "primary" else members[(primary.number + 1) % len(members)]
        self._note("struck", role, member.address)
        self._set.strike(member, self._fault)
        self._given_up.wait(self.away_s[role])
        self._set.bring_back(member)
        self._note("back", role, member.address)
        self._set.await_whole(self._given_up.is_set)

    def _is_over(self) -> bool:
        return self._client_ended.is_set() or self._given_up.is_set()

    def _note(self, event: str, role: str, member: str) -> None:
        self.events.append(Event(event, role, member, self._now_us()))

    def _now_us(self) -> int:
        return round((self._epoch_s + time.monotonic()) * units.US_PER_S)

    def _look_on(self) -> None:
        """Ask every member twice a second what it says of itself, and note when one has become primary."""
        terms = {view["term"] for view in self._views() if view}
        while not self._watched.wait(VIEW_S):
            at_us = self._now_us()
            for member, view in zip(self._set.names, self._views(), strict=True):
                state, applied_us = view.get("state", ""), _us(view["applied"]) if view else 0
                self.views.append(MemberView(at_us, member, state, view.get("term", 0), applied_us))
                if state == "PRIMARY" and view["term_began"] and view["term"] not in terms:
                    terms.add(view["term"])
                    self.events.append(Event("elected", "", member, _us(view["term_began"])))

    def _views(self) -> list[dict]:
        with ThreadPoolExecutor(max_workers=len(self._set.names)) as askers:
            return list(askers.map(Member.view, self._set.members))


def execute(
    guard: Guard,
    built: command.Command,
    planned: PlannedRun,
    replica_set: ReplicaSet,
    dataset: BenchmarkRecords,
    **settings: Any,
) -> tuple[Verdict, dict]:
    """Make the run, find every write again, judge it; the verdict, and what the manifest says. Its folder gets
    `ledger/` from the client, the ids that were read back, and the audit. `settings`: as client.execute."""
    partial: Path = settings["partial"]
    status, fault = FinishedOperations(), planned.workload.operation
    try:
        with Drill(replica_set, fault, planned.operations, status) as drill:
            stop_reason = client.execute(guard, built, status=status, is_lost=drill.is_lost, **settings)
            if stop_reason is not None:
                drill.give_up()
        if stop_reason is None:
            drill.whole()
    except ToolError as e:
        drill.missed.append(fact("reason-failover-error", text=str(e)))
        stop_reason = StopReason.SERVER_LOST
    facts = {"fault": fault, "away_s": drill.away_s, "election": replica_set.patience, "retry_writes": True}
    if stop_reason is not None:
        verdict = judge([], planned, "run", stop_reason)
        return Verdict(verdict.outcome, (*verdict.reasons, *drill.missed), stop_reason), {"failover": facts}
    logs = ingest.ycsb.parse([partial / "run.out", partial / "run.err"])
    verdict, problems = judge(logs, planned, "run"), [*drill.missed]
    ledger = read_ledger(partial)
    try:
        ids = dataset.ids()
    except ToolError as e:
        problems.append(fact("reason-not-read-back", text=str(e)))
    else:
        problems += damage(ledger, ids, planned.operations)
        events = [*drill.events, *first_writes(ledger, drill.events)]
        result = audit(ledger, ids, events, drill.views)
        with atomic.writing(partial):
            (partial / FOUND).write_text("".join(f"{id_}\n" for id_ in ids), encoding="ascii")
            (partial / AUDIT).write_text(json.dumps(result, indent=1) + "\n", encoding="ascii")
        facts |= {"events": result["events"], "totals": result["totals"]}
    if problems:
        verdict = Verdict(Outcome.INCOMPLETE, (*problems, *verdict.reasons), verdict.stop_reason)
    return verdict, {"failover": facts}


def _us(moment: Any) -> int:
    """A datetime as the server tells it, in UTC and without a zone, as us since 1970."""
    return round(moment.replace(tzinfo=UTC).timestamp() * units.US_PER_S)
