"""What a report says first of how its runs went: they stood still, were asked for a rate, were short, all failed."""

import shutil
from itertools import product

import pytest
from anomaly_samples import flags, with_series
from command_samples import invoke
from facts_in import facts_in, holds
from page_samples import own_table
from report_samples import head_of

from ycsbook import documents, named_tables, paths
from ycsbook.scaling.limits import limits

LOGS = paths.REPOSITORY / "tests" / "data" / "ycsb"


def of_log(tmp_path, *files):
    """The head of the report of a log's files."""
    (tmp_path / "logs").mkdir()
    for file in files:
        shutil.copy(file, tmp_path / "logs")
    done = invoke("ingest", tmp_path / "logs", "-o", tmp_path / "tables")
    assert done.exit_code == 0, done.output
    return head_of(named_tables.read(tmp_path / "tables"))


def test_a_rate_that_was_asked_for_is_said_to_be_one():
    first, second, *_ = head_of(named_tables.read("bexhoma-postgresql")).verdicts
    assert (first.key, first.values["n"], first.values["total"]) == ("short-verdict-asked", 14, 16)
    assert second.key == "short-verdict-missed" and len(second.values["rows"]) == 2
    first = head_of(named_tables.read("bexhoma-cockroachdb")).verdicts[0]
    (row,) = first.values["rows"]
    assert first.key == "short-verdict-missed" and round(row.values["ops"]) == 9616 and row.values["target"] == 65536


def test_rows_beside_throttled_ones_are_no_slips_and_the_rate_is_no_ceiling_of_servers(tmp_path):
    """10,000 ops/s were asked for: two servers do less with all threads busy, the larger ones wait for the rate."""
    rows = []
    for c, (reads, capacity), r in product((2, 4, 8, 16, 32), ((50, 1450), (100, 2450)), (1, 2, 3)):
        ops = min(capacity * c, 10_000) * (1 - (7 * c + r) % 11 / 3000)
        mean = 64_000 / ops * (1 if capacity * c < 10_000 else 0.4 + r / 100)
        of_reads = (mean / 1.2, 1.4 * mean / 1.2) if reads == 50 else (mean, "")
        rows.append((c, 4 * c, 64, reads, 10_000, ops, *of_reads, r))
    columns = "cores,ram_gib,threads,read_percent,target,qps,read_latency_ms,update_latency_ms,repeat"
    head = head_of(named_tables.read(own_table(tmp_path, columns, rows)))
    keys = {of.key for of in head.head}
    assert "short-verdict-asked" in keys
    assert not keys & {"short-verdict-doubt", "short-verdict-ceiling", "limits-shared"}
    assert not set(head.findings["rule"]) & {"little_law", "little_family", "misprint"} and not head.doubted


@pytest.mark.parametrize("name, longest_s, grades", [("arm-gcp-c4a", 0.512, {"D"}), ("qingcloud-manual", 254.9, {"C"})])
def test_how_long_rows_lasted_by_the_counts_of_their_page_is_said_first(name, longest_s, grades):
    short = head_of(named_tables.read(name), documents=documents.within(paths.PUBLISHED))
    assert short.verdicts[0].key == "short-verdict-short" and short.verdicts[0].values["printed"]
    assert short.verdicts[0].values["most"] == pytest.approx(longest_s, abs=0.1)
    assert set(short.points["grade"]) == grades
    assert "short-unknown-length" not in {fact.key for fact in facts_in(short.verdicts)}


LOG = """Command line: -db site.ycsb.db.MongoDbClient -threads 2 -t
[OVERALL], RunTime(ms), {ms}
[OVERALL], Throughput(ops/sec), {rate}
[READ], Operations, 1000
[READ], AverageLatency(us), 100.0
[READ], Return=OK, 1000
"""


@pytest.mark.parametrize("ms, grade", [(200, "D"), (40_000, "C")])
def test_a_run_of_less_than_a_second_is_no_result(tmp_path, ms, grade):
    (tmp_path / "run.log").write_text(LOG.format(ms=ms, rate=1e6 / ms))
    short = of_log(tmp_path, tmp_path / "run.log")
    assert short.verdicts[0].key == "short-verdict-short" and list(short.points["grade"]) == [grade]


def test_a_run_that_rises_at_each_of_few_intervals_has_not_settled(tmp_path):
    short = of_log(tmp_path, LOGS / "03_mongod_run_b_t4_merged.log")
    assert "not_settled" in set(short.findings["rule"]) and list(short.points["grade"]) == ["D"]
    row, intervals = with_series([1000, 1010, 1005, 1020, 1030, 1040, 1050, 1060])
    assert not flags("not_settled", [row], intervals=intervals)


def test_that_throughput_stood_still_is_said_first(tmp_path):
    first = of_log(tmp_path, *LOGS.glob("13_server_restarted_midrun.*")).verdicts[0]
    assert (first.key, first.values["lost_s"]) == ("short-verdict-stalled", pytest.approx(5.0, abs=0.01))


def test_why_no_run_completed_is_said(tmp_path):
    text = LOG.format(ms=40_000, rate=25).replace("Return=OK", "Return=ERROR")
    (tmp_path / "run.log").write_text(text)
    verdict = of_log(tmp_path, tmp_path / "run.log").answer.verdict
    assert "READ" in verdict and "1,000" in verdict


def test_the_most_that_was_asked_for_is_a_lower_bound():
    assert holds(head_of(named_tables.read("bexhoma-postgresql")).verdicts, "short-best", at_least=True)


def test_a_client_whose_threads_idle_at_one_rate_asks_for_no_more(tmp_path):
    columns = "cores,ram_gib,threads,workload,qps,read_latency_us,update_latency_us"
    slow = {2: 3200, 4: 1700, 8: 950, 16: 575, 32: 388}
    rows = [f"{c},{4 * c},100,b,{10_000 + c},{us},{us}" for c, us in slow.items()]
    path = own_table(tmp_path, columns, rows)
    short = head_of(named_tables.read(path))
    # What it asks for says nothing of what to buy.
    assert "short-verdict-held" in {fact.key for fact in short.verdicts} and "buy" not in short.facts()
    tables = named_tables.read(path)
    found = limits(tables.runs, tables.operations)
    assert set(found["limit_kind"]) == {"elsewhere"} and set(found["reason_key"]) == {"limit-held"}
    assert "ladder: true" not in invoke("next", path).output
    # Threads that are busy may be too few: that is another answer.
    rows = [f"{c},{4 * c},100,b,{10_000 + c},9900,9900" for c in slow]
    heads = head_of(named_tables.read(own_table(tmp_path, columns, rows, "busy.csv")))
    assert "short-verdict-flat" in {fact.key for fact in heads.verdicts}


def test_servers_of_unknown_cores_are_ranked():
    (ranks,) = [fact for fact in head_of(named_tables.read("aws-containers")).verdicts if fact.key == "short-ranks"]
    behind = [fact.values for fact in ranks.values["behind"]]
    assert [round(of["change"], 2) for of in behind] == [-0.10, -0.39]
    assert [round(of["latency_ms"], 1) for of in (ranks.values, *behind)] == [8.6, 9.6, 14.0]
