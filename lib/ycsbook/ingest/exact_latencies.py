"""The exact latencies that lie beside a log: its .hdr files and raw measurements, matched to its runs."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ycsbook import opening
from ycsbook.errors import RunLogError
from ycsbook.ingest.files.endings import HDR_SUFFIX, unpacked
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding.detect import IngestItem, Kind
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import hdr, raw
from ycsbook.ingest.runs.rows import Histogram

_RAW_PATH = re.compile(r"measurement\.raw\.output_file=(\S{1,500})")
_HDR_PATH = re.compile(r"hdrhistogram\.output\.path=(\S{1,500})")


@dataclass
class Beside:
    """Of each run of a log its distributions by operation; the files that hold them, and those that cannot be read.

    `used`: also the files that a command line names and that are not there: the runs would have more if they came.
    """

    per_run: list[dict[str, Histogram]]
    used: list[Path] = field(default_factory=list)
    rejected: list[RunLogError] = field(default_factory=list)


def of(item: IngestItem, logs: Sequence[RunLog]) -> Beside:
    """The exact distributions of each of the runs of a log."""
    beside = Beside([{} for _ in logs])
    for operation, path in _hdr_files(item, logs, beside.used).items():
        with _collected(beside.rejected):
            beside.used.append(path)
            sections = [hdr.read(path)] if len(logs) == 1 else hdr.read_sections(path)
            _share(beside.per_run, [{operation: Histogram(section, str(path))} for section in sections])
    for path in _raw_files(item, logs, beside.used):
        with _collected(beside.rejected):
            beside.used.append(path)
            _share(beside.per_run, raw_runs(path))
    for path in item.files if any(log.raw_rows for log in logs) else ():
        with _collected(beside.rejected):
            _share(beside.per_run, _raw_among_others(path))
    return beside


def raw_runs(path: Path) -> list[dict[str, Histogram]]:
    """The distributions of each run in a file of raw measurements."""
    return [_exact(run, path) for run in raw.read_sections(path)]


def in_buckets(exact: Histogram) -> Histogram:
    """As a histogram, which can be summed, also what was measured to the microsecond."""
    return replace(exact, log=exact.log.histogram) if isinstance(exact.log, raw.RawLatencies) else exact


def _hdr_files(item: IngestItem, logs: Sequence[RunLog], missing: list[Path]) -> dict[str, Path]:
    operations = {name for log in logs for name in log.by_operation}
    files: dict[str, Path] = {}
    for path in item.hdr:
        # YCSB glues a prefix and the operation together.
        stem = unpacked(path.name).removesuffix(HDR_SUFFIX)
        if ending := [name for name in operations if stem.endswith(name)]:
            files[max(ending, key=len)] = path
    if item.kind == Kind.STORED or files:
        return files
    for log in logs:
        if match := _HDR_PATH.search(log.command_line):
            named = {name: _beside(item, f"{match[1]}{name}.hdr", missing) for name in log.by_operation}
            files |= {name: path for name, path in named.items() if path}
    return files


def _raw_files(item: IngestItem, logs: Sequence[RunLog], missing: list[Path]) -> list[Path]:
    named = (_RAW_PATH.search(log.command_line) for log in logs)
    paths = [_beside(item, match[1], missing) for match in named if match]
    return list(dict.fromkeys([*item.raw, *(path for path in paths if path)]))


def _raw_among_others(path: Path) -> list[dict[str, Histogram]]:
    """Raw measurements that were printed between the lines of a log."""
    rows = raw.RawRows(str(path))
    for chunk in Source(path).chunks():
        rows.add(b"".join(filter(raw.is_raw, chunk.splitlines(keepends=True))))
    return [_exact(run, path) for run in rows.runs()]


def _exact(run: dict[str, raw.RawLatencies], path: Path) -> dict[str, Histogram]:
    return {name: Histogram(latencies, str(path), "raw") for name, latencies in run.items()}


def _share(per_run: list[dict[str, Histogram]], sections: list[dict[str, Histogram]]) -> None:
    """Give each run its section of a file; where there are not as many, nobody knows whose they are."""
    if len(sections) == len(per_run):
        for distributions, section in zip(per_run, sections, strict=True):
            distributions.update(section)


def _beside(item: IngestItem, name: str, missing: list[Path]) -> Path | None:
    """A file that a command line names, as far as it lies under the log's folder; noted where it is missing there."""
    folder = item.files[0].parent
    path = folder / name
    inside = opening.is_inside(path, folder)
    if inside and not os.path.isfile(path):  # unlike Path.is_file no error where the folder may not be looked into
        missing.append(path)
        return None
    return path if inside else None


@contextmanager
def _collected(rejected: list[RunLogError]) -> Iterator[None]:
    """What cannot be read is added to the errors; the rest is read."""
    try:
        yield
    except RunLogError as e:
        rejected.append(e)
