"""Files and folders in, tidy tables out, in a fork with bounded memory and time: what is too much costs one line.

The fork sends what each batch gave. Where it dies, all that it had begun and not sent is read again one by one, and
what it dies of then is rejected.
"""

import mmap
import pickle
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ycsbook import confined
from ycsbook.columns import INGESTED
from ycsbook.errors import RunLogError, StoreError, YcsbookError
from ycsbook.facts import Fact
from ycsbook.ingest import readers
from ycsbook.ingest.files.scan import PACKED, scan
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding import detect
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.log.intervals import keep_freed_memory
from ycsbook.ingest.logs import Reader
from ycsbook.ingest.output import Output, Result

# CPU time that one thing may take: so much, and more for each MB of it; logs that are packed shrink to a twentieth.
SECONDS, SECONDS_PER_MB, _PACKED_RATIO = 30.0, 4.0, 20
_MB = 1e6
_PLACE = struct.Struct("q")

# The name of each table and its rows, as `Rows.arrow` gives them.
_TableRows = Iterator[tuple[str, object]]


def read(paths: Iterable[str | Path], *, annotations: Annotations | None = None, format: str = ""):
    """The tidy tables of logs, folders of logs, run folders and published tables, as `tables.Tables`. A log without
    usable figures gives a row with its outcome; see read_with_rejects for files that cannot be read at all."""
    return read_with_rejects(paths, annotations=annotations, format=format)[0]


def read_with_rejects(paths: Iterable[str | Path], *, annotations: Annotations | None = None, format: str = ""):
    """As read, with one error per file that could not be read: (Tables, list of RunLogError). `annotations`: what the
    user adds to the logs. `format`: read every log as this, one of `readers.names()`."""
    import pyarrow as pa

    # Only here: pandas comes with it, and no ingest from the command line needs that.
    from ycsbook.tables import Tables, conform, empty

    items, rejected = detect.find([paths] if isinstance(paths, str | Path) else paths)
    parts: dict[str, list[pa.Table]] = {name: [] for name in INGESTED}
    for tables, results in batches(items, annotations, format):
        rejected += [error for result in results for error in result.rejected]
        for name, table in tables:
            parts[name].append(table)
    frames = {
        name: conform(_frame(pa.concat_tables(tables), pa), name) if tables else empty(name)
        for name, tables in parts.items()
    }
    return Tables(**frames), rejected


