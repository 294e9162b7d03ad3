"""Dialects of YCSB's summary as people keep and quote them: which percentile a label means, which run a line is of."""

import math
import re

import pytest

from ycsbook.ingest import readers
from ycsbook.ingest.log.summary import HDR_EXACT, _is_of_hdr
from ycsbook.ingest.readers import prefixes, ycsb
from ycsbook.ingest.runs import checks, command_line
from ycsbook.verdicts import Outcome, Warn


def block(unit: str = "us", code: str = "OK", *, p95: float = 4, p99: float = 9, most: int = 352_767, tail: str = ""):
    return (
        "[OVERALL], RunTime(ms), 26500\n[OVERALL], Throughput(ops/sec), 3773.5849056603774\n"
        "[UPDATE], Operations, 100000\n[UPDATE], AverageLatency(us), 2216.92\n[UPDATE], MinLatency(us), 138\n"
        f"[UPDATE], MaxLatency(us), {most}\n[UPDATE], 95thPercentileLatency({unit}), {p95}\n"
        f"[UPDATE], 99thPercentileLatency({unit}), {p99}\n[UPDATE], Return={code}, 100000\n{tail}"
    )


def only(text: str):
    (log,) = ycsb.parse(text)
    return log


def warned(log) -> set[Warn]:
    return set(checks.warnings(log, run_phase="run", threads=4, asked=4))


