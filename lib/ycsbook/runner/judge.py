"""What a run is worth, decided from its log and its plan, never from an exit code.

YCSB exits 0 with a closed port, a wrong password, a server killed mid-run and a load over existing data.
"""

from collections.abc import Sequence

from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import checks
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import PlannedRun
from ycsbook.verdicts import Outcome, StopReason, Warn

__all__ = ["Verdict", "judge"]

# YCSB checks its clock between operations, so a run may read a little under its planned time.
DURATION_TOLERANCE = 0.02


def judge(logs: Sequence[RunLog], run: PlannedRun, phase: str, stop_reason: StopReason | None = None) -> Verdict:
    """The verdict on one run; every reason against it is named.

    That of the log alone, made worse where the plan was not kept: what is completed here is so for any later reader.
    A process makes one run, so a log with several is none of them.
    """
    if stop_reason is not None:
        return Verdict(Outcome.INCOMPLETE, (f"ended early: {stop_reason}",), stop_reason)
    if len(logs) != 1:
        return Verdict(Outcome.INCOMPLETE, (f"the log holds {len(logs)} runs, expected one",))
    log = logs[0]
    own = checks.verdict(log)
    if own.outcome == Outcome.INCOMPLETE:
        return Verdict(own.outcome, (*own.reasons, *_first_error(log)), own.stop_reason)
    reasons = (*own.reasons, *(_load_reasons(log, run) if phase == "load" else _run_reasons(log, run)))
    if reasons:
        return Verdict(Outcome.FAILED, (*reasons, *_first_error(log)), own.stop_reason)
    clipped = log.threads is not None and log.threads < run.threads and phase == "run"
    return Verdict(Outcome.COMPLETED, warnings=(Warn.THREADS_CLIPPED,) if clipped else ())


def _load_reasons(log: RunLog, run: PlannedRun) -> list[str]:
    wanted, done = run.sweep.records, log.succeeded
    return [] if done == wanted else [f"{done:,} records were inserted, expected {wanted:,}"]


def _run_reasons(log: RunLog, run: PlannedRun) -> list[str]:
    reasons = []
    sweep = run.sweep
    if sweep.operations is None and log.runtime_ms < sweep.min_duration * 1000 * (1 - DURATION_TOLERANCE):
        reasons.append(f"ran {log.runtime_ms / 1000:.1f} s, expected {sweep.min_duration:g} s")
    if sweep.operations is not None and log.attempted != sweep.operations:
        reasons.append(f"{log.attempted:,} operations were finished, expected {sweep.operations:,}")
    share = log.failed / log.attempted if log.attempted else 0.0
    if share > sweep.max_failed:
        reasons.append(
            f"{log.failed:,} of {log.attempted:,} operations failed ({share:.2%}), "
            f"allowed are {sweep.max_failed:.2%} (max_failed)"
        )
    return reasons


def _first_error(log: RunLog) -> tuple[str, ...]:
    return (f"first error: {log.errors[0]}",) if log.errors else ()
