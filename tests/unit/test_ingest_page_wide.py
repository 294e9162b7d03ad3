"""Tables that set systems, versions, specs, mixes or thread counts side by side; tables that titles tell apart."""

import pytest
from page_samples import markdown, read

from ycsbook.ingest.published import page


def figures(rows):
    return [(run["dataset"], run["threads"], run["throughput_ops_s"]) for run in rows.runs]


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (["Threads", "Alpha QPS", "Alpha P95 (ms)", "Beta QPS", "Beta P95 (ms)", "QPS gain"], ["alpha", "beta"]),
        (["Threads", "v1.5 QPS", "v1.5 P95 (ms)", "v2.0 QPS", "v2.0 P95 (ms)", "-"], ["v1.5", "v2.0"]),
        (["并发数", "优化前QPS", "优化前 P95 (ms)", "优化后QPS", "优化后 P95 (ms)", "提升"], ["优化前", "优化后"]),
    ],
)  # fmt: skip
def test_figures_that_have_a_name_before_them_are_of_several_systems(tmp_path, headings, names):
    rows, rejected = read(
        tmp_path, markdown(headings, [8, "1,000", 2, "1,500", "1.5", "50%"], [16, 1100, 4, 1600, 3, "45%"])
    )
    assert rejected == []
    first, second = (f"page-{name}" for name in names)
    assert figures(rows) == [(first, 8, 1000), (second, 8, 1500), (first, 16, 1100), (second, 16, 1600)]
    assert [p["latency_us"] for p in rows.percentiles] == [2000, 1500, 4000, 3000]


@pytest.mark.parametrize("form", ["QPS ({})", "QPS for {}", "QPS with {}", "QPS @ {}", "QPS {}", "`ops/s` {}"])
def test_a_name_may_stand_behind_a_rate(tmp_path, form):
    rows, _ = read(tmp_path, markdown(["clients", form.format("Json"), form.format("Proto")], [10, 500, 900]))
    assert figures(rows) == [("page-json", 10, 500), ("page-proto", 10, 900)]


@pytest.mark.parametrize(
    "headings",
    [
        ["Threads", "Read QPS", "Write QPS"],
        ["Threads", "QPS (read)", "QPS (write)"],
        ["Threads", "QPS, reads", "QPS, writes"],
        ["Threads", "QPS reads", "QPS per core"],
        ["Threads", "Target ops/s", "Measured ops/s"],
        ["Threads", "Throughput (MB/s)", "Throughput (GB/s)"],
        ["线程数", "读QPS", "写QPS"],
        ["Threads", "Offered QPS", "Achieved QPS"],
        ["Threads", "QPS (planned)", "QPS (achieved)"],
        ["Threads", "Node 1 QPS", "Node 2 QPS"],
        ["Threads", "Shard0 QPS", "Shard1 QPS"],
    ],
)
def test_parts_of_one_run_and_aims_are_no_systems(tmp_path, headings):
    with pytest.raises(page.RunLogError, match=r"no table found|two columns are headed"):
        read(tmp_path, markdown(headings, [8, 1000, 1500]))


@pytest.mark.parametrize(
    ("title", "factor"),
    [
        ("### Throughput (requests/second)", 1),
        ("### Mixed load (aggregate ops/sec of all threads)", 1),
        ("**Throughput (kops/s)**", 1000),
        ("各产品 QPS（万）", 10_000),
    ],
)
def test_a_title_says_what_all_cells_are(tmp_path, title, factor):
    text = markdown(["Threads", "Alpha", "Beta", "Ratio"], [8, 10, 15, 1.5], [16, "-", 16, "-"], above=f"{title}\n")
    rows, rejected = read(tmp_path, text)
    assert rejected == []
    assert figures(rows) == [
        ("page-alpha", 8, 10 * factor),
        ("page-beta", 8, 15 * factor),
        ("page-beta", 16, 16 * factor),
    ]


