"""HdrHistogram logs: decoded and summed exactly, encoded again, and never trusted."""

import base64
import gzip
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_samples import histogram_of

from ycsbook.errors import RunLogError
from ycsbook.ingest.readers import hdr
from ycsbook.ingest.readers.hdr_codec import MAX_COUNT, Mapping

DATA = Path(__file__).parents[1] / "data" / "ycsb"
FILES = sorted((DATA / "hdr").glob("*.hdr"))
READ = DATA / "hdr" / "run_a_READ.hdr"
COLUMNS = b'"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
HIGHEST = 2**62


def oracle(values=()) -> HdrHistogram:
    histogram = HdrHistogram(1, HIGHEST, 3)
    for value in values:
        histogram.record_value(value)
    return histogram


def oracle_of(path: Path) -> HdrHistogram:
    total = oracle()
    for line in path.read_text().splitlines():
        if line[0].isdigit():
            total.decode_and_add(line.split(",")[3])
    return total


def row(blob: bytes) -> bytes:
    return b"0.0,1.0,0.5," + blob + b"\n"


def v1(counts: list[int], word: int = 8) -> bytes:
    payload = b"".join(n.to_bytes(word, "big") for n in counts)
    inner = struct.pack(">iiiiqqd", 0x1C849301 | word << 4, len(payload), 0, 3, 1, HIGHEST, 1.0) + payload
    deflated = zlib.compress(inner)
    return base64.b64encode(struct.pack(">ii", 0x1C849302 | word << 4, len(deflated)) + deflated)


def v2(payload: bytes, *, said: int | None = None, digits: int = 3, offset: int = 0) -> bytes:
    size = len(payload) if said is None else said
    deflated = zlib.compress(struct.pack(">iiiiqqd", 0x1C849313, size, offset, digits, 1, HIGHEST, 1.0) + payload)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(deflated)) + deflated)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_sum_is_that_of_the_reference_implementation(path):
    ours, theirs = hdr.read(path), oracle_of(path)
    assert ours.count == theirs.total_count
    assert ours.min == theirs.get_min_value()
    assert ours.max == theirs.get_highest_equivalent_value(theirs.get_max_value())
    assert ours.mean == pytest.approx(theirs.get_mean_value(), rel=1e-12)
    assert [int(c) for c in ours.counts[np.flatnonzero(ours.counts)]] == [
        item.count_at_value_iterated_to for item in theirs.get_recorded_iterator()
    ]


@pytest.mark.parametrize(("log", "prefix"), [("01_mongod_load_a_t8_hdr", "load"), ("02_mongod_run_a_t8_hdr", "run_a")])
def test_count_mean_extremes_and_percentiles_are_those_that_ycsb_printed(log, prefix):
    printed = {}
    for operation, metric, value in re.findall(r"\[(\w+)\], (\S+), (\S+)", (DATA / f"{log}.out").read_text()):
        printed.setdefault(operation, {})[metric] = float(value)
    checked = [name for name in printed if (DATA / "hdr" / f"{prefix}_{name}.hdr").exists()]
    assert len(checked) >= 2
    for name in checked:
        found, said = hdr.read(DATA / "hdr" / f"{prefix}_{name}.hdr"), printed[name]
        assert found.count == said["Operations"]
        assert (found.min, found.max) == (said["MinLatency(us)"], said["MaxLatency(us)"])
        assert found.mean == pytest.approx(said["AverageLatency(us)"], rel=1e-14)
        wanted = {95.0: said["95thPercentileLatency(us)"], 99.0: said["99thPercentileLatency(us)"]}
        assert found.percentiles((95.0, 99.0)) == wanted


def test_the_sum_can_be_encoded_and_read_by_others():
    ours = hdr.read(READ)
    blob = ours.encode()
    assert blob.startswith(b"HISTFAAA")
    theirs = HdrHistogram.decode(blob)
    assert theirs.total_count == ours.count
    assert theirs.get_value_at_percentile(99.0) == 12799
    again = hdr.decode(blob)
    assert np.array_equal(again.counts, ours.counts)
    assert again.percentiles() == ours.percentiles()


