"""Tables with YCSB's own names as columns: CSV, Markdown, printed data frames, notebooks."""

import json
import math

import pytest
from log_harness import parsed
from typer.testing import CliRunner

from ycsbook import anomalies, ingest, messages
from ycsbook.commands import app
from ycsbook.ingest import readers
from ycsbook.ingest.readers import ycsb_table
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Warn

HEADINGS = ("[OVERALL].Throughput(ops/sec)", "[OVERALL].RunTime(ms)", "[READ].Return=OK", "[READ].AverageLatency(us)",
            "[READ].99thPercentileLatency(us)", "[UPDATE].Return=OK")  # fmt: skip
ROWS = (("PG-64-1", "16", "2000.0", "50000.0", "50100", "410.5", "2210.0", "49900"),
        ("PG-64-2", "32", "2500.0", "40000.0", "49950", "640.0", "3500.0", "50050"))  # fmt: skip
ALL = ("name", "threads", *HEADINGS)
CSV = "\n".join(",".join(cells) for cells in (ALL, *ROWS)) + "\n"
QUOTED = "\n".join(",".join(f'"{cell}"' for cell in cells) for cells in (ALL, *ROWS)) + "\n"
MARKDOWN = "\n".join(f"| {' | '.join(cells)} |" for cells in (ALL, ("---",) * len(ALL), *ROWS)) + "\n"
SPACED = MARKDOWN.replace("].", "], ")
FRAME = "\n".join("  ".join(f"{cell:>9}" for cell in cells) for cells in (ALL[1:], *ROWS)) + "\n"
FRAME = FRAME.replace("  threads", " " * 9 + "    threads", 1)
NOTEBOOK = json.dumps({"cells": [{"outputs": [{"text": FRAME.splitlines(keepends=True)}]}]}, indent=1)


@pytest.mark.parametrize(
    "text", [CSV, QUOTED, MARKDOWN, SPACED, FRAME, NOTEBOOK, f"# Results\n\n{MARKDOWN}\nThat is all.\n"]
)
def test_each_row_is_a_run(tmp_path, text):
    assert readers.format_of(text.encode()) == ycsb_table.FORMAT
    first, second = parsed(ycsb_table, tmp_path, text)
    assert (first.throughput_ops_s, first.runtime_ms, first.attempted, first.threads) == (2000, 50_000, 100_000, 16)
    read = second.by_operation["READ"]
    assert (read.ok, read.mean_us, read.percentiles) == (49_950, 640, ((99, 3500),))


@pytest.mark.parametrize("heading", ["Workers", "clients", "num_clients", "Concurrency", "并发数"])
def test_what_calls_is_the_threads_where_no_column_is_called_so(tmp_path, heading):
    logs = parsed(ycsb_table, tmp_path, CSV.replace("threads", heading))
    assert [log.threads for log in logs] == [16, 32] and not any(map(len, (log.unread for log in logs)))
    both = CSV.replace("name", heading).replace("PG-64-1", "2").replace("PG-64-2", "2")
    assert [log.threads for log in parsed(ycsb_table, tmp_path, both)] == [16, 32]


@pytest.mark.parametrize("cell", ["2GB", "2 gib", "2"])
def test_ram_may_have_its_unit_and_switches_stand_with_their_heading(tmp_path, cell):
    text = CSV.replace("name", "ram,journal").replace("PG-64-1", f"{cell},True").replace("PG-64-2", f"{cell},False")
    logs = parsed(ycsb_table, tmp_path, text.replace(",32,", ",16,"))
    assert [(log.columns["ram_gib"], log.columns["dataset"]) for log in logs] == [
        (2.0, "journal=True"), (2.0, "journal=False"),
    ]  # fmt: skip


NAMES = ("| Figure | Unit | Fast disk | Slow disk |", "|--|:-:|--:|--|")
FIGURES = (("[OVERALL], RunTime(ms)", "ms", "50,000", "250,000"),
           ("[OVERALL], Throughput(ops/sec)", "/s", "2,000", "400"),
           ("[INSERT], Operations", "", "100000", "100000"),
           ("[INSERT], 99thPercentileLatency(us)", "us", "46,047", "99000"),
           ("[INSERT], Return=OK", "", "100000", "100000"))  # fmt: skip
TURNED = "\n".join((*NAMES, *(f"| {' | '.join(cells)} |" for cells in FIGURES))) + "\n"


