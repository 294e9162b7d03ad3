"""A run is ended on a stall or at the wall limit, not for being silent or slow."""

from hypothesis import given
from hypothesis import strategies as st

from ycsbook.runner.watchdog import Watchdog, finished_operations
from ycsbook.verdicts import StopReason


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


def test_operations_come_from_the_last_whole_status_line(tmp_path):
    log = tmp_path / "run.err"
    assert finished_operations(log) == 0
    log.write_text(
        "2026-11-21 08:47:21:212 1 sec: 664 operations; 662.01 current ops/sec; [READ: Count=355]\n"
        "2026-11-21 08:47:22:211 2 sec: 2033 operations; 1370 current ops/sec\n2026-11-21 08:47:23:210 3 sec: 44"
    )
    assert finished_operations(log) == 2033
