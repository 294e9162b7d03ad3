"""Runs as rows of the tidy tables, and as Arrow tables.

Arrow's arrays are made from buffers: pyarrow.array looks whether it is given something of pandas, and loads pandas for
that, which takes longer than a small log.
"""

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from ycsbook import paths, units
from ycsbook.columns import SCHEMAS, arrow_schema
from ycsbook.facts import in_columns
from ycsbook.ingest.log.intervals import Part
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.readers.hdr import HdrLog
from ycsbook.ingest.readers.raw import RawLatencies
from ycsbook.ingest.runs import checks, command_line
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.ingest.runs.steady import Steady
from ycsbook.operations import TOTAL
from ycsbook.redaction import redact
from ycsbook.verdicts import Warn, columns_unread

# Rows that are made into one table, at least: what memory it takes, and how often the names are written.
MAX_ROWS = 250_000
_FIGURES = ("elapsed_s", "interval_s", "operations", "throughput_ops_s", "mean_us", "max_us", "p99_us")
_ROOT = f"{paths.REPOSITORY.as_posix()}/"


@dataclass(frozen=True)
class Histogram:
    """An exact distribution of the latencies of one operation, and the file it was read from; `kind`: hdr or raw."""

    log: HdrLog | RawLatencies
    source: str
    kind: str = "hdr"

    def is_of(self, summary: Summary) -> bool:
        """Whether it counts what the log counts; another was cut, or is of another run."""
        return self.log.count == summary.count and not self.log.truncated


@dataclass
class Rows:
    """The rows of some runs by their columns, of which those without a value are missing; `intervals` are series that
    may wait in files. `arrow()` gives them as typed tables."""

    runs: list[dict] = field(default_factory=list)
    operations: list[dict] = field(default_factory=list)
    percentiles: list[dict] = field(default_factory=list)
    histograms: list[dict] = field(default_factory=list)
    intervals: list[tuple[str, Series]] = field(default_factory=list)
    samples: list = field(default_factory=list)
    failovers: list[dict] = field(default_factory=list)
    # Rows that were made as columns: by table, by column.
    blocks: list[dict[str, dict[str, object]]] = field(default_factory=list)

    def add_operations(self, run_id: str, log: RunLog, histograms: Mapping[str, Histogram]) -> bool:
        """Add operations, percentiles and histograms; True where a histogram's count is not the logged one.

        Such a histogram is of another run or was cut: the printed percentiles stand instead."""
        disagree = False
        for s in log.summaries:
            histogram = histograms.get(s.operation)
            exact = histogram is not None and histogram.is_of(s)
            disagree |= histogram is not None and not exact
            self._add(run_id, s, histogram if exact else None)
        return disagree

    def add_histograms(self, run_id: str, histograms: Mapping[str, Histogram]) -> None:
        for operation, histogram in histograms.items():
            log = histogram.log
            latencies = (log.mean, log.min, log.max)
            self._add(run_id, Summary(operation, float(log.count), *latencies, source=histogram.source), histogram)

    def _add(self, run_id: str, s: Summary, exact: Histogram | None) -> None:
        """Add an operation, its percentiles, and where it is known their exact distribution."""
        row = {"run_id": run_id, "operation": redact(s.operation), "count": s.count, "source": shown_source(s.source)}
        latencies = {"mean_us": s.mean_us, "min_us": s.min_us, "max_us": s.max_us}
        codes = {"ok": float(s.ok), "batched_ok": float(s.batched_ok), "errors": float(s.errors),
                 "return_codes": json.dumps(dict(s.return_codes))} if s.return_codes else {}  # fmt: skip
        self.operations.append(row | latencies | codes)
        if exact is not None:
            row["source"] = shown_source(exact.source)
            self.histograms.append(row | {"histogram": exact.log.histogram.encode()})
            ranks = [(p, {"latency_us": v}, exact.kind) for p, v in exact.log.percentiles().items()]
        else:
            ranks = [(p, {"latency_us": v}, "summary") for p, v in s.percentiles if not math.isnan(v)]
            ranks += [(p, {"latency_us": v}, "buckets") for p, v in s.estimated]
            ranks += [(p, {"latency_low_us": low, "latency_high_us": high}, "clients") for p, low, high in s.bounds]
        self.percentiles += [row | {"percentile": p, "percentile_source": kind} | value for p, value, kind in ranks]

    def arrow(self) -> Iterator[tuple[str, object]]:
        """Each table's name and its rows as a pyarrow table; a long series in several."""
        import pyarrow as pa

        for block in self.blocks:
            for name, columns in block.items():
                yield name, _table(name, columns, pa)
        for name in ("runs", "operations", "percentiles", "histograms", "failovers"):
            rows = getattr(self, name)
            yield name, _table(name, {column: [row.get(column) for row in rows] for column in SCHEMAS[name]}, pa)
        yield from (("intervals", table) for table in interval_tables(self.intervals))
        samples = [pa.Table.from_pandas(frame, preserve_index=False) for frame in self.samples]
        no_samples = _table("samples", {"run_id": []}, pa)
        yield "samples", pa.concat_tables([no_samples, *(table.cast(no_samples.schema) for table in samples)])


