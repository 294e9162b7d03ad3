"""What a crash may leave on a disk: the operations of a writer recorded once, cut after each, replayed in other orders.

The method is that of ALICE (Pillai et al., All File Systems Are Not Created Equal, OSDI 2014). A file system need keep
only what was synced: a file's content with its own fsync, a name with that of its folder, a name moved between two
folders with that of both. Everything else may be lost or kept, one without the other; a rename is never half.

The recorder looks at the whole folder before each rename, removal and fsync, and takes what has changed since as the
writes in between. So it sees the writes of any library and of any process, whatever it writes with.
"""

import itertools
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ROOT = 0
# A folder's files by their paths: content and time of change; None: a folder.
Files = dict[str, tuple[bytes, int] | None]


class Operation(NamedTuple):
    """One step: `name` with node and the folders whose names change, `write` of a file, `sync`, or `done`, a report.

    `removed` and `added` are names as (folder, name); `nodes` are those whose fsync makes the step last.
    """

    kind: str
    node: int = -1
    removed: tuple[int, str] | None = None
    added: tuple[int, str] | None = None
    nodes: frozenset[int] = frozenset()
    content: bytes = b""
    time_ns: int = 0
    what: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.what}"


class Crash(NamedTuple):
    """The folder as it may be after a crash: after so many operations, in which variant, what had been reported."""

    point: int
    variant: str
    after: str
    done: frozenset[str]
    files: Files


