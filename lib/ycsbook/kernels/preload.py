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
    "papermill", "nbconvert.exporters.html", "ycsbook.study", "ycsbook.report.html", "ycsbook.report.markdown",
    "ycsbook.explore", "ycsbook.comparing", "ycsbook.named_tables", "ycsbook.runner.sweep", "ycsbook.runner.display",
    "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "ipykernel.heartbeat", "ipykernel.iostream",
    "IPython.core.completer", "pandas.io.formats.html", "pandas.io.formats.style", "pyarrow.parquet",
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


@functools.cache
def load() -> None:
    """Load all of it; the second time it costs nothing."""
    stay_single()
    # Debuggers' hints about frozen modules do not belong into a report's terminal output.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    with quick.imports():
        for name in _MODULES:
            importlib.import_module(name)
    with contextlib.suppress(ImportError):  # a kernel does without
        importlib.import_module(_DEBUGGER)
    gc.collect()
    # What is there now is never garbage: left out of collections, its pages stay shared.
    gc.freeze()
