"""What the log of one run says, as data, whichever load generator wrote it: the summaries per operation, the totals,
the status lines, and what can be counted from them.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ycsbook import closed_loop, operations, units
from ycsbook.ingest.log.series import Series
from ycsbook.operations import DATABASE_OPERATIONS, READ_MODIFY_WRITE, is_failure_series

# Java prints throughput with 15 digits and the run time in whole ms, so their product is the count itself.
COUNT_TOLERANCE = 1e-6
# The share of its time that a thread without pauses spends in calls, at least, by a whole summary.
ALWAYS_BUSY = 0.97
# Half of the threads that idle more than this were held back, by a target for one, and tell nothing.
OFTEN_BUSY = 0.8
# Between calls that take less, the client's own work may take as long.
LEAST_CALL_S = 0.001

_THREADS = re.compile(r"(?:^|\s)(?:--?threads[\s=]+|-p\s+threadcount=)(\d{1,9})(?=\s|$)", re.ASCII)


@dataclass(frozen=True)
class Summary:
    """What the summary says of one operation. Latencies in us, NaN where there was no sample.

    `source` is file:line of its first line; `censored` counts latencies beyond the last bucket; `ms_is_us`: a
    percentile labelled ms that can only be us; `p95_is_p90`: what was printed as the 95th percentile is the 90th, and
    stands here as that. `estimated` percentiles are not printed but counted from its buckets. `bounds` are the smallest
    and the largest value of a percentile over clients whose percentiles cannot be merged; `averaged`: those of several
    clients were."""

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
    p95_is_p90: bool = False
    estimated: tuple[tuple[float, float], ...] = ()
    bounds: tuple[tuple[float, float, float], ...] = ()
    averaged: bool = False

    @property
    def ok(self) -> int:
        """Operations with return code OK (0 in the old releases)."""
        return sum(n for code, n in self.return_codes if code in operations.GOOD_CODES)

    @property
    def batched_ok(self) -> int:
        return sum(n for code, n in self.return_codes if code == operations.BATCHED_OK)

    @property
    def errors(self) -> int:
        return sum(n for _, n in self.return_codes) - self.ok - self.batched_ok


@dataclass(frozen=True)
class RunLog:
    """One run's log as far as it is whole. Numbers that are not there are NaN.

    `format` names what it was read as. `command_line` is redacted. `throughput_ops_s` and `runtime_ms` are those of
    the final summary as printed, whatever the run is worth: see checks.verdict for that; `overall_count` counts
    such summaries. `series` are its status lines, from `status_source`. `columns` are those of the `runs` table that
    the log says in so many words. `conflicts` names figures printed twice with different values. `truncated`: the
    last line has no end. `derived`: a mean of several logs. `raw_rows`: it holds every single latency between its
    lines. `quoted`: it stands in a page. `elided`: dots stand for lines of it. `unread`: headings of its table
    that are not understood. `intended`: its latencies count from when an operation would have been due. `unmeasured`:
    so many operations were asked for and done, but are in no figure."""

    format: str = "ycsb"
    command_line: str = ""
    version: str = ""
    overall_count: int = 0
    runtime_ms: float = math.nan
    throughput_ops_s: float = math.nan
    summaries: tuple[Summary, ...] = ()
    series: Series = field(default_factory=Series)
    status_source: str = ""
    columns: dict[str, float | str] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    truncated: bool = False
    derived: bool = False
    raw_rows: bool = False
    quoted: bool = False
    elided: bool = False
    unread: tuple[str, ...] = ()
    intended: bool = False
    unmeasured: int = 0
    source: str = ""
    printer: str = ""

    @cached_property
    def by_operation(self) -> dict[str, Summary]:
        return {s.operation: s for s in self.summaries}

    @property
    def is_ycsb(self) -> bool:
        return self.format in ("ycsb", "ycsb-json")

    @cached_property
    def is_excerpt(self) -> bool:
        """Whether somebody quoted only the totals of a summary, and perhaps latencies, as manuals do, or left out the
        run time, as tables do: what failed is not known. A log that was cut looks the same, but stands in no page, has
        its run time before all else, and of each operation the count before its latencies."""
        counted = [s for s in self.summaries if s.operation not in operations.NOT_OPERATIONS]
        is_bare = all(math.isnan(s.count) and not s.return_codes for s in counted)
        is_searched = is_bare and counted != []
        is_bare |= self.quoted and math.isnan(self.runtime_ms) and not self.failed
        is_bare |= self.elided and self.attempted < self.overall_operations - self.slack
        is_alone = self.overall_count <= 1 and not (self.series.lines or self.truncated or self.derived)
        is_alone &= self.quoted or is_searched or math.isnan(self.runtime_ms)
        return self.throughput_ops_s > 0 and not self.runtime_ms <= 0 and is_alone and is_bare

    @cached_property
    def threads_asked(self) -> int | None:
        matches = _THREADS.findall(self.command_line)
        return int(matches[-1]) if matches else None

    @cached_property
    def threads(self) -> int | None:
        """Client threads that ran: one CLEANUP each, so fewer CLEANUPs than were asked for are the truth.

        Some bindings clean up twice per thread, so more are not. Where nothing says how many were asked for, and calls
        fill half the time of so many threads or little less, half as many ran if they were always busy; else nobody
        knows."""
        if "threads" in self.columns:
            return None if math.isnan(self.columns["threads"]) else int(self.columns["threads"])
        cleanup = self.by_operation.get("CLEANUP")
        ran = int(cleanup.count) if cleanup is not None and cleanup.count >= 1 else None
        asked = self.threads_asked
        if asked is not None or ran is None:
            return min((n for n in (asked, ran) if n is not None), default=None)
        calls = ((s.operation, s.count, s.mean_us) for s in self.summaries)
        busy = closed_loop.of_series(calls, self.runtime_ms, ran / 2)
        is_quick = busy * ran / 2 < LEAST_CALL_S * self.throughput_ops_s
        if ran % 2 or not OFTEN_BUSY <= busy <= 1 or is_quick or any(s.batched_ok for s in self.summaries):
            return ran
        return ran // 2 if busy >= ALWAYS_BUSY else None

    @cached_property
    def overall_operations(self) -> float:
        """Operations behind [OVERALL]: throughput x run time.

        The throughput of several clients is that of the time they have in common, which is not all of their run time.
        """
        return self.columns.get("union_ops_s", self.throughput_ops_s) * self.runtime_ms / units.MS_PER_S

    @cached_property
    def slack(self) -> float:
        """How far counts may be from `overall_operations`: the throughput's decimals may be rounded, cut or zeros."""
        decimals = len(f"{self.throughput_ops_s}".removesuffix(".0").partition(".")[2])
        return count_slack(self.overall_operations) + self.runtime_ms / units.MS_PER_S / 10**decimals

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The operations that make up the workload: those of the database, and those of a fork unless [OVERALL] shows
        that they are made of these; where another load generator names its own, all of them. A READ-MODIFY-WRITE is
        one where its READ and UPDATE are not counted besides."""
        other_names = tuple(s.operation for s in self.summaries if s.operation not in DATABASE_OPERATIONS)
        has_database = any(s.operation in DATABASE_OPERATIONS for s in self.summaries)
        if self._counts_rmw_alone:
            return *DATABASE_OPERATIONS, READ_MODIFY_WRITE
        if not self.is_ycsb:
            queries = (*DATABASE_OPERATIONS, *(name for name in other_names if name == operations.OTHER))
            return queries if has_database else tuple(name for name in other_names if not is_failure_series(name))
        with_own = (*DATABASE_OPERATIONS, *(name for name in other_names if operations.is_of_workload(name)))
        is_all = has_database and self._adds_up(self.attempted_of(DATABASE_OPERATIONS))
        return DATABASE_OPERATIONS if is_all else with_own

    @cached_property
    def has_transactions(self) -> bool:
        """Whether [OVERALL] counts transactions of several operations each, which their COMMITs tell."""
        if operations.COMMIT not in self.by_operation or self._adds_up(self.attempted_of(self.counted)):
            return False
        return self._adds_up(self.calls(operations.COMMIT))

    @cached_property
    def attempted(self) -> int:
        """Operations of the workload, or transactions where these are counted, failed ones included."""
        return self.calls(operations.COMMIT) if self.has_transactions else self.attempted_of(self.counted)

    @cached_property
    def failed(self) -> int:
        """Operations or transactions that failed, at most `attempted`. A failed call spoils one, and so does a read of
        something else than was written; a failed COMMIT those that it was for. What failed is not committed either, so
        that the larger of both is taken."""
        wrong = max(0, self.failures(operations.VERIFY) - self.failures("READ"))
        calls = sum(self.failures(name) for name in self.counted) + wrong
        commits, failed = self._counts(operations.COMMIT)
        return min(self.attempted, max(calls, round(failed / commits * self.attempted) if failed else 0))

    @property
    def succeeded(self) -> int:
        return self.attempted - self.failed

    def attempted_of(self, names: Iterable[str]) -> int:
        """Calls of some operations; the READ, and an UPDATE, of a READ-MODIFY-WRITE are one with it."""
        rmw = self.by_operation.get(READ_MODIFY_WRITE) if "READ" in names and not self._counts_rmw_alone else None
        inside = int(rmw.count) if rmw is not None and rmw.count > 0 else 0
        return max(0, sum(map(self.calls, names)) - inside)

    def calls(self, name: str) -> int:
        return self._counts(name)[0]

    def failures(self, name: str) -> int:
        return self._counts(name)[1]

    @property
    def totals_agree(self) -> bool:
        """Whether the operations of the summary are those behind [OVERALL]; if not, goodput cannot be known."""
        return self._adds_up(self.attempted)

    @property
    def _counts_rmw_alone(self) -> bool:
        return not self.is_ycsb and READ_MODIFY_WRITE in self.by_operation and "UPDATE" not in self.by_operation

    def _adds_up(self, attempted: int) -> bool:
        # YCSB does not count a failed insert of the load phase as an operation.
        expected_counts = (attempted, attempted - self.failures("INSERT"))
        return any(abs(n - self.overall_operations) <= self.slack for n in expected_counts)

    def _counts(self, name: str) -> tuple[int, int]:
        summary = self.by_operation.get(name)
        apart = [s.count for s in self.summaries if is_failure_series(s.operation, name) and s.count > 0]
        failed = sum(map(int, apart))
        if summary is not None and summary.return_codes:
            # Forks leave the failed calls out of the return codes where these have a series of their own.
            failed = summary.errors or failed
            return sum(n for _, n in summary.return_codes) + failed - summary.errors, failed
        return failed + (int(summary.count) if summary is not None and summary.count > 0 else 0), failed


def count_slack(overall: float | np.ndarray) -> float | np.ndarray:
    return np.maximum(1.0, COUNT_TOLERANCE * overall)
