"""Steady throughput: the warm-up is left out, and nothing is made up."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.runs.steady import MIN_INTERVALS, steady_state

DATA = Path(__file__).parents[1] / "data" / "ycsb"
TRUE_OPS_S = 1000.0


def series(rates, lengths=1.0) -> pd.DataFrame:
    rates = np.asarray(rates, float)
    lengths = np.broadcast_to(lengths, rates.shape).astype(float)
    return pd.DataFrame({"operations": rates * lengths, "interval_s": lengths, "elapsed_s": np.cumsum(lengths)})


def warming(n: int, tau_s: float, share: float, noise: float, seed: int) -> pd.DataFrame:
    """n seconds that approach TRUE_OPS_S as exp(-t / tau) from below (share > 0) or above."""
    t = np.arange(n) + 0.5
    rng = np.random.default_rng(seed)
    return series(TRUE_OPS_S * (1 - share * np.exp(-t / tau_s)) * (1 + noise * rng.standard_normal(n)))


def steady_of_frame(frame: pd.DataFrame):
    return steady_state(*(frame[c].to_numpy(float) for c in ("operations", "interval_s", "elapsed_s")))


def steady_of(name: str):
    [log] = ycsb.parse([p for p in (DATA / f"{name}.out", DATA / f"{name}.err") if p.is_file()])
    return log, steady_state(*log.series.totals())


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, -0.5])
@pytest.mark.parametrize(("n", "tau_s"), [(20, 1), (20, 2), (60, 5), (300, 5), (300, 30), (1200, 10), (1200, 120)])
def test_an_exponential_warmup_leaves_less_than_two_percent(n, tau_s, share):
    found = [steady_of_frame(warming(n, tau_s, share, 0.03, seed)).steady_ops_s for seed in range(40)]
    assert np.mean(found) == pytest.approx(TRUE_OPS_S, rel=0.02)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_a_run_of_five_seconds_with_one_slow_one(share):
    found = [steady_of_frame(warming(5, 0.5, share, 0.02, seed)).steady_ops_s for seed in range(200)]
    assert np.mean(found) == pytest.approx(TRUE_OPS_S, rel=0.02)


@pytest.mark.parametrize("n", [5, 20, 1200])
def test_noise_alone_is_not_turned_into_speed(n):
    found = [steady_of_frame(warming(n, 1, 0, 0.05, seed)).steady_ops_s for seed in range(300)]
    standard_error = np.std(found) / math.sqrt(len(found))
    assert abs(np.mean(found) - TRUE_OPS_S) < 3.5 * standard_error


def test_a_step_is_cut_where_it_is():
    found = steady_of_frame(series([500.0] * 7 + [1000.0, 1002, 998, 1001] * 5))
    assert (found.warmup_s, found.n_intervals) == (7.0, 20)


def test_a_steady_run_has_no_warmup():
    found = steady_of_frame(series([1000.0] * 10))
    assert (found.warmup_s, found.steady_ops_s, found.n_intervals) == (0.0, 1000.0, 10)


@pytest.mark.parametrize("at", [200, 500, 900])
def test_a_stall_counts_wherever_it_falls(at):
    rates = warming(1200, 10, 0.5, 0.02, 1)["operations"].to_numpy(copy=True)
    rates[at : at + 12] = 0.0
    found = steady_of_frame(series(rates))
    assert found.warmup_s < 100
    assert found.steady_ops_s == pytest.approx(TRUE_OPS_S * (1 - 12 / (1200 - found.warmup_s)), rel=0.01)


def test_a_fragment_at_the_end_is_left_out():
    lengths = [1.0] * 8 + [0.02]
    found = steady_of_frame(series([1000.0] * 8 + [50.0], lengths))
    assert (found.steady_ops_s, found.n_intervals, found.end_s) == (1000.0, 8, 8.0)


def test_throughput_is_operations_over_time_not_a_mean_of_rates():
    found = steady_of_frame(series([1000, 1000, 1000, 1000, 700, 1000], [1, 1, 1, 1, 2, 1]))
    kept = slice(6 - found.n_intervals, 6)
    done, length = np.array([1000, 1000, 1000, 1000, 1400, 1000]), np.array([1, 1, 1, 1, 2, 1])
    assert found.steady_ops_s == done[kept].sum() / length[kept].sum()


@pytest.mark.parametrize("n", range(MIN_INTERVALS))
def test_too_few_intervals_tell_nothing(n):
    found = steady_of_frame(series([1000.0] * n))
    assert math.isnan(found.steady_ops_s)
    assert math.isnan(found.warmup_s)
    assert found.n_intervals == n


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=4, max_size=60))
def test_at_least_half_is_kept_and_the_result_lies_among_the_rates(rates):
    found = steady_of_frame(series(rates))
    assert found.n_intervals >= len(rates) // 2
    assert min(rates) - 1e-6 <= found.steady_ops_s <= max(rates) * (1 + 1e-9) + 1e-6


@pytest.mark.parametrize(
    ("name", "warmup_s", "steady_ops_s"),
    [("02_mongod_run_a_t8_hdr", 8.944, 6163.57), ("08_maxexec", 2.927, 2413.63)],
)
def test_a_plain_jvm_reads_low_by_its_warmup(name, warmup_s, steady_ops_s):
    log, found = steady_of(name)
    assert found.warmup_s == pytest.approx(warmup_s, abs=0.001)
    assert found.steady_ops_s == pytest.approx(steady_ops_s, abs=0.01)
    assert found.steady_ops_s > 1.3 * log.throughput_ops_s