@settings(max_examples=24, deadline=None)
@given(st.lists(st.integers(0, 2**50) | st.integers(0, 5000), max_size=40))
def test_any_histogram_survives_the_way_there_and_back(values):
    theirs = oracle(values)
    ours = hdr.decode(theirs.encode())
    assert ours.count == len(values)
    again = hdr.decode(ours.encode())
    assert np.array_equal(again.counts, ours.counts)
    if values:
        assert ours.max == theirs.get_highest_equivalent_value(max(values))
        exact = sorted(values)
        for p, value in ours.percentiles((0.0, 50.0, 100.0)).items():
            rank = max(1, -(-int(p) * len(values) // 100))
            assert value == theirs.get_highest_equivalent_value(exact[rank - 1])


@pytest.mark.parametrize("word", [2, 4, 8])
def test_encoding_v1_is_read_in_every_word_length(tmp_path, word):
    path = tmp_path / "x.hdr"
    path.write_bytes(COLUMNS + row(v1([0, 3, 0, 5], word)) * 2)
    found = hdr.read(path)
    assert (found.count, found.min, found.max, found.encoding) == (16, 1, 3, 1)


def test_each_encoding_ranks_as_its_writer_does():
    values = [1] * 9 + [100] * 2
    ceiled = hdr.decode(oracle(values).encode())
    rounded = hdr.decode(v1([0, 9, *[0] * 98, 2]))
    # 82 % of 11 is 9.02: rounded it is the ninth value, rounded up the tenth.
    assert ceiled.percentiles((82.0,)) == {82.0: 100.0}
    assert rounded.percentiles((82.0,)) == {82.0: 1.0}


def test_a_last_line_that_was_cut_is_left_out_and_said(tmp_path):
    path = tmp_path / "x.hdr"
    *lines, last, _ = READ.read_bytes().splitlines(keepends=True)
    first = b"".join([*lines, last])
    (tmp_path / "less.hdr").write_bytes(b"".join(lines))
    less = hdr.read(tmp_path / "less.hdr").count
    for cut in (1, 2, 5, 40):
        path.write_bytes(first[:-cut])
        found = hdr.read(path)
        assert found.truncated == (cut > 1)
        assert found.count == (less if cut > 1 else 50022)


def test_a_tag_before_an_interval_is_no_hindrance(tmp_path):
    path = tmp_path / "x.hdr"
    path.write_bytes(COLUMNS + b"Tag=A," + row(v1([0, 1])))
    assert hdr.read(path).count == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no header and no interval"),
        (b"plain text\n", "got b'plain text"),
        (COLUMNS + row(b"HISTFAAA"), "no deflated V1 or V2"),
        (COLUMNS + b"\0" * 235 + row(b"HISTFAAA"), "x.hdr:2: begins with zero bytes: what stood here is lost"),
        (COLUMNS + row(base64.b64encode(struct.pack(">ii", 0x1C849314, 4) + b"junk")), "inflated"),
        (COLUMNS + row(v2(b"\x02" * 5, said=9)), "says it inflates"),
        (COLUMNS + row(v2(b"\x82")), "no end"),
        (COLUMNS + row(v2(b"\x81" * 9 + b"\x01")), "56 bits"),
        (COLUMNS + row(v2(b"\xfe" + b"\xff" * 6 + b"\x7f")), "counts of more"),
        (COLUMNS + row(v2(b"\xff\xff\xff\xff\x0f\x02")), "run of zeros"),
        (COLUMNS + row(v2(b"\xff\xff\x01" * 900 + b"\x02")), "more counts than"),
        (COLUMNS + row(v2(b"\x02", digits=9)), "significant digits"),
        (COLUMNS + row(v2(b"\x02", offset=3)), "rotated"),
        (COLUMNS + row(v2(b"\x02")) + row(v2(b"\x02", digits=2)), "mapping"),
        (COLUMNS + row(b"HIST\0AAA"), "x.hdr:2: not base64"),
        (COLUMNS + row(b"HIST FAAA"), "x.hdr:2: not base64"),
        (COLUMNS + row(b"HISTFAAA,x"), "x.hdr:2: not base64"),
        (COLUMNS + row(v2(b"\x02") + b"AAAA"), "x.hdr:2: "),
        (COLUMNS + b"0.0,1.0,0.5\n", "x.hdr:2: got"),
        (COLUMNS + b"nan,1.0,0.5," + v2(b"\x02") + b"\n", "x.hdr:2: got"),
        (COLUMNS + b"0,026,0,519,0,052," + v2(b"\x02") + b"\n", "x.hdr:2: not base64"),
        (
            COLUMNS + row(v2(b"\x80\x80\x80\x80\x80\x80\x40")) * 65,
            "more than 281,474,976,710,656 values|counts of more",
        ),
        (COLUMNS + row(v1([2**47, 2**47, 2**47])), "x.hdr:2: counts of more"),
        (COLUMNS + row(v1([0, 2**63])), "x.hdr:2: a count below 0"),
        (COLUMNS + row(v1([0, 2**15], word=2)), "x.hdr:2: a count below 0"),
        (COLUMNS + row(v1([1] * 60_000)), "x.hdr:2: it says it inflates"),
        (COLUMNS + row(v1([2**46])) * 5, "x.hdr:6: more than"),
    ],
)
def test_what_is_no_histogram_is_refused_with_its_place(tmp_path, content, reason):
    path = tmp_path / "x.hdr"
    path.write_bytes(content)
    with pytest.raises(RunLogError, match=reason) as caught:
        hdr.read(path)
    assert str(path) in str(caught.value)


