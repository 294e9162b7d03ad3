"""The tables of results: every row is shown, loads apart; specs in the order of their numbers."""

import pandas as pd
import pytest
from page_samples import own_table
from report_samples import head_of

from ycsbook import named_tables, paths
from ycsbook.comparing.sides import sides
from ycsbook.messages.formats import DASH
from ycsbook.report.results import results
from ycsbook.report.site import index
from ycsbook.scaling.steps import cores_and_ram_effects, ram_steps

PUBLISHED = [path.stem for path in sorted(paths.PUBLISHED.glob("*.csv")) if "spec" in pd.read_csv(path).columns]


def tables_of(tables) -> dict[str, list[dict[str, str]]]:
    """The printed rows of each table of results by its anchor, cells by the column's key."""
    short = head_of(tables)
    sections = results(short.rows, short.grades).sections()
    return {
        section.anchor: [
            dict(zip([column.key for column in table.columns], row.cells, strict=True))
            for table in section.blocks
            for row in table.rows
        ]
        for section in sections
    }


@pytest.mark.matrix
@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_row_is_shown_with_its_figures_and_its_grade(name):
    tables = named_tables.read(name)
    printed = [row for rows in tables_of(tables).values() for row in rows]
    known = tables.runs["throughput_ops_s"].notna().sum()
    assert sum(row.get("published_qps", DASH) != DASH for row in printed) == known
    assert len(printed) == len(tables.runs) and all(row["grade"] in "ABCDF" for row in printed)


def test_unknown_threads_are_said_to_be_so():
    rows = [row for rows in tables_of(named_tables.read("huawei-dds-4.0-cluster")).values() for row in rows]
    assert {row["threads"] for row in rows} == {"100", "not stated"}


def test_specs_of_unknown_threads_are_compared_as_well():
    tables = named_tables.read("huawei-dds-3.4")
    rows = head_of(tables).points
    assert set(ram_steps(rows)["cores"]) == {2, 4, 8} and len(ram_steps(rows)) == 18
    of_known = cores_and_ram_effects(rows.assign(threads=100.0))
    assert [effect.cores for effect in cores_and_ram_effects(rows)] == [effect.cores for effect in of_known]
    short = head_of(tables)
    assert {best["threads"] for best in index._numbers(short.rows, short)} == {None}


def test_specs_are_sorted_by_the_numbers_in_their_names(tmp_path):
    rows = [f"{name},100,{1000 + i}" for i, name in enumerate(("n16x", "n2x", "n114688x"))]
    tables = named_tables.read(own_table(tmp_path, "spec,threads,qps", rows))
    (printed,) = tables_of(tables).values()
    assert [row["name"] for row in printed] == ["n2x", "n16x", "n114688x"]
    assert list(sides(tables, tables)[0][0].cells["spec"]) == ["n2x", "n16x", "n114688x"]


def test_loads_beside_runs_are_shown_apart_and_judged():
    tables = named_tables.read("alibaba-polardb")
    (load,) = tables_of(tables)["results-loads"]
    assert load["grade"] == "F" and load["published_qps"] == "21,021" and load["published_wal"] == "1,940"
    short = head_of(tables)
    (found,) = short.findings[short.findings["rule"] == "little_law"].to_dict("records")
    assert found["run_ids"] == short.rows.loads["run_id"].item()
    # Nothing else is said of loads: they are no points.
    assert not short.rows.points["run_id"].isin(short.rows.loads["run_id"]).any()
    manual = tables_of(named_tables.read("qingcloud-manual"))["results-loads"]
    assert [row["published_qps"] for row in manual] == ["5,165", "13,547", "24,529", "28,500", "29,514"]


def test_a_table_of_loads_alone_has_none_apart():
    assert "results-loads" not in tables_of(named_tables.read("aws-containers"))


def test_target_throughputs_are_a_column():
    rows = tables_of(named_tables.read("bexhoma-postgresql"))["results-1"]
    targets = [float(row["target_ops_s"].replace(",", "")) for row in rows]
    assert targets == 2 * sorted(targets[:8]) and targets[0] == 16384
