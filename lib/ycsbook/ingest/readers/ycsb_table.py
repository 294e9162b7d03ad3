"""Tables whose columns are YCSB's own names, such as `[OVERALL].Throughput(ops/sec)`: CSV, Markdown, and data frames as
they are printed or shown, also in notebooks. Each row is a run with what its columns say; in Markdown the names may
stand in the first column, and each of the others is a run. A latency without an operation is that of all. Percentiles
of several clients in one row can only be averages. Rows of single clients beside rows of all together are left out."""

import csv
import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.labels import identifier, settings_of_text
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.log.summary import SummaryBuilder, key_of, number
from ycsbook.ingest.log.table_columns import distinguishing_columns, unread_columns, words_of
from ycsbook.ingest.readers.text_runs import MAX_RUNS, numbered
from ycsbook.operations import GOOD_CODES, TOTAL

FORMAT = "ycsb-table"
_RATE, _RUNTIME = "Throughput(ops/sec)", "RunTime(ms)"
# How far the clients' summed rates over their longest time may be from what they did: they do not end together.
_PODS = 0.1
# Of a column without an operation they count only where another column names it.
_COUNTS = ("Operations", "Return=")
_METRIC = re.compile(
    r"(?:(?:\[([A-Z][A-Z_-]{1,40})\]|((?i:overall|read[_-]modify[_-]write|read|update|insert|scan|delete|cleanup)))"
    r"[\s.,:_-]{0,3})?(\S.{0,59})",
    re.ASCII,
)
# Totals and counts as programs spell them.
_SPELT = {
    "throughput_ops_sec": _RATE, "throughput_ops_per_sec": _RATE, "runtime_ms": _RUNTIME,
    "operations": "Operations", "return_ok": "Return=OK", "return=ok": "Return=OK",
}  # fmt: skip
_LATENCY = re.compile(
    r"(avg|average|mean|min|max)?[ _.-]?(?:p?(\d\d(?:\.\d{1,3})?)(?:th)?[ _.-]?(?:percentile)?)?[ _.-]?latency"
    r"[ _.-]{0,2}[(\[]?(us|ms)[)\]]?",
    re.IGNORECASE | re.ASCII,
)
# Avg_Read_Latency_ms: the operation belongs before all else.
_INSIDE = re.compile(r"(avg|average|mean|min|max|p\d\d)[ _](read|update|insert|scan)[ _](?=latency)", re.IGNORECASE)
# `CPU` and `Memory` may be what was used.
_SETTINGS = {
    re.compile(words, re.IGNORECASE): name
    for name, words in (("threads", r"(?:num[ _]?|n)?threads?(?:[ _]?count)?"), ("target_ops_s", "target"),
                        ("clients", r"(?:pod|client)s?[ _]count"), ("records", "record[ _]?(?:count|s)"),
                        ("repeat", "(?:experiment|benchmark)[ _]?(?:run|rep)"), ("phase", "phase"),
                        ("spec", "spec|instance(?:[ _]?type)?"), ("workload", "workload"), ("operation", "operation"),
                        ("cores", "(?:num[ _]|n[ _]?|cpu[ _]?)?cores?|vcpus?|cpus|cpu[ _]count"),
                        ("ram_gib", r"ram|(?:ram|mem(?:ory)?)[ _(]{1,2}gi?b\)?"),
                        ("distribution", "(?:request[ _]?)?distribution"),
                        ("server_version", "(?:server|db|database|mongodb)?[ _]?version"))
}  # fmt: skip
# Where no column is called so, the threads.
_CALLERS = re.compile(
    r"(?:num(?:ber)?[ _]?(?:of[ _]?)?|n)?(?:clients?|workers?|connections?|users?|concurrency|线程|并发)数?",
    re.IGNORECASE,
)
_GB = re.compile(r"(?<=\d) ?gi?b$", re.IGNORECASE)
_PHASES = {"load": "load", "loading": "load", "run": "run", "running": "run", "benchmarking": "run"}
_TEXTS = ("phase", "distribution", "server_version", "spec")
_ASIDE = re.compile("^(?:row|operation)$|TOTAL_GC", re.IGNORECASE)
_AVERAGE = re.compile("(?:overall )?(?:averages?|avg|means?|medians?)|平均值?|均值|中位数?", re.IGNORECASE)
# A log that a page quotes beside a table says more.
LOG = re.compile(rb"^\W{0,20}\[OVERALL\], Throughput\(ops/sec\), \d", re.MULTILINE)
_SEPARATOR = re.compile(r"[|:\s-]+")
# What is in a cell of a table in HTML.
_CELL = re.compile(r"\s*<t[hd][^<>]{0,200}>(.*)</t[hd]>\s*")
# The lines of several logs side by side, as spreadsheets save them: a comma parts an operation from its metric, too.
_SIDE_BY_SIDE = re.compile(r"\[([^\[\],]{1,80})\], ?([^,]{1,60})((?:,[^,]{0,40}){2,500})")
_MAX_CELLS = 500


