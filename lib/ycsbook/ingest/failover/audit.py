"""What became of each write of a failover: the ledger laid beside what was read back. Pure.

acknowledged   the client was told that it is written; with write concern 0, which nobody answers, that it is sent
failed         the client was told that it failed
unknown        the client was told nothing
lost           acknowledged, and not there afterwards
resurrected    failed, and there all the same
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from ycsbook import units
from ycsbook.facts import Fact, fact
from ycsbook.ingest.failover.ledger import NOBODY, Ledger, Write

CLASSES = ("acknowledged", "failed", "unknown", "lost", "resurrected")


@dataclass(frozen=True)
class Event:
    """Something that happened to a member.

    Parameters
        event: struck, elected (a new primary, by what the members say), written (the first write that a new primary
            took), back, whole (all members are there and have everything).
        role: what the member was when it was struck, secondary or primary; empty where it was not.
        at_us: when, us since 1970.
    """

    event: str
    role: str
    member: str
    at_us: int


class View(NamedTuple):
    """What was seen of a member at a moment: us since 1970; its state, empty where it did not answer; its term, and
    when its last operation was written, us since 1970."""

    at_us: int
    member: str
    state: str
    term: int
    applied_us: int


def classes(write: Write, there: bool) -> Iterator[str]:
    """Which of CLASSES a write belongs to."""
    match write.answer:
        case "acknowledged" | "sent":
            yield "acknowledged"
            if not there:
                yield "lost"
        case "failed":
            yield "failed"
            if there:
                yield "resurrected"
        case _:
            yield "unknown"


def damage(ledger: Ledger, found: Sequence, planned: int) -> tuple[Fact, ...]:
    """What keeps the ledger and what was read back from proving anything.

    Parameters
        found: the ids that were read back.
        planned: how many writes there should be, with ids from 0.
    """
    problems = list(ledger.damage)
    missing = sum(id_ not in ledger.writes for id_ in range(planned))
    unanswered = sum(not write.answer for write in ledger.writes.values())
    strange = sum(id_ not in ledger.writes for id_ in found) + max(0, len(ledger.writes) + missing - planned)
    for key, n in (("missing", missing), ("unanswered", unanswered), ("strange", strange)):
        if n:
            problems.append(fact(f"reason-ledger-{key}", n=n))
    if len(set(found)) < len(found):
        problems.append(fact("reason-ledger-twice", n=len(found) - len(set(found))))
    return tuple(problems)


def first_writes(ledger: Ledger, events: Sequence[Event]) -> list[Event]:
    """After each strike on a primary, the first write that another member took."""
    firsts = []
    for struck in events:
        if struck.event != "struck" or struck.role != "primary":
            continue
        taken = [
            (write.answered_us, write.server)
            for write in ledger.writes.values()
            if write.answer in ("acknowledged", "sent")
            and write.server not in (struck.member, NOBODY)
            and write.answered_us >= struck.at_us
        ]
        if taken:
            at_us, server = min(taken)
            firsts.append(Event("written", "", server, at_us))
    return firsts


def lags_s(views: Sequence[View]) -> dict[int, float]:
    """How far the last of the secondaries is behind the primary, s, by second since 1970: the largest of each.

    The primary is the member that says so in the highest term. What a member had when it last answered counts as long
    as it is silent. Seconds without a primary are left out.
    """
    last: dict[str, int] = {}
    lags: dict[int, float] = {}
    rounds: dict[int, list[View]] = {}
    for view in views:
        rounds.setdefault(view.at_us, []).append(view)
    for at_us, seen in sorted(rounds.items()):
        last |= {view.member: view.applied_us for view in seen if view.state}
        leading = max((view for view in seen if view.state == "PRIMARY"), key=lambda view: view.term, default=None)
        if leading is not None:
            behind_us = max((leading.applied_us - applied for applied in last.values()), default=0)
            second = at_us // units.US_PER_S
            lags[second] = max(lags.get(second, 0.0), behind_us / units.US_PER_S)
    return lags


def audit(
    ledger: Ledger, found: Collection[int], events: Sequence[Event], views: Sequence[View], errors_shown: int = 20
) -> Mapping:
    """What became of all writes: as plain JSON values.

    Returns
        totals: the number of writes of each of CLASSES. errors: those that failed, by class of error, the most frequent
        first. never_sent: those that failed before they were sent. seconds: the same counts by second from the start,
        a write where it was answered (one without an answer, where it was going to be sent), and the lag, s; seconds
        without either are left out. events: with `elapsed_s` from the start. started_us: when the first write was going
        to be sent.
    """
    there = set(found)
    start_us = min((write.intended_us for write in ledger.writes.values()), default=0)
    totals: Counter[str] = Counter()
    seconds: dict[int, Counter[str]] = {}
    for id_, write in ledger.writes.items():
        second = ((write.answered_us or write.intended_us) - start_us) // units.US_PER_S
        of_write = list(classes(write, id_ in there))
        totals.update(of_write)
        seconds.setdefault(second, Counter()).update(of_write)
    failed = [write for write in ledger.writes.values() if write.answer == "failed"]
    lags = {second - start_us // units.US_PER_S: lag_s for second, lag_s in lags_s(views).items()}
    return {
        "started_us": start_us,
        "totals": {name: totals[name] for name in CLASSES},
        "errors": dict(Counter(write.error for write in failed).most_common(errors_shown)),
        "never_sent": sum(write.server == NOBODY for write in failed),
        "seconds": [
            {"elapsed_s": second + 1, **{name: seconds.get(second, {}).get(name, 0) for name in CLASSES},
             "lag_s": lags.get(second)}
            for second in sorted(seconds.keys() | lags.keys())
        ],
        "events": [
            {**asdict(event), "elapsed_s": (event.at_us - start_us) / units.US_PER_S}
            for event in sorted(events, key=lambda event: event.at_us)
        ],
    }  # fmt: skip
