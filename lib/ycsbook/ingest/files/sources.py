"""One file's bytes, whatever it is packed in: plain, .gz or .zst, read in bounded memory."""

import codecs
import gzip
import io
import math
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

from ycsbook import opening
from ycsbook.errors import RunLogError
from ycsbook.ingest.files.scan import PACKED

MAX_LINE = 64 * 1024
# Logs shrink to a twentieth; what claims to grow beyond these is no log but an attack on the disk's reader.
MAX_UNPACKED_RATIO = 200
UNPACKED_ALLOWANCE = 64 * 1024 * 1024
CHUNK_BYTES = 16 * 1024 * 1024
_READ_BYTES = 1024 * 1024
# What PowerShell writes behind a `>`: UTF-16, told by its byte order mark, else by a zero beside each letter.
_WIDE = re.compile(rb"(?P<little>\xff\xfe|(?:[\s -~]\0){8})|\xfe\xff|(?:\0[\s -~]){8}")
_MARK = "\ufeff"
NOTEBOOK = ".ipynb"
# What a cell of a notebook printed, and behind that what was typed there.
_CELL = re.compile(rb'^( *)"outputs": \[\n.*?^\1\],\n\1"source": \[\n(.*?)^\1\]', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Source:
    """A file to read. Errors name it, and nothing of its content is ever executed or followed. `label`: its name
    instead of the path; `root` and `limit`: as for `opening.opened`, of files that were looked for beside others."""

    path: Path
    label: str = ""
    root: Path | None = None
    limit: float = math.inf

    def __str__(self) -> str:
        return self.label or str(self.path)

    @property
    def name(self) -> str:
        """The file's name without what it is packed in."""
        return self.path.stem if self.path.suffix in PACKED else self.path.name

    def lines(self, limit: int = MAX_LINE) -> Iterator[bytes]:
        """Lines of at most `limit` bytes, with their ends; of a longer one its head without end. Raises RunLogError."""
        with self._opened() as file:
            while line := file.readline(limit):
                yield line
                while len(line) == limit and not line.endswith(b"\n"):
                    line = file.readline(limit)

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        """Everything in chunks of whole lines; of a line longer than a chunk the first MAX_LINE bytes. Raises as
        lines."""
        with self._opened() as file:
            line_begun = b""
            while block := file.read(size):
                end = block.rfind(b"\n") + 1
                if end:
                    yield line_begun + block[:end]
                    line_begun = block[end:]
                elif len(line_begun) < MAX_LINE:
                    line_begun += block
                if len(line_begun) > size:
                    line_begun = line_begun[:MAX_LINE]
            if line_begun:
                yield line_begun

    def head(self, size: int) -> bytes:
        if not self._is_packed:
            return self._part(0, size)
        with self._opened() as file:
            return file.read(size)

    def tail(self, size: int) -> bytes:
        return b"" if self._is_packed else self._part(-size, size)

    def ends(self, size: int) -> tuple[int, bytes, bytes]:
        """The size of the file as it lies there, its first and its last `size` bytes. Raises RunLogError."""
        try:
            with self._raw(buffering=0) as file:
                total = os.fstat(file.fileno()).st_size
                head = file.read(size)
                file.seek(max(0, total - size))
                return total, head, file.read(size)
        except OSError as e:
            raise _unreadable(self, e) from e

    def content(self, limit: int) -> bytes:
        """Everything. Raises RunLogError as lines, or where it is larger than `limit` bytes."""
        content = self.head(limit + 1)
        if len(content) > limit:
            raise RunLogError(self, None, f"larger than {limit:,} bytes, which no file of its format is")
        return content

    @property
    def _is_packed(self) -> bool:
        return self.path.suffix in (*PACKED, NOTEBOOK)

    def _part(self, start: int, size: int) -> bytes:
        """At most `size` bytes of a plain file, from `start`, or from so many bytes before its end if that is negative.

        Without a buffer, whose making takes longer than a small log's reading."""
        try:
            with self._raw(buffering=0) as opened:
                file = opened.fileno()
                length = os.fstat(file).st_size
                encoding = None
                if start < 0:
                    encoding = _wide(os.pread(file, 16, 0))
                    # Even, so that no character of two bytes is torn.
                    os.lseek(file, max(start // 2 * 2, -length), os.SEEK_END)
                # Asked for what is there, so that no buffer is made for what is not.
                content = os.read(file, min(size, length + 1))
                encoding = encoding or (_wide(content) if start >= 0 else None)
                return _utf8(content.decode(encoding, errors="replace")) if encoding else content
        except (OSError, ValueError) as e:
            raise _unreadable(self, e) from e

    def _raw(self, buffering: int = _READ_BYTES) -> BinaryIO:
        return opening.opened(self.path, root=self.root, limit=self.limit, buffering=buffering)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """The file to be read, unpacked and in UTF-8."""
        try:
            with self._raw() as packed, _unpacked(self, packed) as file:
                yield file
        except (OSError, EOFError, zlib.error) as e:
            raise _unreadable(self, e) from e


def _unpacked(source: Source, file: BinaryIO) -> BinaryIO:
    if source.path.suffix in PACKED:
        limit = MAX_UNPACKED_RATIO * os.fstat(file.fileno()).st_size + UNPACKED_ALLOWANCE
        if source.path.suffix == ".gz":
            unpacked = gzip.GzipFile(fileobj=file)
        else:
            # Only here: pyarrow takes longer to load than a small log to read.
            import pyarrow as pa

            unpacked = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
        return io.BufferedReader(_Stream(unpacked, source, limit), _READ_BYTES)
    if source.path.suffix == NOTEBOOK and os.fstat(file.fileno()).st_size <= UNPACKED_ALLOWANCE:
        return io.BytesIO(_CELL.sub(_typed_first, file.read()))
    if encoding := _wide(file.peek(16)):
        return io.BufferedReader(_Stream(file, source, encoding=encoding), _READ_BYTES)
    return file


def _typed_first(cell: re.Match) -> bytes:
    """A cell with its commands above what they printed, in place of lines that say nothing: the others stay there."""
    lines = cell[0].splitlines(keepends=True)
    first = len(lines) - 1 - cell[2].count(b"\n")
    free = sum(1 for _ in takewhile(lambda line: b'"text' not in line, lines[: first - 1]))
    typed = [at for at in range(first, len(lines) - 1) if len(lines) - 1 - first <= free or b"ycsb" in lines[at]]
    for to, at in enumerate(typed[-free:]):
        lines[to], lines[at] = lines[at], b"\n"
    return b"".join(lines)


def _wide(start: bytes) -> str | None:
    """The encoding of a file in UTF-16 that begins so; None for any other."""
    match = _WIDE.match(start)
    return match and ("utf-16-le" if match["little"] else "utf-16-be")


def _unreadable(source: Source, error: BaseException) -> RunLogError:
    packed = source.path.suffix in PACKED and not getattr(error, "errno", None)
    if packed:
        return RunLogError(source, None, f"cannot be unpacked: {error}; unpack it by hand to see how far it is whole")
    reason = getattr(error, "strerror", None) or error
    return RunLogError(source, None, f"cannot be read: {reason}; check that it is a file and its mode")


def _utf8(text: str) -> bytes:
    return text.removeprefix(_MARK).encode("utf-8")


class _Stream(io.RawIOBase):
    """What an opened file gives: UTF-16 as UTF-8, and no more than `limit` bytes."""

    def __init__(self, opened: BinaryIO, source: Source, limit: float = math.inf, encoding: str = ""):
        self._opened, self._source, self._limit, self._left = opened, source, limit, limit
        self._decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        part = self._utf8_part(len(buffer)) if self._decoder else self._opened.read(len(buffer))
        self._left -= len(part)
        if self._left < 0:
            reason = f"unpacks to more than {self._limit:,} bytes, {MAX_UNPACKED_RATIO} times its size: no log does"
            raise RunLogError(self._source, None, reason)
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._opened.close()
        super().close()

    def _utf8_part(self, size: int) -> bytes:
        """The next part, empty only at the end; two bytes of UTF-16 become three at most."""
        while part := self._opened.read(size // 3 * 2):
            if text := _utf8(self._decoder.decode(part)):
                return text
        return _utf8(self._decoder.decode(b"", final=True))
