"""Pages whose latencies, mixes and servers are printed in other people's ways: understood, or named as not read."""

import math

import pandas as pd
import pytest
from facts_in import holds
from page_samples import markdown, read

from ycsbook import anomalies, ingest, messages, trust
from ycsbook.anomalies.registry import RULES
from ycsbook.ingest.published import page
from ycsbook.ingest.published.own_data import of_frame
from ycsbook.ingest.published.page_cells import figure, plain
from ycsbook.ingest.published.page_headings import column, columns
from ycsbook.scaling.limits import LimitKind, limits


def tables_of(folder, text, name="page.md"):
    (folder / name).write_text(text, encoding="utf-8")
    return ingest.read([folder / name])


def said_of(tables):
    return messages.worded(anomalies.find(tables))


@pytest.mark.parametrize(
    "operation",
    [
        ("Read", "ral_us"),
        ("Update", "wal_us"),
        ("write", "wal_us"),
        ("Insert", "insert_us"),
        ("Overall", "latency_us"),
        ("读", "ral_us"),
    ],
)
@pytest.mark.parametrize(
    "statistic",
    [
        ("avg", ""),
        ("mean", ""),
        ("Average", ""),
        ("p95", "@95"),
        ("P99", "@99"),
        ("99.9%", "@99.9"),
        ("p999", "@99.9"),
        ("95th percentile", "@95"),
    ],
)
@pytest.mark.parametrize("unit", [("us", 1), ("µs", 1), ("ms", 1000), ("s", 1e6), ("毫秒", 1000)])
def test_operation_statistic_and_unit_in_either_order(operation, statistic, unit):
    (operation, name), (statistic, rank), (unit, factor) = operation, statistic, unit
    for heading in (f"{operation} {statistic} ({unit})", f"{statistic} {operation} latency ({unit})"):
        assert column(heading) == (f"{name}{rank}", factor)


@pytest.mark.parametrize(
    "heading",
    [
        "Total time (s)",
        "Insert (s)",
        "Reads",
        "Average",
        "avg P99 (ms)",
        "Read QPS",
        "Max read latency (ms)",
        "Read avg (ops/s)",
        "Load (s)",
        "读写延迟(ms)",
    ],
)
def test_what_is_no_latency_of_one_kind_is_none(heading):
    assert column(heading) is None


@pytest.mark.parametrize(
    "heading, factor",
    [
        ("QPS(万)", 1e4),
        ("QPS（k）", 1e3),
        ("QPS (K)", 1e3),
        ("吞吐(千)", 1e3),
        ("吞吐量（百万次/秒）", 1e6),
        ("QPS [M]", 1e6),
        ("throughput_k", 1e3),
        ("kQPS", 1e3),
        ("Throughput (K ops/s)", 1e3),
        ("M req/s", 1e6),
        ("QPS (thousand queries/s)", 1e3),
        ("TPS(万)", 1e4),
        ("QPS(x100)", math.nan),
    ],
)
def test_multipliers_of_throughput(heading, factor):
    found = columns([heading])[0]
    assert found == (factor and ("throughput_ops_s", pytest.approx(factor, nan_ok=True)))


@pytest.mark.parametrize(
    ("above", "factor"),
    [
        ("### Throughput (kops/s)", 1e3),
        ("### Latency in ms, throughput in thousand ops/s", 1e3),
        ("All figures are in thousands of operations per second.", 1e3),
        ("Unit: kops/s", 1e3),
        ("（单位：QPS/万）", 1e4),
        ("吞吐量（万次/秒）", 1e4),
        ("At up to 10k ops/s the disk is idle; 5 million rows, in thousands of batches", 1),
        ("数据量单位：万条", 1),
        ("支持百万QPS", 1),
    ],
)
def test_text_above_gives_a_rate_its_unit_where_its_heading_has_none(tmp_path, above, factor):
    def rates(*headings):
        rows, told = read(tmp_path, markdown(["Threads", *headings], [8, *[9.5] * len(headings)], above=f"{above}\n"))
        assert told == []
        return [run["throughput_ops_s"] for run in rows.runs]

    assert rates("QPS") == rates("Throughput") == [9.5 * factor]
    assert rates("Redis QPS", "Valkey QPS") == [9.5 * factor] * 2
    assert rates("Throughput (ops/s)") == rates("ops/sec") == [9.5]


def test_transactions_are_what_is_counted_where_there_are_no_queries():
    assert columns(["线程数", "TPS"])[1] == ("throughput_ops_s", 1.0)
    assert columns(["线程数", "TPS", "QPS"])[1:] == [None, ("throughput_ops_s", 1.0)]


