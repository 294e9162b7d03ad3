"""The ledger of writes and what is concluded from it: no write is counted twice, and a cut ledger proves nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.ingest.failover import (
    CLASSES,
    Event,
    MemberView,
    Write,
    audit,
    damage,
    first_writes,
    lags_s,
    parse_ledger,
)
from ycsbook.units import US_PER_S

S = US_PER_S
SERVERS = st.sampled_from(["127.0.0.1:27017", "10.0.0.2:1", "-"])
ANSWERS = st.one_of(
    st.tuples(st.sampled_from(["acknowledged", "sent"]), SERVERS, st.just("")),
    st.tuples(st.just("failed"), SERVERS, st.sampled_from(["MongoSocketReadException", "E"])),
)
WRITES = st.lists(
    st.builds(
        lambda start, took, answer: Write(start, answer[0], start + took, *answer[1:]),
        st.integers(10**15, 10**15 + 10**8), st.integers(0, 10**7), ANSWERS,
    ),
    min_size=1, max_size=30,
)  # fmt: skip


def lines(writes: dict[int, Write]) -> bytes:
    text = ""
    for id_, write in writes.items():
        text += f"{id_} {write.intended_us} intended\n"
        if write.answer:
            text += f"{id_} {write.answered_us} {write.answer} {write.server} {write.error}".rstrip() + "\n"
    return text.encode()


def files(writes: dict[int, Write], threads: int = 3) -> dict[str, bytes]:
    return {f"{t}.ledger": lines({i: w for i, w in writes.items() if i % threads == t}) for t in range(threads)}


@settings(max_examples=40)
@given(WRITES)
def test_a_ledger_is_read_as_it_was_written(writes):
    written = dict(enumerate(writes))
    ledger = parse_ledger(files(written))
    assert ledger.writes == written and ledger.damage == ()


@settings(max_examples=40)
@given(WRITES, st.data())
def test_a_ledger_cut_at_any_byte_never_passes_for_whole(writes, data):
    written = dict(enumerate(writes))
    whole = lines(written)
    cut = data.draw(st.integers(0, len(whole) - 1))
    ledger = parse_ledger({"0.ledger": whole[:cut]})
    assert damage(ledger, [], len(written))
    # What is left is still as it was.
    for id_, write in ledger.writes.items():
        assert write == written[id_] or write == Write(written[id_].intended_us)


@settings(max_examples=40)
@given(WRITES, st.binary(min_size=1, max_size=40), st.data())
def test_foreign_bytes_in_a_ledger_are_damage(writes, foreign, data):
    text = lines(dict(enumerate(writes)))
    at = data.draw(st.sampled_from([0, *(i + 1 for i, byte in enumerate(text) if byte == 10)]))
    ledger = parse_ledger({"0.ledger": text[:at] + b"x" + foreign + text[at:]})
    assert ledger.damage or damage(ledger, [], len(writes))


@settings(max_examples=40)
@given(WRITES, st.data())
def test_every_write_is_acknowledged_failed_or_unknown_and_only_those_are_lost_or_resurrected(writes, data):
    written = dict(enumerate(writes))
    for id_ in data.draw(st.sets(st.sampled_from(sorted(written)))):
        written[id_] = Write(written[id_].intended_us)
    there = data.draw(st.sets(st.sampled_from(sorted(written))))
    result = audit(parse_ledger(files(written)), there, [], [])
    totals = result["totals"]
    assert totals["acknowledged"] + totals["failed"] + totals["unknown"] == len(written)
    acknowledged = {id_ for id_, write in written.items() if write.answer in ("acknowledged", "sent")}
    failed = {id_ for id_, write in written.items() if write.answer == "failed"}
    assert totals["lost"] == len(acknowledged - there)
    assert totals["resurrected"] == len(failed & there)
    for name in CLASSES:
        assert sum(second[name] for second in result["seconds"]) == totals[name]
    assert sum(result["errors"].values()) == totals["failed"]


@pytest.mark.parametrize(
    ("writes", "found", "planned", "key"),
    [
        ({0: Write(5, "sent", 6, "a:1")}, [0], 2, "reason-ledger-missing"),
        ({0: Write(5)}, [0], 1, "reason-ledger-unanswered"),
        ({0: Write(5, "sent", 6, "a:1")}, [0, 7], 1, "reason-ledger-strange"),
        ({0: Write(5, "sent", 6, "a:1"), 9: Write(5, "sent", 6, "a:1")}, [0], 1, "reason-ledger-strange"),
        ({0: Write(5, "sent", 6, "a:1")}, [0, 0], 1, "reason-ledger-twice"),
    ],
)
def test_what_is_missing_or_not_of_the_run_is_named(writes, found, planned, key):
    assert [problem.key for problem in damage(parse_ledger(files(writes)), found, planned)] == [key]


def test_an_id_that_is_sent_or_answered_twice_is_damage():
    once = b"1 5 intended\n1 6 sent a:1\n"
    for more in (once, b"1 7 sent a:1\n", b"2 7 sent a:1\n"):
        (problem,) = parse_ledger({"0.ledger": once + more}).damage
        assert problem.key == "reason-ledger-line" and problem.values["line"] == 3


def test_a_new_primary_is_told_by_the_first_write_that_another_member_took():
    writes = {
        0: Write(1 * S, "acknowledged", 2 * S, "old:1"),
        1: Write(2 * S, "failed", 4 * S, "new:1", "E"),
        2: Write(2 * S, "acknowledged", 5 * S, "old:1"),
        3: Write(3 * S, "acknowledged", 6 * S, "new:1"),
        4: Write(3 * S, "acknowledged", 7 * S, "new:1"),
    }
    events = [Event("struck", "secondary", "new:1", S), Event("struck", "primary", "old:1", 3 * S)]
    assert first_writes(parse_ledger(files(writes)), events) == [Event("written", "", "new:1", 6 * S)]


def test_lag_is_that_of_the_last_member_behind_the_primary_of_the_newest_term():
    views = [
        MemberView(10 * S, "a", "PRIMARY", 1, 9 * S), MemberView(10 * S, "b", "SECONDARY", 1, 8 * S),
        MemberView(10 * S, "c", "", 0, 0),
        # b leads now, while a, which was frozen, does not know yet, and c has come back.
        MemberView(12 * S, "a", "PRIMARY", 1, 9 * S), MemberView(12 * S, "b", "PRIMARY", 2, 12 * S),
        MemberView(12 * S, "c", "SECONDARY", 2, 11 * S),
        MemberView(13 * S, "a", "SECONDARY", 2, 12 * S), MemberView(13 * S, "c", "SECONDARY", 2, 12 * S),
    ]  # fmt: skip
    assert lags_s(views) == {10: 1.0, 12: 3.0}
