"""Units that stand above or below a table, in Markdown and HTML, English and Chinese."""

import pytest
from page_samples import markdown
from page_samples import read as read_page

from ycsbook import ingest

MARKDOWN = "# Results\n\n{above}\n\n| Threads | {qps} | {read} |\n| --- | --- | --- |\n| 8 | 1.5 | 2.5 |\n\n{below}\n"
HTML = (
    "<h1>Results</h1><p>{above}</p><table><tr><th>Threads</th><th>{qps}</th><th>{read}</th></tr>"
    "<tr><td>8</td><td>1.5</td><td>2.5</td></tr></table><p>{below}</p>"
)


def read(tmp_path, page, above="", below="", *, qps="QPS", read="Read latency"):
    path = tmp_path / ("page.html" if page == HTML else "page.md")
    path.write_text(page.format(above=above, below=below, qps=qps, read=read), encoding="utf-8")
    tables, rejected = ingest.read_with_rejects([path])
    return (tables.runs["throughput_ops_s"].tolist(), tables.operations["mean_us"].tolist(), list(map(str, rejected)))


@pytest.mark.parametrize("page", [MARKDOWN, HTML])
@pytest.mark.parametrize("name", ["Read latency", "RAL"])
@pytest.mark.parametrize(
    ("says", "figures"),
    [
        ("Latency in ms, throughput in kops/s.", (1500, 2500)),
        ("(latency: us)", (1.5, 2.5)),
        ("All response times are in milliseconds", (1.5, 2500)),
        ("延迟单位：毫秒；吞吐单位：万次/秒", (15_000, 2500)),
        ("单位：ms、千次/秒", (1500, 2500)),
    ],
)
def test_a_line_below_a_table_says_units_as_one_above_does(tmp_path, page, name, says, figures):
    for where in ("above", "below"):
        assert read(tmp_path, page, read=name, **{where: says}) == ([figures[0]], [figures[1]], [])


@pytest.mark.parametrize("page", [MARKDOWN, HTML])
def test_units_that_contradict_are_named(tmp_path, page):
    rates, means, (odd,) = read(tmp_path, page, "Latency in us", "Latency in ms")
    assert (rates, means) == ([1.5], []) and "says another unit" in odd and "'Read latency'" in odd
    rates, means, (odd,) = read(tmp_path, page, below="Latency in ms", read="Read latency (us)")
    assert (rates, means) == ([1.5], [2.5]) and "says another unit" in odd
    assert not read(tmp_path, page, "Throughput in kops/s", "throughput in ops/s")[0]


def test_what_stands_below_the_next_heading_or_is_the_next_caption_is_not_of_this_table(tmp_path):
    table = "| Threads | QPS |\n| --- | --- |\n| 8 | 1.5 |\n"
    path = tmp_path / "page.md"
    path.write_text(f"# A\n\nFirst\n\n{table}\nThroughput in kops/s\n\n{table.replace('8', '16')}\n# B\n\nQPS in k\n")
    assert ingest.read([path]).runs["throughput_ops_s"].tolist() == [1.5, 1500]


@pytest.mark.parametrize("bound", ["<1ms", "≤ 2 ms", "<= 2ms", "> 5ms"])
def test_a_bound_below_a_heading_without_a_unit_is_told_as_one(tmp_path, bound):
    bounds = markdown(["Threads", "QPS", "p99 latency"], [8, 900, bound], [16, 1700, bound], [32, 2500, "5ms"])
    rows, told = read_page(tmp_path, bounds)
    assert [(row["run_id"], row["latency_us"]) for row in rows.percentiles] == [("page-t32", 5000)]
    assert told == [
        "page.md:2: heading 'p99 latency': its cells such as <1 ms are bounds, from which no figure is taken"
    ]
    _, told = read_page(tmp_path, bounds.replace("5ms |\n\n", "5 |\n\n"))
    assert len(told) == 2 and "unknown unit" in told[1]
    (runs, *_), told = read_page(tmp_path, markdown(["Threads", "QPS"], [8, ">900"], [16, 1700]))
    assert [run["threads"] for run in runs] == [16] and "got '>900', expected a number, not a bound" in told[0]
