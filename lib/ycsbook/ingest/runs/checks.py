"""What a log shows about itself: how the run ended, and which of its figures contradict each other.

YCSB's exit code says almost nothing, so the outcome is read from the counts.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ycsbook import closed_loop, operations, units
from ycsbook.facts import Fact, fact
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import CLOCK_TOLERANCE_S
from ycsbook.ingest.runs import command_line
from ycsbook.verdicts import Outcome, StopReason, Warn, joined, of_clients

# What was thrown, without addresses and what stands behind them: of a log that is cut, half a URI is none.
_THROWN = re.compile(
    r'(?:Exception in thread "[\w-]+" |Caused by: )?[\w.$]{1,200}(?:Exception|Error)\b(?:(?!//)[^{@]){0,200}'
)

SHORT_RUN_MS = 20 * 60 * units.MS_PER_S
# A run of 20 minutes may read a little under: YCSB checks its clock between operations.
SHORT_RUN_TOLERANCE = 0.005
# A mean is off by its rounding, a percentile in whole ms by up to one, the upper end of a bucket by its width.
MEAN_TOLERANCE_US = 1.0
PERCENTILE_TOLERANCE_US = 1000.0
BUCKET_TOLERANCE = 1.01
# A run whose last operations all failed, for this long, lost its server.
LOST_AFTER_S = 5.0
LOST_SHARE = 0.1


@dataclass(frozen=True)
class Verdict:
    """How a run ended, every reason against it, what cut it short (empty: nothing known), and what to be warned of."""

    outcome: Outcome
    reasons: tuple[Fact, ...] = ()
    stop_reason: str = ""
    warnings: tuple[Warn, ...] = ()

    @property
    def reason(self) -> Fact | None:
        return joined(self.reasons)


def worst_of_clients(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The worst of the clients' verdicts with the reasons of all that have it; None where all completed.

    Each reason names its clients; what all of several say is said once, without them."""
    for outcome in (Outcome.INCOMPLETE, Outcome.FAILED):
        bad = [(client, verdict) for client, verdict in enumerate(verdicts) if verdict.outcome == outcome]
        if not bad:
            continue
        clients: dict[Fact, list[int]] = {}
        for client, verdict in bad:
            for reason in verdict.reasons:
                clients.setdefault(reason, []).append(client)
        reasons = tuple(
            reason if len(indices) == len(verdicts) > 1 else of_clients(indices, reason)
            for reason, indices in clients.items()
        )
        return Verdict(outcome, reasons, next((v.stop_reason for _, v in bad if v.stop_reason), ""))
    return None


def verdict(log: RunLog) -> Verdict:
    """What the run is worth, from its log alone. Incomplete: no usable summary, a mean of several logs, or a clock that
    went back, so no figure of it may be used. Failed: the client finished, but an operation never succeeded or the
    server was lost. Completed: everything else, excerpts and failures included, which are then warned of."""
    if log.is_excerpt:
        return Verdict(Outcome.COMPLETED)
    return next(_objections(log), Verdict(Outcome.COMPLETED))


def _objections(log: RunLog) -> Iterator[Verdict]:
    """The reasons against a run, the gravest first."""
    if log.overall_count != 1:
        yield Verdict(Outcome.INCOMPLETE, tuple(_missing(log)))
    if not log.runtime_ms > 0 or not log.throughput_ops_s >= 0:
        values = {"runtime_ms": log.runtime_ms, "throughput_ops_s": log.throughput_ops_s}
        yield _objection(Outcome.INCOMPLETE, "reason-no-clock", **values)
    if log.derived:
        yield _objection(Outcome.INCOMPLETE, "reason-mean-of-logs")
    if log.series.stepped:
        yield _objection(Outcome.INCOMPLETE, "reason-clock-went-back")
    if not log.attempted and log.overall_operations > 0.5:
        yield _objection(Outcome.INCOMPLETE, "reason-summary-empty", operations=log.overall_operations)
    if not log.attempted:
        yield _objection(Outcome.FAILED, "reason-no-operation")
    if log.truncated and log.is_ycsb:
        yield _objection(Outcome.INCOMPLETE, "reason-cut")
    if command_line.expects_failures(log.command_line):
        return
    for name in (*log.counted, operations.COMMIT):
        if 0 < log.calls(name) <= log.failures(name):
            yield _objection(Outcome.FAILED, "reason-never-succeeded", operation=name, n=log.failures(name))
    runtime_s = log.runtime_ms / units.MS_PER_S
    if (seconds := _seconds_without_success(log)) > max(LOST_AFTER_S, LOST_SHARE * runtime_s):
        yield _objection(Outcome.FAILED, "reason-no-success", StopReason.SERVER_LOST, seconds=seconds)


