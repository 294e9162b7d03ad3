"""The smallest spec for a load: closed forms, what is refused, and that more load never makes a spec likelier."""

import numpy as np
import pandas as pd
import pytest
import scaling_sweeps as sweeps
from facts_in import holds, keys_in, values_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ycsbook import messages, paths
from ycsbook.columns import SCHEMAS
from ycsbook.errors import FitError
from ycsbook.ingest.published.published import read_published
from ycsbook.scaling import capacity, fit
from ycsbook.scaling.capacity import _beside_runs, answers, per_million, smallest, titles
from ycsbook.scaling.cells import ASSUMED_NOISE
from ycsbook.scaling.limits import limits
from ycsbook.scaling.points import UnfitError
from ycsbook.tables import empty

MADE = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4), threads=(100,), noise=0.06, seed=5)
LIMITS = limits(MADE.runs, MADE.operations)
PRICED = pd.DataFrame({"spec": ["s", "l"], "fitted": [10e3, 40e3], "run_low": [8e3, 20e3], "run_high": [12.5e3, 80e3]})


def ask(made=MADE, found=None, **asked):
    asked = {"qps": 40_000.0, "workload": "a", **asked}
    return smallest(made.runs, limits(made.runs, made.operations) if found is None else found, **asked)


def test_the_smallest_spec_that_surely_carries_the_load():
    found = ask(qps=40_000.0, found=LIMITS)
    assert tuple(found.columns) == SCHEMAS["capacity"]
    assert found["cores"].tolist() == [1, 2, 4, 8, 16, 32]
    assert found["suffices"].tolist() == [False, False, False, False, True, True]
    spec = {"spec": "16c64g", "threads": 100, "n": 1, "observed": 64_685}
    chances = {"again": "probability-high", "probability": "probability-high"}
    goal = {"qps": 40_000, "mix": {"reads": 100}}
    assert holds(answers(found, 40_000.0), "capacity-enough", priced=False, goal=goal, spec=spec | chances)


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


def test_runs_of_two_kinds_reach_a_load_as_often_as_they_did():
    again = _beside_runs(np.array([0.9, 0.9, 0.99, 0.6]), np.array([3, 5, 1, 3]), np.array([6, 6, 3, 6]))
    assert again.tolist() == pytest.approx([0.5, 0.9, 0.4, 0.6])


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
    assert not found["suffices"].any()
    unsure = {"sure": 0.9, "goal": {"qps": 105_000}, "spec": {"spec": "32c128g"}}
    assert holds(answers(found, 105_000.0), "capacity-unsure", **unsure)
    highest = {"observed": 93_681, "spec": "32c128g", "threads": 100, "share": 0.1041}
    (none,) = answers(ask(qps=900_000.0, found=LIMITS), 900_000.0)
    assert holds(none, "capacity-none", goal={"qps": 900_000}, **highest)


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
    spec = {"spec": "12c48g", "threads": 100, "measured": False}
    assert holds(answers(found, 40_000.0), "capacity-enough", spec=spec)


def test_with_prices_the_cheapest_comes_first_and_has_a_cost():
    found = ask(found=LIMITS, prices={"16c64g": 2.0, "32c128g": 1.5})
    assert holds(answers(found, 40_000.0), "capacity-enough", priced=True, spec={"spec": "32c128g"})
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
    spec = {"spec": "16c64g", "threads": 100, "observed": found.loc[16, "observed"], "n": 2, "p99_ms_measured": 4}
    again = {"again": "probability-high"}
    assert holds(answers(found.reset_index(), 50_000, 5), "capacity-enough", spec=spec | again)
    slower = made.percentiles["run_id"] == "a-16c64g-100-2"
    tails = made.percentiles.assign(latency_us=made.percentiles["latency_us"].where(~slower, 6_000.0))
    assert not ask(made, qps=50_000, p99_ms=5, percentiles=tails).set_index("cores").loc[16, "suffices"]


def test_where_no_spec_is_within_the_p99_no_probability_is_given():
    made = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4), noise=0.03, p99_us=lambda p, n: n * 40.0 + p)
    (slow,) = answers(ask(made, p99_ms=3, percentiles=made.percentiles), 40_000, 3)
    nearest = {"spec": "1c4g", "threads": 100, "n": 1, "p99_ms_measured": 4.001}
    assert holds(slow, "capacity-too-slow", p99_ms=3, **nearest)
    assert not any(key.startswith("probability") for key in keys_in(slow))


def test_no_answer_says_that_a_sure_spec_is_not_sure():
    made = sweeps.tables(
        lambda p, n: 5000 * p * (0.8 if p == 8 else 1.02), cores=(1, 2, 3, 4, 5, 6, 8), cpu=lambda p, n: 1.0,
        repeats=2, noise=0.01,
    )  # fmt: skip
    found = ask(made, qps=33_000.0)
    sure = found.assign(probability=found["probability"].where(found["cores"] < 8, 0.97))
    assert holds(answers(sure, 33_000.0), "capacity-refuted", goal={"qps": 33_000}, spec="8c32g")


def test_within_the_p99_but_too_slow_for_the_load():
    made = sweeps.tables(lambda p, n: sweeps.usl(p, 0.02, 1e-4), noise=0.03, p99_us=lambda p, n: 1e3 if p <= 4 else 9e3)
    unsure = answers(ask(made, qps=50_000, p99_ms=5, percentiles=made.percentiles), 50_000, 5)
    likeliest = {"spec": "4c16g", "probability": "probability-low", "p99_ms_measured": 1}
    assert holds(unsure, "capacity-unsure", p99_ms=5, sure=0.9, goal={"qps": 50_000}, spec=likeliest)


