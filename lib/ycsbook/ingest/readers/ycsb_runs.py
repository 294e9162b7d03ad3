"""Runs of YCSB from the parts of them that were found in its streams.

One run tells of itself on stdout and on stderr, and one file may hold several runs: what belongs together is told by
the order, and where that leaves a doubt by how long the parts lasted.
"""

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ycsbook.ingest.log.intervals import Intervals
from ycsbook.ingest.log.labels import server_of_text
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import StatusLine
from ycsbook.ingest.log.summary import SummaryBuilder, ends_early
from ycsbook.ingest.readers.text_runs import MAX_COMMAND, MAX_ERRORS
from ycsbook.operations import is_of_workload
from ycsbook.secrets import redact

# A command typed above a log, behind a prompt or prose, in Markdown, or over lines that end in a backslash.
_PROGRAM = r"(?<![\w.-])ycsb(?:\.(?:sh|py|bat))?\s"
_COMMAND_BEGINS = re.compile(rf"(?:{_PROGRAM}{{1,8}}(?:load\s|run\s|-)|(?<![\w.-])java\s)", re.ASCII)
# Others called so are told behind their options what to do.
_COMMAND = re.compile(
    rf"{_PROGRAM}+((?:load|run)\s+[\w.-]{{1,60}}\s+-[^`]*"
    r"|(?=--?[A-Za-z])[^`]{0,2000}?(?<=\s)(?:-t|-?(?P<verb>load|run))(?=\s|$)[^`]*)",
    re.ASCII,
)
# The arguments alone, as the client prints them behind `Command line:`.
_ARGUMENTS = re.compile(r"-db\s+\S*\bycsb\b\S*\s+-.*", re.ASCII)
_STANDARD_WORKLOAD = re.compile(r"\bworkload[a-f](?=\s|$)", re.ASCII)
_STORED = re.compile(r"-p\s+(insert|record)count=(\d{1,15})(?=\s|$)", re.ASCII)
_LEAST_STORED = 0.5
TYPED = TYPED_LOAD, TYPED_RUN = "typed load", "typed run"
# What the shell does besides: another command, or another place for the output.
_OTHER_COMMAND = re.compile(r"\s(?:&&|\|\|?|;|[12&]?>>?)\s?")


@dataclass
class Run:
    """One run while its lines go by; `in_page`: headings stand above it; `typed`: all commands there; `in_words`: words
    follow its summary, so that it was not cut there; `elided`: dots stand for lines of it; `totals_alone`: that has
    lines of [OVERALL] only; `printer`: whose lines they are, of several in one file."""

    summary: SummaryBuilder = field(default_factory=SummaryBuilder)
    series: Series = field(default_factory=Series)
    headers: dict[str, str] = field(default_factory=dict)
    errors: dict[str, None] = field(default_factory=dict)
    last: StatusLine | None = None
    names: set[str] = field(default_factory=set)
    status_source: str = ""
    histogram_status: bool = False
    truncated: bool = False
    raw_rows: bool = False
    source: str = ""
    in_page: bool = False
    typed: list[tuple[str, str]] = field(default_factory=list)
    in_words: bool = False
    elided: bool = False
    totals_alone: bool = True
    printer: str = ""

    @property
    def is_begun(self) -> bool:
        return bool(self.last or self.summary.operations or self.summary.overall or self.summary.runtimes)

    def take_over(self, other: "Run") -> None:
        """Take the status lines of another, and what its header says besides."""
        for name in ("series", "last", "status_source", "histogram_status"):
            setattr(self, name, getattr(other, name))
        self.headers = other.headers | self.headers
        other.series, other.last, other.headers = Series(), None, {}

    def extend_last(self, details: tuple) -> None:
        """Add the second physical line of a status that `hdrhistogram+X` splits in two."""
        if not self.series.waiting:
            return
        at, last = self.series.waiting[-1]
        counted = {d.operation for d in last.details if not math.isnan(d.count)}
        merged = tuple(d for d in last.details if d.operation in counted)
        merged += tuple(d for d in details if d.operation not in counted)
        self.series.waiting[-1] = (at, StatusLine(last.at_ms, last.elapsed_s, last.operations, merged))


def is_continued(text: str) -> bool:
    """Whether a line begins a command, or goes on with it, that the next line goes on with."""
    return text.endswith("\\") and len(text) <= MAX_COMMAND and bool(_COMMAND_BEGINS.search(text))


