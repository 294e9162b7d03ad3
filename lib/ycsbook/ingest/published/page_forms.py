"""The forms of tables, all read as if each had a row for a run and a column for a figure.

Of a `wide_table` systems, versions, specs, mixes or thread counts stand side by side: in headings beside the name of a
figure (`v5.0 QPS`, `QPS (JSON)`, `QPS (100 threads)`), or alone where the title above says of which figure all cells
are: `Throughput (ops/s)`, below it `Threads | Redis | Memcached`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from math import isnan
from typing import NamedTuple

from ycsbook.errors import shown
from ycsbook.ingest.log.labels import shape
from ycsbook.ingest.log.table_columns import is_measured
from ycsbook.ingest.published.page_cells import (
    BLANK,
    NUMBER,
    OPERATION,
    RowError,
    is_of_unit,
    is_summary,
    without_marks,
)
from ycsbook.ingest.published.page_headings import LATENCIES, NOT_MEASURED, PER_SECOND, RATES, column, columns
from ycsbook.ingest.published.page_mix import mix, mixes_in_words

_QPS, _FIGURES = "throughput_ops_s", {"throughput_ops_s", *LATENCIES}
MAX_HEADING = 200
_OF_RUNS = {*_FIGURES, "cpu_utilisation", "failed_operations", "failed_share"}


def parted(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with a column for each figure, where a heading lists statistics of one latency and all cells below have
    as many figures, or none. A heading above such a column spans those that are made of it."""
    rows = list(rows)
    for at_heading, headings in enumerate(rows[:2]):
        for at in reversed(range(len(headings))):
            if (names := _listed(headings[at])) and (made := _statistics(rows, at_heading, at, names)):
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
    were. Other numbers of clients are other settings, and no repeats: their cells become words."""
    headings = rows[0] if rows else ()
    threads, clients = (_headed(form, headings) for form in (_EACH, _CLIENTS))
    if len(threads) != 1 or len(clients) != 1:
        return list(rows)
    (at, of), made = (*threads, *clients), []
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


def of_each_client(headings: Sequence[str]) -> bool:
    return bool(_headed(_EACH, headings))


def times_clients(rows: Sequence[tuple[str, ...]], n: int) -> list[tuple[str, ...]]:
    """A table with the threads of all `n` clients in place of those of each."""
    each = set(_headed(_EACH, rows[0]))
    cells = [[str(int(cell) * n) if at in each and cell.isdecimal() else cell for at, cell in enumerate(row)]
             for row in rows[1:]]  # fmt: skip
    return [tuple("Threads" if at in each else text for at, text in enumerate(rows[0])), *map(tuple, cells)]


def _headed(form: re.Pattern, headings: Sequence[str]) -> list[int]:
    bare = (" ".join(re.sub(r"[()（）]", "", text).split()) for text in headings)  # Threads (per client)
    return [at for at, text in enumerate(bare) if form.fullmatch(text)]


def _statistics(
    rows: Sequence[tuple[str, ...]], at_heading: int, at: int, names: tuple[str, ...]
) -> list[tuple[str, ...]] | None:
    """The cells that each row's cell becomes; None where one holds anything but these figures."""
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
    """The headings that a list of statistics of a latency stands for; empty: it is no such list."""
    match = _LIST.fullmatch(heading[:MAX_HEADING])
    if not match or bool(match["open"]) != bool(match["close"]):
        return ()
    unit = f" ({match['unit']})" if match["unit"] else ""
    statistics = re.split(r"\s?/\s?", match["list"])
    names = [" ".join(f"{match['before']} {part} {match['after']}".split()) + unit for part in statistics]
    roles = [column(name) for name, part in zip(names, statistics, strict=True) if not _UNREAD.fullmatch(part)]
    latencies = [c[0] if c else "" for c in roles]
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
    role = column(name)
    if role is None:
        return 0.0 if re.search(r"min|最小", name, re.IGNORECASE) else 100.0
    rank = role[0].partition("@")[2]
    return float(rank) if rank else None


