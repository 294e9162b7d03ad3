"""A folder of tables kept in step with an archive of logs: what has not changed is not read again.

Beside the tables lie `ingest.json`, which says what they were made of, and `ingest-index.json`, which says it file by
file. Both are written last: tables without them are made anew.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from ycsbook.columns import SCHEMA_VERSION, arrow_schema
from ycsbook.errors import RunLogError
from ycsbook.ingest import detect, sidecar
from ycsbook.ingest.detect import Found
from ycsbook.ingest.logs import Result
from ycsbook.ingest.rows import TABLES
from ycsbook.ingest.scan import Scan, scan
from ycsbook.ingest.sidecar import Said
from ycsbook.ingest.workers import Progress, Reading
from ycsbook.store import atomic
from ycsbook.store.writer import TablesWriter

HEAD, INDEX = "ingest.json", "ingest-index.json"


@dataclass
class Summary:
    """What an archive holds: files by format, runs by outcome, and what was not read, with reasons.

    `read`, `kept` and `removed` count the files of this ingest; `warnings` the runs by warning.
    """

    files: int = 0
    read: int = 0
    kept: int = 0
    removed: int = 0
    runs: int = 0
    formats: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    warnings: dict[str, int] = field(default_factory=dict)
    rejected: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = f"{self.runs:,} {'run' if self.runs == 1 else 'runs'} ({_counted(self.outcomes) or 'none'})"
        files = f"{self.files:,} {'file' if self.files == 1 else 'files'} ({_counted(self.formats) or 'none'})"
        change = f"{self.read:,} read, {self.kept:,} unchanged, {self.removed:,} gone, {len(self.rejected):,} rejected"
        warned = f"\nwarnings: {_counted(self.warnings)}" if self.warnings else ""
        return f"{files}: {change}{warned}\n{told}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.items())


@dataclass
class _Entry:
    """What the index says of one thing that was read."""

    files: list[str]
    stats: list[list]
    run_ids: list[str]
    format: str
    outcomes: list[str]
    warnings: list[str]
    rejected: list[str]
    remarks: list[str]
    used: list[list]


def update(
    paths: Iterable[str | Path],
    out: Path,
    *,
    said: Said | None = None,
    format: str = "",
    jobs: int = 1,
    force: bool = False,
    progress: Progress = lambda done, total: None,
) -> Summary:
    """Bring the tables in `out` in step with the files under the paths.

    Parameters
        said, format: as in `frames.read_with_rejects`.
        jobs: processes that read.
        force: read again what has not changed.
        progress: told bytes read and bytes in all, now and then.
    Raises
        StoreError: the folder cannot be written; the tables there stay as they were.
    """
    said = said or Said()
    listed = scan(paths)
    key = {
        "schema": SCHEMA_VERSION,
        "code": _code_digest(),
        "options": [format, *said.key],
        "sidecars": _sidecars(listed),
        "listing": _listing(listed, out),
    }
    head = {} if force else _load(out / HEAD)
    if head.get("key") == key and head.get("tables") == _tables(out):
        summary = Summary(**head["summary"])
        summary.kept, summary.read, summary.removed = summary.files, 0, 0
        return summary
    found, errors = detect.group(listed)
    old = {tuple(e.files): e for e in _entries(out, head, key)}
    kept = [old[_key(item)] for item in found if _key(item) in old and _is_same(old[_key(item)], item)]
    known = {tuple(e.files) for e in kept}
    wanted = [item for item in found if _key(item) not in known]
    entries = _write(wanted, kept, out, Reading(said, format, jobs, progress))
    order = {_key(item): i for i, item in enumerate(found)}
    entries.sort(key=lambda e: order[tuple(e.files)])
    summary = _summary(entries, errors)
    summary.read, summary.kept = len(wanted), len(kept)
    summary.removed = len(old.keys() - order.keys())
    _save(out, key, entries, summary)
    return summary


def _write(wanted: list[Found], kept: list[_Entry], out: Path, reading: Reading) -> list[_Entry]:
    """Write the tables: rows of what is kept as they were, then those of what is read."""
    ids = {run_id for entry in kept for run_id in entry.run_ids}
    used = {path for entry in kept for path, *_ in entry.used}
    entries = list(kept)
    with TablesWriter(out, TABLES) as writer:
        for tables, results in reading.batches(wanted, taken=ids, used=used):
            for name, rows in tables:
                writer.write(name, rows)
            entries += map(_entry, results)
        for name in TABLES if ids else ():
            for rows in _rows_of(out / f"{name}.parquet", ids):
                writer.write(name, rows)
        # Tables that were cut half-way must not look like those that the index tells of.
        for name in (HEAD, INDEX):
            (out / name).unlink(missing_ok=True)
    return entries


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


def _key(item: Found) -> tuple[str, ...]:
    return tuple(map(str, item.files or [f for client in item.clients for f in client.files]))


def _is_same(entry: _Entry, item: Found) -> bool:
    stats = [list(stat) for stat in item.stats]
    return entry.stats == stats and all(_stat(path) == [size, mtime] for path, size, mtime in entry.used)


def _stat(path: str) -> list[int]:
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


def _entry(result: Result) -> _Entry:
    return _Entry(
        files=list(_key(result.found)),
        stats=[[str(s.path), s.size, s.mtime_ns] for s in result.found.stats],
        run_ids=list(result.run_ids),
        format=result.format,
        outcomes=list(result.outcomes),
        warnings=list(result.warnings),
        rejected=[str(error) for error in result.rejected],
        remarks=list(result.remarks),
        used=[[str(path), *_stat(str(path))] for path in result.used],
    )


def _summary(entries: list[_Entry], errors: list[RunLogError]) -> Summary:
    told = [entry for entry in entries if entry.run_ids or entry.rejected]
    return Summary(
        files=len(told),
        runs=sum(len(entry.run_ids) for entry in told),
        formats=dict(Counter(entry.format for entry in told if entry.format).most_common()),
        outcomes=dict(Counter(o for entry in told for o in entry.outcomes).most_common()),
        warnings=dict(Counter(w for entry in told for ws in entry.warnings for w in ws.split()).most_common()),
        rejected=[*map(str, errors), *(reason for entry in told for reason in entry.rejected)],
        remarks=[remark for entry in told for remark in entry.remarks],
    )


def _listing(listed: Scan, out: Path) -> str:
    """A digest of everything listed, but for what this module writes."""
    own = os.path.realpath(out)
    digest = sha256()
    for real, folder in listed.folders.items():
        if real != own:
            digest.update(
                repr((folder.path, sorted(folder.files.items()), folder.links, sorted(folder.named))).encode()
            )
    digest.update(repr([str(error) for error in listed.errors]).encode())
    return digest.hexdigest()


def _sidecars(listed: Scan) -> list[list]:
    """Size and time of every ycsbook.yml that holds for what is listed: in its folders and above them."""
    folders: set[str] = set()
    for real in listed.folders:
        folder = real
        while folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    found = ([path, *_stat(path)] for path in (os.path.join(folder, sidecar.NAME) for folder in sorted(folders)))
    return [one for one in found if len(one) > 1]


def _code_digest() -> str:
    """A digest of this code: another release may read the same file otherwise."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _tables(out: Path) -> list[list]:
    return [[name, *_stat(str(out / f"{name}.parquet"))] for name in TABLES]


def _load(path: Path) -> dict:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _entries(out: Path, head: dict, key: dict) -> list[_Entry]:
    """The index of the last ingest; nothing where it was made by other code, with other options, or is of others."""
    same = all(head.get("key", {}).get(k) == key[k] for k in ("schema", "code", "options", "sidecars"))
    if not same or head.get("tables") != _tables(out):
        return []
    return [_Entry(*values) for values in _load(out / INDEX).get("entries", [])]


def _save(out: Path, key: dict, entries: list[_Entry], summary: Summary) -> None:
    lines = ",\n".join(json.dumps(list(vars(entry).values()), ensure_ascii=False) for entry in entries)
    atomic.write_text(out / INDEX, f'{{"entries": [\n{lines}\n]}}\n')
    head = {"key": key, "tables": _tables(out), "summary": asdict(summary)}
    atomic.write_text(out / HEAD, json.dumps(head, ensure_ascii=False, indent=1) + "\n")
