"""How fast all clients of a run are together, as the runner sees it while they work: operations.csv in its folder."""

import itertools
import time
from pathlib import Path

NAME = "operations.csv"
_HEADER = "epoch_s,operations\n"
_ROW_BYTES = 48
_EACH_S = 1.0


class Pace:
    """Notes the operations of all clients about once a second.

    Raises
        OSError: the file cannot be written.
    """

    def __init__(self, folder: Path):
        self._path, self._noted_s = folder / NAME, 0.0
        self._path.write_text(_HEADER, encoding="ascii")

    def note(self, operations: int) -> None:
        """So many have been finished until now."""
        now = time.monotonic()
        if now - self._noted_s >= _EACH_S:
            self._noted_s = now
            with self._path.open("a", encoding="ascii") as file:
                file.write(f"{time.time():.3f},{operations}\n")


def recent_ops_s(folder: Path, n: int) -> list[float]:
    """Operations per second between the last rows, at most n, the oldest first; none where there is no such file."""
    try:
        with (folder / NAME).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - (n + 2) * _ROW_BYTES))
            lines = file.read().decode("ascii", "replace").splitlines(keepends=True)
    except FileNotFoundError:
        return []
    rows = [tuple(map(float, line.split(","))) for line in lines[1:] if line.endswith("\n") and line.count(",") == 1]
    rates = [(b - a) / (t - s) for (s, a), (t, b) in itertools.pairwise(rows[-n - 1 :]) if t > s]
    return [max(0.0, rate) for rate in rates]
