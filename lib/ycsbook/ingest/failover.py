"""Writes through a failover: the ledger that the client kept of them, what was read back, and what became of each.

The ledger is files `<thread>.ledger` of lines (written by ycsbook.Ledger of lib/ycsb-bindings):

    17 1732355555123456 intended
    17 1732355555124001 acknowledged 127.0.0.1:27017
    27 1732355555124010 intended
    27 1732355555127302 failed 127.0.0.1:27017 MongoSocketReadException

A write is acknowledged, failed or unknown by what the client was told (with write concern 0, which nobody answers, that
it is sent); lost: acknowledged, and not there afterwards; or resurrected: failed, and there all the same.
"""

import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Literal, NamedTuple

from ycsbook import opening, units
from ycsbook.columns import SCHEMAS
from ycsbook.errors import RunLogError
from ycsbook.facts import Fact, fact
from ycsbook.glossary import GLOSSARY

LEDGER, SUFFIX = "ledger", ".ledger"
# What lies in the run's folder beside the ledger: the ids that were read back, and the audit.
FOUND, AUDIT = "found.txt", "audit.json"
CLASSES = ("acknowledged", "failed", "unknown", "lost", "resurrected")
# A million writes of one thread.
MAX_BYTES = 200_000_000
# In place of a server: the write was never sent.
NOBODY = "-"
# Classes of errors that the audit lists.
_MAX_ERRORS = 20
_LINE = re.compile(
    rb"(?P<id>\d{1,18}) (?P<us>\d{1,18}) "
    rb"(?:intended|(?P<answer>acknowledged|sent) (?P<by>\S{1,100})|failed (?P<to>\S{1,100}) (?P<error>\w{1,200}))\n"
)


class Write(NamedTuple):
    """One write: when it was going to be sent, what was answered and when (us since 1970), which server it was sent to
    last, and the class of the error. Without an answer only the first is known."""

    intended_us: int
    answer: Literal["", "acknowledged", "sent", "failed"] = ""
    answered_us: int = 0
    server: str = ""
    error: str = ""


@dataclass(frozen=True)
class Ledger:
    """The writes by id, and what is wrong with the ledger itself: then it proves nothing."""

    writes: Mapping[int, Write]
    damage: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Event:
    """Something that happened to a member at `at_us`, us since 1970. `event`: struck, elected (a new primary, by what
    the members say), written (the first write that a new primary took), back, whole (all members are there and have
    everything); `role`: secondary or primary, of one that was struck."""

    event: str
    role: str
    member: str
    at_us: int


class MemberView(NamedTuple):
    """A member at a moment, us since 1970: its state, if it answered, its term, when its last operation was written."""

    at_us: int
    member: str
    state: str
    term: int
    applied_us: int


def read_ledger(folder: Path) -> Ledger:
    """The ledger of a run's folder; one that is not there has no writes. Raises OSError for an unreadable file."""
    paths = sorted((folder / LEDGER).glob(f"*{SUFFIX}"))
    return parse_ledger({path.name: opening.content(path, MAX_BYTES, root=folder) for path in paths})


def parse_ledger(files: Mapping[str, bytes]) -> Ledger:
    """The ledger that stands in files, by name."""
    writes: dict[int, Write] = {}
    damage: list[Fact] = []
    for name, content in files.items():
        for number, line in enumerate(content.splitlines(keepends=True), start=1):
            if not _take(line, writes):
                damage.append(fact("reason-ledger-line", file=name, line=number))
                break
    return Ledger(writes, tuple(damage))


def _take(line: bytes, writes: dict[int, Write]) -> bool:
    """Take in a line; False where it is damaged or out of order."""
    match = _LINE.fullmatch(line)
    if match is None:
        return False
    id_, us = int(match["id"]), int(match["us"])
    before = writes.get(id_)
    server = match["by"] or match["to"]
    if server is None:
        writes[id_] = Write(us)
        return before is None
    if before is None or before.answer:
        return False
    answer = (match["answer"] or b"failed").decode()
    error = (match["error"] or b"").decode()
    writes[id_] = Write(before.intended_us, answer, us, server.decode(errors="replace"), error)
    return True


