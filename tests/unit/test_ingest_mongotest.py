"""mongotest's blocks: all of them, those that hung too, in a console log or inside a page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_harness import one, parsed

from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.readers import mongotest
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn

COMMAND = r"C:\bench>java -Xmx512M -jar mongotest.jar mongo {verb} {rows} {threads} 10.0.0.5 testdb"


def block(verb: str, threads: int, seconds: int, rows: int, result: int | None = None) -> str:
    total = threads * rows
    return (
        f"Total thread:{threads}\n"
        f"Total run time:{seconds} sec\n"
        f"Per-thread rows:{rows}\n"
        f"Per-thread mongo {verb} Result:{rows // seconds}row/sec\n"
        f"Total rows:{total}\n"
        f"Total mongo {verb} Result:{total // seconds if result is None else result}row/sec\n"
    )


LOG = f"{COMMAND.format(verb='insert', rows=20000, threads=50)}\n{block('insert', 50, 301, 20000)}"


def test_a_block_gives_its_figures_and_where_they_stand(tmp_path):
    log = one(mongotest, tmp_path, LOG)
    assert (log.overall_count, log.runtime_ms, log.source) == (1, 301_000.0, "log0:7")
    # The printed 3322 row/sec is this, cut off.
    assert log.throughput_ops_s == 1_000_000 / 301
    insert = log.by_operation["INSERT"]
    assert (insert.count, insert.return_codes, insert.source) == (1_000_000, (("OK", 1_000_000),), "log0:7")
    assert (log.threads, log.attempted, log.failed, log.conflicts) == (50, 1_000_000, 0, ())
    verdict = checks.verdict(log)
    assert verdict.outcome == Outcome.COMPLETED
    assert not checks.counts_disagree(log)


def test_the_command_is_kept_up_to_the_threads(tmp_path):
    assert one(mongotest, tmp_path, LOG).command_line == (
        "java -Xmx512M -jar mongotest.jar mongo insert 20000 50"
    )  # what follows is host and password
    mysql = LOG.replace("mongo insert 20000 50 10.0.0.5 testdb", "mysql insert 20000 50 10.0.0.5 root canary7")
    assert "canary7" not in repr(one(mongotest, tmp_path, mysql))


@pytest.mark.parametrize(("verb", "operation"), [("insert", "INSERT"), ("select", "READ"), ("update", "UPDATE")])
def test_operations_have_the_names_of_ycsb(tmp_path, verb, operation):
    log = one(mongotest, tmp_path, block(verb, 2, 10, 500))
    assert list(log.by_operation) == [operation]


def test_a_run_that_hung_is_incomplete_beside_the_whole_ones(tmp_path):
    hung = COMMAND.format(verb="update", rows=20000, threads=200)
    begun = "Total thread:400\nTotal run time:12 sec\n"
    logs = parsed(mongotest, tmp_path, f"{LOG}\n{hung}\n\n{LOG}{begun}")
    assert [log.overall_count for log in logs] == [1, 0, 1, 0]
    assert [log.threads for log in logs] == [50, 200, 50, 400]
    assert [bool(log.summaries) for log in logs] == [True, False, True, False]
    assert checks.verdict(logs[1]).outcome == Outcome.INCOMPLETE
    assert Warn.TRUNCATED in checks.warnings(logs[1], run_phase="run", threads=200, asked=200)


def test_rows_of_one_thread_do_where_the_total_is_not_printed(tmp_path):
    text = "".join(t for t in LOG.splitlines(keepends=True) if not t.startswith("Total rows"))
    assert one(mongotest, tmp_path, text).attempted == 1_000_000


@pytest.mark.parametrize(
    ("text", "what"),
    [(block("insert", 50, 301, 20000, result=4000), ("INSERT Result",)),
     (LOG.replace("Total rows:1000000", "Total rows:1000100"), ("Total rows",))],
)  # fmt: skip
def test_figures_that_contradict_each_other_are_named(tmp_path, text, what):
    assert one(mongotest, tmp_path, text).conflicts == what


@settings(max_examples=24, deadline=None)
@given(
    runs=st.lists(
        st.tuples(st.sampled_from(["insert", "select", "update"]), st.integers(1, 999), st.integers(1, 10**5),
                  st.integers(1, 10**7), st.booleans()),
        min_size=1, max_size=4,
    )
)  # fmt: skip
def test_blocks_made_from_a_model_are_read_back_exactly(tmp_path_factory, runs):
    text = ""
    for verb, threads, seconds, rows, has_command in runs:
        command = COMMAND.format(verb=verb, rows=rows, threads=threads)
        text += (f"{command}\n" if has_command else "\n") + block(verb, threads, seconds, rows)
    logs = parsed(mongotest, tmp_path_factory.mktemp("model"), text)
    for log, (verb, threads, seconds, rows, has_command) in zip(logs, runs, strict=True):
        total = threads * rows
        assert (log.overall_count, log.runtime_ms, log.threads) == (1, seconds * 1000.0, threads)
        assert log.throughput_ops_s == total / seconds
        assert log.by_operation[mongotest.OPERATIONS[verb]].count == total
        assert not log.conflicts
        assert bool(log.command_line) == has_command


@pytest.mark.shared
def test_the_blocks_of_the_seed_document(shared):
    (document,) = (shared / "seeds").glob("003*.txt")
    assert mongotest.recognises(document.read_bytes()[: 64 * 1024])
    logs = mongotest.parse([Source(document)])
    shown = [(log.summaries[0].operation, log.runtime_ms, int(log.throughput_ops_s), log.threads) for log in logs]
    assert shown == [
        ("INSERT", 10_404_000, 4805, 100), ("UPDATE", 13_103_000, 3815, 100), ("READ", 1_869_000, 26752, 100)
    ]  # fmt: skip
    assert not any(log.conflicts for log in logs)
