"""The smallest spec for a load: closed forms, what is refused, and that more load never makes a spec likelier."""

import numpy as np
import pandas as pd
import pytest
import scaling_sweeps as sweeps
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ycsbook import messages, paths
from ycsbook.columns import SCHEMAS
from ycsbook.errors import FitError
from ycsbook.ingest.published.published import read_published
from ycsbook.scaling import capacity, fit
from ycsbook.scaling.capacity import per_million, smallest, titles
from ycsbook.scaling.cells import ASSUMED_NOISE
from ycsbook.scaling.limits import limits
from ycsbook.scaling.points import UnfitError
from ycsbook.tables import empty
from ycsbook.units import significant

MADE = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4), threads=(100,), noise=0.06, seed=5)
LIMITS = limits(MADE.runs, MADE.operations)
PRICED = pd.DataFrame({"spec": ["s", "l"], "fitted": [10e3, 40e3], "run_low": [8e3, 20e3], "run_high": [12.5e3, 80e3]})


def answers(found, qps, p99_ms=None):
    return [messages.say(answer) for answer in capacity.answers(found, qps, p99_ms)]


def ask(made=MADE, found=None, **asked):
    asked = {"qps": 40_000.0, "workload": "a", **asked}
    return smallest(made.runs, limits(made.runs, made.operations) if found is None else found, **asked)


def test_the_smallest_spec_that_surely_carries_the_load():
    found = ask(qps=40_000.0, found=LIMITS)
    assert tuple(found.columns) == SCHEMAS["capacity"]
    assert found["cores"].tolist() == [1, 2, 4, 8, 16, 32]
    assert found["suffices"].tolist() == [False, False, False, False, True, True]
    (said,) = answers(found, 40_000.0)
    assert said.startswith("The smallest spec that carries 40,000 ops/s of 100:0 is 16c64g at 100 threads: ")
    assert "measured at 64,700 ops/s in one run, more than 99 % to reach it again; by the law" in said


def test_the_probability_is_the_closed_form():
    found = ask(qps=33_000.0, found=LIMITS)
    law = fit(MADE.runs, found["law"].iloc[0], y="goodput_ops_s")
    curve = law.predict(found["cores"])
    t = stats.t.ppf(0.975, law.df)
    error = np.log(curve["conf_high"] / curve["conf_low"]) / (2 * t)
    # Nothing was repeated, so the assumed noise is the least.
    spread = np.sqrt(error**2 + max(law.residual_se, ASSUMED_NOISE) ** 2)
    expected = stats.t.sf((np.log(33_000.0) - np.log(curve["fitted"])) / spread, law.df)
    assert found["probability"].to_numpy() == pytest.approx(np.asarray(expected))
    assert np.log(found["run_high"] / found["run_low"]).to_numpy() == pytest.approx((2 * t * spread).to_numpy())


@settings(max_examples=4, deadline=None)
@given(st.floats(1e3, 5e5), st.floats(1.0, 3.0))
def test_more_load_is_never_likelier(qps, factor):
    low, high = ask(qps=qps, found=LIMITS), ask(qps=qps * factor, found=LIMITS)
    assert (high["probability"] <= low["probability"] + 1e-12).all()
    assert (~high["suffices"] | low["suffices"]).all()


@pytest.mark.matrix
def test_one_more_run_of_a_measured_spec_reaches_it_as_often_as_said():
    reached, promised = [], []
    for seed in range(30):
        made = sweeps.tables(lambda p, n: 5000 * p**0.9, threads=(100,), repeats=3, noise=0.1, seed=seed)
        row = ask(made, LIMITS, qps=30_000.0).set_index("cores").loc[8]
        once_more = 5000 * 8**0.9 * np.exp(np.random.default_rng(seed + 10_000).normal(0, 0.1, 50))
        reached.append(np.mean(once_more >= 30_000))
        promised.append(row["again"])
    assert np.mean(promised) == pytest.approx(np.mean(reached), abs=0.05)


def test_89_8_percent_is_not_said_to_be_90():
    assert messages.say(capacity.surety(0.898)) == "89 %" and messages.say(capacity.surety(0.9)) == "90 %"


