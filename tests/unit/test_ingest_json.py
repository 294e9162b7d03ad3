"""YCSB's JSON exporters: the same figures as the text exporter's, wherever the objects stand."""

import gzip
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import RunLogError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.readers import ycsb, ycsb_json
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn

FIGURES = [
    ("OVERALL", "RunTime(ms)", "2000"),
    ("OVERALL", "Throughput(ops/sec)", "500.0"),
    ("TOTAL_GC_TIME", "Time(ms)", "26"),
    ("CLEANUP", "Operations", "4"),
    ("READ", "Operations", "1000"),
    ("READ", "AverageLatency(us)", "410.25"),
    ("READ", "MinLatency(us)", "100"),
    ("READ", "MaxLatency(us)", "9000"),
    ("READ", "95thPercentileLatency(us)", "800"),
    ("READ", "Return=OK", "1000"),
]
STATUS = (
    "Command line: -t -db site.ycsb.db.MongoDbClient -threads 4 -p mongodb.url=mongodb://eve:hunter2@h/x\n"
    "YCSB Client 0.17.0\n"
    "2023-05-06 10:26:16:218 0 sec: 0 operations; est completion in 0 second \n"
    "2023-05-06 10:26:18:218 2 sec: 1000 operations; 500 current ops/sec; "
    "[READ: Count=1000, Max=9000, Min=100, Avg=410.25, 90=700, 99=900, 99.9=950, 99.99=990]\n"
)


def objects(figures, pretty=True) -> list[str]:
    keys = ("metric", "measurement", "value")
    if not pretty:
        return [json.dumps(dict(zip(keys, (op, name, "@"), strict=True))).replace('"@"', v) for op, name, v in figures]
    return [
        f'{{\n  "metric" : {json.dumps(op)},\n  "measurement" : {json.dumps(name)},\n  "value" : {v}\n}}'
        for op, name, v in figures
    ]


def array(figures, pretty=True) -> str:
    return "[\n" + ",".join(objects(figures, pretty)) + "\n]\n"


def concatenated(figures, pretty=True) -> str:
    return " ".join(objects(figures, pretty))


def parse(tmp_path, *contents: str) -> list:
    sources = []
    for i, content in enumerate(contents):
        path = tmp_path / f"{i}.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        sources.append(Source(path, f"{i}.json"))
    return ycsb_json.parse(sources)


def one(tmp_path, *contents: str):
    logs = parse(tmp_path, *contents)
    assert len(logs) == 1
    return logs[0]


@pytest.mark.parametrize("exporter", [array, concatenated])
@pytest.mark.parametrize("pretty", [True, False])
def test_the_figures_of_either_exporter(tmp_path, exporter, pretty):
    log = one(tmp_path, exporter(FIGURES, pretty))
    assert (log.format, log.overall_count, log.runtime_ms, log.throughput_ops_s) == ("ycsb-json", 1, 2000, 500)
    assert (log.threads, log.truncated) == (4, False)
    read = log.by_operation["READ"]
    assert (read.count, read.mean_us, read.min_us, read.max_us) == (1000, 410.25, 100, 9000)
    assert (read.percentiles, read.return_codes) == (((95.0, 800.0),), (("OK", 1000),))
    assert checks.verdict(log).outcome == Outcome.COMPLETED


@pytest.mark.parametrize(("exporter", "line"), [(array, 2 + 4 * 4), (concatenated, 1 + 4 * 4)])
def test_a_figure_is_traced_to_the_line_its_object_starts_in(tmp_path, exporter, line):
    content = exporter(FIGURES)
    log = one(tmp_path, content)
    assert log.by_operation["READ"].source == f"0.json:{line}"
    assert '"READ"' in content.split("\n")[line]


@pytest.mark.parametrize("exporter", [array, concatenated])
def test_the_other_stream_gives_status_lines_threads_and_version(tmp_path, exporter):
    summary = exporter(FIGURES)
    for contents in ((summary, STATUS), (STATUS, summary)):
        log = one(tmp_path, *contents)
        assert (log.version, log.threads_asked, log.overall_count) == ("0.17.0", 4, 1)
        assert (log.series.last_operations, log.status_source) == (1000, f"{contents.index(STATUS)}.json")
        assert "hunter2" not in log.command_line


def test_both_streams_in_one_file(tmp_path):
    log = one(tmp_path, STATUS + array(FIGURES) + "java.lang.IllegalStateException: at the very end\n")
    assert (log.version, log.series.last_operations, log.by_operation["READ"].count) == ("0.17.0", 1000, 1000)
    assert log.errors == ("java.lang.IllegalStateException: at the very end",)
    assert log.by_operation["READ"].source == f"0.json:{4 + 2 + 4 * 4}"
    assert not log.truncated


