"""Logs beyond doubt, read hundreds at a time: whole, every call succeeded, and every count agrees with every other.

Most logs of an archive are of this kind and print the same lines with other figures. They are read as columns of
figures; what differs in any way is left to the reader that goes line by line. For the logs taken here both give the
same rows, to the last digit: a test compares them.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ycsbook import closed_loop, units
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.log.labels import settings_of_path, threads_of_names
from ycsbook.ingest.log.runlog import OFTEN_BUSY, count_slack
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.summary import Key, ends_early, key_of
from ycsbook.ingest.readers import ycsb, ycsb_batch
from ycsbook.ingest.readers.text_runs import has_titles
from ycsbook.ingest.runs import checks, command_line
from ycsbook.ingest.runs.rows import Rows, from_log, local_time, shown_source
from ycsbook.ingest.runs.runs import inferred_settings, settled_workload
from ycsbook.ingest.runs.steady import steady_states
from ycsbook.operations import COMMIT, DATABASE_OPERATIONS, OK, READ_MODIFY_WRITE, is_failure_series, is_of_workload
from ycsbook.redaction import redact
from ycsbook.verdicts import Outcome, Warn

MAX_TEXT = 64 * 1024
# Longer than any number that a double holds exactly.
MAX_VALUE = 2**53
# Exact latencies in files of their own.
_FILES = re.compile(r"hdrhistogram\.output\.path=|measurement\.raw\.output_file=")
_IGNORED, RETURN_OK = ("TOTAL_GC",), ("return", OK)
_PLAIN = ("count", "mean_us", "min_us", "max_us", RETURN_OK)
_PRINTED = re.compile(rb", (\d{1,19}(?:\.\d{1,19})?)\n")


class Figures(NamedTuple):
    """One operation of a summary: its first line, and those of its figures by `key_of`; -1: the empty last column."""

    name: str
    line: int
    lines: Mapping[Key, int]

    @property
    def percentiles(self) -> list[tuple[float, int]]:
        return sorted((key[1], line) for key, line in self.lines.items() if key[0] == "us")


@dataclass(frozen=True)
class Template:
    """What the lines of a summary are, whatever their figures. `database` and `rmw`: the operations that count."""

    runtime: int
    throughput: int
    operations: tuple[Figures, ...]
    database: tuple[Figures, ...]
    rmw: Figures | None
    phase: str


class Candidate(NamedTuple):
    """A log of one run in its parts: the text before its summary that is no status line, its status lines, its summary,
    and the files of these two; `summary_line` is the line of its file with which the summary begins."""

    text: bytes
    series: Series
    status_path: str
    summary: bytes
    summary_path: str
    summary_line: int


class Head(NamedTuple):
    """What the text before the status lines says; columns of `runs`, and the threads asked for."""

    columns: Mapping[str, float | str]
    command: str
    asked: float
    unacked: bool


@dataclass(frozen=True)
class Alike:
    """Logs beyond doubt whose summaries print the same lines, one element per log.

    `table`: their figures, a column per line, at last NaN."""

    template: Template
    table: np.ndarray
    candidates: list[Candidate]
    heads: list[Head]
    threads: np.ndarray
    utilisation: np.ndarray

    @cached_property
    def shown(self) -> list[dict[str, object]]:
        """The columns of `runs` that the figures of each log show."""
        template, table = self.template, self.table
        runtime_ms, attempted = table[:, template.runtime], _attempted(template, table)
        calls = {o.name: table[:, o.lines["count"]] for o in template.database}
        inside = table[:, template.rmw.lines["count"]] if template.rmw else 0.0
        figures = {
            "threads": self.threads,
            "read_fraction": np.maximum(0.0, calls.get("READ", 0.0) + calls.get("SCAN", 0.0) - inside) / attempted,
            "throughput_ops_s": table[:, template.throughput],
            "goodput_ops_s": attempted / (runtime_ms / units.MS_PER_S),
            "runtime_ms": runtime_ms,
            "operations": attempted,
        }
        rows = zip(*(column.tolist() for column in figures.values()), strict=True)
        steady = steady_states([c.series.totals() for c in self.candidates])
        return [
            {
                **dict(zip(figures, row, strict=True)),
                "phase": head.columns["phase"] or template.phase,
                "started_at": local_time(c.series.started_at_ms),
                "steady_ops_s": state.steady_ops_s,
                "warmup_s": state.warmup_s,
                "failed_operations": 0.0,
                "outcome": Outcome.COMPLETED.value,
                "source": f"{shown_source(c.summary_path)}:{c.summary_line + template.throughput}",
                "status_source": shown_source(c.status_path),
            }
            for head, row, state, c in zip(self.heads, rows, steady, self.candidates, strict=True)
        ]

    def run(self, at: int, run_id: str, path: Path, user_columns: Mapping[str, float | str], place: str) -> dict:
        """The row of a log in `runs`, with what the user says that the log does not know better."""
        shown, head = self.shown[at], self.heads[at]
        calls: dict[str, float] = {}
        if shown["phase"] == "run":
            counted = filter(None, (*self.template.database, self.template.rmw))
            calls = {o.name: float(self.table[at, o.lines["count"]]) for o in counted}
        stated = str(user_columns.get("workload") or head.columns["workload"])
        workload, warning = settled_workload(stated, str(path), calls)
        columns = {**head.columns, **shown, "workload": workload, **user_columns}
        inferred = inferred_settings(str(path), columns, place, head.command)
        warnings = {
            Warn.UNACKED_WRITES: head.unacked,
            Warn.SHORT_RUN: shown["phase"] == "run" and checks.is_short(shown["runtime_ms"]),
            Warn.THREADS_UNKNOWN: math.isnan(shown["threads"]),
            Warn.THREADS_CLIPPED: shown["threads"] < head.asked,
            Warn.LITTLE_LAW: self.utilisation[at] > closed_loop.MAX_UTILISATION,
            Warn.POOL_BELOW_THREADS: head.columns["pool_size"] < shown["threads"],
            warning: warning is not None,
            Warn.SETTINGS_INFERRED: bool(inferred),
        }
        columns = {**head.columns, **inferred, **user_columns, "workload": workload, **shown}
        return {**columns, "run_id": run_id, "warnings": " ".join(itertools.compress(warnings, warnings.values()))}

    def add_to(self, rows: Rows, runs: Sequence[Mapping]) -> None:
        """Add the rows of the logs, given theirs in `runs` in order."""
        run_ids = [run["run_id"] for run in runs]
        operations = self.template.operations
        sources = [
            f"{shown_source(c.summary_path)}:{c.summary_line + o.line}" for c in self.candidates for o in operations
        ]
        rows.blocks.append(
            {
                "runs": {name: [run.get(name) for run in runs] for name in SCHEMAS["runs"]},
                "operations": self._operations(run_ids, sources),
                "percentiles": self._percentiles(run_ids, sources),
            }
        )
        rows.intervals += zip(run_ids, (candidate.series for candidate in self.candidates), strict=True)

    def _operations(self, run_ids: list[str], sources: list[str]) -> dict[str, object]:
        operations = self.template.operations
        has_codes = np.array([RETURN_OK in o.lines for o in operations])
        ok = self._figures(RETURN_OK)
        nothing = np.tile(np.where(has_codes, 0.0, np.nan), len(run_ids))
        return {
            "run_id": [run_id for run_id in run_ids for _ in operations],
            "operation": [o.name for o in operations] * len(run_ids),
            **{name: self._figures(name) for name in ("count", "mean_us", "min_us", "max_us")},
            "ok": ok,
            "batched_ok": nothing,
            "errors": nothing,
            "return_codes": ["" if math.isnan(n) else f'{{"OK": {int(n)}}}' for n in ok.tolist()],
            "source": sources,
        }

    def _percentiles(self, run_ids: list[str], sources: list[str]) -> dict[str, object]:
        operations = self.template.operations
        printed = [(i, o.name, p, at) for i, o in enumerate(operations) for p, at in o.percentiles]
        starts = range(0, len(sources), len(operations))
        return {
            "run_id": [run_id for run_id in run_ids for _ in printed],
            "operation": [name for _, name, _, _ in printed] * len(run_ids),
            "percentile": np.tile([p for _, _, p, _ in printed], len(run_ids)),
            "latency_us": self.table[:, [at for *_, at in printed]].ravel(),
            "percentile_source": ["summary"] * (len(printed) * len(run_ids)),
            "source": [sources[start + i] for start in starts for i, *_ in printed],
        }

    def _figures(self, key: Key) -> np.ndarray:
        """A figure of every operation, log by log; NaN where it is not printed."""
        return self.table[:, [o.lines.get(key, -1) for o in self.template.operations]].ravel()


def candidate(
    paths: Sequence[Path], contents: Sequence[bytes], parts: Sequence[ycsb_batch.LogPart | None]
) -> Candidate | None:
    """The log of one run, in one file or in two, in its parts; None where it is not of one stretch of status lines and
    one of summary lines behind it."""
    status = [i for i, part in enumerate(parts) if part]
    if len(status) != 1:
        return None
    texts, summaries = [], []
    for path, content, part in zip(paths, contents, parts, strict=True):
        if part:
            texts += [part.head, part.others]
        lines_behind = part.tail if part else content
        begin = 0 if lines_behind.startswith(b"[") else lines_behind.find(b"\n[") + 1 or len(lines_behind)
        line = lines_behind.count(b"\n", 0, begin) + 1
        if part:
            line += part.head.count(b"\n") + part.count
            if any(ycsb.depends_on_its_place(ycsb.line_text(text)) for text in lines_behind[:begin].splitlines()):
                return None
        texts.append(lines_behind[:begin])
        if begin < len(lines_behind):
            summaries.append((lines_behind[begin:], str(path), line))
    if len(summaries) != 1 or not all(text.endswith(b"\n") for text in texts if text):
        return None
    return Candidate(b"".join(texts), parts[status[0]].series, str(paths[status[0]]), *summaries[0])


def read(candidates: Sequence[Candidate]) -> list[tuple[Alike, int] | None]:
    """The logs among the candidates that are beyond doubt, as rows of those alike; None: to be read line by line."""
    read_: list[tuple[Alike, int] | None] = [None] * len(candidates)
    heads = [_head(c.text) if max(len(c.text), len(c.summary)) <= MAX_TEXT else None for c in candidates]
    with_head = [i for i, head in enumerate(heads) if head]
    for template, at, figures in _same_lines([candidates[i].summary for i in with_head]):
        logs, log_heads = [candidates[with_head[i]] for i in at], [heads[with_head[i]] for i in at]
        asked = np.array([head.asked for head in log_heads])
        # As RunLog.threads has them.
        cleanups = [o.lines["count"] for o in template.operations if o.name == "CLEANUP"]
        threads = np.fmin(asked, figures[:, cleanups[0]]) if cleanups else asked
        # Where names may be right: of unknown threads, and of twice as many CLEANUPs.
        busy = _utilisation(template, figures, np.ones(len(figures)))
        by_name = [
            (math.isnan(n) and threads_of_names(c.summary_path, of_log) > 0)
            or ((said := settings_of_path(c.summary_path).get("threads")) and (math.isnan(n) or n == 2 * said))
            for n, c, of_log in zip(threads, logs, busy.tolist(), strict=True)
        ]
        # Perhaps of a binding that cleans up twice, as RunLog.threads tells; a margin is for rounding.
        busy_of_half = 2 * busy / np.where(threads > 0, threads, np.nan)
        unsure = np.isnan(asked) & (busy_of_half > 0.98 * OFTEN_BUSY) & (busy_of_half < 1.02)
        agrees = _agrees(template, figures, [c.series for c in logs]) & ~np.array(by_name, bool) & ~unsure
        fine = np.flatnonzero(agrees).tolist()
        logs, log_heads, table = [logs[i] for i in fine], [log_heads[i] for i in fine], figures[fine]
        threads = threads[fine]
        alike = Alike(template, table, logs, log_heads, threads, _utilisation(template, table, threads))
        for row, i in enumerate(fine):
            read_[with_head[at[i]]] = alike, row
    return read_


@lru_cache(maxsize=4096)
def _head(text: bytes) -> Head | None:
    """What the text beside status lines and summary says; None: such a log is read line by line."""
    stream = ycsb.Stream("")
    stream.feed(text)
    logs = ycsb.runs_of([stream])
    log = logs[0]
    is_titled = stream.has_headings or (not log.command_line and has_titles(text))
    is_odd = len(logs) > 1 or stream.runs[0].is_begun or log.truncated or log.raw_rows or is_titled
    if is_odd or command_line.has_intended_latencies(log.command_line) or _FILES.search(log.command_line):
        return None
    columns = from_log(log) | {"phase": command_line.phase(log.command_line)}
    nan = math.nan
    warned = checks.warnings(log, run_phase="", threads=nan, asked=nan, write_concern=columns["write_concern"])
    asked = nan if log.threads_asked is None else float(log.threads_asked)
    return Head(columns, log.command_line, asked, Warn.UNACKED_WRITES in warned)


def _agrees(template: Template, table: np.ndarray, series: Sequence[Series]) -> np.ndarray:
    """Whether nothing in a log contradicts anything else: what checks would find to be completed, without doubt."""
    runtime_ms, throughput = table[:, template.runtime], table[:, template.throughput]
    counts = table[:, [o.lines["count"] for o in template.operations]]
    fine = (runtime_ms > 0) & (runtime_ms % 1 == 0) & (table[:, :-1] < MAX_VALUE).all(axis=1)
    fine &= ((counts > 0) & (counts % 1 == 0)).all(axis=1)
    for o in template.operations:
        if RETURN_OK in o.lines:
            fine &= table[:, o.lines[RETURN_OK]] == table[:, o.lines["count"]]
        lowest, mean, highest = (table[:, o.lines.get(key, -1)] for key in ("min_us", "mean_us", "max_us"))
        fine &= checks.are_in_order(lowest, mean, highest, table[:, [i for _, i in o.percentiles]])
    attempted = _attempted(template, table)
    overall = throughput * runtime_ms / units.MS_PER_S
    slack = count_slack(overall)
    fine &= (attempted > 0) & (np.abs(attempted - overall) <= slack)
    of_series = [(s.lines, s.last_operations, s.peak_ops_s, s.last_interval_s, s.stepped or s.gapped) for s in series]
    lines, last, peak, end, odd = np.array(of_series, float).T
    fine &= (lines >= 2) & (odd == 0) & ~np.isnan(end)
    return fine & checks.reaches(overall, last, peak, end, runtime_ms, slack=slack)


def _attempted(template: Template, table: np.ndarray) -> np.ndarray:
    calls = sum(table[:, o.lines["count"]] for o in template.database)
    return calls - table[:, template.rmw.lines["count"]] if template.rmw else calls


def _utilisation(template: Template, table: np.ndarray, threads: np.ndarray) -> np.ndarray:
    seconds = table[:, template.runtime] / units.MS_PER_S
    counted = (o for o in template.operations if closed_loop.is_counted(o.name))
    with np.errstate(divide="ignore", invalid="ignore"):
        busy = sum(table[:, o.lines["count"]] / seconds * table[:, o.lines["mean_us"]] for o in counted)
        return busy / units.US_PER_S / np.where(threads > 0, threads, np.nan)


def _same_lines(texts: Sequence[bytes]) -> Iterator[tuple[Template, list[int], np.ndarray]]:
    """The summaries that hold nothing but a whole run's figures in the forms that current releases print: those with
    the same lines together, which they are, and their figures: a row each, a column per line, at last NaN."""
    groups: dict[bytes, tuple[list[int], list[bytes]]] = {}
    for i, text in enumerate(texts):
        # What is before each number, each number, and the rest: nothing, if every line is of that form.
        *pieces, unmatched = _PRINTED.split(text)
        key = b"\n".join(pieces[::2])
        if pieces and not unmatched and key.count(b"\n") + 1 == len(pieces) // 2:
            indices, numbers = groups.setdefault(key, ([], []))
            indices.append(i)
            numbers += pieces[1::2]
    for key, (indices, numbers) in groups.items():
        if template := _template(key):
            figures = np.array([*map(float, numbers)]).reshape(len(indices), -1)
            yield template, indices, np.pad(figures, ((0, 0), (0, 1)), constant_values=np.nan)


@lru_cache(maxsize=4096)
def _template(key: bytes) -> Template | None:
    """What the lines of a summary are, given without their numbers; None where one is of another kind."""
    overall: dict[str, int] = {}
    operations: dict[str, dict[Key, int]] = {}
    for line, prefix in enumerate(key.split(b"\n")):
        match = ycsb.SUMMARY.fullmatch((prefix + b", 0").decode("utf-8", errors="replace"))
        if not match:
            return None
        name, metric = match[1], match[2]
        if name == "OVERALL" and metric not in overall:
            overall[metric] = line
        elif name.startswith(_IGNORED):
            continue
        else:
            figure = key_of(metric)
            lines = operations.setdefault(name, {})
            is_known = name in DATABASE_OPERATIONS or not (is_of_workload(name) or name == COMMIT)
            is_plain = figure in _PLAIN or (isinstance(figure, tuple) and figure[0] == "us" and figure[1] <= 100)
            if not is_plain or figure in lines or is_failure_series(name) or not is_known:
                return None
            lines[figure] = line
    if not {"RunTime(ms)", "Throughput(ops/sec)"} <= overall.keys() or "ThreadCount" in overall:
        return None
    if ends_early(operations) or any("count" not in lines or "mean_us" not in lines for lines in operations.values()):
        return None
    listed = tuple(Figures(redact(name), min(lines.values()), lines) for name, lines in operations.items())
    database = tuple(o for name in DATABASE_OPERATIONS for o in listed if o.name == name)
    if not database or any(RETURN_OK not in o.lines for o in database):
        return None
    return Template(
        overall["RunTime(ms)"],
        overall["Throughput(ops/sec)"],
        listed,
        database,
        next((o for o in listed if o.name == READ_MODIFY_WRITE), None),
        "load" if [o.name for o in database] == ["INSERT"] else "run",
    )