class WideTable(NamedTuple):
    """`headings` of the table that has a row for each run, the last `n` of figures; of each run that a row of the page,
    of `width` cells, holds: where its cells stand in there, or what they say. Whether a title names the figure."""

    headings: tuple[str, ...]
    n: int
    width: int
    runs: list[tuple[int | str, ...]]
    is_titled: bool

    def rows(self, cells: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """The runs in a row of the page, a row each; raises RowError where cells and headings do not fit."""
        if not any(cells[1:]):
            yield cells
        elif len(cells) != self.width:
            raise RowError(f"got {len(cells)} cells, expected {self.width} as in the heading")
        elif self.is_titled and is_measured(cells[0]):
            raise RowError(f"{shown(cells[0])}: names a figure, expected {self.headings[-1]} in every row")
        else:
            rows = (tuple(cells[at] if isinstance(at, int) else at for at in run) for run in self.runs)
            yield from (row for row in rows if not BLANK.issuperset(map(str.lower, row[-self.n :])))


def wide_table(
    headings: Sequence[str], *titles: str, has_threads: bool = False, rates: Sequence[int] = ()
) -> WideTable | None:
    """How a table with these headings is read, if it is wide; `titles`: what stands above, the nearest first;
    `has_threads`: the text above says how many threads there were; `rates`: as `rate_columns`, of which no title need
    say it.

    Examples
        >>> wide_table(["Threads", "v4 QPS", "v5 QPS", "Gain"]).headings
        ('Threads', 'Gain', 'system', 'QPS')
        >>> wide_table(["Threads", "A", "B"], "Throughput (kops/s)").runs, wide_table(["Threads", "A", "B"], "Latency")
        ([(0, 'A', 1), (0, 'B', 2)], None)
    """
    if not has_threads and not THREADED.search("|".join(headings)):
        return None
    roles, rate = columns(headings, has_threads=has_threads), "QPS" if rates else _rate_of(titles)
    names = [c[0] if c else "" for c in roles]
    figures = {} if "threads" in names else _by_threads(headings, rate)
    is_counted, has_rate = bool(figures), any(c and c[0] == _QPS and not isnan(c[1]) for c in roles)
    if not is_counted and not has_rate and ("threads" in names or has_threads):
        for at, text in enumerate(headings):
            if names[at] in ("", _QPS) and (parts := _parts(text)):
                figures.setdefault(parts[0], {}).setdefault(parts[1], at)
        figures = {label: at for label, at in figures.items() if _QPS in (c[0] for c in columns(list(at)) if c)}
        after = rates or range(names.index("threads") + 1 if "threads" in names else 1, len(headings))
        if len(figures) < 2 and rate and not any(names[at] for at in after):
            labels = mixes_in_words(headings[at] for at in after)
            figures = {labels[headings[at]]: {rate: at} for at in after if not is_summary(headings[at])}
            figures = figures if _kind(figures) != "system" or all(map(_is_label, figures)) else {}
    down = sorted({*range(len(headings))}.difference(*(at.values() for at in figures.values())))
    across = list(dict.fromkeys(name for at in figures.values() for name in at))
    kind = "threads" if is_counted else _kind(figures)
    if figures and names[0] == "mix" and all(map(_LETTER.fullmatch, figures)):  # Workload | A | B
        kind, headings = "workload", ["system", *headings[1:]]
        figures = {f"workload {label}": at for label, at in figures.items()}
    # Of which of several the figures of other columns are is not said.
    untold = f"of which {kind}: " if len(figures) > 1 else ""
    tall = [(untold if names[at].partition("@")[0] in _OF_RUNS else "") + headings[at] for at in down] + [kind, *across]
    labels = {label: _count("cores", label) if kind == "cores" else label for label in figures}
    runs = [(*down, labels[label], *(at.get(name, "") for name in across)) for label, at in figures.items()]
    is_wide = len(figures) > 1 or (len(figures) == 1 and kind in ("workload", "threads"))
    return WideTable(tuple(tall), len(across), len(headings), runs, across == [rate]) if is_wide else None


def rate_columns(rows: Sequence[tuple[str, ...]], headings: tuple[str, ...]) -> list[int]:
    """The columns that have a rate with its unit in every cell below the headings; none, where not several do."""
    alike = [row for row in rows if len(row) == len(headings) and any(row[1:])]
    columns = zip(*alike[alike.index(headings) + 1 :], strict=True) if headings in alike else ()
    rates = [at for at, cells in enumerate(columns) if all(is_of_unit(_QPS, cell) for cell in cells)]
    return rates if len(rates) > 1 else []


def upright(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with a row for each figure, such as QPS, as one with a row for each system; empty: it is no such table.

    Examples
        >>> upright([("Metric", "Redis", "KeyDB"), ("QPS", "9", "8"), ("P99 (ms)", "2", "3")])
        [('system', 'QPS', 'P99 (ms)'), ('Redis', '9', '2'), ('KeyDB', '8', '3')]
    """
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2 or any(map(_is_rate, rows[0])):
        return []
    # What sums up, compares or was aimed at is no system: Before | After | Change, Target | Actual | Status.
    systems = [at for at, text in enumerate(rows[0]) if not (at and (is_summary(text) or _NO_SYSTEM.fullmatch(text)))]
    rows = [tuple(row[at] for at in systems) for row in rows]
    rates = [row for row in rows[1:] if _is_rate(row[0]) or _by_threads(row[:1], "")]
    rates = [row for row in rates if all(re.match(r"[~≈]? ?\d", cell) for cell in row[1:])]
    across = rows[0][1:]
    if len(rates) != 1 or not across or any(map(is_measured, across)):
        return []
    counts = [_count("threads", text) for text in across]
    repeats = [match and match["n"] for match in map(_REPEAT.fullmatch, across)]
    if all(repeats):
        return [*zip(("repeat", *repeats), *rows[1:], strict=True)]
    kind = "operation type" if all(map(OPERATION.fullmatch, across)) else _kind(across)
    first = "threads" if all(counts) else rows[0][0] if columns(rows[0])[0] else kind
    turned = zip((first, *(counts if all(counts) else across)), *rows[1:], strict=True)
    # A column of values alone is of one run, which it does not name.
    return [row[1:] for row in turned] if len(across) == 1 and _VALUE.fullmatch(across[0]) else list(turned)


def _count(name: str, heading: str) -> str:
    """How many threads or cores a heading says, such as 8 threads, or 8 below Number of threads; empty: it does not."""
    match = _COUNT.fullmatch(heading)
    role = match and columns([match["behind"] or match["before"]])[0]
    is_short = name == "threads" and _SHORT.fullmatch(heading)
    return (match["n"] or match["last"]) if is_short or (role and role[0] == name) else ""


def _by_threads(headings: Sequence[str], rate: str) -> dict[str, dict[str, int]]:
    """Of each thread count that headings say beside figures, or alone where these are of `rate`: where its figures
    stand, by their headings. Empty where not every count has a throughput, or a heading says a count in another way."""
    figures: dict[str, dict[str, int]] = {}
    for at, heading in enumerate(headings):
        counts = ((_count("threads", label.rstrip(",:：-")), name) for label, name in _splits(heading, rate))
        count, name = next(filter(all, counts), ("", ""))
        of_count = figures.setdefault(count, {}) if count else {}
        if name in of_count or (not count and THREADED.search(heading) and re.search(r"\d", heading)):
            return {}
        of_count[name] = at
    return figures if all(any(map(_is_rate, of_count)) for of_count in figures.values()) else {}


def _splits(heading: str, rate: str = "") -> Iterator[tuple[str, str]]:
    """The ways to part a heading in the name of a figure, `rate` where it has none, and what it says besides."""
    heading = heading[:MAX_HEADING]
    yield heading, rate
    words = re.sub(r"([^\x00-\x7f])([A-Za-z])", r"\1 \2", heading).split()
    for n in range(1, len(words)):
        name = " ".join(words[n:])
        yield " ".join(words[:n]), name[1:-1] if name[0] in "([" else name
    if behind := _BEHIND.fullmatch(heading):
        yield behind["brackets"] or behind["at"], behind["name"]
    yield from ((" ".join(words[n:]), " ".join(words[:n])) for n in range(1, len(words)))  # QPS v5


def _parts(heading: str) -> tuple[str, str] | None:
    """What a heading says besides the figure that it names, and that name; None: it does not do both."""
    for label, name in _splits(heading):
        if (_is_label(label) or mix(label)) and (c := columns([name])[0]) and c[0].partition("@")[0] in _FIGURES:
            return label, name
    return None


def _is_label(text: str) -> bool:
    """Whether a text may name a system: what was done there, or aimed at, does not."""
    return not (is_measured(text) or is_summary(text) or _NO_LABEL.search(text)) and any(map(str.isalnum, text))


def _kind(labels: Sequence[str]) -> str:
    kinds = (("spec", shape), ("workload", mix), ("cores", partial(_count, "cores")), ("version", _VERSION.fullmatch))
    return next((kind for kind, is_one in kinds if all(map(is_one, labels))), "system")


def _rate_of(titles: Sequence[str]) -> str:
    """The heading of throughput that the nearest title which names a figure gives; empty where it is another."""
    for title in titles:
        match, other = _RATE.search(PER_SECOND.sub(r"\1/s", title.lower())), _OTHER.search(title)
        if match or other:
            names = [f"QPS({match['unit']})"] if match and match["unit"] else [match[0], match["rate"]] if match else []
            return next((name for name in names if not other and _is_rate(name)), "")
    return ""


def _is_rate(heading: str) -> bool:
    role = columns([heading])[0]
    return role is not None and role[0] == _QPS and not isnan(role[1])


_GENERATOR = r"(?:machine|node|host|process|instance|generator|vm|driver)"
_EACH = re.compile(
    r"(?:ycsb )?threads?(?: count)?[ _]?(?:per|/|on each|of each)[ _]?(?:(?:ycsb|client|load|test)[ _]?)?"
    rf"(?:client|{_GENERATOR})|[每单][个台]?(?:客户端|压测机|机器?)的?(?:并发|线程)(?:线程)?数?",
    re.IGNORECASE,
)
_CLIENTS = re.compile(
    rf"(?:(?:num(?:ber)?|no\.?|n)[ _](?:of[ _])?)?(?:(?:(?:ycsb|client|load|test|driver)[ _]?)+{_GENERATOR}(?:e?s)?"
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
THREADED = re.compile(
    r"thread|client|worker|goroutine|conn|user|线程|并发|连接|\bconc(?:\b|urrency)|用户|客户端|vu|hilo|поток|並列|スレッド|스레드"
    r"|\bt ?= ?\d|\b\d{1,6}t\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"(?P<n>\d{1,6})\s?个?(?P<behind>\D{1,40})|(?P<before>\D{1,40}?)\s?[=:]?\s?(?P<last>\d{1,6})", re.ASCII
)
_SHORT = re.compile(r"[tT] ?= ?\d{1,6}|\d{1,6}t|\d{2,6}T", re.ASCII)  # T8 may be a test's name, 8T a size
_VERSION = re.compile(r"[vV]?\d{1,3}(?:\.\d{1,4}){1,3}")
_REPEAT = re.compile(
    r"(?:run|rep(?:eat|etition)?|trial|round|durchgang|lauf|essai|第)[ _#]*(?P<n>\d{1,3}) ?[次轮]?", re.IGNORECASE
)
_VALUE = re.compile(r"(?:(?:measured|actual|achieved) ?)?(?:value|result)?s?|值|数值|结果|实际|实测值?", re.IGNORECASE)
_NO_SYSTEM = re.compile(r"(?:targets?|goals?|expected|planned|sl[ao]|status|met|notes?|目标|预期|状态|备注)\W*", re.I)
_LETTER = re.compile(r"[A-F]")
_BEHIND = re.compile(
    r"(?P<name>.*\S)\s*(?:[(\[](?P<brackets>[^()\[\]]+)[)\]]|(?:@|,|\b(?:at|with|for)\b)\s*(?P<at>[^()\[\]]+))",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    rf"{NOT_MEASURED}|(?<![a-z])(?:read|writ|update|insert|scan|delet|quer|[gs]ets?\b|per\b|(?:node|shard)s?[ _#-]?\d)"
    r"|useful|clients?\b|winner|[%()\[\]]|读|写|查|更新|插入|单|每|总|^\d[\d.,]*[km万千]?\s?[-–~]\s?\d[\d.,]*[km万千]$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"laten|respons|percentile|duration|elapsed|\bms\b|[%$]|speed-?up|improve|\b(?:ratio|gain)|usage|cpu"
    r"|per[ -](?:core|node)|\d ?[kmw万千]? ?(?:[oqt]ps|op)|时延|延迟|延时|耗时|时间|加速|提升|利用率|占用|每核|单核",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"(?:throughput|吞吐[量率]?)\s?[(\[（](?P<unit>[^()\[\]（）]+)[)\]）]"
    r"|(?<![\w/])(?P<rate>(?:(?:[km万千]|百万)\s?)?"
    rf"(?:{'|'.join(map(re.escape, RATES[1:]))}))(?![\w/])(?:\s?[(（][^()（）]+[)）])?"
)
