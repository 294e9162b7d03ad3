"""CSVs of one's own, also as spreadsheets save them: titles above the headings, blank lines, notes below; and JSON."""

import csv
import io
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ycsbook.columns import SCHEMAS, THROUGHPUTS
from ycsbook.errors import DataError, YcsbookError, shown
from ycsbook.glossary import GLOSSARY
from ycsbook.ingest.files.scan import JSON_SUFFIXES, TABLE_SUFFIXES
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.labels import shape
from ycsbook.ingest.log.table_columns import FIGURE
from ycsbook.ingest.published import own_data
from ycsbook.ingest.published.page_cells import is_note, is_projection, is_summary, no_run
from ycsbook.ingest.published.page_forms import multiplied, parted
from ycsbook.ingest.published.page_headings import MIX, QPS, RUNS, hours_of_price, meaning, operation, plain
from ycsbook.ingest.published.page_tables import PageRow, with_points
from ycsbook.opening import MAX_TABLE_BYTES
from ycsbook.tables import Tables

# The headings stand among so many lines.
_SEARCHED = 20
_MARKS = ",;\t|"
_NAMES = {"spec", "workload", "system", "dataset", "vendor", "reason", MIX}
_TEXTS = tuple(name for name in SCHEMAS["runs"] if GLOSSARY[name][0] == "str")
_FIGURE = re.compile(rf"{FIGURE}(?:\s?[^\d\s]{{1,12}})?", re.ASCII)  # whatever its unit, such as ops/s
_AVERAGE = re.compile(r"(?:overall )?(?:averages?|avg|means?|medians?|geomean)(?![\w-])|平均|均值|中位", re.IGNORECASE)
# Alone in a column of settings; a server may be called max-8c.
_SUM = re.compile(
    r"(?:(?:grand |sub)?totals?|sum|summary|overall|best|worst|peak|max(?:imum)?|min(?:imum)?)"
    r"(?: (?:result|case|value)s?)?|合计|总计|小计|汇总|总和|最[优佳差好大小](?:值|结果)?|峰值",
    re.IGNORECASE,
)
_COMMA = re.compile(r"\d[\d.]*,\d+", re.ASCII)
# Of JSON: what stands before the next object, and how one begins.
_NEXT = re.compile(r"[\s,]*")
_BEGINS = re.compile(r"\s*[\[{]")
_Record = tuple[int, list[str]]  # the line in which it begins, from 1, and its cells


def of_csv(path: str | Path) -> Tables:
    """The tables of a CSV with a row per run, as own_data.of_frame. Raises DataError whose mistakes name the file."""
    with _named(path):
        return tables_in(path)[0]


def tables_in(path: str | Path) -> tuple[Tables, list[str]]:
    """Like of_csv, but the mistakes of a DataError do not name the file; and a remark for each row that is left out,
    because it sums up others or was not measured."""
    frame, lines, left_out = _read(path, (MIX, *_TEXTS, ""))
    tables = own_data.of_frame(frame, (QPS,), dataset=Path(path).stem, lines=lines)
    source = tables.runs["source"].where(tables.runs["source"] != "", [f"{path}:{line}" for line in lines])
    return replace(tables, runs=tables.runs.assign(source=source)), left_out


def prices(path: str | Path) -> dict[str, float]:
    """What each spec of such a CSV costs in an hour, by its name, where one column says so, and the same in all rows of
    a spec; empty where none does. Raises DataError as of_csv."""
    with _named(path):
        # Most tables have none, and are not read twice for it.
        if not any(map(hours_of_price, next(_records(path)[1], (1, []))[1])):
            return {}
        frame, lines, _ = _read(path, (MIX, *_TEXTS, ""))
        labels = sorted(filter(hours_of_price, frame.columns), key=hours_of_price)
        if [*map(hours_of_price, labels)].count(hours_of_price(labels[0])) > 1:
            return {}
        specs = own_data.of_frame(frame, (QPS,), lines=lines).runs["spec"].to_numpy()
    amounts = pd.to_numeric(frame[labels[0]].astype(str).str.strip("$€£¥ "), errors="coerce").groupby(specs)
    known = amounts.first()[(amounts.nunique() == 1) & (amounts.first() > 0)]
    hours = hours_of_price(labels[0])
    each = known if hours == 1 else (known / hours).map("{:.4g}".format)
    return {spec: float(price) for spec, price in each.items() if spec}


