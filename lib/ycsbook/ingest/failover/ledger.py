"""The ledger of a client's writes: what it was going to send, and what was answered.

Files `<thread>.ledger` of lines (written by ycsbook.Ledger of lib/ycsb-bindings):

    17 1732355555123456 intended
    17 1732355555124001 acknowledged 127.0.0.1:27017
    27 1732355555124010 intended
    27 1732355555127302 failed 127.0.0.1:27017 MongoSocketReadException
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from ycsbook import opening
from ycsbook.facts import Fact, fact

FOLDER, SUFFIX = "ledger", ".ledger"
# A million writes of one thread.
MAX_BYTES = 200_000_000
# In `sent_to`: the write was never sent.
NOBODY = "-"
_LINE = re.compile(
    rb"(?P<id>\d{1,18}) (?P<us>\d{1,18}) "
    rb"(?:intended|(?P<answer>acknowledged|sent) (?P<by>\S{1,100})|failed (?P<to>\S{1,100}) (?P<error>\w{1,200}))\n"
)


class Write(NamedTuple):
    """One write: when it was going to be sent, what was answered and when (us since 1970), which server it was sent to
    last, and the class of the error. Without an answer only the first is known."""

    intended_us: int
    answer: Literal["", "acknowledged", "sent", "failed"] = ""
    answered_us: int = 0
    server: str = ""
    error: str = ""


@dataclass(frozen=True)
class Ledger:
    """The writes by id, and what is wrong with the ledger itself: then it proves nothing."""

    writes: Mapping[int, Write]
    damage: tuple[Fact, ...] = field(default=())


def read(folder: Path) -> Ledger:
    """The ledger in a folder; one that is not there has no writes.

    Raises
        OSError: a file cannot be read, or is none of a run's.
    """
    paths = sorted((folder / FOLDER).glob(f"*{SUFFIX}"))
    return parse({path.name: opening.content(path, MAX_BYTES, root=folder) for path in paths})


def parse(files: Mapping[str, bytes]) -> Ledger:
    """The ledger that stands in files, by name."""
    writes: dict[int, Write] = {}
    damage: list[Fact] = []
    for name, content in files.items():
        for number, line in enumerate(content.splitlines(keepends=True), start=1):
            if not _take(line, writes):
                damage.append(fact("reason-ledger-line", file=name, line=number))
                break
    return Ledger(writes, tuple(damage))


def _take(line: bytes, writes: dict[int, Write]) -> bool:
    """Take in a line; whether it is whole, and in its place."""
    match = _LINE.fullmatch(line)
    if match is None:
        return False
    id_, us = int(match["id"]), int(match["us"])
    before = writes.get(id_)
    server = match["by"] or match["to"]
    if server is None:
        writes[id_] = Write(us)
        return before is None
    if before is None or before.answer:
        return False
    answer = (match["answer"] or b"failed").decode()
    error = (match["error"] or b"").decode()
    writes[id_] = Write(before.intended_us, answer, us, server.decode(errors="replace"), error)
    return True
