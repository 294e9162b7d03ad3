"""Files on which a reader takes all memory, all time, or dies: one line each, and every other file is read as without
them. The readers are made to do so by what a file says."""

import json
import os
import subprocess
import sys
from random import Random

import log_samples
import pandas as pd
import pytest

from ycsbook.store import parquet

# What a file may hold behind its log, and how the line begins that says what it did.
HOSTILE = {
    "memory": "took more than 2,048 MiB of memory",
    "native": "took more than 2,048 MiB of memory",
    "time": "took more than 1 s of CPU time",
    "regex": "took more than 1 s of CPU time",
    "files": "cannot be read for a mistake in its reader, OSError",
    "mistake": "cannot be read for a mistake in its reader, ZeroDivisionError",
    "death": "ended its process by SIGSEGV",
    "exit": "ended its process",
}
# `ycsbook ingest`, with readers that do what a file says: when many logs are read at once, and when one is read.
COMMAND = r"""
import os, re, signal, sys
import numpy as np
from ycsbook import cli
from ycsbook.commands import load
load("ingest")
from ycsbook.ingest import logs, parsing, reading
logs.SMALL_BYTES, reading.SECONDS, reading.SECONDS_PER_MB = 4000, 0.6, 0.0


def hang():
    while True:
        pass


def obey(order):
    kept = []
    while order == "memory":
        kept.append(bytes(10_000_000))
    while order == "native":
        kept.append(np.empty(100_000_000))
    while order == "files":
        kept.append(open(os.devnull))
    match order:
        case "time":
            hang()
        case "regex":
            re.match(r"(a+)+$", "a" * 64 + "b")
        case "mistake":
            1 / 0
        case "death":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(3)


def obeying(function, contents):
    def obedient(*arguments, **more):
        for content in contents(*arguments):
            for order in re.findall(rb"HOSTILE (\w+)", content):
                obey(order.decode())
        return function(*arguments, **more)
    return obedient


logs.clean_logs.candidate = obeying(logs.clean_logs.candidate, lambda files, contents, parts: contents)
parsing.ycsb_runs = obeying(parsing.ycsb_runs, lambda files: [path.read_bytes() for path in files])
cli.main()
"""


def ingested(logs, out) -> tuple[dict, dict[str, pd.DataFrame]]:
    """What the command says, and the tables."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", COMMAND, "ingest", str(logs), "-o", str(out), "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout), dict(parquet.read(out).items())


def write_logs(folder, orders: dict[int, str], count: int):
    """Logs in a folder, some of them hostile; some too large to be read with others."""
    folder.mkdir()
    for i in range(count):
        text = log_samples.YCSB_014.replace("-threads 6", f"-threads {i + 1}")
        big = "\n" * 5000 if i % 7 == 3 else ""
        order = f"HOSTILE {orders[i]}\n" if i in orders else ""
        (folder / f"log-{i:03d}.log").write_text(text + big + order)
    return folder


@pytest.mark.matrix
@pytest.mark.parametrize("seed", range(3))
def test_each_costs_one_line_and_the_others_are_read_as_without_it(tmp_path, seed):
    random, count = Random(seed), 40
    kinds = list(HOSTILE) if seed == 0 else random.choices(list(HOSTILE), k=random.choice((1, 3)))
    orders = dict(zip(random.sample(range(count), len(kinds)), kinds, strict=True))
    logs = write_logs(tmp_path / "logs", orders, count)
    said, tables = ingested(logs, tmp_path / "with")
    assert said["rejected"] == [line for line in said["rejected"] if len(line.splitlines()) == 1]
    assert len(said["rejected"]) == len(orders)
    for i, kind in orders.items():
        (line,) = (line for line in said["rejected"] if f"log-{i:03d}.log" in line)
        assert line.startswith(f"{logs}/log-{i:03d}.log: {HOSTILE[kind]}")
    again, _ = ingested(logs, tmp_path / "with")
    # Not tried again, except what the system refused.
    assert (again["read"], again["rejected"]) == (kinds.count("files"), said["rejected"])
    for i in orders:
        (logs / f"log-{i:03d}.log").unlink()
    _, without = ingested(logs, tmp_path / "without")
    for name, rows in without.items():
        order = ["run_id", *(c for c in rows.columns if c != "run_id")]
        pd.testing.assert_frame_equal(
            tables[name][order].sort_values("run_id", kind="stable", ignore_index=True),
            rows[order].sort_values("run_id", kind="stable", ignore_index=True),
        )


THREADS = r"""
import ctypes, os, sys, threading, time
from pathlib import Path
from ycsbook import confined


def run(_):
    time.sleep(0.3)
    if sys.argv[1] != "unnamed":
        Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text("jemalloc_bg_thd")
    time.sleep(60)
    return 0


started = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(run)
if sys.argv[1] == "python":
    threading.Thread(target=run, args=(0,), daemon=True).start()
else:
    ctypes.CDLL(None).pthread_create(ctypes.byref(ctypes.c_ulong()), None, started, None)
print(confined.can_fork(), flush=True)
os._exit(0)
"""


@pytest.mark.parametrize(("whose", "is_safe"), [("named", True), ("unnamed", False), ("python", False)])
def test_a_library_s_thread_that_has_not_run_yet_is_waited_for(whose, is_safe):
    """It has its name only then; on a busy machine the whole was read without bounds, and took all memory."""
    done = subprocess.run(
        [sys.executable, "-c", THREADS, whose], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == (f"{is_safe}\n", "")
