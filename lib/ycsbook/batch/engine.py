"""A papermill engine that runs a notebook's cells with IPython's own shell, in a forked process of its own.

No kernel: the process is sent one cell after another and answers with its outputs as they come. Its messages are JSON,
[kind, *values]: begin; output, with one of the notebook format and its display id; update and clear, as IPython's
display module has them; end, with the cell's number and whether it raised.
"""

import base64
import contextlib
import io
import json
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, redirect_stderr, redirect_stdout
from multiprocessing.connection import Connection
from typing import Any

import matplotlib
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbformat import NotebookNode, from_dict
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines
from traitlets import Type
from traitlets.config import Config

from ycsbook.batch.tasks import Child
from ycsbook.errors import PublishError, YcsbookError

NAME = "ycsbook"  # what papermill calls the engine
# Seconds until a process must have begun: it waits for the libraries to be loaded.
_START_S = 120.0
# Seconds from one look at whether a notebook should be saved to the next, while a cell prints nothing.
_SAVE_S = 5.0


class ForkEngine(Engine):
    """What papermill executes notebooks with."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, *,
        on_change: Callable[[NotebookNode, bool], None], beside: AbstractContextManager | None = None, **options: Any,
    ) -> None:  # fmt: skip
        """Execute the cells up to the first that raises. `on_change` is called with the notebook whenever it has
        changed, and whether a cell is going on; `beside` is entered meanwhile, such as a display of progress. Raises
        PublishError where the process ended, or never began."""
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
    """Execute a cell and keep its outputs; True where it raised."""
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


def run_cells(pipe: Connection) -> None:
    """Execute each cell that is received, until the pipe is closed."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    # What these cells type belongs into nobody's history.
    shell = _Shell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.connect(pipe)
    # Figures that a cell leaves open are displayed, as in every notebook.
    matplotlib.use("module://matplotlib_inline.backend_inline")
    with redirect_stdout(_Stream("stdout", shell)), redirect_stderr(_Stream("stderr", shell)):
        shell.send("begin")
        while True:
            result = shell.run_cell(pipe.recv(), store_history=True)
            if error := result.error_before_exec or result.error_in_exec:
                shell.send("output", _error_output(shell, error))
            shell.send("end", result.execution_count, error is not None)


def _error_output(shell: InteractiveShell, error: BaseException) -> dict:
    if isinstance(error, YcsbookError):
        lines = error.lines
    elif isinstance(error, SyntaxError):
        lines = shell.SyntaxTB.structured_traceback(type(error), error, [])
    else:
        # Without the shell's own frame.
        lines = shell.InteractiveTB.structured_traceback(type(error), error, error.__traceback__, tb_offset=1)
    return {"output_type": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": list(lines)}


class _Stream(io.TextIOBase):
    """Text that a cell prints, as outputs."""

    encoding = "utf-8"

    def __init__(self, name: str, shell: "_Shell"):
        self._name, self._shell = name, shell

    def write(self, text: str) -> int:
        if text:
            self._shell.send("output", {"output_type": "stream", "name": self._name, "text": text})
        return len(text)


class _Publisher(DisplayPublisher):
    def publish(
        self, data: dict, metadata: dict | None = None, *, transient: dict | None = None, update: bool = False,
        **options: object,
    ) -> None:  # fmt: skip
        display_id, content = (transient or {}).get("display_id"), _content(data, metadata)
        if update:
            self.shell.send("update", content, display_id)
        else:
            self.shell.send("output", {"output_type": "display_data", **content}, display_id)

    def clear_output(self, wait: bool = False) -> None:
        self.shell.send("clear", wait)


class _CellResults(DisplayHook):
    def write_output_prompt(self) -> None:
        """None: a notebook shows the number beside the output."""

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        content = {**_content(format_dict, md_dict), "execution_count": self.prompt_count}
        self.shell.send("output", {"output_type": "execute_result", **content})


class _Shell(InteractiveShell):
    """IPython's shell, whose outputs go into a pipe."""

    display_pub_class = Type(_Publisher)
    displayhook_class = Type(_CellResults)

    def connect(self, pipe: Connection) -> None:
        self._pipe, self._turn, self._process = pipe, threading.Lock(), os.getpid()

    def send(self, *message: object) -> None:
        """Send a message, from any thread; a process that a cell has forked sends nothing."""
        # Half a character, as names of files may hold, becomes a question mark.
        content = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        if os.getpid() == self._process:
            with self._turn:
                self._pipe.send_bytes(content)

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing: figures inside of notebooks need no event loop."""

    def showtraceback(self, *arguments: object, **options: object) -> None:
        """Print nothing: an error is sent as an output."""

    showsyntaxerror = showtraceback


def _content(data: dict, metadata: dict | None) -> dict:
    """An output as notebooks store it: its formats by MIME type, pictures in base64."""
    texts = {k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in data.items()}
    return {"data": texts, "metadata": metadata or {}}
