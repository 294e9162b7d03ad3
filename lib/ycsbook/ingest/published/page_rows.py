"""The rows of a page, and what tells those apart that are of other servers or settings and so no repeats."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import nan
from typing import NamedTuple

from ycsbook.ingest.log.labels import identifier, shapes_inside
from ycsbook.ingest.log.table_columns import distinguishing_columns, is_product, unread_columns, words_of
from ycsbook.ingest.published.page_cells import OPERATION
from ycsbook.ingest.published.page_headings import RUNS, plain

# What the page may say of rows in headings and sentences; several of a page tell its rows apart.
SETTINGS = ("server_version", "topology", "write_concern")
# How far a run had got, as programs print it.
_OF_TIME = re.compile(r"\W{0,2}(?:time|elapsed|sec(?:ond)?s?\b|t\b|timestamp|interval)", re.IGNORECASE)
_TIME = re.compile(r"(\d{1,10}(?:\.\d{1,9})?) ?(?:s|sec|ms|min)?", re.ASCII)
_WORDS = re.compile(r"[^\d]*[^\W\d_][^\d]*")
_NODES = re.compile(r"\b\d{1,4}[ -](?:nodes?|shards?|replicas?)\b|\d{1,4}\s?个?(?:节点|分片)", re.ASCII | re.IGNORECASE)
_OPERATIONS = re.compile(
    r"\b(?:reads?|writes?|updates?|inserts?|scans?|deletes?|selects?|(?-i:GET|SET|PUT|Get|Set|Put))\b"
    r"|[读写]+|更新|插入|查询|删除",
    re.IGNORECASE,
)
_OF_OPERATION = re.compile(rf"(?:\d[\d.]* )?({OPERATION.pattern})(?: tests?| performance|性能|测试)?", re.IGNORECASE)
# What is known of a row's configuration, the title of its table, the row; or the row, and all its cells.
KeyedRow = tuple[str, str, "VendorRow"]
PendingRow = tuple[str, "VendorRow", Sequence[str]]


class VendorRow(NamedTuple):
    """One published measurement. Text that the page does not print is empty, a figure NaN, and so is a latency of 0:
    there was no such operation.

    Mean latencies in us: `ral_us` of reads, `wal_us` of writes, `insert_us` of inserts beside these, `latency_us` of
    what is not said; `percentiles`: column of such a mean, percentile, us. Throughput in ops/s, `cpu_utilisation` and
    `read_fraction` 0 to 1; `line` counts the page's lines from 1. `server_version`, `topology` and `write_concern` are
    those of a column or of the text above; `phase` is load where the row says so. `inferred`: the threads or the server
    are those of the text above, as the table says none. `variant` is what other columns say that tells rows apart, such
    as the storage engine; `averaged`: the table has percentiles that are means of several; `unread`: the headings of
    the columns that are not understood. `goodput_ops_s` is the throughput without the share that failed, where one is
    printed; `printed_noise` how far runs scatter around it, as a share; `repeat` the number of a repeated run."""

    line: int
    spec: str
    spec_label: str
    cores: float
    ram_gib: float
    workload: str
    read_fraction: float
    threads: int
    throughput_ops_s: float
    cpu_utilisation: float
    ral_us: float
    wal_us: float
    server_version: str = ""
    topology: str = ""
    write_concern: str = ""
    inferred: bool = False
    phase: str = "run"
    latency_us: float = nan
    variant: str = ""
    averaged: bool = False
    insert_us: float = nan
    percentiles: tuple[tuple[str, float, float], ...] = ()
    unread: tuple[str, ...] = ()
    failed_operations: float = nan
    goodput_ops_s: float = nan
    printed_noise: float = nan
    repeat: float = nan


def rows_of_table(pending: Sequence[PendingRow], unknown: Sequence[str], title: str) -> list[KeyedRow]:
    """The rows of a table, told apart by what its other columns say. `unknown`: headings that are not understood, empty
    of the others."""
    keys, cells = ([row[at] for row in pending] for at in (0, 2))
    settings = distinguishing_columns(unknown, cells, keys)
    if any(unknown[:1]) and 0 not in settings and all(_WORDS.fullmatch(row[0]) for row in cells):
        # What a row begins with names it, also where no two rows have as many threads.
        servers = [(row.spec, row.server_version, row.workload, row.phase) for _, row, _ in pending]
        settings = distinguishing_columns(unknown[:1], cells, servers) + settings
    unread, rows = tuple(unread_columns(unknown, cells, settings)), []
    products = [at for at in settings if is_product(unknown[at])]
    for (key, row, filled), repeat in zip(pending, _repeats(unknown, cells), strict=True):
        variant = identifier(" ".join(words_of(unknown[at], filled[at]) for at in settings))
        server = _server(" ".join(filled[at] for at in products), row.server_version)
        more = {"server_version": server, "variant": variant, "unread": unread}
        more |= {"repeat": float(repeat)} if repeat else {}
        rows.append((" ".join(filter(None, (key, variant, repeat))), title, row._replace(**more)))
    return rows


def intervals(pending: Sequence[PendingRow], unknown: Sequence[str]) -> str:
    """The heading of the time that goes on from row to row of one configuration: the rows are parts of one run. Empty:
    there is none. Parameters as for rows_of_table."""
    if len(pending) < 3 or len({key for key, _, _ in pending}) > 1:
        return ""
    for at, heading in enumerate(unknown):
        cells = [_TIME.fullmatch(filled[at]) for _, _, filled in pending] if _OF_TIME.match(heading) else [None]
        if all(cells) and all(float(a[1]) < float(b[1]) for a, b in itertools.pairwise(cells)):
            return heading
    return ""


def _repeats(unknown: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """The number of each row's repeat, where a column of runs counts them and its numbers return; else empty texts."""
    for at, heading in enumerate(unknown):
        numbers = [row[at].strip("第次轮# ") for row in cells]
        if plain(heading) in RUNS and all(map(str.isdecimal, numbers)) and 2 * len(set(numbers)) <= len(numbers):
            return numbers
    return [""] * len(cells)