def _table(name: str, columns: Mapping[str, Sequence], pa):
    """A table of columns, of which those without a value may be missing."""
    schema, n = arrow_schema(name), len(columns["run_id"])
    maker = {pa.float64(): float_array, pa.string(): text_array, pa.binary(): binary_array}
    nothing = {pa.float64(): np.full(n, np.nan), pa.string(): [""] * n}
    return pa.Table.from_arrays(
        [maker[f.type](columns.get(f.name, nothing.get(f.type))) for f in schema], schema=schema
    )


def from_log(log: RunLog) -> dict:
    """The columns of `runs` that a log knows by itself."""
    # Nobody knows what the calls of all operations together were.
    calls = 0 if log.is_excerpt or TOTAL in log.counted else log.attempted_of(log.counted)
    return {
        "format": log.format,
        "threads": float(log.threads) if log.threads is not None else math.nan,
        "clients": 1.0,
        "phase": checks.phase(log),
        # The read inside a READ-MODIFY-WRITE is none.
        "read_fraction": log.attempted_of(("READ", "SCAN")) / calls if calls else math.nan,
        **command_line.columns(log.command_line),
        # The client's own local time: its zone is not in the log.
        "started_at": local_time(log.series.started_at_ms),
        **{k: v for k, v in log.columns.items() if k != "read_fraction" or not log.attempted},
    }


def figures(log: RunLog, steady: Steady) -> dict:
    """The measured columns of `runs`; only for a run whose figures may be used."""
    share = log.succeeded / log.attempted if log.attempted else 0.0
    if log.is_excerpt:
        return {"throughput_ops_s": log.throughput_ops_s, "runtime_ms": log.runtime_ms}
    if log.attempted and not log.totals_agree:
        share = math.nan  # operations are missing from the summary: nobody knows how many succeeded
    is_of_clients = "union_ops_s" in log.columns  # whose rate is that in the time that they had in common
    rate_ops_s = log.throughput_ops_s if is_of_clients else log.attempted / (log.runtime_ms / units.MS_PER_S)
    return {
        "throughput_ops_s": log.throughput_ops_s,
        "goodput_ops_s": share * rate_ops_s,
        "steady_ops_s": steady.steady_ops_s * share,
        "warmup_s": steady.warmup_s,
        "runtime_ms": log.runtime_ms,
        "operations": float(log.attempted),
        "failed_operations": float(log.failed),
    }


