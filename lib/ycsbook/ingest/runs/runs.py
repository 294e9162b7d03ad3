"""One run from all that is known of it: its log, its manifest, what the user says, and its histograms."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook import closed_loop, units
from ycsbook.errors import RunLogError
from ycsbook.facts import fact
from ycsbook.ingest import failover
from ycsbook.ingest.log import labels
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import checks, command_line, manifest, samples
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.ingest.runs.rows import Histogram, Rows, ending, figures, from_log
from ycsbook.ingest.runs.steady import Steady, steady_state
from ycsbook.operations import DATABASE_OPERATIONS, READ_MODIFY_WRITE, STANDARD_MIXES, TOTAL
from ycsbook.verdicts import Outcome, Warn, reasons_in

# What a log knows better than who handles it.
EVIDENCE = ("threads", "phase", "write_concern", "target_ops_s", "read_fraction", "clients", "format")
# Worse outcomes overrule better ones: a manifest cannot make a cut log whole.
_RANK = {Outcome.COMPLETED: 0, Outcome.PUBLISHED: 0, Outcome.FAILED: 1, Outcome.INCOMPLETE: 2}
_UNREAD = Steady(math.nan, math.nan, 0)
# Fewer operations say too little of the mix that they were drawn with.
_MIXED_OPERATIONS = 1000
# How far, beyond four standard deviations, a share may be from that of the mix it is taken for, and said to be.
_NEAR, _FAR = 0.01, 0.02


@dataclass(frozen=True)
class RunEvidence:
    """All that is known of a run.

    `user_columns`: columns of `runs` from the user. `facts`: the manifest of a run of the store, which lies in
    `folder`. `place`: as `labels.server` takes it; empty: nothing tells the server. `on_page`: columns that words
    around the log say. `changed`: files that are not those the manifest was made of. `verdict` and `warnings`: of a run
    that several clients made, where the log alone cannot tell."""

    run_id: str
    log: RunLog
    user_columns: Mapping[str, float | str] = field(default_factory=dict)
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    facts: Mapping = field(default_factory=dict)
    folder: Path | None = None
    source: str = ""
    place: str = ""
    on_page: Mapping[str, float | str] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    verdict: Verdict | None = None
    warnings: tuple[Warn, ...] = ()


def add_run(rows: Rows, run: RunEvidence) -> list[RunLogError]:
    """Add the rows of one run; returns what of it could not be read. Figures only of a run that may be used."""
    log = run.log
    columns = _columns(run)
    verdict = _verdict(run)
    warning = None
    if not run.facts and "ycsb" in log.format:
        rmw = log.by_operation.get(READ_MODIFY_WRITE)
        calls = {**{name: log.calls(name) for name in log.counted}, READ_MODIFY_WRITE: rmw.count if rmw else 0.0}
        for name in ("READ", "UPDATE") if READ_MODIFY_WRITE in log.counted else ():
            calls[name] += calls[READ_MODIFY_WRITE]  # its parts count as well, as in YCSB
        is_mix = columns["phase"] == "run" and not log.is_excerpt and TOTAL not in calls
        stated = columns["workload"] or str(run.on_page.get("workload", ""))
        columns["workload"], warning = settled_workload(stated, run.source, calls if is_mix else {})
    if _is_cleaned_up_twice(run, columns):
        columns["threads"] = math.nan
    inferred: dict[str, float | str] = {}
    if not run.facts:
        busy = closed_loop.of_series(((s.operation, s.count, s.mean_us) for s in log.summaries), log.runtime_ms, 1)
        inferred = inferred_settings(run.source, columns, run.place, log.command_line, run.on_page, busy=busy)
    columns |= inferred
    warnings = {*_warnings(run, columns), warning, Warn.SETTINGS_INFERRED if inferred else None} - {None}
    rejected: list[RunLogError] = []
    steady = _UNREAD
    if verdict.outcome != Outcome.INCOMPLETE:
        steady = _UNREAD if log.series.gapped else steady_state(*log.series.totals())
        columns |= figures(log, steady)
        if rows.add_operations(run.run_id, log, run.histograms):
            warnings.add(Warn.COUNTS_DISAGREE)
    elif not log.summaries:
        rows.add_histograms(run.run_id, run.histograms)
    if run.folder is not None:
        rejected = _add_samples(rows, run, columns, steady)
        try:
            rows.failovers += failover.rows(run.run_id, run.folder)
        except RunLogError as e:
            rejected.append(e)
    if log.series.lines or log.series.names:
        rows.intervals.append((run.run_id, log.series))
    rows.runs.append({**columns, **ending(log, verdict, warnings, run.source)})
    return rejected


def _is_cleaned_up_twice(run: RunEvidence, columns: Mapping) -> bool:
    """Whether names or words around the log of a run say half of the threads that its CLEANUPs alone tell."""
    said = {**labels.settings_of_path(run.source), **run.on_page}.get("threads", 0)
    is_told = run.facts or run.log.threads_asked is not None or "threads" in {*run.user_columns, *run.log.columns}
    return columns["threads"] == 2 * said and columns["phase"] == "run" and not is_told


def inferred_settings(
    path: str,
    columns: Mapping,
    place: str = "",
    command: str = "",
    on_page: Mapping | None = None,
    *,
    busy: float = math.nan,
) -> dict[str, float | str]:
    """The threads, records, repeat and spec that only the names of a log's file and folders say, or before these the
    words around it, `on_page`; `place`: as `labels.server` takes it; `command`: its values are none of the server's;
    `busy`: how many calls were under way, in the mean (NaN: nobody knows)."""
    settings = {**labels.settings_of_path(path), **(on_page or {})}
    is_unknown = "threads" not in settings and _is_missing(columns.get("threads", ""))
    # A number in a name above the folders that were read is of something else.
    below = os.sep.join(path.split(os.sep)[-1 - place.count(os.sep) :]) if place else path
    if is_unknown and (threads := labels.threads_of_names(below, busy)) > 0:
        settings["threads"] = threads
    stated = {name: columns.get(name, "") for name in ("workload", "threads", "phase", "spec")}
    run_columns = settings | {name: value for name, value in stated.items() if not _is_missing(value)}
    # Runs of unknown threads or an unknown mix are nobody's repeats.
    if place and "spec" not in run_columns and {"threads", "workload"} <= run_columns.keys():
        folders, name = os.path.split(place)
        settings = labels.server(os.path.join(folders, command_line.unstated(name, command)), run_columns) | settings
    asked = ["threads", "records", "repeat"] if columns.get("clients", 1.0) == 1 else ["records", "repeat"]
    asked += ["server_version", "topology", "write_concern", "dataset"]
    if all(_is_missing(columns.get(name, "")) for name in ("spec", "cores", "ram_gib")):
        asked += ["spec", "spec_label", "cores", "ram_gib"]
    return {name: settings[name] for name in asked if name in settings and _is_missing(columns.get(name, ""))}


def settled_workload(stated: str, path: str, calls: Mapping[str, float]) -> tuple[str, Warn | None]:
    """The workload of a log, and what to warn of: as `stated` by command line or user, else by the names in its path,
    else by the mix of its operations (`calls`: of each, READ-MODIFY-WRITE among them; empty of a load)."""
    n, shares = _shares(calls)
    name = stated or str(labels.settings_of_path(path).get("workload", ""))
    slack = 2 / math.sqrt(n) if n else 0.0
    mix = STANDARD_MIXES.get(name.lower())
    if shares and mix and _distance(shares, mix) > _FAR + slack:
        return name, Warn.WORKLOAD_CONTRADICTED
    if stated:
        return stated, None
    if not name and shares:
        distances = {letter: _distance(shares, mix) for letter, mix in STANDARD_MIXES.items()}
        nearest = min(distances, key=distances.get)
        name = nearest if distances[nearest] <= _NEAR + slack else ""
    return name, Warn.WORKLOAD_INFERRED if name else None


def _shares(calls: Mapping[str, float]) -> tuple[float, dict[str, float]]:
    """The number of operations, and the share of each as a mix names it; no shares of too few operations."""
    rmw = calls.get(READ_MODIFY_WRITE, 0.0)
    inside = {"READ": rmw, "UPDATE": rmw}
    done = {
        name.lower(): max(calls.get(name, 0.0) - inside.get(name, 0.0), 0.0)
        for name in dict.fromkeys((*DATABASE_OPERATIONS, *calls))
        if name != READ_MODIFY_WRITE
    }
    n = rmw + sum(done.values())
    if n < _MIXED_OPERATIONS:
        return n, {}
    return n, {name: count / n for name, count in done.items()} | {"readmodifywrite": rmw / n}


def _distance(shares: Mapping[str, float], mix: Mapping[str, float]) -> float:
    return max(abs(share - mix.get(name, 0.0)) for name, share in shares.items())


def overruled_by(runs: Sequence[Mapping], user_columns: Mapping[str, float | str], path: str) -> list[str]:
    """A remark for each setting of the user, or in the names of a log's file and folders, that its runs contradict."""
    of_names = {name: labels.settings_of_path(path).get(name, "") for name in ("threads", "workload")}
    claims = [(name, user_columns.get(name, ""), "was said") for name in EVIDENCE]
    claims += [(name, value, "stands in its name") for name, value in of_names.items() if name not in user_columns]
    # A load is often of other threads than the runs that it is named after.
    differ = dict.fromkeys(
        f"{name}={_plain(value)} {how}, but its log shows {_plain(row[name])}"
        for row in runs
        for name, value, how in claims
        if not (_is_missing(value) or _is_missing(row.get(name, "")) or row[name] == value)
        and (how == "was said" or row["phase"] == "run")
    )
    return list(differ)


