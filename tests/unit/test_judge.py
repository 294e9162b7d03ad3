"""The verdict on a run comes from its log, never from an exit code: real logs and mutated ones."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import messages, params
from ycsbook.facts import as_plain, fact
from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.runs import checks
from ycsbook.runner.judge import ServerSamples, judge, server_samples
from ycsbook.verdicts import Outcome, StopReason, Warn, of_clients, reasons_in

HEAD = "Command line: -t -db site.ycsb.X -s -threads 4\nYCSB Client 0.17.0\n"
GOOD = """[OVERALL], RunTime(ms), 5010
[OVERALL], Throughput(ops/sec), 199.6
[READ], Operations, 500
[READ], AverageLatency(us), 900.0
[READ], Return=OK, 500
[CLEANUP], Operations, 4
[UPDATE], Operations, 500
[UPDATE], AverageLatency(us), 900.0
[UPDATE], Return=OK, 500
"""
LOADED = """[OVERALL], RunTime(ms), 700
[OVERALL], Throughput(ops/sec), 1428.5
[CLEANUP], Operations, 4
[INSERT], Operations, 1000
[INSERT], AverageLatency(us), 900.0
[INSERT], Return=OK, 1000
"""


OTHER = GOOD.replace("5010", "5012")


def planned(**change):
    sweep = {
        "name": "t", "server": {"kind": "mongod"}, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}],
        "threads": [4], "records": 1000, "min_duration": 5, **change,
    }  # fmt: skip
    return params.plan(params.Sweep.model_validate(sweep))[0]


def verdict(log, phase="run", stop_reason=None, **change):
    return judge(parsed(log), planned(**change), phase, stop_reason)


def parsed(log):
    return ycsb.parse((HEAD + log).encode())


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


TEN_FAILED = replaced(
    GOOD, ("Return=OK, 500\n[CLEANUP]", "Return=OK, 490\n[READ], Return=ERROR, 10\n[CLEANUP]"),
    ("[READ], Operations, 500", "[READ], Operations, 490"),
)  # fmt: skip
NO_SUMMARY = fact("reason-summaries", n=0, ycsb=True)
CASES = {
    "a good run": (GOOD, "run", {}, Outcome.COMPLETED, None),
    "a good load": (LOADED, "load", {}, Outcome.COMPLETED, None),
    "a batched load": (replaced(LOADED, ("Return=OK", "Return=BATCHED_OK")), "load", {}, Outcome.COMPLETED, None),
    "nothing": ("", "run", {}, Outcome.INCOMPLETE, NO_SUMMARY),
    "cut before the summary": ("java.lang.Exception: x\n", "run", {}, Outcome.INCOMPLETE, NO_SUMMARY),
    "two runs in one log": (GOOD + OTHER, "run", {}, Outcome.INCOMPLETE, fact("reason-runs-in-log", n=2)),
    "every thread failed to start": (
        "[OVERALL], RunTime(ms), 183\n[OVERALL], Throughput(ops/sec), 0.0\n", "run", {}, Outcome.FAILED,
        fact("reason-no-operation"),
    ),
    "too short": (replaced(GOOD, ("5010", "2010")),
        "run", {}, Outcome.FAILED, fact("reason-too-short", seconds=2.01, planned=5.0)),
    "failures": (
        TEN_FAILED,
        "run", {}, Outcome.FAILED, fact("reason-failures", failed=10, attempted=1000, share=0.01, allowed=0.0),
    ),
    "failures that are allowed": (
        TEN_FAILED,
        "run", {"max_failed": 0.02}, Outcome.COMPLETED, None,
    ),
    "a load over existing data": (
        replaced(LOADED, ("Operations, 1000", "Operations, 0"), ("Return=OK, 1000", "Return=ERROR, 4")), "load", {},
        Outcome.FAILED, fact("reason-records", inserted=0, planned=1000),
    ),
    "a load cut short": (
        replaced(LOADED, ("Operations, 1000", "Operations, 990"), ("Return=OK, 1000", "Return=OK, 990")), "load", {},
        Outcome.FAILED, fact("reason-records", inserted=990, planned=1000),
    ),
    "every update failed, few enough to be allowed": (
        replaced(GOOD, ("[UPDATE], Operations, 500", "[UPDATE], Operations, 50"),
                 ("[READ], Operations, 500", "[READ], Operations, 950"),
                 ("Return=OK, 500\n[CLEANUP]", "Return=OK, 950\n[CLEANUP]"),
                 ("[UPDATE], Return=OK, 500", "[UPDATE], Return=ERROR, 50")),
        "run", {"workloads": ["b"], "max_failed": 0.1}, Outcome.FAILED,
        fact("reason-never-succeeded", operation="UPDATE", n=50),
    ),
    "a clock that was set back": (
        replaced(GOOD, ("5010", "-5010"), ("199.6", "-199.6")), "run", {}, Outcome.INCOMPLETE,
        fact("reason-no-clock", runtime_ms=-5010.0, throughput_ops_s=-199.6),
    ),
    "codes that do not add up": (
        replaced(GOOD, ("[READ], Return=OK, 500", "[READ], Return=OK, 470")), "run", {}, Outcome.FAILED,
        fact("reason-codes"),
    ),
    "an operation that the summary has lost": (
        GOOD[: GOOD.index("[UPDATE]")], "run", {}, Outcome.FAILED,
        fact("reason-totals", listed=500, overall=199.6 * 5.01),
    ),
    "by count, too few": (GOOD, "run", {"operations": 2000}, Outcome.FAILED,
        fact("reason-operations", finished=1000, planned=2000)),
    "by count": (GOOD, "run", {"operations": 1000}, Outcome.COMPLETED, None),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case):
    log, phase, change, outcome, reason = CASES[case]
    found = verdict(log, phase, **change)
    assert found.outcome == outcome, found.reasons
    assert reason in found.reasons if reason else not found.reasons


def test_a_run_that_was_ended_is_incomplete_whatever_its_log_says():
    found = verdict(GOOD, stop_reason=StopReason.STALLED)
    assert (found.outcome, found.stop_reason) == (Outcome.INCOMPLETE, "stalled")


def test_fewer_threads_than_asked_for_are_another_run():
    found = verdict(replaced(GOOD, ("[CLEANUP], Operations, 4", "[CLEANUP], Operations, 2")))
    assert (found.outcome, found.warnings) == (Outcome.FAILED, (Warn.THREADS_CLIPPED,))
    assert found.reasons == (fact("reason-threads", ran=2, planned=4),)


class Answering:
    """A server that answers."""

    def answers(self):
        return True


def samples(folder, *rows):
    """A samples.csv of these seconds: from the first, inserts counted by the server; None: it told nothing."""
    head = "epoch_s,server_cpu_s,inserts,connections"
    lines = [f"{at:.3f},1.0,{'' if n is None else n},{'' if n is None else 3}" for at, n in rows]
    (folder / "samples.csv").write_text("\n".join([head, *lines]) + "\n")
    return server_samples(folder, Answering())


def test_a_server_that_started_anew_is_told_by_its_own_counters(tmp_path):
    story = samples(tmp_path, (100, 50), (101, 60), (102, None), (103, 4), (104, 9))
    found = judge(parsed(GOOD), planned(), "run", server=story)
    assert (found.outcome, found.stop_reason) == (Outcome.FAILED, StopReason.SERVER_LOST)
    assert found.reasons == (fact("reason-server-restarted", seconds=3.0),)


def test_a_failed_run_whose_server_told_nothing_at_the_end_lost_it(tmp_path):
    story = samples(tmp_path, (100, 50), (101, 60), (102, None), (103, None), (107, None))
    found = judge(parsed(TEN_FAILED), planned(), "run", server=story)
    assert (found.outcome, found.stop_reason) == (Outcome.FAILED, StopReason.SERVER_LOST)
    assert fact("reason-server-silent", seconds=6.0) in found.reasons
    # A run without a failure did not need what it did not tell.
    assert judge(parsed(GOOD), planned(), "run", server=story).outcome == Outcome.COMPLETED


def test_a_failed_run_whose_server_is_gone_lost_it_and_a_good_one_was_good():
    gone = ServerSamples(gone=True)
    found = judge(parsed(TEN_FAILED), planned(), "run", server=gone)
    assert (found.outcome, found.stop_reason) == (Outcome.INCOMPLETE, StopReason.SERVER_LOST)
    assert found.reasons[-1] == fact("reason-server-gone")
    assert judge(parsed(GOOD), planned(), "run", server=gone).outcome == Outcome.COMPLETED


def test_a_server_that_tells_nothing_of_itself_is_no_lost_one(tmp_path):
    story = samples(tmp_path, (100, None), (101, None), (110, None))
    assert judge(parsed(TEN_FAILED), planned(), "run", server=story).stop_reason == ""
    assert server_samples(tmp_path / "missing", Answering()) == ServerSamples()


def test_the_first_error_in_the_log_is_part_of_the_reason():
    found = verdict("com.mongodb.MongoTimeoutException: Timed out\n" + replaced(GOOD, ("5010", "2010")))
    assert found.reasons[-1] == fact("reason-first-error", text="com.mongodb.MongoTimeoutException: Timed out")


RANK = {Outcome.COMPLETED: 0, Outcome.FAILED: 1, Outcome.INCOMPLETE: 2}
SAMPLES = Path(__file__).parents[1] / "data" / "ycsb"


@pytest.mark.parametrize("case", CASES)
def test_a_run_is_never_judged_better_than_its_log_alone(case):
    log, phase, change, _, _ = CASES[case]
    own = checks.verdict(parsed(log)[0])
    found = verdict(log, phase, **change)
    assert RANK[found.outcome] >= RANK[own.outcome]
    assert set(own.reasons) <= set(found.reasons)


@pytest.mark.parametrize("name", sorted({p.stem for p in SAMPLES.glob("[0-9]*")}))
def test_real_logs_are_judged_alike_under_a_plan_that_allows_anything(name):
    [log] = ycsb.parse([p for p in (SAMPLES / f"{name}{end}" for end in (".out", ".err", ".log")) if p.is_file()])
    count = {"operations": log.attempted} if log.attempted else {}
    run = planned(min_duration=5, max_failed=1, threads=[log.threads or 4], **count)
    own, found = checks.verdict(log), judge([log], run, "run")
    assert (found.outcome, found.stop_reason) == (own.outcome, own.stop_reason)


@given(st.integers(0, 500), st.integers(0, 500), st.sampled_from([0.0, 0.1, 1.0]), st.integers(0, len(GOOD)))
def test_what_is_judged_completed_is_completed_for_any_reader(reads_failed, updates_failed, max_failed, end):
    def codes(failed):
        return f"Return=OK, {500 - failed}\n[UPDATE], Return=ERROR, {failed}\n"

    reads, updates = codes(reads_failed).replace("UPDATE", "READ"), codes(updates_failed)
    log = replaced(
        GOOD, ("Return=OK, 500\n[CLEANUP]", f"{reads}[CLEANUP]"), ("[UPDATE], Return=OK, 500\n", f"[UPDATE], {updates}")
    )
    for text in (log, log[:end]):
        own, found = checks.verdict(parsed(text)[0]), verdict(text, max_failed=max_failed)
        assert RANK[found.outcome] >= RANK[own.outcome]


def test_reasons_in_a_manifest_are_read_as_they_were_given():
    reason = of_clients([0, 2], fact("reason-ended-early", stop_reason=fact("stop-killed")))
    assert reasons_in(json.loads(json.dumps({"reasons": [as_plain(reason)]}))) == (reason,)
    assert messages.say(reason) == "client 0, client 2: ended early: killed"


@pytest.mark.parametrize(
    "written", ["9 of 10 operations failed", {"key": "stop-killed", "values": {}}, {"key": "reason-cut"}, 3, None]
)
def test_what_is_no_reason_in_a_manifest_is_kept_as_text(written):
    text = written if isinstance(written, str) else json.dumps(written)
    assert reasons_in({"reasons": [written]}) == (fact("reason-text", text=text),)
    assert reasons_in({"reasons": written}) == ()
