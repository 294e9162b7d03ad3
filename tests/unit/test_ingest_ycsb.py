"""Reading YCSB's text output: every kind of run, old and new labels, and logs that were cut or damaged."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.errors import RunLogError
from ycsbook.facts import fact
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, StopReason, Warn

DATA = Path(__file__).parents[1] / "data" / "ycsb"

COMPLETED, FAILED, INCOMPLETE = Outcome.COMPLETED, Outcome.FAILED, Outcome.INCOMPLETE

# name: outcome, throughput as printed, operations, failed ones, threads, warnings
RUNS = {
    "00_hdr214_java17_NoClassDefFound": (INCOMPLETE, 4828.585224529213, 0, 0, 8, {"SHORT_RUN"}),
    "01_mongod_load_a_t8_hdr": (COMPLETED, 7221.780891167762, 100_000, 0, 8, set()),
    "02_mongod_run_a_t8_hdr": (COMPLETED, 4669.188028201896, 100_000, 0, 8, {"SHORT_RUN"}),
    "03_mongod_run_b_t4_merged": (COMPLETED, 4860.267314702309, 40_000, 0, 4, {"SHORT_RUN"}),
    "04_mongod_run_a_raw": (COMPLETED, 2036.6598778004072, 20_000, 0, 4, {"SHORT_RUN"}),
    "05_mongod_run_a_timeseries": (COMPLETED, 3097.653527452954, 40_000, 0, 4, {"SHORT_RUN"}),
    "06_mongod_run_a_histogram": (COMPLETED, 3003.003003003003, 40_000, 0, 4, {"SHORT_RUN"}),
    "07_sigterm": (INCOMPLETE, math.nan, 0, 0, 8, {"TRUNCATED"}),
    "07b_sigint": (INCOMPLETE, math.nan, 0, 0, 8, {"TRUNCATED"}),
    "07c_sigkill": (INCOMPLETE, math.nan, 0, 0, 8, {"TRUNCATED"}),
    "08_maxexec": (COMPLETED, 1724.1951543312314, 10_390, 0, 8, {"SHORT_RUN"}),
    "09_all_threads_init_failed_rc0": (FAILED, 0.0, 0, 0, 2, set()),
    "10_unreachable_closed_port": (FAILED, 0.0, 0, 0, 4, {"SHORT_RUN"}),
    "10b_unreachable_noping": (INCOMPLETE, math.nan, 0, 0, 4, {"TRUNCATED"}),
    "11_auth_ok": (COMPLETED, 347.82608695652175, 1_000, 0, 2, set()),
    "11b_auth_wrong": (FAILED, 0.0, 0, 0, 2, set()),
    "11c_pwfile": (COMPLETED, 581.3953488372093, 1_000, 0, 2, set()),
    "12_server_killed_midrun": (FAILED, 480.38724313487563, 18_211, 12, 8, {"OPERATIONS_FAILED", "SHORT_RUN"}),
    "13_server_restarted_midrun": (COMPLETED, 3194.9582517678077, 79_973, 11, 8, {"OPERATIONS_FAILED", "SHORT_RUN"}),
    "14_load_duplicates": (FAILED, 0.0, 4, 4, 4, {"OPERATIONS_FAILED"}),
}


def one(source) -> RunLog:
    [log] = ycsb.parse(source)
    return log


def files(name: str) -> list[Path]:
    return [p for p in (DATA / f"{name}{end}" for end in (".out", ".err", ".log")) if p.is_file()]


def warned(log: RunLog, **given_) -> set[str]:
    facts = {"run_phase": checks.phase(log), "threads": log.threads or math.nan, "asked": log.threads_asked or math.nan}
    return {str(w) for w in checks.warnings(log, **{**facts, **given_})}


def text(*operations: str, runtime: str = "10000", throughput: str = "100.0", command: str = "") -> str:
    head = [f"Command line: {command}"] if command else []
    overall = [f"[OVERALL], RunTime(ms), {runtime}", f"[OVERALL], Throughput(ops/sec), {throughput}"]
    return "".join(f"{line}\n" for line in (*head, *overall, *operations))


def block(name: str, count: object, *more: str) -> list[str]:
    return [f"[{name}], Operations, {count}", *(f"[{name}], {m}" for m in more)]


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_gives_its_figures_and_its_verdict(name):
    outcome, throughput, attempted, failed, threads, warnings = RUNS[name]
    log = one(files(name))
    assert checks.verdict(log).outcome == outcome
    assert log.throughput_ops_s == pytest.approx(throughput, rel=0, nan_ok=True)
    assert (log.attempted, log.failed, log.threads) == (attempted, failed, threads)
    assert warned(log) == warnings
    assert log.version == "0.17.0"


def test_the_list_of_runs_is_that_of_the_folder():
    assert {p.stem for p in DATA.glob("[0-9]*")} == set(RUNS)


def test_a_summary_holds_what_was_printed_and_where():
    log = one(files("02_mongod_run_a_t8_hdr"))
    read = log.by_operation["READ"]
    assert (read.count, read.mean_us, read.min_us, read.max_us) == (50022, 1595.9322698012875, 61, 874495)
    assert read.percentiles == ((95.0, 5335.0), (99.0, 12799.0))
    assert read.return_codes == (("OK", 50022),)
    assert read.source == f"{DATA / '02_mongod_run_a_t8_hdr.out'}:12"
    assert log.source.endswith("02_mongod_run_a_t8_hdr.out:2")
    assert log.runtime_ms == 21417
    assert (log.series.last_operations, log.series.last_elapsed_s) == (100_000, 21)


def test_a_server_that_never_came_back_is_named_one_that_did_is_not():
    assert checks.verdict(one(files("12_server_killed_midrun"))).stop_reason == StopReason.SERVER_LOST
    assert checks.verdict(one(files("13_server_restarted_midrun"))).stop_reason == ""


def dying(share: float, *, silent_from: int = 60, seconds: int = 60, counts: bool = True) -> RunLog:
    """A log of 100 operations a second, of which a share of the reads fails; from `silent_from` on all of them."""
    good = bad = 0
    lines = ["2026-11-21 09:00:00:000 0 sec: 0 operations; est completion in 0 second "]
    for second in range(1, seconds + 1):
        failed = round(100 * share) if second <= silent_from else 100
        good, bad = good + 100 - failed, bad + failed
        shown = f"[READ: Count={100 - failed}, Avg=900] [READ-FAILED: Count={failed}, Avg=900]" if counts else ""
        clock = f"09:{second // 60:02d}:{second % 60:02d}:000"
        lines.append(f"2026-11-21 {clock} {second} sec: {100 * second} operations; 100 current ops/sec; {shown} ")
    read = block("READ", good, "AverageLatency(us), 900.0", f"Return=OK, {good}", f"Return=ERROR, {bad}")
    failures = block("READ-FAILED", bad, "AverageLatency(us), 900.0")
    return one("".join(f"{line}\n" for line in lines) + text(*read, *failures, runtime=f"{seconds}000"))


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("share", [0.05, 0.12, 0.2, 0.9])
def test_even_failures_are_no_lost_server(share, counts):
    log = dying(share, counts=counts)
    assert (log.series.lines, log.failed) == (61, round(6000 * share))
    assert checks.verdict(log) == checks.Verdict(COMPLETED)


def test_return_codes_may_name_their_count():
    lines = block("READ", 1000, "AverageLatency(us), 9.0", "Return=OK, Count, 988", "Return=ERROR, Count, 12")
    assert (one(text(*lines)).failed, one(text(*lines)).by_operation["READ"].return_codes) == (
        12, (("OK", 988), ("ERROR", 12)),
    )  # fmt: skip


def test_a_server_is_lost_where_all_fail_until_the_end():
    found = checks.verdict(dying(0.05, silent_from=50))
    assert (found.outcome, found.stop_reason) == (FAILED, StopReason.SERVER_LOST)
    assert found.reasons == (fact("reason-no-success", seconds=10.0),)
    assert checks.verdict(dying(0.05, silent_from=55)).outcome == COMPLETED


def test_passwords_and_long_errors_do_not_come_through():
    for name in RUNS:
        log = one(files(name))
        shown = f"{log.command_line} {log.errors}"
        assert "s3cretPW" not in shown
        assert "wrongPW" not in shown
        assert all(len(e) <= 200 for e in log.errors)
    assert "REDACTED@127.0.0.1:27402" in one(files("11_auth_ok")).command_line
    assert "MongoSecurityException" in one(files("11b_auth_wrong")).errors[0]


@pytest.mark.parametrize("password", ["pw", "p/w", "p@w", "p:w/x@y", "?p&w"])
def test_a_password_is_found_however_badly_it_is_written(password):
    log = one(text(command=f"-t -p mongodb.url=mongodb://user:{password}@host:27017/db?w=1 -threads 4"))
    assert log.command_line == "-t -p mongodb.url=mongodb://REDACTED@host:27017/db?w=1 -threads 4"


def test_raw_measurements_have_their_own_labels():
    read = one(files("04_mongod_run_a_raw")).by_operation["READ"]
    assert (read.count, read.mean_us, read.max_us) == (10026, 1766.7676042290045, 62771)
    assert dict(read.percentiles)[99.9] == 27358


def test_labels_and_numbers_of_old_releases():
    log = one(
        text(
            *block("READ", "499.0", "AverageLatency(us), NaN", "95thPercentileLatency(ms), 4", "Return=0, 499"),
            *block("UPDATE", 501, "MaxLatency(us), 9.223372036854776E18", "99.9PercentileLatency(us), 1.5E3"),
        )
    )
    read, update = log.by_operation["READ"], log.by_operation["UPDATE"]
    assert (read.count, read.ok, read.errors) == (499, 499, 0)
    assert math.isnan(read.mean_us)
    assert read.percentiles == ((95.0, 4000.0),)
    assert math.isnan(update.max_us)
    assert update.percentiles == ((99.9, 1500.0),)
    assert log.attempted == 1000


def test_a_millisecond_label_on_microseconds_is_found():
    lines = block("READ", 1000, "MaxLatency(us), 9000", "95thPercentileLatency(ms), 4000", "Return=OK, 1000")
    log = one(text(*lines))
    assert log.by_operation["READ"].percentiles == ((95.0, 4000.0),)
    assert "UNIT_LABEL_WRONG" in warned(log)


def test_an_operation_without_samples_has_no_latency():
    empty = one(files("14_load_duplicates")).by_operation["INSERT"]
    assert empty.count == 0
    assert all(math.isnan(v) for v in (empty.mean_us, empty.min_us, empty.max_us))
    assert empty.percentiles == ()


def test_a_read_modify_write_is_one_operation():
    log = one(
        text(
            *block("READ", 1000, "Return=OK, 1000"),
            *block("UPDATE", 300, "Return=OK, 298", "Return=ERROR, 2"),
            *block("READ-MODIFY-WRITE", 300),
            *block("UPDATE-FAILED", 2),
        )
    )
    assert (log.attempted, log.failed, log.succeeded) == (1000, 2, 998)
    assert "COUNTS_DISAGREE" not in warned(log)


def test_failures_without_return_codes_come_from_their_series():
    log = one(text(*block("READ", 900), *block("READ-FAILED", 60), *block("READ-NOT_FOUND", 40)))
    assert (log.attempted, log.failed) == (1000, 100)


def test_fewer_cleanups_than_threads_are_the_truth_more_are_not():
    read = block("READ", 1000, "Return=OK, 1000")
    clipped = one(text(*read, *block("CLEANUP", 2), command="-t -threads 8"))
    assert (clipped.threads, clipped.threads_asked) == (2, 8)
    assert "THREADS_CLIPPED" in warned(clipped)
    assert one(text(*read, *block("CLEANUP", 16), command="-t -threads 8")).threads == 8
    assert one(text(*read, *block("CLEANUP", 16))).threads == 16
    unknown = one(text(*read))
    assert unknown.threads is None


@pytest.mark.parametrize(
    ("cleanups", "mean_us", "threads"),
    # The last one's threads are held back, as by a target.
    [(16, 79_600, 8), (16, 70_000, None), (16, 90_000, 16), (15, 70_000, 15), (16, 400, 16), (16, 30_000, 16)],
)
def test_bindings_that_clean_up_twice_show_by_threads_that_would_idle_half_their_time(cleanups, mean_us, threads):
    read = block("READ", 1000, f"AverageLatency(us), {mean_us}", "Return=OK, 1000")
    log = one(text(*read, *block("CLEANUP", cleanups)))
    assert log.threads == threads and ("THREADS_UNKNOWN" in warned(log)) == (threads is None)


def test_threads_are_unknown_where_no_thread_cleaned_up():
    unknown = one(text(*block("READ", 1000, "Return=OK, 1000")))
    assert unknown.threads is None
    assert "THREADS_UNKNOWN" in warned(unknown)


@pytest.mark.parametrize(
    ("lines", "extra", "warning"),
    [
        (block("INSERT", 1000, "Return=BATCHED_OK, 990", "Return=OK, 10"), {}, Warn.BATCHED_LATENCY),
        (block("READ", 1000, "Return=OK, 1000", ">1000, 3"), {}, Warn.CENSORED),
        (block("READ", 900, "Return=OK, 900"), {}, Warn.COUNTS_DISAGREE),
        (block("READ", 1000, "Return=OK, 990"), {}, Warn.COUNTS_DISAGREE),
        (block("READ", 1000, "Operations, 1000", "Operations, 7"), {}, Warn.COUNTS_DISAGREE),
        (block("READ", 1000, "AverageLatency(us), 10600.0"), {"command": "-t -threads 1"}, Warn.LITTLE_LAW),
        (block("READ", 1000), {"command": "-t -p mongodb.url=mongodb://h/db?w=0&x=1"}, Warn.UNACKED_WRITES),
        (block("READ", 1000), {"command": "-t -p mongodb.writeConcern=unacknowledged"}, Warn.UNACKED_WRITES),
        (block("READ", 1000), {"runtime": "-10000", "throughput": "-100.0"}, Warn.CLOCK_STEPPED),
        (block("READ", 1000), {}, Warn.SHORT_RUN),
    ],
)
def test_each_suspicion_is_raised_by_what_shows_it(lines, extra, warning):
    log = one(text(*lines, **extra))
    assert warning in warned(log)
    plain = one(
        text(
            *block("READ", 120_000, "AverageLatency(us), 9900.0", "Return=OK, 120000"),
            runtime="1200000",
            command="-t -threads 1 -p mongodb.url=mongodb://h/db?w=1",
        )
    )
    assert warned(plain) == set()


@pytest.mark.parametrize(
    ("throughput", "agrees"),
    [("610.39217", True), ("610.39", True), ("610.4", True), ("608.4", False), ("610.1", False)],
)
def test_decimals_that_a_throughput_lacks_are_no_contradiction(throughput, agrees):
    status = "2024-03-01 10:00:01:000 820 sec: 500500 operations; 610.4 current ops/sec;\n" * 2
    status += "2024-03-01 10:27:18:000 1638 sec: 1000000 operations; 610.4 current ops/sec;\n"
    of_all = block("READ", 1_000_000, "Return=OK, 1000000")
    log = one(status + text(*of_all, runtime="1638291", throughput=throughput))
    assert ("COUNTS_DISAGREE" not in warned(log)) == agrees == log.totals_agree


def test_intended_latencies_break_no_law():
    lines = block("READ", 1000, "AverageLatency(us), 90600.0")
    log = one(text(*lines, command="-t -threads 1 -p measurement.interval=intended"))
    assert {"LITTLE_LAW", "INTENDED_LATENCY"} & warned(log) == {"INTENDED_LATENCY"}


def test_only_time_in_calls_of_the_database_is_counted():
    lines = [
        *block("READ", 1000, "AverageLatency(us), 4000.0"), *block("READ-FAILED", 100, "AverageLatency(us), 10000.0"),
        *block("VERIFY", 1000, "AverageLatency(us), 9000.0"), *block("CLEANUP", 1, "AverageLatency(us), 90000000.0"),
        *block("Intended-READ", 1000, "AverageLatency(us), 90000.0"),
    ]  # fmt: skip
    assert checks.utilisation(one(text(*lines)), 1) == pytest.approx(0.5)


def test_a_clock_that_was_set_back_gives_no_usable_run():
    log = one(text(*block("READ", 1000), runtime="-10000", throughput="-100.0"))
    assert checks.verdict(log).outcome == INCOMPLETE


def test_two_runs_in_one_file_are_not_one():
    first, second = (text(*block("READ", n, f"Return=OK, {n}"), throughput=f"{n / 10}") for n in (1000, 1200))
    assert [(log.attempted, checks.verdict(log).outcome) for log in ycsb.parse(first + second)] == [
        (1000, COMPLETED),
        (1200, COMPLETED),
    ]


def test_a_run_whose_reads_all_failed_is_failed():
    log = one(text(*block("READ", 500, "Return=-1, 500"), *block("UPDATE", 500, "Return=0, 500")))
    assert checks.verdict(log).outcome == FAILED


def test_lines_that_are_too_long_or_not_text_are_passed_over(tmp_path):
    path = tmp_path / "x.out"
    huge = b"x" * (3 * ycsb.MAX_LINE) + b"\n"
    path.write_bytes(b"\0" * 70_000 + b"\n" + huge + b"\xff\xfe[READ]\n" + text(*block("READ", 1000)).encode())
    log = one(path)
    assert (log.attempted, log.overall_count) == (1000, 1)


def test_digits_of_other_scripts_and_pythons_own_spellings_are_no_numbers():
    log = one(text("[READ], Operations, ١٢", "[UPDATE], Operations, 1_0", "[SCAN], Operations, inf"))
    assert log.attempted == 0


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RunLogError, match=r"nothing\.out"):
        one([tmp_path / "nothing.out"])


def test_bytes_and_text_read_alike():
    whole = (DATA / "03_mongod_run_b_t4_merged.log").read_bytes()
    log = one(whole)
    assert one(whole.decode()).summaries == log.summaries


MERGED = (DATA / "03_mongod_run_b_t4_merged.log").read_bytes()
AFTER_OVERALL = MERGED.index(b"\n", MERGED.index(b"Throughput(ops/sec)")) + 1


@pytest.mark.parametrize("step", range(7))
def test_a_log_cut_anywhere_never_passes_for_a_whole_one(step):
    for end in range(step * 3, len(MERGED), 21):
        log = one(MERGED[:end])
        if end < AFTER_OVERALL:
            assert log.overall_count == 0
            assert math.isnan(log.throughput_ops_s)
            assert checks.verdict(log).outcome == INCOMPLETE
        elif checks.verdict(log).outcome == COMPLETED:
            assert log.attempted == 40_000 or checks.counts_disagree(log)
            assert log.throughput_ops_s == 4860.267314702309


def test_a_log_cut_between_the_lines_of_its_last_operation_shows_by_those_that_the_others_have():
    lines = text(*(line for name in ("READ", "CLEANUP", "UPDATE") for line in block(
        name, 500, "AverageLatency(us), 9.5", "99thPercentileLatency(us), 12",
        *([] if name == "CLEANUP" else ["Return=OK, 500"]),
    ))).splitlines(keepends=True)  # fmt: skip
    whole, no_code, no_percentile = (one("".join(lines[:n])) for n in (None, -1, -2))
    assert (whole.truncated, no_code.truncated, no_percentile.truncated) == (False, True, True)
    assert checks.verdict(no_code).outcome == INCOMPLETE and checks.verdict(whole).outcome == COMPLETED
    assert not one("".join(lines[:-1]) + "...\n").truncated


def test_a_last_line_without_end_counts_only_where_it_completes_the_return_codes():
    log = text(*block("READ", 1000, "Return=OK, 1000"))
    assert one(log[:-1]).by_operation["READ"].ok == 1000
    assert not one(log[:-1]).truncated
    assert one(log[:-2]).by_operation["READ"].return_codes == ()
    assert one(log[:-2]).truncated


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_never_raises(data):
    blob = bytearray(MERGED)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(blob)))
        new = data.draw(st.binary(max_size=6) | st.sampled_from([b"\n", b"NaN", b"-", b"1e999", b"[OVERALL], ", b","]))
        blob[at : at + data.draw(st.integers(0, 40))] = new
    log = one(bytes(blob))
    verdict = checks.verdict(log)
    assert warned(log) <= set(Warn)
    if verdict.outcome == COMPLETED:
        assert log.throughput_ops_s > 0
        assert 0 < log.succeeded <= log.attempted


def test_a_run_has_a_header_of_its_own_a_summary_printed_once_more_has_not():
    log = text(*block("READ", 1000, "Return=OK, 1000"), command="-t -threads 8")
    assert len(ycsb.parse(log + log)) == 2
    assert len(ycsb.parse(log + log.partition("\n")[2])) == 1
    exact = text(*block("READ", 1000, "Return=OK, 1000", "AverageLatency(us), 922.095"), command="-t -threads 8")
    assert len(ycsb.parse(exact + exact)) == 1
    assert len(ycsb.parse(exact + exact.replace("922.095", "922.096"))) == 2


BEGUN = "Command line: -t -db site.ycsb.db.MongoDbClient -threads 4\nYCSB Client 0.17.0\n\nLoading workload...\n"
TIMEOUT = "site.ycsb.DBException: com.mongodb.MongoTimeoutException: Timed out after 30000 ms"
NO_CLASS = 'Exception in thread "main" java.lang.NoClassDefFoundError: org/apache/htrace/core/Tracer$Builder'
STATUS_LINE = "2026-11-21 08:00:10:100 10 sec: 500 operations; 50 current ops/sec; est completion in 1 second\n"
NONE = fact("reason-summaries", n=0, ycsb=True)


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("", (NONE, fact("reason-nothing"))),
        (BEGUN + TIMEOUT + "\n\tat site.ycsb.Client\n", (NONE, fact("reason-first-error", text=TIMEOUT))),
        (BEGUN + NO_CLASS + "\n", (NONE, fact("reason-first-error", text=NO_CLASS))),
        (BEGUN, (NONE,)),
        (BEGUN + STATUS_LINE, (NONE, fact("reason-last-status", seconds=10.0))),
        (BEGUN + "[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), 61", (fact("reason-cut"),)),
        (STATUS_LINE + "[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), 6.1.4,2\n", (NONE,)),
        ("[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), \n", (NONE,)),
    ],
)
def test_why_there_is_no_summary_is_said_as_far_as_the_log_tells(text, reasons):
    (log,) = ycsb.parse(text)
    assert checks.verdict(log).reasons == reasons
