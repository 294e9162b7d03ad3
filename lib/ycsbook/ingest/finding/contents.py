"""The files of one folder by what they are read as; looked into only where a name does not tell."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook import opening
from ycsbook.errors import RunLogError
from ycsbook.ingest import readers
from ycsbook.ingest.files.endings import HDR_SUFFIX, LOG_SUFFIXES, TEXT_SUFFIXES
from ycsbook.ingest.files.endings import suffix as suffix_of
from ycsbook.ingest.files.scan import FOREIGN_PACKED, MANIFEST, SIDECAR, Folder
from ycsbook.ingest.files.sources import Source

RAW_SUFFIXES = (".csv", ".raw")
PAGE_SUFFIXES = (".md", ".markdown", ".html", ".htm")
# Never logs, so not worth a look inside when they are found in a folder.
_OTHER_SUFFIXES = frozenset(FOREIGN_PACKED) | frozenset(
    f".{name}"
    for group in (
        "png jpg jpeg gif svg pdf ico webp js css",
        "py pyc sh bat java jar class go c h rs r so",
        "yml yaml toml xml properties cfg conf ini lock",
        "parquet feather xlsx docx db sqlite wt bson pem",
    )
    for name in group.split()
)
_SNIFF_BYTES = 4 * 1024


@dataclass
class Contents:
    """Names of files, by what they are read as."""

    logs: list[str] = field(default_factory=list)
    hdr: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)


def of(folder: Folder) -> Contents:
    """The files of a folder by kind; those that nobody asked for only as far as they tell what belongs together."""
    contents = Contents()
    for name in sorted(folder.files):
        suffix, is_named = suffix_of(name), name in folder.named
        if suffix in LOG_SUFFIXES and not (is_named and suffix in TEXT_SUFFIXES):
            contents.logs.append(name)
        elif suffix == HDR_SUFFIX:
            contents.hdr.append(name)
        elif is_named or folder.everything:
            if kind := _kind_of(folder, name, suffix, is_named):
                getattr(contents, kind).append(name)
        elif suffix in RAW_SUFFIXES and _is_raw(folder, name):
            contents.raw.append(name)
    return contents


def _kind_of(folder: Folder, name: str, suffix: str, is_named: bool) -> str:
    """Which list of Contents a file belongs to whose name does not tell; "": none, so it is passed over."""
    if name == MANIFEST or (not is_named and never_looked_into(folder, name)):
        return ""
    if suffix == ".csv" and _is_vendor_table(folder, name, is_named):
        return "tables"
    format = _format(folder, name)
    if format == readers.PAGE or (suffix in PAGE_SUFFIXES and is_named and not format):
        return "pages"
    if format == readers.RAW:
        return "raw"
    return "logs" if is_named or format else ""


def never_looked_into(folder: Folder, name: str) -> str:
    """Why a file that is found in a folder is passed over for its name or size, to stand behind its name; empty: it is
    looked into."""
    suffix = suffix_of(name)
    if name in (MANIFEST, SIDECAR):
        return "tells of the logs beside it"
    if suffix in _OTHER_SUFFIXES:
        return f"ends in {suffix}, as no log does; a file that is named itself is read"
    if suffix == ".json" and f"{os.path.splitext(name)[0]}.csv" in folder.files:
        return "tells of the table beside it"
    return "" if folder.files[name][0] or suffix in LOG_SUFFIXES else "is empty"


def _format(folder: Folder, name: str) -> str:
    """The format of a file by its content."""
    path = folder.join(name)
    if readers.is_ycsb(_head(path, _SNIFF_BYTES)) and suffix_of(name) not in PAGE_SUFFIXES:
        return readers.YCSB
    try:
        return readers.format_of_file(Source(Path(path)))
    except RunLogError:
        return readers.YCSB  # whose reader says why it cannot be read


def _is_raw(folder: Folder, name: str) -> bool:
    # Asked first, so that the other readers need not be loaded for a table that merely lies beside a log.
    head = _head(folder.join(name), _SNIFF_BYTES)
    return readers.reader(readers.RAW).recognises(head, name) and readers.format_of(head) == readers.RAW


def _head(path: str, size: int) -> bytes:
    """The beginning of a file, nothing of one that cannot be read: the reader will say so."""
    try:
        return Source(Path(path)).head(size)
    except RunLogError:
        return b""


def is_log(folder: Folder, name: str) -> bool:
    return not folder.files[name][0] or bool(_format(folder, name))


def _is_vendor_table(folder: Folder, name: str, is_named: bool) -> bool:
    """Whether the CSV or its sidecar names a vendor's columns: a damaged table is one still, and the reader says so."""
    sidecar = f"{name.removesuffix('.csv')}.json"
    if sidecar not in folder.files:
        return False
    # Only here: the readers of pages take longer to load than a small log to read.
    from ycsbook.ingest.published.published import is_vendors

    columns = _json_object(folder, sidecar).get("columns")
    header = _head(folder.join(name), _SNIFF_BYTES).partition(b"\n")[0].rstrip()
    of_a_vendor = is_vendors(header.decode("utf-8", "replace").split(",")) or (
        isinstance(columns, dict) and is_vendors(tuple(columns))
    )
    return of_a_vendor or is_named


def clients_in_manifest(folder: Folder) -> int:
    """How many clients the folder's manifest speaks of, if more than one; else 0."""
    clients = _json_object(folder, MANIFEST).get("clients")
    return clients if isinstance(clients, int) and clients > 1 else 0


def _json_object(folder: Folder, name: str) -> dict:
    """The JSON file beside the data; empty where it is damaged, which its reader will say."""
    try:
        content = opening.json_content(folder.join(name), root=folder.path or ".")
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
