"""From the files of one log to its runs, by the format that its content shows, and to the exact latencies beside it:
.hdr files and raw measurements, matched to the runs."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook import opening
from ycsbook.errors import RunLogError
from ycsbook.ingest import readers
from ycsbook.ingest.files.scan import HDR_SUFFIX, suffix, unpacked
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding.detect import IngestItem, Kind
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import hdr, raw, ycsb, ycsb_batch
from ycsbook.ingest.runs.rows import Histogram

# How a log of YCSB begins; what begins otherwise is looked at more closely.
_BEGINS = re.compile(
    rb"\s{0,8}(?:Command line: -|YCSB Client \d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} \d+ sec: |\[OVERALL\], "
    rb"|\S{0,200}\bjava [^\n]*\bycsb\.Client )"
)
# What they say of YCSB is no output of it.
_DOCUMENTS = (".rst", ".adoc", ".asciidoc", ".org", ".tex")
# What tries to start it; else its name is in what others say of it.
_STARTED = re.compile(
    rb"\bycsb\.(?:client|sh|bat)\b|bin/(?:go-)?ycsb\b|\b(?:go-)?ycsb(?:\.sh|\.bat)? (?:run|load)\b", re.IGNORECASE
)
_JSON_ENDS = (b"]", b"}")
_RAW_PATH = re.compile(r"measurement\.raw\.output_file=(\S{1,500})")
_HDR_PATH = re.compile(r"hdrhistogram\.output\.path=(\S{1,500})")


def runs(item: IngestItem, format: str = "") -> tuple[str, list[RunLog]]:
    """The format of a log, or the one given, and its runs; none of a page, of raw measurements, of what is no log."""
    sources = [Source(path) for path in item.files]
    format = format or next(filter(None, map(_format_of, sources)), "")
    if format in (readers.PAGE, readers.RAW):
        return format, []
    if not format:
        is_empty = not any(source.head(1) for source in sources)
        if not (item.explicit or is_empty):
            return "", []
        format = ycsb.FORMAT
    if format == ycsb.FORMAT:
        return format, ycsb_runs(item.files)
    return format, readers.parse(format, sources)


def ycsb_runs(files: Sequence[Path]) -> list[RunLog]:
    return ycsb.parse([Source(path) for path in files], feed=ycsb_batch.feed)


def not_ours(files: Sequence[Path], logs: Sequence[RunLog]) -> str:
    """Why files that were read as a log of YCSB hold none, worded to follow their name; empty: they do, or YCSB failed
    before it printed any of it, or they are empty."""
    if any(log.overall_count or log.summaries or log.series.lines or log.command_line or log.version for log in logs):
        return ""
    head = b"".join(Source(path).head(readers.SNIFF_BYTES) for path in files)
    has_failed = _STARTED.search(head) or (b"ycsb" in head.lower() and any(log.errors for log in logs))
    is_document = any(suffix(path.name) in _DOCUMENTS for path in files)
    is_ours = (readers.is_ycsb(head) or (has_failed and not is_document)) and not readers.is_known_other(head)
    return "" if is_ours or not head else readers.described(head)


def is_ycsb(files: Sequence[Path], contents: Sequence[bytes]) -> bool:
    """Whether these files with their content are a log of YCSB, or empty."""
    if all(not content or _is_plain_ycsb(content, content[-8:]) for content in contents):
        return True
    formats = (
        readers.format_of(content[: readers.PAGE_SNIFF_BYTES], content[-readers.SNIFF_BYTES :], Source(path).name)
        for path, content in zip(files, contents, strict=True)
    )
    format = next(filter(None, formats), "")
    return format == ycsb.FORMAT or (not format and any(map(readers.is_ycsb, contents)))


def _is_plain_ycsb(beginning: bytes, end: bytes) -> bool:
    """Whether a beginning and an end can only be those of YCSB's text."""
    return _BEGINS.match(beginning) is not None and not end.rstrip().endswith(_JSON_ENDS)


def _format_of(source: Source) -> str:
    head = source.head(readers.PAGE_SNIFF_BYTES)
    return ycsb.FORMAT if _is_plain_ycsb(head, source.tail(8)) else readers.format_of_file(source)


@dataclass
class ExactLatencies:
    """Of each run of a log its distributions by operation; the files that hold them, and those that cannot be read.

    `used`: also the files that a command line names and that are not there: the runs would have more if they came."""

    per_run: list[dict[str, Histogram]]
    used: list[Path] = field(default_factory=list)
    rejected: list[RunLogError] = field(default_factory=list)


def exact_latencies(item: IngestItem, logs: Sequence[RunLog]) -> ExactLatencies:
    """The exact distributions of each of the runs of a log."""
    exact = ExactLatencies([{} for _ in logs])
    for operation, path in _hdr_files(item, logs, exact.used).items():
        with _collected(exact.rejected):
            exact.used.append(path)
            sections = [hdr.read(path)] if len(logs) == 1 else hdr.read_sections(path)
            _share(exact.per_run, [{operation: Histogram(section, str(path))} for section in sections])
    paths_in_commands = (_RAW_PATH.search(log.command_line) for log in logs)
    beside = [_beside(item, match[1], exact.used) for match in paths_in_commands if match]
    for path in dict.fromkeys([*item.raw, *filter(None, beside)]):
        with _collected(exact.rejected):
            exact.used.append(path)
            _share(exact.per_run, raw_runs(path))
    for path in item.files if any(log.raw_rows for log in logs) else ():
        with _collected(exact.rejected):
            rows = raw.RawRows(str(path))
            for chunk in Source(path).chunks():
                rows.add(b"".join(filter(raw.is_raw, chunk.splitlines(keepends=True))))
            _share(exact.per_run, [_histograms(run, path) for run in rows.runs()])
    return exact


def raw_runs(path: Path) -> list[dict[str, Histogram]]:
    return [_histograms(run, path) for run in raw.read_sections(path)]


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
            paths_of_operations = {name: _beside(item, f"{match[1]}{name}.hdr", missing) for name in log.by_operation}
            files |= {name: path for name, path in paths_of_operations.items() if path}
    return files


def _histograms(run: dict[str, raw.RawLatencies], path: Path) -> dict[str, Histogram]:
    return {name: Histogram(latencies, str(path), "raw") for name, latencies in run.items()}


def _share(per_run: list[dict[str, Histogram]], sections: list[dict[str, Histogram]]) -> None:
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
    try:
        yield
    except RunLogError as e:
        rejected.append(e)