def test_clients_are_the_threads_where_there_are_no_others():
    assert columns(["Clients", "QPS"])[0] == columns(["Concurrent Connections", "QPS"])[0] == ("threads", 1.0)
    assert columns(["Threads", "Clients", "QPS"])[1] is None
    assert column("Maximum Connections") is None


@pytest.mark.parametrize("unit", ["req/s", "req/sec", "requests/second", "rps", "reqs/s", "queries/s", "ops/second"])
def test_rates_have_many_names(unit):
    assert figure("throughput_ops_s", "48,562 条/秒", 1.0) == 48_562
    assert column(f"Throughput ({unit})") == ("throughput_ops_s", 1.0)
    assert figure("throughput_ops_s", f"1,200.5 {unit}", 1.0) == 1200.5


def test_of_two_rates_the_known_unit_is_read():
    assert columns(["Clients", "QPS", "Throughput (tokens/s)"])[1:] == [("throughput_ops_s", 1.0), None]
    assert columns(["Clients", "Throughput (MB/s)", "TPS"])[1:] == [None, ("throughput_ops_s", 1.0)]


def test_what_a_row_is_among_the_others_is_no_part_of_its_figures(tmp_path):
    cells = (["**1 (Baseline)**", 185], ["4 (optimal)", "420 (best)"], ["16 (饱和)", 310], ["32 (per node)", 320])
    rows, told = read(tmp_path, markdown(["Threads", "QPS"], *cells))
    assert [(row["threads"], row["throughput_ops_s"]) for row in rows.runs] == [(1, 185), (4, 420), (16, 310)]
    assert len(told) == 1 and "got '32 (per node)'" in told[0]


def test_the_total_of_operations_beside_a_rate_is_a_count():
    assert columns(["Threads", "Total Ops", "Ops/s"]) == [("threads", 1), None, ("throughput_ops_s", 1)]
    assert columns(["threads", "avgLatencyMs", "maxLatencyMs"]) == [("threads", 1), ("latency_us", 1000), None]


def test_cells_may_say_how_far_runs_scatter_and_what_they_count(tmp_path):
    table = markdown(
        ["VUs", "RPS", "Avg latency"], ["50 VUs", "1,000 ± 20", "2.5 ± 0.1 ms"], ["1 user", "90 +/- 3", "-"]
    )
    found = tables_of(tmp_path, table)
    assert found.runs[["threads", "throughput_ops_s"]].to_numpy().tolist() == [[50, 1000], [1, 90]]
    assert found.operations["mean_us"].tolist() == [2500]


MARKS = ["*", " *", r"\*", "†", "‡", "¹", "①", "¹²", " [1]", "[a]", " (±2%)", " (+/- 20)", " ±2%", " ↑*"]


@pytest.mark.parametrize("mark", [*MARKS, " (1)"])
def test_what_marks_a_figure_is_no_part_of_it(mark):
    marked = plain(f"12.4k{mark}")
    assert figure("throughput_ops_s", marked, 1.0) == 12_400
    assert figure("throughput_ops_s", plain(f"1.24{mark}"), 10_000.0) == 12_400


@pytest.mark.parametrize("mark", MARKS)
def test_what_marks_a_latency_is_no_part_of_it(mark):
    assert (
        figure("ral_us@99", plain(f"1.5 ms{mark}"), math.nan)
        == figure("ral_us@99", plain(f"1.5{mark}"), 1000.0)
        == 1500
    )


@pytest.mark.parametrize("raised", ["1", "[2]", "*", "a", '<a href="#n1">1</a>', "†"])
@pytest.mark.parametrize("row", ["| 2c4g | 8 | 900{} | 1.5 |\n", "<tr><td>2c4g<td>8<td>900{}<td>1.5"])
def test_a_raised_mark_is_that_of_a_footnote(tmp_path, raised, row):
    above = "| Spec | Threads | QPS | P99 read (ms) |\n|-|-|-|-|\n"
    if row.startswith("<"):
        above = "<table><tr><th>Spec<th>Threads<th>QPS<th>P99 read (ms)"
    rows, rejected = read(tmp_path, above + row.format(f"<sup>{raised}</sup>") + "</table>" * row.startswith("<"))
    assert rejected == [] and [run["throughput_ops_s"] for run in rows.runs] == [900]


@pytest.mark.parametrize("spec", ["2核 4GB*", "2c4g¹", "2C4G†"])
def test_a_mark_behind_a_spec_is_no_part_of_it(tmp_path, spec):
    rows, rejected = read(tmp_path, markdown(["Spec", "Threads", "QPS"], [spec, "8*", 900]))
    assert rejected == [] and [(run["spec"], run["threads"]) for run in rows.runs] == [("2c4g", 8)]


