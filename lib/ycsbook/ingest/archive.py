"""A folder of tables kept in step with an archive of logs: what has not changed is not read again.

Beside the tables lie `ingest.json`, which says what they were made of, and `ingest-index.json`, which says it file by
file. Both are written last: tables without them are made anew.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from ycsbook.columns import INGESTED
from ycsbook.ingest import archive_head, archive_index
from ycsbook.ingest.archive_head import HEAD, Summary
from ycsbook.ingest.archive_index import Renewed
from ycsbook.ingest.files.scan import Scan, scan
from ycsbook.ingest.finding.sidecar import Said
from ycsbook.ingest.helpers import NO_HELPERS, Helpers
from ycsbook.ingest.workers import Reading

__all__ = ["HEAD", "Summary", "files_of", "update", "update_listed"]


def update(paths: Iterable[str | Path], out: Path, *, jobs: int = 1, **options) -> Summary:
    """Bring the tables in `out` in step with the files under the paths.

    Parameters
        jobs: processes that read.
        options: those of update_listed.
    Raises
        RunLogError: there is nothing to read.
        StoreError: the folder cannot be written; the tables there stay as they were.
    """
    with Helpers(jobs) as helpers:
        return update_listed(scan(paths), out, helpers=helpers, **options).summary


def update_listed(
    listed: Scan,
    out: Path,
    *,
    said: Said | None = None,
    format: str = "",
    helpers: Helpers = NO_HELPERS,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Renewed:
    """As update, of files that have been listed by `scan`.

    Parameters
        said, format: as in `frames.read_with_rejects`.
        helpers: processes that read beside this one.
        force: read again what has not changed.
        progress: told bytes read and bytes in all, now and then.
    """
    said = said or Said()
    key = archive_head.key(listed, [format, *said.key])
    head = {} if force else archive_head.read(out)
    return archive_index.renew(listed, out, key, head, Reading(said, format, helpers, progress))


def files_of(out: Path) -> list[str]:
    """What an ingest leaves in the folder of the tables."""
    return [str(out / name) for name in (HEAD, archive_index.INDEX, *(f"{table}.parquet" for table in INGESTED))]