def prefixed(prefix: str, text: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def percentiles(log) -> dict[float, float]:
    return dict(log.by_operation["UPDATE"].percentiles)


READ = "[READ], Operations, 9\n[READ], MaxLatency(us), {}\n[READ], 95thPercentileLatency(ms), 0\n"
STATUS = " 10 sec: 40000 operations; 4000 current ops/sec; [UPDATE AverageLatency(us)=2216.92]\n"
BUCKETS = "".join(f"[READ], {i}, {9 if i == 0 else 0}\n" for i in range(3))


def test_releases_with_the_histogram_of_wrong_labels_print_the_90th_percentile_as_the_95th():
    log = only(block("ms", "0"))
    assert Warn.P95_IS_P90 in warned(log)
    assert percentiles(log) == {90.0: 4000.0, 99.0: 9000.0}


@pytest.mark.parametrize(
    "text",
    [
        # 0.1.4 with its buckets cut out, as people quote it: the largest latency is no bound of HdrHistogram's.
        block("ms", "0", most=352_634),
        block("ms", "0", tail=READ.format(19_125)),
        block("ms", "0", tail=READ.format(900) + BUCKETS),
        STATUS + block("ms", "0"),
        # Names of return codes and labels in ms together are those of a fork.
        block("ms", "OK"),
        block("us", "OK"),
    ],
)
def test_no_other_log_prints_the_90th_percentile_as_the_95th(text):
    log = only(text)
    assert Warn.P95_IS_P90 not in warned(log)
    assert set(percentiles(log)) == {95.0, 99.0}


def test_a_wrong_label_is_wrong_in_all_lines_of_a_log():
    log = only(block("ms", "OK", p95=301, p99=7003, tail=READ.format(900_000)))
    assert Warn.UNIT_LABEL_WRONG in warned(log)
    assert percentiles(log) == {95.0: 301.0, 99.0: 7003.0}
    assert dict(log.by_operation["READ"].percentiles) == {95.0: 0.0}


def test_percentiles_in_ms_up_to_the_largest_latency_are_ms():
    log = only(block("ms", "OK", p95=4, p99=353))
    assert Warn.UNIT_LABEL_WRONG not in warned(log)
    assert percentiles(log) == {95.0: 4000.0, 99.0: 353_000.0}


@pytest.mark.parametrize("value", [0, 1, HDR_EXACT - 1, 2049, 4095, 176_127, 562_687, 2**40 - 1, math.nan])
def test_upper_ends_of_buckets_are_largest_latencies_of_hdr(value):
    assert _is_of_hdr(value)


@pytest.mark.parametrize("value", [HDR_EXACT, 4097, 19_125, 176_125, 352_634])
def test_other_numbers_are_no_largest_latencies_of_hdr(value):
    assert not _is_of_hdr(value)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: "".join(f"\t    {line}\n" for line in text.splitlines()),
        lambda text: text.replace(", ", ","),
        lambda text: text.replace(", ", ",\t"),
        lambda text: text.replace("\n", "  \r\n"),
        lambda text: text.replace("\n", "  <-- [sic]\n"),
        lambda text: prefixed("bench-1  | ", text),
        lambda text: prefixed("\x1b[36mbench-1  |\x1b[0m 2026-11-21T08:00:00.5Z ", text),
        lambda text: prefixed("[pod/bench-x1/ycsb] ", text),
        lambda text: prefixed("2026-11-21T08:00:00.123456789+02:00 stdout F ", text),
        lambda text: prefixed("Nov  1 08:00:00 node bench[17]: ", text),
        lambda text: "".join(f'{{"log": "{line}\\n", "stream": "stdout"}}\n' for line in text.splitlines()),
        lambda text: "".join(f'    "{line}",\n' for line in text.splitlines()),
        lambda text: prefixed("[2026-11-21 08:00:00,123] [main] INFO  client.Runner - ", text),
        lambda text: prefixed("2026-11-21 08:00:00 ", text),
        lambda text: prefixed("bench-1: ", text),
        lambda text: "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text.splitlines(), 1)),
        lambda text: "".join(f"run.log:{n}:{line}\n" for n, line in enumerate(text.splitlines(), 1)),
        lambda text: text.replace("[", "[\x1b[01;31m\x1b[K").replace("],", "\x1b[m\x1b[K],"),
        lambda text: "".join(f'{{"time": 1, "pod": "b", "msg": "{line}"}}\n' for line in text.splitlines()),
        lambda text: "".join(f"- `{line}`<br>\n" for line in text.splitlines()),
        lambda text: "".join(f"**{line}**\n" for line in text.splitlines()),
        lambda text: text.replace("], Average", "], *Average").replace("[", "\\[").replace("]", "\\]"),
        lambda text: text.replace("[OVERALL]", '<pre><b class="x">[OVERALL]</b>').replace(", ", ",&nbsp;"),
        lambda text: text.replace("100000", "100,000").replace("\n", ",,,\n"),
    ],
    ids=[
        "marked",
        "indented",
        "tight",
        "tabs",
        "blanks",
        "remarks",
        "compose",
        "coloured",
        "pod",
        "CRI",
        "journal",
        "JSON",
        "playbook",
        "logger",
        "clock",
        "host",
        "numbered",
        "grep",
        "colours inside",
        "message",
        "list",
        "bold",
        "escaped",
        "tags inside",
        "spreadsheet",
    ],
)
def test_blanks_and_marks_around_the_figures_do_not_matter(change):
    plain, changed = only(block()), only(change(block()))
    assert changed.summaries == plain.summaries
    assert (changed.throughput_ops_s, changed.runtime_ms) == (plain.throughput_ops_s, plain.runtime_ms)
    assert (changed.source, changed.truncated) == (plain.source, False)


def test_lines_of_several_containers_are_runs_of_their_own():
    one, two = (prefixed(f"[pod/bench-{n}/ycsb] ", block(p99=n)).splitlines(keepends=True) for n in (7, 8))
    logs = ycsb.parse("".join(line for pair in zip(one, two, strict=True) for line in pair))
    assert [(percentiles(log)[99], log.attempted, log.overall_count) for log in logs] == [
        (7, 100_000, 1),
        (8, 100_000, 1),
    ]
    assert [log.source.rpartition(":")[2] for log in logs] == ["3", "4"]


def in_one_line(text: str, end: str = "\\n") -> str:
    return text.strip().replace("\n", end)


HEADED = "Command line: -db site.ycsb.db.MongoDbClient -P workloads/workloada -threads 4 -t\n" + block()


