"""One reader per log format, bytes to what a log says; here is the list of them, and how a file's format is told.

Other packages add theirs under the entry point group `ycsbook.readers`, by the format's name: docs/extending.md.
"""

import pkgutil
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Protocol

from ycsbook.errors import YcsbookError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.readers import prefixes

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ycsbook.ingest.log.runlog import RunLog

GROUP = "ycsbook.readers"
# YCSB's own text is the most common by far and is told by its marks before anything else is loaded.
YCSB, JSON, TABLE, PAGE, RAW, HDR = "ycsb", "ycsb-json", "ycsb-table", "published-page", "raw", "hdr"
# The module or class that reads each format, and the version of what it gives: raised by hand with every change of
# that, so that archives read such files again. RAW and PAGE have no parse: `logs` makes their runs.
_BUILT_IN = {
    YCSB: ("ycsbook.ingest.readers.ycsb", 25),
    JSON: ("ycsbook.ingest.readers.ycsb_json", 7),
    "go-ycsb": ("ycsbook.ingest.readers.go_ycsb", 15),
    "ycsb-cpp": ("ycsbook.ingest.readers.ycsb_cpp:YcsbCpp", 10),
    "ycsb-c": ("ycsbook.ingest.readers.ycsb_cpp:YcsbC", 7),
    "cockroach-ycsb": ("ycsbook.ingest.readers.cockroach", 8),
    "http-load": ("ycsbook.ingest.readers.http_load", 9),
    TABLE: ("ycsbook.ingest.readers.ycsb_table", 17),
    "iibench": ("ycsbook.ingest.readers.iibench", 6),
    "mongotest": ("ycsbook.ingest.readers.mongotest", 3),
    "sysbench": ("ycsbook.ingest.readers.sysbench", 10),
    "jmeter": ("ycsbook.ingest.readers.jmeter", 5),
    RAW: ("ycsbook.ingest.readers.raw", 2),
    PAGE: ("ycsbook.ingest.published.page", 44),
}
# What is never told by its content: told by its name, by the sidecar beside it, or, where it is named, by its columns.
_BY_NAME = {HDR: 1, "published": 3, "csv": 34}
WITHOUT_THREADS = "read it with 'ycsbook ingest FILE --set threads=N --out TABLES'"
# What pages quote beside each other.
_QUOTED = (YCSB, "go-ycsb", "http-load", "sysbench")
# How much of a file is looked at; a vendor's table may stand after much prose.
SNIFF_BYTES = 64 * 1024
PAGE_SNIFF_BYTES = 256 * 1024
# How much of a large file is searched for a log that stands between other things: so many chunks.
_SEARCHED_CHUNKS = 4

_JSON = b'"measurement"'
_OVERALL = re.compile(rb"\[OVERALL\],")
_THREADS = re.compile(
    "并发|线程|thread|conc(?:urrency)?\\b|client|客户端|conn|连接|user|用户|vus?|worker|goroutine|wrk|(?<![\\w.])\\d{1,5}T\\b|\\bT=\\d".encode(),
    re.IGNORECASE,
)
_THROUGHPUT = re.compile(
    "[qtr]ps|ops|throughput|吞吐|每秒|operations|transactions|txn?/s|req|queries/s|inserts|records|durchsatz|débit|rendim|caudal".encode(),
    re.IGNORECASE,
)