@pytest.mark.parametrize(
    "text", [TURNED, f"# Loads\n\n{TURNED}\n - [OVERALL], RunTime(ms) : the time\n", TURNED.rstrip()]
)
def test_names_may_stand_in_the_first_column(tmp_path, text):
    assert readers.format_of(text.encode()) == ycsb_table.FORMAT
    fast, slow = parsed(ycsb_table, tmp_path, text)
    assert (fast.throughput_ops_s, fast.runtime_ms, fast.attempted) == (2000, 50_000, 100_000)
    assert (slow.throughput_ops_s, slow.by_operation["INSERT"].percentiles) == (400, ((99, 99_000),))
    assert (fast.columns["dataset"], slow.columns["dataset"]) == ("Fast disk", "Slow disk")
    assert fast.source == slow.source and fast.source.endswith(
        f":{text[: text.index('Throughput')].count(chr(10)) + 1}"
    )


def test_lines_of_the_garbage_collector_part_no_table_with_names_in_its_first_column(tmp_path):
    collector = "| [TOTAL_GCs], Count | | 12 | 40 |\n| [TOTAL_GC_TIME_%_Copy], Time(%) | % | 0.5 | 0.7 |\n"
    fast, slow = parsed(ycsb_table, tmp_path, TURNED.replace("| [INSERT], Op", f"{collector}| [INSERT], Op"))
    assert [log.attempted for log in (fast, slow)] == [100_000, 100_000]
    assert [log.columns["dataset"] for log in (fast, slow)] == ["Fast disk", "Slow disk"]


def test_rows_by_name_without_a_throughput_are_none_of_the_table_above(tmp_path):
    text = f"{MARKDOWN}\n| Figure | Value |\n|--|--|\n| [READ], Operations | 4739 |\n| [READ], Return=OK | 4739 |\n"
    assert [log.throughput_ops_s for log in parsed(ycsb_table, tmp_path, text)] == [2000, 2500]


def test_beside_a_log_such_a_table_only_repeats_it(tmp_path):
    (tmp_path / "a.md").write_text(
        f"{TURNED}\n```\n[OVERALL], RunTime(ms), 50000\n[OVERALL], Throughput(ops/sec), 2000.0\n```\n"
    )
    runs = ingest.read([tmp_path]).runs
    assert (runs["format"].tolist(), runs["throughput_ops_s"].tolist()) == (["ycsb"], [2000])


@pytest.mark.parametrize("name", ["results.csv", "results.md", "results.ipynb", "results.txt"])
def test_tables_are_found_in_folders(tmp_path, name):
    (tmp_path / name).write_text({"csv": CSV, "md": MARKDOWN, "txt": FRAME, "ipynb": NOTEBOOK}[name.rsplit(".")[-1]])
    runs = ingest.read([tmp_path]).runs
    assert runs["outcome"].tolist() == ["completed"] * 2 and (runs["format"] == ycsb_table.FORMAT).all()
    assert runs["workload"].tolist() == ["a", "a"] and runs["threads"].tolist() == [16, 32]


def test_percentiles_of_several_clients_are_averages(tmp_path):
    (tmp_path / "pods.csv").write_text(
        CSV.replace("name,", "pod_count,").replace("PG-64-1", "1").replace("PG-64-2", "8")
    )
    runs = ingest.read([tmp_path]).runs
    assert ["PERCENTILES_AVERAGED" in warnings for warnings in runs["warnings"]] == [False, True]
    assert runs["clients"].tolist() == [1, 8]


def test_without_counts_a_row_is_an_excerpt(tmp_path):
    text = "Filename,Throughput(ops/sec),RunTime(ms),AverageLatency(us)\na.txt,1234.5,2000,8\n"
    (log,) = parsed(ycsb_table, tmp_path, text)
    assert log.is_excerpt and log.throughput_ops_s == 1234.5


def test_a_row_that_was_cut_gives_nothing(tmp_path):
    logs = parsed(ycsb_table, tmp_path, CSV[:-3])
    assert [log.overall_count for log in logs] == [1, 0]


@pytest.mark.parametrize(
    "text",
    ["[OVERALL], RunTime(ms), 10\n[OVERALL], Throughput(ops/sec), 12.5\n[READ], Operations, 9\n",
     "grep Throughput(ops/sec) run.log | awk\n", "| Threads | Throughput(ops/sec) | RAL |\n|-|-|-|\n| 8 | 9 | 1 |\n"],
)  # fmt: skip
def test_logs_scripts_and_vendors_pages_are_none(text):
    assert readers.format_of(text.encode()) != ycsb_table.FORMAT


