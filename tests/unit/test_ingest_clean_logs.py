"""Logs read as columns of figures give the rows that reading line by line gives, or are left to it."""

from pathlib import Path
from random import Random

import pandas as pd
import pytest

from ycsbook import ingest
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.readers import ycsb_batch
from ycsbook.ingest.reading import read_with_rejects
from ycsbook.ingest.runs import clean_logs
from ycsbook.verdicts import Warn

HEAD = """Command line: -db site.ycsb.db.MongoDbClient -P workloads/workloada -s -threads {threads} {more} -t
YCSB Client 0.17.0

Loading workload...
Starting test.
"""
SECONDS = 30


STATUS = " [{}: Count={}, Max=9000, Min=100, Avg={}, 90=1500, 99=2500, 99.9=8000, 99.99=9000]"
SUMMARY = """[{0}], Operations, {1}
[{0}], AverageLatency(us), {2}
[{0}], MinLatency(us), 90
[{0}], MaxLatency(us), 9007
[{0}], 95thPercentileLatency(us), 1700
[{0}], 99thPercentileLatency(us), 2600
"""
GC = "[TOTAL_GCS_PS_Scavenge], Count, 11\n[TOTAL_GC_TIME], Time(ms), 37\n[TOTAL_GC_TIME_%], Time(%), 0.12\n"


def log(*, reads=3000, updates=2000, threads=8, more="", tail="", middle="", mean=1200.0) -> str:
    total = reads + updates
    lines = [HEAD.format(threads=threads, more=more)]
    for second in range(SECONDS + 1):
        share = STATUS.format("READ", reads // SECONDS, mean) + STATUS.format("UPDATE", updates // SECONDS, 1300.5)
        rest = f"1 current ops/sec; est completion in 1 second{share} " if second else "est completion in 0 second "
        at = f"2026-11-21 08:00:{second:02d}:100 {second} sec: {total * second // SECONDS} operations; "
        lines += [at, rest, "\n", middle if second == 3 else ""]
    lines.append(f"[OVERALL], RunTime(ms), {SECONDS * 1000}\n[OVERALL], Throughput(ops/sec), {total / SECONDS}\n{GC}")
    for name, count in (("READ", reads), ("CLEANUP", threads), ("UPDATE", updates)):
        lines.append(SUMMARY.format(name, count, mean))
        lines.append("" if name == "CLEANUP" else f"[{name}], Return=OK, {count}\n")
    return "".join(lines) + tail


def both(monkeypatch, folder: Path):
    """The tables as read, and as read line by line, and how many logs were beyond doubt."""
    beyond_doubt = []
    read = clean_logs.read
    with monkeypatch.context() as patched:
        patched.setattr(clean_logs, "read", lambda found: beyond_doubt.extend(read(found)) or read(found))
        tables = read_with_rejects([folder])[0]
    with monkeypatch.context() as patched:
        patched.setattr(ycsb_batch, "read", lambda splits: [None] * len(splits))
        exact = read_with_rejects([folder])[0]
    return tables, exact, sum(found is not None for found in beyond_doubt)


def assert_same(tables, exact) -> None:
    for both_ways in zip(tables.items(), exact.items(), strict=True):
        a, b = (frame.sort_values("run_id", kind="stable", ignore_index=True) for _, frame in both_ways)
        pd.testing.assert_frame_equal(a, b, check_exact=True)


REGULAR = {
    "plain": {},
    "short of operations": {"reads": 3001},
    "many threads": {"threads": 400},
    "no thread at all": {"more": "-threads 0"},
    "fewer threads than asked": {"threads": 8, "more": "-threads 16"},
    "unacknowledged": {"more": "-p mongodb.url=mongodb://10.0.0.1/ycsb?w=0"},
    "a small pool": {"more": "-p mongodb.url=mongodb://10.0.0.1/ycsb?maxPoolSize=4"},
    "a throttle": {"more": "-target 170"},
    "too slow for its threads": {"mean": 8_900.0, "threads": 1},
    "words between the status lines": {"middle": "DBWrapper: report latency for each error is false\n"},
    "a stack trace between": {"middle": "java.lang.Exception: x\n"},
}
ODD = {
    "failures": {"tail": "[READ], Return=ERROR, 1\n"},
    "a failure series": {"tail": "[READ-FAILED], Operations, 5\n[READ-FAILED], AverageLatency(us), 4.0\n"},
    "no end": {"tail": "[SCAN], Operations, 5"},
    "a stack trace after": {"tail": "java.lang.Exception: x\n"},
    "a figure twice": {"tail": "[READ], Operations, 3000\n"},
    "not a number": {"tail": "[SCAN], Operations, 0\n[SCAN], AverageLatency(us), NaN\n"},
    "a mean of several": {"tail": "[SCAN], Operations, 0.5\n[SCAN], AverageLatency(us), 1\n[SCAN], Return=OK, 0.5\n"},
    "intended latencies": {"more": "-p measurement.interval=intended"},
    "another operation": {"tail": "[SCAN], Operations, 500\n[SCAN], AverageLatency(us), 1\n[SCAN], Return=OK, 500\n"},
    "buckets": {"tail": "[READ], 0, 1\n[READ], 1, 2999\n"},
    "threads before the totals": {"tail": "[OVERALL], ThreadCount, 3\n"},
    "half a number": {"tail": "[SCAN], Operations, .5\n"},
    "a histogram beside it": {"more": "-p hdrhistogram.output.path=x_"},
    "text after": {"tail": "\n"},
    "a line of a container": {"middle": "ycsb-1  | YCSB Client 0.1.4\n"},
    "a mean above the maximum": {"mean": 90_000.0, "more": "-threads 900"},
    "an operation that lacks lines": {"tail": "[SCAN], Operations, 5\n"},
    "percentiles that fall": {"tail": "[READ], 99.9PercentileLatency(us), 1500\n"},
}


@pytest.mark.parametrize("case", [*REGULAR, *ODD])
def test_both_ways_of_reading_give_the_same(case, tmp_path, monkeypatch):
    (tmp_path / "x.log").write_text(log(**{**REGULAR, **ODD}[case]))
    tables, exact, beyond_doubt = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert beyond_doubt == (case in REGULAR)
    assert len(tables.runs) == 1 and not tables.intervals.empty


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("bench-1  | ", ""),
        ("2026-11-21T08:00:{:02}.123456789Z ", ""),
        ("Nov 21 08:00:07 node ycsb[17]: ", ""),
        ("> ", ""),
        ("    ", ""),
        ('{{"log": "', '\\n", "stream": "stdout", "time": "2026-11-21T08:00:{:02}.5Z"}}'),
        ("\x1b[32m", "\x1b[0m"),
    ],
)
def test_what_stands_around_each_line_leaves_a_log_beyond_doubt(before, behind, tmp_path, monkeypatch):
    lines = log().splitlines()
    around = (f"{before.format(i % 60)}{line}{behind.format(i % 60)}\n" for i, line in enumerate(lines))
    (tmp_path / "x.log").write_text("".join(around))
    tables, exact, beyond_doubt = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert (beyond_doubt, len(tables.runs)) == (1, 1)
    assert tables.runs["source"].item().endswith("x.log:38")


