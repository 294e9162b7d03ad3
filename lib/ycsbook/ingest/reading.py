"""Found things read in a fork with bounded memory and time: what is too much of them costs one line, not the ingest.

The fork sends what each batch gave. Where it dies, all that it had begun and not sent is read again one by one, and
what it dies of then is rejected.
"""

import mmap
import pickle
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from ycsbook import confined
from ycsbook.errors import RunLogError, StoreError, YcsbookError
from ycsbook.ingest.files.endings import PACKED
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.logs import Reader
from ycsbook.ingest.output import Result
from ycsbook.ingest.runs.rows import Rows

# CPU time that one thing may take: so much, and more for each MB of it; logs that are packed shrink to a twentieth.
SECONDS, SECONDS_PER_MB, _PACKED_RATIO = 30.0, 4.0, 20
_MB = 1e6
_PLACE = struct.Struct("q")

# The name of each table and its rows, as `Rows.arrow` gives them.
Tables = Iterator[tuple[str, object]]


def read(
    items: Iterable[IngestItem], annotations: Annotations, format: str = "", *,
    used: Iterable[str] = (), taken: Iterable[str] = (),
) -> Iterator[tuple[Tables, list[Result]]]:  # fmt: skip
    """Read everything, a batch at a time: the rows of the batch, to be taken before the next, and what each thing gave.

    Parameters
        annotations, format, used, taken: as for `logs.Reader`.
    Raises
        YcsbookError: something other than a file stands against reading, such as a reader that cannot be loaded.
        StoreError: the fork was killed while it sent rows.
    """
    if not confined.can_fork():
        batches = Reader(annotations, format, used=used, taken=taken).read(items)
        yield from ((rows.arrow(), results) for rows, results in batches)
        return
    waiting, suspects, used, taken = list(items), [], set(used), set(taken)
    while waiting or suspects:
        is_one_by_one = bool(suspects)
        attempt = _Attempt(suspects or waiting, is_one_by_one, Reader(annotations, format, used=used, taken=taken))
        for tables, results in attempt.batches():
            yield tables, results
            used.update(str(path) for result in results for path in result.used)
            taken.update(run_id for result in results for run_id in result.run_ids)
        left, behind = attempt.left()
        if left and (is_one_by_one or len(left) == 1):
            culprit = left.pop()
            yield iter(()), [Result(culprit, rejected=(RunLogError(culprit.first_file, None, attempt.reason),))]
        suspects, waiting = (left + behind, waiting) if is_one_by_one else (left, behind)


class _Attempt:
    """Things read in one fork, in batches or one by one. `reason`: why it did not come to its end; empty: it did."""

    def __init__(self, items: Sequence[IngestItem], is_one_by_one: bool, reader: Reader):
        self._items, self._is_one_by_one, self._reader = items, is_one_by_one, reader
        self._sent: set[int] = set()
        # The place of what was begun last, in memory that the fork shares with us.
        self._begun = mmap.mmap(-1, mmap.PAGESIZE)
        self.reason = ""

    def batches(self) -> Iterator[tuple[Tables, list[Result]]]:
        """What the fork sends, as it comes."""
        # Before the fork, which would load it a second time.
        import pyarrow.ipc  # noqa: F401

        fork = confined.Fork(self._work)
        kind = "begun"
        try:
            while (message := _received(fork.pipe))[0] == "batch":
                _, places, results = message
                tables = _received_tables(fork.pipe)
                yield tables, [r._replace(item=self._items[i]) for i, r in zip(places, results, strict=True)]
                for _ in tables:  # those that nobody wanted
                    pass
                self._sent.update(places)
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
        places = {id(item): i for i, item in enumerate(self._items)}

        def begun(items: Iterable[IngestItem]) -> Iterator[IngestItem]:
            for item in items:
                _PLACE.pack_into(self._begun, 0, places[id(item)])
                bounds.allow(_seconds(item))
                yield item

        batches = [[item] for item in self._items] if self._is_one_by_one else [self._items]
        try:
            for batch in batches:
                for rows, results in self._reader.read(begun(batch)):
                    bounds.lift()
                    _send(
                        pipe, "batch", [places[id(r.item)] for r in results], [r._replace(item=None) for r in results]
                    )
                    _send_tables(pipe, rows)
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


# Each message is a pickled tuple; that of a batch is followed by its tables, each as a name and Arrow's stream.


def _send(pipe: BinaryIO, *message: object) -> None:
    pickle.dump(message, pipe, protocol=5)


def _received(pipe: BinaryIO) -> tuple:
    try:
        return pickle.load(pipe)
    except (EOFError, pickle.UnpicklingError):
        return ("died",)


def _send_tables(pipe: BinaryIO, rows: Rows) -> None:
    import pyarrow as pa

    for name, table in rows.arrow():
        _send(pipe, name)
        with pa.ipc.new_stream(pipe, table.schema) as stream:
            stream.write_table(table)
    _send(pipe, "")


def _received_tables(pipe: BinaryIO) -> Tables:
    import pyarrow as pa

    try:
        while name := _received(pipe)[0]:
            yield name, pa.ipc.open_stream(pipe).read_all()
    except (OSError, pa.ArrowInvalid, pa.ArrowKeyError):
        raise StoreError("the process that reads was killed while it sent its rows; start again") from None
