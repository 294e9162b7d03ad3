"""Repeats that disagree, and how small a change a sweep can show."""

import numpy as np
import pandas as pd
import pytest
from anomaly_samples import cell_of, flags, run, says, tables
from facts_in import keys_in, values_of
from report_samples import head_of
from scipy import stats

from ycsbook import anomalies, messages, trust
from ycsbook.anomalies.noise import _wild, detectable
from ycsbook.facts import fact
from ycsbook.scaling.cells import Noise, cells, with_utilisation
from ycsbook.scaling.growth import growths
from ycsbook.scaling.points import with_throughput


def sweep(seed, *, sd=0.03, repeats=3, specs=18, threads=(4, 16), wild=1.0):
    rng = np.random.default_rng(seed)
    return [
        run(1.0 + i, t, r, 1000.0 * np.exp(rng.normal(0, sd * (wild if i == 3 and t == threads[0] else 1))))
        for r in range(1, repeats + 1) for i in range(specs) for t in threads
    ]  # fmt: skip


def test_the_detectable_loss_of_the_usual_sweep():
    found = detectable(Noise(0.03**2, 72), cells=36, repeats=3, comparisons=18)
    assert [round(100 * loss, 1) for loss in found.losses] == [-10.7, -12.6]
    assert found.repeats_needed == 14
    twelve = detectable(Noise(0.03**2, 36 * 11), cells=36, repeats=12, comparisons=18)
    cut = stats.t.isf(0.003 / 18, 36 * 11)
    assert stats.nct.sf(cut, 36 * 11, -np.log(0.95) / 0.03 * np.sqrt(6)) == pytest.approx(0.71, abs=0.005)
    assert twelve.losses[0] < -0.05


def test_the_detectable_loss_is_detected_by_simulation():
    """The test as thread_regression makes it (one pair, Bonferroni): power within Monte Carlo error of 80 %."""
    rng = np.random.default_rng(1)
    found = detectable(Noise(0.03**2, 72), cells=36, repeats=3, comparisons=18)
    n = 20_000
    difference = rng.normal(np.log1p(found.losses[0]), 0.03 * np.sqrt(2 / 3), n)
    pooled = 0.03 * np.sqrt(rng.chisquare(72, n) / 72)
    seen = stats.t.cdf(difference / (pooled * np.sqrt(2 / 3)), 72) < 0.003 / 18
    assert seen.mean() == pytest.approx(0.80, abs=0.01)


def test_less_noise_shows_less_and_needs_fewer():
    quiet, loud = (detectable(Noise(sd**2, 72), cells=36, repeats=3, comparisons=18) for sd in (0.01, 0.10))
    assert quiet.losses[0] > loud.losses[0]
    assert quiet.repeats_needed < 14 < loud.repeats_needed
    assert detectable(Noise(0.0, 4), cells=4, repeats=2, comparisons=1).repeats_needed == 2


def test_every_sweep_says_what_it_can_show():
    found = flags("noise", sweep(1))
    (note,) = [f for f in found if f.severity == "note"]
    assert note.evidence == "repeats"
    assert note.effect == pytest.approx(-0.107, abs=0.02)
    assert says(note, "noise-power", configurations=fact("configurations", n=36), repeats=3, df=70)
    assert says(note, loss=-note.effect, power=0.8, higher_power=0.95, change=0.05, over=False)


def test_single_runs_say_that_nothing_can_be_said():
    (note,) = flags("noise", sweep(2, repeats=1))
    assert note.message == fact("noise-unknown", where=None, rows=fact("configurations", n=36))
    assert flags("noise", [run()]) == []


def test_wild_repeats_are_a_warning_and_named():
    found = [f for f in flags("noise", sweep(6, wild=10)) if f.severity != "note"]
    (one,) = found
    assert (one.severity, one.evidence) == ("warning", "repeats")
    assert says(one, "noise", n=3, wilder=True, others=fact("configurations", n=35)) and cell_of(one) == (4, 4)
    assert sorted(one.run_ids) == [f"4c-a-t4-r{r}" for r in (1, 2, 3)]
    assert not [f for f in flags("noise", sweep(4, wild=10), {"times": 100.0}) if f.severity != "note"]


