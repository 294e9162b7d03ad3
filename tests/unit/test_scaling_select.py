"""Choosing a law: AICc only where it exists, the same points for all, RAM, and a ceiling that must not fool us."""

import closed_loops
import numpy as np
import pandas as pd
import pytest
from facts_in import facts_in, keys_in, values_of

from ycsbook.scaling import analyse, select

SIX = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)

LINEAR = (2, 4, 8, 16, 32)
CORES = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)


@pytest.mark.parametrize("cores", [LINEAR, (1, 2, 4, 6, 8, 12, 16, 24, 32)])
@pytest.mark.parametrize("seed", range(4))
def test_a_linear_server_at_100_threads_does_not_fool_us(cores, seed):
    runs = closed_loops.runs(cores, (100,), seed=seed)
    choice = select(runs)
    assert all(choice.fits[law].verdict.key == "shown" for law in ("amdahl", "usl"))
    assert any(said.values.get("threads") == 100 for said in facts_in(choice.sentence))
    if len(cores) > 5:
        assert choice.verdict.key == "not-identifiable"
        assert "law-ceiling" in keys_in(choice.verdict)
    analysis = analyse(runs)
    assert (analysis.joint["verdict_key"] == "not-identifiable").all()
    assert not analysis.joint["identifiable"].any()


def test_with_more_threads_the_same_server_is_found_linear():
    analysis = analyse(closed_loops.runs((1, 2, 4, 6, 8, 12, 16, 24, 32), (100, 200, 400), seed=2))
    highest = analysis.choices.set_index("group").loc["a, 400 threads"]
    assert (highest["law"], highest["verdict_key"]) == ("linear", "claimed")
    assert (analysis.glance.loc[analysis.glance["law"] == "usl", "verdict_key"] != "claimed").all()
    joint = analysis.joint.set_index("term")
    assert (joint["verdict_key"] == "claimed").all()
    assert joint.loc["exponent", "estimate"] == pytest.approx(1.0, abs=0.05)
    assert joint.loc["r0_us", "estimate"] == pytest.approx(1400, rel=0.08)


def test_too_few_measurements_leave_a_description_that_claims_nothing():
    runs = closed_loops.runs(LINEAR, (100,), seed=1).assign(censored=[False, False, True, True, True])
    choice = select(runs)
    assert choice.law == "power"
    assert keys_in(choice.verdict)[:3] == ["not-identifiable", "law-not-the-server", "law-few-measured"]
    few = values_of(choice.verdict, "law-few-measured")
    assert (few["n"], few["of"]) == (2, 5)
    assert all(keys_in(fit.verdict)[:2] == ["shown", "law-not-the-server"] for fit in choice.fits.values())
    assert all(not found.problem.censored.any() for found in choice.fits.values())


def test_a_ratio_has_its_interval_and_the_linear_law_none():
    cores = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)
    wobble = np.exp(0.02 * np.resize([1, -1, -1, 1], len(cores)))
    linear = select(pd.DataFrame({"cores": cores, "goodput_ops_s": 1000 * cores * wobble}))
    assert linear.law == "linear"
    assert values_of(linear.sentence, "law-proportional")["last"] == 32
    assert "law-ratio" not in keys_in(linear.sentence)
    power = select(pd.DataFrame({"cores": cores, "goodput_ops_s": 1000 * cores**0.7 * wobble}))
    low, high = power.fits["power"].parameters.set_index("term").loc["exponent", ["conf_low", "conf_high"]]
    ratio = 32 ** power.fits["power"].best[1], 32**low, 32**high
    assert power.law == "power" and ratio_of(power) == pytest.approx(ratio)
    amdahl = select(pd.DataFrame({"cores": cores, "goodput_ops_s": closed_loops.usl(cores, 0.1) * wobble}))
    low, high = amdahl.fits["amdahl"].parameters.set_index("term").loc["sigma", ["conf_low", "conf_high"]]
    assert amdahl.law == "amdahl"
    assert ratio_of(amdahl)[1:] == pytest.approx((32 / (1 + 31 * high), 32 / (1 + 31 * low)))
    usl = select(pd.DataFrame({"cores": cores, "goodput_ops_s": closed_loops.usl(cores, 0.02, 4e-3) * wobble}))
    top = usl.fits["usl"].predict(32).iloc[0]
    at_last = values_of(usl.sentence, "law-ends")["at_last"].values
    assert usl.law == "usl" and "law-ratio" not in keys_in(usl.sentence)
    assert (at_last["low"], at_last["high"]) == pytest.approx((top["conf_low"], top["conf_high"]))


def ratio_of(choice):
    said = values_of(choice.sentence, "law-ratio")
    return said["ratio"], said["low"], said["high"]


@pytest.mark.parametrize("n", [1, 2])
def test_lower_bounds_are_counted(n):
    runs = closed_loops.runs(CORES, (100,), seed=1, sigma=0.05).assign(censored=np.arange(len(CORES)) >= len(CORES) - n)
    choice = select(runs)
    assert values_of(choice.sentence, choice.sentence.values["parts"][0].key)["bounds"] == n
    assert choice.fits["power"].scatter.values["bounds"] == n


