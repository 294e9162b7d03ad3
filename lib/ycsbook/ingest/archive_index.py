"""The index of an archive, `ingest-index.json`: what each thing that was read gave, so that only what has changed is
read again."""

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from ycsbook.columns import INGESTED, arrow_schema
from ycsbook.errors import RunLogError, ServerBusyError, StoreError
from ycsbook.ingest import archive_head
from ycsbook.ingest.archive_head import HEAD, Summary, load, stat, tables
from ycsbook.ingest.files import identity
from ycsbook.ingest.files.scan import Scan
from ycsbook.ingest.finding import detect
from ycsbook.ingest.finding.detect import Found
from ycsbook.ingest.results import LOOSE, Result
from ycsbook.ingest.workers import Reading
from ycsbook.secrets import redact
from ycsbook.store import atomic, lock
from ycsbook.store.writer import TablesWriter

INDEX = "ingest-index.json"
# What an ingest that was killed leaves behind: tables half written, and the temporary files of the two above.
_REMAINS = (".tables-*", f".{HEAD}.*", f".{INDEX}.*")
# The system stamps files by a clock that is behind by as much, at most.
_CLOCK_NS = 20_000_000
# In place of the size and time of a file that changed while it was read: never the same as those it has.
_CHANGED = ["changed"]


class _Entry(NamedTuple):
    """What the index says of one thing that was read.

    `used`: files that it used or looked for, with size and time; nothing of what is not there. `passing`: something of
    it could not be read for a reason that no file shows, such as want of permission.
    """

    files: list[str]
    stats: list[list]
    run_ids: list[str]
    format: str
    outcomes: list[str]
    warnings: list[str]
    rejected: list[str]
    remarks: list[str]
    used: list[list]
    unfinished: list[str]
    explicit: bool
    passing: bool


class Renewed(NamedTuple):
    """What an archive holds now, the histograms that logs have named beyond the folders that were listed with their
    `unchanged.stat`, and whether the same files would give the same again: what could not be read may be the next time.
    """

    summary: Summary
    used: list[tuple[str, str]]
    is_final: bool


def renew(listed: Scan, out: Path, key: dict, head: dict, reading: Reading) -> Renewed:
    """Bring the tables in step with what is listed: read what has changed, keep the rows of the rest.

    Parameters
        key: of the tables as they will be.
        head: what is said of the tables that are there; empty: read everything.
    Raises
        RunLogError: there is nothing to read.
        StoreError: the folder cannot be written, or another ingest is writing it; the tables there stay as they were.
    """
    found, errors = detect.group(listed)
    if errors and not found:
        # A misspelt folder must not empty the tables of the right one.
        first = errors[0]
        raise RunLogError(redact(first.path), first.line, redact(first.reason))
    with _alone(out):
        # Whoever wrote here since may have put other tables in the place of those that the head tells of.
        old = {tuple(e.files): e for e in _entries(out, archive_head.read(out) if head else {}, key)}
        if old and not found:
            # More likely a disk that is not mounted than an archive that was thrown away.
            raise StoreError(f"{out}: none of the {len(old):,} logs is left; --force empties the tables")
        files = [_files(item) for item in found]
        kept = [old[f] for f, item in zip(files, found, strict=True) if f in old and _is_same(old[f], item)]
        known = {tuple(e.files) for e in kept}
        wanted = [item for f, item in zip(files, found, strict=True) if f not in known]
        order = {f: i for i, f in enumerate(files)}
        removed = [entry for f, entry in old.items() if f not in order]
        if old and not wanted and not removed:
            return _renewed(listed, kept, errors, kept=kept)
        with TablesWriter(out, INGESTED, threads=reading.helpers.count + 1) as writer:
            read, kept = _write(
                wanted, kept, out, reading, writer, watch=_Watch(listed, dict(zip(files, found, strict=True)))
            )
            writer.finish()
            # While the last rows are being written.
            entries = sorted([*kept, *read], key=lambda e: order[tuple(e.files)])
            renewed = _renewed(listed, entries, errors, read=read, kept=kept, removed=removed)
            index = _text(entries)
        _save(out, key, index, renewed.summary)
    return renewed