def refused(key, values, **asked):
    with pytest.raises(UnfitError) as error:
        ask(found=LIMITS, **asked)
    assert holds(error.value.reason, key, **values)


def test_refusals_say_what_was_got_and_what_there_is():
    refused("capacity-no-percentiles", {"p99_ms": 5}, p99_ms=5)
    refused("capacity-no-percentiles", {"p99_ms": 5}, p99_ms=5, percentiles=empty("percentiles"))
    refused("capacity-no-workload", {"mix": {"workload": "c"}, "mixes": [{"reads": 100}]}, workload="c")
    refused("capacity-no-threads", {"mix": {"reads": 100}, "threads": 64, "counts": ["100"]}, threads=64)
    for what, name in (("qps", "qps"), ("p99", "p99_ms"), ("threads", "threads")):
        for value in (0.0, -1.0, float("nan"), float("inf")):
            refused("capacity-bad-number", {"what": what, "value": f"{value:g}"}, **{name: value})


def test_without_a_law_only_the_measured_spec_itself_is_promised():
    made = sweeps.tables(lambda p, n: 5000 * p, cores=(4,), threads=(100,), repeats=3, noise=0.02)
    found = ask(made, qps=1000)
    assert found["probability"].isna().all() and found["suffices"].all()
    spec = {"spec": "4c16g", "threads": 100}
    promised = spec | {"again": "probability-high", "probability": None}
    assert holds(answers(found, 1000), "capacity-enough", spec=promised)
    unsure = answers(ask(made, qps=20_500), 20_500)
    assert holds(unsure, "capacity-unsure", goal={"qps": 20_500}, spec=spec)
    assert holds(unsure, "capacity-unknown", specs=["4c16g"])


def test_of_thread_counts_that_are_not_sure_the_likeliest_is_named():
    made = sweeps.tables(lambda p, n: {64: 30_500, 128: 32_700, 256: 31_000}[n], cores=(8,), threads=(64, 128, 256))
    found = ask(made, qps=30_000)
    assert found["threads"].tolist() == [128] and not found["suffices"].any()
    likeliest = {"spec": "8c32g", "threads": 128, "observed": 32_700, "n": 1, "again": {"value": 0.88}}
    assert holds(answers(found, 30_000), "capacity-unsure", spec=likeliest)


def test_two_points_below_one_core_have_no_law():
    made = sweeps.tables(lambda p, n: 8000 * p, cores=(0.25, 0.75), threads=(100,), repeats=3, noise=0.02)
    found = ask(made, qps=3000, specs={"0.5c": (0.5, 2.0)}).set_index("spec")
    assert found["probability"].isna().all() and found["run_high"].isna().all() and (found["law"] == "").all()
    assert np.isnan(found.loc["0.5c", "observed"])


def test_a_spec_without_a_law_beside_others_is_named():
    found = ask(found=LIMITS)
    gap = found.assign(probability=found["probability"].where(found["cores"] != 2))
    assert holds(answers(gap, 40_000.0)[0], "capacity-unknown", specs=["2c8g"])


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
    of_made, _ = answers(found, 40_000)
    assert holds(of_made, "capacity-of", dataset="made", outcome="completed") and holds(of_made, "capacity-enough")


@pytest.mark.parametrize(
    ("name", "workload", "qps", "enough"),
    [
        ("qingcloud-4.0.3", "a", 50_000, {"spec": "8c16g", "threads": 200, "observed": 57_199}),
        ("tencent-2020-08", "a", 80_000, {"spec": "24c64g", "threads": 100, "observed": 107_026}),
        ("tencent-2020-08", "b", 80_000, {"spec": "12c32g", "threads": 100, "observed": 115_529}),
    ],
)
def test_the_vendors_tables(name, workload, qps, enough):
    table = read_published(paths.PUBLISHED / f"{name}.csv")
    found = smallest(table.runs, limits(table.runs, table.operations), qps=qps, workload=workload)
    (answer,) = answers(found, qps)
    assert holds(answer, "capacity-again", n=1, **enough) and values_of(answer, "capacity-again")["probability"]
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
        (answer,) = answers(table, 50_000, 5, ["24c96g", "16c64g", "12c48g"])
        assert holds(answer, "capacity-unjudged", specs=["24c96g", "12c48g"])
        assert messages.say(answer, "zh").endswith("未作判断（p99 须有可靠的实测）：24c96g、12c48g。")
    assert "capacity-unjudged" not in keys_in(answers(found, 50_000, None, ["24c96g"]))


def test_a_law_that_cannot_fall_promises_nothing_of_throughput_that_does():
    at = {4: 12e3, 8: 23e3, 16: 42e3, 32: 36e3, 64: 30e3}
    made = sweeps.tables(lambda p, n: at[p], cores=tuple(at), threads=(400,), repeats=3, noise=0.008, seed=3)
    found = ask(made, qps=35e3)
    assert set(found["law"]) == {""} and found["probability"].isna().all()
    assert found.loc[found["suffices"], "cores"].tolist() == [16, 32]
    (none,) = answers(ask(made, qps=50e3), 50e3)
    assert holds([none], "capacity-none", spec="16c64g", threads=400)


def test_a_load_that_too_few_threads_reached_on_no_server_is_not_beyond_all_servers():
    """1 to 4 threads on servers that could do a thousand times as much."""
    made = sweeps.tables(lambda p, n: n / 0.0006, cores=(4, 16, 64), threads=(1, 2, 4), repeats=3, noise=0.01, seed=3)
    (none,) = answers(ask(made, qps=50e3), 50e3)
    assert holds([none], "capacity-none", threads=4, open=True)
