"""Summaries of the insert benchmark: a row for each server, a column for each step (`dbms l.i0 l.x l.i1 qr100.L1 ...`),
as CSV, in columns of blanks, or as a table in HTML.

Steps l.i insert, l.x makes indexes and is no run. Steps q are queries while others insert so many rows per second as
the name says: ranges of an index (q, qr: SCAN), or by primary key (qp: READ). The figures are rates and nothing else,
so each is an excerpt. Tables relative to a first row have fractions and are not read.
"""

import re
from collections.abc import Iterator, Sequence

from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.readers.text_runs import MAX_RUNS, numbered

FORMAT = "iibench"

HEAD = re.compile(rb"^\s{0,8}(?:<tr>\s?<th>)?dbms(?:</th>\s?<th>|[,\t]|\s{1,20})l\.i0\b", re.MULTILINE)
_STEP = re.compile(r"(l\.i\d?|l\.x|q[rp]?\d{1,5}(?:\.(?:L?\d{1,3}))?)")
_OPERATIONS = {"l.i": "INSERT", "q": "SCAN", "qr": "SCAN", "qp": "READ"}
_RATE = re.compile(r"\d{2,12}", re.ASCII)
_TAGS = re.compile(r"(?:<[^<>]{0,200}>\s*)+")
_SEPARATOR = re.compile(r"\s*,\s*|\s+")


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the tables, in order: one for each server and step; at least one, which may be empty.

    Raises
        RunLogError: a file cannot be read.
    """
    runs = [run for source in sources for run in _runs(source)]
    return runs[:MAX_RUNS] or [RunLog(format=FORMAT)]


def _runs(source: Source) -> Iterator[RunLog]:
    steps: list[str] = []
    for number, text, whole in numbered(source):
        cells = _SEPARATOR.split(_TAGS.sub(" ", text).strip())
        if cells[0] == "dbms":
            steps = cells[1:] if all(map(_STEP.fullmatch, cells[1:])) else []
        elif steps and whole and len(cells) == len(steps) + 1 and all(map(_RATE.fullmatch, cells[1:])):
            for step, rate in zip(steps, cells[1:], strict=True):
                if step != "l.x":
                    yield _run(cells[0], step, float(rate), f"{source}:{number}")


def _run(server: str, step: str, rate: float, where: str) -> RunLog:
    operation = _OPERATIONS[re.match(r"l\.i|q[rp]?", step)[0]]
    return RunLog(
        format=FORMAT,
        columns={"server_version": server[:80], "workload": step, "phase": "load" if operation == "INSERT" else "run"},
        overall_count=1,
        throughput_ops_s=rate,
        summaries=(Summary(operation, source=where),),
        quoted=True,
        source=where,
    )