class _Watch:
    """What was there before anything was read: a file that changes meanwhile is to be read again the next time.

    Parameters
        found: what there is to read, by its files.
    """

    def __init__(self, listed: Scan, found: dict[tuple[str, ...], Found]):
        self.listed, self.found, self._begun = listed, found, time.time_ns() - _CLOCK_NS

    def told(self, path: str) -> list:
        """Size and time of a file as they were when it was read; empty where there was none."""
        folder, name = os.path.split(path)
        known = self.listed.folders.get(self.listed.real(folder))
        if known and name in known.files:
            return [*known.files[name]]
        try:
            found = os.stat(path)
        except OSError:
            return []
        return _CHANGED if found.st_ctime_ns >= self._begun else [found.st_size, found.st_mtime_ns]

    def claimed(self, kept: list[_Entry], read: list[_Entry]) -> list[_Entry]:
        """What is kept as histograms without a log, and belongs to a log that was read now."""
        used = {os.path.realpath(path) for entry in read for path, *_ in entry.used}
        loose = [e for e in kept if self.found[tuple(e.files)].kind in LOOSE] if used else []
        return [e for e in loose if not used.isdisjoint(map(os.path.realpath, e.files))]


def _renewed(
    listed: Scan,
    entries: list[_Entry],
    errors: list[RunLogError],
    *,
    read: Sequence[_Entry] = (),
    kept: Sequence[_Entry] = (),
    removed: Sequence[_Entry] = (),
) -> Renewed:
    counts = {name: len(_told(part)) for name, part in (("read", read), ("kept", kept), ("removed", removed))}
    used = {path: " ".join(map(str, told)) for entry in entries for path, *told in entry.used}
    beyond = [(path, told) for path, told in sorted(used.items()) if not _is_listed(path, listed)]
    is_final = not any(entry.passing for entry in entries)
    return Renewed(_summary(entries, errors)._replace(**counts), beyond, is_final)


def _is_listed(path: str, listed: Scan) -> bool:
    """Whether the listing of its folder tells whether a file is there, and its size and time."""
    folder, name = os.path.split(path)
    known = listed.folders.get(listed.real(folder))
    return known is not None and not name.startswith(".") and name not in known.links


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Nobody else writes the tables; what others left behind when they were killed is gone."""
    with ExitStack() as held:
        try:
            held.enter_context(lock.exclusive(out))
        except ServerBusyError as e:
            raise StoreError(
                f"{out}: another ingest is writing these tables (process {e.pid or 'unknown'}); "
                "wait for it, or name another folder"
            ) from None
        for remains in (path for pattern in _REMAINS for path in out.glob(pattern)):
            if remains.is_dir():
                shutil.rmtree(remains, ignore_errors=True)
            else:
                remains.unlink(missing_ok=True)
        yield


def _write(
    wanted: list[Found], kept: list[_Entry], out: Path, reading: Reading, writer: TablesWriter, *, watch: _Watch
) -> tuple[list[_Entry], list[_Entry]]:
    """Write the tables: rows of what is read, then those of what is kept as they were; the entries of both."""
    read: list[_Entry] = []
    while wanted:
        known = [*kept, *read]
        ids = {run_id for entry in known for run_id in entry.run_ids}
        used = {path for entry in known for path, *_ in entry.used}
        for batch, results in reading.batches(wanted, taken=ids, used=used):
            for name, rows in batch:
                writer.write(name, rows)
            read += [_entry(result, watch) for result in results]
        # Once more for those that had no log before: of some of their files nobody may know whose they are still.
        claimed = watch.claimed(kept, read)
        wanted = [watch.found[tuple(entry.files)] for entry in claimed]
        kept = [entry for entry in kept if entry not in claimed] if claimed else kept
    ids = {run_id for entry in kept for run_id in entry.run_ids}
    for name in INGESTED if ids else ():
        for rows in _rows_of(out / f"{name}.parquet", ids):
            writer.write(name, rows)
    # Tables that were cut half-way must not look like those that the index tells of.
    for name in (HEAD, INDEX):
        (out / name).unlink(missing_ok=True)
    return read, kept


def _rows_of(path: Path, run_ids: set[str]) -> Iterator:
    """The rows of some runs, a row group at a time."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    schema, wanted = arrow_schema(path.stem), pa.array(sorted(run_ids))
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            rows = file.read_row_group(group)
            yield rows.filter(pc.is_in(rows["run_id"], value_set=wanted)).cast(schema)


