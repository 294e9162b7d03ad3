"""The schema of a params file: one sweep over server specs, workloads and client threads."""

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from ycsbook import paths, units
from ycsbook.errors import ParamsError
from ycsbook.params import document, experiments, sections
from ycsbook.params.sections import OWN_KINDS, SERVER_SETTINGS, PricesAndGoals, Server, Spec, Workload

# What makes the records themselves: data that is alike in these need not be loaded twice.
OF_RECORDS = ("records", "field_count", "field_length", "insert_order", "indexes")
# What `vary` may give several values of.
VARIED = (
    *OF_RECORDS, *SERVER_SETTINGS, "documents_per_query", "write_concern", "read_preference", "upsert", "target_ops_s",
    "clients",
)  # fmt: skip


# More than a year of runs of five minutes.
MAX_RUNS, MAX_VARIATIONS = 100_000, 1_000
# What a run takes beside its measured time: the JVM's start, the probes, closing the files.
OVERHEAD_S = 1.7
# A run that ends by its operations, s: nobody knows.
COUNTED_S = 60.0


class Sweep(PricesAndGoals):
    """A params file. Only name, server and specs are required."""

    name: sections.Slug
    title: str = ""
    experiment: Literal["ycsb", "crud", "insertion", "failover"] = "ycsb"
    server: Server
    specs: Annotated[tuple[Spec, ...], Field(min_length=1), sections.unique_names]
    workloads: Annotated[tuple[Workload, ...], Field(min_length=1), sections.unique_names] = ("a", "b")
    threads: Annotated[tuple[sections.Count, ...], Field(min_length=1)] = (100, 200)
    ladder: bool = False
    records: sections.Count = 20_000
    field_count: sections.Count = 10
    field_length: sections.Count = 100
    insert_order: Literal["hashed", "ordered"] = "hashed"
    indexes: Annotated[int, Field(strict=True, ge=0, le=3)] = 0
    documents_per_query: Annotated[int, Field(strict=True, ge=0)] = 0
    operations: sections.Count | None = None
    min_duration: sections.Seconds = 1200.0
    repeats: sections.Count = 1
    seed: Annotated[int, sections.NUMBER] = 1
    java_options: tuple[sections.JavaOption, ...] = ()
    write_concern: Annotated[Literal[0, 1, "majority", "journaled"], sections.NUMBER] = 1
    read_preference: Literal["primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"] = "primary"
    upsert: bool = False
    batch_size: sections.Count = 1
    load_threads: sections.Count = 4
    target_ops_s: sections.Amount | None = None
    search_rate: bool = False
    max_failed: sections.Fraction = 0.0
    table: sections.Slug = "usertable"
    clients: sections.ClientCount = 1
    cluster: sections.Cluster = sections.Cluster()
    vary: dict[str, Annotated[tuple[Any, ...], Field(min_length=1)]] = Field(default_factory=dict)
    until: sections.Until | None = None
    source: sections.SourceSettings | None = None
    planned: ClassVar[bool] = True
    basis: dict[str, Literal["printed", "assumed"]] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _of_experiment(cls, settings: Any) -> Any:
        settings = experiments.with_defaults(settings)
        if not isinstance(settings, dict) or not isinstance(settings.get("target_ops_s"), list):
            return settings
        # A list of target_ops_s is what varies.
        fixed = {name: value for name, value in settings.items() if name != "target_ops_s"}
        vary = settings.get("vary", {})
        if not isinstance(vary, dict) or "target_ops_s" in vary:
            raise ValueError("target_ops_s: is a list, and stands in vary as well; leave one of the two out")
        return {**fixed, "vary": {"target_ops_s": settings["target_ops_s"], **vary}}

    @field_validator("workloads", mode="before")
    @classmethod
    def _named_workloads(cls, value: Any, info: ValidationInfo) -> Any:
        experiment = info.data.get("experiment", experiments.YCSB)
        if not isinstance(value, list | tuple):
            return value
        return [experiments.workload(experiment, w) if isinstance(w, str) else w for w in value]

    @field_validator("threads", mode="after")
    @classmethod
    def _unique_threads(cls, value: tuple) -> tuple:
        if len(set(value)) < len(value):
            raise ValueError(f"got {list(value)}, expected each thread count once")
        return value

    @field_validator("basis", mode="after")
    @classmethod
    def _basis_of_settings(cls, value: dict) -> dict:
        for key in value:
            if key not in cls.model_fields:
                raise ValueError(f"{key!r} is not a setting{document.near(key, [*cls.model_fields])}")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> "Sweep":
        self._check_specs()
        self._check_variations()
        self._check_search()
        self._check_at_once()
        self._check_question()
        self._check_experiment()
        return self

    def _check_specs(self) -> None:
        names, problems = [spec.name for spec in self.specs], {}
        for i, spec in enumerate(self.specs):
            kind = self.server_of(spec).kind
            if kind == "uri" and not spec.uri_env:
                problems["specs", i] = f"spec {spec.name!r} needs uri_env, the environment variable with its URI"
            if kind != "uri" and kind in OWN_KINDS and spec.uri_env:
                problems["specs", i, "uri_env"] = f"spec {spec.name!r} has uri_env, which only server kind uri takes"
        for name in self.prices.keys() - names:
            problems["prices", name] = f"there is no such spec{document.near(name, names)}"
        if problems:
            raise document.located(problems)

    def _check_variations(self) -> None:
        variations = math.prod(map(len, self.vary.values()))
        thread_counts = len(self.threads) + self.ladder * max(self.threads).bit_length()
        runs = self.repeats * len(self.specs) * len(self.workloads) * thread_counts * variations
        if runs > MAX_RUNS or variations > MAX_VARIATIONS:
            raise ValueError(
                f"got {variations:,} variations and {runs:,} runs, expected at most {MAX_VARIATIONS:,} and "
                f"{MAX_RUNS:,}; lower repeats, or vary fewer values"
            )
        for name, values in self.vary.items():
            if name not in VARIED:
                listed = f"; {name} takes a list by itself" if name in ("specs", "workloads", "threads") else ""
                raise ValueError(f"vary: {name!r} is not one of {', '.join(VARIED)}{listed}")
            for value in values:
                self._with({name: value})
            if len(set(values)) < len(values):
                raise ValueError(f"vary.{name}: got {list(values)}, expected each value once")

    def _check_search(self) -> None:
        if not self.search_rate:
            return
        if self.goals.p99_ms is None:
            raise ValueError("search_rate: needs the goal that a rate is to keep, such as goals: {p99_ms: 5}")
        if self.target_ops_s is not None or "target_ops_s" in self.vary:
            raise ValueError("search_rate: finds target_ops_s by itself; leave one of the two out")
        if self.experiment != experiments.YCSB:
            raise ValueError(f"search_rate: got experiment {self.experiment}, expected ycsb: others have no rate")

    def _check_at_once(self) -> None:
        cluster, kinds = self.cluster, {self.server_of(spec).kind for spec in self.specs}
        if cluster.at_once == 1:
            return
        if local_kinds := sorted(kinds & {*OWN_KINDS} - {"uri"}):
            raise ValueError(
                f"cluster: at_once measures servers on machines of their own, got kind {local_kinds[0]}: expected uri"
            )
        for name, count in Counter(spec.uri_env for spec in self.specs if spec.uri_env).items():
            if count > 1:
                raise ValueError(f"cluster: at_once needs a server for each spec, got {name} in {count} of them")
        if self.clients == "auto":
            raise ValueError("cluster: at_once needs to know how many clients a run has; set clients to a number")
        if cluster.kind == "ssh" and len(cluster.hosts) < cluster.at_once * self.clients:
            raise ValueError(
                f"cluster: at_once: {cluster.at_once} servers take {cluster.at_once * self.clients} client machines, "
                f"got {len(cluster.hosts)} hosts; add hosts or lower at_once"
            )

    def _check_question(self) -> None:
        if (until := self.until) is None:
            return
        if self.experiment != experiments.YCSB or self.vary or self.search_rate:
            other = next((n for n in ("vary", "search_rate") if getattr(self, n)), f"experiment {self.experiment}")
            raise ValueError(
                f"until: chooses among specs, workloads and threads alone, got {other}; leave one of them out"
            )
        if until.goal.factor is not None and len({spec.cores for spec in self.specs}) < 2:
            raise ValueError(
                "until: goal factor needs specs of two core counts or more; got one, which no growth shows in"
            )
        if until.goal.regression is not None and len(self.threads) < 2 and not self.ladder:
            raise ValueError(f"until: goal regression compares thread counts; got threads: {list(self.threads)}")
        run_s = min(map(self.expected_s, self.workloads))
        run_hours = run_s / units.SECONDS_PER_HOUR
        if until.max_hours is not None and until.max_hours < run_hours:
            raise ValueError(
                f"until: max_hours: got {until.max_hours:g}, expected {run_hours:.3g} at least: one run takes "
                f"{units.duration(run_s)}"
            )
        if until.max_cost is None:
            return
        if unpriced := [spec.name for spec in self.specs if spec.name not in self.prices]:
            raise ValueError(
                f"until: max_cost needs the price per hour of every spec; prices lacks {', '.join(unpriced)}"
            )
        if until.max_cost < (dearest := max(self.prices.values()) * run_hours):
            raise ValueError(
                f"until: max_cost: got {until.max_cost:g}, expected {dearest:.3g} at least: what one run of the "
                "dearest spec costs"
            )

    def _with(self, settings: dict[str, Any]) -> "Sweep":
        """This sweep with other settings, checked as those of a params file are."""
        names = {"name", "experiment", "server", "specs", "threads", "batch_size", "records", "documents_per_query"}
        current = self.model_dump(include=names)
        if of_server := {name: settings[name] for name in SERVER_SETTINGS if name in settings}:
            for spec in current["specs"]:
                spec["server"] = {**(spec["server"] or current["server"]), **of_server}
        varied = {name: value for name, value in settings.items() if name not in of_server}
        checked = Sweep.model_validate({**current, **varied})
        changed = {*varied, *(("specs",) if of_server else ())}
        return self.model_copy(update={name: getattr(checked, name) for name in changed} | {"vary": {}})

    def _check_experiment(self) -> None:
        if self.experiment == experiments.YCSB:
            return
        kinds = {self.server_of(spec).kind for spec in self.specs}
        for kind in sorted(kinds & {"mariadb", "rest"}):
            for name in ("write_concern", "read_preference", "upsert", *(("target_ops_s",) if kind == "rest" else ())):
                got, default = getattr(self, name), type(self).model_fields[name].default
                if got != default:
                    raise ValueError(f"{name}: got {got!r}, expected {default!r}: server kind {kind} takes no other")
        if "rest" in kinds and (not_served := {w.operation for w in self.workloads} - {*experiments.THROUGH_GATEWAYS}):
            raise ValueError(
                f"workloads: got {', '.join(sorted(not_served))}, expected some of "
                f"{', '.join(experiments.THROUGH_GATEWAYS)}: server kind rest serves no other"
            )
        if self.clients != 1:
            raise ValueError(f"clients: got {self.clients}, expected 1: experiments are made by one client process")
        for name in ("records", "documents_per_query"):
            if self.measures.starts_empty and (value := getattr(self, name)) % self.batch_size:
                raise ValueError(
                    f"{name}: got {value:,}, expected a multiple of batch_size, {self.batch_size:,}: every insert is "
                    "of so many documents"
                )
        for workload in self.workloads:
            operations = self.operations_of(workload)
            if operations is not None and operations < max(self.threads):
                raise ValueError(
                    f"workload {workload.name!r} has {operations:,} operations for {max(self.threads):,} threads: "
                    "expected one for each at least; raise records, or lower batch_size or threads"
                )

        for spec in self.specs:
            server, needed = self.server_of(spec), self.measures.needs_members
            if needed and (server.kind != "mongod" or (server.members or 3) < needed or not server.is_set):
                raise ValueError(
                    f"experiment {self.experiment}: needs a replica set of {needed} members at least: "
                    "server: {kind: mongod, topology: replica_set}"
                )

    @property
    def measures(self) -> experiments.ExperimentKind:
        return experiments.EXPERIMENTS[self.experiment]

    def server_of(self, spec: Spec) -> Server:
        return spec.server or self.server

    def operations_of(self, workload: Workload) -> int | None:
        """The number of operations of a run; None: it ends by time."""
        if counted := self.measures.counted.get(workload.operation):
            queries = self.records // self.documents_per_query if self.documents_per_query else 0
            return self.records // (self.batch_size if counted == "many" else 1) + queries
        return self.operations

    def expected_s(self, workload: Workload) -> float:
        """How long a run takes, s; a minute for a run that ends by its operations, whose duration is unknown."""
        return (self.min_duration if self.operations_of(workload) is None else COUNTED_S) + OVERHEAD_S

    def variations(self) -> tuple[tuple[dict[str, Any], "Sweep"], ...]:
        """Every combination of the values in `vary`, with the sweep that has it; without `vary` the sweep itself."""
        combined = (dict(zip(self.vary, values, strict=True)) for values in itertools.product(*self.vary.values()))
        return tuple((settings, self._with(settings) if settings else self) for settings in combined)