@pytest.mark.parametrize(
    "title",
    ["### Latency (ms)", "### Results", "### CPU at 5k ops/s", "### QPS improvement", "### Throughput (MB/s)",
     "### P99 latency by QPS"],
)  # fmt: skip
def test_cells_of_which_no_title_says_that_they_are_rates_are_not_read(tmp_path, title):
    for headings in (["Threads", "Alpha", "Beta"], ["Store", "1 thread", "8 threads"]):
        with pytest.raises(page.RunLogError, match="no table found"):
            read(tmp_path, markdown(headings, [8, 10, 15], above=f"{title}\n"))


def test_threads_across(tmp_path):
    text = markdown(["Store", "1 thread", "8 threads"], ["Alpha", "1k", "6k"], ["Beta", "2k", "7k"], above="## ops/s\n")
    rows, rejected = read(tmp_path, text)
    assert rejected == []
    assert figures(rows) == [
        ("page-alpha", 1, 1e3),
        ("page-alpha", 8, 6e3),
        ("page-beta", 1, 2e3),
        ("page-beta", 8, 7e3),
    ]
    rows, rejected = read(tmp_path, text.replace("| Beta |", "| P99 latency |"))
    assert len(rows.runs) == 2 and "names a figure, expected ops/s in every row" in rejected[0]


def test_specs_versions_and_mixes_across(tmp_path):
    def runs(*across):
        return read(tmp_path, markdown(["线程数", *across], [64, 900, 1700], above="QPS\n"))[0].runs

    assert [(run["spec"], run["cores"]) for run in runs("2核4G", "4核8G")] == [("2c4g", 2.0), ("4c8g", 4.0)]
    assert [run["server_version"] for run in runs("5.7", "8.0")] == ["5.7", "8.0"]
    assert [run["workload"] for run in runs("Workload A", "Workload C")] == ["a", "c"]


def test_names_above_headings_span_them(tmp_path):
    table = (
        "<table><tr><th rowspan=2>Threads</th><th colspan=2>Alpha</th><th colspan=2>Beta</th></tr>"
        "<tr><th>QPS</th><th>P99 (ms)</th><th>QPS</th><th>P99 (ms)</th></tr>"
        "<tr><td>8</td><td>100</td><td>2</td><td>150</td><td>1</td></tr></table>"
    )
    rows, rejected = read(tmp_path, table, "page.html")
    assert rejected == [] and figures(rows) == [("page-alpha", 8, 100), ("page-beta", 8, 150)]


def test_a_row_with_a_cell_too_few_is_left_out(tmp_path):
    rows, rejected = read(tmp_path, markdown(["Threads", "A QPS", "B QPS"], [8, 1, 2], [16, 3]))
    assert len(rows.runs) == 2 and "got 2 cells, expected 3 as in the heading" in rejected[0]


TABLE = ["clients", "ops/s", "P99 (ms)"]


def mixes(rows):
    return [run["workload"] for run in rows.runs]


def test_titles_tell_rows_of_equal_settings_apart(tmp_path):
    get, put = markdown(TABLE, [8, 900, 2], above="### Get\n"), markdown(TABLE, [8, 500, 4], above="### Put\n")
    rows, rejected = read(tmp_path, get + put)
    assert rejected == [] and figures(rows) == [("page", 8, 900), ("page", 8, 500)]
    assert mixes(rows) == ["get", "put"]
    captions = get.replace("### Get", "Table 1: get") + put.replace("### Put", "Table 2: put")
    rows, rejected = read(tmp_path, "## Results\n\n" + captions)
    assert rejected == []
    assert [name for name, *_ in figures(rows)] == ["page-results-table-1-get", "page-results-table-2-put"]
    # So do operations that are measured with other numbers of threads; what goes on keeps the name of the page.
    more = markdown(TABLE, [16, 700, 3], above="### Put\n")
    assert [name for name, *_ in figures(read(tmp_path, get + more)[0])] == ["page-get", "page-put"]
    rows, _ = read(tmp_path, (get + more).replace("Get", "First").replace("Put", "Second"))
    assert {name for name, *_ in figures(rows)} == {"page"}


