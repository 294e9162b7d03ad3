"""What limits each point: both vendors' tables by count and by name, and each branch of the rule alone."""

import numpy as np
import pandas as pd
import pytest
from facts_in import holds, keys_in
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.published import read_published
from ycsbook.messages import fact_of, facts_of
from ycsbook.scaling.analysis import analyse
from ycsbook.scaling.limits import LEFT_OUT, flat_sweeps, limits, shared_ceilings
from ycsbook.tables import Tables, concat, from_rows

QING, TENCENT = "qingcloud-4.0.3", "tencent-2020-08"
COUNTS = {
    QING: {"server": 26, "concurrency": 9, "suspect": 6, "undecided": 31},
    TENCENT: {
        "server": 3, "contradiction": 4, "inconsistent": 4, "suspect": 1, "undecided": 14,
        "retrograde": 6,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def tables():
    return {name: read_published(paths.PUBLISHED / f"{name}.csv") for name in COUNTS}


@pytest.fixture(scope="module")
def found(tables):
    return {name: limits(part.runs, part.operations) for name, part in tables.items()}


def named(found, kind):
    rows = found[found["limit_kind"] == kind]
    return {f"{r.workload} {r.spec}@{r.threads:g}" for r in rows.itertuples()}


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_on_the_vendors_tables(found, name):
    assert found[name]["limit_kind"].value_counts().to_dict() == COUNTS[name]
    assert tuple(found[name].columns) == SCHEMAS["limits"]


def test_the_retrograde_points(found):
    assert found[QING]["retrograde"].sum() == 0
    assert found[TENCENT]["retrograde"].sum() == 12
    assert not found[TENCENT].loc[found[TENCENT]["retrograde"], "limit_kind"].isin(LEFT_OUT).any()


def test_which_points_they_are(found):
    # Its CPU column reads 100 % where more threads do more, so that it decides nothing; 48 cores at 100 threads are no
    # faster than 24, but would be with more threads; and above 24 cores no spec is twice as large.
    assert {"b 24c64g@100", "b 24c128g@100", "a 48c512g@100", "b 48c512g@100", "b 48c512g@200"} <= named(
        found[TENCENT], "undecided"
    )
    lost = {"a 24c64g", "a 24c128g", "a 48c512g", "b 12c32g", "b 24c64g", "b 24c128g"}
    assert named(found[TENCENT], "retrograde") == {f"{name}@200" for name in lost}
    assert named(found[TENCENT], "suspect") == {"a 32c240g@200"}
    assert named(found[TENCENT], "contradiction") == {"a 2c4g@100", "a 4c8g@100", "a 12c32g@100", "b 4c8g@100"}
    assert {s.split("@")[0] for s in named(found[TENCENT], "inconsistent")} == {"b 2c4g", "b 6c16g"}
    suspects = {"a 8c64g@100", "a 16c16g@100", "a 16c32g@100", "b 8c64g@200", "b 16c32g@200", "b 16c128g@100"}
    assert named(found[QING], "suspect") == suspects
    bound = {"a 8c8g", "a 8c16g", "a 32c64g", "a 32c256g", "b 16c16g", "b 16c64g", "b 32c64g", "b 32c128g", "b 32c256g"}
    assert named(found[QING], "concurrency") == {f"{s}@100" for s in bound}


def test_the_closest_calls_are_not_rounded(found):
    by_name = {f"{r['workload']} {r['spec']}@{r['threads']:g}": r for r in found[QING].to_dict("records")}
    assert by_name["a 2c16g@100"]["ratio"] == pytest.approx(1.09967, abs=5e-6)
    assert by_name["a 2c16g@100"]["limit_kind"] == "server"
    assert by_name["a 16c128g@100"]["ratio"] == pytest.approx(1.10727, abs=5e-6)
    assert by_name["a 16c128g@100"]["limit_kind"] == "undecided"
    of_bigger = (fact_of(by_name[name], "reason").values["best"] for name in ("a 16c64g@100", "b 8c8g@100"))
    assert [round(ratio, 2) for ratio in of_bigger] == [1.15, 1.17]


def test_the_reasons_say_what_decided(found):
    why = {
        name: {f"{r['workload']} {r['spec']}@{r['threads']:g}": fact_of(r, "reason") for r in part.to_dict("records")}
        for name, part in found.items()
    }
    assert holds(why[QING]["a 16c16g@100"], "limit-little", utilisation=1.36821)
    assert why[QING]["a 16c16g@200"].key == why[TENCENT]["a 32c240g@100"].key == "limit-partner"
    for reason in facts_of(found[QING][found[QING]["limit_kind"] == "suspect"], "reason"):
        assert reason.key == "limit-little" and 1.05 < reason.values["utilisation"] < 2
    for row in found[TENCENT][found[TENCENT]["retrograde"]].to_dict("records"):
        falls = fact_of(row, "reason")
        assert falls.key == "limit-fallen" or holds(falls, falls.key, falls=True)
        assert holds(falls, falls.key, threads_from=100, threads_to=200, ratio=row["ratio"])
        assert (row["limit_kind"] == "retrograde") == (row["threads"] == 200)
    undecided = pd.concat([part[part["limit_kind"] == "undecided"] for part in found.values()])
    assert undecided["reason_key"].value_counts().to_dict() == {
        "limit-between": 9, "limit-bigger-between": 2, "limit-bigger-held": 2, "limit-no-bigger": 3,
        "limit-partner": 7, "limit-top": 22,
    }  # fmt: skip


def test_reasons_give_intervals_and_the_pair_where_they_are_known():
    table = measured([(2, 100, 1000, 0.99), (2, 200, 900, 0.99)], repeats=3, noise=0.01)
    for reason in facts_of(limits(table.runs, table.operations), "reason"):
        assert holds(reason, "limit-full-pair", cpu=0.99, threads_from=100, threads_to=200, falls=True)
        assert 0 < reason.values["low"] < reason.values["ratio"] < reason.values["high"] < 1
    alone = measured([(2, 100, 1000, 1.0)])
    (full,) = facts_of(limits(alone.runs, alone.operations), "reason")
    assert holds(full, "limit-full", cpu=1)
    (broken,) = facts_of(limits(alone.runs, alone.operations.assign(mean_us=1.2e5)), "reason")
    assert holds(broken, "limit-little", utilisation=1.2)


def test_measured_is_what_the_server_limited(found):
    for part in found.values():
        assert (part["measured"] == (part["limit_kind"] == "server")).all()
        assert part["reason_key"].ne("").all()
        assert part["observed"].gt(0).all()
        assert (part["y"] == "throughput_ops_s").all()
        # The highest thread count is never called concurrency-bound.
        assert set(part.loc[part["limit_kind"] == "concurrency", "threads"]) <= {100}


def test_both_tables_together_say_the_same(tables, found):
    both = concat(list(tables.values()))
    together = limits(both.runs, both.operations)
    for name, part in found.items():
        own = together[together["dataset"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, part)


def test_without_latencies_nothing_is_suspect(tables):
    alone = limits(tables[TENCENT].runs)
    assert "suspect" not in set(alone["limit_kind"])
    assert alone["utilisation"].isna().all()


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(1e-3, 1e3))
def test_order_and_unit_of_throughput_change_nothing(seed, scale):
    table = read_published(paths.PUBLISHED / f"{TENCENT}.csv")
    # X R / N keeps its value when all latencies shrink as the throughput grows.
    runs = table.runs.sample(frac=1, random_state=seed)
    runs = runs.assign(throughput_ops_s=runs["throughput_ops_s"] * scale, goodput_ops_s=np.nan)
    operations = table.operations.sample(frac=1, random_state=seed)
    operations = operations.assign(mean_us=operations["mean_us"] / scale)
    assert limits(runs, operations)["limit_kind"].value_counts().to_dict() == COUNTS[TENCENT]


def measured(points, *, repeats=1, noise=0.0, seed=1):
    """Runs from (spec cores, threads, throughput, cpu) with lognormal noise; Little's law holds by the latencies."""
    rng = np.random.default_rng(seed)
    runs, operations = [], []
    for cores, threads, y, cpu in points:
        for repeat in range(1, repeats + 1):
            run_id, x = f"{cores}c-t{threads}-r{repeat}", y * np.exp(rng.normal(0, noise) if noise else 0)
            runs.append({
                "run_id": run_id, "dataset": "d", "spec": f"{cores}c", "cores": cores, "ram_gib": 4 * cores,
                "workload": "a", "read_fraction": 0.5, "threads": threads, "phase": "run", "outcome": "completed",
                "throughput_ops_s": x, "cpu_utilisation": cpu, "repeat": repeat,
            })  # fmt: skip
            operations += [
                {"run_id": run_id, "operation": o, "mean_us": 0.97e6 * threads / x} for o in ("READ", "UPDATE")
            ]
    return Tables(runs=from_rows(runs, "runs"), operations=from_rows(operations, "operations"))


def kinds(points, **how):
    table = measured(points, **how)
    judged = limits(table.runs, table.operations)
    return {(r.spec, r.threads): (r.limit_kind, r.retrograde) for r in judged.itertuples()}


NAN = float("nan")
# A pair that rises elsewhere in the table, so that flat pairs prove something.
RISER = [(64, 100, 10_000, NAN), (64, 200, 19_000, NAN)]
CASES = {
    "rising": ([(2, 100, 1000, NAN), (2, 200, 1300, NAN)], "concurrency", "undecided"),
    "rising though full": ([(2, 100, 1000, 0.97), (2, 200, 1300, 0.97)], "contradiction", "server"),
    "growing while free": ([(2, 100, 1000, 0.6), (2, 200, 1200, 0.8)], "concurrency", "undecided"),
    "growing": ([(2, 100, 1000, NAN), (2, 200, 1200, NAN)], "undecided", "undecided"),
    "more than the threads": ([(2, 100, 1000, NAN), (2, 200, 2600, NAN)], "inconsistent", "inconsistent"),
    "little more than the threads, which is noise": (
        [(2, 100, 1000, NAN), (2, 200, 2100, NAN)],
        "concurrency",
        "undecided",
    ),
    "flat and full": ([(2, 100, 1000, 1.0), (2, 200, 1050, 1.0)], "server", "server"),
    "flat and free": ([(60, 100, 1000, 0.5), (60, 200, 1050, 0.8)], "elsewhere", "elsewhere"),
    "flat and free, a bigger one is faster": ([(2, 100, 1000, 0.5), (2, 200, 1050, 0.8)], "server", "server"),
    "flat and between": ([(60, 100, 1000, 0.92), (60, 200, 1050, 0.94)], "undecided", "undecided"),
    "flat, a bigger one is faster": ([(2, 100, 1000, NAN), (2, 200, 1050, NAN)], "server", "server"),
    "flat, a bigger one is not": (
        [(2, 100, 9800, NAN), (2, 200, 9900, NAN), (4, 100, 10_100, NAN), (4, 200, 10_200, NAN)],
        "elsewhere",
        "server",
    ),
    "flat, a bigger one is not but would be": ([(2, 100, 9800, NAN), (2, 200, 9900, NAN)], "undecided", "server"),
    "flat, none is bigger": ([(60, 100, 5000, NAN), (60, 200, 5100, NAN)], "undecided", "undecided"),
    "full decides a middling pair": ([(2, 100, 1000, 0.99), (2, 200, 1200, 0.99)], "server", "server"),
    "one thread count": ([(2, 100, 1000, NAN)], "single", None),
    "one thread count, full": ([(2, 100, 1000, 1.0)], "server", None),
}


@pytest.mark.parametrize("name", CASES)
def test_each_branch(name):
    points, low, high = CASES[name]
    found = kinds(points + RISER)
    spec = f"{points[0][0]}c"
    assert found[spec, 100][0] == low
    assert found.get((spec, 200), (None,))[0] == high


def test_a_server_that_is_the_limit_with_idle_cores_is_told_so():
    flat, idle = [(2, 100, 1000, 0.5), (2, 200, 1050, 0.8)], {True: "limit-bigger-idle", False: "limit-bigger-much"}
    for is_idle, key in idle.items():
        points = flat if is_idle else [(*point[:3], NAN) for point in flat]
        table = measured(points + RISER)
        (low, _) = facts_of(limits(table.runs, table.operations).query("spec == '2c'"), "reason")
        assert low.key == key and low.values.get("cpu") == (0.5 if is_idle else None)


def test_retrograde_is_what_was_measured_whatever_the_limit():
    falling = [(2, 100, 1000, NAN), (2, 200, 805, NAN)]
    assert kinds(falling + RISER)["2c", 200] == ("server", True)
    assert kinds([(60, 100, 1000, 0.5), (60, 200, 805, 0.5), *RISER])["60c", 200] == ("elsewhere", True)
    # What single runs may lose by noise is not called slower.
    assert kinds([(2, 100, 1000, NAN), (2, 200, 820, NAN), *RISER])["2c", 200] == ("server", False)


def test_flat_pairs_prove_nothing_where_no_pair_rises():
    flat = [(2, 100, 1000, NAN), (2, 200, 1010, NAN), (8, 100, 1400, NAN), (8, 200, 1410, NAN)]
    assert {kind for kind, _ in kinds(flat).values()} == {"undecided"}
    # A pair that gains more than its threads is no proof that threads can help either.
    odd = [(9, 100, 1000, NAN), (9, 200, 2500, NAN)]
    assert kinds(flat + odd)["2c", 100][0] == "undecided"
    # Four times the threads that do 1.5 times as much are: the pool is larger than the fewer threads.
    wide = [(2, 64, 1000, NAN), (2, 256, 1010, NAN), (16, 64, 1400, NAN)]
    assert kinds([*wide, (16, 256, 1700, NAN)])["2c", 64][0] == "undecided"
    assert kinds([*wide, (16, 256, 2100, NAN)])["2c", 64][0] == "server"
    # A server with four times the cores that does half as much again is one, whatever the pool.
    assert kinds([*flat[:2], (8, 100, 1600, NAN), (8, 200, 1610, NAN)])["2c", 100][0] == "server"
    # The CPU needs no pair.
    assert kinds([(2, 100, 1000, 0.99), (2, 200, 1010, 0.99)])["2c", 100][0] == "server"


def test_a_pool_that_is_known_decides_what_flat_pairs_show():
    flat = [(2, 100, 1000, NAN), (2, 200, 1010, NAN), (8, 100, 1200, NAN), (8, 200, 1210, NAN)]
    table = measured(flat)
    small = limits(table.runs.assign(pool_size=100.0), table.operations)
    assert set(small["limit_kind"]) == {"concurrency"}
    assert all(holds(reason, "limit-pool", pool=100) for reason in facts_of(small, "reason"))
    # Wide enough, it is not the limit: a spec with four times the cores is hardly faster, so that it is elsewhere.
    wide = limits(table.runs.assign(pool_size=200.0), table.operations).set_index("spec")["limit_kind"]
    assert set(wide["2c"]) == {"undecided"} and set(wide["8c"]) == {"undecided"}
    small_spec = facts_of(limits(table.runs.assign(pool_size=200.0)).query("spec == '2c'"), "reason")
    assert all(holds(reason, "limit-bigger-between", best=1.198) for reason in small_spec)


def test_a_cpu_column_that_pairs_refute_decides_nothing():
    full = [(2, 100, 1000, 1.0), (2, 200, 1050, 1.0)]
    refuted = [(c, n, c * y, 1.0) for c in (3, 3.5) for n, y in ((100, 400), (200, 600))]
    assert kinds(full + refuted[:2])["2c", 100][0] == "server"
    found = kinds(full + refuted)
    assert found["2c", 100][0] == "undecided" and found["3c", 100][0] == "contradiction"


def test_measured_and_published_rows_are_judged_apart():
    table = measured([(2, 100, 1000, NAN), (2, 200, 1010, NAN), (8, 100, 1400, NAN), (8, 200, 1410, NAN), *RISER])
    runs = table.runs.assign(outcome=np.where(table.runs["cores"] == 64, "published", "completed"))
    judged = limits(runs, table.operations)
    assert set(judged.loc[judged["outcome"] == "completed", "limit_kind"]) == {"undecided"}


def test_thresholds_grow_with_the_step_in_threads():
    # From 4 to 16 threads are two octaves: a gain of 1.5 is less than 1.25 twice, 1.2 less than 1.10 twice.
    riser = [(64, 4, 10_000, NAN), (64, 16, 30_000, NAN)]
    assert kinds([(2, 4, 1000, NAN), (2, 16, 1500, NAN), *riser])["2c", 4][0] == "undecided"
    assert kinds([(2, 4, 1000, NAN), (2, 16, 1600, NAN), *riser])["2c", 4][0] == "concurrency"
    assert kinds([(2, 4, 1000, NAN), (2, 16, 1200, NAN), *riser])["2c", 4][0] == "server"
    assert kinds([(2, 4, 1000, NAN), (2, 16, 3900, NAN), *riser])["2c", 4][0] == "concurrency"
    assert kinds([(2, 4, 1000, NAN), (2, 16, 5000, NAN), *riser])["2c", 4][0] == "inconsistent"


def test_on_a_ladder_each_point_is_judged_by_the_step_above_it():
    ladder = [(8, 50, 1000, NAN), (8, 100, 1800, NAN), (8, 200, 1850, NAN)]
    bigger = [(64, n, y, NAN) for n, y in ((50, 2000), (100, 3900), (200, 7500))]
    found = kinds(ladder + bigger)
    assert [found["8c", n][0] for n in (50, 100, 200)] == ["concurrency", "server", "server"]
    # What a point gains too much from below is wrong as well, whatever lies above it.
    spoiled = [(8, 50, 700, NAN), (8, 100, 1800, NAN), (8, 200, 1850, NAN)]
    assert [kinds(spoiled + bigger)["8c", n][0] for n in (50, 100, 200)] == ["inconsistent", "inconsistent", "server"]


def test_a_broken_row_is_suspect_alone_and_in_no_pair():
    table = measured([(2, 100, 1000, NAN), (2, 200, 1010, NAN), (4, 100, 1900, NAN), *RISER])
    broken = table.operations["run_id"].isin(["2c-t100-r1", "4c-t100-r1"])
    operations = table.operations.assign(mean_us=table.operations["mean_us"] * np.where(broken, 1.09, 1.0))
    judged = limits(table.runs, operations).set_index(["spec", "threads"])["limit_kind"]
    assert judged["2c", 100] == judged["4c", 100] == "suspect" and judged["2c", 200] == "undecided"
    assert set(LEFT_OUT) == {"suspect", "inconsistent"}
    # Between two sound rows it is passed over: from 100 to 400 threads are two octaves.
    ladder = measured([(2, 100, 1000, NAN), (2, 200, 9000, NAN), (2, 400, 1900, NAN)])
    of_200 = ladder.operations["run_id"] == "2c-t200-r1"
    mean_us = ladder.operations["mean_us"].where(~of_200, 1.2 * ladder.operations["mean_us"])
    rungs = limits(ladder.runs, ladder.operations.assign(mean_us=mean_us)).set_index("threads")
    assert rungs["limit_kind"].to_dict() == {100: "concurrency", 200: "suspect", 400: "undecided"}
    assert holds(fact_of(rungs.loc[100], "reason"), "limit-rises", threads_from=100, threads_to=400, ratio=1.9)
    # 1.05 itself is still explained by means of unequal repeats.
    mild = table.operations.assign(mean_us=table.operations["mean_us"] * np.where(broken, 1.049 / 0.97, 1.0))
    assert "suspect" not in set(limits(table.runs, mild)["limit_kind"])


def test_with_repeats_intervals_decide():
    # A gain of 30 % on repeats that scatter by 20 % is not shown; on repeats that scatter by 1 % it is.
    rising = [(2, 100, 1000, NAN), (2, 200, 1300, NAN)]
    assert kinds(rising + RISER, repeats=3, noise=0.2)["2c", 100][0] == "undecided"
    assert kinds(rising + RISER, repeats=3, noise=0.01)["2c", 100][0] == "concurrency"
    # A fall of 4 % is retrograde where its interval excludes 0.
    falling = [(2, 100, 1000, NAN), (2, 200, 960, NAN)]
    assert kinds(falling + RISER, repeats=5, noise=0.005)["2c", 200] == ("server", True)
    assert kinds(falling + RISER)["2c", 200] == ("server", False)
    judged = limits(measured(falling + RISER, repeats=5, noise=0.005).runs)
    assert judged[["conf_low", "conf_high"]].notna().all(axis=None)


def test_repeats_that_agree_are_as_good_as_certain():
    exact = kinds([(2, 100, 1000, NAN), (2, 200, 1100, NAN), (8, 100, 4000, NAN), *RISER], repeats=2)
    assert exact["2c", 100][0] == "server"


def test_an_empty_table_gives_an_empty_one():
    table = measured([])
    assert limits(table.runs, table.operations).empty
    assert tuple(limits(table.runs).columns) == SCHEMAS["limits"]


def test_rows_without_thread_count_or_figures():
    table = measured([(2, 100, 1000, NAN), (4, 100, 2000, NAN), *RISER])
    runs = table.runs.assign(threads=table.runs["threads"].where(table.runs["cores"] != 2))
    runs = runs.assign(throughput_ops_s=runs["throughput_ops_s"].where(runs["cores"] != 4))
    judged = limits(runs, table.operations).set_index("spec")
    assert judged.loc["2c", "limit_kind"] == "single"
    assert "4c" not in judged.index


def test_a_target_throughput_is_not_the_servers_limit():
    """Two specs that could do 2000 and 8000 ops/s at 4 threads and more, throttled to 1500, then to 5000."""
    free = [(c, n, c * min(n / 4, 1) * 1000, cpu) for c in (2, 8) for n, cpu in ((1, 0.3), (4, 0.97), (8, 0.99))]
    points = [(c, n, min(y, 1500), cpu) for c, n, y, cpu in free]
    unthrottled, table = measured(free), measured(points)
    assert "elsewhere" not in set(limits(unthrottled.runs)["limit_kind"])
    low = limits(table.runs.assign(target_ops_s=1500.0))
    held = low["observed"] > 1499
    assert held.sum() == 5 and (low.loc[held, "limit_kind"] == "elsewhere").all() and not low["measured"].any()
    assert low.loc[held, "reason_key"].eq("limit-throttled").all()
    # A target that the small spec does not reach leaves it as it is, and the larger one is not shown to be full.
    runs = measured([(c, n, min(y, 5000), cpu) for c, n, y, cpu in free]).runs.assign(target_ops_s=5000.0)
    high = limits(runs).set_index(["cores", "threads"])["limit_kind"]
    assert high[2].tolist() == limits(unthrottled.runs).query("cores == 2")["limit_kind"].tolist()
    assert high[8].tolist() == ["concurrency", "elsewhere", "elsewhere"]


def test_no_law_takes_a_target_throughput_for_what_the_server_can_do():
    points = [(c, n, 1500.0, None) for c in (2, 4, 8, 16, 32) for n in (1, 2, 4, 8)]
    table = measured(points)
    held = analyse(table.runs.assign(target_ops_s=1500.0))
    assert len(analyse(table.runs).threads) > 0 and held.threads.empty
    assert all("law-not-the-server" in keys_in(verdict) for verdict in facts_of(held.choices, "verdict"))


@pytest.mark.parametrize(
    ("at_200", "repeats", "noise", "kind"),
    [(600, 1, 0.0, "retrograde"), (850, 1, 0.0, "server"), (700, 3, 0.01, "retrograde"), (700, 3, 0.3, "server")],
)
def test_what_fewer_threads_clearly_surpass_is_no_measure_of_the_server(at_200, repeats, noise, kind):
    table = measured([(2, 100, 1000, 0.99), (2, 200, at_200, 0.99)], repeats=repeats, noise=noise)
    points = limits(table.runs, table.operations).set_index("threads")
    assert points["limit_kind"].to_dict() == {100: "server", 200: kind}
    assert points["measured"].to_dict() == {100: True, 200: kind == "server"}


def test_a_sweep_that_no_cores_change_is_said_to_be_limited_elsewhere():
    def sweep(of, threads=(32, 128)):
        points = [(p, n, of(p, n), NAN) for p in (2, 4, 8, 16) for n in threads]
        table = measured(points, repeats=3, noise=0.02)
        return limits(table.runs, table.operations)

    flat = sweep(lambda p, n: 20_000)
    (several,) = flat_sweeps(flat).values()
    assert holds(several, "limits-flat", times=8, counts=2)
    (alone,) = flat_sweeps(sweep(lambda p, n: 20_000, (64,))).values()
    assert holds(alone, "limits-flat", counts=1)
    # Where threads or cores bring more, something of either is the limit.
    assert not flat_sweeps(sweep(lambda p, n: 200 * n)) and not flat_sweeps(sweep(lambda p, n: 2000 * p))


def shared_at(ceiling, mixes=(1.0, 1.5)):
    """A table of limits of 2 to 32 cores, two mixes and thread counts, none of which does more than `ceiling`."""
    rows = [
        {"dataset": "x", "outcome": "completed", "workload": f"w{i}", "cores": float(cores), "threads": float(threads),
         "limit_kind": "undecided", "reason_key": "limit-top", "observed": min(4000 * cores * mix, ceiling)}
        for cores in (2, 4, 8, 16, 32) for threads in (100, 200) for i, mix in enumerate(mixes)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_mixes_that_differ_and_stop_at_one_throughput_share_what_limits_them():
    (shared,) = shared_ceilings(shared_at(30_000)).values()
    assert shared.values["cores"] == 8 and shared.values["n"] == 2
    assert shared.values["ops"] == pytest.approx(30_000)
    # Each at its own ceiling, growing on, or alike everywhere: nothing is shared but what servers of one size do.
    own = shared_at(30_000)
    own["observed"] *= own["workload"].map({"w0": 1.0, "w1": 1.3})
    assert shared_ceilings(own) == {}
    assert shared_ceilings(shared_at(np.inf)) == shared_ceilings(shared_at(30_000, mixes=(1.0, 1.0))) == {}
    assert shared_ceilings(shared_at(30_000).query("workload == 'w0'")) == {}
    # Two core counts that are no doubling apart are no stretch.
    assert shared_ceilings(shared_at(100_000)) == {}
    # A rate that was asked for is no limit of what they share.
    assert shared_ceilings(shared_at(30_000).assign(reason_key="limit-throttled")) == {}
