"""The report's sections on what more cores bring, and on the smallest spec for a goal."""

import re

import pytest
import report_samples as samples
from facts_in import in_order

from ycsbook import messages, params, paths, scaling, trust
from ycsbook.ingest.published.published import read_published
from ycsbook.report import html, markdown, sizing
from ycsbook.report.blocks import Table, Text
from ycsbook.report.rows import ReportRows

SPECS = ("0.25c", "0.5c", "0.75c", "1c")
PRICES = {"prices": dict(zip(SPECS, (0.1, 0.2, 0.3, 0.5), strict=True)), "currency": "USD"}


@pytest.fixture(scope="module")
def local():
    tables = samples.local_tables()
    return tables, scaling.analyse(tables.runs, tables.operations)


def rows_of(local, **changes):
    return ReportRows(samples.local_sweep(**changes), local[0])


def tables_in(section):
    return [b for part in section.blocks for b in (getattr(part, "blocks", None) or (part,)) if isinstance(b, Table)]


def test_steps_are_told_with_their_intervals(local):
    section = sizing.marginals(rows_of(local), local[1])
    (table,) = tables_in(section)
    assert [c.key for c in table.columns] == [
        "group", "step", "cost_ratio", "gain", "interval", "efficiency", "ops_per_core",
    ]  # fmt: skip
    assert len(table.rows) == 4 * 3
    assert "0.75 → 1" in {row.cells[1] for row in table.rows}
    assert "you pay" in section.blocks[1].text


def test_steps_with_prices(local):
    section = sizing.marginals(rows_of(local, **PRICES), local[1])
    assert "prices in the params file" in section.blocks[0].text
    assert "you pay 1.67x for 1." in section.blocks[1].text
    assert {row.cells[2] for row in tables_in(section)[0].rows} == {"×2.00", "×1.50", "×1.67"}


def test_a_vendors_ram_steps_have_no_cost_without_prices():
    sweep = samples.vendor_sweep(samples.EIGHTEEN)
    tables = samples.vendor_tables(sweep)
    section = sizing.marginals(ReportRows(sweep, tables), scaling.analyse(tables.runs, tables.operations))
    cores, ram = tables_in(section)
    assert [c.key for c in ram.columns] == ["group", "step", "gain", "ops_per_gib"]
    assert "2 cores, 4 → 8 GB" in {row.cells[1] for row in ram.rows}
    assert "interval" not in [c.key for c in cores.columns]


def test_without_a_goal_there_is_no_section(local):
    assert sizing.capacity(rows_of(local), local[1], trust.of_runs(local[0])) is None


def test_the_smallest_spec_for_the_goal(local):
    section = sizing.capacity(rows_of(local, goals={"qps": 8000}, **PRICES), local[1], trust.of_runs(local[0]))
    said = [b.text for part in section.blocks[1:] for b in part.blocks if isinstance(b, Text)]
    assert len(said) == 2 and all(re.match("The cheapest .* 8,000 ops/s", s) for s in said)
    table = tables_in(section)[0]
    assert [c.heading for c in table.columns][-1] == "Per million operations (USD)"
    assert sum(row.marked for row in table.rows) >= 1
    for render in (html.fragment, markdown.fragment):
        assert messages.text("capacity") in render(section)


def test_a_tail_that_nobody_measured_is_said_not_raised():
    sweep = samples.vendor_sweep(samples.EIGHTEEN)
    tables = samples.vendor_tables(sweep)
    asked = sweep.model_copy(update={"goals": type(sweep.goals)(qps=50_000, p99_ms=5)})
    grades = trust.of_runs(tables)
    section = sizing.capacity(ReportRows(asked, tables), scaling.analyse(tables.runs, tables.operations), grades)
    assert section.blocks[1].blocks[0].text.startswith("no p99 was measured")


def test_steps_of_cores_leave_out_rows_in_doubt():
    tables = read_published(paths.PUBLISHED / "tencent-2020-08.csv")
    analysis = scaling.analyse(tables.runs, tables.operations)
    short = samples.head_of(tables, params.load(paths.PARAMS / "tencent-2020-08.yml"))
    assert {"tencent-2020-08-4c8g-a-t200", "tencent-2020-08-32c240g-a-t200"} <= set(short.doubted)
    of_all, sound = (sizing.marginals(short.rows, analysis, doubted) for doubted in ((), short.doubted))
    steps = [section.blocks[2].frame.query("group == 'a, 200 threads'")["step"].tolist() for section in (of_all, sound)]
    assert steps == [["2 → 4", "4 → 6", "6 → 12", "12 → 24", "24 → 48"], ["6 → 24", "24 → 48"]]
    assert "rows in doubt" in sound.blocks[0].text and "rows in doubt" not in of_all.blocks[0].text


def test_rows_in_doubt_answer_last_and_are_marked():
    tables = read_published(paths.PUBLISHED / "tencent-2020-08.csv")
    sweep = params.load(paths.PARAMS / "tencent-2020-08.yml")
    asked = sweep.model_copy(update={"goals": type(sweep.goals)(qps=30_000)})
    grades = trust.of_runs(tables)
    section = sizing.capacity(ReportRows(asked, tables), scaling.analyse(tables.runs, tables.operations), grades)
    answer, _, *_ = section.blocks[1].blocks
    assert in_order(answer.text, "24 cores, 64 GB", "12 cores, 32 GB (D)")
    assert "12 cores, 32 GB (D)" in {row.cells[0] for row in tables_in(section)[0].rows}


def test_the_step_that_brings_least_is_not_told_of_a_series_with_too_few_threads():
    """100 threads over a floor of latency bring QingCloud nothing from 8 to 16 cores, and 200 do."""
    tables = read_published(paths.PUBLISHED / "qingcloud-4.0.3.csv")
    analysis = scaling.analyse(tables.runs, tables.operations)
    short = samples.head_of(tables, params.load(paths.PARAMS / "qingcloud-4.0.3.yml"))
    told = [
        sizing.marginals(short.rows, analysis, short.doubted, growth).blocks[1].text for growth in ((), short.growth)
    ]
    assert ["100 threads" in text for text in told] == [True, False]