def corpus(values: list[list[int]], encoding: int = 2) -> bytes:
    """A log with an interval for each list of values, encoded by the reference implementation or as V1."""
    lines = [b"#[Logging for: READ]\n", b"#[StartTime: 1000.500 (seconds since epoch), x]\n", COLUMNS]
    for second, some in enumerate(values):
        if encoding == 1:
            counts = np.bincount(Mapping(3, 1).index(np.array(some, np.int64))) if some else np.zeros(0, int)
            blob = v1(counts.tolist())
        else:
            blob = oracle(some).encode()
        lines.append(f"{second}.25,1.0,0.5,".encode() + blob + b"\n")
    return b"".join(lines)


@pytest.mark.parametrize("encoding", [1, 2])
@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2000) | st.integers(0, 10**7), max_size=60), min_size=1, max_size=8))
def test_any_log_of_any_encoding_is_summed_interval_by_interval(tmp_path_factory, encoding, values):
    path = tmp_path_factory.getbasetemp() / "any.hdr"
    path.write_bytes(corpus(values, encoding))
    found = hdr.read(path)
    every = np.array([v for some in values for v in some], np.int64)
    assert np.array_equal(found.counts, histogram_of(every).counts)
    assert (found.encoding, found.start_time_s) == (encoding, 1000.5)


def test_many_batches_give_what_one_by_one_gives(tmp_path, monkeypatch):
    random = np.random.default_rng(5)
    values = [random.integers(0, 10 ** random.integers(1, 9), random.integers(0, 300)).tolist() for _ in range(60)]
    path = tmp_path / "many.hdr"
    path.write_bytes(corpus(values))
    counts = []
    for size in (1, 1000, 2**20):
        monkeypatch.setattr(hdr, "BATCH_BYTES", size)
        found = hdr.read(path)
        counts.append(found.counts)
    assert np.array_equal(counts[0], counts[1])
    assert np.array_equal(counts[0], counts[2])


@settings(max_examples=24, deadline=None)
@given(st.lists(st.integers(0, 2**52) | st.integers(0, 5000), max_size=60))
def test_a_histogram_of_values_is_that_of_the_reference_implementation(values):
    found, theirs = histogram_of(np.array(values, np.int64)), oracle(values)
    assert found.count == len(values)
    assert np.array_equal(found.counts, hdr.decode(theirs.encode()).counts)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(0, 10**6), max_size=20), min_size=1, max_size=4))
def test_clients_are_summed_exactly(clients):
    together = hdr.merged([histogram_of(np.array(c, np.int64)) for c in clients])
    assert np.array_equal(together.counts, histogram_of(np.array([v for c in clients for v in c], np.int64)).counts)


def test_a_merged_log_starts_with_the_earliest_client(tmp_path):
    logs = []
    for start, encoding in ((1010.5, 1), (1000.5, 2)):
        path = tmp_path / f"{start}.hdr"
        path.write_bytes(corpus([[5], [6, 7]], encoding).replace(b"1000.500", b"%.3f" % start))
        logs.append(hdr.read(path))
    both = hdr.merged(logs)
    assert both.start_time_s == 1000.5
    assert (both.count, both.encoding) == (6, 2)
    assert hdr.merged(logs[:1]).encoding == 1
    assert hdr.merged([logs[0], histogram_of(np.array([9]))]).count == 4


