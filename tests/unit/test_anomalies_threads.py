"""Less throughput with more threads: with repeats, without, alone and together."""

import numpy as np
import pytest
from anomaly_samples import cell_of, flags, run, says, sweep
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.scaling.pairs import holm

RULE = "thread_regression"


def published(cores, ram, first, second, workload="a", **more):
    """A published row at 100 and at 200 threads."""
    shape = {"spec": f"{cores}c{ram}g", "ram_gib": float(ram), "workload": workload, "outcome": "published", **more}
    return [
        run(float(cores), n, throughput=x, run_id=f"{cores}c{ram}g-{workload}-{n}", vendor="V", **shape)
        for n, x in ((100, first), (200, second))
    ]  # fmt: skip


def test_a_loss_with_repeats_has_an_interval():
    (found,) = flags(RULE, sweep(drop=0.3))
    assert (found.severity, found.evidence) == ("warning", "repeats")
    assert found.conf_low < found.effect < found.conf_high < 0
    assert found.effect == pytest.approx(-0.3, abs=0.05)
    assert cell_of(found, "at")[0] == 0.5 and 4000 < found.message.values["first"] < 5000
    assert says(found, RULE, effect=found.effect, low=found.conf_low, high=found.conf_high)
    assert set(found.run_ids) == {f"0.5c-a-t{t}-r{r}" for t in (4, 16) for r in (1, 2, 3)}


