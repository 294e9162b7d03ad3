"""How a server of our own is entered: open to this machine, or with a user, and with TLS."""

import base64
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pymongo

from ycsbook.secrets import Secret
from ycsbook.servers import certificates
from ycsbook.servers.certificates import Certificates

USER = "ycsbook"
HOST = "127.0.0.1"
# mongod takes 6 to 1024 characters of base64.
_KEY_BYTES = 48


@dataclass(frozen=True)
class Access:
    """What servers of our own ask of whoever connects; without arguments nothing.

    Parameters
        password: of the user `ycsbook`; exists in memory only.
        key_file: what the members of a set know each other by, where they have users.
        tls: their certificates.
    """

    password: Secret | None = None
    key_file: Path | None = None
    tls: Certificates | None = None

    def server_options(self) -> list[str]:
        """The options a mongod is started with."""
        options = [] if self.password is None else ["--auth"]
        if self.key_file is not None:
            options += ["--keyFile", str(self.key_file)]
        if self.tls is not None:
            options += ["--tlsMode", "requireTLS", "--tlsCertificateKeyFile", str(self.tls.server)]
            options += ["--tlsCAFile", str(self.tls.authority), "--tlsAllowConnectionsWithoutCertificates"]
        return options

    def uri(self, ports: Sequence[int], *, replica_set: str = "") -> Secret:
        """The one URI that Python's driver and the load generator's both take."""
        user = f"{USER}:{self.password.reveal()}@" if self.password is not None else ""
        options = {"authSource": "admin"} if self.password is not None else {}
        if replica_set:
            options["replicaSet"] = replica_set
        if self.tls is not None:
            options |= {"tls": "true", "tlsCAFile": quote(str(self.tls.authority), safe="/")}
        query = "&".join(f"{name}={value}" for name, value in options.items())
        hosts = ",".join(f"{HOST}:{port}" for port in ports)
        return Secret(f"mongodb://{user}{hosts}/" + (f"?{query}" if query else ""))

    def client(self, port: int, *, as_user: bool = True, **options: object) -> pymongo.MongoClient:
        """A new client of one server; close it, or use it in a `with`. Not `as_user`: before there is one."""
        settings: dict[str, object] = {"directConnection": True, "serverSelectionTimeoutMS": 5000}
        if self.tls is not None:
            settings |= {"tls": True, "tlsCAFile": str(self.tls.authority)}
        if self.password is not None and as_user:
            settings |= {"username": USER, "password": self.password.reveal(), "authSource": "admin"}
        return pymongo.MongoClient(HOST, port, **{**settings, **options})

    def create_user(self, port: int) -> None:
        """Make the user: the first one may be made by whoever connects from this machine."""
        if self.password is not None:
            with self.client(port, as_user=False) as client:
                client.admin.command("createUser", USER, pwd=self.password.reveal(), roles=["root"])


OPEN = Access()


def make(folder: Path, *, auth: bool, tls: bool, several: bool) -> Access:
    """The access that params ask for: a new random password, certificates and key files in `folder`, which is private.

    Raises
        ToolError: the folder cannot be written, or a package is missing.
    """
    key_file = None
    if auth and several:
        key_file = certificates.private_file(folder / "members.key", base64.b64encode(os.urandom(_KEY_BYTES)))
    return Access(
        password=Secret(secrets.token_urlsafe(24)) if auth else None,
        key_file=key_file,
        tls=certificates.make(folder) if tls else None,
    )
