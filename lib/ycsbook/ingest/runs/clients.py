"""Several clients of one run as one run: what can be added is added, and what cannot be is not made up.

Counts are summed per return code, means weighted by count. Percentiles come from summed histograms only; without them
their smallest and largest value stand as bounds, never an average or a maximum. Throughput is counted inside the time
that the clients have in common.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ycsbook import units
from ycsbook.errors import RunLogError
from ycsbook.facts import fact
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.readers import hdr
from ycsbook.ingest.runs import checks, client_windows
from ycsbook.ingest.runs.checks import SHORT_RUN_MS, SHORT_RUN_TOLERANCE, Verdict
from ycsbook.ingest.runs.client_windows import Window
from ycsbook.ingest.runs.resample import merged_series
from ycsbook.ingest.runs.rows import Histogram
from ycsbook.verdicts import Outcome, Warn, of_clients

MAX_ERRORS = 5
_WORST_FIRST = (Outcome.INCOMPLETE, Outcome.FAILED)


@dataclass(frozen=True)
class Merged:
    """One run of several clients.

    `log`: as if one client had written it. Its `throughput_ops_s` is that of the common window, its `runtime_ms` the
    time from the first client's start to the last one's end; `log.said` has clients, threads, target_ops_s,
    client_sum_ops_s, union_ops_s and client_skew_s, as far as they are known. `histograms`: per operation of which
    every client has an exact one. `verdict` and `warnings` are those of the run: the clients' own, and what their
    sum shows.
    """

    log: RunLog
    histograms: dict[str, Histogram]
    verdict: Verdict
    warnings: tuple[Warn, ...]
    clients: int

    @property
    def columns(self) -> dict[str, float | str]:
        """Columns of the `runs` table that only a run of several clients has, or has otherwise."""
        return dict(self.log.said)


def merge(
    logs: Sequence[RunLog], histograms: Sequence[Mapping[str, Histogram]], ahead_s: Sequence[float] = ()
) -> Merged:
    """Merge the logs of the clients of one run.

    A client that is incomplete makes the run incomplete. So do clients whose status lines have no clock: nobody can
    tell whether they ran at the same time. Then only the sum of their throughputs is given, as that.

    Parameters
        logs: one per client, two or more; in the order in which messages number them, from 0.
        histograms: of each client, by operation.
        ahead_s: as for `client_windows.windows`.
    Raises
        RunLogError: they are no clients of one run: other phases, not at the same time, or clocks that may show
            different time zones.
    """
    phases = [checks.phase(log) for log in logs]
    if len(set(phases)) > 1:
        said = ", ".join(f"client {i} is a {phase}" for i, phase in enumerate(phases))
        reason = f"these are no clients of one run: {said}; each is read as a run of its own"
        raise RunLogError(logs[0].source, None, reason)
    verdicts = [checks.verdict(log) for log in logs]
    verdict = _worst(verdicts)
    windows = None
    if verdict.outcome != Outcome.INCOMPLETE:
        windows = client_windows.windows(logs, [_started_s(h) for h in histograms], ahead_s)
        if windows is None:
            verdict = Verdict(Outcome.INCOMPLETE, (fact("reason-clients-without-clock"),))
    exact = [_exact(log, found) for log, found in zip(logs, histograms, strict=True)]
    together = _histograms(logs, exact)
    log = _log(logs, exact, together, windows)
    if verdict.outcome == Outcome.COMPLETED:
        verdict = checks.verdict(log)
    inexact = any(set(own) != set(found) for own, found in zip(exact, histograms, strict=True))
    return Merged(log, together, verdict, _warnings(logs, log, phases[0], windows, inexact), len(logs))


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The worst of the clients' verdicts, with everybody's reasons."""
    for outcome in _WORST_FIRST:
        bad = [(i, v) for i, v in enumerate(verdicts) if v.outcome == outcome]
        if bad:
            reasons = tuple(of_clients([i], reason) for i, v in bad for reason in v.reasons)
            stop = next((v.stop_reason for _, v in bad if v.stop_reason), "")
            return Verdict(outcome, reasons, stop)
    return Verdict(Outcome.COMPLETED)


def _started_s(histograms: Mapping[str, Histogram]) -> float:
    """When the first of a client's histograms was begun, s since 1970 UTC; NaN: not known."""
    told = [h.log.start_time_s for h in histograms.values() if math.isfinite(h.log.start_time_s)]
    return min(told, default=math.nan)


def _exact(log: RunLog, histograms: Mapping[str, Histogram]) -> dict[str, Histogram]:
    """The histograms that count what the log counts; the others were cut, or are of another run."""
    counts = {s.operation: s.count for s in log.summaries}
    return {name: h for name, h in histograms.items() if h.log.count == counts.get(name) and not h.log.truncated}


def _histograms(logs: Sequence[RunLog], exact: Sequence[Mapping[str, Histogram]]) -> dict[str, Histogram]:
    """The sum for each operation of which every client that did it has an exact histogram of the same mapping."""
    found = {}
    for name in _operations(logs):
        having = [own.get(name) for log, own in zip(logs, exact, strict=True) if _did(log, name)]
        if having and None not in having:
            try:
                found[name] = replace(having[0], log=hdr.merged([h.log for h in having]))
            except RunLogError:
                continue  # recorded with other digits: their percentiles stand as bounds
    return found


def _operations(logs: Sequence[RunLog]) -> list[str]:
    return list(dict.fromkeys(s.operation for log in logs for s in log.summaries))


def _did(log: RunLog, name: str) -> bool:
    one = log.by_operation.get(name)
    return one is not None and one.count != 0