@pytest.mark.parametrize("bound", [">100", "&gt; 100", "≥100 ms", "<=1", "＞100"])
def test_a_latency_of_which_only_a_bound_is_printed_costs_no_row(tmp_path, bound):
    table = markdown(["Threads", "QPS", "P99 read (ms)"], [8, 900, bound], [16, 1200, 5])
    rows, rejected = read(tmp_path, table)
    assert rejected == [] and [run["throughput_ops_s"] for run in rows.runs] == [900, 1200]
    assert [p["latency_us"] for p in rows.percentiles] == [5000]


HEADINGS = ["Spec", "Threads", "OPS", "Read avg (us)", "Update avg (us)", "Read p99 (ms)"]


def test_means_and_percentiles_reach_their_tables(tmp_path):
    found = tables_of(tmp_path, markdown(HEADINGS, ["4C16G", 100, "18,661", "5,198", "8,038", "12.5"]))
    assert found.operations[["operation", "mean_us"]].to_numpy().tolist() == [["READ", 5198.0], ["UPDATE", 8038.0]]
    assert found.percentiles[["operation", "percentile", "latency_us", "percentile_source"]].to_numpy().tolist() == [
        ["READ", 99.0, 12_500.0, "summary"]
    ]
    assert found.runs["warnings"].tolist() == [""]


def test_words_behind_a_rate_are_no_unit_and_cells_may_say_what_they_are(tmp_path):
    rows, told = read(tmp_path, markdown(["并发数", "QPS（缓存命中）"], ["64 tasks", "~5,420 (peak)"], [128, "400万+"]))
    assert told == [] and [(r["threads"], r["throughput_ops_s"]) for r in rows.runs] == [(64, 5420), (128, 4_000_000)]
    for unit in ("thousands", "百万亿", "MB/s", "lakh", "тыс", "normalized", "target", "errors", "maximum", "峰值"):
        with pytest.raises(page.RunLogError, match="unknown unit"):
            read(tmp_path, markdown(["Threads", f"QPS ({unit})"], [8, 9]))
    assert column("operations_failed") == ("failed_operations", 1.0)


def test_colons_behind_headings_and_short_names_of_connections(tmp_path):
    rows, told = read(tmp_path, markdown(["Threads:", "QPS:"], ["1 conn", 900], ["2 workers", 850]))
    assert told == [] and [(r["threads"], r["throughput_ops_s"]) for r in rows.runs] == [(1, 900), (2, 850)]


def test_per_cents_of_several_cores_cost_their_column_alone(tmp_path):
    rows, told = read(tmp_path, markdown(["Threads", "QPS", "CPU %"], [1, 900, 100], [2, 850, 384], [4, 880, 552.5]))
    assert told == [] and [r["throughput_ops_s"] for r in rows.runs] == [900, 850, 880]


@pytest.mark.parametrize(
    "heading", ["Hilos", "conc", "Anzahl Threads", "Число потоков", "並列数", "スレッド数", "스레드 수"]
)
def test_threads_in_other_languages(tmp_path, heading):
    rows, told = read(tmp_path, markdown([heading, "A (req/s)", "B (req/s)"], [8, 44, 101], [16, 37, 462]))
    assert told == [] and [r["threads"] for r in rows.runs] == [8, 8, 16, 16]


def test_sizes_tell_rows_apart(tmp_path):
    rows, told = read(tmp_path, markdown(["Value size", "Threads", "QPS"], ["1 KiB", 8, 9], ["8 KiB", 8, 7]))
    assert told == [] and [r["dataset"] for r in rows.runs] == ["page-1-kib", "page-8-kib"]
    tables = of_frame(pd.DataFrame({"cores": [2, 2], "threads": [8, 8], "qps": [9, 7], "value_size": [1, 10]}))
    assert list(tables.runs["dataset"]) == ["value_size=1", "value_size=10"]


def test_columns_that_are_not_read_are_named(tmp_path):
    headings = [*HEADINGS[:3], "Max read (us)", "Region", "Notes"]
    found = tables_of(
        tmp_path, markdown(headings, ["4C16G", 100, 900, 7, "eu", "x"], ["8C32G", 100, 1800, 9, "eu", "y"])
    )
    assert found.runs["warnings"].tolist() == ["COLUMNS_UNREAD"] * 2
    (finding,) = said_of(found).query("cause == 'columns_unread'").to_dict("records")
    assert finding["severity"] == "warning"
    assert finding["message"] == "columns 'Max read (us)', 'Region' were not read (2 of 2 runs)"
    only = tables_of(tmp_path, markdown([*headings[:3], "Region"], ["4C16G", 100, 900, "eu"]))
    (finding,) = said_of(only).query("cause == 'columns_unread'").to_dict("records")
    assert (finding["severity"], finding["message"]) == ("note", "column 'Region' was not read (1 of 1 run)")


