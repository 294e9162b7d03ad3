"""Judges a run by its logs, its plan and the samples beside it, never by an exit code.

YCSB exits 0 with a closed port, a wrong password, a server killed mid-run and a load over existing data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ycsbook import units
from ycsbook.errors import RunLogError
from ycsbook.facts import Fact, fact
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import checks, samples
from ycsbook.ingest.runs import clients as client_logs
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.ingest.runs.samples import COUNTED
from ycsbook.params import PlannedRun
from ycsbook.servers.kind import Counters
from ycsbook.verdicts import Outcome, StopReason, Warn

# YCSB checks its clock between operations, so a run may read a little under its planned time.
DURATION_TOLERANCE = 0.02
# What the clock may be set by during a run, s, before it is said: the load generator's durations are by that clock.
CLOCK_TOLERANCE_S = 1.0
# A server that has told nothing for so long before the end of a run without success was not merely busy.
SILENT_S = 5.0
# How often a server is asked after a run, half a second each.
PINGS = 4
# What the server itself told; a row that has none of these was written while it did not answer.
_SERVER_COLUMNS = (*COUNTED, "connections")


@dataclass(frozen=True)
class ServerSamples:
    """What the samples beside a run tell of its server. `silent_s`: how long it had been silent at the end, s;
    `restarted_s`: when, from the first sample, a count of it fell, which only a new process or another member of a set
    explains; NaN: never; `gone`: it does not answer after the run."""

    silent_s: float = 0.0
    restarted_s: float = math.nan
    gone: bool = False


_NO_SAMPLES = ServerSamples()


def judge(
    logs: Sequence[RunLog],
    run: PlannedRun,
    phase: str,
    stop_reason: StopReason | None = None,
    server: ServerSamples = _NO_SAMPLES,
) -> Verdict:
    """The verdict on one run, with every reason against it: first by its log, then by the plan and the server's
    samples. A run across a restart of the server is not as planned, even where no operation failed."""
    verdict = _of_log(logs, run, phase, stop_reason)
    outcome = verdict.outcome
    if not math.isnan(server.restarted_s) and stop_reason is None:
        reason = fact("reason-server-restarted", seconds=server.restarted_s)
        outcome = Outcome.FAILED if outcome == Outcome.COMPLETED else outcome
    elif outcome == Outcome.COMPLETED or verdict.stop_reason:
        return verdict
    elif server.gone:
        reason, outcome = fact("reason-server-gone"), Outcome.INCOMPLETE
    elif server.silent_s >= SILENT_S:
        reason = fact("reason-server-silent", seconds=server.silent_s)
    else:
        return verdict
    return Verdict(outcome, (*verdict.reasons, reason), StopReason.SERVER_LOST, verdict.warnings)


def _of_log(logs: Sequence[RunLog], run: PlannedRun, phase: str, stop_reason: StopReason | None) -> Verdict:
    if stop_reason is not None:
        return Verdict(Outcome.INCOMPLETE, (ended_early(stop_reason),), stop_reason)
    if len(logs) != 1:
        return Verdict(Outcome.INCOMPLETE, (fact("reason-runs-in-log", n=len(logs)),))
    log = logs[0]
    by_log = checks.verdict(log)
    if by_log.outcome == Outcome.INCOMPLETE:
        return Verdict(by_log.outcome, (*by_log.reasons, *_first_error(log)), by_log.stop_reason)
    # What does not add up: operations are missing from the summary, and nobody knows how they ended.
    reasons = [*by_log.reasons, *([fact("reason-codes")] if checks.codes_disagree(log) else [])]
    if log.attempted and not log.totals_agree:
        reasons.append(fact("reason-totals", listed=log.attempted, overall=log.overall_operations))
    warnings = ()
    if phase == "load":
        if log.succeeded != run.sweep.records:
            reasons.append(fact("reason-records", inserted=log.succeeded, planned=run.sweep.records))
    else:
        if log.threads is not None and log.threads < run.threads:
            warnings = (Warn.THREADS_CLIPPED,)
            reasons.append(fact("reason-threads", ran=log.threads, planned=run.threads))
        runtime_s, least_s = log.runtime_ms / units.MS_PER_S, run.sweep.min_duration
        if run.operations is None and runtime_s < least_s * (1 - DURATION_TOLERANCE):
            reasons.append(fact("reason-too-short", seconds=runtime_s, planned=least_s))
        if run.operations is not None and log.attempted != run.operations:
            reasons.append(fact("reason-operations", finished=log.attempted, planned=run.operations))
        reasons += _failures([log], run.sweep.max_failed)
    if reasons:
        return Verdict(Outcome.FAILED, (*reasons, *_first_error(log)), by_log.stop_reason, warnings)
    return Verdict(Outcome.COMPLETED)


def by_clock(verdict: Verdict, stepped_s: float, took_s: float) -> Verdict:
    """The verdict on a run during which the clock was set by `stepped_s`: where that is a larger part of `took_s`, its
    real duration, than the tolerance, its run time and throughput are wrong."""
    if verdict.outcome != Outcome.COMPLETED or abs(stepped_s) <= max(CLOCK_TOLERANCE_S, DURATION_TOLERANCE * took_s):
        return verdict
    reason = fact("reason-clock-set", seconds=stepped_s)
    return Verdict(Outcome.FAILED, (reason,), verdict.stop_reason, verdict.warnings)


def ended_early(stop_reason: StopReason) -> Fact:
    return fact("reason-ended-early", stop_reason=fact(f"stop-{stop_reason}"))


def _failures(logs: Sequence[RunLog], allowed: float) -> list[Fact]:
    failed, attempted = sum(log.failed for log in logs), sum(log.attempted for log in logs)
    share = failed / attempted if attempted else 0.0
    if share <= allowed:
        return []
    return [fact("reason-failures", failed=failed, attempted=attempted, share=share, allowed=allowed)]


def _first_error(log: RunLog) -> tuple[Fact, ...]:
    return (fact("reason-first-error", text=log.errors[0]),) if log.errors else ()


def server_samples(folder: Path, counters: Counters) -> ServerSamples:
    """What the samples in a run's folder show of the server, and whether it answers now; asked several times."""
    gone = not any(counters.answers() for _ in range(PINGS))
    rows = samples.read(folder)
    at_s, counts = rows["epoch_s"], rows[list(COUNTED)]
    answered = at_s[rows[list(_SERVER_COLUMNS)].notna().any(axis=1)]
    fell = at_s[(counts < counts.cummax()).any(axis=1)]
    return ServerSamples(
        silent_s=float(at_s.iloc[-1] - answered.iloc[-1]) if len(answered) else 0.0,
        restarted_s=float(fell.iloc[0] - at_s.iloc[0]) if len(fell) else math.nan,
        gone=gone,
    )


