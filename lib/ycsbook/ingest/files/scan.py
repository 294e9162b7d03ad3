"""What lies under files, folders and patterns: names, sizes and times. No file is opened."""

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ycsbook import opening
from ycsbook.errors import RunLogError

PACKED = (".gz", ".zst")
TEXT_SUFFIXES = (".log", ".txt", ".dat", ".tsv")
STREAM_SUFFIXES = (".out", ".err", ".stdout", ".stderr")
LOG_SUFFIXES = STREAM_SUFFIXES + TEXT_SUFFIXES
HDR_SUFFIX = ".hdr"
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
TABLE_SUFFIXES = (".csv", ".tsv", *JSON_SUFFIXES)

MANIFEST = "manifest.json"
SAMPLES = "samples.csv"
STREAMS = ("run.out", "run.err")
HDR_FOLDER = "hdr"
# What a user says of the logs at and below it.
SIDECAR = "ycsbook.yml"
# Not results: a run being made, the remains of those that failed, and what programs leave behind.
SKIPPED_FOLDERS = ("quarantine", "__pycache__", "node_modules")
SKIPPED_ENDINGS = (".partial",)
# Packed otherwise than this reader unpacks.
ARCHIVES = (".zip", ".7z", ".tar", ".tgz", ".rar", *(f".tar{ending}" for ending in PACKED))
FOREIGN_PACKED = (".xz", ".bz2", ".lz4", *ARCHIVES)


def unpacked(name: str) -> str:
    if name.endswith(PACKED):  # few are
        for ending in PACKED:
            name = name.removesuffix(ending)
    return name


def split(name: str) -> tuple[str, str]:
    """An unpacked name without its ending, and the ending in lower case."""
    stem, _, ending = name.rpartition(".")
    return (stem, f".{ending}".lower()) if stem.strip(".") else (name, "")


def suffix(name: str) -> str:
    return split(unpacked(name))[1]


class Stat(NamedTuple):
    """A file, its size in bytes and when it was changed."""

    path: str
    size: int
    mtime_ns: int


class Folder:
    """A folder as it was listed: size and mtime_ns of its files, names of its subfolders and links; `aside`: what is
    hidden, pipes and the like, links out of it. `everything` is asked for, or only the files `named`."""

    # No data class, here and below: their module takes longer to load than a thousand files to list.
    def __init__(self, path: str):
        self.path, self._prefix = path, os.path.join(path, "")
        self.files: dict[str, tuple[int, int]] = {}
        self.subfolders: list[str] = []
        self.links: list[str] = []
        self.aside: list[str] = []
        self.everything = False
        self.named: set[str] = set()

    @property
    def is_stored(self) -> bool:
        """Whether it is a run folder of the store, all of it asked for."""
        if not self.everything or MANIFEST not in self.files:
            return False
        return MANIFEST in self.named or not set(STREAMS).isdisjoint(self.files) or bool(self.client_folders)

    @property
    def client_folders(self) -> list[str]:
        clients = [name for name in self.subfolders if name.startswith("client-") and name[7:].isdecimal()]
        return sorted(clients, key=lambda name: int(name[7:]))

    def join(self, name: str) -> str:
        return self._prefix + name

    def stat(self, name: str) -> Stat:
        return Stat(self._prefix + name, *self.files[name])


class Scan:
    """Folders by their real path, in the order of what was asked for, and what is not there."""

    def __init__(self):
        self.folders: dict[str, Folder] = {}
        self.errors: list[RunLogError] = []
        self._real: dict[str, str] = {}

    def real(self, folder: str) -> str:
        """The real path of a folder; many files of one are named."""
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return self._real[folder]

    def folder_of(self, path: str) -> Folder | None:
        """The folder that a path is in; None: it was not listed."""
        return self.folders.get(self.real(os.path.dirname(path)))


def scan(paths: Iterable[str | Path]) -> Scan:
    """List what is under files, folders and patterns, as glob understands them. No link is followed out of a folder."""
    listed = Scan()
    for path in map(os.fspath, paths):
        if os.path.lexists(path) or not glob.has_magic(path):
            _add(path, listed)
        elif matches := sorted(set(_matches(path))):
            parts = path.split(os.sep)
            fixed = next(i for i, part in enumerate(parts) if glob.has_magic(part))
            root = os.sep.join(parts[:fixed]) or os.sep * bool(fixed) or "."
            for match in matches:
                if opening.is_inside(match, root):
                    _add(match, listed)
                else:
                    listed.errors.append(_link_out(match))
        else:
            listed.errors.append(RunLogError(path, None, "no file matches this pattern; check the spelling"))
    return listed


