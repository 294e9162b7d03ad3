"""Status lines read as columns against the exact reader: the same figures, or the log is left to it."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.status import StatusLine, parse_line
from ycsbook.ingest.readers import ycsb, ycsb_batch

DATA = Path(__file__).parent.parent / "data" / "ycsb"
STAMP = "2026-11-21 08:47:0{}:173 {} sec: {} operations; 1413.59 current ops/sec; "
READ = "[READ: Count=1415, Max=94399, Min=558, Avg=4188.8, 90=7443, 99=16607, 99.9=93439, 99.99=94399] "
# Lines that YCSB prints among its status lines and that tell nothing of the run: the first comes from every thread.
PASSED_OVER = (
    b"DBWrapper: report latency for each error is ",
    b"Maximum time elapsed. Requesting stop for the workload.",
    b"Stop requested for workload. Now Joining!",
    b"Still waiting for thread ",
)
WRAPPER = PASSED_OVER[0]
FIRST = "2026-11-21 08:47:00:208 0 sec: 0 operations; est completion in 0 second \n"


def region(*details: str) -> bytes:
    """Status lines with these details, one a second."""
    lines = (f"{STAMP.format(i % 10, i, 100 * i)}{text}\n" for i, text in enumerate(details, start=1))
    return (FIRST + "".join(lines)).encode()


def exact(regions: list[bytes], first_lines: list[int]) -> StatusLines:
    """The status lines of regions, but those that repeat the one before."""
    lines: list[tuple[int, StatusLine]] = []
    for text, first in zip(regions, first_lines, strict=True):
        last = None
        for i, line in enumerate(text.split(b"\n")[:-1]):
            status = parse_line(line.decode("utf-8", errors="replace").rstrip("\r").lstrip("\ufeff \t"))
            key = status and (status.at_ms, status.elapsed_s, status.operations)
            if status and key != last:
                lines.append((first + i, status))
                last = key
    return StatusLines.of(lines)


def check(regions: list[bytes], first_lines: list[int] | None = None) -> np.ndarray:
    """Read as columns, compare what was read with the exact reader's; the mask of regular regions."""
    first_lines = first_lines or [1 + 1000 * i for i in range(len(regions))]
    read = ycsb_batch.read_status(regions, [first - 1 for first in first_lines])
    kept = [i for i, found in enumerate(read.regions) if found]
    expected = exact([regions[i] for i in kept], [first_lines[i] for i in kept])
    for field in dataclasses.fields(StatusLines)[:-1]:
        if field.name != "name":
            value, wanted = getattr(read.lines, field.name), getattr(expected, field.name)
            assert value.dtype == wanted.dtype, field.name
            np.testing.assert_array_equal(value, wanted, field.name)
    names = [[lines.names[i] for i in lines.name.tolist()] for lines in (read.lines, expected)]
    assert names[0] == names[1]
    lengths = [len(exact([regions[i]], [1])) for i in kept]
    assert read.starts.tolist() == (np.cumsum(lengths) - lengths).tolist()
    assert [read.regions[i][0] for i in kept] == [regions[i].count(b"\n") for i in kept]
    return np.isin(np.arange(len(regions)), kept)


def is_regular(text: bytes) -> bool:
    # Beside a plain one: what one region holds must not touch another's figures.
    plain = region(READ)
    first, found, last = check([plain, text, plain]).tolist()
    assert first and last
    return found


# A model of status lines: plain ones most of the time, so that whole regions are regular, and every oddity known.
digits = st.integers(0, 10**7) | st.integers(0, 10**15) | st.integers(0, 10**20)
names = st.sampled_from(["READ", "UPDATE", "READ-MODIFY-WRITE", "READ-FAILED", "CLEANUP", "SCAN", "INSERT", "X"])
odd_names = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=90)
plain_means = st.integers(0, 10**9).map(lambda n: f"{n / 100:.2f}".rstrip("0").rstrip("."))
java_doubles = st.floats(0, 1e19).map(lambda x: repr(x).replace("e+", "E"))
odd_values = st.sampled_from(
    ["NaN", "?", "\ufffd", "", "19,59", "19,", "19.", ".5", "-5", "1.287E7", "9223372036854775807", "+5", "1_0",
     "0x10", "١٢", "1 2", "5, 99=7", "0" * 21, "00012", "123456789.1234567", "1,5,9", "∞"]
)  # fmt: skip
means = plain_means | java_doubles | odd_values | st.tuples(digits, digits).map(lambda t: f"{t[0]}.{t[1]}")
values = digits.map(str) | odd_values


