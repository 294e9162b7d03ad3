"""The command `ycsbook ingest`: reads, shows how far it is, and says what there is."""

import gc
import glob
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ycsbook.errors import YcsbookError, one_line, shown
from ycsbook.ingest import archive_head, unchanged
from ycsbook.ingest.archive_head import Summary
from ycsbook.ingest.files.scan import Scan, scan
from ycsbook.ingest.helpers import Helpers
from ycsbook.ingest.order import Order

# Some file could not be read at all.
EXIT_REJECTED = 3
# New objects between two searches for unreachable cycles: nearly all that reading makes is kept or freed at once.
_GC_OBJECTS = 50_000
# Runs that did not complete and are told one by one.
_NAMED = 10
# Bytes of logs that take longer to read than a process to start.
_WORTH_HELP = 32_000_000


def run(order: Order) -> int:
    """Read logs into tables and print what they hold; the exit code.

    Raises
        YcsbookError: an option is not what it should be, or the tables cannot be written.
    """
    if order.format:
        from ycsbook.ingest.finding.formats import FORMATS

        if order.format not in FORMATS:
            from ycsbook.secrets import redact

            raise YcsbookError(f"--format: got {shown(redact(order.format))}, expected one of {', '.join(FORMATS)}")
    gc.set_threshold(_GC_OBJECTS)
    # Nothing here is worth threads of its own, which NumPy's library starts when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    out, listed = Path(order.out), scan(order.sources)
    size = sum(size for folder in listed.folders.values() for size, _ in folder.files.values())
    # Before all that takes long to load: they load it while this process finds out what there is to read.
    with Helpers(order.jobs if size > _WORTH_HELP else 1) as helpers:
        from ycsbook.ingest import archive

        said = None
        if order.sets or order.pattern:
            from ycsbook.ingest.finding.sidecar import Said

            said = Said.parse(order.sets, order.pattern or None)
        folders, files, own = _watched(order, listed)
        with _reading_shown(order.as_json) as progress:
            summary, used, is_final = archive.update_listed(
                listed, out, said=said, format=order.format, helpers=helpers, force=order.force, progress=progress
            )
    as_json, stdout, stderr = _words(order, summary)
    sys.stdout.write(as_json if order.as_json else stdout)
    sys.stderr.write("" if order.as_json else stderr)
    code = EXIT_REJECTED if summary.rejected else 0
    if folders and is_final:
        files += [*used, *((path, unchanged.stat(path)) for path in archive.files_of(out))]
        again = summary._replace(kept=summary.files, read=0, removed=0)
        unchanged.keep(order, folders, files, code, _words(order, again), own=own)
    return code


def _watched(order: Order, listed: Scan) -> tuple[list[tuple[str, bytes]], list[tuple[str, str]], str | None]:
    """The folders that decide what is read with their listings, the files that say more with their sizes and times, and
    which of the folders is that of the tables.

    No folder where more decides: patterns look into others, and what is missing may come.
    """
    if listed.errors or any(map(glob.has_magic, order.sources)):
        return [], [], None
    own = listed.folders.get(os.path.realpath(order.out))
    folders = [
        (folder.path, unchanged.logs_of(folder.listed) if folder is own else folder.listed)
        for folder in listed.folders.values()
    ]
    files = archive_head.sidecars(listed)
    for folder in listed.folders.values():
        # A listing has no hidden names.
        files += [folder.join(name) for name in sorted(folder.named) if name.startswith(".")]
    return folders, [(path, unchanged.stat(path)) for path in files], own.path if own else None


def _words(order: Order, summary: Summary) -> tuple[str, str, str]:
    """What to print: as JSON, to stdout and to stderr."""
    # Names of files may hold what UTF-8 has no bytes for.
    as_json = json.dumps({**summary._asdict(), "tables": str(order.out)}, indent=1)
    told = [f"note: {one_line(remark)}" for remark in summary.remarks]
    told += [f"not completed: {one_line(one)}" for one in summary.unfinished[:_NAMED]]
    if (more := len(summary.unfinished) - _NAMED) > 0:
        told.append(f"not completed: {more:,} more; --json lists all")
    told += [f"rejected: {one_line(reason)}" for reason in summary.rejected]
    if not (summary.files or summary.rejected):
        told.insert(0, "note: nothing here looks like a log; a file that is named itself is always read")
    return f"{as_json}\n", f"{summary} into {one_line(str(order.out))}\n", "".join(f"{line}\n" for line in told)


@contextmanager
def _reading_shown(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar of the bytes read, where somebody looks, as soon as something is read."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with ExitStack() as shown:
        told: list[Callable[[int, int], None]] = []

        def progress(done: int, total: int) -> None:
            if not told:
                told.append(shown.enter_context(_bar()))
            told[0](done, total)

        yield progress


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    # Without a thread of its own: the readers are forks of this process.
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)
