"""Own runs beside a vendor's table of the same name: two kinds of rows, never repeats of one another."""

import numpy as np
import pandas as pd
import pytest
import report_samples as samples
from facts_in import holds

from ycsbook import anomalies, params, paths, scaling
from ycsbook.errors import FitError
from ycsbook.facts import fact
from ycsbook.ingest.published.published import read_published
from ycsbook.messages import fact_of
from ycsbook.report import build, markdown
from ycsbook.scaling.growth import growths
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables, concat

# A promise in all its variations.
pytestmark = pytest.mark.matrix

NAME = "tencent-2020-08"


def own(published: Tables) -> Tables:
    """A server of one's own that scales exactly linearly, measured on the vendor's specs: X = 1000 p."""
    runs = published.runs
    speed = 1000 * runs["cores"]
    measured = runs.assign(
        run_id="own-" + runs["run_id"], vendor="", outcome="completed", warnings="", write_concern="1", rtt_us=np.nan,
        throughput_ops_s=speed, goodput_ops_s=speed, steady_ops_s=speed, started_at="2026-11-20T10:00:00Z",
        cores_enforced_by="", repeat=1.0,
    )  # fmt: skip
    return Tables(runs=measured)


@pytest.fixture(scope="module")
def published() -> Tables:
    return read_published(paths.PUBLISHED / f"{NAME}.csv")


@pytest.fixture(scope="module")
def both(published) -> Tables:
    return concat([own(published), published])


@pytest.fixture(scope="module")
def analysis(both) -> scaling.Analysis:
    return scaling.analyse(both.runs)


@pytest.fixture(scope="module")
def findings(both) -> pd.DataFrame:
    return anomalies.find(both)


def test_each_kind_is_fitted_alone(both, published, analysis):
    series = {f"{w}, {n} threads" for w in "ab" for n in (100, 200)}
    assert set(analysis.choices["group"]) == series | {f"{name}, published" for name in series}
    assert (analysis.glance["n_runs"] + analysis.glance["n_left_out"] == 8).all()
    of = analysis.tidy[analysis.tidy["term"] == "exponent"].set_index("outcome")["estimate"]
    assert of["completed"].to_numpy() == pytest.approx([1.0] * 4, rel=1e-4)
    alone = scaling.analyse(published.runs)
    assert set(alone.choices["group"]) == series
    exponents = alone.tidy.loc[alone.tidy["term"] == "exponent", "estimate"]
    assert of["published"].to_numpy() == pytest.approx(exponents.to_numpy(), rel=1e-4)
    assert (
        analysis.elasticities.loc[analysis.elasticities["outcome"] == "completed", "elasticity"].round(9) == 1
    ).all()


def test_a_direct_fit_of_both_is_refused(both):
    runs = both.runs[(both.runs["workload"] == "a") & (both.runs["threads"] == 100)]
    with pytest.raises(FitError, match=r"mix 2 values of outcome \(completed, published\)"):
        scaling.fit(runs)


def test_the_findings_are_those_of_the_published_table_alone(findings, published):
    columns = ["rule", "severity", "run_ids", "effect", "evidence"]
    found, alone = findings, anomalies.find(published)
    own_rows = found["run_ids"].str.startswith("own-")
    assert not found["run_ids"].str.contains(" own-")[~own_rows].any()
    assert set(found.loc[own_rows, "severity"]) == {"note"}
    pd.testing.assert_frame_equal(found.loc[~own_rows, columns].reset_index(drop=True), alone[columns])
    (unacked,) = found[found["message_key"] == "unacked_writes"].to_dict("records")
    message = fact_of(unacked, "message")
    assert message.values["all"] and message.values["rows"] == fact("published-rows", n=32)


