"""What the log of one run says, as data, whichever load generator wrote it: the summaries per operation, the totals,
the status lines, and what can be counted from them.
"""

import math
import re
from dataclasses import dataclass, field
from functools import cached_property

from ycsbook.ingest.log.series import Series
from ycsbook.operations import (
    BATCHED_OK,
    DATABASE_OPERATIONS,
    GOOD_CODES,
    READ_MODIFY_WRITE,
    is_failure_series,
)

_THREADS = re.compile(r"(?:^|\s)(?:-threads\s+|-p\s+threadcount=)(\d{1,9})(?=\s|$)", re.ASCII)


@dataclass(frozen=True)
class Summary:
    """What the summary says of one operation. Latencies in us, NaN where there was no sample.

    `source` is file:line of its first line; `censored` counts latencies beyond the last bucket; `ms_is_us`: a
    percentile labelled ms that can only be us; `p95_is_p90`: what was printed as the 95th percentile is the 90th, and
    stands here as that. `percentile_source`: raw where they were taken from every latency. `estimated` percentiles
    are not printed but counted from its buckets. `bounds` are the smallest and the largest value of a percentile
    over clients whose percentiles cannot be merged.
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
    p95_is_p90: bool = False
    percentile_source: str = "summary"
    estimated: tuple[tuple[float, float], ...] = ()
    bounds: tuple[tuple[float, float, float], ...] = ()

    @property
    def ok(self) -> int:
        """Operations with return code OK (0 in the old releases)."""
        return sum(n for code, n in self.return_codes if code in GOOD_CODES)

    @property
    def batched_ok(self) -> int:
        return sum(n for code, n in self.return_codes if code == BATCHED_OK)

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
    last line has no end. `derived`: a mean of several logs. `raw_rows`: it holds every
    single latency between its lines.
    """

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
    source: str = ""

    @cached_property
    def by_operation(self) -> dict[str, Summary]:
        return {s.operation: s for s in self.summaries}

    @property
    def is_ycsb(self) -> bool:
        """Whether it is the output of YCSB itself."""
        return self.format in ("ycsb", "ycsb-json")

    @cached_property
    def threads_asked(self) -> int | None:
        """Threads on the command line."""
        matches = _THREADS.findall(self.command_line)
        return int(matches[-1]) if matches else None

    @cached_property
    def threads(self) -> int | None:
        """Client threads that ran: one CLEANUP each, so fewer CLEANUPs than were asked for are the truth.

        Some bindings clean up twice per thread, so more are not.
        """
        if "threads" in self.columns:
            return None if math.isnan(self.columns["threads"]) else int(self.columns["threads"])
        cleanup = self.by_operation.get("CLEANUP")
        ran = int(cleanup.count) if cleanup is not None and cleanup.count >= 1 else None
        asked = self.threads_asked
        return min((n for n in (asked, ran) if n is not None), default=None)

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The operations that make up the workload: those of the database; where another load generator names its
        own, all of them. A READ-MODIFY-WRITE is one where its READ and UPDATE are not counted besides."""
        own = tuple(s.operation for s in self.summaries if not is_failure_series(s.operation))
        if not self.is_ycsb and READ_MODIFY_WRITE in own and "UPDATE" not in own:
            return *DATABASE_OPERATIONS, READ_MODIFY_WRITE
        has_database = any(name in DATABASE_OPERATIONS for name in own)
        return DATABASE_OPERATIONS if has_database or self.is_ycsb else own

    @cached_property
    def inside(self) -> int:
        """READs, and as many UPDATEs, that are counted and part of a READ-MODIFY-WRITE."""
        rmw = self.by_operation.get(READ_MODIFY_WRITE)
        return int(rmw.count) if rmw is not None and rmw.count > 0 and READ_MODIFY_WRITE not in self.counted else 0

    @cached_property
    def attempted(self) -> int:
        """Operations of the workload, failed ones included; a READ-MODIFY-WRITE is one, not its READ and UPDATE."""
        return max(0, sum(self.calls(name) for name in self.counted) - self.inside)

    @cached_property
    def failed(self) -> int:
        """Database calls that failed, at most `attempted`: each spoils one operation."""
        return min(self.attempted, sum(self.failures(name) for name in self.counted))

    @property
    def succeeded(self) -> int:
        return self.attempted - self.failed

    def calls(self, name: str) -> int:
        """Calls of an operation that counts: by return codes, else by its own and its failures' counts."""
        return self._counted.get(name, (0, 0))[0]

    def failures(self, name: str) -> int:
        """Failed calls of an operation that counts."""
        return self._counted.get(name, (0, 0))[1]

    @cached_property
    def _counted(self) -> dict[str, tuple[int, int]]:
        """Calls and failed calls of each operation that counts."""
        counts = {}
        for name in self.counted:
            summary = self.by_operation.get(name)
            if summary is not None and summary.return_codes:
                counts[name] = (sum(n for _, n in summary.return_codes), summary.errors)
                continue
            apart = [s.count for s in self.summaries if is_failure_series(s.operation, name) and s.count > 0]
            failed = sum(map(int, apart))
            counts[name] = (failed + (int(summary.count) if summary is not None and summary.count > 0 else 0), failed)
        return counts