def _frame(table, pa):
    plain = pa.schema([(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in table.schema])
    return table.cast(plain).to_pandas()


def explain(path: Path) -> list[str | Fact]:
    """What becomes of a file when its folder is ingested, and why, worded to follow its name. Raises RunLogError."""
    listed = scan([path])
    if listed.errors:
        raise listed.errors[0]
    folder = next((folder for folder in listed.folders.values() if folder.named), None)
    if folder is None:
        raise RunLogError(path, None, "is a folder; name one of its files")
    (name,) = folder.named
    folder.everything, folder.named = True, set()
    items, errors = detect.group(listed)
    own_path = folder.join(name)
    item = next((item for item in items if own_path in (file.path for file in item.stats)), None)
    if path.name.startswith("."):
        return ["is passed over: it is hidden; a file that is named itself is read"]
    if item is None:
        reasons = [error.reason for error in errors if str(error.path) == own_path]
        reasons = reasons or [detect.never_looked_into(folder, name) or _described(Path(own_path))]
        return [f"is passed over: it {reason}" for reason in reasons]
    results = [result for _, results in batches([item]) for result in results]
    beside = sorted({file.path for file in item.stats} - {own_path})
    together = [f"is read together with {', '.join(beside)}"] if beside else []
    return [line for result in results for line in _explained(result)] + together


def _explained(result: Result) -> list[str | Fact]:
    if not (result.run_ids or result.rejected):
        return [f"is passed over: it {_described(result.item.first_file)}"]
    lines = [f"is read as {result.format}: {', '.join(result.outcomes)}"] if result.run_ids else []
    lines += [f"is rejected: it {error.reason}" for error in result.rejected]
    return [*lines, *result.unfinished, *result.remarks]


def _described(path: Path) -> str:
    return readers.described(Source(path).head(readers.SNIFF_BYTES))


def batches(
    items: Iterable[IngestItem], annotations: Annotations | None = None, format: str = "", *,
    used: Iterable[str] = (), run_ids: Iterable[str] = (),
) -> Iterator[tuple[_TableRows, list[Result]]]:  # fmt: skip
    """Read everything, a batch at a time: the rows of the batch, to be taken before the next, and what each thing gave;
    parameters as for Output and Reader. Raises YcsbookError where something other than a file stands against reading,
    StoreError where the fork was killed while it sent rows."""
    annotations = annotations or Annotations()
    if not confined.can_fork():
        reader = Reader(Output(annotations, used, run_ids), format)
        yield from ((rows.arrow(), results) for rows, results in reader.read(items))
        return
    waiting, suspects, used, run_ids = list(items), [], set(used), set(run_ids)
    while waiting or suspects:
        is_one_by_one = bool(suspects)
        reader = Reader(Output(annotations, used, run_ids), format)
        attempt = _Attempt(suspects or waiting, is_one_by_one, reader)
        for tables, results in attempt.batches():
            yield tables, results
            used.update(str(path) for result in results for path in result.used)
            run_ids.update(run_id for result in results for run_id in result.run_ids)
        unread, behind = attempt.left()
        if unread and (is_one_by_one or len(unread) == 1):
            culprit = unread.pop()
            yield iter(()), [Result(culprit, rejected=(RunLogError(culprit.first_file, None, attempt.reason),))]
        suspects, waiting = (unread + behind, waiting) if is_one_by_one else (unread, behind)


class _Attempt:
    """Things read in one fork, in batches or one by one. `reason`: why it did not come to its end; empty: it did."""

    def __init__(self, items: Sequence[IngestItem], is_one_by_one: bool, reader: Reader):
        self._items, self._is_one_by_one, self._reader = items, is_one_by_one, reader
        self._sent: set[int] = set()
        # The place of what was begun last, in memory that the fork shares with us.
        self._begun = mmap.mmap(-1, mmap.PAGESIZE)
        self.reason = ""

    def batches(self) -> Iterator[tuple[_TableRows, list[Result]]]:
        """What the fork sends, as it comes."""
        # Before the fork, which would load it a second time.
        import pyarrow  # noqa: F401

        # Tables come in new blocks of memory.
        keep_freed_memory()
        fork = confined.Fork(self._work)
        kind = "begun"
        try:
            while (message := _received(fork.pipe))[0] == "batch":
                _, indices, results = message
                tables = _received_tables(fork.pipe)
                yield tables, [r._replace(item=self._items[i]) for i, r in zip(indices, results, strict=True)]
                for _ in tables:  # those that nobody wanted
                    pass
                self._sent.update(indices)
            kind, *values = message
        finally:
            ended = fork.end(_seconds(self._items[self._place()]), kill=kind == "begun")
        if kind == "raised":
            raise values[0]
        if kind == "failed":
            self.reason = f"cannot be read for a mistake in its reader, {values[0]} with the file"
        elif kind == "died":
            self.reason = ended
        if self.reason and not self.left()[0]:
            raise StoreError(f"the process that reads {self.reason}; start again")

    def left(self) -> tuple[list[IngestItem], list[IngestItem]]:
        """What was begun and not sent, and what was not begun; nothing where all was read."""
        if not self.reason:
            return [], []
        behind = self._place() + 1
        return [item for i, item in enumerate(self._items[:behind]) if i not in self._sent], [*self._items[behind:]]

    def _place(self) -> int:
        return _PLACE.unpack_from(self._begun)[0]

    def _work(self, pipe: BinaryIO, bounds: confined.Bounds) -> None:
        from pyarrow import ipc

        indices = {id(item): i for i, item in enumerate(self._items)}

        def begun(items: Iterable[IngestItem]) -> Iterator[IngestItem]:
            for item in items:
                _PLACE.pack_into(self._begun, 0, indices[id(item)])
                bounds.allow(_seconds(item))
                yield item

        batches = [[item] for item in self._items] if self._is_one_by_one else [self._items]
        try:
            for batch in batches:
                for rows, results in self._reader.read(begun(batch)):
                    bounds.lift()
                    _send(
                        pipe, "batch", [indices[id(r.item)] for r in results], [r._replace(item=None) for r in results]
                    )
                    for name, table in rows.arrow():
                        _send(pipe, "table", name)
                        # A third of the time of pickling it.
                        with ipc.new_stream(pipe, table.schema) as stream:
                            stream.write_table(table)
                    _send(pipe, "end of tables")
            _send(pipe, "end")
        except (MemoryError, BrokenPipeError):
            raise
        except YcsbookError as e:
            _send(pipe, "raised", e)
        except Exception as e:  # noqa: BLE001  (a mistake of ours costs this file, not the others)
            _send(pipe, "failed", confined.mistake(e))


def _seconds(item: IngestItem) -> float:
    size = sum(file.size * (_PACKED_RATIO if file.path.endswith(PACKED) else 1) for file in item.stats)
    return SECONDS + SECONDS_PER_MB * size / _MB


# Each message is a pickled tuple; that of a batch is followed by its tables, each by its name and as a stream of Arrow.


def _send(pipe: BinaryIO, *message: object) -> None:
    pickle.dump(message, pipe, protocol=5)


def _received(pipe: BinaryIO) -> tuple:
    try:
        return pickle.load(pipe)
    except (EOFError, pickle.UnpicklingError):
        return ("died",)


def _received_tables(pipe: BinaryIO) -> _TableRows:
    import pyarrow as pa

    while (message := _received(pipe))[0] == "table":
        try:
            table = pa.ipc.open_stream(pipe).read_all()
        except (pa.ArrowException, OSError):  # cut
            message = ("died",)
            break
        yield message[1], table
    if message == ("died",):
        raise StoreError("the process that reads was killed while it sent its rows; start again")
