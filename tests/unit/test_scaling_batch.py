"""The batched USL: the same optimum as the general solver and as SciPy, weights, resamples."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from ycsbook.errors import FitError
from ycsbook.scaling import LAWS, prediction, usl_batch
from ycsbook.scaling.profile import Problem
from ycsbook.scaling.usl_batch import fit_many, percentiles, resampled

X = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)


def log_usl(p, log_lambda, sigma, kappa):
    return log_lambda + np.log(p) - np.log(1 + sigma * (p - 1) + kappa * p * (p - 1))


def noisy(seed, sigma, kappa, noise=0.03, *, x=X, many=1):
    return log_usl(x, 7.0, sigma, kappa) + np.random.default_rng(seed).normal(0, noise, (many, len(x)))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6), sigma=st.sampled_from([0.0, 0.03, 0.4]), kappa=st.sampled_from([0.0, 5e-4, 1e-2]),
    noise=st.sampled_from([0.01, 0.1, 0.5]),
)  # fmt: skip
def test_it_is_never_worse_than_the_general_solver_from_nine_starts(seed, sigma, kappa, noise):
    log_y = noisy(seed, sigma, kappa, noise, many=4)
    found, best = fit_many(X, log_y), Problem(LAWS["usl"], X, log_y).best()
    assert found.converged.all()
    assert found.sse == pytest.approx(best.sse, rel=1e-8)
    assert found.theta == pytest.approx(best.theta, rel=1e-4, abs=1e-6)


def test_it_agrees_with_curve_fit_on_every_resample():
    x = np.repeat(X, 5)
    log_y = noisy(1, 0.05, 1e-3, x=x)[0]
    found = resampled(x, log_y, 200, seed=11)
    drawn = np.random.default_rng(11).integers(0, len(x), (200, len(x)))
    assert found.converged.all()
    for theta, rows in zip(found.theta, drawn, strict=True):
        alone = curve_fit(log_usl, x[rows], log_y[rows], p0=(7.0, 0.05, 1e-3))[0]
        assert theta == pytest.approx(alone, rel=1e-5)


def test_a_weight_is_a_number_of_equal_observations():
    rng = np.random.default_rng(2)
    log_y = noisy(2, 0.05, 1e-3)
    count = rng.integers(1, 4, len(X))
    heavy = fit_many(X, log_y, count)
    repeated = fit_many(np.repeat(X, count), np.repeat(log_y, count, axis=1))
    assert heavy.theta == pytest.approx(repeated.theta, rel=1e-7)
    assert heavy.sse == pytest.approx(repeated.sse, rel=1e-9)


def test_a_point_without_weight_does_not_count_whatever_it_holds():
    log_y = noisy(3, 0.05, 1e-3)
    weight = np.ones(len(X))
    weight[4] = 0
    kept = fit_many(np.delete(X, 4), np.delete(log_y, 4, axis=1))
    log_y[0, 4] = np.nan
    found = fit_many(X, log_y, weight)
    assert found.converged[0]
    assert found.theta == pytest.approx(kept.theta, rel=1e-8)


def test_two_core_counts_are_not_an_answer():
    weight = np.array([[1.0, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]])
    found = fit_many(X, noisy(4, 0.05, 1e-3, many=2), weight)
    assert found.converged.tolist() == [False, True]


def test_resamples_without_three_core_counts_are_counted_and_left_out():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    found = resampled(x, noisy(5, 0.05, 1e-3, x=x)[0], 400, seed=1)
    table = percentiles(found)
    drawn = np.random.default_rng(1).integers(0, 4, (400, 4))
    few = sum(len(set(rows)) < 3 for rows in drawn.tolist())
    assert table["n_failed"].tolist() == [few] * 3
    assert table["term"].tolist() == ["lambda", "sigma", "kappa"]
    assert (table["percentile_2.5"] <= table["percentile_97.5"]).all()


def test_percentiles_of_resamples_are_not_called_an_interval():
    table = percentiles(resampled(X, noisy(6, 0.05, 1e-3)[0], 50, seed=1), shares=(5, 50, 95))
    assert not [name for name in table if "conf" in name or "%" in name]
    assert {"percentile_5", "percentile_50", "percentile_95"} < set(table)


def test_resamples_are_repeatable():
    log_y = noisy(7, 0.05, 1e-3)[0]
    assert np.array_equal(resampled(X, log_y, 20, seed=5).theta, resampled(X, log_y, 20, seed=5).theta)
    assert not np.array_equal(resampled(X, log_y, 20, seed=5).theta, resampled(X, log_y, 20, seed=6).theta)


def test_resamples_of_two_core_counts_are_refused():
    with pytest.raises(FitError, match="2 distinct core counts"):
        resampled(np.array([1.0, 1, 2, 2]), np.zeros(4), 10, seed=1)


@pytest.mark.parametrize("module", [usl_batch, prediction])
def test_examples_in_docstrings(module):
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0
    assert doctest.testmod(module, extraglobs={"np": np}).attempted > 0