def recognises(head: bytes, name: str = "") -> bool:
    """Whether there is a line of headings with YCSB's throughput and another of its names."""
    # Most logs of YCSB have the name, so that only its own lines are looked at.
    lines = [line.decode(errors="replace") for line in head.split(b"\n") if b"hroughput" in line]
    if any(_columns(_cells(_unquoted(line))) for line in lines):
        return True
    if any(_is_named(cells) and _column(cells[0])[0] for cells in map(_cells_by_name, lines) if cells):
        return not LOG.search(head)
    if not any(_RATE in line and _CELL.fullmatch(_unquoted(line)) for line in lines):
        return False
    all_lines = head.decode(errors="replace").split("\n")
    return any(_columns(cells) for _, cells, *_ in _rows((at, line, True) for at, line in enumerate(all_lines)))


def _is_named(cells: list[str]) -> bool:
    """Whether a row has one of YCSB's names, or of its garbage collector's, in its first cell and figures in others."""
    is_name = cells[0].startswith("[") or _column(cells[0])[0]
    return bool(is_name) and any(number(cell) is not None for cell in cells[1:])


def _turned(lines: Iterable[tuple[int, str, bool]]) -> Iterator[tuple[int, str, bool]]:
    """The lines, with tables that have their names in the first column turned on their side."""
    above: list[str] = []
    rows: dict[int, list[str]] = {}
    for at, text, is_complete in itertools.chain(lines, [(0, "", True)]):
        if (cells := _cells_by_name(text)) and len(rows) < _MAX_CELLS and _is_named(cells):
            rows |= {at: cells} if _column(cells[0])[0] else {}
            continue
        # Without its throughput it is none; its rows are not those of the table above.
        if line := next((n for n, row in rows.items() if _column(row[0]) == ("OVERALL", _RATE)), 0):
            columns = itertools.zip_longest(above, *rows.values(), fillvalue="")
            yield from ((line, f"| {' | '.join(column)} |", True) for column in itertools.islice(columns, _MAX_CELLS))
        rows = {}
        if not _SEPARATOR.fullmatch(text):
            system, _, *names = *_cells(text), "", ""  # what logs beside each other are called
            above = cells or ["", *(f"{system} {name}".strip() for name in names)]
        if at:
            yield at, text, is_complete


def _rows(lines: Iterable[tuple[int, str, bool]]) -> Iterator[tuple[int, list[str], bool, bool]]:
    """The rows of all tables: the line in which each ends, its cells, and whether that line is whole, and has a comma.
    Most are a line; in HTML a row has one for each cell. Rows that were shown in HTML before are left out."""
    html_rows: set[tuple[str, ...]] = set()
    of_html: list[str] | None = None
    for at, text, is_complete in lines:
        bare = _unquoted(text)
        if bare.startswith("<tr"):
            of_html = []
        elif of_html is None:
            cells = _cells(bare)
            if tuple(cells) not in html_rows:
                yield at, cells, is_complete, "," in bare
        elif bare.startswith("</tr"):
            html_rows.add(tuple(of_html))
            yield at, of_html, is_complete, False
            of_html = None
        elif (match := _CELL.fullmatch(bare)) and len(of_html) < _MAX_CELLS:
            of_html.append(html.unescape(match[1]).strip())


def _unquoted(text: str) -> str:
    """A line without what stands around it, in a notebook quotation marks and the end of the line."""
    bare = text.strip()
    inner = bare.removesuffix(",")
    if text[:1].isspace() and len(inner) > 1 and inner[0] == inner[-1] == '"':
        bare = inner[1:-1].removesuffix("\\n").strip()
    return bare


def _cells_by_name(text: str) -> list[str]:
    """The cells of a line that may begin with one of YCSB's names; empty: it is none."""
    bare = text.strip()
    return _cells(bare) if bare.startswith("|") or _SIDE_BY_SIDE.fullmatch(bare) else []


