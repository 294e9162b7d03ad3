"""What a params file says of the servers under test and of the clients that load them."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from ycsbook.errors import shown
from ycsbook.params import mistakes
from ycsbook.params.values import Amount, Count, EnvName, InsideRepository, Seconds, Slug, Strict, in_words

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# The entry points by which other packages add kinds of server.
KINDS_GROUP = "ycsbook.server_kinds"
# A kind of our own is a module of this folder. Its name is all that is known of it here: what it does lies far above.
_OWN_KINDS = Path(__file__).resolve().parents[1] / "servers" / "kinds"


def kinds() -> tuple[str, ...]:
    """The kinds of server there are, ours first."""
    return (*own_kinds(), *added_kinds())


def own_kinds() -> tuple[str, ...]:
    """The kinds of server that are built in."""
    return tuple(sorted(path.stem for path in _OWN_KINDS.glob("[a-z]*.py")))


@cache
def added_kinds() -> "dict[str, EntryPoint]":
    """The kinds of server of other packages by name. One that is called as ours is left out."""
    # Only here: it takes longer to load than a params file that names a kind of ours to read.
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=KINDS_GROUP) if entry.name not in own_kinds()}


# Settings of a server's own that `vary` may give several values of; for each there is a server then.
SERVER_SETTINGS = ("checkpoint_s", "journal_compressor")


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
        if value not in own_kinds() and value not in added_kinds():
            raise ValueError(f"got {shown(value)}, expected one of {', '.join(kinds())}{mistakes.near(value, kinds())}")
        return value

    @model_validator(mode="after")
    def _members_of_a_set(self) -> "Server":
        if self.kind == "uri" and (self.members, self.auth, self.tls) != (None, True, False):
            raise ValueError("members, auth and tls are for servers of our own; a uri says its own")
        if self.members is not None and self.topology != "replica_set":
            raise ValueError("members is for topology: replica_set; leave it out or say so")
        if self.election_timeout != 10.0 and not self.is_set:
            raise ValueError("election_timeout is for topology: replica_set; leave it out or say so")
        if self.engine and self.kind != "mariadb":
            raise ValueError("engine is for kind: mariadb; leave it out or say so")
        if bool(self.gateway) != (self.kind == "rest"):
            raise ValueError("gateway is for kind: rest, which needs one: eve, restify or spring")
        for name in SERVER_SETTINGS:
            if getattr(self, name) is not None and self.kind != "mongod":
                raise ValueError(f"{name} is for kind: mongod, a server of our own; leave it out or say so")
        return self

    @property
    def is_set(self) -> bool:
        """Whether it is a replica set of our own."""
        return self.topology == "replica_set"

    @property
    def shape(self) -> dict[str, Any]:
        """The settings that differ from those of a plain server of our own; they are part of a run's identity."""
        if self.kind == "uri":
            return {}
        shape = {name: getattr(self, name) for name in _SHAPE}
        return {name: value for name, value in shape.items() if value != Server.model_fields[name].default}


_SHAPE = ("topology", "members", "auth", "tls", "engine", "gateway", "election_timeout", *SERVER_SETTINGS)


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


Clients = Count | Literal["auto"]
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