def test_braces_of_other_things_are_passed_over(tmp_path):
    noise = 'INFO: Cluster created with settings {hosts=[h:27017], mode=SINGLE}\n{"t": {"$date": 1}, "s": "I"}\n'
    log = one(tmp_path, noise + array(FIGURES) + noise)
    assert (log.truncated, log.by_operation["READ"].count) == (False, 1000)


@pytest.mark.parametrize("exporter", [array, concatenated])
def test_several_runs_in_one_file(tmp_path, exporter):
    other = [(op, name, "4000" if name == "RunTime(ms)" else v) for op, name, v in FIGURES]
    logs = parse(tmp_path, exporter(FIGURES) + exporter(other))
    assert [log.runtime_ms for log in logs] == [2000, 4000]
    assert [log.by_operation["READ"].count for log in logs] == [1000, 1000]


@pytest.mark.parametrize("exporter", [array, concatenated])
def test_a_file_cut_anywhere_keeps_what_is_whole_and_is_never_called_complete(tmp_path, exporter):
    content = exporter(FIGURES).rstrip()
    for end in range(len('[\n{\n  "metric" : "O'), len(content)):
        log = one(tmp_path, content[:end])
        whole = content[:end].count("}")
        # The other exporter's file may end after any object: then the operations do not add up.
        assert log.truncated or exporter is concatenated
        assert math.isnan(log.runtime_ms) == (whole < 1) and math.isnan(log.throughput_ops_s) == (whole < 2)
        if whole < 5:
            assert checks.verdict(log).outcome == Outcome.INCOMPLETE


def test_a_piece_torn_out_of_the_middle_is_said(tmp_path):
    content = array(FIGURES)
    hole = content.index('"AverageLatency')
    log = one(tmp_path, content[:hole] + content[hole + 80 :])
    read = log.by_operation["READ"]
    assert log.truncated and math.isnan(read.mean_us) and read.max_us == 9000


@pytest.mark.parametrize(
    ("value", "mean"),
    [
        ('"99.5"', 99.5),
        ("1.25E3", 1250.0),
        ("NaN", math.nan),
        ('"NaN"', math.nan),
        ("Infinity", math.nan),
        ("-Infinity", math.nan),
        ("9.223372036854776E18", math.nan),
        ("null", math.nan),
        ("true", math.nan),
        ('"fast"', math.nan),
        ("[1]", math.nan),
        ("1" * 400, math.nan),
    ],
)
def test_values_that_are_no_plain_numbers(tmp_path, value, mean):
    figures = [(op, name, value if name == "AverageLatency(us)" else v) for op, name, v in FIGURES]
    log = one(tmp_path, array(figures))
    assert log.by_operation["READ"].mean_us == pytest.approx(mean, nan_ok=True)
    assert log.by_operation["READ"].count == 1000


def test_a_repeated_key_is_a_contradiction_not_a_figure(tmp_path):
    twice = '{"metric": "READ", "measurement": "Operations", "value": 1000, "value": 7}'
    log = one(tmp_path, array(FIGURES).replace(objects(FIGURES)[4], twice))
    assert math.isnan(log.by_operation["READ"].count)
    assert log.conflicts == ("READ Operations (a key stands twice)",)
    assert Warn.COUNTS_DISAGREE in checks.warnings(log, run_phase="run", threads=4, asked=4, write_concern="")


def test_histogram_buckets_are_figures_like_any_other(tmp_path):
    buckets = [("READ", "0", "900"), ("READ", "1", "90"), ("READ", ">2", "10")]
    read = one(tmp_path, array(FIGURES + buckets)).by_operation["READ"]
    assert read.censored == 10
    assert dict(read.estimated)[90.0] == 0.0 and dict(read.estimated)[99.0] == 1000.0


def test_odd_names_are_no_figures(tmp_path):
    odd = [("\ud800", "Operations", "1"), ("A\nB", "Operations", "1"), ("x" * 81, "Operations", "1")]
    assert set(one(tmp_path, array(FIGURES + odd)).by_operation) == {"CLEANUP", "READ"}


@pytest.mark.parametrize("content", ["", "\n", "[\n]\n", "[\n", "[\n{\n  "])
def test_a_file_without_figures_is_an_incomplete_run(tmp_path, content):
    log = one(tmp_path, content)
    assert log.overall_count == 0 and checks.verdict(log).outcome == Outcome.INCOMPLETE
    assert one(tmp_path, content, STATUS).series.last_operations == 1000