def test_a_title_of_an_operation_is_its_mix_and_what_stands_above_tells_data_sets_apart(tmp_path):
    headings, titles = ["Version", "Threads", "QPS"], ("`Point Select` test", "4.2 Update Non-Index", "只读性能")
    tables = (
        markdown(headings, ["v2", 64, 9 * n], ["v2", 128, 10 * n], ["v1", 64, 7 * n], above=f"### {title}\n")
        for n, title in enumerate(titles, start=100)
    )
    rows, rejected = read(tmp_path, "".join(tables))
    assert rejected == [] and {name for name, *_ in figures(rows)} == {"page-v1", "page-v2"}
    assert dict.fromkeys(mixes(rows)).keys() == {"point-select", "update-non-index", "只读"}
    # Captions of operations below titles of servers.
    of = {name: [markdown(TABLE, [8, n, 2], above="Read\n"), markdown(TABLE, [8, n / 2, 4], above="Write\n")]
          for name, n in {"Alpha": 900, "Beta": 500}.items()}  # fmt: skip
    rows, rejected = read(tmp_path, "".join(f"## {name}\n\n{''.join(tables)}" for name, tables in of.items()))
    assert rejected == [] and mixes(rows) == ["read", "write"] * 2
    assert figures(rows) == [(f"page-{name}", 8, n) for name, n in (
        ("alpha", 900), ("alpha", 450), ("beta", 500), ("beta", 250))]  # fmt: skip


def test_a_row_for_each_figure_is_a_table_turned(tmp_path):
    above = "# Workload A, 64 threads\n"
    turned = markdown(["Metric", "Alpha", "Beta"], ["Throughput (ops/s)", 21, 15], ["P99 (ms)", 6, 9], above=above)
    rows, rejected = read(tmp_path, turned)
    assert rejected == [] and figures(rows) == [("page-alpha", 64, 21), ("page-beta", 64, 15)]
    assert [p["latency_us"] for p in rows.percentiles] == [6000, 9000]
    rows, _ = read(tmp_path, markdown(["Figure", "8 threads", "16 threads"], ["QPS", 21, 15], ["P99 (ms)", 6, 9]))
    assert figures(rows) == [("page", 8, 21), ("page", 16, 15)]
    with pytest.raises(page.RunLogError, match="no table found"):
        read(tmp_path, markdown(["Metric", "Meaning"], ["QPS", "queries each second"], above=above))


def test_a_column_without_a_name_tells_products_apart(tmp_path):
    rows, _ = read(tmp_path, markdown(["-", "Threads", "QPS"], ["Alpha", "64 * 4", 9], ["Beta", 64, 8]))
    assert figures(rows) == [("page-alpha", 256, 9), ("page-beta", 64, 8)]


def test_what_is_printed_twice_is_read_once(tmp_path):
    get = markdown(TABLE, [8, 900, 2], above="### Get\n")
    rows, rejected = read(tmp_path, get + get.replace("Get", "Summary"))
    assert len(rows.runs) == 1 and "each run once" in rejected[0]
    rows, rejected = read(tmp_path, get + get.replace("900", "800"))
    assert len(rows.runs) == 1 and "each run once" in rejected[0]
    # A copy of several rows does not need to say the mix again.
    several = markdown(TABLE, [8, 900, 2], [16, 950, 3], above="### 50:50\n")
    rows, rejected = read(tmp_path, several + several.replace("50:50", "Details"))
    assert mixes(rows) == ["a", "a"] and len(rejected) == 2 and "each run once" in rejected[0]
    # Figures that are equal by chance in a table of its own are no second print.
    first = markdown(TABLE, [8, 900, 2], [16, 950, 3], above="### First\n")
    rows, rejected = read(tmp_path, first + first.replace("First", "Second").replace("950", "990"))
    assert rejected == [] and [row["throughput_ops_s"] for row in rows.runs] == [900, 950, 900, 990]