def judge_clients(
    logs: Sequence[Sequence[RunLog]],
    shares: Sequence[PlannedRun],
    planned: PlannedRun,
    server: ServerSamples,
    ahead_s: Sequence[float] = (),
) -> Verdict:
    """The verdict on a run that was not ended early; reasons name their client. `logs`: of each client, one run if all
    went well; `shares`: each one's plan; `ahead_s`: of its clock before the runner's, s."""
    verdicts = [judge(own_logs, share, "run", None, server) for own_logs, share in zip(logs, shares, strict=True)]
    if worst := checks.worst_of_clients(verdicts):
        return worst
    single = [log for [log] in logs]
    if len(single) > 1:
        try:
            merged = client_logs.merge(single, [{} for _ in single], ahead_s).verdict
        except RunLogError:
            return Verdict(Outcome.INCOMPLETE, (fact("reason-clients-apart"),))
        if merged.outcome != Outcome.COMPLETED:
            return merged
    if failures := _failures(single, planned.sweep.max_failed):
        errors = [
            fact("reason-first-error-of-client", client=i, text=log.errors[0])
            for i, log in enumerate(single)
            if log.errors
        ]
        return Verdict(Outcome.FAILED, (*failures, *errors))
    warnings = {warning for verdict in verdicts for warning in verdict.warnings}
    return Verdict(Outcome.COMPLETED, warnings=tuple(w for w in Warn if w in warnings))
