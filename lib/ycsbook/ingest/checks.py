"""What a log shows about itself: how the run ended, and which of its figures contradict each other.

YCSB's exit code says almost nothing, so the outcome is read from the counts.
"""

import itertools
import math
import re
from dataclasses import dataclass

from ycsbook import units
from ycsbook.ingest import closed_loop, status
from ycsbook.ingest.status import StatusLine
from ycsbook.ingest.ycsb_log import BATCHED_OK, DATABASE_OPERATIONS, YcsbLog
from ycsbook.verdicts import Outcome, StopReason, Warn

SHORT_RUN_MS = 20 * 60 * units.MS_PER_S
# A run of 20 minutes may read a little under: YCSB checks its clock between operations.
SHORT_RUN_TOLERANCE = 0.005
# Java prints throughput with 15 digits and the run time in whole ms, so their product is the count itself.
COUNT_TOLERANCE = 1e-6
# A run whose last operations all failed, for this long, lost its server.
LOST_AFTER_S = 5.0
LOST_SHARE = 0.1

_UNACKED = re.compile(
    r"[?&]w=0(?=[&\s]|$)|mongodb\.writeConcern=(?:unacknowledged|errors_ignored|none)\b", re.ASCII | re.IGNORECASE
)
_INTENDED = re.compile(r"measurement\.interval=intended\b", re.ASCII)
_LOAD = re.compile(r"(?:^|\s)-load(?=\s|$)", re.ASCII)
_TRANSACTIONS = re.compile(r"(?:^|\s)-t(?=\s|$)", re.ASCII)


@dataclass(frozen=True)
class Verdict:
    """How a run ended, every reason against it, what cut it short (empty: nothing known), and what to be warned of."""

    outcome: Outcome
    reasons: tuple[str, ...] = ()
    stop_reason: str = ""
    warnings: tuple[Warn, ...] = ()


def verdict(log: YcsbLog) -> Verdict:
    """What the run is worth, from its log alone.

    incomplete: no usable summary, so no figure of it may be used. failed: YCSB finished, but an operation never
    succeeded or the server was lost. completed: everything else, failures included, which are then warned of.
    """
    for check in (_without_summary, _without_operations, _cut, _never_succeeded, _lost):
        if found := check(log):
            return found
    return Verdict(Outcome.COMPLETED)


def _without_summary(log: YcsbLog) -> Verdict | None:
    if log.overall_count != 1:
        found = "no [OVERALL] block" if log.overall_count == 0 else f"{log.overall_count} [OVERALL] blocks"
        return Verdict(Outcome.INCOMPLETE, (f"the log has {found}, expected one",))
    if not log.runtime_ms > 0 or not log.throughput_ops_s >= 0:
        figures = f"run time {log.runtime_ms:g} ms, throughput {log.throughput_ops_s:g} ops/s"
        return Verdict(Outcome.INCOMPLETE, (f"{figures}: no clock that runs forward gives that",))
    return None


def _without_operations(log: YcsbLog) -> Verdict | None:
    if log.attempted:
        return None
    overall = overall_operations(log)
    if overall > 0.5:
        return Verdict(Outcome.INCOMPLETE, (f"{overall:,.0f} operations were finished, but the summary lists none",))
    return Verdict(Outcome.FAILED, ("no operation was finished",))


def _cut(log: YcsbLog) -> Verdict | None:
    overall = overall_operations(log)
    if log.truncated and log.attempted < overall and not totals_agree(log):
        return Verdict(Outcome.INCOMPLETE, (f"the summary ends after {log.attempted:,} of {overall:,.0f} operations",))
    return None


def _never_succeeded(log: YcsbLog) -> Verdict | None:
    for name in DATABASE_OPERATIONS:
        if 0 < log.calls(name) <= log.failures(name):
            return Verdict(Outcome.FAILED, (f"every {name} failed ({log.failures(name):,})",))
    return None


def _lost(log: YcsbLog) -> Verdict | None:
    """Whether nothing succeeded any more for a good while before the end.

    The counter of the status lines holds failed operations too, so the counts per interval decide. Lines that end
    before all that succeeded was seen cannot tell.
    """
    if not log.failed or len(log.status) < 2 or log.status[-1].operations < log.succeeded:
        return None
    alive = (b.elapsed_s for a, b in itertools.pairwise(log.status) if _had_success(a, b))
    reached_s = max(alive, default=log.status[0].elapsed_s)
    runtime_s = log.runtime_ms / units.MS_PER_S
    left_s = runtime_s - reached_s
    if left_s <= max(LOST_AFTER_S, LOST_SHARE * runtime_s):
        return None
    reason = f"no operation succeeded in the last {units.duration(left_s)}"
    return Verdict(Outcome.FAILED, (reason,), StopReason.SERVER_LOST)


def _had_success(before: StatusLine, line: StatusLine) -> bool:
    """Whether an operation succeeded between two status lines; without counts any progress passes for success."""
    counts = [d.count for d in line.details if d.operation in DATABASE_OPERATIONS and not math.isnan(d.count)]
    return any(n > 0 for n in counts) if counts else line.operations > before.operations