@pytest.mark.parametrize(
    "text",
    [
        f'{{\n    "rc": 0,\n    "stdout": "{in_one_line(HEADED)}"\n}}\n',
        f'ok: [bench-1] => {{"rc": 0, "stdout": "{in_one_line(HEADED)}", "changed": true}}\n',
        f'{{"a": [{{"output": "{in_one_line(HEADED)}"}}]}}',
        f'"[{in_one_line(HEADED, chr(34) + ", " + chr(34))}"]',
        f"b'{in_one_line(HEADED)}'\n",
        f'print("{in_one_line(HEADED, chr(92) * 2 + "n")}");\n',
        f"<p>{in_one_line(HEADED, '<br/>')}</p>",
        # A string and its lines.
        f'{{\n  "stdout": "{in_one_line(HEADED)}",\n  "stdout_lines": [\n'
        + "".join(f'    "{line}",\n' for line in HEADED.splitlines())
        + "  ]\n}\n",
    ],
    ids=["playbook", "one line", "JSON", "list", "bytes", "escaped twice", "tags", "string and lines"],
)
def test_ends_of_lines_may_be_spelt_out(text):
    log = only(text)
    assert (log.summaries[0].count, log.threads, log.truncated) == (100_000, 4, False)
    assert (log.overall_count, percentiles(log), log.failed) == (1, {95: 4, 99: 9}, 0)


def test_cells_of_a_table_are_runs():
    cells = [in_one_line(block(p99=n), "<br/>") for n in (7, 8)]
    logs = ycsb.parse(f"|  | ours | theirs |\n| --- | --- | --- |\n| **Load** | {cells[0]} | {cells[1]} |\n")
    assert [(percentiles(log)[99], log.attempted) for log in logs] == [(7, 100_000), (8, 100_000)]


def test_status_lines_that_are_printed_twice_are_of_one_run():
    status = "YCSB Client 0.17.0\n2026-11-21 08:00:00:100 0 sec: 0 operations; \n2026-11-21 08:00:10:100" + STATUS
    log = only(status + status + block())
    assert (log.series.lines, log.version, log.attempted) == (2, "0.17.0", 100_000)


@pytest.mark.parametrize(
    "names", [("10.0.0.5: ", "10.0.0.6: "), ("[1,0]<stdout>:", "[1,1]<stdout>:"), ("a.log:", "b.log:")]
)
def test_lines_of_several_hosts_are_runs_of_their_own(names):
    one, two = (prefixed(name, block(p99=n)).splitlines(keepends=True) for n, name in enumerate(names, 7))
    logs = ycsb.parse("".join(line for pair in zip(one, two, strict=True) for line in pair))
    assert [percentiles(log)[99] for log in logs] == [7, 8]


def test_a_path_of_windows_is_no_end_of_a_line():
    log = only("Command line: -db x -P C:\\new\\workloadb -threads 4 -t\n" + block())
    assert log.threads_asked == 4


def test_a_command_line_behind_a_byte_order_mark_is_read():
    command = "\ufeffCommand line: -db site.ycsb.db.MongoDbClient -P workloads/workloadb -threads 4 -t\n"
    log = only(command + block())
    assert (log.threads_asked, command_line.workload(log.command_line)) == (4, "b")


def test_runs_that_print_the_throughput_first_are_kept_apart():
    lines = block().splitlines(keepends=True)
    text = "".join([lines[1], lines[0], *lines[2:]])
    first, second = ycsb.parse(text + text.replace("100000", "99999").replace("3773.58", "3773.54"))
    assert [checks.verdict(log).outcome for log in (first, second)] == [Outcome.COMPLETED] * 2
    assert [log.attempted for log in (first, second)] == [100_000, 99_999]
    assert [log.source for log in (first, second)] == [":1", ":10"]


def points(*rows: str) -> str:
    return block() + "".join(f"[UPDATE], {row}\n" for row in rows)


def intervals(text: str) -> list[tuple[float, float, float]]:
    blocks = only(text).series.blocks()
    return [row for b in blocks for row in zip(b.elapsed_s, b.interval_s, b.mean_us, strict=True)]


def test_points_in_time_are_intervals():
    text = points("0, 360.95", "500, 361.0", "1000, NaN", "1500, 359.25")
    assert [row[:2] for row in intervals(text)] == [(0.5, 0.5), (1.0, 0.5), (1.5, 0.5), (2.0, 0.5)]


def test_points_in_time_that_are_printed_twice_count_once():
    text = points("0, 5.5", "0, 5.5", "1000, 6.5", "1000, 6.5", "2000, 7")
    assert intervals(text) == [(1.0, 1.0, 5.5), (2.0, 1.0, 6.5), (3.0, 1.0, 7.0)]


