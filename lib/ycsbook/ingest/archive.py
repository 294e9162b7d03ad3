"""A folder of tables kept in step with an archive of logs: what has changed is read, the rows of the rest are kept.

What finds and reads logs is loaded inside functions: an unchanged archive is told in less time than that takes.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ycsbook import opening
from ycsbook.columns import INGESTED, arrow_schema
from ycsbook.errors import RunLogError, ServerBusyError, StoreError
from ycsbook.facts import as_plain
from ycsbook.ingest import archive_index
from ycsbook.ingest.archive_index import INDEX, ArchiveSummary, read_line, stat, tables, written_names
from ycsbook.ingest.files.scan import SIDECAR, Scan, scan
from ycsbook.ingest.finding.annotations import Annotations, refusal
from ycsbook.secrets import redact
from ycsbook.store import atomic, lock
from ycsbook.store.writer import tables_written

if TYPE_CHECKING:
    from ycsbook.ingest.finding.detect import IngestItem
    from ycsbook.ingest.output import Result

# The system stamps files by a clock that is behind by as much, at most.
_CLOCK_NS = 20_000_000
# In place of the size and time of a file that changed while it was read: never the same as those it has.
_CHANGED = ["changed"]


class ArchiveEntry(NamedTuple):
    """The entry of the index for one log, table or page. `stats`: every file that it depends on, with size and time;
    `used`: histograms that it named, likewise, or the path alone where there is no such file. `format` names the
    reader; the run ids hold the hash of the content. `refused`: something could not be read for a reason that no file
    shows, such as want of permission."""

    files: list[str]
    stats: list[list]
    run_ids: list[str]
    format: str
    outcomes: list[str]
    warnings: list[str]
    rejected: list[str]
    remarks: list[str]
    used: list[list]
    unfinished: list[dict]
    explicit: bool
    place: str
    refused: bool

    @property
    def is_log(self) -> bool:
        """Whether it gave runs or errors: folders hold files that are no logs, too."""
        return bool(self.run_ids or self.rejected)


def update(
    paths: Iterable[str | Path],
    out: Path,
    *,
    annotations: Annotations | None = None,
    format: str = "",
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ArchiveSummary:
    """Bring the tables in `out` in step with the files under the paths; `annotations`, `format`: as in
    `reading.read_with_rejects`; `force`: read again what has not changed; `progress`: told bytes read and bytes in all,
    now and then.

    Raises RunLogError where there is nothing to read, StoreError where the folder cannot be written or another ingest
    is writing it; the tables there stay as they were."""
    atomic.settle(out)
    listed = scan(paths)
    key, listing = archive_index.key_of(listed, format, annotations), archive_index.digest(listed, out)
    if not force and (summary := archive_index.unchanged(out, key, listing)):
        return summary
    # Only here, as what reads and its ids below: an unchanged archive is told in less time than these take to load.
    from ycsbook.ingest.finding import detect

    items, errors = detect.group(listed)
    if errors and not items:
        # A misspelt folder must not empty the tables of the right one.
        first = errors[0]
        raise RunLogError(redact(first.path), first.line, redact(first.reason))
    with _alone(out):
        old = {} if force else {tuple(e.files): e for e in _reusable(out, key)}
        if old and not items:
            # More likely a disk that is not mounted than an archive that was thrown away.
            raise StoreError(f"{out}: none of the {len(old):,} logs is left; --force empties the tables")
        by_files = {_files(item): item for item in items}
        unchanged = [old[files] for files, item in by_files.items() if files in old and _is_same(old[files], item)]
        kept_files = {tuple(e.files) for e in unchanged}
        unread = [item for files, item in by_files.items() if files not in kept_files]
        removed = [entry for files, entry in old.items() if files not in by_files]
        read: list[ArchiveEntry] = []
        if unread or removed or not old:
            with tables_written(out, INGESTED) as append:
                changed = _Update(listed, by_files, out, append, progress, time.time_ns() - _CLOCK_NS)
                read, unchanged = changed.write(unread, unchanged, annotations, format)
        order = {files: i for i, files in enumerate(by_files)}
        entries = sorted([*unchanged, *read], key=lambda e: order[tuple(e.files)])
        by_fate = {"read": read, "kept": unchanged, "removed": removed}
        counts = {fate: sum(entry.is_log for entry in of) for fate, of in by_fate.items()}
        counts["others"] = _others(listed, entries, errors, out)
        summary = _summary(entries, errors, key["sidecars"], counts)
        _save(out, {"key": key, "listing": listing, "summary": summary._asdict()}, entries, listed)
    return summary


class _Update(NamedTuple):
    """Writes the tables of one ingest. `listed`: what was there before anything was read: a file that changes meanwhile
    is read again the next time; `by_files`: what there is to read; `begun_ns`: when reading began."""

    listed: Scan
    by_files: "dict[tuple[str, ...], IngestItem]"
    out: Path
    append: Callable[[str, Any], None]
    progress: Callable[[int, int], None]
    begun_ns: int

    def write(
        self, unread: "list[IngestItem]", unchanged: list[ArchiveEntry], annotations: Annotations | None, format: str
    ) -> tuple[list[ArchiveEntry], list[ArchiveEntry]]:
        """Read logs and write their rows, then copy those of unchanged ones; the entries of both."""
        from ycsbook.ingest import reading

        read: list[ArchiveEntry] = []
        while unread:
            entries = [*unchanged, *read]
            ids = {run_id for entry in entries for run_id in entry.run_ids}
            used = {path for entry in entries for path, *_ in entry.used}
            read += self._read(unread, reading.batches(unread, annotations, format, used=used, run_ids=ids))
            # Once more for those that had no log before: of some of their files nobody may know whose they are still.
            claimed = self._claimed(unchanged, read)
            unread = [self.by_files[tuple(entry.files)] for entry in claimed]
            unchanged = [entry for entry in unchanged if entry not in claimed] if claimed else unchanged
        ids = {run_id for entry in unchanged for run_id in entry.run_ids}
        for name in INGESTED if ids else ():
            for rows in _rows_of(self.out / f"{name}.parquet", ids):
                self.append(name, rows)
        # Tables that were cut half-way must not look like those that the index tells of.
        (self.out / INDEX).unlink(missing_ok=True)
        return read, unchanged

    def _read(self, items: "list[IngestItem]", batches: Iterator) -> Iterator[ArchiveEntry]:
        done, total = 0, sum(map(_size, items))
        for rows, results in batches:
            for name, table in rows:
                self.append(name, table)
            yield from (self._entry(result) for result in results)
            done += sum(_size(result.item) for result in results)
            self.progress(done, total)

    def _claimed(self, unchanged: list[ArchiveEntry], read: list[ArchiveEntry]) -> list[ArchiveEntry]:
        """The unchanged histograms without a log that belong to a log which was read now."""
        used = {os.path.realpath(path) for entry in read for path, *_ in entry.used}
        loose = [e for e in unchanged if self.by_files[tuple(e.files)].kind.is_loose] if used else []
        return [e for e in loose if not used.isdisjoint(map(os.path.realpath, e.files))]

    def _entry(self, result: "Result") -> ArchiveEntry:
        return ArchiveEntry(
            files=list(_files(result.item)),
            stats=[[str(file.path), file.size, file.mtime_ns] for file in result.item.stats],
            format=result.format,
            rejected=[redact(str(error)) for error in result.rejected],
            **{name: list(getattr(result, name)) for name in ("run_ids", "outcomes", "warnings", "remarks")},
            used=[[path, *self._stat(path)] for path in map(str, result.used)],
            unfinished=[as_plain(reason) for reason in result.unfinished],
            explicit=result.item.explicit,
            place=result.item.place,
            # By the system, not by the reader for its content.
            refused=any(e.reason.startswith("cannot be read: ") or "[Errno " in e.reason for e in result.rejected),
        )

    def _stat(self, path: str) -> list:
        """Size and time of a file as they were when it was read; empty where there was none."""
        folder, name = self.listed.folder_of(path), os.path.basename(path)
        if folder and name in folder.files:
            return [*folder.files[name]]
        try:
            now = os.stat(path)
        except OSError:
            return []
        return _CHANGED if now.st_ctime_ns >= self.begun_ns else [now.st_size, now.st_mtime_ns]


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Keep others from writing the tables; first put those of a cut ingest in their places."""
    with ExitStack() as stack:
        try:
            stack.enter_context(lock.exclusive(out))
        except ServerBusyError as e:
            process = e.pid or "unknown"
            reason = f"another ingest is writing these tables (process {process}); wait for it, or name another folder"
            raise StoreError(f"{out}: {reason}") from None
        atomic.settle(out)
        yield


