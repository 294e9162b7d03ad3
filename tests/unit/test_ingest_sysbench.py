"""sysbench's OLTP reports, in queries per second as YCSB counts, cut anywhere."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from log_harness import one, parsed, rows

from ycsbook import ingest
from ycsbook.ingest import readers
from ycsbook.ingest.finding import detect
from ycsbook.ingest.readers import sysbench
from ycsbook.ingest.reading import batches
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome

HEAD = """sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)

Running the test with following options:
Number of threads: {threads}
Report intermediate results every 10 second(s)

Threads started!

"""


def report(
    reads: int, writes: int, transactions: int, time_s: float, *, others: int = 0, errors: int = 0, percentile: int = 95
) -> str:
    queries = reads + writes + others
    return f"""SQL statistics:
    queries performed:
        read:                            {reads}
        write:                           {writes}
        other:                           {others}
        total:                           {queries}
    transactions:                        {transactions:<6} ({transactions / time_s:.2f} per sec.)
    queries:                             {queries:<6} ({queries / time_s:.2f} per sec.)
    ignored errors:                      {errors:<6} ({errors / time_s:.2f} per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          {time_s:.4f}s
    total number of events:              {transactions}

Latency (ms):
         min:                                    1.25
         avg:                                    7.50
         max:                                  130.70
         {percentile}th percentile:                       21.11
         sum:                               300122.50

Threads fairness:
    events (avg/stddev):           971.3000/7.38
    execution time (avg/stddev):   {time_s:.4f}/0.01
"""


def interval(at: int, tps: float, reads: float, writes: float, others: float, *, percentile: int = 95) -> str:
    return (
        f"[ {at}s ] thds: 16 tps: {tps:.2f} qps: {reads + writes + others:.2f} "
        f"(r/w/o: {reads:.2f}/{writes:.2f}/{others:.2f}) "
        f"lat (ms,{percentile}%): 35.59 err/s: 0.00 reconn/s: 0.00\n"
    )


LOG = (
    HEAD.format(threads=16)
    + interval(10, 100, 1400, 400, 200, percentile=99)
    + interval(20, 90, 1260, 360, 180, percentile=99)
    + report(26_600, 7_600, 1_900, 20.0125, others=3_800, errors=3, percentile=99)
)


def test_a_report_gives_queries_and_transactions(tmp_path):
    log = one(sysbench, tmp_path, LOG)
    assert (log.overall_count, log.runtime_ms, log.threads, log.version) == (1, 20012.5, 16, "1.0.20")
    # All 38,000 queries, as in the printed rate, and those that failed.
    assert log.throughput_ops_s == 38_003 / 20.0125
    assert f"({38_000 / 20.0125:.2f} per sec.)" in LOG
    assert (log.by_operation["OTHER"].count, log.attempted, log.failed) == (3_800, 38_003, 3)
    assert log.by_operation["READ"].return_codes == (("OK", 26_600),)
    assert log.by_operation["UPDATE"].return_codes == (("OK", 7_600), ("ERROR", 3))
    transaction = log.by_operation["TRANSACTION"]
    assert (transaction.count, transaction.mean_us, transaction.percentiles) == (1_900, 7500, ((99, 21110),))
    assert math.isnan(log.by_operation["READ"].mean_us)
    assert log.source == "log0:23"
    assert not log.conflicts
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    assert not checks.counts_disagree(log)


def test_intervals_hold_the_rates(tmp_path):
    log = one(sysbench, tmp_path, LOG)
    assert [(at, n) for at, n, _ in rows(log, "READ")] == [(10, 14_000), (20, 12_600)]
    assert [(at, n) for at, n, _ in rows(log, "TRANSACTION")] == [(10, 1000), (20, 900)]
    (_, total, _), (_, later, _) = rows(log, "TOTAL")
    assert (total, later) == (20_000, 18_000)
    p99 = [v for b in log.series.blocks() for n, v in zip(b.name, b.p99_us, strict=True) if b.names[n] == "TRANSACTION"]
    assert p99 == [35_590, 35_590]


def test_where_a_transaction_is_one_query_its_latencies_are_the_querys(tmp_path):
    read = one(sysbench, tmp_path, report(500, 0, 500, 10.0)).by_operation["READ"]
    assert (read.mean_us, read.min_us, read.max_us, read.percentiles) == (7500, 1250, 130_700, ((95, 21_110),))


def test_the_script_tells_that_writes_are_inserts(tmp_path):
    command = "$ sysbench oltp_insert --mysql-password=canary7 --threads=16 run\n"
    log = one(sysbench, tmp_path, command + report(0, 500, 500, 10.0))
    assert list(log.by_operation) == ["INSERT", "TRANSACTION"]
    assert "canary7" not in repr(log)


def test_several_runs_in_one_file(tmp_path):
    first, second = parsed(sysbench, tmp_path, LOG + HEAD.format(threads=32) + report(100, 0, 100, 5.0))
    assert (first.threads, first.runtime_ms) == (16, 20012.5)
    assert (second.threads, second.throughput_ops_s) == (32, 20.0)


def test_a_rate_of_another_time_is_named(tmp_path):
    log = one(sysbench, tmp_path, LOG.replace("total time:                          20.0125", "total time:  40.0125"))
    assert log.conflicts == ("transactions per sec",)


@settings(max_examples=24, deadline=None)
@given(
    runs=st.lists(
        st.tuples(st.integers(1, 10**9), st.integers(0, 10**9), st.integers(1, 10**8), st.integers(1, 10**8),
                  st.integers(0, 99), st.integers(1, 4096)),
        min_size=1, max_size=3,
    )
)  # fmt: skip
@example(runs=[(1, 0, 10**8, 1, 0, 1)])
def test_reports_made_from_a_model_are_read_back_exactly(tmp_path_factory, runs):
    text = "".join(
        HEAD.format(threads=threads)
        + report(reads, writes, transactions, ticks / 10_000, others=2 * transactions, errors=errors)
        for reads, writes, transactions, ticks, errors, threads in runs
    )
    logs = parsed(sysbench, tmp_path_factory.mktemp("model"), text)
    for log, (reads, writes, transactions, ticks, errors, threads) in zip(logs, runs, strict=True):
        assert (log.overall_count, log.threads, log.conflicts) == (1, threads, ())
        assert log.runtime_ms == ticks / 10_000 * 1000
        assert (log.attempted, log.failed) == (reads + writes + 2 * transactions + errors, errors)
        assert log.throughput_ops_s == log.attempted / (ticks / 10_000)
        assert log.by_operation["TRANSACTION"].count == transactions


def test_reports_in_a_page_are_read_and_beside_another_generators_run_they_are_named(tmp_path):
    reports = f"## Reads\n\n```\n{report(900, 0, 900, 9.5)}```\n\n## Writes\n\n```\n{report(0, 800, 800, 9.5)}```\n"
    (tmp_path / "alone.md").write_text(reports)
    assert ingest.read([tmp_path / "alone.md"]).runs["operations"].tolist() == [900, 800]
    rest = "\n## REST\n\n```\nRequests per second:    20.00 [#/sec] (mean)\n```\n"
    (tmp_path / "both.md").write_text(reports + rest)
    results = [result for _, found in batches(detect.find([tmp_path / "both.md"])[0]) for result in found]
    assert [["sysbench" in remark for remark in result.remarks] for result in results] == [[True]]


def test_releases_before_1_0_have_the_same_report_in_other_words(tmp_path):
    new = report(9000, 3000, 600, 60.0, others=1200, errors=3)
    old = new.replace("SQL statistics", "OLTP test statistics").replace("    queries:  ", "    read/write requests:")
    old = old.replace("Latency (ms):", "    response time:").replace("         95th", "         approx.  95")
    old = old.replace("1.25\n", "1.25ms\n").replace("7.50\n", "7.50ms\n").replace("130.70\n", "130.70ms\n")
    old = old.replace("21.11\n", "21.11ms\n")
    old = "".join(line for line in old.splitlines(keepends=True) if not line.startswith("         sum"))
    course = "[  10s] threads: 8, tps: 10.00, reads: 150.00, writes: 50.00, response time: 4.51ms (95%), errors: 0.00\n"
    for words in (old, old.replace("ignored errors:", "deadlocks:     ")):
        text = HEAD.format(threads=8).replace("1.0.20 (using", "0.5:  multi (with") + course + words
        assert sysbench.recognises(text.encode())
        log, wanted = one(sysbench, tmp_path, text), one(sysbench, tmp_path, HEAD.format(threads=8) + new)
        assert (log.version, log.threads, log.throughput_ops_s) == ("0.5", 8, wanted.throughput_ops_s)
        assert [(s.operation, s.count, s.mean_us, s.max_us, s.percentiles, s.errors) for s in log.summaries] == [
            (s.operation, s.count, s.mean_us, s.max_us, s.percentiles, s.errors) for s in wanted.summaries
        ]


FLAT = "\n".join(
    line.strip() for line in (HEAD.format(threads=7) + report(700, 200, 60, 12.5, others=120)).splitlines()
)


@pytest.mark.parametrize(
    "copied",
    [
        lambda number, line: line,
        lambda number, line: f"- {line}",
        lambda number, line: f"  {number}. {line}",
        lambda number, line: f"> {line}",
        lambda number, line: f"{line}--备注" if ":" in line else line,
        lambda number, line: f"{line}   # note" if ": " in line else line,
    ],
)
def test_copies_lose_indentation_and_gain_marks_numbers_and_notes(tmp_path, copied):
    """As gists, pastebins and blogs show reports."""
    text = "\n".join(copied(number, line) for number, line in enumerate(FLAT.splitlines(), 1)) + "\n"
    assert readers.format_of(text.encode()) == sysbench.FORMAT
    log = one(sysbench, tmp_path, text)
    assert (log.throughput_ops_s, log.threads, log.version) == (1020 / 12.5, 7, "1.0.20")
    transaction = log.by_operation["TRANSACTION"]
    assert (transaction.mean_us, transaction.percentiles) == (7500, ((95, 21_110),))


def test_threads_are_told_by_events_where_no_other_line_tells(tmp_path):
    text = report(700, 200, 5828, 12.5).replace("971.3000", "971.3333")
    assert one(sysbench, tmp_path, text).threads == 6
    assert one(sysbench, tmp_path, text.replace("    total number of events:              5828\n", "")).threads is None


def test_a_report_quoted_to_its_last_latency_has_all_its_figures(tmp_path):
    log = one(sysbench, tmp_path, report(700, 200, 60, 12.5).partition("         sum:")[0])
    assert (log.overall_count, log.throughput_ops_s, log.truncated) == (1, 72, True)


def test_a_log_of_an_early_release_that_was_cut_is_an_incomplete_run(tmp_path):
    line = "[{:>4}s] threads: 7, tps: 96.70, reads: 1324.34, writes: 394.08, response time: 95.99ms (95%)\n"
    text = HEAD.format(threads=7) + line.format(10) + line.format(20)
    assert readers.format_of(text.encode()) == sysbench.FORMAT
    (tmp_path / "cut.log").write_text(text)
    run = ingest.read([tmp_path / "cut.log"]).runs.iloc[0]
    assert (run["outcome"], run["threads"]) == (Outcome.INCOMPLETE, 7)
