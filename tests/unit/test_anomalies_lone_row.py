"""A single run that is off by half: found where the rows beside it agree, and nothing is built on it."""

import numpy as np
import pytest
from anomaly_samples import cell_of, flags, run, says, tables
from facts_in import holds
from report_samples import head_of

from ycsbook import anomalies, trust

CORES = np.array([2.0, 4.0, 8.0, 16.0, 32.0])


def sweep(odd=None, times=1.0, *, shape=CORES**0.85, gain=1.12, threads=(100, 200), repeats=1, sd=0.03, seed=1):
    """Two mixes over CORES; of 50:50 (workload a) the row `odd`, cores and threads, does `times` as much."""
    random = np.random.default_rng(seed)
    factors = {("a", *(odd or ())): times}
    return [
        run(c, t, r, base * x * gain**i * factors.get((of, c, t), 1.0) * np.exp(random.normal(0, sd)),
            workload=of, read_fraction=reads)
        for of, base, reads in (("a", 3000, 0.5), ("b", 5000, 0.95)) for c, x in zip(CORES, shape, strict=True)
        for i, t in enumerate(threads) for r in range(1, repeats + 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("odd", "times"), [((8, 100), 0.5), ((16, 200), 0.5), ((4, 200), 2.0), ((8, 100), 2.0), ((4, 100), 0.6)]
)
def test_a_row_by_itself_is_found_and_is_in_doubt(odd, times):
    rows = sweep(odd, times)
    (one,) = flags("lone_row", rows)
    assert (one.severity, one.effect) == ("warning", pytest.approx(times - 1, abs=0.15 * times))
    assert cell_of(one) == odd
    fits = next(row["throughput_ops_s"] for row in rows if (row["run_id"],) == one.run_ids) / times
    assert says(one, "lone_row") and one.message.values["fits"] == pytest.approx(fits, rel=0.1)
    made = tables(rows)
    grades = trust.grades(made.runs, anomalies.find(made))
    assert [*grades.index[grades == "D"]] == [*one.run_ids]


@pytest.mark.parametrize("odd", [(2, 100), (32, 200)])
def test_the_smallest_and_the_largest_server_may_have_effects_of_their_own(odd):
    assert not flags("lone_row", sweep(odd, 0.5))


def test_what_a_server_does_at_all_thread_counts_or_in_all_repeats_is_its_own():
    slow_server = np.where(CORES == 8, 0.5, 1.0) * CORES**0.85
    assert not flags("lone_row", sweep(shape=slow_server))
    assert not flags("lone_row", sweep((8, 100), 0.5, repeats=3))


@pytest.mark.parametrize("sd", [0.03, 0.1, 0.2])
@pytest.mark.parametrize("threads", [(100, 200), (25, 50, 100, 200)])
@pytest.mark.parametrize(
    "shape",
    [
        CORES**0.5,
        np.minimum(CORES, 8.0),  # growth that ends
        np.where(CORES < 8, 0.3, 1.0) * CORES,  # the data do not fit the smaller ones
        CORES / (1 + 0.004 * CORES * (CORES - 1)),  # and one that falls
    ],
)
def test_noise_and_bends_are_none(sd, threads, shape):
    assert not any(flags("lone_row", sweep(shape=shape, threads=threads, sd=sd, seed=seed)) for seed in range(8))


def test_a_loss_that_more_threads_cause_on_several_servers_is_none():
    rows = [
        row | {"throughput_ops_s": x, "goodput_ops_s": x}
        for row in sweep()
        for x in [row["throughput_ops_s"] * (0.4 if row["threads"] == 200 and row["cores"] <= 8 else 1)]
    ]
    assert not flags("lone_row", rows)


def test_a_thread_count_below_both_beside_it():
    ladder = {1: 900, 2: 1790, 4: 3450, 8: 2900, 16: 9100, 32: 10800, 64: 11000}
    rows = [run(8, threads, 1, float(x)) for threads, x in ladder.items()]
    assert not flags("lone_row", rows)  # below its smaller neighbour by less than 1.4 times
    (one,) = flags("lone_row", [*rows[:3], run(8, 8, 1, 2000.0), *rows[4:]])
    assert cell_of(one) == (8, 8) and one.effect == pytest.approx(2000 / np.sqrt(3450 * 9100) - 1, abs=0.01)
    peak = [
        run(8, threads, 1, float(x))
        for threads, x in zip(ladder, (900, 1800, 3400, 9000, 4000, 3500, 3400), strict=True)
    ]
    assert not flags("lone_row", peak)


def test_the_head_builds_no_advice_on_it():
    head = head_of(tables(sweep((8, 100), 0.5)))
    assert holds(head.head, "short-verdict-doubt")
    assert "132" not in str(head.answer.points) and "62 %" not in str(head.answer.points)
