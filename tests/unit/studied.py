"""A params file with a store that runs are put into as the runner does, of real logs."""

import shutil
from pathlib import Path

from ycsbook import params
from ycsbook.params.expand import PlannedRun
from ycsbook.store.runs import RunStore
from ycsbook.study import Study

LOGS = Path(__file__).parents[1] / "data" / "ycsb"
PARAMS = """
name: studied
server: {kind: mongod}
specs:
  - {name: 1c, cores: 1, ram_gib: 1}
  - {name: 2c, cores: 2, ram_gib: 2}
workloads: [a]
threads: [4, 8, 16]
repeats: 4
records: 1000
min_duration: 5s
"""


class Place:
    """A params file, a run store and an output folder of a test's own."""

    def __init__(self, folder: Path):
        self.params, self.store, self.output = folder / "studied.yml", RunStore(folder / "runs"), folder / "output"
        self.params.write_text(PARAMS)

    def study(self) -> Study:
        return Study(self.params, store=self.store.root, output=self.output)

    def planned(self, **made_with) -> list[PlannedRun]:
        sweep = params.load(self.params)
        server = made_with.pop("server", "mongod 6.0.5")
        return params.plan(sweep, client=made_with.pop("client", "c1"), servers={s.name: server for s in sweep.specs})

    def make(self, run: PlannedRun, *, phase: str = "run", ended: str = "2026-01-01T00:00:09Z", **facts) -> str:
        """Put a run into the store as the runner does; its log is that of a real one."""
        run_id = run.run_id if phase == "run" else f"{run.sweep.name}-{run.spec.name}-load-{run.run_id[-12:]}"
        partial = self.store.begin(run_id)
        log = "02_mongod_run_a_t8_hdr" if phase == "run" else "01_mongod_load_a_t8_hdr"
        for stream in ("out", "err"):
            shutil.copy(LOGS / f"{log}.{stream}", partial / f"run.{stream}")
        manifest = {
            "schema": 2, "run_id": run_id, "dataset": run.sweep.name, "phase": phase, "repeat": run.repeat,
            "threads": run.threads, "clients": 1, "spec": run.spec.model_dump(mode="json"),
            "workload": run.workload.model_dump(mode="json"), "write_concern": "1", "inputs": run.inputs,
            "server": {"kind": "mongod", "version": "6.0.5", "topology": "standalone", "cores_enforced_by": "none"},
            "outcome": "completed", "reasons": [], "warnings": [], "command": "java site.ycsb.Client",
            "started_at": "2026-01-01T00:00:00Z", "ended_at": ended, **facts,
        }  # fmt: skip
        self.store.finish(partial, manifest)
        return run_id

    def taken(self) -> list[str]:
        return [m["run_id"] for m in self.study().manifests]
