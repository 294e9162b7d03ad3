"""Tables that set systems, versions, specs, mixes or thread counts side by side, read as if each had rows of its own.

What is across stands in the headings beside the name of a figure (`v5.0 QPS`, `QPS (JSON)`), or alone where the title
above says of which figure all cells are: `Throughput (ops/s)`, below it `Threads | Redis | Memcached`. Thread counts
may stand in brackets behind every figure, `QPS (100 threads)`, or before it: `100 threads` over `QPS | P99 (ms)`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from math import isnan
from typing import NamedTuple

from ycsbook.errors import shown
from ycsbook.ingest.log.labels import shape
from ycsbook.ingest.log.table_columns import is_measured
from ycsbook.ingest.published.page_cells import BLANK, RowError, is_summary
from ycsbook.ingest.published.page_headings import LATENCIES, PER_SECOND, RATES, columns
from ycsbook.ingest.published.page_mix import mix

_QPS, _FIGURES = "throughput_ops_s", {"throughput_ops_s", *LATENCIES}
MAX_HEADING = 200
_OF_RUNS = {*_FIGURES, "cpu_utilisation", "failed_operations", "failed_share"}


class WideTable(NamedTuple):
    """`headings` of the table that has a row for each run, the last `n` of figures; of each run that a row of the page,
    of `width` cells, holds: where its cells stand in there, or what they say. Whether a title names the figure."""

    headings: tuple[str, ...]
    n: int
    width: int
    runs: list[tuple[int | str, ...]]
    is_titled: bool

    def rows(self, cells: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """The rows that a row of the page is; raises RowError where its cells are not those of the headings."""
        if not any(cells[1:]):
            yield cells
        elif len(cells) != self.width:
            raise RowError(f"got {len(cells)} cells, expected {self.width} as in the heading")
        elif self.is_titled and is_measured(cells[0]):
            raise RowError(f"{shown(cells[0])}: names a figure, expected {self.headings[-1]} in every row")
        else:
            rows = (tuple(cells[at] if isinstance(at, int) else at for at in run) for run in self.runs)
            yield from (row for row in rows if not BLANK.issuperset(map(str.lower, row[-self.n :])))


def wide_table(headings: Sequence[str], *titles: str, has_threads: bool = False) -> WideTable | None:
    """How a table with these headings is read, if it is wide; `titles`: what stands above, the nearest first;
    `has_threads`: the text above says how many threads there were.

    Examples
        >>> wide_table(["Threads", "v4 QPS", "v5 QPS", "Gain"]).headings
        ('Threads', 'Gain', 'system', 'QPS')
        >>> wide_table(["Threads", "A", "B"], "Throughput (kops/s)").runs, wide_table(["Threads", "A", "B"], "Latency")
        ([(0, 'A', 1), (0, 'B', 2)], None)
    """
    if not has_threads and not THREADED.search("|".join(headings)):
        return None
    found, rate = columns(headings), _rate_of(titles)
    names = [c[0] if c else "" for c in found]
    # Of each of what is across: where its figures stand, by their headings.
    figures = {} if "threads" in names else _by_threads(headings, rate)
    is_counted, has_rate = bool(figures), any(c and c[0] == _QPS and not isnan(c[1]) for c in found)
    if not is_counted and not has_rate and ("threads" in names or has_threads):
        for at, text in enumerate(headings):
            if names[at] in ("", _QPS) and (parts := _parts(text)):
                figures.setdefault(parts[0], {}).setdefault(parts[1], at)
        figures = {label: at for label, at in figures.items() if _QPS in (c[0] for c in columns(list(at)) if c)}
        after = range(names.index("threads") + 1 if "threads" in names else 1, len(headings))
        if len(figures) < 2 and rate and not any(names[at] for at in after):
            figures = {headings[at]: {rate: at} for at in after if not is_summary(headings[at])}
            figures = figures if _kind(figures) != "system" or all(map(_is_label, figures)) else {}
    left = sorted({*range(len(headings))}.difference(*(at.values() for at in figures.values())))
    across = list(dict.fromkeys(name for at in figures.values() for name in at))
    kind = "threads" if is_counted else _kind(figures)
    # Of which of several the figures of other columns are is not said.
    untold = f"of which {kind}: " if is_counted or len(figures) > 1 else ""
    tall = [(untold if names[at].partition("@")[0] in _OF_RUNS else "") + headings[at] for at in left] + [kind, *across]
    labels = {label: _count("cores", label) if kind == "cores" else label for label in figures}
    runs = [(*left, labels[label], *(at.get(name, "") for name in across)) for label, at in figures.items()]
    is_wide = len(figures) > 1 or (len(figures) == 1 and kind in ("workload", "threads"))
    return WideTable(tuple(tall), len(across), len(headings), runs, across == [rate]) if is_wide else None


def upright(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with a row for each figure, such as QPS, as one with a row for each system; empty: it is no such table.

    Examples
        >>> upright([("Metric", "Redis", "KeyDB"), ("QPS", "9", "8"), ("P99 (ms)", "2", "3")])
        [('system', 'QPS', 'P99 (ms)'), ('Redis', '9', '2'), ('KeyDB', '8', '3')]
    """
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2 or any(map(_is_rate, rows[0])):
        return []
    rates = [row for row in rows[1:] if _is_rate(row[0]) and all(re.match(r"[~≈]? ?\d", cell) for cell in row[1:])]
    across = rows[0][1:]
    if len(rates) != 1 or any(is_measured(text) or is_summary(text) for text in across):
        return []
    counts = [_count("threads", text) for text in across]
    first = "threads" if all(counts) else rows[0][0] if columns(rows[0])[0] else _kind(across)
    turned = zip((first, *(counts if all(counts) else across)), *rows[1:], strict=True)
    # A column of values alone is of one run, which it does not name.
    return [row[1:] for row in turned] if len(across) == 1 and _VALUE.fullmatch(across[0]) else list(turned)