@st.composite
def brackets(draw, odd: bool) -> str:
    name = draw(names | odd_names if odd else names)
    count = draw(st.just("0") | (values if odd else st.integers(0, 10**9).map(str)))
    small = st.integers(0, 10**6).map(str)
    maximum, minimum, *percentiles = (draw(values if odd else small) for _ in range(6))
    mean = draw(means if odd else plain_means)
    shown = [("Count", count), ("Max", maximum), ("Min", minimum), ("Avg", mean)]
    shown += zip(("90", "99", "99.9", "99.99"), percentiles, strict=True)
    if draw(st.booleans() if odd else st.just(False)):
        shown.insert(4, ("50", draw(values)))
    if odd and draw(st.integers(0, 5)) == 0:
        shown = draw(st.permutations(shown))
    if odd and draw(st.integers(0, 5)) == 0:
        return f"[{name} AverageLatency(us)={mean}] "
    return f"[{name}: {', '.join(f'{k}={v}' for k, v in shown)}] "


junk = st.sampled_from(
    [text.decode() + "false and [READ] codes" for text in PASSED_OVER * 3]
    + ["", "java.net.SocketException: reset", "DEBUG 10 sec: 5 operations;", "[READ], Return=OK, 5", "Still waiting...",
     " 10 sec: 185680 operations; 18543.89 current ops/sec; [INSERT AverageLatency(us)=1692.38]",
     READ.strip(), "\0", "a\rb", "[" * 70, READ * 66]
)  # fmt: skip
stamps = st.sampled_from(["2026-11-21 08:47:06:208 "] * 9 + [
    "", "2026-02-30 08:47:06:208 ", "2026-11-21 24:47:06:208 ", "2026-11-21 08:47:60:208 ", "2026-11-21 08:60:06:208 ",
    "0000-01-01 00:00:00:000 ", "0001-01-01 00:00:00:000 ", "9999-12-31 23:59:59:999 ", "2024-02-29 00:00:00:001 ",
    "2026-11-21 08:47:06.208 ", "2026-11-21 08:47:06:20 ", "2026-11-21 08:47:06:208  ", "2026-11-21T08:47:06:208 ",
])  # fmt: skip


@st.composite
def logs(draw) -> bytes:
    """Status lines as YCSB prints them; some regions with oddities, some cut somewhere."""
    oddity = draw(st.integers(0, 3))
    elapsed = operations = 0
    lines = []
    for _ in range(draw(st.integers(1, 12))):
        odd = oddity > 0 and draw(st.integers(0, 6)) == 0
        if odd and draw(st.booleans()):
            lines.append(draw(junk))
            continue
        details = "".join(draw(st.lists(brackets(odd=odd), max_size=3)))
        rest = draw(st.sampled_from(["", "3866.2 current ops/sec; ", "0 current ops/sec; est completion in 1 day "]))
        end = draw(st.sampled_from(["", "\r", "x", "]", " ["])) if odd else ""
        stamp = draw(stamps) if odd else "2026-11-21 08:47:06:208 "
        lines.append(f"{stamp}{elapsed} sec: {operations} operations; {rest}{details}{end}")
        elapsed += draw(st.integers(-1 if odd else 0, 20))
        operations += draw(st.integers(-1 if odd else 0, 10 ** draw(st.integers(1, 18 if odd else 8))))
    text = "".join(line + "\n" for line in lines).encode()
    if oddity == 3:
        text = text[: draw(st.integers(0, len(text)))]
    if oddity == 2 and text:
        at = draw(st.integers(0, len(text) - 1))
        text = text[:at] + draw(st.binary(max_size=3)) + text[at + draw(st.integers(0, 3)) :]
    return text


