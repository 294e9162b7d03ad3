"""First rounds of repeats that say nothing of the later ones, and runs beside other work: told, and not built on."""

import numpy as np
import pytest
from anomaly_samples import flags, run, says, tables
from facts_in import holds, keys_in
from page_samples import own_table
from report_samples import head_of

from ycsbook import anomalies, messages, named_tables, trust
from ycsbook.scaling.growth import growths
from ycsbook.scaling.points import throughputs, with_throughput
from ycsbook.scaling.repeats import early_rounds

# A promise in all its variations.
pytestmark = pytest.mark.matrix

CORES, THREADS = (2.0, 4.0, 8.0, 16.0), (100, 200)


def rounds(n, factors, *, noise=0.02, seed=1, **more):
    """n rounds of four specs at two thread counts, p^0.8; factors: by (cores, round)."""
    random = np.random.default_rng(seed)
    return [
        run(c, t, r, 2500 * c**0.8 * factors.get((c, r), 1.0) * np.exp(random.normal(0, noise)), **more)
        for r in range(1, n + 1) for c in CORES for t in THREADS
    ]  # fmt: skip


COLD = {(c, 1): 0.6 for c in CORES}
BURST = {(c, r): 2.2 for c in (2.0, 4.0) for r in (1, 2)}


@pytest.mark.parametrize(
    ("n", "factors", "left_out", "growth"), [(3, COLD, 8, 2**0.8), (4, COLD, 8, 2**0.8), (5, BURST, 8, 2**0.8)]
)
def test_early_rounds_are_one_finding_and_nothing_rests_on_them(n, factors, left_out, growth):
    found = tables(rounds(n, factors))
    told = anomalies.find(found)
    grave = told[told["severity"].isin(["error", "warning", "notice"])]
    assert grave["rule"].tolist() == ["early_rounds"]
    assert len(grave["run_ids"].iloc[0].split()) == left_out == len(found.runs) - len(with_throughput(found.runs))
    grades = trust.grades(found.runs, told)
    assert set(grades.index[grades == "D"]) == set(grave["run_ids"].iloc[0].split())
    assert set(grades[grades != "D"]) == {"A"}
    for series in growths(with_throughput(found.runs)):
        assert series.factor == pytest.approx(growth, rel=0.02)
    head = head_of(found)
    assert head.head[0].key == "short-early"
    assert {"short-failed", "short-set-aside"}.isdisjoint(keys_in(head.facts().get("doubt", ())))


@pytest.mark.parametrize(
    "factors",
    [
        {},
        {(c, 1): 0.9 for c in CORES},  # too little to be told from other rounds
        {(c, 3): 0.6 for c in CORES},  # the last round
        {(2.0, 1): 0.6},  # no more than two cells
        {(c, r): 1 - 0.2 * r for c in CORES for r in (1, 2, 3)},  # a steady fall
    ],
)
def test_other_rounds_stay(factors):
    found = tables(rounds(3, factors))
    assert early_rounds(throughputs(found.runs)).empty
    assert anomalies.find(found)["rule"].ne("early_rounds").all()


def of_one_count(n, factors, **more):
    return tables([row for row in rounds(n, factors, **more) if row["threads"] == THREADS[0]])


def test_early_rounds_of_specs_with_one_cell_each():
    found = of_one_count(6, {(c, r): 2.5 for c in (2.0, 4.0) for r in (1, 2)})
    told = anomalies.find(found)
    (first,) = told[told["rule"] == "early_rounds"].to_dict("records")
    assert {run_id.split("-t")[0] for run_id in first["run_ids"].split()} == {"2c-a", "4c-a"}
    assert len(first["run_ids"].split()) == 4 and first["severity"] == "warning"
    assert holds(head_of(found).head, "short-early", n=2, rounds=6, times=2.543, slow=False)
    # One spec alone, or a single first round of each, may have had a stall.
    for few in ({(2.0, r): 2.5 for r in (1, 2, 3)}, {(2.0, 1): 0.4, (4.0, 1): 0.4}):
        assert early_rounds(throughputs(of_one_count(6, few).runs)).empty


def test_noise_looks_like_no_early_rounds():
    for seed in range(40):
        assert early_rounds(throughputs(tables(rounds(3, {}, noise=0.3, seed=seed)).runs)).empty
        assert early_rounds(throughputs(of_one_count(6, {}, noise=0.3, seed=seed).runs)).empty


def test_two_rounds_do_not_tell_which_is_right():
    assert early_rounds(throughputs(tables(rounds(2, COLD)).runs)).empty


def csv_of(folder, column, numbers, name="mine.csv"):
    rows = rounds(3, {})
    lines = (
        f"{number},{row['cores']:g}c{4 * row['cores']:g}g,50:50,{row['threads']:g},{row['throughput_ops_s']:.0f}"
        for number, row in zip(numbers(rows), rows, strict=True)
    )
    return named_tables.read(own_table(folder, f"{column},spec,mix,threads,qps", lines, name)).runs


@pytest.mark.parametrize("column", ["run", "Run", "Iteration", "run no.", "轮次"])
def test_a_column_of_runs_that_counts_each_configuration_holds_repeats(tmp_path, column):
    runs = csv_of(tmp_path, column, lambda rows: [row["repeat"] for row in rows])
    assert runs["repeat"].tolist() == [float(r) for r in (1, 2, 3) for _ in range(8)]


@pytest.mark.parametrize("number", [lambda i: i + 1, lambda i: f"r{i}", lambda i: 1 + i % 2])
def test_a_column_of_runs_that_names_them_holds_no_repeats(tmp_path, number):
    runs = csv_of(tmp_path, "run", lambda rows: map(number, range(len(rows))))
    assert runs["repeat"].nunique() <= 1 and len(runs) == 24


def test_runs_beside_other_work_are_c_at_best_and_the_head_says_so():
    rows = rounds(3, {}, host_cores=2.0, host_cpu=1.95, other_cpu=1.0)
    for row in rows[:4]:
        row["other_cpu"] = 0.1
    found = tables(rows)
    told = anomalies.find(found)
    assert trust.grades(found.runs, told).value_counts().to_dict() == {"C": 20, "A": 4}
    assert holds(head_of(found).head, "short-verdict-busy", n=20, total=24)
    idle = tables([{**row, "host_cpu": 1.2} for row in rows])  # cores were left idle
    assert set(trust.grades(idle.runs, anomalies.find(idle))) == {"A"}


def test_batched_latencies_of_a_load_are_no_finding():
    load = run(phase="load", warnings="BATCHED_LATENCY", workload="load")
    assert not [f for f in flags("invalid_run", [load, run()]) if says(f, "invalid_run-warned")]
    assert [f for f in flags("invalid_run", [run(warnings="BATCHED_LATENCY")]) if says(f, "invalid_run-warned")]


def test_both_languages_say_it():
    told = anomalies.find(tables(rounds(5, BURST)))
    first = told[told["rule"] == "early_rounds"]
    message = messages.fact_of(first.iloc[0], "message")
    assert "前 2 轮" in messages.say(message, "zh")
    assert "the first 2 of 5 rounds did 2.2 times as much" in messages.say(message)