def test_all_laws_see_the_same_points():
    runs = closed_loops.runs(CORES, (100,), seed=1, sigma=0.05).assign(censored=CORES >= 24)
    choice = select(runs)
    assert {(len(f.means), int(f.problem.censored.sum()), f.n_measured) for f in choice.fits.values()} == {(8, 2, 6)}


def test_aicc_is_used_only_where_every_law_has_one():
    # The USL has an AICc from 6 points on; with 5 the laws are compared by the leave-one-out error.
    amdahl = closed_loops.usl(CORES, 0.2)
    few = pd.DataFrame({"cores": CORES[:5], "goodput_ops_s": amdahl[:5] * (1 + 0.01 * np.array([1, -1, 0, 1, -1]))})
    choice = select(few)
    assert np.isnan(choice.fits["usl"].aicc)
    assert choice.law == "amdahl"


def test_nothing_at_all_can_be_fitted():
    choice = select(pd.DataFrame({"cores": CORES, "goodput_ops_s": np.nan}))
    assert (choice.law, choice.fits) == ("", {})
    assert "no throughput column is complete" in values_of(choice.verdict, "law-error")["text"]


def drawn(truth, cores, seed, noise=0.03):
    """Points of one series whose limits are known, around a truth."""
    rng = np.random.default_rng(seed)
    cores = np.asarray(cores, float)
    y = truth(cores) * np.exp(rng.normal(0, noise, len(cores)))
    return pd.DataFrame({"spec": [f"s{i}" for i in range(len(cores))], "cores": cores, "y": y})


def test_nothing_is_claimed_of_points_that_are_all_alike():
    """At most 5 % of such series; more than 5 of 30 have a probability of 0.3 %."""
    choices = [select(drawn(lambda p: 9000 + 0 * p, np.repeat(SIX, 3), seed), y="y") for seed in range(30)]
    assert sum(choice.verdict.key == "claimed" for choice in choices) <= 5


def test_a_peak_inside_the_range_is_claimed_from_six_points():
    kappa = 0.98 / 18**2
    choices = [
        select(drawn(lambda p: 9000 * p / (1 + 0.02 * (p - 1) + kappa * p * (p - 1)), SIX, seed), y="y")
        for seed in range(20)
    ]
    claimed = [choice for choice in choices if choice.verdict.key == "claimed"]
    assert {choice.law for choice in claimed} == {"usl"}
    assert len(claimed) >= 17
    peaks = [choice.fits["usl"].peak for choice in claimed]
    assert sum(peak.low < 18 < peak.high for peak in peaks) >= 0.8 * len(peaks)


@pytest.mark.parametrize("verdict", ["claimed", "not-identifiable"])
@pytest.mark.parametrize("seed", range(5))
def test_the_curve_drawn_reaches_as_far_as_its_rivals(seed, verdict):
    if verdict == "claimed":
        choice = select(drawn(lambda p: 9000 * p / (1 + 0.02 * (p - 1)), SIX, seed, noise=0.1), y="y", places=SIX)
    else:
        choice = select(drawn(lambda p: 9000 + 0 * p, np.repeat(SIX, 2), seed), y="y", places=SIX)
    curve = choice.curve(np.array(SIX))
    assert choice.verdict.key == verdict and len({choice.law, *choice.rivals}) > 1
    for law in {choice.law, *choice.rivals}:
        own = choice.fits[law].curve(np.array(SIX))
        assert (curve["conf_low"] <= own["conf_low"]).all() and (curve["conf_high"] >= own["conf_high"]).all()
    assert curve["fitted"].to_numpy() == pytest.approx(
        choice.fits[choice.law].curve(np.array(SIX))["fitted"].to_numpy()
    )
    assert ((curve["run_low"] <= curve["conf_low"]) & (curve["run_high"] >= curve["conf_high"])).all()


def test_a_fall_at_the_most_cores_shows_crosstalk_whatever_the_ceiling_of_the_threads():
    cores = np.array([1, 2, 4, 8, 16, 32, 64], float)
    falls = drawn(lambda p: 3000 * p / (1 + 0.05 * (p - 1) + 1e-3 * p * (p - 1)), cores, 1, noise=0.01)
    choice = select(falls.assign(threads=256.0), y="y")
    assert (choice.law, choice.verdict.key) == ("usl", "claimed")
    assert "law-better" in keys_in(choice.fits["power"].verdict)
    flat = drawn(lambda p: 50_000 / (1 + 20 / p), cores, 1, noise=0.01).assign(threads=256.0)
    assert all("claimed" not in keys_in(select(flat, y="y").fits[law].verdict) for law in ("amdahl", "usl"))


def test_a_law_that_scatters_many_times_as_much_as_another_is_neither_claimed_nor_shown():
    bent = drawn(lambda p: 50_000 / (1 + 20 / p), np.array([1, 2, 4, 8, 16, 32, 64, 96, 128]), 1, noise=0.01)
    choice = select(bent.assign(threads=256.0), y="y")
    least = min(fit.residual_se for fit in choice.fits.values())
    assert choice.fits[choice.law].residual_se < 2 * least
    assert choice.fits["power"].residual_se > 5 * least and choice.fits["power"].verdict.key == "shown"
