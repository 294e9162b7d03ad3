"""The figures in running text: query charts, failover counts, mongotest runs, two iibench durations.

Each function takes a document's text and returns one dict per figure, keyed by glossary columns. A figure
that is not where its source prints it raises RunLogError: a changed document must not pass for the old one.
"""

import re
from math import nan
from pathlib import Path

from ycsbook.errors import RunLogError, shown

_TEN_THOUSAND = 10_000  # 万

_SERIES = re.compile(r"(mongo|innodb|myisam)((?: \d{1,9}){1,10})", re.ASCII)
_SIZES = re.compile(r"\d{1,9}万(?: \d{1,9}万){1,9}", re.ASCII)
_QUERIES = {"数据查询（主键）": "primary_key", "数据查询（索引）": "index"}
_CHART_THREADS = re.compile(r"以(\d{1,6})线程为例")
_FAILOVER = re.compile(
    r"WriteConcern\.(?P<write_concern>[A-Z_]{1,40})：成功(?P<succeeded>\d{1,9})条、失败(?P<failed>\d{1,9})条、"
    r"丢失\s?(?P<lost>\d{1,9})条、\s?耗时\s?(?P<duration_s>\d{1,9})秒",
    re.ASCII,
)
_MONGOTEST = re.compile(
    r"^Total thread:(?P<threads>\d{1,9})\n"
    r"Total run time:(?P<duration_s>\d{1,9}) sec\n"
    r"Per-thread rows:(?P<rows_per_thread>\d{1,12})\n"
    r"Per-thread mongo (?P<verb>insert|update|select) Result:(?P<thread_throughput_ops_s>\d{1,9})row/sec\n"
    r"Total rows:(?P<rows>\d{1,12})\n"
    r"Total mongo (?P=verb) Result:(?P<throughput_ops_s>\d{1,9})row/sec$",
    re.ASCII | re.MULTILINE,
)
_OPERATIONS = {"insert": "INSERT", "update": "UPDATE", "select": "READ"}
_IIBENCH = re.compile(r"Wiredtiger (?P<version>\d\.\d) engine took (?P<minutes>\d{1,4}) minutes", re.ASCII)
_IIBENCH_RECORDS = re.compile(r"Test data set: (\d{1,6}) million records", re.ASCII)
_STALL = re.compile(
    r"problems with the Wiredtiger (\d\.\d) engine\. During the test, Wiredtiger had (.{1,40}?) of time"
)


def query_charts(text: str, path: str | Path) -> list[dict]:
    """Queries per second by engine and number of records, from the charts whose data survived as text.

    A chart's text is a line per engine, a line of sizes, then the chart's title. Text extraction drops an
    empty cell: where a series has fewer values than there are sizes, its values are put at the smallest
    sizes, the rest is NaN, and `placement` says assumed.

    Raises
        RunLogError: no chart, a title we do not know, more values than sizes, no thread count above it.
    """
    rows: list[dict] = []
    series: list[tuple[int, str, list[int]]] = []
    sizes: list[int] = []
    threads: int | None = None
    for number, line in enumerate((raw.strip() for raw in text.split("\n")), start=1):
        if match := _CHART_THREADS.fullmatch(line):
            threads = int(match[1])
        elif match := _SERIES.fullmatch(line):
            series.append((number, match[1], [int(value) for value in match[2].split()]))
        elif _SIZES.fullmatch(line):
            sizes = [int(size.removesuffix("万")) * _TEN_THOUSAND for size in line.split()]
        elif line and series and sizes:
            if line not in _QUERIES:
                raise RunLogError(path, number, f"chart title: got {shown(line)}, expected {' or '.join(_QUERIES)}")
            if threads is None:
                raise RunLogError(path, number, "no line above says the chart's threads, such as 以10线程为例")
            for at, engine, values in series:
                rows += _chart_rows(sizes, values, path, query=_QUERIES[line], engine=engine, threads=threads, line=at)
            series, sizes = [], []
    if not rows:
        raise RunLogError(path, None, "no query chart found: expected lines such as 'mongo 10000 9090 10000 322'")
    return rows


def _chart_rows(
    sizes: list[int], values: list[int], path: str | Path, *, query: str, engine: str, threads: int, line: int
) -> list[dict]:
    if len(values) > len(sizes):
        raise RunLogError(path, line, f"got {len(values)} values for {len(sizes)} sizes")
    return [
        {
            "query": query,
            "engine": engine,
            "records": records,
            "threads": threads,
            "throughput_ops_s": values[i] if i < len(values) else nan,
            "placement": "printed" if len(values) == len(sizes) else "assumed",
            "source_line": line,
        }
        for i, records in enumerate(sizes)
    ]


def failover_counts(text: str, path: str | Path) -> list[dict]:
    """What became of the inserts while a secondary and the primary were killed, per write concern.

    Raises
        RunLogError: no such line.
    """
    keys = ("succeeded", "failed", "lost", "duration_s")
    # the document breaks these sentences over two lines
    return [
        {"write_concern": m["write_concern"], **{k: int(m[k]) for k in keys}, "source_line": _line(text, m)}
        for m in _required(_FAILOVER, text, path, "WriteConcern.NORMAL：成功…条、失败…条、丢失…条、耗时…秒")
    ]


def mongotest_runs(text: str, path: str | Path) -> list[dict]:
    """The mongotest result blocks: threads, seconds, rows, rows per second of one thread and of all.

    Raises
        RunLogError: no block.
    """
    keys = ("threads", "duration_s", "rows_per_thread", "rows", "thread_throughput_ops_s", "throughput_ops_s")
    return [
        {"operation": _OPERATIONS[m["verb"]], **{k: int(m[k]) for k in keys}, "source_line": _line(text, m)}
        for m in _required(_MONGOTEST, text, path, "a block that starts with 'Total thread:100'")
    ]


def iibench_durations(text: str, path: str | Path) -> list[dict]:
    """Minutes that iibench took per server version, and the stall one of them had, in the source's words.

    Raises
        RunLogError: a duration, the number of records or the stall is not where it was.
    """
    durations = _required(_IIBENCH, text, path, "'Wiredtiger 3.2 engine took 31 minutes'")
    records = _required(_IIBENCH_RECORDS, text, path, "'Test data set: 200 million records'")[0]
    stalls = {m[1]: m[2] for m in _required(_STALL, text, path, "'Wiredtiger had a minute or so of time'")}
    return [
        {
            "server_version": m["version"],
            "engine": "wiredTiger",
            "records": int(records[1]) * 1_000_000,
            "duration_min": int(m["minutes"]),
            "stall": stalls.get(m["version"], ""),
            "source_line": _line(text, m),
        }
        for m in durations
    ]


def _required(pattern: re.Pattern, text: str, path: str | Path, example: str) -> list[re.Match]:
    found = list(pattern.finditer(text))
    if not found:
        raise RunLogError(path, None, f"not found: {example}")
    return found


def _line(text: str, match: re.Match) -> int:
    return text.count("\n", 0, match.start()) + 1
