"""The status lines of YCSB logs, of one or of many at once, by the fast reader."""

from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.readers import status_fast
from ycsbook.ingest.readers.ycsb import Split
from ycsbook.native.status import Stretch


def fast(stretch: Stretch, first_line: int) -> tuple[StatusLines, int] | None:
    """What `ycsb.parse` asks of a fast reader."""
    found = status_fast.read([stretch], [first_line])
    return (found.lines, int(found.line_counts[0])) if found.regular[0] else None


def series(splits: list[Split]) -> list[tuple[Series, int] | None]:
    """The series of each split, all with status lines, and how many lines it takes; None: read it line by line."""
    if not splits:
        return []
    found = status_fast.read([s.status for s in splits], [s.lines_before + 1 for s in splits])
    if found.lines is None:
        return [None] * len(splits)
    found_series = iter(Series.of_runs(found.lines, found.starts))
    return [(next(found_series), count) if count else None for count in found.line_counts.tolist()]