@pytest.mark.parametrize(
    "rows",
    [
        ["0, 99000", "1, 400", "2, 0", "999, 0"],  # buckets with a part cut out
        ["0, 99000", "1, 400"],  # buckets that were cut
        ["0, 90000", "1, 400.5", ">1000, 9"],
        ["0, 5.5", "20000, 6.5", "20000, 7.5"],
        ["2000, 5.5", "1000, 6.5", "0, 7.5"],
    ],
)
def test_other_points_are_no_intervals(rows):
    log = only(points(*rows))
    assert not intervals(points(*rows))
    assert log.throughput_ops_s > 0 and not log.by_operation["UPDATE"].estimated


URL = "-p mongodb.url=mongodb://h/ycsb"


@pytest.mark.parametrize(
    ("command", "concern"),
    [
        (f"{URL}?w=0 -t", "0"),
        (f'-p "mongodb.url=mongodb://h/ycsb?x=1&w=0" {URL}', "0"),
        (f"{URL} -p mongodb.writeConcern=unacknowledged", "0"),
        (f"{URL} -p mongodb.writeConcern=Errors_Ignored -t", "0"),
        (f"{URL} -p mongodb.writeConcern=acknowledged", "1"),
        (f"{URL}?w=majority", "majority"),
        (f"{URL}?w=1 -p mongodb.writeConcern=unacknowledged", "1"),
        (f"{URL} -t", ""),
    ],
)
def test_the_write_concern_of_a_command_line(command, concern):
    log = only(f"Command line: {command}\n{block()}")
    assert command_line.write_concern(log.command_line) == concern
    assert (Warn.UNACKED_WRITES in warned(log)) == (concern == "0")


def test_a_target_of_0_is_no_throttle():
    assert math.isnan(command_line.target_ops_s("-target 0 -t")) and math.isnan(command_line.target_ops_s("-t"))
    assert command_line.target_ops_s("-target 170") == 170.0


# What 0.1.0 prints: all latencies in ms, whole but for the mean, return codes as numbers.
OLDEST = (
    " 0 sec: 0 operations;\n 10 sec: 982 operations; 98.2 current ops/sec; [READ AverageLatency(ms)=0.5]\n"
    "[OVERALL],RunTime(ms), 10000\n[OVERALL],Throughput(ops/sec), 98.2\n"
    "[UPDATE], Operations, 491\n[UPDATE], AverageLatency(ms), 0.0550\n[UPDATE], MinLatency(ms), 0\n"
    "[UPDATE], MaxLatency(ms), 3\n[UPDATE], 95thPercentileLatency(ms), 1\n[UPDATE], 99thPercentileLatency(ms), 2\n"
    "[UPDATE], Return=0, 491\n{}"
    "[READ], Operations, 491\n[READ], AverageLatency(ms), 0.5\n[READ], Return=0, 491\n"
)


def means_of(operation: str, log) -> list[float]:
    return [
        mean
        for rows in log.series.blocks()
        for name, mean in zip(rows.name, rows.mean_us, strict=True)
        if rows.names[name] == operation
    ]


def test_latencies_of_the_oldest_release_are_in_ms():
    log = only(OLDEST.format(""))
    update = log.by_operation["UPDATE"]
    assert (update.mean_us, update.min_us, update.max_us) == (55, 0, 3000)
    assert percentiles(log) == {95.0: 1000.0, 99.0: 2000.0}
    assert log.by_operation["READ"].mean_us == 500
    assert means_of("READ", log) == [500]
    assert not warned(log) & {Warn.P95_IS_P90, Warn.UNIT_LABEL_WRONG, Warn.COUNTS_DISAGREE}


def test_time_series_of_the_oldest_release_are_in_ms():
    points = "[UPDATE], 0, 0.25\n[UPDATE], 1000, 1.5\n[UPDATE], 2000, NaN\n"
    assert means_of("UPDATE", only(OLDEST.split("\n", 2)[2].format(points)))[:2] == [250, 1500]


