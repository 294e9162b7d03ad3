"""Files and folders in, tidy tables out: the one entrance to reading logs."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from ycsbook import paths, units
from ycsbook.errors import RunLogError
from ycsbook.ingest import checks, detect, hdr, manifest, published, status, ycsb
from ycsbook.ingest import samples as sampling
from ycsbook.ingest.detect import Found, Kind
from ycsbook.ingest.steady import Steady, steady_state
from ycsbook.ingest.ycsb_log import READ_MODIFY_WRITE, YcsbLog
from ycsbook.tables import Tables, concat, conform, from_rows
from ycsbook.verdicts import Outcome, Warn

_HDR_PATH = re.compile(r"hdrhistogram\.output\.path=(\S{1,500})")
_WORKLOAD_FILE = re.compile(r"-P\s+\S{0,300}?\bworkload([a-z0-9_-]{1,40})(?=\s|$)", re.ASCII)
_WRITE_CONCERN = re.compile(r"[?&]w=([A-Za-z0-9]{1,20})(?=[&\s]|$)", re.ASCII)
_TARGET = re.compile(r"(?:^|\s)(?:-target\s+|-p\s+target=)(\d{1,9}(?:\.\d{1,6})?)(?=\s|$)", re.ASCII)
# Worse outcomes overrule better ones: a manifest cannot make a cut log whole.
_RANK = {Outcome.COMPLETED: 0, Outcome.PUBLISHED: 0, Outcome.FAILED: 1, Outcome.INCOMPLETE: 2}


def read(paths_: Iterable[str | Path]) -> Tables:
    """The tidy tables of logs, folders of logs, run folders and published tables.

    A log without usable figures gives a row all the same, with its outcome and no figures; see read_with_rejects for
    files that cannot be read at all.
    """
    return read_with_rejects(paths_)[0]


def read_with_rejects(paths_: Iterable[str | Path]) -> tuple[Tables, list[RunLogError]]:
    """As read, with one error per file that could not be read. Nothing in a file's content raises.

    Parameters
        paths_: files and folders. Two streams of one run are `x.out` and `x.err`; a folder with a manifest.json is
            a run of the store.
    """
    found, rejected = detect.find([paths_] if isinstance(paths_, str | Path) else paths_)
    parts: list[Tables] = []
    runs = _Rows()
    for item in found:
        try:
            if item.kind == Kind.PUBLISHED:
                parts.append(published.read_published(item.files[0].absolute()))
            else:
                rejected += _read_run(item, runs)
        except RunLogError as e:
            rejected.append(e)
    return concat([runs.tables(), *parts]), rejected


@dataclass
class _Rows:
    """The rows of all runs, collected and made into frames once."""

    runs: list[dict] = field(default_factory=list)
    operations: list[dict] = field(default_factory=list)
    percentiles: list[dict] = field(default_factory=list)
    intervals: list[dict] = field(default_factory=list)
    histograms: list[dict] = field(default_factory=list)
    samples: list[pd.DataFrame] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def unique(self, run_id: str) -> str:
        """The id, numbered where another run has it already."""
        name, n = run_id, 1
        while name in self.ids:
            n += 1
            name = f"{run_id}-{n}"
        self.ids.add(name)
        return name

    def tables(self) -> Tables:
        frames = {t: from_rows(getattr(self, t), t) for t in Tables().__dict__ if t != "samples"}
        samples = pd.concat(self.samples, ignore_index=True) if self.samples else pd.DataFrame()
        return Tables(**frames, samples=conform(samples, "samples"))


def _read_run(item: Found, rows: _Rows) -> list[RunLogError]:
    stored = item.kind == Kind.STORED
    folder = item.files[0] if stored else item.files[0].parent
    files = tuple(f for f in (folder / "run.out", folder / "run.err") if f.is_file()) if stored else item.files
    facts = manifest.load(folder) if stored else {}
    log = ycsb.parse(list(files))
    columns = {**_from_log(log), "run_id": "" if stored else detect.run_id(files)}
    columns |= {k: v for k, v in manifest.run_columns(facts).items() if not _is_missing(v)} if stored else {}
    if log.threads is not None and columns["clients"] == 1:
        columns["threads"] = min(float(log.threads), columns["threads"])
    columns["run_id"] = rows.unique(columns["run_id"] or detect.run_id(files or (folder / detect.MANIFEST,)))

    verdict = checks.verdict(log)
    outcome = max(verdict.outcome, manifest.outcome(facts) or Outcome.COMPLETED, key=_RANK.__getitem__)
    usable = outcome != Outcome.INCOMPLETE
    series = status.interval_rows(columns["run_id"], list(log.status))
    samples, rejects = _samples(folder) if stored else (None, [])
    warnings = set(_warnings(log, columns, facts))
    if usable:
        steady = steady_state(_totals(series))
        columns |= _figures(log, steady)
        if samples is not None:
            columns |= _cpu(samples, facts, log, steady, columns["cores"])
        hdr_files = _stored_hdr(folder, log) if stored else _named_hdr(folder, log)
        histograms, damaged = _histograms(hdr_files)
        rejects += damaged
        if _add_operations(rows, columns["run_id"], log, histograms):
            warnings.add(Warn.COUNTS_DISAGREE)
    if samples is not None and len(samples) > 1:
        start = manifest.started_epoch_s(facts, log.status)
        rows.samples.append(sampling.rows(columns["run_id"], samples, start))
    rows.intervals += series
    rows.runs.append(
        {
            **columns,
            "outcome": outcome.value,
            "stop_reason": manifest.stop_reason(facts) or str(verdict.stop_reason),
            "warnings": " ".join(w for w in Warn if w in warnings),
            "source": shown_source(log.source or str((files or (folder,))[0])),
        }
    )
    return rejects


def shown_source(source: str) -> str:
    """file:line, relative to the repository where it lies inside."""
    root = f"{paths.REPOSITORY.as_posix()}/"
    return source.removeprefix(root)


def _from_log(log: YcsbLog) -> dict:
    """The columns of `runs` that a log knows by itself."""
    command = log.command_line
    concern, target, workload = (p.search(command) for p in (_WRITE_CONCERN, _TARGET, _WORKLOAD_FILE))
    first = log.status[0].at_ms if log.status else None
    return {
        "threads": float(log.threads) if log.threads is not None else math.nan,
        "clients": 1.0,
        "cores": math.nan,
        "phase": checks.phase(log),
        "workload": workload[1] if workload else "",
        "read_fraction": _read_fraction(log),
        "write_concern": concern[1] if concern else "",
        "target_ops_s": float(target[1]) if target else math.nan,
        # The client's own local time: its zone is not in the log.
        "started_at": "" if first is None else _local_time(first),
    }


def _local_time(at_ms: int) -> str:
    at = datetime.fromtimestamp(at_ms / units.MS_PER_S, UTC).replace(tzinfo=None)
    return at.isoformat(timespec="milliseconds")


def _read_fraction(log: YcsbLog) -> float:
    """Reads and scans over operations; the read inside a READ-MODIFY-WRITE is none of them."""
    if not log.attempted:
        return math.nan
    rmw = log.by_operation.get(READ_MODIFY_WRITE)
    inside = int(rmw.count) if rmw is not None and rmw.count > 0 else 0
    return max(0, log.calls("READ") + log.calls("SCAN") - inside) / log.attempted


def _figures(log: YcsbLog, steady: Steady) -> dict:
    share = log.succeeded / log.attempted if log.attempted else 0.0
    if log.attempted and not checks.totals_agree(log):
        share = math.nan  # operations are missing from the summary: nobody knows how many succeeded
    return {
        "throughput_ops_s": log.throughput_ops_s,
        "goodput_ops_s": share * log.attempted / (log.runtime_ms / units.MS_PER_S),
        "steady_ops_s": steady.steady_ops_s * share,
        "warmup_s": steady.warmup_s,
        "runtime_ms": log.runtime_ms,
        "operations": float(log.attempted),
        "failed_operations": float(log.failed),
    }


def _cpu(samples: pd.DataFrame, facts: dict, log: YcsbLog, steady: Steady, cores: float) -> dict:
    """CPU in the steady part; over the whole run where there is no telling one."""
    start = manifest.started_epoch_s(facts, log.status)
    if math.isnan(steady.warmup_s):
        window = start, start + log.runtime_ms / units.MS_PER_S
    else:
        window = start + steady.warmup_s, start + steady.end_s
    return {
        "cpu_utilisation": sampling.cpu_cores(samples, "server_cpu_s", *window) / (cores or math.nan),
        "client_cpu": sampling.cpu_cores(samples, "client_cpu_s", *window),
    }


def _warnings(log: YcsbLog, columns: dict, facts: dict) -> list[Warn]:
    asked = log.threads_asked if log.threads_asked is not None else columns["threads"]
    ran = float(log.threads) if log.threads is not None else columns["threads"]
    own = checks.warnings(
        log, run_phase=columns["phase"], threads=ran, asked=asked, write_concern=columns["write_concern"]
    )
    return [*own, *manifest.warnings(facts)] if facts else own


def _totals(series: list[dict]) -> pd.DataFrame:
    total = [row for row in series if row["operation"] == status.TOTAL]
    return pd.DataFrame(total, columns=["operations", "interval_s", "elapsed_s"])


def _samples(folder: Path) -> tuple[pd.DataFrame | None, list[RunLogError]]:
    try:
        return sampling.read(folder), []
    except RunLogError as e:
        return None, [e]


def _stored_hdr(folder: Path, log: YcsbLog) -> dict[str, Path]:
    """The .hdr files of a stored run by operation: YCSB glues a prefix and the operation together."""
    found = {}
    for path in sorted((folder / "hdr").glob("*.hdr")):
        known = [name for name in log.by_operation if path.stem.endswith(name)]
        if known:
            found[max(known, key=len)] = path
    return found


def _named_hdr(folder: Path, log: YcsbLog) -> dict[str, Path]:
    """The .hdr files that a log's own command line names, as far as they lie under the log's folder."""
    match = _HDR_PATH.search(log.command_line)
    if not match:
        return {}
    found = {}
    for name in log.by_operation:
        path = folder / f"{match[1]}{name}.hdr"
        if "\0" not in str(path) and path.resolve().is_relative_to(folder.resolve()) and path.is_file():
            found[name] = path
    return found


def _histograms(files: dict[str, Path]) -> tuple[dict[str, hdr.HdrLog], list[RunLogError]]:
    read_, damaged = {}, []
    for name, path in files.items():
        try:
            read_[name] = hdr.read(path)
        except RunLogError as e:
            damaged.append(e)
    return read_, damaged


def _add_operations(rows: _Rows, run_id: str, log: YcsbLog, histograms: dict[str, hdr.HdrLog]) -> bool:
    """Add operations, percentiles and histograms; True where a histogram's count is not the logged one.

    Such a histogram is of another run or was cut: the printed percentiles stand instead.
    """
    disagree = False
    for s in log.summaries:
        rows.operations.append(
            {
                "run_id": run_id,
                "operation": s.operation,
                "count": s.count,
                "ok": float(s.ok) if s.return_codes else math.nan,
                "batched_ok": float(s.batched_ok) if s.return_codes else math.nan,
                "errors": float(s.errors) if s.return_codes else math.nan,
                "return_codes": json.dumps(dict(s.return_codes)) if s.return_codes else "",
                "mean_us": s.mean_us,
                "min_us": s.min_us,
                "max_us": s.max_us,
                "source": shown_source(s.source),
            }
        )
        own = {"run_id": run_id, "operation": s.operation}
        histogram = histograms.get(s.operation)
        exact = histogram is not None and histogram.count == s.count and not histogram.truncated
        disagree |= histogram is not None and not exact
        values = histogram.percentiles() if exact else dict(s.percentiles)
        kind = "hdr" if exact else "summary"
        rows.percentiles += [
            {**own, "percentile": p, "latency_us": v, "percentile_source": kind}
            for p, v in values.items()
            if not math.isnan(v)
        ]
        if exact:
            rows.histograms.append({**own, "count": float(histogram.count), "histogram": histogram.encode()})
    return disagree


def _is_missing(value: object) -> bool:
    return value == "" or (isinstance(value, float) and math.isnan(value))