def _missing(log: RunLog) -> Iterator[Fact]:
    """The reasons why a log has not one summary, as far as it tells."""
    if log.truncated and log.overall_count == 0 and not math.isnan(log.runtime_ms):
        yield fact("reason-cut")
        return
    yield fact("reason-summaries", n=log.overall_count, ycsb=log.is_ycsb)
    if log.overall_count:
        return
    if log.errors and (thrown := _THROWN.search(log.errors[0])):
        yield fact("reason-first-error", text=thrown[0].strip())
    elif not math.isnan(log.runtime_ms):
        return
    elif log.series.lines:
        yield fact("reason-last-status", seconds=log.series.last_elapsed_s)
    elif not (log.command_line or log.version or log.summaries or log.truncated):
        yield fact("reason-nothing")


def _objection(outcome: Outcome, key: str, stop_reason: str = "", **values: object) -> Verdict:
    return Verdict(outcome, (fact(key, **values),), stop_reason)


def _seconds_without_success(log: RunLog) -> float:
    """How long before the end nothing succeeded any more, by the counts per interval; 0 where that cannot be told."""
    series = log.series
    if not log.failed or series.lines < 2 or series.last_operations < log.succeeded:
        return 0.0
    return log.runtime_ms / units.MS_PER_S - series.last_success_s


def phase(log: RunLog) -> str:
    """load or run: from the command line, else load where nothing but inserts was done, or is told of."""
    if stated := command_line.phase(log.command_line):
        return stated
    operations_named = [s.operation for s in log.summaries if s.operation not in operations.NOT_OPERATIONS]
    done = [name for name in log.counted if log.calls(name)] or operations_named
    return "load" if done == ["INSERT"] else "run"


def warnings(log: RunLog, *, run_phase: str, threads: float, asked: float, write_concern: str = "") -> list[Warn]:
    """The suspicious things in a log, in the order of the enum; `run_phase`: load or run; `threads`, `asked`: client
    threads that ran, and that were asked for, NaN: unknown; `write_concern`: as far as it is known from elsewhere."""
    concern = write_concern.strip().lower()
    batched = any(code == operations.BATCHED_OK for s in log.summaries for code, _ in s.return_codes)
    holds_by_warning = {
        Warn.OPERATIONS_FAILED: log.failed > 0 and not command_line.expects_failures(log.command_line),
        Warn.OPERATIONS_UNMEASURED: log.unmeasured > 0,
        Warn.BATCHED_LATENCY: batched,
        Warn.INTENDED_LATENCY: has_intended_latencies(log),
        Warn.UNACKED_WRITES: "0" in (operations.write_concern(concern), command_line.write_concern(log.command_line)),
        Warn.SHORT_RUN: run_phase == "run" and is_short(log.runtime_ms),
        Warn.CLOCK_STEPPED: log.runtime_ms < 0 or log.throughput_ops_s < 0 or log.series.stepped,
        Warn.COUNTS_DISAGREE: counts_disagree(log),
        Warn.P95_IS_P90: any(s.p95_is_p90 for s in log.summaries),
        Warn.UNIT_LABEL_WRONG: any(s.ms_is_us for s in log.summaries),
        Warn.CENSORED: any(s.censored for s in log.summaries),
        Warn.TRUNCATED: log.truncated or (log.overall_count == 0 and not log.is_excerpt),
        Warn.DERIVED: log.derived,
        Warn.THREADS_UNKNOWN: math.isnan(threads),
        Warn.THREADS_CLIPPED: threads < asked,
        Warn.LITTLE_LAW: not batched and utilisation(log, threads) > closed_loop.MAX_UTILISATION,
        Warn.EXCERPT: log.is_excerpt,
        Warn.COLUMNS_UNREAD: bool(log.unread) and not verdict(log).reasons,  # which say what is worse
        Warn.PERCENTILES_AVERAGED: any(s.averaged for s in log.summaries),
        Warn.OPERATION_UNKNOWN: log.quoted and operations.TOTAL in log.by_operation,
        Warn.POOL_BELOW_THREADS: command_line.pool_size(log.command_line) < threads,
    }
    return [w for w, holds in holds_by_warning.items() if holds]


