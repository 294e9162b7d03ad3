"""What tells the rows of one's own tables apart, and when and how long they ran: dates, amounts, units, prices."""

import pytest
from command_samples import invoke
from page_samples import own_table

from ycsbook import anomalies, messages, named_tables, trust
from ycsbook.comparing.verdicts import interleaved
from ycsbook.errors import DataError
from ycsbook.ingest.published import own_csv
from ycsbook.names import spec as spec_name
from ycsbook.scaling.points import with_throughput

# A promise in all its variations.
pytestmark = pytest.mark.matrix

SPECS = ((4, 16, 16_000), (8, 32, 30_000), (16, 64, 57_000))


def table(folder, heading, values, speed=lambda value: 1.0, name="mine.csv"):
    """A table with a row for each spec and value of a column, whose throughput is that of the spec times the speed."""
    rows = [f"{c},{ram},128,a,{y * speed(value):.0f},{value}" for value in values for c, ram, y in SPECS]
    return own_table(folder, f"cores,ram_gib,threads,workload,qps,{heading}", rows, name)


@pytest.mark.parametrize("heading", ["date", "Start time", "started", "测试日期", "timestamp"])
@pytest.mark.parametrize("form", ["{}-03-01", "{}/3/1", "{}年3月1日", "{}-03-01T00:00:00Z"])
def test_runs_of_days_far_apart_are_data_sets_of_their_own(tmp_path, heading, form):
    days = [form.format(year) for year in (2020, 2024)]
    runs = own_csv.of_csv(table(tmp_path, heading, days)).runs
    assert runs.groupby("started_at")["dataset"].unique().map(list).to_dict() == {
        f"{year}-03-01": [f"mine {year}-03-01"] for year in (2020, 2024)
    }
    assert set(runs["warnings"]) == {""}


def test_data_sets_of_days_far_apart_are_set_against_each_other(tmp_path):
    file = table(tmp_path, "date", ["2020-03-01", "2024-03-01"])
    _, short = named_tables.write_reports(file, tmp_path / "report")[0]
    assert "2024-03-01" in str(short)


def test_runs_of_one_week_are_repeats_with_their_time_and_so_are_those_of_specs_at_other_times(tmp_path):
    times = [f"2026-03-0{day}T01:30:00Z" for day in range(1, 6)]
    runs = own_csv.of_csv(table(tmp_path, "start", times)).runs
    assert set(runs["dataset"]) == {"mine"} and sorted(set(runs["started_at"]))[0] == "2026-03-01T01:30:00+00:00"
    rows = ("4,64,a,9000,2020-01-01", "8,64,a,17000,2024-01-01")
    specs = own_table(tmp_path, "cores,threads,workload,qps,date", rows, "specs.csv")
    assert set(own_csv.of_csv(specs).runs["dataset"]) == {"specs"}


@pytest.mark.parametrize(("heading", "value"), [("date", "01/02/2024"), ("Time", "12:30"), ("end", "2024-03-01T10:00")])
def test_times_that_are_not_read_are_named(tmp_path, heading, value):
    other = "start" if heading == "end" else "notes"
    file = table(tmp_path, f"{other},{heading}", [f"2024-03-01T09:00,{value}"])
    runs = messages.worded(own_csv.of_csv(file).runs)
    assert set(runs["reason"]) == {f"column '{heading}' was not read"}


def test_runs_of_one_day_are_neither_at_once_nor_measured_in_turn(tmp_path):
    rows = [f"4,128,a,16000,1800000,2024-03-01,{engine}" for engine in ("wt", "wt", "rocks", "rocks")]
    tables = own_csv.of_csv(own_table(tmp_path, "cores,threads,workload,qps,runtime_ms,date,Engine", rows))
    assert set(tables.runs["started_at"]) == {"2024-03-01"} and tables.runs["dataset"].nunique() == 2
    assert "at_once" not in set(anomalies.find(tables)["rule"])
    starts = tables.runs["started_at"]
    assert not interleaved(starts[:2], starts[2:])


@pytest.mark.parametrize(
    ("heading", "values", "called"),
    [
        ("clients", (1, 4), ("1 client", "4 clients")),
        ("records", (1_000_000, 50_000_000), ("1M records", "50M records")),
        ("data_bytes", (2**33, 2**36), ("8 GiB", "64 GiB")),
    ],
)
def test_other_amounts_on_equal_specs_are_data_sets_of_their_own(tmp_path, heading, values, called):
    file = table(tmp_path, heading, values, lambda value: 1.0 if value == values[0] else 2.2)
    runs = own_csv.of_csv(file).runs
    assert runs.groupby(heading)["dataset"].unique().map(list).to_dict() == {
        value: [f"mine {name}"] for value, name in zip(values, called, strict=True)
    }
    if heading == "clients":
        first = [short.said[0] for _, short in named_tables.write_reports(file, tmp_path / "report")]
        assert all("times that of" in one for one in first) and called[0] in " ".join(first)


