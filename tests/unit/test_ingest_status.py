"""Status lines: old and new, split, repeated, with odd numbers and stepped clocks."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.ingest.log import series as series_module
from ycsbook.ingest.log import status
from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.readers import ycsb
from ycsbook.operations import TOTAL

OLD = " 10 sec: 185680 operations; 18543.89 current ops/sec; [INSERT AverageLatency(us)=1692.38]"
NEW = (
    "2023-05-06 10:26:26:218 10 sec: 38662 operations; 3866.2 current ops/sec; est completion in 7 hours 6 minutes "
    "[READ: Count=19410, Max=562687, Min=1162, Avg=2401.65, 90=2515, 99=7315, 99.9=23151, 99.99=562175] "
    "[READ-MODIFY-WRITE: Count=7, Max=9, Min=1, Avg=2,5, 90=3, 99=8, 99.9=9, 99.99=9]"
)


def line(at: str, seconds: int, operations: int, rest: str = "") -> str:
    return f"2026-11-21 {at} {seconds} sec: {operations} operations; 1 current ops/sec; {rest}"


def rows(*lines: str) -> list[dict]:
    return rows_of(Series.of(status.parse_line(text) for text in lines))


def rows_of(series: Series) -> list[dict]:
    columns = ("elapsed_s", "interval_s", "operations", "throughput_ops_s", "mean_us", "max_us", "p99_us", "line")
    return [
        {"operation": block.names[name], **dict(zip(columns, values, strict=True))}
        for block in series.blocks()
        for name, *values in zip(block.name.tolist(), *(getattr(block, c).tolist() for c in columns), strict=True)
    ]


def totals(*lines: str) -> list[tuple]:
    return [
        (row["elapsed_s"], row["interval_s"], row["operations"]) for row in rows(*lines) if row["operation"] == TOTAL
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
    [log] = ycsb.parse(text)
    assert (log.series.lines, [r["operations"] for r in rows_of(log.series)]) == (2, [100])


def test_a_status_that_is_split_over_two_lines_is_one():
    text = (
        line("08:00:00:000", 0, 0)
        + "\n"
        + line("08:00:01:000", 1, 9, "[READ: Count=4, Max=5, Avg=2, 99=5]")
        + "\n[READ AverageLatency(us)=2.1] [UPDATE: Count=5, Max=5, Avg=2, 99=5]\n[UPDATE AverageLatency(us)=2.1]\n"
    )
    [log] = ycsb.parse(text)
    assert [(r["operation"], r["operations"], r["line"]) for r in rows_of(log.series)] == [
        ("TOTAL", 9, 2),
        ("READ", 4, 2),
        ("UPDATE", 5, 2),
    ]


FIRST = [line("08:00:00:000", 0, 0), line("08:00:01:000", 1, 100)]
SECOND = [line("09:00:00:000", 0, 0), line("09:00:01:000", 1, 50)]


def overall(throughput: float) -> list[str]:
    return ["[OVERALL], RunTime(ms), 1000", f"[OVERALL], Throughput(ops/sec), {throughput}"]


def test_runs_one_after_another_are_runs_of_their_own():
    for lines, throughputs in (
        ([*FIRST, *SECOND, *overall(50)], [None, 50]),
        ([*FIRST, *overall(100), *SECOND], [100, None]),
        ([*FIRST, *overall(100), *SECOND, *overall(50)], [100, 50]),
    ):
        logs = ycsb.parse("\n".join([*lines, ""]))
        assert [None if math.isnan(log.throughput_ops_s) else log.throughput_ops_s for log in logs] == throughputs
        assert [log.series.last_operations for log in logs] == [100, 50]


def test_a_run_whose_first_line_is_lost_is_no_end_of_the_one_before_it():
    cut = [*FIRST, line("08:00:09:000", 9, 900)]
    logs = ycsb.parse("\n".join([*cut, line("15:00:04:000", 4, 400), *overall(100), ""]))
    assert [log.throughput_ops_s for log in logs][1:] == [100] and math.isnan(logs[0].throughput_ops_s)
    assert [log.series.last_operations for log in logs] == [900, 400]
    # Lines of one run may change places.
    [log] = ycsb.parse("\n".join([*cut, line("08:00:08:000", 8, 800), *overall(100), ""]))
    assert log.throughput_ops_s == 100


def test_a_stream_that_was_appended_to_the_other_is_of_the_same_run():
    [log] = ycsb.parse("\n".join([*overall(100), *FIRST, ""]))
    assert (log.throughput_ops_s, log.series.last_operations) == (100, 100)


def test_a_summary_that_is_printed_twice_is_one_run():
    [log] = ycsb.parse("\n".join([*FIRST, *overall(100), *overall(100), ""]))
    assert log.overall_count == 1


def test_a_clock_that_steps_back_is_seen():
    lines = [status.parse_line(line("08:00:00:000", n, n)) for n in (0, 5, 3)]
    assert Series.of(lines).stepped
    assert not Series.of(lines[:2]).stepped


LINES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-50, 400), st.integers(0, 2500), st.integers(0, 3)),
    min_size=1,
    max_size=30,
)


@settings(max_examples=40)
@given(steps=LINES, cuts=st.lists(st.integers(0, 30), max_size=4))
def test_a_series_is_the_same_in_however_many_pieces_it_comes(steps, cuts):
    lines, seconds, done, at_ms = [], 0, 1000, 1_700_000_000_000
    for step, more, ms, operations in steps:
        seconds, done, at_ms = seconds + step, done + more, at_ms + ms
        details = tuple(
            status.OperationStatus(name, 5.0, 2.0, 9.0, 8.0) for name in ("READ", "SCAN", "CLEANUP")[:operations]
        )
        lines.append(status.StatusLine(at_ms, float(seconds), done, details))
    whole = Series.of(lines)
    pieces = Series()
    edges = sorted({0, len(lines), *(min(cut, len(lines)) for cut in cuts)})
    for a, b in itertools.pairwise(edges):
        pieces.add(StatusLines.of(list(enumerate(lines[a:b], start=a + 1))))
    both = [
        (rows_of(s), s.lines, s.last_operations, s.last_success_s, s.stepped, repr(s.peak_ops_s))
        for s in (whole, pieces)
    ]
    assert repr(both[0]) == repr(both[1])
    twice = StatusLines.of(list(enumerate([*lines, *lines], start=1)))
    for series in Series.of_runs(twice, np.array([0, len(lines)])):
        found = [{**row, "line": 0} for row in rows_of(series)]
        assert repr(found) == repr([{**row, "line": 0} for row in rows_of(whole)])


def test_a_series_longer_than_memory_waits_in_a_file(monkeypatch):
    monkeypatch.setattr(series_module, "MAX_ROWS_IN_MEMORY", 50)
    monkeypatch.setattr(series_module, "MAX_TOTALS", 64)
    series = Series()
    for n in range(0, 400, 10):
        details = (status.OperationStatus("READ", 10.0, 2.0, 9.0, 8.0),)
        lines = [status.StatusLine(None, float(i), 10 * i, details) for i in range(n, n + 10)]
        series.add(StatusLines.of(list(enumerate(lines, start=n + 1))))
    rows_ = rows_of(series)
    assert [r["elapsed_s"] for r in rows_ if r["operation"] == TOTAL] == [float(i) for i in range(1, 400)]
    assert repr(rows_) == repr(rows_of(series)), "a series can be read again"
    operations, length, ends = series.totals()
    assert len(ends) <= 64
    assert (operations.sum(), length.sum(), ends[-1]) == (3990, 399, 399)


@pytest.mark.parametrize("text", ["1e400", "1E309", "9999999999999999999e300"])
def test_more_than_a_double_holds_is_no_number(text):
    line = status.parse_line(f" 10 sec: 5 operations; 1 current ops/sec; [READ AverageLatency(us)={text}]")
    assert math.isnan(line.details[0].mean_us)
