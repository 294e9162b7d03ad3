"""Profile intervals: against a brute-force profile; their coverage is in test_scaling_prediction."""

import numpy as np
import pandas as pd
import pytest
from closed_loops import usl
from scipy import stats
from scipy.optimize import minimize

from ycsbook.facts import fact
from ycsbook.scaling import claims, fit

CORES = np.array([2, 2, 4, 4, 8, 8, 16, 16], dtype=float)
WIDE = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)
LAMBDA = 1000.0


def sample(rng, x, sigma, kappa, noise=0.03):
    y = usl(x, sigma, kappa, LAMBDA) * np.exp(rng.normal(0, noise, len(x)))
    return pd.DataFrame({"cores": x, "spec": [f"s{i}" for i in range(len(x))], "goodput_ops_s": y})


def brute_profile_excess(found, x, log_value):
    """How far the sum of squares grows when the curve at x is held: Nelder-Mead over sigma and kappa."""
    p, log_y = found.problem.x, found.problem.log_y

    def sse(parameters):
        sigma, kappa = parameters
        if min(sigma, kappa) < 0 or sigma > 1:
            return 1e9
        shape = np.log(usl(p, sigma, kappa)) - np.log(usl(x, sigma, kappa))
        return ((log_y - log_value - shape) ** 2).sum()

    starts = [(s, k) for s in (1e-3, 0.03, 0.2) for k in (1e-6, 1e-4, 3e-3)]
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}
    return min(minimize(sse, start, method="Nelder-Mead", options=options).fun for start in starts) - found.sse


@pytest.mark.parametrize(("seed", "x"), [(1, 1.0), (2, 20.0), (3, 64.0)])
def test_the_ends_of_the_curve_interval_lie_on_the_cut(seed, x):
    found = fit(sample(np.random.default_rng(seed), WIDE, 0.03, 5e-4), "usl")
    cut = stats.t.ppf(0.975, len(WIDE) - 3) ** 2 * found.variance
    for end in found.predict(x)[["conf_low", "conf_high"]].iloc[0]:
        assert brute_profile_excess(found, x, np.log(end)) == pytest.approx(cut, rel=2e-3)


def test_lambda_is_the_curve_at_one_core():
    found = fit(sample(np.random.default_rng(4), CORES, 0.03, 5e-4), "usl")
    row = found.parameters.set_index("term").loc["lambda"]
    at_one = found.predict(1.0).iloc[0]
    assert row[["estimate", "conf_low", "conf_high"]].to_numpy(float) == pytest.approx(
        at_one[["fitted", "conf_low", "conf_high"]].to_numpy(float), rel=1e-6
    )


def test_the_power_law_has_the_interval_of_linear_regression():
    data = sample(np.random.default_rng(5), WIDE, 0.05, 0.0)
    line = stats.linregress(np.log(data["cores"]), np.log(data["goodput_ops_s"]))
    reach = stats.t.ppf(0.975, len(WIDE) - 2) * line.stderr
    row = fit(data, "power").parameters.set_index("term").loc["exponent"]
    assert row["estimate"] == pytest.approx(line.slope, rel=1e-6)
    assert row["std_error"] == pytest.approx(line.stderr, rel=1e-6)
    assert [row["conf_low"], row["conf_high"]] == pytest.approx([line.slope - reach, line.slope + reach], rel=1e-5)


def test_bounds_stop_an_interval():
    found = fit(sample(np.random.default_rng(6), WIDE, 0.0, 0.0), "usl")
    parameters = found.parameters.set_index("term")
    assert (parameters.loc[["sigma", "kappa"], "conf_low"] == 0).all()
    assert (parameters.loc[["sigma", "kappa"], "conf_high"] > 0).all()


def test_a_law_the_data_break_does_not_get_narrower_intervals_for_it():
    # Superlinear points press sigma and kappa to 0; the free fit's small variance must not pass for precision.
    x = WIDE
    y = 1000 * x**1.4
    found = fit(pd.DataFrame({"cores": x, "goodput_ops_s": y * np.exp(np.linspace(-0.01, 0.01, len(x)))}), "usl")
    assert found.held_back
    assert found.verdict == claims.shown(fact("law-held-back", x="cores"))
    assert found.variance == pytest.approx(found.sse / found.df)
