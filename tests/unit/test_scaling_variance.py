"""The noise of a run: what rounds and cells take out, and how a cell's own variance is drawn to the others'."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.scaling.cells import (
    ASSUMED_NOISE,
    SMALLEST_VARIANCE,
    Noise,
    least_noise,
    moderated,
    pooled,
    priors,
    run_noise,
    within,
)  # fmt: skip


def rows(log_y, *, cells=6, rounds=3):
    """One row per cell and round; log_y: (cells, rounds)."""
    return pd.DataFrame(
        {"run_id": f"{i}-{r}", "dataset": "d", "outcome": "completed", "workload": "a", "spec": f"s{i}", "threads": 8.0,
         "cores": i + 1.0, "ram_gib": 8.0, "repeat": r + 1.0, "y": float(np.exp(log_y[i][r]))}
        for i in range(cells) for r in range(rounds)
    )  # fmt: skip


def test_cells_and_rounds_are_no_noise():
    """Two-way residuals, against those of least squares with indicators of both."""
    rng = np.random.default_rng(1)
    log_y = rng.normal(0, 0.03, (6, 3)) + np.arange(6)[:, None] + np.array([0.0, -0.2, 0.1])
    table = rows(log_y)
    left = within(table)
    expected = log_y - log_y.mean(axis=1, keepdims=True) - log_y.mean(axis=0) + log_y.mean()
    assert left["residual"].to_numpy().reshape(6, 3) == pytest.approx(expected)
    assert left["df"].sum() == pytest.approx(5 * 2)
    assert run_noise(table) == Noise(pytest.approx(np.square(expected).sum() / 10), 10)


def test_with_few_cells_a_round_stays_in_the_noise():
    rng = np.random.default_rng(2)
    log_y = rng.normal(0, 0.03, (3, 3)) + np.array([0.0, -0.2, 0.1])
    noise = run_noise(rows(log_y, cells=3))
    assert noise.df == 6
    assert noise.variance == pytest.approx(log_y.var(axis=1, ddof=1).mean())


def test_runs_of_unknown_servers_and_single_runs_are_no_repeats():
    table = rows(np.zeros((6, 3))).assign(spec="")
    assert run_noise(table).df == 0
    assert run_noise(rows(np.zeros((6, 1)), rounds=1)).df == 0
    assert np.isnan(run_noise(rows(np.zeros((6, 1)), rounds=1)).variance)


def single_runs(noise, gain=lambda cores: 1.0, *, shares=(2, 4, 8), seed=5):
    """18 specs (or 6) at 100 and 200 threads, once each; gain: of the throughput at 200, by cores."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"run_id": f"{cores}-{share}-{n}", "dataset": "d", "outcome": "published", "workload": "a", "repeat": 1.0,
         "spec": f"{cores}c{cores * share}g", "cores": cores, "ram_gib": cores * share, "threads": float(n),
         "y": 9000 * cores**0.8 * (gain(cores) if n == 200 else 1.0) * np.exp(rng.normal(0, noise))}
        for cores in (1, 2, 4, 8, 16, 32) for share in shares for n in (100, 200)
    )  # fmt: skip


@pytest.mark.parametrize(("noise", "low", "high"), [(0.01, 0.05, 0.05), (0.15, 0.07, 0.15)])
def test_single_runs_that_scatter_show_a_noise_beyond_the_assumed(noise, low, high):
    found = [run_noise(single_runs(noise, seed=seed)) for seed in range(20)]
    assert {n.df for n in found} == {0}
    assert low <= np.median([n.assumed for n in found]) <= high


@pytest.mark.parametrize(
    "gain",
    [lambda c: 1 + 0.1 * np.log2(c), lambda c: 0.7 if c in (8, 16) else 1.0, lambda c: 0.5 if c > 8 else 1.0,
     lambda c: (1.0, 1.0, 1.1, 1.6, 1.9, 1.7)[int(np.log2(c))]],
)  # fmt: skip
def test_what_threads_do_to_some_core_counts_is_no_noise(gain):
    assert run_noise(single_runs(0.01, gain)).assumed == ASSUMED_NOISE


def test_too_few_single_runs_show_no_noise():
    for few in (single_runs(0.3, shares=(4,)), single_runs(0.3).query("threads == 100"), single_runs(0.3)[:0]):
        assert least_noise(few.assign(log_y=np.log(few["y"]))) == 0


def test_how_unequal_the_noise_is_shows_in_many_cells():
    """Variances of 4,000 cells, all alike or around a scaled inverse chi-squared of 2 degrees (Smyth's own model)."""
    rng = np.random.default_rng(3)
    for true, expected in ((np.full(4000, 1e-3), np.inf), (1e-3 * 2 / rng.chisquare(2, 4000), 2)):
        drawn = true * rng.chisquare(2, 4000) / 2
        found = priors(drawn, np.full(4000, 2.0), Noise(float(drawn.mean()), 8000))
        likely = max(found)
        assert likely.df == expected and likely.weight > 0.99
        assert likely.variance == pytest.approx(1e-3, rel=0.1)


def test_a_few_repeats_do_not_tell_how_unequal_the_noise_is():
    drawn = 1e-3 * np.random.default_rng(4).chisquare(2, 12) / 2
    weights = [prior.weight for prior in priors(drawn, np.full(12, 2.0), Noise(float(drawn.mean()), 24))]
    assert min(weights) > 0.01 and sum(weights) == pytest.approx(1)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30), st.integers(1, 20))
def test_a_moderated_variance_lies_between_its_own_and_the_others(variances, freedom):
    variance, df = np.array(variances), np.full(len(variances), float(freedom))
    noise = pooled(float((variance * df).sum()), float(df.sum()))
    for prior in priors(variance, df, noise):
        each, each_df = moderated(variance, df, noise, prior)
        low, high = np.minimum(variance, prior.variance), np.maximum(variance, prior.variance)
        assert ((each >= low * (1 - 1e-9)) & (each <= high * (1 + 1e-9)) | np.isinf(prior.df)).all()
        assert ((each_df >= np.minimum(df, noise.df)) & (each_df <= noise.df)).all()
        assert np.isinf(prior.df) or variance.min() * (1 - 1e-6) <= prior.variance <= max(
            variance.max() * (1 + 1e-6), SMALLEST_VARIANCE * (1 + 1e-6)
        )


def test_what_client_machines_differ_by_is_no_noise():
    random, table = np.random.default_rng(7), []
    for cell in range(12):
        for repeat in range(1, 4):
            machine = (cell + repeat) % 3
            log_y = 9 + 0.1 * cell + (0.0, 0.1, 0.3)[machine] + 0.02 * random.standard_normal()
            table.append({
                "run_id": f"{cell}-{repeat}", "dataset": "d", "outcome": "completed", "workload": "a", "threads": 4.0,
                "spec": f"s{cell}", "repeat": float(repeat), "y": np.exp(log_y), "client_machine": f"m{machine}",
            })  # fmt: skip
    frame = pd.DataFrame(table)
    known, unknown = run_noise(frame), run_noise(frame.drop(columns="client_machine"))
    # 36 runs less 12 cells, 2 rounds and 2 machines.
    assert known.df == 20 and 0.01 < np.sqrt(known.variance) < 0.03
    assert unknown.df == 22 and np.sqrt(unknown.variance) > 0.1
