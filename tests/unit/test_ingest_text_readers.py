"""What every reader of a load generator's text bears: a cut at any byte, damage, other line ends, other files."""

import json

import pytest
import test_ingest_cockroach as crdb
import test_ingest_go_ycsb as go
import test_ingest_http_load as http
import test_ingest_iibench as iib
import test_ingest_jmeter as jm
import test_ingest_mongotest as mongo
import test_ingest_sysbench as sys_
import test_ingest_ycsb_cpp as cpp
import test_ingest_ycsb_table as tab
from hypothesis import given, settings
from hypothesis import strategies as st
from log_harness import HOSTILE, NOT_OURS, bears, cut_everywhere, figures, mutations, one
from pandas import concat
from pandas.testing import assert_frame_equal

from ycsbook.ingest import read
from ycsbook.ingest.readers import (
    cockroach,
    go_ycsb,
    http_load,
    iibench,
    jmeter,
    mongotest,
    sysbench,
    ycsb_table,
)
from ycsbook.ingest.readers.ycsb_cpp import YcsbC, YcsbCpp

GO_SUMMARY = "Run finished, takes 2s\n" + go.line("READ", 2.0, 90, 5)
GO_ARRAY = [{"Operation": "READ", "Takes(s)": "2.0", "Count": "100", "OPS": "50.0", "Avg(us)": "7", "Min(us)": "1",
             "Max(us)": "9"}]  # fmt: skip
GO_JSON = "Run finished, takes 2s\n" + json.dumps(GO_ARRAY, separators=(",", ":")) + "\n"
GO_CSV = go.CSV + "READ,1000000,500\nUPDATE,1500000,500\n" * 4
TOTALS = "Totals: 20.0 secs, 3000.0 rows/sec, 60000 rows, 0 0 0 insert-delete-query retry"
PYTHON = iib.python_log(iib.PYTHON, [(10.0, 30_000, 0), (20.0, 60_000, 0)], totals=TOTALS)
TWO_BLOCKS = mongo.LOG + "\n" + mongo.block("select", 3, 7, 100)

LOGS = {
    go_ycsb: (go.LOG, GO_SUMMARY, GO_JSON, GO_CSV),
    iibench: (iib.console(), PYTHON, iib.TSV),
    jmeter: (jm.JTL,),
    mongotest: (mongo.LOG, mongo.block("select", 1, 1, 1)),
    sysbench: (sys_.LOG,),
    YcsbC: (cpp.YCSB_C_RUN, cpp.YCSB_C_BOTH.partition("# Transaction")[0]),
    YcsbCpp: (cpp.RUN, cpp.PLAIN),
    cockroach: (crdb.log(errors=3),),
    ycsb_table: (tab.CSV.rsplit(tab.ROWS[1][0])[0],),
    http_load: (http.WRK, http.AB, http.HEY),
}
EACH = [
    pytest.param(reader, log, id=f"{reader.FORMAT}-{i}") for reader, logs in LOGS.items() for i, log in enumerate(logs)
]
READERS = pytest.mark.parametrize("reader", LOGS, ids=lambda reader: reader.FORMAT)


@pytest.mark.parametrize(
    ("reader", "log", "step"),
    [(go_ycsb, go.LOG, 3), (go_ycsb, GO_SUMMARY, 1), (go_ycsb, GO_JSON, 1), (iibench, iib.console(), 2),
     (iibench, PYTHON, 1), (mongotest, TWO_BLOCKS, 1), (sysbench, sys_.LOG, 2), (YcsbCpp, cpp.LOG, 1),
     (YcsbC, cpp.YCSB_C_BOTH, 1),
     (cockroach, crdb.log(), 1), (http_load, http.WRK, 1), (http_load, http.AB, 1),
     (http_load, http.HEY, 1)],
)  # fmt: skip
def test_a_log_cut_at_any_byte_gives_the_same_figures_or_none(tmp_path, reader, log, step):
    cut_everywhere(reader, tmp_path, log, step=step)


@READERS
@pytest.mark.parametrize("content", HOSTILE)
def test_bytes_that_are_no_log_do_no_harm(tmp_path, reader, content):
    for log in ("", go.CSV, jm.HEADER + '1,2,"', iib.PYTHON.replace(" ", "\t") + "\n", *LOGS[reader]):
        bears(reader, tmp_path, log.encode() + content)


@READERS
@pytest.mark.parametrize("first", [b"\0\r", b"x" * 200_000 + b",", b'"'])
def test_logs_that_begin_with_noise_do_no_harm(tmp_path, reader, first):
    for log in LOGS[reader]:
        bears(reader, tmp_path, first + log.encode())


@READERS
@settings(max_examples=24, deadline=None)
@given(data=st.data())
def test_damaged_logs_do_no_harm(tmp_path_factory, reader, data):
    content = data.draw(st.one_of(*map(mutations, LOGS[reader])))
    bears(reader, tmp_path_factory.mktemp("damaged"), content)


