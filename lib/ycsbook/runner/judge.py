"""What a run is worth, decided from its log, its plan and the samples beside it, never from an exit code.

YCSB exits 0 with a closed port, a wrong password, a server killed mid-run and a load over existing data.
"""

import math
from collections.abc import Sequence

from ycsbook import units
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import checks
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import PlannedRun
from ycsbook.runner.server_story import ServerStory
from ycsbook.verdicts import Outcome, StopReason, Warn

__all__ = ["Verdict", "judge"]

# YCSB checks its clock between operations, so a run may read a little under its planned time.
DURATION_TOLERANCE = 0.02
# A server that has told nothing for so long before the end of a run without success was not merely busy.
SILENT_S = 5.0

_UNTOLD = ServerStory()


def judge(
    logs: Sequence[RunLog],
    run: PlannedRun,
    phase: str,
    stop_reason: StopReason | None = None,
    server: ServerStory = _UNTOLD,
) -> Verdict:
    """The verdict on one run; every reason against it is named.

    That of the log alone, made worse where the plan was not kept: what is completed here is so for any later reader.
    A process makes one run, so a log with several is none of them. What was measured across a restart of the server is
    not what was planned, even where no operation failed.

    Parameters
        server: what the samples tell of it.
    """
    found = _of_log(logs, run, phase, stop_reason)
    if not math.isnan(server.restarted_s) and stop_reason is None:
        after = units.duration(server.restarted_s)
        reason = f"the server started anew, or another member answered, after {after}"
        worse = Outcome.FAILED if found.outcome == Outcome.COMPLETED else found.outcome
        return Verdict(worse, (*found.reasons, reason), StopReason.SERVER_LOST, found.warnings)
    if found.outcome != Outcome.COMPLETED and not found.stop_reason and (server.gone or server.silent_s >= SILENT_S):
        reason = f"the server told nothing in the last {units.duration(server.silent_s)}"
        if server.gone:
            return Verdict(
                Outcome.INCOMPLETE, (*found.reasons, "the server does not answer any more"), StopReason.SERVER_LOST,
                found.warnings,
            )  # fmt: skip
        return Verdict(found.outcome, (*found.reasons, reason), StopReason.SERVER_LOST, found.warnings)
    return found


def _of_log(logs: Sequence[RunLog], run: PlannedRun, phase: str, stop_reason: StopReason | None) -> Verdict:
    if stop_reason is not None:
        return Verdict(Outcome.INCOMPLETE, (f"ended early: {stop_reason}",), stop_reason)
    if len(logs) != 1:
        return Verdict(Outcome.INCOMPLETE, (f"the log holds {len(logs)} runs, expected one",))
    log = logs[0]
    own = checks.verdict(log)
    if own.outcome == Outcome.INCOMPLETE:
        return Verdict(own.outcome, (*own.reasons, *_first_error(log)), own.stop_reason)
    planned = _load_reasons(log, run) if phase == "load" else _run_reasons(log, run)
    clipped = log.threads is not None and log.threads < run.threads and phase == "run"
    warnings = (Warn.THREADS_CLIPPED,) if clipped else ()
    if reasons := (*own.reasons, *_sums(log), *planned):
        return Verdict(Outcome.FAILED, (*reasons, *_first_error(log)), own.stop_reason, warnings)
    return Verdict(Outcome.COMPLETED)


def _sums(log: RunLog) -> list[str]:
    """What in the summary does not add up: then operations are missing from it, and nobody knows how they ended."""
    reasons = []
    if checks.codes_disagree(log):
        reasons.append("the return codes of an operation do not add up to its count")
    if log.attempted and not checks.totals_agree(log):
        overall = checks.overall_operations(log)
        reasons.append(f"the summary lists {log.attempted:,} operations, [OVERALL] stands for {overall:,.0f}")
    return reasons


def _load_reasons(log: RunLog, run: PlannedRun) -> list[str]:
    wanted, done = run.sweep.records, log.succeeded
    return [] if done == wanted else [f"{done:,} records were inserted, expected {wanted:,}"]


def _run_reasons(log: RunLog, run: PlannedRun) -> list[str]:
    reasons = []
    sweep = run.sweep
    if log.threads is not None and log.threads < run.threads:
        reasons.append(f"{log.threads} client threads ran, expected {run.threads}")
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
