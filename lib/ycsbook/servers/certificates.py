"""Certificates for servers of our own: an authority that lives as long as they do, and one certificate signed by it."""

import ipaddress
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ycsbook.errors import ToolError

HOSTS = ("localhost", "127.0.0.1", "::1")
# Longer than any sweep; a clock that is a little behind ours must not find them too young.
VALID = timedelta(days=365)
_EARLIER = timedelta(days=1)


@dataclass(frozen=True)
class Certificates:
    """Files in PEM form. `authority`: what a client has to trust; `server`: certificate and private key, mode 0600."""

    authority: Path
    server: Path


def make(folder: Path, hosts: tuple[str, ...] = HOSTS) -> Certificates:
    """Make an authority and a server's certificate for these host names and addresses.

    The authority's private key is never written, so nothing else can be signed with it afterwards.

    Raises
        ToolError: the package `cryptography` is not installed, or the folder cannot be written.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise ToolError(
            "tls: true makes certificates with the package cryptography; install it: pip install 'ycsbook[tls]'"
        ) from None
    authority_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)

    def signed(name: str, key: ec.EllipticCurvePrivateKey, *extensions: tuple[x509.ExtensionType, bool]) -> bytes:
        builder = x509.CertificateBuilder(
            issuer_name=_named("ycsbook authority"),
            subject_name=_named(name),
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - _EARLIER,
            not_valid_after=now + VALID,
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(authority_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    authority = signed(
        "ycsbook authority", authority_key, (x509.BasicConstraints(ca=True, path_length=0), True),
        (x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), False),
    )  # fmt: skip
    server = signed(
        "ycsbook server", server_key, (x509.SubjectAlternativeName([_host(host) for host in hosts]), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), False),
    )  # fmt: skip
    key = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Certificates(private_file(folder / "ca.pem", authority), private_file(folder / "server.pem", server + key))


def private_file(path: Path, content: bytes) -> Path:
    """A new file that only its owner can read.

    Raises
        ToolError: it cannot be written.
    """
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
    except OSError as e:
        raise ToolError(f"{path}: cannot be written: {e.strerror}; check the folder's owner and free space") from None
    return path


def _named(name: str):
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    # The same organisation on each member: mongod asks for it where members know each other by certificate.
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "ycsbook"),
                      x509.NameAttribute(NameOID.COMMON_NAME, name)])  # fmt: skip


def _host(host: str):
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
