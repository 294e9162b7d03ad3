"""What one YCSB log says, as data: the summaries per operation, the totals, and what can be counted from them."""

import math
import re
from dataclasses import dataclass
from functools import cached_property

from ycsbook.ingest.status import StatusLine

# Operations that go to the database; the others (CLEANUP, VERIFY, READ-MODIFY-WRITE, ...) are derived from them.
DATABASE_OPERATIONS = ("READ", "UPDATE", "INSERT", "SCAN", "DELETE")
READ_MODIFY_WRITE = "READ-MODIFY-WRITE"
OK, BATCHED_OK = "OK", "BATCHED_OK"

_THREADS = re.compile(r"(?:^|\s)(?:-threads\s+|-p\s+threadcount=)(\d{1,9})(?=\s|$)", re.ASCII)


@dataclass(frozen=True)
class Summary:
    """What the summary says of one operation. Latencies in us, NaN where there was no sample.

    `source` is file:line of its first line; `censored` counts latencies beyond the last bucket;
    `ms_is_us`: a percentile labelled ms that can only be us.
    """

    operation: str
    count: float = math.nan
    mean_us: float = math.nan
    min_us: float = math.nan
    max_us: float = math.nan
    percentiles: tuple[tuple[float, float], ...] = ()
    return_codes: tuple[tuple[str, int], ...] = ()
    source: str = ""
    censored: int = 0
    ms_is_us: bool = False

    @property
    def ok(self) -> int:
        """Operations with return code OK (0 in the old releases)."""
        return sum(n for code, n in self.return_codes if code in (OK, "0"))

    @property
    def batched_ok(self) -> int:
        return sum(n for code, n in self.return_codes if code == BATCHED_OK)

    @property
    def errors(self) -> int:
        return sum(n for _, n in self.return_codes) - self.ok - self.batched_ok


@dataclass(frozen=True)
class YcsbLog:
    """One run's log as far as it is whole. Numbers that are not there are NaN.

    `command_line` is redacted. `throughput_ops_s` and `runtime_ms` are those of [OVERALL] as printed, whatever
    the run is worth: see checks.verdict for that. `conflicts` names figures printed twice with different values.
    `truncated`: the last line has no end. `restarts`: runs beyond the first in the status lines.
    """

    command_line: str = ""
    version: str = ""
    overall_count: int = 0
    runtime_ms: float = math.nan
    throughput_ops_s: float = math.nan
    summaries: tuple[Summary, ...] = ()
    status: tuple[StatusLine, ...] = ()
    gc_time_ms: float = math.nan
    errors: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    truncated: bool = False
    restarts: int = 0
    overlong_lines: int = 0
    source: str = ""

    @cached_property
    def by_operation(self) -> dict[str, Summary]:
        return {s.operation: s for s in self.summaries}

    @property
    def threads_asked(self) -> int | None:
        """Threads on the command line."""
        found = _THREADS.findall(self.command_line)
        return int(found[-1]) if found else None

    @property
    def threads(self) -> int | None:
        """Client threads that ran: one CLEANUP each, so fewer CLEANUPs than were asked for are the truth.

        Some bindings clean up twice per thread, so more are not.
        """
        cleanup = self.by_operation.get("CLEANUP")
        ran = int(cleanup.count) if cleanup is not None and cleanup.count >= 1 else None
        asked = self.threads_asked
        return min((n for n in (asked, ran) if n is not None), default=None)

    @property
    def attempted(self) -> int:
        """Operations of the workload, failed ones included; a READ-MODIFY-WRITE is one, not its READ and UPDATE."""
        calls = sum(self.calls(name) for name in DATABASE_OPERATIONS)
        rmw = self.by_operation.get(READ_MODIFY_WRITE)
        return max(0, calls - (int(rmw.count) if rmw is not None and rmw.count > 0 else 0))

    @property
    def failed(self) -> int:
        """Database calls that failed, at most `attempted`: each spoils one operation."""
        return min(self.attempted, sum(self.failures(name) for name in DATABASE_OPERATIONS))

    @property
    def succeeded(self) -> int:
        return self.attempted - self.failed

    def calls(self, name: str) -> int:
        """Calls of a database operation: by return codes, else by its own and its failures' counts."""
        one = self.by_operation.get(name)
        if one is not None and one.return_codes:
            return sum(n for _, n in one.return_codes)
        own = int(one.count) if one is not None and one.count > 0 else 0
        return own + self._failure_series(name)

    def failures(self, name: str) -> int:
        """Failed calls of a database operation."""
        one = self.by_operation.get(name)
        return one.errors if one is not None and one.return_codes else self._failure_series(name)

    def _failure_series(self, name: str) -> int:
        return sum(int(s.count) for s in self.summaries if is_failure_series(s.operation, name) and s.count > 0)


def is_failure_series(operation: str, of: str | None = None) -> bool:
    """Whether a series holds the latencies of failed calls, such as READ-FAILED or UPDATE-NOT_FOUND."""
    bases = DATABASE_OPERATIONS if of is None else (of,)
    return operation != READ_MODIFY_WRITE and any(operation.startswith(f"{base}-") for base in bases)