MIX = [*HEADINGS[:3], "Read latency (us)", "Update latency (us)"]
BUSY = markdown(MIX, ["8C32G", 100, "25,500", "7,900", "8,100"], ["4C16G", 100, "12,500", "7,900", "8,100"])


def test_an_unknown_mix_is_as_fast_as_its_faster_operation_at_most(tmp_path):
    found = tables_of(tmp_path, BUSY)
    assert [w for w in found.runs["warnings"]] == ["LITTLE_LAW", ""]
    (finding,) = said_of(found).query("rule == 'little_law'").to_dict("records")
    assert finding["severity"] == "error" and finding["effect"] == pytest.approx(25_500 * 7.9e-3 / 100 - 1)
    assert "at least 2.01 times" in finding["message"] and "whatever the mix" in finding["message"]
    # One latency alone says nothing of a mix that may have hardly any such operation.
    alone = tables_of(tmp_path, markdown(MIX[:4], ["8C32G", 100, "25,500", "7,900"]))
    assert alone.runs["warnings"].tolist() == [""] and not (anomalies.find(alone)["rule"] == "little_law").any()


@pytest.mark.parametrize(
    ("mix", "heading", "ms", "by"),
    [
        ("95:5", "Read avg (ms)", 26.07, "reads"),
        ("5:95", "Update avg (ms)", 26.07, "writes"),
        ("50:50", "Read avg (ms)", 3.0, ""),  # writes may be slower
        ("95:5", "Update avg (ms)", 26.07, ""),  # one in 20
    ],
)
def test_the_known_latency_of_a_known_mix_is_a_lower_bound(tmp_path, mix, heading, ms, by):
    headings = ["Spec", "Mix", "Threads", "QPS", heading]
    found = tables_of(tmp_path, markdown(headings, ["8C32G", mix, 50, "11,279", ms]))
    told = messages.facts_of(anomalies.find(found).query("rule == 'little_law'"), "message")
    assert [holds(of, f"little_law-{by}", utilisation=5.587) for of in told] == ([True] if by else [])
    assert found.runs["warnings"].tolist() == (["LITTLE_LAW"] if by else [""])
    assert trust.of_runs(found).tolist() == (["F"] if by else ["C"])
    kind = limits(found.runs, found.operations)["limit_kind"].iloc[0]
    assert (kind == LimitKind.SUSPECT) == bool(by)


def test_a_latency_of_all_operations_needs_no_mix(tmp_path):
    found = tables_of(tmp_path, markdown([*MIX[:3], "Avg latency (ms)"], ["8C32G", 100, "25,500", "7.9"]))
    (finding,) = said_of(found).query("rule == 'little_law'").to_dict("records")
    assert finding["message_key"] == "little_law" and RULES["little_law"].defaults["error"] < finding["effect"] + 1


@pytest.mark.parametrize(
    "prose, workload, reads",
    [
        ("50% read 50% update", "a", 0.5),
        ("Tested with YCSB workload A (read 50%, update 50%), 128 threads.", "a", 0.5),
        ("Workload B: 95% reads and 5% writes, uniform.", "b", 0.95),
        ("5% update / 95% read", "b", 0.95),
        ("测试使用 YCSB，读写比 1:1。", "a", 0.5),
        ("YCSB 0.17, 95:5", "b", 0.95),
        ("All runs are of workload C of YCSB.", "c", math.nan),
        ("Values of 100 bytes, 80% GET / 20% SET.", "r80", 0.8),
        ("It holds 80% of the set, 20% get lost.", "", math.nan),
        ("A server of 12:30 and 80/20 hot spots", "", math.nan),
        ("Workload A has 50% read 50% update, workload B has 95% read 5% update.", "", math.nan),
    ],
)
def test_a_mix_in_prose(tmp_path, prose, workload, reads):
    wanted = (workload, pytest.approx(reads, nan_ok=True))
    for text in (f"# X\n\n{prose}\n\n{BUSY}", f"# X\n\n{prose}\n\n## Results\n\nAs below.\n\n{BUSY}"):
        run = read(tmp_path, text)[0].runs[0]
        assert (run["workload"], run["read_fraction"]) == wanted
    html = "<table><tr><th>Spec<th>Threads<th>QPS<tr><td>4C16G<td>8<td>900</table>"
    run = read(tmp_path, f"<body><h1>X</h1><p>{prose}</p>{html}</body>", "page.html")[0].runs[0]
    assert (run["workload"], run["read_fraction"]) == wanted