def _plain(value: float | str) -> str:
    return f"{value:.12g}" if isinstance(value, int | float) else value


def _columns(run: RunEvidence) -> dict:
    columns = {"cores": math.nan, **from_log(run.log), "run_id": run.run_id}
    stated = dict(run.user_columns)
    if run.facts:
        stated |= {k: v for k, v in manifest.run_columns(run.facts).items() if not _is_missing(v) and k != "run_id"}
    for name, value in stated.items():
        if run.facts or name not in EVIDENCE or _is_missing(columns.get(name, "")):
            columns[name] = value
    if run.log.threads is not None and columns["clients"] == 1:
        columns["threads"] = min(float(run.log.threads), columns["threads"])
    return columns


def _verdict(run: RunEvidence) -> Verdict:
    """The log's verdict, made worse where the runner knew worse or the files were changed."""
    of_log = run.verdict or checks.verdict(run.log)
    if run.changed:
        reason = fact("reason-changed", files=run.changed)
        return Verdict(Outcome.INCOMPLETE, (reason, *of_log.reasons))
    outcome = manifest.outcome(run.facts)
    stop_reason = manifest.stop_reason(run.facts) or str(of_log.stop_reason)
    if outcome is not None and _RANK[outcome] > _RANK[of_log.outcome]:
        return Verdict(outcome, reasons_in(run.facts), stop_reason)
    return Verdict(of_log.outcome, of_log.reasons, stop_reason)