@pytest.mark.parametrize(
    ("most", "rows", "us"),
    [
        (7_100, [(150, 99_000), (7_100, 1000)], 1),
        (200_500, [(150, 99_000), (200, 1000)], 1000),
        (7_100, [(0, 99_000), (1, 0), (9, 1000)], 1000),
    ],
)
def test_buckets_beyond_the_maximum_are_those_of_a_verbose_histogram_in_us(most, rows, us):
    """It has no empty buckets, as those of 1 ms have."""
    tail = "".join(f"[UPDATE], {i}, {n}\n" for i, n in rows)
    update = only(block(most=most, tail=tail)).by_operation["UPDATE"]
    wanted = {50: rows[0][0] * us, 99.9: rows[-1][0] * us}
    assert {p: v for p, v in update.estimated if p in wanted} == wanted


@pytest.mark.parametrize(
    ("least", "rate", "is_mean"),
    [("138.5", "3771.1234567", True), ("138.5", "3773.5849056603774", False), ("138", "3771.1234567", False)],
)
def test_bounds_with_fractions_and_counts_that_do_not_follow_are_those_of_a_mean(least, rate, is_mean):
    text = block().replace("MinLatency(us), 138", f"MinLatency(us), {least}").replace("3773.5849056603774", rate)
    assert (Warn.DERIVED in warned(only(text))) == is_mean


def test_threads_may_stand_before_totals_alone():
    totals = "[OVERALL], ThreadCount, {}\n[OVERALL], RunTime(ms), 2000\n[OVERALL], Throughput(ops/sec), {}\n"
    runs = ycsb.parse(totals.format(4, 500) + totals.format(8, 900))
    assert [(log.threads, log.throughput_ops_s, log.is_excerpt) for log in runs] == [(4, 500, True), (8, 900, True)]


def test_operations_may_stand_before_the_totals():
    overall, operations = block()[: block().index("[UPDATE]")], block()[block().index("[UPDATE]") :]
    runs = ycsb.parse(operations + overall + operations.replace("138", "150") + overall)
    assert [(log.by_operation["UPDATE"].min_us, log.attempted) for log in runs] == [(138, 100_000), (150, 100_000)]
    assert not any(map(checks.counts_disagree, runs))
    # Nothing is printed once more: it is of the run whose totals stand before it.
    (log,) = ycsb.parse(operations + overall + "[CLEANUP], Operations, 4\n")
    assert log.threads == 4


@pytest.mark.parametrize("between", ["", " ", "  "])
def test_lines_whose_ends_were_lost_are_lines(between):
    command = "bin/ycsb run mongodb -P workloads/workloada -threads 4\n"
    log = only(command + between.join(block(tail=READ.format(900)).splitlines()) + "\n")
    assert (log.throughput_ops_s, log.attempted, log.threads) == (3773.5849056603774, 100_009, 4)
    assert percentiles(log) == {95: 4, 99: 9} and log.by_operation["UPDATE"].return_codes == (("OK", 100_000),)


@pytest.mark.parametrize("bare", ["{}, ", "{}], "])
def test_brackets_may_be_lost(bare):
    text = block()
    for name in ("OVERALL", "UPDATE"):
        text = text.replace(f"[{name}], ", bare.format(name))
    assert ycsb.recognises(text.encode())
    assert only(text).summaries == only(block()).summaries and only(text).throughput_ops_s == 3773.5849056603774


REPRINTED = """Measured:
[OVERALL] RunTime(ms): 10000
[OVERALL] Throughput(ops/sec): 100.0
[READ] Operations: 500
[READ] AverageLatency(us): 123.5
[READ] Return=OK: 500
[UPDATE] Operations: 500
[UPDATE] AverageLatency(us): 150
[UPDATE] Return=OK: 500
"""


@pytest.mark.parametrize("between", ["\n", "<br>\n", " |\n| "])
def test_a_summary_printed_again_with_colons(between):
    text = REPRINTED.replace("\n", between)
    assert readers.format_of(text.encode()) == "ycsb"
    (log,) = ycsb.parse(text)
    assert (log.runtime_ms, log.throughput_ops_s, log.attempted) == (10_000, 100, 1000)
    assert [(s.operation, s.mean_us) for s in log.summaries] == [("READ", 123.5), ("UPDATE", 150)]


