"""Change points in the history of a configuration."""

import numpy as np
import pytest
from anomaly_samples import flags, run, says, tables

from ycsbook.anomalies.change_point import _divergence, seed_of, splits


def history(throughputs, versions=None, dataset="local", **more):
    versions = versions or ["7.0.4"] * len(throughputs)
    return [
        run(1.0, 4, i, x, run_id=f"{dataset}-{i}", dataset=dataset, server_version=v,
            started_at=f"2026-{1 + i // 28:02}-{1 + i % 28:02}T00:00:00Z", **more)
        for i, (x, v) in enumerate(zip(throughputs, versions, strict=True))
    ]  # fmt: skip


def shifted(seed, n=10, change=0.9):
    level = np.where(np.arange(2 * n) < n, 1000.0, 1000.0 * change)
    return level * np.exp(np.random.default_rng(seed).normal(0, 0.03, 2 * n))


def brute_force(values, least):
    """Energy distance by its definition, split by split."""
    found = []
    for at in range(least, len(values) - least + 1):
        x, y = values[:at], values[at:]
        between = np.mean([abs(a - b) for a in x for b in y])
        left = np.mean([abs(x[i] - x[j]) for i in range(len(x)) for j in range(i)])
        right = np.mean([abs(y[i] - y[j]) for i in range(len(y)) for j in range(i)])
        found.append(len(x) * len(y) / len(values) * (2 * between - left - right))
    return np.array(found)


def test_the_statistic_is_the_energy_distance():
    values = np.random.default_rng(1).normal(size=(3, 14))
    expected = [brute_force(row, 3) for row in values]
    np.testing.assert_allclose(_divergence(values, 3), expected, rtol=1e-10)


def test_a_shift_of_ten_percent_is_found_with_its_version():
    versions = ["7.0.4"] * 10 + ["7.0.5"] * 10
    more, missed = 0, 0
    for seed in range(10):
        all_found = flags("change_point", history(shifted(seed), versions))
        # By chance one of twenty such histories wanders as if each run carried on from the one before.
        if not all_found:
            missed += 1
            continue
        found, *rest = sorted(all_found, key=lambda f: f.effect)
        assert (found.severity, found.evidence) == ("notice", "repeats")
        assert found.effect == pytest.approx(-0.1, abs=0.04)
        assert found.conf_low < found.effect < found.conf_high < 0
        more += len(rest)
    # Each part is looked at again, at the same level for both.
    assert more <= 3
    assert missed <= 1
    (found,) = flags("change_point", history(shifted(0), versions))
    assert says(found, "change_point", started_at="2026-01-11T00:00:00Z", before=10, since=10)
    assert says(found, versions="changed", version="7.0.5", version_before="7.0.4")


def test_a_history_that_wanders_is_mostly_silent():
    """Each run carries on 60 % of what the one before had: at most 10 % of 60 such histories; 13 have 0.5 %."""
    rng, found = np.random.default_rng(6), 0
    for i in range(60):
        values = rng.normal(0, 0.03, 40)
        values[0] /= np.sqrt(1 - 0.36)
        for k in range(1, 40):
            values[k] += 0.6 * values[k - 1]
        found += bool(splits(values, level=0.05, seed=i))
    assert found <= 12


def test_a_trend_is_no_step():
    rng = np.random.default_rng(7)
    drawn = [rng.normal(0, 0.03, 30) + np.linspace(0, -0.2, 30) for _ in range(20)]
    assert sum(bool(splits(values, level=0.05, seed=i)) for i, values in enumerate(drawn)) <= 2


def test_constant_histories_are_mostly_silent():
    """The level is 5 %: of 100 constant histories at most 11 with a probability of 99 %."""
    rng = np.random.default_rng(5)
    found = [splits(rng.normal(0, 0.03, 20), level=0.05, seed=seed_of(f"{i}")) for i in range(100)]
    assert sum(bool(one) for one in found) <= 11


def test_several_changes_are_found_in_order():
    rng = np.random.default_rng(6)
    values = np.repeat([0.0, 0.3, -0.2], 12) + rng.normal(0, 0.03, 36)
    assert splits(values, level=0.01, seed=1) == [12, 24]


def test_the_answer_hangs_on_the_data_alone():
    rows = history(shifted(7))
    assert flags("change_point", rows) == flags("change_point", rows[::-1])
    assert seed_of("a") == seed_of("a") != seed_of("b")


def test_a_history_elsewhere_counts_for_the_configurations_here():
    rows = history(shifted(0), ["7.0.4"] * 10 + ["7.0.5"] * 10)
    before = tables([{**row, "dataset": "earlier"} for row in rows[:15]])
    (found,) = flags("change_point", rows[15:], history=before)
    assert found.dataset == "local"
    assert len(found.run_ids) == 20
    elsewhere = tables(history(shifted(0), dataset="other", workload="b"))
    assert flags("change_point", rows[15:], history=elsewhere) == []


def test_versions_are_told_as_far_as_they_are_known():
    (same,) = flags("change_point", history(shifted(9)))
    assert says(same, versions="throughout", version="7.0.4")
    (none,) = flags("change_point", history(shifted(9), [""] * 20))
    assert says(none, versions="unknown")


def test_short_histories_and_runs_without_a_time_show_nothing():
    assert flags("change_point", history(shifted(10, n=4))) == []
    timeless = [{**row, "started_at": ""} for row in history(shifted(11))]
    assert flags("change_point", timeless) == []


def test_the_level_is_shared_among_the_configurations():
    weak = history(shifted(12, change=0.95))
    alone = flags("change_point", weak, {"level": 0.05})
    many = [row for k in range(30) for row in history(shifted(50 + k, change=1.0), dataset=f"d{k}", workload=f"w{k}")]
    assert len(alone) == 1
    assert len(flags("change_point", weak + many)) <= 2