def is_short(runtime_ms: float) -> bool:
    """Whether a run leaves caches and checkpoints no time to settle."""
    return 0 < runtime_ms < SHORT_RUN_MS * (1 - SHORT_RUN_TOLERANCE)


def has_intended_latencies(log: RunLog) -> bool:
    """Whether latencies hold waiting: they count from when an operation was due, or would have been."""
    return log.intended or command_line.has_intended_latencies(log.command_line)


def utilisation(log: RunLog, threads: float) -> float:
    """U = X R / N, see closed_loop; NaN where it cannot be told: intended latencies hold waiting."""
    if has_intended_latencies(log):
        return math.nan
    return closed_loop.of_series(((s.operation, s.count, s.mean_us) for s in log.summaries), log.runtime_ms, threads)


def counts_disagree(log: RunLog) -> bool:
    return bool(log.conflicts) or codes_disagree(log) or _totals_disagree(log) or not all(map(in_order, log.summaries))


def in_order(s: Summary) -> bool:
    """Whether the latencies of an operation can be those of one set. What is not printed contradicts nothing."""
    values = [v for _, v in s.percentiles if not math.isnan(v)]
    return bool(are_in_order(*(np.array([v]) for v in (s.min_us, s.mean_us, s.max_us)), np.array([values], float))[0])


def are_in_order(lowest: np.ndarray, mean: np.ndarray, highest: np.ndarray, percentiles: np.ndarray) -> np.ndarray:
    """Like in_order, for many logs: latencies in us, percentiles as a row for each log from the lowest up."""
    odd = (lowest > highest) | (mean < lowest - MEAN_TOLERANCE_US) | (mean > highest + MEAN_TOLERANCE_US)
    odd |= (percentiles[:, 1:] < percentiles[:, :-1]).any(axis=1)
    least, most = lowest - PERCENTILE_TOLERANCE_US, highest * BUCKET_TOLERANCE + PERCENTILE_TOLERANCE_US
    return ~odd & ~((percentiles < least[:, None]) | (percentiles > most[:, None])).any(axis=1)


def codes_disagree(log: RunLog) -> bool:
    summaries = (log.by_operation.get(name) for name in (*log.counted, operations.COMMIT))
    coded = (s for s in summaries if s and s.return_codes and not math.isnan(s.count))
    # Old releases count failures among the operations, newer ones keep them apart.
    return any(s.count not in (s.ok + s.batched_ok, s.ok + s.batched_ok + s.errors) for s in coded)


def _totals_disagree(log: RunLog) -> bool:
    if log.overall_count > 1:
        return True
    if log.overall_count == 0 or not log.runtime_ms > 0:
        return False
    overall = log.overall_operations
    if log.attempted > 0 and not log.totals_agree:
        return not log.is_excerpt
    s = log.series
    of_series = (s.last_operations, s.peak_ops_s, s.last_interval_s)
    return s.lines > 1 and not reaches(overall, *of_series, log.runtime_ms, slack=log.slack)


def reaches(overall, last, peak_ops_s, end_s, runtime_ms, *, slack):
    """Whether status lines are of a run of `overall` operations: never more, less only by what fits in the unseen rest.
    Numbers or arrays of many logs; `last`: operations at the last status line, which ends at `end_s`; `peak_ops_s`: of
    the fastest interval; `slack`: how many operations `overall` may be off."""
    unseen_s = np.maximum(0.0, runtime_ms / units.MS_PER_S - end_s)
    missing = overall - last - slack
    return (last <= overall + slack) & ~(missing > peak_ops_s * (unseen_s + CLOCK_TOLERANCE_S))
