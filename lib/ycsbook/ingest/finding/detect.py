"""What the given files, folders and patterns hold: runs of the store, logs, clients of one run, published tables.

Files are grouped by their names. Content is looked at only where a name does not tell, and never that of a log found
in a folder: the reader tells its format when it reads it, and passes over what is none.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from ycsbook import opening
from ycsbook.errors import RunLogError
from ycsbook.ingest import readers
from ycsbook.ingest.files import scan
from ycsbook.ingest.files.scan import HDR_FOLDER, HDR_SUFFIX, LOG_SUFFIXES, MANIFEST, Folder, Scan, suffix
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding import names
from ycsbook.ingest.finding.annotations import client_groups
from ycsbook.ingest.finding.names import LogNames, Unit
from ycsbook.ingest.log.labels import Places, settings_of_text

RAW_SUFFIXES = (".csv", ".raw")
PAGE_SUFFIXES = (".md", ".markdown", ".html", ".htm")
# Never logs, so not worth a look inside when they are found in a folder.
_OTHER_SUFFIXES = frozenset(scan.FOREIGN_PACKED) | frozenset(
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
Stats = Sequence[scan.Stat]
Belonging = dict[Unit, dict[str, list[scan.Stat]]]  # of a log: its histograms and raw measurements
# Logs of several servers, settings or days are often called alike: folders tell them apart, some from further above.
NAMED_FOLDERS, MORE_FOLDERS = 2, 3


class Kind(StrEnum):
    """What is to be read, and how."""

    STORED = "stored"  # a run folder of our own store
    LOG = "log"  # one log, or both streams of one run
    CLIENTS = "clients"  # the logs of several clients of one run
    HDR = "hdr"  # .hdr files of one run without its log
    RAW = "raw"  # raw measurements without their log
    PUBLISHED = "published"  # a vendor's table as CSV with a sidecar
    PAGE = "page"  # a vendor's page
    OWN = "own"  # a CSV of one's own with a row per run

    @property
    def is_loose(self) -> bool:
        """Whether no log claims it by its name; a command line may."""
        return self in (Kind.HDR, Kind.RAW)


class IngestItem(NamedTuple):
    """One thing to read. `files`: stdout before stderr; of a stored run its folder; of several clients none, they are
    in `clients`. `hdr` and `raw` belong to the run by their names. `explicit`: named by the user, not found in a
    folder. `stats`: every file that the result depends on. `place`: of a log, as `labels.server` takes it."""

    kind: Kind
    files: tuple[Path, ...]
    hdr: tuple[Path, ...] = ()
    raw: tuple[Path, ...] = ()
    clients: tuple["IngestItem", ...] = ()
    explicit: bool = False
    stats: tuple[scan.Stat, ...] = ()
    place: str = ""

    @property
    def first_file(self) -> Path:
        """The file whose name and folder tell of the run."""
        return (self.files or self.clients[0].files)[0]

    @property
    def name(self) -> str:
        """The first file's name, without packing and ending, behind those of the folders nearest to it, and of others
        that say something of the run."""
        *above, name = [part for part in self.first_file.parts if part.strip("./")]
        near = len(above) - NAMED_FOLDERS
        folders = [
            part for i, part in enumerate(above) if i >= near or (i >= near - MORE_FOLDERS and settings_of_text(part))
        ]
        return "-".join([*folders, scan.split(scan.unpacked(name))[0]])


def find(paths: Iterable[str | Path]) -> tuple[list[IngestItem], list[RunLogError]]:
    """Everything to read under files, folders and patterns, in order and each once; and what is not there. A file that
    is named is always read; loose histograms and raw measurements come last: a log's command line may name them."""
    return group(scan.scan(paths))


def group(listed: Scan) -> tuple[list[IngestItem], list[RunLogError]]:
    """What `find` gives, of folders that have been listed by `scan.scan`."""
    grouping = _Grouping(listed)
    for real, folder in listed.folders.items():
        if folder.is_stored:
            of_run = [real, *(os.path.join(real, name) for name in folder.client_folders)]
            grouping.done.update(of_run, (os.path.join(at, HDR_FOLDER) for at in of_run))
    # Folders of histograms after those of the logs that they may belong to.
    for real, folder in sorted(listed.folders.items(), key=lambda item: os.path.basename(item[0]) == HDR_FOLDER):
        grouping.take(real, folder)
    return grouping.finish(), [*listed.errors, *grouping.errors]