def _server(product: str, version: str) -> str:
    """The server of a row whose column names the product: a title that names another names one of several."""
    if version[:1].isdigit():
        return f"{product} {version}".lstrip()
    return version if version.lower().startswith(product.lower()) else product


def rows_of_page(rows_of_tables: Sequence[KeyedRow]) -> tuple[list[VendorRow], list[tuple[int, str]]]:
    """Every row once; line and reason of those that stand there twice. Of tables that have rows of equal settings, the
    titles tell these apart, operations as mixes; of others, the clusters and operations that their titles name."""
    rows, twice, lines_by_row, titles, tables, copies = [], [], {}, defaultdict(set), defaultdict(set), {}
    sizes = Counter(identifier(title) for _, title, _ in rows_of_tables)
    for key, title, row in rows_of_tables:
        titles[key].add(identifier(title))
        tables[identifier(title)].add(_as_copied(key, row, sizes[identifier(title)]))
    telling = set().union(*(alike for alike in titles.values() if len(alike) > 1))
    clusters = [_cluster(title, row) for _, title, row in rows_of_tables]
    has_clusters = len(set(clusters)) > 1
    for (key, title, row), cluster in zip(rows_of_tables, clusters, strict=True):
        above = identifier(title)
        names = ((key, above), _as_copied(key, row, sizes[above]))
        if above not in copies:
            copies[above] = tables[above] <= lines_by_row.keys()  # else single rows have equal figures by chance
        if first := next((lines_by_row[name] for name in names[: 1 + copies[above]] if name in lines_by_row), 0):
            twice.append((row.line, f"{key} stands in line {first}, expected each run once"))
            continue
        lines_by_row |= dict.fromkeys((*names, _as_copied("", row._replace(workload=""), 2)), row.line)
        above, (*section, last) = above if above in telling else "", title.split("\n")
        operation = above and not row.workload and row.phase != "load" and _OF_OPERATION.fullmatch(last)
        above = identifier(" ".join(section)) if operation else above
        variant = "-".join(filter(None, (row.variant, above or ("" if operation or not has_clusters else cluster))))
        rows.append(row._replace(variant=variant, workload=identifier(operation[1]) if operation else row.workload))
    return rows, twice


def _as_copied(key: str, row: VendorRow, size: int) -> tuple[str, tuple]:
    """What a row has in common with its copy in an earlier table: where it does not say its mix the figures alone."""
    return (key, row[1:]) if row.workload or size < 2 else ("", row._replace(read_fraction=nan)[1:])


def _cluster(title: str, row: VendorRow) -> str:
    """What a table's title names and the row does not say: several kinds of servers, or their number; operations."""
    lines = [line for line in title.split("\n") if len(shapes_inside(line)) > 1]
    words = lines[-1:] if lines and not row.spec else [match[0] for match in _NODES.finditer(title)]
    operations = [] if row.workload or row.phase == "load" else [match[0] for match in _OPERATIONS.finditer(title)]
    return identifier(" ".join([*words, *dict.fromkeys(operations)]))
