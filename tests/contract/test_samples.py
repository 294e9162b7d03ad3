"""The probes on this machine: its own speed, its description, and processes as they are used and vanish."""

import getpass
import os
import socket
import sys
import time
from pathlib import Path

import pytest

from ycsbook.columns import SCHEMAS
from ycsbook.ingest.runs import samples
from ycsbook.processes import Guard
from ycsbook.runner import samples as taken
from ycsbook.runner.samples import Sampler

BURN = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\n"
PARENT = f"import subprocess, sys, time\nsubprocess.run([sys.executable, '-c', {BURN!r}])\ntime.sleep(300)\n"


@pytest.fixture
def guard():
    with Guard() as guard:
        yield guard


def wait_for_rows(path: Path, rows: int) -> None:
    while path.read_text().count("\n") < rows + 1:
        time.sleep(0.01)


def client_cpu_s(path: Path) -> float:
    """The client's CPU seconds in the last whole row."""
    return float(path.read_text().rpartition("\n")[0].splitlines()[-1].split(",")[2])


def test_host_speed_counts_work_not_waiting():
    speed = taken.host_speed()
    assert speed > 0
    begin = time.thread_time()
    taken.host_speed()
    spent_s = time.thread_time() - begin
    # Three rounds at no more than the best speed take at least that much CPU time.
    assert spent_s >= 0.5 * 3 * taken._LOOPS / 1e6 / max(speed, taken.host_speed())


def test_machine_names_hardware_and_nobody():
    facts = taken.machine()
    assert list(facts) == ["cpu", "cores", "memory_gib", "kernel", "os", "python"]
    assert facts["cores"] == os.cpu_count()
    assert facts["memory_gib"] > 0
    assert all(str(value) for value in facts.values())
    for private in (socket.gethostname(), getpass.getuser(), str(Path.home())):
        assert private not in [str(value) for value in facts.values()]


def test_cpu_of_ended_children_is_counted(guard, tmp_path):
    path = tmp_path / "samples.csv"
    client = guard.start([sys.executable, "-c", PARENT], grace_s=0)
    with Sampler(path, None, client.pid, period_s=0.1):
        rows, limit = 12, time.monotonic() + 60
        wait_for_rows(path, rows)
        while client_cpu_s(path) < 0.35 and time.monotonic() < limit:
            wait_for_rows(path, rows := rows + 1)
    taken = samples.rows("r1", samples.read(path.parent))
    assert tuple(taken.columns) == SCHEMAS["samples"]
    assert taken["server_cpu_cores"].isna().all()
    total_s = client_cpu_s(path)
    assert total_s >= 0.35  # 0.4 burnt by the child, counted in ticks of 10 ms
    assert round((taken["client_cpu_cores"] * taken["interval_s"]).sum(), 6) <= total_s  # sums of rounded seconds


def test_the_cpu_time_of_the_whole_machine_holds_that_of_a_program(tmp_path):
    path = tmp_path / "samples.csv"
    with Sampler(path, None, os.getpid(), period_s=60):
        end = time.process_time() + 0.4
        while time.process_time() < end:
            pass
    taken = samples.read(tmp_path)
    used_s = taken.iloc[-1] - taken.iloc[0]
    assert 0.35 <= used_s["client_cpu_s"] <= used_s["host_cpu_s"] + 0.1  # the machine's is counted in ticks of 10 ms


def test_a_process_that_vanishes_leaves_its_cells_empty(guard, tmp_path):
    path = tmp_path / "samples.csv"
    server = guard.start(["sleep", "300"], grace_s=0)
    with Sampler(path, server.pid, os.getpid(), period_s=0.05):
        wait_for_rows(path, 3)
        server.stop()
        gone = path.read_text().count("\n")
        wait_for_rows(path, gone + 3)
    taken = samples.rows("r1", samples.read(path.parent))
    assert taken["server_rss_gib"].iloc[0] > 0
    assert taken["server_rss_gib"].isna().iloc[-1]
    assert taken["client_cpu_cores"].notna().all()


def test_a_process_that_never_was(tmp_path):
    path = tmp_path / "samples.csv"
    with Sampler(path, 2**22 + 1, None):
        pass
    assert len(path.read_text().splitlines()) == 3
    assert samples.rows("r1", samples.read(path.parent))["server_cpu_cores"].isna().all()


def test_the_first_row_tells_what_the_server_had_done_before_the_client_was_started(tmp_path):
    before, after = {"inserts": 12.0}, {"inserts": 42.0}
    with Sampler(tmp_path / "samples.csv", None, os.getpid(), period_s=60, counters=lambda: after, before=before):
        pass
    assert samples.read(tmp_path)["inserts"].tolist() == [12.0, 42.0]


def test_a_full_disk_is_reported():
    with pytest.raises(OSError, match="No space left"), Sampler(Path("/dev/full"), os.getpid(), None):
        pass
