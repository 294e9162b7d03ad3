"""One run from all that is known of it: its log, its manifest, what the user says, and its histograms."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook import units
from ycsbook.errors import RunLogError
from ycsbook.facts import fact
from ycsbook.ingest import failover
from ycsbook.ingest.log import labels
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import checks, manifest, workloads
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.ingest.runs.rows import Histogram, Rows, ending, figures, from_log
from ycsbook.ingest.runs.steady import Steady, steady_state
from ycsbook.operations import READ_MODIFY_WRITE
from ycsbook.verdicts import Outcome, Warn, reasons_in

# What a log knows better than who handles it.
EVIDENCE = ("threads", "phase", "write_concern", "target_ops_s", "read_fraction", "clients", "format")
# Worse outcomes overrule better ones: a manifest cannot make a cut log whole.
_RANK = {Outcome.COMPLETED: 0, Outcome.PUBLISHED: 0, Outcome.FAILED: 1, Outcome.INCOMPLETE: 2}
_UNREAD = Steady(math.nan, math.nan, 0)


@dataclass(frozen=True)
class RunEvidence:
    """All that is known of a run.

    `user_columns`: columns of `runs` from the user. `facts`: the manifest of a run of the store, which lies in
    `folder`. `changed`: files that are not those the manifest was made of. `verdict` and `warnings`: of a run that
    several clients made, where the log alone cannot tell.
    """

    run_id: str
    log: RunLog
    user_columns: Mapping[str, float | str] = field(default_factory=dict)
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    facts: Mapping = field(default_factory=dict)
    folder: Path | None = None
    source: str = ""
    changed: tuple[str, ...] = ()
    verdict: Verdict | None = None
    warnings: tuple[Warn, ...] = ()


def add_run(rows: Rows, run: RunEvidence) -> list[RunLogError]:
    """Add the rows of one run; returns what of it could not be read. Figures only of a run that may be used."""
    log = run.log
    columns = _columns(run)
    verdict = _verdict(run)
    inferred = {} if run.facts else inferred_settings(run.source, columns)
    columns |= inferred
    warnings = {*_warnings(run, columns), *([Warn.SETTINGS_INFERRED] if inferred else [])}
    if not run.facts and "ycsb" in log.format:
        rmw = log.by_operation.get(READ_MODIFY_WRITE)
        calls = {**{name: log.calls(name) for name in log.counted}, READ_MODIFY_WRITE: rmw.count if rmw else 0.0}
        for name in ("READ", "UPDATE") if READ_MODIFY_WRITE in log.counted else ():
            calls[name] += calls[READ_MODIFY_WRITE]  # its parts count as well, as in YCSB
        columns["workload"], warning = workloads.settled(
            columns["workload"], run.source, calls if columns["phase"] == "run" else {}
        )
        warnings |= {warning} - {None}
    rejected: list[RunLogError] = []
    steady = _UNREAD
    if verdict.outcome != Outcome.INCOMPLETE:
        steady = steady_state(*log.series.totals())
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
        rows.add_intervals(run.run_id, log.series)
    rows.runs.append({**columns, **ending(log, verdict, warnings, run.source)})
    return rejected


def inferred_settings(path: str, columns: Mapping) -> dict[str, float]:
    """The threads, the records and the repeat that only the names of a log's file and folders say."""
    said = labels.settings_of_path(path)
    asked = ("threads", "records", "repeat") if columns.get("clients", 1.0) == 1 else ("records", "repeat")
    return {name: said[name] for name in asked if name in said and _is_missing(columns.get(name, ""))}


def overruled_by(runs: Sequence[Mapping], user_columns: Mapping[str, float | str]) -> list[str]:
    """What the user said and the logs of the runs show otherwise, a sentence each."""
    names = [name for name in EVIDENCE if name in user_columns]
    pairs = ((name, user_columns[name], row[name]) for row in runs for name in names if name in row)
    return list(
        dict.fromkeys(
            f"{name}={_plain(given)} was said, but its log shows {_plain(logged)}"
            for name, given, logged in pairs
            if given != logged
        )
    )


def _plain(value: float | str) -> str:
    return f"{value:.12g}" if isinstance(value, int | float) else value


