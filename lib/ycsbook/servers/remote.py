"""A server that is already there: reached, identified and asked before anything is measured on it."""

import math
import re
import statistics
import time
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote

import pymongo
from pymongo.database import Database
from pymongo.errors import ConfigurationError, InvalidURI, OperationFailure, PyMongoError
from pymongo.write_concern import WriteConcern

from ycsbook.errors import ToolError, shown
from ycsbook.secrets import Secret, hosts, redact
from ycsbook.units import US_PER_S

LIMIT_S = 5.0
PINGS = 10
SCRATCH = "ycsbook_preflight"
_DEFAULT_DATABASE = "ycsb"
# The load generator's driver knows these, Python's does not.
_JAVA_ONLY = ("maxLifeTimeMS", "sslInvalidHostNameAllowed")
_UNAUTHORISED, _AUTHENTICATION_FAILED, _ATLAS_AUTHENTICATION = 13, 18, 8000
# The last is what an older Java driver called it.
_UNVERIFIED = ("tlsinsecure", "tlsallowinvalidcertificates", "tlsallowinvalidhostnames", "sslinvalidhostnameallowed")
_TLS_FILES = ("tlscafile", "tlscertificatekeyfile", "tlscertificatekeyfilepassword", "tlscrlfile")


@dataclass(frozen=True)
class ServerFacts:
    """What a server says of itself.

    topology: standalone, replica_set or sharded. cores and ram_gib are NaN where hostInfo is not permitted.
    rtt_us is the smallest of several pings, rtt_mean_us their mean, rtt_max_us the largest. clock_difference_s is the
    server's clock minus ours, exact to half a round trip. free_bytes is the room in the data's file system, NaN
    where the server does not tell. process is what it calls its own process, empty before MongoDB 4.4. members are
    those of its replica set that hold data.
    """

    version: str
    topology: str
    cores: float
    ram_gib: float
    rtt_us: float
    rtt_mean_us: float
    rtt_max_us: float
    clock_difference_s: float
    free_bytes: float = math.nan
    process: str = ""
    members: int = 1


def preflight(uri: Secret) -> ServerFacts:
    """Check within about 5 s that a server can be measured: reachable, authenticated, writable.

    Writes one document into the collection `ycsbook_preflight` of the benchmark's database and drops it.

    Raises
        ToolError: one line, without the password: not reachable, name not resolved, TLS, password, not
            authorised, read-only, too old, or a URI that is none.
    """
    try:
        with connect(uri) as client:
            client.admin.command("ping")
            free_bytes = _write(client)
            return _facts(client, free_bytes)
    except (PyMongoError, ValueError, OSError, UserWarning) as e:
        raise ToolError(explain(e, uri)) from None


def connect(uri: Secret, **options: object) -> pymongo.MongoClient:
    """A client that gives up after 5 s, where `options` do not say otherwise; close it, or use it in a `with`.

    Raises
        PyMongoError, ValueError, UserWarning: a URI that is none, or an option that is none: a misspelt
            `tls=true` must not be passed over.
    """
    ms = int(LIMIT_S * 1000)
    limits = {"serverSelectionTimeoutMS": ms, "connectTimeoutMS": ms, "socketTimeoutMS": ms}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for option in _JAVA_ONLY:
            warnings.filterwarnings("ignore", f"(?i)unknown option: {option}")
        return pymongo.MongoClient(uri.reveal(), **{"appname": "ycsbook", **limits, **options})


def explain(error: Exception, uri: Secret) -> str:
    """One line that says what is wrong with a server and what to do, without user and password."""
    text = str(error)
    reason = (
        text.partition(", Timeout:")[0].partition(", full error:")[0].splitlines()[0] if text else "no reason given"
    )
    return f"{hosts(uri) or 'the server'}: {_ADVICE[_kind(error)].format(reason=shown(redact(reason, [uri])))}"


_ADVICE = {
    "password": "wrong user or password; check them and authSource in the URI, and URL-encode : / @ %",
    "permission": "this user is not authorised: {reason}; give it readWrite on the benchmark's database",
    "uri": "not a MongoDB URI: {reason}; expected mongodb://user:password@host:port/database?option=value",
    "name": "the host name cannot be resolved; check its spelling and your DNS",
    "old": "too old: {reason}; upgrade it, or load it with YCSB by hand and read the logs with 'ycsbook ingest'",
    "tls": "no TLS connection: {reason}; check tls and tlsCAFile in the URI and the host name",
    "file": "a file that the URI names cannot be read: {reason}; check its path, its owner and its mode",
    "refused": "the server refuses: {reason}",
    "unreachable": f"not reachable within {LIMIT_S:g} s: {{reason}}; is it running, is the port right, does a "
    "firewall or an access list stand between?",
}


