"""Many texts of the same make read in step, eight bytes of each at a time: NumPy as a parser.

A word is eight bytes, the first of them the lowest. How many digits it begins with follows from its bits, and its value
from three multiplications (after Lamport 1975, "Multiple byte processing with full-word instructions", CACM 18:8).
"""

import numpy as np

_MAX_FRACTION = 6

_ZEROS, _CARRY, HIGH = (np.uint64(int.from_bytes(bytes([b] * 8))) for b in (0x30, 0x76, 0x80))
_ONE, BYTE = np.uint64(1), np.uint64(0xFF)
_POWERS = 10 ** np.arange(20, dtype=np.uint64)
_REPLACEMENT, _NAN = (int.from_bytes(b, "little") for b in ("\ufffd".encode(), b"NaN"))


class Walk:
    """Places in a text, one per row, that move on together; `ok`: the row is as expected so far."""

    def __init__(self, words: np.ndarray, at: np.ndarray):
        self.words, self.at, self.ok = words, at.copy(), np.ones(len(at), bool)

    def label(self, label: bytes) -> None:
        """Pass over what must be there to the letter."""
        self.ok &= self.shows(label)
        self.at += len(label)

    def shows(self, label: bytes) -> np.ndarray:
        """Whether the label comes next."""
        shown = self._shows(label[:8], 0)
        for at in range(8, len(label), 8):
            shown &= self._shows(label[at : at + 8], at)
        return shown

    def _shows(self, label: bytes, offset: int) -> np.ndarray:
        word = self.words[self.at + offset if offset else self.at]
        if len(label) < 8:
            word &= ones(len(label))
        return word == np.uint64(int.from_bytes(label, "little"))

    def number(self, most_digits: int) -> np.ndarray:
        """Pass over an integer of one to `most_digits` (at most 19) digits; its value."""
        word, bits = self._digits()
        value = _value(word, bits)
        self.at += bits >> 3
        long = np.flatnonzero(bits == 64)
        if len(long):
            value[long] = self._rest(long, value[long], most_digits)
        self.ok &= bits != 0
        return value

    def pass_number(self) -> None:
        """As number, without its value."""
        _, bits = self._digits()
        self.at += bits >> 3
        long = np.flatnonzero(bits == 64)
        if len(long):
            self._rest(long, np.zeros(len(long), np.uint64), 19)
        self.ok &= bits != 0

    def mean(self) -> np.ndarray:
        """Pass over a number with or without a fraction, or over what is printed where there is none (NaN)."""
        word, bits = self._digits()
        whole = _value(word, bits)
        self.at += bits >> 3
        long = np.flatnonzero(bits == 64)
        if len(long):
            whole[long] = self._rest(long, whole[long], 9)
        # A point and a digit, or a decimal comma and a digit: after a comma that separates there is a blank.
        word = self.words[self.at]
        mark, next_digit = word & BYTE, ((word >> np.uint64(8)) & BYTE) - np.uint64(ord("0"))
        marked = ((mark == ord(".")) | (mark == ord(","))) & (next_digit < 10) & (bits > 0)
        self.at += marked
        word, fraction_bits = self._digits()
        fraction_bits *= marked
        digits = fraction_bits >> 3
        self.at += digits
        self.ok &= digits <= _MAX_FRACTION
        power = _POWERS[digits]
        value = (whole * power + _value(word, fraction_bits)).astype(float)
        value /= power
        none = np.flatnonzero(bits == 0)
        if len(none):
            value[none] = np.nan
            shown = self.words[self.at[none]] & ones(3)
            three = (shown == _NAN) | (shown == _REPLACEMENT)
            self.at[none] += np.where(three, 3, (shown & BYTE) == ord("?"))
        return value

    def _digits(self) -> tuple[np.ndarray, np.ndarray]:
        """Eight bytes with digits as their values, and how many bits of them are digits before anything else."""
        word = self.words[self.at]
        word ^= _ZEROS
        # The lowest byte above nine is marked in its highest bit; those above it may be by carries, and do not count.
        mark = word + _CARRY
        mark |= word
        mark &= HIGH
        below = mark - _ONE
        np.invert(mark, out=mark)
        below &= mark
        return word, (np.bitwise_count(below) & 0x78).astype(np.int64)

    def _rest(self, rows: np.ndarray, value: np.ndarray, most_digits: int) -> np.ndarray:
        """Pass over the digits behind the first eight of some rows."""
        rest = Walk(self.words, self.at[rows])
        count = np.full(len(rows), 8)
        for _ in range(2):
            word, bits = rest._digits()
            digits = np.where(count % 8 == 0, bits >> 3, 0)
            value = value * _POWERS[digits] + np.where(digits, _value(word, bits), np.uint64(0))
            rest.at += digits
            count += digits
        self.at[rows] = rest.at
        self.ok[rows] &= count <= most_digits
        return value


def ones(size: int) -> np.uint64:
    return np.uint64((1 << 8 * size) - 1)


def _value(word: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """The number that the first `bits` of eight digits are: neighbours are joined to two, four and eight digits."""
    value = word << (64 - bits).view(np.uint64)
    for factor, shift, kept in (
        (10, 8, 0x00FF00FF00FF00FF),
        (100, 16, 0x0000FFFF0000FFFF),
        (10_000, 32, 0x00000000FFFFFFFF),
    ):
        upper = value >> np.uint64(shift)
        value *= np.uint64(factor)
        value += upper
        value &= np.uint64(kept)
    return value


def places(characters: np.ndarray, wanted: bytes) -> np.ndarray:
    """Where a byte is, in order; the number of characters is a multiple of eight. For bytes that are seldom neighbours:
    words are searched, then the words that hold it."""
    words = (characters == ord(wanted)).view("<u8")
    index = np.flatnonzero(words != 0)
    hits = words[index]
    found = []
    while len(index):
        found.append((index << 3) + (np.bitwise_count((hits - _ONE) & ~hits) >> 3))
        hits &= hits - _ONE
        again = np.flatnonzero(hits)
        index, hits = index[again], hits[again]
    if len(found) == 1:
        return found[0]
    return np.sort(np.concatenate([np.zeros(0, np.int64), *found]))