def _columns(run: RunEvidence) -> dict:
    columns = {"cores": math.nan, **from_log(run.log), "run_id": run.run_id}
    given = dict(run.user_columns)
    if run.facts:
        given |= {k: v for k, v in manifest.run_columns(run.facts).items() if not _is_missing(v) and k != "run_id"}
    for name, value in given.items():
        if run.facts or name not in EVIDENCE or _is_missing(columns.get(name, "")):
            columns[name] = value
    if run.log.threads is not None and columns["clients"] == 1:
        columns["threads"] = min(float(run.log.threads), columns["threads"])
    return columns


def _verdict(run: RunEvidence) -> Verdict:
    """That of the log, made worse where the runner knew worse or the files are not what they were."""
    own = run.verdict or checks.verdict(run.log)
    if run.changed:
        reason = fact("reason-changed", files=run.changed)
        return Verdict(Outcome.INCOMPLETE, (reason, *own.reasons))
    outcome = manifest.outcome(run.facts)
    stop_reason = manifest.stop_reason(run.facts) or str(own.stop_reason)
    if outcome is not None and _RANK[outcome] > _RANK[own.outcome]:
        return Verdict(outcome, reasons_in(run.facts), stop_reason)
    return Verdict(own.outcome, own.reasons, stop_reason)


def _warnings(run: RunEvidence, columns: dict) -> list[Warn]:
    log = run.log
    if run.verdict is not None:
        return [*run.warnings, *manifest.warnings(run.facts)]
    asked = log.threads_asked if log.threads_asked is not None else columns["threads"]
    ran = float(log.threads) if log.threads is not None else columns["threads"]
    own = checks.warnings(
        log, run_phase=columns["phase"], threads=ran, asked=asked, write_concern=columns["write_concern"]
    )
    return [*own, *manifest.warnings(run.facts)] if run.facts else own


def _add_samples(rows: Rows, run: RunEvidence, columns: dict, steady: Steady) -> list[RunLogError]:
    # Data frames, which take long to load: only runs of the store have samples.
    from ycsbook.ingest.runs import samples as sampling

    try:
        samples = sampling.read(run.folder)
    except RunLogError as e:
        return [e]
    log, start = run.log, manifest.started_epoch_s(run.facts, run.log.series)
    # In the steady part; over the whole run where there is no telling one.
    if manifest.clock_stepped(run.facts):
        window = start, samples["epoch_s"].max()
    elif math.isnan(steady.warmup_s):
        window = start, start + log.runtime_ms / units.MS_PER_S
    else:
        window = start + steady.warmup_s, start + steady.end_s
    if not math.isnan(columns.get("runtime_ms", math.nan)):
        columns |= _cpu(sampling, samples, columns["cores"], window, manifest.own_programs(run.facts))
        columns |= _of_operation(sampling, samples, columns, window)
    if len(samples) > 1:
        rows.samples.append(sampling.rows(run.run_id, samples, start))
    return []


def _cpu(sampling, samples, cores: float, window: tuple[float, float], own: tuple[str, ...]) -> dict:
    host = sampling.cumulated(samples, "host_cpu_s", *window)
    others = host - sum(sampling.cumulated(samples, column, *window) for column in own) if own else math.nan
    return {
        "host_cpu": host,
        "other_cpu": others if math.isnan(others) else max(others, 0.0),
        "cpu_utilisation": sampling.cumulated(samples, "server_cpu_s", *window) / (cores or math.nan),
        "client_cpu": sampling.cumulated(samples, "client_cpu_s", *window),
    }


def _of_operation(sampling, samples, columns: dict, window: tuple[float, float]) -> dict:
    """What an operation costs the server, in the same part of the run."""
    steady = columns.get("steady_ops_s", math.nan)
    ops = columns.get("throughput_ops_s", math.nan) if math.isnan(steady) else steady

    def each(column: str, factor: float = 1.0) -> float:
        return sampling.cumulated(samples, column, *window) * factor / (ops or math.nan)

    return {
        "server_rss_peak_gib": float(samples["server_rss_bytes"].max()) / units.BYTES_PER_GIB,
        # No operation is free of these: a run that ended between two looks at the server, or two ticks, shows none.
        "server_cpu_us_per_op": each("server_cpu_s", units.US_PER_S) or math.nan,
        "network_bytes_per_op": each("network_bytes") or math.nan,
        **{f"{name}_per_op": each(name) for name in ("written_bytes", "read_bytes")},
    }


def _is_missing(value: object) -> bool:
    return value == "" or (isinstance(value, float) and math.isnan(value))
