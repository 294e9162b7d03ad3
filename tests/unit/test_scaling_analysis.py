"""A whole runs table: every group appears, curves can be drawn, elasticities say what they compare."""

import closed_loops
import numpy as np
import pandas as pd
import pytest
import scaling_sweeps as sweeps
from facts_in import holds, keys_in
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import paths, scaling
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.own_data import of_frame
from ycsbook.ingest.published.published import read_published
from ycsbook.messages import facts_of
from ycsbook.scaling import analyse, marginals
from ycsbook.scaling.points import OWN_THREADS
from ycsbook.scaling.steps import elasticities
from ycsbook.tables import empty, from_rows

QUOTAS = (0.25, 0.5, 0.75, 1.0)


def sweep(*, exponent=0.95, noise=0.02, repeats=3, workloads=("a", "b"), threads=(4, 16), cores=QUOTAS):
    rng = np.random.default_rng(7)
    rows = [
        {
            "run_id": f"{c}-{w}-{t}-{r}", "dataset": "local", "spec": f"{c}c", "cores": c, "ram_gib": c, "workload": w,
            "threads": float(t), "repeat": float(r), "phase": "run", "outcome": "completed",
            "cpu_utilisation": 0.99, "steady_ops_s": 9000 * c**exponent * np.exp(rng.normal(0, noise)),
        }
        for c in cores for w in workloads for t in threads for r in range(1, repeats + 1)
    ]  # fmt: skip
    return from_rows(rows, "runs")


@pytest.fixture(scope="module")
def analysis():
    return analyse(sweep())


def test_every_group_is_analysed_and_has_the_schemas(analysis):
    assert set(analysis.choices["group"]) == {"a, 4 threads", "a, 16 threads", "b, 4 threads", "b, 16 threads"}
    assert (analysis.choices["law"] == "power").all()
    for name, frame in analysis.tables().items():
        assert tuple(frame.columns) == SCHEMAS[name]
    glance = analysis.glance
    assert len(glance) == 4 * len(scaling.LAWS)
    assert (glance["n_runs"] == 12).all()
    assert (glance["n_obs"] == 4).all()
    assert (glance.loc[glance["law"] == "power", "verdict_key"] == "claimed").all()
    assert (glance.loc[glance["law"] != "power", "verdict_key"] == "shown").all()
    power = analysis.tidy[analysis.tidy["term"] == "exponent"]
    assert len(power) == 4
    assert power["estimate"].to_numpy() == pytest.approx([0.95] * 4, abs=0.05)


def test_curves_reach_twice_the_range_and_say_so(analysis):
    curves = analysis.curves
    power = curves[(curves["law"] == "power") & (curves["group"] == "a, 4 threads")]
    assert (power["cores"].min(), power["cores"].max()) == (0.25, pytest.approx(2.0))
    assert (power["extrapolated"] == (power["cores"] > 1.0)).all()
    assert set(QUOTAS) <= set(power["cores"])
    assert (power["conf_low"] < power["fitted"]).all()
    assert (power["fitted"] < power["conf_high"]).all()


def test_groups_that_cannot_be_fitted_do_not_vanish():
    runs = sweep(threads=(4,))
    runs = runs[(runs["workload"] == "a") | (runs["cores"] == 1.0)]
    glance = analyse(runs).glance
    refused = glance[glance["workload"] == "b"]
    assert len(refused) == len(scaling.LAWS)
    assert (refused["verdict_key"] == "refused").all()
    assert (refused["n_specs"] == 1).all()


def test_only_finished_run_phases_count():
    runs = sweep(threads=(4,), workloads=("a",))
    worse = runs.head(4).assign(steady_ops_s=1.0)
    odd = [worse.assign(phase="load"), worse.assign(outcome="failed"), worse.assign(steady_ops_s=np.nan)]
    pd.testing.assert_frame_equal(analyse(pd.concat([runs, *odd], ignore_index=True)).tidy, analyse(runs).tidy)


def test_datasets_are_not_mixed():
    both = pd.concat([sweep(threads=(4,)), sweep(threads=(4,)).assign(dataset="other")], ignore_index=True)
    groups = set(analyse(both).choices["group"])
    assert groups == {f"{d}: {w}, 4 threads" for d in ("local", "other") for w in "ab"}


def test_a_table_without_runs_gives_empty_frames():
    for name, frame in analyse(empty("runs")).tables().items():
        assert frame.empty
        assert tuple(frame.columns) == SCHEMAS[name]


def test_unknown_threads_are_a_group_of_their_own():
    analysis = analyse(sweep(threads=(4,), workloads=("a",)).assign(threads=np.nan))
    assert analysis.choices["group"].tolist() == ["a, threads unknown"]


def test_elasticities_of_a_power_law():
    steps = elasticities(marginals(sweep(noise=0.0, threads=(4,), workloads=("a",)), label="a"))
    assert steps["elasticity"].to_numpy() == pytest.approx([0.95] * 3)
    assert steps["gain"].to_numpy() == pytest.approx([2**0.95, 1.5**0.95, (4 / 3) ** 0.95])
    assert steps["basis_key"].tolist() == ["step-one-each"] * 3


