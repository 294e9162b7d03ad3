"""A sweep with a question: what it measures next, when it stops, what it says, and what it refuses."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.errors import ParamsError
from ycsbook.params import Sweep, load, plan
from ycsbook.report import questions as told
from ycsbook.report.rows import ReportRows
from ycsbook.runner import following
from ycsbook.runner.following import QuestionRounds
from ycsbook.scaling import until
from ycsbook.scaling.until import ENOUGH, HOLDS, LOOKS, LOST, OPEN, SHORT, CellName, every_cell, look
from ycsbook.tables import Tables, from_rows

# A promise in all its variations.
pytestmark = pytest.mark.matrix

SPECS = [{"name": f"{c}c", "cores": c, "ram_gib": 2 * c} for c in (1, 2, 4, 8)]
SETTINGS = {
    "name": "asked", "server": {"kind": "mongod"}, "specs": SPECS, "workloads": ["a", "b"], "threads": [100, 200],
    "repeats": 3, "min_duration": "20min",
}  # fmt: skip


def asked(goal: dict, **settings) -> Sweep:
    until = {"goal": goal, **{k: settings.pop(k) for k in ("max_hours", "max_cost") if k in settings}}
    return Sweep.model_validate({**SETTINGS, **settings, "until": until})


def truth(cell: CellName) -> float:
    """What a cell delivers: 8 cores lose 30 % with more threads, and only with 50:50."""
    cores = float(cell.spec.removesuffix("c"))
    loss = 0.7 if (cores, cell.workload, cell.threads) == (8, "a", 200) else 1.0
    return 10_000 * cores**0.85 * (1.3 if cell.workload == "b" else 1.0) * loss


def made(sweep: Sweep, cells: list[CellName], noise: float = 0.0, seed: int = 1) -> pd.DataFrame:
    """A runs table of these cells, one run each time they are named."""
    random, specs, seen = np.random.default_rng(seed), {s.name: s for s in sweep.specs}, {}
    rows = []
    for i, cell in enumerate(cells):
        seen[cell] = seen.get(cell, 0) + 1
        rows.append({
            "run_id": f"run-{i}", "dataset": sweep.name, "phase": "run", "outcome": "completed", "spec": cell.spec,
            "workload": cell.workload, "threads": cell.threads, "repeat": seen[cell], "cores": specs[cell.spec].cores,
            "ram_gib": specs[cell.spec].ram_gib, "read_fraction": 0.5 if cell.workload == "a" else 0.95,
            "throughput_ops_s": truth(cell) * np.exp(noise * random.standard_normal()),
        })  # fmt: skip
    return from_rows(rows, "runs")


def carried_out(sweep: Sweep, noise: float, seed: int = 1) -> tuple[until.Standing, list[CellName]]:
    """The sweep until it stops, and the cells in the order of their runs."""
    cells: list[CellName] = []
    while (state := until.state(sweep, made(sweep, cells, noise, seed))).following:
        cells += state.following
        assert len(cells) <= 500
    return state, cells


def test_growth_is_measured_at_the_ends_alone_until_its_interval_is_as_narrow_as_asked_for():
    state, cells = carried_out(asked({"factor": "10 %"}), noise=0.05)
    assert state.stopped == until.REACHED and {cell.spec for cell in cells} == {"1c", "8c"}
    assert len(cells) == 16 < state.most == 48
    assert all(np.sqrt(g.high / g.low) <= 1.1 for g in state.look.growths)
    of_no_loss = [g for g in state.look.growths if (g.workload, g.threads) != ("a", 200)]
    assert len(of_no_loss) == 3 and all(g.low < 2**0.85 < g.high for g in of_no_loss)
    narrower, more = carried_out(asked({"factor": 0.02}), noise=0.05)
    assert len(more) > 16 and more[:16] == cells and narrower.stopped in (until.REACHED, until.RUNS)


def test_a_loss_is_found_and_the_others_are_shown_to_have_none():
    state, cells = carried_out(asked({"regression": "10 %"}), noise=0.02)
    verdicts = {(c.workload, c.spec): c.verdict for c in state.look.changes}
    assert state.stopped == until.REACHED and len(cells) < state.most
    assert {cell for cell, verdict in verdicts.items() if verdict == LOST} == {("a", "8c")}
    assert set(verdicts.values()) == {LOST, HOLDS} and len(verdicts) == 8
    # A loss is never said of single runs.
    assert min(c.n for c in state.look.changes if c.verdict == LOST) > 1


def test_what_lies_at_the_border_stays_open_after_its_looks():
    sweep = asked({"regression": 0.3}, specs=SPECS[3:], workloads=["a"], max_hours=1000)
    state, cells = carried_out(sweep, noise=1.0)
    assert len(cells) == 2 * LOOKS and state.stopped == until.BORDER
    assert [c.verdict for c in state.look.changes] == [OPEN]


def test_the_smallest_spec_that_delivers_enough_is_found_by_halving():
    state, cells = carried_out(asked({"qps": 25_000}), noise=0.03)
    assert {s.workload: (s.short, s.enough) for s in state.look.supplies} == {"a": ("2c", "4c"), "b": ("2c", "4c")}
    assert state.stopped == until.REACHED and "1c" not in {cell.spec for cell in cells} and len(cells) < 24
    none, _ = carried_out(asked({"qps": 1e6}), noise=0.03)
    assert {(s.enough, s.short) for s in none.look.supplies} == {("", "8c")}
    every, _ = carried_out(asked({"qps": 100}), noise=0.03)
    assert {(s.enough, s.short) for s in every.look.supplies} == {("1c", "")}
    # With prices the cheapest counts, whatever its size.
    prices = {"1c": 1, "2c": 9, "4c": 3, "8c": 2}
    cheapest, _ = carried_out(asked({"qps": 25_000}, prices=prices), noise=0.03)
    assert {s.enough for s in cheapest.look.supplies} == {"8c"} and {ENOUGH, SHORT} == {"enough", "short"}


@settings(max_examples=9, deadline=None)
@given(
    st.sampled_from([{"factor": 0.05}, {"regression": 0.1}, {"qps": 25_000}]), st.floats(0.001, 0.3), st.integers(0, 99)
)
def test_it_always_ends_and_asks_for_nothing_that_cannot_be_measured(goal, noise, seed):
    sweep = asked(goal)
    state, cells = carried_out(sweep, noise, seed)
    assert set(cells) <= set(every_cell(sweep)) and len(cells) <= state.most and state.stopped
    # What is there decides what comes next, not how it came about.
    assert until.state(sweep, made(sweep, cells, noise, seed).sample(frac=1, random_state=seed))[1:] == state[1:]
    # What cannot be measured is not asked for.
    without = [cell for cell in every_cell(sweep) if cell.spec != "8c"]
    assert {cell.spec for cell in look(sweep, made(sweep, []).assign(y=1.0), without).following} <= {"1c", "2c", "4c"}


def test_a_budget_of_hours_or_money_ends_it_and_what_came_next_is_said():
    goal = {"factor": 0.01}
    hours, cells = carried_out(asked(goal, max_hours=2), noise=0.05)
    assert hours.stopped == until.HOURS and len(cells) == 5 and hours.look.following
    prices = {"1c": 1, "2c": 1, "4c": 1, "8c": 12}
    cost, cells = carried_out(asked(goal, max_cost=10, prices=prices), noise=0.05)
    assert cost.stopped == until.COST and cost.spent.cost <= 10 and cost.spent.runs == len(cells)
    runs, cells = carried_out(asked(goal, repeats=2), noise=0.3)
    assert runs.stopped == until.RUNS and len(cells) == 32


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("goal", [{"factor": 0.1}, {"factor": 0.001}, {"regression": 0.1}, {"qps": 25_000}])
def test_the_report_says_first_what_was_found_why_it_stopped_and_what_came_next(goal, lang):
    sweep = asked(goal, report={"lang": lang})
    state, cells = carried_out(sweep, noise=0.02)
    rows = ReportRows(sweep, Tables(runs=made(sweep, cells, noise=0.02)))
    said = rows.joined("sentences", map(rows.say, told.facts(rows)))
    assert str(len(cells)) in said and str(state.most) in said
    if lang == "en":
        assert said.startswith("Answered" if state.stopped == until.REACHED else "Stopped without")
        assert ("Next would be" in said) == ("factor" in goal)
        assert ("8 cores 16 GiB 50:50 −3" in said) == ("regression" in goal)


class Store:
    """A store that remembers which runs were made."""

    def __init__(self):
        self.completed = {}

    def is_completed(self, run_id):
        return run_id in self.completed

    def folder(self, run_id):
        return run_id


def test_a_sweep_that_was_stopped_goes_on_where_it_was_and_leaves_out_what_fails(monkeypatch):
    sweep, store = asked({"factor": 0.1}), Store()
    first = plan(sweep.model_copy(update={"repeats": 1}))

    def read(folders):
        (folder,) = folders
        run, seed = store.completed[folder], list(store.completed).index(folder)
        cell = CellName(run.workload.name, run.spec.name, run.threads)
        return SimpleNamespace(runs=made(sweep, [cell], 0.03, seed).assign(repeat=run.repeat))

    monkeypatch.setattr(following.ingest, "read", read)
    n = 0
    while runs := QuestionRounds(sweep, first, store).following():
        # Only the first of each round is made before it is stopped.
        store.completed[runs[0].run_id] = runs[0]
        n += 1
    made_runs = QuestionRounds(sweep, first, store).made()
    assert n == len(made_runs) == 16 and {run.repeat for run in made_runs} == {1, 2}
    assert {run.spec.name for run in made_runs} == {"1c", "8c"}
    store.completed.clear()
    failing = [run for run in first if run.spec.name == "8c"]
    assert {run.spec.name for run in QuestionRounds(sweep, first, store).following(failing)} == {"1c", "4c"}


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"until": {"goal": {"factor": 0.1, "qps": 5}}}, "expected one of factor, regression, qps"),
        ({"until": {"goal": {}}}, "expected one of factor, regression, qps"),
        ({"until": {"goal": {"factor": "a tenth"}}}, "expected a share such as 5% or 0.05"),
        ({"until": {"goal": {"factor": 60}}}, "0.5"),
        ({"until": {"goal": {"factor": 0.1}}, "specs": SPECS[:1]}, "needs specs of two core counts"),
        ({"until": {"goal": {"regression": 0.1}}, "threads": [100]}, "compares thread counts; got threads: [100]"),
        (
            {"until": {"goal": {"qps": 5}, "max_hours": 0.1}},
            "max_hours: got 0.1, expected 0.334 at least",
        ),
        ({"until": {"goal": {"qps": 5}, "max_cost": 5}}, "prices lacks 1c, 2c, 4c, 8c"),
        (
            {"until": {"goal": {"qps": 5}, "max_cost": 1}, "prices": {"1c": 1, "2c": 2, "4c": 4, "8c": 8}},
            "max_cost: got 1, expected 2.67 at least",
        ),
        ({"until": {"goal": {"qps": 5}}, "vary": {"records": [1000, 2000]}}, "got vary; leave one of them out"),
        ({"until": {"goal": {"qps": 5}}, "search_rate": True, "goals": {"p99_ms": 5}}, "got search_rate"),
    ],
)
def test_what_no_run_answers_is_refused_before_any_is_made(tmp_path, settings, complaint):
    import yaml

    file = tmp_path / "asked.yml"
    file.write_text(yaml.safe_dump({**SETTINGS, **settings}))
    with pytest.raises(ParamsError) as refused:
        load(file)
    assert complaint in str(refused.value) and "until" in str(refused.value)
