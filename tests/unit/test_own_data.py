"""CSVs of one's own, with the headings, units and specs that people print: read in one way by every command."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from facts_in import holds

import ycsbook as yb
from ycsbook import anomalies, ingest, messages, named_tables
from ycsbook.errors import DataError
from ycsbook.ingest.published import own_csv
from ycsbook.scaling.limits import limits

CHINESE = """规格,并发线程数,读写比,QPS(万),平均延迟(ms),内存型
2核8GB,50,95:5,1.12,4.47,是
2核8GB,100,95:5,1.13,8.85,是
8核32GB,50,95:5,3.89,1.28,是
8核32GB,100,95:5,4.06,2.46,是
"""


def csv(folder, text, name="mine.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def first(folder, *lines):
    return own_csv.of_csv(csv(folder, "\n".join(lines) + "\n")).runs.iloc[0]


def test_chinese_headings_and_units_are_those_of_pages(tmp_path):
    tables = own_csv.of_csv(csv(tmp_path, CHINESE))
    runs = tables.runs
    assert runs["throughput_ops_s"].tolist() == pytest.approx([11_200, 11_300, 38_900, 40_600])
    assert runs[["spec", "cores", "ram_gib", "threads", "workload", "read_fraction"]].iloc[-1].tolist() == [
        "8c32g", 8.0, 32.0, 100.0, "b", 0.95,
    ]  # fmt: skip
    assert tables.operations[["operation", "mean_us"]].iloc[0].tolist() == ["TOTAL", 4470.0]
    assert runs["dataset"].unique().tolist() == ["mine"]
    assert set(runs["warnings"]) == {"OPERATION_UNKNOWN COLUMNS_UNREAD"}
    assert set(messages.worded(runs)["reason"]) == {"column '内存型' was not read"}


def test_a_name_that_ycsb_gives_to_one_mix_tells_the_share_of_reads(tmp_path):
    lines = ["spec,threads,workload,QPS,Read avg (us)", "8c32g,50,b,11279,26070", "8c32g,50,f,11279,26070"]
    tables = own_csv.of_csv(csv(tmp_path, "\n".join(lines) + "\n"))
    assert tables.runs["read_fraction"].tolist() == pytest.approx([0.95, np.nan], nan_ok=True)
    (found,) = messages.facts_of(anomalies.find(tables).query("rule == 'little_law'"), "message")
    assert holds(found, "little_law-reads", cell={"reads": 95, "threads": 50}, utilisation=5.587)


@pytest.mark.parametrize(
    ("heading", "cell", "ops_s"),
    [
        ("QPS(万)", "1.5", 15_000),
        ("QPS（万）", "1.5", 15_000),
        ("QPS(k)", "15", 15_000),
        ("QPS (K)", "15", 15_000),
        ("throughput_k", "15", 15_000),
        ("吞吐(千)", "15", 15_000),
        ("TPS", "15000", 15_000),
        ("QPS[M]", "0.015", 15_000),
        ("吞吐量(百万)", "0.015", 15_000),
        ("qps", '"15,000"', 15_000),
        ("qps", "15k", 15_000),
        ("qps", "1.5万", 15_000),
        ("每秒操作数", "15000", 15_000),
        ("qps", "1.5e4", 15_000),
        ("ops/s", "15 kops/s", 15_000),
    ],
)
def test_throughput_has_its_factor(tmp_path, heading, cell, ops_s):
    assert first(tmp_path, f"核数,线程数,{heading}", f"8,64,{cell}")["throughput_ops_s"] == pytest.approx(ops_s)


@pytest.mark.parametrize(
    ("heading", "cell", "operation", "us"),
    [
        ("读延迟(ms)", "1.5", "READ", 1500),
        ("写延迟(us)", "900", "UPDATE", 900),
        ("平均延迟(ms)", "2", "TOTAL", 2000),
        ("avg_latency_ms", "2", "TOTAL", 2000),
        ("read avg (µs)", '"1,500"', "READ", 1500),
        ("ral_ms", "1.5", "READ", 1500),
        ("Read latency", "1.5 ms", "READ", 1500),
        ("insert_mean_ms", "3", "INSERT", 3000),
        ("Avg latency (s)", "0.002", "TOTAL", 2000),
    ],
)
def test_latencies_have_their_operation_and_unit(tmp_path, heading, cell, operation, us):
    path = csv(tmp_path, f"cores,threads,qps,{heading}\n8,64,900,{cell}\n8,128,950,-\n")
    found = own_csv.of_csv(path).operations
    assert found[["operation", "mean_us"]].to_numpy().tolist() == [[operation, pytest.approx(us)]]


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_what_stands_between_cells_and_the_encoding_are_told_by_the_text(tmp_path, mark, encoding):
    for name in ("mine.csv", "mine.tsv"):
        (tmp_path / name).write_bytes(
            "Threads and more,线程数,QPS(万)\n是,64,1.5\n".replace(",", mark).encode(encoding)
        )
        run = ingest.read([tmp_path / name]).runs.iloc[0]
        assert (run["threads"], run["throughput_ops_s"], run["format"]) == (64, 15_000, "csv")


@pytest.mark.parametrize("cell", ["1234,5", "1,234", '"1.234,5"'])
def test_a_comma_between_semicolons_is_refused(tmp_path, cell):
    path = csv(tmp_path, f"threads;qps\n64;{cell}\n")
    with pytest.raises(DataError, match=r"got '1.*4.*' between ;, .* write a decimal point"):
        own_csv.of_csv(path)
    with pytest.raises(DataError, match="write a decimal point"):
        named_tables.read(path)


def test_clients_are_the_threads_where_nothing_else_says_them(tmp_path):
    for heading in ("clients", "Concurrent connections", "users", "连接数"):
        assert first(tmp_path, f"{heading},throughput_req_s", "64,900")["threads"] == 64
    run = first(tmp_path, "clients,threads,requests_per_second", "2,64,900")
    assert run[["clients", "threads", "throughput_ops_s"]].tolist() == [2, 64, 900]


def test_percentiles_are_percentiles(tmp_path):
    found = own_csv.of_csv(csv(tmp_path, "cores,threads,qps,p99_read_ms,P95 latency (us)\n8,64,900,12.5,900\n"))
    assert found.percentiles[["operation", "percentile", "latency_us"]].to_numpy().tolist() == [
        ["READ", 99.0, 12_500.0], ["TOTAL", 95.0, 900.0],
    ]  # fmt: skip
    assert found.operations.empty


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("QPS(x100)", "5"),
        ("QPS(ops/min)", "900"),
        ("Read latency", "5"),
        ("内存(页)", "8192"),
        ("平均延迟", "3"),
        ("read_avg", "349.6"),
    ],
)
def test_a_unit_that_is_not_known_is_refused(tmp_path, heading, cell):
    path = csv(tmp_path, f"核数,线程数,qps,{heading}\n8,64,900,{cell}\n")
    with pytest.raises(DataError, match="expected a known unit in its heading"):
        own_csv.of_csv(path)


@pytest.mark.parametrize(("cell", "told"), [("10O", "a number"), ("1,5", "a number"), ("9 ms", "in ops/s")])
def test_a_figure_that_is_none_is_refused(tmp_path, cell, told):
    with pytest.raises(DataError, match=rf"'qps': line 2: got .*, expected .*{told}"):
        own_csv.of_csv(csv(tmp_path, f'cores,threads,qps\n8,64,"{cell}"\n'))


@pytest.mark.parametrize("mark", ["*", "†", "¹", " [1]", " (±2%)"])
def test_a_mark_behind_a_figure_is_no_part_of_it(tmp_path, mark):
    run = first(tmp_path, "spec,threads,QPS(k),P99 read (ms)", f"2c4g,8,1.2{mark},>100")
    assert run[["spec", "threads", "throughput_ops_s"]].tolist() == ["2c4g", 8, 1200]


def test_a_bound_of_a_latency_is_none(tmp_path):
    tables = own_csv.of_csv(csv(tmp_path, "spec,threads,QPS,P99 read (ms)\n2c4g,8,900,>100\n2c4g,16,950,≥ 5 ms\n"))
    assert tables.runs["throughput_ops_s"].tolist() == [900, 950] and tables.percentiles.empty


@pytest.mark.parametrize(
    "spec", ["8核32GB", "8C32G", '"8 vCPU, 32 GiB"', "c5.2xlarge (8 vCPU / 32 GiB)", "8 vCPU / 32 GiB"]
)
def test_specs_give_cores_and_ram(tmp_path, spec):
    for heading in ("规格", "spec_label"):
        run = first(tmp_path, f"{heading},线程数,QPS", f"{spec},64,900")
        assert (run["cores"], run["ram_gib"]) == (8.0, 32.0)


def test_servers_of_one_shape_and_another_kind_stay_apart(tmp_path):
    path = csv(tmp_path, "规格,线程数,QPS\n8核32GB(独享型),64,900\n8核32GB(通用型),64,800\nother,64,7\n")
    runs = own_csv.of_csv(path).runs
    assert runs["spec"].nunique() == 3 and runs["cores"].tolist()[:2] == [8.0, 8.0] and np.isnan(runs["cores"][2])


def test_rows_that_name_no_server_are_of_one(tmp_path):
    path = csv(tmp_path, "threads,qps,engine\n1,1000,a\n8,6000,a\n64,6100,a\n1,900,b\n8,5000,b\n64,5050,b\n")
    tables = named_tables.read(path)
    found = limits(tables.runs, tables.operations)
    assert found[["dataset", "spec", "threads"]].to_numpy().tolist() == [
        [f"mine {engine}", "mine", threads] for engine in "ab" for threads in (1, 8, 64)
    ]
    assert "single" not in set(found["limit_kind"])


def test_report_ingest_and_library_read_the_same(tmp_path):
    path = csv(tmp_path, CHINESE)
    by_name, (ingested, rejected) = named_tables.read(path), ingest.read_with_rejects([path])
    assert rejected == []
    for table, key in (("runs", "throughput_ops_s"), ("operations", "mean_us")):
        assert getattr(by_name, table)[key].tolist() == getattr(ingested, table)[key].tolist()
    assert by_name.runs[["source", "format", "warnings"]].equals(ingested.runs[["source", "format", "warnings"]])
    assert ingested.runs["source"][0] == f"{path}:2" and ingested.runs["format"][0] == "csv"
    assert yb.limits(str(path))["qps"].tolist() == ingested.runs["throughput_ops_s"].tolist()
    assert yb.limits(pd.read_csv(path))["qps"].tolist() == ingested.runs["throughput_ops_s"].tolist()


def test_ingest_takes_a_csv_that_is_named_and_says_what_is_wrong_with_it(tmp_path):
    good, bad = csv(tmp_path, CHINESE), csv(tmp_path, CHINESE.replace("万", "x100"), "bad.csv")
    main = "import sys; from ycsbook.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", main, "ingest", good, bad, "-o", tmp_path / "tables"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "2 files (1 csv)" in done.stdout and "4 runs (4 completed)" in done.stdout
    assert "QPS(x100)" in done.stderr and "known unit" in " ".join(done.stderr.split())
    assert "not read: '内存型'" in " ".join(done.stderr.split())
    # In a folder it may be anything.
    assert ingest.read([tmp_path]).runs.empty


def test_two_of_the_same_name_have_ids_of_their_own(tmp_path):
    (tmp_path / "b").mkdir()
    paths = [csv(tmp_path, CHINESE), csv(tmp_path / "b", CHINESE)]
    assert ingest.read(paths).runs["run_id"].is_unique


def test_versions_of_a_server_are_data_sets_of_their_own(tmp_path):
    rows = "server_version,cores,threads,qps\n6.0.14,2,8,1000\n6.0.14,4,8,1900\n7.0.8,2,8,1100\n7.0.8,4,8,2100\n"
    two = ["mine 6.0.14", "mine 6.0.14", "mine 7.0.8", "mine 7.0.8"]
    assert named_tables.read(csv(tmp_path, rows)).runs["dataset"].tolist() == two
    one = rows.replace("7.0.8", "6.0.14")
    assert set(named_tables.read(csv(tmp_path, one)).runs["dataset"]) == {"mine"}
    named = rows.replace("server_version", "server_version,dataset").replace(".14,", ".14,x,").replace(".8,", ".8,x,")
    assert set(named_tables.read(csv(tmp_path, named)).runs["dataset"]) == {"x"}


def test_a_product_is_a_data_set_of_its_own(tmp_path):
    rows = "database,cores,threads,qps\nMongoDB 6.0.14,2,8,1000\nMongoDB 7.0.8,4,16,1900\n"
    runs = named_tables.read(csv(tmp_path, rows)).runs
    assert runs["dataset"].tolist() == ["mine MongoDB 6.0.14", "mine MongoDB 7.0.8"] and set(runs["warnings"]) == {""}


def test_a_repeat_number_that_stands_twice_is_said(tmp_path):
    rows = "cores,threads,repeat,qps\n2,8,1,1000\n2,8,2,1010\n2,8,1,1300\n2,8,2,1310\n"
    assert set(named_tables.read(csv(tmp_path, rows)).runs["warnings"]) == {"REPEAT_TWICE"}
    apart = rows.replace("\n2,8,1,13", "\n4,8,1,13").replace("\n2,8,2,13", "\n4,8,2,13")
    assert set(named_tables.read(csv(tmp_path, apart)).runs["warnings"]) == {""}


@pytest.mark.parametrize("mix", ["50:50", "50/50", "50：50"])
def test_a_workload_that_is_called_by_its_shares_is_that_mix(tmp_path, mix):
    runs = named_tables.read(csv(tmp_path, f"cores,threads,workload,qps\n2,8,{mix},1000\n4,8,{mix},1900\n")).runs
    assert set(runs["workload"]) == {"a"} and set(runs["read_fraction"]) == {0.5}
    named = named_tables.read(csv(tmp_path, "cores,threads,workload,qps\n2,8,50:50,1000\n4,8,mine,1900\n")).runs
    assert set(named["workload"]) == {"50:50", "mine"}


@pytest.mark.parametrize(
    ("name", "share"), [("read-only", 1.0), ("只读", 1.0), ("write only", 0.0), ("pure read", 1.0)]
)
def test_a_workload_in_words_is_its_mix_where_all_are_mixes(tmp_path, name, share):
    rows = f"\n2,8,{name},1000\n4,8,{name},1900\n"
    assert set(named_tables.read(csv(tmp_path, f"cores,threads,workload,qps{rows}")).runs["read_fraction"]) == {share}
    beside = named_tables.read(csv(tmp_path, f"cores,threads,workload,qps{rows}2,8,mine,900\n")).runs
    assert set(beside["workload"]) == {name, "mine"}


def test_a_table_of_latencies_alone_misses_its_throughput(tmp_path):
    path = csv(tmp_path, "cores,threads,read avg (us)\n2,8,900\n4,8,500\n")
    with pytest.raises(DataError, match="no column qps"):
        named_tables.read(path)
    _, (error,) = ingest.read_with_rejects([path])
    assert "no column qps" in error.reason and str(path) not in error.reason


def test_a_column_that_is_not_read_is_no_warning(tmp_path):
    tables = named_tables.read(csv(tmp_path, "cores,threads,list price,qps\n2,8,0.1,1000\n4,8,0.2,1900\n"))
    found = anomalies.find(tables).query("cause == 'columns_unread'")
    assert set(found["severity"]) == {"note"}


TITLED = ["Alpha 7.1 results,,", "Tested in May,with two clients,", ",,", "Spec,Threads,QPS"]
RUNS = ["2c4g,8,900", "2c4g,16,1100"]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("n_titles", [1, 2, 3])
def test_titles_above_the_headings_and_notes_below_are_none_of_the_table(tmp_path, mark, n_titles):
    lines = [
        *TITLED[-1 - n_titles :],
        RUNS[0],
        "",
        RUNS[1],
        ",,",
        "Note: means of 3,in May,",
        "* of 2 clients,,",
        "By me",
    ]
    path = csv(tmp_path, "\n".join(lines).replace(",", mark))
    runs = own_csv.of_csv(path).runs
    assert runs[["spec", "threads", "throughput_ops_s"]].to_numpy().tolist() == [["2c4g", 8, 900], ["2c4g", 16, 1100]]
    assert runs["source"].tolist() == [f"{path}:{n_titles + 2}", f"{path}:{n_titles + 4}"]
    assert ingest.read([path]).runs["format"].tolist() == ["csv", "csv"] and len(yb.read(str(path))) == 2


def test_headings_over_several_lines_may_stand_below_titles(tmp_path):
    run = first(tmp_path, "Throughput,,", "", 'Spec,"Client\nthreads","QPS\n(k)"', "2c4g,8,1.2")
    assert run[["spec", "threads", "throughput_ops_s"]].tolist() == ["2c4g", 8, 1200] and run["source"].endswith(":6")


def test_errors_name_the_line_of_the_file(tmp_path):
    lines = [*TITLED, RUNS[0], "", "2c4g,16,x"]
    with pytest.raises(DataError, match="'QPS': line 7: got 'x', expected a number"):
        own_csv.of_csv(csv(tmp_path, "\n".join(lines)))
    lines[-1] = "2c4g,16,1100,7"
    with pytest.raises(DataError, match="line 7: got 4 cells, expected 3 as in line 4"):
        own_csv.of_csv(csv(tmp_path, "\n".join(lines)))


def test_commas_at_the_end_of_every_row_move_no_cells(tmp_path):
    run = first(tmp_path, "Spec,Threads,QPS", "2c4g,8,900,", "2c4g,16,1100,")
    assert run[["spec", "threads", "throughput_ops_s"]].tolist() == ["2c4g", 8, 900]


@pytest.mark.parametrize("row", ["2c4g,16,", ",16,", "8c16g,,", ",,1100", "Note: 5,16,1100"])
def test_a_row_with_a_figure_or_a_spec_is_no_note(tmp_path, row):
    assert len(own_csv.frame_of_csv(csv(tmp_path, "\n".join([*TITLED, RUNS[0], row])))) == 2


@pytest.mark.parametrize(
    "lines",
    [
        ["[OVERALL], RunTime(ms), 1000", "[OVERALL], Throughput(ops/sec), 900.0", "[READ], Operations, 900"],
        ["threads, 8", "qps, 900"],
        ["a,b,c", "Engine,QPS,Region"],
        ["a", *["b"] * 20, "Spec,Threads,QPS", "2c4g,8,900"],
        ["Spec,Engine,Threads,Region", "Spec,Threads,QPS", "2c4g,8,900"],
    ],
)
def test_what_is_no_table_below_titles_is_none(tmp_path, lines):
    assert not own_csv.is_plain(csv(tmp_path, "\n".join(lines)))


def test_statistics_that_a_heading_lists_are_columns_of_their_own(tmp_path):
    text = "Spec,Threads,Read avg/p99 (ms),QPS,Notes\n2c4g,8,1.5 / 4,900,\n2c4g,16,2 / 9,1000\n"
    tables = own_csv.of_csv(csv(tmp_path, text))
    assert tables.runs["throughput_ops_s"].tolist() == [900, 1000]
    assert tables.operations["mean_us"].tolist() == [1500, 2000]
    assert tables.percentiles["latency_us"].tolist() == [4000, 9000]


@pytest.mark.parametrize("heading", ["version", "release", "MongoDB version"])
def test_versions_of_a_csv_stay_as_they_are_written(tmp_path, heading):
    path = tmp_path / "own.csv"
    rows = "\n".join(f"{of},8c32g,{n},{1000 * n}" for of in ("10.0", "4.10", "5.0") for n in (1, 2))
    path.write_text(f"{heading},spec,threads,qps\n{rows}\n")
    tables = named_tables.read(path)
    assert set(tables.runs["dataset"]) == {"own 10.0", "own 4.10", "own 5.0"}
    if heading != "release":
        assert named_tables.compared_first(tables) == ["own 5.0", "own 10.0"]


def test_data_sets_of_other_products_are_compared_in_their_order(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("product,spec,threads,qps\nB 7,8c32g,1,10\nC 6,8c32g,1,11\nA 9,8c32g,1,12\n")
    assert named_tables.compared_first(named_tables.read(path)) == ["own B 7", "own C 6"]


@pytest.mark.parametrize("heading", ["num_threads", "numThreads", "nthreads", "thread_count"])
@pytest.mark.parametrize("rate", ["tput", "thpt (ops/s)", "throughput_mean", "achieved_throughput"])
def test_numbers_and_rates_are_told_as_programs_spell_them(tmp_path, heading, rate):
    row = first(tmp_path, f"num_cores,{heading},num_records,{rate}", "4,64,1000,9000")
    assert row[["cores", "threads", "records", "throughput_ops_s"]].tolist() == [4, 64, 1000, 9000]


@pytest.mark.parametrize("heading", ["target", "Target Throughput", "target_ops_sec"])
def test_a_column_of_targets_is_the_throttle_and_one_of_words_is_none(tmp_path, heading):
    row = first(tmp_path, f"threads,{heading},throughput", "8,2000,1995")
    assert row[["target_ops_s", "throughput_ops_s"]].tolist() == [2000, 1995]
    runs = own_csv.of_csv(csv(tmp_path, "threads,target,throughput\n8,redis,1995\n8,mysql,995\n")).runs
    assert runs["target_ops_s"].isna().all()
    assert runs["dataset"].tolist() == ["mine redis", "mine mysql"]


@pytest.mark.parametrize(
    "headings", ["threads,ops,seconds", "threads,ops,runtime_s", "threads,ops,elapsed", "threads,total_ops,p99_ms"]
)
def test_ops_that_may_be_how_many_there_were_are_no_rate(tmp_path, headings):
    with pytest.raises(DataError, match=r"ops': may be a rate or a count; call it ops_s, or operations"):
        own_csv.of_csv(csv(tmp_path, f"{headings}\n8,100000,10\n"))
    assert first(tmp_path, "threads,ops,p99_ms", "8,10000,10")["throughput_ops_s"] == 10_000


@pytest.mark.parametrize("count", ["ops", "total_ops", "TotalOps", "Total Ops"])
@pytest.mark.parametrize("rate", ["throughput_ops_s", "ops_per_sec", "ThroughputOpsPerSec", "QPS"])
def test_beside_a_rate_ops_are_how_many_there_were(tmp_path, count, rate):
    for headings, cells in (
        (f"threads,{count},seconds,{rate}", "8,90000,10,9000"),
        (f"{rate},threads,{count}", "9000,8,9"),
    ):
        assert first(tmp_path, headings, cells)["throughput_ops_s"] == 9000
    with pytest.raises(DataError, match="both stand for throughput_ops_s"):  # of which the other may be bytes
        own_csv.of_csv(csv(tmp_path, "threads,ops,throughput\n8,9000,10\n"))


def test_words_that_capitals_set_off_are_words(tmp_path):
    headings = "ThreadCount,throughputOpsPerSecond,AvgReadLatencyUs,P99ReadLatencyMs,DurationMs,RamGb,VCpus"
    runs = (tables := own_csv.of_csv(csv(tmp_path, f"{headings}\n8,9000,210,1.5,60000,16,4\n"))).runs.iloc[0]
    assert runs[["threads", "throughput_ops_s", "runtime_ms", "ram_gib", "cores"]].tolist() == [8, 9000, 60_000, 16, 4]
    assert tables.operations["mean_us"].tolist() == [210] and tables.percentiles["latency_us"].tolist() == [1500]
    assert own_csv.of_csv(csv(tmp_path, "threads,QPS,MyRocks\n8,9000,7\n")).runs["throughput_ops_s"].tolist() == [9000]


def test_rows_of_single_operations_are_refused_with_what_to_do(tmp_path):
    with pytest.raises(DataError, match=r"'operation': a row for each operation, expected one for each run"):
        own_csv.of_csv(csv(tmp_path, "threads,operation,throughput,p99_us\n8,READ,900,200\n8,UPDATE,900,300\n"))


@pytest.mark.parametrize("mark", [";", "\t"])
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["12345,6", "640,2", "1900,0"], [12345.6, 640.2, 1900]),
        (["12.345,6", "640,2", "1.900"], [12345.6, 640.2, 1900]),
        (["348,311", "1300,665", "2871,0"], [348.311, 1300.665, 2871]),
    ],
)
def test_commas_are_decimal_where_spreadsheets_save_them_so(tmp_path, mark, cells, expected):
    lines = [["threads", "QPS", "Read avg (us)", "Read P99 (us)"], ["8", *cells], ["16", *cells]]
    tables = own_csv.of_csv(csv(tmp_path, "\n".join(map(mark.join, lines)) + "\n"))
    found = [tables.runs["throughput_ops_s"][0], tables.operations["mean_us"][0], tables.percentiles["latency_us"][0]]
    assert found == pytest.approx(expected)


def test_commas_that_may_group_thousands_are_refused_between_semicolons(tmp_path):
    with pytest.raises(DataError, match="where a comma may part anything; write a decimal point"):
        own_csv.of_csv(csv(tmp_path, "threads;QPS\n8;12,345\n16;19,345\n"))


@pytest.mark.parametrize("cells", ["8,x", '8,"5 cats"', "8,9,10"])
def test_what_is_wrong_with_a_csv_names_it_once_however_it_is_read(tmp_path, cells):
    path = csv(tmp_path, f"threads,qps\n1,1000\n{cells}\n")
    _, (rejected,) = ingest.read_with_rejects([path])
    with pytest.raises(DataError) as told:
        own_csv.of_csv(path)
    assert all(mistake.startswith(f"{path}: ") for mistake in told.value.args)
    for text in (str(rejected), *told.value.args):
        assert text.count(str(path)) == 1 >= text.count("expected")


@pytest.mark.parametrize("headings", ["ops/s,p99 (ms),p99 (ms)", "ops/s,p99 (ms),ops/s"])
def test_headings_that_stand_twice_below_merged_cells_are_refused(tmp_path, headings):
    # pandas calls the second one p99 (ms).1, which is no percentile of 99.1.
    table = f",Workload A,Workload B,\nThreads,{headings}\n8,12000,2.5,15000\n"
    with pytest.raises(DataError, match="several columns are headed"):
        own_csv.of_csv(csv(tmp_path, table))
    percentiles = own_csv.of_csv(csv(tmp_path, "Threads,ops/s,p99 (ms),p99.9 (ms)\n8,12000,2.5,5\n")).percentiles
    assert percentiles[["percentile", "latency_us"]].values.tolist() == [[99, 2500], [99.9, 5000]]


def test_the_numbers_of_rows_that_pandas_writes_are_no_column(tmp_path):
    runs = own_csv.of_csv(csv(tmp_path, ",threads,ops/s\n0,8,12000\n1,16,15000\n")).runs
    assert (runs["warnings"] == "").all() and runs["threads"].tolist() == [8, 16]
    assert first(tmp_path, ",cores,ops/s", "8,4,12000", "16,4,15000")["warnings"] == "COLUMNS_UNREAD"