def test_names_that_differ_in_marks_alone_cost_a_row_not_the_page(tmp_path):
    rows, rejected = read(tmp_path, markdown(["Language", *TABLE], ["C", 8, 900, 2], ["C++", 8, 800, 2]))
    assert len(rows.runs) == 1 and "each run once" in rejected[0]


@pytest.mark.parametrize("label", ["Threads", "Number of threads", "Concurrency", "Connections", "并发数"])
def test_numbers_below_a_label_of_threads_are_thread_counts(tmp_path, label):
    spans = (
        f"<h2>Throughput (ops/s)</h2><table><tr><th rowspan=2>System</th><th colspan=2>{label}</th></tr>"
        "<tr><th>1</th><th>32</th></tr><tr><td>Alpha</td><td>10</td><td>90</td></tr>"
        "<tr><td>Beta</td><td>20</td><td>80</td></tr></table>"
    )
    rows, rejected = read(tmp_path, spans, "page.html")
    assert rejected == []
    assert figures(rows) == [
        ("page-alpha", 1, 10), ("page-alpha", 32, 90), ("page-beta", 1, 20), ("page-beta", 32, 80)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "headings", [["2 cores", "4 cores"], ["2 vCPU", "4 vCPU"], ["2核", "4核"], ["Cores: 2", "Cores: 4"]]
)
def test_headings_may_be_core_counts(tmp_path, headings):
    rows, rejected = read(tmp_path, markdown(["Threads", *headings], [64, 10, 20], above="## Throughput (ops/s)\n"))
    assert rejected == []
    assert [(run["spec"], run["cores"], run["throughput_ops_s"]) for run in rows.runs] == [("2c", 2, 10), ("4c", 4, 20)]


@pytest.mark.parametrize("label", ["Shards", "Nodes", "Value size (KB)", "Batch"])
def test_numbers_below_another_label_are_no_threads_and_no_cores(tmp_path, label):
    above = markdown(["Threads", f"{label} 1", f"{label} 8"], [64, 10, 20], above="## Throughput (ops/s)\n")
    try:
        rows, _ = read(tmp_path, above)
    except page.RunLogError:
        return
    assert {run["threads"] for run in rows.runs} == {64} and not any(run["cores"] > 0 for run in rows.runs)


def test_a_t_behind_numbers_over_columns_is_of_threads_and_one_digit_may_be_a_size(tmp_path):
    rows, told = read(tmp_path, markdown(["", "64T", "128T"], ["TPS", 8566.5, 11323]))
    assert told == [] and [(r["threads"], r["throughput_ops_s"]) for r in rows.runs] == [(64, 8566.5), (128, 11323)]
    with pytest.raises(page.RunLogError, match="no thread count"):
        read(tmp_path, markdown(["", "1T", "8T"], ["TPS", 8566, 11323]))


def test_metrics_and_their_values_are_one_run(tmp_path):
    metrics = [("Throughput", "12,345 ops/s"), ("Read avg latency", "1.2 ms"), ("Read P99", "2 ms")]
    rows, rejected = read(tmp_path, markdown(["Metric", "Value"], ["Threads", 64], *metrics))
    assert rejected == [] and figures(rows) == [("page", 64, 12345)]
    assert not rows.runs[0].get("warnings") and rows.operations[0]["mean_us"] == 1200
    alone = markdown(["Metric", "Value"], ["**Throughput**", "9,601.60 req/sec"], above="## Run with 64 threads\n")
    rows, rejected = read(tmp_path, alone)
    assert rejected == [] and [(r["threads"], r["throughput_ops_s"]) for r in rows.runs] == [(64, 9601.6)]
    rows, _ = read(tmp_path, markdown(["Metric", "Result"], *metrics, above="## Run with 64 threads\n"))
    assert figures(rows) == [("page", 64, 12345)] and [p["latency_us"] for p in rows.percentiles] == [2000]


