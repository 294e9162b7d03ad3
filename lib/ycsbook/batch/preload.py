"""What every notebook of a report loads, loaded once before its process is forked."""

import functools
import gc
import importlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_MODULES = (
    "papermill", "IPython.core.interactiveshell", "IPython.core.completer", "sqlite3",
    "ycsbook.study", "ycsbook.batch.reports", "ycsbook.runner.sweep",
    "ycsbook.report.html", "ycsbook.report.markdown", "ycsbook.explore", "ycsbook.comparing", "ycsbook.named_tables",
    "ycsbook.runner.progress", "ycsbook.documents", "ycsbook.ingest.published.published", "ycsbook.store.parquet",
    "pandas.io.formats.csvs", "pandas.io.formats.html", "pandas.io.formats.string", "pandas.io.formats.style",
    "pandas.core.methods.to_dict", "pyarrow.pandas_compat", "pyarrow.parquet",
    "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg", "matplotlib.font_manager",
)  # fmt: skip


def _use() -> None:
    """Make a small page and the usual parts of pictures: every process finds them as they are needed.

    Nothing here may start a thread: no Arrow file, no database client.
    """
    # Loaded here, once NumPy's library has been told to have one thread.
    import pandas as pd
    from nbformat import v4

    from ycsbook import fingerprints, messages
    from ycsbook.batch import notebook_page
    from ycsbook.report import html, pictures
    from ycsbook.tables import Tables

    # A report's tables are wide and short: from Arrow's texts, rows are taken slowly.
    pd.set_option("mode.string_storage", "python")
    Tables()
    fingerprints.code()
    messages.prepare()
    html.prepare()
    pictures.prepare()
    output = v4.new_output("execute_result", {"text/html": "<p>Loaded</p>"})
    cells = [v4.new_markdown_cell("# Loaded"), v4.new_code_cell("loaded = 1", outputs=[output])]
    notebook_page.exporter().from_notebook_node(v4.new_notebook(cells=cells))


def stay_single() -> None:
    """Keep this process to one thread, so that it can be forked; to be called before anything loads numpy."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@functools.cache
def load() -> None:
    """Load all modules and use them once; later calls do nothing."""
    stay_single()
    # Hardly any of what is made here is ever garbage: not to be searched for it again and again.
    gc.disable()
    for name in _MODULES:
        importlib.import_module(name)
    _use()
    # Left out of later collections, its pages stay shared.
    gc.freeze()
    gc.enable()
    # A process that lives for seconds need not look for garbage after every 700 objects.
    gc.set_threshold(100_000, 20, 50)


@contextmanager
def later() -> Iterator[None]:
    """Load, while a notebook is executed in another process, what only later ones need; no thread is left."""
    thread = threading.Thread(target=importlib.import_module, args=("seaborn",))
    thread.start()
    try:
        yield
    finally:
        thread.join()