def html(rows) -> list[str]:
    """A data frame as notebooks show it: a line for each cell."""
    lines = ["<table>\n"]
    for i, cells in enumerate(rows):
        tag = "td" if i else "th"
        lines += ["    <tr>\n", f"      <th>{i - 1 if i else ''}</th>\n"]
        lines += [*(f"      <{tag}>{cell}</{tag}>\n" for cell in cells), "    </tr>\n"]
    return [*lines, "</table>"]


def test_a_data_frame_shown_in_html_and_as_text_is_read_once(tmp_path):
    plain = ["  ".join(f"{cell:>9}" for cell in ("", *ALL)) + "\n"]
    plain += ["  ".join(f"{cell:>9}" for cell in (i, *cells)) + "\n" for i, cells in enumerate(ROWS)]
    for data in ({"text/html": html((ALL, *ROWS))}, {"text/html": html((ALL, *ROWS)), "text/plain": plain}):
        text = json.dumps({"cells": [{"outputs": [{"data": data}]}]}, indent=1)
        assert readers.format_of(text.encode(), name="a.ipynb") == ycsb_table.FORMAT
        logs = parsed(ycsb_table, tmp_path, text)
        assert [(log.throughput_ops_s, log.threads, log.attempted) for log in logs] == [
            (2000, 16, 100_000), (2500, 32, 100_000),
        ]  # fmt: skip


def test_text_above_a_shown_data_frame_may_name_its_columns(tmp_path):
    text = "".join(["<p>Throughput(ops/sec) is that of all clients.</p>\n", *html((ALL, *ROWS))])
    assert readers.format_of(text.encode(), name="a.html") == ycsb_table.FORMAT
    assert [log.throughput_ops_s for log in parsed(ycsb_table, tmp_path, text)] == [2000, 2500]


def test_rows_that_differ_in_words_alone_are_no_repeats(tmp_path):
    rows = [("a", "wiredTiger", "zstd"), ("b", "wiredTiger", "snappy"), ("c", "wiredTiger", "snappy")]
    lines = [",".join(("file", "Engine", "Compression", "Version", *HEADINGS))]
    lines += [",".join((*row, "6.0", *ROWS[0][2:])) for row in rows]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    runs = ingest.read([tmp_path]).runs
    assert runs["dataset"].tolist() == ["zstd", "snappy", "snappy"]
    assert runs["server_version"].tolist() == ["6.0"] * 3


@pytest.mark.parametrize(
    ("heading", "mean", "percentiles"),
    [("AverageLatency(us)", 8.0, ()), ("Avg latency (ms)", 8000.0, ()), ("p99 latency (us)", None, ((99.0, 8.0),)),
     ("99thPercentileLatency(us)", None, ((99.0, 8.0),))],
)  # fmt: skip
def test_latencies_without_an_operation_are_those_of_all(tmp_path, heading, mean, percentiles):
    (tmp_path / "r.csv").write_text(f"Filename,Throughput(ops/sec),RunTime(ms),{heading}\na.txt,1234.5,2000,8\n")
    tables = ingest.read([tmp_path])
    (total,) = tables.operations.to_dict("records")
    assert total["operation"] == "TOTAL" and (mean is None or total["mean_us"] == mean)
    assert tuple(tables.percentiles[["percentile", "latency_us"]].itertuples(index=False, name=None)) == percentiles
    assert "OPERATION_UNKNOWN" in tables.runs["warnings"][0]
    assert "PERCENTILES_AVERAGED" not in tables.runs["warnings"][0]


def test_latencies_may_have_their_operation_before_them(tmp_path):
    headings = (
        "Threads,Throughput(ops/sec),Runtime(ms),Read_AvgLatency(us),Read_99thLatency(us),Update AvgLatency(ms)\n"
    )
    (tmp_path / "r.csv").write_text(headings + "8,1234.5,2000,8,9,N/A\n4,1000.5,2000,N/A,N/A,3\n")
    tables = ingest.read([tmp_path])
    assert tables.operations[["operation", "mean_us"]].fillna(0).to_numpy().tolist() == [["READ", 8], ["UPDATE", 3000]]
    assert tables.percentiles[["operation", "percentile", "latency_us"]].to_numpy().tolist() == [["READ", 99, 9]]