# What prints other logs, which are not read.
_OTHER_PROGRAMS = {
    "k6": rb"\bhttp_req_duration\b|\biteration_duration\b",
    "memtier_benchmark": rb"\bmemtier_benchmark\b|^ALL STATS\s*$|^[ \t]{0,40}\"ALL STATS\":",
    "BenchBase": rb"\bcom\.oltpbenchmark\.|^ {0,40}\"Benchmark Type\":|^Time \(seconds\),Throughput \(requests",
    "PerfKitBenchmarker": rb"\"PerfKitBenchmarker\"|,PerfKitBenchmarker,",
    "mongo-perf": rb"\bmongo-perf\b|\"ops_per_sec_values\"",
    "TPC-C": rb"tpmC|\bTPM-C: \d",
    "pgbench": rb"^latency average = [\d.]+ ms|\bpgbench\b",
    "cassandra-stress": rb"^Partition rate\s*:|\bcassandra-stress\b|^(?:id, )?type, +total ops, +op/s,",
    "a cockroach workload other than ycsb": rb"^[ \t]{0,12}_elapsed___errors__",
    "YugabyteDB's sample apps": rb"\bcom\.yugabyte\.sample\.",
    "redis-benchmark": rb"^====== \w+ ======|\bredis-benchmark\b",
    "db_bench": rb"^Entries:\s+\d+\r?\nRawSize:|^fillseq\s*:",
    "Helm": rb"^LAST DEPLOYED: ",
    "Kubernetes": rb"^apiVersion: ",
}
_OTHER_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in _OTHER_PROGRAMS.items()}
_HTML = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html[ >])", re.IGNORECASE | re.DOTALL)


class LogReader(Protocol):
    """What reads one format: a module, or any object, with these functions."""

    def recognises(self, head: bytes, name: str) -> bool:
        """Whether a file with this beginning and unpacked name is of its format."""

    def parse(self, sources: Sequence[Source]) -> "list[RunLog]":
        """The runs of one log, or of the two streams of one process, in order; at least one, which may be empty. Raises
        RunLogError for what cannot be read."""


def names() -> tuple[str, ...]:
    return (*_BUILT_IN, *_added())


def versions() -> dict[str, int | str]:
    """Of every format the version of what its reader gives; of one that a package adds, that of the package."""
    ours = {name: version for name, (_, version) in _BUILT_IN.items()}
    return {**ours, **_BY_NAME, **{name: entry.dist.version for name, entry in _added().items()}}


@cache
def reader(name: str) -> LogReader:
    """What reads a format. Raises KeyError for no such format, YcsbookError where a package's reader is not usable."""
    if name in _BUILT_IN:
        return pkgutil.resolve_name(_BUILT_IN[name][0])
    entry = _added()[name]
    origin = f"the reader {name!r} of the package {entry.dist.name}"
    try:
        added = entry.load()
    except (ImportError, AttributeError) as e:
        raise YcsbookError(f"{origin} cannot be loaded: {e}; repair or uninstall the package") from None
    if not all(callable(getattr(added, function, None)) for function in ("recognises", "parse")):
        raise YcsbookError(f"{origin} has no recognises and parse, expected both: docs/extending.md")
    return added


def parse(name: str, sources: Sequence[Source]) -> "list[RunLog]":
    """The runs of one log, by the reader of a format. Raises RunLogError where a file cannot be read."""
    parser = reader(name)
    logs = parser.parse(sources)
    if not any(log.overall_count for log in logs):  # perhaps for what others printed around its lines
        by_printer = [[*filter(None, some)] for some in zip_longest(*map(prefixes.Bare.of, sources))]
        printers = len(by_printer) > 1
        bare = [replace(log, printer=s[0].printer if printers else "") for s in by_printer for log in parser.parse(s)]
        logs = max(logs, bare, key=lambda logs: sum(log.overall_count for log in logs))
    if name in _BUILT_IN:
        return logs
    return [replace(log, format=name) for log in logs]


