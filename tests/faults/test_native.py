"""The reader in C keeps within the text it is given, whatever is in it: behind that lies memory nobody may touch."""

import ctypes
import mmap
import random

import numpy as np
import pytest
from mutations import mutated

from ycsbook import native
from ycsbook.native import status, summaries
from ycsbook.native.status import Stretch

PAGE = mmap.PAGESIZE
LINE = (
    b"2026-11-21 08:47:06:208 7 sec: 1415 operations; 1413.59 current ops/sec; "
    b"[READ: Count=1415, Max=94399, Min=558, Avg=4188.8, 90=7443, 99=16607, 99.9=93439, 99.99=94399] "
    b"[CLEANUP: Count=0, Max=0, Min=9223372036854775807, Avg=NaN, 50=1, 90=0, 99=0, 99.9=0, 99.99=0]\n"
)
SUMMARY = (
    b"[OVERALL], RunTime(ms), 30000\n[OVERALL], Throughput(ops/sec), 166.66666666666666\n[READ], Operations, 5000\n"
)


class Fenced:
    """Memory that ends where the system ends a process that reads on."""

    def __init__(self, pages: int):
        self.size = pages * PAGE
        self.memory = mmap.mmap(-1, self.size + PAGE)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mprotect(ctypes.c_void_p(self.start + self.size), ctypes.c_size_t(PAGE), 0) == 0

    def put(self, text: bytes) -> int:
        """Where the text lies, its last byte the last one that can be read."""
        self.memory[self.size - len(text) : self.size] = text
        return self.start + self.size - len(text)


@pytest.fixture(scope="module")
def fenced() -> Fenced:
    return Fenced(16)


def texts() -> list[bytes]:
    seeded = random.Random(20261121)
    found = [LINE[:n] for n in range(len(LINE) + 1)] + [LINE[:n] + b"\n" for n in range(len(LINE))]
    found += [SUMMARY[:n] for n in range(len(SUMMARY) + 1)] + [SUMMARY[:n] + b"\n" for n in range(len(SUMMARY))]
    for sample in (LINE, LINE * 3, SUMMARY, SUMMARY * 2):
        found += [mutated(sample, seeded, [LINE, SUMMARY])[: 8 * PAGE] for _ in range(1500)]
    return found


def test_it_is_built():
    assert native.library() is not None, "make setup builds it"


def test_nothing_is_read_behind_a_text(fenced, monkeypatch):
    """It would end this process by a signal."""
    monkeypatch.setattr(native, "texts", lambda parts: _pointers(fenced, parts))
    read = 0
    for text in texts():
        found = status.read(native.library(), [Stretch.of(text)], [1], [b"Still waiting for thread "])
        assert len(found.lines["line"]) == max(found.counts[0], 0)
        assert len(found.details["owner"]) <= len(text) // 60
        values, parts = summaries.read(native.library(), [text])
        read += found.counts[0] > 0
        read += parts[0] is not None
        assert not np.isnan(values).any()
    assert read > 100, "most of it was refused before it was read"


def _pointers(fenced: Fenced, parts):
    if None in parts:  # what lines begin with that are passed over
        return (ctypes.c_char_p * len(parts))(*parts)
    (text,) = parts
    pointers = (ctypes.c_char_p * 1)()
    ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))[0] = fenced.put(text)
    return pointers
