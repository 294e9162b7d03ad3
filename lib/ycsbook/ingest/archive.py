"""A folder of tables kept in step with an archive of logs: what has not changed is not read again."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook.ingest import archive_index
from ycsbook.ingest.archive_index import ArchiveSummary
from ycsbook.ingest.files.scan import scan
from ycsbook.store import together

if TYPE_CHECKING:
    from ycsbook.ingest.finding.annotations import Annotations


def update(
    paths: Iterable[str | Path],
    out: Path,
    *,
    annotations: "Annotations | None" = None,
    format: str = "",
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ArchiveSummary:
    """Bring the tables in `out` in step with the files under the paths.

    Parameters
        annotations, format: as in `frames.read_with_rejects`.
        force: read again what has not changed.
        progress: told bytes read and bytes in all, now and then.
    Raises
        RunLogError: there is nothing to read.
        StoreError: the folder cannot be written; the tables there stay as they were.
    """
    together.settle(out)
    listed = scan(paths)
    key, listing = archive_index.key_of(listed, format, annotations), archive_index.digest(listed, out)
    if not force and (summary := archive_index.unchanged(out, key, listing)):
        return summary
    # Only here: an unchanged archive is told in less time than these take to load.
    from ycsbook.ingest import archive_update
    from ycsbook.ingest.finding.annotations import Annotations

    index = {"key": key, "listing": listing}
    reading = {"annotations": annotations or Annotations(), "format": format, "progress": progress}
    return archive_update.update(listed, out, index, **reading, force=force)