def test_a_last_line_that_is_quoted_otherwise_counts(tmp_path, monkeypatch):
    lines = ",\n".join(f'  "{line}\\n"' for line in log().splitlines())
    (tmp_path / "x.txt").write_text(f'{{"text": [\n{lines}\n]}}\n')
    tables, exact, _ = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert tables.operations["ok"].sum() == 5000


def test_a_line_that_is_all_prefix_is_none_of_a_log(tmp_path, monkeypatch):
    (tmp_path / "x.log").write_text("Nov 21 08:00:00 5 sec: \n" + log())
    tables, exact, _ = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert tables.runs["outcome"].tolist() == ["completed"]


@pytest.mark.parametrize(
    ("form", "ops_s"),
    [
        ("10.0.0.{}: {}\n", [5000 / 30, 4400 / 30]),
        # Of one name but for a number, and at work at the same time: clients of one run.
        ("\x1b[3{0}mbench-{0}  |\x1b[0m {1}\x1b[0m\n", [9400 / 30]),
        ('"bench-{}: {}",\n', [9400 / 30]),
    ],
)
def test_hosts_whose_lines_alternate_are_read_alike_in_both_ways(form, ops_s, tmp_path, monkeypatch):
    logs = [log(reads=n).splitlines() for n in (3000, 2400)]
    lines = (form.format(host, line) for pair in zip(*logs, strict=True) for host, line in enumerate(pair, 5))
    (tmp_path / "x.log").write_text("".join(lines))
    tables, exact, beyond_doubt = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert (beyond_doubt, tables.runs["throughput_ops_s"].tolist()) == (0, ops_s)


def test_what_the_user_says_holds_in_both_ways(tmp_path, monkeypatch):
    (tmp_path / "ycsbook.yml").write_text("vendor: us\ncores: 4\nthreads: 9\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.log").write_text(log())
    tables, exact, _ = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert (set(tables.runs.vendor), set(tables.runs.cores), set(tables.runs.threads)) == ({"us"}, {4.0}, {8.0})


