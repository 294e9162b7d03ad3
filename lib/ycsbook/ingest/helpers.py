"""Processes that read beside this one. They are started first of all, and load what they need while this one looks for
what there is to read.
"""

import os
import sys
from collections.abc import Callable


class Helpers:
    """So many processes less one, as this one reads too; used as a context. None is started for `jobs` 1.

    Raises
        StoreError: at the end of the context, where a process was ended from outside.
    """

    def __init__(self, jobs: int):
        self.count = jobs - 1
        self._pool = None

    def __enter__(self) -> "Helpers":
        if self.count:
            # Not multiprocessing's own pool: it waits forever for a process that the system has killed.
            from concurrent.futures import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(self.count, _context(), _begin)
            # The first task starts them.
            self._pool.submit(os.getpid)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if self._pool is None:
            return
        self._pool.shutdown(cancel_futures=True)
        from concurrent.futures import BrokenExecutor

        if isinstance(error, BrokenExecutor):
            from ycsbook.errors import StoreError

            raise StoreError(
                "a process that read logs was ended from outside, perhaps for want of memory; try again with -j 1"
            ) from None

    def submit(self, task: Callable, *given: object):
        """Have a helper carry out a task; its future."""
        return self._pool.submit(task, *given)


def _context():
    import multiprocessing

    # A fork after pyarrow or polars have started their threads may hang.
    clean = not {"pyarrow", "polars", "IPython"} & sys.modules.keys() and hasattr(os, "fork")
    return multiprocessing.get_context("fork" if clean else "spawn")


def _begin() -> None:
    """At the start of a helper: it ends with its parent, however that ends, and silently at Ctrl-C."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import pyarrow  # noqa: F401

    from ycsbook.ingest import logs  # noqa: F401


def _end_with_parent() -> None:
    import multiprocessing

    multiprocessing.parent_process().join()
    os._exit(1)


NO_HELPERS = Helpers(1)