@pytest.mark.parametrize(
    "headings",
    [
        ["QPS (8 threads)", "QPS (16 threads)"],
        ["QPS @ 8 clients", "QPS @ 16 clients"],
        ["QPS at 8 threads", "QPS at 16 threads"],
        ["8 threads QPS", "16 threads QPS"],
        ["Threads: 8 QPS", "Threads: 16 QPS"],
        ["8并发QPS", "16并发QPS"],
        ["QPS（8线程）", "QPS（16线程）"],
    ],
)
def test_thread_counts_beside_the_name_of_a_figure(tmp_path, headings):
    rows, rejected = read(tmp_path, markdown(["Spec", *headings], ["2c4g", "1k", "1.5k¹"], ["4c8g", "-", "3k"]))
    assert rejected == []
    assert [(run["spec"], run["threads"], run["throughput_ops_s"]) for run in rows.runs] == [
        ("2c4g", 8, 1000),
        ("2c4g", 16, 1500),
        ("4c8g", 16, 3000),
    ]


def test_every_figure_goes_with_the_thread_count_of_its_heading(tmp_path):
    headings = ["Spec", "QPS (8 threads)", "QPS (16 threads)", "P99 read (ms) (16 threads)", "Avg read (ms)"]
    rows, rejected = read(tmp_path, markdown(headings, ["2c4g", 1000, 1500, 7, 3]))
    assert rejected == [] and figures(rows) == [("page", 8, 1000), ("page", 16, 1500)]
    # Of how many threads the mean is, nobody knows.
    assert [(p["run_id"], p["latency_us"]) for p in rows.percentiles] == [(rows.runs[1]["run_id"], 7000)]
    assert rows.operations == []


def test_thread_counts_above_headings_span_them(tmp_path):
    html = "<table><tr><th rowspan=2>Spec</th><th colspan=3>8 threads</th><th colspan=3>16 threads</th></tr><tr>"
    html += "<th>Throughput</th><th>Avg read (ms)</th><th>p99 read (ms)</th>" * 2 + "</tr>"
    html += "<tr><td>2c4g</td><td>1k</td><td>2</td><td>3</td><td>1.5k<sup>1</sup></td><td>4</td><td>5</td></tr>"
    html += "<tr><td colspan=7><sup>1</sup> two machines</td></tr></table>"
    rows, rejected = read(tmp_path, html, "page.html")
    assert len(rejected) == 1 and "a note, expected a run" in rejected[0]
    assert figures(rows) == [("page", 8, 1000), ("page", 16, 1500)]
    assert [o["mean_us"] for o in rows.operations] == [2000, 4000]
    assert [p["latency_us"] for p in rows.percentiles] == [3000, 5000]


@pytest.mark.parametrize(
    "headings",
    [
        ["QPS (8 threads per client)", "QPS (16 threads per client)"],
        ["QPS (8 threads)", "QPS (8 threads)"],
        ["QPS (8 threads)", "P99 read (ms, 16 threads)"],
        ["QPS (8 threads)", "P99 read (ms) (16 threads)"],
        ["8 threads 50:50 QPS", "16 threads 50:50 QPS"],
        ["Gain (8 threads)", "Gain (16 threads)"],
        ["Speed-up at 8 threads", "Speed-up at 16 threads"],
    ],
)
def test_thread_counts_that_may_mean_two_things_or_nothing_are_not_read(tmp_path, headings):
    with pytest.raises(page.RunLogError, match="no table found"):
        read(tmp_path, markdown(["Spec", *headings], ["2c4g", 1000, 1500]))


def test_a_figure_beside_several_systems_is_of_none_that_is_said(tmp_path):
    rows, _ = read(tmp_path, markdown(["Threads", "QPS (JSON)", "QPS (Protobuf)", "P99 (ms)"], [8, 900, 1500, 2]))
    assert figures(rows) == [("page-json", 8, 900), ("page-protobuf", 8, 1500)] and rows.percentiles == []
    assert "of which system: P99 (ms)" in rows.runs[0]["reason_values"]


