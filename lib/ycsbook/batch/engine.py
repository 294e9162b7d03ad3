"""A papermill engine that runs a notebook's cells with IPython's own shell, in a forked process of its own.

No kernel: the process (cells.py) is sent one cell after another and answers with its outputs as they come.
"""

import contextlib
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from nbformat import NotebookNode, from_dict
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines

from ycsbook.batch.cells import run_cells
from ycsbook.batch.tasks import Child
from ycsbook.errors import PublishError

NAME = "ycsbook"  # what papermill calls the engine
# Seconds until a process must have begun: it waits for the libraries to be loaded.
_START_S = 120.0
# Seconds from one look at whether a notebook should be saved to the next, while a cell prints nothing.
_SAVE_S = 5.0


class ForkEngine(Engine):
    """Papermill's engine of that name."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, *,
        on_change: Callable[[NotebookNode, bool], None], beside: AbstractContextManager | None = None, **options: Any,
    ) -> None:  # fmt: skip
        """Execute the cells up to the first that raises.

        Parameters
            on_change: called with the notebook whenever it has changed, and whether a cell is going on.
            beside: entered while the cells are executed, such as a display of their progress.
        Raises
            PublishError: the process ended, or never began.
        """
        notebook = nb_man.nb
        on_change(notebook, False)
        outputs, child = _Outputs(), Child(run_cells)
        try:
            _receive(child, _START_S)
            # Not before the fork: it may have a thread.
            with beside or contextlib.nullcontext():
                for index, cell in enumerate(notebook.cells):
                    nb_man.cell_start(cell, index)
                    on_change(notebook, False)
                    is_code = cell.cell_type == "code" and bool(cell.source.strip())
                    if raised := is_code and _execute(child, cell, outputs, lambda: on_change(notebook, True)):
                        nb_man.cell_exception(cell, index)
                    nb_man.cell_complete(cell, index)
                    if raised:
                        break
            on_change(notebook, False)
        except KeyboardInterrupt:
            child.interrupt()
            raise
        finally:
            child.end()


papermill_engines.register(NAME, ForkEngine)


def _execute(child: Child, cell: NotebookNode, outputs: "_Outputs", on_change: Callable[[], None]) -> bool:
    """Have a cell executed and keep its outputs; whether it raised."""
    outputs.begin(cell)
    # Of a process that has ended meanwhile the next message tells.
    with contextlib.suppress(ConnectionError):
        child.pipe.send(cell.source)
    while True:
        if not child.pipe.poll(_SAVE_S):
            on_change()
            continue
        kind, *values = _receive(child)
        if kind == "end":
            cell.execution_count, raised = values
            return raised
        getattr(outputs, kind)(*values)
        on_change()


def _receive(child: Child, timeout_s: float | None = None) -> list:
    """The next message of a process."""
    try:
        if child.pipe.poll(timeout_s):
            return json.loads(child.pipe.recv_bytes())
    except (EOFError, ConnectionError):
        raise PublishError(f"its process {child.end()}, perhaps for want of memory") from None
    raise PublishError(f"its process did not begin within {timeout_s:g} s; is the machine overloaded?")


class _Outputs:
    """The outputs of a notebook's cells, put where they belong as they come."""

    def __init__(self) -> None:
        self._by_display_id: dict[str | None, list[NotebookNode]] = {}

    def begin(self, cell: NotebookNode) -> None:
        """What comes from now on is of this cell."""
        self._cell, self._clear_first = cell, False

    def output(self, content: dict, display_id: str | None = None) -> None:
        """One more output; text goes on where the last one ended."""
        if self._clear_first:
            self.clear()
        output, last = from_dict(content), self._cell.outputs[-1] if self._cell.outputs else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            self._cell.outputs.append(output)
            self._by_display_id.setdefault(display_id, []).append(output)

    def update(self, content: dict, display_id: str) -> None:
        """Other content for what was displayed under this id, in whichever cell."""
        for output in self._by_display_id.get(display_id, ()):
            output.update(from_dict(content))

    def clear(self, wait: bool = False) -> None:
        """Forget the cell's outputs, now or when the next one comes."""
        self._clear_first = wait
        if not wait:
            self._cell.outputs.clear()