def overall_operations(log: YcsbLog) -> float:
    """Operations behind [OVERALL]: throughput x run time."""
    return log.throughput_ops_s * log.runtime_ms / units.MS_PER_S


def phase(log: YcsbLog) -> str:
    """load or run: from the command line, else load where nothing but inserts was done."""
    if _LOAD.search(log.command_line):
        return "load"
    if _TRANSACTIONS.search(log.command_line):
        return "run"
    done = [name for name in DATABASE_OPERATIONS if log.calls(name)]
    return "load" if done == ["INSERT"] else "run"


def warnings(log: YcsbLog, *, run_phase: str, threads: float, asked: float, write_concern: str = "") -> list[Warn]:
    """The suspicious things in a log, in the order of the enum.

    Parameters
        run_phase: load or run.
        threads: client threads that ran; NaN: unknown.
        asked: client threads asked for; NaN: unknown.
        write_concern: as far as it is known from elsewhere than the log.
    """
    concern = write_concern.strip().lower()
    batched = any(s.batched_ok for s in log.summaries) or any(
        code == BATCHED_OK for s in log.summaries for code, _ in s.return_codes
    )
    shown = {
        Warn.OPERATIONS_FAILED: log.failed > 0,
        Warn.BATCHED_LATENCY: batched,
        Warn.INTENDED_LATENCY: has_intended_latencies(log),
        Warn.UNACKED_WRITES: concern in ("0", "unacknowledged") or bool(_UNACKED.search(log.command_line)),
        Warn.SHORT_RUN: run_phase == "run" and 0 < log.runtime_ms < SHORT_RUN_MS * (1 - SHORT_RUN_TOLERANCE),
        Warn.CLOCK_STEPPED: log.runtime_ms < 0 or log.throughput_ops_s < 0 or status.clock_stepped(list(log.status)),
        Warn.COUNTS_DISAGREE: counts_disagree(log),
        Warn.UNIT_LABEL_WRONG: any(s.ms_is_us for s in log.summaries),
        Warn.CENSORED: any(s.censored for s in log.summaries),
        Warn.TRUNCATED: log.truncated or log.overall_count == 0 or log.restarts > 0,
        Warn.THREADS_UNKNOWN: math.isnan(threads),
        Warn.THREADS_CLIPPED: threads < asked,
        Warn.LITTLE_LAW: not batched and utilisation(log, threads) > closed_loop.MAX_UTILISATION,
    }
    return [w for w, holds in shown.items() if holds]


def has_intended_latencies(log: YcsbLog) -> bool:
    """Whether READ and the others are counted from when they were due; only the command line tells."""
    return bool(_INTENDED.search(log.command_line))


def utilisation(log: YcsbLog, threads: float) -> float:
    """U = X R / N, see closed_loop; NaN where it cannot be told: intended latencies hold waiting."""
    if has_intended_latencies(log):
        return math.nan
    return closed_loop.of_series(((s.operation, s.count, s.mean_us) for s in log.summaries), log.runtime_ms, threads)


def counts_disagree(log: YcsbLog) -> bool:
    """Whether the log's own counts contradict each other beyond rounding."""
    return bool(log.conflicts) or log.restarts > 0 or _codes_disagree(log) or _totals_disagree(log)


def _codes_disagree(log: YcsbLog) -> bool:
    for name in DATABASE_OPERATIONS:
        one = log.by_operation.get(name)
        if one is None or not one.return_codes or math.isnan(one.count):
            continue
        good = one.ok + one.batched_ok
        # Old releases count failures among the operations, newer ones keep them apart.
        if one.count not in (good, good + one.errors):
            return True
    return False


def _totals_disagree(log: YcsbLog) -> bool:
    if log.overall_count > 1:
        return True
    if log.overall_count == 0 or not log.runtime_ms > 0:
        return False
    overall = overall_operations(log)
    return (log.attempted > 0 and not totals_agree(log)) or _series_disagrees(log, overall)


def totals_agree(log: YcsbLog) -> bool:
    """Whether the operations of the summary are those behind [OVERALL]; if not, goodput cannot be known."""
    overall = overall_operations(log)
    # YCSB does not count a failed insert of the load phase as an operation.
    wanted = (log.attempted, log.attempted - log.failures("INSERT"))
    return any(abs(n - overall) <= max(1.0, COUNT_TOLERANCE * overall) for n in wanted)


def _series_disagrees(log: YcsbLog, overall: float) -> bool:
    """The last status line against the summary: never more, and less only by what fits in the unseen rest."""
    if len(log.status) < 2:
        return False
    last = log.status[-1].operations
    slack = max(1.0, COUNT_TOLERANCE * overall)
    if last > overall + slack:
        return True
    rows = [r for r in status.interval_rows("", list(log.status)) if r["operation"] == status.TOTAL]
    if not rows:
        return False
    peak = max(r["throughput_ops_s"] for r in rows)
    unseen_s = max(0.0, log.runtime_ms / units.MS_PER_S - rows[-1]["elapsed_s"])
    return overall - last > slack + peak * (unseen_s + status.CLOCK_TOLERANCE_S)
