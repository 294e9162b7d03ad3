"""Status lines: old and new, split, repeated, with odd numbers and stepped clocks."""

import math

import pytest

from ycsbook.ingest import status, ycsb

OLD = " 10 sec: 185680 operations; 18543.89 current ops/sec; [INSERT AverageLatency(us)=1692.38]"
NEW = (
    "2023-05-06 10:26:26:218 10 sec: 38662 operations; 3866.2 current ops/sec; est completion in 7 hours 6 minutes "
    "[READ: Count=19410, Max=562687, Min=1162, Avg=2401.65, 90=2515, 99=7315, 99.9=23151, 99.99=562175] "
    "[READ-MODIFY-WRITE: Count=7, Max=9, Min=1, Avg=2,5, 90=3, 99=8, 99.9=9, 99.99=9]"
)


def line(at: str, seconds: int, operations: int, rest: str = "") -> str:
    return f"2026-11-21 {at} {seconds} sec: {operations} operations; 1 current ops/sec; {rest}"


def rows(*lines: str) -> list[dict]:
    return status.interval_rows("r", [status.parse_line(text) for text in lines])


def totals(*lines: str) -> list[tuple]:
    return [
        (row["elapsed_s"], row["interval_s"], row["operations"])
        for row in rows(*lines)
        if row["operation"] == status.TOTAL
    ]


def test_a_line_of_today():
    found = status.parse_line(NEW)
    assert (found.elapsed_s, found.operations) == (10, 38662)
    assert found.at_ms % 60_000 == 26_218
    read, rmw = found.details
    assert (read.operation, read.count, read.mean_us, read.max_us, read.p99_us) == (
        "READ",
        19410,
        2401.65,
        562687,
        7315,
    )
    assert (rmw.operation, rmw.mean_us, rmw.p99_us) == ("READ-MODIFY-WRITE", 2.5, 8)


def test_a_line_of_the_first_release():
    found = status.parse_line(OLD)
    assert (found.at_ms, found.elapsed_s, found.operations) == (None, 10, 185680)
    assert found.details[0].mean_us == 1692.38
    assert math.isnan(found.details[0].count)


@pytest.mark.parametrize("value", ["NaN", "?", "", "\ufffd"])
def test_an_average_that_is_none(value):
    found = status.parse_line(line("08:00:01:000", 1, 5, f"[READ: Count=5, Max=9, Min=1, Avg={value}, 90=3, 99=8]"))
    assert math.isnan(found.details[0].mean_us)
    assert (found.details[0].max_us, found.details[0].p99_us) == (9, 8)


def test_an_interval_without_operations_has_no_latency():
    found = status.parse_line(line("08:00:01:000", 1, 5, "[READ: Count=0, Max=0, Min=0, Avg=0, 90=0, 99=0]"))
    assert found.details[0].count == 0
    assert all(math.isnan(v) for v in (found.details[0].mean_us, found.details[0].max_us, found.details[0].p99_us))


def test_a_bracket_that_was_cut_is_left_out():
    assert [d.operation for d in status.parse_line(NEW[:-1]).details] == ["READ"]


@pytest.mark.parametrize(
    "text", ["", "10 sec: many operations;", "sec: 1 operations;", "2026-99-99 1 sec", NEW.replace(" sec:", " min:")]
)
def test_other_lines_are_none(text):
    assert status.parse_line(text) is None


def test_intervals_are_measured_in_milliseconds():
    lines = line("08:00:00:000", 0, 0), line("08:00:00:950", 1, 400), line("08:00:02:000", 2, 1450)
    assert totals(*lines) == [(0.95, 0.95, 400), (2.0, 1.05, 1050)]
    rates = [r["throughput_ops_s"] for r in rows(*lines)]
    assert rates == pytest.approx([400 / 0.95, 1000])


def test_operations_stand_beside_the_total_and_cleanup_does_not():
    found = rows(
        line("08:00:00:000", 0, 0),
        line("08:00:01:000", 1, 9, "[READ: Count=9, Max=5, Avg=2, 99=5] [CLEANUP: Count=2, Max=5, Avg=2, 99=5]"),
    )
    assert [(r["operation"], r["operations"]) for r in found] == [("TOTAL", 9), ("READ", 9)]


def test_summer_time_does_not_make_an_hour_long_interval():
    assert totals(line("01:59:59:500", 10, 100), line("03:00:00:500", 11, 200)) == [(11, 1, 100)]
    assert totals(line("02:59:59:500", 10, 100), line("02:00:00:500", 11, 200)) == [(11, 1, 100)]


def test_a_fragment_without_length_is_joined_to_the_interval_before():
    lines = line("08:00:00:000", 0, 0), line("08:00:01:000", 1, 100), line("08:00:01:000", 1, 103)
    assert totals(*lines) == [(1.0, 1.0, 103)]


def test_a_repeated_last_line_counts_once():
    text = "\n".join([line("08:00:00:000", 0, 0), *[line("08:00:01:000", 1, 100)] * 3, ""])
    assert [s.operations for s in ycsb.parse(text).status] == [0, 100]


def test_a_status_that_is_split_over_two_lines_is_one():
    text = (
        line("08:00:00:000", 0, 0)
        + "\n"
        + line("08:00:01:000", 1, 9, "[READ: Count=4, Max=5, Avg=2, 99=5]")
        + "\n[READ AverageLatency(us)=2.1] [UPDATE: Count=5, Max=5, Avg=2, 99=5]\n[UPDATE AverageLatency(us)=2.1]\n"
    )
    last = ycsb.parse(text).status[-1]
    assert [(d.operation, d.count) for d in last.details] == [("READ", 4), ("UPDATE", 5)]


def test_a_second_run_in_the_file_does_not_run_on_from_the_first():
    first = [line("08:00:00:000", 0, 0), line("08:00:01:000", 1, 100)]
    second = [line("09:00:00:000", 0, 0), line("09:00:01:000", 1, 50)]
    overall = ["[OVERALL], RunTime(ms), 1000", "[OVERALL], Throughput(ops/sec), 50.0"]
    cut_first = ycsb.parse("\n".join([*first, *second, *overall, ""]))
    assert ([s.operations for s in cut_first.status], cut_first.restarts) == ([0, 50], 1)
    cut_second = ycsb.parse("\n".join([*first, *overall, *second, ""]))
    assert ([s.operations for s in cut_second.status], cut_second.restarts) == ([0, 100], 1)


def test_a_clock_that_steps_back_is_seen():
    lines = [status.parse_line(line("08:00:00:000", n, n)) for n in (0, 5, 3)]
    assert status.clock_stepped(lines)
    assert not status.clock_stepped(lines[:2])
