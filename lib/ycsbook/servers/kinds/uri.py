"""Deployments of the user's, each reached by the URI in its spec's environment variable or the file that it names."""

import statistics
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pymongo
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.write_concern import WriteConcern

from ycsbook.errors import ToolError
from ycsbook.params import Spec, Sweep
from ycsbook.processes import Guard
from ycsbook.secrets import FILE_SUFFIX, Secret, hosts, uri_from_env
from ycsbook.servers import mongodb
from ycsbook.servers.kind import RecordShape, Target
from ycsbook.servers.mongodb import MongoServers, figure
from ycsbook.units import BYTES_PER_GIB, US_PER_S
from ycsbook.verdicts import Warn

PINGS = 10
SCRATCH = "ycsbook_preflight"


def identity(sweep: Sweep, spec: Spec) -> str:
    """The hosts of the spec's URI; empty where the variable is not set."""
    uri = uri_from_env(spec.uri_env)
    return hosts(uri) if uri else ""


def shared(sweep: Sweep, specs: Iterable[Spec]) -> list[Secret]:
    return list({uri.reveal(): uri for uri in map(uri_of, specs)}.values())


def start(sweep: Sweep, guard: Guard, folder: Path) -> "GivenServers":
    return GivenServers(sweep)


def uri_of(spec: Spec) -> Secret:
    """The URI in a spec's environment variable, or in the file that it names; raises ToolError where there is none."""
    uri = uri_from_env(spec.uri_env)
    if uri is None:
        raise ToolError(
            f"spec {spec.name}: environment variable {spec.uri_env} is not set; put the URI there, or the path of "
            f"a file with it into {spec.uri_env}{FILE_SUFFIX}"
        )
    return uri


class GivenServers(MongoServers):
    """Each spec's deployment, asked before every run. `uri` gives a spec's URI, or raises ToolError."""

    def __init__(self, sweep: Sweep, uri: Callable[[Spec], Secret] = uri_of):
        self._sweep, self._uri = sweep, uri

    def check(self, spec: Spec) -> None:
        target = self.prepare(spec)
        if (free_gib := target.facts["free_gib"]) is not None:
            try:
                stored_bytes = self.dataset(target, self._sweep.table, RecordShape.of(self._sweep)).size()[
                    "storage_bytes"
                ]
            except ToolError:
                stored_bytes = 0
            where = f"{target.reach} (spec {spec.name})"
            mongodb.require_room(mongodb.records_bytes(self._sweep), free_gib * BYTES_PER_GIB + stored_bytes, where)

    def prepare(self, spec: Spec) -> Target:
        return preflight(self._uri(spec))


def preflight(uri: Secret) -> Target:
    """Check within about 5 s that a server can be measured: reachable, authenticated, writable.

    Writes one document into the collection `ycsbook_preflight` of the benchmark's database and drops it.

    Returns
        the server, with these facts, None where it does not tell: cores and ram_gib of its machine; process, what it
        calls its own, empty before MongoDB 4.4; members of a replica set that hold data, if several; rtt_mean_us and
        rtt_max_us of several pings, of which rtt_us is the smallest; clock_difference_s, its clock minus ours, exact to
        half a round trip; free_gib in the data's file system; tls, if it is used.
    Raises
        ToolError: one line, without the password.
    """
    try:
        with mongodb.connect(uri) as client:
            client.admin.command("ping")
            free_bytes = _write(client)
            return _target(client, uri, free_bytes)
    except (PyMongoError, ValueError, OSError, UserWarning) as e:
        raise ToolError(mongodb.explain(e, uri)) from None


def _write(client: pymongo.MongoClient) -> float | None:
    """Write a document and drop it; returns the free bytes, which a server tells only of a database that exists."""
    database = mongodb.benchmark_database(client)
    collection = database.get_collection(SCRATCH, write_concern=WriteConcern(w=1, wtimeout=int(mongodb.LIMIT_S * 1000)))
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
    verified = mongodb.tls_verified(uri)
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
    try:
        info = client.admin.command("hostInfo")
    except OperationFailure:
        return None, None
    # In a container memLimitMB is what the server may use, memSizeMB what the machine has.
    ram_mib = figure(info, "system", "memLimitMB") or figure(info, "system", "memSizeMB")
    return figure(info, "system", "numCores"), ram_mib / 1024 if ram_mib else None
