"""Several clients of one run as one run: what can be added is added, and what cannot be is not made up.

Counts are summed per return code, means weighted by count. Percentiles come from summed histograms only; without them
their smallest and largest value stand as bounds, never an average or a maximum. Throughput is counted inside the time
that the clients have in common.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ycsbook import units
from ycsbook.errors import RunLogError
from ycsbook.facts import fact
from ycsbook.ingest.log.labels import server_of_text
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.readers import hdr
from ycsbook.ingest.readers.text_runs import MAX_ERRORS
from ycsbook.ingest.runs import checks, client_windows, command_line
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.ingest.runs.client_windows import Window
from ycsbook.ingest.runs.rows import Histogram
from ycsbook.ingest.runs.runs import RunEvidence
from ycsbook.verdicts import Outcome, Warn

_DRAWN = re.compile(r"\d+\b|(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}\b")
_Part = tuple[Summary, Histogram | None]
# Whoever searches several logs has their names before the lines: `workloada/t16.log:[OVERALL], ...`.
FILE = re.compile(r"\.(?:log|txt|out|dat|run|res)$")


def merge(
    logs: Sequence[RunLog], histograms: Sequence[Mapping[str, Histogram]], ahead_s: Sequence[float] = ()
) -> RunEvidence:
    """Merge the logs of the clients of one run, two or more, to one, as if one client had written it, still without its
    id; `histograms`: of each client, by operation; `ahead_s`: as for `client_windows.windows`.

    Its `throughput_ops_s` is that of the common window, its `runtime_ms` the time from the first client's start to the
    last one's end; `log.columns` has clients, threads, target_ops_s, client_sum_ops_s, union_ops_s and client_skew_s,
    as far as they are known. Histograms are of operations of which every client has an exact one. A client that is
    incomplete makes the run incomplete, and so do status lines without a clock: then only the sum of throughputs is
    given.

    Raises RunLogError: other phases, not at the same time, or clocks that may show different time zones."""
    phases = [checks.phase(log) for log in logs]
    if len(set(phases)) > 1:
        listed = ", ".join(f"client {i} is a {phase}" for i, phase in enumerate(phases))
        reason = f"these are no clients of one run: {listed}; each is read as a run of its own"
        raise RunLogError(logs[0].source, None, reason)
    # Sums need the buckets, also of what was measured to the microsecond.
    histograms = [{name: replace(h, log=h.log.histogram) for name, h in client.items()} for client in histograms]
    verdicts = [checks.verdict(log) for log in logs]
    verdict = checks.worst_of_clients(verdicts) or Verdict(Outcome.COMPLETED)
    windows = None
    if verdict.outcome != Outcome.INCOMPLETE:
        # When the first of a client's histograms was begun, s since 1970 UTC; NaN: not known.
        starts = ([h.log.start_time_s for h in of_client.values()] for of_client in histograms)
        started_s = [min(filter(math.isfinite, of_client), default=math.nan) for of_client in starts]
        windows = client_windows.windows(logs, started_s, ahead_s)
        if windows is None:
            verdict = Verdict(Outcome.INCOMPLETE, (fact("reason-clients-without-clock"),))
    parts: dict[str, list[_Part]] = {}
    for log, of_client in zip(logs, histograms, strict=True):
        for name, summary in log.by_operation.items():
            histogram = of_client.get(name)
            parts.setdefault(name, []).append((summary, histogram if histogram and histogram.is_of(summary) else None))
    sums = {name: histogram for name, of_clients in parts.items() if (histogram := _sum(of_clients))}
    summaries = [_summary(name, of_clients, name in sums) for name, of_clients in parts.items()]
    log = _log(logs, summaries, windows)
    if verdict.outcome == Outcome.COMPLETED:
        verdict = checks.verdict(log)
    n_exact = sum(histogram is not None for of_clients in parts.values() for _, histogram in of_clients)
    inexact = n_exact < sum(map(len, histograms))
    warnings = _warnings(logs, log, phases[0], windows, inexact)
    return RunEvidence("", log, histograms=sums, verdict=verdict, warnings=warnings)


def of_one_run(logs: Sequence[RunLog]) -> list[list[int]]:
    """Indexes of the logs of one file, together where they may be of clients of one run: as many logs of each printer,
    whose names differ in a number, or in what Kubernetes draws for a pod. Addresses may be of servers as well, and
    files of other runs."""
    by_printer: dict[str, list[int]] = {}
    for i, log in enumerate(logs):
        by_printer.setdefault(log.printer, []).append(i)
    kinds = {_DRAWN.sub("", name) for name in by_printer}
    are_named = any(map(str.isalpha, min(kinds))) and not any(map(server_of_text, by_printer))
    are_named &= not any(FILE.search(name) and "client" not in name for name in by_printer)
    if len(by_printer) > len(kinds) == 1 == len(set(map(len, by_printer.values()))) and are_named:
        return [list(group) for group in zip(*by_printer.values(), strict=True)]
    return [[i] for i in range(len(logs))]


def _sum(parts: Sequence[_Part]) -> Histogram | None:
    """The sum over clients that did the operation; None where one has none, or another mapping."""
    histograms = [histogram for summary, histogram in parts if summary.count != 0]
    if not histograms or None in histograms:
        return None
    try:
        return replace(histograms[0], log=hdr.merged([h.log for h in histograms]))
    except RunLogError:
        return None  # recorded with other digits: their percentiles stand as bounds


def _log(logs: Sequence[RunLog], summaries: Sequence[Summary], windows: Sequence[Window] | None) -> RunLog:
    first = logs[0]
    counts = [log.overall_count for log in logs]
    return RunLog(
        format="+".join(sorted({log.format for log in logs})),
        command_line=first.command_line,
        version=first.version if len({log.version for log in logs}) == 1 else "",
        overall_count=0 if 0 in counts else max(counts),
        runtime_ms=float(round(client_windows.union_s(windows) * units.MS_PER_S)) if windows else math.nan,
        throughput_ops_s=client_windows.throughput_ops_s(logs, windows) if windows else math.nan,
        summaries=tuple(summaries),
        series=client_windows.merged_series(logs, windows) if windows else Series(),
        status_source=first.status_source,
        columns=_columns(logs, windows),
        errors=tuple(dict.fromkeys(e for log in logs for e in log.errors))[:MAX_ERRORS],
        conflicts=tuple(f"client {i}: {c}" for i, log in enumerate(logs) for c in log.conflicts),
        truncated=any(log.truncated for log in logs),
        derived=any(log.derived for log in logs),
        source=first.source,
    )


def _columns(logs: Sequence[RunLog], windows: Sequence[Window] | None) -> dict[str, float | str]:
    threads = [math.nan if log.threads is None else float(log.threads) for log in logs]
    columns = {
        **{k: v for k, v in logs[0].columns.items() if all(log.columns.get(k) == v for log in logs)},
        "clients": float(len(logs)),
        "threads": math.fsum(threads),
        "target_ops_s": math.fsum(command_line.target_ops_s(log.command_line) for log in logs),
    }
    if math.isfinite(pools := math.fsum(command_line.pool_size(log.command_line) for log in logs)):
        columns["pool_size"] = pools
    if all(checks.verdict(log).outcome != Outcome.INCOMPLETE for log in logs):
        columns["client_sum_ops_s"] = math.fsum(log.throughput_ops_s for log in logs)
    if windows:
        overall = math.fsum(log.overall_operations for log in logs)
        columns["union_ops_s"] = overall / client_windows.union_s(windows)
        starts = [w.start for w in windows]
        columns["client_skew_s"] = round(max(starts) - min(starts), 3)
    return columns


def _summary(name: str, parts: Sequence[_Part], has_histogram: bool) -> Summary:
    summaries = [summary for summary, _ in parts]
    done = [(summary, histogram) for summary, histogram in parts if summary.count != 0]
    codes: Counter[str] = Counter()
    for s in summaries:
        codes.update(dict(s.return_codes))
    count = math.fsum(s.count for s in summaries)
    only = done[0][0] if len(done) == 1 else None
    return Summary(
        name,
        count=count,
        mean_us=math.fsum(s.mean_us * s.count for s, _ in done) / count if count else math.nan,
        min_us=float(np.min([s.min_us for s, _ in done] or [math.nan])),
        max_us=float(np.max([s.max_us for s, _ in done] or [math.nan])),
        percentiles=only.percentiles if only else (),
        return_codes=tuple(sorted(codes.items())),
        source=summaries[0].source,
        censored=sum(s.censored for s in summaries),
        ms_is_us=any(s.ms_is_us for s in summaries),
        p95_is_p90=any(s.p95_is_p90 for s in summaries),
        estimated=only.estimated if only else (),
        bounds=_bounds(done) if len(done) > 1 and not has_histogram else (),
    )


def _bounds(parts: Sequence[_Part]) -> tuple[tuple[float, float, float], ...]:
    by_client = []
    for summary, histogram in parts:
        printed = {p: v for p, v in (*summary.estimated, *summary.percentiles) if not math.isnan(v)}
        by_client.append(printed | (histogram.log.percentiles() if histogram else {}))
    common = sorted(set.intersection(*map(set, by_client)))
    return tuple((p, min(values[p] for values in by_client), max(values[p] for values in by_client)) for p in common)


def _warnings(
    logs: Sequence[RunLog], merged: RunLog, phase: str, windows: Sequence[Window] | None, inexact: bool
) -> tuple[Warn, ...]:
    """The warnings of all clients; the time that they ran together tells whether it was short."""
    warned: set[Warn] = set()
    for log in logs:
        threads, asked = (math.nan if n is None else float(n) for n in (log.threads, log.threads_asked))
        concern = command_line.write_concern(log.command_line)
        warned.update(checks.warnings(log, run_phase=phase, threads=threads, asked=asked, write_concern=concern))
    if inexact or (windows and checks.counts_disagree(merged)):
        warned.add(Warn.COUNTS_DISAGREE)
    if windows and phase == "run":
        together_s = min(w.end for w in windows) - max(w.start for w in windows)
        if checks.is_short(together_s * units.MS_PER_S):
            warned.add(Warn.SHORT_RUN)
    return tuple(w for w in Warn if w in warned)