def test_percentiles_that_their_heading_calls_averages_are_warned_of(tmp_path):
    for heading in ("avg p99 latency (us)", "Read avg p99 latency (us)"):
        (tmp_path / "r.csv").write_text(f"Throughput(ops/sec),RunTime(ms),{heading}\n1234.5,2000,8\n")
        assert "PERCENTILES_AVERAGED" in ingest.read([tmp_path]).runs["warnings"][0]


def test_a_cell_too_many_shifts_no_column_of_csv(tmp_path):
    text = CSV.replace("49900\n", "49900,7\n")
    first, second = parsed(ycsb_table, tmp_path, text)
    assert (first.throughput_ops_s, first.threads, first.conflicts) == (2000, 16, ("cells",))
    assert second.conflicts == () and checks.counts_disagree(first)


def test_a_column_names_the_operation_of_the_others(tmp_path):
    text = (
        "Operation,Runtime(ms),Throughput(ops/sec),Operations,AverageLatency(us),Return=OK\n"
        "Read,2000,500,1000,40,990\nUpdate,4000,250,1000,80,1000\n"
    )
    read, update = parsed(ycsb_table, tmp_path, text)
    assert (read.runtime_ms, read.by_operation["READ"].mean_us, read.by_operation["READ"].ok) == (2000, 40, 990)
    assert list(update.by_operation) == ["UPDATE"] and update.attempted == 1000
    # Without that column nobody knows of what they are.
    (log,) = parsed(ycsb_table, tmp_path, "Runtime(ms),Throughput(ops/sec),Operations\n2000,500,1000\n")
    assert log.is_excerpt and log.runtime_ms == 2000


def test_failures_of_a_series_of_their_own_count(tmp_path):
    text = CSV.replace("[UPDATE].Return=OK", "[UPDATE].Return=OK,[UPDATE-FAILED].Operations")
    text = text.replace(",49900\n", ",49880,20\n").replace(",50050\n", ",50050,0\n")
    first, second = parsed(ycsb_table, tmp_path, text)
    assert (first.attempted, first.failed, second.failed) == (100_000, 20, 0)


@pytest.mark.parametrize(("rate", "agrees"), [("2013.5", True), ("2400.0", False)])
def test_rates_of_clients_that_do_not_end_together_may_be_summed(tmp_path, rate, agrees):
    (tmp_path / "pods.csv").write_text(
        CSV.replace("name,", "pod_count,").replace("PG-64-1", "4").replace("2000.0", rate)
    )
    run = ingest.read([tmp_path]).runs.iloc[0]
    assert ("COUNTS_DISAGREE" not in run["warnings"]) == agrees == (run["goodput_ops_s"] == float(rate))
    assert run["throughput_ops_s"] == float(rate) and (run["union_ops_s"] == 2000) == agrees


def test_a_number_of_an_experiments_run_is_a_repeat(tmp_path):
    first, _ = parsed(ycsb_table, tmp_path, CSV.replace("name,", "experiment_run,").replace("PG-64-1,", "2,", 1))
    assert (first.columns["repeat"], "dataset" in first.columns) == (2.0, False)


SPELT = {
    "{}_Throughput(ops/sec)": "OVERALL", "{}_RunTime(ms)": "OVERALL", "{}_Return=OK": "READ",
    "{}_AverageLatency(us)": "READ", "{}_99thPercentileLatency(us)": "READ", "{}_Operations": "UPDATE",
}  # fmt: skip
OTHERWISE = ("overall_throughput_ops_sec", "overall_runtime_ms", "read_return_ok", "read_averagelatency_us",
             "read_99thpercentilelatency_us", "update_operations")  # fmt: skip
SHORT = ("Throughput(ops/sec)", "RunTime(ms)", "Read_Return=OK", "Read_AvgLatency(us)", "Read_99thLatency(us)",
         "Update_Operations")  # fmt: skip


@pytest.mark.parametrize("headings", [[k.format(v) for k, v in SPELT.items()], OTHERWISE, SHORT])
def test_names_of_operations_may_stand_before_figures_in_any_spelling(tmp_path, headings):
    lines = [",".join(("Workload", "threads", *headings)), *(",".join(("Workload B", *row[1:])) for row in ROWS)]
    assert readers.format_of("\n".join(lines).encode()) == ycsb_table.FORMAT
    logs = parsed(ycsb_table, tmp_path, "\n".join(lines) + "\n")
    assert [(log.throughput_ops_s, log.runtime_ms, log.threads) for log in logs] == [
        (2000, 50_000, 16), (2500, 40_000, 32),
    ]  # fmt: skip
    read, update = (logs[1].by_operation[name] for name in ("READ", "UPDATE"))
    assert (read.ok, read.mean_us, read.percentiles, update.count) == (49_950, 640, ((99, 3500),), 50_050)
    assert [log.columns["workload"] for log in logs] == ["b", "b"]


