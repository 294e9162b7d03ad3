"""Rows of a table that sum up others, or were not measured, are no runs, and are named."""

import pytest
from page_samples import markdown, own_table, read

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


@pytest.mark.parametrize("word", ["projected", "64 (estimated)", "Extrapolated from 32 cores", "预估"])
def test_a_projection_is_no_run_in_csvs_and_pages(tmp_path, word):
    path = own_table(tmp_path, "spec,threads,qps,note", ["4c8g,8,9000,", f"8c16g,8,17000,{word}"])
    tables, (remark,) = own_csv.tables_in(path)
    assert tables.runs["throughput_ops_s"].tolist() == [9000]
    assert remark.startswith(f"{path}:3: ") and "a projection" in remark
    page = markdown(["Spec", "Threads", "QPS", "Note"], ["4c8g", 8, 9000, ""], ["8c16g", 8, 17000, word])
    rows, (rejected,) = read(tmp_path, page)
    assert len(rows.runs) == 1 and "a projection, expected a run" in rejected


def test_a_workload_of_projections_is_measured(tmp_path):
    rows = ["x,projection,8,9000", "x,estimated_document_count,8,8000"]
    path = own_table(tmp_path, "system,workload,threads,qps", rows)
    tables, left_out = own_csv.tables_in(path)
    assert len(tables.runs) == 2 and left_out == []
