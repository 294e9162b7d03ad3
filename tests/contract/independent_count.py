"""What became of each write, counted a second time: from the bytes of the ledger and a dump of the collection, without
a line of the product."""

from collections import Counter
from pathlib import Path

import pymongo


def dump(uri: str, table: str) -> set[int]:
    """The ids of a collection, counted by its natural order on whoever leads."""
    with pymongo.MongoClient(uri) as client:
        return {document["_id"] for document in client["ycsb"][table].find()}


def count(folder: Path, there: set[int]) -> Counter:
    """How many writes of a run are of each kind."""
    intended, answers = [], {}
    for file in (folder / "ledger").iterdir():
        content = file.read_bytes()
        assert content.endswith(b"\n"), file
        for line in content.decode("ascii").strip().split("\n"):
            words = line.split(" ")
            if words[2] == "intended":
                intended.append(int(words[0]))
            else:
                assert int(words[0]) not in answers, line
                answers[int(words[0])] = words[2]
    assert len(intended) == len(set(intended))
    counted = Counter()
    for number in intended:
        answer = answers.get(number)
        told = {"acknowledged": "acknowledged", "sent": "acknowledged", "failed": "failed", None: "unknown"}[answer]
        counted[told] += 1
        if told == "acknowledged" and number not in there:
            counted["lost"] += 1
        if told == "failed" and number in there:
            counted["resurrected"] += 1
    return counted
