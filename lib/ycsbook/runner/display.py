"""A sweep's progress, shown where the user is: a bar in a terminal, one changing line in a notebook."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

from ycsbook.params import PlannedRun
from ycsbook.runner.progress import Progress, snapshot
from ycsbook.store.runs import RunStore

REFRESH_S = 0.5


@contextlib.contextmanager
def shown(planned: list[PlannedRun], store: RunStore, since: str = "") -> Iterator[None]:
    """Show how far the planned runs are while the block runs, whoever makes them; `since` as snapshot has it."""
    show = _notebook_line() if _in_notebook() else None
    completed: set[str] = set()

    def look() -> Progress:
        return snapshot(planned, store, since, completed)

    if show is None and sys.stderr.isatty():
        with _terminal_bar(look) as bar, _polling(look, bar):
            yield
        return
    with _polling(look, show or _plain_lines()):
        yield


@contextlib.contextmanager
def _polling(look: Callable[[], Progress], show: Callable[[Progress], None]) -> Iterator[None]:
    ended = threading.Event()

    def poll() -> None:
        while not ended.wait(REFRESH_S):
            show(look())

    thread = threading.Thread(target=poll, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        show(look())


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return bool(shell) and hasattr(shell, "kernel")


def _notebook_line() -> Callable[[Progress], None]:
    from IPython.display import Markdown, display

    handle = display(Markdown("Looking at the plan …"), display_id=True)
    return lambda progress: handle.update(
        Markdown("  ".join(filter(None, (str(progress), progress.current, progress.pace))))
    )


@contextlib.contextmanager
def _terminal_bar(look: Callable[[], Progress]) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("runs"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
    )
    with bar:
        task = bar.add_task("", total=look().total)

        def show(progress: Progress) -> None:
            left = str(progress).partition(", ")[2]
            told = (left, progress.current, progress.pace)
            bar.update(task, completed=progress.done, description="  ".join(filter(None, told)))

        show(look())
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