def test_repeats_that_scatter_hugely_are_a_warning_whatever_the_others_do():
    rows = [run(c, 4, r, 1000 * c * y) for c in (1.0, 2.0) for r, y in enumerate((0.4, 1.0, 1.6), 1)]
    found = [f for f in flags("noise", rows) if f.severity == "warning"]
    assert len(found) == 2
    assert all(says(f, "noise", sd=pytest.approx(0.705, abs=5e-4), wilder=False) for f in found)
    (alone,) = [f for f in flags("noise", rows[:3]) if f.severity == "warning"]
    assert says(alone, "noise", wilder=False) and cell_of(alone) == cell_of(found[0])
    assert not [f for f in flags("noise", rows, {"scatter": 1.0}) if f.severity == "warning"]


def test_one_run_far_from_repeats_that_agree_is_alone_in_doubt():
    slow = {(2.0, 2), (8.0, 5), (16.0, 3)}
    random = np.random.default_rng(3)
    rows = [
        run(c, 4, r, 1000 * c * (0.5 if (c, r) in slow else 1) * np.exp(random.normal(0, 0.01)))
        for c in (1.0, 2.0, 4.0, 8.0, 16.0) for r in range(1, 6)
    ]  # fmt: skip
    (found,) = [f for f in flags("noise", rows) if f.severity == "warning"]
    assert sorted(found.run_ids) == ["16c-a-t4-r3", "2c-a-t4-r2", "8c-a-t4-r5"]
    assert says(found, "noise-left-out", n=3, total=25) and found.effect == pytest.approx(-0.5, abs=0.02)
    sentence = messages.say(found.message)
    assert "2 cores 2 GiB 50:50 4 threads (repeat 2)" in sentence and "which agree" in sentence
    assert "第 2 次" in messages.say(found.message, "zh")
    graded = tables(rows)
    grades = trust.grades(graded.runs, anomalies.find(graded))
    assert set(grades.index[grades == "D"]) == set(found.run_ids)
    # Beside two others as well, but that is no warning.
    (found,) = [f for f in flags("noise", [row for row in rows if row["repeat"] in (1, 2, 3)]) if f.severity != "note"]
    assert sorted(found.run_ids) == ["16c-a-t4-r3", "2c-a-t4-r2"] and found.severity == "notice"
    # That a whole round is slow hides none of them.
    first = [{**row, "goodput_ops_s": row["goodput_ops_s"] * (0.5 if row["repeat"] == 1 else 1)} for row in rows]
    told = [f for f in flags("noise", first) if f.severity == "warning"]
    assert ("2c-a-t4-r2", "8c-a-t4-r5", "16c-a-t4-r3") in [f.run_ids for f in told]


def test_a_run_far_below_its_repeats_is_in_no_mean_and_the_head_says_so():
    random, low = np.random.default_rng(4), {(4.0, 8, 2), (8.0, 4, 1)}
    rows = [
        run(c, n, r, 1000 * c * (0.5 if (c, n, r) in low else 1) * np.exp(random.normal(0, 0.02)))
        for c in (1.0, 2.0, 4.0, 8.0) for n in (4, 8) for r in (1, 2, 3)
    ]  # fmt: skip
    found = tables(rows)
    means = cells(with_utilisation(found.runs, found.operations)).set_index(["cores", "threads"])
    assert means["n"].to_dict() == {key: 2 if key in {(4.0, 8), (8.0, 4)} else 3 for key in means.index}
    assert all(abs(log_y - np.log(1000 * c)) < 0.04 for (c, _), log_y in means["log_y"].items())
    assert growths(with_throughput(found.runs))[0].factor == pytest.approx(2, abs=0.04)
    head = head_of(found)
    said = values_of(head.head, "short-verdict-far-below")
    assert (said["n"], said["total"]) == (2, 24) and said["less"] == pytest.approx(0.5, abs=0.05)
    assert said["only"] is None
    told = [fact for facts in head.facts().values() for fact in facts]
    assert "short-far-below" in keys_in(told) and "short-held-back" not in keys_in(told)


