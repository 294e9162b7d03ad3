"""The interface of a kind of server; each kind is one module, of servers/kinds or of another package.

Another package names its module by an entry point of the group `ycsbook.server_kinds`. It is called as the params file
says it (`server: {kind: mongod}`) and holds two functions:

    identity(sweep, spec) -> str               who the server is, without secrets; empty: not to be had now
    start(sweep, guard, folder) -> Servers     starts it, or finds it
    shared(sweep, specs) -> list[Secret]       URIs of servers that others can reach too, and which are locked
                                               therefore; left out where the servers are private
    NOT_MEASURED: str                          why YCSB's own mixes cannot be measured on it; left out elsewhere
"""

import contextlib
import importlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from ycsbook.errors import ToolError, shown
from ycsbook.params import Spec, Sweep
from ycsbook.params.experiments import YCSB
from ycsbook.params.sections import Server, added_kinds
from ycsbook.processes import Guard
from ycsbook.secrets import Secret
from ycsbook.verdicts import Warn


@dataclass(frozen=True)
class RecordShape:
    """The settings that make two data sets the same."""

    records: int
    field_count: int
    field_length: int
    insert_order: str = "hashed"
    experiment: str = YCSB
    indexes: int = 0

    @classmethod
    def of(cls, sweep: Sweep) -> "RecordShape":
        return cls(**{setting.name: getattr(sweep, setting.name) for setting in fields(cls)})

    def plain(self) -> dict[str, object]:
        """As it stands beside the records; what is younger than the first of them only where it is not as then."""
        settings = asdict(self)
        return {k: v for k, v in settings.items() if not (k in ("experiment", "indexes") and v in (YCSB, 0))}


class BenchmarkRecords:
    """The records in one server's YCSB table. Every method raises ToolError where the server refuses.

    A marker beside the records says how they were made: `loading` while a load is under way, `ready` after it,
    `changed` once a workload has inserted. Records without our marker are somebody else's: they are never touched.
    `settings`: the shape as the marker has it.

    A kind of server says how it is reached (`_reached` yields what the others take), what the table is called
    (`_called`), how many records there are (`_count`), how it is made without any (`_make_anew`), what the marker has
    (`_marker`: state and settings, or None), how it is written (`_mark`), and `size`, how large the records are now, in
    bytes: `data_bytes` of their documents, uncompressed, `storage_bytes` of the files with records and indexes,
    `index_bytes` of the indexes alone, where the server tells them apart.
    """

    def __init__(self, table: str, shape: RecordShape, settings: object):
        self._table, self._shape, self._settings = table, shape, settings

    def is_ready(self) -> bool:
        """Whether exactly these records are there, loaded by us and not changed since."""
        with self._reached() as place:
            return self._marker(place) == ("ready", self._settings) and self._count(place) == self._shape.records

    def clear(self) -> None:
        """Make room for a load; raises ToolError where the records there are not ours."""
        with self._reached() as place:
            ours = self._marker(place) is not None
            if not ours and (records := self._count(place)):
                raise ToolError(
                    f"{self._called(place)}: holds {records:,} records that ycsbook did not load; drop them yourself "
                    "or choose another 'table' in the params file"
                )
            self._mark(place, "loading")
            self._make_anew(place, ours)

    def mark_ready(self) -> None:
        """Record that the load was complete; raises ToolError where it was not."""
        with self._reached() as place:
            if (records := self._count(place, exactly=True)) != self._shape.records:
                raise ToolError(
                    f"{self._called(place)}: holds {records:,} records after loading {self._shape.records:,}; look at "
                    "the server's log, then start again"
                )
            self._check_load(place)
            self._mark(place, "ready")

    def mark_changed(self) -> None:
        with self._reached() as place:
            self._mark(place, "changed")

    def _check_load(self, place: Any) -> None:
        """Raise ToolError where a load of so many records is not whole all the same."""


class Counters(Protocol):
    def read(self) -> Mapping[str, float]:
        """The figures by column of samples.csv, and `cpu_s`; without what it does not tell."""

    def answers(self) -> bool:
        """Whether the server is there; tells within a second or so."""


@dataclass(frozen=True)
class Target:
    """A server that is ready: its address, what it is, and how its spec was brought about.

    `pids`: the server's processes on this machine, the primary's first; empty where they are not ours. `reach` tells
    one server's data from another's. `http`: the gateway that a run goes through instead of a driver. `facts`: what
    else the manifest says of it; `warnings`: what is suspicious.
    """

    uri: Secret
    reach: str
    version: str
    topology: str
    cache_gib: float | None
    cores_enforced_by: str
    rtt_us: float | None
    pids: tuple[int, ...] = ()
    http: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[Warn, ...] = ()


