"""The package dask.distributed, which few installations need: found, loaded, and told what not to serve."""

import importlib.util
import logging
from types import ModuleType

from ycsbook.errors import ToolError

# Longest time until all workers are there, s.
START_LIMIT_S = 60.0
# A scheduler started over ssh whose runner is gone, and workers without their scheduler, end after this long.
ALONE_S = 60
# Nothing is served over HTTP, which dask cannot be told not to listen for: no pages, on loopback, on any free port.
NO_PAGES = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
NOWHERE = "127.0.0.1:0"
GET = (
    "clients in dask workers need dask.distributed, which is not installed: pip install 'ycsbook[clients]' "
    "(in a checkout: pip install -e '.[clients]'), or set clients: 1 without a cluster"
)


def require() -> None:
    """See that `distributed` is there, without the time that it takes to load.

    Raises
        ToolError: it is not installed; the message says how to.
    """
    if importlib.util.find_spec("distributed") is None:
        raise ToolError(GET)


def dask() -> ModuleType:
    """The package `distributed`.

    Raises
        ToolError: it is not installed; the message says how to.
    """
    try:
        import distributed
    except ImportError:
        raise ToolError(GET) from None
    # What it has to say about our workers is said by us.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def gone() -> tuple[type[Exception], ...]:
    """What dask raises where a scheduler or a worker is not to be reached; its errors of connections are OSErrors."""
    from distributed import client

    closed = getattr(client, "ClosedClientError", OSError)
    return (OSError, TimeoutError, RuntimeError, ValueError, closed)