def test_colons_may_stand_behind_commas_and_before_several_blanks():
    lines = [
        "Counter of [LOAD PHASE]: 0", "[OVERALL] Throughput(ops/sec):  838.9",
        "[INSERT] AverageLatency(us):  7694.8", "[INSERT], MinLatency(us): 741",
        "Counter of [RUN PHASE]: 0", "[OVERALL] Throughput(ops/sec):  9721.5",
        "[READ], 99thPercentileLatency(us):   1672", "[UPDATE], AverageLatency(us): 948.4",
    ]  # fmt: skip
    text = "\n".join(lines) + "\n"
    assert readers.format_of(text.encode()) == "ycsb"
    load, run = ycsb.parse(text)
    assert (load.throughput_ops_s, run.throughput_ops_s) == (838.9, 9721.5)
    assert [(s.operation, s.mean_us, s.min_us) for s in load.summaries] == [("INSERT", 7694.8, 741)]
    assert [s.percentiles for s in run.summaries] == [((99, 1672),), ()]
    assert [checks.phase(log) for log in (load, run)] == ["load", "run"]


@pytest.mark.parametrize("between", ["\t", "; ", ";", " | ", ", "])
def test_a_summary_may_stand_in_the_cells_of_a_spreadsheet_or_a_table(between):
    lines = ["[OVERALL], RunTime(ms), 10000", "[OVERALL], Throughput(ops/sec), 100.5", "[TOTAL_GCs], Count, 4",
             "[READ], Operations, 1005", "[READ], AverageLatency(us), 123.25", "[READ], Return=0, 1000",
             "[READ], Return=-1, 5"]  # fmt: skip
    if between == ", ":
        lines = [line.replace("], ", "] ") for line in lines]
    text = "\n".join(f"| {line} |" if "|" in between else line for line in lines).replace(", ", between) + "\n"
    text = text.replace(".", ",") if ";" in between else text
    assert readers.format_of(text.encode()) == "ycsb"
    (log,) = ycsb.parse(text)
    assert (log.runtime_ms, log.throughput_ops_s, log.attempted, log.failed) == (10_000, 100.5, 1005, 5)
    assert [(s.operation, s.mean_us) for s in log.summaries] == [("READ", 123.25)]


def test_colons_of_other_lines_change_nothing():
    status = "2023-05-06 10:26:26:218 10 sec: 38662 operations; 3866.2 current ops/sec; [READ: Count=19410, Max=5]"
    for text in (status, "[READ] failed: 3", "[READ] AverageLatency(us): unknown", "a[1] Operations: 3"):
        assert prefixes.with_commas(text) == text


def test_colons_behind_a_log_begin_no_other_run():
    (log,) = ycsb.parse(block() + "[OVERALL] RunTime(ms): 9\n[OVERALL] Throughput(ops/sec): 100.0\n")
    assert log.runtime_ms == 26_500


@pytest.mark.parametrize(("unit", "per_us"), [("ns", 1000), ("us", 1), ("s", 1e-6)])
def test_latencies_in_other_units_are_read_in_us_with_their_decimals(unit, per_us):
    """Forks for stores in memory print ns."""
    us = {"Average": 16.91585, "Min": 0.128, "Max": 16_777.215, "95thPercentile": 32.767, "99.9thPercentile": 65.535}
    lines = [f"[READ], {name}Latency({unit}), {value * per_us!r}\n" for name, value in us.items()]
    text = block().replace("UPDATE", "INSERT") + "[READ], Operations, 9\n" + "".join(lines) + "[READ], Return=OK, 9\n"
    for printed in (text, text.replace("[", "").replace("]", ""), re.sub(r"\], (.*), ", r"] \1: ", text)):
        read = only(printed).by_operation["READ"]
        assert (read.mean_us, read.min_us, read.max_us) == pytest.approx((16.91585, 0.128, 16_777.215), rel=1e-12)
        assert dict(read.percentiles) == pytest.approx({95.0: 32.767, 99.9: 65.535}, rel=1e-12)
    # A throughput that somebody changed contradicts the counts; it makes no mean of several logs of it.
    assert only(text.replace("3773.58", "3500.58")).derived == (unit == "us")
    assert only(STATUS.replace("us)=2216.92", f"{unit})={2216.92 * per_us!r}")).series.close()
