"""The command line of one wrk, which loads a REST gateway: each connection waits for its answer, as YCSB's
threads do."""

import math
import os
import shlex
from pathlib import Path

from ycsbook import paths
from ycsbook.params import PlannedRun
from ycsbook.processes import Guard
from ycsbook.runner.command import Command
from ycsbook.secrets import clean_environment
from ycsbook.servers.kinds import rest

SCRIPT = rest.SOURCES / "requests.lua"
# As long as a client waits for an answer before it counts as lost.
TIMEOUT_S = 30
# The first seconds of a gateway go into compiling and opening connections.
WARM_UP_S = 2


def build(run: PlannedRun, url: str, folder: Path) -> Command:
    """The wrk that makes a planned run.

    Parameters
        url: the gateway's. folder: the run's folder.
    Raises
        ToolError: no wrk.
    """
    argv = _wrk(run, url, run.workload.operation, run.sweep.min_duration)
    shown = shlex.join(["wrk", *argv[1:]]).replace(f"{paths.REPOSITORY}/", "")
    return Command(
        argv=tuple(argv),
        properties="",
        env=clean_environment(LC_ALL="C.UTF-8", TZ="UTC"),
        shown=shown,
        hdr=folder.absolute() / "hdr",
        reports_progress=False,
    )


def warm_up(guard: Guard, run: PlannedRun, url: str) -> None:
    """Read through the gateway before the run's clock runs."""
    process = guard.start(_wrk(run, url, "find-key", WARM_UP_S))
    try:
        process.wait(WARM_UP_S + TIMEOUT_S)
    except TimeoutError:
        process.stop()


def _wrk(run: PlannedRun, url: str, operation: str, seconds: float) -> list[str]:
    request = rest.GATEWAYS[run.sweep.server_of(run.spec).gateway].request(operation)
    return [
        os.fspath(rest.load_tool()), "-t1", f"-c{run.threads}", f"-d{math.ceil(seconds)}s",
        f"--timeout={TIMEOUT_S}s", "--latency", "-s", os.fspath(SCRIPT), url, "--", request.method, request.path,
        request.drawn, str(run.sweep.records),
    ]  # fmt: skip
