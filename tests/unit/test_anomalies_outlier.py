"""Specs far from the law of the others, and servers that had CPU to spare."""

import numpy as np
import pytest
from anomaly_samples import cell_of, flags, run, says

from ycsbook.anomalies.scaling_outlier import _CHOICE, BUDGET, _judged
from ycsbook.facts import fact
from ycsbook.scaling.laws import LAWS
from ycsbook.scaling.pairs import holm

CORES = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)


def sweep(seed, *, off=1.0, sd=0.03, repeats=1, threads=(100,), workloads="a"):
    rng = np.random.default_rng(seed)
    return [
        run(c, t, r, 1000 * c / (1 + 0.03 * (c - 1)) * np.exp(rng.normal(0, sd)) * (off if c == 8 else 1), workload=w)
        for w in workloads for r in range(1, repeats + 1) for c in CORES for t in threads
    ]  # fmt: skip


def test_a_spec_far_from_the_law():
    (found,) = flags("scaling_outlier", sweep(1, off=0.6))
    assert (found.severity, found.evidence) == ("warning", "single")
    assert says(found, "scaling_outlier", effect=found.effect) and cell_of(found) == (8, 100)
    assert found.message.values["law"] in LAWS and found.message.values["errors"] > 3
    assert found.effect == pytest.approx(-0.4, abs=0.06)


def test_both_directions_and_repeats():
    (found,) = flags("scaling_outlier", sweep(2, off=1.6, repeats=3))
    assert (found.severity, found.evidence, len(found.run_ids)) == ("warning", "repeats", 3)
    assert found.effect == pytest.approx(0.6, abs=0.06)


def test_a_point_that_its_threads_limit_is_no_outlier():
    """1,000 ops/s a core, and never more than the threads bring in 2 ms."""
    rng = np.random.default_rng(5)
    rows = [
        run(c, t, 1, min(1000 * c, t / 0.002) * np.exp(rng.normal(0, 0.005)))
        for c in (1, 2, 4, 8, 16, 32) for t in (8, 16, 32, 64)
    ]  # fmt: skip
    assert flags("scaling_outlier", rows) == []


def test_clean_sweeps_hardly_ever_warn():
    """The budget is 0.05 % of sweeps: in 500 of two series, three warnings have a probability of 0.2 %; notices are
    at 1 %. The law is chosen among all, as the rule does it."""
    x, n = np.array(CORES), 1000
    truth = np.log(1000 * x / (1 + 0.03 * (x - 1) + 2e-4 * x * (x - 1)))
    log_y = truth + np.random.default_rng(0).normal(0, 0.03, (n, len(x)))
    judged = [_judged(law, x, log_y) for law in LAWS.values()]
    chosen = np.argmin([aicc for aicc, *_ in judged], axis=0)
    p = np.array([judged[k][3][i] for i, k in enumerate(chosen)]).reshape(n // 2, -1)
    assert sum((holm(sweep) <= _CHOICE * BUDGET).any() for sweep in p) <= 2
    assert sum((holm(sweep) <= _CHOICE * 0.01).any() for sweep in p) <= 12


def test_few_points_are_no_family():
    rows = [run(c, 100, 1, 1000.0 * c * (0.5 if c == 2 else 1)) for c in (1.0, 2.0, 4.0, 8.0)]
    assert flags("scaling_outlier", rows) == []
    assert flags("scaling_outlier", [run(float("nan"), 4, r, 1000.0 + r, spec="") for r in range(12)]) == []


def test_studentised_residuals_are_those_of_leaving_the_point_out():
    """For a linear law the externally studentised residual is the prediction error of the fit without the point."""
    rng = np.random.default_rng(3)
    x, y = np.array(CORES), np.log(1000 * np.array(CORES) ** 0.8) + rng.normal(0, 0.05, len(CORES))
    _, _, t, _ = _judged(LAWS["power"], x, y[None, :])
    for i in range(len(x)):
        rest = np.arange(len(x)) != i
        design = np.column_stack([np.ones(rest.sum()), np.log(x[rest])])
        coefficients, squares, *_ = np.linalg.lstsq(design, y[rest], rcond=None)
        at = np.array([1, np.log(x[i])])
        spread = squares[0] / (rest.sum() - 2) * (1 + at @ np.linalg.inv(design.T @ design) @ at)
        assert t[0, i] == pytest.approx((y[i] - at @ coefficients) / np.sqrt(spread), rel=1e-6)


def test_a_server_that_is_not_the_limit_at_its_highest_threads():
    rows = [run(c, t, 1, 100.0 * t, cpu_utilisation=cpu) for c, cpu in ((1.0, 0.4), (2.0, 0.95)) for t in (4, 16)]
    (found,) = flags("not_saturated", rows)
    assert found.severity == "note"
    assert found.run_ids == ("1c-a-t16-r1",)
    assert says(found, "not_saturated", n=1, configurations=fact("configurations", n=2), cpu=0.4)
    assert cell_of(found) == (1, 16)
    assert flags("not_saturated", rows, {"cpu": 0.3}) == []
    assert flags("not_saturated", [run(threads=t) for t in (4, 16)]) == []
    # One that fewer threads kept busy does not lack threads.
    assert flags("not_saturated", [*rows, run(1.0, 2, 1, 300.0, cpu_utilisation=0.97)]) == []
    # Half a target throughput is no excuse, all of it is.
    targets = {target: [{**row, "target_ops_s": target * row["throughput_ops_s"]} for row in rows] for target in (1, 2)}
    assert len(flags("not_saturated", targets[2])) == 1 and flags("not_saturated", targets[1]) == []