def _cells(text: str) -> list[str]:
    if text.startswith("|"):
        return [cell.strip() for cell in text.strip("|").split("|")]
    if match := _SIDE_BY_SIDE.fullmatch(text):
        return [f"[{match[1]}].{match[2]}", *match[3][1:].split(",")]
    mark = ";" if text.count(";") > 1 else ","
    try:
        # YCSB's own lines have a comma between a name and its metric.
        by_mark = next(csv.reader([text], delimiter=mark), []) if "], " not in text else []
    except csv.Error:  # a lone carriage return, a cell of 128 KiB: no row of a table
        return []
    cells = [cell.strip() for cell in (by_mark if len(by_mark) > 1 else re.split(r"\s{2,}|\t", text))]
    return [re.sub(r"^(\d+),(\d+)$", r"\1.\2", cell) for cell in cells] if mark == ";" else cells


def _column(heading: str) -> tuple[str, str]:
    """An operation and its metric, or "" and the setting that a column holds, "" for any other."""
    match = _METRIC.fullmatch(heading := _INSIDE.sub(r"\2_\1", heading.rstrip(" :")))
    quoted, free, name = match.groups() if match else ("", "", heading)
    operation = quoted or (free or "").upper().replace("_", "-")
    name = _SPELT.get(name.lower(), name) if operation else name
    if operation in ("", "OVERALL") and name.lower() in (_RATE.lower(), _RUNTIME.lower()):
        return "OVERALL", _RATE if name.lower() == _RATE.lower() else _RUNTIME
    if (quoted or name.startswith(_COUNTS)) and key_of(name) is not None:
        return operation or TOTAL, name
    if latency := _LATENCY.fullmatch(name):
        kind, percentile, unit = (group or "" for group in latency.groups())
        name = {"mi": "Min", "ma": "Max"}.get(kind[:2].lower(), "Average")
        return operation or TOTAL, f"{percentile + 'thPercentile' if percentile else name}Latency({unit.lower()})"
    return "", next((name for words, name in _SETTINGS.items() if words.fullmatch(heading)), "")


def _columns(headings: list[str]) -> list[tuple[str, str]]:
    """What each column of a line of headings holds; empty: it is none, or one of two runs beside each other."""
    if not any("throughput" in heading.lower() for heading in headings):
        return []
    columns = [_column(cell) for cell in headings[:_MAX_CELLS]]
    callers = [at for at, heading in enumerate(headings[:_MAX_CELLS]) if _CALLERS.fullmatch(heading)]
    if len(callers) == 1 and ("", "threads") not in columns:
        columns[callers[0]] = ("", "threads")
    named = [column for column in columns if column[0]]
    return columns if named.count(("OVERALL", _RATE)) == 1 < len(named) else []


@dataclass
class _Run:
    """A row that is a run. `header`: what its columns hold, `headings`: the words above them; `whole`: its line has an
    end; `surplus`: it has more cells than headings; `variant`: what other columns say that tells it from other rows;
    `unread`: headings of those of which nothing is known."""

    source: str
    line: int
    cells: list[str]
    header: list[tuple[str, str]]
    headings: list[str]
    whole: bool
    surplus: bool
    variant: str = ""
    unread: tuple[str, ...] = ()

    @property
    def settings(self) -> list[tuple[str, str]]:
        """What the columns that are known say of it besides figures."""
        pairs = zip(self.header, self.cells, strict=True)
        return [(name, cell) for (operation, name), cell in pairs if name and not operation]

    @property
    def of_one_run(self) -> tuple:
        """A key that is equal for rows of single operations of one run, and for no other rows."""
        pairs = zip(self.header, self.cells, strict=True)
        of_all = [(name, cell) for (operation, name), cell in pairs if operation in ("", "OVERALL")]
        common = [cell for name, cell in of_all if name != "operation"]
        return (self.source, *self.headings, *common) if len(common) < len(of_all) else (id(self),)


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """As `readers.LogReader` says: a run for each row with a throughput below a line of headings."""
    runs = _together([run for source in sources for run in itertools.islice(_runs(source), MAX_RUNS)])
    tables: dict[tuple[str, ...], list[_Run]] = {}
    for run in runs:
        tables.setdefault((run.source, *run.headings), []).append(run)
    for (_, *headings), rows in tables.items():
        for at, column in enumerate(rows[0].header):
            if column == ("", "phase") and not any(row.cells[at].lower() in _PHASES for row in rows):
                for row in rows:
                    row.header[at] = ("", "")  # the first, second, ... of an experiment
        columns = zip(headings, rows[0].header, strict=True)
        unknown = [text or "row" if name in ("", "operation") else "" for text, (_, name) in columns]
        cells = [row.cells for row in rows]
        settings = distinguishing_columns(unknown, cells, [tuple(row.settings) for row in rows])
        unread = [text for text in unread_columns(unknown, cells, settings) if not _ASIDE.search(text)]
        for row in rows:
            row.variant = " ".join(words_of(unknown[at], row.cells[at]) for at in settings)
            row.unread = tuple(unread)
    of_one = itertools.groupby(runs, key=lambda run: run.of_one_run)
    return [_log(*rows) for _, rows in of_one] or [RunLog(format=FORMAT, source=str(sources[0]), quoted=True)]


