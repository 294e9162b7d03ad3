"""Stalls, drifts, warm-ups and swings within a run: planted ones are found, noise alone is not."""

import numpy as np
import pytest
from anomaly_samples import flags, noisy, run, says, with_series

from ycsbook import documents, paths
from ycsbook.anomalies.evidence import RunSeries, series
from ycsbook.anomalies.over_time import find_period
from ycsbook.facts import fact
from ycsbook.tables import empty, from_rows

RULES = ("stall", "degradation", "not_settled", "warmup", "sawtooth")


def within(rule, rate, interval_s=1.0, settings=None, documents=None, **more):
    row, intervals = with_series(rate, interval_s, **more)
    return flags(rule, [row], settings, intervals=intervals, documents=documents)


def test_white_noise_is_silent():
    rows, intervals = [], []
    for i in range(200):
        row, part = with_series(noisy((60, 120, 300)[i % 3], seed=i), repeat=i)
        rows.append(row)
        intervals += part
    for rule in RULES:
        assert flags(rule, rows, intervals=intervals) == []


def test_a_stall_is_found_with_its_place_and_cost():
    rate = noisy(120, 1)
    rate[40:55] = 0.0
    (found,) = within("stall", rate)
    assert found.severity == "warning"
    assert says(found, "stall", lost_s=15, start_s=40, stretches=1)
    assert found.effect == pytest.approx(-15 / 120)


def test_short_stalls_are_a_notice_and_several_are_counted():
    rate = noisy(120, 2)
    rate[[30, 31, 32, 60, 61, 90]] = 0.0
    (found,) = within("stall", rate)
    assert found.severity == "notice"
    assert says(found, "stall", lost_s=5, stretches=2, longest_s=3, start_s=30)
    assert within("stall", rate, settings={"seconds": 4.0}) == []


def test_a_slow_start_and_a_slow_rate_are_no_stall():
    starting = noisy(60, 3)
    starting[:5] = 0.0
    assert within("stall", starting) == []
    counts = np.random.default_rng(4).poisson(2.0, 60)
    assert (counts == 0).any()
    assert within("stall", counts) == []


def test_the_stall_that_was_published_in_words():
    said = {"iibench-wiredtiger": documents.read(paths.PUBLISHED / "iibench-wiredtiger.csv")}
    (found,) = flags("stall", [run()], documents=said)
    assert (found.severity, found.evidence, found.dataset) == ("warning", "published", "iibench-wiredtiger")
    assert found.message == fact(
        "stall-published", server="wiredTiger 3.2", words="a minute or so", minutes="31", line="18"
    )  # fmt: skip
    assert np.isnan(found.effect)


def test_a_fall_after_the_warm_up():
    rate = noisy(200, 5) * 0.75 ** (np.arange(200) / 199)
    (found,) = within("degradation", rate, found_warmup=False)
    assert (found.severity, found.cause) == ("notice", "degradation")
    assert found.effect == pytest.approx(0.75 ** (9 / 10) - 1, abs=0.03)
    assert found.conf_low < found.effect < found.conf_high
    assert says(found, "degradation", effect=found.effect)
    assert within("not_settled", rate, found_warmup=False) == []


def ramp(share, n=120, seed=5):
    """Half the throughput at first, all of it after that share of the run."""
    return noisy(n, seed) * np.clip(0.5 + 0.5 * (np.arange(n) + 0.5) / n / share, None, 1)


@pytest.mark.parametrize("share", [0.4, 0.6, 1.0, 1.5])
def test_a_run_that_is_over_before_its_warm_up_had_not_settled(share):
    (found,) = within("not_settled", ramp(share))
    assert (found.severity, found.cause) == ("warning", "not settled")
    assert found.effect > 0.05 and says(found, "not_settled", n=1, effect=found.effect)
    assert within("degradation", ramp(share)) == []


@pytest.mark.parametrize("share", [0.02, 0.1, 0.16])
def test_a_short_warm_up_settles(share):
    assert within("not_settled", ramp(share)) == []


def test_nothing_is_known_of_few_intervals():
    assert within("not_settled", ramp(1.0, n=19)) == []