TEXT = log()
TAIL_AT = TEXT.index("[OVERALL]")
CHANGES = (b"", b"0", b"1", b"9", b".", b",", b"-", b"\n", b"E", b" ", b"[", b"NaN", b"\xff")


def test_mutated_logs_are_read_alike(tmp_path, monkeypatch):
    random = Random(1)
    for n in range(480):
        text = bytearray(TEXT.encode())
        for _ in range(random.randint(1, 3)):
            at = random.randrange(random.choice((0, TAIL_AT)), len(text))
            text[at : at + random.randint(0, 2)] = random.choice(CHANGES)
        (tmp_path / f"{n}.log").write_bytes(bytes(text))
    tables, exact, beyond_doubt = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert beyond_doubt > 20


def test_a_name_that_is_not_ascii_is_the_same_both_ways(monkeypatch, tmp_path):
    more = "[LÄS], Operations, 5\n[LÄS], AverageLatency(us), 7\n"
    odd = log().replace("[TOTAL_GCS_PS_Scavenge]", f"{more}[TOTAL_GCS_PS_Scavenge]", 1)
    (tmp_path / "a.log").write_text(odd, encoding="utf-8")
    tables, exact, _ = both(monkeypatch, tmp_path)
    assert "LÄS" in set(exact.operations["operation"])
    assert_same(tables, exact)


def test_where_status_lines_were_cut_out_rates_are_those_of_the_rest_and_nothing_is_steady(tmp_path, monkeypatch):
    (tmp_path / "run.log").write_text(log(updates=3000))
    lines = [line for line in log(updates=3000).splitlines(True) if not ":100 11" <= line[19:26] <= ":100 19"]
    (tmp_path / "cut.log").write_text("".join(lines))
    tables, exact, beyond_doubt = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    runs = tables.runs.set_index(tables.runs["source"].str.extract(r"(\w+)\.log")[0])
    assert beyond_doubt == 1 and runs["steady_ops_s"].isna().to_dict() == {"run": False, "cut": True}
    rows = tables.intervals[tables.intervals["run_id"] == runs["run_id"]["cut"]]
    reads = rows[rows["operation"] == "READ"]
    assert len(reads) == SECONDS - 9 and reads["throughput_ops_s"].round(6).unique().tolist() == [100.0]
    assert rows[rows["operation"] == "TOTAL"]["interval_s"].max() == 10


def test_a_run_began_before_the_first_line_that_was_kept(tmp_path, monkeypatch):
    (tmp_path / "tail.log").write_text("".join(log().splitlines(True)[15:]))
    (tmp_path / "old.log").write_text(
        log(tail="odd\n").replace("2026-11-21 08:00:00:100 0 sec", "0001-01-01 00:00:00:100 9 sec")
    )
    tables, exact, _ = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert sorted(tables.runs["started_at"]) == ["", "2026-11-21T08:00:00.100"]


def test_threads_of_a_binding_that_cleans_up_twice_are_left_to_the_exact_reader(tmp_path, monkeypatch):
    bare = log(threads=2, mean=8000.0).split("Starting test.\n")[1]
    (tmp_path / "once.log").write_text(bare)
    (tmp_path / "twice.log").write_text(bare.replace("8000.0", "5500.0"))
    tables, exact, beyond_doubt = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    assert beyond_doubt == 1 and tables.runs["threads"].isna().sum() == 1


def test_a_name_of_half_the_threads_tells_that_a_binding_cleans_up_twice_and_a_command_or_the_user_knows_better(
    tmp_path, monkeypatch
):
    whole = log(threads=2, mean=900.0)
    bare = whole.split("Starting test.\n")[1]
    load = log(threads=2, reads=5000, updates=0, mean=900.0).split("Starting test.\n")[1].replace("READ", "INSERT")
    for name, text in (("run", bare), ("command", whole), ("load", load)):
        (tmp_path / name / "threads_1").mkdir(parents=True)
        (tmp_path / name / "threads_1" / "a.log").write_text(text)
    tables, exact, _ = both(monkeypatch, tmp_path)
    assert_same(tables, exact)
    runs = tables.runs.set_index(tables.runs["source"].str.extract(r"(\w+)/threads_1")[0])
    assert runs["threads"].to_dict() == {"run": 1, "command": 2, "load": 2}
    assert Warn.SETTINGS_INFERRED in runs["warnings"]["run"]
    said = ingest.read([tmp_path / "run"], annotations=Annotations.parse(["threads=2"]))
    assert said.runs["threads"].tolist() == [2]
