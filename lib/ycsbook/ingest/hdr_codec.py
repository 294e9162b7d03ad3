"""The encodings of one HdrHistogram, V1 and V2.

A histogram is a 40-byte header and its counts from the smallest value up. V2 writes each count as a zig-zag LEB128
number and a run of n zeros as -n; V1 writes plain big-endian words. Both are deflated and put into base64.

References
    HdrHistogram 2.2.2, AbstractHistogram and ZigZagEncoding (public domain / BSD).
"""

import base64
import binascii
import struct
import zlib
from dataclasses import dataclass

import numpy as np

MAX_INFLATED = 64 * 1024 * 1024
_V1, _V2 = 0x1C849301, 0x1C849303
_V1_DEFLATED, _V2_DEFLATED = 0x1C849302, 0x1C849304
_WORD_BITS = 0xF0
_HEADER = struct.Struct(">iiiiqqd")
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

    @property
    def length(self) -> int:
        """Indices that 63-bit values need at most."""
        half = self.sub_buckets // 2
        buckets = max(1, 63 - self._unit - (self.sub_buckets.bit_length() - 1) + 1)
        return (buckets + 1) * half

    def low(self, index: np.ndarray) -> np.ndarray:
        """Smallest value of each index."""
        half = self.sub_buckets // 2
        bucket = np.maximum(index // half - 1, 0)
        sub = np.where(index < 2 * half, index, index % half + half)
        return sub.astype(np.int64) << (bucket + self._unit)

    def width(self, index: np.ndarray) -> np.ndarray:
        """How many values share each index."""
        bucket = np.maximum(index // (self.sub_buckets // 2) - 1, 0)
        return np.int64(1) << (bucket + self._unit).astype(np.int64)


def inflate(text: bytes) -> tuple[Mapping, int, bytes]:
    """The mapping, the word length in bytes (0: LEB128) and the counts of one base64 histogram."""
    try:
        blob = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as e:
        raise Corrupt(f"not base64: {e}") from None
    if len(blob) < 8 or _base(_int(blob)) not in (_V1_DEFLATED, _V2_DEFLATED):
        raise Corrupt(f"its first bytes are {blob[:4].hex() or 'missing'}, no deflated V1 or V2 histogram")
    stream = zlib.decompressobj()
    try:
        head = stream.decompress(blob[8:], _HEADER.size)
        if len(head) < _HEADER.size:
            raise Corrupt("the header is cut")
        cookie, size, offset, digits, lowest, _highest, _ratio = _HEADER.unpack(head)
        if not (0 <= digits <= 5 and 1 <= lowest <= 2**32):
            raise Corrupt(f"{digits} significant digits from {lowest} up is no histogram")
        if offset:
            raise Corrupt(f"its counts are rotated by {offset}, which YCSB's never are")
        mapping = Mapping(digits, lowest)
        word = (cookie & _WORD_BITS) >> 4 & 0xE if _base(cookie) == _V1 else 0
        if _base(cookie) not in (_V1, _V2) or (_base(cookie) == _V1 and word not in (2, 4, 8)):
            raise Corrupt(f"its cookie is {cookie:#x}, neither V1 nor V2")
        # A small blob may inflate to gigabytes: never more than the mapping can fill.
        limit = min(MAX_INFLATED, mapping.length * (word or _MAX_LEB_BYTES + 1))
        if not 0 <= size <= limit:
            raise Corrupt(f"it says it inflates to {size:,} bytes, at most {limit:,} make sense")
        payload = stream.decompress(stream.unconsumed_tail, size + 1)
    except zlib.error as e:
        raise Corrupt(f"cannot be inflated: {e}") from None
    if len(payload) != size or not stream.eof:
        raise Corrupt(f"it says it inflates to {size:,} bytes, but does not")
    if word and size % word:
        raise Corrupt(f"{size:,} bytes are no whole number of {word}-byte counts")
    return mapping, word, payload


def deflate(mapping: Mapping, counts: np.ndarray, highest: int) -> bytes:
    """The counts as one histogram: encoding V2, deflated, base64."""
    payload = _leb128(_zigzag_tokens(counts))
    header = _HEADER.pack(_V2 | 0x10, len(payload), 0, mapping.digits, mapping.lowest, highest, 1.0)
    deflated = zlib.compress(header + payload)
    return base64.b64encode(struct.pack(">ii", _V2_DEFLATED | 0x10, len(deflated)) + deflated)


def _int(blob: bytes) -> int:
    return int.from_bytes(blob[:4], "big")


def _base(cookie: int) -> int:
    return cookie & ~_WORD_BITS


def unzigzag(data: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All LEB128 numbers in concatenated payloads, un-zig-zagged, and which payload each belongs to."""
    ends = np.flatnonzero(data < 0x80)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    lengths = ends - starts + 1
    if len(lengths) and int(lengths.max()) > _MAX_LEB_BYTES:
        raise Corrupt("a count of more than 56 bits")
    values = (data[starts] & 0x7F).astype(np.int64)
    longer = np.flatnonzero(lengths > 1)
    for place in range(1, int(lengths.max(initial=0))):
        values[longer] |= (data[starts[longer] + place] & 0x7F).astype(np.int64) << (7 * place)
        longer = longer[lengths[longer] > place + 1]
    per_payload = np.diff(np.searchsorted(ends, np.cumsum(sizes)), prepend=0)
    owner = np.repeat(np.arange(len(sizes)), per_payload)
    return (values >> 1) ^ -(values & 1), owner


def _zigzag_tokens(counts: np.ndarray) -> list[int]:
    """Counts and, for runs of zeros, their negated length; a single zero stays a zero."""
    tokens, zeros = [], 0
    for value in counts.tolist():
        if value == 0:
            zeros += 1
            continue
        if zeros:
            tokens.append(-zeros if zeros > 1 else 0)
            zeros = 0
        tokens.append(value)
    return [(t << 1) ^ (t >> 63) for t in tokens]


def _leb128(tokens: list[int]) -> bytes:
    out = bytearray()
    for token in tokens:
        rest = token
        while rest >= 0x80:
            out.append(rest & 0x7F | 0x80)
            rest >>= 7
        out.append(rest)
    return bytes(out)