def test_histograms_that_cannot_be_summed_are_refused():
    other = hdr.decode(v2(b"\x02", digits=2))
    with pytest.raises(RunLogError, match="map values"):
        hdr.merged([histogram_of(np.array([1])), other])
    assert hdr.merged([histogram_of(np.zeros(0, int)), other]).mapping.digits == 2
    with pytest.raises(RunLogError, match="at least one"):
        hdr.merged([])
    full = hdr.HdrLog(Mapping(3, 1), np.array([MAX_COUNT]))
    with pytest.raises(RunLogError, match="at most"):
        hdr.merged([full, full])


def test_each_appended_run_is_a_section_of_its_own(tmp_path):
    path = tmp_path / "x.hdr"
    later = corpus([[7]]).replace(b"1000.500", b"1060.500")
    path.write_bytes(corpus([[5], [6, 6]]) + later + corpus([]).replace(b"1000.500", b"1070.500"))
    first, second, third = hdr.read_sections(path)
    assert (first.count, first.start_time_s) == (3, 1000.5)
    assert (second.count, second.start_time_s) == (1, 1060.5)
    assert (third.count, third.start_time_s, third.percentiles()) == (0, 1070.5, {})
    assert hdr.read(path).count == 4


def test_a_killed_run_does_not_spoil_the_run_appended_to_it(tmp_path):
    path = tmp_path / "x.hdr"
    one = corpus([[5], [6, 6]])
    path.write_bytes(one[:-20] + corpus([[7]] * 4))
    first, second = hdr.read_sections(path)
    assert (first.count, first.truncated) == (1, True)
    assert (second.count, second.truncated) == (4, False)
    assert (hdr.read(path).count, hdr.read(path).truncated) == (5, True)


def test_too_many_runs_in_a_file_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.hdr"
    path.write_bytes(COLUMNS * 4)
    assert len(hdr.read_sections(path)) == 4
    monkeypatch.setattr(hdr, "MAX_SECTIONS", 3)
    with pytest.raises(RunLogError, match=r"x.hdr:4: more than 3 runs"):
        hdr.read(path)


def test_packed_files_give_the_same(tmp_path):
    packed = tmp_path / "x.hdr.gz", tmp_path / "x.hdr.zst"
    packed[0].write_bytes(gzip.compress(READ.read_bytes()))
    packed[1].write_bytes(pa.compress(READ.read_bytes(), codec="zstd", asbytes=True))
    for path in packed:
        assert np.array_equal(hdr.read(path).counts, hdr.read(READ).counts)
    packed[0].write_bytes(packed[0].read_bytes()[:-500])
    with pytest.raises(RunLogError, match=r"x.hdr.gz: cannot be unpacked"):
        hdr.read(packed[0])


@pytest.mark.parametrize("encoding", [1, 2])
def test_a_file_cut_at_any_byte_gives_whole_intervals_and_says_so(tmp_path, encoding):
    path = tmp_path / "x.hdr"
    whole = corpus([[5], [6, 6, 3000], [7]], encoding)
    ends = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]
    sums = [0, 0, 0, 1, 4, 5]
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        try:
            found = hdr.read(path)
        except RunLogError as e:
            assert "no header and no interval" in str(e)
            assert cut < ends[0]
            continue
        lines = sum(end <= cut + 1 for end in ends)
        assert found.count == ([0, *sums])[lines]
        assert found.truncated == (
            cut not in ends
            and cut + 1 not in ends
            and not whole[:cut].split(b"\n")[-1].startswith((b"#", COLUMNS[:16]))
        )


def test_a_damaged_interval_is_named_by_its_line_even_within_a_batch(tmp_path):
    path = tmp_path / "x.hdr"
    fine = row(v2(b"\x02"))
    path.write_bytes(COLUMNS + fine * 5 + row(v2(b"\xff\xff\xff\xff\x0f\x02")) + fine * 5)
    with pytest.raises(RunLogError, match=r"x.hdr:7: a run of zeros is longer"):
        hdr.read(path)


def test_a_line_over_the_cap_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(hdr, "MAX_LINE", 5000)
    path = tmp_path / "x.hdr"
    path.write_bytes(COLUMNS + b"0.0,1.0,0.5," + b"A" * 6000 + b"\n")
    with pytest.raises(RunLogError, match=r"x.hdr:2: a line of more than 5,000 bytes"):
        hdr.read(path)


