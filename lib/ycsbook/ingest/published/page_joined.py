"""Columns that hold several figures in a cell, such as 17.1 / 36.0 / 58.2 below avg/p95/p99, made one for each; and two
whose figures are one together: threads of each client, and clients."""

import re
from collections.abc import Sequence
from itertools import product

from ycsbook.ingest.published.page_cells import BLANK, NUMBER, without_marks
from ycsbook.ingest.published.page_headings import LATENCIES, column

MAX_HEADING = 200


def parted(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with a column for each figure, where a heading lists statistics of one latency and all cells below have
    as many figures, or none. A heading above such a column spans those that are made of it.

    Examples
        >>> parted([("QPS", "Read avg/p99 (ms)"), ("900", "1.5 / 4")])
        [('QPS', 'Read avg (ms)', 'Read p99 (ms)'), ('900', '1.5', '4')]
    """
    rows = list(rows)
    for at_heading, headings in enumerate(rows[:2]):
        for at in reversed(range(len(headings))):
            if (names := _listed(headings[at])) and (made := _column(rows, at_heading, at, names)):
                width = len(headings)
                rows = [
                    (*row[:at], *cells, *row[at + 1 :]) if len(row) >= width else row
                    for row, cells in zip(rows, made, strict=True)
                ]
        if len(rows[at_heading]) > len(headings):
            break
    return rows


def multiplied(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with the threads of all clients, where a column has those of each and another how many clients there
    were. Other numbers of clients are other settings, and no repeats: their cells become words.

    Examples
        >>> multiplied([("Clients", "Threads per client"), ("1", "200"), ("2", "100")])
        [('Load generators', 'Threads'), ('1 Clients', '200'), ('2 Clients', '200')]
    """
    headings = rows[0] if rows else ()
    each, clients = ([at for at, text in enumerate(headings) if one.fullmatch(text)] for one in (_EACH, _CLIENTS))
    if len(each) != 1 or len(clients) != 1:
        return list(rows)
    (at, of), made = (*each, *clients), []
    differs = len({row[of] for row in rows[1:] if len(row) > of}) > 1
    for row in rows:
        cells = list(row)
        if row is headings:
            cells[at], cells[of] = "Threads", "Load generators" if differs else "clients"
        elif len(row) == len(headings) and row[at].isdecimal() and row[of].isdecimal():
            cells[at] = str(int(row[at]) * int(row[of]))
            cells[of] += f" {headings[of]}" if differs else ""
        made.append(tuple(cells))
    return made


def _column(
    rows: Sequence[tuple[str, ...]], at_heading: int, at: int, names: tuple[str, ...]
) -> list[tuple[str, ...]] | None:
    """The cells that each row's cell is; None where one is something else than these figures."""
    made: list[tuple[str, ...]] = []
    blanks = ("",) * (len(names) - 1)
    for number, row in enumerate(rows):
        cell = row[at] if at < len(row) else ""
        if number < at_heading:
            made.append((cell, *blanks))
        elif cell == rows[at_heading][at]:
            made.append(names)
        elif cell.lower() in BLANK:
            made.append((cell,) * len(names))
        elif (figures := _figures(cell)) and len(figures) == len(names) and _is_ordered(names, figures):
            made.append(figures)
        else:
            return None
    return made


def _listed(heading: str) -> tuple[str, ...]:
    """The headings that one which lists statistics of a latency stands for; empty where it does not."""
    match = _LIST.fullmatch(heading[:MAX_HEADING])
    if not match or bool(match["open"]) != bool(match["close"]):
        return ()
    unit = f" ({match['unit']})" if match["unit"] else ""
    statistics = re.split(r"\s?/\s?", match["list"])
    names = [" ".join(f"{match['before']} {one} {match['after']}".split()) + unit for one in statistics]
    found = [column(name) for name, one in zip(names, statistics, strict=True) if not _UNREAD.fullmatch(one)]
    latencies = [c[0] if c else "" for c in found]
    bases = {name.partition("@")[0] for name in latencies}
    is_told = len(bases) == 1 and bases <= LATENCIES.keys() and len(set(latencies)) == len(latencies)
    return tuple(names) if is_told else ()


def _figures(cell: str) -> tuple[str, ...]:
    """The figures of a cell, a unit behind the last being that of all; empty where it holds something else."""
    parts = [without_marks("latency_us", part) for part in re.split(r"\s?/\s?", cell)]
    matches = [_FIGURE.fullmatch(part) for part in parts]
    if not all(matches):
        return ()
    units = [match["unit"] for match in matches]
    if units[-1] and not any(units[:-1]):
        return tuple(f"{match['number']} {units[-1]}" for match in matches)
    return tuple(parts)


def _is_ordered(names: Sequence[str], figures: Sequence[str]) -> bool:
    """Whether no higher percentile is the shorter one, as where the cells have another order than their heading."""
    matches = [_FIGURE.fullmatch(figure) for figure in figures]
    if len({match["unit"] for match in matches}) > 1:
        return False
    values = [float(re.sub(r"[, ]", "", match["number"])) for match in matches]
    ranked = [(rank, value) for rank, value in zip(map(_rank, names), values, strict=True) if rank is not None]
    return all(low <= high for (a, low), (b, high) in product(ranked, repeat=2) if a < b)


def _rank(name: str) -> float | None:
    """The percentile that a heading of a latency names, 0 the least and 100 the largest; None: it is a mean."""
    found = column(name)
    if found is None:
        return 0.0 if re.search(r"min|最小", name, re.IGNORECASE) else 100.0
    rank = found[0].partition("@")[2]
    return float(rank) if rank else None


_GENERATOR = r"(?:machine|node|host|process|instance|generator|vm|driver)"
_EACH = re.compile(
    r"(?:ycsb )?threads?(?: count)?[ _]?(?:per|/|on each|of each)[ _]?(?:(?:ycsb|client|load|test)[ _]?)?"
    rf"(?:client|{_GENERATOR})|[每单][个台]?(?:客户端|压测机|机器?)的?(?:并发|线程)(?:线程)?数?",
    re.IGNORECASE,
)
_CLIENTS = re.compile(
    rf"(?:(?:number|no\.?) of )?(?:(?:(?:ycsb|client|load|test|driver)[ _]?)+{_GENERATOR}(?:e?s)?"
    r"|clients?|drivers?|loaders?)(?: count)?|(?:客户端|压测)(?:机器?|节点|主机|进程|实例)?(?:数量?|台数)?",
    re.IGNORECASE,
)
_UNREAD = re.compile(r"max|min|maximum|minimum|最大值?|最小值?", re.IGNORECASE)
_STATISTIC = (
    rf"(?:avg|average|mean|平均值?|均值|t?p\d{{2,4}}(?:\.\d{{1,2}})?|\d\d(?:\.\d{{1,2}})?(?:th|%)|{_UNREAD.pattern})"
)
_LIST = re.compile(
    rf"(?P<before>[^/]*?)\s*(?P<open>[(\[])?\s?(?<![A-Za-z\d])(?P<list>{_STATISTIC}(?:\s?/\s?{_STATISTIC}){{1,5}})"
    r"(?![A-Za-z\d/])\s?(?:[,，]\s?(?P<unit>[^()\[\]/,]{1,8}))?(?P<close>(?<!\w\s)[)\]])?\s*(?P<after>[^/]*)",
    re.IGNORECASE,
)
_FIGURE = re.compile(rf"{NUMBER}\s?(?P<unit>[a-zA-Zμ]{{1,4}})?", re.ASCII)  # what says more is of no list