def typed_command(text: str) -> str:
    """The last command of YCSB's launcher in a line, from its `load` or `run` on, or the client's arguments.

    Without quotes and passwords; empty where there is none.

    Examples
        >>> typed_command("Then `bin/ycsb run mongodb -P workloads/workloada -threads 8` gives:")
        'run mongodb -P workloads/workloada -threads 8'
        >>> typed_command("./ycsb --workload workloada.toml --threads 8 load")
        'load --workload workloada.toml --threads 8 load'
    """
    if "ycsb" not in text:
        return ""
    matches = filter(None, map(_COMMAND.search, _OTHER_COMMAND.split(text)))
    commands = [" ".join(filter(None, (match["verb"], match[1]))) for match in matches]
    commands += [text] if _ARGUMENTS.match(text) else []
    return redact(commands[-1]).replace('"', "").replace("'", "").rstrip() if commands else ""


def assembled(streams: Sequence[Sequence[Run]]) -> list[RunLog]:
    """The runs of which the streams tell, each stream given as the parts found in it; the first has the summaries."""
    begun = []
    for stream in streams:
        runs = [run for run in _settled(stream) if run.is_begun] or stream[:1]
        _give_in_order(runs)
        once = [b for a, b in itertools.pairwise([None, *runs]) if a is None or not _repeats(a, b)]
        begun.append([a for a, b in itertools.pairwise([*once, None]) if b is None or not _goes_on(a, b)])
        # No client is cut behind its totals time and again: somebody searched for them.
        if len(begun[-1]) > 1 and all(run.totals_alone and run.summary.is_whole and not run.last for run in begun[-1]):
            for run in begun[-1]:
                run.in_words = True
    return [_log(parts) for parts in _matched(begun)]


def _settled(runs: list[Run]) -> list[Run]:
    """Gives what stands behind a summary to the run that it is of: mostly the next one, but a command line came last in
    0.1.4, and who appends stderr to stdout has the status lines behind the summary."""
    settled = runs[:1]
    for run in runs[1:]:
        before = settled[-1]
        run.series.flush()
        if not run.is_begun:
            # What was typed behind a log is not what made it.
            before.headers = {k: v for k, v in run.headers.items() if k not in TYPED} | before.headers
            continue
        if before.last is None and before.summary.is_whole and _belongs(before, run) and not _belongs(run, run):
            before.take_over(run)
        if run.is_begun:
            settled.append(run)
    return settled


def _give_in_order(runs: Sequence[Run]) -> None:
    """Gives each of several runs its command, where all stand above the first: in order where there are as many, or as
    many of its kind; where several differ that are not, nobody knows which is whose."""
    starts = [at for at, run in enumerate(runs) if at == 0 or run.typed]
    for start, end in itertools.pairwise([*starts, len(runs)]):
        group, typed = runs[start:end], runs[start].typed
        kinds = ([of for of in typed if of[0] in kind] for kind in (TYPED, TYPED[1:], TYPED[:1]))
        in_order = next((commands for commands in kinds if len(commands) == len(group)), None)
        is_told = in_order or len(set(typed)) == len(dict(typed))
        for at, run in enumerate([] if len(group) == 1 else group if in_order else group[: not is_told]):
            run.headers = {kind: text for kind, text in run.headers.items() if kind not in TYPED}
            run.headers |= dict(in_order[at : at + 1] if in_order else ())


def _repeats(a: Run, b: Run) -> bool:
    """Whether a summary is that before it printed once more: another run has a header of its own, unless all of it is
    the same, down to the clock of its status lines or the fractions of its means, or a string and its lines."""
    sources = [a.summary.totals.get("source"), *map("{0[0]}:{0[1]}".format, a.summary.where.values())]
    in_one_line = len(set(sources)) < len(sources)
    has_digits = any(figures.get("mean_us", 0) % 1 for figures in a.summary.operations.values())
    is_same = (a.headers, a.last) == (b.headers, b.last) and (a.last is not None or in_one_line or has_digits)
    is_same |= b.headers.keys() <= set(TYPED) and b.last is None
    return is_same and b.summary.is_whole and a.summary.same_as(b.summary)


def _goes_on(a: Run, b: Run) -> bool:
    """Whether what a run has, its status lines, is printed once more, and its summary behind that."""
    return a.last is not None and not a.summary.overall and (a.headers, a.last) == (b.headers, b.last)