def format_of(head: bytes, tail: bytes = b"", name: str = "") -> str:
    """The format that a file's beginning, end and name show; "" where it is none of `names`, such as binary junk.

    A vendor's page is told first: it may quote a log, while no log has a table with such headings."""
    if b"[OVERALL]" in head and reader(TABLE).recognises(head, name):
        return TABLE
    if is_page(head):
        return PAGE
    # The summary in JSON, with status lines around it: the text reader would find no summary.
    parts = [part for part in (head, tail) if part]
    may_be_json = any(_JSON in part for part in parts) and not any(map(_OVERALL.search, parts))
    if may_be_json and any(reader(JSON).recognises(part, "") for part in parts):
        return JSON
    if any(map(is_ycsb, parts)):
        return YCSB
    tried = (YCSB, PAGE) if may_be_json else (YCSB, PAGE, JSON)
    formats = [format for format in names() if format not in tried] if b"\0" not in head else []
    for bare in (bytes, prefixes.bare):  # as they are, else without what others printed around their lines
        texts = [bare(part) for part in parts]
        if first := next((f for f in formats if any(reader(f).recognises(part, name) for part in texts)), ""):
            return first
    return PAGE if b"\0" not in head and is_page(head, drawn=True) else ""


def format_of_file(source: Source) -> str:
    """The format of a file by its beginning, end and name; where these do not tell, whether a log of YCSB stands
    between them, as behind what a build or a sweep printed. Raises RunLogError where it cannot be read."""
    head = source.head(PAGE_SNIFF_BYTES)
    format = format_of(head, source.tail(SNIFF_BYTES), source.name)
    if format or len(head) < PAGE_SNIFF_BYTES or b"\0" in head:
        return format
    return YCSB if any(map(is_ycsb, islice(source.chunks(), _SEARCHED_CHUNKS))) else ""


def also_quoted(head: bytes, format: str) -> list[str]:
    """The formats that a page with this beginning quotes besides the one it is read as."""
    quoted = [name for name in _QUOTED if name != format and reader(name).recognises(head, "")]
    # A table may have the lines of logs as its rows.
    return [name for name in quoted if (name, format) != (YCSB, TABLE) or reader(TABLE).LOG.search(head)]


def is_ycsb(part: bytes) -> bool:
    return reader(YCSB).recognises(part, "")


def is_page(head: bytes, *, drawn: bool = False) -> bool:
    """Whether it has a table whose headings name threads and throughput, in Markdown or HTML, or `drawn` otherwise."""
    # Most files have no table; plain searches for its marks cost next to nothing.
    if not drawn and not (b"|" in head or b"<t" in head or b"<T" in head):
        return False
    if not (_THREADS.search(head) and _THROUGHPUT.search(head)):
        return False
    return reader(PAGE).recognises(head, "", drawn=drawn)


def described(head: bytes) -> str:
    """What a file with this beginning is, to stand behind its name."""
    if reader(PAGE).recognises(head, threads="1"):
        return f"has a table with throughput but no thread count; {WITHOUT_THREADS}"
    if _HTML.match(head):
        return "is a web page without a log or a table of threads and throughput"
    if b"\0" in head:
        return "is not text"
    if program := other_program(head):
        return f"is the output of {program}, which is not read"
    headings, figures = (re.split(rb"[,;\t]", line) for line in (head + b"\n\n").split(b"\n", 2)[:2])
    has_names = any(words.search(of) for words in (_THREADS, _THROUGHPUT) for of in headings)
    has_names &= any(re.fullmatch(rb"[\s\d.]+", cell) for cell in figures)
    if has_names and len(headings) == len(figures) > 2:
        return "is a table of one's own, which is read where it is named, as .csv or .tsv, with a column of ops/s (qps)"
    return "has nothing of a benchmark that is read"


def other_program(head: bytes) -> str:
    """The program, not read here, that printed this beginning, or what it quotes; empty: none is known."""
    return next((name for name, pattern in _OTHER_PATTERNS.items() if pattern.search(head)), "")


def is_known_other(head: bytes) -> bool:
    return bool(_HTML.match(head) or other_program(head))


@cache
def _added() -> "dict[str, EntryPoint]":
    """The readers of other packages by their format's name. Ours are declared, too, but known without that."""
    # Only here: it takes longer to load than a small log to read.
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in _BUILT_IN}