def frame_of_csv(path: str | Path) -> pd.DataFrame:
    """A CSV as it stands, without the titles above its headings and the notes below. Raises DataError."""
    with _named(path):
        return _read(path)[0]


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    try:
        yield
    except DataError as e:
        raise DataError(*(f"{path}: {mistake}" for mistake in e.args)) from None


def is_plain(name: str | Path) -> bool:
    """Whether it is a CSV without the sidecar of a published one, or JSON, with a column of throughput; or of latencies
    beside threads or cores, which then misses one."""
    path = Path(name)
    has_sidecar = path.suffix not in JSON_SUFFIXES and path.with_suffix(".json").is_file()
    if path.suffix not in TABLE_SUFFIXES or not path.is_file() or has_sidecar:
        return False
    try:
        _, headings = next(_records(path)[1], (1, []))
    except (YcsbookError, ValueError, csv.Error):
        return False
    return _is_table(set(map(meaning, headings)))


def _read(path: str | Path, texts: Sequence[str] = _TEXTS) -> tuple[pd.DataFrame, list[int], list[str]]:
    """The frame, in which columns of these meanings stay as they are written, such as 5.0, and the line in which each
    of its rows begins; and a remark for each row that sums up others."""
    try:
        mark, records = _records(path)
        (first, headings), *rows = list(records) or [(1, [])]
        width, names = len(headings), list(map(meaning, headings))
        figures = [at for at, name in enumerate(names) if name and name not in _NAMES]
        rows = [row for row in rows if any(map(str.strip, row[1])) and not _is_note(row[1], figures, width)]
        sums = {line: name for line, cells in rows if (name := _sums_up(cells, headings, names))}
        what = {line: no_run(name) or "a summary of other rows" for line, name in sums.items()}
        left_out = [f"{path}:{line}: {shown(name)}: {what[line]}, left out" for line, name in sums.items()]
        rows = [row for row in rows if row[0] not in sums]
        if mark in ";\t":  # as spreadsheets save where commas are decimal
            rows = with_points([PageRow(first, headings), *(PageRow(*row) for row in rows)], is_one_way=True)[1:]
        for line, cells in rows:
            if mark == ";" and (odd := next(filter(None, map(_COMMA.match, cells)), None)):
                raise ValueError(
                    f"got {shown(odd[0])} between ;, where a comma may part anything; write a decimal point"
                )
            if any(map(str.strip, cells[width:])):  # they may have moved
                raise ValueError(f"line {line}: got {len(cells)} cells, expected {width} as in line {first}")
        text = io.StringIO()
        table = multiplied(parted([tuple(headings), *((*cells, *[""] * width)[:width] for _, cells in rows)]))
        csv.writer(text, delimiter=mark).writerows(table)
        text.seek(0)
        types = {label: str for label in table[0] if meaning(label) in texts}
        frame = pd.read_csv(text, sep=mark, skip_blank_lines=False, dtype=types)
        if headings[:1] == [""] and frame.iloc[:, 0].tolist() == [*range(len(frame))]:
            frame = frame.iloc[:, 1:]  # the numbers of rows, as pandas writes them
        return frame, [line for line, _ in rows], left_out
    except (YcsbookError, ValueError, csv.Error) as e:
        kind = "JSON" if Path(path).suffix in JSON_SUFFIXES else "CSV"
        raise DataError(f"cannot be read as {kind}: {e}") from None