def _rows_of(path: Path, run_ids: set[str]) -> Iterator:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    schema, ids = arrow_schema(path.stem), pa.array(sorted(run_ids))
    with opening.opened(path, root=path.parent) as opened, pq.ParquetFile(opened) as file:
        for group in range(file.num_row_groups):
            rows = file.read_row_group(group)
            yield rows.filter(pc.is_in(rows["run_id"], value_set=ids)).cast(schema)


def _size(item: "IngestItem") -> int:
    return sum(file.size for file in item.stats)


def _files(item: "IngestItem") -> tuple[str, ...]:
    if len(item.stats) == len(item.files):  # as of most logs: their names need not be put together again
        return tuple(file.path for file in item.stats)
    return tuple(map(str, item.files or [f for client in item.clients for f in client.files]))


def _is_same(entry: ArchiveEntry, item: "IngestItem") -> bool:
    if entry.refused or (entry.explicit, entry.place) != (item.explicit, item.place):
        return False
    stats = [list(file) for file in item.stats]
    return entry.stats == stats and all(stat(path) == before for path, *before in entry.used)


def _summary(
    entries: list[ArchiveEntry], errors: list[RunLogError], sidecars: list[list], counts: dict[str, int]
) -> ArchiveSummary:
    used_sidecars = [f"{path}: {refusal(path) or 'its columns hold for the logs below it'}" for path, *_ in sidecars]
    logs = [entry for entry in entries if entry.is_log]
    real = cache(os.path.realpath)
    there = (path for entry in logs for path, *state in (*entry.stats, *entry.used) if state)
    log_paths = {(real(folder), name) for folder, name in map(os.path.split, there)}
    return ArchiveSummary(
        **counts,
        files=len(logs),
        beside=len(log_paths) - len(logs),
        runs=sum(len(entry.run_ids) for entry in logs),
        formats=dict(Counter(entry.format for entry in logs if entry.format).most_common()),
        outcomes=dict(Counter(o for entry in logs for o in entry.outcomes).most_common()),
        warnings=dict(Counter(w for entry in logs for ws in entry.warnings for w in ws.split()).most_common()),
        rejected=[*(redact(str(error)) for error in errors), *(reason for entry in logs for reason in entry.rejected)],
        remarks=[*used_sidecars, *(remark for entry in logs for remark in entry.remarks), *_same_logs(logs)],
        unfinished=[reason for entry in logs for reason in entry.unfinished],
    )