def test_a_switch_tells_data_sets_apart_with_its_heading(tmp_path):
    runs = own_csv.of_csv(table(tmp_path, "journal", ("yes", "no"))).runs
    assert set(runs["dataset"]) == {"mine journal=yes", "mine journal=no"}


@pytest.mark.parametrize("heading", ["workers", "num_workers", "Goroutines", "number of workers"])
def test_workers_are_the_threads_where_nothing_else_says_them(tmp_path, heading):
    rows = ("4,a,100", "8,a,190")
    assert own_csv.of_csv(own_table(tmp_path, f"{heading},workload,qps", rows)).runs["threads"].tolist() == [4, 8]
    beside = own_table(tmp_path, f"{heading},threads,workload,qps", ("4,64,a,100", "4,128,a,190"), "beside.csv")
    assert own_csv.of_csv(beside).runs["threads"].tolist() == [64, 128]


@pytest.mark.parametrize(("values", "tells"), [((10, 100, 10, 100), True), ((7, 7, 8, 8), False), ((0, 0, 1, 0), False),
                                               (("0.96x", "Baseline", "3.0x faster!", "1.0x"), False),
                                               (("0.9612", "1.1017", "0.9612", "1.1017"), False)])  # fmt: skip
def test_numbers_and_ratios_that_go_with_the_rows_are_not_read_and_settings_tell_data_sets_apart(
    tmp_path, values, tells
):
    rows = [f"4,{t},a,{n}000,{value}" for (n, t), value in zip([(1, 8), (2, 8), (3, 16), (4, 16)], values, strict=True)]
    runs = own_csv.of_csv(own_table(tmp_path, "cores,threads,workload,qps,pool", rows)).runs
    assert (runs["dataset"].nunique() == 2) == tells == ("COLUMNS_UNREAD" not in set(runs["warnings"]))


def test_amounts_that_go_with_specs_or_threads_or_differ_in_every_row_part_nothing(tmp_path):
    rows = [
        f"{c},{t},a,{c * 4000},{t // 64},{n}" for n, (c, t) in enumerate([(4, 64), (4, 128), (8, 64), (8, 128)] * 2)
    ]
    file = own_table(tmp_path, "cores,threads,workload,qps,clients,data_bytes", rows)
    assert set(own_csv.of_csv(file).runs["dataset"]) == {"mine"}


@pytest.mark.parametrize(
    ("heading", "value", "column", "expected"),
    [
        ("runtime_s", 1800, "runtime_ms", 1.8e6),
        ("Run time (min)", 30, "runtime_ms", 1.8e6),
        ("duration_h", 0.5, "runtime_ms", 1.8e6),
        ("runtime_ms", 1800000, "runtime_ms", 1.8e6),
        ("data_gib", 20, "data_bytes", 20 * 2**30),
        ("Data (TB)", 2, "data_bytes", 2**41),
        ("cache_mb", 2048, "cache_gib", 2),
        ("rtt_ms", 0.5, "rtt_us", 500),
    ],
)
def test_times_and_sizes_are_read_in_the_unit_of_their_heading(tmp_path, heading, value, column, expected):
    runs = own_csv.of_csv(table(tmp_path, heading, [value])).runs
    assert set(runs[column]) == {expected} and "COLUMNS_UNREAD" not in " ".join(runs["warnings"])


@pytest.mark.parametrize("heading", ["ram_mb", "RAM (MB)", "memory_mib", "内存(MB)"])
def test_ram_in_mb_is_that_in_gib_and_under_another_name_no_server_has_it(tmp_path, heading):
    for called in (heading, "ram_gb"):
        rows = ("2,8192,64,a,8000", "4,16384,64,a,15000")
        file = own_table(tmp_path, f"cores,{called},threads,workload,qps", rows)
        if called == heading:
            assert own_csv.of_csv(file).runs["ram_gib"].tolist() == [8, 16]
    with pytest.raises(DataError, match=r"ram_gib: got 8,192 GiB at 2 cores, expected at most 500.*ram_mb"):
        own_csv.of_csv(file)