def test_elasticities_have_an_interval_only_with_repeats():
    with_repeats = elasticities(marginals(sweep(threads=(4,), workloads=("a",))))
    assert ((with_repeats["conf_low"] < 0.95) & (with_repeats["conf_high"] > 0.95)).all()
    single = elasticities(marginals(sweep(repeats=1, threads=(4,), workloads=("a",))))
    assert single[["conf_low", "conf_high"]].isna().all(axis=None)


def test_elasticities_compare_equal_ram_where_there_is_any():
    rows = [(2, 4, 100.0), (2, 8, 110.0), (4, 8, 220.0), (4, 16, 300.0), (8, 64, 400.0)]
    points = pd.DataFrame(rows, columns=["cores", "ram_gib", "goodput_ops_s"]).assign(spec=list("vwxyz"))
    steps = elasticities(marginals(points))
    assert steps["basis_key"].tolist() == ["step-equal-ram", "step-all-specs"]
    assert '"sizes": ["8"]' in steps["basis_values"].iloc[0]
    assert steps["gain"].to_numpy() == pytest.approx([2.0, 400 / np.sqrt(220 * 300)])


@pytest.mark.parametrize("table", ["qingcloud-4.0.3", "tencent-2020-08"])
def test_published_tables_are_analysed_without_claiming_crosstalk(table):
    published = read_published(paths.PUBLISHED / f"{table}.csv")
    analysis = sweeps.vendors_analysis(table)
    assert len(analysis.choices) == 4
    usl = analysis.glance[analysis.glance["law"] == "usl"]
    assert len(usl) == 4
    assert (usl["verdict_key"] != "claimed").all()
    glance = analysis.glance
    assert (glance["n_obs"] + glance["n_left_out"] == len(published.runs) / 4).all()
    fitted = glance[glance["verdict_key"] != "refused"]
    assert analysis.augment.groupby(["group", "law"]).size().tolist() == (
        fitted.set_index(["group", "law"])["n_obs"].sort_index().tolist()
    )
    assert len(analysis.limits) == len(published.runs)


def test_laws_over_threads_at_one_spec():
    threads = (1, 2, 4, 8, 16, 32, 64, 128)
    runs = closed_loops.runs((4, 16), threads, noise=0.002)
    analysis = analyse(runs)
    assert set(analysis.threads["group"]) == {"a, 4c", "a, 16c"}
    assert set(analysis.threads["spec"]) == {"4c", "16c"}
    assert (analysis.threads["n_obs"] == len(threads)).all()
    # Three thread counts are no curve.
    assert analyse(runs[runs["threads"] <= 4]).threads.empty


def test_rows_that_cannot_be_right_are_left_out_and_counted():
    runs = closed_loops.runs((2, 4, 8, 16, 32), (100, 200), noise=0.01)
    odd = (runs["cores"] == 8) & (runs["threads"] == 200)
    broken = runs.assign(throughput_ops_s=runs["throughput_ops_s"].where(~odd, 5 * runs["throughput_ops_s"]))
    analysis = analyse(broken)
    assert (analysis.limits.loc[analysis.limits["cores"] == 8, "limit_kind"] == "inconsistent").all()
    assert (analysis.glance["n_left_out"] == 1).all()
    assert 8 not in set(analysis.augment["cores"])
    for steps in (analysis.elasticities, analysis.marginals):
        assert 8 not in {*steps["cores_from"], *steps["cores_to"]}
    assert set(analysis.marginals.query("cores_from == 4")["cores_to"]) == {16}


def test_steps_between_lower_bounds_are_of_so_many_threads():
    analysis = analyse(closed_loops.runs((1, 2, 4, 8, 16, 32), (4, 100, 1000), noise=0))
    steps = facts_of(analysis.marginals, "sentence")
    step = {"threads": 100, "paid": 2, "shown": True, "low": None}
    assert holds(steps, "step-cores", **step | {"from": 16, "to": 32, "aside": "both", "gain": 1})
    kinds = analysis.limits.set_index(["threads", "cores"])["limit_kind"]
    assert (kinds[100, 1], kinds[100, 2], kinds[100, 32]) == ("server", "server", "concurrency")
    assert holds(steps, "step-cores", **step | {"from": 1, "to": 2, "aside": "ram", "gain": 2})


def test_new_runs_scatter_more_than_the_mean_and_beyond_the_range_the_usl_tells():
    runs = closed_loops.runs((1, 2, 4, 6, 8, 12, 16), (4, 8, 1000, 2000), noise=0.02, sigma=0.02)
    curves = analyse(runs).curves
    chosen = curves[(curves["threads"] == 2000) & curves["interval_law"].ne("")]
    assert not chosen.empty
    assert (chosen["run_low"] <= chosen["conf_low"]).all()
    assert (chosen["conf_high"] <= chosen["run_high"]).all()
    assert (chosen.loc[chosen["extrapolated"], "interval_law"] == "usl").all()
    beyond = chosen[chosen["extrapolated"]]
    assert beyond.groupby("cores")[["conf_low", "conf_high"]].nunique().max().max() == 1


