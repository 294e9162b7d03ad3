"""The closed vocabularies: how a run ended, and what is suspicious about it."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum

from ycsbook.errors import shown
from ycsbook.facts import Fact, fact, from_plain


class Outcome(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    PUBLISHED = "published"


class StopReason(StrEnum):
    TIMEOUT = "timeout"
    STALLED = "stalled"
    SERVER_LOST = "server_lost"
    DISK_FULL = "disk_full"
    KILLED = "killed"


class Warn(StrEnum):
    OPERATIONS_FAILED = "OPERATIONS_FAILED"
    OPERATIONS_UNMEASURED = "OPERATIONS_UNMEASURED"
    BATCHED_LATENCY = "BATCHED_LATENCY"
    INTENDED_LATENCY = "INTENDED_LATENCY"
    UNACKED_WRITES = "UNACKED_WRITES"
    SHORT_RUN = "SHORT_RUN"
    CLOCK_STEPPED = "CLOCK_STEPPED"
    COUNTS_DISAGREE = "COUNTS_DISAGREE"
    P95_IS_P90 = "P95_IS_P90"
    UNIT_LABEL_WRONG = "UNIT_LABEL_WRONG"
    CENSORED = "CENSORED"
    TRUNCATED = "TRUNCATED"
    DERIVED = "DERIVED"
    THREADS_UNKNOWN = "THREADS_UNKNOWN"
    THREADS_CLIPPED = "THREADS_CLIPPED"
    LITTLE_LAW = "LITTLE_LAW"
    POOL_BELOW_THREADS = "POOL_BELOW_THREADS"
    CORES_NOT_ENFORCED = "CORES_NOT_ENFORCED"
    HOST_SPEED_CHANGED = "HOST_SPEED_CHANGED"
    TLS_NOT_VERIFIED = "TLS_NOT_VERIFIED"
    WORKLOAD_INFERRED = "WORKLOAD_INFERRED"
    WORKLOAD_CONTRADICTED = "WORKLOAD_CONTRADICTED"
    SETTINGS_INFERRED = "SETTINGS_INFERRED"
    EXCERPT = "EXCERPT"
    PERCENTILES_AVERAGED = "PERCENTILES_AVERAGED"
    OPERATION_UNKNOWN = "OPERATION_UNKNOWN"
    COLUMNS_UNREAD = "COLUMNS_UNREAD"
    REPEAT_TWICE = "REPEAT_TWICE"

    @property
    def advice(self) -> Fact:
        return fact(f"warning-{self.value.lower()}")

    @property
    def called(self) -> Fact:
        return fact(f"warning-{self.value.lower()}.name")


def joined(reasons: Sequence[Fact]) -> Fact | None:
    return fact("reasons", reasons=reasons) if len(reasons) > 1 else next(iter(reasons), None)


def columns_unread(headings: Sequence[str]) -> Fact | None:
    """That a table's columns of these headings were not read; None of none."""
    return (
        fact("columns-unread", columns=[shown(heading) for heading in headings], n=len(headings)) if headings else None
    )


def of_clients(clients: Sequence[int], reason: Fact) -> Fact:
    """A reason with the numbers of the clients, from 0, that it is about."""
    return fact("reason-of-clients", clients=[fact("reason-client", client=i) for i in clients], reason=reason)


def reasons_in(manifest: Mapping) -> tuple[Fact, ...]:
    """Why the runner did not count a run as completed, as its manifest says it; an older one has sentences."""
    written = manifest.get("reasons")
    return tuple(map(_reason, written)) if isinstance(written, list) else ()


def _reason(written: object) -> Fact:
    try:
        reason = from_plain(written)
    except (AttributeError, KeyError, TypeError, RecursionError):
        reason = None
    if isinstance(reason, Fact) and isinstance(reason.key, str) and reason.key.startswith("reason-"):
        return reason
    return fact("reason-text", text=written if isinstance(written, str) else json.dumps(written))


# A host whose own speed moved by more than this share during a run measured something else as well.
HOST_SPEED_TOLERANCE = 0.10