def _log(
    logs: Sequence[RunLog],
    exact: Sequence[Mapping[str, Histogram]],
    histograms: Mapping[str, Histogram],
    windows: Sequence[Window] | None,
) -> RunLog:
    first = logs[0]
    summaries = []
    for name in _operations(logs):
        known = [
            (log.by_operation[name], own.get(name))
            for log, own in zip(logs, exact, strict=True)
            if name in log.by_operation
        ]
        summaries.append(_summary(name, known, name in histograms))
    counts = [log.overall_count for log in logs]
    return RunLog(
        format="+".join(sorted({log.format for log in logs})),
        command_line=first.command_line,
        version=first.version if len({log.version for log in logs}) == 1 else "",
        overall_count=0 if 0 in counts else max(counts),
        runtime_ms=float(round(client_windows.union_s(windows) * units.MS_PER_S)) if windows else math.nan,
        throughput_ops_s=client_windows.throughput_ops_s(logs, windows) if windows else math.nan,
        summaries=tuple(summaries),
        series=merged_series(logs, windows) if windows else Series(),
        status_source=first.status_source,
        said=_said(logs, windows),
        gc_time_ms=sum(log.gc_time_ms for log in logs),
        errors=tuple(dict.fromkeys(e for log in logs for e in log.errors))[:MAX_ERRORS],
        conflicts=tuple(f"client {i}: {c}" for i, log in enumerate(logs) for c in log.conflicts),
        truncated=any(log.truncated for log in logs),
        overlong_lines=sum(log.overlong_lines for log in logs),
        derived=any(log.derived for log in logs),
        source=first.source,
    )


def _said(logs: Sequence[RunLog], windows: Sequence[Window] | None) -> dict[str, float | str]:
    threads = [log.threads for log in logs]
    targets = [checks.target_ops_s(log.command_line) for log in logs]
    said = {
        **{k: v for k, v in logs[0].said.items() if all(log.said.get(k) == v for log in logs)},
        "clients": float(len(logs)),
        "threads": math.nan if None in threads else float(sum(threads)),
        "target_ops_s": math.fsum(targets),
    }
    if math.isfinite(pools := math.fsum(map(checks.pool_size, logs))):
        said["pool_size"] = pools
    if all(checks.verdict(log).outcome != Outcome.INCOMPLETE for log in logs):
        said["client_sum_ops_s"] = math.fsum(log.throughput_ops_s for log in logs)
    if windows:
        overall = math.fsum(checks.overall_operations(log) for log in logs)
        said["union_ops_s"] = overall / client_windows.union_s(windows)
        said["client_skew_s"] = client_windows.skew_s(windows)
    return said


def _summary(name: str, known: Sequence[tuple[Summary, Histogram | None]], has_histogram: bool) -> Summary:
    """One operation of all clients: its summary in each client's log, and that client's exact histogram."""
    summaries = [s for s, _ in known]
    done = [(s, h) for s, h in known if s.count != 0]
    codes: Counter[str] = Counter()
    for s in summaries:
        codes.update(dict(s.return_codes))
    count = math.fsum(s.count for s in summaries)
    percentiles, estimated, bounds = (), (), ()
    if len(done) == 1:
        percentiles, estimated = done[0][0].percentiles, done[0][0].estimated
    elif done and not has_histogram:
        bounds = _bounds(done)
    return Summary(
        name,
        count=count,
        mean_us=math.fsum(s.mean_us * s.count for s, _ in done) / count if count else math.nan,
        min_us=_over((s.min_us for s, _ in done), min),
        max_us=_over((s.max_us for s, _ in done), max),
        percentiles=percentiles,
        return_codes=tuple(sorted(codes.items())),
        source=summaries[0].source,
        censored=sum(s.censored for s in summaries),
        ms_is_us=any(s.ms_is_us for s in summaries),
        p95_is_p90=any(s.p95_is_p90 for s in summaries),
        estimated=estimated,
        bounds=bounds,
    )


def _bounds(done: Sequence[tuple[Summary, Histogram | None]]) -> tuple[tuple[float, float, float], ...]:
    """The range of the clients' values, for each percentile that all of them have."""
    each = []
    for s, histogram in done:
        own = {p: v for p, v in (*s.estimated, *s.percentiles) if not math.isnan(v)}
        each.append(own | (histogram.log.percentiles() if histogram else {}))
    both = sorted(set(each[0]).intersection(*each[1:]))
    return tuple((p, min(own[p] for own in each), max(own[p] for own in each)) for p in both)


def _over(values, choose) -> float:
    """The smallest or largest; NaN where one is not known."""
    found = list(values)
    return choose(found) if found and not any(math.isnan(v) for v in found) else math.nan


def _warnings(
    logs: Sequence[RunLog], merged: RunLog, phase: str, windows: Sequence[Window] | None, inexact: bool
) -> tuple[Warn, ...]:
    """Each client's own, but for its duration: what counts is how long all of them ran together."""
    found: set[Warn] = set()
    for log in logs:
        threads, asked = (math.nan if n is None else float(n) for n in (log.threads, log.threads_asked))
        concern = checks.printed_concern(log.command_line)
        found.update(checks.warnings(log, run_phase=phase, threads=threads, asked=asked, write_concern=concern))
    if inexact or (windows and checks.counts_disagree(merged)):
        found.add(Warn.COUNTS_DISAGREE)
    if windows and phase == "run":
        start, end = max(w.start for w in windows), min(w.end for w in windows)
        if (end - start) * units.MS_PER_S < SHORT_RUN_MS * (1 - SHORT_RUN_TOLERANCE):
            found.add(Warn.SHORT_RUN)
    return tuple(w for w in Warn if w in found)
