"""Columns in which a point stands before three digits in some cells and a comma in others, in every kind of table."""

import pytest
from page_samples import markdown, own_table

from ycsbook import ingest

MIXED = ["9.069", "14.201", "18,001"]
HEADINGS = ["Cores", "Threads", "QPS"]


def read(folder, kind, numbers, headings=HEADINGS, above="# 50:50\n"):
    rows = [[2 << n, 8, number] for n, number in enumerate(numbers)]
    if kind == "csv":
        path = own_table(folder, ",".join(headings), [f'{c},{t},"{number}"' for c, t, number in rows])
    else:
        html = "".join("<tr>" + "".join(f"<td>{cell}</td>\n" for cell in row) for row in [headings, *rows])
        path = folder / f"page.{kind}"
        path.write_text(
            f"<h2>50:50</h2><table>{html}</table>" if kind == "html" else markdown(headings, *rows, above=above)
        )
    tables, rejected = ingest.read_with_rejects([path])
    return tables.runs["throughput_ops_s"].tolist(), [str(error) for error in rejected]


@pytest.mark.parametrize("kind", ["csv", "md", "html"])
@pytest.mark.parametrize("numbers", [MIXED, MIXED[::-1], ["~9.069", "14,201"], ["9.069 ops/s", "14,201 ops/s"]])
def test_a_column_with_both_signs_is_refused_and_named_with_its_rows(tmp_path, kind, numbers):
    rates, (error,) = read(tmp_path, kind, numbers)
    assert rates == [] and "QPS" in error and "some have a comma, some a point as decimal sign" in error
    assert error.count(" in line ") == 2


@pytest.mark.parametrize("kind", ["csv", "md", "html"])
@pytest.mark.parametrize(
    ("numbers", "figures"),
    [
        (["1,234", "987", "12,001"], [1234, 987, 12_001]),
        (["1,234.5", "2,001", "1.204"], [1234.5, 2001, 1.204]),
        (["0.123", "1,204"], [0.123, 1204]),
        (["1.234M", "950,001"], [1_234_000, 950_001]),
    ],
)
def test_signs_that_are_plain_stay_right(tmp_path, kind, numbers, figures):
    assert read(tmp_path, kind, numbers) == (figures, [])


def test_systems_side_by_side_are_refused_as_a_whole(tmp_path):
    rows = [(8, "9.069", "9.069"), (16, "14.201", "14.201"), (32, "18.404", "18,001")]
    path = tmp_path / "page.md"
    path.write_text(markdown(["Threads", "Redis", "Memcached"], *rows, above="# Throughput (ops/s), 50:50\n"))
    tables, (error,) = ingest.read_with_rejects([path])
    assert tables.runs.empty and "'Memcached': got '9.069' in line 5 and '18,001' in line 7" in str(error)