def test_the_report_speaks_of_the_measured_rows_and_draws_both(both, analysis, findings):
    sweep = params.load(paths.PARAMS / f"{NAME}.yml")
    report = build(sweep, both, analysis, findings, samples.ENVIRONMENT)
    assert "×2.00 (95 %: 1.95 to 2.05)" in dict(report.in_short.lines)["Cores"]
    figure = report.figures()[0]
    assert figure.frame["outcome"].value_counts().to_dict() == {"completed": 32, "published": 32}
    assert "n = 32 runs and 32 published rows" in figure.caption
    assert "(steady_ops_s), faint ones the published values (throughput_ops_s)" in figure.caption
    text = markdown.page(report)
    assert "50:50, 100 threads, published" in text
    assert "QPS (ops/s), published" in text
    factors = {(g.outcome, g.workload, g.threads): g.factor for g in growths(with_throughput(both.runs))}
    assert factors["completed", "a", 100.0] == pytest.approx(2.0)
    assert factors["published", "a", 100.0] != pytest.approx(2.0, abs=0.01)


def test_what_only_the_vendor_has_is_spoken_of_where_it_stands(both):
    some = Tables(runs=both.runs[(both.runs["outcome"] == "published") | (both.runs["workload"] == "b")])
    sweep = params.load(paths.PARAMS / f"{NAME}.yml")
    report = build(sweep, some, scaling.analyse(some.runs), anomalies.find(some), samples.ENVIRONMENT)
    assert dict(report.in_short.lines)["Cores"].startswith("95:5 at 100 threads: twice the cores")
    assert [p.name for p in report.figures()[0].panels] == ["scaling-1", "scaling-2"]


def test_one_run_without_a_steady_figure_changes_the_column_of_all():
    tables = samples.local_tables()
    tables.runs.loc[0, "steady_ops_s"] = np.nan
    rows = with_throughput(tables.runs)
    assert set(rows["y_column"]) == {"goodput_ops_s"}
    assert rows["y"].tolist() == tables.runs.loc[rows.index, "goodput_ops_s"].tolist()
    analysis = scaling.analyse(tables.runs)
    assert set(analysis.glance["y"]) == {"goodput_ops_s"}
    figure = build(samples.local_sweep(), tables, analysis, anomalies.find(tables), {}).figures()[0]
    drawn = figure.frame.groupby(["workload", "threads", "cores"])["y"].agg(lambda y: np.exp(np.log(y).mean()))
    fitted = analysis.augment[analysis.augment["law"] == "power"]
    fitted = fitted.set_index(["workload", "threads", "cores"])["observed"]
    pd.testing.assert_series_equal(drawn, fitted.sort_index(), check_names=False, check_index_type=False)
    assert "(goodput_ops_s)" in figure.caption
    evidence = anomalies.Evidence(tables)
    assert evidence.runs["y"].tolist() == rows["y"].tolist()


def test_rows_without_any_figure_do_not_choose_and_where_none_is_complete_most_rows_do():
    runs = samples.local_tables().runs.head(4).copy()
    runs.loc[0, ["steady_ops_s", "goodput_ops_s", "throughput_ops_s"]] = np.nan
    assert set(with_throughput(runs)["y_column"]) == {"steady_ops_s"}
    runs.loc[1, ["goodput_ops_s", "throughput_ops_s"]] = np.nan
    runs.loc[2, ["steady_ops_s", "throughput_ops_s"]] = np.nan
    chosen = with_throughput(runs)
    assert set(chosen["y_column"]) == {"steady_ops_s"}
    assert chosen["y"].isna().tolist() == [True, False, True, False]


def test_a_point_that_breaks_littles_law_is_told_in_the_headline():
    tables = read_published(paths.PUBLISHED / f"{NAME}.csv")
    sweep = params.load(paths.PARAMS / f"{NAME}.yml")
    rows = [{"mix": {"reads": 50}, "threads": 200, "specs": [{"cores": 32, "ram_gib": 240}]}]
    impossible = samples.head_of(tables, sweep).facts()["doubt"][0]
    assert holds(impossible, "short-impossible", n=1, total=32, by_little=True, rows=rows)


def test_a_single_spec_has_a_report_without_growth():
    tables = samples.local_tables()
    one = Tables(runs=tables.runs[tables.runs["spec"] == "1c"])
    report = build(samples.local_sweep(), one, scaling.analyse(one.runs), anomalies.find(one), {})
    assert not {"growth", "scaling", "marginals"} & {section.anchor for section in report.sections}
    assert "Cores" not in dict(report.in_short.lines)
    assert "law" not in report.figures()[0].caption
