"""What is told of tables that are not read: which of them have figures of runs, and what their headings lack."""

import re
from collections.abc import Sequence

from ycsbook.errors import shown
from ycsbook.ingest.published.page_cells import is_projection
from ycsbook.ingest.published.page_headings import columns
from ycsbook.ingest.published.page_tables import PageRow, PageTable

NEEDED = {"threads": "threads", "throughput_ops_s": "throughput (QPS)"}
_FIGURES = re.compile(r"throughput|\b[qtr]ps\b|ops/s|latenc|\bp\d\d|吞吐|时延|延迟", re.IGNORECASE)
_BEGINS = re.compile(r"[<>~≈]?\s?\d")
_UNIT = re.compile(r"[(\[](?:[nuμµm]?s|[km]?[oqt]ps|[km]?ops/s\w*|毫秒|微秒)[)\]]", re.IGNORECASE)
_AIMED = re.compile(r"\b(?:expect(?:ed|ations)|theoretical|hypothetical|targets|goals)\b|预期|理论", re.IGNORECASE)
_MEASURED = re.compile(r"actual|achieved|measured|\bvs\b|实[测际]", re.IGNORECASE)


def has_figures(table: PageTable, title: str = "") -> bool:
    """Whether a table has numbers, and these, its headings, what begins its rows or a title with a unit tell of
    throughputs or latencies."""
    cells = [cell for row in table.rows for at, cell in enumerate(row.cells) if not at or _BEGINS.match(cell)]
    names = [*cells, *(cell for row in table.rows[:1] for cell in row.cells), *([title] if _UNIT.search(title) else [])]
    return any(map(_BEGINS.match, cells)) and any(map(_FIGURES.search, names))


def is_aimed(heading: str) -> bool:
    """Whether a heading says that what stands below it is expected or aimed at, and was not measured."""
    return bool(_AIMED.search(heading) or is_projection(heading)) and not _MEASURED.search(heading)


def lacking(row: PageRow, *, has_threads: bool = False) -> tuple[PageRow, list[str]]:
    """A row, and what its cells lack of the headings that are needed; `has_threads`: they are known, and `Ops` may be
    how many there were."""
    names = {c[0] for c in columns([cell for cell in row.cells if not (has_threads and cell.lower() == "ops")]) if c}
    names |= {"threads"} if has_threads else set()
    return row, [word for name, word in NEEDED.items() if name not in names]


def told(row: PageRow, lacks: Sequence[str]) -> str:
    """How a table is told by its headings, and by what they lack."""
    missing = " and ".join(lacks) or "a row that holds nothing but headings"
    return f"headed {shown(' | '.join(row.cells))} and lacks {missing}"