@pytest.mark.parametrize(
    ("units", "factor"), [(["ops/sec"] * 4, 1), (["req/s", "req/s", "K req/s", "k req/s"], 1000), (["次/秒"] * 4, 1)]
)
def test_units_in_all_cells_say_of_what_systems_side_by_side_are(tmp_path, units, factor):
    first, second, third, last = units
    rows, rejected = read(
        tmp_path,
        markdown(
            ["Workload", "Alpha", "Beta", "Change"],
            ["A (50/50 r/w)", f"497 {first}", f"481 {second}", "+3%"],
            ["B (95/5 r/w)", f"**4.5 {third}**", f"4 {last}", "~0%"],
            above="We used 8 threads.\n",
        ),
    )
    assert rejected == []
    assert [(run["workload"], run["server_version"], run["threads"], run["throughput_ops_s"]) for run in rows.runs] == [
        ("a", "Alpha", 8, 497), ("a", "Beta", 8, 481), ("b", "Alpha", 8, 4.5 * factor), ("b", "Beta", 8, 4 * factor),
    ]  # fmt: skip


def test_cells_of_which_some_have_no_unit_are_no_systems(tmp_path):
    text = markdown(["Threads", "Alpha", "Beta"], [8, "497 ops/s", "481 ops/s"], [16, 900, 800])
    with pytest.raises(page.RunLogError, match="no table found"):
        read(tmp_path, text)


@pytest.mark.parametrize("operations", [("Sets", "Gets"), ("Reads", "Writes"), ("读", "写")])
def test_operations_side_by_side_are_no_systems(tmp_path, operations):
    text = markdown(
        ["Metric", *operations], ["ops/sec", 900, 800], ["p99", "3 ms", "4 ms"], above="MongoDB 7.0, 8 threads\n"
    )
    (runs, *_), rejected = read(tmp_path, text)
    assert rejected == [] and [run["throughput_ops_s"] for run in runs] == [900, 800]
    assert [run["workload"] for run in runs] == [name.lower() for name in operations]
    assert {(run["dataset"], run["server_version"]) for run in runs} == {("page", "MongoDB 7.0")}


def test_before_and_after_are_two_systems_and_their_change_is_none(tmp_path):
    rows, rejected = read(
        tmp_path,
        markdown(
            ["指标", "优化前", "优化后", "提升"],
            ["QPS（16线程）", "50 ops/s", "**600 ops/s**", "**12x**"],
            ["平均延迟", "300 ms", "20 ms", "15x"],
            ["成功率", "90%", "100%", "+10%"],
        ),
    )
    assert rejected == [] and figures(rows) == [("page-优化前", 16, 50), ("page-优化后", 16, 600)]
    assert [op["mean_us"] for op in rows.operations] == [300_000, 20_000]
    assert [run["goodput_ops_s"] for run in rows.runs] == [45, 600]


@pytest.mark.parametrize(("run", "mean"), [("Run {}", "Average"), ("Durchgang {}", "Durchschnitt"), ("第{}次", "平均")])
def test_runs_side_by_side_are_repeats_and_their_mean_is_none(tmp_path, run, mean):
    headings = ["Metric", *(run.format(n) for n in (1, 2)), mean]
    text = "8 threads\n" + markdown(headings, ["Throughput (ops/s)", 900, 950, 925], ["Write latency (ms)", 4, 3, 3.5])
    rows, rejected = read(tmp_path, text)
    assert rejected == [] and figures(rows) == [("page", 8, 900), ("page", 8, 950)]
    assert [row["repeat"] for row in rows.runs] == [1, 2] and [op["mean_us"] for op in rows.operations] == [4000, 3000]


def test_a_column_of_repeats_tells_rows_apart(tmp_path):
    rows, rejected = read(tmp_path, markdown(["Threads", "Repeat", "QPS"], [8, 1, 900], [8, 2, 950], [8, 2, 960]))
    assert figures(rows) == [("page", 8, 900), ("page", 8, 950)]
    assert rejected == ["page.md:6: 8 threads repeat 2 stands in line 5, expected each run once"]


