"""Several clients of one run as one: what the sum must be, and what must not be made up."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_samples import histogram_of

from ycsbook.errors import RunLogError
from ycsbook.facts import fact
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import OperationStatus, StatusLine
from ycsbook.ingest.readers import hdr, ycsb
from ycsbook.ingest.readers.hdr_codec import Mapping
from ycsbook.ingest.runs import checks, client_windows
from ycsbook.ingest.runs.clients import merge
from ycsbook.ingest.runs.rows import Histogram, figures
from ycsbook.ingest.runs.runs import RunEvidence
from ycsbook.ingest.runs.steady import steady_state
from ycsbook.verdicts import Outcome, Warn, of_clients

# 2023-11-14 22:13:20 UTC
EPOCH_MS = 1_700_000_000_000
LATENCIES = st.lists(st.integers(1, 10**7), max_size=30)


def summary(name: str, values: list[int], *, failed: int = 0) -> Summary:
    """As YCSB prints it for these latencies (us)."""
    if not values:
        return Summary(name, 0.0, return_codes=(("ERROR", failed),) if failed else ())
    codes = (("OK", len(values)), *([("ERROR", failed)] if failed else []))
    percentiles = tuple((p, float(np.percentile(values, p, method="higher"))) for p in (95.0, 99.0))
    return Summary(name, float(len(values)), float(np.mean(values)), min(values), max(values), percentiles, codes)


def client(
    *, start_ms: int = 0, seconds: int = 1500, rate: int = 100, threads: int = 4, step: int = 1, zone_h: int = 0, **log
) -> RunLog:
    """A client that reads at a constant rate, with a status line every `step` seconds from its start to its end."""
    done = rate * seconds
    lines = [
        StatusLine(
            EPOCH_MS + start_ms + zone_h * 3_600_000 + 1000 * t, float(t), rate * t,
            (OperationStatus("READ", float(rate * step), 500.0 + rate, 900.0 + rate, 800.0),) if t else (),
        )
        for t in range(0, seconds + 1, step)
    ]  # fmt: skip
    read = Summary(
        "READ", float(done), 500.0 + rate, 100.0, 900.0 + rate, ((99.0, 800.0 + rate),), (("OK", done),), "run.log:7"
    )
    known = {
        "command_line": f"-t -threads {threads} -target 1000", "version": "0.17.0", "overall_count": 1,
        "runtime_ms": 1000.0 * seconds, "throughput_ops_s": float(rate), "series": Series.of(lines),
        "summaries": (read, Summary("CLEANUP", float(threads), 7.0, 1.0, 9.0)), "source": "run.log:1",
    }  # fmt: skip
    return RunLog(**(known | log))


def merged(*logs: RunLog) -> RunEvidence:
    return merge(logs, [{} for _ in logs])


def rows_of(series: Series) -> list[dict]:
    return [
        {"operation": b.names[b.name[i]], **{k: getattr(b, k)[i].item() for k in ("elapsed_s", "interval_s",
         "operations", "throughput_ops_s", "mean_us", "max_us", "p99_us")}}
        for b in series.blocks() for i in range(len(b))
    ]  # fmt: skip


def test_two_clients_are_one_run():
    found = merged(client(rate=100, threads=4), client(rate=300, threads=8, start_ms=2000))
    log = found.log
    assert (found.log.columns["clients"], found.verdict.outcome, found.verdict.reasons, found.warnings) == (
        2,
        "completed",
        (),
        (),
    )
    assert log.throughput_ops_s == pytest.approx(400)
    assert log.runtime_ms == 1_502_000
    assert (log.attempted, log.threads, log.version, log.format) == (600_000, 12, "0.17.0", "ycsb")
    assert found.log.columns == {
        "clients": 2, "threads": 12, "target_ops_s": 2000, "client_sum_ops_s": 400, "client_skew_s": 2,
        "union_ops_s": pytest.approx(600_000 / 1502),
    }  # fmt: skip
    read = log.by_operation["READ"]
    assert read.mean_us == pytest.approx((600 * 150_000 + 800 * 450_000) / 600_000)
    assert (read.min_us, read.max_us, read.return_codes) == (100, 1200, (("OK", 600_000),))
    assert (read.percentiles, read.bounds, read.source) == ((), ((99.0, 900.0, 1100.0),), "run.log:7")


def test_the_figures_of_the_merged_run_do_not_contradict_each_other():
    log = merged(client(rate=100), client(rate=300, start_ms=60_000)).log
    assert log.totals_agree
    assert not checks.counts_disagree(log)
    assert log.overall_operations == pytest.approx(log.attempted)
    steady = steady_state(*log.series.totals())
    # Where only one of them ran is no part of the steady state, and no warm-up either.
    assert steady.steady_ops_s == pytest.approx(400)
    assert (steady.warmup_s, steady.end_s) == (0, 1500)
    row = figures(log, steady)
    assert (row["operations"], row["throughput_ops_s"]) == (600_000, pytest.approx(400))
    assert row["goodput_ops_s"] == row["throughput_ops_s"]


def test_throughput_is_counted_in_the_common_window_only():
    # The first runs alone for 500 s, the second for 600 s; a sum of their rates or a total over all time would differ.
    fast_alone = [
        StatusLine(EPOCH_MS + 1000 * t, float(t), n, ()) for t, n in [(0, 0), (500, 500_000), (1500, 600_000)]
    ]
    first = client(series=Series.of(fast_alone), throughput_ops_s=400.0, summaries=client(rate=400).summaries)
    second = client(start_ms=500_000, seconds=1600, rate=50)
    log = merged(first, second).log
    assert log.throughput_ops_s == pytest.approx(100 + 50)
    assert log.columns["client_sum_ops_s"] == 450
    assert log.columns["union_ops_s"] == pytest.approx((600_000 + 80_000) / 2100)


def test_counters_are_interpolated_between_status_lines():
    log = merged(client(step=30, rate=100), client(step=50, rate=7, start_ms=12_345)).log
    assert log.throughput_ops_s == pytest.approx(107)


@settings(max_examples=40)
@given(
    skews=st.lists(st.integers(0, 400_000), min_size=2, max_size=4),
    rates=st.lists(st.integers(1, 10_000), min_size=4, max_size=4),
    steps=st.lists(st.sampled_from([1, 2, 10, 60]), min_size=4, max_size=4),
)
def test_constant_rates_add_up_whenever_the_clients_start(skews, rates, steps):
    logs = [client(seconds=600, start_ms=s, rate=r, step=n) for s, r, n in zip(skews, rates, steps, strict=False)]
    total = sum(rates[: len(skews)])
    found = merged(*logs).log
    assert found.throughput_ops_s == pytest.approx(total)
    rows = rows_of(found.series)
    for name in ("TOTAL", "READ"):
        own = [r for r in rows if r["operation"] == name]
        assert sum(r["operations"] for r in own) == pytest.approx(600 * total)
        assert [r["elapsed_s"] for r in own] == sorted({r["elapsed_s"] for r in own})
    step = max(steps[: len(skews)])
    assert max(r["interval_s"] for r in rows) <= 1.01 * step
    assert max(r["throughput_ops_s"] for r in rows) <= total * (1 + 1e-9)
    # Inside the common window nothing of the rate is lost or shifted.
    operations, length, _ = found.series.totals()
    assert operations / length == pytest.approx(total)


@settings(max_examples=40)
@given(order=st.permutations(range(3)), skews=st.lists(st.integers(0, 150_000), min_size=3, max_size=3))
def test_the_order_of_the_clients_does_not_matter(order, skews):
    logs = [
        client(seconds=200, start_ms=s, rate=100 * (i + 1), threads=i + 1, step=(1, 10, 7)[i])
        for i, s in enumerate(skews)
    ]
    values = [[3, 5], [7], [11, 13, 17, 1000]]
    logs = [replace(log, summaries=(*log.summaries, summary("SCAN", v))) for log, v in zip(logs, values, strict=True)]
    histograms = [{"SCAN": Histogram(histogram_of(np.array(v)), "x")} for v in values]
    one, other = (merge([logs[i] for i in o], [histograms[i] for i in o]) for o in (range(3), order))
    assert {k: pytest.approx(v) for k, v in one.log.columns.items()} == other.log.columns
    assert one.log.throughput_ops_s == pytest.approx(other.log.throughput_ops_s)
    assert one.log.runtime_ms == other.log.runtime_ms
    assert one.log.by_operation == other.log.by_operation
    assert (one.verdict, one.warnings) == (other.verdict, other.warnings)
    assert np.array_equal(one.histograms["SCAN"].log.counts, other.histograms["SCAN"].log.counts)
    for a, b in zip(rows_of(one.log.series), rows_of(other.log.series), strict=True):
        assert a == pytest.approx(b, nan_ok=True)


@settings(max_examples=40)
@given(parts=st.lists(st.tuples(LATENCIES, LATENCIES, st.integers(0, 3)), min_size=2, max_size=5))
def test_parts_of_a_run_merge_to_the_whole(parts):
    operations = ("READ", "UPDATE")
    logs = [client(seconds=5, summaries=tuple(summary(n, v, failed=p[2]) for n, v in zip(operations, p, strict=False)))
            for p in parts]  # fmt: skip
    histograms = [{n: Histogram(histogram_of(np.array(v, np.int64)), "x") for n, v in zip(operations, p, strict=False)}
                  for p in parts]  # fmt: skip
    found = merge(logs, histograms)
    for i, name in enumerate(operations):
        values = list(itertools.chain.from_iterable(p[i] for p in parts))
        whole, got = summary(name, values, failed=sum(p[2] for p in parts)), found.log.by_operation[name]
        assert (got.count, sorted(got.return_codes)) == (whole.count, sorted(whole.return_codes))
        assert [got.mean_us, got.min_us, got.max_us] == pytest.approx(
            [whole.mean_us, whole.min_us, whole.max_us], nan_ok=True
        )
        if not values:
            assert name not in found.histograms
            continue
        exact = histogram_of(np.array(values))
        assert np.array_equal(found.histograms[name].log.counts, exact.counts)
        assert found.histograms[name].log.percentiles() == exact.percentiles()
        assert got.bounds == ()


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(1, 10**6), min_size=1, max_size=20), min_size=2, max_size=4))
def test_percentiles_are_never_made_up(parts):
    logs = [client(seconds=5, summaries=(summary("READ", v),)) for v in parts]
    found = merged(*logs)
    read = found.log.by_operation["READ"]
    assert (read.percentiles, read.estimated, found.histograms) == ((), (), {})
    each = [dict(log.summaries[0].percentiles) for log in logs]
    assert read.bounds == tuple((p, min(e[p] for e in each), max(e[p] for e in each)) for p in (95.0, 99.0))


def test_an_operation_of_one_client_only_keeps_its_percentiles():
    only = summary("SCAN", [5, 7, 9])
    found = merged(client(), client(summaries=(*client().summaries, only)), client(summaries=(summary("SCAN", []),)))
    scan = found.log.by_operation["SCAN"]
    assert (scan.count, scan.percentiles, scan.bounds) == (3, only.percentiles, ())


def test_bounds_are_of_percentiles_that_all_clients_have():
    parts = [((95.0, 3.0), (99.0, 9.0)), ((99.0, 5.0), (99.9, 7.0)), ((99.0, 6.0), (95.0, math.nan))]
    logs = [client(summaries=(Summary("READ", 10.0, percentiles=p),)) for p in parts]
    assert merged(*logs).log.by_operation["READ"].bounds == ((99.0, 5.0, 9.0),)


def test_a_histogram_of_one_client_is_no_histogram_of_the_run():
    values = list(range(1, 101))
    logs = [client(summaries=(summary("READ", values),)) for _ in range(2)]
    exact = Histogram(histogram_of(np.array(values)), "x")
    found = merge(logs, [{"READ": exact}, {}])
    assert found.histograms == {}
    assert found.log.by_operation["READ"].bounds[0][0] == 95
    # One that counts otherwise than the log is of another run, or was cut.
    other = Histogram(histogram_of(np.array(values[1:])), "x")
    for bad in (other, replace(exact, log=replace(exact.log, truncated=True))):
        found = merge(logs, [{"READ": exact}, {"READ": bad}])
        assert found.histograms == {}
        assert Warn.COUNTS_DISAGREE in found.warnings
    coarse = replace(exact, log=hdr.HdrLog(Mapping(2, 1), np.bincount([5] * 100, minlength=10)))
    found = merge(logs, [{"READ": exact}, {"READ": coarse}])
    assert found.histograms == {}
    assert found.log.by_operation["READ"].bounds


# -- clocks


def test_clients_one_after_another_are_refused():
    with pytest.raises(RunLogError) as caught:
        merged(client(seconds=100), client(seconds=100, start_ms=217_000))
    text = str(caught.value)
    assert "client 0 from 2023-11-14 22:13:20 to 2023-11-14 22:15:00" in text
    assert "client 1 from 2023-11-14 22:16:57 to 2023-11-14 22:18:37" in text
    assert "not all run at the same time" in text
    assert "run.log:1" in text


@pytest.mark.parametrize(("hours", "seconds"), [(1, 600), (8, 1500), (1, 36_000), (-5, 600)])
def test_clocks_that_may_show_other_zones_are_refused(hours, seconds):
    logs = [client(seconds=seconds, step=60), client(seconds=seconds, step=60, start_ms=7000, zone_h=hours)]
    with pytest.raises(RunLogError, match="time zones"):
        merged(*logs)
    # Unless their histograms say when they started, in UTC.
    started = [EPOCH_MS / 1000 + 1.5, EPOCH_MS / 1000 + 9]
    histograms = [
        {"READ": Histogram(hdr.HdrLog(Mapping(3, 1), np.zeros(10, np.int64), start_time_s=s), "x")} for s in started
    ]
    found = merge(logs, histograms)
    assert found.log.throughput_ops_s == pytest.approx(200)
    assert found.log.columns["client_skew_s"] == 7
    # A start that is not that of the client proves nothing.
    with pytest.raises(RunLogError):
        merge(logs, [histograms[0], {"READ": replace(histograms[1]["READ"], log=replace(
            histograms[1]["READ"].log, start_time_s=started[1] + 450))}])  # fmt: skip


def test_quarter_hours_are_zones_and_other_delays_are_not():
    with pytest.raises(RunLogError, match="15 min apart"):
        merged(client(seconds=3000), client(seconds=3000, start_ms=905_000))
    assert merged(client(seconds=3000), client(seconds=3000, start_ms=600_000)).log.columns["client_skew_s"] == 600


@pytest.mark.parametrize(
    "series", [Series(), Series.of([StatusLine(None, float(t), 10 * t, ()) for t in range(20)]),
               Series.of([StatusLine(EPOCH_MS, 0.0, 0, ())])]
)  # fmt: skip
def test_without_clocks_nobody_knows_whether_they_ran_together(series):
    found = merged(client(), client(series=series))
    assert found.verdict.outcome == Outcome.INCOMPLETE
    assert found.verdict.reasons == (fact("reason-clients-without-clock"),)
    assert math.isnan(found.log.throughput_ops_s)
    assert checks.verdict(found.log).outcome == Outcome.INCOMPLETE
    assert found.log.columns == {"clients": 2, "threads": 8, "target_ops_s": 2000, "client_sum_ops_s": 200}


def test_load_and_run_are_no_clients_of_each_other():
    with pytest.raises(RunLogError, match="client 0 is a load, client 1 is a run"):
        merged(client(command_line="-load -threads 4"), client())


# -- what one client shows holds for the run


def test_a_client_without_summary_makes_the_run_incomplete():
    cut = client(overall_count=0, runtime_ms=math.nan, throughput_ops_s=math.nan, summaries=(), truncated=True)
    found = merged(client(), cut)
    assert found.verdict.outcome == checks.verdict(found.log).outcome == Outcome.INCOMPLETE
    reasons = fact("reason-summaries", n=0, ycsb=True), fact("reason-last-status", seconds=1500.0)
    assert found.verdict.reasons == tuple(of_clients([1], reason) for reason in reasons)
    assert Warn.TRUNCATED in found.warnings
    assert math.isnan(found.log.throughput_ops_s)
    assert not {"client_sum_ops_s", "union_ops_s"} & found.log.columns.keys()


def test_a_client_that_failed_makes_the_run_failed():
    failed = client(summaries=(Summary("READ", 0.0, return_codes=(("ERROR", 150_000),)),))
    found = merged(client(), failed)
    assert (found.verdict.outcome, found.verdict.reasons) == (
        Outcome.FAILED,
        (of_clients([1], fact("reason-never-succeeded", operation="READ", n=150_000)),),
    )
    assert Warn.OPERATIONS_FAILED in found.warnings
    assert found.log.failed == 150_000


def test_threads_unknown_in_one_client_are_unknown():
    lost = client(command_line="", summaries=client().summaries[:1])
    found = merged(client(), lost)
    assert found.log.threads is None
    assert math.isnan(found.log.columns["threads"])
    assert math.isnan(found.log.columns["target_ops_s"])
    assert found.warnings == (Warn.THREADS_UNKNOWN,)


def test_a_pool_and_a_clipped_thread_are_matters_of_each_client():
    pool = "-t -threads 4 -p mongodb.url=mongodb://h/?maxPoolSize=5"
    assert merged(*[client(command_line=pool)] * 2).warnings == ()
    clipped = client(threads=4, command_line="-t -threads 8")
    assert merged(client(), clipped).warnings == (Warn.THREADS_CLIPPED,)


def test_a_run_is_as_long_as_all_of_its_clients_ran():
    # Together 21 minutes from start to end, but only 17 of them with both.
    found = merged(client(seconds=19 * 60), client(seconds=19 * 60, start_ms=120_000))
    assert found.warnings == (Warn.SHORT_RUN,)
    assert found.log.runtime_ms == 21 * 60_000


def test_what_differs_between_clients_is_left_out_or_told_apart():
    found = merged(client(version="0.17.0", errors=("a", "b"), conflicts=("READ count",)),
                   client(version="0.16.0", errors=("b", "c"), format="go-ycsb"))  # fmt: skip
    assert (found.log.version, found.log.errors, found.log.format) == ("", ("a", "b", "c"), "go-ycsb+ycsb")
    assert found.log.conflicts == ("client 0: READ count",)
    assert Warn.COUNTS_DISAGREE in found.warnings


# -- the series


def test_means_are_weighted_and_percentiles_within_intervals_are_not_merged():
    rows = rows_of(merged(client(rate=100), client(rate=300)).log.series)
    read = [r for r in rows if r["operation"] == "READ"]
    assert len(read) == 1500
    assert read[0] == pytest.approx(
        {"operation": "READ", "elapsed_s": 1, "interval_s": 1, "operations": 400, "throughput_ops_s": 400,
         "mean_us": 750, "max_us": 1200, "p99_us": math.nan}, nan_ok=True,
    )  # fmt: skip
    assert all(math.isnan(r["p99_us"]) for r in rows)


def test_a_mean_that_one_client_did_not_print_is_not_guessed():
    lines = []
    for t in range(1501):
        mean = math.nan if t == 700 else 600.0
        lines.append(
            StatusLine(EPOCH_MS + 1000 * t, float(t), 100 * t, (OperationStatus("READ", 100.0, mean, 1000.0, 800.0),))
        )
    rows = rows_of(merged(client(), client(series=Series.of(lines))).log.series)
    unknown = [r["elapsed_s"] for r in rows if r["operation"] == "READ" and math.isnan(r["mean_us"])]
    assert unknown == [700]


def test_old_status_lines_without_counts_give_totals_only():
    lines = [StatusLine(EPOCH_MS + 1000 * t, float(t), 100 * t, (OperationStatus(
        "READ", math.nan, 600.0, math.nan, math.nan),)) for t in range(1501)]  # fmt: skip
    rows = rows_of(merged(*[client(series=Series.of(lines)) for _ in range(2)]).log.series)
    assert {r["operation"] for r in rows} == {"TOTAL"}
    assert sum(r["operations"] for r in rows) == 300_000


def test_an_absurd_clock_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(client_windows, "MAX_INTERVALS", 2**12)
    lines = [StatusLine(EPOCH_MS + 1000 * t, float(t), 10 * t, ()) for t in (*range(100), 9_999_999_999)]
    found = merged(client(), client(series=Series.of(lines)))
    assert len(rows_of(found.log.series)) <= 2 * (client_windows.MAX_INTERVALS + 1)


ODD = st.one_of(st.sampled_from([math.nan, 0.0, -1.0, 0.5, 9e18]), st.floats(0, 1e7))


@settings(max_examples=40)
@given(
    lines=st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-(10**13), 10**14)),
            st.integers(-(10**10), 10**10),
            st.integers(0, 10**18),
            st.lists(st.tuples(st.sampled_from(["READ", "X"]), ODD, ODD), max_size=2),
        ),
        max_size=6,
    ),
    figures=st.tuples(ODD, ODD, ODD, ODD),
)
def test_nothing_in_a_log_is_an_error_of_ours(lines, figures):
    status = [
        StatusLine(at, float(t), n, tuple(OperationStatus(*d, d[-1], d[-1]) for d in details))
        for at, t, n, details in lines
    ]
    runtime, throughput, count, mean = figures
    odd = client(
        series=Series.of(status), runtime_ms=runtime, throughput_ops_s=throughput,
        summaries=(Summary("READ", count, mean, mean, mean, ((99.0, mean),)), Summary("CLEANUP", count)),
    )  # fmt: skip
    for other in (client(seconds=10), odd):
        try:
            found = merged(other, odd)
        except RunLogError:
            continue
        assert found.verdict.outcome in set(Outcome)
        assert len(rows_of(found.log.series)) <= 3 * (client_windows.MAX_INTERVALS + 1)


# -- real logs


def read_client(folder: Path, i: int) -> tuple[RunLog, dict[str, Histogram]]:
    (log,) = ycsb.parse(folder / f"{i}_run.txt")
    files = {name: folder / f"{i}_{name}.hdr" for name in ("READ", "UPDATE")}
    return log, {name: Histogram(hdr.read(path), str(path)) for name, path in files.items()}


@pytest.mark.shared
def test_the_two_real_clients_give_the_figures_of_the_manifest(shared):
    logs, histograms = zip(*(read_client(shared / "samples" / "benchant_small_2clients", i) for i in (0, 1)),
                           strict=True)  # fmt: skip
    assert logs[0].throughput_ops_s == pytest.approx(2536.5576, abs=5e-5)
    found = merge(logs, histograms)
    assert (found.verdict.outcome, found.warnings, found.log.threads) == ("completed", (), 100)
    percentiles = {n: found.histograms[n].log.percentiles((50, 95, 99, 99.9, 99.99)) for n in ("READ", "UPDATE")}
    assert list(percentiles["READ"].values()) == [4759, 12735, 20527, 98495, 455423]
    assert list(percentiles["UPDATE"].values()) == [26575, 66239, 118783, 615935, 1857535]
    assert [found.log.by_operation[n].count for n in ("READ", "UPDATE")] == [4563996, 4563052]
    assert found.log.throughput_ops_s == pytest.approx(5069.1008, abs=1e-3)
    assert found.log.columns["client_sum_ops_s"] == pytest.approx(5070.3159, abs=1e-3)
    assert found.log.columns["union_ops_s"] == pytest.approx(9127048 / 1800.895)
    assert found.log.columns["client_skew_s"] == 0.867
    assert sum(r["operations"] for r in rows_of(found.log.series) if r["operation"] == "TOTAL") == pytest.approx(
        9127048
    )


@pytest.mark.shared
def test_two_real_runs_two_minutes_apart_are_refused(shared):
    names = ("ycsb-time-series.dat", "ycsb-time-series-2.dat")
    logs = [ycsb.parse(shared / "samples" / "pkb" / name)[0] for name in names]
    with pytest.raises(RunLogError, match=r"16:13:47 to .* 16:15:44"):
        merged(*logs)