def _matches(pattern: str) -> Iterator[str]:
    """As glob.glob with `**`, but `**` leads through no link, which may lead back to where it is."""
    parts = pattern.split(os.sep)
    if "**" not in parts:
        yield from glob.iglob(pattern)
        return
    at = parts.index("**")
    # "/" is what stands before the first part of an absolute path.
    above, below = os.sep.join(parts[:at]) or os.sep * bool(at), parts[at + 1 :]
    for top in glob.iglob(above) if above else ["."]:
        for folder, subfolders, _ in os.walk(top):
            subfolders[:] = [name for name in subfolders if not name.startswith(".")]
            for match in _matches(os.path.join(glob.escape(folder), *(below or ["*"]))):
                yield match.removeprefix("./")
        if not below and os.path.isdir(top):
            yield top


def _add(path: str, listed: Scan) -> None:
    try:
        mode = os.lstat(path).st_mode
        if is_link := stat.S_ISLNK(mode):
            mode = os.stat(path).st_mode
    except (OSError, ValueError) as e:  # a ValueError for a NUL in it
        missing = isinstance(e, FileNotFoundError | ValueError)
        reason = "no such file or folder; check the spelling" if missing else f"cannot be reached: {e.strerror}"
        listed.errors.append(RunLogError(path, None, reason))
        return
    if stat.S_ISDIR(mode):
        _walk(path, listed)
    elif not stat.S_ISREG(mode):
        listed.errors.append(RunLogError(path, None, "is neither file nor folder; save what it gives to a file"))
    elif unpacked(path).lower().endswith(FOREIGN_PACKED):
        listed.errors.append(_foreign(path))
    elif is_link:
        target = os.path.realpath(path)
        _add_file(os.path.dirname(target), os.path.basename(target), listed)
    else:
        _add_file(*os.path.split(path), listed)


def _add_file(path: str, name: str, listed: Scan) -> None:
    """A named file, with the listing of its folder, where what belongs to it may lie."""
    real_folder = listed.real(path)
    folder = _listed(path, real_folder, listed)
    if name not in folder.files:  # hidden: only a name can ask for it
        status = os.stat(folder.join(name))
        folder.files[name] = (status.st_size, status.st_mtime_ns)
    folder.named.add(name)
    if name == MANIFEST:
        _walk(path, listed)
    if HDR_FOLDER in folder.subfolders:
        _listed(folder.join(HDR_FOLDER), os.path.join(real_folder, HDR_FOLDER), listed)


def _walk(root: str, listed: Scan) -> None:
    real_root = listed.real(root)
    waiting = [(root, real_root)]
    while waiting:
        path, real = waiting.pop()
        folder = _listed(path, real, listed)
        if folder.everything:
            continue
        folder.everything = True
        for name in folder.links:
            _check_link(folder, name, real_root, listed)
        below = folder.subfolders
        if folder.is_stored:
            below = [name for name in below if name == HDR_FOLDER or name in folder.client_folders]
        waiting += [
            (folder.join(name), os.path.join(real, name))
            for name in sorted(below, reverse=True)
            if name not in SKIPPED_FOLDERS and not name.endswith(SKIPPED_ENDINGS)
        ]


def _listed(path: str, real: str, listed: Scan) -> Folder:
    if real not in listed.folders:
        listed.folders[real] = folder = Folder(path)
        try:
            _list(folder)
        except OSError as e:
            listed.errors.append(RunLogError(path or ".", None, f"cannot be listed: {e.strerror}; check its mode"))
    return listed.folders[real]


def _list(folder: Folder) -> None:
    # By its descriptor: the system need not find the folder again for each of its files.
    opened = os.open(folder.path or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    if not entry.is_dir(follow_symlinks=False):
                        folder.aside.append(entry.name)
                elif entry.is_symlink():
                    folder.links.append(entry.name)
                elif entry.is_dir():
                    folder.subfolders.append(entry.name)
                elif entry.is_file():
                    status = entry.stat()
                    folder.files[entry.name] = (status.st_size, status.st_mtime_ns)
                else:
                    folder.aside.append(entry.name)
    finally:
        os.close(opened)


def _check_link(folder: Folder, name: str, root: str, listed: Scan) -> None:
    """Say which logs are not read because they are links; what lies inside the folder is found by itself."""
    path = folder.join(name)
    target = os.path.realpath(path)
    if not unpacked(path).lower().endswith((*LOG_SUFFIXES, HDR_SUFFIX)):
        if not opening.is_inside(target, root):
            folder.aside.append(name)
    elif not os.path.exists(target):
        listed.errors.append(RunLogError(path, None, "is a link that leads nowhere"))
    elif not opening.is_inside(target, root):
        listed.errors.append(_link_out(path))


def _link_out(path: str) -> RunLogError:
    return RunLogError(path, None, "is a link out of the folder, not followed; name the file itself")


def foreign(folder: Folder) -> list[RunLogError]:
    logs = tuple(f"{a}{b}" for a in (*LOG_SUFFIXES, HDR_SUFFIX) for b in FOREIGN_PACKED)
    return [_foreign(folder.join(name)) for name in folder.files if name.lower().endswith((*ARCHIVES, *logs))]


def _foreign(path: str) -> RunLogError:
    read = " or ".join(PACKED)
    return RunLogError(path, None, f"is packed in a way that is not read; unpack it, or pack it as {read}")
