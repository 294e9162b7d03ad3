"""What private servers share: programs, ports, disk space, and access by password and certificates."""

import base64
import contextlib
import functools
import ipaddress
import os
import re
import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pymongo
from pymongo.errors import PyMongoError

from ycsbook import processes
from ycsbook.errors import ToolError, shown
from ycsbook.processes import Guard, GuardedProcess
from ycsbook.secrets import Secret, redact

USER = "ycsbook"
HOST = "127.0.0.1"
POLL_S = 0.02
PORT_ATTEMPTS = 5
MIN_FREE_BYTES = 400 * 1024**2
# mongod takes 6 to 1024 characters of base64.
_KEY_BYTES = 48
CERTIFIED_HOSTS = ("localhost", "127.0.0.1", "::1")
# What makes a password that can be guessed dear to guess; this one is random, and each new client would pay for it.
_SCRAM = "SCRAM-SHA-256"
_ITERATIONS = 5000  # as few as mongod allows
# Longer than any sweep; a clock that is a little behind ours must not find them too young.
CERTIFICATES_LAST = timedelta(days=365)
_CLOCK_SLACK = timedelta(days=1)


@dataclass(frozen=True)
class Program:
    """A server's program. `variable`: the environment variable that may hold its path; `version_pattern`: what it
    prints with `version_options`, whose first group is its version, such as `version_line`; `how_to_get`,
    `missing_library`: advice where there is none, or a shared library is missing."""

    name: str
    variable: str
    how_to_get: str
    version_options: tuple[str, ...]
    version_pattern: str
    version_line: str
    missing_library: str = ""

    def from_environment(self) -> Path | None:
        """The program that the environment variable names; None where it is not set. ToolError: not executable."""
        setting = os.environ.get(self.variable, "").strip()
        if not setting:
            return None
        path = Path(setting).expanduser()
        if not (path.is_file() and os.access(path, os.X_OK)):
            raise ToolError(
                f"{self.variable}: got {shown(setting)}, expected the path of an executable {self.name}; correct it, "
                "or unset it"
            )
        return path

    @functools.cache  # noqa: B019 - a program is a constant of its module
    def version(self, binary: Path) -> str:
        """The version that it prints, such as 6.0.5; raises ToolError where it does not run."""
        result = processes.output([binary, *self.version_options], advice=self.how_to_get)
        if match := re.search(self.version_pattern, result.stdout):
            return match[1]
        if library := re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open", result.stderr):
            raise ToolError(
                f"{binary}: the shared library {library[1]} is missing; {self.missing_library or self.how_to_get}"
            )
        output = (result.stderr or result.stdout).strip().splitlines()
        raise ToolError(
            f"{binary}: --version printed {shown(output[-1] if output else '')}, expected {self.version_line!r}"
        )


def free_port() -> int:
    """A port on loopback that nobody has at this moment."""
    with socket.socket() as s:
        s.bind((HOST, 0))
        return s.getsockname()[1]


def require_space(folder: Path, free_bytes: int) -> None:
    """Raise ToolError for a folder in which a server could not make its first files (300 MB for mongod's journal)."""
    if free_bytes < MIN_FREE_BYTES:
        raise ToolError(
            f"{folder}: {free_bytes / 1024**2:.0f} MiB free, expected at least {MIN_FREE_BYTES / 1024**2:.0f} MiB "
            "for a new database; free some or choose another folder"
        )


class PortTakenError(ToolError):
    """Another process has the port."""


def on_free_port(start: Callable[[int], Any]) -> Any:
    """Call `start` with a free port; with another one where somebody else took that first."""
    for _ in range(PORT_ATTEMPTS - 1):
        with contextlib.suppress(PortTakenError):
            return start(free_port())
    return start(free_port())


class NewText:
    """Reads what is written to some files from now on."""

    def __init__(self, *paths: Path):
        self._starts = {path: path.stat().st_size if path.exists() else 0 for path in paths}

    def __str__(self) -> str:
        written = [path.read_bytes()[start:] for path, start in self._starts.items() if path.exists()]
        return b"".join(written).decode(errors="replace")


def started(
    guard: Guard,
    argv: Sequence[str | Path],
    output: Path,
    *,
    name: str,
    port: int,
    answers: Callable[[], bool],
    limit_s: float,
    log: NewText,
    why: Callable[[str], str],
    hidden: Sequence[Secret] = (),
    **start_settings: Any,
) -> GuardedProcess:
    """Start a server and wait until it answers; only its owner can read its output. One that ends, or is silent for
    `limit_s`, is stopped: raises ToolError with what `why` makes of its output, PortTakenError where that says so.
    `hidden`: what must not stand there; `start_settings`: as for Guard.start."""
    process = guard.start(argv, stdout=output, stderr=output, mode=0o600, **start_settings)
    try:
        failure = f"did not answer within {limit_s:g} s"
        for _ in processes.polls(limit_s, POLL_S):
            if (code := process.poll()) is not None:
                failure = f"ended with code {code} at start"
                break
            if answers():
                return process
        if re.search(r"already in use|Connection in use|EADDRINUSE", str(log)):
            raise PortTakenError(f"port {port} on {HOST}: taken by another process meanwhile; try again")
        raise ToolError(f"{name} {failure}: {shown(redact(why(str(log)), hidden) or 'its log says nothing')}")
    except BaseException:
        process.stop()
        raise


