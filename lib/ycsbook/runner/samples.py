"""Writes samples.csv of a run: what server and client use each second, summed over clients; describes the machine."""

import contextlib
import csv
import math
import os
import platform
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from ycsbook.ingest.runs.samples import COLUMNS, COUNTED, STATES, read
from ycsbook.store import atomic
from ycsbook.units import BYTES_PER_GIB

# The longest time between two looks for a process's descendants, s: each reads the whole process table.
_TREE_S = 10.0
# What is added up of several clients, with its decimals.
_SUMMED = {"client_cpu_s": 3, "client_rss_bytes": 0}

# Many short rounds rather than few long ones: it is likelier that one of them is not disturbed.
_LOOPS = 25_000
_ROUNDS = 8


class Sampler:
    """Writes CPU time and memory of server and client, and what the server counts, to a CSV file, in a thread of its
    own: a row at once, one each `period_s` seconds, one at the end, by the clock as it goes at the start.

    CPU seconds are cumulative and count the whole process tree; a process that is gone, or None, leaves its cells
    empty. `counters` asks the server for its own figures, and for its CPU seconds where it is elsewhere; `before`: what
    these told before the client was started, for the first row.
    """

    def __init__(
        self,
        path: Path,
        server_pid: int | None,
        client_pid: int | None,
        period_s: float = 1.0,
        counters: Callable[[], Mapping[str, float]] | None = None,
        *,
        before: Mapping[str, float] | None = None,
    ):
        self._path, self._period_s, self._counters = path, period_s, counters or dict
        self._before = before
        self._server, self._client = _Tree(server_pid), _Tree(client_pid)
        self._epoch_s = time.time() - time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self.error: OSError | None = None  # why rows are missing

    def __enter__(self) -> "Sampler":
        """Write the header and the first row, then go on in the background; raises OSError where that is impossible."""
        with self._path.open("w", encoding="ascii", newline="") as file:
            csv.writer(file).writerow(COLUMNS)
        self._sample()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread and write the last row; raises OSError where a row could not be written."""
        self._stop.set()
        self._thread.join()
        if self.error is not None:
            raise self.error
        self._sample(last=True)

    def _run(self) -> None:
        due = time.monotonic() + self._period_s
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            due += self._period_s
            try:
                self._sample()
            except OSError as e:
                self.error = e
                return

    def _sample(self, last: bool = False) -> None:
        server, client = self._server.usage(), self._client.usage()
        at_s = self._epoch_s + time.monotonic()
        # What the run did in all is the last figure less the first: a busy server is asked for it twice.
        counted = self._before or self._counters() or (self._counters() if last else {})
        self._before = None
        if self._server.process is None and "cpu_s" in counted:
            server = (f"{counted['cpu_s']:.3f}", server[1])
        row = [f"{at_s:.3f}", server[0], client[0], server[1], client[1], f"{os.getloadavg()[0]:.2f}"]
        row += [f"{counted[name]:.0f}" if name in counted else "" for name in (*COUNTED, *STATES)]
        # What programs have had of this machine's CPUs, and what other machines on its host took from it. Without
        # interrupts: much of them is the network traffic of what is measured, which counts in no process.
        times = psutil.cpu_times()
        row.append(f"{times.user + times.nice + times.system + getattr(times, 'steal', 0.0):.3f}")
        # One write per row: a file that is cut ends in at most one incomplete line.
        with self._path.open("a", encoding="ascii") as file:
            file.write(",".join(row) + "\n")


class _Tree:
    """A process and its descendants.

    They are looked for anew the more seldom, the longer the tree has been watched: what a program starts, it mostly
    starts at once, and whoever came and went in between counts in its parent.
    """

    def __init__(self, pid: int | None):
        self.process: psutil.Process | None = None
        with contextlib.suppress(psutil.NoSuchProcess):
            self.process = psutil.Process(pid) if pid is not None else None
        self._descendants: list[psutil.Process] = []
        self._since_s = time.monotonic()
        self._look_at_s = -math.inf

    def usage(self) -> tuple[str, str]:
        """CPU seconds so far and resident bytes; empty where there is no such process, or it is gone."""
        cpu_s, rss = 0.0, 0
        if self.process is None:
            return "", ""
        try:
            now_s = time.monotonic()
            if now_s >= self._look_at_s:
                self._descendants = self.process.children(recursive=True)
                self._look_at_s = now_s + min(_TREE_S, (now_s - self._since_s) / 2)
            for process in (self.process, *self._descendants):
                with contextlib.suppress(psutil.NoSuchProcess if process is not self.process else ()):
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


def add_clients(path: Path, clients: Sequence[tuple[Path, str, float]]) -> None:
    """Put the sum of the clients' CPU time and memory into `path`, the run's own samples.csv. `clients`: each one's
    folder, the name of its samples there, and how far its clock is ahead of the runner's, s. Without the samples of
    one of them the sum is not known, and nothing is put in."""
    # Here: nothing that starts a sweep needs data frames.
    import numpy as np
    import pandas as pd

    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    moments = pd.to_numeric(table["epoch_s"])
    samples_of_clients = [(read(folder, name), ahead_s) for folder, name, ahead_s in clients]
    for column, decimals in _SUMMED.items():
        series = [(samples[["epoch_s", column]].dropna(), ahead_s) for samples, ahead_s in samples_of_clients]
        if all(len(samples) for samples, _ in series):
            total = sum(
                np.interp(moments, samples["epoch_s"] - ahead_s, samples[column]) for samples, ahead_s in series
            )
            table[column] = [f"{value:.{decimals}f}" for value in total]
    atomic.write_text(path, table.to_csv(index=False, lineterminator="\n"))


def host_speed() -> float:
    """Work per CPU-second of a fixed loop: millions of steps, the best of eight rounds of about 3 ms.

    Only a ratio of two of these on the same machine means anything. CPU time, not wall time: being
    scheduled less is not being slower. The best round is the one least disturbed.
    """
    state, shortest_s = 1, math.inf
    for _ in range(_ROUNDS):
        begin = time.thread_time()
        for _ in range(_LOOPS):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        shortest_s = min(shortest_s, time.thread_time() - begin)
    return _LOOPS / shortest_s / 1e6


def machine() -> dict:
    """This machine for a report: cpu, cores (logical), memory_gib, kernel, os, python; no host, user or path."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 1,
        "memory_gib": round(psutil.virtual_memory().total / BYTES_PER_GIB, 1),
        "kernel": platform.release(),
        "os": _os_name(),
        "python": platform.python_version(),
    }


def _cpu_model() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _os_name() -> str:
    with contextlib.suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{platform.system()} {platform.mac_ver()[0]}".strip()