@dataclass
class _Disk:
    """Names of each folder, and the content of files; nodes are numbers that are never used again."""

    folders: dict[int, dict[str, int]] = field(default_factory=lambda: {ROOT: {}})
    contents: dict[int, tuple[bytes, int]] = field(default_factory=dict)

    def apply(self, operation: Operation, *, half: bool = False) -> None:
        if operation.removed:
            folder, name = operation.removed
            self.folders.setdefault(folder, {}).pop(name, None)
        if operation.added:
            folder, name = operation.added
            self.folders.setdefault(folder, {})[name] = operation.node
        if operation.kind == "write":
            content = operation.content[: len(operation.content) // 2] if half else operation.content
            self.contents[operation.node] = (content, operation.time_ns)

    def copy(self) -> "_Disk":
        return _Disk({node: {**names} for node, names in self.folders.items()}, {**self.contents})

    def files(self, folders: set[int], node: int = ROOT, path: str = "") -> Files:
        found: Files = {}
        for name, below in sorted(self.folders.get(node, {}).items()):
            place = f"{path}{name}"
            found[place] = None if below in folders else self.contents.get(below, (b"", 0))
            if below in folders:
                found |= self.files(folders, below, f"{place}/")
        return found


class Recorder:
    """Records what happens in a folder while it is used as a context; nothing is really synced meanwhile."""

    def __init__(self, root: Path):
        self.root = Path(os.path.realpath(root))
        self.operations: list[Operation] = []
        self._disk, self._folders, self._next = _Disk(), {ROOT}, itertools.count(1)
        # By the system's number, which it gives again once a file is gone.
        self._nodes = {self.root.stat().st_ino: ROOT}
        self._look()
        self.operations.clear()
        self._before = self._disk.copy()

    def __enter__(self) -> "Recorder":
        self._real = {name: getattr(os, name) for name in ("rename", "replace", "unlink", "remove", "rmdir", "fsync")}
        for name in ("rename", "replace"):
            setattr(os, name, self._renaming(self._real[name]))
        for name in ("unlink", "remove", "rmdir"):
            setattr(os, name, self._removing(self._real[name]))
        os.fsync = self._sync
        return self

    def __exit__(self, *_: object) -> None:
        for name, real in self._real.items():
            setattr(os, name, real)
        self._look()
        assert self._disk.files(self._folders) == files(self.root), "the replay is not what the writer left"

    def done(self, what: str) -> None:
        """Note that something has been reported as done."""
        self._look()
        self._note(Operation("done", what=what))

    def crashes(self) -> Iterator[Crash]:
        """Every crash after each operation, in each variant; the same folder with the same reports only once."""
        seen = set()
        for point in range(len(self.operations) + 1):
            made = self.operations[:point]
            after = str(made[-1]) if made else "nothing"
            done = frozenset(o.what for o in made if o.kind == "done")
            for variant, dropped, half in self._variants(made):
                disk = self._before.copy()
                for number, operation in enumerate(made):
                    if number not in dropped:
                        disk.apply(operation, half=number in half)
                left = disk.files(self._folders)
                key = (done, tuple(left.items()))
                if key not in seen:
                    seen.add(key)
                    yield Crash(point, variant, after, done, left)

    @staticmethod
    def _variants(made: list[Operation]) -> Iterator[tuple[str, set[int], set[int]]]:
        """Each variant with the operations that are lost, and those of which half is."""
        synced: set[int] = set()
        loose: list[int] = []
        for number in range(len(made) - 1, -1, -1):
            if made[number].kind == "sync":
                synced.add(made[number].node)
            elif made[number].nodes and not made[number].nodes <= synced:
                loose.insert(0, number)
        data = {number for number in loose if made[number].kind == "write"}
        yield "in order", set(), set()
        if loose:
            yield "nothing unsynced", {*loose}, set()
            yield "names without data", data, set()
            yield "data without names", {*loose} - data, set()
            yield "half of the data", set(), data
            yield "only the last", {*loose[:-1]}, set()
            for number in loose:
                yield f"without {made[number]}", {number}, set()

    def _renaming(self, real: Callable) -> Callable:
        def rename(source, target, **options):
            self._look()
            removed, added = (
                self._place(source, options.get("src_dir_fd")),
                self._place(target, options.get("dst_dir_fd")),
            )
            real(source, target, **options)
            if removed and added:
                node = self._disk.folders[removed[0]][removed[1]]
                self._note(self._named(node, removed=removed, added=added))

        return rename

    def _removing(self, real: Callable) -> Callable:
        def remove(path, **options):
            self._look()
            removed = self._place(path, options.get("dir_fd"))
            real(path, **options)
            if removed:
                self._note(self._named(self._disk.folders[removed[0]][removed[1]], removed=removed))

        return remove

    def _sync(self, descriptor: int) -> None:
        self._look()
        if (node := self._nodes.get(os.fstat(descriptor).st_ino)) is not None:
            self._note(Operation("sync", node, what=self._path(node)))

    def _named(self, node: int, removed: tuple | None = None, added: tuple | None = None) -> Operation:
        names = [place for place in (removed, added) if place]
        what = " to ".join(f"{self._path(folder)}{name}" for folder, name in names)
        kind = "move" if removed and added else "add" if added else "remove"
        return Operation(kind, node, removed, added, frozenset(folder for folder, _ in names), what=what)

    def _note(self, operation: Operation) -> None:
        self.operations.append(operation)
        self._disk.apply(operation)
        named = {node for names in self._disk.folders.values() for node in names.values()} | {ROOT}
        self._nodes = {number: node for number, node in self._nodes.items() if node in named}

    def _place(self, path: object, descriptor: int | None) -> tuple[int, str] | None:
        """The folder and name of a path, if it lies in what is recorded."""
        full = os.path.join(os.readlink(f"/proc/self/fd/{descriptor}"), path) if descriptor is not None else path
        folder, name = os.path.split(os.path.abspath(os.fspath(full)))
        if not Path(os.path.realpath(folder)).is_relative_to(self.root):
            return None
        return self._nodes[os.stat(folder).st_ino], name

    def _path(self, node: int) -> str:
        for folder, names in self._disk.folders.items():
            for name, below in names.items():
                if below == node:
                    return f"{self._path(folder)}{name}" + ("/" if node in self._folders else "")
        return ""

    def _look(self, folder: Path | None = None, node: int = ROOT) -> None:
        """Take what has changed in the folder since the last time as operations."""
        folder = folder or self.root
        present = {name: os.lstat(folder / name) for name in sorted(os.listdir(folder))}
        for name in sorted(set(self._disk.folders.setdefault(node, {})) - set(present)):
            self._note(self._named(self._disk.folders[node][name], removed=(node, name)))
        for name, status in present.items():
            below = self._nodes.setdefault(status.st_ino, -1)
            if below < 0:
                below = self._nodes[status.st_ino] = next(self._next)
                if stat.S_ISDIR(status.st_mode):
                    self._folders.add(below)
            if self._disk.folders[node].get(name) != below:
                self._note(self._named(below, added=(node, name)))
            if below in self._folders:
                self._look(folder / name, below)
            else:
                content, time_ns = (folder / name).read_bytes(), status.st_mtime_ns
                if self._disk.contents.get(below) != (content, time_ns):
                    nodes, what = frozenset({below}), self._path(below)
                    self._note(Operation("write", below, nodes=nodes, content=content, time_ns=time_ns, what=what))


def files(root: Path) -> Files:
    """The files and folders below a folder as they are."""
    found: Files = {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).as_posix()
        found[inside] = None if path.is_dir() else (path.read_bytes(), path.stat().st_mtime_ns)
    return dict(sorted(found.items()))


def restore(root: Path, left: Files) -> None:
    """Make a folder what a crash has left of it."""
    for path in root.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, file in left.items():
        path = root / name
        if file is None:
            path.mkdir()
        else:
            path.write_bytes(file[0])
            os.utime(path, ns=(file[1], file[1]))
