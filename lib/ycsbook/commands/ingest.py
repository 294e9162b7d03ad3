"""`ycsbook ingest`: logs into tidy tables."""

import gc
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import messages
from ycsbook.commands import Json
from ycsbook.errors import YcsbookError, one_line, shown
from ycsbook.facts import from_plain
from ycsbook.ingest import archive, readers
from ycsbook.ingest.archive_index import ArchiveSummary
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.printing import paragraph
from ycsbook.secrets import redact

# Some file could not be read at all.
EXIT_REJECTED = 3
# New objects between two searches for unreachable cycles: nearly all that reading makes is kept or freed at once.
_GC_OBJECTS = 50_000
# Runs that did not complete and are told one by one.
_NAMED = 10


def _checked_format(value: str) -> str:
    if value == "list":
        print("\n".join(readers.names()))
        raise typer.Exit
    if value and value not in readers.names():
        raise YcsbookError(f"--format: got {shown(redact(value))}, expected one of {', '.join(readers.names())}")
    return value


def _explained(value: Path | None) -> None:
    if value is None:
        return
    # Only here: an unchanged archive is told in less time than the readers take to load.
    from ycsbook.ingest.reading import explain

    for line in explain(value):
        sentence = f"{value} {line}" if isinstance(line, str) else messages.say(line)
        paragraph(one_line(sentence), indent="  ")
    raise typer.Exit


def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCES...",
            help="Logs, folders, patterns, run folders, vendors' pages or their addresses, CSVs; .gz and .zst too.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the tables.")],
    *,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            callback=_checked_format,
            is_eager=True,
            help="Read every log as this, instead of telling by its content; 'list' lists.",
        ),
    ] = "",
    sets: Annotated[
        list[str],
        typer.Option("--set", metavar="COLUMN=VALUE", help="What the logs do not say: --set cores=8 --set ram_gib=32."),
    ] = [],  # noqa: B006
    pattern: Annotated[str, typer.Option("--pattern", help="What the paths say: '{spec}/{threads}/run.log'.")] = "",
    explain: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=_explained,
            is_eager=True,
            help="Say what becomes of this file when its folder is ingested, and why.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Read again what has not changed.")] = False,
    as_json: Json = False,
) -> None:
    """Read logs into tidy tables (Parquet). What has not changed since the last time is not read again.

    Exit code 0: every file got a row, with figures or a verdict. 3: some file could not be read at all.
    """
    gc.set_threshold(_GC_OBJECTS)
    sources = [_as_file(source, Path(out), force) for source in sources]
    annotations = Annotations.parse(sets, pattern or None) if sets or pattern else None
    with _progress_bar(as_json) as progress:
        summary = archive.update(
            sources, Path(out), annotations=annotations, format=format, force=force, progress=progress
        )  # fmt: skip
    if as_json:
        # ASCII: names of files may hold what UTF-8 has no bytes for.
        print(json.dumps({**summary._asdict(), "unfinished": _unfinished(summary), "tables": out}, indent=1))
    else:
        for line in f"{summary} into {one_line(out)}".splitlines():
            paragraph(line, indent="  ")
        for note in _notes(summary):
            paragraph(note, indent="  ", file=sys.stderr)
    if summary.rejected:
        raise typer.Exit(EXIT_REJECTED)


def _as_file(source: str, out: Path, again: bool) -> str:
    if not re.match("https?://", source, re.IGNORECASE):
        return source
    # Only here: most ingest files, and urllib takes its time to load.
    from ycsbook.ingest.files import web

    path = web.saved(source, out / "pages", again=again)
    paragraph(f"page: {one_line(str(path))}; --force fetches it again", indent="  ", file=sys.stderr)
    return str(path)


def _unfinished(summary: ArchiveSummary, most: int | None = None) -> list[str]:
    return [messages.say(from_plain(reason)) for reason in summary.unfinished[:most]]


def _notes(summary: ArchiveSummary) -> list[str]:
    lines = [f"note: {one_line(remark)}" for remark in summary.remarks]
    lines += [f"not completed: {one_line(reason)}" for reason in _unfinished(summary, _NAMED)]
    if (more := len(summary.unfinished) - _NAMED) > 0:
        lines.append(f"not completed: {more:,} more; --json lists all")
    lines += [f"rejected: {one_line(reason)}" for reason in summary.rejected]
    if not (summary.files or summary.rejected):
        lines.insert(0, "note: nothing here is read; --explain FILE says why")
    return lines


@contextmanager
def _progress_bar(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    is_seen = not quiet and sys.stderr.isatty()
    with ExitStack() as shown_until_the_end:

        @cache
        def bar():
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

            # Without a thread of its own: the readers are forks of this process.
            columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
            new_bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
            new_bar.add_task("reading", total=None)
            return shown_until_the_end.enter_context(new_bar)

        def progress(done: int, total: int) -> None:
            if is_seen:
                bar().update(bar().task_ids[0], completed=done, total=total, refresh=True)

        yield progress
