"""Whether a run's files will find room, asked before it is made: a run that ends on a full disk is lost."""

import math
import shutil
from pathlib import Path

from ycsbook.errors import StoreError
from ycsbook.params import PlannedRun

# A status line of every operation with all its figures, and a row of samples: 1.5 kB in the real logs, per second.
SECOND_BYTES = 4 * 1024
# .hdr files (a few 100 kB each), summary, manifest, and what others write meanwhile.
BASE_BYTES = 32 * 1024 * 1024
# A run that ends by its operations: nobody knows when; an hour of them.
UNKNOWN_S = 3600.0


def needed_bytes(run: PlannedRun, clients: int = 1) -> int:
    """Room to ask for, generously: disks that are this full are not for measuring."""
    seconds = run.sweep.min_duration if run.sweep.operations is None else UNKNOWN_S
    return BASE_BYTES + clients * math.ceil(seconds) * SECOND_BYTES


def check(folder: Path, bytes_: int) -> None:
    """Refuse a run whose files would not find room.

    Parameters
        folder: an existing folder on the disk in question.
    Raises
        StoreError: it has less free space than this.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError as e:
        raise StoreError(f"{folder}: cannot be looked at: {e.strerror or e}") from e
    if free < bytes_:
        raise StoreError(
            f"{folder}: {free / 1e6:,.0f} MB are free, the next run asks for {bytes_ / 1e6:,.0f} MB; free space, or "
            "choose another --store, and start again: finished runs are kept"
        )
