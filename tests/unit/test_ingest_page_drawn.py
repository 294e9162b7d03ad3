"""Tables that are drawn as consoles, reStructuredText, AsciiDoc and plain text draw them are read as Markdown's are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_samples import own_table

from ycsbook import ingest
from ycsbook.errors import RunLogError
from ycsbook.ingest.published.page import parse_rows
from ycsbook.ingest.published.page_tables import PageTable, placed
from ycsbook.ingest.published.page_text import with_pipes

HEADINGS = ("Threads", "QPS", "Read avg (us)")
ROWS = (("16", "12000", "900"), ("32", "20000", "1100"), ("64", "26000", "1800"))
WIDTHS = [max(len(cells[at]) for cells in (HEADINGS, *ROWS)) for at in range(3)]


def cells(bar, row):
    return f"{bar} {f' {bar} '.join(cell.ljust(width) for cell, width in zip(row, WIDTHS, strict=True))} {bar}"


def framed(bar, top, middle, bottom, between=""):
    def line(signs):
        first, stroke, crossing, last = signs
        return first + crossing.join(stroke * (width + 2) for width in WIDTHS) + last

    rows = [of_row for row in ROWS for of_row in (cells(bar, row), *([line(between)] if between else []))]
    return [line(top), cells(bar, HEADINGS), line(middle), *rows, line(bottom)]


def blank(row):
    return "  ".join(cell.ljust(width) for cell, width in zip(row, WIDTHS, strict=True)).rstrip()


def strokes(sign):
    return "  ".join(sign * width for width in WIDTHS)


FORMS = {
    "mysql": framed("|", "+-++", "+-++", "+-++"),
    "grid": framed("|", "+-++", "+=++", "+-++", between="+-++"),
    "box": framed("│", "┌─┬┐", "├─┼┤", "└─┴┘"),
    "double": framed("║", "╔═╦╗", "╠═╬╣", "╚═╩╝"),
    "heavy": framed("┃", "┏━┳┓", "┡━╇┩", "└─┴┘"),
    "psql": [
        cells("|", HEADINGS)[1:-1], "+".join("-" * (w + 2) for w in WIDTHS), *(cells("|", row)[1:-1] for row in ROWS)
    ],
    "simple": [strokes("="), blank(HEADINGS), strokes("="), *map(blank, ROWS), strokes("=")],
    "dashes": [blank(HEADINGS), strokes("-"), *map(blank, ROWS)],
    "blanks": [blank(HEADINGS), *map(blank, ROWS)],
    "tabs": ["\t".join(row) for row in (HEADINGS, *ROWS)],
    "gnuplot": ["# threads ops/s read_avg_us", *(" ".join(row) for row in ROWS)],
    "quoted csv": ["```csv", *(",".join(row) for row in (HEADINGS, *ROWS)), "```"],
    "latex": [
        r"\hline", f"{' & '.join(HEADINGS)} \\\\", r"\midrule", *(f"{' & '.join(row)} \\\\" for row in ROWS), r"\hline",
    ],
    "pandas": ["   threads    qps  read_avg_us", *(f"{at}  {blank(row)}" for at, row in enumerate(ROWS))],
    "tibble": [
        "# A tibble: 3 x 3", "  threads   qps read_avg_us", "    <dbl> <dbl>       <dbl>",
        *(f"{at} {' '.join(row)}" for at, row in enumerate(ROWS, 1)),
    ],
    "polars": [
        "┌───┬───┬───┐", *(cells("┆", row) for row in (HEADINGS, ["---"] * 3, ["i64", "i64", "f64"])),
        "╞═══╪═══╪═══╡", *(cells("┆", row) for row in ROWS), "└───┴───┴───┘",
    ],
    "jira": [f"||{'||'.join(HEADINGS)}||", *(f"|{'|'.join(row)}|" for row in ROWS)],
    "asciidoc": ["|===", f"|{' |'.join(HEADINGS)}", "", *(f"|{' |'.join(row)}" for row in ROWS), "|==="],
    "asciidoc, a cell each line": [
        "|===", f"|{' |'.join(HEADINGS)}",
        *(line for row in ROWS for line in ("", *(f"|{cell}" for cell in row))), "|===",
    ],
}  # fmt: skip


@pytest.mark.parametrize("above", [[], ["Workload A:"], ["# Results", ""]])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_the_same_rows_each_in_its_line(form, above):
    lines = [*above, *FORMS[form], "", "That is all."]
    rows, errors = parse_rows("\n".join(lines), "results.txt")
    assert errors == []
    assert [(row.threads, row.throughput_ops_s, row.ral_us) for row in rows] == [tuple(map(float, row)) for row in ROWS]
    for row, (threads, *_, last) in zip(rows, ROWS, strict=True):
        # A row over several lines is that of its last.
        assert last in lines[row.line - 1] and (threads in lines[row.line - 1] or "each line" in form)


@pytest.mark.parametrize("form", FORMS)
def test_they_are_found_in_files_of_any_name(tmp_path, form):
    (tmp_path / "notes").write_text("\n".join(["What we measured:", "", *FORMS[form]]) + "\n", encoding="utf-8")
    runs = ingest.read([tmp_path]).runs
    assert runs["throughput_ops_s"].tolist() == [12000, 20000, 26000]


@pytest.mark.parametrize(
    "form",
    ["{}: {}", "{} = {}", "- {}: {}", "* **{}:** `{}`", "* **{}**: {}\n"],
    ids=["colon", "equals", "items", "bold", "loose items"],
)
def test_a_run_whose_lines_are_a_name_and_a_figure_each_is_a_row(tmp_path, form):
    def run(*figures):
        names = ("Threads", "Throughput", "Read latency (avg)", "P99 latency", "Duration")
        return [form.format(name, figure) for name, figure in zip(names, figures, strict=True)]

    first = run("16", "12,345 ops/sec", "1.2 ms", "4.5 ms", "600 s")
    second = run("32", "20000 ops/sec", "1.5 ms", "6 ms", "600 s")
    text = "\n".join(
        ["Write concern: majority", "", "Workload A", "", *first, "", "Workload B", "", *second, "", "End."]
    )
    rows, errors = parse_rows(text, "runs.md")
    assert errors == []
    assert [(row.workload, row.threads, row.throughput_ops_s, row.ral_us) for row in rows] == [
        ("a", 16, 12_345, 1200), ("b", 32, 20_000, 1500),
    ]  # fmt: skip
    (tmp_path / "runs.md").write_text(text)
    assert ingest.read([tmp_path / "runs.md"]).runs["write_concern"].tolist() == ["majority"] * 2


def test_runs_that_follow_each_other_without_a_line_between_them_are_runs():
    lines = [f"threads: {n}\nthroughput: {n}00 ops/s\nread avg: 2 ms" for n in (8, 16)]
    rows, errors = parse_rows("\n".join(lines), "runs.txt")
    assert errors == [] and [(row.threads, row.throughput_ops_s) for row in rows] == [(8, 800), (16, 1600)]


def test_two_tables_below_each_other_are_two():
    text = "\n".join(["Workload A", "", *FORMS["blanks"], "", "Workload B", "", *FORMS["mysql"]])
    rows, errors = parse_rows(text, "two.txt")
    assert errors == [] and [row.workload for row in rows] == ["a"] * 3 + ["b"] * 3


def test_a_row_that_lacks_a_cell_is_named_and_the_others_are_read():
    lines = [blank(HEADINGS), blank(ROWS[0]), "32   20000", blank(ROWS[2])]
    rows, (error,) = parse_rows("\n".join(lines), "lacking.txt")
    assert [row.threads for row in rows] == [16, 64]
    assert ":3: got 2 cells, expected 3" in str(error)


@pytest.mark.parametrize(
    "prose",
    [
        "We looked at threads and QPS, and at much else.\nNo figure of 2024 is given here.",
        "Threads QPS\n\nNothing was measured.",
        "lib\n├── threads\n│   └── ops/s\n└── qps",
        "threads: 16\nqps: 12000",
        "threads: 16\nthroughput: 5000\nduration: 60",
    ],
)
def test_what_only_speaks_of_threads_is_no_table(prose):
    assert not any(isinstance(element, PageTable) for _, element in placed(prose))


def test_a_table_with_tabs_that_is_called_so_is_one_of_ones_own(tmp_path):
    path = own_table(tmp_path, "cores\tthreads\tqps", ["2\t16\t900", "4\t16\t1700"], "mine.tsv")
    assert ingest.read([path]).runs["format"].tolist() == ["csv", "csv"]


@given(st.lists(st.text(st.sampled_from("|+-=:│┼ \tthreadsqps/019.#"), max_size=30), max_size=12))
def test_whatever_stands_there_every_line_stays_in_its_place(lines):
    text = "\n".join(lines)
    drawn = with_pipes(text).split("\n")
    assert len(drawn) == len(text.split("\n"))
    for before, after in zip(text.split("\n"), drawn, strict=True):
        # No figure is lost or made up, but those of AsciiDoc's rows go to their last line.
        assert "|===" in text or sorted(filter(str.isalnum, before)) == sorted(filter(str.isalnum, after))


def test_lines_are_counted_on_behind_a_table():
    text = "\n".join([*FORMS["asciidoc, a cell each line"], "", *FORMS["blanks"]])
    (_, first), (at, second) = [(line, e) for line, e in placed(text) if isinstance(e, PageTable)]
    assert len(first.rows) == len(second.rows) == 4 and at == second.rows[0].line == len(text.split("\n")) - 3


@pytest.mark.parametrize("heading", ["time", "Elapsed (s)", "t", "seconds"])
def test_the_rows_of_one_run_as_it_goes_on_are_no_runs(heading):
    rows = [f"| {10 * n} | 16 | {1200 + n} |" for n in (1, 2, 3)]
    text = "\n".join([f"| {heading} | Threads | QPS |", "|---|---|---|", *rows])
    with pytest.raises(RunLogError, match=f"heading '{re.escape(heading)}': rows of one run as it went on"):
        parse_rows(text, "progress.txt")
    # Times that do not go on, and those of several configurations, say when each run was made.
    for others in (rows[::-1], [row.replace("16", str(16 * n)) for n, row in enumerate(rows, 1)]):
        assert parse_rows("\n".join([*text.split("\n")[:2], *others]), "runs.txt")[0]
