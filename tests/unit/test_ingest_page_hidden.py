"""What a page does not show is none of its figures; a page without a table of runs says what the nearest one lacks."""

import pytest
from page_samples import markdown

from ycsbook import ingest
from ycsbook.errors import RunLogError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published import page
from ycsbook.ingest.published.page_text import without_hidden

HIDES = ["hidden", 'hidden="hidden"', "HIDDEN", 'style="display:none"', "style='color: red; Display : None;'",
         "style=visibility:hidden", 'class="wide gone"']  # fmt: skip
STYLE = "<style>/* a */ .gone, .other { color: red; display: none } @media print { .seen { display: none } }</style>"
HEADINGS = "<tr><th>Spec</th><th>Threads</th><th>QPS</th>"


def read(tmp_path, html):
    path = tmp_path / "page.html"
    path.write_text(STYLE + "<h2>Reads and writes 50:50</h2>\n" + html, encoding="utf-8")
    tables, rejected = ingest.read_with_rejects([path])
    rates = dict(zip(tables.runs["spec"], tables.runs["throughput_ops_s"], strict=True))
    return rates, tables.operations["mean_us"].tolist(), list(map(str, rejected))


@pytest.mark.parametrize("hides", HIDES)
def test_hidden_rows_cells_columns_and_tables_are_not_read(tmp_path, hides):
    html = f"""<table>{HEADINGS}<th {hides}>RAL (us)</th></tr>
        <tr><td>2c4g</td><td>8</td><td>9000<span {hides}>123</span></td><td {hides}>77</td></tr>
        <tr {hides}><td>4c8g<td>8<td>5000<td>78
        <tr><td>8c16g</td><td class="seen">8</td><td>20000</td><td {hides}>79</td></tr></table>
        <div {hides}><div>x</div><table>{HEADINGS}</tr><tr><td>16c32g</td><td>8</td><td>30000</td></tr></table></div>
        <table {hides}>{HEADINGS}</tr><tr><td>32c64g</td><td>8</td><td>40000</td></tr></table>
        <template><table>{HEADINGS}</tr><tr><td>64c64g</td><td>8</td><td>50000</td></tr></table></template>"""
    # A part of the page that is hidden with its table may stand behind a tab.
    assert read(tmp_path, html) == ({"2c4g": 9000, "8c16g": 20_000, "16c32g": 30_000}, [], [])
    assert without_hidden(STYLE + html)[1] == "cell (3), text in a cell (1), row (1), table (2)"


def test_what_is_shown_in_the_end_is_read(tmp_path):
    style = "<style>.tab { display: none } .tab.active { display: block }</style><script>'<div hidden>'</script>"
    html = f"""{style}<body style="visibility: hidden"><!-- <table>{HEADINGS}<tr><td>1c1g<td>8<td>1</table> -->
        <p>Nothing<input type="hidden" data-x="hidden"><div class="tab active"><table title="hidden">{HEADINGS}
        <tr><td>2c4g<td>8<td>9000</table></div>"""
    assert read(tmp_path, html) == ({"2c4g": 9000}, [], [])


def test_tags_that_are_spoken_of_hide_nothing_and_one_that_is_never_closed_is_told(tmp_path):
    path = tmp_path / "page.md"
    text = markdown(["Spec", "Threads", "QPS"], ["2c4g", 8, 9000], above="Use `<div hidden>` for it.\n")
    path.write_text(text)
    assert ingest.read([path]).runs["throughput_ops_s"].tolist() == [9000]
    path.write_text(text.replace("`", ""))
    with pytest.raises(RunLogError, match="all from line 1 on, as its <div> is never closed"):
        page.read(Source(path))


def test_what_is_hidden_is_told(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(f"<table>{HEADINGS}<tr><td>2c4g<td>8<td>9000<tr hidden><td>4c8g<td>8<td>1</table>")
    assert page.left_out(Source(path)) == [f"{path}: left out of its tables, as the page hides it: row (1)"]
    path.write_text(f"<table hidden>{HEADINGS}<tr><td>2c4g<td>8<td>9000</table>")
    with pytest.raises(RunLogError, match=r"0 looked at; left out, as the page hides it: table \(1\)"):
        page.read(Source(path))


def test_a_page_without_a_table_of_runs_says_what_the_nearest_lacks(tmp_path):
    table = "| {} | {} |\n| --- | --- |\n| 1 | 2 |\n\n"
    path = tmp_path / "page.md"
    path.write_text(table.format("Item", "Price") + table.format("Threads", "Rate") + table.format("a", "b"))
    (error,) = ingest.read_with_rejects([path])[1]
    assert str(error) == (
        f"{path}:5: no table found whose headings name threads and throughput (QPS), 3 looked at: "
        "the nearest is headed 'Threads | Rate' and lacks throughput (QPS)"
    )


@pytest.mark.parametrize(
    ("heading", "cell", "column"),
    [("读延迟(ms)", "foo", "ral_us"), ("P99 read (ms)", "x5", "ral_us@99"), ("并发", "4x", "threads"),
     ("规格", "Large", "spec"), ("Mix", "7", "mix")],
)  # fmt: skip
def test_a_row_that_cannot_be_read_names_the_heading_as_the_page_prints_it(tmp_path, heading, cell, column):
    headings = {"规格": "2c4g", "并发": "4", "QPS": "9069", "读延迟(ms)": "1", "P99 read (ms)": "5", "Mix": "a"}
    path = tmp_path / "page.md"
    path.write_text(markdown(list(headings), headings.values(), (headings | {"规格": "4c8g", heading: cell}).values()))
    (error,) = ingest.read_with_rejects([path])[1]
    assert str(error).startswith(f"{path}:5: {column}: got '{cell}', expected ")
    assert str(error).endswith(f"; its heading is '{heading}'")