@dataclass
class _Grouping:
    listed: Scan
    items: list[IngestItem] = field(default_factory=list)
    loose: list[IngestItem] = field(default_factory=list)
    errors: list[RunLogError] = field(default_factory=list)
    # Runs by the folder above theirs, what the folders of clients have in common, and the log's own name.
    in_client_folders: list[tuple[int, str, tuple]] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    taken: set[tuple[str, str]] = field(default_factory=set)

    def take(self, real: str, folder: Folder) -> None:
        if folder.is_stored:
            self._stored(real, folder)
        if real in self.done:
            of_run = (*scan.STREAMS, MANIFEST, scan.SAMPLES)
            folder = copy(folder)
            folder.named = {name for name in folder.named if name not in of_run and suffix(name) != HDR_SUFFIX}
            folder.everything = False
        if not (folder.everything or folder.named):
            return
        if folder.everything:
            self.errors += scan.foreign(folder)
        files = _files_by_kind(folder)
        for kind in (Kind.PUBLISHED, Kind.PAGE, Kind.OWN):
            for name in files[kind]:
                sidecar = f"{os.path.splitext(name)[0]}.json" if kind == Kind.PUBLISHED else ""
                beside = [folder.stat(sidecar)] if sidecar in folder.files else []
                self.items.append(_item(folder, kind, [name], beside))
        self._logs(real, folder, files)

    def finish(self) -> list[IngestItem]:
        """Everything found, clients in folders of their own put together, loose files last."""
        marks = [(name, repr(key)) for _, name, key in self.in_client_folders]
        merged: dict[int, IngestItem] = {}
        dropped = set()
        for members in names.clients(marks):
            at = [self.in_client_folders[i][0] for i in members]
            merged[min(at)] = _clients([self.items[i] for i in at])
            dropped.update(at)
        merged_items = (merged.get(i, item) for i, item in enumerate(self.items) if i in merged or i not in dropped)
        places = Places(self.listed)
        return [*(_placed(item, places) for item in merged_items), *self.loose]

    def _stored(self, real: str, folder: Folder) -> None:
        inside = [os.path.join(real, name) for name in folder.client_folders]
        clients = [self._of_store(Kind.LOG, at) for at in inside if at in self.listed.folders]
        run = self._of_store(Kind.STORED, real)
        stats = tuple(dict.fromkeys((*run.stats, *(s for c in clients for s in c.stats))))
        explicit = MANIFEST in folder.named
        self.items.append(run._replace(clients=tuple(clients), explicit=explicit, stats=stats))

    def _histograms(self, real: str) -> Folder:
        return self.listed.folders.get(os.path.join(real, HDR_FOLDER), Folder(""))

    def _of_store(self, kind: Kind, real: str) -> IngestItem:
        """A run folder, or that of one of its clients."""
        folder, hdr = self.listed.folders[real], self._histograms(real)
        histograms = sorted(name for name in hdr.files if scan.unpacked(name).endswith(HDR_SUFFIX))
        self.taken.update((hdr.path, name) for name in histograms)
        streams = tuple(Path(folder.join(name)) for name in scan.STREAMS if name in folder.files)
        stats = (*map(folder.stat, sorted(folder.files)), *map(hdr.stat, histograms))
        files = (Path(folder.path),) if kind == Kind.STORED else streams
        return IngestItem(kind, files, hdr=tuple(Path(hdr.join(name)) for name in histograms), stats=stats)

    def _logs(self, real: str, folder: Folder, files: dict[str, list[str]]) -> None:
        units = names.units(files["logs"], () if folder.everything else folder.named)
        asked_units = units if folder.everything else [u for u in units if not folder.named.isdisjoint(u.names)]
        below = self._histograms(real)
        histograms = [(folder, name) for name in files["hdr"]]
        histograms += [(below, name) for name in sorted(below.files) if suffix(name) == HDR_SUFFIX]
        belonging: Belonging = defaultdict(lambda: {"hdr": [], "raw": []})
        loose: dict[str, list[str]] = defaultdict(list)
        logs = LogNames(units, lambda unit: not folder.files[unit.names[0]][0] or bool(_format(folder, unit.names[0])))
        asked = set(asked_units) if histograms or files["raw"] else set()
        for at, name in histograms:
            if (at.path, name) in self.taken:
                continue
            unit = logs.of_histogram(name)
            if unit in asked:
                belonging[unit]["hdr"].append(at.stat(name))
                self.taken.add((at.path, name))
            elif at is folder:
                loose[names.histogram(name)[0]].append(name)
        for name in files["raw"]:
            unit = logs.of_raw(name)
            if unit in asked:
                belonging[unit]["raw"].append(folder.stat(name))
            else:
                self._loose(folder, Kind.RAW, [name])
        for names_of_run in loose.values():
            self._loose(folder, Kind.HDR, names_of_run)
        self._runs(real, folder, asked_units, belonging, alone=len(asked_units) == len(units))

    def _loose(self, folder: Folder, kind: Kind, file_names: list[str]) -> None:
        if asked := [name for name in file_names if folder.everything or name in folder.named]:
            item = _item(folder, kind, asked)
            self.loose.append(item._replace(**{kind.value: item.files}))

    def _runs(self, real: str, folder: Folder, units: list[Unit], belonging: Belonging, *, alone: bool) -> None:
        runs = [_item(folder, Kind.LOG, unit.names, **belonging.get(unit, {})) for unit in units]
        groups = _client_groups(folder, units)
        in_manifest = _json_object(folder, MANIFEST).get("clients") if alone and MANIFEST in folder.files else 0
        clients = in_manifest if isinstance(in_manifest, int) and in_manifest > 1 else 0
        if clients and not groups and clients == len(units):
            groups = [tuple(range(clients))]
        elif clients and clients != max(map(len, groups), default=0):
            reason = f"speaks of {clients} clients, but {len(units)} logs lie beside it; a part of a run is no run"
            self.errors.append(RunLogError(folder.join(MANIFEST), None, reason))
            return
        above, name = os.path.split(real)
        is_of_client = names.client(name) is not None
        merged = {group_[0]: _clients([runs[i] for i in group_]) for group_ in groups}
        in_group = {i for group_ in groups for i in group_}
        for i, unit in enumerate(units):
            if i in merged:
                self.items.append(merged[i])
            elif i not in in_group:
                if is_of_client:
                    self.in_client_folders.append((len(self.items), name, (above, unit.stem, unit.ending)))
                self.items.append(runs[i])