@settings(max_examples=40, deadline=None)
@given(st.lists(logs(), max_size=4), st.integers(1, 10**9))
@example([], 1)
@example([b""], 1)
@example([b"2026-11-21 08:47:06:8 0 sec: 0 operations; \n"], 1)  # milliseconds of one digit
def test_every_figure_is_the_exact_readers_or_the_region_is_left_alone(regions, first):
    check(regions, [first + 7 * i for i in range(len(regions))])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(means, values, values), min_size=1, max_size=8))
def test_every_number_is_the_one_float_gives(numbers):
    texts = (
        f"[READ: Count=1, Max={high}, Min={low}, Avg={mean}, 90=1, 99={low}, 99.9=1, 99.99=1] "
        for mean, high, low in numbers
    )
    check([region(*texts)])


@given(st.lists(plain_means, min_size=1, max_size=20), st.sampled_from([".", ","]))
def test_means_with_two_decimals_are_read_fast(numbers, point):
    texts = [re.sub("Avg=[^ ]*,", f"Avg={n.replace('.', point)},", READ) for n in numbers]
    assert is_regular(region(*texts))


@pytest.mark.parametrize(
    "name", ["READ", "READ-MODIFY-WRITE", "READ-FAILED", "UPDATE-NOT_FOUND", "CLEANUP", "Intended-READ", "VERIFY"]
)
def test_names_are_read_fast(name):
    assert is_regular(region(*[READ + READ.replace("READ", name)] * 40))


@pytest.mark.parametrize("mean", ["NaN", "?", "\ufffd", "", "0"])
@pytest.mark.parametrize("count", ["0", "5"])
def test_an_operation_without_samples_is_read_fast(mean, count):
    none = f"[CLEANUP: Count={count}, Max=0, Min=9223372036854775807, Avg={mean}, 90=0, 99=0, 99.9=0, 99.99=0] "
    assert is_regular(region(*[READ + none] * 40))


@pytest.mark.parametrize(
    "old, new",
    [("Avg=4188.8", "Avg=30007296.55"), ("Max=94399", "Max=30015487"), ("Max=94399", "Max=123456789012"),
     ("90=", "50=3000, 90="), ("Count=1415", "Count=100000000")],
)  # fmt: skip
def test_other_numbers_that_are_common_are_read_fast(old, new):
    assert is_regular(region(*[READ.replace(old, new)] * 40))


def test_lines_without_brackets_are_read_fast():
    assert is_regular(region(*[""] * 40))
    assert is_regular(region(READ, "") + b"")


def test_the_line_each_thread_prints_is_passed_over():
    text = region(READ, READ).replace(b"\n", b"\n" + 500 * (WRAPPER + b"false and specific error codes ...: []\n"), 1)
    assert is_regular(text + WRAPPER + b"true\n")


@pytest.mark.parametrize("passed", PASSED_OVER)
def test_what_is_passed_over_is_nothing_to_the_exact_reader(passed):
    assert parse_line(passed.decode()) is None
    lines = region(READ, READ).splitlines(keepends=True)
    (plain,) = ycsb.parse(b"".join(lines))
    (run,) = ycsb.parse(b"".join([*lines[:2], passed, b"\n", *lines[2:]]))
    assert [f.tolist() for f in run.series.totals()] == [f.tolist() for f in plain.series.totals()]
    assert dataclasses.replace(run, series=plain.series) == plain


def test_other_lines_are_handed_back_once_each_and_counted():
    text = region(READ, READ, READ)
    first = text.index(b"\n") + 1
    words = b"12:00 INFO connected [to] x\nan odd \xff line, the same twice\n"
    read = ycsb_batch.read_status([text[:first] + 2 * words + text[first:]], [4])
    assert read.lines.line.tolist() == [5, 10, 11, 12]
    assert read.regions == [(8, words)]


