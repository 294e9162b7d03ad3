"""What may be claimed from a fit and is said beside it, which law is shown, that a ceiling does not fool the answer,
and the USL's peak with its interval."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from closed_loops import usl
from facts_in import keys_in, values_of

from ycsbook.scaling import claims, fit, select

CORES = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)


def noisy(y, x=CORES, seed=0, noise=0.02, **columns):
    factor = np.exp(np.random.default_rng(seed).normal(0, noise, len(x)))
    return pd.DataFrame({"cores": x, "goodput_ops_s": y * factor, **columns})


scattered = partial(noisy, noise=0.03)


def ceiling_of_threads(p, threads=100, response_s=0.0014, per_core=5000.0, sharpness=4.0):
    """A server without contention or crosstalk behind a closed loop of so many threads."""
    return ((per_core * p) ** -sharpness + (threads / response_s) ** -sharpness) ** (-1 / sharpness)


def test_a_shown_peak_is_claimed():
    assert fit(noisy(usl(CORES, 0.03, 3e-3)), "usl").verdict.key == "claimed"


def test_the_ceiling_of_a_closed_loop_is_not_called_crosstalk():
    y = ceiling_of_threads(CORES)
    found = fit(noisy(y, threads=100.0), "usl")
    kappa = found.parameters.set_index("term").loc["kappa"]
    assert kappa["conf_low"] > 0, "the ceiling must fake crosstalk here, or the test shows nothing"
    assert keys_in(found.verdict) == ["shown", "law-ceiling"]
    assert values_of(found.verdict, "law-ceiling") == {"threads": 100.0, "what": "crosstalk"}
    assert fit(noisy(y, threads=100.0), "amdahl").verdict.key != "claimed"
    assert select(noisy(y, threads=100.0)).verdict.key == "not-identifiable"


def test_a_law_is_not_claimed_of_steps():
    """In steps of three the specs scatter 30 % around a power law, which misses those left out by more."""
    cores = CORES[[0, 1, 2, 3, 5, 7]]
    steps = np.select([cores < 4, cores < 16], [4000.0, 12_000.0], 36_000.0)
    choices = [select(noisy(steps, cores, seed=seed, noise=0.03)) for seed in range(40)]
    claimed = [choice.law for choice in choices if choice.verdict.key == "claimed"]
    assert len(claimed) <= 2
    left_out = [choice.fits["power"].verdict for choice in choices]
    assert any("law-left-out" in keys_in(verdict) for verdict in left_out)
    assert select(noisy(1000 * cores**0.8, cores, noise=0.03)).verdict.key == "claimed"


def test_knowing_what_limits_the_points_lifts_the_ceiling():
    data = noisy(usl(CORES, 0.03, 1.3e-3), threads=100.0)
    assert "law-ceiling" in keys_in(fit(data, "usl").verdict)
    assert fit(data.assign(censored=False), "usl").verdict.key == "claimed"
    assert "law-ceiling" not in keys_in(fit(data.assign(censored=CORES == 32), "usl").verdict)


@pytest.mark.parametrize(
    ("y", "x", "law", "reason"),
    [
        (usl(CORES, 0.05, 0.0), CORES, "usl", "law-kappa-open"),
        (usl(CORES, 0.0, 4e-4), CORES, "usl", "law-peak-outside"),
        (1000 * CORES, CORES, "amdahl", "law-sigma-open"),
        (1000 * CORES**0.8, CORES, "linear", "law-not-proportional"),
        (usl(CORES[:5], 0.03, 3e-3), CORES[:5], "usl", "law-needs"),
        (usl(CORES[:4], 0.2, 0), CORES[:4], "usl", "law-needs"),
        (usl(CORES[:3], 0.2, 0), CORES[:3], "amdahl", "law-needs"),
        (usl(CORES / 8, 0.03, 3e-3), CORES / 8, "usl", "law-part-of-a-core"),
        (usl(CORES / 8, 0.03, 3e-3), CORES / 8, "amdahl", "law-part-of-a-core"),
        (1000 * CORES, CORES / 8, "linear", "law-part-of-a-core"),
        (1000 * CORES * np.tile([0.4, 2.5], 4), CORES, "power", "law-poor"),
    ],
)  # fmt: skip
def test_what_is_only_shown_says_why(y, x, law, reason):
    assert keys_in(fit(noisy(y, x, noise=0.005), law).verdict) == ["shown", reason]


def test_a_law_says_how_many_points_it_needs_and_has():
    verdict = fit(noisy(usl(CORES[:4], 0.2, 0), CORES[:4], noise=0.005), "usl").verdict
    assert values_of(verdict, "law-needs") == {
        "needed_x": 5, "needed_df": 3, "x": "cores", "n": 4, "df": 1, "bounds": 0
    }  # fmt: skip


def test_below_one_core_the_power_law_is_claimed_and_chosen():
    quota = np.array([0.25, 0.5, 0.75, 1.0])
    data = noisy(9000 * quota**0.95, quota, threads=4.0, noise=0.01)
    choice = select(data)
    assert (choice.law, choice.verdict.key) == ("power", "claimed")
    said = values_of(choice.sentence, "law-ratio")
    assert (said["law"], said["first"], said["last"], round(said["ratio"])) == ("power", 0.25, 1.0, 4)
    assert choice.fits["amdahl"].verdict.key == "shown"
    assert "usl" in choice.fits


@pytest.mark.parametrize("seed", range(20))
def test_laws_without_meaning_there_do_not_compete_with_the_power_law(seed):
    quota = np.array([0.25, 0.5, 0.75, 1.0])
    choice = select(noisy(9000 * quota**0.95, quota, seed, threads=4.0))
    assert (choice.law, choice.verdict.key) == ("power", "claimed")
    assert "law-rivals" not in keys_in(choice.sentence)


@pytest.mark.parametrize(
    ("y", "law"),
    [
        (usl(CORES, 0.05, 4e-3), "usl"),
        (usl(CORES, 0.15, 0.0), "amdahl"),
        (1000 * CORES, "linear"),
        (1000 * CORES**0.6, "power"),
    ],
)
def test_the_law_that_made_the_points_is_chosen(y, law):
    choice = select(noisy(y, noise=0.01))
    assert (choice.law, choice.verdict.key) == (law, "claimed")


def test_too_few_cores_are_not_identifiable():
    choice = select(noisy(CORES[:1] * 1000, CORES[:1]))
    assert (choice.law, choice.fits) == ("", {})
    assert keys_in(choice.verdict) == ["not-identifiable", "law-refused", "law-few-x", "law-count"]
    assert values_of(choice.verdict, "law-count") == {"n": 1, "x": "cores"}
    assert set(choice.refusals) == {"linear", "power", "amdahl", "usl"}


def test_through_two_core_counts_no_law_is_drawn():
    choice = select(noisy(np.array([2000.0, 2000.0]), np.array([2.0, 4.0])))
    assert (choice.law, list(choice.fits)) == ("", ["linear"])
    assert keys_in(choice.verdict) == ["not-identifiable", "law-needs"]


def test_the_interval_of_the_peak_covers_it():
    truth = np.sqrt(0.97 / 3e-3)
    hits = 0
    for seed in range(60):
        found = fit(scattered(usl(CORES, 0.03, 3e-3), seed=seed), "usl").peak
        assert found.low <= found.at <= found.high
        hits += found.low <= truth <= found.high
    assert 52 <= hits <= 60


def test_the_peak_does_not_depend_on_the_unit_of_throughput():
    data = scattered(usl(CORES, 0.03, 3e-3))
    one, other = (fit(data.assign(goodput_ops_s=data["goodput_ops_s"] * k), "usl").peak for k in (1.0, 1e-3))
    assert one == pytest.approx(other, rel=1e-4)


def test_without_crosstalk_there_is_no_upper_end():
    found = fit(scattered(usl(CORES, 0.05, 0.0)), "usl").peak
    assert found.high == float("inf") and found.low > 8


def test_points_on_the_curve_leave_no_doubt():
    found = fit(noisy(usl(CORES, 0.03, 3e-3), noise=0.0), "usl").peak
    assert found == pytest.approx((np.sqrt(0.97 / 3e-3),) * 3, rel=1e-3)


def test_a_claimed_peak_is_told_with_its_interval():
    found = fit(scattered(usl(CORES, 0.03, 3e-3)), "usl")
    assert found.verdict.key == "claimed"
    assert claims.remark(found).values == {"x": "cores", **found.peak._asdict()}
    assert claims.remark(fit(scattered(usl(CORES, 0.15, 0.0)), "amdahl")) is None


def test_an_exponent_above_1_is_remarked_upon():
    steep = fit(scattered(1000 * CORES**1.3), "power")
    assert steep.verdict.key == "claimed"
    assert claims.remark(steep).values["low"] > 1.2
    assert claims.remark(fit(scattered(1000 * CORES**0.9), "power")) is None
    assert claims.remark(fit(scattered(1000 * CORES), "power")) is None


def test_lower_bounds_do_not_count_as_measurements():
    data = scattered(usl(CORES, 0.03, 3e-3), threads=100.0).assign(censored=CORES >= 16)
    assert values_of(fit(data, "usl").verdict, "law-needs")["bounds"] == 3
    enough = data.assign(censored=CORES == 32)
    assert fit(enough, "usl").verdict.key == "claimed"
    flat = scattered(usl(CORES, 0.03, 1.3e-3), threads=100.0)
    assert "law-ceiling" in keys_in(fit(flat, "usl").verdict)


def test_a_peak_among_lower_bounds_is_outside_what_was_measured():
    late = np.array([1, 2, 3, 4, 5, 6, 8, 32, 48], dtype=float)
    data = noisy(usl(late, 0.0, 1.2e-2), x=late, noise=0.005, threads=100.0).assign(censored=late > 8)
    found = fit(data, "usl")
    assert found.parameters.set_index("term").loc["kappa", "conf_low"] > 0
    assert values_of(found.verdict, "law-peak-outside")["last"] == 8


@pytest.mark.parametrize(
    ("law", "cores", "y", "key"),
    [
        ("power", CORES[:4], 1000 * CORES[:4] ** 1.5, "law-wide"),
        ("amdahl", CORES[:5], usl(CORES[:5], 0.1, 0.0), "law-wide"),
        ("usl", CORES, usl(CORES, 0.1, 1e-2), "law-wide-at"),
    ],
)
def test_no_law_is_claimed_whose_figures_are_wider_than_half_as_much_again(law, cores, y, key):
    """Whatever the law: where growth, contention or crosstalk is shown and what is said of it is known badly."""
    found = [fit(noisy(y, cores, seed, noise), law) for noise in (0.1, 0.2, 0.3) for seed in range(20)]
    assert any(keys_in(of.verdict) == ["shown", key] for of in found)
    for of in found:
        if law == "usl":
            ends = of.predict(of.range)
            width = (ends["conf_high"] / ends["conf_low"]).max()
        else:
            width = (of.ratio[2] / of.ratio[1]) ** (1 / np.log2(of.range[1] / of.range[0]))
        assert of.verdict.key != "claimed" or width <= claims.MAX_WIDTH
        assert key not in keys_in(of.verdict) or width > claims.MAX_WIDTH


def test_what_rounding_leaves_of_points_on_the_law_is_0():
    for law, y in (("power", 8123.0 + 0 * CORES), ("linear", 1017.3 * CORES)):
        assert fit(noisy(y, noise=0.0), law).loo_error == 0
    assert fit(noisy(1000 * CORES, noise=1e-6), "linear").loo_error == pytest.approx(1e-6, rel=0.5)
