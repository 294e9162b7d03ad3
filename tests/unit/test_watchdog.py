"""A run is ended on a stall or at the wall limit, not for being silent or slow."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.runner.client import FinishedOperations, ServerWatch, Watchdog
from ycsbook.verdicts import StopReason

SAMPLES = Path(__file__).parents[1] / "data" / "ycsb"


def feed(dog, series):
    return [dog.observe(t, n) for t, n in series]


def test_zero_operations_is_a_stall_however_chatty():
    dog = Watchdog(stall_s=5, wall_s=None)
    assert feed(dog, [(t, 0) for t in range(8)])[-3:] == [None, StopReason.STALLED, StopReason.STALLED]


def test_a_stall_that_recovers_is_not_ended():
    dog = Watchdog(stall_s=5, wall_s=None)
    assert set(feed(dog, [(0, 0), (1, 10), (5, 10), (6, 11), (11, 11)])) == {None}


def test_the_wall_limit_holds_while_operations_finish():
    assert Watchdog(stall_s=5, wall_s=10).observe(10.1, 1_000) == StopReason.TIMEOUT


@given(st.lists(st.integers(1, 100), min_size=1, max_size=50))
def test_steady_progress_is_never_ended(steps):
    dog, total = Watchdog(stall_s=2, wall_s=None), 0
    for t, step in enumerate(steps):
        total += step
        assert dog.observe(t, total) is None


LINES = (
    b"Still waiting for thread 3\n"
    b"2026-11-21 08:47:21:212 1 sec: 664 operations; 662.01 current ops/sec; [READ: Count=355, Max=9] "
    b"[UPDATE: Count=309, Max=9]\n"
    b"2026-11-21 08:47:22:211 2 sec: 2033 operations; 1370 current ops/sec; [READ-FAILED: Count=1369, Max=9] "
    b"[Intended-READ: Count=7] [CLEANUP: Count=2]\n2026-11-21 08:47:23:210 3 sec: 44"
)


@given(st.lists(st.integers(0, len(LINES)), max_size=6))
def test_whole_status_lines_tell_what_finished_and_what_succeeded_however_they_come(cuts):
    status, edges = FinishedOperations(), [0, *sorted(cuts), len(LINES)]
    assert (status.operations, status.successes) == (0, 0)
    for start, end in itertools.pairwise(edges):
        status.feed(LINES[start:end])
    assert (status.operations, status.successes) == (2033, 664)


def test_operations_without_figures_count_as_successes():
    status = FinishedOperations()
    status.feed(b" 1 sec: 664 operations; 662.01 current ops/sec\n 2 sec: 700 operations; 36 current ops/sec\n")
    assert (status.operations, status.successes) == (700, 700)


@pytest.mark.parametrize(("name", "lost"), [("12_server_killed_midrun", True), ("13_server_restarted_midrun", False)])
def test_successes_of_real_logs(name, lost):
    """No success from the server's death on, though operations go on to finish."""
    status, last, at = FinishedOperations(), 0, 0
    lines = (SAMPLES / f"{name}.err").read_bytes().splitlines(keepends=True)
    for i, line in enumerate(lines):
        status.feed(line)
        if status.successes != last:
            last, at = status.successes, i
    assert status.operations > 0 and (at < len(lines) - 20) == lost


def lost_at(answers, *, successes=lambda s: 100, seconds=60):
    """When a server is given up, s: `answers` says whether it is there at a second, `successes` how many there are."""
    now = [0.0]
    watch = ServerWatch(lambda: answers(now[0]), lost_s=15)
    for tenth in range(10 * seconds):
        now[0] = tenth / 10
        if watch.is_lost(now[0], successes(now[0])):
            return now[0]
    return None


def test_a_silent_server_is_given_up_after_its_time_and_a_slow_one_never():
    assert 15 < lost_at(lambda s: False) < 17
    assert lost_at(lambda s: True) is None
    # Away for as long as an election takes.
    assert lost_at(lambda s: not 3 < s < 16, successes=lambda s: min(3, int(s))) is None
    assert 20 < lost_at(lambda s: s < 10) < 27  # from when it last answered


def test_a_server_that_does_operations_need_not_answer():
    assert lost_at(lambda s: False, successes=int) is None
    assert 35 < lost_at(lambda s: False, successes=lambda s: min(20, int(s))) < 37


def test_a_server_is_not_asked_while_operations_succeed():
    asked = []
    lost_at(asked.append, successes=int)
    assert asked == []
