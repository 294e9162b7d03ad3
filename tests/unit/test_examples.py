"""What small functions give, by example."""

import math
from datetime import date

import pandas as pd
import pytest

from ycsbook import closed_loop, errors, facts, messages, names, operations, printing, sweep_runs, units
from ycsbook.batch.execute import Parameter
from ycsbook.commands.probe import _text
from ycsbook.explore.pictures import Language
from ycsbook.facts import fact
from ycsbook.messages.formats import within
from ycsbook.params.document import near
from ycsbook.plots import measured, scaling, style
from ycsbook.report.html import css_string
from ycsbook.report.markdown import escape
from ycsbook.report.systems import mongotest
from ycsbook.runner.clients.workers import is_limit
from ycsbook.runner.following import next_target
from ycsbook.runner.selection import Selection
from ycsbook.servers import mongod
from ycsbook.servers.kinds import mariadb

LACKING = ImportError("libstdc++.so.6: cannot open shared object file: No such file or directory")
SERIES = ("READ", "READ-FAILED", "SET_X", "COMMIT", "TXN", "CLEANUP")
MARIADB_LOG = "2024-01-01 0:00:00 0 [Note] Starting\n2024-01-01 0:00:00 0 [ERROR] Can't start server\n"
RUN_OF_2010 = {"operation": "insert-one", "threads": 100.0, "runtime_ms": 10404000.0, "ok": 50e6}
PRINTED_IN_2010 = """\
Total thread:100
Total run time:10404 sec
Per-thread rows:500000
Per-thread mongo insert Result:48row/sec
Total rows:50000000
Total mongo insert Result:4805row/sec"""
MIX = {"workload": "a", "read_fraction": 0.5}
RUN = {**MIX, "spec": "8c", "spec_label": "", "threads": 16.0, "repeat": 2.0, "y": 8123.4}
EXAMPLES = [
    (mongotest.printed, (RUN_OF_2010,), PRINTED_IN_2010),
    (escape, ("a|b [x](javascript:y) https://z",), r"a\|b \[x\](javascript:y) https\://z"),
    (within, (2.781, 1.742, 4.437), "2.8"), (within, (1.742, 1.742, 4.437), "1.7"),
    (within, (2.781, 2.7, math.nan), "2.78"),
    (Language("en").run, (RUN,), "8c, 50:50, 16 threads, repeat 2: 8,123 ops/s"),
    (Language("zh").run, (RUN,), "8c、50:50、16 线程、第 2 次重复：8,123 ops/s"),
    (errors.lacking_library, (LACKING,),
     "the shared library libstdc++.so.6 is missing; on Debian and Ubuntu: apt-get install libstdc++6"),
    (errors.one_line, ("a.log\n\x1b[31m: 核",), "a.log\\n\\x1b[31m: 核"),
    (facts.in_columns, ("reason", fact("few", n=2)), {"reason_key": "few", "reason_values": '{"n": 2}'}),
    (messages.named, ("environment", "memory (GiB)", "zh"), "内存（GiB）"),
    (messages.named, ("environment", "my own name", "zh"), "my own name"),
    (names.mix_name, (0.5,), "a"), (names.mix_name, (0.95,), "b"), (names.mix_name, (1.0,), "c"),
    (names.mix_name, (0.8,), "r80"),
    (names.share_of_reads, ("b",), 0.95), (names.share_of_reads, ("r80",), 0.8),
    (names.share_of_reads, ("f",), math.nan),
    (operations.write_concern, ("unacknowledged",), "0"), (operations.write_concern, ("2",), "2"),
    (near, ("speks", ["name", "specs"]), "; did you mean 'specs'?"),
    (scaling.percent, (-20,), "−20 %"), (scaling.percent, (0,), "0"), (scaling.percent, (2.5,), "+2.5 %"),
    (style.ops, (0,), "0"), (style.ops, (750,), "750"), (style.ops, (2500,), "2.5k"), (style.ops, (174000,), "174k"),
    (style.milliseconds, (250,), "0.25"), (style.milliseconds, (12000,), "12"),
    (printing.counts, (["failed", "completed", "completed"],), "2 completed, 1 failed"),
    (css_string, ('so called "QPS"',), '"so called \\22 QPS\\22 "'),
    (is_limit, (1.9, 2, 3.0, 8), True), (is_limit, (1.9, 2, 7.6, 8), False), (is_limit, (1.0, 2, 3.0, 8), False),
    (next_target, (0, 9870, 9870), 4900.0), (next_target, (4900, 9870, 9870), 7000.0),
    (next_target, (6900, 7100, 9870), None),
    (mariadb.log_reason, (MARIADB_LOG,), "Can't start server"),
    (mongod.no_fixes_since, ("6.0.5", date(2025, 8, 1)), "2025-07"),
    (mongod.no_fixes_since, ("8.0.4", date(2025, 8, 1)), ""),
    (sweep_runs.variables, (["A", "B"],), "A, B"),
    (sweep_runs.variables, (["URI_2C", "URI_4C", "URI_8C", "URI_16C"],), "URI_* (4)"),
    (units.us, (32767, "ns"), 32.767), (units.us, (1.5, "s"), 1_500_000.0),
    (units.bars, ((0.0, 500.0, 1000.0),), "▁▅█"),
    (units.duration, (1200,), "20 min"), (units.duration, (75,), "1 min 15 s"), (units.duration, (5,), "5 s"),
    (units.duration, (7260,), "2 h 1 min"),
    (units.at_most, (99.97, 2), "100"), (units.at_most, (0.25,), "0.25"), (units.at_most, (1e-5,), "0.00001"),
    (units.at_most, (14_912.0, 3), "14,900"),
    (units.significant, (14886.2,), "14,900"), (units.significant, (0.48213,), "0.482"),
    (units.significant, (math.nan,), "–"),
    (units.share, ("5%",), 0.05), (units.share, ("10 %",), 0.1), (units.share, ("0.05",), 0.05),
    (units.share, (0.05,), 0.05),
    (_text, (["InnoDB", "Aria"],), "InnoDB, Aria"),
    (_text, ({"wanted": 3.0, "usable": 2.0},), "wanted 3, usable 2"), (_text, (0.25,), "0.25"), (_text, (None,), ""),
    (_text, (268.761, "rtt_us"), "269"), (_text, (6240.06, "rtt_max_us"), "6,240"),
    (_text, (-0.000404954, "clock_difference_s"), "-0.4"),
    (Parameter("list[str]", []).value, ("cores=8",), ["cores=8"]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments", "expected"), EXAMPLES)
def test_a_function_gives_what_its_example_says(function, arguments, expected):
    assert repr(function(*arguments)) == repr(expected)


def test_a_missing_figure_of_a_fact_is_none():
    assert fact("cell", spec="4c8g", ram_gib=math.nan).values["ram_gib"] is None


def test_a_mix_is_rounded_to_tens():
    mixes = [names.mix({"workload": "a", "read_fraction": share}) for share in (0.53, 0.9)]
    assert [mix.values["reads"] for mix in mixes] == [50, 90]


def test_series_of_a_workload_are_told_from_others():
    assert [name for name in SERIES if operations.is_of_workload(name)] == ["READ", "SET_X"]


def test_texts_are_ordered_by_the_numbers_in_them():
    assert pd.Series(["16U32GB", "2U4GB"]).sort_values(key=names.natural).tolist() == ["2U4GB", "16U32GB"]


def test_percentiles_are_counted_in_nines():
    assert measured.nines(pd.Series([50.0, 90.0, 99.9])).round(3).tolist() == [0.301, 1.0, 3.0]


@pytest.mark.parametrize(
    ("row", "least"), [((25500, math.nan, 100, 7900, 8100), 2.01), ((11279, 0.95, 50, 26070, math.nan), 5.59)]
)
def test_of_an_unknown_mix_or_latency_the_least_utilisation_is_known(row, least):
    exact, at_least = closed_loop.least_of_mix(*row, all_us=math.nan)
    assert math.isnan(exact) and round(float(at_least), 2) == least


def test_conditions_of_a_selection_have_several_values():
    selection = Selection.parse(["cores=8,threads=100|200"])
    assert selection.only == ((("cores", frozenset({"8"})), ("threads", frozenset({"100", "200"}))),)