def ending(log: RunLog, verdict: Verdict, warnings: set[Warn], source: str) -> dict:
    """The columns of `runs` that say how a run ended."""
    return {
        "outcome": verdict.outcome.value,
        **in_columns("reason", verdict.reason or columns_unread(log.unread)),
        "stop_reason": str(verdict.stop_reason),
        "warnings": " ".join(w for w in Warn if w in warnings),
        "source": shown_source(log.source or source),
        "status_source": shown_source(log.status_source),
    }


def shown_source(source: str) -> str:
    """file:line, relative to the repository where it lies inside."""
    return source.removeprefix(_ROOT)


def local_time(at_ms: float | None) -> str:
    """ISO 8601 without a zone; empty where it is not known, or before the first year."""
    try:
        at = datetime.fromtimestamp(at_ms / units.MS_PER_S, UTC) if at_ms is not None else None
    except (ValueError, OverflowError):
        return ""
    return at.replace(tzinfo=None).isoformat(timespec="milliseconds") if at else ""


def float_array(values: Sequence[float] | np.ndarray):
    """A float64 array; None is NaN."""
    import pyarrow as pa

    # NumPy's float of None is NaN.
    values = np.ascontiguousarray(values, float)
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values)])


def text_array(values: Sequence[str]):
    import pyarrow as pa

    return binary_array([(v or "").encode("utf-8", "replace") for v in values], pa.string())


def binary_array(values: Sequence[bytes], kind=None):
    """An array of bytes, or of the text that they are; None is empty."""
    import pyarrow as pa

    values = [v or b"" for v in values]
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(kind or pa.binary(), len(values), buffers)


def _dictionary_array(index: np.ndarray, values):
    """An array of text that repeats: an index (int32) into its values, an array of text."""
    import pyarrow as pa

    index = np.ascontiguousarray(index, np.int32)
    points = pa.Array.from_buffers(pa.int32(), len(index), [None, pa.py_buffer(index)])
    return pa.DictionaryArray.from_arrays(points, values, safe=False)


def interval_tables(runs: Iterable[tuple[str, Series]]) -> Iterator[object]:
    """The rows of the runs, given with their ids, in order as pyarrow tables of the schema `intervals`.

    There is one at least, and none has many more than MAX_ROWS rows."""
    waiting: list[tuple[str, Part]] = []
    n = 0
    for run_id, series in runs:
        for part in series.parts():
            waiting.append((run_id, part))
            n += len(part)
            if n > MAX_ROWS:
                yield _interval_table(waiting)
                waiting, n = [], 0
    yield _interval_table(waiting)


def _interval_table(parts: Sequence[tuple[str, Part]]):
    import pyarrow as pa

    run_ids = {run_id: i for i, run_id in enumerate(dict.fromkeys(run_id for run_id, _ in parts))}
    owner = np.repeat(
        np.array([run_ids[run_id] for run_id, _ in parts], np.int32), np.array([len(p) for _, p in parts], np.int64)
    )
    of_blocks = dict.fromkeys(part.block.names for _, part in parts)
    operations = {name: i for i, name in enumerate(dict.fromkeys(itertools.chain(*of_blocks)))}
    codes = {names: np.array([operations[name] for name in names], np.int32) for names in of_blocks}

    def joined(column: str) -> np.ndarray:
        return np.concatenate([np.zeros(0), *(getattr(p.block, column)[p.first : p.last] for _, p in parts)])

    names = [codes[p.block.names][p.block.name[p.first : p.last]] for _, p in parts]
    line = joined("line")
    line[line <= 0] = np.nan
    columns = {
        "run_id": _dictionary_array(owner, text_array(list(run_ids))),
        "operation": _dictionary_array(
            np.concatenate([np.zeros(0), *names]), text_array(list(map(redact, operations)))
        ),
        "source_line": float_array(line),
        **{figure: float_array(joined(figure)) for figure in _FIGURES},
    }
    schema = arrow_schema("intervals")
    return pa.Table.from_arrays([columns[f.name] for f in schema], schema=schema)
