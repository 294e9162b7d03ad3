"""What a run of several clients is worth: each client by its own log and share, and all of them together."""

from collections.abc import Sequence

from ycsbook.errors import RunLogError
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import clients as together
from ycsbook.params import PlannedRun
from ycsbook.runner.judge import Verdict, judge
from ycsbook.runner.server_story import ServerStory
from ycsbook.verdicts import Outcome, StopReason, Warn

_WORST_FIRST = (Outcome.INCOMPLETE, Outcome.FAILED)


def judged(
    logs: Sequence[Sequence[RunLog]],
    shares: Sequence[PlannedRun],
    planned: PlannedRun,
    server: ServerStory,
    *,
    ahead_s: Sequence[float] = (),
    stop_reason: StopReason | None = None,
    reasons: Sequence[str] = (),
) -> Verdict:
    """The verdict on the run; every reason names its client.

    Parameters
        logs: what each client's files hold, as read: one run each, if all went well.
        shares: each client's part of the plan.
        server: what the samples tell of it.
        ahead_s: how far each client's clock is ahead of the runner's, s.
        stop_reason, reasons: why the run was ended early, if it was; without a stop reason because of what the log of
            a client shows, which did not do its share.
    """
    if stop_reason is not None:
        return Verdict(Outcome.INCOMPLETE, tuple(reasons), stop_reason)
    if reasons:
        return Verdict(Outcome.INCOMPLETE, (*reasons, "the other clients were ended then"))
    verdicts = [judge(found, share, "run", None, server) for found, share in zip(logs, shares, strict=True)]
    for outcome in _WORST_FIRST:
        bad = [(i, v) for i, v in enumerate(verdicts) if v.outcome == outcome]
        if bad:
            told = _named([(f"client {i}", reason) for i, v in bad for reason in v.reasons], len(logs))
            return Verdict(outcome, told, next((v.stop_reason for _, v in bad if v.stop_reason), ""))
    return _of_all([log for [log] in logs], planned, verdicts, ahead_s)


def _named(reasons: Sequence[tuple[str, str]], n: int) -> tuple[str, ...]:
    """Each reason with its client; what all clients say is said once."""
    who: dict[str, list[str]] = {}
    for name, reason in reasons:
        who.setdefault(reason, []).append(name)
    return tuple(r if len(names) == n > 1 else f"{', '.join(names)}: {r}" for r, names in who.items())


def _of_all(
    logs: Sequence[RunLog], planned: PlannedRun, verdicts: Sequence[Verdict], ahead_s: Sequence[float]
) -> Verdict:
    """That of clients each of which did its share."""
    if len(logs) > 1:
        try:
            merged = together.merge(logs, [{} for _ in logs], ahead_s).verdict
        except RunLogError as e:
            return Verdict(Outcome.INCOMPLETE, (e.reason,))
        if merged.outcome != Outcome.COMPLETED:
            return merged
    failed, attempted = sum(log.failed for log in logs), sum(log.attempted for log in logs)
    share, allowed = (failed / attempted if attempted else 0.0), planned.sweep.max_failed
    if share > allowed:
        reason = f"{failed:,} of {attempted:,} operations failed ({share:.2%}), allowed are {allowed:.2%} (max_failed)"
        errors = [f"first error of client {i}: {log.errors[0]}" for i, log in enumerate(logs) if log.errors]
        return Verdict(Outcome.FAILED, (reason, *errors))
    named = {warning for verdict in verdicts for warning in verdict.warnings}
    return Verdict(Outcome.COMPLETED, warnings=tuple(w for w in Warn if w in named))