@pytest.mark.parametrize("heading", ["rtt_min", "ops_per_min", "storage_gb"])
def test_what_only_looks_like_a_unit_is_none(tmp_path, heading):
    runs = messages.worded(own_csv.of_csv(table(tmp_path, heading, [7])).runs)
    assert set(runs["reason"]) == {f"column '{heading}' was not read"}


@pytest.mark.parametrize(("heading", "of_minute"), [("runtime_s", 60), ("runtime_ms", 60_000), ("Duration (min)", 1)])
def test_short_runs_of_tables_are_warned_of_as_those_of_logs_and_are_c_at_best(tmp_path, heading, of_minute):
    runs = [f"{minutes * of_minute:g},majority,{n}" for minutes in (30, 0.5) for n in (1, 2)]
    unlike = {"speed": lambda run: 1 + int(run[-1]) / 500}
    tables = own_csv.of_csv(table(tmp_path, f"{heading},write_concern,repeat", runs[:2], name="long.csv", **unlike))
    assert set(tables.runs["warnings"]) == {""} and set(trust.of_runs(tables)) == {"A"}
    tables = own_csv.of_csv(table(tmp_path, f"{heading},write_concern,repeat", runs[2:], name="short.csv", **unlike))
    assert set(tables.runs["warnings"]) == {"SHORT_RUN"} and set(trust.of_runs(tables)) == {"C"}
    rows = (f"4,64,9000,load,{of_minute}", f"4,64,9000,run,{of_minute}")
    loaded = own_csv.of_csv(own_table(tmp_path, f"cores,threads,qps,phase,{heading}", rows, "load.csv"))
    assert loaded.runs["warnings"].tolist() == ["", "SHORT_RUN"]


@pytest.mark.parametrize(
    "row",
    [
        "average,,,,,27460",
        "Mean of all,4,16,,,27460",
        "平均,4,16,128,,27460",
        "Total,,,,,51000",
        "4c16g,4,16,128,avg,27460",
        ",,,,Average,27460",
    ],
)
def test_rows_that_sum_up_others_are_no_runs(tmp_path, row):
    rows = ("4c16g,4,16,128,1,16000", "mean-8,8,32,128,1,30000", row)
    runs = own_csv.of_csv(own_table(tmp_path, "spec,cores,ram_gib,threads,run,qps", rows)).runs
    assert runs["throughput_ops_s"].tolist() == [16_000, 30_000]


@pytest.mark.parametrize("heading", ["price_usd", "$/hour", "价格(元)"])
def test_a_price_column_that_is_not_read_is_told_where_prices_stand(tmp_path, heading):
    found = messages.worded(anomalies.find(own_csv.of_csv(table(tmp_path, heading, [60]))))
    told = found[found["cause"] == "columns_unread"].iloc[0]
    assert heading in told["message"] and told["advice_key"] == "warning-columns_unread"


def two_of_each(folder, names, speeds, repeats=1):
    """Servers of equal sizes by several ways to name them, of a speed each, at two thread counts."""
    rows = [
        f"{name.format(c=c, size=size)},{c},{4 * c},{n},a,{speed * c**0.9 * (1 + 0.004 * r):.0f},{r}"
        for r in range(repeats)
        for name, speed in zip(names, speeds, strict=True)
        for c, size in ((2, "large"), (4, "xlarge"), (8, "2xlarge"), (16, "4xlarge"))
        for n in (64, 128)
    ]
    return own_table(folder, "spec,cores,ram_gib,threads,workload,qps,repeat", rows, "t.csv")


@pytest.mark.parametrize(
    ("names", "families"),
    [
        (("c7g.{size}", "c6i.{size}"), ("c7g", "c6i")),
        (("n2-standard-{c}", "c3-standard-{c}"), ("n2", "c3")),
        (("ecs.g7.{size}", "ecs.g6.{size}"), ("g7", "g6")),
        (("{c}c-arm", "{c}c-intel"), ("arm", "intel")),
    ],
)
def test_families_of_servers_of_equal_sizes_are_data_sets_set_against_each_other(tmp_path, names, families):
    file = two_of_each(tmp_path, names, (5000, 4000), repeats=3)
    assert set(own_csv.of_csv(file).runs["dataset"]) == {f"t {family}" for family in families}
    said = " ".join(str(short) for _, short in named_tables.write_reports(file, tmp_path / "report"))
    assert f"1.25 times that of {families[1]}" in said and "on average" not in said


@pytest.mark.parametrize("names", [("c7g.{size}",), ("s{c}", "t{c}"), ("{size}",)])
def test_servers_that_no_word_puts_in_families_stay_together(tmp_path, names):
    file = two_of_each(tmp_path, names, (5000, 4000)[: len(names)])
    assert set(own_csv.of_csv(file).runs["dataset"]) == {"t"}


