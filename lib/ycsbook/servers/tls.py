"""What a URI says about TLS: whether there is any, and whether the server's certificate is verified."""

from urllib.parse import unquote

from ycsbook.secrets import Secret

# The last is what an older Java driver called it.
_UNVERIFIED = ("tlsinsecure", "tlsallowinvalidcertificates", "tlsallowinvalidhostnames", "sslinvalidhostnameallowed")
_FILES = ("tlscafile", "tlscertificatekeyfile", "tlscertificatekeyfilepassword", "tlscrlfile")


def options(uri: Secret) -> dict[str, str]:
    """The options of a URI by their lower-case names, as its last mention of each has them.

    Examples
        >>> options(Secret("mongodb://h/?tls=true&tlsCAFile=/etc/my%20ca.pem"))
        {'tls': 'true', 'tlscafile': '/etc/my ca.pem'}
    """
    _, _, query = uri.reveal().partition("?")
    pairs = (option.partition("=") for option in query.replace(";", "&").split("&") if option)
    return {name.lower(): unquote(value) for name, _, value in pairs}


def verified(uri: Secret) -> bool | None:
    """Whether certificate and host name are checked; None: the connection is not encrypted."""
    said = options(uri)
    if any(said.get(name) == "true" for name in _UNVERIFIED):
        return False
    by_name = "tls" if "tls" in said else "ssl"
    if by_name in said:
        return True if said[by_name] == "true" else None
    return True if uri.reveal().startswith("mongodb+srv:") or needs_files(uri) else None


def needs_files(uri: Secret) -> bool:
    """Whether the URI names files, which only a driver that reads such options can use."""
    return bool(options(uri).keys() & set(_FILES))