def _warnings(run: RunEvidence, columns: dict) -> list[Warn]:
    log = run.log
    if run.verdict is not None:
        return [*run.warnings, *manifest.warnings(run.facts)]
    asked = log.threads_asked if log.threads_asked is not None else columns["threads"]
    ran = float(log.threads) if log.threads is not None else columns["threads"]
    of_log = checks.warnings(
        log, run_phase=columns["phase"], threads=ran, asked=asked, write_concern=columns["write_concern"]
    )
    return [*of_log, *manifest.warnings(run.facts)] if run.facts else of_log


def _add_samples(rows: Rows, run: RunEvidence, columns: dict, steady: Steady) -> list[RunLogError]:
    try:
        table = samples.read(run.folder)
    except RunLogError as e:
        return [e]
    start = manifest.started_epoch_s(run.facts, run.log.series)
    # In the steady part; over the whole run where there is no telling one.
    if manifest.clock_stepped(run.facts):
        window = start, table["epoch_s"].max()
    elif math.isnan(steady.warmup_s):
        window = start, start + run.log.runtime_ms / units.MS_PER_S
    else:
        window = start + steady.warmup_s, start + steady.end_s
    if not math.isnan(columns.get("runtime_ms", math.nan)):
        columns |= samples.usage(table, window, columns, manifest.own_programs(run.facts))
    if len(table) > 1:
        rows.samples.append(samples.rows(run.run_id, table, start))
    return []


def _is_missing(value: object) -> bool:
    return value == "" or (isinstance(value, float) and math.isnan(value))
