"""Whether the records of a sweep find room, before anything is loaded."""

from ycsbook.errors import ToolError
from ycsbook.params import Sweep
from ycsbook.units import BYTES_PER_GIB

# Records with their keys and field names, indexes, journal and what a checkpoint keeps twice.
OVERHEAD = 2


def of_records(sweep: Sweep) -> int:
    """Bytes that the largest data set of a sweep may take on disk.

    Examples
        >>> from ycsbook.params import Sweep
        >>> specs = [{"name": "1c", "cores": 1, "ram_gib": 1}]
        >>> of_records(Sweep.model_validate({"name": "x", "server": {"kind": "mongod"}, "specs": specs}))
        40000000
    """
    sizes = (one.records * one.field_count * one.field_length for _, one in sweep.variations())
    return OVERHEAD * max(sizes)


def check(needed_bytes: int, free_bytes: float, where: str) -> None:
    """Refuse a load that cannot find room.

    Raises
        ToolError: says how much is missing.
    """
    if free_bytes < needed_bytes:
        raise ToolError(
            f"{where} has {free_bytes / BYTES_PER_GIB:.1f} GiB free for the data, the load needs about "
            f"{needed_bytes / BYTES_PER_GIB:.1f} GiB (records x field_count x field_length x {OVERHEAD}); free some, "
            "or lower 'records'"
        )
