"""Logs beyond doubt, read hundreds at a time: whole, every call succeeded, and every count agrees with every other.

Most logs of an archive are of this kind and print the same lines with other figures. They are read as columns of
figures; what differs in any way is left to the reader that goes line by line. For the logs taken here both give the
same rows, to the last digit: a test compares them.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ycsbook import closed_loop, units
from ycsbook.ingest.log.runlog import Summary, count_slack
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.summary import Key, ends_early, key_of
from ycsbook.ingest.readers import ycsb, ycsb_batch
from ycsbook.ingest.readers.text_runs import has_titles
from ycsbook.ingest.runs import checks, command_line
from ycsbook.ingest.runs.rows import Rows, from_log, local_time, shown_source
from ycsbook.ingest.runs.runs import inferred_settings, settled_workload
from ycsbook.ingest.runs.steady import Steady, steady_states
from ycsbook.operations import COMMIT, DATABASE_OPERATIONS, OK, READ_MODIFY_WRITE, is_failure_series, is_of_workload
from ycsbook.verdicts import Outcome, Warn

MAX_TEXT = 64 * 1024
# Longer than any number that a double holds exactly.
MAX_VALUE = 2**53
# Exact latencies in files of their own.
_FILES = re.compile(r"hdrhistogram\.output\.path=|measurement\.raw\.output_file=")
_IGNORED, RETURN_OK = ("TOTAL_GC",), ("return", OK)
_PRINTED = re.compile(rb", (\d{1,19}(?:\.\d{1,19})?)\n")


class Figures(NamedTuple):
    """One operation of a summary: the line with which it begins, those on which its figures stand, by what `key_of`
    gives, and those of its percentiles; -1, the last column of the figures, stands for nowhere."""

    name: str
    line: int
    lines: Mapping[Key, int]
    percentiles: Sequence[tuple[float, int]]


class Template(NamedTuple):
    """What the lines of a summary are, whatever their figures. `calls`: those with the counts of the operations that
    make up the workload; the READ and UPDATE inside a READ-MODIFY-WRITE count besides it."""

    runtime: int
    throughput: int
    operations: tuple[Figures, ...]
    calls: Mapping[str, int]
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


class CleanLog(NamedTuple):
    """A log beyond doubt: its parts, what they say, the figures of its summary by line, at last NaN, and its steady
    part."""

    template: Template
    candidate: Candidate
    head: Head
    figures: list[float]
    steady: Steady

    def add_to(
        self, rows: Rows, run_id: str, *, path: Path, user_columns: Mapping[str, float | str], place: str
    ) -> None:
        """Add its rows, with what the user says that the log does not know better; `place`: as for RunEvidence."""
        template, log, head, figures, steady = self
        calls = {name: figures[at] for name, at in template.calls.items()}
        counts = {o.name: figures[o.lines["count"]] for o in template.operations}
        inside, runtime_ms = calls.get(READ_MODIFY_WRITE, 0.0), figures[template.runtime]
        attempted = sum(calls.values()) - 2 * inside
        phase, threads = head.columns["phase"] or template.phase, min(head.asked, counts.get("CLEANUP", math.inf))
        shown = {
            "threads": threads,
            "phase": phase,
            "read_fraction": max(0.0, calls.get("READ", 0.0) + calls.get("SCAN", 0.0) - inside) / attempted,
            "started_at": local_time(log.series.started_at_ms),
            "throughput_ops_s": figures[template.throughput],
            "goodput_ops_s": attempted / (runtime_ms / units.MS_PER_S),
            "steady_ops_s": steady.steady_ops_s,
            "warmup_s": steady.warmup_s,
            "runtime_ms": runtime_ms,
            "operations": attempted,
            "failed_operations": 0.0,
            "outcome": Outcome.COMPLETED.value,
            "source": f"{shown_source(log.summary_path)}:{log.summary_line + template.throughput}",
            "status_source": shown_source(log.status_path),
        }
        stated = str(user_columns.get("workload") or head.columns["workload"])
        workload, warning = settled_workload(stated, str(path), calls if phase == "run" else {})
        columns = {**head.columns, **shown, "workload": workload, **user_columns}
        inferred = inferred_settings(str(path), columns, place, head.command)
        times = ((o.name, counts[o.name], figures[o.lines["mean_us"]]) for o in template.operations)
        warnings = {
            Warn.UNACKED_WRITES: head.unacked,
            Warn.SHORT_RUN: phase == "run" and checks.is_short(runtime_ms),
            Warn.THREADS_CLIPPED: threads < head.asked,
            Warn.LITTLE_LAW: closed_loop.of_series(times, runtime_ms, threads) > closed_loop.MAX_UTILISATION,
            Warn.POOL_BELOW_THREADS: head.columns["pool_size"] < threads,
            warning: warning is not None,
            Warn.SETTINGS_INFERRED: bool(inferred),
        }
        said = {**inferred, **user_columns, "workload": workload, "run_id": run_id}
        said["warnings"] = " ".join(itertools.compress(warnings, warnings.values()))
        rows.runs.append({**head.columns, **said, **shown})
        for o in template.operations:
            latencies = (figures[o.lines.get(key, -1)] for key in ("count", "mean_us", "min_us", "max_us"))
            percentiles = tuple((p, figures[line]) for p, line in o.percentiles)
            codes = (("OK", int(figures[o.lines[RETURN_OK]])),) if RETURN_OK in o.lines else ()
            source = f"{log.summary_path}:{log.summary_line + o.line}"
            rows.add_operation(run_id, Summary(o.name, *latencies, percentiles, codes, source))
        rows.intervals.append((run_id, log.series))


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


def read(candidates: Sequence[Candidate | None]) -> list[CleanLog | None]:
    """The logs among the candidates that are beyond doubt; None: to be read line by line."""
    clean: list[CleanLog | None] = [None] * len(candidates)
    heads = [_head(c.text) if c and max(len(c.text), len(c.summary)) <= MAX_TEXT else None for c in candidates]
    with_head = [i for i, head in enumerate(heads) if head]
    for template, indices, table in _same_lines([candidates[i].summary for i in with_head]):
        at = [with_head[i] for i in indices]
        fine = np.flatnonzero(_agrees(template, table, [candidates[i].series for i in at])).tolist()
        steady = steady_states([candidates[at[row]].series.totals() for row in fine])
        for row, state in zip(fine, steady, strict=True):
            i = at[row]
            clean[i] = CleanLog(template, candidates[i], heads[i], table[row].tolist(), state)
    return clean


@lru_cache(maxsize=4096)
def _head(text: bytes) -> Head | None:
    """What the text beside status lines and summary says; None: such a log is read line by line."""
    stream = ycsb.Stream("")
    stream.feed(text)
    logs = ycsb.runs_of([stream])
    log = logs[0]
    is_titled = stream.has_headings or (not log.command_line and has_titles(text))
    is_odd = len(logs) > 1 or stream.runs[0].is_begun or log.truncated or log.raw_rows or is_titled
    # Without the threads that were asked for, CLEANUPs and names tell them.
    is_odd |= log.threads_asked is None or command_line.has_intended_latencies(log.command_line)
    if is_odd or _FILES.search(log.command_line):
        return None
    columns = from_log(log) | {"phase": command_line.phase(log.command_line)}
    nan = math.nan
    warned = checks.warnings(log, run_phase="", threads=nan, asked=nan, write_concern=columns["write_concern"])
    return Head(columns, log.command_line, float(log.threads_asked), Warn.UNACKED_WRITES in warned)


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
    attempted = sum(table[:, at] * (-1 if name == READ_MODIFY_WRITE else 1) for name, at in template.calls.items())
    overall = throughput * runtime_ms / units.MS_PER_S
    slack = count_slack(overall)
    fine &= (attempted > 0) & (np.abs(attempted - overall) <= slack)
    of_series = [(s.lines, s.last_operations, s.peak_ops_s, s.last_interval_s, s.stepped or s.gapped) for s in series]
    lines, last, peak, end, odd = np.array(of_series, float).T
    fine &= (lines >= 2) & (odd == 0) & ~np.isnan(end)
    return fine & checks.reaches(overall, last, peak, end, runtime_ms, slack=slack)


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
            if not _is_plain(figure) or figure in lines or is_failure_series(name) or not is_known:
                return None
            lines[figure] = line
    return _assembled(overall, operations)


def _is_plain(key: object) -> bool:
    if isinstance(key, str):
        return key in ("count", "mean_us", "min_us", "max_us")
    return key is not None and (key == RETURN_OK or (key[0] == "us" and key[1] <= 100))


def _assembled(overall: dict[str, int], operations: dict[str, dict[Key, int]]) -> Template | None:
    if not {"RunTime(ms)", "Throughput(ops/sec)"} <= overall.keys() or "ThreadCount" in overall:
        return None
    if ends_early(operations) or any("count" not in lines or "mean_us" not in lines for lines in operations.values()):
        return None
    percentiles = {name: sorted((key[1], at) for key, at in lines.items() if key[0] == "us")
                   for name, lines in operations.items()}  # fmt: skip
    listed = tuple(Figures(name, min(lines.values()), lines, percentiles[name]) for name, lines in operations.items())
    database = tuple(o for name in DATABASE_OPERATIONS for o in listed if o.name == name)
    if not database or any(RETURN_OK not in o.lines for o in database):
        return None
    rmw = [o for o in listed if o.name == READ_MODIFY_WRITE]
    return Template(
        overall["RunTime(ms)"],
        overall["Throughput(ops/sec)"],
        listed,
        {o.name: o.lines["count"] for o in (*database, *rmw)},
        "load" if [o.name for o in database] == ["INSERT"] else "run",
    )
