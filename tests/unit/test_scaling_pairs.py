"""Neighbouring thread counts: which pairs there are, their ratios and intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ycsbook import paths
from ycsbook.columns import CELL
from ycsbook.ingest.published.published import read_published
from ycsbook.scaling.cells import Noise, cells, noise, pooled, with_utilisation
from ycsbook.scaling.pairs import compared, lost, pairs, pooled_error, ratios
from ycsbook.tables import empty, from_rows


def sweep(levels, *, repeats=1, scatter=0.0, spec="2c", workload="a", seed=3):
    """Runs of one spec, from {threads: throughput}."""
    rng = np.random.default_rng(seed)
    return from_rows(
        [
            {
                "run_id": f"{spec}-{workload}-{threads}-{r}", "dataset": "d", "spec": spec, "cores": 2, "ram_gib": 4,
                "workload": workload, "threads": threads, "phase": "run", "outcome": "completed", "repeat": r,
                "throughput_ops_s": y * np.exp(scatter * rng.standard_normal()),
            }
            for threads, y in levels.items() for r in range(1, repeats + 1)
        ], "runs",
    )  # fmt: skip


def paired(*parts):
    found = cells(with_utilisation(pd.concat(parts, ignore_index=True), empty("operations")))
    return pairs(found, noise(found)), found


def test_neighbours_only_and_in_order():
    found, _ = paired(sweep({400: 3000, 100: 1000, 200: 2100}))
    assert found[["threads", "threads_to"]].to_numpy().tolist() == [[100, 200], [200, 400]]
    assert found["ratio"].tolist() == pytest.approx([2.1, 3000 / 2100])
    assert found["octaves"].tolist() == [1.0, 1.0]
    assert found[["conf_low", "conf_high", "p_falls"]].isna().all(axis=None)


def test_specs_and_workloads_are_never_paired():
    found, _ = paired(sweep({100: 1000}), sweep({200: 1000}, spec="4c"), sweep({400: 1000}, workload="b"))
    assert found.empty
    assert list(found.columns[: len(CELL)]) == CELL


def test_octaves_of_any_step():
    found, _ = paired(sweep({4: 1000, 16: 1500, 24: 1600}))
    assert found["octaves"].tolist() == [2.0, pytest.approx(np.log2(1.5))]


def test_a_cell_without_threads_is_in_no_pair():
    runs = sweep({100: 1000, 200: 1100})
    runs.loc[0, "threads"] = np.nan
    assert paired(runs)[0].empty


def test_labels_lead_back_to_the_cells():
    found, rows = paired(sweep({100: 1000, 200: 900}), sweep({100: 2000, 200: 2200}, spec="4c"))
    for pair in found.itertuples():
        assert rows.loc[pair.low, "threads"] == pair.threads
        assert rows.loc[pair.high, "threads"] == pair.threads_to
        assert np.exp(rows.loc[pair.high, "log_y"] - rows.loc[pair.low, "log_y"]) == pytest.approx(pair.ratio)


def test_the_order_of_the_cells_does_not_matter():
    table = read_published(paths.PUBLISHED / "tencent-2020-08.csv")
    found = cells(with_utilisation(table.runs, table.operations))
    mixed = found.sample(frac=1, random_state=5)
    pd.testing.assert_frame_equal(pairs(mixed, noise(mixed)), pairs(found, noise(found)))
    assert len(pairs(found, noise(found))) == 16


def test_the_interval_is_the_pooled_t_interval():
    found, rows = paired(sweep({100: 1000, 200: 900}, repeats=3, scatter=0.03))
    (pair,) = found.to_dict("records")
    variance = rows["variance"].mean()
    error, difference = np.sqrt(variance * 2 / 3), np.diff(rows["log_y"])[0]
    reach = stats.t.ppf(0.975, 4) * error
    assert (pair["conf_low"], pair["conf_high"]) == pytest.approx(
        tuple(np.exp([difference - reach, difference + reach]))
    )
    assert pair["p_falls"] == pytest.approx(stats.t.cdf(difference / error, 4))
    # Two cells of equal size: the same as the textbook's two-sample test.
    runs = np.log(sweep({100: 1000, 200: 900}, repeats=3, scatter=0.03)["throughput_ops_s"].to_numpy())
    textbook = stats.ttest_ind(runs[3:], runs[:3], alternative="less")
    assert pair["p_falls"] == pytest.approx(textbook.pvalue)


def test_the_noise_of_other_cells_serves_one_that_was_repeated_once():
    found, _ = paired(sweep({100: 1000, 200: 900}), sweep({100: 1000, 200: 900}, spec="4c", repeats=3, scatter=0.02))
    once, thrice = found.sort_values("spec").to_dict("records")
    assert np.isnan(once["conf_low"])
    assert thrice["conf_low"] < thrice["ratio"] < thrice["conf_high"]


def test_intervals_cover_what_they_claim():
    rng = np.random.default_rng(11)
    truth, df, n = np.log(0.9), 12, 3
    variance = 0.03**2 * rng.chisquare(df, 4000) / df
    difference = rng.normal(truth, 0.03 * np.sqrt(2 / n), 4000)
    found = ratios(difference, np.sqrt(variance * 2 / n), np.full(4000, df))
    assert np.mean((found.conf_low < 0.9) & (found.conf_high > 0.9)) == pytest.approx(0.95, abs=0.012)


def test_nothing_repeated_has_no_error():
    assert np.isnan(pooled_error(Noise(0.001, 4), 1, 1))
    assert np.isnan(pooled_error(Noise(float("nan"), 0), 2, 2))
    assert pooled_error(Noise(0.0, 4), 2, 2) == pytest.approx(1e-6)
    assert np.isnan(ratios([0.1], [np.nan], [4]).conf_low).all()


@pytest.mark.parametrize(("unequal", "loss"), [(0.6, 0.0), (0.0, 0.13)])
def test_a_loss_is_told_from_a_noise_of_its_own(unequal, loss):
    """300 sweeps of 18 pairs, 3 repeats. Where the logarithm of the noise has a standard deviation of 0.6 between
    configurations, the pooled variance alone is wrong in 6 %; of all alike, a loss of 13 % is seen."""
    rng = np.random.default_rng(7)
    first, second = np.arange(0, 36, 2), np.arange(1, 36, 2)
    said, by_pool = 0, 0
    for _ in range(300):
        log_y = 0.03 * np.exp(rng.normal(0, unequal, (36, 1))) * rng.normal(size=(36, 3))
        log_y[1] += np.log1p(-loss)
        variance = log_y.var(axis=1, ddof=1)
        table = pd.DataFrame({"log_y": log_y.mean(axis=1), "n": 3, "variance": variance, "df": 2.0})
        tested = compared(table, first, second, pooled(2 * float(variance.sum()), 72))
        said += lost(tested, 0.003).any()
        by_pool += (18 * tested.p_falls <= 0.003).any()
    assert said >= 0.9 * 300 if loss else (said <= 6 and by_pool >= 12)
