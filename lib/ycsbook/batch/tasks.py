"""Work done in processes of their own, forked from one that has loaded every library already.

Only a process with one thread is forked: the new one would wait for ever for what other threads hold. Otherwise, and on
macOS, whose own libraries do not survive a fork, a process is started and loads what it needs.
"""

import functools
import gc
import importlib
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from ycsbook.confined import can_fork
from ycsbook.errors import PublishError, YcsbookError
from ycsbook.processes.guard_main import PR_SET_PDEATHSIG, PRCTL

# What every notebook of a report loads, each with all that it imports itself.
_MODULES = (
    "ycsbook.batch.reports", "ycsbook.named_tables", "IPython.core.completer", "sqlite3",
    "pandas.io.formats.csvs", "pandas.io.formats.html", "pandas.io.formats.string", "pandas.io.formats.style",
    "pandas.core.methods.to_dict", "pyarrow.pandas_compat", "pyarrow.parquet",
    "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg", "matplotlib.font_manager", "seaborn",
)  # fmt: skip
# Seconds that a process has to end after it was asked to, and then again after it was told to.
_GRACE_S = 10.0


class Child:
    """A process that carries out target(pipe, *arguments), which must be picklable where processes are started, and our
    end of the pipe to it. It has a session of its own, so that Ctrl-C reaches us alone; on Linux it ends with us."""

    def __init__(self, target: Callable[..., None], *arguments: object):
        context = multiprocessing.get_context("fork" if can_fork() else "spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_begin, args=(target, self.pipe, theirs, arguments))
        # Until the child has its session, Ctrl-C would reach it too.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
                self._process.start()
        finally:
            theirs.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def interrupt(self) -> None:
        if self._process.is_alive():
            os.kill(self._process.pid, signal.SIGINT)

    def end(self) -> str:
        """Wait until it has ended, by force after a while; how it ended, such as `was killed by SIGKILL`."""
        self.pipe.close()
        for insist in (self._process.terminate, self._process.kill, lambda: None):
            self._process.join(_GRACE_S)
            if self._process.exitcode is not None:
                break
            insist()
        code = self._process.exitcode or 0
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


class Task(Child):
    """A function called in a process of its own; its result must be picklable, and messages call it `name`."""

    def __init__(self, name: str, work: Callable[..., Any], *arguments: object):
        self._name = name
        super().__init__(_answer, work, arguments)

    def fileno(self) -> int:
        """The file descriptor that is readable once the result is there."""
        return self.pipe.fileno()

    def result(self) -> Any:
        """Wait for the result. Raises our errors that the function raised; PublishError: it ended without an answer."""
        try:
            error, value = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise PublishError(f"{self._name}: its process {self.end()} before it was done; start again") from None
        except KeyboardInterrupt:
            self.interrupt()
            raise
        finally:
            self.end()
        if error is not None:
            raise error
        return value


def several(works: Sequence[tuple], jobs: int, on_end: Callable[[int, Task], None]) -> None:
    """Carry out works, each the arguments of a Task, so many at a time, in their order; none is left when this ends. As
    soon as a result is there, `on_end` is called with its place among the works and its task."""
    waiting = list(range(len(works)))
    running: dict[Task, int] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                place = waiting.pop(0)
                running[Task(*works[place])] = place
            for task in wait(list(running)):
                on_end(running.pop(task), task)
    except BaseException:
        for task in running:
            task.interrupt()
        for task in running:
            task.end()
        raise


def _begin(target: Callable[..., None], parents: Connection, pipe: Connection, arguments: tuple) -> None:
    """Do the work of the process; Ctrl-C, or the end of its parent, ends it without a message."""
    try:
        # Ours is the only copy of the parent's end that must not stay open.
        parents.close()
        if PRCTL is not None:
            PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        target(pipe, *arguments)
    except (KeyboardInterrupt, EOFError, ConnectionError):
        sys.exit(128 + signal.SIGINT)


def _answer(pipe: Connection, work: Callable[..., Any], arguments: tuple) -> None:
    try:
        answer = None, work(*arguments)
    except YcsbookError as e:
        answer = e, None
    pipe.send(answer)


@functools.cache
def load() -> None:
    """Load all modules and use them once; later calls do nothing."""
    # Where NumPy is not loaded yet: its library would start threads, and a process that has some cannot be forked.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Hardly any of what is made here is ever garbage: not to be searched for it again and again.
    gc.disable()
    for name in _MODULES:
        importlib.import_module(name)
    # After the number of threads is set, and only in processes that execute notebooks.
    from nbformat import v4

    from ycsbook import messages, provenance
    from ycsbook.batch import notebook_page
    from ycsbook.report import html, pictures
    from ycsbook.tables import Tables, keep_texts_as_objects

    keep_texts_as_objects()
    # Every process finds these as they are needed. Nothing here may start a thread: no Arrow file, no database client.
    Tables()
    provenance.code()
    messages.prepare()
    html.prepare()
    pictures.prepare()
    output = v4.new_output("execute_result", {"text/html": "<p>Loaded</p>"})
    cells = [v4.new_markdown_cell("# Loaded"), v4.new_code_cell("loaded = 1", outputs=[output])]
    notebook_page.exporter().from_notebook_node(v4.new_notebook(cells=cells))
    # Left out of later collections, its pages stay shared.
    gc.freeze()
    gc.enable()
    # A process that lives for seconds need not look for garbage after every 700 objects.
    gc.set_threshold(100_000, 20, 50)