def test_short_thread_counts(tmp_path):
    title = "Threads against throughput (Mops/s):\n"  # which is no gain
    for counts in (["T=2", "T=16"], ["t = 2", "t = 16"], ["2t", "16t"]):
        rows, rejected = read(tmp_path, title + markdown(["workload", *counts], ["YCSB-A", "0.223", "1.433"]))
        assert (rejected, figures(rows)) == ([], [("page", 2, 223e3), ("page", 16, 1.433e6)])
    rows, _ = read(tmp_path, markdown(["线程数", "QPS"], ["1T", "3,147"], ["16T", "18,317"]))
    assert figures(rows) == [("page", 1, 3147), ("page", 16, 18317)]
    # Names of tests and sizes.
    for names in (["T2", "T16"], ["2T", "16T"]):
        rows, _ = read(tmp_path, "8 threads\n\n" + title + markdown(["workload", *names], ["YCSB-A", "0.2", "1.4"]))
        assert {run["threads"] for run in rows.runs} == {8}


def test_captions_inside_html_tables_tell_them_apart(tmp_path):
    row = "<tr><td>{}</td><td>{}</td></tr>"
    table = "<table><caption>Table {} <b>{}</b> command</caption>" + row.format("Connections", "QPS") + "{}</table>"
    figures_of = {"SET": (132068, 82386), "GET": (138652, 82710)}
    tables = (
        table.format(n, name, "".join(map(row.format, (500, 10000), of)))
        for n, (name, of) in enumerate(figures_of.items(), start=1)
    )
    rows, rejected = read(tmp_path, "<h4>Test Result</h4>" + "\n".join(tables), "page.html")
    assert rejected == [] and len({run["dataset"] for run in rows.runs}) == 2
    assert [run["throughput_ops_s"] for run in rows.runs] == [132068, 82386, 138652, 82710]


def test_why_cells_of_systems_beside_each_other_are_not_read_is_said_of_the_cells(tmp_path):
    rows = [[threads, 900, "6.5 / 6.3", 800, "7.1 / 7.2"] for threads in (1, 8)]
    rows, told = read(tmp_path, markdown(["Threads", "A ops/s", "A p50 (us)", "B ops/s", "B p50 (us)"], *rows))
    assert len(rows.runs) == 4 and "got '6.5 / 6.3', expected a number; the column is left out" in told[0]


def test_what_was_aimed_at_and_whether_it_was_reached_are_no_systems(tmp_path):
    for headings, more in ((["Target", "Achieved"], []), (["Target", "Actual", "Status"], ["✅"]), (["SLA", "v5"], [])):
        rows = ["Throughput", ">10,000 ops/s", "12,500 ops/s", *more], ["P99 latency", "<10 ms", "5 ms", *more]
        (runs, *_), told = read(tmp_path, markdown(["Metric", *headings], *rows, above="# Bench, 64 threads\n"))
        assert told == [] and [run["throughput_ops_s"] for run in runs] == [12_500]


def test_number_signs_stand_for_numbers(tmp_path):
    (runs, *_), told = read(tmp_path, markdown(["# Threads", "#Cores", "QPS"], [8, 4, 900], [16, 8, 1700]))
    assert told == [] and [(run["threads"], run["cores"]) for run in runs] == [(8, 4), (16, 8)]


def test_letters_below_workload_are_the_mixes_and_what_begins_the_rows_the_systems(tmp_path):
    rates = markdown(["Workload", "A", "B"], ["Mongo", 30000, 45000], ["Redis", 35000, 38000])
    (runs, *_), told = read(tmp_path, f"# YCSB throughput (ops/sec), 64 threads\n\n{rates}")
    assert told == [] and [(run["dataset"], run["workload"], run["throughput_ops_s"]) for run in runs] == [
        ("page-mongo", "a", 30000), ("page-mongo", "b", 45000), ("page-redis", "a", 35000), ("page-redis", "b", 38000),
    ]  # fmt: skip