@pytest.mark.parametrize(("reader", "log"), EACH, ids=range(len(EACH)))
def test_line_ends_of_windows_change_nothing(tmp_path, reader, log):
    text = log.replace("\n", "\r\n")
    assert reader.recognises(text.encode())
    assert figures(one(reader, tmp_path, text)) == figures(one(reader, tmp_path, log))


@pytest.mark.parametrize(
    ("reader", "head"),
    [(go_ycsb, go.CSV), (go_ycsb, "Run finished, takes 2s\n"), (go_ycsb, go.TABLE), (iibench, iib.TEN),
     (iibench, iib.PYTHON.replace(" ", "\t"))],
)  # fmt: skip
def test_the_head_of_a_log_is_enough(reader, head):
    assert reader.recognises(head.encode())


@READERS
def test_only_its_own_output_is_recognised(reader):
    others = [log.encode() for other, logs in LOGS.items() if other is not reader for log in logs]
    assert not any(map(reader.recognises, (*NOT_OURS, *others)))


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (go_ycsb, "operation,timestamp_us,latency_us,host\n"),
        (iibench, "tot_inserts,elap_secs,cum_ips,int_ips\n1,2,3,4\n"),
        (jmeter, "timeStamp,elapsed,name\n1,2,3\n"),
        (sysbench, "sysbench 1.0.20\nCPU speed:\n    events per second:   278.78\n\n    total time:   10.0s\n"),
        *((reader, f"## A run\n\n```\n{LOGS[reader][0]}```\n") for reader in (iibench, jmeter)),
    ],
)
def test_what_only_resembles_it_is_not(reader, text):
    assert not reader.recognises(text.encode())


STAMP = "2026-11-26T05:17:{:02d}.123456789Z"
# What others print around the lines of a log, by the number of the line and its text.
AROUND = {
    "compose": lambda i, text: f"ycsb-1  | {text}",
    "kubectl": lambda i, text: f"[pod/ycsb-x7k2p/ycsb] {text}",
    "kubectl with times": lambda i, text: f"[pod/ycsb-x7k2p/ycsb] {STAMP.format(i % 60)} {text}",
    "cri": lambda i, text: f"{STAMP.format(i % 60)} stdout F {text}",
    "github": lambda i, text: f"{STAMP.format(i % 60)} {text}",
    "docker": lambda i, text: json.dumps({"log": text + "\n", "stream": "stdout", "time": STAMP.format(i % 60)}),
    "ansible": lambda i, text: f"        {json.dumps(text)},",
}
OF_KNOWN_LINES = {
    "fabric": lambda i, text: f"[10.0.0.5] out: {text}",
    "terraform": lambda i, text: f"null_resource.ycsb (remote-exec): {text}",
    "gitlab": lambda i, text: f"{STAMP.format(i % 60)} 01O {text}",
    "mail": lambda i, text: f"> {text}",
    "asciinema": lambda i, text: json.dumps([i / 10, "o", text + "\r\n"]),
}
FIGURES = ["format", "outcome", "throughput_ops_s", "operations", "failed_operations", "threads", "phase"]


def of_file(path, text):
    path.write_text(text)
    return read(path).runs[FIGURES].reset_index(drop=True)


# A table is nothing that a program in a container prints.
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("reader", "log"), [each for each in EACH if each.values[0] is not ycsb_table])
def test_what_others_print_around_the_lines_of_a_log_changes_no_figure(tmp_path, reader, log, around):
    wrapped = "".join(f"{AROUND[around](i, line)}\n" for i, line in enumerate(log.splitlines()))
    assert_frame_equal(of_file(tmp_path / "b.txt", wrapped), of_file(tmp_path / "a.txt", log))


@pytest.mark.parametrize("around", OF_KNOWN_LINES)
@pytest.mark.parametrize("log", [go.LOG, GO_SUMMARY, cpp.PLAIN, cpp.RUN])
def test_what_other_printers_put_before_lines_that_are_known_is_taken_off(tmp_path, log, around):
    wrapped = "".join(f"{OF_KNOWN_LINES[around](i, line)}\n" for i, line in enumerate(log.splitlines()))
    (tmp_path / "logs").mkdir()
    assert_frame_equal(of_file(tmp_path / "logs" / "b.txt", wrapped), of_file(tmp_path / "a.txt", log))
    assert len(read(tmp_path / "logs").runs) == 1


def test_two_clients_whose_lines_alternate_in_a_file_are_two_runs(tmp_path):
    lines = [f"ycsb-{i}  | {line}\n" for line in go.LOG.splitlines() for i in (1, 2)]
    plain = of_file(tmp_path / "a.txt", go.LOG)
    assert_frame_equal(of_file(tmp_path / "b.txt", "".join(lines)), concat([plain, plain], ignore_index=True))
