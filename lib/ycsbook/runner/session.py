"""One guard, one set of servers, many runs: what lives as long as a sweep is being made."""

import contextlib
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ycsbook import ingest, provenance
from ycsbook.errors import RunError, StoreError
from ycsbook.params import PlannedRun, Sweep
from ycsbook.processes.guard import Guard
from ycsbook.runner import client, command, facts, generator
from ycsbook.runner.judge import Verdict, judge
from ycsbook.servers import kind, probe
from ycsbook.servers.kind import Dataset, Servers, Shape, Target
from ycsbook.store.runs import RunStore, redact_logs
from ycsbook.verdicts import Outcome

SERVER_FOLDER = ".server"


@contextlib.contextmanager
def opened(sweep: Sweep, store: RunStore, held: int) -> Iterator["Session"]:
    """A session that is open: guard and servers started, ended with it whatever happens."""
    folder = store.root / SERVER_FOLDER
    shutil.rmtree(folder, ignore_errors=True)  # left by a runner that was killed; never holds results
    # The guard keeps the lock open: it is free only when the last process of ours is gone.
    with Guard(keep_open=[held]) as guard:
        guard.remove_at_end(folder, tree=True)
        _private_folder(folder)
        servers = kind.start(sweep, guard, folder)
        try:
            yield Session(guard, servers, store, folder)
        finally:
            servers.close()


def _private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except OSError as e:
        raise StoreError(f"{folder}: cannot be made: {e.strerror or e}; check owner, mode and free space") from e


class Session:
    """One guard, one set of servers, many runs."""

    def __init__(self, guard: Guard, servers: Servers, store: RunStore, folder: Path):
        self.guard, self.servers, self.store, self.folder = guard, servers, store, folder
        self.generator = generator.find()
        self.machine = probe.machine()
        self.commit = provenance.commit()
        self._speed: tuple[float, float] | None = None  # when measured, host speed

    def dataset(self, planned: PlannedRun, target: Target) -> Dataset:
        """The records that a run needs, whether they are there or not."""
        return self.servers.dataset(target, planned.sweep.table, Shape.of(planned.sweep))

    def load(self, planned: PlannedRun, target: Target) -> None:
        """Load the records, unthrottled; raises RunError where they are not all there afterwards."""
        dataset = self.dataset(planned, target)
        dataset.clear()
        self.servers.unthrottle()
        loading = replace(planned, threads=planned.sweep.load_threads, repeat=0)
        verdict = self.measure(loading, "load", target)
        if verdict.outcome != Outcome.COMPLETED:
            raise RunError(
                f"{planned.spec.name}: loading {planned.sweep.records:,} records failed: {'; '.join(verdict.reasons)}; "
                f"the logs are in {self.store.folder(facts.run_id(loading, 'load'))}",
                verdict.stop_reason,
            )
        dataset.mark_ready()

    def measure(self, planned: PlannedRun, phase: str, target: Target) -> Verdict:
        """Make one run, judge it, and put it into the store."""
        if phase == "run" and planned.workload.inserts:
            self.dataset(planned, target).mark_changed()
        partial = self.store.begin(facts.run_id(planned, phase))
        before = self._host_speed()
        built = command.build(planned, phase, generator=self.generator, uri=target.uri, folder=partial)
        started = provenance.utc_now()
        try:
            with self.servers.counters(target) as counters:
                stop_reason = client.execute(
                    self.guard,
                    built,
                    partial=partial,
                    secrets=self.folder,
                    wall_s=client.wall_limit_s(planned, phase),
                    server_pids=target.pids,
                    counters=counters,
                )
        finally:
            # Also when it is interrupted: the stock binding prints its whole URL.
            redact_logs(partial, [target.uri])
        after = self._host_speed(fresh=True)
        verdict = judge(ingest.ycsb.parse([partial / "run.out", partial / "run.err"]), planned, phase, stop_reason)
        told = {
            **facts.facts(planned, phase, target, verdict),
            "started_at": started,
            "ended_at": provenance.utc_now(),
            "host_speed": {"before": before, "after": after},
            "command": built.shown,
            "client": {**self.generator.versions(), "commit": self.commit},
            "machine": self.machine,
        }
        self.store.finish(partial, told)
        return verdict

    def _host_speed(self, fresh: bool = False) -> float:
        """The host's speed; a figure measured a moment ago serves as the next run's `before`."""
        if fresh or self._speed is None or time.monotonic() - self._speed[0] > 5:
            self._speed = (time.monotonic(), probe.host_speed())
        return self._speed[1]