def _together(runs: Sequence[_Run]) -> list[_Run]:
    """The runs without rows of single pods (bexhoma numbers them as `child`) whose phase another table has as a whole:
    parts are no runs."""
    phases = [(run.source, dict(zip(run.headings, run.cells, strict=True)).get("phase")) for run in runs]
    whole = {phase for run, phase in zip(runs, phases, strict=True) if "child" not in run.headings}
    return [run for run, phase in zip(runs, phases, strict=True) if "child" not in run.headings or phase not in whole]


def _runs(source: Source) -> Iterator[_Run]:
    header: list[tuple[str, str]] = []
    headings: list[str] = []
    for line, row, is_complete, has_comma in _rows(_turned(numbered(source))):
        if columns := _columns(row):
            header, headings = columns, row[: len(columns)]
            continue
        # A data frame prints the name of each row before its first column; what is too much for CSV stands at the end.
        n = len(header)
        surplus = len(row) > n and has_comma
        cells = row[:n] if surplus else row[-n:]
        is_average = any(map(_AVERAGE.fullmatch, cells))
        if 0 < n == len(cells) and not is_average and number(cells[header.index(("OVERALL", _RATE))]) is not None:
            yield _Run(str(source), line, cells, header, headings, is_complete, surplus)


def _log(run: _Run, *more: _Run) -> RunLog:
    """The log of a row, or of the rows of single operations."""
    summary, averaged = SummaryBuilder(), False
    for row in (run, *more):
        where, of_row = (row.source, row.line), dict(row.settings).get("operation", "").upper()
        for (operation, name), cell, heading in zip(run.header, row.cells, run.headings, strict=True):
            value = number(cell)
            is_told = operation and value is not None and (of_row or operation != TOTAL or not name.startswith(_COUNTS))
            if is_told and (row is run or operation != "OVERALL"):
                summary.add(of_row if of_row and operation == TOTAL else operation, name, value, where)
                averaged |= "Percentile" in name and _AVERAGE.search(heading) is not None
    columns: dict[str, float | str] = {"dataset": run.variant} if run.variant else {}
    for name, cell in (pair for pair in run.settings if pair[0] != "operation"):
        word = _PHASES.get(cell.lower()) or settings_of_text(cell).get("workload") or cell.lower()
        value = word if name in ("phase", "workload") else cell if name in _TEXTS else number(_GB.sub("", cell))
        if value not in (None, ""):
            columns |= {name: value} if name != "spec" else {"spec": identifier(cell), "spec_label": cell}
    # Calls that failed count where only a series of their own tells of them.
    for name, figures in summary.operations.items():
        codes = {key[1] for key in figures if key[0] == "return"}
        failed = summary.operations.get(f"{name}-FAILED", {}).get("count", 0.0)
        if codes and failed > 0 and codes <= set(GOOD_CODES):
            summary.add(name, "Return=ERROR", failed, (run.source, run.line))
    fields = summary.fields() if run.whole else {}
    clients = columns.get("clients", 1.0)
    if averaged or clients > 1:
        fields["summaries"] = tuple(replace(s, averaged=bool(s.percentiles)) for s in fields.get("summaries", ()))
    if run.surplus:
        fields["conflicts"] = (*fields.get("conflicts", ()), "cells")
    fields = {"source": run.source} | fields
    log = RunLog(format=FORMAT, columns=columns, truncated=not run.whole, quoted=True, unread=run.unread, **fields)
    if clients > 1 and abs(log.overall_operations - log.attempted) <= _PODS * log.attempted:
        together = log.attempted / (log.runtime_ms / units.MS_PER_S)
        of_clients = {"client_sum_ops_s": log.throughput_ops_s, "union_ops_s": together}
        return replace(log, columns=columns | of_clients)
    return log