def _matched(streams: list[list[Run]]) -> list[list[Run]]:
    """The parts of each run: in order where all streams have as many runs, else by how long they lasted."""
    main, *other_streams = streams
    groups = [[run] for run in main]
    for runs in other_streams:
        if len(runs) == len(main):
            for group, run in zip(groups, runs, strict=True):
                group.append(run)
            continue
        at = 0
        for run in runs:
            fits = (i for i in range(at, len(main)) if _belongs(main[i], run))
            if (i := next(fits, None)) is None:
                groups.append([run])
            else:
                groups[i].append(run)
                at = i + 1
    return groups


def _belongs(main: Run, run: Run) -> bool:
    """Whether the status lines of a run can be those before the summary of another: they end about where it ended."""
    if run.last is None or not main.summary.is_whole:
        return False
    runtime_s = main.summary.totals["runtime_ms"] / 1000
    overall = main.summary.totals["throughput_ops_s"] * runtime_s
    interval_s = run.last.elapsed_s / max(1, run.series.lines - 1)
    return -2.0 <= runtime_s - run.last.elapsed_s <= max(12.0, 1.5 * interval_s) and run.last.operations <= overall + 1


def _log(parts: list[Run]) -> RunLog:
    for part in parts:
        part.series.close()
    headers = {k: v for part in reversed(parts) for k, v in part.headers.items()}
    # With timeseries measurements YCSB prints its status lines on both streams.
    longest = max(parts, key=lambda part: part.series.lines)
    main = max(parts, key=lambda part: (part.summary.is_whole, bool(part.summary.operations)))
    fields = main.summary.fields(histogram_status=any(part.histogram_status for part in parts))
    for operation in main.summary.points:
        longest.series.extend(_points(operation, main.summary.time_series(operation), longest.series))
    errors = dict.fromkeys(e for part in parts for e in part.errors)
    threads = main.summary.threads
    command = headers.get("command") or headers.get("java") or _typed(headers, main.summary)
    return RunLog(
        **{"source": main.source, **fields},
        command_line=command,
        columns={**server_of_text(main.printer), **({"threads": threads} if threads > 0 else {})},
        printer=main.printer,
        version=headers.get("version", ""),
        series=longest.series,
        status_source=longest.status_source,
        errors=tuple(errors)[:MAX_ERRORS],
        truncated=any(part.truncated for part in parts) or (not main.in_words and ends_early(main.summary.operations)),
        raw_rows=any(part.raw_rows for part in parts),
        elided=any(part.elided for part in parts),
        quoted=main.in_page
        or threads > 0
        or ((command != "" or (main.in_words and main.totals_alone)) and headers.keys() <= set(TYPED)),
    )


def _typed(headers: dict[str, str], summary: SummaryBuilder) -> str:
    """The command typed above the log, if it does what the log shows; of an excerpt without operations the nearest."""
    nearest = [command for kind, command in headers.items() if kind in TYPED][-1:]
    operations = [name for name in summary.operations if is_of_workload(name)]
    if not operations:
        return "".join(nearest)
    run = headers.get(TYPED_RUN, "")
    if not all(name.startswith("INSERT") for name in operations):
        return run
    if load := headers.get(TYPED_LOAD):
        return load if _stores_as_many(load, summary) else ""
    return "" if _STANDARD_WORKLOAD.search(run) else run


def _stores_as_many(load: str, summary: SummaryBuilder) -> bool:
    """Whether a command can be that of a load by how many records it stores; a load may end early."""
    asked = dict(_STORED.findall(load))
    records = float(asked.get("insert") or asked.get("record") or math.nan)
    counts = (figures.get("count", 0.0) for name, figures in summary.operations.items() if name.startswith("INSERT"))
    stored = sum(counts)
    return not (stored > records or 0 < stored < _LEAST_STORED * records)


def _points(operation: str, points: list[tuple[int, float]], series: Series) -> Intervals | None:
    """The points of a time series as intervals, where the status lines tell nothing of the operation."""
    if len(points) < 2 or operation in series.names:
        return None
    at = np.array([t for t, _ in points], float)
    length = float(np.median(np.diff(at))) / 1000
    unknown = dict.fromkeys(("operations", "throughput_ops_s", "max_us", "p99_us"), np.full(len(points), np.nan))
    return Intervals(
        name=np.ones(len(points), np.int32),
        elapsed_s=at / 1000 + length,
        interval_s=np.full(len(points), length),
        mean_us=np.array([v for _, v in points], float),
        line=np.zeros(len(points), np.int64),
        names=("TOTAL", operation),
        **unknown,
    )
