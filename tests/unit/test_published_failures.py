"""Tables that print how many operations failed: such rows are graded as runs of logs are, and nothing rests on them."""

import math

import pandas as pd
import pytest
from facts_in import holds
from page_samples import markdown
from report_samples import head_of

from ycsbook import named_tables, trust
from ycsbook.ingest.published.page_headings import column

# A promise in all its variations.
pytestmark = pytest.mark.matrix

ROWS = [("2C8G", 100, 4540), ("2C8G", 200, 4522), ("8C32G", 100, 13851), ("8C32G", 200, 17038)]


@pytest.mark.parametrize(
    ("heading", "named"),
    [
        ("Errors", ("failed_operations", 1)),
        ("failed ops", ("failed_operations", 1)),
        ("Failures", ("failed_operations", 1)),
        ("failed", ("failed_operations", 1)),
        ("Number of failed operations", ("failed_operations", 1)),
        ("失败数", ("failed_operations", 1)),
        ("错误次数", ("failed_operations", 1)),
        ("Errors (%)", ("failed_share", 0.01)),
        ("Error %", ("failed_share", 0.01)),
        ("failed (%)", ("failed_share", 0.01)),
        ("Error rate (%)", ("failed_share", 0.01)),
        ("error_rate", ("failed_share", 1)),
        ("failed_percent", ("failed_share", 0.01)),
        ("错误率", ("failed_share", 1)),
        ("失败率(%)", ("failed_share", 0.01)),
        ("Failover (s)", None),
        ("Error bar", None),
        ("Errors/s", None),
    ],
)
def test_headings_of_numbers_and_of_shares_of_failed_operations(heading, named):
    assert column(heading) == named


@pytest.mark.parametrize(
    ("heading", "cells", "share"),
    [
        ("Errors (%)", ("0.0", "0", "0", "12.4"), 0.124),
        ("错误率", ("0%", "0%", "0.00%", "12.4%"), 0.124),
        ("Errors", ("0 %", "0 %", "-", "12.4 %"), 0.124),
        ("error rate", ("0", "0", "0", "0.124"), 0.124),
        ("Failed ops", ("0", "0", "0", "1,234"), math.nan),
        ("失败数", ("0", "-", "0", "1234"), math.nan),
    ],
)
@pytest.mark.parametrize("name", ["page.md", "own.csv"])
def test_a_row_with_failed_operations_is_graded_f_in_pages_and_csvs(tmp_path, name, heading, cells, share):
    rows = [(*row, cell) for row, cell in zip(ROWS, cells, strict=True)]
    headings = ("Spec", "Threads", "QPS", heading)
    if name.endswith("md"):
        (tmp_path / name).write_text(markdown(headings, *rows, above="50:50"), encoding="utf-8")
    else:
        pd.DataFrame(rows, columns=headings).assign(mix="50:50").to_csv(tmp_path / name, index=False)
    tables = named_tables.read(tmp_path / name)
    assert trust.of_runs(tables).tolist() == ["C", "C", "C", "F"]
    failed = tables.runs.iloc[-1]
    assert 1 - failed["goodput_ops_s"] / failed["throughput_ops_s"] == pytest.approx(share, nan_ok=True)
    head = head_of(tables)
    assert holds(head.head, "short-verdict-doubt", n=1, total=4, failed=1)
    assert not any(holds(head.head, f"short-verdict-{advice}", threads=200) for advice in ("gain", "more"))
    most = None if math.isnan(share) else share
    rows = [{"mix": {"reads": 50}, "threads": 200}]
    assert holds(head.facts()["doubt"], "short-failed", most=most, rows=rows)


def test_an_error_rate_without_a_unit_is_a_share_or_above_one_in_per_cent(tmp_path):
    path = tmp_path / "own.csv"
    pd.DataFrame({"cores": [2, 4], "threads": 64, "qps": [900, 1800], "error_rate": [0.5, 12.4]}).to_csv(
        path, index=False
    )
    runs = named_tables.read(path).runs
    assert (1 - runs["goodput_ops_s"] / runs["throughput_ops_s"]).tolist() == pytest.approx([0.5, 0.124])
