"""Where a report's figures come from: machine, server, client and commands, and the files and code they follow from.

Tables, fits, findings and reports are made anew when one of their files changes, or the code that makes them: all of
the package but what only starts things and shows them elsewhere (_MAKES_NO_RESULT), whose change leaves every result as
it is. An archive of logs, which takes longer to read than to report, goes by versions instead: ingest.archive_index.
"""

import datetime
import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ycsbook import __version__, messages, paths, processes, units
from ycsbook.errors import StoreError, ToolError
from ycsbook.params import Sweep
from ycsbook.secrets import redact
from ycsbook.store.runs import sha256

_MACHINE = {"cpu": "CPU", "cores": "cores", "memory_gib": "memory (GiB)", "kernel": "kernel", "os": "system",
            "python": "Python"}  # fmt: skip
_CLIENT = {"ycsb": "YCSB", "binding": "binding", "driver": "MongoDB driver", "java": "Java", "commit": "ycsbook commit",
           "digest": "SHA-256 of the jars"}  # fmt: skip
# The program, the pages' templates and their texts.
_CODE = frozenset({".py", ".c", ".j2", ".css", ".js", ".ftl"})
_MAKES_NO_RESULT = frozenset({"batch", "commands", "explore", "library", "processes", "runner", "servers"})

# What a server given by URI tells of itself, the least of each spec's runs.
_SERVER_FIGURES = {
    "cores": ("cores that the server tells", units.at_most),
    "ram_gib": ("RAM that the server tells", lambda gib: f"{units.at_most(gib, 3)} GiB"),
    "rtt_us": ("shortest round trip", "{:,.0f} µs".format),
}


def environment(sweep: Sweep, manifests: list[dict], inputs: dict[str, str]) -> dict[str, dict[str, str]]:
    """Facts under headings, as texts, without secrets. `manifests`: of the measured runs, none for a sweep that has
    only a published table; `inputs`: files with their SHA-256."""
    return {
        **({"Published source": _published(sweep)} if sweep.server.published else {}),
        **(_measured(manifests) if manifests else {}),
        "Made with": {"ycsbook": __version__, "Python": platform.python_version()},
        "Inputs": _grouped_inputs(inputs),
    }


def commit() -> str:
    command = ["git", "-C", paths.REPOSITORY, "describe", "--always", "--exclude=*", "--abbrev=40"]
    try:
        described = processes.output([*command, "--dirty= with changes"], advice="install git")
    except ToolError:
        return "unknown"
    return "unknown" if described.returncode else described.stdout.strip()


def _published(sweep: Sweep) -> dict[str, str]:
    # Only here: the status of a sweep is told in less time than this takes to load.
    from ycsbook.ingest.published.published import read_sidecar

    facts = read_sidecar(sweep.server.published)
    flat = {k: v for k, v in facts.items() if isinstance(v, str) and "sha256" not in k}
    return flat | {k: str(v) for k, v in facts.get("environment", {}).items()}


def _measured(manifests: list[dict]) -> dict[str, dict[str, str]]:
    servers, specs = [m["server"] for m in manifests], [m["spec"] for m in manifests]
    short = [s["cores_short"] for s in servers if s.get("cores_short")]
    ways = (messages.text("method-cores-way", way=s["cores_enforced_by"] or None) for s in servers)
    caches = (f"{spec['cache_gib']:g} GiB" if spec.get("cache_gib") else "as deployed" for spec in specs)
    server = {name: _distinct(s[name] for s in servers) for name in ("kind", "version", "topology")}
    server |= {"cores of a spec": _distinct(ways), "WiredTiger cache": _distinct(caches)}
    for key, (name, as_text) in _SERVER_FIGURES.items():
        values = [(m["spec"]["name"], m["server"][key]) for m in manifests if m["server"].get(key) is not None]
        if least := dict(sorted(values, reverse=True)):
            server[name] = _distinct(f"{spec}: {as_text(value)}" for spec, value in sorted(least.items()))
    if short:
        server["cores of all members"] = _distinct(
            f"{c['wanted']:g} wanted, {c['usable']:g} usable: the members share them" for c in short
        )
    return {
        "Machine": _of_each(manifests, "machine", _MACHINE),
        "Server": server,
        "Load generator": _of_each(manifests, "client", _CLIENT),
        "Commands": _commands(manifests),
    }


def _of_each(manifests: list[dict], part: str, names: dict[str, str]) -> dict[str, str]:
    return {name: _distinct(str(m.get(part, {}).get(key, "")) for m in manifests) for key, name in names.items()}


def _commands(manifests: list[dict]) -> dict[str, str]:
    """One command per phase, workload and threads: the repeats differ in nothing else."""
    commands: dict[str, str] = {}
    for m in sorted(manifests, key=lambda m: (m["phase"], m["workload"]["name"], m["threads"])):
        name = m["phase"] if m["phase"] == "load" else f"workload {m['workload']['name']}, {m['threads']} threads"
        commands.setdefault(name, redact(m["command"]))
    return commands


def _grouped_inputs(inputs: dict[str, str]) -> dict[str, str]:
    """The inputs; all run manifests as one line, and all notebooks, with the hash of their hashes."""
    listed: dict[str, str] = {}
    for name, suffix in (("run manifests", "/manifest.json"), ("notebooks", ".ipynb")):
        members = sorted(f"{path} {digest}" for path, digest in inputs.items() if path.endswith(suffix))
        if members:
            label = f"{len(members)} {name} (each in tables/inputs.json)"
            listed[label] = hashlib.sha256("\n".join(members).encode()).hexdigest()
    single = {p: d for p, d in inputs.items() if not p.endswith(("/manifest.json", ".ipynb"))}
    return {**dict(sorted(single.items())), **listed}


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(v for v in values if v))


def utc_now() -> str:
    """This moment, ISO 8601 to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def hashes(files: Iterable[Path]) -> dict[str, str]:
    """The files' SHA-256 by their short names; raises StoreError where one cannot be read."""
    return {short(file): digest(file) for file in files}


def digest(file: Path) -> str:
    """The SHA-256 of one file; raises StoreError where it cannot be read."""
    try:
        return sha256(file)
    except OSError as e:
        raise StoreError(f"{file}: cannot be read: {e.strerror}") from None


def short(file: Path) -> str:
    """A file's path in the repository; of a file elsewhere only its name, so that no path of this machine is shown."""
    return file.relative_to(paths.REPOSITORY).as_posix() if file.is_relative_to(paths.REPOSITORY) else file.name


@cache
def code() -> dict[str, str]:
    total = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(path for path in home.rglob("*") if path.suffix in _CODE):
        if path.relative_to(home).parts[0] not in _MAKES_NO_RESULT:
            total.update(path.read_bytes())
    return {f"ycsbook {__version__}": total.hexdigest()}
