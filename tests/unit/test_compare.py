"""Comparing two sets of tables: what is matched, how sure the ratios are, what may be said of all of them."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from command_samples import invoke
from facts_in import facts_in, holds, keys_in
from page_samples import own_table

import ycsbook as yb
from ycsbook import comparing, messages, named_tables, paths
from ycsbook.columns import SCHEMAS
from ycsbook.comparing.verdicts import DEPENDS, HIDDEN, HIGHER, LOWER, NOT_COMPARABLE, NOT_SHOWN, SOME
from ycsbook.errors import StoreError
from ycsbook.facts import fact, from_json
from ycsbook.scaling.points import UnfitError
from ycsbook.store import parquet
from ycsbook.tables import Tables, concat, empty, from_rows

QING, TENCENT = "qingcloud-4.0.3", "tencent-2020-08"
CORES = (2, 4, 8, 16, 32)


@pytest.fixture(scope="module")
def vendors():
    return named_tables.read(QING), named_tables.read(TENCENT)


@pytest.fixture(scope="module")
def compared(vendors):
    return comparing.compare(*vendors)


def sweep(dataset, *, level=1000.0, exponent=0.9, scatter=0.0, noise=0.03, repeats=3, cores=CORES, seed=1, **shared):
    """Runs of one workload on a power law, with scatter between specs and noise between repeats; those of several
    sweeps are made in turn, a round a day."""
    rng = np.random.default_rng(seed)
    rows = []
    for i, p in enumerate(cores):
        spec = level * p**exponent * np.exp(scatter * rng.standard_normal())
        for threads in (100, 200):
            for r in range(1, repeats + 1):
                rows.append({
                    "run_id": f"{dataset}-{i}-{threads}-{r}", "dataset": dataset, "spec": f"{p:g}c{4 * p:g}g",
                    "cores": p, "ram_gib": 4 * p, "workload": "a", "read_fraction": 0.5, "threads": threads,
                    "phase": "run", "outcome": "completed", "repeat": r, "write_concern": "1",
                    "started_at": f"2026-01-{r:02}T00:00:00Z",
                    "goodput_ops_s": spec * np.exp(noise * rng.standard_normal()), **shared,
                })  # fmt: skip
    return Tables(runs=from_rows(rows, "runs"))


def cells(found):
    return found[~found["basis"].str.startswith("mean")]


def reason(row):
    """Why a row is not comparable."""
    verdict = messages.fact_of(row, "verdict")
    assert verdict.key == NOT_COMPARABLE
    return verdict.values["reason"]


def test_vendors_equal_specs_and_between_cells_for_the_rest(compared):
    assert tuple(compared.columns) == SCHEMAS["comparisons"]
    rows = cells(compared)
    assert len(rows) == 72
    by_spec = rows[rows["basis"] == "spec"]
    assert sorted(by_spec["spec_a"] + "@" + by_spec["workload"]) == sorted(
        f"{s}@{w}" for s in ("2c4g", "4c8g") for w in "ab" for _ in (100, 200)
    )
    assert (by_spec["spec_a"] == by_spec["spec_b"]).all()
    # No law is claimed of either vendor, so none is used.
    assert set(compared["basis"]) == {"spec", "between cells", "mean by growth"}
    assert (rows.loc[rows["basis"] == "between cells", "spec_b"] == "").all()
    assert (compared["evidence"] == "published").all()


def test_vendors_what_is_shown(compared):
    rows = compared[compared["basis"] == "mean by growth"].set_index(["workload", "threads"])
    assert rows["verdict_key"].to_dict() == {
        ("a", 100): DEPENDS, ("a", 200): LOWER, ("b", 100): NOT_SHOWN, ("b", 200): NOT_SHOWN,
    }  # fmt: skip
    ends = dict(messages.fact_of(rows.loc["a", 100], "verdict").values)
    # What was measured at these cores, not the ends of a straight line: at 2 cores by both sides.
    measured = cells(compared)[lambda rows: (rows["workload"] == "a") & (rows["threads"] == 100)]
    most = np.log(measured.loc[measured["spec_a"].str.startswith("32c"), "ratio"]).mean()
    fewest = np.log(3188 / np.array([9069, 12505, 12261])).mean()
    # Throughput is alike somewhere between two core counts that follow each other.
    assert (ends.pop("even_from"), ends.pop("even_to")) == (16, 24)
    assert ends == pytest.approx({"at_fewest": np.exp(fewest), "fewest": 2, "at_most": np.exp(most), "most": 32})
    assert rows.loc[("a", 100), ["ratio", "conf_low", "conf_high", "p"]].isna().all()
    assert rows.loc[("a", 200), "ratio"] == pytest.approx(0.443, abs=0.01)
    # A single published cell beside the other's curve shows nothing: the specs scatter too far.
    assert set(cells(compared)["verdict_key"]) == {NOT_SHOWN, NOT_COMPARABLE}
    (ratio,) = compared.loc[(compared["spec_a"] == "4c8g") & (compared["workload"] == "a"), "ratio"].head(1)
    assert ratio == pytest.approx(4380 / 13589, rel=0.1)


def test_vendors_what_is_not_comparable(compared):
    rows = cells(compared).set_index(["workload", "spec_a", "threads"])
    assert reason(rows.loc["b", "2c8g", 100]) == fact("compare-outside", cores=2.0, side=TENCENT, first=4.0, last=48.0)
    assert reason(rows.loc["a", "8c64g", 100]) == fact("compare-suspect", side=QING)
    assert reason(rows.loc["b", "2c4g", 100]) == fact("compare-inconsistent", side=TENCENT)
    odd = compared["verdict_key"].isin([NOT_COMPARABLE, DEPENDS])
    assert compared.loc[odd, "p"].isna().all()
    assert compared.loc[~odd, ["ratio", "conf_low", "conf_high", "p"]].notna().all(axis=None)


def test_vendors_in_short(vendors, compared):
    sides, depends, lower, *_ = comparing.summary(compared).values["parts"]
    assert sides == fact("compare-sides", a=QING, b=TENCENT)
    of_a = {"mix": {"reads": 50}}
    verdict = {"at_fewest": 0.2856, "fewest": 2, "at_most": 1.611, "most": 32, "even_from": 16, "even_to": 24}
    assert holds(depends, "compare-mean-depends", **of_a, threads=100, verdict=verdict, some=False)
    assert holds(lower, "compare-mean", **of_a, threads=200, ratio=0.4458, by="growth", verdict="lower")
    counts = {"tested": 60, "equal": 6, "between": 54, "b": TENCENT, "apart": 12, "cells": 72}
    assert holds(comparing.summary(compared), "compare-counts", **counts)
    assert holds(comparing.summary(compared), "compare-cells-need-more", n=60)
    vendor, version, occasion, unanswered, doubted = comparing.conditions(*vendors)
    of_vendors = {"a": {"values": ("QingCloud",)}, "b": {"values": ("Tencent Cloud",)}}
    assert holds(vendor, "compare-differs", what="vendor", **of_vendors)
    assert holds(version, "compare-differs", a={"values": ("4.0.3",)}, b={"values": ("4.0",)})
    assert (occasion, unanswered) == (fact("compare-occasion", effect=0.03), fact("compare-unanswered"))
    rows = [
        {"side": side, "mix": {"reads": reads}, "threads": threads, "specs": [f"{spec} (D)" for spec in specs.split()]}
        for side, reads, threads, specs in (
            (QING, 50, 100, "8c32g"), (QING, 50, 200, "16c16g 16c32g"), (QING, 95, 100, "2c4g 2c8g 16c64g"),
            (QING, 95, 200, "2c4g 2c8g 16c16g"), (TENCENT, 50, 100, "2c4g 4c8g 12c32g"),
            (TENCENT, 50, 200, "2c4g 4c8g 12c32g"), (TENCENT, 95, 100, "4c8g"), (TENCENT, 95, 200, "4c8g"),
        )
    ]  # fmt: skip
    assert holds(doubted, "compare-doubted", rows=rows)


def test_the_other_way_round_is_the_inverse(vendors):
    there, back = (comparing.compare(*pair, by="spec") for pair in (vendors, vendors[::-1]))
    assert there["ratio"].to_numpy() == pytest.approx(1 / back["ratio"].to_numpy())
    assert there["conf_low"].to_numpy() == pytest.approx(1 / back["conf_high"].to_numpy())
    assert there["p"].to_numpy() == pytest.approx(back["p"].to_numpy(), nan_ok=True)


TURNED = {HIGHER: LOWER, LOWER: HIGHER}


def assert_inverse(there, back):
    """Two tables of means say the same, one the other way round."""
    assert len(there) and there[["workload", "threads", "basis"]].equals(back[["workload", "threads", "basis"]])
    for one, other in (("ratio", "ratio"), ("conf_low", "conf_high"), ("conf_high", "conf_low")):
        assert there[one].to_numpy() == pytest.approx(1 / back[other].to_numpy(), nan_ok=True)
    assert there["p"].to_numpy() == pytest.approx(back["p"].to_numpy(), nan_ok=True)
    assert there["verdict_key"].tolist() == [TURNED.get(verdict, verdict) for verdict in back["verdict_key"]]


def means(a, b, **how):
    found = comparing.compare(a, b, **how)
    return found[found["basis"].str.startswith("mean")].sort_values(["workload", "threads"]).reset_index(drop=True)


@pytest.mark.parametrize("by", [None, "spec", "law"])
def test_the_means_are_symmetric(by):
    # One spec more on one side, three in common, and others between: by the law, by specs, and both.
    a = sweep("a", cores=(2, 4, 6, 8, 12, 24), scatter=0.1, seed=3)
    b = sweep("b", level=1400, cores=(2, 4, 5, 8, 16, 20, 32), scatter=0.1, seed=4)
    assert_inverse(means(a, b, by=by), means(b, a, by=by))


def test_the_means_of_the_vendors_are_symmetric(vendors):
    there, back = means(*vendors), means(*vendors[::-1])
    assert_inverse(there, back)
    assert back["verdict_key"].tolist()[:2] == [DEPENDS, HIGHER]
    ends = messages.fact_of(back.iloc[0], "verdict").values
    even = {"even_from": 16, "even_to": 24}
    assert ends == pytest.approx({"at_fewest": 3.50, "fewest": 2, "at_most": 0.62, "most": 32, **even}, abs=0.005)


def test_one_sided_means_are_symmetric():
    # Three specs of two core counts bear no law.
    a, b = sweep("a", cores=(3, 3, 12), scatter=0.05, seed=3), sweep("b", level=2000, scatter=0.05, seed=4)
    a.runs["spec"] += a.runs["run_id"].str.split("-").str[1]
    assert_inverse(means(a, b), means(b, a))


@pytest.mark.parametrize("cores", [CORES, (3, 5, 10, 15, 20, 30)], ids=["equal specs", "by law"])
def test_curves_that_cross_have_no_mean(cores):
    a, b = sweep("a", exponent=0.9), sweep("b", level=300, exponent=1.4, cores=cores)
    found = means(a, b)
    assert (found["verdict_key"] == DEPENDS).all()
    assert found[["ratio", "conf_low", "conf_high", "p"]].isna().all(axis=None)
    values = messages.fact_of(found.iloc[0], "verdict").values
    assert (values["fewest"], values["most"]) == (cores[0], cores[-1])
    assert values["at_fewest"] == pytest.approx(0.3 * cores[0] ** 0.5, rel=0.1)
    assert values["at_most"] == pytest.approx(0.3 * cores[-1] ** 0.5, rel=0.1)
    # 0.3 times the root of 11.1 cores.
    assert values["even_from"] < 11.1 < values["even_to"]
    assert "the ratio depends on the cores: 0." in messages.say(comparing.summary(comparing.compare(a, b)))


@pytest.mark.matrix
def test_a_flat_ratio_is_seldom_said_to_depend_on_the_cores():
    said, inside = 0, []
    for seed in range(12):
        a = sweep("a", scatter=0.15, repeats=1, cores=(2, 3, 5, 6, 12, 20, 24, 32), seed=seed)
        b = sweep("b", level=700, scatter=0.15, repeats=1, cores=(2.5, 4, 7, 8, 16, 30), seed=99 + seed)
        found = means(a, b)
        flat = found["verdict_key"] != DEPENDS
        said += int((~flat).any())
        inside += ((found["conf_low"] < 0.7) & (found["conf_high"] > 0.7))[flat].tolist()
    # Five per cent of 12 comparisons are 0.6; more than 3 has a probability of 0.2 %.
    assert said <= 3
    assert np.mean(inside) > 0.8


def test_likes_are_likes_from_either_side():
    a, b = sweep("a", cores=(4,)), sweep("b", cores=(4, 4))
    # Two of b's specs have the shape of a's one: neither is its like, whoever is asked first.
    b.runs["spec"] = "m" + b.runs["run_id"].str.split("-").str[1]
    assert not {"spec"} & {*comparing.compare(a, b)["basis"], *comparing.compare(b, a)["basis"]}


def test_a_new_version_that_is_faster_is_found():
    found = comparing.compare(sweep("old"), sweep("new", level=1150, seed=2))
    assert found["basis"].value_counts().to_dict() == {"spec": 10, "mean of specs": 2}
    assert (found["verdict_key"] == HIGHER).all()
    assert (found["evidence"] == "repeats").all()
    means = found[found["basis"] == "mean of specs"]
    assert ((means["conf_low"] < 1.15) & (means["conf_high"] > 1.15)).all()
    # The mean over five specs is surer than any one of them.
    width = np.log(found["conf_high"] / found["conf_low"])
    assert width[means.index].max() < width[cells(found).index].min()


def test_what_two_occasions_differ_by_is_no_difference_of_the_servers():
    """A mean 8 % higher, of five specs repeated three times: shown when measured in turn, not on another day."""
    old, here = sweep("old", noise=0.01), sweep("new", level=1080, noise=0.01, seed=2)
    later = sweep("new", level=1080, noise=0.01, seed=2, started_at="2026-02-01T00:00:00Z")
    assert (comparing.compare(old, here)["verdict_key"] == HIGHER).all()
    assert (comparing.compare(old, later)["verdict_key"] == HIDDEN).all()
    # What is assumed is known: as sure as 1.96 times it, for the mean as for each spec.
    mean = means(old, later).iloc[0]
    assert np.log(mean["conf_high"] / mean["ratio"]) == pytest.approx(1.96 * np.sqrt(2) * 0.03, rel=0.05)
    assert fact("compare-occasion", effect=0.03) in comparing.conditions(old, later)
    assert comparing.conditions(old, here) == []


@pytest.mark.matrix
def test_differences_between_equals_are_rare():
    named = 0
    for seed in range(30):
        found = comparing.compare(sweep("old", seed=seed), sweep("new", seed=1000 + seed))
        named += cells(found)["verdict_key"].isin([HIGHER, LOWER]).any()
    # Five per cent of 30 comparisons are 1.5; more than 5 has a probability of 0.3 %.
    assert named <= 5


def test_intervals_on_equal_specs_cover():
    many = tuple(range(1, 121))
    found = cells(comparing.compare(sweep("old", cores=many), sweep("new", level=800, cores=many, seed=2)))
    inside = (found["conf_low"] < 0.8) & (found["conf_high"] > 0.8)
    assert inside.mean() == pytest.approx(0.95, abs=0.04)


@pytest.mark.matrix
@pytest.mark.parametrize(("shared", "basis"), [({"threads": 100}, "law"), ({}, "between cells")])
def test_intervals_by_law_and_between_cells_cover(shared, basis):
    inside, bases = [], set()
    for seed in range(8):
        a = sweep("a", scatter=0.1, noise=0, repeats=1, cores=(3, 5, 6, 12, 20, 24), seed=seed, **shared)
        b = sweep("b", level=700, scatter=0.1, noise=0, repeats=1, cores=(2, 4, 7, 8, 16, 30), seed=99 + seed, **shared)
        found = comparing.compare(a, b)
        bases |= set(found["basis"])
        inside += ((found["conf_low"] < 0.7) & (found["conf_high"] > 0.7)).tolist()
    assert basis in bases
    assert np.mean(inside) > 0.9


def test_by_decides_how_cells_are_matched():
    a, b = sweep("a"), sweep("b", cores=(2, 4, 8, 12, 32))
    assert set(cells(comparing.compare(a, b, by="spec"))["spec_a"]) == {"2c8g", "4c16g", "8c32g", "32c128g"}
    # With two thread counts the largest spec's throughput is a lower bound: no law of what is had is claimed.
    assert set(cells(comparing.compare(a, b, by="law"))["basis"]) == {"between cells"}
    assert set(cells(comparing.compare(a, b))["basis"]) == {"between cells", "spec"}
    a, b = sweep("a", threads=100), sweep("b", cores=(2, 4, 8, 12, 32), threads=100)
    assert set(cells(comparing.compare(a, b, by="law"))["basis"]) == {"law"}
    assert set(cells(comparing.compare(a, b))["basis"]) == {"law", "spec"}


def test_between_cells_is_straight_in_logarithms():
    """Of a peak no law is claimed here; the value at 6 cores lies between those at 4 and 8, whatever lies beyond."""
    b = sweep("b", noise=0.0, repeats=1, cores=(2, 4, 8, 16))
    b.runs["goodput_ops_s"] *= b.runs["cores"].map({2: 1.0, 4: 2.0, 8: 0.3, 16: 2.0})
    (row,) = cells(comparing.compare(sweep("a", noise=0.0, repeats=1, cores=(6,)), b)).head(1).to_dict("records")
    share = np.log(6 / 4) / np.log(8 / 4)
    assert row["basis"] == "between cells"
    assert row["ratio"] == pytest.approx((2 * 4**0.9) ** (1 - share) * (0.3 * 8**0.9) ** share / 6**0.9)


def test_specs_of_another_name_are_matched_by_their_shape():
    a, b = sweep("a"), sweep("b")
    b.runs["spec"] = "m" + b.runs["cores"].astype(str)
    assert (cells(comparing.compare(a, b))["basis"] == "spec").all()
    # The same name for another shape is another spec.
    b.runs["spec"], b.runs["cores"] = a.runs["spec"], b.runs["cores"] * 1.5
    assert not (cells(comparing.compare(a, b))["basis"] == "spec").any()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"write_concern": "0"}, fact("compare-unacknowledged", side="b")),
        ({"read_fraction": 0.95}, fact("compare-mixes", a=0.5, b=0.95)),
        ({"threads": 300}, fact("compare-no-run", side="b", threads=100.0)),
    ],
)
def test_what_cannot_be_compared_says_why(change, why):
    found = comparing.compare(sweep("a"), sweep("b", **change))
    assert reason(found.iloc[0]) == why
    assert (found["verdict_key"] == NOT_COMPARABLE).all()
    assert holds(comparing.summary(found), "compare-counts", tested=0)


def test_one_of_a_kind_is_said_in_the_singular():
    a = Tables(runs=sweep("a", cores=(1,)).runs.query("threads == 100"))
    found = messages.worded(comparing.compare(a, sweep("b", cores=(2, 4, 8, 16))))
    assert found["verdict"].tolist() == ["not comparable: 1 core lies outside what b measured (2 to 16)"]
    assert messages.say(comparing.summary(found)).endswith("1 of 1 is not comparable.")


def test_reads_do_not_mind_the_write_concern():
    reads = {"read_fraction": 1.0}
    found = comparing.compare(sweep("a", **reads), sweep("b", write_concern="0", **reads))
    assert not (found["verdict_key"] == NOT_COMPARABLE).any()


def test_single_runs_are_told_apart_beyond_the_noise_that_is_assumed():
    single = {"repeats": 1, "cores": (2,), "noise": 0}
    far, near = (comparing.compare(sweep("a", **single), sweep("b", level=x, **single)) for x in (9000, 1150))
    assert (far["verdict_key"] == HIGHER).all() and (near["verdict_key"] == NOT_SHOWN).all()
    assert (far["evidence"] == "assumed").all()
    # Three standard deviations of a difference at 5 % a run; the two were made in turn.
    assert np.log(far["conf_high"] / far["ratio"]).to_numpy() == pytest.approx(3 * np.sqrt(2) * 0.05, rel=1e-4)
    assert "5 % a run is assumed" in messages.say(comparing.summary(far))


def test_a_ratio_of_its_own_on_each_spec_is_in_the_mean_and_noise_alone_where_there_is_none():
    alike, apart = (means(sweep("a", noise=0.01), sweep("b", scatter=s, noise=0.01, seed=2)) for s in (0.0, 0.2))
    widths = [np.log(found["conf_high"] / found["conf_low"]).iloc[0] for found in (alike, apart)]
    assert widths[0] == pytest.approx(2 * 2.0 * 0.01 * np.sqrt(2 / 15), rel=0.4) and widths[1] > 5 * widths[0]


def test_logs_that_name_no_server_are_compared_as_of_the_same():
    old, new = sweep("", cores=(4,)), sweep("", cores=(4,), level=2000, seed=5)
    for part in (old, new):
        part.runs["spec"], part.runs["cores"], part.runs["ram_gib"] = "", np.nan, np.nan
    found = comparing.compare(old, new)
    assert found["verdict_key"].tolist() == [HIGHER, HIGHER]
    assert found["spec_a"].tolist() == ["unnamed"] * 2
    assert found["a"].tolist() == ["unnamed (a)"] * 2 and found["b"].tolist() == ["unnamed (b)"] * 2
    assert comparing.conditions(old, new)[-1] == fact("compare-unnamed")


def test_an_interval_that_excludes_1_is_never_beside_a_bare_no_difference():
    bare, explained = 0, 0
    for level, at_32 in ((1000, 1.0), (930, 1.0), (800, 1.0), (770, 1.22), (770, 1.3)):
        old, new = (sweep(name, level=x, noise=0.0, repeats=1, cores=(4, 8, 16, 32)) for name, x in
                    (("old", 1000), ("new", level)))  # fmt: skip
        # At one number of threads the largest spec does as much as before.
        here = (new.runs["cores"] == 32) & (new.runs["threads"] == 100)
        new.runs["goodput_ops_s"] *= np.where(here, at_32, 1.0)
        parts = facts_in(comparing.summary(comparing.compare(old, new)))
        means = [part.values for part in parts if part.key == "compare-mean"]
        bare += sum(mean["verdict"] == "none" for mean in means)
        explained += sum(mean["verdict"] == "many" for mean in means)
        assert not any(mean["verdict"] == "none" and not mean["low"] <= 1 <= mean["high"] for mean in means)
        is_lower = any(mean["verdict"] == "lower" for mean in means) and holds(parts, "compare-counts", lower=0)
        assert ("compare-cells-need-more" in keys_in(parts)) == is_lower
    assert bare and explained


def test_names_and_several_datasets():
    both = pd.concat([sweep("x").runs, sweep("y").runs.assign(outcome="published")], ignore_index=True)
    found = comparing.compare(Tables(runs=both), sweep("z"), names=None)
    assert found[["a", "b"]].drop_duplicates().to_numpy().tolist() == [["x", "z"], ["y", "z"]]
    assert set(comparing.compare(sweep("x"), sweep("x"), names=("4.4", "7.0"))["b"]) == {"7.0"}


def test_what_differs_is_named():
    a = sweep("a", server_version="4.4.1", clients=1.0)
    b = sweep("b", server_version="7.0.2", clients=2.0, steady_ops_s=1.0)
    assert [messages.say(difference) for difference in comparing.conditions(a, b)] == [
        "server version: 7.0.2 against 4.4.1", "client processes: 2 against 1",
        "throughput: without the warm-up against successful operations only",
    ]  # fmt: skip
    assert comparing.conditions(a, a) == []


def test_nothing_to_compare():
    none = Tables()
    assert comparing.compare(none, sweep("b")).empty
    assert comparing.summary(comparing.compare(none, none)) == fact("sentences", parts=[fact("compare-nothing")])
    assert tuple(comparing.compare(none, none).columns) == SCHEMAS["comparisons"]
    assert comparing.conditions(none, none) == []
    assert empty("comparisons").equals(comparing.compare(none, none))


def test_tables_by_what_a_person_calls_them(tmp_path, vendors):
    parquet.write(vendors[1], tmp_path / "report" / "tables")
    csv = paths.PUBLISHED / f"{TENCENT}.csv"
    for name in (tmp_path / "report", tmp_path / "report" / "tables", csv, TENCENT, f"data/published/{TENCENT}.csv"):
        pd.testing.assert_frame_equal(named_tables.read(name).runs, vendors[1].runs)
    with pytest.raises(StoreError, match=f"'nowhere': no such folder.*{QING}, .*{TENCENT}"):
        named_tables.read("nowhere")


def test_compare_as_a_command(tmp_path, compared):
    done = invoke("compare", QING, TENCENT, "--json", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    value = json.loads(done.stdout)
    assert len(value["comparisons"]) == len(compared)
    assert value["summary"] == messages.say(comparing.summary(compared))
    assert value["conditions"][0] == "vendor: Tencent Cloud against QingCloud"
    pd.testing.assert_frame_equal(parquet.read_table(tmp_path, "comparisons"), messages.worded(compared))
    shown = invoke("compare", QING, TENCENT, "--by", "spec")
    assert shown.exit_code == 0 and "0.32" in shown.stdout and "32c64g" not in shown.stdout
    assert "95 % (this row)" in shown.stdout and "p (adjusted)" not in shown.stdout
    assert invoke("compare", QING, TENCENT, "--by", "name").exit_code == 2


def test_the_two_data_sets_of_one_source_are_compared(tmp_path):
    rows = [f"{cores},100,{cores * each},{name}" for name, each in (("old", 900), ("new", 2000)) for cores in (1, 2, 4)]
    own = own_table(tmp_path, "cores,threads,qps,product", rows)
    done = invoke("compare", own)
    # The answer first.
    assert done.exit_code == 0 and done.stdout.startswith("mine new against mine old."), done.output
    assert "2.22" in done.stdout
    own.write_text("cores,threads,qps\n1,100,900\n2,100,1800\n")
    alone = invoke("compare", own)
    assert alone.exit_code == 1 and "holds 1 data set" in str(alone.exception)


def test_of_three_data_sets_of_one_source_two_are_named(tmp_path):
    names = ("redis", "dragonfly", "keydb")
    rows = [f"{n},100,{1000 * n * each},{name}" for each, name in enumerate(names, 1) for n in (1, 2)]
    own = own_table(tmp_path, "cores,threads,qps,product", rows, "redis.csv")
    told = invoke("compare", own)
    assert told.exit_code == 1
    assert "redis redis, redis dragonfly, redis keydb; name two of them: ycsbook compare" in str(told.exception)
    # By what tells the names apart, though all of them begin with "redis".
    done = invoke("compare", own, "redis", "dragon", "--json")
    assert {row["ratio"] for row in json.loads(done.stdout)["comparisons"]} == {2.0}
    assert invoke("compare", own, "redis", "mongo").exit_code == 1


def test_a_folder_of_several_datasets_is_compared_by_name_and_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    # Single runs in the same ratio at all specs: the interval is of what two occasions are assumed to differ by.
    many = [sweep(name, level=level, noise=0, repeats=1) for name, level in (("slow", 1000), ("fast", 2200))]
    for i, part in enumerate(many):
        part.runs["started_at"] = f"2026-0{2 + i}-01T00:00:00Z"
    parquet.write(concat(many), tmp_path)
    shown = invoke("compare", tmp_path, tmp_path)
    assert shown.exit_code == 0, shown.output
    # The sentences tell the means; the table is for cells.
    assert "\nmix " not in shown.stdout and "--all lists the" in shown.stdout
    every = invoke("compare", tmp_path, tmp_path, "--all").stdout
    assert "\nfast (b) against slow (a).\nmix " in every and "p (adjusted)" not in every
    assert (
        "…" not in shown.stdout
        and " ".join(shown.stdout.split()).count("fast (b) against slow (a). In each of 2 series fast") == 1
    )
    found = comparing.compare(*[concat(many)] * 2).query("a == 'slow (a)' and b == 'fast (b)' and spec_a == ''")
    assert found["ratio"].to_numpy() == pytest.approx([2.2, 2.2]) and (found["verdict_key"] == HIGHER).all()
    parquet.write(concat([sweep("slow"), sweep("fast", level=2200)]), tmp_path)
    assert "p (adjusted)" in " ".join(invoke("compare", tmp_path, tmp_path, "--all").stdout.split())


def test_a_summary_of_many_sides_is_not_cut():
    parts = [fact("compare-sides", a="a" * 60, b="b" * 60)] * 60
    assert len(messages.say(fact("sentences", parts=parts))) == 60 * len(messages.say(parts[0])) + 59


def test_limits_as_a_command(tmp_path, vendors):
    parquet.write(vendors[1], tmp_path)
    done = invoke("limits", tmp_path)
    assert done.exit_code == 0, done.output
    assert "Of 32 points: 14 undecided; 6 slower than with fewer threads; 4 CPU full, yet" in done.stdout
    assert "bound by the server: 3" in done.stdout
    every = invoke("limits", tmp_path, "--all").stdout
    assert "bound by the server, slower with more threads" in every and "dataset" not in every
    assert not {"contradiction", "elsewhere", "retrograde"} & set(re.findall(r"\w+", every))
    # Each row with its grade.
    assert re.search(r"50:50 +32c240g +200 +52,148 +F +impossible", every)
    assert re.search(r"50:50 +6c16g +100 +8,970 +C +undecided", every)
    assert "Trust: 19 × C, 12 × D, 1 × F. A: repeated, consistent" in every
    parquet.write(concat(list(vendors)), tmp_path / "both")
    both = invoke("limits", tmp_path / "both", "--all").stdout
    assert "dataset" in both and QING in both and TENCENT in both
    rows = json.loads(invoke("limits", tmp_path, "--json").stdout)
    assert rows[0]["limit_kind"] == parquet.read_table(tmp_path, "limits")["limit_kind"].iloc[0]
    parquet.write(Tables(), tmp_path)
    with pytest.raises(UnfitError, match="limits-nothing"):
        invoke("limits", tmp_path, catch_exceptions=False)


def test_what_every_series_shows_is_one_verdict_and_needs_no_more_for_being_several():
    """The 3 % of an occasion is common to all series of a comparison: four that show 15 % are no four chances."""
    rng = np.random.default_rng(5)
    cells = [(c, reads, n) for c in (2, 4, 8, 16, 32) for reads in (0.5, 0.95) for n in (100, 200)]
    frame = pd.DataFrame(cells, columns=["cores", "read_fraction", "threads"])
    frame["qps"] = 3000 * frame["cores"] ** 0.8 * np.exp(rng.normal(0, 0.02, len(frame)))
    more = frame.assign(qps=1.15 * 3000 * frame["cores"] ** 0.8 * np.exp(rng.normal(0, 0.02, len(frame))))
    compared = yb.compare(frame, more)
    means = compared[compared["basis"].str.startswith("mean")]
    assert len(means) == 4 and set(means["verdict"]) == {"higher"}
    assert re.search("of 4 series b does 1.1", compared.attrs["summary"])
    # Where one of them shows nothing, each has to show it by itself.
    mixed = more.assign(qps=more["qps"].where(frame["read_fraction"] < 0.9, frame["qps"]))
    compared = yb.compare(frame, mixed)
    assert "In each of" not in compared.attrs["summary"]


def test_a_loss_of_some_specs_is_not_lost_in_the_mean():
    """On two of five specs a quarter is lost: the mean shows nothing, its cells do, and both are said."""
    rng = np.random.default_rng(5)
    runs = [
        {
            "dataset": name, "outcome": "completed", "spec": f"{c}c", "cores": c, "workload": "a", "read_fraction": 0.5,
            "threads": 100, "repeat": r, "throughput_ops_s": 1000 * c**0.8 * factor(c) * np.exp(rng.normal(0, 0.02)),
        }
        for name, factor in (("page 4.4", lambda c: 1), ("page 5.0", lambda c: 0.75 if c > 8 else 1))
        for c in (2, 4, 8, 16, 32)
        for r in (1, 2, 3)
    ]  # fmt: skip
    tables = Tables(runs=from_rows([{"run_id": f"{i}", **run} for i, run in enumerate(runs)], "runs"))
    old, new = (tables.of_dataset(name) for name in ("page 4.4", "page 5.0"))
    mean = comparing.compare(old, new).iloc[0]
    assert mean["basis"] == "mean of specs" and mean["verdict_key"] == SOME
    (part,) = from_json(SOME, mean["verdict_values"]).values["parts"]
    assert part.values["specs"] == ("16c", "32c") and not part.values["higher"] and part.values["high"] < 0.85
    said = {name: messages.say(of) for name, of in comparing.beside(tables).items()}
    assert "times (32c 50:50)" in said["page 4.4"] or "times (16c 50:50)" in said["page 4.4"]
    assert all("not told apart" not in of for of in said.values())
    # The same on both sides: as little as before.
    assert comparing.compare(old, old.of_dataset("page 4.4")).iloc[0]["verdict_key"] != SOME


@pytest.mark.parametrize(("factor", "parts"), [
    # Writes wait for other members, with few threads more than with many: reads do not.
    (lambda mix, threads, cores: {4: 0.3, 64: 0.9}[threads] if mix == "a" else 1.0, [
        {"mixes": [{"reads": 50}], "low": 0.3, "least": {"threads": 4, "spec": None}, "high": 0.9,
         "most": {"threads": 64}},
        {"mixes": [{"reads": 100}], "low": None, "high": 1.0, "least": None},
    ]),
    # A disk that is too slow for large servers.
    (lambda mix, threads, cores: {4: 1.0, 8: 0.8, 16: 0.4}[cores] if mix == "a" else 1.0, [
        {"mixes": [{"reads": 50}], "low": 0.4, "least": {"spec": "16c", "threads": None}, "high": 1.0,
         "most": {"spec": "4c"}},
        {"mixes": [{"reads": 100}], "low": None, "high": 1.0},
    ]),
    # Shards pay with many threads, in all mixes.
    (lambda mix, threads, cores: {4: 0.6, 64: 3.5}[threads], [
        {"named": False, "low": 0.6, "least": {"threads": 4, "mix": None}, "high": 3.5, "most": {"threads": 64}},
    ]),
])  # fmt: skip
def test_data_sets_beside_each_other_are_told_by_what_their_ratio_depends_on(factor, parts):
    random = np.random.default_rng(1)
    runs = [
        {
            "dataset": name, "outcome": "completed", "spec": f"{c}c", "cores": c, "workload": mix, "threads": n,
            "read_fraction": {"a": 0.5, "c": 1.0}[mix], "repeat": r,
            "throughput_ops_s": 1000 * c * (n / 64) ** 0.3 * (factor(mix, n, c) if name == "page new" else 1)
            * np.exp(random.normal(0, 0.001)),
        }
        for name in ("page old", "page new")
        for mix in "ac" for n in (4, 64) for c in (4, 8, 16) for r in (1, 2, 3)
    ]  # fmt: skip
    tables = Tables(runs=from_rows([{"run_id": f"{i}", **run} for i, run in enumerate(runs)], "runs"))
    of = comparing.beside(tables)
    (told,) = of["page new"].values["of"]
    for part, wanted in zip(told.values["parts"], parts, strict=True):
        close = {key: pytest.approx(wanted[key], rel=0.01) for key in ("low", "high") if wanted[key]}
        assert holds(part, "short-beside-part", **{k: v for k, v in wanted.items() if k not in close})
        assert {key: part.values[key] for key in close} == close
    (turned,) = of["page old"].values["of"]
    assert turned.values["parts"][0].values["high"] == pytest.approx(1 / parts[0]["low"], rel=0.01)


def test_between_which_record_counts_throughput_falls_is_told():
    """Data that no longer fits in the cache: the same in each of four data sets, a quarter of it from the fifth on."""
    sizes = {10**6: 45_400, 5 * 10**6: 45_000, 2 * 10**7: 45_100, 4 * 10**7: 11_300, 8 * 10**7: 11_250}
    runs = [
        {
            "dataset": f"mine {records} records", "outcome": "completed", "spec": "8c", "cores": 8, "workload": mix,
            "threads": 100, "records": records, "throughput_ops_s": ops,
        }
        for records, ops in sizes.items()
        for mix in "bc"
    ]  # fmt: skip

    def beside(runs):
        return comparing.beside(Tables(from_rows([{"run_id": f"{i}", **run} for i, run in enumerate(runs)], "runs")))

    of = beside(runs)
    assert len(of) == 5
    for facts in of.values():
        fall = facts.values["fall"].values
        assert (fall["low"], fall["high"]) == (2 * 10**7, 4 * 10**7) and round(fall["times"], 3) == 0.251
    assert all(facts.values["fall"] is None for facts in beside([run for run in runs if run["records"] < 3e7]).values())
    assert all(facts.values["fall"] is None for facts in beside([run | {"records": 1} for run in runs]).values())


def csv(folder, name, cores, throughputs, head="cores,qps"):
    return own_table(folder, head, zip(cores, throughputs, strict=True), name)


def test_runs_of_unknown_threads_are_compared_with_their_like(tmp_path):
    """On equal specs, between other cores, and in the mean; unknown threads are no number of threads."""
    a = csv(tmp_path, "a.csv", (1, 2, 4, 8), (1000, 1900, 3500, 6000))
    b = csv(tmp_path, "b.csv", (1, 2, 4, 8), (3000, 5700, 10_500, 18_000))
    between = csv(tmp_path, "c.csv", (1, 3, 9), (3000, 8400, 20_000))
    code = invoke("compare", str(a), str(b)).exit_code
    found, others = (comparing.compare(*(named_tables.read(str(of)) for of in (a, other))) for other in (b, between))
    assert code == 0
    assert found["threads"].isna().all() and others["threads"].isna().all()
    assert found["ratio"].to_numpy() == pytest.approx(3.0)
    assert found["verdict_key"].eq(HIGHER).all()
    assert "between cells" in set(others["basis"])
    assert others["ratio"].between(2.5, 3.5).all()


@pytest.mark.parametrize("options", [[], ["--all"], ["--json"]])
def test_where_nothing_is_comparable_the_exit_code_says_so(tmp_path, options):
    a = csv(tmp_path, "a.csv", (1, 2, 4), (1000, 1900, 3500))
    b = csv(tmp_path, "b.csv", ("1,100", "2,100", "4,100"), (1000, 1900, 3500), "cores,threads,qps")
    refused = invoke("compare", str(a), str(b), *options)
    # `cli` gives it the exit code 4.
    assert isinstance(refused.exception, UnfitError)
    assert "3 of 3 are not comparable" in refused.stdout