def _kind(error: Exception) -> str:
    if isinstance(error, OperationFailure):
        kinds = {_UNAUTHORISED: "permission", _AUTHENTICATION_FAILED: "password", _ATLAS_AUTHENTICATION: "password"}
        return kinds.get(error.code, "refused")
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError):
        return "file"
    text = str(error)
    if re.search(r"getaddrinfo|Name or service not known|nodename nor servname|name resolution|DNS", text):
        return "name"
    if "wire version" in text:
        return "old"
    if isinstance(error, ConfigurationError | InvalidURI | ValueError | UserWarning):
        return "uri"
    return "tls" if re.search(r"SSL|TLS|certificate", text) else "unreachable"


def benchmark_database(client: pymongo.MongoClient) -> Database:
    """The database that the binding uses with the same URI: the one it names, unless that is admin, else ycsb.

    A URI ends in /admin because that is where its user is defined, not because data should go there.
    """
    named = client.get_default_database(_DEFAULT_DATABASE)
    return client[_DEFAULT_DATABASE] if named.name == "admin" else named


def _write(client: pymongo.MongoClient) -> float:
    """Write a document and drop it; returns the free bytes, which a server tells only of a database that exists."""
    database = benchmark_database(client)
    collection = database.get_collection(SCRATCH, write_concern=WriteConcern(w=1, wtimeout=int(LIMIT_S * 1000)))
    collection.insert_one({"ycsbook": 1})
    try:
        sizes = database.command("dbStats")
    except OperationFailure:
        sizes = {}
    collection.drop()
    total = float(sizes.get("fsTotalSize", 0))
    return total - float(sizes["fsUsedSize"]) if total > 0 and "fsUsedSize" in sizes else math.nan


def _facts(client: pymongo.MongoClient, free_bytes: float) -> ServerFacts:
    hello = client.admin.command("hello")
    cores, ram_gib = _host(client)
    pings_us, differences_s = [], []
    for _ in range(PINGS):
        wall_s, begin = time.time(), time.perf_counter()
        answer = client.admin.command("hello")
        rtt_s = time.perf_counter() - begin
        pings_us.append(rtt_s * US_PER_S)
        local: datetime = answer["localTime"].replace(tzinfo=UTC)
        differences_s.append(local.timestamp() - (wall_s + rtt_s / 2))
    return ServerFacts(
        version=client.server_info()["version"],
        topology="sharded" if hello.get("msg") == "isdbgrid" else "replica_set" if "setName" in hello else "standalone",
        cores=cores,
        ram_gib=ram_gib,
        rtt_us=min(pings_us),
        rtt_mean_us=statistics.fmean(pings_us),
        rtt_max_us=max(pings_us),
        clock_difference_s=statistics.median(differences_s),
        free_bytes=free_bytes,
        process=str(hello.get("topologyVersion", {}).get("processId", "")),
        members=len([*hello.get("hosts", ()), *hello.get("passives", ())]) or 1,
    )


def _host(client: pymongo.MongoClient) -> tuple[float, float]:
    try:
        system = client.admin.command("hostInfo")["system"]
    except OperationFailure:
        return float("nan"), float("nan")
    # In a container memLimitMB is what the server may use, memSizeMB what the machine has.
    return float(system["numCores"]), system.get("memLimitMB", system["memSizeMB"]) / 1024


def uri_options(uri: Secret) -> dict[str, str]:
    """The options of a URI by their lower-case names, as its last mention of each has them.

    Examples
        >>> uri_options(Secret("mongodb://h/?tls=true&tlsCAFile=/etc/my%20ca.pem"))
        {'tls': 'true', 'tlscafile': '/etc/my ca.pem'}
    """
    _, _, query = uri.reveal().partition("?")
    pairs = (option.partition("=") for option in query.replace(";", "&").split("&") if option)
    return {name.lower(): unquote(value) for name, _, value in pairs}


def tls_verified(uri: Secret) -> bool | None:
    """Whether certificate and host name are checked; None: the connection is not encrypted."""
    options = uri_options(uri)
    if any(options.get(name) == "true" for name in _UNVERIFIED):
        return False
    by_name = "tls" if "tls" in options else "ssl"
    if by_name in options:
        return True if options[by_name] == "true" else None
    return True if uri.reveal().startswith("mongodb+srv:") or needs_tls_files(uri) else None


def needs_tls_files(uri: Secret) -> bool:
    """Whether the URI names files, which only a driver that reads such options can use."""
    return bool(uri_options(uri).keys() & set(_TLS_FILES))