@dataclass(frozen=True)
class Certificates:
    """Files in PEM form. `authority`: what a client has to trust; `server`: certificate and private key, mode 0600."""

    authority: Path
    server: Path


def make_certificates(folder: Path, hosts: tuple[str, ...] = CERTIFIED_HOSTS) -> Certificates:
    """A certificate for these hosts that signs itself alone. ToolError: no package `cryptography`, no way to write."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError:
        raise ToolError(
            "tls: true makes certificates with the package cryptography; install it: pip install 'ycsbook[tls]'"
        ) from None
    server_key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    # The same organisation on each member: mongod asks for it where members know each other by certificate.
    parts = ((NameOID.ORGANIZATION_NAME, "ycsbook"), (NameOID.COMMON_NAME, "ycsbook server"))
    name = x509.Name([x509.NameAttribute(key, value) for key, value in parts])

    def alternative(host: str) -> x509.GeneralName:
        try:
            return x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            return x509.DNSName(host)

    builder = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=server_key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - _CLOCK_SLACK,
        not_valid_after=now + CERTIFICATES_LAST,
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(x509.SubjectAlternativeName(list(map(alternative, hosts))), critical=False)
    certificate = builder.sign(server_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    key = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    files = {"ca.pem": certificate, "server.pem": certificate + key}
    return Certificates(*(private_file(folder / name, content) for name, content in files.items()))


def private_file(path: Path, content: bytes) -> Path:
    """A new file that only its owner can read; raises ToolError where it cannot be written."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
    except OSError as e:
        raise ToolError(f"{path}: cannot be written: {e.strerror}; check the folder's owner and free space") from None
    return path


@dataclass(frozen=True)
class Access:
    """What a client needs to connect to servers of our own: the password of the user `ycsbook`, which exists in memory
    only; what the members of a set know each other by, where they have users; their certificates."""

    password: Secret | None = None
    key_file: Path | None = None
    tls: Certificates | None = None

    def server_options(self) -> list[str]:
        options = []
        if self.password is not None:
            options = ["--auth", "--setParameter", f"scramSHA256IterationCount={_ITERATIONS}"]
        if self.key_file is not None:
            options += ["--keyFile", str(self.key_file)]
        if self.tls is not None:
            options += ["--tlsMode", "requireTLS", "--tlsCertificateKeyFile", str(self.tls.server)]
            options += ["--tlsCAFile", str(self.tls.authority), "--tlsAllowConnectionsWithoutCertificates"]
        return options

    def uri(self, servers: Sequence[str], *, replica_set: str = "") -> Secret:
        """A URI of servers, host:port each, that both Python's driver and the load generator's driver accept."""
        user = f"{USER}:{self.password.reveal()}@" if self.password is not None else ""
        options = {"authSource": "admin"} if self.password is not None else {}
        if replica_set:
            options["replicaSet"] = replica_set
        if self.tls is not None:
            options |= {"tls": "true", "tlsCAFile": quote(str(self.tls.authority), safe="/")}
        query = "&".join(f"{name}={value}" for name, value in options.items())
        return Secret(f"mongodb://{user}{','.join(servers)}/" + (f"?{query}" if query else ""))

    def client(self, port: int, *, host: str = HOST, as_user: bool = True, **options: object) -> pymongo.MongoClient:
        """A new client of one server; close it, or use it in a `with`. Not `as_user`: before there is one."""
        access = self if as_user else replace(self, password=None)
        settings = {"directConnection": True, "serverSelectionTimeoutMS": 5000, **options}
        return pymongo.MongoClient(access.uri([f"{host}:{port}"]).reveal(), **settings)

    def create_user(self, port: int) -> None:
        """Make the first user, as anybody on this machine may do; raises ToolError where somebody else was faster."""
        if self.password is None:
            return
        user = {"pwd": self.password.reveal(), "roles": ["root"], "mechanisms": [_SCRAM]}
        try:
            with self.client(port, as_user=False) as client:
                client.admin.command("createUser", USER, **user)
        except PyMongoError as e:
            reason = shown(redact(str(e), [self.password]))
            raise ToolError(f"mongod on port {port}: its user cannot be made: {reason}; start again") from None


OPEN = Access()


def make_access(folder: Path, *, auth: bool, tls: bool, several: bool) -> Access:
    """The access that params ask for: a new random password; certificates and a key file in `folder`, a private one."""
    key_file = None
    if auth and several:
        key_file = private_file(folder / "members.key", base64.b64encode(os.urandom(_KEY_BYTES)))
    return Access(
        password=Secret(secrets.token_urlsafe(24)) if auth else None,
        key_file=key_file,
        tls=make_certificates(folder) if tls else None,
    )
