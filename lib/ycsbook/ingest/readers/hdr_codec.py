"""The encodings of one HdrHistogram, V1 and V2.

A histogram is a 40-byte header and its counts from the smallest value up. V2 writes each count as a zig-zag LEB128
number and a run of n zeros as -n; V1 writes plain big-endian words. Both are deflated and put into base64.
Not by the library hdrhistogram: it knows V2 only, while YCSB up to 0.17 writes V1, takes 25 times as long, and inflates
whatever a small blob claims to hold. Tests compare with it.

References
    HdrHistogram 2.1.4 and 2.2.2, AbstractHistogram and ZigZagEncoding (public domain / BSD).
"""

import base64
import binascii
import struct
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

# Of V1, whose words take 8 bytes for each value up to the largest, and of V2, which has none for runs of zeros.
MAX_INFLATED_V1 = 64 * 1024 * 1024
MAX_INFLATED_V2 = 4 * 1024 * 1024
# No file counts more; it keeps every sum exact, in 64-bit integers and in the 53 bits of a float.
MAX_COUNT = 2**48
_V1, _V2 = 0x1C849301, 0x1C849303
_V1_DEFLATED, _V2_DEFLATED = 0x1C849302, 0x1C849304
_WORD_BITS = 0xF0
_HEADER = struct.Struct(">iiiiqqd")
_OUTER = struct.Struct(">II")
_MAX_LEB_BYTES = 8


class Corrupt(ValueError):
    """A histogram that cannot be decoded; the reader adds file and line."""


