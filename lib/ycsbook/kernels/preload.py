"""What every notebook of a report loads, loaded once before its process is forked."""

import contextlib
import functools
import gc
import importlib
import os
import sys
from pathlib import Path

from ycsbook.kernels import quick

# Not matplotlib_inline: a kernel that finds it loaded believes that it has set it up. Nothing that starts a thread.
_MODULES = (
    "papermill", "ycsbook.study", "ycsbook.report.html", "ycsbook.report.markdown",
    "ycsbook.explore", "ycsbook.comparing", "ycsbook.named_tables", "ycsbook.runner.sweep", "ycsbook.runner.display",
    "ycsbook.documents", "ycsbook.ingest.published.published", "ycsbook.store.parquet",
    "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "ipykernel.heartbeat", "ipykernel.iostream",
    "ipykernel.debugger", "tornado.platform.asyncio", "tornado.queues", "sqlite3",
    "IPython.core.completer", "IPython.core.completerlib", "IPython.core.oinspect", "IPython.extensions.storemagic",
    "pandas.io.formats.csvs", "pandas.io.formats.html", "pandas.io.formats.string", "pandas.io.formats.style",
    "pandas.core.methods.to_dict", "pyarrow.pandas_compat", "pyarrow.parquet",
    "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg", "matplotlib.font_manager",
)  # fmt: skip
_DEBUGGER = "debugpy.server.api"
# Threads of libraries that know of forks: Arrow's allocator gives memory back in this one.
_HARMLESS = frozenset({"jemalloc_bg_thd"})


def stay_single() -> None:
    """Keep this process to one thread, so that it can fork; to be called before anything loads numpy."""
    # Threads of a library do not survive a fork, and its locks may be held for ever.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def can_fork() -> bool:
    """Whether a fork is safe here and now: on Linux, from a process with one thread.

    Elsewhere the system's own libraries do not survive it.
    """
    return sys.platform.startswith("linux") and len(_threads() - _HARMLESS) <= 1


def _threads() -> set[str]:
    """The threads of this process, those of libraries too: their ids with their names."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            name = (task / "comm").read_text().strip()
            found.add(name if name in _HARMLESS else f"{task.name} {name}")
    return found


def _use() -> None:
    """Make a small page and the usual parts of pictures: every process finds them as they are needed.

    Nothing here may start a thread: no Arrow file, no database client, no message queue.
    """
    import pandas as pd
    from nbformat import v4

    from ycsbook import inputs
    from ycsbook.kernels import page
    from ycsbook.report import html, pictures, strings
    from ycsbook.tables import Tables

    # A report's tables are wide and short: from Arrow's texts, rows are taken slowly.
    pd.set_option("mode.string_storage", "python")
    Tables()
    inputs.code()
    strings.texts("en")
    html.prepare()
    pictures.prepare()
    output = v4.new_output("execute_result", {"text/html": "<p>Loaded</p>"})
    cells = [v4.new_markdown_cell("# Loaded"), v4.new_code_cell("loaded = 1", outputs=[output])]
    page.exporter().from_notebook_node(v4.new_notebook(cells=cells))


@functools.cache
def load() -> None:
    """Load all of it; the second time it costs nothing."""
    stay_single()
    # Debuggers' hints about frozen modules do not belong into a report's terminal output.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    # Hardly any of what is made here is ever garbage: not to be searched for it again and again.
    gc.disable()
    with quick.imports():
        for name in _MODULES:
            importlib.import_module(name)
        _use()
    with contextlib.suppress(ImportError):  # a kernel does without
        importlib.import_module(_DEBUGGER)
    # Left out of later collections, its pages stay shared.
    gc.freeze()
    gc.enable()
    # A process that lives for seconds need not look for garbage after every 700 objects.
    gc.set_threshold(100_000, 20, 50)