@pytest.mark.parametrize("mean", ["Avg_Read_Latency_us", "Average read latency (us)", "READ latency(us)"])
def test_operations_may_stand_inside_the_names_of_latencies(tmp_path, mean):
    text = f"threads,RunTime(ms),Throughput(ops/sec),{mean},P99 Read Latency (us)\n8,5,9.5,7.5,6\n"
    (log,) = parsed(ycsb_table, tmp_path, text)
    assert [(s.operation, s.mean_us, s.percentiles) for s in log.summaries] == [("READ", 7.5, ((99, 6),))]


@pytest.mark.parametrize(("code", "is_excerpt"), [("OK", True), ("ERROR", False)])
def test_a_table_may_leave_out_the_run_time(tmp_path, code, is_excerpt):
    headings = f"threads,OVERALL_Throughput_ops_per_sec,read_operations,[READ].Return={code}"
    (tmp_path / "r.csv").write_text(f"{headings}\n8,1234.5,900,900\n")
    tables = ingest.read([tmp_path])
    run = tables.runs.iloc[0]
    assert (run["outcome"] == "completed") == (run["throughput_ops_s"] == 1234.5) == is_excerpt
    assert (Warn.EXCERPT in run["warnings"]) == (tables.operations["count"].tolist() == [900]) == is_excerpt
    # Whether these operations are all, nobody knows.
    assert math.isnan(run["goodput_ops_s"]) and run["workload"] == ""


@pytest.mark.parametrize("heading", ["READ_p99", "READ_Max", "read_fraction", "scan 1", "READ_Throughput(ops/sec)"])
def test_figures_of_operations_that_are_no_latencies_are_none(tmp_path, heading):
    (log,) = parsed(ycsb_table, tmp_path, f"Throughput(ops/sec),RunTime(ms),{heading}\n1234.5,2000,8\n")
    assert log.summaries == () and log.throughput_ops_s == 1234.5


def test_a_column_without_a_heading_may_name_the_rows(tmp_path):
    lines = ["| | Throughput(ops/sec) | [READ], 95thPercentileLatency(us) |", "|---|---|---|"]
    (tmp_path / "r.md").write_text("\n".join([*lines, "| flash | 500.5 | 188 |", "| no flash | 900 | 90 |", ""]))
    assert ingest.read([tmp_path]).runs["dataset"].tolist() == ["flash", "no flash"]


def test_rows_of_single_operations_that_share_all_else_are_one_run(tmp_path):
    names = "Epoch,Phase,Operation,CPU,RunTime(ms),Throughput(ops/sec),Operations,AverageLatency(us),Return=OK"
    rows = [
        "0,load,INSERT,5,10000,2000.0,20000,480.5,20000",
        *("1,run,READ,7,8000,5000.0,20012,190.5,20012", "1,run,UPDATE,7,8000,5000.0,19988,210.5,19988"),
        *("2,run,READ,7,8000,5000.0,20012,170.5,20012", "2,run,UPDATE,7,8000,5000.0,19988,230.5,19988"),
    ]
    logs = parsed(ycsb_table, tmp_path, "\n".join([names, *rows]) + "\n")
    assert [log.attempted for log in logs] == [20_000, 40_000, 40_000]
    assert [log.throughput_ops_s for log in logs] == [2000, 5000, 5000]
    assert [s.mean_us for s in logs[1].summaries] == [190.5, 210.5]
    assert not any(map(checks.counts_disagree, logs))