def test_a_mix_in_prose_ends_with_its_section_and_never_overrules(tmp_path):
    text = f"# X\n\n## One\n\n95% read 5% update\n\nText.\n\n{BUSY}\n## Two\n\nText.\n\n{BUSY}"
    assert tables_of(tmp_path, text.replace("8C32G", "9C32G", 1)).runs["workload"].tolist()[-1] == ""
    text = f"# X\n\n95% read 5% update\n\n## 50:50\n\nText.\n\n{BUSY}\n## Workload C\n\nText.\n\n{BUSY}"
    assert tables_of(tmp_path, text).runs["workload"].tolist() == ["a", "a", "c", "c"]


def test_workloads_by_names_of_their_own_are_no_more_threads_of_each_other(tmp_path):
    rows = [["Point lookup", 1, 900], ["Mixed load", 8, 1500], ["点查", 8, 1400]]
    runs = tables_of(tmp_path, "# 50:50\n\n" + markdown(["Workload", "Threads", "QPS"], *rows)).runs
    assert runs["workload"].tolist() == ["point-lookup", "mixed-load", "点查"] and runs["read_fraction"].isna().all()


def test_the_sentence_right_above_a_table_holds_for_that_one(tmp_path):
    table = "<table><tr><th>Spec<th>Threads<th>QPS<tr><td>4C16G<td>8<td>900</table>"
    text = f"<p>95% read, 5% update</p>{table}<p>50% read, 50% update</p>{table}"
    assert tables_of(tmp_path, text, "page.html").runs["workload"].tolist() == ["b", "a"]


def test_a_column_of_cores_alone_is_the_spec(tmp_path):
    runs = tables_of(tmp_path, markdown(["vCPU", "Threads", "QPS(万)"], [2, 100, "1.0"], ["4 vCPU", 100, 2.0])).runs
    assert runs[["spec", "cores", "throughput_ops_s"]].to_numpy().tolist() == [["2c", 2.0, 1e4], ["4c", 4.0, 2e4]]
    assert runs["ram_gib"].isna().all()


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("Read latency avg/p95/p99 (ms)", "1.5 / 4 / 9"),
        ("avg / p95 / p99 read latency (us)", "1,500/4,000/9,000"),
        ("avg / p95 / p99 read latency (us)", "1 500 / 4 000 / 9 000"),
        ("读延迟 平均/P95/P99(ms)", "1.5/4/9"),
        ("Read latency (avg/p95/p99, ms)", "1.5 / 4 / 9 [1]"),
        ("Read latency (avg/p95/p99)", "1.5 / 4 / 9 ms"),
        ("Read latency (avg/p95/p99)", "1.5ms / 4ms / 9ms"),
    ],
)
def test_statistics_that_a_heading_lists_are_those_of_the_cells(tmp_path, heading, cell):
    text = markdown(["Spec", "Threads", heading, "QPS"], ["2c4g", 8, cell, 900], ["4c8g", 8, "-", 1000])
    rows, rejected = read(tmp_path, text)
    assert rejected == [] and [run["throughput_ops_s"] for run in rows.runs] == [900, 1000]
    assert [(o["operation"], o["mean_us"]) for o in rows.operations] == [("READ", 1500)]
    assert [(p["percentile"], p["latency_us"]) for p in rows.percentiles] == [(95, 4000), (99, 9000)]
    html = "<table><tr><th>Spec<th>Threads<th>{}<th>QPS<tr><td rowspan=2>2c4g<td>8<td>{}<td>900<tr><td>16<td><td>1000"
    rows, rejected = read(tmp_path, html.format(heading, cell) + "</table>")
    assert rejected == [] and [p["latency_us"] for p in rows.percentiles] == [4000, 9000]


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("Read avg/p99 (ms)", ["1.5 / 4", "1.5"]),
        ("Read avg/p99 (ms)", ["1.5 / 4", "1 / 2 / 3"]),
        ("Read p99/p95 (ms)", ["4 / 9"]),
        ("Read p95/max (ms)", ["4 / 3"]),
        ("Read avg/p99 (ms)", ["900 us / 4 ms"]),
        ("Read/Update latency (ms)", ["1.5 / 4"]),
        ("avg/p99 of read/update (ms)", ["1.5 / 4"]),
        ("avg/avg (ms)", ["1.5 / 4"]),
        ("Latency (min/max) (ms)", ["1.5 / 4"]),
    ],
)
def test_what_is_not_as_its_heading_lists_it_is_not_read(tmp_path, heading, cells):
    runs = [[f"{2 * n}c4g", 8, 900, cell] for n, cell in enumerate(cells, start=1)]
    rows, _ = read(tmp_path, markdown(["Spec", "Threads", "QPS", heading], *runs))
    assert [run["throughput_ops_s"] for run in rows.runs] == [900] * len(cells)
    assert rows.operations == rows.percentiles == [] and all("COLUMNS_UNREAD" in run["warnings"] for run in rows.runs)