def test_what_a_server_did_in_one_round_alone_is_one_cause():
    random = np.random.default_rng(6)
    rows = [
        run(c, n, r, 1000 * c * (0.6 if (c, r) == (4.0, 2) else 1) * np.exp(random.normal(0, 0.02)))
        for c in (1.0, 2.0, 4.0, 8.0) for n in (4, 8) for r in (1, 2, 3)
    ]  # fmt: skip
    said = values_of(head_of(tables(rows)).head, "short-verdict-far-below")
    assert (said["n"], said["only"].key, said["repeat"]) == (2, "spec-listed", 2)
    assert ", all on 4 cores 4 GiB in repeat 2, did" in messages.say(fact("short-verdict-far-below", **said))


@pytest.mark.parametrize(("low", "noise_sd", "named"), [(0.6, 0.03, True), (0.8, 0.02, False), (0.6, 0.12, False)])
def test_one_low_run_of_three_is_in_doubt_by_the_noise_of_the_other_configurations(low, noise_sd, named):
    """Only where it does a third less than the two others, and these agree: no warning, but nothing to build on."""
    random = np.random.default_rng(2)
    rows = [
        run(c, n, r, 1000 * c * (low if (c, n, r) == (4.0, 8, 2) else 1) * np.exp(random.normal(0, noise_sd)))
        for c in (1.0, 2.0, 4.0, 8.0) for n in (4, 8) for r in (1, 2, 3)
    ]  # fmt: skip
    found = [f for f in flags("noise", rows) if f.severity == "notice"]
    assert [f.run_ids for f in found] == [("4c-a-t8-r2",)] * named
    graded = tables(rows)
    grades = trust.grades(graded.runs, anomalies.find(graded))
    assert list(grades.index[grades == "D"]) == ["4c-a-t8-r2"] * named


@pytest.mark.parametrize("sd", [0.03, 0.15, 0.3])
def test_noise_alone_leaves_out_hardly_any_run(sd):
    """Of three runs two agree by chance in a quarter of all cells: that is no sign that the third is wrong."""
    random, left_out = np.random.default_rng(8), 0
    for _ in range(40):
        rows = [run(1.0 + i, 4, r, 1000.0 * np.exp(random.normal(0, sd))) for i in range(24) for r in (1, 2, 3)]
        found = with_throughput(tables(rows).runs)
        left_out += len(rows) - len(found)
    assert left_out <= 1


def test_a_few_configurations_suffice():
    rows = [run(c, 4, r, 1000 * c * (1 + 0.001 * r)) for c in (1.0, 2.0, 4.0) for r in (1, 2, 3)]
    rows[0]["goodput_ops_s"] = 1500.0
    (one, _) = sorted(flags("noise", rows), key=lambda f: f.severity, reverse=True)
    assert (one.severity, cell_of(one)[0]) == ("warning", 1)


def test_clean_sweeps_hardly_ever_warn():
    """The budget is 0.05 % of sweeps: of 1,000, four warned about have a probability of 0.2 %."""
    rng = np.random.default_rng(4)
    shape = pd.DataFrame([run(1.0 + i, 4) for i in range(36)])[["spec", "cores", "ram_gib", "workload", "threads",
                                                               "read_fraction", "dataset"]]  # fmt: skip
    cells = shape.assign(vendor="", n=3, df=2.0, run_ids=[("r",)] * 36)
    found = [
        list(_wild(cells.assign(variance=rng.chisquare(2, 36) / 2), {"times": 3.0, "scatter": np.inf}, ""))
        for _ in range(1000)
    ]
    assert sum(any(f.severity == "warning" for f in one) for one in found) <= 3
    assert 2 <= sum(bool(one) for one in found) <= 30


def test_noise_that_grows_with_the_cores_is_told_with_them():
    rng = np.random.default_rng(2)
    cores, rounds = (2.0, 4.0, 8.0, 16.0, 32.0), range(1, 5)
    grows, level = (
        [run(c, t, r, 1000 * c * np.exp(rng.normal(0, sd(c)))) for r in rounds for c in cores for t in (4, 16)]
        for sd in (lambda c: 0.005 * c**0.9, lambda _: 0.03)
    )
    (power,) = (f for f in flags("noise", grows) if says(f, "noise-power"))
    said = power.message.values
    assert (said["few"], said["many"]) == (2, 32) and said["many_sd"] > 4 * said["few_sd"]
    (power,) = (f for f in flags("noise", level) if says(f, "noise-power"))
    assert says(power, few=None, many=None)
