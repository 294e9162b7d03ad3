"""Sections of a params file: servers, clients, mixes, goals, questions, the report; and the values that they hold."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from ycsbook import paths, units
from ycsbook.errors import shown
from ycsbook.params import document, experiments

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# YCSB counts in Java ints; a month is longer than any run.
MAX_COUNT = 2**31 - 1
MAX_SECONDS = 31 * 24 * 3600.0
SLUG = r"[a-z0-9][a-z0-9._-]{0,63}"
_SWITCH = {"off": False, "on": True}


def in_words(pattern: str, words: str) -> AfterValidator:
    """A validator of texts that must match a pattern; the message names `words` instead of the pattern."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"got {shown(text)}, expected {words}")
        return text

    return AfterValidator(check)


def _no_truth_value(value: Any) -> Any:
    # YAML reads yes and on as true, which is a number as well.
    if isinstance(value, bool):
        raise ValueError(f"got {value}, expected a number")
    return value


def _inside_repository(path: str) -> str:
    resolved = paths.resolve(path).resolve()
    if not any(resolved.is_relative_to(root) for root in (paths.REPOSITORY, paths.SHIPPED)):
        raise ValueError(f"got {shown(path)}, expected a path inside the repository")
    return path


_SYSTEM_PROPERTY = r"-D(?:user\.[a-z]+|file\.encoding|java\.net\.prefer\w+|jdk\.tls\.\w+)=[^\0\n]*"
_FLAG = r"-XX:[+-](?:Use\w+|AlwaysPreTouch|TieredCompilation|DisableExplicitGC|ZGenerational|ExitOnOutOfMemoryError)"
_NUMBER = (
    r"-XX:(?:MaxRAM|\w+(?:Size|Threads|Count|Percent|Percentage|Ratio|Millis|Threshold|Level|Interval|Delay|Limit))"
    r"=[0-9]+(?:\.[0-9]+)?[kKmMgGtT]?"
)
# No option that names a file, a class or a command: a params file may come from somebody else.
_JAVA_OPTION = "|".join(
    (
        r"-X(?:m[sxn]|ss)[0-9]+[kKmMgG]?|-X(?:int|comp|mixed|rs|share:(?:off|auto|on))|-Xlog:[a-z0-9*+,=]+",
        r"--add-(?:opens|exports|reads|modules)=[\w.,/=-]+|--enable-(?:preview|native-access=[\w.,-]+)",
        *(_SYSTEM_PROPERTY, _FLAG, _NUMBER),
    )
)
NUMBER = BeforeValidator(_no_truth_value)
SLUG_WORDS = "up to 64 small letters, digits, '.', '_' and '-', a letter or digit first"
Slug = Annotated[str, in_words(SLUG, SLUG_WORDS)]
Seconds = Annotated[float, BeforeValidator(units.seconds), Field(gt=0, le=MAX_SECONDS)]
Fraction = Annotated[float, NUMBER, Field(ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
Amount = Annotated[float, NUMBER, Field(gt=0, allow_inf_nan=False)]
EnvName = Annotated[
    str, in_words(r"[A-Z_][A-Z0-9_]*", "the name of an environment variable in capitals, such as MINE_8C_URI")
]
InsideRepository = Annotated[str, AfterValidator(_inside_repository)]

JavaOption = Annotated[
    str,
    in_words(_JAVA_OPTION, "an option that sets memory, threads, garbage collection or the locale, such as -Xmx4g, "
             "-XX:+UseSerialGC or -XX:ActiveProcessorCount=8; set others in JAVA_HOME's own configuration"),
]  # fmt: skip


class Strict(BaseModel):
    """A part of a params file: unknown keys are refused, nothing changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


def _unique_names(value: tuple) -> tuple:
    for name, count in Counter(item.name for item in value).items():
        if count > 1:
            raise ValueError(f"the name {name!r} stands twice")
    return value


unique_names = AfterValidator(_unique_names)


def rule_switches(block: object) -> dict[str, bool | dict[str, float]]:
    """The `anomalies` block: of each rule False (off), True (as it is), or its thresholds by name; raises ValueError
    for anything else. Whether there are such rules is checked where they are known (anomalies.settings)."""
    if block is None:
        return {}
    if not isinstance(block, Mapping):
        raise ValueError(f"got {shown(block)}, expected rules by name, such as {{stall: {{seconds: 10}}, warmup: off}}")
    switches = {{False: "off", True: "on"}.get(rule, str(rule)): value for rule, value in block.items()}
    if misplaced := _SWITCH.keys() & switches:
        # YAML's own off and on are truth values.
        raise ValueError(
            f"{min(misplaced)}: got {shown(switches[min(misplaced)])}; name the rule first, such as noise: off"
        )
    return {rule: _rule_switch(rule, value) for rule, value in switches.items()}


def _rule_switch(rule: str, value: object) -> bool | dict[str, float]:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _SWITCH:
        return _SWITCH[value]
    if not isinstance(value, Mapping):
        raise ValueError(f"{rule}: got {shown(value)}, expected off, on or thresholds such as {{seconds: 10}}")
    for key, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise ValueError(f"{rule}.{key}: got {shown(number)}, expected a number")
    return {str(key): float(number) for key, number in value.items()}


RuleSwitches = Annotated[dict[str, Any], BeforeValidator(rule_switches)]


# The entry points by which other packages add kinds of server.
KINDS_GROUP = "ycsbook.server_kinds"
# Those that are built in are the modules of this folder. Their names are all that is known of them here.
OWN_KINDS = tuple(sorted(path.stem for path in (Path(__file__).parents[1] / "servers" / "kinds").glob("[a-z]*.py")))
# Settings of a server's own that `vary` may give several values of; for each there is a server then.
SERVER_SETTINGS = ("checkpoint_s", "journal_compressor")


@cache
def added_kinds() -> "dict[str, EntryPoint]":
    """The kinds of server of other packages, by name. One with a name of ours is left out."""
    # Only here: it takes longer to load than a params file that names a kind of ours to read.
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=KINDS_GROUP) if entry.name not in OWN_KINDS}


def kinds() -> tuple[str, ...]:
    return (*OWN_KINDS, *added_kinds())


class Server(Strict):
    """Where the database under test comes from.

    `topology` to `tls` shape a server of our own; of one that is reached by a URI they are read from it.
    `checkpoint_s`: seconds from the end of a checkpoint to the next; `journal_compressor`: WiredTiger's for its log.
    `election_timeout`: after how long without its primary a set of our own elects another one, s; MongoDB's own 10 s.
    """

    kind: str
    published: InsideRepository | None = None
    version: str = ""
    topology: Literal["standalone", "replica_set"] = "standalone"
    members: Annotated[int, Field(strict=True, ge=1, le=7)] | None = None
    auth: bool = True
    tls: bool = False
    engine: Literal["", "innodb", "myisam"] = ""
    gateway: Literal["", "eve", "restify", "spring"] = ""
    checkpoint_s: Annotated[int, Field(strict=True, ge=1, le=86_400)] | None = None
    journal_compressor: Literal["none", "snappy", "zlib", "zstd"] | None = None
    election_timeout: Seconds = 10.0

    @field_validator("kind", mode="after")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in OWN_KINDS and value not in added_kinds():
            raise ValueError(f"got {shown(value)}, expected one of {', '.join(kinds())}{document.near(value, kinds())}")
        return value

    @model_validator(mode="after")
    def _settings_of_the_kind(self) -> "Server":
        if self.kind == "uri" and (self.members, self.auth, self.tls) != (None, True, False):
            raise ValueError("members, auth and tls are for servers of our own; a uri says its own")
        if bool(self.gateway) != (self.kind == "rest"):
            raise ValueError("gateway is for kind: rest, which needs one: eve, restify or spring")
        for name, needed, serves in (
            ("members", "topology: replica_set", self.is_set),
            ("election_timeout", "topology: replica_set", self.is_set),
            ("engine", "kind: mariadb", self.kind == "mariadb"),
            *((name, "kind: mongod, a server of our own", self.kind == "mongod") for name in SERVER_SETTINGS),
        ):
            if not serves and getattr(self, name) != Server.model_fields[name].default:
                raise ValueError(f"{name} is for {needed}; leave it out or say so")
        return self

    @property
    def is_set(self) -> bool:
        return self.topology == "replica_set"

    @property
    def shape(self) -> dict[str, Any]:
        """The settings that differ from those of a plain server of our own; they are part of a run's identity."""
        if self.kind == "uri":
            return {}
        return self.model_dump(exclude={"kind", "published", "version"}, exclude_defaults=True)


class Spec(Strict):
    """A server's shape. A `uri` server takes its address from the environment variable `uri_env`, or from the file
    that the environment variable `<uri_env>_FILE` names; kinds of other packages may do so, too. `server`: of this spec
    alone, where a sweep compares servers of several kinds."""

    name: Slug
    cores: Amount
    ram_gib: Amount
    label: str = ""
    storage: str = ""
    uri_env: EnvName | None = None
    server: Server | None = None


ClientCount = Count | Literal["auto"]
Host = Annotated[
    str, in_words(r"[A-Za-z0-9][A-Za-z0-9._@:-]*", "a host's name or address as ssh takes it, such as me@10.0.0.7")
]


class Cluster(Strict):
    """Where several clients run: `local` processes of this machine, the workers of a dask `scheduler` that is there
    already, or `ssh` hosts on which workers are started.

    Parameters
        address: of the scheduler, such as tcp://10.0.0.5:8786.
        hosts: names or addresses that ssh knows, one client machine each; of a scheduler those of its workers to use,
            all where none is named.
        python: the Python of the ssh hosts; it must have ycsbook.
        at_once: how many servers are measured at once, each from client machines of its own.
        share_hosts: whether workers of one machine may drive several servers then.
    """

    kind: Literal["local", "scheduler", "ssh"] = "local"
    address: str = ""
    hosts: tuple[Host, ...] = ()
    python: Annotated[str, in_words(r"[\w./~-]*", "the path of a program, without options")] = ""
    at_once: Count = 1
    share_hosts: bool = False

    @model_validator(mode="after")
    def _address_where_one_is_needed(self) -> "Cluster":
        if (self.kind == "scheduler") != bool(self.address):
            raise ValueError("address is for kind: scheduler, which needs it")
        if (self.hosts and self.kind == "local") or (self.kind == "ssh" and not self.hosts):
            raise ValueError("hosts are for kind: ssh, which needs at least one, and for kind: scheduler")
        if self.at_once > 1 and self.kind == "local":
            raise ValueError("at_once: several servers are measured from client machines of their own; set kind to "
                             "scheduler or ssh")  # fmt: skip
        return self


class Workload(Strict):
    """An operation mix: shares that add up to 1; or the one operation of an experiment."""

    name: Slug
    operation: str = ""
    read: Fraction = 0.0
    update: Fraction = 0.0
    insert: Fraction = 0.0
    scan: Fraction = 0.0
    readmodifywrite: Fraction = 0.0
    distribution: Literal["zipfian", "uniform", "latest"] = "zipfian"

    @model_validator(mode="after")
    def _whole(self) -> "Workload":
        total = self.read + self.update + self.insert + self.scan + self.readmodifywrite
        if abs(total - (not self.operation)) > 1e-9:
            raise ValueError(
                f"the shares of workload {self.name!r} add up to {total:g}, expected {not self.operation:d}"
            )
        return self

    def plain(self) -> dict[str, Any]:
        """As JSON values; an operation of an experiment has no shares."""
        left_out = {"operation"} if not self.operation else set(type(self).model_fields) - {"name", "operation"}
        return self.model_dump(mode="json", exclude=left_out)

    @property
    def changes_records(self) -> bool:
        """Whether the records after a run are no longer those that were loaded."""
        changing = frozenset().union(*(e.changing for e in experiments.EXPERIMENTS.values()))
        return self.insert > 0 or self.operation in changing


class Goals(Strict):
    """The goals for a server: throughput, ops/s, and the 99th percentile of latency, ms."""

    qps: Amount | None = None
    p99_ms: Amount | None = None


# Closer than this no client measures; further apart than this nothing is known.
_Share = Annotated[float, BeforeValidator(units.share), Field(ge=0.001, le=0.5)]


class Goal(Strict):
    """One of three questions.

    Parameters
        factor: by what a doubling of cores multiplies throughput, to this share on either side.
        regression: whether more threads lose this share of throughput, for every spec and mix.
        qps: which spec is the smallest, or with prices the cheapest, that delivers so many ops/s.
    """

    factor: _Share | None = None
    regression: _Share | None = None
    qps: Amount | None = None

    @model_validator(mode="after")
    def _one(self) -> "Goal":
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError(f"expected one of {', '.join(type(self).model_fields)}, such as {{factor: 10 %}}")
        return self

    def __str__(self) -> str:
        ((name, value),) = self.model_dump(exclude_none=True).items()
        return f"{name} {value:,.12g}" if name == "qps" else f"{name} {100 * value:.4g} %"


class Until(Strict):
    """The question of a sweep, and what the answer may cost at most: time of measuring, and the sum of the specs'
    prices per hour; without either, as much as every run of the plan."""

    goal: Goal
    max_hours: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_cost: Amount | None = None


_FrontMatterName = Annotated[
    str, in_words(r"[A-Za-z][A-Za-z0-9_-]{0,31}", "up to 32 letters, digits, '_' and '-', a letter first")
]


class ReportSettings(Strict):
    """How the report looks and what its published page carries.

    Parameters
        profile: a vendor's page to write beside the report: qingcloud, tencent, a template in params/profiles, or
            one of another package.
        site: what publishes the Markdown page.
        front_matter: further fields of its head.
        history: a folder with the tables of earlier occasions, a folder each.
    """

    lang: Literal["en", "zh"] = "en"
    profile: Annotated[str, in_words(f"({SLUG})?", SLUG_WORDS)] = ""
    site: Literal["", "hugo", "sphinx", "plain"] = ""
    history: InsideRepository | None = None
    front_matter: dict[_FrontMatterName, bool | int | float | str | tuple[str, ...]] = Field(default_factory=dict)

    @field_validator("front_matter", mode="after")
    @classmethod
    def _not_ours(cls, value: dict) -> dict:
        for name in value:
            if name in ("title", "description", "slug", "lang"):
                raise ValueError(f"{name!r} is written by the report itself; leave it out")
        return value


class PricesAndGoals(Strict):
    """What a params file says about runs that are there: prices per hour by spec, goals, thresholds of rules, specs
    that were not measured, the report's language. A Sweep is one of which runs can be made."""

    specs: Annotated[tuple[Spec, ...], unique_names] = ()
    prices: dict[str, Amount] = Field(default_factory=dict)
    currency: Annotated[str, in_words(r"[^\s\d]{0,8}", "up to 8 characters without spaces and digits, such as EUR")] = (
        ""
    )
    goals: Goals = Goals()
    anomalies: RuleSwitches = Field(default_factory=dict)
    report: ReportSettings = ReportSettings()
    planned: ClassVar[bool] = False


class SourceSettings(Strict):
    title: str
    publisher: str = ""
    date: str = ""
    document: str = ""
    url: Annotated[str, in_words(r"(?:https?://[^\s<>]{3,500})?", "an address such as https://example.com/page")] = ""