class UnplannedSweep(Sweep):
    """A sweep for tables that no params file planned: it has a name and a title, and says nothing of the rest."""

    server: Server = Server(kind="uri")
    specs: tuple[Spec, ...] = (Spec(name="unknown", cores=1, ram_gib=1, uri_env="UNKNOWN"),)
    planned: ClassVar[bool] = False


# The models behind keys of a params file; the file's own under "".
_MODELS = {
    "": Sweep, "server": Server, "specs": Spec, "workloads": Workload, "goals": sections.Goals,
    "report": sections.ReportSettings, "source": sections.SourceSettings, "cluster": sections.Cluster,
    "until": sections.Until,
}  # fmt: skip


def load(path: str | Path) -> Sweep:
    """The validated sweep of a params file; a relative path counts from the repository. Raises ParamsError with a line
    for each mistake: file, line and key, what was found and what was expected."""
    path = paths.resolve(path)
    if path.exists() and path.suffix not in (".yml", ".yaml"):
        raise ParamsError(
            f"{path}: is no params file, expected NAME.yml with name, server and specs; 'ycsbook report' and the "
            "notebooks explore and 50_compare take tables, logs and CSVs"
        )
    return _validated(Sweep, path, *document.read(path, "a mapping with name, server and specs"))


def load_prices_and_goals(path: str | Path) -> PricesAndGoals:
    """As `load`, but a file without a server, or without the addresses of its servers, will do: what else it says of
    runs is not looked at, as none can be made."""
    path = paths.resolve(path)
    values, lines = document.read(path, "a mapping with prices, goals or specs")
    server, specs = values.get("server"), values.get("specs")
    has_servers = server is not None
    if isinstance(server, dict) and server.get("kind") == "uri":
        # Those that are reached by a URI need to be told where.
        has_servers = isinstance(specs, list) and all(isinstance(s, dict) and s.get("uri_env") for s in specs)
    if has_servers:
        return _validated(Sweep, path, values, lines)
    of_runs = Sweep.model_fields.keys() - PricesAndGoals.model_fields.keys()
    return _validated(PricesAndGoals, path, {k: values[k] for k in values if k not in of_runs}, lines)


def _validated(model: type[PricesAndGoals], path: Path, values: dict, lines: dict[tuple, int]) -> Any:
    try:
        return model.model_validate(values)
    except ValidationError as e:
        raise ParamsError(*document.mistakes(e, path, lines, _MODELS)) from None
