"""A folder of tables kept in step with an archive of logs: what has not changed is not read again.

Beside the tables lie `ingest.json`, which says what they were made of, and `ingest-index.json`, which says it file by
file. Both are written last: tables without them are made anew.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook.ingest import archive_head
from ycsbook.ingest.archive_head import HEAD, Summary
from ycsbook.ingest.files.scan import scan

if TYPE_CHECKING:
    from ycsbook.ingest.finding.sidecar import Said

__all__ = ["HEAD", "Summary", "update"]


def update(
    paths: Iterable[str | Path],
    out: Path,
    *,
    said: "Said | None" = None,
    format: str = "",
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Summary:
    """Bring the tables in `out` in step with the files under the paths.

    Parameters
        said, format: as in `frames.read_with_rejects`.
        jobs: processes that read.
        force: read again what has not changed.
        progress: told bytes read and bytes in all, now and then.
    Raises
        RunLogError: there is nothing to read.
        StoreError: the folder cannot be written; the tables there stay as they were.
    """
    listed = scan(paths)
    key = archive_head.key(listed, [format, *(said.key if said else ([], None))], out)
    head = {} if force else archive_head.read(out)
    if head.get("key") == key:
        told = Summary(**head["summary"])
        return told._replace(kept=told.files, read=0, removed=0)
    # Only here: all that reads takes longer to load than to find that nothing has changed.
    from ycsbook.ingest import archive_index
    from ycsbook.ingest.finding import sidecar
    from ycsbook.ingest.workers import Reading

    return archive_index.renew(listed, out, key, head, Reading(said or sidecar.Said(), format, jobs, progress))