def _files(item: Found) -> tuple[str, ...]:
    if len(item.stats) == len(item.files):  # as of most logs: their names need not be put together again
        return tuple(stat.path for stat in item.stats)
    return tuple(map(str, item.files or [f for client in item.clients for f in client.files]))


def _is_same(entry: _Entry, item: Found) -> bool:
    if entry.passing or entry.explicit != item.explicit:
        return False
    stats = [list(s) for s in item.stats]
    return entry.stats == stats and all(stat(path) == told for path, *told in entry.used)


def _entry(result: Result, watch: _Watch) -> _Entry:
    return _Entry(
        files=list(_files(result.found)),
        stats=[[str(s.path), s.size, s.mtime_ns] for s in result.found.stats],
        run_ids=list(result.run_ids),
        format=result.format,
        outcomes=list(result.outcomes),
        warnings=list(result.warnings),
        rejected=[redact(str(error)) for error in result.rejected],
        remarks=list(result.remarks),
        used=[[path, *watch.told(path)] for path in map(str, result.used)],
        unfinished=[redact(one) for one in result.unfinished],
        explicit=result.found.explicit,
        passing=any(map(_is_passing, result.rejected)),
    )


def _is_passing(error: RunLogError) -> bool:
    """Whether the system refused a file, rather than the reader its content."""
    return error.reason.startswith("cannot be read: ") or "[Errno " in error.reason


def _told(entries: Sequence[_Entry]) -> list[_Entry]:
    """Those that gave anything: in a folder lie files that are no logs, too."""
    return [entry for entry in entries if entry.run_ids or entry.rejected]


def _summary(entries: list[_Entry], errors: list[RunLogError]) -> Summary:
    told = _told(entries)
    return Summary(
        files=len(told),
        read=0,
        kept=0,
        removed=0,
        runs=sum(len(entry.run_ids) for entry in told),
        formats=dict(Counter(entry.format for entry in told if entry.format).most_common()),
        outcomes=dict(Counter(o for entry in told for o in entry.outcomes).most_common()),
        warnings=dict(Counter(w for entry in told for ws in entry.warnings for w in ws.split()).most_common()),
        rejected=[*(redact(str(error)) for error in errors), *(reason for entry in told for reason in entry.rejected)],
        remarks=[*(remark for entry in told for remark in entry.remarks), *_same_logs(told)],
        unfinished=[one for entry in told for one in entry.unfinished],
    )


def _same_logs(entries: Sequence[_Entry]) -> list[str]:
    """What is there under several names, each of which counts as a run."""
    alike: dict[str, list[str]] = {}
    for entry in entries:
        if entry.run_ids and entry.files and (digest := identity.digest_in(entry.run_ids[0])):
            alike.setdefault(digest, []).append(entry.files[0])
    return [
        f"the same log, by its size, beginning and end, counts as {len(files)} runs: {', '.join(files)}"
        for files in alike.values()
        if len(files) > 1
    ]


def _entries(out: Path, head: dict, key: dict) -> list[_Entry]:
    """The index of the last ingest; nothing where it was made by other code, with other options, or is of others."""
    if head.get("key") != key:
        return []
    try:
        return [_Entry(*values) for values in load(out / INDEX).get("entries", [])]
    except TypeError:  # damaged
        return []


def _text(entries: list[_Entry]) -> str:
    # A tuple is a list there. One call: the encoder takes longer to call than an entry to write.
    return json.dumps({"entries": entries}, separators=(",", ":")) + "\n"


def _save(out: Path, key: dict, index: str, summary: Summary) -> None:
    atomic.write_text(out / INDEX, index)
    head = {"key": key, "tables": tables(out, INGESTED), "summary": summary._asdict()}
    atomic.write_text(out / HEAD, json.dumps(head, indent=1) + "\n")