@pytest.mark.matrix
def test_the_probability_holds_for_other_servers():
    reached, promised = [], []
    for seed in range(24):
        made = sweeps.tables(lambda p, n: 5000 * p**0.9, threads=(100,), noise=0.2, seed=seed)
        row = ask(made, LIMITS, qps=30_000.0).set_index("cores").loc[8]
        other = 5000 * 8**0.9 * np.exp(np.random.default_rng(seed + 10_000).normal(0, 0.2))
        reached.append(other >= 30_000)
        promised.append(row["probability"])
    assert np.mean(promised) == pytest.approx(np.mean(reached), abs=0.15)


def test_no_spec_is_sure_enough():
    found = ask(qps=105_000.0, found=LIMITS)
    (said,) = answers(found, 105_000.0)
    assert not found["suffices"].any()
    assert said.startswith("No spec is 90 % sure to carry 105,000 ops/s of 100:0; the likeliest is 32c128g")
    assert answers(ask(qps=900_000.0, found=LIMITS), 900_000.0) == [
        "No spec carries 900,000 ops/s of 100:0: the highest row is 93,681 ops/s (32c128g at 100 threads), 10 % of the "
        "goal."
    ]


def test_the_fewest_threads_that_suffice_are_taken_unless_others_are_asked_for():
    made = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4) * (1.3 if n == 200 else 1), noise=0.03)
    threads = ask(made).set_index("cores")["threads"]
    assert threads[[1, 2, 4]].eq(200).all() and threads[[16, 32]].eq(100).all()
    assert set(ask(made, threads=100)["threads"]) == {100.0}


def test_a_spec_measured_below_the_load_does_not_suffice():
    made = sweeps.tables(
        lambda p, n: 5000 * p * (0.8 if p == 8 else 1.02),
        threads=(100, 200),
        cpu=lambda p, n: 1.0,
        repeats=2,
        noise=0.01,
    )
    found = ask(made, qps=33_000.0).set_index("cores")
    assert found.loc[8, "observed"] < 33_000 < found.loc[8, "fitted"]
    assert not found.loc[8, "at_least"] and not found.loc[8, "suffices"] and found.loc[16, "suffices"]


def test_suspect_points_do_not_bend_the_law_and_their_specs_are_judged_by_it():
    wrong = MADE.runs["spec"] == "8c32g"
    runs = MADE.runs.assign(goodput_ops_s=MADE.runs["goodput_ops_s"].where(~wrong, 900_000.0))
    wrong = LIMITS["spec"] == "8c32g"
    found = LIMITS.assign(limit_kind=LIMITS["limit_kind"].where(~wrong, "suspect"))
    row = smallest(runs, found, qps=20_000, workload="a").set_index("spec").loc["8c32g"]
    assert row["basis"] == "interpolated" and np.isnan(row["observed"])
    assert 20_000 < row["fitted"] < 50_000


def test_runs_in_doubt_do_not_bend_the_law_but_stand_in_the_table():
    column = "goodput_ops_s"
    runs = MADE.runs.assign(**{column: MADE.runs[column].where(MADE.runs["cores"] != 8, MADE.runs[column] / 10)})
    wrong = runs.loc[runs["cores"] == 8, "run_id"]
    bent, right = (smallest(runs, LIMITS, qps=40_000.0, workload="a", doubted=ids) for ids in ((), wrong))
    without = MADE.runs[MADE.runs["cores"] != 8]
    expected = smallest(without, LIMITS, qps=40_000.0, workload="a").set_index("cores")["fitted"]
    assert right.set_index("cores")["fitted"].drop(8.0).to_numpy() == pytest.approx(expected.to_numpy())
    assert (bent["fitted"] < 0.95 * right["fitted"]).any()
    assert right.set_index("cores").loc[8.0, "observed"] < 5000
    # Where too few are left, all count.
    few = runs.loc[runs["cores"] > 2, "run_id"]
    left = smallest(runs, LIMITS, qps=40_000.0, workload="a", doubted=few)
    assert left["fitted"].to_numpy() == pytest.approx(bent["fitted"].to_numpy())


def test_another_server_is_no_surer_than_the_noise_of_a_run():
    """Means of repeats that lie on a law by chance leave the noise of one more run."""
    made = sweeps.tables(lambda p, n: 1000 * p**0.8, threads=(100,), noise=0.0)
    rng = np.random.default_rng(1)
    repeats = [made.runs.assign(run_id=made.runs["run_id"] + f"-{i}", repeat=float(i)) for i in range(4)]
    noise = rng.normal(0, 0.05, (4, len(made.runs)))
    noise -= noise.mean(axis=0)
    runs = pd.concat(
        [r.assign(goodput_ops_s=r["goodput_ops_s"] * np.exp(e)) for r, e in zip(repeats, noise, strict=True)],
        ignore_index=True,
    )
    found = smallest(runs, limits(runs), qps=5000.0, workload="a")
    assert (np.log(found["run_high"] / found["run_low"]) > 2 * 1.96 * 0.04).all()