@pytest.mark.parametrize("blank", ["", " "])
def test_logs_side_by_side_are_a_run_each_called_by_their_system_and_name(tmp_path, blank):
    lines = [
        ",,A,,", "MongoDB,units,wa-1k,wa-5k,wb-1k", "[OVERALL], RunTime(ms),1000,2000,4000",
        "[OVERALL], Throughput(ops/sec),1000.0,2500.5,250.25", "[TOTAL_GCs], Count,0,1,0",
        "[TOTAL_GC_TIME_%_Copy], Time(%),0,0.5,0", "[INSERT], Operations,1000,5001,1001",
        "[INSERT], AverageLatency(us),514.5,484.25,90", "[INSERT], Return=OK,1000,5001,1001",
        "MySQL,units,wa-1k,wa-5k,wb-1k", "[OVERALL], RunTime(ms),10000,20000,40000",
        "[OVERALL], Throughput(ops/sec),100,250,25", "[INSERT], Operations,1000,5000,1000",
    ]  # fmt: skip
    text = "\n".join(lines).replace("], ", f"],{blank}") + "\n"
    assert readers.format_of(text.encode()) == ycsb_table.FORMAT
    logs = parsed(ycsb_table, tmp_path, text)
    assert [log.throughput_ops_s for log in logs] == [1000, 2500.5, 250.25, 100, 250, 25]
    assert [log.columns["dataset"] for log in logs[1:4]] == ["MongoDB wa-5k", "MongoDB wb-1k", "MySQL wa-1k"]
    assert (logs[1].attempted, logs[1].by_operation["INSERT"].mean_us) == (5001, 484.25)
    assert {checks.phase(log) for log in logs} == {"load"}


def test_commas_between_semicolons_are_decimal(tmp_path):
    text = (
        "threads;OVERALL.RunTime(ms);OVERALL.Throughput(ops/sec);READ.AverageLatency(us)\n1;2871,0;348,311;1300,665\n"
    )
    (log,) = parsed(ycsb_table, tmp_path, text)
    assert (log.threads, log.runtime_ms, log.throughput_ops_s) == (1, 2871, 348.311)
    assert log.by_operation["READ"].mean_us == 1300.665


@pytest.mark.parametrize("headings", ["instance,vcpus,memory_gb", "Instance Type,num_cores,RAM (GB)", "spec,cores,ram"])
def test_columns_tell_the_servers_of_rows(tmp_path, headings):
    rows = ["m5.large,2,8,16,1000,60000", "m5.xlarge,4,16,16,1900,60000"]
    text = "\n".join([f"{headings},threads,Throughput(ops/sec),RunTime(ms)", *rows]) + "\n"
    (tmp_path / "mine.csv").write_text(text)
    runs = ingest.read([tmp_path]).runs
    assert runs[["spec", "cores", "ram_gib"]].to_numpy().tolist() == [["m5.large", 2, 8], ["m5.xlarge", 4, 16]]
    assert set(runs["dataset"]) == {""} and set(runs["warnings"]) == {"SHORT_RUN EXCERPT"}


def test_what_was_used_is_no_size_and_columns_that_are_not_understood_are_named(tmp_path):
    text = "CPU,Memory,[TOTAL_GCs].Count,threads,Throughput(ops/sec),RunTime(ms)\n5.4,31844,3,8,998,60000\n"
    (tmp_path / "mine.csv").write_text(text)
    run = ingest.read([tmp_path]).runs.iloc[0]
    assert math.isnan(run["cores"]) and math.isnan(run["ram_gib"])
    assert run["warnings"] == "SHORT_RUN EXCERPT COLUMNS_UNREAD"
    assert (run["reason_key"], json.loads(run["reason_values"])["columns"]) == ("columns-unread", ["'CPU'", "'Memory'"])


@pytest.mark.parametrize("word", ["average", "AVG", "Mean", "median", "平均值"])
def test_rows_of_averages_are_no_runs(tmp_path, word):
    text = "run,threads,Throughput(ops/sec),RunTime(ms)\n1,8,1000,60000\n2,8,1010,60000\n" + f"{word},8,1005,60000\n"
    assert [log.throughput_ops_s for log in parsed(ycsb_table, tmp_path, text)] == [1000, 1010]


def test_what_a_row_says_is_nothing_of_the_next(tmp_path):
    text = "filename,Throughput(ops/sec),RunTime(ms)\nworkloada_t8.txt,1000,60000\nworkloadb_t8.txt,1100,60000\n"
    (tmp_path / "mine.csv").write_text(text)
    assert ingest.read([tmp_path]).runs["workload"].tolist() == ["", ""]


def test_of_a_run_that_counts_nowhere_unread_columns_are_not_named(tmp_path):
    text = "CPU,threads,Throughput(ops/sec),RunTime(ms)\n5.4,8,998,-60000\n5.5,8,998,60000\n"
    (tmp_path / "mine.csv").write_text(text)
    tables = ingest.read([tmp_path])
    assert ["COLUMNS_UNREAD" in warnings for warnings in tables.runs["warnings"]] == [False, True]
    assert any("'CPU'" in message for message in messages.worded(anomalies.find(tables))["message"])