def test_specs_of_equal_cores_and_ram_are_called_by_their_names(tmp_path):
    file = two_of_each(tmp_path, ("s{c}", "t{c}"), (5000, 2000))
    with file.open("a", encoding="utf-8") as lines:
        lines.write("u32,32,128,64,a,99000,0\n")
    ((_, short),) = named_tables.write_reports(file, tmp_path / "report")
    (line,) = [line for line in dict(short.lines)["What to buy"].splitlines() if "most per core" in line]
    assert "50:50: s2 at 64 threads" in line and "on 32 cores, 128 GiB" in line
    rows = with_throughput(named_tables.read(file).runs).to_dict("records")
    named = {f"{name}{c}" for name in "st" for c in (2, 4, 8, 16)}
    assert {of.values["spec"] for of in map(spec_name, rows)} == {"", *named}


@pytest.mark.parametrize(("heading", "values"), [("list", ("stm", "coarse")), ("records", (1000, 2000))])
def test_rows_of_a_mix_without_a_known_share_of_reads_are_told_apart_as_others(tmp_path, heading, values):
    rows = [f"{t},{mix},{t * 900},{v}" for v in values for t in (1, 8) for mix in ("read_heavy", "write_heavy")]
    runs = own_csv.of_csv(own_table(tmp_path, f"threads,workload,qps,{heading}", rows)).runs
    assert runs["read_fraction"].isna().all()
    assert runs["dataset"].nunique() == len(values)
    assert set(runs["warnings"]) == {""}


PRICES = {2: 0.16, 4: 0.29, 8: 0.52, 16: 0.95, 32: 1.55}


def priced(folder, heading, hours):
    """A table of servers with their prices for so many hours."""
    rows = [
        (c, 4 * c, price * max(hours, 1), n, 50, 1450 * c + 10 * (c % 3) + n / 50)
        for c, price in PRICES.items() for n in (100, 300)
    ]  # fmt: skip
    return own_table(folder, f"cores,ram_gib,{heading},threads,read_percent,qps", rows)


@pytest.mark.parametrize(
    ("heading", "hours"),
    [
        ("price_per_hour", 1), ("Price (USD/h)", 1), ("Hourly Cost ($)", 1), ("价格(元/小时)", 1),
        ("on-demand $/hr price", 1), ("月价格(元)", 730), ("price_usd_month", 730), ("Cost per year", 8760),
        ("price", 0), ("cost_per_million", 0), ("hours", 0),
    ],
)  # fmt: skip
def test_prices_of_a_csv_are_those_of_an_hour(tmp_path, heading, hours):
    file = priced(tmp_path, heading, hours)
    by_spec = {f"{c}c{4 * c}g": price for c, price in PRICES.items()}
    assert own_csv.prices(file) == (by_spec if hours else {})
    unread = [reason for reason in messages.worded(own_csv.of_csv(file).runs)["reason"] if heading in reason]
    assert bool(unread) is (hours == 0)


@pytest.mark.parametrize(("heading", "hours"), [("Price (USD/h)", 1), ("月价格(元)", 730), ("price", 0)])
def test_prices_of_a_csv_decide_what_to_buy(tmp_path, heading, hours):
    """Each core does as much on every server, and the largest is the cheapest for it."""
    file, is_read = priced(tmp_path, heading, hours), hours > 0
    ((_, short),) = named_tables.write_reports(file, tmp_path / "report")
    assert any("1.55 per hour" in line for line in short.points) == is_read
    assert any("the price decides" in line for _, line in short.lines) is not is_read
    answer = invoke("capacity", file, "--qps", 20_000).output
    assert ("cheapest spec that carries 20,000 ops/s of 50:50 is 16c64g" in answer) == is_read


def test_a_price_that_differs_within_a_spec_is_none(tmp_path):
    rows = [(2, 0.1, 100, 50, 3000), (2, 0.2, 200, 50, 3100), (4, "$0.3", 100, 50, 6000), (8, "", 100, 50, 12_000)]
    file = own_table(tmp_path, "cores,price_per_hour,threads,read_percent,qps", rows)
    assert own_csv.prices(file) == {"4c": 0.3}
    # What is wrong with the table is told with its file, whoever reads it first.
    wrong = own_table(tmp_path, "cores,price_per_hour,threads,read_percent,qps", [(2, 0.1, "many", 50, 3000)])
    with pytest.raises(DataError, match=r"mine\.csv: 'threads': line 2"):
        own_csv.prices(wrong)