def test_listed_statistics_may_stand_below_thread_counts(tmp_path):
    html = "<table><tr><th rowspan=2>Spec<th colspan=2>8 threads<th colspan=2>16 threads<tr>"
    html += "<th>QPS<th>Read avg/p99 (ms)" * 2 + "<tr><td>2c4g<td>900<td>1 / 2<td>1000<td>3 / 4</table>"
    rows, rejected = read(tmp_path, html)
    assert rejected == [] and [run["threads"] for run in rows.runs] == [8, 16]
    assert [o["mean_us"] for o in rows.operations] == [1000, 3000]
    assert [p["latency_us"] for p in rows.percentiles] == [2000, 4000]


@pytest.mark.parametrize(
    "heading",
    ["Durchsatz (Ops/s)", "Débit", "Rendimiento (ops/s)", "Inserts / second", "Throughput (records/s)", "QPS (16KB)",
     "Throughput (1KB)", "Committed TPS"],
)  # fmt: skip
def test_throughput_by_other_names(tmp_path, heading):
    (runs, *_), rejected = read(tmp_path, markdown(["Threads", heading], [8, 900], [16, "1,200"]))
    assert rejected == [] and [run["throughput_ops_s"] for run in runs] == [900, 1200]


def test_rates_of_two_operations_are_still_refused(tmp_path):
    with pytest.raises(page.RunLogError, match="two columns are headed"):
        read(tmp_path, markdown(["Threads", "Reads/s", "Inserts/s"], [8, 900, 300]))
    with pytest.raises(page.RunLogError, match="unknown unit"):
        read(tmp_path, markdown(["Threads", "Throughput (MB)"], [8, 900]))


@pytest.mark.parametrize("cell", ["35 us/op", "35us ← no more from here", "35 us <- the best", "0.035 ms/op"])
def test_words_behind_a_latency_leave_it(tmp_path, cell):
    (_, operations, _), rejected = read(tmp_path, markdown(["Threads", "QPS", "Latency"], [8, 900, cell]))
    assert rejected == [] and [op["mean_us"] for op in operations] == [35]


def test_what_a_figure_was_is_no_remark(tmp_path):
    with pytest.raises(page.RunLogError, match="expected a number"):
        read(tmp_path, markdown(["Threads", "QPS", "Latency"], [8, 900, "35 us ← 48 us"]))


@pytest.mark.parametrize("heading", ["Success Rate", "成功率", "Success rate (%)", "Successful requests %"])
def test_rates_of_success_are_those_of_failures(tmp_path, heading):
    (runs, *_), rejected = read(tmp_path, markdown(["Threads", "QPS", heading], [1, 90, "100%"], [8, 40, "85 %"]))
    assert rejected == [] and [run["goodput_ops_s"] for run in runs] == [90, 34]
    assert [run["warnings"] for run in runs] == ["", "OPERATIONS_FAILED"]


@pytest.mark.parametrize(
    "legend",
    [
        "- Average Latency: the mean of all calls. Unit: ms.\n",
        "<ul><li>**Average Latency**：操作的平均延遲，單位為毫秒(ms)。</li></ul>",
    ],
)
def test_a_legend_anywhere_on_the_page_gives_the_unit(tmp_path, legend):
    rates = markdown(["Threads", "QPS", "Average Latency"], [8, 900, "0.45"])
    (_, operations, _), rejected = read(tmp_path, rates + legend)
    assert rejected == [] and [op["mean_us"] for op in operations] == [450]
    assert read(tmp_path, rates + legend.replace("Average", "Median"))[1]


@pytest.mark.parametrize(
    ("text", "clients"),
    [("压测客户端 8核16GB 一台。", 1), ("one client machine", 1), ("3 client machines, then one client machine", None)],
)
def test_one_client_machine_in_words_is_one_client(tmp_path, text, clients):
    (runs, *_), _ = read(tmp_path, f"{text}\n\n" + markdown(["Threads", "QPS"], [8, 900]))
    assert [run.get("clients") for run in runs] == [clients]


