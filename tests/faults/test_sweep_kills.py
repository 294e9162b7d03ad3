"""A sweep that is killed again and again, at any point, ends as one that nobody touched.

A state machine: a real runner, a real mongod, a load generator that stands in for Java and prints the same log every
time. Its rules end the runner (SIGKILL, Ctrl-C) or its client at random points, and tear what lies in the store. At the
end of every history the sweep is started until it is done, and its tables are compared with those of a sweep that ran
through.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

sys.path += [os.path.dirname(__file__), str(Path(__file__).parents[1] / "contract")]
import runners
import stand_in
import sweeping

from ycsbook import ingest
from ycsbook.processes import Guard
from ycsbook.servers.mongod import Mongod

pytestmark = [pytest.mark.live, pytest.mark.matrix]

PARAMS = """
name: killed
server: {kind: uri}
specs:
  - {name: 1c, cores: 1, ram_gib: 1, uri_env: KILLED_URI}
workloads: [a, d]
threads: [2]
records: 200
min_duration: 1s
target_ops_s: 300
"""
# What differs between two runs of the same: when, how fast the machine was, and what was sampled beside them.
CHANGING = (
    "started_at", "host_speed", "rtt_us", "cpu_utilisation", "client_cpu", "host_cpu", "other_cpu", "source",
    "status_source", "data_bytes", "storage_bytes", "index_bytes", "server_rss_peak_gib", "server_cpu_us_per_op",
    "written_bytes_per_op", "read_bytes_per_op", "network_bytes_per_op",
)  # fmt: skip
LIMIT_S = 60


class Machine:
    """A server, and the process whose forks are the runners; every history has a store and a database of its own."""

    def __init__(self, folder: Path, server: Mongod, forking: subprocess.Popen):
        self.folder, self.server, self.forking = folder, server, forking
        self.home = stand_in.install(folder)
        self.params = folder / "killed.yml"
        self.params.write_text(PARAMS)
        self.number = 0
        whole = self.sweep()
        assert whole.attempt() == 0
        self.steps, self.frames = whole.steps, whole.frames()

    def sweep(self) -> "Sweep":
        self.number += 1
        uri = f"mongodb://127.0.0.1:{self.server.port}/killed{self.number}"
        environment = {"JAVA_HOME": str(self.home), "KILLED_URI": uri}
        return Sweep(self, self.folder / f"runs{self.number}", environment)


class Sweep:
    """One store and the runners that work for it, one after the other."""

    def __init__(self, machine: Machine, store: Path, environment: dict[str, str]):
        self.forking, self.store, self.steps = machine.forking, store, 0
        self._plain = {"params": str(machine.params), "store": str(store), "environment": environment, "signal": 9}

    def begin(self, **order: object) -> None:
        self.forking.stdin.write(json.dumps({**self._plain, **order}) + "\n")
        self.forking.stdin.flush()

    def end(self) -> int:
        """The exit code of the runner begun last, negative for the signal that ended it."""
        answer = json.loads(self.forking.stdout.readline())
        self.steps = answer["steps"]
        return os.waitstatus_to_exitcode(answer["status"])

    def attempt(self, **order: object) -> int:
        """The exit code of one runner from start to end; waits where the guard of the one before has not ended yet."""
        limit = time.monotonic() + LIMIT_S
        while True:
            self.begin(**order)
            if (code := self.end()) != runners.BUSY:
                return code
            assert time.monotonic() < limit, "the locks of a killed runner are never free"

    def frames(self) -> dict:
        """The tables of the runs, without what two runs of the same differ in."""
        tables = ingest.read([self.store])
        runs = tables.runs[tables.runs["phase"] == "run"].sort_values("run_id").reset_index(drop=True)
        runs["warnings"] = runs["warnings"].str.replace(" HOST_SPEED_CHANGED", "")
        found = {"runs": runs.drop(columns=list(CHANGING))}
        for name in ("operations", "percentiles", "intervals"):
            frame = getattr(tables, name)
            frame = frame[frame["run_id"].isin(runs["run_id"])]
            columns = [c for c in frame.columns if not c.endswith(("source", "source_line"))]
            found[name] = frame[columns].sort_values(columns[:3], kind="stable").reset_index(drop=True)
        return found


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, runners.__file__]
    with (
        Guard() as guard,
        Mongod(guard, folder / "server", cache_gib=0.25) as mongod,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as forking,
    ):
        yield Machine(folder, mongod, forking)


def test_a_sweep_killed_at_any_points_ends_as_one_that_nobody_touched(machine):
    kills = []

    class Killing(RuleBasedStateMachine):
        @initialize()
        def begin(self):
            self.sweep = machine.sweep()
            self.done = False

        def note(self, what, code):
            kills.append((what, code))
            self.done = code == 0

        @precondition(lambda self: not self.done)
        @rule(at=st.integers(1, machine.steps))
        def kill_the_runner_between_two_steps(self, at):
            self.note("kill", self.sweep.attempt(at=at))

        @precondition(lambda self: not self.done)
        @rule(at=st.integers(1, machine.steps))
        def interrupt_the_runner_between_two_steps(self, at):
            self.note("interrupt", self.sweep.attempt(at=at, signal=signal.SIGINT))

        @precondition(lambda self: not self.done)
        @rule(after_s=st.floats(0.2, 2.0))
        def kill_the_runner_at_a_moment(self, after_s):
            self.note("kill", self.sweep.attempt(after_s=after_s))

        @precondition(lambda self: not self.done)
        @rule()
        def kill_a_client(self):
            stand_in.behave(machine.home, seconds=0.5)
            self.sweep.begin()
            try:
                for client in sweeping.until(lambda: stand_in.clients(self.sweep.store), LIMIT_S):
                    client.kill()
            finally:
                stand_in.behave(machine.home)
                self.note("client", self.sweep.end())

        @precondition(lambda self: self.done)
        @rule()
        def start_a_sweep_that_is_done(self):
            assert self.sweep.attempt() == 0

        def teardown(self):
            limit = time.monotonic() + LIMIT_S
            while self.sweep.attempt() != 0:
                assert time.monotonic() < limit
            self.check()

        def check(self):
            store = self.sweep.store
            for name, frame in machine.frames.items():
                assert self.sweep.frames()[name].equals(frame), name
            finished = [json.loads(path.read_text()) for path in store.glob("*-1c-*/manifest.json")]
            assert {m["outcome"] for m in finished} == {"completed"}
            assert not list(store.glob("*.partial")) and not list(store.rglob("*.properties"))
            assert not stand_in.clients(store)

    run_state_machine_as_test(
        Killing,
        settings=settings(
            max_examples=5,
            stateful_step_count=5,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )

    ended = {what for what, code in kills if code not in (0, runners.UNSUCCESSFUL)}
    assert {"kill", "interrupt"} <= ended, kills