def damage(ledger: Ledger, read_back: Sequence[int], planned: int) -> tuple[Fact, ...]:
    """What keeps the ledger and the ids that were read back from proving anything; `planned` writes have ids from 0."""
    problems = list(ledger.damage)
    missing = sum(id_ not in ledger.writes for id_ in range(planned))
    unanswered = sum(not write.answer for write in ledger.writes.values())
    strange = sum(id_ not in ledger.writes for id_ in read_back) + max(0, len(ledger.writes) + missing - planned)
    for key, n in (("missing", missing), ("unanswered", unanswered), ("strange", strange)):
        if n:
            problems.append(fact(f"reason-ledger-{key}", n=n))
    if len(set(read_back)) < len(read_back):
        problems.append(fact("reason-ledger-twice", n=len(read_back) - len(set(read_back))))
    return tuple(problems)


def first_writes(ledger: Ledger, events: Sequence[Event]) -> list[Event]:
    """After each strike on a primary, the first write that another member took."""
    successes = [(w.answered_us, w.server) for w in ledger.writes.values() if w.answer in ("acknowledged", "sent")]
    firsts = []
    for struck in events:
        if (struck.event, struck.role) == ("struck", "primary"):
            later = [(us, by) for us, by in successes if us >= struck.at_us and by not in (struck.member, NOBODY)]
            firsts += [Event("written", "", server, at_us) for at_us, server in sorted(later)[:1]]
    return firsts


def lags_s(views: Sequence[MemberView]) -> dict[int, float]:
    """How far the last of the secondaries is behind the primary, s, by second since 1970: the largest of each. The
    primary is the member that says so in the highest term; what a silent member had last counts on."""
    applied_us: dict[str, int] = {}
    lags: dict[int, float] = {}
    by_time = attrgetter("at_us")
    for at_us, at_one_time in groupby(sorted(views, key=by_time), by_time):
        answering = [view for view in at_one_time if view.state]
        applied_us |= {view.member: view.applied_us for view in answering}
        leading = max((view for view in answering if view.state == "PRIMARY"), key=attrgetter("term"), default=None)
        if leading is not None:
            behind_us = leading.applied_us - min(applied_us.values())
            second = at_us // units.US_PER_S
            lags[second] = max(lags.get(second, 0.0), behind_us / units.US_PER_S)
    return lags


def audit(ledger: Ledger, read_back: Collection[int], events: Sequence[Event], views: Sequence[MemberView]) -> Mapping:
    """What became of all writes: as plain JSON values. `totals` of each of CLASSES; `errors`: those that failed, by
    class of error, the most frequent first; `never_sent`; `seconds`: the totals by second from the start, a write where
    it was answered (else where it was going to be sent), and the lag, s; `events` with `elapsed_s`; `started_us`: when
    the first write was going to be sent."""
    ids_read_back = set(read_back)
    start_us = min((write.intended_us for write in ledger.writes.values()), default=0)
    totals: Counter[str] = Counter()
    seconds: dict[int, Counter[str]] = {}
    for id_, write in ledger.writes.items():
        second = ((write.answered_us or write.intended_us) - start_us) // units.US_PER_S
        of_write = _classes(write, id_ in ids_read_back)
        totals.update(of_write)
        seconds.setdefault(second, Counter()).update(of_write)
    failed = [write for write in ledger.writes.values() if write.answer == "failed"]
    lags = {second - start_us // units.US_PER_S: lag_s for second, lag_s in lags_s(views).items()}
    return {
        "started_us": start_us,
        "totals": {name: totals[name] for name in CLASSES},
        "errors": dict(Counter(write.error for write in failed).most_common(_MAX_ERRORS)),
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


def _classes(write: Write, is_in_database: bool) -> list[str]:
    if not write.answer:
        return ["unknown"]
    if write.answer == "failed":
        return ["failed", "resurrected"] if is_in_database else ["failed"]
    return ["acknowledged"] if is_in_database else ["acknowledged", "lost"]


def rows(run_id: str, folder: Path) -> list[dict]:
    """The rows of the table `failovers` that a run's audit gives, if any. Raises RunLogError where it is none."""
    path = folder / AUDIT
    if not os.path.lexists(path):
        return []
    try:
        audit_ = opening.json_content(path, root=folder)
        return [_row(run_id, row) for name in ("seconds", "events") for row in audit_[name]]
    except OSError as e:
        raise RunLogError(path, None, f"cannot be read: {e.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as e:
        raise RunLogError(path, None, f"is no audit of a failover: {e}; make the run again") from None


def _row(run_id: str, row: dict) -> dict:
    values: dict[str, object] = {"run_id": run_id}
    for column in SCHEMAS["failovers"][1:]:
        value = row.get(column)
        if GLOSSARY[column][0] == "str":
            values[column] = str(value or "")[:100]
        else:
            values[column] = float("nan") if value is None else float(value)
    return values
