"""The formats of files, told by their content."""

import importlib
import re
from types import ModuleType

# What a file of each format is read with: a module with FORMAT and recognises(head). YCSB's own text is the most
# common by far and is told by its marks before anything else is loaded.
YCSB, JSON, PAGE, RAW = "ycsb", "ycsb-json", "published-page", "raw"
_MODULES = {
    YCSB: "readers.ycsb",
    JSON: "readers.ycsb_json",
    "go-ycsb": "readers.go_ycsb",
    "iibench": "readers.iibench",
    "mongotest": "readers.mongotest",
    "sysbench": "readers.sysbench",
    "jmeter": "readers.jmeter",
    RAW: "readers.raw",
    PAGE: "published.page",
}
FORMATS = tuple(_MODULES)
# How much of a file is looked at; a vendor's table may stand after much prose.
SNIFF_BYTES = 64 * 1024
PAGE_SNIFF_BYTES = 256 * 1024

_JSON = b'"measurement"'
_OVERALL = re.compile(rb"\[OVERALL\],")
_THREADS = re.compile("并发|线程|thread|concurrency".encode(), re.IGNORECASE)
_THROUGHPUT = re.compile("qps|ops|throughput|吞吐|每秒".encode(), re.IGNORECASE)


def module(name: str) -> ModuleType:
    """The module that reads a format.

    Raises
        KeyError: no such format.
    """
    return importlib.import_module(f"ycsbook.ingest.{_MODULES[name]}")


def format_of(head: bytes, tail: bytes = b"") -> str:
    """The format that a file's beginning and end show; "" where it is none of FORMATS, such as binary junk.

    A vendor's page is told first: it may quote a log, while no log has a table with such headings.
    """
    if is_page(head):
        return PAGE
    # The summary in JSON, with status lines around it: the text reader would find no summary.
    if (_JSON in head or _JSON in tail) and _is_json(head, tail):
        return JSON
    if is_ycsb(head) or is_ycsb(tail):
        return YCSB
    if b"\0" in head:
        return ""
    for name in FORMATS:
        if name not in (YCSB, PAGE) and any(module(name).recognises(part) for part in (head, tail) if part):
            return name
    return ""


def _is_json(head: bytes, tail: bytes) -> bool:
    return not any(map(_OVERALL.search, (head, tail))) and any(map(module(JSON).recognises, (head, tail)))


def is_ycsb(part: bytes) -> bool:
    """Whether it is from a log of YCSB."""
    return module(YCSB).recognises(part)


def is_page(head: bytes) -> bool:
    """Whether it holds a table whose headings name threads and throughput."""
    # Most files have no table; plain searches for its marks cost next to nothing.
    if not (b"|" in head or b"<t" in head or b"<T" in head):
        return False
    if not (_THREADS.search(head) and _THROUGHPUT.search(head)):
        return False
    return module(PAGE).recognises(head)