def _others(listed: Scan, entries: Sequence[ArchiveEntry], errors: Sequence[RunLogError], out: Path) -> int:
    """How many files of the folders gave neither rows nor an error."""
    used_paths = {path for entry in entries if entry.is_log for path, *_ in entry.stats}
    used_paths |= {os.path.realpath(path) for entry in entries for path, *_ in entry.used}
    used_paths |= {str(error.path) for error in errors}
    used_paths |= {os.path.join(os.path.realpath(out), name) for name in (*written_names(), lock.FILE)}
    return sum(
        name != SIDECAR and folder.join(name) not in used_paths and os.path.join(real, name) not in used_paths
        for real, folder in listed.folders.items()
        if folder.everything
        for name in (*folder.files, *folder.aside)
    )


def _same_logs(entries: Sequence[ArchiveEntry]) -> list[str]:
    from ycsbook.ingest.output import digest_in

    alike: dict[str, list[str]] = {}
    for entry in entries:
        if entry.run_ids and entry.files and (digest := digest_in(entry.run_ids[0])):
            alike.setdefault(digest, []).append(entry.files[0])
    return [
        f"the same log, by its size, beginning and end, counts as {len(files)} runs: {', '.join(files)}"
        for files in alike.values()
        if len(files) > 1
    ]


def _reusable(out: Path, key: dict) -> list[ArchiveEntry]:
    """The entries of the last ingest whose rows would be the same today, as far as that does not depend on files.

    Of a reader's new version only what that reader read is read again, and what no reader knew."""
    # Read once more: whoever wrote here since may have put other tables in the place of those that were there.
    head = read_line(out, 0)
    if head.get("tables") != tables(out):
        return []
    try:
        before = head["key"]
        old, new = before["readers"], key["readers"]
        if {**before, "readers": {}} != {**key, "readers": {}} or {*old} != {*new}:
            return []
        entries = [ArchiveEntry(*values) for values in read_line(out, 1).get("entries", [])]
        return [e for e in entries if (old.get(e.format) == new.get(e.format) if e.format else old == new)]
    except (KeyError, TypeError, AttributeError):  # damaged
        return []


def _save(out: Path, head: dict, entries: list[ArchiveEntry], listed: Scan) -> None:
    unlisted = sorted({path: [path, *state] for entry in entries for path, *state in entry.used}.items())
    folders = [(listed.folder_of(path), os.path.basename(path), file) for path, file in unlisted]
    head["unlisted"] = [f for of, name, f in folders if of is None or name.startswith(".") or name in of.links]
    head["tables"] = tables(out)
    if any(entry.refused for entry in entries):
        head["listing"] = ""  # to be tried again, whatever the listing says
    # A tuple is a list there. One call each: the encoder takes longer to call than an entry to write.
    lines = (json.dumps(part, separators=(",", ":")) for part in (head, {"entries": entries}))
    atomic.write_text(out / INDEX, "".join(f"{line}\n" for line in lines))
