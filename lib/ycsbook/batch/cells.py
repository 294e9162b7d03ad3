"""The process in which a notebook's cells are executed, by IPython's own shell; what they show goes into a pipe.

Messages are JSON, [kind, *values]: begin; output, with one of the notebook format and its display id; update and clear,
as IPython's display module has them; end, with the cell's number and whether it raised.
"""

import base64
import io
import json
import os
import threading
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing.connection import Connection

import matplotlib
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config


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
                shell.send("output", _error(shell, error))
            shell.send("end", result.execution_count, error is not None)


def _error(shell: InteractiveShell, error: BaseException) -> dict:
    if isinstance(error, SyntaxError):
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
    """Where `display` goes."""

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


class _Results(DisplayHook):
    """Where the value of a cell's last line goes."""

    def write_output_prompt(self) -> None:
        """None: its number stands beside the output."""

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        content = {**_content(format_dict, md_dict), "execution_count": self.prompt_count}
        self.shell.send("output", {"output_type": "execute_result", **content})


class _Shell(InteractiveShell):
    """IPython's shell, whose outputs go into a pipe."""

    display_pub_class = Type(_Publisher)
    displayhook_class = Type(_Results)

    def connect(self, pipe: Connection) -> None:
        """Send what follows into this pipe."""
        self._pipe, self._turn, self._process = pipe, threading.Lock(), os.getpid()

    def send(self, *message: object) -> None:
        """From any thread, as progress displays do; what a process forked by a cell would send is lost."""
        # Half a character, as names of files may hold, becomes a question mark.
        content = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        if os.getpid() == self._process:
            with self._turn:
                self._pipe.send_bytes(content)

    def enable_gui(self, gui: str | None = None) -> None:
        """Figures inside of notebooks need no event loop."""

    def showtraceback(self, *arguments: object, **options: object) -> None:
        """Printed nowhere: an error is an output."""

    showsyntaxerror = showtraceback


def _content(data: dict, metadata: dict | None) -> dict:
    """Formats by MIME type as notebooks hold them: pictures' bytes in base64."""
    texts = {k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in data.items()}
    return {"data": texts, "metadata": metadata or {}}
