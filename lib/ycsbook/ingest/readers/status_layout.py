"""How today's status lines are laid out, for Walk: the head of a line, and an operation in its brackets."""

import re
from datetime import UTC, date, datetime

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.intervals import NO_CLOCK
from ycsbook.ingest.readers.status_walk import BYTE, HIGH, Walk, ones

MAX_NAMES = 256
# What a walk may go beyond its line's end before it is found out: a name of 320 bytes, nine numbers of at most 24 bytes
# and their labels.
PADDING = 1024
_NAMED = re.compile(rb"\[([^\x00-\x20\x7f-\xff:=,\[\]]{1,80}): Count=")
_MAX_ODD_NAMES = 16


def heads(walk: Walk, text: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Clock (ms), elapsed seconds and operations of each line, and whether it begins as it should.

    `walk` stands at the start of each line of `text`.
    """
    stamp = []
    for pattern in (b"0000-00-", b"00 00:00", b":00:000 "):
        # As in _digits, but where the pattern has no digit the byte must be the pattern's.
        carry = bytes(0x76 if b == ord("0") else 0x7F for b in pattern)
        word = walk.words[walk.at]
        word ^= np.uint64(int.from_bytes(pattern, "little"))
        walk.ok &= ((word + np.uint64(int.from_bytes(carry, "little"))) | word) & HIGH == 0
        walk.at += 8
        stamp.append(word)
    # Two digits as one number, at the place of the first.
    _, time, seconds = (w * np.uint64(10) + (w >> np.uint64(8)) for w in stamp)
    hour, minute, second = _byte(time, 3), _byte(time, 6), _byte(seconds, 1)
    milli = _byte(seconds, 4) * 10 + _byte(stamp[2], 6)
    walk.ok &= (hour < 24) & (minute < 60) & (second < 60)
    at_ms = ((hour * 60 + minute) * 60 + second) * units.MS_PER_S + milli
    at_ms += _days_ms(stamp[0], stamp[1] & ones(2), walk, text)
    elapsed = walk.number(10).astype(float)
    walk.label(b" sec: ")
    operations = walk.number(18).astype(float)
    walk.label(b" operations;")
    return at_ms, elapsed, operations, walk.ok


def _byte(word: np.ndarray, index: int) -> np.ndarray:
    return ((word >> np.uint64(8 * index)) & BYTE).view(np.int64)


def _days_ms(year_month: np.ndarray, day: np.ndarray, walk: Walk, text: bytes) -> np.ndarray:
    """Midnight of each line's date; neighbours have the same as a rule, so it is looked up where it changes."""
    changes = (year_month[1:] != year_month[:-1]) | (day[1:] != day[:-1])
    first = np.concatenate([[0], np.flatnonzero(changes) + 1])
    known: dict[bytes, int | None] = {}
    midnights = np.zeros(len(first), np.int64)
    for i, at in enumerate((walk.at[first] - 24).tolist()):
        shown = text[at : at + 10]
        if shown not in known:
            known[shown] = _midnight_ms(shown)
        midnights[i] = NO_CLOCK if known[shown] is None else known[shown]
    days = np.repeat(midnights, np.diff(first, append=len(day)))
    walk.ok &= days != NO_CLOCK
    return days


def _midnight_ms(shown: bytes) -> int | None:
    try:
        day = date.fromisoformat(shown.decode("ascii"))
    except ValueError:
        return None
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * units.MS_PER_S


def details(walk: Walk, text: bytes, names: dict[str, int]) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Name, count, mean, maximum and 99th percentile of each bracket, and whether it is as it should be.

    `walk` stands at each bracket of `text`; names are codes of `names`, into which new ones go.
    """
    name = _named(walk, text, names)
    count = walk.number(19).astype(float)
    walk.label(b", Max=")
    maximum = walk.number(19).astype(float)
    walk.label(b", Min=")
    walk.pass_number()
    walk.label(b", Avg=")
    mean = walk.mean()
    # Releases after 0.17 print the median too.
    median = np.flatnonzero(walk.shows(b", 50="))
    if len(median):
        some = Walk(walk.words, walk.at[median])
        some.label(b", 50=")
        some.pass_number()
        walk.at[median], walk.ok[median] = some.at, walk.ok[median] & some.ok
    walk.label(b", 90=")
    walk.pass_number()
    walk.label(b", 99=")
    p99 = walk.number(19).astype(float)
    walk.label(b", 99.9=")
    walk.pass_number()
    walk.label(b", 99.99=")
    walk.pass_number()
    walk.label(b"]")
    nothing = np.flatnonzero(count == 0)
    for value in (mean, maximum, p99):
        value[nothing] = np.nan
    return (name, count, mean, maximum, p99), walk.ok


def _named(walk: Walk, text: bytes, names: dict[str, int]) -> np.ndarray:
    """Pass over `[NAME: Count=`; the code of each name, new ones go into `names`."""
    code = np.full(len(walk.at), -1, np.int64)
    word = walk.words[walk.at]
    for name, number in names.items():
        _mark(walk, word, name, number, code)
    tries = _MAX_ODD_NAMES + MAX_NAMES - len(names)
    while tries and len(names) < MAX_NAMES and len(unknown := np.flatnonzero(code < 0)):
        tries -= 1
        if found := _NAMED.match(text, int(walk.at[unknown[0]])):
            name = found[1].decode("ascii")
            names[name] = len(names)
            _mark(walk, word, name, names[name], code)
        else:
            code[unknown[0]] = MAX_NAMES
    lengths = np.array([len(_label_of(name)) for name in names], np.int64)
    walk.ok &= (code >= 0) & (code < MAX_NAMES)
    code[~walk.ok] = 0
    if len(lengths):
        walk.at += lengths[code]
    return code


def _label_of(name: str) -> bytes:
    return f"[{name}: Count=".encode()


def _mark(walk: Walk, word: np.ndarray, name: str, number: int, code: np.ndarray) -> None:
    label = _label_of(name)
    rows = np.flatnonzero(word == np.uint64(int.from_bytes(label[:8], "little")))
    rows = rows[Walk(walk.words, walk.at[rows] + 8).shows(label[8:])]
    code[rows] = number