@pytest.mark.parametrize("content", ["[OVERALL], RunTime(ms), 5\n", '{"metric": 1}', "[1, 2]", '{"a": 1}', "\xff\xfe"])
def test_a_file_of_another_format_is_refused(tmp_path, content):
    with pytest.raises(RunLogError, match=r"0\.json: holds no figures as YCSB's JSON exporters write them"):
        parse(tmp_path, content)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RunLogError, match=r"absent\.json: cannot be read"):
        ycsb_json.parse([Source(tmp_path / "absent.json")])


def test_a_file_too_large_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(ycsb_json, "MAX_BYTES", 100)
    with pytest.raises(RunLogError, match="larger than 100 bytes"):
        parse(tmp_path, array(FIGURES))


def test_a_packed_file_is_read(tmp_path):
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(array(FIGURES).encode()))
    assert ycsb_json.parse([Source(path)])[0].throughput_ops_s == 500


@pytest.mark.parametrize("content", ["{" * 200_000, '{"metric":' * 50_000, "[" * 200_000, '{"metric": [[[' * 20_000])
def test_deep_nesting_is_only_broken(tmp_path, content):
    log = one(tmp_path, array(FIGURES).rstrip() + content)
    assert log.by_operation["READ"].count == 1000


def test_what_is_recognised():
    assert ycsb_json.recognises(array(FIGURES).encode()) and ycsb_json.recognises(concatenated(FIGURES, False).encode())
    assert ycsb_json.recognises(b'{"value": 1, "metric": "OVERALL", "measurement"')
    for other in (b"", b"[OVERALL], RunTime(ms), 1", b'[{"Operation": "READ", "Count": "1"}]', b'{"metric": 5}'):
        assert not ycsb_json.recognises(other)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["json_array_exporter.json", "json_exporter_concatenated.json"])
def test_the_samples_give_their_figures(shared, name):
    (log,) = ycsb_json.parse([Source(shared / "samples" / "json" / name)])
    insert = log.by_operation["INSERT"]
    assert (log.runtime_ms, round(log.throughput_ops_s, 4), insert.count) == (388153, 257.6304, 100_000)
    assert (round(insert.mean_us, 3), dict(insert.percentiles)[99.0], insert.ok) == (3830.163, 27935, 100_000)
    assert checks.verdict(log).outcome == Outcome.COMPLETED


# One model of a run, printed by any exporter, is the same run.

counts = st.integers(0, 10**6)
values = st.one_of(counts.map(str), st.floats(0, 1e12, allow_nan=False).map(repr), st.just("NaN"))


@st.composite
def runs(draw):
    figures = [
        ("OVERALL", "RunTime(ms)", str(draw(st.integers(1, 10**9)))),
        ("OVERALL", "Throughput(ops/sec)", repr(draw(st.floats(0, 1e7)))),
    ]
    for name in draw(st.lists(st.sampled_from(["READ", "UPDATE", "SCAN-FAILED", "CLEANUP"]), unique=True)):
        figures.append((name, "Operations", str(draw(counts))))
        for metric in (
            "AverageLatency(us)",
            "MinLatency(us)",
            "99thPercentileLatency(us)",
            "99.9PercentileLatency(us)",
        ):
            figures.append((name, metric, draw(values)))
        for code in draw(st.lists(st.sampled_from(["OK", "ERROR", "NOT_FOUND"]), unique=True)):
            figures.append((name, f"Return={code}", str(draw(counts))))
    return figures


@given(st.lists(runs(), min_size=1, max_size=3), st.sampled_from([array, concatenated]), st.booleans())
def test_json_says_what_text_says(tmp_path_factory, model, exporter, pretty):
    path = tmp_path_factory.getbasetemp() / "property.json"
    path.write_text("".join(exporter(run, pretty) for run in model))
    text = "".join(f"[{op}], {name}, {value}\n" for run in model for op, name, value in run)

    def bare(log):
        summaries = tuple(replace(s, source="") for s in log.summaries)
        return repr(replace(log, format="", source="", series=None, summaries=summaries))

    assert [bare(log) for log in ycsb_json.parse([Source(path)])] == [bare(log) for log in ycsb.parse(text)]


@given(st.text(alphabet='{}[]":, \n0aemtricvlu.', max_size=200), st.integers(0, 200))
def test_any_text_inside_gives_a_run_or_one_error(tmp_path_factory, junk, at):
    path = tmp_path_factory.getbasetemp() / "junk.json"
    content = array(FIGURES)
    path.write_text(content[:at] + junk + content[at:])
    try:
        assert ycsb_json.parse([Source(path)])
    except RunLogError as e:
        assert e.path == str(path)
