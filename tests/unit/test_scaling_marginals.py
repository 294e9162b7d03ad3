"""What one more core and one more GiB bring: from tables whose steps are known."""

import numpy as np
import pandas as pd
import pytest
import scaling_sweeps as sweeps
from facts_in import holds

from ycsbook import paths
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.published import read_published
from ycsbook.messages import fact_of, facts_of, say
from ycsbook.scaling import steps
from ycsbook.scaling.points import with_throughput
from ycsbook.scaling.steps import marginals, with_prices


def sentence(table, at=0):
    return fact_of(table.iloc[at], "sentence")


def points(rows, **columns):
    frame = pd.DataFrame(rows, columns=["spec", "cores", "ram_gib", "goodput_ops_s"])
    return frame.assign(workload="a", threads=100.0, outcome="completed", phase="run", **columns)


TWO = [("16c64g", 16.0, 64.0, 50_000.0), ("32c64g", 32.0, 64.0, 60_000.0)]


def test_from_16_to_32_cores_you_pay_2x_for_1_2x():
    found = marginals(points(TWO), label="a, 100 threads")
    row = found.iloc[0]
    step = {"from": 16, "to": 32, "aside": "none", "shown": True, "paid": 2, "gain": 1.2, "low": None, "rate": 625}
    assert holds(sentence(found), "step-cores", **step, at_least=False)
    assert (row["gain"], row["cost_ratio"], row["efficiency"]) == pytest.approx((1.2, 2.0, 0.6))
    assert row["elasticity"] == pytest.approx(np.log(1.2) / np.log(2))
    assert (row["ops_per_core"], row["from_spec"], row["to_spec"]) == (pytest.approx(625.0), "16c64g", "32c64g")
    assert np.isnan(row[["conf_low", "conf_high", "ops_per_gib"]].astype(float)).all()
    assert tuple(found.columns) == SCHEMAS["marginals"]


def test_prices_take_the_place_of_cores():
    found = with_prices(marginals(points(TWO)), {"16c64g": 1.0, "32c64g": 1.5})
    assert holds(sentence(found), "step-cores", **{"from": 16, "to": 32, "paid": 1.5, "gain": 1.2})
    assert found["efficiency"].iloc[0] == pytest.approx(0.8)
    half_known = with_prices(marginals(points(TWO)), {"16c64g": 1.0})
    assert half_known["cost_ratio"].iloc[0] == 2.0


def test_a_gib_more_at_equal_cores():
    rows = [("8c16g", 8.0, 16.0, 30_000.0), ("8c32g", 8.0, 32.0, 36_000.0), ("8c64g", 8.0, 64.0, 34_000.0)]
    found = marginals(points(rows))
    assert found["basis_key"].tolist() == ["step-equal-cores"] * 2
    assert found["ops_per_gib"].tolist() == pytest.approx([375.0, -62.5])
    step = {"cores": 8, "paid": None, "shown": True, "low": None}
    assert holds(sentence(found), "step-ram", **step | {"from": 16, "to": 32, "gain": 1.2, "rate": 375})
    assert holds(sentence(found, 1), "step-ram", **step | {"from": 32, "to": 64, "gain": 0.944, "rate": -62.5})
    assert found[["cost_ratio", "efficiency", "ops_per_core"]].isna().all(axis=None)
    priced = with_prices(found, {"8c16g": 1.0, "8c32g": 1.1, "8c64g": 1.4})
    assert holds(sentence(priced), "step-ram", **{"cores": 8, "from": 16, "to": 32, "paid": 1.1, "gain": 1.2})


def test_where_ram_grows_too_the_sentence_says_so():
    rows = [("2c4g", 2.0, 4.0, 10_000.0), ("4c8g", 4.0, 8.0, 19_000.0)]
    step = {"from": 2, "to": 4, "aside": "ram", "paid": 2, "gain": 1.9}
    assert holds(sentence(marginals(points(rows))), "step-cores", **step)


def test_unknown_ram_is_no_ram_in_common():
    rows = [("s", 2.0, np.nan, 10_000.0), ("l", 4.0, np.nan, 19_000.0)]
    found = marginals(points(rows))
    assert found["basis_key"].tolist() == ["step-ram-unknown"]
    assert found["gain"].iloc[0] == pytest.approx(1.9)


@pytest.mark.matrix
def test_intervals_come_from_repeats_and_cover_the_truth():
    hits = []
    for seed in range(60):
        made = sweeps.tables(lambda p, n: 1000 * p, cores=(2, 4), threads=(100,), repeats=4, noise=0.05, seed=seed)
        row = marginals(made.runs, "goodput_ops_s").iloc[0]
        assert row["conf_low"] < row["gain"] < row["conf_high"]
        assert holds(fact_of(row, "sentence"), "step-cores", low=row["conf_low"], high=row["conf_high"])
        hits.append(row["conf_low"] <= 2 <= row["conf_high"])
    assert 52 <= sum(hits) <= 60


@pytest.mark.parametrize(
    ("censored", "aside", "bound"),
    [
        ([False, False], "none", "none"),
        ([False, True], "threads", "larger"),
        ([True, False], "threads", "smaller"),
        ([True, True], "threads", "both"),
    ],
)
def test_a_lower_bound_on_either_side_is_said(censored, aside, bound):
    found = marginals(points(TWO, censored=censored))
    step = {"from": 16, "to": 32, "aside": aside, "gain": 1.2, "rate": 625, "at_least": bound == "larger"}
    assert holds(sentence(found), "step-cores", **step, paid=2)
    assert holds(facts_of(found, "basis"), "step-equal-ram", sizes=["64"], bound=bound)
    assert holds(sentence(with_prices(found, {"16c64g": 1.0, "32c64g": 1.5})), "step-cores", **step, paid=1.5)


def test_the_elasticities_are_of_the_steps_in_cores():
    runs = with_throughput(read_published(paths.PUBLISHED / "qingcloud-4.0.3.csv").runs)
    for _, group in runs.groupby(["workload", "threads"]):
        found = marginals(group, "y")
        assert (len(steps.elasticities(found)), len(found)) == (4, 4 + 13)


def test_rows_in_any_order_and_any_unit_give_the_same_steps():
    made = sweeps.tables(lambda p, n: sweeps.usl(p), threads=(100,), ram=lambda p: (p, 4 * p), repeats=2, noise=0.03)
    found = marginals(made.runs, "goodput_ops_s")
    mixed = marginals(made.runs.sample(frac=1, random_state=3), "goodput_ops_s")
    pd.testing.assert_frame_equal(found, mixed)
    scaled = marginals(made.runs.assign(goodput_ops_s=made.runs["goodput_ops_s"] * 7), "goodput_ops_s")
    assert scaled["gain"].tolist() == pytest.approx(found["gain"].tolist())
    assert scaled["ops_per_core"].dropna().tolist() == pytest.approx((7 * found["ops_per_core"].dropna()).tolist())


@pytest.mark.parametrize("censored", [False, True])
def test_where_the_noise_allows_no_gain_none_is_told_and_no_rate(censored):
    noisy = [("2c", 2.0, 8.0, 3_900.0), ("2c", 2.0, 8.0, 3_100.0), ("4c", 4.0, 8.0, 3_800.0), ("4c", 4.0, 8.0, 2_600.0)]
    step = sentence(marginals(points(noisy, censored=[False, False, censored, censored])))
    assert holds(step, "step-cores", paid=2, shown=False, gain=0.904, rate=None) and "at least" not in say(step)