def test_the_order_of_rows_and_the_unit_change_nothing():
    runs = closed_loops.runs((1, 2, 4, 8, 16, 32), (100, 200), seed=5)
    shuffled = runs.sample(frac=1, random_state=1)
    one, other = analyse(runs), analyse(shuffled.assign(throughput_ops_s=10 * shuffled["throughput_ops_s"]))
    assert one.choices[["group", "law"]].equals(other.choices[["group", "law"]])
    assert one.glance["residual_se"].to_numpy() == pytest.approx(
        other.glance["residual_se"].to_numpy(), rel=1e-5, nan_ok=True
    )


def test_the_scatter_is_told_beside_every_fit():
    glance = sweeps.vendors_analysis("qingcloud-4.0.3").glance
    fitted = glance[glance["residual_se"].notna()]
    assert (fitted["scatter_key"] == "law-scatter").all()


@settings(max_examples=6, deadline=None)
@given(
    exponent=st.floats(-4, 0), noise=st.sampled_from([0.0, 0.01, 0.1, 0.5]), seed=st.integers(0, 1000),
    first=st.sampled_from([0.25, 1.0, 4.0]), n=st.integers(1, 8),
)  # fmt: skip
def test_throughput_that_falls_with_the_cores_is_analysed_like_any_other(exponent, noise, seed, first, n):
    cores = first * 2.0 ** np.arange(n)
    falls = 1e4 * cores**exponent * np.exp(np.random.default_rng(seed).normal(0, noise, n))
    runs = pd.DataFrame({"spec": [f"{c:g}c" for c in cores], "cores": cores, "goodput_ops_s": falls})
    rows = runs.assign(run_id=runs["spec"], workload="a", threads=64.0, phase="run", outcome="completed")
    analysis = analyse(from_rows(rows.to_dict("records"), "runs"))
    assert analysis.choices["group"].tolist() == ["a, 64 threads"]
    assert (analysis.glance["verdict_key"] != "").all()


def at_own_threads(threads_of, cores=(2, 4, 8, 16, 32), exponent=1.0):
    found = sweep(exponent=exponent, repeats=1, workloads=("a",), threads=(1,), cores=cores)
    return found.assign(threads=found["cores"].map(threads_of), cpu_utilisation=np.nan)


def test_each_spec_at_its_own_threads_is_one_series():
    analysis = analyse(at_own_threads(lambda cores: 16 * cores))
    assert analysis.choices[["group", "verdict_key"]].to_numpy().tolist() == [["a, own threads", "claimed"]]
    assert holds(analysis.series.values(), "series-threads", threads=OWN_THREADS)
    assert analysis.choices["threads"].isna().all() and len(analysis.marginals) == 4
    # What several core counts share is a series, and so is a ladder of threads.
    shared = analyse(at_own_threads(lambda cores: 100.0))
    assert shared.choices["group"].tolist() == ["a, 100 threads"]


def test_own_threads_that_fall_behind_the_cores_may_bend_the_curve():
    """Twice the threads for four times the cores: their ceiling bends what they can do."""
    runs = at_own_threads(lambda cores: 64 * cores**0.5, cores=(1, 2, 4, 8, 16, 32))
    cores = runs["cores"]
    bent = runs.assign(steady_ops_s=runs["steady_ops_s"] / (1 + 0.1 * (cores - 1)))
    assert "law-ceiling" in keys_in(facts_of(analyse(bent).glance.query("law == 'amdahl'"), "verdict")[0])
    wide = bent.assign(threads=64 * cores)
    assert "claimed" in keys_in(facts_of(analyse(wide).glance.query("law == 'amdahl'"), "verdict")[0])


def test_a_law_is_not_claimed_over_points_that_nobody_can_explain():
    """Servers that peak at 16 of 32 cores: the last are like those whose pool is the limit, so that the first alone are
    known to be the servers' own, and a law through them promises twice what was measured."""
    falling = {1: 9e3, 2: 17.5e3, 4: 34e3, 8: 56e3, 16: 62e3, 32: 55e3}
    frame = pd.DataFrame(
        [(p, n, x * (1 + 0.01 * (-1) ** r), r) for p, x in falling.items() for n in (100, 200) for r in (1, 2, 3)],
        columns=["cores", "threads", "qps", "repeat"],
    )
    frame["ram_gib"] = 4 * frame["cores"]
    choices = analyse(of_frame(frame).runs).choices
    reasons = list(map(keys_in, facts_of(choices, "verdict")))
    assert len(reasons) == 2 and all("law-undercut" in keys for keys in reasons)
    growing = frame.assign(qps=9e3 * frame["cores"] ** 0.9)
    assert set(analyse(of_frame(growing).runs).choices["verdict_key"]) == {"claimed"}
