"""JMeter's results files, sample by sample."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_harness import one, rows

from ycsbook.ingest.readers import jmeter
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
)


def sample(at: int, elapsed: int, label: str, *, success: bool = True, message: str = "OK", threads: int = 4) -> str:
    failure = "" if success else '"Timed out,\nafter 10 s"'
    return (
        f"{at},{elapsed},{label},200,{message},Users 1-1,text,{str(success).lower()},{failure},9,0,"
        f"{threads},{threads},null,{elapsed},0,0\n"
    )


JTL = (
    HEADER
    + sample(1_700_000_000_000, 10, "Mongo find")
    + sample(1_700_000_000_500, 30, "Mongo find", threads=8)
    + sample(1_700_000_001_000, 900, "insertOne", success=False)
    + sample(1_700_000_001_200, 100, "insertOne")
    + sample(1_700_000_000_000, 1900, "Everything", message='"Number of samples in transaction : 4, failing : 1"')
)


def test_a_results_file_gives_its_samples_by_operation(tmp_path):
    log = one(jmeter, tmp_path, JTL)
    assert (log.overall_count, log.runtime_ms, log.throughput_ops_s, log.threads) == (1, 1900, 4 / 1.9, 8)
    read = log.by_operation["READ"]
    assert (read.count, read.mean_us, read.min_us, read.max_us) == (2, 20_000, 10_000, 30_000)
    assert dict(read.percentiles) == {50: 10_000, 90: 30_000, 95: 30_000, 99: 30_000, 99.9: 30_000, 99.99: 30_000}
    assert log.by_operation["INSERT"].return_codes == (("OK", 1), ("ERROR", 1))
    assert log.by_operation["INSERT-FAILED"].mean_us == 900_000
    assert (log.attempted, log.failed, log.conflicts) == (4, 1, ())
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    assert not checks.counts_disagree(log)


def test_its_intervals_are_seconds_of_the_clock(tmp_path):
    log = one(jmeter, tmp_path, JTL)
    assert log.series.first_at_ms == 1_700_000_000_000
    assert rows(log, "READ") == [(1.0, 2, 20_000)]
    assert [(at, n) for at, n, _ in rows(log, "TOTAL")] == [(1.0, 2), (2.0, 2)]


@pytest.mark.parametrize(
    ("label", "operation"),
    [("Mongo find by id", "READ"), ("insertMany", "INSERT"), ("UPDATE user", "UPDATE"), ("db.delete", "DELETE"),
     ("Scan 100", "SCAN"), ("GET /users", "READ"), ("login", "login"), ("targets", "targets")],
)  # fmt: skip
def test_labels_name_operations(label, operation):
    assert jmeter.operation_of(label) == operation


def test_samples_that_are_no_operations_of_the_database_are_not_counted(tmp_path):
    log = one(jmeter, tmp_path, JTL + sample(1_700_000_000_700, 20, "login"))
    assert (log.attempted, log.throughput_ops_s, log.by_operation["login"].count) == (4, 4 / 1.9, 1)
    assert not checks.counts_disagree(log)
    assert sum(n for _, n, _ in rows(log, "TOTAL")) == 4


def test_rows_that_are_none_are_named(tmp_path):
    log = one(jmeter, tmp_path, JTL + "1700000000000,ten,x,200,OK,t,text,true,,1,1,1,1,null,1,0,0\nshort,row\n")
    assert (log.attempted, log.conflicts) == (4, ("CSV rows",))


@settings(max_examples=24, deadline=None)
@given(
    samples=st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 10**5), st.sampled_from(["find", "update"]), st.booleans()),
        min_size=1, max_size=80,
    )
)  # fmt: skip
def test_a_results_file_made_from_a_model_is_read_back_exactly(tmp_path_factory, samples):
    base = 1_700_000_000_000
    text = HEADER + "".join(sample(base + at, ms, label, success=ok) for at, ms, label, ok in samples)
    log = one(jmeter, tmp_path_factory.mktemp("model"), text)
    runtime = max(at + ms for at, ms, _, _ in samples) - min(at for at, *_ in samples)
    assert log.runtime_ms == runtime
    assert log.throughput_ops_s == pytest.approx(len(samples) / (runtime / 1000) if runtime else math.nan, nan_ok=True)
    assert (log.attempted, log.failed) == (len(samples), sum(not ok for *_, ok in samples))
    for name, label in (("READ", "find"), ("UPDATE", "update")):
        good = sorted(ms for _, ms, known, ok in samples if ok and known == label)
        if good:
            summary = log.by_operation[name]
            assert (summary.count, summary.min_us, summary.max_us) == (len(good), good[0] * 1000, good[-1] * 1000)
            assert summary.mean_us == sum(good) * 1000 / len(good)
            assert dict(summary.percentiles)[50] == good[(len(good) - 1) // 2] * 1000
            assert sum(n for _, n, _ in rows(log, name)) == len(good)


def test_a_results_file_cut_inside_a_row_gives_no_figures(tmp_path):
    ends = [i + 1 for i, c in enumerate(JTL) if c == "\n"]
    for size in range(len(HEADER) + 1, len(JTL)):
        log = one(jmeter, tmp_path, JTL[:size])
        if size not in ends and size + 1 not in ends:
            assert (log.overall_count, log.summaries, log.truncated) == (0, (), True)


def test_a_last_row_without_end_counts_where_it_can_only_be_whole(tmp_path):
    assert one(jmeter, tmp_path, JTL[:-1]).attempted == 4
    assert one(jmeter, tmp_path, JTL[:-2]).overall_count == 0


SUMMARY = (
    "Label,# Samples,Average,Min,Max,Std. Dev.,Error %,Throughput,Received KB/sec,Sent KB/sec,Avg. Bytes\n"
    "find user,300,12,2,97,8.10,1.000%,6.10000,1.20,0.30,410.0\n"
    '"insert, then wait",100,45,5,880,31.00,12.500%,2.04000,0.50,0.20,120.5\n'
    "TOTAL,400,20,2,880,19.10,3.875%,8.12500,1.70,0.50,337.6"
)
AGGREGATE = (
    "Label,# Samples,Average,Median,90% Line,95% Line,99% Line,Min,Max,Error %,Throughput,Received KB/sec,Sent KB/sec\n"
    "login,60,30,28,55,61,90,4,120,0.000%,6.0/min,1.2,0.3\nmenu,60,10,9,15,21,40,1,60,0.000%,6.0/min,1.2,0.3\n"
    "TOTAL,120,20,18,45,51,80,1,120,0.000%,12.0/min,2.4,0.6\n"
)


def test_a_summary_report_is_one_run_with_an_operation_for_each_label(tmp_path):
    log = one(jmeter, tmp_path, SUMMARY)
    assert (log.overall_count, log.throughput_ops_s, log.attempted, log.failed) == (1, 8.125, 400, 15)
    assert log.runtime_ms == pytest.approx(400 / 8.125 * 1000)
    find, insert = log.by_operation["READ"], log.by_operation["INSERT"]
    assert (find.count, find.mean_us, find.min_us, find.max_us) == (297, 12_000, 2000, 97_000)
    assert insert.return_codes == (("OK", 88), ("ERROR", 12))
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    assert not checks.counts_disagree(log)


def test_an_aggregate_report_has_percentiles_and_may_name_its_rate_per_minute(tmp_path):
    log = one(jmeter, tmp_path, AGGREGATE)
    assert (log.throughput_ops_s, log.attempted) == (0.2, 120)
    assert log.by_operation["login"].percentiles == ((50, 28_000), (90, 55_000), (95, 61_000), (99, 90_000))


def test_searches_of_a_report_stay_apart_as_their_percentiles_cannot_be_added(tmp_path):
    log = one(jmeter, tmp_path, AGGREGATE.replace("login", "find a").replace("menu", "find b"))
    assert [*log.by_operation] == ["find a", "find b"]
    assert log.attempted == 120


@pytest.mark.parametrize("text", [SUMMARY.rpartition("\n")[0] + "\n", SUMMARY.replace("8.12500", "?"), SUMMARY[:90]])
def test_a_report_without_its_total_is_cut(tmp_path, text):
    assert checks.verdict(one(jmeter, tmp_path, text)).outcome == Outcome.INCOMPLETE
