"""A papermill engine that runs a notebook's cells with IPython's own shell, in a forked process of its own.

No kernel: the process is sent one cell after another and answers with its outputs as they come, as a kernel's messages
in JSON, so that nbclient puts outputs where they belong; besides there are begin, and end (number, whether it raised).
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

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from nbformat import NotebookNode
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
    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, *,
        on_change: Callable[[NotebookNode, bool], None], beside: AbstractContextManager | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        """Execute the cells up to the first that raises. `on_change` gets the notebook when it has changed, and whether
        a cell goes on; `beside` is entered meanwhile. PublishError: the process ended, or never began."""
        notebook = nb_man.nb
        on_change(notebook, False)
        outputs, child = NotebookClient(notebook), Child(run_cells)
        try:
            _receive(child, _START_S)
            # Not before the fork: it may have a thread.
            with beside or contextlib.nullcontext():
                for index, cell in enumerate(notebook.cells):
                    nb_man.cell_start(cell, index)
                    on_change(notebook, False)
                    is_code = cell.cell_type == "code" and bool(cell.source.strip())
                    if raised := is_code and _run_cell(child, index, outputs, lambda: on_change(notebook, True)):
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


def _run_cell(child: Child, index: int, outputs: NotebookClient, on_change: Callable[[], None]) -> bool:
    """Execute a cell and keep its outputs; True where it raised."""
    cell, outputs.clear_before_next_output = outputs.nb.cells[index], False
    # Of a process that has ended meanwhile the next message tells.
    with contextlib.suppress(ConnectionError):
        child.pipe.send(cell.source)
    while True:
        if not child.pipe.poll(_SAVE_S):
            on_change()
            continue
        message = _receive(child)
        if message["msg_type"] == "end":
            cell.execution_count = message["content"]["number"]
            return message["content"]["raised"]
        outputs.process_message(message, cell, index)
        # Text goes on where the last one ended.
        before, last = [{}, {}, *cell.outputs][-2:]
        if last.get("output_type") == "stream" and before.get("name") == last.name:
            before.text += cell.outputs.pop().text
        on_change()


def _receive(child: Child, timeout_s: float | None = None) -> dict:
    try:
        if child.pipe.poll(timeout_s):
            return json.loads(child.pipe.recv_bytes())
    except (EOFError, ConnectionError):
        raise PublishError(f"its process {child.end()}, perhaps for want of memory") from None
    raise PublishError(f"its process did not begin within {timeout_s:g} s; is the machine overloaded?")


def run_cells(pipe: Connection) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    # What these cells type belongs into nobody's history.
    shell = _Shell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.connect(pipe)
    # Figures that a cell leaves open are displayed, as in every notebook.
    shell.enable_matplotlib("inline")
    with redirect_stdout(_Stream("stdout", shell)), redirect_stderr(_Stream("stderr", shell)):
        shell.send("begin")
        while True:
            result = shell.run_cell(pipe.recv(), store_history=True)
            if error := result.error_before_exec or result.error_in_exec:
                shell.send("error", **_error(shell, error))
            shell.send("end", number=result.execution_count, raised=error is not None)


def _error(shell: InteractiveShell, error: BaseException) -> dict:
    if isinstance(error, YcsbookError):
        lines = error.lines()
    elif isinstance(error, SyntaxError):
        lines = shell.SyntaxTB.structured_traceback(type(error), error, [])
    else:
        # Without the shell's own frame.
        lines = shell.InteractiveTB.structured_traceback(type(error), error, error.__traceback__, tb_offset=1)
    return {"ename": type(error).__name__, "evalue": str(error), "traceback": list(lines)}


class _Stream(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, name: str, shell: "_Shell"):
        self._name, self._shell = name, shell

    def write(self, text: str) -> int:
        if text:
            self._shell.send("stream", name=self._name, text=text)
        return len(text)


class _Publisher(DisplayPublisher):
    def publish(
        self, data: dict, metadata: dict | None = None, *, transient: dict | None = None, update: bool = False,
        **options: object,
    ) -> None:  # fmt: skip
        kind = "update_display_data" if update else "display_data"
        self.shell.send(kind, data=data, metadata=metadata or {}, transient=transient)

    def clear_output(self, wait: bool = False) -> None:
        self.shell.send("clear_output", wait=wait)


class _CellResults(DisplayHook):
    def write_output_prompt(self) -> None:
        """None: a notebook shows the number beside the output."""

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        content = {"data": format_dict, "metadata": md_dict or {}, "execution_count": self.prompt_count}
        self.shell.send("execute_result", **content)


class _Shell(InteractiveShell):
    display_pub_class = Type(_Publisher)
    displayhook_class = Type(_CellResults)

    def connect(self, pipe: Connection) -> None:
        self._pipe, self._turn, self._process = pipe, threading.Lock(), os.getpid()

    def send(self, kind: str, **content: object) -> None:
        """Send a message, from any thread; a process that a cell has forked sends nothing."""
        message = {"msg_type": kind, "header": {"msg_type": kind}, "parent_header": {}, "content": content}
        if os.getpid() == self._process:
            text = json.dumps(message, ensure_ascii=False, default=lambda picture: base64.b64encode(picture).decode())
            with self._turn:
                # Half a character, as names of files may hold, becomes a question mark.
                self._pipe.send_bytes(text.encode("utf-8", "replace"))

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing: figures inside of notebooks need no event loop."""

    def showtraceback(self, *arguments: object, **options: object) -> None:
        """Print nothing: an error is sent as an output."""

    showsyntaxerror = showtraceback