def test_cores_in_hundredths_were_busy_and_are_none_of_the_server(tmp_path):
    headings = ["system", "threads", "ack tps", "CPU cores"]
    (run, _), rejected = read_runs(tmp_path, headings, ["wal", 8, 8089, "1.15"], ["pwal", 8, 54202, "15.32"])
    assert rejected == [] and math.isnan(run["cores"]) and "COLUMNS_UNREAD" in run["warnings"]
    for cores in ("0.5", "0.25", "1.5", "2.00", "1.75", "16"):
        (run, _), _ = read_runs(tmp_path, headings, ["wal", 8, 8089, cores], ["pwal", 8, 54202, "4"])
        assert run["cores"] == float(cores)


def read_runs(folder, headings, *cells):
    rows, rejected = read(folder, markdown(headings, *map(list, cells)))
    return rows.runs, rejected


@pytest.mark.parametrize("heading", ["Benchmark", "type", "类型", "操作", "Command", ""])
@pytest.mark.parametrize(
    "names",
    [("oltp_read_only", "oltp_point_select"), ("只读", "读写"), ("SET", "GET"), ("Read-only", "Update non-index")],
)
def test_a_column_of_operations_alone_is_that_of_the_mixes(tmp_path, heading, names):
    cells = ([name, threads, 100 * threads] for name in names for threads in (8, 16))
    runs, rejected = read_runs(tmp_path, [heading, "threads", "QPS"], *cells)
    assert rejected == [] and {run["dataset"] for run in runs} == {"page"}
    assert len({run["workload"] for run in runs} - {""}) == 2


def test_a_column_with_other_words_or_beside_the_mix_is_none_of_mixes(tmp_path):
    runs, _ = read_runs(tmp_path, ["Type", "threads", "QPS"], ["Read", 8, 100], ["dedicated", 8, 200])
    assert [run["dataset"] for run in runs] == ["page-read", "page-dedicated"]
    headings = ["workload", "Command", "threads", "QPS"]
    runs, _ = read_runs(tmp_path, headings, ["a", "get", 8, 100], ["a", "set", 8, 200])
    assert [(run["workload"], run["dataset"]) for run in runs] == [("a", "page-get"), ("a", "page-set")]


def test_operations_below_a_mix_are_its_parts(tmp_path):
    text = "".join(
        markdown(["Operation", "threads", "QPS"], ["Read", 8, n], ["Update", 8, n + 1], above=f"## Workload {letter}\n")
        for letter, n in (("A", 100), ("B", 200))
    )
    rows, rejected = read(tmp_path, text)
    assert rejected == [] and [(run["workload"], run["dataset"]) for run in rows.runs] == [
        ("a", "page-read"), ("a", "page-update"), ("b", "page-read"), ("b", "page-update"),
    ]  # fmt: skip


def test_a_column_of_which_no_cell_can_be_read_costs_itself_and_no_row(tmp_path):
    headings = ["规格", "threads", "QPS", "Latency (ms)"]
    cells = ["32G", 8, 100, "1.5ms read, 12 ms update"], ["32G", 16, 200, "4ms read"]
    runs, rejected = read_runs(tmp_path, headings, *cells)
    assert [run["throughput_ops_s"] for run in runs] == [100, 200]
    assert [error.partition(":2: ")[2] for error in rejected] == [
        "spec: got '32G', expected cores and RAM such as 2核4G or 8c 64GB; the column is left out",
        "latency_us: got '1.5ms read, 12 ms update', expected a number; the column is left out",
    ]
    # One that can be read shows what the others are to be.
    runs, rejected = read_runs(tmp_path, headings, *cells, ["8核32G", 8, 300, "3"])
    assert [run["throughput_ops_s"] for run in runs] == [300]
    assert [error.split(": ")[0][-2:] for error in rejected] == [":4", ":5"]


def test_scans_and_reads_a_second_are_rates(tmp_path):
    runs, _ = read_runs(tmp_path, ["threads", "Throughput"], [4, "1.74 M ops/sec"], [8, "8.7 K scans/sec"])
    assert [run["throughput_ops_s"] for run in runs] == [1.74e6, 8700]