def test_specs_that_were_not_measured_are_judged_inside_the_range_only():
    found = ask(found=LIMITS, specs={"12c48g": (12.0, 48.0), "64c256g": (64.0, 256.0), "8c32g": (8.0, 32.0)})
    assert found["spec"].tolist().count("8c32g") == 1 and "64c256g" not in set(found["spec"])
    (said,) = answers(found, 40_000.0)
    assert "is 12c48g at 100 threads: " in said and "not measured, or not soundly" in said


def test_with_prices_the_cheapest_comes_first_and_has_a_cost():
    found = ask(found=LIMITS, prices={"16c64g": 2.0, "32c128g": 1.5})
    (said,) = answers(found, 40_000.0)
    assert said.startswith("The cheapest spec that carries 40,000 ops/s of 100:0 is 32c128g")
    row = found.set_index("spec").loc["16c64g"]
    assert row["cost_low"] < row["cost_per_million"] < row["cost_high"]
    assert row["cost_per_million"] == pytest.approx(2.0 / (3600 * row["fitted"]) * 1e6)


def test_a_p99_within_the_limit_is_asked_of_every_repeat():
    made = sweeps.tables(
        lambda p, n: sweeps.usl(p, 0.02, 1e-4),
        noise=0.03,
        repeats=2,
        p99_us=lambda p, n: n * 40.0 if p > 8 else 1_000.0,
    )
    found = ask(made, qps=50_000, p99_ms=5, percentiles=made.percentiles).set_index("cores")
    assert found.loc[16, ["threads", "p99_us"]].tolist() == [100, 4000] and found.loc[16, "suffices"]
    strict = ask(made, qps=50_000, p99_ms=3.9, percentiles=made.percentiles).set_index("cores")
    assert strict.loc[16, "probability"] > 0.9 and not strict["suffices"].any()
    (said,) = answers(found.reset_index(), 50_000, 5)
    observed = significant(found.loc[16, "observed"])
    assert f"is 16c64g at 100 threads: measured at {observed} ops/s in the mean of 2 repeats, more than 99 %" in said
    assert said.endswith(f"; p99 measured 4 ms in the worst of 2 repeats, at {observed} ops/s.")
    slower = made.percentiles["run_id"] == "a-16c64g-100-2"
    tails = made.percentiles.assign(latency_us=made.percentiles["latency_us"].where(~slower, 6_000.0))
    assert not ask(made, qps=50_000, p99_ms=5, percentiles=tails).set_index("cores").loc[16, "suffices"]


def test_where_no_spec_is_within_the_p99_no_probability_is_given():
    made = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4), noise=0.03, p99_us=lambda p, n: n * 40.0 + p)
    (said,) = answers(ask(made, p99_ms=3, percentiles=made.percentiles), 40_000, 3)
    assert said.startswith(
        "No spec was measured within 3 ms; the nearest is 1c4g at 100 threads: p99 measured 4 ms in one"
    )
    assert "%" not in said


def test_no_answer_says_that_a_sure_spec_is_not_sure():
    made = sweeps.tables(
        lambda p, n: 5000 * p * (0.8 if p == 8 else 1.02), cores=(1, 2, 3, 4, 5, 6, 8), cpu=lambda p, n: 1.0,
        repeats=2, noise=0.01,
    )  # fmt: skip
    found = ask(made, qps=33_000.0)
    sure = found.assign(probability=found["probability"].where(found["cores"] < 8, 0.97))
    (said,) = answers(sure, 33_000.0)
    assert said.startswith(
        "No spec is shown to carry 33,000 ops/s of 100:0: 8c32g would by its law, but was itself measured at"
    )


def test_within_the_p99_but_too_slow_for_the_load():
    made = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4), noise=0.03, p99_us=lambda p, n: 1e3 if p <= 4 else 9e3)
    (said,) = answers(ask(made, qps=50_000, p99_ms=5, percentiles=made.percentiles), 50_000, 5)
    assert said.startswith("No spec that was measured within 5 ms is 90 % sure to carry 50,000 ops/s")
    assert "the likeliest is 4c16g" in said and "less than 1 % for the throughput; p99 measured 1 ms" in said


