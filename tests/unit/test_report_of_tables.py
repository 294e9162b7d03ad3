"""`ycsbook report` of tables, logs and published tables that no params file planned."""

import json
import re
import shlex

import pytest
from command_samples import invoke
from facts_in import holds
from page_samples import own_table
from published_reports import few, made
from report_samples import head_of, local_tables

from ycsbook import messages, named_tables, params, paths
from ycsbook.errors import ParamsError, StoreError
from ycsbook.report.scaling import figure
from ycsbook.scaling.points import OWN_THREADS, UnfitError
from ycsbook.store import parquet
from ycsbook.tables import Tables

# A promise in all its variations.
pytestmark = pytest.mark.matrix

LOG = """[OVERALL], RunTime(ms), 1300000
[OVERALL], Throughput(ops/sec), 1000.0
[READ], Operations, 650000
[READ], AverageLatency(us), 3000.0
[READ], Return=OK, 650000
[UPDATE], Operations, 650000
[UPDATE], AverageLatency(us), 4000.0
[UPDATE], Return=OK, 650000
"""


def test_a_single_log_gets_the_report_that_fits_it(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "run.log").write_text("Command line: -db site.ycsb.db.MongoDbClient -threads 8 -t\n" + LOG)
    done = invoke("report", tmp_path / "logs", "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["html"] == str(tmp_path / "out" / "report.html")
    page = (tmp_path / "out" / "report.md").read_text()
    (alone,) = (line for line in page.splitlines() if "50:50 at 8 threads: 1,000 ops/s" in line)
    assert "3 ms" in alone and "4 ms" in alone
    # Nothing of laws, threads or settings, which one run of an unknown server has not.
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert not any("limit" in h or "law" in h or "threads" in h or "Growth" in h for h in headings)
    assert "min\\_duration" not in page and "records" not in page


def test_tables_and_published_ones_are_reported_by_name(tmp_path):
    parquet.write(named_tables.read("qingcloud-4.0.3"), tmp_path / "mine" / "tables")
    of_folder = named_tables.write_reports(tmp_path / "mine" / "tables", tmp_path / "a")[0][0].markdown.read_text()
    [(written, head)] = named_tables.write_reports("qingcloud-4.0.3", tmp_path / "b")
    by_name = written.markdown.read_text()
    assert all(point in by_name for point in head.points) and len(head.lines) >= 5
    assert "# mine" in of_folder and "6 of 72 rows are impossible" in of_folder
    assert "6 of 72 rows are impossible" in by_name
    assert "ycsbook anomalies params/qingcloud-4.0.3.yml --rule" in by_name and "ycsbook run" not in of_folder
    assert "# MongoDB 4.0.3 at QingCloud" in by_name


def test_a_csv_of_ones_own_gets_its_report(tmp_path):
    rows = [f"{c},{n},{round(900 * c**0.9 * (1.1 if n == 200 else 1))}" for c in (1, 2, 4, 8) for n in (100, 200)]
    done = invoke("report", own_table(tmp_path, "vCPU,threads,QPS", rows), "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    (growth,) = (line for line in done.output.splitlines() if "at 200 threads:" in line and "95 %:" in line)
    assert "1.87" in growth
    # A single data set has nothing to be compared with.
    assert "ycsbook compare" not in done.stdout
    assert (tmp_path / "out" / "report.html").is_file()


def test_data_sets_have_a_report_each(tmp_path):
    rows = [f"{c},100,{q * c},{e},50" for e, q in (("mmap", 900), ("wt", 2000)) for c in (1, 2, 4)]
    own_table(tmp_path, "cores,threads,qps,Engine,read %", rows)
    args = ["report", str(tmp_path / "mine.csv"), "--out", str(tmp_path / "out")]
    made = json.loads(invoke(*args, "--json").stdout)
    assert [report["html"] for report in made] == [
        str(tmp_path / "out" / name / "report.html") for name in ("mine-mmap", "mine-wt")
    ]
    # What one engine does is no repeat of what the other does.
    assert all("; twice the cores give ×2.00." in report["in_short"]["verdict"] for report in made)
    assert "3,600" in str(made[0]["in_short"]) and "8,000" in str(made[1]["in_short"])


@pytest.mark.parametrize(("more", "which"), [([], "them"), (["Rocks"], "two of these")])
def test_reports_of_several_data_sets_end_with_how_to_compare_them(tmp_path, more, which):
    engines = ["W T", "mmap", *more]
    rows = [f"{c},100,{900 * c + i},{e}" for i, e in enumerate(engines) for c in (1, 2, 4)]
    source = own_table(tmp_path, "cores,threads,qps,Engine", rows, "my own.csv")
    done = invoke("report", source, "--out", tmp_path / "out", catch_exceptions=False)
    last = done.stdout.splitlines()[-1]
    assert last == f"ycsbook compare '{source}' 'my own W T' 'my own mmap' compares {which}."
    # It is a command that works.
    _, *arguments = shlex.split(last.removesuffix(f" compares {which}."))
    compared = invoke(*arguments, catch_exceptions=False)
    assert compared.exit_code == 0 and "my own mmap against my own W T" in compared.output.replace("\n", " ")


def test_a_folder_of_tables_of_ones_own_holds_a_data_set_in_each(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, ops in (("old", 1000), ("new", 2000)):
        own_table(folder, "cores,threads,qps", [f"{c},100,{ops * c}" for c in (1, 2, 4)], f"{name}.csv")
    (folder / "notes.csv").write_text("a,b\n1,2\n")
    tables = named_tables.read(folder)
    assert tables.runs.groupby("dataset").size().to_dict() == {"new": 3, "old": 3} and tables.runs["run_id"].is_unique
    assert set(tables.operations["run_id"]) <= set(tables.runs["run_id"])
    done = invoke("report", folder, "--out", tmp_path / "out", catch_exceptions=False)
    assert done.stdout.splitlines()[-1] == f"ycsbook compare {folder} new old compares them."
    compared = invoke("compare", folder, "new", "old", "--json", catch_exceptions=False)
    ratios = [row["ratio"] for row in json.loads(compared.stdout)["comparisons"]]
    assert ratios == pytest.approx([0.5] * len(ratios)) and len(ratios) >= 3


def test_a_csv_that_holds_no_throughput_says_so(tmp_path):
    (tmp_path / "odd.csv").write_text("cores,qps\n1,x\n")
    done = invoke("report", tmp_path / "odd.csv", "--out", tmp_path / "out")
    first, found = done.exception.args
    assert first == f"{tmp_path}/odd.csv: 'qps': line 2: got 'x', expected a number"
    assert "1 rows with cores, qps" in found
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n")
    done = invoke("report", tmp_path / "odd.csv", "--out", tmp_path / "out")
    assert done.exit_code == 1 and "neither tables nor logs of runs there" in str(done.exception)


def test_of_rows_without_any_figure_there_is_nothing_to_judge(tmp_path):
    (tmp_path / "nan.csv").write_text("cores,threads,qps\n1,100,\n2,100,\n4,100,\n")
    out = str(tmp_path / "out")
    invoke("report", tmp_path / "nan.csv", "--out", out, catch_exceptions=False)
    page = (tmp_path / "out" / "report.md").read_text()
    assert page.count(messages.text("opening-no-figures")) == 1
    nothing_found, no_throughput = messages.text("findings-none"), messages.text("opening-no-throughput")
    assert not any(text in page for text in (nothing_found, "Findings", no_throughput))
    refused = invoke("capacity", tmp_path / "nan.csv", "--qps", "100").exception
    assert isinstance(refused, UnfitError)
    assert holds(refused.reason, "capacity-no-workload", n=0)
    (tmp_path / "nan.csv").write_text("cores,threads,qps,ral_ms\n1,100,,2\n2,100,,3\n")
    invoke("report", tmp_path / "nan.csv", "--out", out, catch_exceptions=False)
    page = (tmp_path / "out" / "report.md").read_text()
    assert no_throughput in page and "## Findings" in page


def test_a_table_of_loads_alone_is_about_loading(tmp_path):
    [(written, _)] = named_tables.write_reports("alibaba-4.2", tmp_path)
    # Its threads rise with the cores.
    times = {"mix": {"workload": "load"}, "threads": OWN_THREADS, "several": True}
    of_cores = {"first": 1, "first_ops": 3_589, "last": 16, "last_ops": 49_690}
    assert holds(head_of(named_tables.read("alibaba-4.2")).head[0], "short-verdict-times", **times, **of_cores)
    # One of its rows has half of the threads' time: a slip, or another run's figures.
    assert re.search("2 cores, 4 GB, loading, 8 threads.*0.497", written.markdown.read_text())


def test_another_product_is_called_by_its_name(tmp_path):
    [(written, head)] = named_tables.write_reports("bexhoma-postgresql", tmp_path)
    page = written.markdown.read_text()
    assert "- **Server:** PostgreSQL\n" in page
    # That is a setting of MongoDB's.
    assert "write concern" not in dict(head.lines)["Not known"]


def test_many_mixes_are_told_by_the_least_and_the_most():
    head = head_of(named_tables.read("huawei-dds-3.4"), params.load(paths.PARAMS / "huawei-dds-3.4.yml"))
    of_mixes = {"turns": ["4", "16"], "upper": 1.394}
    assert holds(head.head[0], "short-verdict-range", ram="twice", least=1.78, most=3.27, **of_mixes)
    mixes = [{"reads": 100}, {"workload": "s4"}, {"workload": "s3"}]
    assert holds(head.facts()["buy"], "short-buy-several", mixes=mixes, spec={"cores": 8, "ram_gib": 32})
    # The line that is drawn is of the specs that the growth is of: 8 cores have 16 GB as well.
    (line,) = (line for line in figure(head.rows, head).panels[1].picture.axes[0].get_lines()
               if line.get_linestyle() == "-" and list(line.get_xdata()) == [2, 4, 8, 16, 32, 64])  # fmt: skip
    points = head.points[(head.points["workload"] == "c") & (head.points["ram_gib"] == 4 * head.points["cores"])]
    assert list(line.get_ydata()) == pytest.approx(list(points["y"].sort_values()))


def test_rows_that_cannot_be_right_are_no_measurements():
    assert list(head_of(named_tables.read("chrahul-6m")).facts()) == ["doubt", "unknown"]


def test_the_report_of_a_params_file_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "OUTPUT", tmp_path)
    (tmp_path / "tencent-2020-08" / "tables").mkdir(parents=True)
    (tmp_path / "tencent-2020-08" / "tables" / "inputs.json").write_text("{}")
    with pytest.raises(StoreError, match="holds the report of a params file"):
        named_tables.write_reports("tencent-2020-08")


def test_a_params_file_keeps_its_own_folder(tmp_path):
    done = invoke("report", "params/qingcloud-4.0.3.yml", "--out", tmp_path)
    assert done.exit_code == 2 and "--out" in done.output


@pytest.mark.parametrize("command", ["scaling", "limits", "anomalies", "next"])
def test_commands_take_a_published_table_a_params_file_and_tables_alike(command, tmp_path):
    parquet.write(named_tables.read("tencent-2020-08"), tmp_path)
    sources = ("tencent-2020-08", "params/tencent-2020-08.yml", str(tmp_path))
    printed = [invoke(command, source) for source in sources]
    assert [done.exit_code for done in printed] == [0, 0, 0]
    assert printed[0].stdout == printed[2].stdout
    assert len({len(done.stdout.splitlines()) for done in printed[::2]}) == 1


def test_runs_whose_threads_are_unknown_have_a_picture_over_time(tmp_path):
    heads = "tot_inserts elap_secs cum_ips int_ips cum_qry_avg int_qry_avg cum_qps int_qps exceptions"
    rows = [f"{n}00000 {n}0 10000.00 10000.00 3.00 3.00 10.00 10.00 0" for n in range(1, 13)]
    log = tmp_path / "run1.tsv"
    log.write_text("\n".join([heads, *rows]).replace(" ", "\t") + "\n")
    [(written, _)] = named_tables.write_reports(tmp_path, tmp_path / "out")
    assert "unknown threads" in written.markdown.read_text() and (tmp_path / "out/figures/timeline-1.svg").is_file()


@pytest.mark.matrix
def test_no_data_set_of_a_page_takes_the_folder_of_another(tmp_path):
    titles, tables = ("通用型", "Störe", "St-öre"), []
    for i, title in enumerate(titles):
        rows = "\n".join(f"| {c} | {n} | {(900 + i) * c} |" for c in (2, 4, 8) for n in (100, 200))
        tables.append(f"## {title}\n\n| cores | threads | QPS |\n| --- | --- | --- |\n{rows}\n")
    (tmp_path / "page.md").write_text("# MongoDB\n\n" + "\n".join(tables))
    done = invoke("report", tmp_path / "page.md", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    folders = {path.parent.name for path in (tmp_path / "out").glob("*/report.html")}
    assert len(folders) == 3 and "page-通用型" in folders
    assert all(f"{name}\n" in done.output for name in folders)


PRICES = "prices: {2c8g: 0.1, 4c16g: 0.2, 8c32g: 0.5, 12c48g: 0.55}\ncurrency: USD\ngoals: {qps: 9000}\n"


def test_prices_and_goals_beside_a_csv_reach_its_report(tmp_path, monkeypatch):
    rows = [f"{c},{4 * c},1c,100,{round(1000 * c**0.9)}" for c in (1, 2, 4, 8, 16)]
    own_table(tmp_path, "cores,ram_gb,product,threads,qps", rows)
    (tmp_path / "prices.yml").write_text(PRICES + "specs: [{name: 12c48g, cores: 12, ram_gib: 48}]\n")
    monkeypatch.chdir(tmp_path)
    args = ["report", "mine.csv", "--out", "out"]
    done = invoke(*args, "--params", "prices.yml", catch_exceptions=False)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "report.md").read_text()
    assert "carries 9,000 ops/s" in page and "(USD)" in page
    assert "12c48g" in page and "unknown (" not in page and "ycsbook report mine.csv --params prices.yml" in page
    assert invoke(*args).exit_code == 0
    page = (tmp_path / "out" / "report.md").read_text()
    assert "USD" not in page and "9,000 ops/s of" not in page


@pytest.mark.matrix
def test_prices_beside_a_published_table_keep_what_its_own_file_says(tmp_path):
    (tmp_path / "prices.yml").write_text("prices: {12c32g: 0.5, 24c64g: 0.7}\ngoals: {qps: 30000}\n")
    [(written, _)] = named_tables.write_reports("tencent-2020-08", tmp_path / "out", tmp_path / "prices.yml")
    page = written.markdown.read_text()
    assert "# MongoDB 4.0 at Tencent Cloud" in page and "cheapest spec that carries 30,000 ops/s" in page
    # Of two specs, a slower and a smaller one: both are run again.
    assert "ycsbook run params/tencent-2020-08.yml --only workload=a,threads=200 --repeat 3" in page
    # The language alone is enough, too.
    (tmp_path / "zh.yml").write_text("report: {lang: zh}\n")
    [(written, short)] = named_tables.write_reports("tencent-2020-08", tmp_path / "out", tmp_path / "zh.yml")
    assert 'lang: "zh"' in written.markdown.read_text() and "不可采信" in short.verdict


@pytest.mark.parametrize(
    ("text", "told"),
    [("prices: {M10: 1}\n", "prices: got M10, expected"), ("goal: {qps: 1}\n", "p.yml:1: goal: unknown key")],
)
def test_prices_of_other_specs_and_unknown_keys_are_refused(tmp_path, text, told):
    (tmp_path / "p.yml").write_text(text)
    with pytest.raises(ParamsError, match=told):
        named_tables.write_reports("tencent-2020-08", tmp_path / "out", tmp_path / "p.yml")
    assert not (tmp_path / "out").exists()


def test_a_params_file_keeps_its_own_prices():
    done = invoke("report", "params/qingcloud-4.0.3.yml", "--params", "params/local.yml")
    assert done.exit_code == 2 and "its own prices and goals" in done.output


PRODUCTS = """# YCSB benchmark of MongoDB 6.0 and others

Workload A (50:50), 100 threads.

| Product | Spec | QPS |
| --- | --- | --- |
| MongoDB 6.0 | 4C16G | 21,000 |
| MongoDB 6.0 | 8C32G | 39,500 |
| FerretDB | 4C16G | 9,000 |
| FerretDB | 8C32G | 17,300 |
"""


@pytest.mark.matrix
def test_products_of_one_page_are_called_and_set_against_each_other(tmp_path):
    (tmp_path / "page.md").write_text(PRODUCTS)
    rows = [line.strip("| ").replace(",", "").replace(" | ", ",") for line in PRODUCTS.splitlines()[6:]]
    own_table(tmp_path, "product,spec,qps,threads", (f"{row},100" for row in rows), "page.csv")
    for name in ("page.md", "page.csv"):
        reports = named_tables.write_reports(tmp_path / name, tmp_path / name[-3:])
        pages = {written.html.parent.name: (written.markdown.read_text(), said) for written, said in reports}
        assert list(pages) == ["page-ferretdb", "page-mongodb-6-0"]
        # A title that names one product says nothing of the others.
        assert "**Server:** FerretDB\n" in pages["page-ferretdb"][0]
        assert "**Server:** MongoDB 6.0\n" in pages["page-mongodb-6-0"][0]
        assert "0.43 to 0.44" in pages["page-ferretdb"][1].points[0]
        assert "2.28 to 2.33" in pages["page-mongodb-6-0"][1].points[0]


def test_data_sets_without_equal_specs_are_not_set_against_each_other(tmp_path):
    (tmp_path / "page.md").write_text(
        PRODUCTS.replace("FerretDB | 4C16G", "FerretDB | 2C8G").replace("FerretDB | 8C", "FerretDB | 16C")
    )
    for (_, said), other in zip(
        named_tables.write_reports(tmp_path / "page.md", tmp_path / "out"), ("mongodb-6.0", "ferretdb"), strict=True
    ):
        assert other not in said.points[0]


def test_tables_have_the_grades_that_their_params_file_gives_them(tmp_path, monkeypatch):
    """Short runs that a plan asked for are no reason for a C, by whatever name the tables are called."""
    runs = few(local_tables()).runs
    starts = [f"2026-11-20T10:{minute:02}:00Z" for minute in range(len(runs))]
    tables = Tables(runs=runs.assign(runtime_ms=5000.0, started_at=starts))
    report = made(tmp_path / "local", tables)

    def grades(page):
        return re.search(r"^Trust: (.*?)\. A: ", page.read_text(), re.MULTILINE)[1]

    [(again, _)] = named_tables.write_reports(report / "tables", tmp_path / "again")
    assert grades(again.markdown) == grades(report / "report.md") and grades(again.markdown).endswith("× A")
    # Also from another working folder, as which the repository may hold tables of the same name.
    monkeypatch.chdir(report)
    limits = invoke("limits", "tables", "--all").stdout
    assert re.search("Trust: .*? A: ", limits)[0].count("C") == 0
    # Nobody planned the same runs where they came without their params file.
    parquet.write(tables, tmp_path / "bare")
    [(bare, _)] = named_tables.write_reports(tmp_path / "bare", tmp_path / "of bare")
    assert grades(bare.markdown).endswith("× C")
    assert "under 20 min unplanned" in bare.markdown.read_text()


@pytest.mark.matrix
def test_the_mean_of_a_cell_is_one_figure_wherever_it_stands(tmp_path):
    parquet.write(local_tables(), tmp_path / "tables")
    page = named_tables.write_reports(tmp_path / "tables", tmp_path / "out")[0][0].markdown.read_text()
    results = re.findall(r"^\| (?:1 core, 1 GiB)? \| (?:4|16) \| ([\d,]+) ±", page, re.MULTILINE)
    threads = re.findall(r"^\| 1 core, 1 GiB \| ([\d,]+) \| ([\d,]+) \| [+−]", page, re.MULTILINE)
    assert threads and {figure for pair in threads for figure in pair} <= set(results)
