"""What the tests of live sweeps share: a small params file, the command, and what may be left of it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from ycsbook.servers import quota

YCSBOOK = Path(sys.executable).with_name("ycsbook")
PARAMS = """
name: {name}
server: {{kind: mongod}}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1}}
workloads: [{workloads}]
threads: [{threads}]
records: 200
min_duration: {duration}
{rate}java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx256m]
"""


def write_params(
    folder: Path, name: str, *, workloads: str = "a", threads: str = "2", duration: str = "3s", rate: float | None = 300
) -> Path:
    """A params file of short runs, at `rate` operations a second: that leaves the machine to other tests. None: as fast
    as they can."""
    path = folder / f"{name}.yml"
    target = f"target_ops_s: {rate}\n" if rate else ""
    path.write_text(PARAMS.format(name=name, workloads=workloads, threads=threads, duration=duration, rate=target))
    return path


def ycsbook(*arguments: object, timeout_s: float = 240) -> subprocess.CompletedProcess:
    command = [YCSBOOK, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)


def start(*arguments: object) -> subprocess.Popen:
    return subprocess.Popen(
        [YCSBOOK, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def error_line(done) -> str:
    """The one line that the command says what is wrong with."""
    text = done.stderr
    assert "Traceback" not in text, text
    (line,) = [line for line in text.splitlines() if line.startswith("ycsbook: ")]
    return line


def working_for(store: Path, program: str = "") -> list[psutil.Process]:
    """The live processes whose command line names this store: mongod and java."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = process.info["cmdline"] or []
        names_it = str(store) in " ".join(line) and process.info["status"] != psutil.STATUS_ZOMBIE
        if names_it and process.pid != os.getpid() and program in Path(line[0]).name:
            found.append(process)
    return found


def cpu_groups_left() -> set[str]:
    """CPU groups of processes that are gone. Those of living ones may be other tests', which run at the same time."""
    roots = ("/sys/fs/cgroup", "/sys/fs/cgroup/cpu")
    groups = (path for root in roots for path in Path(root).glob(f"{quota.PREFIX}*"))
    owned = {str(path): int(path.name.removeprefix(quota.PREFIX).split("-")[0]) for path in groups}
    return {path for path, owner in owned.items() if not psutil.pid_exists(owner)}


def until(what: Callable[[], object], limit_s: float) -> object:
    """Wait until it gives something true, and return that; else fail."""
    limit = time.monotonic() + limit_s
    while not (value := what()):
        assert time.monotonic() < limit, f"waited {limit_s} s in vain"
        time.sleep(0.05)
    return value


def under_way(store: Path) -> bool:
    """Whether a run (not a load) has finished operations."""
    return any(b" operations; " in p.read_bytes() for p in store.glob("*-t[0-9]*.partial/run.err"))


def manifests(store: Path) -> list[dict]:
    return [json.loads(p.read_text()) for p in sorted(store.glob("*/manifest.json"))]
