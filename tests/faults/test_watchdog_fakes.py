"""Clients that hang in every way they have been seen to: ended, with all they started, for the right reason."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from ycsbook.processes import Guard
from ycsbook.runner import client
from ycsbook.runner.command import Command
from ycsbook.verdicts import StopReason

BEGIN = """
import os, signal, sys, time
def say(second, operations, more=""):
    line = f"2026-01-01 00:00:{second % 60:02d}:000 {second} sec: {operations} operations; {more}"
    print(line, file=sys.stderr, flush=True)
def note(pid):
    open(sys.argv[1] + "/pids", "a").write(f"{pid}\\n")
note(os.getpid())
"""
FOREVER = "time.sleep(300)"
FAKES = {
    "says nothing": FOREVER,
    "goes on saying that nothing is done": "for i in range(9999): say(i, 0); time.sleep(0.05)",
    "goes on saying the same count": "for i in range(9999): say(i, 77, '0 current ops/sec;'); time.sleep(0.05)",
    "is still waiting": """
say(1, 500)
for i in range(9999):
    print("Still waiting for thread Thread-5 to complete. Workload status: true", file=sys.stderr, flush=True)
    time.sleep(0.05)
""",
    "prints results and does not end": "print('[OVERALL], RunTime(ms), 1000', flush=True); " + FOREVER,
    "ignores TERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN); say(1, 5); " + FOREVER,
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "has a grandchild that left": """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note(os.getpid())
        time.sleep(300)
    os._exit(0)
time.sleep(300)
""",
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a fake client to its end; gives why it was ended, and the processes there were."""
    monkeypatch.setattr(client, "CLIENT_GRACE_S", 0.3)
    (tmp_path / "partial").mkdir()
    (tmp_path / "private").mkdir()

    def run(script, *, stall_s, wall_s=None):
        monkeypatch.setattr(client, "STALL_S", stall_s)
        argv = (sys.executable, "-SE", "-c", BEGIN + script, str(tmp_path))
        built = Command(argv, "", dict(os.environ), "fake", tmp_path / "partial" / "hdr")
        with Guard() as guard:
            reason = client.execute(
                guard, built, partial=tmp_path / "partial", secrets=tmp_path / "private", wall_s=wall_s
            )
            # The guard's end would end them too: what counts is that the run's end has.
            alive = [pid for pid in pids(tmp_path) if is_alive(pid)]
        assert list((tmp_path / "private").iterdir()) == []
        return reason, alive

    return run


def pids(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "pids").read_text().split()]


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.mark.matrix
@pytest.mark.parametrize("fake", FAKES)
def test_a_client_that_hangs_is_ended_as_stalled_with_all_it_started(run, tmp_path, fake):
    assert run(FAKES[fake], stall_s=1.0) == (StopReason.STALLED, [])
    assert len(pids(tmp_path)) == 1 + ("grandchild" in fake)


def test_a_stall_that_recovers_ends_nothing(run, tmp_path):
    script = "say(1, 10); time.sleep(0.7); say(2, 20); time.sleep(0.7); say(3, 30)"
    assert run(script, stall_s=30.0) == (None, [])
    assert (tmp_path / "partial" / "run.err").read_text().count("operations;") == 3


def test_progress_without_end_is_ended_by_the_wall_limit(run):
    reason, alive = run("for i in range(9999): say(i, i); time.sleep(0.02)", stall_s=60.0, wall_s=1.0)
    assert (reason, alive) == (StopReason.TIMEOUT, [])


def test_what_was_printed_before_the_end_is_kept(run, tmp_path):
    run("for i in range(1, 40): say(i, 10 * i)\n" + FOREVER, stall_s=1.0)
    lines = (tmp_path / "partial" / "run.err").read_text().splitlines()
    assert lines[-1].endswith("390 operations; ") and len(lines) == 39
