"""The parser of vendors' pages, on pages made up here."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import RunLogError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published import page as page_
from ycsbook.ingest.published.page import parse_page

PIPE = """## Results
### Reads/Writes 50:50

| spec | threads | throughput(ops/sec) | RAL(us) | WAL(us) | CPU utilization |
| --- | --- | --- | --- | --- | --- |
| 2核4G | 100 | 9069 | 21520 | 175 | 74% |
"""


def one(page: str):
    rows = parse_page(page, "page.md")
    assert len(rows) == 1
    return rows[0]


@pytest.mark.parametrize(
    ("printed", "slug", "cores", "ram"),
    [
        ("2核4G", "2c4g", 2, 4),
        (" 32 核 240 GB ", "32c240g", 32, 240),
        ("2 核\t4 Gi", "2c4g", 2, 4),
        ("8C64GiB", "8c64g", 8, 64),
        ("4 vCPU, 16 GB", "4c16g", 4, 16),
        ("16 cores / 64 GB", "16c64g", 16, 64),
        ("0.5核1G", "0.5c1g", 0.5, 1),
        ("**MongoDB 规格 8核32G**", "8c32g", 8, 32),
        ("MongoDB spec: 8c 32G", "8c32g", 8, 32),
        ("８核６４ＧＢ", "8c64g", 8, 64),
        ("8 vCPU / 32 GiB", "8c32g", 8, 32),
        ("8C32G", "8c32g", 8, 32),
        ("8核32GB", "8c32g", 8, 32),
        ("8 核 32 GB", "8c32g", 8, 32),
        ("8 vCPUs, 32 GB RAM", "8c32g", 8, 32),
        ("8C/32G", "8c32g", 8, 32),
        ("8核CPU 32GB内存", "8c32g", 8, 32),
        ("8 CPU 32 GB memory", "8c32g", 8, 32),
        ("c5.2xlarge (8 vCPU, 32 GiB)", "c5.2xlarge", 8, 32),
        ("8-core 32GB", "8c32g", 8, 32),
        ("c5.2xlarge 8 vCPU / 32 GiB", "c5.2xlarge", 8, 32),
        ("c5.2xlarge, 8C32G", "c5.2xlarge", 8, 32),
        ("32 GiB / 8 vCPU", "8c32g", 8, 32),
        ("8 cores and 32 GiB", "8c32g", 8, 32),
    ],
)
def test_specs_as_vendors_spell_them(printed, slug, cores, ram):
    row = one(PIPE.replace("2核4G", printed))
    assert (row.spec, row.cores, row.ram_gib) == (slug, cores, ram)


@pytest.mark.parametrize(
    "printed", ["", "large", "2核", "4G", "0核4G", "2核0G", "2核4G x", "2核4T", "-2核4G", "1e3核4G"]
)
def test_a_junk_spec_is_refused_with_its_line(printed):
    with pytest.raises(RunLogError, match=r"^page.md:6: spec: got .*expected cores and RAM") as caught:
        parse_page(PIPE.replace("2核4G", printed), "page.md")
    assert caught.value.line == 6


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("| 9069 |", "| 9O69 |", "throughput_ops_s: got '9O69'"),
        ("| 9069 |", "| -9069 |", "throughput_ops_s: got '-9069'"),
        ("| 9069 |", "| 1e999 |", "throughput_ops_s: got '1e999'"),
        ("| 9069 |", "| 90% |", "throughput_ops_s: got '90%'"),
        ("| 9069 |", "| 9,06 |", "throughput_ops_s: got '9,06'"),
        ("| 21520 |", "| inf |", "ral_us: got 'inf'"),
        ("| 175 |", "| 175x |", "wal_us: got '175x'"),
        ("| 74% |", "| 740% |", "cpu_utilisation: got '740%', expected 0 to 100 %"),
        ("| 74% |", "| 0.74 |", "cpu_utilisation: got '0.74', expected a percentage"),
        ("| 100 |", "| 0 |", "threads: got '0', expected a whole number from 1"),
        ("| 100 |", "| 1.5 |", "threads: got '1.5', expected a whole number from 1"),
        ("| 100 |", "|  |", "threads: got '', expected a whole number from 1"),
        ("| 175 |", "|", "got 5 cells, expected 6 as in the heading"),
        ("| 175 |", "| 175 | 9 |", "got 7 cells, expected 6 as in the heading"),
    ],
)
def test_a_junk_cell_is_refused_with_its_line(old, new, named):
    with pytest.raises(RunLogError) as caught:
        parse_page(PIPE.replace(old, new), "page.md")
    assert caught.value.line == 6
    assert named in caught.value.reason


@pytest.mark.parametrize("blank", ["", "-", "?", "—", "N/A", "&nbsp;"])
def test_a_blank_figure_is_missing_not_zero(blank):
    row = one(PIPE.replace("175", blank))
    assert math.isnan(row.wal_us)
    assert row.ral_us == 21520


@pytest.mark.parametrize("zero", ["0", "0.0"])
def test_a_latency_of_zero_is_an_operation_that_there_was_not(zero):
    row = one(PIPE.replace("21520", zero))
    assert math.isnan(row.ral_us) and row.wal_us == 175


def test_columns_a_page_does_not_have_are_missing():
    row = one("# 95:5\n|规格|并发数|QPS|\n|-|-|-|\n|2核4G|100|9069|\n")
    assert math.isnan(row.ral_us) and math.isnan(row.wal_us) and math.isnan(row.cpu_utilisation)
    assert (row.workload, row.read_fraction) == ("b", 0.95)


@pytest.mark.parametrize(("old", "new"), [("RAL(us)", "RAL(furlongs)"), ("(ops/sec)", "(ops/min)")])
def test_an_unknown_unit_is_refused(old, new):
    with pytest.raises(RunLogError, match=r"page.md:4: heading .*unknown unit"):
        parse_page(PIPE.replace(old, new), "page.md")


def test_thousands_separators_and_stray_markup_are_read():
    assert one(PIPE.replace("9069", "<span>**\t9,069 **</span>")).throughput_ops_s == 9069


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(RunLogError, match=r"page.md:4: two columns are headed ral_us"):
        parse_page(PIPE.replace("WAL(us)", "RAL(us)"), "page.md")


def test_a_measurement_that_stands_twice_is_refused():
    with pytest.raises(RunLogError, match=r"page.md:7: 2c4g a 100 threads stands in line 6"):
        parse_page(PIPE + "| 2核4GB | 100 | 1 | 1 | 1 | 1% |\n", "page.md")


@pytest.mark.parametrize("heading", ["### Results", "### 50:40", "### 2020:08"])
def test_figures_under_no_mix_are_refused(heading):
    with pytest.raises(RunLogError, match=r"page.md:6: no section heading above says the read:update mix"):
        parse_page(PIPE.replace("### Reads/Writes 50:50", heading), "page.md")


def test_a_heading_of_the_same_level_ends_the_mix_and_a_lower_one_does_not():
    with pytest.raises(RunLogError, match=r"page.md:7: no section heading"):
        parse_page(PIPE.replace("\n\n", "\n### Another\n\n"), "page.md")
    assert one(PIPE.replace("\n\n", "\n#### Detail\n\n")).workload == "a"


def test_spec_rows_hold_for_the_rows_below_and_end_with_the_table():
    table = (
        "<table><tr><th>threads<th>QPS</tr>\n<tr><td colspan=9>规格 2核4G</td></tr>\n<tr><td>100<td>7</tr></table>\n"
    )
    row = one("# 50:50\n" + table)
    assert (row.line, row.spec, row.throughput_ops_s) == (4, "2c4g", 7)
    with pytest.raises(RunLogError, match=r"page.md:6: no spec above these figures"):
        parse_page("# 50:50\n" + table + table.replace("\n<tr><td colspan=9>规格 2核4G</td></tr>", ""), "page.md")


def test_comments_line_breaks_in_tags_and_odd_quotes_move_nothing():
    row = one(
        "# 50:50\n<table><!-- <tr><td>no</td>\n</tr> --><tr><th>规格<th>threads<th>QPS</tr>\n"
        "<tr\nid='x'><td>2核<b\nclass=x>4G</b><td>100<br/><td>9069\n</td></tr></table>"
    )
    assert (row.line, row.spec, row.threads, row.throughput_ops_s) == (4, "2c4g", 100, 9069)
    page = '# 50:50\n<table><tr><th>规格<th>threads<th>QPS</tr><tr><td a=">2核4G<td>100<td>7</tr></table>'
    assert one(page).throughput_ops_s == 7


def test_html_cells_are_read_as_a_browser_shows_them():
    page = "# 50:50\n<table><tr><th>规格<th>threads<th>QPS</tr><tr><td>2&#26680;4&#71;<td>100<td>a < b</tr></table>"
    with pytest.raises(RunLogError, match=r"throughput_ops_s: got 'a < b', expected a number"):
        parse_page(page, "page.md")


def test_headings_of_two_rows_are_one():
    page = """<h2>50% read + 50% update</h2><table>