def test_a_blob_may_be_longer_than_the_lines_of_other_logs(tmp_path):
    path = tmp_path / "x.hdr"
    random = np.random.default_rng(3)
    path.write_bytes(COLUMNS + row(v1(random.integers(0, 2**32, 20_000).tolist())))
    assert path.stat().st_size > 100_000
    assert hdr.read(path).count > 2**40


BOMBED = """
import resource, sys
from pathlib import Path
import numpy
from ycsbook.errors import RunLogError
from ycsbook.ingest.readers import hdr
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]), -1))
try:
    print(hdr.read(Path(sys.argv[1])).count)
except RunLogError as e:
    print(e.line, e.reason)
"""


def bomb(megabytes: int, said: int, byte: bytes = b"\0", digits: int = 3, cookie: int = 0x1C849313) -> bytes:
    packer = zlib.compressobj(9)
    deflated = packer.compress(struct.pack(">iiiiqqd", cookie, said, 0, digits, 1, HIGHEST, 1.0))
    deflated += b"".join(packer.compress(byte * 2**20) for _ in range(megabytes)) + packer.flush()
    return row(base64.b64encode(struct.pack(">ii", cookie + 1, len(deflated)) + deflated))


@pytest.mark.parametrize(
    ("mebibytes", "content", "told"),
    [
        (32, bomb(60, 2**31 - 1), "2 it says it inflates to 2,147,483,647 bytes, at most"),
        (32, row(v2(b"\x02")) + bomb(60, 400_000), "3 it says it inflates to 400,000 bytes, but does not"),
        (
            32,
            bomb(60, 400 * 2**20, digits=5, cookie=0x1C849381),
            "2 it says it inflates to 419,430,400 bytes, at most",
        ),
        (32, bomb(8, 8 * 2**20, b"\x02", digits=5), "2 it says it inflates to 8,388,608 bytes, at most"),
        (400, bomb(4, 4 * 2**20, b"\x02", digits=5), str(4 * 2**20)),
        (100, bomb(4, 4 * 2**20, b"\x02", digits=5), "None needs more memory than there is"),
        (400, bomb(32, 32 * 2**20, b"\0", digits=5, cookie=0x1C849381), "0"),
    ],
)
def test_what_inflates_to_gigabytes_takes_no_memory(tmp_path, mebibytes, content, told):
    path = tmp_path / "bomb.hdr"
    path.write_bytes(COLUMNS + content)
    command = [sys.executable, "-c", BOMBED, str(path), str(mebibytes * 2**20)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith(told), done.stderr


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mutated_logs_are_refused_or_counted_within_reason(tmp_path_factory, data):
    blob = bytearray(corpus([[5], [6, 6, 3000], [7]], data.draw(st.sampled_from([1, 2]))))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(blob) - 1))
        blob[at : at + data.draw(st.integers(0, 6))] = data.draw(
            st.binary(max_size=6) | st.sampled_from([b"\n", b"#", b",", b"\0"])
        )
    path = tmp_path_factory.getbasetemp() / "mutated.hdr"
    path.write_bytes(blob)
    try:
        found = hdr.read(path)
    except RunLogError as e:
        assert str(path) in str(e)
        return
    # The checksum of each blob makes an interval whole or none.
    assert found.count == found.counts.sum() <= 5


@pytest.mark.shared
def test_two_clients_with_encoding_v1_give_the_figures_of_their_manifest(shared):
    folder = shared / "samples" / "benchant_small_2clients"
    wanted = {
        "READ": (4563996, [4759, 12735, 20527, 98495, 455423]),
        "UPDATE": (4563052, [26575, 66239, 118783, 615935, 1857535]),
    }
    for operation, (count, percentiles) in wanted.items():
        both = hdr.merged([hdr.read(folder / f"{client}_{operation}.hdr") for client in (0, 1)])
        assert (both.count, both.encoding) == (count, 1)
        assert list(both.percentiles((50.0, 95.0, 99.0, 99.9, 99.99)).values()) == percentiles
    first = hdr.read(folder / "0_READ.hdr")
    assert first.count == 2283476
    assert first.mean == pytest.approx(5968.83092837411, rel=1e-12)
    assert list(first.percentiles((95.0, 99.0)).values()) == [12719, 20511]
