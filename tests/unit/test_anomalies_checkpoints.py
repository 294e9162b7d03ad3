"""Slow seconds beside checkpoints, from series whose truth is known."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.anomalies import checkpoints
from ycsbook.anomalies.evidence import RunSeries

# Not periodic, as the intervals between real checkpoints are not quite.
BEGINS = (17, 61, 96, 152, 201, 247)
FLAGS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60).map(lambda pairs: np.array(pairs).T)


def series(rate):
    rate = np.asarray(rate, dtype=float)
    return RunSeries({"warmup_s": np.nan}, np.arange(1.0, len(rate) + 1), np.ones(len(rate)), rate)


def dented(begins, length=3, depth=0.3, seconds=300):
    """A rate that falls slowly, with noise, and to a part of it in the seconds after these."""
    rate = np.linspace(400, 250, seconds) * np.exp(np.random.default_rng(7).normal(0, 0.02, seconds))
    for begin in begins:
        rate[begin : begin + length] *= depth
    return series(rate)


def written(begins, length=3):
    return [(begin + 0.1, begin + length - 0.1) for begin in begins]


def brute(low, touched):
    hits = [np.count_nonzero(low & np.roll(touched, shift)) for shift in range(len(low))]
    return np.array([hits.count(k) / len(low) for k in range(max(hits) + 1)])


def test_slow_seconds_inside_checkpoints_are_found_there():
    beside = checkpoints.coincidence(dented(BEGINS), written(BEGINS))
    # A tenth of the seconds may be called slow; of the noise none is 10 % below what is around it.
    assert (beside.slow, beside.inside, beside.checkpoints, beside.verdict) == (18, 18, 6, "shown")
    assert beside.p == beside.least_p == pytest.approx(1 / 300)
    assert beside.during == pytest.approx(0.3, rel=0.05)


def test_slow_seconds_elsewhere_are_not():
    beside = checkpoints.coincidence(dented([b + 20 for b in BEGINS]), written(BEGINS))
    assert (beside.slow, beside.inside, beside.verdict) == (18, 0, "not-shown")
    assert beside.p == 1.0 and beside.during == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize(
    ("rates", "spans", "verdict"),
    [
        (dented(BEGINS), [], "no-checkpoints"),
        (dented([]), written(BEGINS), "no-slow"),
        (dented([15], seconds=30), written([15]), "too-few"),
    ],
)
def test_what_cannot_be_said_is_not_said(rates, spans, verdict):
    assert checkpoints.coincidence(rates, spans).verdict == verdict


def test_a_stop_of_a_minute_is_slow_though_all_around_it_stands_still_too():
    rate = np.full(200, 300.0)
    rate[100:160] = 2
    assert list(np.flatnonzero(checkpoints.slow(series(rate)))) == list(range(100, 160))


def test_the_clients_start_is_not_slow():
    assert not checkpoints.slow(series([5, 40, 90, *[300] * 60])).any()


@given(FLAGS)
def test_chances_are_those_of_every_shift_counted_one_by_one(flags):
    assert checkpoints.chances(*flags) == pytest.approx(brute(*flags))


@given(FLAGS, st.floats(0.01, 0.5))
def test_by_chance_p_is_below_a_level_no_oftener_than_the_level(flags, level):
    low, touched = flags
    of_shift = checkpoints.chances(low, touched)
    hits = [np.count_nonzero(low & np.roll(touched, shift)) for shift in range(len(low))]
    p = np.array([of_shift[hit:].sum() for hit in hits])
    assert np.mean(p <= level) <= level + 1e-9


@given(FLAGS, FLAGS)
def test_runs_together_have_the_chances_of_independent_shifts(one, other):
    parts = [
        checkpoints.Coincidence(inside=int((a & b).sum()), chances=checkpoints.chances(a, b)) for a, b in (one, other)
    ]
    whole = checkpoints.together(parts)
    pairs = [
        np.count_nonzero(one[0] & np.roll(one[1], i)) + np.count_nonzero(other[0] & np.roll(other[1], j))
        for i in range(one.shape[1]) for j in range(other.shape[1])
    ]  # fmt: skip
    assert whole.p == pytest.approx(np.mean(np.array(pairs) >= whole.inside))


def samples(running, took_ms):
    n = len(running)
    columns = {"elapsed_s": np.arange(1.0, n + 1), "interval_s": 1.0, "checkpoint_running": running}
    return pd.DataFrame({**columns, "checkpoint_ms": took_ms})


def test_a_checkpoint_is_seen_while_it_runs_and_when_it_has_ended():
    long = samples([0, 0, 1, 1, 0, 0, 0, 0, 0, 0], [20, 20, 20, 20, 2500, 2500, 2500, 2500, 2500, 2500])
    assert checkpoints.spans(long) == [(pytest.approx(1.5), 5.0)]
    between = samples([0] * 10, [20, 20, 20, 20, 30, 30, 30, 30, 40, 40])
    assert checkpoints.spans(between) == [(pytest.approx(3.97), 5.0), (pytest.approx(7.96), 9.0)]
    unfinished = samples([0] * 8 + [1, 1], [20] * 10)
    assert checkpoints.spans(unfinished) == [(9.0, 10.0)]
    assert checkpoints.spans(samples([np.nan] * 5, [np.nan] * 5)) == []
