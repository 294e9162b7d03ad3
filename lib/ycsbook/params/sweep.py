"""The schema of a params file: one sweep over server specs, workloads and client threads."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from ycsbook import paths, units
from ycsbook.errors import ParamsError, shown
from ycsbook.params import document, mistakes
from ycsbook.params.anomalies import Anomalies
from ycsbook.params.workloads import STANDARD, standard

# YCSB counts in Java ints; a month is longer than any run.
MAX_COUNT = 2**31 - 1
MAX_SECONDS = 31 * 24 * 3600.0
SLUG = r"[a-z0-9][a-z0-9._-]{0,63}"

Slug = Annotated[str, Field(pattern=f"^{SLUG}$")]
Seconds = Annotated[float, BeforeValidator(units.seconds), Field(gt=0, le=MAX_SECONDS)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
EnvName = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]*$")]


def _inside_repository(path: str) -> str:
    resolved = paths.resolve(path).resolve()
    if not resolved.is_relative_to(paths.REPOSITORY):
        raise ValueError(f"got {shown(path)}, expected a path inside the repository")
    return path


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Server(_Strict):
    """Where the database under test comes from."""

    kind: Literal["mongod", "uri", "mariadb"]
    published: Annotated[str, AfterValidator(_inside_repository)] | None = None
    version: str = ""
    topology: Literal["standalone", "replica_set"] = "standalone"


class Spec(_Strict):
    """A server's shape. A `uri` server takes its address from the environment variable `uri_env`."""

    name: Slug
    cores: Amount
    ram_gib: Amount
    label: str = ""
    storage: str = ""
    uri_env: EnvName | None = None


class Workload(_Strict):
    """An operation mix: shares that add up to 1."""

    name: Slug
    read: Fraction = 0.0
    update: Fraction = 0.0
    insert: Fraction = 0.0
    scan: Fraction = 0.0
    readmodifywrite: Fraction = 0.0
    distribution: Literal["zipfian", "uniform", "latest"] = "zipfian"

    @model_validator(mode="after")
    def _whole(self) -> "Workload":
        total = self.read + self.update + self.insert + self.scan + self.readmodifywrite
        if abs(total - 1) > 1e-9:
            raise ValueError(f"the shares of workload {self.name!r} add up to {total:g}, expected 1")
        return self

    @property
    def inserts(self) -> bool:
        """Whether a run of it changes the number of records."""
        return self.insert > 0


class Goals(_Strict):
    """What the server is wanted for: throughput, ops/s, and the 99th percentile of latency, ms."""

    qps: Amount | None = None
    p99_ms: Amount | None = None


class Report(_Strict):
    """How the report looks."""

    lang: Literal["en", "zh"] = "en"


class Source(_Strict):
    """Where a published table and the settings come from."""

    title: str
    publisher: str = ""
    date: str = ""
    document: str = ""


class Sweep(_Strict):
    """A params file. Only name, server and specs are required."""

    name: Slug
    title: str = ""
    server: Server
    specs: Annotated[tuple[Spec, ...], Field(min_length=1)]
    workloads: Annotated[tuple[Workload, ...], Field(min_length=1)] = ("a", "b")
    threads: Annotated[tuple[Count, ...], Field(min_length=1)] = (100, 200)
    ladder: bool = False
    records: Count = 20_000
    field_count: Count = 10
    field_length: Count = 100
    operations: Count | None = None
    min_duration: Seconds = 1200.0
    repeats: Count = 1
    seed: int = 1
    java_options: tuple[str, ...] = ()
    write_concern: Literal[0, 1, "majority"] = 1
    read_preference: Literal["primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"] = "primary"
    upsert: bool = False
    batch_size: Count = 1
    load_threads: Count = 4
    target_ops_s: Amount | None = None
    max_failed: Fraction = 0.0
    table: Slug = "usertable"
    prices: dict[str, Amount] = {}
    currency: Annotated[str, Field(pattern=r"^[^\s\d]{0,8}$")] = ""
    goals: Goals = Goals()
    anomalies: Anomalies = {}
    report: Report = Report()
    source: Source | None = None
    basis: dict[str, Literal["printed", "assumed"]] = {}

    @model_validator(mode="before")
    @classmethod
    def _published_beside_server(cls, values: Any) -> Any:
        # `published` may stand inside `server` or beside it; both mean the same.
        if isinstance(values, dict) and "published" in values and isinstance(values.get("server"), dict):
            values = dict(values)
            values["server"] = {"published": values.pop("published"), **values["server"]}
        return values

    @field_validator("workloads", mode="before")
    @classmethod
    def _named_workloads(cls, value: Any) -> Any:
        return [standard(w) if isinstance(w, str) else w for w in value] if isinstance(value, list | tuple) else value

    @field_validator("specs", "workloads", mode="after")
    @classmethod
    def _unique(cls, value: tuple) -> tuple:
        names = [item.name for item in value]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the name {name!r} stands twice")
        return value

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
                raise ValueError(f"{key!r} is not a setting{mistakes.suggest(key, cls)}")
        return value

    @model_validator(mode="after")
    def _prices_of_specs(self) -> "Sweep":
        names = [spec.name for spec in self.specs]
        for name in self.prices:
            if name not in names:
                raise ValueError(f"prices: {name!r} is not a spec{mistakes.near(name, names)}")
        return self

    @model_validator(mode="after")
    def _addresses(self) -> "Sweep":
        for spec in self.specs:
            if self.server.kind == "uri" and not spec.uri_env:
                raise ValueError(f"spec {spec.name!r} needs uri_env, the environment variable with its URI")
            if self.server.kind != "uri" and spec.uri_env:
                raise ValueError(f"spec {spec.name!r} has uri_env, which only server kind uri takes")
        return self


Sweep.model_rebuild()

# The models behind keys of a params file; the file's own under "".
_MODELS = {
    "": Sweep, "server": Server, "specs": Spec, "workloads": Workload, "goals": Goals, "report": Report,
    "source": Source,
}  # fmt: skip


def load(path: str | Path) -> Sweep:
    """The validated sweep of a params file; a relative path counts from the repository.

    Raises
        ParamsError: one line naming file, line and key, what was found and what was expected.
    """
    path = paths.resolve(path)
    values, lines = document.read(path)
    try:
        return Sweep.model_validate(values)
    except ValidationError as e:
        raise ParamsError(mistakes.explain(e, path, lines, _MODELS)) from None


__all__ = ["STANDARD", "Goals", "Report", "Server", "Source", "Spec", "Sweep", "Workload", "load"]