@dataclass(frozen=True)
class Mapping:
    """How values map to indices: significant digits and the smallest value told from 0."""

    digits: int
    lowest: int

    @property
    def _unit(self) -> int:
        return max(0, self.lowest.bit_length() - 1)

    @property
    def sub_buckets(self) -> int:
        """Sub-buckets of the first bucket: the next power of two that resolves the digits."""
        return 1 << (2 * 10**self.digits - 1).bit_length()

    @cached_property
    def length(self) -> int:
        """Indices that 63-bit values need at most."""
        half = self.sub_buckets // 2
        buckets = max(1, 63 - self._unit - (self.sub_buckets.bit_length() - 1) + 1)
        return (buckets + 1) * half

    def low(self, index: np.ndarray) -> np.ndarray:
        half = self.sub_buckets // 2
        bucket = np.maximum(index // half - 1, 0)
        sub = np.where(index < 2 * half, index, index % half + half)
        return sub.astype(np.int64) << (bucket + self._unit)

    def width(self, index: np.ndarray) -> np.ndarray:
        bucket = np.maximum(index // (self.sub_buckets // 2) - 1, 0)
        return np.int64(1) << (bucket + self._unit).astype(np.int64)

    def index(self, values: np.ndarray) -> np.ndarray:
        """Index of each value; values are integers from 0 to 2**52."""
        units = np.asarray(values, np.int64) >> self._unit
        bits = np.frexp(units.astype(np.float64))[1].astype(np.int64)
        bucket = np.maximum(bits - (self.sub_buckets.bit_length() - 1), 0)
        return bucket * (self.sub_buckets // 2) + (units >> bucket)


def inflate(text: bytes) -> tuple[Mapping, int, bytes]:
    """The mapping of one base64 histogram, the bytes of a count (0: V2's LEB128), and its counts. Raises Corrupt."""
    try:
        blob = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as e:
        raise Corrupt(f"not base64: {e}") from None
    cookie, declared = _OUTER.unpack_from(blob) if len(blob) >= _OUTER.size else (0, 0)
    if _base(cookie) not in (_V1_DEFLATED, _V2_DEFLATED):
        raise Corrupt(f"its first bytes are {blob[:4].hex() or 'missing'}, no deflated V1 or V2 histogram")
    deflated = memoryview(blob)[_OUTER.size :]
    if declared != len(deflated):
        raise Corrupt(f"it says that {declared:,} bytes follow, {len(deflated):,} do")
    stream = zlib.decompressobj()
    try:
        head = stream.decompress(deflated, _HEADER.size)
        if len(head) < _HEADER.size:
            raise Corrupt("the header is cut")
        cookie, size, offset, digits, lowest, _highest, _ratio = _HEADER.unpack(head)
        mapping, word, limit = _layout(cookie, offset, digits, lowest)
        # A small blob may inflate to gigabytes, and never to more than this.
        if not 0 <= size <= limit:
            raise Corrupt(f"it says it inflates to {size:,} bytes, at most {limit:,} make sense")
        if word and size % word:
            raise Corrupt(f"{size:,} bytes are no whole number of {word}-byte counts")
        payload = stream.decompress(stream.unconsumed_tail, size + 1)
    except zlib.error as e:
        raise Corrupt(f"cannot be inflated: {e}") from None
    if len(payload) != size or not stream.eof or stream.unused_data:
        raise Corrupt(f"it says it inflates to {size:,} bytes, but does not")
    return mapping, word, payload


@lru_cache(maxsize=8)
def _layout(cookie: int, offset: int, digits: int, lowest: int) -> tuple[Mapping, int, int]:
    """What a header says: the mapping, the bytes of a count, and how many bytes its counts can take."""
    if not (0 <= digits <= 5 and 1 <= lowest <= 2**32):
        raise Corrupt(f"{digits} significant digits from {lowest} up is no histogram")
    if offset:
        raise Corrupt(f"its counts are rotated by {offset}, which YCSB's never are")
    word = (cookie & _WORD_BITS) >> 4 & 0xE if _base(cookie) == _V1 else 0
    if _base(cookie) not in (_V1, _V2) or (_base(cookie) == _V1 and word not in (2, 4, 8)):
        raise Corrupt(f"its cookie is {cookie:#x}, neither V1 nor V2")
    mapping = Mapping(digits, lowest)
    most = mapping.length * (word or _MAX_LEB_BYTES)
    return mapping, word, min(most, MAX_INFLATED_V1 if word else MAX_INFLATED_V2)


def add_leb128(total: np.ndarray, payloads: list[bytes]) -> int:
    """Add V2's counts, of all payloads at once, to `total`; returns their sum. Raises Corrupt, and nothing is added."""
    stops = np.cumsum([len(payload) for payload in payloads if payload])
    if not len(stops):
        return 0
    data = np.frombuffer(b"".join(payloads), np.uint8)
    if (data[stops - 1] >= 0x80).any():
        raise Corrupt("the last count has no end")
    tokens, ends = _leb128_numbers(data)
    first = np.searchsorted(ends, np.concatenate([[0], stops[:-1]]))
    # Odd numbers are runs: 2n - 1 stands for n zeros; even ones are a count, doubled.
    odd = tokens & 1
    half = tokens >> 1
    skipped = half * odd
    counts = half - skipped
    if int(skipped.max()) >= len(total):
        raise Corrupt("a run of zeros is longer than a histogram")
    if counts.sum(dtype=np.float64) > MAX_COUNT:
        raise Corrupt(f"counts of more than {MAX_COUNT:,}")
    steps = skipped + 1
    lengths = np.add.reduceat(steps, first, dtype=np.int64)
    if int(lengths.max()) > len(total):
        raise Corrupt("a histogram has more counts than its mapping allows")
    # One running sum over all payloads gives each count's index, if every payload first takes back the one before.
    steps[first[1:]] -= lengths[:-1].astype(steps.dtype)
    index = np.cumsum(steps, dtype=np.int64)
    index -= 1
    # As floats, exact below 2**53; bincount is nine times as fast as adding in place.
    added = np.bincount(index, weights=counts)
    total[: len(added)] += added.astype(np.int64)
    return int(counts.sum(dtype=np.int64))


def _leb128_numbers(data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All LEB128 numbers, and where each ends. 32-bit integers where all fit, as half the memory is half the time."""
    ends = np.flatnonzero(data < 0x80)
    numbers = data[ends].astype(np.int32)
    # Backwards from the ends, the highest bits first. Before the first byte comes the last one, which ends a number.
    at = np.flatnonzero(data[ends - 1] >= 0x80)
    for place in range(1, _MAX_LEB_BYTES):
        if not len(at):
            return numbers, ends
        if place == 4:
            numbers = numbers.astype(np.int64)
        before = ends[at] - place
        numbers[at] = numbers[at] << 7 | (data[before] & 0x7F)
        at = at[data[before - 1] >= 0x80]
    if len(at):
        raise Corrupt("a count of more than 56 bits")
    return numbers, ends


def add_words(total: np.ndarray, payload: bytes, word: int) -> int:
    """Add V1's counts to `total`; returns their sum. Raises Corrupt: more than `total` has, or a negative or too large
    one."""
    counts = np.frombuffer(payload, f">i{word}").astype(np.int64)
    if len(counts) > len(total):
        raise Corrupt("a histogram has more counts than its mapping allows")
    if len(counts) and int(counts.min()) < 0:
        raise Corrupt("a count below 0")
    if counts.sum(dtype=np.float64) > MAX_COUNT:
        raise Corrupt(f"counts of more than {MAX_COUNT:,}")
    total[: len(counts)] += counts
    return int(counts.sum())


def deflate(mapping: Mapping, counts: np.ndarray, highest: int) -> bytes:
    payload = _leb128(_tokens(counts))
    header = _HEADER.pack(_V2 | 0x10, len(payload), 0, mapping.digits, mapping.lowest, highest, 1.0)
    deflated = zlib.compress(header + payload)
    return base64.b64encode(_OUTER.pack(_V2_DEFLATED | 0x10, len(deflated)) + deflated)


def _base(cookie: int) -> int:
    return cookie & ~_WORD_BITS


def _tokens(counts: np.ndarray) -> list[int]:
    """Counts and, for runs of zeros, their negated length, both zig-zagged; a single zero stays a zero."""
    filled = np.flatnonzero(counts)
    zeros = np.diff(filled, prepend=-1) - 1
    runs = np.where(zeros > 1, 2 * zeros - 1, 0)
    zeros_and_counts = np.column_stack([runs, counts[filled] << 1]).ravel()
    return zeros_and_counts[np.column_stack([zeros > 0, np.ones(len(filled), bool)]).ravel()].tolist()


def _leb128(tokens: list[int]) -> bytes:
    out = bytearray()
    for token in tokens:
        remaining = token
        while remaining >= 0x80:
            out.append(remaining & 0x7F | 0x80)
            remaining >>= 7
        out.append(remaining)
    return bytes(out)