def test_a_small_drift_is_none():
    assert within("degradation", noisy(200, 6) * 0.95 ** (np.arange(200) / 199), found_warmup=False) == []


def test_a_warm_up_that_matters():
    rate = np.where(np.arange(60) < 12, 0.3, 1.0) * noisy(60, 7)
    (found,) = within("warmup", rate)
    assert found.severity == "note"
    assert says(found, "warmup", n=1, runs=fact("runs", n=1), warmup_s=12)
    assert found.effect == pytest.approx(1 / (0.2 * 0.3 + 0.8) - 1, abs=0.02)


def swinging(period_s, seconds, interval_s=1.0, *, seed=9, depth=0.3, width=0.2):
    """Dips of that depth for a share of each period."""
    t = np.arange(0, seconds, interval_s)
    return noisy(len(t), seed) * np.where((t / period_s) % 1 < width, 1 - depth, 1.0)


@pytest.mark.parametrize(("period", "interval"), [(60, 1), (60, 10), (25, 1)])
def test_a_period_is_found(period, interval):
    (found,) = within("sawtooth", swinging(period, 1200, interval), interval, found_warmup=False)
    assert (found.severity, found.cause) == ("notice", "sawtooth")
    assert says(found, period_s=pytest.approx(period, rel=0.01), every_s=60, known="default", fits=period == 60)
    assert found.effect == pytest.approx(-0.3, abs=0.1)


def test_a_ramp_is_a_sawtooth_too():
    t = np.arange(900)
    (found,) = within("sawtooth", noisy(900, 10) * (1.2 - 0.4 * ((t / 60) % 1)), found_warmup=False)
    assert says(found, "sawtooth", period_s=pytest.approx(60))


def test_the_checkpoints_are_those_that_the_source_prints():
    said = {"local": {"environment": {"server_command": "mongod --syncdelay=120 --port 1"}}}
    (found,) = within("sawtooth", swinging(120, 1800), documents=said, found_warmup=False)
    assert says(found, fits=True, every_s=120, known="printed")


def test_checkpoints_that_were_seen_come_first():
    row, intervals = with_series(swinging(45, 900), found_warmup=False)
    samples = [
        {"run_id": row["run_id"], "elapsed_s": float(t), "checkpoint_running": float(t % 45 < 5)}
        for t in range(1, 900, 2)
    ]  # fmt: skip
    (found,) = flags("sawtooth", [row], intervals=intervals, samples=samples)
    assert says(found, period_s=pytest.approx(45), fits=True, known="seen")


def test_two_periods_are_too_few_and_a_constant_has_none():
    assert within("sawtooth", swinging(60, 130), found_warmup=False) == []
    one = RunSeries(run(warmup_s=0.0), np.arange(1.0, 61), np.ones(60), np.full(60, 5.0))
    assert find_period(one) is None


def test_a_wandering_rate_is_no_period():
    """Autocorrelated noise has much power at low frequencies and still no period: at most 2 of 30 series."""
    found = 0
    for seed in range(30):
        steps = np.random.default_rng(seed).normal(0, 0.03, 300)
        level = np.zeros(300)
        for i in range(1, 300):
            level[i] = 0.8 * level[i - 1] + steps[i]
        found += len(within("sawtooth", 1000 * np.exp(level), found_warmup=False))
    assert found <= 2


def test_series_leave_out_a_fragment_and_need_no_counts():
    whole = {"run_id": "1c-a-t4-r1", "operation": "TOTAL"}
    ends = ((20.0, 10.0), (10.0, 10.0), (22.0, 2.0))
    rows = [{**whole, "elapsed_s": e, "interval_s": w, "throughput_ops_s": 10.0 * e} for e, w in ends]
    rows.append({**rows[0], "operation": "READ"})
    (one,) = series(from_rows([run(), run(threads=8)], "runs"), from_rows(rows, "intervals"))
    assert one.end_s.tolist() == [10.0, 20.0]
    assert one.rate.tolist() == [100.0, 200.0]
    assert series(from_rows([run()], "runs"), empty("intervals")) == []
