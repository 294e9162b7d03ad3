"""The command `ycsbook ingest`: its order, read from plain arguments, and what it prints.

An archive that has not changed is told in less time than the command line's own library takes to load, so the usual
arguments are understood here. All others, mistakes and questions for help among them, are left to that library.
"""

import gc
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import YcsbookError, one_line, shown

MAX_JOBS = 64
# Some file could not be read at all.
EXIT_REJECTED = 3
# New objects between two searches for unreachable cycles: nearly all that reading makes is kept or freed at once.
_GC_OBJECTS = 50_000
_TEXTS = {"-o": "out", "--out": "out", "--format": "format", "--pattern": "pattern", "-j": "jobs", "--jobs": "jobs"}
_FLAGS = {"-f": "force", "--force": "force", "--json": "as_json"}


class Order(NamedTuple):
    """What to ingest, as the options of the command say."""

    sources: Sequence[str]
    out: Path
    format: str = ""
    sets: Sequence[str] = ()
    pattern: str = ""
    jobs: int = 1
    force: bool = False
    as_json: bool = False


def parse(arguments: Sequence[str]) -> Order | None:
    """The order that these arguments give; None where they are anything but plain and right.

    Examples
        >>> parse(["logs", "-o", "tables", "--force"]).force, parse(["logs", "--help"])
        (True, None)
    """
    sources: list[str] = []
    sets: list[str] = []
    given: dict[str, object] = {}
    left = iter(arguments)
    for argument in left:
        if argument in _FLAGS:
            given[_FLAGS[argument]] = True
        elif argument in _TEXTS or argument == "--set":
            value = next(left, "-")
            if value.startswith("-"):
                return None
            if argument == "--set":
                sets.append(value)
            else:
                given[_TEXTS[argument]] = value
        elif argument.startswith("-") or not argument:
            return None
        else:
            sources.append(argument)
    jobs = str(given.get("jobs", 1))
    if given.get("format") == "list" or not (
        sources and given.get("out") and jobs.isdecimal() and 1 <= int(jobs) <= MAX_JOBS
    ):
        return None
    return Order(sources, **{**given, "out": Path(given["out"]), "sets": sets, "jobs": int(jobs)})


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
    from ycsbook.ingest import archive

    gc.set_threshold(_GC_OBJECTS)
    said = None
    if order.sets or order.pattern:
        from ycsbook.ingest.finding.sidecar import Said

        said = Said.parse(order.sets, order.pattern or None)
    with _reading_shown(order.as_json) as progress:
        summary = archive.update(
            order.sources,
            order.out,
            said=said,
            format=order.format,
            jobs=order.jobs,
            force=order.force,
            progress=progress,
        )
    if order.as_json:
        told = {**summary._asdict(), "tables": str(order.out)}
        # Names of files may hold what UTF-8 has no bytes for.
        print(json.dumps(told, indent=1))
    else:
        print(f"{summary} into {one_line(str(order.out))}")
        if not (summary.files or summary.rejected):
            print("note: nothing here looks like a log; a file that is named itself is always read", file=sys.stderr)
        for remark in summary.remarks:
            print(f"note: {one_line(remark)}", file=sys.stderr)
        for reason in summary.rejected:
            print(f"rejected: {one_line(reason)}", file=sys.stderr)
    return EXIT_REJECTED if summary.rejected else 0


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
