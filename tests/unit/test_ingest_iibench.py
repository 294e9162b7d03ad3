"""iibench's TSV files, consoles and the Python iibench: every locale and fork, and the lines that name what was not."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_harness import figures, one, parsed, rows

from ycsbook.ingest import readers
from ycsbook.ingest.readers import iibench
from ycsbook.ingest.readers.iibench import fixed, grouped
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn

HEADER = "tot_inserts\telap_secs\tcum_ips\tint_ips\tcum_qry_avg\tint_qry_avg\tcum_qps\tint_qps\texceptions\n"
# Reports every 20 s: 1,000,000 rows after 20.4 s, 1,900,000 after 40.5 s, and the end at 44.05 s.
TSV = (
    HEADER
    + "1000000\t20\t49019.61\t49019.61\t3.00\t3.00\t80.00\t80.00\t0\n"
    + "1900000\t40\t46913.58\t44776.12\t4.00\t5.00\t78.00\t76.00\t2\n"
    + "2060000\t44\t46765.04\t45070.42\t4.10\t6.00\t77.00\t66.00\n"
)


def console(*, per: str = "qps", factor: float = 1.0) -> str:
    who = "Thread[Thread-0,5,main]"
    return (
        "Thread[main,5,main]Application Parameters\n"
        "Thread[main,5,main]  8 writer thread(s)\n"
        "Thread[main,5,main]  2 query thread(s)\n"
        "Thread[main,5,main]  Documents Per Insert = 1000\n"
        "Thread[main,5,main]  Maximum of 60,000 insert(s) per second\n"
        f"{who}1,000,000 inserts : 20 seconds : cum ips=49,019.61 : int ips=49,019.61 : cum avg qry=3.00 : "
        f"int avg qry=3.00 : cum avg {per}={80 * factor:,.2f} : int avg {per}={80 * factor:,.2f} : exceptions=0\n"
        f"{who}1,900,000 inserts : 40 seconds : cum ips=46,913.58 : int ips=44,776.12 : cum avg qry=4.00 : "
        f"int avg qry=5.00 : cum avg {per}={78 * factor:,.2f} : int avg {per}={76 * factor:,.2f} : exceptions=2\n"
        f"{who}2,060,000 inserts : 44 seconds : cum ips=46,765.04 : int ips=45,070.42 : cum avg qry=4.10 : "
        f"int avg qry=6.00 : cum avg {per}={77 * factor:,.2f} : int avg {per}={66 * factor:,.2f}\n"
        "Thread[main,5,main]Done!\n"
    )


def test_a_tsv_gives_the_figures_of_its_last_line(tmp_path):
    log = one(iibench, tmp_path, TSV)
    assert (log.overall_count, log.truncated, log.source) == (1, False, "log0:4")
    assert log.throughput_ops_s == 46765.04
    assert log.runtime_ms == pytest.approx(44_050, abs=1)
    insert, scan = log.summaries
    assert (insert.operation, insert.count) == ("INSERT", 2_060_000)
    assert insert.return_codes == (("OK", 2_060_000), ("EXCEPTION", 2))
    assert (scan.operation, scan.mean_us) == ("SCAN", 4100.0)
    assert math.isnan(scan.count)
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    assert not checks.counts_disagree(log)


def test_intervals_hold_the_inserts_and_the_rate_of_the_queries(tmp_path):
    log = one(iibench, tmp_path, TSV)
    assert [(at, n) for at, n, _ in rows(log, "INSERT")] == [(20.4, 1_000_000), (40.5, 900_000), (44.05, 160_000)]
    scans = rows(log, "SCAN")
    assert [mean for _, _, mean in scans] == [3000.0, 5000.0, 6000.0]
    assert [n for _, n, _ in scans] == pytest.approx([80 * 20.4, 76 * 20.1, 66 * 3.55])


@pytest.mark.parametrize(
    "text",
    [console(), console(per="qpm", factor=60), console().replace(",", "\0").replace(".", ",").replace("\0", "."),
     console().replace("5,main]1,", "5,main]1\u202f").replace("-0,5,main]", "-0,5,main] 2024-01-02 10:20:30 UTC | ")],
)  # fmt: skip
def test_consoles_say_the_same_in_every_locale_and_fork(tmp_path, text):
    log, tsv = one(iibench, tmp_path, text), one(iibench, tmp_path, TSV)
    assert iibench.recognises(text.encode())
    assert (log.overall_count, log.truncated, log.threads) == (1, False, 10)
    assert (log.throughput_ops_s, log.runtime_ms) == (tsv.throughput_ops_s, tsv.runtime_ms)
    assert rows(log, "SCAN") == rows(tsv, "SCAN")
    assert str(rows(log, "INSERT")) == str(rows(tsv, "INSERT"))
    # One exception is one batch.
    assert log.by_operation["INSERT"].return_codes == (("OK", 2_060_000), ("EXCEPTION", 2000))
    assert log.columns["target_ops_s"] == 60_000


def test_a_tsv_with_a_decimal_comma_and_minutes_is_the_same(tmp_path):
    text = TSV.replace("qps", "qpm").replace(".", ",")
    for per_s in ("80,00", "78,00", "77,00", "76,00", "66,00"):
        text = text.replace(f"\t{per_s}", f"\t{60 * int(per_s[:2])},00")
    log, tsv = one(iibench, tmp_path, text), one(iibench, tmp_path, TSV)
    assert figures(log)[:2] == figures(tsv)[:2]
    assert rows(log, "SCAN") == rows(tsv, "SCAN")


def test_the_last_line_of_reports_by_count_names_rows_that_were_not_inserted(tmp_path):
    text = HEADER + "100000\t3\t26288,39\t26288,39\t0,00\t0,00\t0,00\t0,00\t0\n"
    whole = one(iibench, tmp_path, text + "200000\t3\t26301,20\t27000,00\t0,00\t0,00\t0,00\t0,00\n")
    assert (whole.by_operation["INSERT"].count, whole.throughput_ops_s, whole.source) == (100_000, 26288.39, "log0:2")
    assert whole.runtime_ms == pytest.approx(3804, abs=0.5)
    assert (whole.truncated, whole.conflicts) == (False, ())
    assert [name for name in whole.by_operation] == ["INSERT"]


def test_a_count_that_no_line_agrees_with_is_named(tmp_path):
    log = one(iibench, tmp_path, TSV.splitlines()[0] + "\n9000000\t20\t1000.00\t1.00\t0.00\t0.00\t0.00\t0.00\t0\n")
    assert log.conflicts == ("INSERT count",)
    assert checks.counts_disagree(log)


def test_a_tsv_without_its_last_line_is_read_and_called_truncated(tmp_path):
    copied = "".join(TSV.splitlines(keepends=True)[:3])
    log = one(iibench, tmp_path, copied)
    assert (log.overall_count, log.truncated, log.throughput_ops_s) == (1, True, 46913.58)
    assert Warn.TRUNCATED in checks.warnings(log, run_phase="load", threads=1, asked=1)
    # Nothing but 0 begins with 0, so this last line is whole without an end.
    unended = HEADER + "1000000\t20\t49019.61\t49019.61\t3.00\t3.00\t80.00\t80.00\t0"
    assert one(iibench, tmp_path, unended).throughput_ops_s == 49019.61
    assert one(iibench, tmp_path, unended[:-1] + "2").overall_count == 0


def test_releases_without_exceptions_or_queries_are_read(tmp_path):
    eight = "\n".join("\t".join(t.split("\t")[:8]) for t in TSV.splitlines()) + "\n"
    assert one(iibench, tmp_path, eight).throughput_ops_s == 46765.04
    four = "\n".join("\t".join(t.split("\t")[:4]) for t in TSV.splitlines()) + "\n"
    log = one(iibench, tmp_path, four)
    assert (log.throughput_ops_s, list(log.by_operation)) == (46765.04, ["INSERT"])


def test_a_console_without_its_end_is_incomplete(tmp_path):
    text = "".join(console().splitlines(keepends=True)[:7])
    log = one(iibench, tmp_path, text + "java.net.SocketException: mongodb://bench:canary7@db:27017 reset\n")
    assert (log.overall_count, log.summaries, log.truncated) == (0, (), True)
    assert log.errors == ("java.net.SocketException: mongodb://REDACTED@db:27017 reset",)
    assert len(rows(log, "INSERT")) == 2


def test_several_runs_in_one_file(tmp_path):
    assert [log.overall_count for log in parsed(iibench, tmp_path, console() + console() + TSV + TSV)] == [1] * 4
    logs = parsed(iibench, tmp_path, console(), TSV)
    assert [log.source for log in logs] == ["log0:8", "log1:4"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("26288,39", 26288.39), ("26,288.39", 26288.39), ("26.288,39", 26288.39), ("1\u202f026\u00a0288,39", 1026288.39),
     ("0.00", 0.0), ("NaN", math.nan), ("12", math.nan), ("", math.nan), ("∞", math.nan)],
)  # fmt: skip
def test_numbers_of_every_locale(text, value):
    assert fixed(text) == pytest.approx(value, rel=0, nan_ok=True)


def test_whole_numbers_of_every_locale():
    assert [grouped(t) for t in ("1,234", "1.234", "1'234", "1234", "x", "")] == [1234, 1234, 1234, 1234, None, None]


@settings(max_examples=24, deadline=None)
@given(
    reports=st.lists(
        st.tuples(st.integers(1, 10**6), st.integers(2_000, 90_000), st.integers(0, 9999), st.integers(0, 5000)),
        min_size=1, max_size=6,
    ),
    comma=st.booleans(),
    exceptions=st.integers(0, 2000),
)  # fmt: skip
def test_a_tsv_made_from_a_model_is_read_back_exactly(tmp_path_factory, reports, comma, exceptions):
    lines, done, ms = [], 0, 0
    wanted = []
    for i, (inserts, length_ms, query_ms, qps) in enumerate(reports):
        done, ms = done + inserts, ms + length_ms
        rates = [done / ms * 1000, inserts / length_ms * 1000, query_ms, query_ms, qps, qps]
        cells = [str(done), str(ms // 1000), *(f"{r:.2f}" for r in rates)]
        lines.append("\t".join([*cells, *([f"{exceptions:,}"] if i < len(reports) - 1 else [])]))
        wanted.append((done, ms, float(f"{rates[0]:.2f}"), query_ms * 1000.0, qps))
    text = HEADER + "".join(f"{(t.replace(',', ' ').replace('.', ',') if comma else t)}\n" for t in lines)
    log = one(iibench, tmp_path_factory.mktemp("model"), text)
    inserts, ms, rate, query_us, qps = wanted[-1]
    assert (log.overall_count, log.throughput_ops_s, log.conflicts) == (1, rate, ())
    assert log.by_operation["INSERT"].count == inserts
    assert log.attempted == inserts + (exceptions if len(reports) > 1 else 0)
    assert log.runtime_ms == inserts / rate * 1000
    assert log.runtime_ms == pytest.approx(ms, abs=1 + 0.006 / rate * ms)
    if qps:
        assert log.by_operation["SCAN"].mean_us == query_us
    assert [n for _, n, _ in rows(log, "INSERT")] == [n for n, *_ in reports]
    shown = [(at, mean) for at, _, mean in rows(log, "SCAN")]
    assert [mean for _, mean in shown] == [q for _, _, _, q, per_s in wanted if per_s]


PYTHON = "i_sec t_sec i_ips t_ips i_dps t_dps i_qps t_qps max_i max_d max_q t_ins t_del t_query retry_i retry_d retry_q"
TWELVE = "i_sec t_sec i_ips t_ips i_qps t_qps max_i max_q t_ins t_query retry_i retry_q"
TEN = "i_sec t_sec i_ips t_ips i_qps t_qps max_i max_q t_ins t_query"


def python_log(columns: str, reports: list[tuple[float, int, int]], *, totals: str) -> str:
    """Reports are (t_sec, t_ins, t_query)."""
    names, lines, last = columns.split(), ["\t".join(columns.split())], (0.0, 0, 0)
    for at, inserts, queries in reports:
        cells = dict.fromkeys(names, "0") | {
            "i_sec": f"{at - last[0]:.1f}", "t_sec": f"{at:.1f}", "t_ips": f"{inserts / at:.0f}",
            "max_i": "4100", "max_q": "-1" if queries == last[2] else "900", "t_ins": str(inserts),
            "t_query": str(queries),
        }  # fmt: skip
        lines.append("\t".join(cells[name] for name in names))
        last = at, inserts, queries
    lines += ["Insert rt:     256us       1ms", "Insert rt:         0         7", totals, "Done", ""]
    return "\n".join(lines)


@settings(max_examples=24, deadline=None)
@given(
    columns=st.sampled_from([PYTHON, TWELVE, TEN]),
    steps=st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 500)), min_size=1, max_size=6),
    tail=st.integers(0, 9),
)
def test_a_python_log_made_from_a_model_is_read_back_exactly(tmp_path_factory, columns, steps, tail):
    reports, inserts, queries = [], 0, 0
    for i, (more, asked) in enumerate(steps, start=1):
        inserts, queries = inserts + more, queries + 16 * asked
        reports.append((10.0 * i, inserts, queries))
    secs = 10.0 * len(steps) + tail / 10
    rate = float(f"{inserts / secs:.1f}")
    end = ", 0 0 0 insert-delete-query retry" if columns is PYTHON else ", 0 insert retry, 0 query retry"
    totals = f"Totals: {secs:.1f} secs, {rate:.1f} rows/sec, {inserts} rows{'' if columns is TEN else end}"
    text = python_log(columns, reports, totals=totals)
    assert iibench.recognises(text.encode())
    log = one(iibench, tmp_path_factory.mktemp("python"), text)
    assert (log.overall_count, log.throughput_ops_s, log.conflicts, log.truncated) == (1, rate, (), False)
    assert log.by_operation["INSERT"].count == log.attempted == inserts
    assert log.runtime_ms == (inserts / rate * 1000 if rate else secs * 1000)
    assert [(at, n) for at, n, _ in rows(log, "INSERT")] == [(10.0 * i, n) for i, (n, _) in enumerate(steps, start=1)]
    assert [n for _, n, _ in rows(log, "SCAN")] == [16 * n for _, n in steps if n]


def test_totals_that_name_what_was_asked_for_are_not_believed(tmp_path):
    totals = "Totals: 20.0 secs, 50000.0 rows/sec, 1000000 rows, 0 insert retry, 0 query retry"
    log = one(iibench, tmp_path, python_log(TWELVE, [(10.0, 30_000, 0), (20.0, 60_000, 0)], totals=totals))
    assert (log.by_operation["INSERT"].count, log.throughput_ops_s, log.runtime_ms) == (60_000, 3000.0, 20_000)
    assert log.conflicts == ("INSERT count",)


def test_a_python_log_without_totals_is_incomplete(tmp_path):
    text = python_log(PYTHON, [(10.0, 500, 0)], totals="pymongo.errors.AutoReconnect: connection closed")
    log = one(iibench, tmp_path, text)
    assert (log.overall_count, log.summaries, log.truncated) == (0, (), True)


def test_a_tsv_cut_at_any_byte_gives_the_figures_of_a_line_before_or_none(tmp_path):
    whole = TSV.encode()
    rates = [49019.61, 46913.58, 46765.04]
    for size in range(len(whole)):
        (log,) = parsed(iibench, tmp_path, whole[:size])
        lines = whole[:size].count(b"\n")
        if log.overall_count:
            assert log.throughput_ops_s == rates[max(lines - 2, 0)]
            assert log.truncated
        else:
            assert lines < 2


STEP = (
    "8 processes, 2500000 rows-per-process, 188 seconds, 106382.9 rows-per-second, "
    "13297.8 rows-per-second-per-user, 41362 queries, 220.0 queries-per-second\n"
)


def test_the_summary_of_a_step_is_a_run_of_all_its_processes(tmp_path):
    text = f"{STEP}nsamp   r/s     rMB/s\n38      0.0     0.0\n\nMax insert\n0.120\n"
    assert readers.format_of(text.encode()) == iibench.FORMAT
    log = one(iibench, tmp_path, text)
    assert (log.runtime_ms, log.attempted, log.threads) == (188_000, 20_000_000, 8)
    assert log.throughput_ops_s == pytest.approx(20_000_000 / 188)
    assert [n for _, n, _ in rows(log, "SCAN")] == [41_362]
    assert checks.verdict(log).outcome == Outcome.COMPLETED and not checks.counts_disagree(log)
    old = STEP[: STEP.index(", 41362")] + "\n"
    assert [log.attempted for log in parsed(iibench, tmp_path, old + STEP)] == [20_000_000] * 2


STEPS = ("l.i0", "l.x", "l.i1", "q100.2", "qr500.L1", "qp500.L2")
SUMMARY = {
    "pg.c8": (412_000, 655_000, 170_500, 34_100, 33_900, 41_000),
    "my.c12": (277_100, 336_000, 110_200, 26_000, 25_100, 28_000),
}


def summaries():
    rows = [("dbms", *STEPS), *((name, *map(str, rates)) for name, rates in SUMMARY.items())]
    html = "<table border=1>\n" + "".join(
        f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in row)}</tr>\n"
        for tag, row in zip(("th", "td", "td"), rows, strict=True)
    )
    return ["".join(",".join(row) + "\n" for row in rows), "".join("\t".join(row) + "\n" for row in rows),
            "<!DOCTYPE html>\n<h1>Insert benchmark</h1>\n" + html]  # fmt: skip


@pytest.mark.parametrize("text", summaries(), ids=["csv", "text", "html"])
def test_each_step_of_a_published_summary_is_a_run(tmp_path, text):
    assert readers.format_of(text.encode()) == iibench.FORMAT
    logs = parsed(iibench, tmp_path, text)
    assert [log.columns["workload"] for log in logs] == [step for step in STEPS if step != "l.x"] * 2
    assert [log.throughput_ops_s for log in logs[:5]] == [412_000, 170_500, 34_100, 33_900, 41_000]
    assert [next(iter(log.by_operation)) for log in logs[:5]] == ["INSERT", "INSERT", "SCAN", "SCAN", "READ"]
    assert {log.columns["server_version"] for log in logs} == set(SUMMARY)
    assert all(log.is_excerpt for log in logs)


def test_summaries_relative_to_a_first_row_are_not_read(tmp_path):
    relative = "dbms,l.i0,l.x\npg.c8,1.00,1.00\nmy.c12,0.67,0.51\n"
    assert [log.overall_count for log in parsed(iibench, tmp_path, relative)] == [0]
