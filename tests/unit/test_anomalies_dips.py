"""A spec that does less than those beside it allow, though more than the smaller one: found, and in the head."""

import numpy as np
import pytest
from anomaly_samples import flags, run, tables
from facts_in import holds
from report_samples import head_of

from ycsbook import anomalies, messages, trust

CORES = np.array([2.0, 4.0, 8.0, 16.0, 32.0])


def sweep(shape, *, at_8=1.0, sd=0.02, repeats=3, threads=(64, 128), seed=1):
    random = np.random.default_rng(seed)
    return [
        run(c, t, r, 4000 * x * (at_8 if c == 8 else 1) * np.exp(random.normal(0, sd)))
        for c, x in zip(CORES, shape, strict=True) for t in threads for r in range(1, repeats + 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("at_8", "repeats", "threads", "severity"),
    [
        (0.6, 3, (64, 128), "warning"),
        (0.6, 3, (64,), "notice"),  # one mix and thread count
        (0.6, 1, (64, 128), "notice"),
        (0.4, 1, (64,), "notice"),
        (0.4, 1, (64, 128), "notice"),  # slower than the smaller one
        (0.6, 1, (64,), ""),
        (0.9, 3, (64, 128), ""),
    ],
)
def test_a_spec_below_both_of_its_neighbours(at_8, repeats, threads, severity):
    rows = sweep(CORES**0.9, at_8=at_8, repeats=repeats, threads=threads)
    found = flags("dip", rows)
    assert [(f.severity, f.spec) for f in found] == ([(severity, "8c")] if severity else [])
    for one in found:
        assert one.effect == pytest.approx(at_8 - 1, abs=0.06)
        assert len(one.run_ids) == repeats * len(threads)
        assert one.message.values["smaller"].values["cores"] == 4 and one.message.values["larger"].values["cores"] == 16


@pytest.mark.parametrize(
    ("repeats", "threads", "is_told"), [(3, (64, 128), True), (1, (64, 128), False), (3, (64,), False)]
)
def test_a_spec_below_its_neighbours_on_one_mix_of_three_alone(repeats, threads, is_told):
    rows = [
        row | {"run_id": f"{row['run_id']}-{mix}", "workload": mix, "read_fraction": reads}
        for seed, (mix, reads) in enumerate({"a": 0.5, "b": 0.95, "c": 1.0}.items())
        for row in sweep(CORES**0.9, at_8=0.6 if mix == "b" else 1, repeats=repeats, threads=threads, seed=seed)
    ]
    found = flags("dip", rows)
    assert [(f.severity, f.spec) for f in found] == ([("warning", "8c")] if is_told else [])
    less = {"spec": {"cores": 8}, "some": True, "mixes": [{"reads": 95}]}
    for one in found:
        assert holds(one.message, "dip", **less) and len(one.run_ids) == 6
        assert holds(head_of(tables(rows)).verdicts, "short-verdict-slower", **less)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "shape",
    [
        CORES,
        CORES**0.8,
        CORES / (1 + 0.1 * (CORES - 1)),
        CORES / (1 + 0.02 * (CORES - 1) + 1e-3 * CORES * (CORES - 1)),
        np.minimum(CORES, 8),
        CORES * np.where(CORES >= 16, 6, 1),  # a RAM that holds the data from 16 cores on
        CORES**0.8 * np.where(CORES >= 16, 1.6, 1),
    ],
    ids=["linear", "power", "Amdahl", "USL", "ceiling", "cliff", "step"],
)
def test_curves_of_sound_servers_have_no_dip(shape):
    for sd in (0.03, 0.1, 0.2):
        assert flags("dip", sweep(shape, sd=sd, seed=7)) == []
    assert flags("dip", sweep(shape, sd=0.05, repeats=1, seed=7)) == []


def test_neighbours_have_no_more_ram_below_and_no_less_above():
    rows = sweep(CORES**0.9, at_8=0.6)
    for row in rows:
        row["ram_gib"] = 1.0 if row["cores"] == 8 else row["ram_gib"]
    assert flags("dip", rows) == []


def test_the_head_says_it_and_growth_is_without_it():
    found = tables(sweep(CORES**0.9, at_8=0.6))
    told = anomalies.find(found)
    grades = trust.grades(found.runs, told)
    assert {run_id.split("-")[0] for run_id in grades.index[grades == "D"]} == {"8c"}
    assert holds(head_of(found).head, "short-verdict-slower", spec={"cores": 8}, smaller=None, most=0.404)
    (finding,) = told[told["rule"] == "dip"].to_dict("records")
    assert "相邻规格" in messages.say(messages.fact_of(finding, "message"), "zh")
