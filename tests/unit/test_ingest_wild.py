"""Logs as people publish them: without their last newline, from forks that name operations and transactions of their
own, below the command that made them, and among files of other programs."""

import math

import pytest

from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn


def overall(operations: float, runtime_ms: int = 10_000) -> str:
    return f"[OVERALL], RunTime(ms), {runtime_ms}\n[OVERALL], Throughput(ops/sec), {operations * 1000 / runtime_ms}\n"


def block(name: str, count: int, **codes: int) -> str:
    """What YCSB prints of an operation: the calls that succeeded, and every call by its return code."""
    lines = [f"Operations, {count}", "AverageLatency(us), 900.0", "MinLatency(us), 90", "MaxLatency(us), 9900"]
    lines += [f"Return={code}, {n}" for code, n in codes.items()]
    return "".join(f"[{name}], {line}\n" for line in lines)


def only(text: str) -> RunLog:
    (log,) = ycsb.parse(text)
    return log


def warned(log: RunLog) -> set[Warn]:
    return set(checks.warnings(log, run_phase="run", threads=math.nan, asked=math.nan))


class TestWithoutLastNewline:
    FAILED_READS = overall(1000) + block("UPDATE", 500, OK=500) + block("READ", 460, OK=460, NOT_FOUND=40)

    @pytest.mark.parametrize(
        "text",
        [
            # All calls add up to [OVERALL].
            FAILED_READS,
            # Failed inserts of a load are no operations of [OVERALL], but are counted apart.
            overall(460) + block("INSERT-FAILED", 40) + block("INSERT", 460, OK=460, ERROR=40),
        ],
    )
    def test_counts_prove_that_the_last_line_is_whole(self, text):
        log = only(text.removesuffix("\n"))
        assert not log.truncated
        assert log.failed == 40
        assert log.summaries == only(text).summaries
        assert checks.verdict(log).outcome == Outcome.COMPLETED

    @pytest.mark.parametrize(
        "text",
        [
            FAILED_READS.removesuffix("0\n"),
            overall(460) + block("INSERT", 460, OK=460, ERROR=40).removesuffix("0\n"),
            overall(460) + block("INSERT-FAILED", 40) + block("INSERT", 460, ERROR=40, OK=460).removesuffix("0\n"),
            FAILED_READS.partition("[READ], Return=NOT_FOUND")[0] + "[READ], 99thPercentileLatency(us), 812",
            overall(40) + "[READ], Return=ERROR, 40",
        ],
    )
    def test_what_no_count_proves_is_cut(self, text):
        log = only(text)
        assert log.truncated
        assert checks.verdict(log).outcome == Outcome.INCOMPLETE