<tr><th rowspan="2">spec</th><th rowspan="2">threads</th><th colspan="2">READ</th><th colspan="2">UPDATE</th>
<th rowspan="2">Total OPS</th></tr>
<tr><th>Avg (us)</th><th>P99 (us)</th><th>Avg (ms)</th><th>P99 (ms)</th></tr>
<tr><td>4c 8GB</td><td>16</td><td>1,020</td><td>3,900</td><td>1.3</td><td>4.4</td><td>13,650</td></tr></table>"""
    row = one(page)
    assert (row.ral_us, row.wal_us, row.throughput_ops_s) == (1020, 1300, 13_650)
    assert (row.workload, row.read_fraction) == ("a", 0.5)


def test_a_code_fence_left_open_loses_nothing():
    assert one("```shell\n$ ycsb run <user>:<password><ip> &\n\n" + PIPE).line == 9


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path):
    page = tmp_path / "page.md"
    page.write_bytes(b"\xef\xbb\xbf" + PIPE.replace("\n", "\r\n").encode())
    assert [r["throughput_ops_s"] for r in page_.read(Source(page))[0].runs] == [9069]


def test_other_tables_are_passed_over():
    assert one("| scene | what |\n|---|---|\n| a | 50:50 |\n\n<table><tr><td>x</td></tr></table>\n" + PIPE).line == 11


@pytest.mark.parametrize(
    "page", ["", "|-|-|\n|-|-|\n|-|-|", "nothing here", "|a|b|\n|-|-|\n|1|2|\n", "prose about the `<table>` tag"]
)
def test_a_page_without_figures_is_refused(page):
    with pytest.raises(RunLogError, match="no table found whose headings name threads and throughput"):
        parse_page(page, "page.md")


def test_a_table_cut_short_is_refused():
    page = "# 50:50\n\n<table><tr><th>规格<th>threads<th>QPS</tr>\n<tr><td>2核4G<td>100<td>90"
    with pytest.raises(RunLogError, match=r"page.md:3: this <table> is never closed") as caught:
        parse_page(page, "page.md")
    assert caught.value.line == 3


def test_a_table_tag_in_prose_hides_nothing_below():
    assert one("the `<table>` tag\n" + PIPE).line == 7


@given(st.text(alphabet="|-:# \t\n<>/tabletrdh50核GQPSthreads\"'=", max_size=300))
def test_any_text_gives_rows_or_one_error(text):
    try:
        assert parse_page(text, "page.md")
    except RunLogError as e:
        assert str(e).startswith("page.md")