def test_two_runs_beside_each_other_are_not_one_and_hide_no_other_table(tmp_path):
    one, both = "| A | 2.88 | 34698.2 |", "| workload | runtime(sec) | throughput(ops/sec) |"
    wide = f"{both} -> | runtime(sec) | throughput(ops/sec) |\n|---|---|---|---|---|---|\n{one} -> | 2.3 | 43360.4 |"
    (tmp_path / "page.md").write_text(f"# By 4 threads\n\n{both}\n|---|---|---|\n{one}\n\n### Larger\n\n{wide}\n")
    tables, (refused,) = ingest.read_with_rejects([tmp_path / "page.md"])
    assert tables.runs[["format", "throughput_ops_s"]].to_numpy().tolist() == [["published-page", 34698.2]]
    assert refused.line == 9 and "two columns are headed" in refused.reason


def test_rows_that_are_lines_of_logs_are_no_log_beside_the_table():
    page = b"| Of | A |\n|---|---|\n| [OVERALL], RunTime(ms) | 48,170 |\n| [OVERALL], Throughput(ops/sec) | 10,379 |\n"
    assert readers.format_of(page) == "ycsb-table"
    assert readers.also_quoted(page, "ycsb-table") == []


def test_a_table_that_is_read_is_not_said_to_be_left_out(tmp_path):
    named = "| Test | Runtime(ms) | Throughput(ops/sec) | 95thPercentileLatency(us) |\n|---|---|---|---|\n"
    text = f"# Results\n\n{named}| Test 1 | 2960 | 337.8 | 6343 |\n\n"
    other = "## Others\n\n| Threads | QPS |\n|---|---|\n| 8 | 900 |\n"
    for name, page, told in (("one.md", text, False), ("two.md", text + other.replace("Threads", "Shards"), True)):
        (tmp_path / name).write_text(page)
        done = CliRunner().invoke(app, ["ingest", str(tmp_path / name), "--out", str(tmp_path / f"{name}-out")])
        assert "1 run " in done.output and ("file of its own" in done.output) == told


def test_a_phase_that_only_counts_is_none_of_a_run(tmp_path):
    head = "phase,threads,[OVERALL].RunTime(ms),[OVERALL].Throughput(ops/sec),[READ].Operations,[READ].Return=OK\n"
    path = tmp_path / "pods.csv"
    path.write_text(head + "1,8,1000,5000,5000,5000\n2,16,1000,7000,7000,7000\n")
    runs = ingest.read([path]).runs
    assert runs["phase"].tolist() == ["run", "run"] and runs["threads"].tolist() == [8, 16]
    assert (runs["warnings"].str.contains("COLUMNS_UNREAD")).all()
    path.write_text(head + "Loading,8,1000,5000,5000,5000\nrun,16,1000,7000,7000,7000\n")
    assert ingest.read([path]).runs["phase"].tolist() == ["load", "run"]


PARTS = """#### Per Connection

| DBMS | phase | child | threads | pod_count | [OVERALL].Throughput(ops/sec) | [OVERALL].RunTime(ms) |
|:---|:---|---:|---:|---:|---:|---:|
| PG-1-1 | PG-1 | 1 | 32 | 2 | 250.0 | 400000.0 |
| PG-1-2 | PG-1 | 2 | 32 | 2 | 240.0 | 416667.0 |
"""
WHOLE = """
#### Per Phase

| DBMS | phase | threads | pod_count | [OVERALL].Throughput(ops/sec) | [OVERALL].RunTime(ms) |
|:---|:---|---:|---:|---:|---:|
| PG-1 | PG-1 | 64 | 2 | 490.0 | 416667.0 |
"""


def test_rows_of_single_pods_beside_their_sum_are_no_runs(tmp_path):
    assert [run.threads for run in parsed(ycsb_table, tmp_path, PARTS + WHOLE)] == [64]
    assert [run.threads for run in parsed(ycsb_table, tmp_path, PARTS)] == [32, 32]
    of_another = WHOLE.replace("PG-1", "PG-2")
    assert [run.threads for run in parsed(ycsb_table, tmp_path, PARTS + of_another)] == [32, 32, 64]
