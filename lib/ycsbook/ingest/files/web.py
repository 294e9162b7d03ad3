"""Pages of the web as files: fetched when somebody names their address, and kept, as evidence of what stood there."""

import hashlib
import re
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from ycsbook.errors import RunLogError, shown
from ycsbook.secrets import redact
from ycsbook.store import atomic

MAX_BYTES = 16_000_000
# For each answer of the network, and for the whole page, s.
WAIT_S, LIMIT_S = 20.0, 120.0
_CHUNK_BYTES = 64 * 1024
_SUFFIXES = {"text/html": ".html", "application/xhtml+xml": ".html", "text/markdown": ".md", "text/csv": ".csv"}
_KNOWN_SUFFIXES = (".html", ".htm", ".md", ".markdown", ".csv", ".txt", ".log", ".json")
_NAME_LENGTH = 120


def saved(address: str, folder: Path, *, again: bool = False) -> Path:
    """The page at an address, as a file of the folder with the day in its name. One that is there already is not
    fetched once more, unless `again`: what was read stays what it was. Raises RunLogError where it cannot be fetched or
    is larger than MAX_BYTES, StoreError where the folder cannot be written."""
    parts = urlsplit(address)
    if "@" in parts.netloc:
        raise _refused(address, "holds a user or password, which would be kept")
    name = re.sub(r"[^A-Za-z0-9._]+", "-", f"{parts.netloc}{parts.path}").strip("-.")[:_NAME_LENGTH]
    name = f"{name}-{hashlib.sha256(address.encode()).hexdigest()[:8]}"
    copies = sorted(folder.glob(f"{name}.????-??-??.*"))
    if copies and not again:
        return copies[-1]
    content, kind = _fetched(address)
    suffix = Path(parts.path).suffix.lower()
    suffix = _SUFFIXES.get(kind) or (suffix if suffix in _KNOWN_SUFFIXES else ".html")
    path = folder / f"{name}.{datetime.now(UTC):%Y-%m-%d}{suffix}"
    with atomic.writing(folder):
        atomic.make_folder(folder)
    atomic.write_bytes(path, content)
    return path


def _fetched(address: str) -> tuple[bytes, str]:
    request = urllib.request.Request(address, headers={"User-Agent": "ycsbook", "Accept-Encoding": "identity"})
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            return _content(address, answer), answer.headers.get_content_type()
    except urllib.error.HTTPError as e:
        with e:
            raise _refused(address, f"cannot be fetched: the server answers {e.code} {shown(e.reason)}") from None
    except (OSError, HTTPException, ValueError) as e:
        reason = getattr(e, "reason", None) or e
        raise _refused(address, f"cannot be fetched: {shown(str(reason) or type(e).__name__)}") from None


def _content(address: str, answer: HTTPResponse) -> bytes:
    limit, content = time.monotonic() + LIMIT_S, bytearray()
    while chunk := answer.read1(_CHUNK_BYTES):
        content += chunk
        if len(content) > MAX_BYTES:
            raise _refused(address, f"is larger than {MAX_BYTES:,} bytes")
        if time.monotonic() > limit:
            raise _refused(address, f"takes longer than {LIMIT_S:g} s")
    if answer.length:
        raise _refused(address, f"ended {answer.length:,} bytes early")
    return bytes(content)


def _refused(address: str, reason: str) -> RunLogError:
    return RunLogError(redact(address), None, f"{reason}; or save the page and ingest the file")
