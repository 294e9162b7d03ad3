"""Rows of a CSV of one's own that sum up others are no runs, and are named."""

import pytest

from ycsbook.ingest.published import own_csv


@pytest.mark.parametrize("name", ["Best", "Max", "Total", "Average", "平均", "合计", "最优", "Peak", "Worst case"])
@pytest.mark.parametrize("row", ["{},16,14000", "4c8g,{},14000"])
def test_a_summary_in_place_of_a_spec_or_of_threads_is_left_out_and_named(tmp_path, name, row):
    path = tmp_path / "own.csv"
    path.write_text(f"spec,threads,qps\n4c8g,8,9000\n{row.format(name)}\n", encoding="utf-8")
    tables, (remark,) = own_csv.tables_in(path)
    assert tables.runs["throughput_ops_s"].tolist() == [9000]
    assert remark.startswith(f"{path}:3: ") and repr(name) in remark


def test_servers_whose_names_begin_so_are_read(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("spec,threads,qps\nmax-8c,8,9000\nBest Effort,8,8000\n")
    tables, left_out = own_csv.tables_in(path)
    assert len(tables.runs) == 2 and left_out == []
