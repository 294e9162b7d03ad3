"""samples.csv of a run: what server and client use, written once a second, read again, and summed over clients."""

import contextlib
import csv
import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from ycsbook.ingest.runs.sample_columns import COLUMNS, COUNTED, STATES
from ycsbook.store import atomic

# The longest time between two looks for a process's descendants, s: each reads the whole process table.
_TREE_S = 10.0
_SUMMED = ("client_cpu_s", "client_rss_bytes")
_DECIMALS = {"client_cpu_s": 3, "client_rss_bytes": 0}

SampleSeries = list[tuple[float, float]]


class Sampler:
    """Writes CPU time and memory of server and client, and what the server counts, to a CSV file, in a thread of its
    own.

    A row at once, one each `period_s` seconds, one at the end. CPU seconds are cumulative and count the
    whole process tree; a process that is gone leaves its cells empty.

    Parameters
        server_pid, client_pid: None where there is none on this machine.
        counters: asks the server for its own figures; None: they stay empty. CPU seconds of a server elsewhere are its
            own, too.
    """

    def __init__(
        self,
        path: Path,
        server_pid: int | None,
        client_pid: int | None,
        period_s: float = 1.0,
        counters: Callable[[], Mapping[str, float]] | None = None,
    ):
        self._path, self._period_s, self._counters = path, period_s, counters or dict
        self._server, self._client = _Tree.of(server_pid), _Tree.of(client_pid)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self.error: OSError | None = None  # why rows are missing

    def start(self) -> "Sampler":
        """Write the header and the first row, then go on in the background.

        Raises
            OSError: the file cannot be written.
        """
        with self._path.open("w", encoding="ascii", newline="") as file:
            csv.writer(file).writerow(COLUMNS)
        self._sample()
        self._thread.start()
        return self

    def stop(self) -> None:
        """Write the last row and end the thread.

        Raises
            OSError: a row could not be written, for instance because the disk is full.
        """
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        if self.error is not None:
            raise self.error
        self._sample()

    def __enter__(self) -> "Sampler":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        due = time.monotonic() + self._period_s
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            due += self._period_s
            try:
                self._sample()
            except OSError as e:
                self.error = e
                return

    def _sample(self) -> None:
        server, client = (tree.usage() if tree else ("", "") for tree in (self._server, self._client))
        at_s = time.time()
        counted = self._counters()
        if self._server is None and "cpu_s" in counted:
            server = (f"{counted['cpu_s']:.3f}", server[1])
        row = [f"{at_s:.3f}", server[0], client[0], server[1], client[1], f"{os.getloadavg()[0]:.2f}"]
        row += [f"{counted[name]:.0f}" if name in counted else "" for name in (*COUNTED, *STATES)]
        row.append(_host_cpu_s())
        # One write per row: a file that is cut ends in at most one incomplete line.
        with self._path.open("a", encoding="ascii") as file:
            file.write(",".join(row) + "\n")


def _host_cpu_s() -> str:
    """CPU seconds that programs have had of this machine, and those that other machines on its host took from it.

    Without interrupts: much of them is the network traffic of what is measured, which counts in no process.
    """
    times = psutil.cpu_times()
    return f"{times.user + times.nice + times.system + getattr(times, 'steal', 0.0):.3f}"


class _Tree:
    """A process and its descendants.

    They are looked for anew the more seldom, the longer the tree has been watched: what a program starts, it mostly
    starts at once, and whoever came and went in between counts in its parent.
    """

    def __init__(self, process: psutil.Process):
        self._process = process
        self._descendants: list[psutil.Process] = []
        self._since_s = time.monotonic()
        self._look_at_s = -math.inf

    @classmethod
    def of(cls, pid: int | None) -> "_Tree | None":
        """The tree of a process; None where there is none."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return cls(psutil.Process(pid)) if pid is not None else None
        return None

    def usage(self) -> tuple[str, str]:
        """CPU seconds so far and resident bytes; empty where the process is gone."""
        cpu_s, rss = 0.0, 0
        try:
            now_s = time.monotonic()
            if now_s >= self._look_at_s:
                self._descendants = self._process.children(recursive=True)
                self._look_at_s = now_s + min(_TREE_S, (now_s - self._since_s) / 2)
            for process in (self._process, *self._descendants):
                with contextlib.suppress(psutil.NoSuchProcess if process is not self._process else ()):
                    process_cpu_s, process_rss = _used(process)
                    cpu_s, rss = cpu_s + process_cpu_s, rss + process_rss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return "", ""
        return f"{cpu_s:.3f}", str(rss)


def _used(process: psutil.Process) -> tuple[float, int]:
    # Another process may have been given its number since.
    if not process.is_running():
        raise psutil.NoSuchProcess(process.pid)
    times = process.cpu_times()
    # A child that has ended counts in its parent once it is waited for.
    ended_s = getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return times.user + times.system + ended_s, process.memory_info().rss


def read(path: Path, column: str) -> SampleSeries:
    """Moments (s since 1970) and values of a column of a samples.csv, in order; without cells that are not known."""
    pairs = ((number(row, "epoch_s"), number(row, column)) for row in rows(path))
    return [(at, value) for at, value in pairs if not (math.isnan(at) or math.isnan(value))]


def value_at(series: SampleSeries, moment: float) -> float:
    """The value at a moment: between two by a straight line, outside that of the nearest end; NaN of no series."""
    if not series:
        return math.nan
    if moment <= series[0][0]:
        return series[0][1]
    for (before, low), (after, high) in itertools.pairwise(series):
        if moment <= after:
            return low + (high - low) * (moment - before) / (after - before) if after > before else high
    return series[-1][1]


def cores_used(series: SampleSeries, start: float, end: float) -> float:
    """CPU cores in use between two moments, of cumulative CPU seconds; NaN where they are not known."""
    return (value_at(series, end) - value_at(series, start)) / (end - start) if end > start and series else math.nan


def add_clients(samples: Path, clients: Sequence[tuple[Path, float]]) -> None:
    """Put the sum of the clients' CPU time and memory into the server's samples.csv.

    Parameters
        samples: the run's own file, without figures of a client.
        clients: each one's samples.csv, and how far its clock is ahead of the runner's, s. Without one of them the
            sum is not known, and nothing is put in.
    """
    all_rows = rows(samples)
    for column in _SUMMED:
        each = [[(at_s - ahead, value) for at_s, value in read(path, column)] for path, ahead in clients]
        if not all(each):
            continue
        for row in all_rows:
            moment = number(row, "epoch_s")
            if not math.isnan(moment):
                row[column] = f"{sum(value_at(series, moment) for series in each):.{_DECIMALS[column]}f}"
    lines = [",".join(COLUMNS), *(",".join(row.get(c) or "" for c in COLUMNS) for row in all_rows)]
    atomic.write_text(samples, "".join(f"{line}\n" for line in lines))


def rows(path: Path) -> list[dict[str, str]]:
    """The whole rows of a samples.csv by column; none where there is no such file, which some clients have not."""
    try:
        with path.open(encoding="ascii", errors="replace", newline="") as file:
            return [row for row in csv.DictReader(file) if None not in row.values()]
    except FileNotFoundError:
        return []


def number(row: dict[str, str], column: str) -> float:
    """The number in a cell; NaN where it is empty or not a number."""
    try:
        return float(row.get(column) or "nan")
    except ValueError:
        return math.nan