def test_what_is_too_weak_for_a_warning_may_be_a_notice():
    rows = sweep(noise=0.0, drop=0.05)
    # Each configuration has another order of fast and slow, so that it is no matter of rounds.
    rows = [
        {**row, "goodput_ops_s": row["goodput_ops_s"] * (1 + 0.02 * ((row["repeat"] + i // 3) % 3 - 1))}
        for i, row in enumerate(sorted(rows, key=lambda row: row["run_id"]))
    ]
    (found,) = flags(RULE, rows)
    assert (found.severity, found.evidence) == ("notice", "repeats")
    assert flags(RULE, rows, {"notice_level": 0.001}) == []


@pytest.mark.parametrize(
    ("second", "severity"),
    [(499, "warning"), (501, "notice"), (808, "notice"), (810, "note"), (999, "note"), (1000, None)],
)
def test_single_rows_are_graded_by_size(second, severity):
    found = flags(RULE, [run(threads=4, throughput=1000), run(threads=16, throughput=second)])
    assert [f.severity for f in found] == ([severity] if severity else [])
    for one in found:
        assert one.effect == pytest.approx(second / 1000 - 1)
        assert np.isnan([one.conf_low, one.conf_high]).all()
        assert says(one, RULE, small=severity == "note", low=None)


def test_single_losses_that_neighbours_share_are_a_warning():
    """A run that stalls is alone with its loss; what specs of equal and of the next core count lose is no stall."""
    shared = [row for cores, kept in ((4, 0.99), (8, 0.75), (16, 0.7)) for row in
              published(cores, 8, 1000 * cores, 1000 * cores * kept)]  # fmt: skip
    assert sorted(f.severity for f in flags(RULE, shared)) == ["note", "warning", "warning"]
    alone = [row for cores, kept in ((4, 0.99), (8, 0.75), (16, 0.98)) for row in
             published(cores, 8, 1000 * cores, 1000 * cores * kept)]  # fmt: skip
    assert sorted(f.severity for f in flags(RULE, alone)) == ["note", "note", "notice"]
    apart = published(8, 8, 8000, 6000) + published(8, 8, 8000, 6000, "b")
    assert [f.severity for f in flags(RULE, apart)] == ["notice", "notice"]


def test_losses_within_what_the_other_rows_scatter_are_notes():
    """The same loss of a third, in a quiet table and in one whose other specs go up and down by a fifth."""
    for swing, severities in ((0.0, {"notice"}), (0.2, {"note"})):
        specs = [(2 ** (i // 2), 8 + i % 2, 1000 * (1 + swing * (-1) ** i)) for i in range(12) if i != 6]
        rows = [row for cores, ram, second in specs for row in published(cores, ram, 1000, second)]
        found = flags(RULE, rows + published(8, 8, 1000, 670))
        assert {f.severity for f in found if f.effect == pytest.approx(-0.33)} == severities


def test_what_many_specs_lose_is_a_warning_for_all_their_scatter():
    kept = 0.7 * np.exp(np.random.default_rng(1).normal(0, 0.15, 18))
    rows = [row for i, share in enumerate(kept) for row in published(2 ** (i // 3), 8 + i % 3, 1000, 1000 * share)]
    assert sum(f.severity == "warning" for f in flags(RULE, rows)) >= 15


def test_a_loss_that_comes_from_one_wild_run_is_no_warning():
    """Quiet configurations, and one whose three repeats are 1,000, 1,000 and 500 with more threads."""
    rows = [row for row in sweep(noise=0.01) if row["cores"] != 0.5]
    wild = [run(0.5, t, r, 500.0 if (t, r) == (16, 2) else 1000.0) for t in (4, 16) for r in (1, 2, 3)]
    assert [f.severity for f in flags(RULE, rows + wild) if f.severity == "warning"] == []


def test_only_neighbouring_thread_counts_are_compared():
    rows = [run(threads=t, throughput=x) for t, x in ((16, 490), (4, 1000), (8, 990))]
    assert {f.severity: f.run_ids for f in flags(RULE, rows)} == {
        "warning": ("1c-a-t8-r1", "1c-a-t16-r1"), "note": ("1c-a-t4-r1", "1c-a-t8-r1"),
    }  # fmt: skip


def test_small_losses_of_specs_with_equal_cores_are_tested_together():
    rows = [row for ram, share in ((4, 0.96), (8, 0.95), (16, 0.97), (32, 0.96)) for row in
            published(4, ram, 1000 * ram, 1000 * ram * share)]  # fmt: skip
    *alone, together = flags(RULE, rows)
    assert [f.severity for f in alone] == ["note"] * 4
    assert together.severity == "notice"
    assert together.effect == pytest.approx((0.96 * 0.95 * 0.97 * 0.96) ** 0.25 - 1)
    assert together.conf_low < together.effect < together.conf_high < 0
    assert says(together, "thread_regression-together", specs=4)
    assert {f.cause for f in (*alone, together)} == {"small losses with more threads"}


def test_groups_that_may_fall_by_chance_are_not_told_of():
    others = [row for cores in (8, 16, 32, 64) for ram in (1, 2, 3) for row in published(cores, ram, 1000, 1000 + ram)]
    rows = [row for ram, share in ((4, 0.95), (8, 0.97), (16, 0.96)) for row in published(4, ram, 1000, 1000 * share)]
    assert [says(found, RULE) for found in flags(RULE, rows + others)] == [True] * 3


def test_two_specs_together_say_nothing_more():
    rows = published(4, 4, 1000, 950) + published(4, 8, 1000, 951)
    assert len(flags(RULE, rows)) == 2


def test_a_row_that_breaks_littles_law_is_named():
    rows = published(4, 4, 1000, 500)
    means = [
        {"run_id": row["run_id"], "operation": name, "mean_us": us}
        for row, us in zip(rows, (9e4, 5e5), strict=True) for name in ("READ", "UPDATE")
    ]  # fmt: skip
    (found,) = flags(RULE, rows, operations=means)
    (odd,) = found.message.values["doubt"].values["rows"]
    assert (odd.key, odd.values["threads"]) == ("doubt-threads", 200)
    assert odd.values["utilisation"] == pytest.approx(1.25, abs=0.005)


def step_down(p, budget):
    """Holm's procedure as its paper words it: the smallest first, each against the budget over those left."""
    left, rejected = sorted((v, i) for i, v in enumerate(p) if not np.isnan(v)), set()
    while left and left[0][0] <= budget / len(left):
        rejected.add(left.pop(0)[1])
    return [i in rejected for i in range(len(p))]


@given(st.lists(st.one_of(st.floats(0, 1), st.floats(0, 0.01), st.just(np.nan)), max_size=30), st.floats(0.0001, 0.2))
def test_holm_is_the_step_down_procedure(p, budget):
    adjusted = holm(np.array(p))
    assert (np.isnan(adjusted) == np.isnan(p)).all()
    near = np.isclose(adjusted, budget, rtol=1e-9)
    assert ((adjusted <= budget) == step_down(p, budget))[~near].all()
