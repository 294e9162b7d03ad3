"""What a file is that no reader knows, as far as its first lines show."""

import re

_PROGRAMS = {
    "k6": rb"\bhttp_req_duration\b|\biteration_duration\b",
    "memtier_benchmark": rb"\bmemtier_benchmark\b|^ALL STATS\s*$",
    "TPC-C": rb"tpmC",
    "pgbench": rb"^latency average = [\d.]+ ms|\bpgbench\b",
    "cassandra-stress": rb"^Partition rate\s*:|\bcassandra-stress\b",
    "redis-benchmark": rb"^====== \w+ ======|\bredis-benchmark\b",
    "db_bench": rb"^Entries:\s+\d+\r?\nRawSize:|^fillseq\s*:",
    "Helm": rb"^LAST DEPLOYED: ",
    "Kubernetes": rb"^apiVersion: ",
}
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in _PROGRAMS.items()}
_HTML = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html[ >])", re.IGNORECASE | re.DOTALL)


def described(head: bytes) -> str:
    """What a file is that begins so, to stand behind its name.

    Examples
        >>> described(b"LAST DEPLOYED: Mon Nov 23")
        'is the output of Helm, which is not read'
    """
    if _HTML.match(head):
        return "is a web page without a log or a table of threads and throughput"
    if b"\0" in head:
        return "is not text"
    program = _program(head)
    return f"is the output of {program}, which is not read" if program else "has nothing of a benchmark that is read"


def is_told(head: bytes) -> bool:
    """Whether a file that begins so is known to be something else than a log."""
    return bool(_HTML.match(head) or _program(head))


def _program(head: bytes) -> str:
    return next((name for name, pattern in _PATTERNS.items() if pattern.search(head)), "")