def _item(
    folder: Folder, kind: Kind, of_item: Sequence[str], beside: Stats = (), *, hdr: Stats = (), raw: Stats = ()
) -> IngestItem:
    """Files of a folder, with the histograms and raw measurements of their run; `beside`: what the result depends on
    besides."""
    files = tuple(map(folder.stat, of_item))
    paths = (tuple(Path(stat.path) for stat in stats) for stats in (files, hdr, raw))
    explicit = not folder.named.isdisjoint(of_item)
    return IngestItem(kind, *paths, explicit=explicit, stats=(*files, *beside, *hdr, *raw))


def _client_groups(folder: Folder, units: list[Unit]) -> list[tuple[int, ...]]:
    """Which units are clients of one run: as the sidecar of their folder says, else by their names."""
    said = client_groups(Path(folder.path)) if scan.SIDECAR in folder.files else []
    at = {name: i for i, unit in enumerate(units) for name in unit.names} if said else {}
    groups = [tuple(dict.fromkeys(at[name] for name in group)) for group in said if at.keys() >= set(group)]
    grouped = {i for group_ in groups for i in group_}
    ungrouped = [i for i in range(len(units)) if i not in grouped]
    by_name = names.clients([(units[i].stem, units[i].ending) for i in ungrouped])
    return groups + [tuple(ungrouped[i] for i in g) for g in by_name]


def _clients(members: list[IngestItem]) -> IngestItem:
    stats, explicit = tuple(s for m in members for s in m.stats), any(m.explicit for m in members)
    return IngestItem(Kind.CLIENTS, (), clients=tuple(members), explicit=explicit, stats=stats)


def _placed(item: IngestItem, places: Places) -> IngestItem:
    """A log with its place, without the number of a client in it; other items unchanged."""
    if item.kind not in (Kind.LOG, Kind.CLIENTS):
        return item
    parts = places.of(str(item.first_file))
    if item.clients:
        parts[-2:] = [mark[1] if (mark := names.client(part)) else part for part in parts[-2:]]
    return item._replace(place=os.sep.join(parts), clients=tuple(_placed(client, places) for client in item.clients))