def refused(match, **asked):
    with pytest.raises(UnfitError) as error:
        ask(found=LIMITS, **asked)
    assert match in messages.say(error.value.reason)


def test_refusals_are_one_clear_sentence():
    refused("no percentiles were measured, so nothing can be said about a p99 of 5 ms", p99_ms=5)
    refused("no percentiles were measured", p99_ms=5, percentiles=empty("percentiles"))
    refused("no completed run of workload c; the tables have 100:0", workload="c")
    refused("no run of 100:0 at 64 threads; there are 100", threads=64)
    refused("got 0 ops/s, expected a number > 0", qps=0.0)
    refused("got nan ops/s", qps=float("nan"))
    refused("got inf ops/s", qps=float("inf"))
    refused("got 0 ms as the p99, expected a number > 0", p99_ms=0.0)
    refused("got nan ms as the p99", p99_ms=float("nan"))
    refused("got -1 ms as the p99", p99_ms=-1.0)
    refused("got -1 as the number of threads, expected a number > 0", threads=-1.0)


def test_without_a_law_only_the_measured_spec_itself_is_promised():
    made = sweeps.tables(lambda p, n: 5000 * p, cores=(4,), threads=(100,), repeats=3, noise=0.02)
    found = ask(made, qps=1000)
    assert found["probability"].isna().all() and found["suffices"].all()
    (said,) = answers(found, 1000)
    assert "is 4c16g at 100 threads: measured at " in said and said.endswith("more than 99 % to reach it again.")
    (unsure,) = answers(ask(made, qps=20_500), 20_500)
    assert unsure.startswith(
        "No spec is 90 % sure to carry 20,500 ops/s of 100:0; the likeliest is 4c16g at 100 threads:"
    )
    assert "Nothing can be said" not in unsure and "another server of 4c16g would be off is unknown" in unsure


def test_of_thread_counts_that_are_not_sure_the_likeliest_is_named():
    made = sweeps.tables(lambda p, n: {64: 30_500, 128: 32_700, 256: 31_000}[n], cores=(8,), threads=(64, 128, 256))
    found = ask(made, qps=30_000)
    assert found["threads"].tolist() == [128] and not found["suffices"].any()
    (said,) = answers(found, 30_000)
    assert "the likeliest is 8c32g at 128 threads: measured at 32,700 ops/s in one run, 88 % to reach it again" in said


def test_two_points_below_one_core_have_no_law():
    made = sweeps.tables(lambda p, n: 8000 * p, cores=(0.25, 0.75), threads=(100,), repeats=3, noise=0.02)
    found = ask(made, qps=3000, specs={"0.5c": (0.5, 2.0)}).set_index("spec")
    assert found["probability"].isna().all() and found["run_high"].isna().all() and (found["law"] == "").all()
    assert np.isnan(found.loc["0.5c", "observed"])


def test_a_spec_without_a_law_beside_others_is_named():
    found = ask(found=LIMITS)
    gap = found.assign(probability=found["probability"].where(found["cores"] != 2))
    assert answers(gap, 40_000.0)[0].endswith(
        "How far another server of 2c8g would be off is unknown: at the same threads too few specs were measured for "
        "any law."
    )


def test_the_order_of_rows_and_other_datasets_change_nothing():
    other = MADE.runs.assign(dataset="other", run_id=MADE.runs["run_id"] + "-o", goodput_ops_s=7.0 * MADE.runs["cores"])
    both = pd.concat([other, MADE.runs], ignore_index=True).sample(frac=1, random_state=1)
    found = smallest(both, pd.concat([LIMITS, LIMITS.assign(dataset="other")]), qps=40_000, workload="a")
    alone = found[found["dataset"] == "made"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, ask(found=LIMITS))
    assert titles(found).unique().tolist() == ["made, completed", "other, completed"] and titles(alone) is None
    renamed = other.assign(spec=other["spec"] + "-o")
    apart = smallest(pd.concat([renamed, MADE.runs], ignore_index=True), LIMITS, qps=40_000, workload="a").groupby(
        "dataset"
    )["spec"]
    assert not set(apart.get_group("made")) & set(apart.get_group("other"))
    assert len(answers(found, 40_000)) == 2 and answers(found, 40_000)[0].startswith("made, completed: The smallest")