def _records(path: str | Path) -> tuple[str, Iterator[_Record]]:
    """What parts the cells, and the records from the first line that names columns on; all where none does."""
    content = Source(Path(path)).content(MAX_TABLE_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("gb18030")  # as spreadsheets save it in China
    if Path(path).suffix in JSON_SUFFIXES:
        return ",", iter(json_records(text))
    lines = list(io.StringIO(text, newline=None))
    most = 0  # cells in a line above
    for at in range(min(len(lines), _SEARCHED)):
        mark = _mark(lines[at])
        cells = [cell for cell in next(csv.reader(lines[at : at + _SEARCHED], delimiter=mark), []) if cell.strip()]
        names = set(map(meaning, cells)) if len(cells) > max(most, 1) else set()
        # Below other lines, where logs may print a name beside its figure, they name what was run as well.
        has_settings = not names.isdisjoint(("threads", "clients", "cores", "spec"))
        if _is_table(names) and (at == 0 or (has_settings and not any(map(_FIGURE.fullmatch, cells)))):
            return mark, _numbered(lines[at:], at + 1, mark)
        most = max(most, len(cells))
    mark = _mark(lines[0] if lines else "")
    return mark, _numbered(lines, 1, mark)


def _numbered(lines: Sequence[str], first: int, mark: str) -> Iterator[_Record]:
    reader, line = csv.reader(lines, delimiter=mark), first
    for cells in reader:
        yield line, cells
        line = first + reader.line_num


def _mark(line: str) -> str:
    return max(_MARKS, key=line.count)


def _is_table(names: set[str]) -> bool:
    has_threads = bool(names & {"cores", "threads"})
    return not names.isdisjoint(THROUGHPUTS) or (has_threads and any(map(operation, names)))


def _is_note(cells: Sequence[str], figures: Sequence[int], width: int) -> bool:
    """Whether a row only says something of others: it has no figure, and one cell, or begins as notes do."""
    if width < 2 or any(_FIGURE.fullmatch(cells[at].strip()) for at in figures if at < len(cells)):
        return False
    first, *later_cells = [cell.strip() for cell in cells if cell.strip()]
    return is_note(first) or (not later_cells and bool(cells[0].strip()) and shape(first) is None)


def _sums_up(cells: Sequence[str], headings: Sequence[str], names: Sequence[str]) -> str:
    """The cell that says that its row is no run, empty where none does: any that says it is projected; or that it sums
    up others: what the row begins with, or its spec, threads or run, is average, or best; or total without threads."""
    of_row = dict(zip(range(len(names)), map(str.strip, cells), strict=False))
    if projected := next(filter(is_projection, of_row.values()), ""):
        return projected
    of_sizes = [of_row.get(at) for at, name in enumerate(names) if name in ("threads", "clients", "cores")]
    first = next((at for at in of_row if of_row[at]), 0)
    settings = [at for at in of_row if names[at] in ("spec", "threads", "repeat") or plain(headings[at]) in RUNS]
    for at in dict.fromkeys([first, *settings]):
        cell = of_row.get(at, "")
        is_total = is_summary(cell) and of_sizes and not any(of_sizes)
        if _AVERAGE.match(cell) or is_total or (at in settings and _SUM.fullmatch(cell)):
            return cell
    return ""


def json_records(text: str) -> list[tuple[int, list[str]]]:
    """The headings, then a row for each object, each with the line in which it begins. Objects inside others give
    columns with both names; what stands beside the list is of all its rows. Raises ValueError for no JSON, no such
    list, or several."""
    try:
        rows = [(line, _flat(row)) for line, row in _objects(text)]
    except RecursionError:
        raise ValueError("its parts are nested too deep") from None
    headings = list(dict.fromkeys(name for _, row in rows for name in row))
    return [(1, headings), *((line, [row.get(name, "") for name in headings]) for line, row in rows)]


def _objects(text: str) -> Iterator[tuple[int, dict]]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        of_lines = [(at, json.loads(line)) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
        if not all(isinstance(row, dict) for _, row in of_lines):
            raise ValueError("expected an object in each line") from None
        yield from of_lines
        return
    beside, start = {}, text.find("[")
    if isinstance(data, dict):
        lists = [name for name, value in data.items() if _is_list(value)]
        if len(lists) != 1:
            raise ValueError(f"got {len(lists)} lists of objects, expected one with an object for each run")
        beside = {name: value for name, value in data.items() if name != lists[0]}
        start = text.find("[", text.find(json.dumps(lists[0])))
    elif not _is_list(data):
        raise ValueError("expected a list with an object for each run")
    starts = [match.start() for match in re.finditer(r"^", text, re.MULTILINE)]
    at = _NEXT.match(text, start + 1).end()
    while _BEGINS.match(text, at):
        row, end = json.JSONDecoder().raw_decode(text, at)
        yield bisect_right(starts, at), beside | row
        at = _NEXT.match(text, end).end()


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _flat(row: dict, above: str = "") -> dict[str, str]:
    """The texts of an object by name, those inside others by both names; lists say nothing."""
    flat: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{above}{name}_")
        elif not isinstance(value, list):
            flat[above + name] = "" if value is None else value if isinstance(value, str) else json.dumps(value)
    return flat