@pytest.mark.parametrize("took", ["Seconds", "Time (s)", "Duration (s)", "Elapsed (ms)", "Duration"])
def test_operations_and_their_run_time_are_a_throughput(tmp_path, took):
    scale, unit = (1000 if "ms" in took else 1), (" s" if took == "Duration" else "")
    rows = [8, "9,000", f"{5 * scale}{unit}"], [16, "1M", f"{50 * scale}{unit}"]
    (runs, *_), told = read(tmp_path, markdown(["Threads", "Operations", took], *rows))
    assert told == [] and [run["throughput_ops_s"] for run in runs] == [1800, 20000]
    (runs, *_), _ = read(tmp_path, markdown(["Threads", "Operations", took, "QPS"], *([*row, 7] for row in rows)))
    assert [run["throughput_ops_s"] for run in runs] == [7, 7]


@pytest.mark.parametrize(
    ("done", "took"), [("Ops", "Seconds"), ("Operations", "Time (ms)"), ("Operations", "Duration")]
)
def test_what_may_be_another_time_or_a_rate_makes_no_throughput(tmp_path, done, took):
    with pytest.raises(page.RunLogError):
        read(tmp_path, markdown(["Workers", done, took], [8, 9000, 5], [16, 9500, 6]))


def test_a_statistic_in_brackets_is_no_unit_of_a_mean(tmp_path):
    for heading, name in {"Latency (P99)": "latency_us@99", "RT (99%)": "latency_us@99", "延迟(P95)": "latency_us@95",
                          "Read latency (median)": "ral_us@50", "Latency(AVG)": "latency_us"}.items():  # fmt: skip
        assert column(heading)[0] == name and math.isnan(column(heading)[1])
    assert [column(f"Latency ({what})") for what in ("max", "min", "worst")] == [None] * 3
    tables, _ = read(tmp_path, markdown(["Threads", "QPS", "Latency (P99)"], [8, 900, "2 ms"]))
    assert tables.operations == [] and [row["latency_us"] for row in tables.percentiles] == [2000]


@pytest.mark.parametrize(
    "remark", ["higher is better", "mean ± stddev across repeats", "median of 3 runs", "avg of 5", "mean +/- sd"]
)
@pytest.mark.parametrize("comma", [", ", "; "])
def test_a_remark_behind_the_unit_of_a_rate_says_nothing_of_it(tmp_path, remark, comma):
    heading = f"Throughput (ops/sec{comma}{remark})"
    tables, told = read(tmp_path, markdown(["Threads", heading], [8, 900]))
    assert told == [] and tables.runs[0]["throughput_ops_s"] == 900
    wide = f"{heading}\n\n| System | T=1 | T=2 |\n|---|---|---|\n| A | 9,000 | 16,000 ± 30 |\n| B | 7,000 | 11,000 |\n"
    tables, _ = read(tmp_path, wide)
    assert [row["throughput_ops_s"] for row in tables.runs] == [9000, 16000, 7000, 11000]
    # Of some operations, or of a percentile, it does.
    assert column(f"Throughput (ops/s{comma}average of reads)") is None
    assert column(f"p99 (ms{comma}mean of 3 runs)") is None


def test_which_direction_is_better_says_nothing_of_a_column(tmp_path):
    headings = ["Threads", "Throughput (ops/s) (higher is better)", "Latency (ms) ↓", "p99 (ms), lower is better"]
    tables, told = read(tmp_path, markdown(headings, [8, 900, 1.5, 4]))
    assert told == [] and tables.runs[0]["throughput_ops_s"] == 900
    assert [row["mean_us"] for row in tables.operations] == [1500]
    assert [row["latency_us"] for row in tables.percentiles] == [4000]


@pytest.mark.parametrize("heading", ["Tx/sec", "Transactions/s", "Transactions per second", "transactions_per_sec"])
def test_transactions_each_second_are_a_throughput(tmp_path, heading):
    (runs, *_), told = read(tmp_path, markdown(["Threads", heading], [8, 900]))
    assert told == [] and runs[0]["throughput_ops_s"] == 900


def test_the_most_that_was_reached_is_no_throughput_whatever_its_cells_say(tmp_path):
    tables, told = read(tmp_path, markdown(["Threads", "Throughput (max)", "Latency (ms)"], [8, "900 ops/s", 4]))
    assert math.isnan(tables.runs[0]["throughput_ops_s"]) and "'Throughput (max)'" in told[0]


def test_a_share_behind_the_failures_costs_no_row(tmp_path):
    rows = [8, 900, "12 (0.01%)"], [16, 1700, "0 (0.0%)"], [32, 1900, "0.5%"]
    (runs, *_), told = read(tmp_path, markdown(["Threads", "RPS", "Failures"], *rows))
    assert told == [] and [run.get("failed_operations") for run in runs] == [12, 0, None]
    assert runs[2]["goodput_ops_s"] == 1900 * 0.995