@pytest.mark.parametrize(
    ("name", "workload", "qps", "spec"),
    [
        ("qingcloud-4.0.3", "a", 50_000, "8c16g at 200 threads: measured at 57,200"),
        ("tencent-2020-08", "a", 80_000, "24c64g at 100 threads: measured at 107,000"),
        ("tencent-2020-08", "b", 80_000, "12c32g at 100 threads: measured at 116,000"),
    ],
)
def test_the_vendors_tables(name, workload, qps, spec):
    table = read_published(paths.PUBLISHED / f"{name}.csv")
    found = smallest(table.runs, limits(table.runs, table.operations), qps=qps, workload=workload)
    (said,) = answers(found, qps)
    assert f"is {spec} ops/s in one run" in said and "to reach it again; by the law over all specs" in said
    with pytest.raises(UnfitError, match="capacity-no-percentiles"):
        smallest(table.runs, limits(table.runs, table.operations), qps=qps, workload=workload, p99_ms=5,
                 percentiles=table.percentiles)  # fmt: skip


def test_a_vendors_spec_left_out_lies_in_the_interval_of_a_new_server():
    table = read_published(paths.PUBLISHED / "qingcloud-4.0.3.csv")
    runs = table.runs[(table.runs["workload"] == "b") & (table.runs["threads"] == 100)]
    found = limits(table.runs, table.operations)
    inside = []
    for run in runs[runs["cores"].between(4, 16)].itertuples():
        others = runs[runs["spec"] != run.spec]
        asked = {"qps": run.throughput_ops_s, "workload": "b", "specs": {run.spec: (run.cores, run.ram_gib)}}
        row = smallest(others, found, **asked).set_index("spec").loc[run.spec]
        inside.append(row["run_low"] <= run.throughput_ops_s <= row["run_high"])
    assert len(inside) == 12 and sum(inside) >= 10


def test_a_million_operations_cost_the_closed_form():
    found = per_million(PRICED, {"s": 0.36, "l": 1.44})
    assert found["cost_per_million"].tolist() == pytest.approx([0.01, 0.01])
    assert found["cost_low"].tolist() == pytest.approx([0.008, 0.005])
    assert found["cost_high"].tolist() == pytest.approx([0.0125, 0.02])


def test_a_spec_without_a_price_has_no_cost():
    assert np.isnan(per_million(PRICED, {"s": 1.0})["cost_per_million"].iloc[1])


def test_no_prices_at_all_is_refused_in_one_sentence():
    with pytest.raises(FitError, match=r"no prices are known; add 'prices: \{spec: amount per hour\}'"):
        per_million(PRICED, {})


@pytest.mark.parametrize("price", [0.0, -1.0, float("nan"), float("inf")])
def test_a_price_is_a_number_above_zero(price):
    with pytest.raises(FitError, match="per hour as the price of s, expected a number > 0"):
        per_million(PRICED, {"s": price})


@given(st.floats(0.01, 1e3), st.floats(1.0, 1e6))
def test_cost_times_throughput_is_the_price_of_an_hour(price, x):
    points = pd.DataFrame({"spec": ["s"], "fitted": [x], "run_low": [x / 2], "run_high": [2 * x]})
    row = per_million(points, {"s": price}).iloc[0]
    assert row["cost_per_million"] * x * 3600 / 1e6 == pytest.approx(price)
    assert row["cost_low"] <= row["cost_per_million"] <= row["cost_high"]


def test_what_was_not_measured_is_not_judged_by_a_p99():
    made = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4), noise=0.03, p99_us=lambda p, n: 1e3)
    found = ask(made, qps=50_000, p99_ms=5, percentiles=made.percentiles)
    marked = found.assign(spec=found["spec"] + " (D)", mark=" (D)")
    for table in (found, marked):
        (answer,) = capacity.answers(table, 50_000, 5, ["24c96g", "16c64g", "12c48g"])
        assert messages.say(answer).endswith("Not judged, as a p99 needs a sound measurement: 24c96g, 12c48g.")
        assert messages.say(answer, "zh").endswith("未作判断（p99 须有可靠的实测）：24c96g、12c48g。")
    (whole,) = capacity.answers(found, 50_000, None, ["24c96g"])
    assert "Not judged" not in messages.say(whole)
