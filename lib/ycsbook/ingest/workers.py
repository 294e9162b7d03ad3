"""Reading in one process or in several: batches of found things in, batches of tables out.

Helpers hand their tables over as Arrow files, which this process maps into memory instead of copying them. It reads
itself while it waits for the next ones; what is read comes in the order of the things, whoever read it.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ycsbook.errors import StoreError
from ycsbook.ingest.files.identity import Ids
from ycsbook.ingest.finding.detect import Found
from ycsbook.ingest.finding.sidecar import Said
from ycsbook.ingest.helpers import NO_HELPERS, Helpers
from ycsbook.ingest.results import BATCH_BYTES, LOOSE, Result

# Told bytes read and bytes in all.
Progress = Callable[[int, int], None]
_MAX_BATCH_FILES = 2_000
# Parts that a helper is given at a time, so that it never waits, and parts that may wait for their turn, for each.
_ASKED_AHEAD, _WAITING = 2, 4

Batch = tuple[Iterable[tuple[str, object]], list[Result]]


@dataclass(frozen=True)
class Reading:
    """How to read: what the user says of the files, the format (empty: by content), with whose help, whom to tell."""

    said: Said
    format: str = ""
    helpers: Helpers = NO_HELPERS
    progress: Progress = lambda done, total: None

    def batches(self, items: list[Found], *, taken: Iterable[str] = (), used: Iterable[str] = ()) -> Iterator[Batch]:
        """The tables of each batch, and what each thing gave.

        Parameters
            taken: ids that other runs have already.
            used: histograms that other runs have already.
        """
        logs = [item for item in items if item.kind not in LOOSE]
        loose = [item for item in items if item.kind in LOOSE]
        done, total = 0, sum(map(_size, items))
        names = _Names(taken)
        used = set(used)
        for tables, results in self._logs(logs):
            done += sum(_size(result.found) for result in results)
            used |= {str(path) for result in results for path in result.used}
            yield names.told_apart(tables, results)
            self.progress(done, total)
        for tables, results in self._own(loose, used):
            yield names.told_apart(tables, results)
        self.progress(total, total)

    def _logs(self, items: list[Found]) -> Iterator[Batch]:
        parts = list(_parts(items))
        if not self.helpers.count or len(parts) < 2:
            for part in parts:
                yield from self._own(part)
            return
        with _temporary() as folder:
            yield from self._shared(parts, folder)

    def _own(self, part: list[Found], used: Iterable[str] = ()) -> Iterator[Batch]:
        # Only here: what reads is loaded while the helpers load it, too.
        from ycsbook.ingest.logs import Reader

        for rows, results in Reader(self.said, self.format, used).read(part):
            yield rows.arrow(), results

    def _shared(self, parts: list[list[Found]], folder: str) -> Iterator[Batch]:
        """The parts in order, some read by helpers, the others here while there is nothing to hand over."""
        from concurrent.futures import Future

        left, done = deque(range(len(parts))), {}
        asked: dict[int, object] = {}

        def ask() -> None:
            # The next one as soon as one is done, whatever this process is at: a helper must not wait.
            try:
                n = left.popleft()
            except IndexError:  # nothing is left
                return
            try:
                asked[n] = self.helpers.submit(_read, self.said, self.format, folder, n, parts[n])
            except RuntimeError as e:  # it is over, or a helper has died
                asked[n] = Future()
                asked[n].set_exception(e)
                return
            asked[n].add_done_callback(lambda future: ask())

        for _ in range(_ASKED_AHEAD * self.helpers.count):
            ask()
        for turn in range(len(parts)):
            while turn not in done:
                if turn in asked and (asked[turn].done() or not left or len(done) >= _WAITING * self.helpers.count):
                    files, told = asked.pop(turn).result()
                    done[turn] = [(_mapped(files), [Result(parts[turn][i], *rest) for i, *rest in told])]
                    continue
                # What waits for its turn lies in memory.
                with suppress(IndexError):
                    n = left.popleft()
                    done[n] = list(self._own(parts[n]))
            yield from done.pop(turn)


def _parts(items: list[Found]) -> Iterator[list[Found]]:
    """The things in order, about a batch's bytes at a time."""
    part: list[Found] = []
    size = 0
    for item in items:
        part.append(item)
        size += _size(item)
        if size >= BATCH_BYTES or len(part) >= _MAX_BATCH_FILES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _size(item: Found) -> int:
    return sum(stat.size for stat in item.stats)


def _temporary():
    """A folder for what workers hand over, gone at the end."""
    import tempfile

    try:
        return tempfile.TemporaryDirectory(prefix="ycsbook-")
    except OSError as e:
        raise _unwritable(tempfile.tempdir or "the system's temporary folder", e) from e


def _unwritable(folder: str, error: OSError) -> StoreError:
    told = error.strerror or error
    return StoreError(f"{folder}: cannot be written: {told}; free space, or set TMPDIR to another folder")


def _read(said: Said, format: str, folder: str, n: int, part: list[Found]) -> tuple[list[tuple[str, str]], list[tuple]]:
    """In a helper: read one part and leave its tables as files; what each thing gave, with its index for the thing."""
    import pyarrow as pa

    from ycsbook.ingest.logs import Reader

    files: list[tuple[str, str]] = []
    found: list[Result] = []
    for rows, results in Reader(said, format).read(part):
        found += results
        for name, table in rows.arrow():
            if len(table):
                path = str(Path(folder) / f"{n}-{len(files)}.arrow")
                try:
                    with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
                        writer.write_table(table)
                except OSError as e:
                    raise _unwritable(folder, e) from None
                files.append((name, path))
    index = {id(item): i for i, item in enumerate(part)}
    return files, [(index[id(r.found)], *r[1:]) for r in found]


def _mapped(files: list[tuple[str, str]]) -> Iterator[tuple[str, object]]:
    import pyarrow as pa

    for name, path in files:
        with pa.memory_map(path) as file:
            yield name, pa.ipc.open_stream(file).read_all()
        os.unlink(path)


class _Names:
    """Gives runs that were read apart from each other ids of their own: the same log may lie in two places."""

    def __init__(self, taken: Iterable[str]):
        self._ids = Ids(taken)

    def told_apart(self, tables: Iterable[tuple[str, object]], results: list[Result]) -> Batch:
        given: dict[str, str] = {}
        for result in results:
            for run_id in result.run_ids:
                given[run_id] = self._ids.unique(run_id)
        if all(old == new for old, new in given.items()):
            return tables, results
        renamed = [r._replace(run_ids=tuple(given[i] for i in r.run_ids)) for r in results]
        return ((name, _renamed(table, given)) for name, table in tables), renamed


def _renamed(table, given: dict[str, str]):
    import pyarrow as pa

    at = table.schema.get_field_index("run_id")
    kind = table.schema.field(at).type
    old = table.column(at).cast(pa.string()).to_pylist()
    new = pa.array([given.get(run_id, run_id) for run_id in old], pa.string())
    return table.set_column(
        at, table.schema.field(at), new.cast(kind) if kind == pa.string() else new.dictionary_encode()
    )