def _count(column: str, heading: str) -> str:
    """How many threads or cores a heading says, such as 8 threads, or 8 below Number of threads; empty: it does not."""
    match = _COUNT.fullmatch(heading)
    found = match and columns([match["behind"] or match["before"]])[0]
    return (match["n"] or match["last"]) if found and found[0] == column else ""


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
    """The heading of a column with these labels."""
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
    found = columns([heading])[0]
    return found is not None and found[0] == _QPS and not isnan(found[1])


_WORDS = r"(?:threads?|clients?|connections?|conns?|users?|个?线程|个?并发|个?连接)"
THREADED = re.compile(f"{_WORDS}|concurrency|用户|客户端|vu", re.IGNORECASE)
_COUNT = re.compile(
    r"(?P<n>\d{1,6})\s?个?(?P<behind>\D{1,40})|(?P<before>\D{1,40}?)\s?[=:]?\s?(?P<last>\d{1,6})", re.ASCII
)
_VERSION = re.compile(r"[vV]?\d{1,3}(?:\.\d{1,4}){1,3}")
_VALUE = re.compile(r"(?:measured )?(?:value|result)s?|值|数值|结果", re.IGNORECASE)
_BEHIND = re.compile(
    r"(?P<name>.*\S)\s*(?:[(\[](?P<brackets>[^()\[\]]+)[)\]]|(?:@|,|\b(?:at|with|for)\b)\s*(?P<at>[^()\[\]]+))",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    r"(?<![a-z])(?:read|writ|update|insert|scan|delet|quer|[gs]ets?\b|per\b|best|target|expect|ideal|linear|theor|peak)"
    r"|useful|clients?\b|winner|[%()\[\]]|读|写|查|更新|插入|目标|理论|预期|期望|单|每|总",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"laten|respons|percentile|duration|elapsed|\bms\b|[%$]|speed-?up|improve|ratio|gain|usage|cpu|per[ -](?:core|node)"
    r"|\d ?[kmw万千]? ?(?:[oqt]ps|op)|时延|延迟|延时|耗时|时间|加速|提升|利用率|占用|每核|单核",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"(?:throughput|吞吐[量率]?)\s?[(\[（](?P<unit>[^()\[\]（）]+)[)\]）]"
    r"|(?<![\w/])(?P<rate>(?:(?:[km万千]|百万)\s?)?"
    rf"(?:{'|'.join(map(re.escape, RATES[1:]))}))(?![\w/])(?:\s?[(（][^()（）]+[)）])?"
)