class Servers:
    """The servers of a sweep, of one kind; those that run already need neither be freed of limits nor ended."""

    def check(self, spec: Spec) -> None:
        """Refuse, before anything is run, a spec that cannot be had: raises ToolError."""

    def prepare(self, spec: Spec) -> Target:
        """Give the server the cores and the RAM of the spec; the data is kept."""

    def unthrottle(self) -> None:
        """Lift the limit on cores, for loading."""

    def dataset(self, target: Target, table: str, shape: RecordShape) -> BenchmarkRecords:
        """The records of a run on this server, whether they are there or not."""

    def counters(self, target: Target) -> AbstractContextManager[Counters]:
        """The server's own figures, which are read once a second during a run."""

    def close(self) -> None:
        """End what was started."""


def module(name: str) -> ModuleType:
    """The module of a kind of server; raises ToolError where that of another package cannot be used."""
    if name not in added_kinds():
        return importlib.import_module(f"ycsbook.servers.kinds.{name}")
    entry = added_kinds()[name]
    origin = f"the server kind {name!r} of the package {entry.dist.name}"
    try:
        added = entry.load()
    except Exception as e:  # noqa: BLE001 - whatever the package raises while it is loaded
        raise ToolError(f"{origin} cannot be loaded: {shown(str(e))}; mend or uninstall it") from None
    for function in ("identity", "start"):
        if not callable(getattr(added, function, None)):
            raise ToolError(f"{origin} has no {function}(); see docs/extending.md")
    return added


def require_measurable(sweep: Sweep) -> None:
    """Refuse a server that no binding can measure: raises ToolError with the kind and what can be measured on it."""
    for name in {sweep.server_of(spec).kind: None for spec in sweep.specs}:
        if sweep.experiment == YCSB:
            if reason := getattr(module(name), "NOT_MEASURED", ""):
                raise ToolError(f"server kind {name}: {reason}")
        elif name not in (kinds := sweep.measures.bindings):
            raise ToolError(f"server kind {name}: experiment {sweep.experiment} is made for {', '.join(kinds)}")


def start(sweep: Sweep, guard: Guard, folder: Path) -> Servers:
    """The servers of a sweep, started or found; `folder` is private and removed at the end."""
    parts = _by_server(sweep)
    if len(parts) == 1:
        return module(parts[0].server.kind).start(parts[0], guard, folder)
    return SideBySide(parts, guard, folder)


def shared(sweep: Sweep, specs: Iterable[Spec]) -> list[Secret]:
    """The URIs of a sweep's servers that other runners can reach too; none where they are private."""
    specs = list(specs)
    finders = [(part, getattr(module(part.server.kind), "shared", None)) for part in _by_server(sweep)]
    return [uri for part, find in finders if find for uri in find(part, [s for s in specs if s in part.specs])]


def identities(sweep: Sweep) -> dict[str, str]:
    """Each spec's server by spec name, without secrets; empty where there is none to measure (`absent`). Raises
    ToolError where the program of the only one, or of all, is missing."""
    asked = _asked(sweep)
    if all(isinstance(answer, ToolError) for answer in asked.values()):
        raise next(iter(asked.values()))
    return {name: "" if isinstance(answer, ToolError) else answer for name, answer in asked.items()}


def absent(sweep: Sweep) -> dict[str, ToolError]:
    return {name: answer for name, answer in _asked(sweep).items() if isinstance(answer, ToolError)}


def _asked(sweep: Sweep) -> dict[str, str | ToolError]:
    asked: dict[str, str | ToolError] = {}
    for part in _by_server(sweep):
        for spec in part.specs:
            try:
                asked[spec.name] = module(part.server.kind).identity(part, spec)
            except ToolError as e:
                asked[spec.name] = e
    return asked


def _by_server(sweep: Sweep) -> list[Sweep]:
    """One sweep for each server, with its specs; a setting of servers that varies makes several servers."""
    specs: dict[Server, dict[Spec, None]] = {}
    for _, varied in sweep.variations():
        for spec in varied.specs:
            specs.setdefault(varied.server_of(spec), {})[spec] = None
    return [sweep.model_copy(update={"server": server, "specs": tuple(group)}) for server, group in specs.items()]


class SideBySide:
    """Several servers in one sweep: each has a folder of its own and idles while another is measured."""

    def __init__(self, parts: Sequence[Sweep], guard: Guard, folder: Path):
        self._of_spec: dict[Spec, Servers] = {}
        with contextlib.ExitStack() as started:
            for number, part in enumerate(parts):
                server_folder = folder / f"server-{number}"
                server_folder.mkdir(mode=0o700)
                servers = module(part.server.kind).start(part, guard, server_folder)
                started.callback(servers.close)
                self._of_spec |= dict.fromkeys(part.specs, servers)
            self._prepared = self._of_spec[parts[0].specs[0]]
            self.close = started.pop_all().close

    def check(self, spec: Spec) -> None:
        self._of_spec[spec].check(spec)

    def prepare(self, spec: Spec) -> Target:
        self._prepared = self._of_spec[spec]
        return self._prepared.prepare(spec)

    def __getattr__(self, name: str) -> Any:
        """Everything else is asked of the server that was prepared last."""
        return getattr(self.__dict__["_prepared"], name)
