"""Damage to log files, from a seed: what disks, networks, editors, forks and attackers do to them."""

import base64
import binascii
import struct
import zlib
from collections.abc import Callable, Sequence
from random import Random

TOKENS = (
    b"NaN", b"?", b"", b"inf", b"-inf", b"1e309", b"-1", b"0", b"0.0", b"9223372036854775807", b"9.223372036854776E18",
    b"1e400", b"19,59", b"1_000", b"\xef\xbf\xbd", b"\xff\xfe", b"\0", b"\r", b"\n", b"\r\n", b"\x85", b"\xe2\x80\xa8",
    b"\xd9\xa3", b"[OVERALL], RunTime(ms), ", b"[OVERALL], Throughput(ops/sec), 1.0\n", b"[READ], Operations, ",
    b"[READ: Count=", b" 10 sec: 5 operations; ", b"YCSB Client 0.1\n", b"Command line: -t -threads 4\n",
    b"Run finished, takes 1s\n", b"#[StartTime: ", b"Tag=a,", b"HISTFAAA", b"999999999999999999999999999999", b"\t",
    b"} {", b"[[[[", b"|", b"```", b"</table>", b"<table><tr><td colspan=999999>", b"&#x110000;", b"1" * 400, b"(" * 50,
    b" " * 5000, "2核4G".encode(), "线程".encode(),
)  # fmt: skip
_DIGITS = b"0123456789"
_MAX_BYTES = 1_000_000

Step = Callable[[bytes, Random, Sequence[bytes]], bytes]


def mutated(sample: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """The sample after one to six steps of damage; `others` are samples to splice with."""
    data = sample
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        data = random.choice(STEPS)(data, random, others)[:_MAX_BYTES]
    return data


def _flip(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def _digit(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    places = [i for i, byte in enumerate(data[:200_000]) if byte in _DIGITS]
    if not places:
        return data
    at = random.choice(places)
    return data[:at] + bytes([random.choice(_DIGITS)]) + data[at + 1 :]


def _number(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """A whole number becomes another token."""
    at = _somewhere(data, random)
    start = next((i for i in range(at, min(len(data), at + 400)) if data[i] in _DIGITS), None)
    if start is None:
        return data
    stop = next((i for i in range(start, min(len(data), start + 40)) if data[i] not in b"0123456789.E-"), start + 1)
    return data[:start] + random.choice(TOKENS) + data[stop:]


def _insert(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    at = _somewhere(data, random)
    return data[:at] + random.choice(TOKENS) + data[at:]


def _cut(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    return data[: _somewhere(data, random)]


def _lose(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    at = _somewhere(data, random)
    return data[:at] + data[at + random.choice((1, 5, 100, 4096)) :]


def _zeros(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """What a file system leaves after a power failure."""
    at, size = _somewhere(data, random), random.choice((1, 512, 4096))
    return data[:at] + bytes(min(size, max(0, len(data) - at))) + data[at + size :]


def _lines(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[a]
        case 1:
            lines.insert(b, lines[a])
        case 2:
            lines[a], lines[b] = lines[b], lines[a]
        case _:
            lines[a] = lines[a].rstrip(b"\r\n") + lines[b]
    return b"".join(lines)


def _repeat(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    at, size = _somewhere(data, random), random.choice((1, 30, 1000, len(data)))
    return data[:at] + data[at : at + size] * random.choice((2, 3, 50)) + data[at + size :]


def _splice(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    other = random.choice(others)
    return data[: _somewhere(data, random)] + other[_somewhere(other, random) :]


def _long_line(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    at = _somewhere(data, random)
    return data[:at] + random.choice((b"[", b"9", b"a", b" ", b"|", b"=", b"\0", b"(,")) * 70_000 + data[at:]


def _ends(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    return data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b"")))


def _encoding(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    return data.decode("utf-8", errors="replace").encode(random.choice(("utf-16", "utf-8-sig")), errors="replace")


def _histogram(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Damage inside a base64 histogram, below its compression: the checksum is made anew."""
    at = data.find(b"HIST", _somewhere(data, random))
    at = at if at >= 0 else data.find(b"HIST")
    if at < 0:
        return data
    stop = next((i for i in range(at, len(data)) if data[i] in b"\r\n,"), len(data))
    try:
        blob = base64.b64decode(data[at:stop])
        inner = bytearray(zlib.decompress(blob[8:]))
    except (binascii.Error, ValueError, zlib.error):
        return data
    for _ in range(random.choice((1, 1, 4))):
        if inner and random.random() < 0.7:
            inner[random.randrange(min(len(inner), random.choice((40, len(inner)))))] = random.randrange(256)
        elif inner:
            del inner[random.randrange(len(inner)) :]
    if random.random() < 0.1:
        inner += bytes(random.choice((1, 1000, 20_000_000)))
    deflated = zlib.compress(bytes(inner))
    size = len(deflated) if random.random() < 0.9 else random.randrange(-1, 2**31)
    return data[:at] + base64.b64encode(blob[:4] + struct.pack(">i", size) + deflated) + data[stop:]


STEPS: tuple[Step, ...] = (
    _flip, _digit, _digit, _number, _number, _insert, _insert, _cut, _lose, _zeros, _lines, _lines, _repeat, _splice,
    _long_line, _ends, _encoding, _histogram, _histogram,
)  # fmt: skip


def _somewhere(data: bytes, random: Random) -> int:
    """A place in the data, at its end as likely as anywhere in a tenth of it."""
    return random.choice((0, len(data), *(random.randrange(len(data) + 1) for _ in range(8))))