@pytest.mark.parametrize(
    "old, new",
    [(b"Avg=4188.8,", b"Avg=4188,8"), (b"Avg=4188.8", b"Avg=4188NaN"), (b"Avg=4188.8", b"Avg=.8"),
     (b"Max=94399", b"Max=0094399"), (b"Count=", b"Count7="), (b"Avg=", b"9Avg="), (b"[READ", b"[READ2"),
     (b"99.9=", b"99="),
     (b"99=", b"99.0="), (b"90=", b"99="), (b"99=", b"099="), (b"operations;", b"operations;3"), (b"sec:", b"sec7:"),
     (b"2026-11-21", b"2026-1-121"), (b"08:47:", b"8:047:"), (b"1415,", b"14,15"), (b"94399] ", b"94399]5 "),
     (b"1415,", b"1\x00415,"), (b"READ", b"RE\0AD"), (b" sec", b"\0 sec"),
     (b"Max=94399", b"Max=" + b"9" * 21), (b"Avg=4188.8", b"Avg=4188.80000000000000000001")],
)  # fmt: skip
def test_digits_where_none_belong_make_no_number_of_another(old, new):
    text = region(READ + READ.replace("READ", "UPDATE"), READ)
    check([region(READ), text.replace(old, new), text.replace(old, new, 1), region(READ)])


def test_a_few_odd_lines_are_read_one_by_one():
    assert is_regular(region(READ, READ.replace("4188.8", "1.287E7"), READ.replace("READ", "LÄSE"), READ))


@pytest.mark.parametrize(
    "text",
    [region(*["[READ AverageLatency(us)=1692.38] "] * 40), region(READ)[:-1],
     region(READ) + b"Command line: -t\n" + region(READ), region(READ) + READ.encode() + b"\n",
     region(READ) + b"[READ], Return=OK, 5\n", region(READ).replace(b" current", b"\rcurrent"),
     region(READ) + FIRST.encode(), region("x" * 70_000), b"",
     region(READ) + WRAPPER + b"x" * 70_000 + b"\n", b"\n" * 10_000, b"[\n" * 10_000, b"[" * 10_000 + b"\n",
     WRAPPER + b"\n" + region(READ), WRAPPER + b"false\n"],
)  # fmt: skip
def test_what_is_left_to_the_exact_reader(text):
    assert not is_regular(text)


def test_operations_that_go_back_are_left_to_the_exact_reader():
    lines = region(READ, READ).replace(b" 100 operations", b" 300 operations")
    assert not is_regular(lines)


def test_more_operations_than_a_line_holds_are_cut_as_the_exact_reader_cuts_them():
    assert is_regular(region(READ * 64, READ * 65))


def test_many_names_are_bounded():
    texts = [region(*(READ.replace("READ", f"OP-{chr(97 + i)}-{chr(97 + j)}") for j in range(20))) for i in range(30)]
    assert not check(texts).any()
    assert check(texts[:3]).all()


def test_a_log_between_others():
    text = region(*[READ + READ.replace("READ", "ABCDEFG"[i % 7]) for i in range(200)])
    assert check([text, region(READ, "odd 1", READ), text]).tolist() == [True, True, True]


def status_stretch(text: bytes) -> bytes:
    """From the first status line to the last."""
    lines = text.splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if b" sec: " in line]
    return b"".join(lines[found[0] : found[-1] + 1]) if found else b""


SAMPLES = {
    "01_mongod_load_a_t8_hdr.err": True,
    "02_mongod_run_a_t8_hdr.err": True,
    "03_mongod_run_b_t4_merged.log": True,
    "05_mongod_run_a_timeseries.err": False,  # of the dialect without counts
    "08_maxexec.err": True,
    "12_server_killed_midrun.err": True,
    "13_server_restarted_midrun.err": True,
    "14_load_duplicates.err": True,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_real_logs(name):
    assert is_regular(status_stretch((DATA / name).read_bytes())) == SAMPLES[name]


@pytest.mark.shared
def test_real_logs_of_others(shared):
    regular = 0
    for file in sorted((shared / "samples").rglob("*.*")):
        if stretch := status_stretch(file.read_bytes()):
            regular += is_regular(stretch)
    assert regular >= len(SAMPLES)
