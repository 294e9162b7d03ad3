"""The USL's peak with its interval, and what is said beside a claimed law."""

import numpy as np
import pandas as pd
import pytest
from facts_in import keys_in, values_of

from ycsbook.scaling import claims, fit

CORES = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)


def usl(p, sigma, kappa, lambda_=1000.0):
    return lambda_ * p / (1 + sigma * (p - 1) + kappa * p * (p - 1))


def noisy(y, seed=0, noise=0.03, x=CORES, **columns):
    factor = np.exp(np.random.default_rng(seed).normal(0, noise, len(x)))
    return pd.DataFrame({"cores": x, "goodput_ops_s": y * factor, **columns})


def test_the_interval_of_the_peak_covers_it():
    truth = np.sqrt(0.97 / 3e-3)
    hits = 0
    for seed in range(60):
        found = fit(noisy(usl(CORES, 0.03, 3e-3), seed), "usl").peak
        assert found.low <= found.at <= found.high
        hits += found.low <= truth <= found.high
    assert 52 <= hits <= 60


def test_the_peak_does_not_depend_on_the_unit_of_throughput():
    data = noisy(usl(CORES, 0.03, 3e-3))
    one, other = (fit(data.assign(goodput_ops_s=data["goodput_ops_s"] * k), "usl").peak for k in (1.0, 1e-3))
    assert one == pytest.approx(other, rel=1e-4)


def test_without_crosstalk_there_is_no_upper_end():
    found = fit(noisy(usl(CORES, 0.05, 0.0)), "usl").peak
    assert found.high == float("inf") and found.low > 8


def test_points_on_the_curve_leave_no_doubt():
    found = fit(noisy(usl(CORES, 0.03, 3e-3), noise=0.0), "usl").peak
    assert found == pytest.approx((np.sqrt(0.97 / 3e-3),) * 3, rel=1e-3)


def test_a_claimed_peak_is_told_with_its_interval():
    found = fit(noisy(usl(CORES, 0.03, 3e-3)), "usl")
    assert found.verdict.key == "claimed"
    assert claims.remark(found).values == {"x": "cores", **found.peak._asdict()}
    assert claims.remark(fit(noisy(usl(CORES, 0.15, 0.0)), "amdahl")) is None


def test_an_exponent_above_1_is_remarked_upon():
    steep = fit(noisy(1000 * CORES**1.3), "power")
    assert steep.verdict.key == "claimed"
    assert claims.remark(steep).values["low"] > 1.2
    assert claims.remark(fit(noisy(1000 * CORES**0.9), "power")) is None
    assert claims.remark(fit(noisy(1000 * CORES), "power")) is None


def test_lower_bounds_do_not_count_as_measurements():
    data = noisy(usl(CORES, 0.03, 3e-3), threads=100.0).assign(censored=CORES >= 16)
    assert values_of(fit(data, "usl").verdict, "law-needs")["bounds"] == 3
    enough = data.assign(censored=CORES == 32)
    assert fit(enough, "usl").verdict.key == "claimed"
    flat = noisy(usl(CORES, 0.03, 1.3e-3), threads=100.0)
    assert "law-ceiling" in keys_in(fit(flat, "usl").verdict)


def test_a_peak_among_lower_bounds_is_outside_what_was_measured():
    late = np.array([1, 2, 3, 4, 5, 6, 8, 32, 48], dtype=float)
    data = noisy(usl(late, 0.0, 1.2e-2), x=late, noise=0.005, threads=100.0).assign(censored=late > 8)
    found = fit(data, "usl")
    assert found.parameters.set_index("term").loc["kappa", "conf_low"] > 0
    assert values_of(found.verdict, "law-peak-outside")["last"] == 8
