"""Which of the planned runs are made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import params
from ycsbook.errors import ParamsError
from ycsbook.params import Sweep
from ycsbook.runner.selection import Selection

SWEEP = Sweep.model_validate(
    {
        "name": "chosen",
        "server": {"kind": "mongod"},
        "specs": [{"name": f"{c:g}c", "cores": c, "ram_gib": 2 * c} for c in (0.5, 1, 8)],
        "workloads": ["a", "b"],
        "threads": [100, 200],
        "repeats": 2,
    }
)
PLANNED = params.plan(SWEEP)


def chosen(*only: str) -> set[tuple]:
    runs = Selection.parse(only).chosen(PLANNED)
    return {(r.spec.cores, r.workload.name, r.threads, r.repeat) for r in runs}


def test_nothing_said_means_every_run_in_order():
    assert Selection.parse().chosen(PLANNED) == PLANNED


@pytest.mark.parametrize(
    ("only", "number"),
    [
        (["cores=8,threads=200"], 4), (["cores=8.0, threads = 200"], 4), (["threads=100|200"], 24), (["spec=0.5c"], 8),
        (["cores=8", "cores=1,workload=b"], 12), (["repeat=2,workload=a,cores=8,threads=100"], 1), (["ram_gib=2"], 8),
    ],
)  # fmt: skip
def test_conditions_in_one_go_together_and_several_add_up(only, number):
    assert len(chosen(*only)) == number


@given(st.sampled_from([0.5, 1, 8]), st.sampled_from([100, 200]), st.sampled_from("ab"))
def test_what_is_chosen_is_what_was_asked_for(cores, threads, workload):
    found = chosen(f"cores={cores},threads={threads},workload={workload}")
    assert found == {(cores, workload, threads, repeat) for repeat in (1, 2)}


@pytest.mark.parametrize("only", ["core=8", "cores", "cores=", "cores=8|", "=8", "", "cores=8,,threads=100"])
def test_what_is_no_condition_is_refused(only):
    with pytest.raises(ParamsError, match=r"--only: got .*, expected conditions such as cores=8,threads=100\|200"):
        Selection.parse([only])


def test_a_condition_that_no_run_meets_is_refused_with_those_that_are_met():
    with pytest.raises(ParamsError, match=r"--only cores=7: no such run is planned; cores is "):
        chosen("cores=7")


def test_conditions_that_no_run_meets_together_are_refused():
    few = [run for run in PLANNED if (run.spec.cores, run.threads) != (8, 100)]
    with pytest.raises(ParamsError, match=r"--only cores=8,threads=100: no planned run meets all of these"):
        Selection.parse(["cores=8,threads=100"]).chosen(few)


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(ParamsError, match=r"threads stands twice in .*; several values are written threads=4\|16"):
        Selection.parse(["threads=100,threads=200"])


def test_more_repeats_leave_the_planned_runs_as_they_are():
    more = params.plan(Selection.parse(repeats=5).of(SWEEP))
    assert len(more) == 60 and {r.run_id for r in PLANNED} < {r.run_id for r in more}
    with pytest.raises(ParamsError, match="--repeat: got 0"):
        Selection.parse(repeats=0)
