"""Standard deviations that tables print beside their means: the noise of a run that was not repeated."""

import pandas as pd
import pytest
from facts_in import keys_in, values_of
from page_samples import markdown
from report_samples import head_of

from ycsbook import anomalies, named_tables, scaling
from ycsbook.ingest.published.page_cells import scatter
from ycsbook.scaling.cells import ASSUMED_NOISE, cells, noise, with_utilisation

# A promise in all its variations.
pytestmark = pytest.mark.matrix

ROWS = [(f"{n}C{4 * n}G", threads, 1000 * n) for n in (2, 4, 8) for threads in (100, 200)]


@pytest.mark.parametrize(
    ("cell", "share"),
    [("1,800 ± 90", 0.05), ("2.4万 ± 0.12万", 0.05), ("9000±450", 0.05), ("9,000 +/- 450", 0.05), ("9000 (±5 %)", 0.05),
     ("12.5k ± 5%", 0.05), ("0 ± 0", None), ("12.5k ± 625", None), ("900 - 1000", None),
     ("28 (27-29.8)", 0.05), ("2,000 ops/s [1,900–2,100]", 0.05), ("12.5k (12k to 13.25k)", 0.05), ("28 (1-2)", None)],
)  # fmt: skip
def test_what_stands_behind_a_figure_is_a_share_of_it(cell, share):
    assert scatter(cell) == pytest.approx(share if share else float("nan"), nan_ok=True)


@pytest.mark.parametrize("name", ["page.md", "own.csv"])
@pytest.mark.parametrize(
    ("form", "share"), [("{0} ± {1}", 0.2), ("{0} (±20 %)", 0.2), ("{0} ({2}-{3})", 0.2), ("{0}", ASSUMED_NOISE)]
)
def test_the_printed_noise_is_that_of_a_run(tmp_path, name, form, share):
    rows = [(spec, threads, form.format(qps, qps // 5, qps - qps // 5, qps + qps // 5)) for spec, threads, qps in ROWS]
    if name.endswith("md"):
        (tmp_path / name).write_text(markdown(("Spec", "Threads", "QPS"), *rows, above="50:50."), encoding="utf-8")
    else:
        pd.DataFrame(rows, columns=("spec", "threads", "qps")).assign(mix="50:50").to_csv(tmp_path / name, index=False)
    tables = named_tables.read(tmp_path / name)
    assert set(tables.runs["workload"]) == {"a"}
    (known,) = noise(cells(with_utilisation(tables.runs, tables.operations))).values()
    assert known.or_assumed.variance**0.5 == pytest.approx(share)
    assert scaling.limits(tables.runs, tables.operations).shape[0] == len(ROWS)


@pytest.mark.parametrize("name", ["page.md", "own.csv"])
@pytest.mark.parametrize(
    ("heading", "part", "share"),
    [("QPS stddev", 5, 0.2), ("Std dev (ops/s)", 5, 0.2), ("QPS 标准差", 5, 0.2), ("Throughput std. (kops)", 5000, 0.2),
     ("Std dev", 5, ASSUMED_NOISE), ("Latency std (ms)", 5, ASSUMED_NOISE)],
)  # fmt: skip
def test_a_column_of_deviations_tells_the_noise_where_it_is_plainly_that_of_the_throughput(
    tmp_path, name, heading, part, share
):
    rows, heads = [(spec, n, qps, qps / part) for spec, n, qps in ROWS], ("Spec", "Threads", "QPS", heading)
    if name.endswith("md"):
        (tmp_path / name).write_text(markdown(heads, *rows, above="50:50."), encoding="utf-8")
    else:
        pd.DataFrame(rows, columns=heads).assign(mix="50:50").to_csv(tmp_path / name, index=False)
    tables = named_tables.read(tmp_path / name)
    (known,) = noise(cells(with_utilisation(tables.runs, tables.operations))).values()
    assert known.or_assumed.variance**0.5 == pytest.approx(share)
    said = head_of(tables).facts()
    assert (values_of(said["buy"], said["buy"][0].key)["assumed"] is not None) == (share == ASSUMED_NOISE)
    assert ("short-unknown-noise" in keys_in(said["unknown"])) == (share == ASSUMED_NOISE)


@pytest.mark.parametrize("name", ["page.md", "own.csv"])
def test_a_deviation_beside_no_throughput_or_as_large_as_it_is_no_share(tmp_path, name):
    heads, rows = ("Spec", "Threads", "QPS", "QPS stddev"), [("2C8G", 1, 0, 0), ("4C16G", 1, 9, 9), ("8C32G", 1, 9, 3)]
    if name.endswith("md"):
        (tmp_path / name).write_text(markdown(heads, *rows, above="50:50."), encoding="utf-8")
    else:
        pd.DataFrame(rows, columns=heads).assign(mix="50:50").to_csv(tmp_path / name, index=False)
    runs = named_tables.read(tmp_path / name).runs
    assert runs["printed_noise"].dropna().tolist() == [pytest.approx(1 / 3)]


@pytest.mark.parametrize(("deviation", "is_told"), [(0.01, True), (0.10, False)])
def test_a_loss_is_weighed_against_the_printed_noise(tmp_path, deviation, is_told):
    rows = [
        (mix, n, f"{qps} ± {qps * deviation:.0f}")
        for mix, speeds in {"A": (12_000, 20_500, 31_000, 25_700), "B": (22_000, 39_500, 51_000, 52_700)}.items()
        for n, qps in zip((8, 16, 32, 64), speeds, strict=True)
    ]
    page = markdown(("workload", "threads", "QPS"), *rows, above="MongoDB 7.0 on 8 cores, 32 GB")
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    tables = named_tables.read(tmp_path / "page.md")
    losses = anomalies.find(tables).query("rule == 'thread_regression'")
    assert losses["severity"].tolist() == (["warning"] if is_told else []) and losses["conf_low"].notna().all()
    assert ("short-verdict-fewer" in keys_in(head_of(tables).head)) == is_told


def test_a_column_of_noise_of_ones_own_stands_beside_figures_that_are_texts(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("cores,threads,printed_noise,qps\n2,100,0.05,1000 ops/s\n4,100,0.04,1900 ops/s\n")
    assert named_tables.read(path).runs["printed_noise"].tolist() == [0.05, 0.04]
