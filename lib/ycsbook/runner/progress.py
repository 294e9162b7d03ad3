"""Shows how far a sweep is, by what is in the store: a bar in a terminal, a line in a notebook."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from ycsbook import units
from ycsbook.ingest.log.status import parse_line
from ycsbook.params import PlannedRun
from ycsbook.store.runs import PARTIAL, RunStore

# Seconds of throughput that are shown.
PACE_S = 20
_TAIL_BYTES = 64 * 1024
REFRESH_S = 0.5


@dataclass(frozen=True)
class Progress:
    """`done` of `total` runs, those being made, throughput of late (ops/s, each second), and the time that is left."""

    done: int
    total: int
    current: str
    seconds_left: float
    recent_ops_s: tuple[float, ...] = ()

    def __str__(self) -> str:
        remaining = f", about {units.duration(self.seconds_left)} left" if self.done < self.total else ""
        return f"{self.done} of {self.total} runs done{remaining}"

    @property
    def pace(self) -> str:
        """The throughput of late as a line of bars, and its last figure; empty: not known."""
        return f"{units.bars(self.recent_ops_s)} {self.recent_ops_s[-1]:,.0f} ops/s" if self.recent_ops_s else ""


def snapshot(
    planned: list[PlannedRun], store: RunStore, since: str = "", completed: set[str] | None = None
) -> Progress:
    """The state of the planned runs now. `since`: count only runs that ended after this moment (ISO 8601, UTC), where
    all are made again. `completed`: ids of runs known to be completed, which are not read again; whoever looks
    often, beside a run that is being measured, gives the same set each time, which grows."""
    completed = set() if completed is None else completed
    present = {path.name for path in store.root.glob("*")}
    for run in planned:
        if run.run_id in present and run.run_id not in completed and store.is_completed(run.run_id, since):
            completed.add(run.run_id)
    remaining = [run for run in planned if run.run_id not in completed]
    seconds = sum(run.expected_s for run in remaining)
    partials = {partial.name.removesuffix(PARTIAL): partial for partial in store.under_way()}
    seconds -= sum(
        min(_elapsed_s(partials[run.run_id]), remaining[0].expected_s) for run in remaining if run.run_id in partials
    )
    if remaining:
        # Of several servers as many runs are made at once.
        seconds /= min(remaining[0].sweep.cluster.at_once, len({run.spec for run in remaining}))
    # The log of a client of this machine; those of several come at their end.
    recent = recent_ops_s(next(iter(partials.values())) / "run.err", PACE_S) if len(partials) == 1 else []
    return Progress(len(planned) - len(remaining), len(planned), ", ".join(partials), max(seconds, 0.0), tuple(recent))


def _elapsed_s(partial: Path) -> float:
    try:
        return max(0.0, time.time() - (partial / "hdr").stat().st_mtime)
    except FileNotFoundError:
        return 0.0


@contextlib.contextmanager
def shown(planned: list[PlannedRun], store: RunStore, since: str = "") -> Iterator[None]:
    """Show how far the planned runs are while the block runs, whoever makes them; `since` as snapshot has it."""
    completed: set[str] = set()
    ended = threading.Event()

    def look() -> None:
        show(snapshot(planned, store, since, completed))

    def poll() -> None:
        while not ended.wait(REFRESH_S):
            look()

    with contextlib.ExitStack() as place:
        if in_notebook():
            show = _notebook_line()
        else:
            show = place.enter_context(_terminal_bar()) if sys.stderr.isatty() else _plain_lines()
        thread = threading.Thread(target=poll, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            look()


def in_notebook() -> bool:
    # Where nobody has loaded IPython there is no notebook, and loading it takes long.
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    # A terminal's shell asks for its cells in a loop of its own.
    return bool(shell) and not hasattr(shell, "mainloop")


def _notebook_line() -> Callable[[Progress], None]:
    from IPython.display import Markdown, display

    handle = display(Markdown("Looking at the plan …"), display_id=True)
    return lambda progress: handle.update(
        Markdown("  ".join(filter(None, (str(progress), progress.current, progress.pace))))
    )


@contextlib.contextmanager
def _terminal_bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None)

        def show(progress: Progress) -> None:
            words = (str(progress).partition(", ")[2], progress.current, progress.pace)
            # More runs may follow from what is measured.
            bar.update(task, completed=progress.done, total=progress.total, description="  ".join(filter(None, words)))

        yield show


def _plain_lines() -> Callable[[Progress], None]:
    last = [-1]

    def show(progress: Progress) -> None:
        # In a log every tenth of the way is enough.
        tenth = 10 * progress.done // max(1, progress.total)
        if tenth != last[0]:
            last[0] = tenth
            print(progress, file=sys.stderr, flush=True)

    return show


def recent_ops_s(status_log: Path, n: int) -> list[float]:
    """Operations per second between the last whole status lines of a log, at most n, the oldest first."""
    try:
        with status_log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            *lines, _unfinished = file.read().decode("utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return []
    statuses = (status for status in map(parse_line, reversed(lines)) if status and status.at_ms is not None)
    in_order = list(islice(statuses, n + 1))[::-1]
    return [
        max(0, after.operations - before.operations) / (after.at_ms - before.at_ms) * units.MS_PER_S
        for before, after in pairwise(in_order)
        if after.at_ms > before.at_ms
    ]
