"""The search for the highest rate that keeps a p99: which rates are tried, and that it goes on where it stopped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import ParamsError
from ycsbook.params import Sweep, load, plan
from ycsbook.runner import following

SETTINGS = {
    "name": "searched", "server": {"kind": "mongod"}, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}],
    "workloads": ["a"], "threads": [16], "goals": {"p99_ms": 5}, "search_rate": True,
}  # fmt: skip


class Store:
    """A store of a server whose p99 rises with the rate; knows which runs were made."""

    def __init__(self, full: float, highest: float):
        self.full, self.highest, self.made = full, highest, {}

    def make(self, run):
        rate = run.sweep.target_ops_s or self.full
        self.made[run.run_id] = (rate, 1.0 if rate <= self.highest else 50.0)

    def is_completed(self, run_id):
        return run_id in self.made


@pytest.fixture(autouse=True)
def measured(monkeypatch):
    monkeypatch.setattr(following, "_measured", lambda run, store: store.made.get(run.run_id))


def search(store) -> list[float]:
    """The rates that are tried behind the run at full speed."""
    (run,) = plan(Sweep.model_validate(SETTINGS))
    tried = []
    while run is not None:
        store.make(run)
        tried.append(run.sweep.target_ops_s)
        run = following.next_of_search(run, store)
    return tried[1:]


@given(st.floats(100, 1e6), st.floats(0.05, 0.99))
def test_what_is_found_is_the_highest_rate_within_a_twentieth_or_two_digits(full, share):
    store = Store(full, share * full)
    tried = search(store)
    kept = max((rate for rate in tried if rate <= store.highest), default=0.0)
    broken = min(rate for rate in (*tried, full) if rate > store.highest)
    assert kept > 0 and broken / kept <= 1.13 and len(tried) <= 12
    assert len(set(tried)) == len(tried) and all(rate < full for rate in tried)


def test_full_speed_that_keeps_it_needs_no_search_and_a_server_that_never_does_ends_it():
    assert search(Store(1000, 2000)) == []
    never = search(Store(1000, 1))
    assert never == [500, 250, 120, 60, 30] and min(never) > 1000 / 64


def test_it_goes_on_where_it_stopped():
    store = Store(1000, 400)
    (run,) = plan(Sweep.model_validate(SETTINGS))
    store.make(run)
    first = following.next_of_search(run, store)
    store.make(first)
    again = following.expanded(plan(Sweep.model_validate(SETTINGS)), store)
    assert [step.sweep.target_ops_s for step in again] == [None, 500, 250]
    assert [store.is_completed(step.run_id) for step in again] == [True, True, False]
    assert again[-1].variation == (("target_ops_s", 250.0),) and len({step.run_id for step in again}) == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("search_rate: true", "needs the goal that a rate is to keep"),
        ("search_rate: true\ngoals: {p99_ms: 5}\ntarget_ops_s: 100", "finds target_ops_s by itself"),
        ("search_rate: true\ngoals: {p99_ms: 5}\ntarget_ops_s: [100, 200]", "finds target_ops_s by itself"),
        ("search_rate: true\ngoals: {p99_ms: 5}\nexperiment: crud", "got experiment crud"),
        ("target_ops_s: [100, 200]\nvary: {target_ops_s: [1]}", "is a list, and stands in vary as well"),
        ("target_ops_s: [100, 0]", "target_ops_s"),
    ],
)
def test_what_cannot_be_searched_is_refused(tmp_path, settings, message):
    path = tmp_path / "x.yml"
    path.write_text(f"name: x\nserver: {{kind: mongod}}\nspecs: [{{name: a, cores: 1, ram_gib: 1}}]\n{settings}\n")
    with pytest.raises(ParamsError, match=message):
        load(path)


def test_a_list_of_targets_is_what_varies():
    settings = {**SETTINGS, "search_rate": False, "target_ops_s": [None, 100, 200]}
    assert [run.sweep.target_ops_s for run in plan(Sweep.model_validate(settings))].count(100.0) == 1
    assert len(plan(Sweep.model_validate(settings))) == 3
