"""Logs that were cut and joined: each run has its own figures or none, and every way of reading gives the same."""

from random import Random

import both_readers
import pytest

from ycsbook.ingest.reading import read_with_rejects
from ycsbook.verdicts import Outcome

HEAD = """Command line: -db x -P workloads/workload{} -s -threads 8 -t
YCSB Client 0.17.0

Loading workload...
Starting test.
"""


def first_status(hour: int) -> str:
    return f"2026-11-21 {hour:02d}:00:00:100 0 sec: 0 operations; est completion in 0 second \n"


def figures(hour: int) -> str:
    status = "2026-11-21 {:02d}:00:0{}:100 {} sec: {} operations; 100 current ops/sec; \n"
    lines = [status.format(hour, s, s, s * 100) for s in (1, 2, 3)]
    summary = "[OVERALL], RunTime(ms), 3000\n[OVERALL], Throughput(ops/sec), 100.0\n[READ], Operations, 300\n"
    return "".join(lines) + summary + "[READ], AverageLatency(us), 1200.0\n[READ], Return=OK, 300\n"


@pytest.mark.parametrize("gap", ["", "\n", "some words\n" * 3, "x" * 200_000 + "\n", "\0" * 4096 + "\n"])
@pytest.mark.parametrize("kept", [0, 1, 2])
def test_of_two_runs_in_a_file_the_cut_one_has_no_figures_of_the_other(tmp_path, gap, kept):
    """`kept`: what is left of the second one's header: all, a line, nothing."""
    second = "".join(HEAD.format("b").splitlines(keepends=True)[: (None, 1, 0)[kept]])
    text = HEAD.format("a") + first_status(8) + gap + second + first_status(9) + figures(9)
    (tmp_path / "x.log").write_text(text)
    tables, rejected = read_with_rejects([tmp_path])
    assert not rejected and list(tables.runs["outcome"]) == [Outcome.INCOMPLETE, Outcome.COMPLETED]
    cut, whole = tables.runs.to_dict("records")
    assert cut["workload"] == "a" and whole["workload"] != "a" and whole["throughput_ops_s"] == 100.0
    assert both_readers.differences([text.encode()]) == []


@pytest.mark.parametrize(
    "torn",
    [
        # The next line of a summary goes on where the end of a status line was lost, and is cut itself.
        lambda log: log.replace("300 operations; 100 current ops/sec; \n", "300 operations; 100 current ops/sec; "
                                "[READ], 95thPercenti[READ], Operations, 64\n"),
        # Nothing but blanks, without an end, behind the first line of a summary.
        lambda log: log.partition("[OVERALL], Throughput")[0] + "\t",
    ],
    ids=["status line", "blanks"],
)  # fmt: skip
def test_torn_lines_are_read_alike_by_all_ways(torn):
    log = HEAD.format("a") + first_status(8) + figures(8)
    assert torn(log) != log
    assert both_readers.differences([torn(log).encode()]) == []


def test_mutated_and_joined_logs_are_read_alike_by_all_ways():
    assert both_readers.compare(200, seed=7) == (200, None)


def test_a_difference_is_seen(monkeypatch):
    """The comparison can fail: where lines are counted otherwise, it says for which log."""
    log = both_readers.regular_logs(Random(1))
    read = both_readers.ycsb_batch.read
    miscounted = lambda splits: [part and part._replace(count=part.count + 1) for part in read(splits)]  # noqa: E731
    monkeypatch.setattr(both_readers.ycsb_batch, "read", miscounted)
    assert both_readers.differences([log, b"[OVERALL], RunTime(ms), 1\n"]) == [0]
