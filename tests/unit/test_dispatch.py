"""Several servers at once: what is made when and by which machines, what is lost, and what is refused."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.errors import ClientMachineError, ParamsError, RunError, ToolError
from ycsbook.facts import fact
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import Sweep, load, plan
from ycsbook.runner import sweep as sweeps
from ycsbook.runner.clients.run import Client, Clients
from ycsbook.runner.clients.workers import host_mark
from ycsbook.runner.dispatch import Dispatch, Job, takes_s
from ycsbook.runner.following import FollowUps
from ycsbook.verdicts import Outcome, StopReason

SETTINGS = {
    "name": "many", "server": {"kind": "uri"}, "workloads": ["a"], "threads": [4, 8], "repeats": 2,
    "specs": [{"name": f"{c}c", "cores": c, "ram_gib": c, "uri_env": f"MANY_{c}C"} for c in (1, 2, 4)],
    "cluster": {"kind": "scheduler", "address": "tcp://10.0.0.1:8786", "at_once": 2},
}  # fmt: skip


def jobs(servers: int, cells: int, repeats: int) -> list[Job]:
    return [Job((s, c, r), s, (s, c)) for r in range(repeats) for s in range(servers) for c in range(cells)]


@settings(max_examples=200, deadline=None)
@given(st.builds(jobs, st.integers(1, 5), st.integers(1, 4), st.integers(1, 3)), st.integers(1, 3), st.data())
def test_every_run_is_made_once_and_no_server_or_machine_twice_at_a_time(every, needs, data):
    machines = [f"m{i}" for i in range(data.draw(st.integers(1, 6)))]
    dispatch = Dispatch(machines, needs, data.draw(st.integers(1, 5)), list(every))
    under_way, made = [], []
    while True:
        while order := dispatch.next():
            under_way.append(order)
        busy = [machine for order in under_way for machine in order.machines]
        assert len(busy) == len(set(busy)) and all(len(order.machines) == needs for order in under_way)
        assert len({order.job.server for order in under_way}) == len(under_way) <= dispatch.at_once
        if not under_way:
            break
        order = under_way.pop(data.draw(st.integers(0, len(under_way) - 1)))
        if data.draw(st.integers(0, 9)) == 0:
            # Its machine is lost: others make it again.
            dispatch.ended(order, order.machines[:1])
            dispatch.add([order.job], first=True)
        else:
            dispatch.ended(order)
            made.append(order.job)
    assert len(made) == len(set(made))
    assert set(made) | set(dispatch.waiting) == set(every) and dispatch.stuck == bool(dispatch.waiting)


def test_repeats_of_a_cell_are_driven_by_different_machines():
    dispatch, driven = Dispatch(["m0", "m1", "m2"], 1, 3, jobs(servers=3, cells=2, repeats=3)), {}
    while order := dispatch.next():
        driven.setdefault(order.job.cell, []).append(order.machines[0])
        dispatch.ended(order)
    assert {len(set(machines)) for machines in driven.values()} == {3}


def test_eighteen_servers_on_six_machines_take_a_sixth_of_the_time():
    every = jobs(servers=18, cells=4, repeats=3)
    one_by_one = takes_s(Dispatch(["m"], 1, 1, list(every)), lambda job: 1200.0)
    at_six = takes_s(Dispatch([f"m{i}" for i in range(6)], 1, 6, list(every)), lambda job: 1200.0)
    assert one_by_one == 216 * 1200 and at_six == one_by_one / 6


def verdict(outcome=Outcome.COMPLETED, stop_reason="") -> Verdict:
    reasons = () if outcome == Outcome.COMPLETED else (fact("reason-text", text="so"),)
    return Verdict(outcome, reasons, stop_reason)


@pytest.fixture
def sweep_runs(monkeypatch):
    """Makes the runs of a sweep with machines of which some fail; says which machine made what."""

    def make_all(what, machines=("m0", "m1", "m2")):
        there, made = list(machines), []
        monkeypatch.setattr(sweeps.workers, "machines", lambda cluster: list(there))
        opened = SimpleNamespace(
            beside=lambda: opened, stopping=SimpleNamespace(set=lambda: None), guard=SimpleNamespace(close=lambda: None)
        )

        def make(session, run):
            (machine,) = run.sweep.cluster.hosts
            result = what(run, machine, there)
            if result.outcome == Outcome.COMPLETED:
                made.append((run.run_id, machine))
            return result

        runs = plan(Sweep.model_validate(SETTINGS), servers={spec["name"]: "x" for spec in SETTINGS["specs"]})
        follow_ups = FollowUps(None, None, None, [])
        sweeps.measure_at_once(opened, runs, follow_ups, make)
        return follow_ups.unsuccessful, made, runs

    return make_all


def test_a_machine_that_is_lost_makes_nothing_more_and_its_run_is_made_elsewhere(sweep_runs):
    def what(run, machine, there):
        if machine == "m1":
            if machine in there:
                there.remove(machine)
            return verdict(Outcome.INCOMPLETE, StopReason.KILLED)
        return verdict()

    unsuccessful, made, runs = sweep_runs(what)
    assert unsuccessful == {} and sorted(run for run, _ in made) == sorted(run.run_id for run in runs)
    assert {machine for _, machine in made} == {"m0", "m2"}


def test_a_machine_that_cannot_start_a_client_is_left_out_and_without_any_the_sweep_ends(sweep_runs):
    def what(run, machine, there):
        if machine != "m2":
            raise ClientMachineError(f"{machine}: no Java")
        return verdict()

    unsuccessful, made, runs = sweep_runs(what)
    assert unsuccessful == {} and {machine for _, machine in made} == {"m2"} and len(made) == len(runs)
    with pytest.raises(ToolError, match="0 client machines are left, a run takes 1; start workers and start again"):
        sweep_runs(what, machines=("m0", "m1"))


@pytest.mark.parametrize("how", ["its records", "its process"])
def test_a_server_that_is_gone_is_left_alone_and_the_others_go_on(sweep_runs, how):
    def what(run, machine, there):
        if run.spec.name != "2c":
            return verdict()
        if how == "its records":
            raise RunError("2c: loading 20,000 records failed")
        return verdict(Outcome.INCOMPLETE, StopReason.SERVER_LOST)

    unsuccessful, made, runs = sweep_runs(what)
    assert {run.run_id for run in runs if run.spec.name == "2c"} == set(unsuccessful)
    assert len(made) == len(runs) - len(unsuccessful) == 8


def test_a_run_that_fails_by_itself_is_not_made_again(sweep_runs):
    asked = []

    def what(run, machine, there):
        asked.append(run.run_id)
        return verdict(Outcome.FAILED) if run.threads == 8 else verdict()

    unsuccessful, _, runs = sweep_runs(what)
    assert len(asked) == len(set(asked)) == len(runs) and len(unsuccessful) == len(runs) / 2


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"server": {"kind": "mongod"}}, "at_once measures servers on machines of their own, got kind mongod"),
        ({"clients": "auto"}, "at_once needs to know how many clients a run has"),
        ({"cluster": {"kind": "local", "at_once": 2}}, "set kind to scheduler or ssh"),
        ({"cluster": {"kind": "ssh", "hosts": ["a"], "at_once": 2}}, "2 servers take 2 client machines, got 1 hosts"),
        ({"specs": [{**s, "uri_env": "SAME"} for s in SETTINGS["specs"]]}, "got SAME in 3 of them"),
    ],
)
def test_what_cannot_be_measured_at_once_is_refused_with_the_params_file(tmp_path, change, complaint):
    settings = {**SETTINGS, **change}
    if change.get("server"):
        settings["specs"] = [{k: v for k, v in spec.items() if k != "uri_env"} for spec in SETTINGS["specs"]]
    file = tmp_path / "many.yml"
    file.write_text(yaml.safe_dump(settings))
    with pytest.raises(ParamsError) as refused:
        load(file)
    assert complaint in str(refused.value)


def test_two_names_of_one_server_are_refused(monkeypatch):
    sweep = Sweep.model_validate(SETTINGS)
    for cores, host in ((1, "localhost"), (2, "db2.example"), (4, "127.0.0.1:27017")):
        monkeypatch.setenv(f"MANY_{cores}C", f"mongodb://{host}/bench")
    with pytest.raises(ToolError, match=r"the specs 1c and 4c have one server, 127\.0\.0\.1:27017"):
        sweeps.require_apart(sweep, sweep.specs)
    sweeps.require_apart(sweep, sweep.specs[:2])


def test_the_mark_of_a_machine_is_that_of_its_workers_and_no_name():
    a, b = host_mark("tcp://10.0.0.7:4000"), host_mark("tls://10.0.0.7:5000")
    assert a == b != host_mark("tcp://10.0.0.8:4000") and "10.0.0.7" not in a


def test_a_machine_whose_clock_was_never_set_is_refused_and_one_that_is_a_little_off_is_not():
    def clock(ahead_s):
        clients, client = object.__new__(Clients), Client(0, None, "tcp://10.0.0.7:1", Path(), "")
        clients._ask = lambda client, function: time.time() + ahead_s
        clients._compare_clock(client)
        return client

    assert clock(4.0).ahead_s == pytest.approx(4.0, abs=0.1)
    with pytest.raises(ClientMachineError, match=r"its clock is \+3,600 s from this machine's, expected less"):
        clock(3600.0)