def _files_by_kind(folder: Folder) -> dict[str, list[str]]:
    """The files of a folder by kind; those that nobody asked for only as far as they tell what belongs together."""
    files: dict[str, list[str]] = defaultdict(list)
    for name in sorted(folder.files):
        ending, is_named = suffix(name), name in folder.named
        if ending in LOG_SUFFIXES and not (is_named and ending in scan.TEXT_SUFFIXES):
            files["logs"].append(name)
        elif ending == HDR_SUFFIX:
            files["hdr"].append(name)
        elif is_named or folder.everything:
            if kind := _kind_of(folder, name, ending, is_named):
                files[kind].append(name)
        elif ending in RAW_SUFFIXES and _is_raw(folder, name):
            files["raw"].append(name)
    return files


def _kind_of(folder: Folder, name: str, ending: str, is_named: bool) -> str:
    """The kind of a file whose name does not tell; "": none, so it is passed over."""
    if name == MANIFEST or (not is_named and never_looked_into(folder, name)):
        return ""
    if ending == ".csv" and _is_vendor_table(folder, name, is_named):
        return Kind.PUBLISHED
    format = _format(folder, name)
    if ending in scan.TABLE_SUFFIXES and format in ("", readers.PAGE):
        format = "logs" if is_named else ""
    if format == "logs":
        # Only here: it takes longer to load than most logs to read.
        from ycsbook.ingest.published.own_csv import is_plain

        return Kind.OWN if is_plain(folder.join(name)) else format
    if format == readers.PAGE or (ending in PAGE_SUFFIXES and is_named and not format):
        return Kind.PAGE
    if format == readers.RAW:
        return "raw"
    return "logs" if is_named or format else ""


def never_looked_into(folder: Folder, name: str) -> str:
    """Why a file that is found in a folder is passed over for its name or size, to stand behind its name; empty: it is
    looked into."""
    ending = suffix(name)
    if name in (MANIFEST, scan.SIDECAR):
        return "tells of the logs beside it"
    if ending in _OTHER_SUFFIXES:
        return f"ends in {ending}, as no log does; a file that is named itself is read"
    if ending == ".json" and f"{os.path.splitext(name)[0]}.csv" in folder.files:
        return "tells of the table beside it"
    return "" if folder.files[name][0] or ending in LOG_SUFFIXES else "is empty"


def _format(folder: Folder, name: str) -> str:
    if readers.is_ycsb(_head(folder, name)) and suffix(name) not in PAGE_SUFFIXES:
        return readers.YCSB
    try:
        return readers.format_of_file(Source(Path(folder.join(name))))
    except RunLogError:
        return readers.YCSB  # whose reader says why it cannot be read


def _is_raw(folder: Folder, name: str) -> bool:
    # Asked first, so that the other readers need not be loaded for a table that merely lies beside a log.
    head = _head(folder, name)
    return readers.reader(readers.RAW).recognises(head, name) and readers.format_of(head) == readers.RAW


def _head(folder: Folder, name: str) -> bytes:
    """The beginning of a file, nothing of one that cannot be read: the reader will say so."""
    try:
        return Source(Path(folder.join(name))).head(_SNIFF_BYTES)
    except RunLogError:
        return b""


def _is_vendor_table(folder: Folder, name: str, is_named: bool) -> bool:
    """Whether the CSV or its sidecar names a vendor's columns: a damaged table is one still, and the reader says so."""
    sidecar = f"{name.removesuffix('.csv')}.json"
    if sidecar not in folder.files:
        return False
    # Only here: the readers of pages take longer to load than a small log to read.
    from ycsbook.ingest.published.published import is_vendors

    columns = _json_object(folder, sidecar).get("columns")
    header = _head(folder, name).partition(b"\n")[0].rstrip()
    of_header = is_vendors(header.decode("utf-8", "replace").split(","))
    return is_named or of_header or (isinstance(columns, dict) and is_vendors(tuple(columns)))


def _json_object(folder: Folder, name: str) -> dict:
    """The JSON file beside the data; empty where it is damaged, which its reader will say."""
    try:
        content = opening.json_content(folder.join(name), root=folder.path or ".")
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
