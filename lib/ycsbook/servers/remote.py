"""A server that is already there: reached, identified and asked before anything is measured on it."""

import re
import statistics
import time
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import unquote

import pymongo
from pymongo.database import Database
from pymongo.errors import ConfigurationError, InvalidURI, OperationFailure, PyMongoError
from pymongo.write_concern import WriteConcern

from ycsbook.errors import ToolError, shown
from ycsbook.secrets import Secret, hosts, redact
from ycsbook.servers.kind import Target
from ycsbook.units import BYTES_PER_GIB, US_PER_S
from ycsbook.verdicts import Warn

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


def preflight(uri: Secret) -> Target:
    """Check within about 5 s that a server can be measured: reachable, authenticated, writable.

    Writes one document into the collection `ycsbook_preflight` of the benchmark's database and drops it.

    Returns
        the server, with these facts, None where it does not tell: cores and ram_gib of its machine; process, what it
        calls its own, empty before MongoDB 4.4; members of a replica set that hold data, if several; rtt_mean_us and
        rtt_max_us of several pings, of which rtt_us is the smallest; clock_difference_s, its clock minus ours, exact to
        half a round trip; free_gib in the data's file system; tls, if it is used.

    Raises
        ToolError: one line, without the password: not reachable, name not resolved, TLS, password, not
            authorised, read-only, too old, or a URI that is none.
    """
    try:
        with connect(uri) as client:
            client.admin.command("ping")
            free_bytes = _write(client)
            return _target(client, uri, free_bytes)
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


def _write(client: pymongo.MongoClient) -> float | None:
    """Write a document and drop it; returns the free bytes, which a server tells only of a database that exists."""
    database = benchmark_database(client)
    collection = database.get_collection(SCRATCH, write_concern=WriteConcern(w=1, wtimeout=int(LIMIT_S * 1000)))
    collection.insert_one({"ycsbook": 1})
    try:
        sizes = database.command("dbStats")
    except OperationFailure:
        sizes = {}
    collection.drop()
    total, used = figure(sizes, "fsTotalSize"), figure(sizes, "fsUsedSize")
    return total - used if total and used is not None else None


def _target(client: pymongo.MongoClient, uri: Secret, free_bytes: float | None) -> Target:
    hello = client.admin.command("hello")
    cores, ram_gib = _host(client)
    members = len([*hello.get("hosts", ()), *hello.get("passives", ())])
    verified = tls_verified(uri)
    pings_us, differences_s = [], []
    for _ in range(PINGS):
        wall_s, begin = time.time(), time.perf_counter()
        answer = client.admin.command("hello")
        rtt_s = time.perf_counter() - begin
        pings_us.append(rtt_s * US_PER_S)
        if isinstance(local := answer.get("localTime"), datetime):
            differences_s.append(local.replace(tzinfo=UTC).timestamp() - (wall_s + rtt_s / 2))
    return Target(
        uri=uri,
        reach=hosts(uri),
        version=str(client.server_info().get("version", "")),
        topology="sharded" if hello.get("msg") == "isdbgrid" else "replica_set" if "setName" in hello else "standalone",
        cache_gib=None,
        cores_enforced_by="",
        rtt_us=min(pings_us),
        facts={
            "cores": cores,
            "ram_gib": ram_gib,
            "process": str((hello.get("topologyVersion") or {}).get("processId", "")),
            **({"members": members} if members > 1 else {}),
            "rtt_mean_us": statistics.fmean(pings_us),
            "rtt_max_us": max(pings_us),
            "clock_difference_s": statistics.median(differences_s) if differences_s else None,
            "free_gib": None if free_bytes is None else free_bytes / BYTES_PER_GIB,
            **({} if verified is None else {"tls": "verified" if verified else "not verified"}),
        },
        warnings=(Warn.TLS_NOT_VERIFIED,) if verified is False else (),
    )


def _host(client: pymongo.MongoClient) -> tuple[float | None, float | None]:
    """Cores and RAM, GiB; None for what it does not tell, be it this user or anybody."""
    try:
        info = client.admin.command("hostInfo")
    except OperationFailure:
        return None, None
    # In a container memLimitMB is what the server may use, memSizeMB what the machine has.
    ram_mib = figure(info, "system", "memLimitMB") or figure(info, "system", "memSizeMB")
    return figure(info, "system", "numCores"), ram_mib / 1024 if ram_mib else None


def figure(document: object, *place: str) -> float | None:
    """The number at a place of what a server answered; None where there is none."""
    for name in place:
        document = document.get(name) if isinstance(document, Mapping) else None
    return float(document) if isinstance(document, int | float) else None


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
