"""HdrHistogram logs: decoded and summed exactly, encoded again, and never trusted."""

import base64
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.errors import RunLogError
from ycsbook.ingest import hdr, ycsb

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
    assert ours.minimum == theirs.get_min_value()
    assert ours.maximum == theirs.get_highest_equivalent_value(theirs.get_max_value())
    assert ours.mean == pytest.approx(theirs.get_mean_value(), rel=1e-12)
    assert [int(c) for c in ours.counts[np.flatnonzero(ours.counts)]] == [
        item.count_at_value_iterated_to for item in theirs.get_recorded_iterator()
    ]


@pytest.mark.parametrize(("log", "prefix"), [("01_mongod_load_a_t8_hdr", "load"), ("02_mongod_run_a_t8_hdr", "run_a")])
def test_count_mean_extremes_and_percentiles_are_those_that_ycsb_printed(log, prefix):
    for summary in ycsb.parse(DATA / f"{log}.out").summaries:
        found = hdr.read(DATA / "hdr" / f"{prefix}_{summary.operation}.hdr")
        assert (found.count, found.minimum, found.maximum) == (summary.count, summary.min_us, summary.max_us)
        assert found.mean == pytest.approx(summary.mean_us, rel=1e-14)
        assert tuple(found.percentiles((95.0, 99.0)).items()) == summary.percentiles
        assert found.interval_counts.sum() == found.count
        assert len(found.interval_counts) == len(found.start_s)


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


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2**50) | st.integers(0, 5000), max_size=40))
def test_any_histogram_survives_the_way_there_and_back(values):
    theirs = oracle(values)
    ours = hdr.decode(theirs.encode())
    assert ours.count == len(values)
    again = hdr.decode(ours.encode())
    assert np.array_equal(again.counts, ours.counts)
    if values:
        assert ours.maximum == theirs.get_highest_equivalent_value(max(values))
        exact = sorted(values)
        for p, value in ours.percentiles((0.0, 50.0, 100.0)).items():
            rank = max(1, -(-int(p) * len(values) // 100))
            assert value == theirs.get_highest_equivalent_value(exact[rank - 1])


@pytest.mark.parametrize("word", [2, 4, 8])
def test_encoding_v1_is_read_in_every_word_length(tmp_path, word):
    path = tmp_path / "x.hdr"
    path.write_bytes(COLUMNS + row(v1([0, 3, 0, 5], word)) * 2)
    found = hdr.read(path)
    assert (found.count, found.minimum, found.maximum, found.encoding) == (16, 1, 3, 1)
    assert found.interval_counts.tolist() == [8, 8]


def test_each_encoding_ranks_as_its_writer_does():
    values = [1] * 9 + [100] * 2
    ceiled = hdr.decode(oracle(values).encode())
    rounded = hdr.decode(v1([0, 9, *[0] * 98, 2]))
    # 82 % of 11 is 9.02: rounded it is the ninth value, rounded up the tenth.
    assert ceiled.percentiles((82.0,)) == {82.0: 100.0}
    assert rounded.percentiles((82.0,)) == {82.0: 1.0}


def test_an_appended_run_is_counted_and_said(tmp_path):
    path = tmp_path / "x.hdr"
    path.write_bytes(READ.read_bytes() * 2)
    found = hdr.read(path)
    assert (found.count, found.sections) == (2 * 50022, 2)


def test_a_last_line_that_was_cut_is_left_out_and_said(tmp_path):
    path = tmp_path / "x.hdr"
    intervals = hdr.read(READ).interval_counts
    first = b"".join(READ.read_bytes().splitlines(keepends=True)[:-1])
    for cut in (1, 2, 5, 40):
        path.write_bytes(first[:-cut])
        found = hdr.read(path)
        assert found.truncated == (cut > 1)
        assert found.count == 50022 - (intervals[-2] if cut > 1 else 0)


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
        (COLUMNS + row(b"!!!"), "not base64"),
        (COLUMNS + row(base64.b64encode(struct.pack(">ii", 0x1C849314, 4) + b"junk")), "inflated"),
        (COLUMNS + row(v2(b"\x02" * 5, said=9)), "says it inflates"),
        (COLUMNS + row(v2(b"\x82")), "no end"),
        (COLUMNS + row(v2(b"\x81" * 9 + b"\x01")), "56 bits"),
        (COLUMNS + row(v2(b"\xfe" + b"\xff" * 6 + b"\x7f")), "a count of more"),
        (COLUMNS + row(v2(b"\xff\xff\xff\xff\x0f\x02")), "run of zeros"),
        (COLUMNS + row(v2(b"\xff\xff\x01" * 900 + b"\x02")), "more counts than"),
        (COLUMNS + row(v2(b"\x02", digits=9)), "significant digits"),
        (COLUMNS + row(v2(b"\x02", offset=3)), "rotated"),
        (COLUMNS + row(v2(b"\x02")) + row(v2(b"\x02", digits=2)), "mapping"),
    ],
)
def test_what_is_no_histogram_is_refused_with_its_place(tmp_path, content, reason):
    path = tmp_path / "x.hdr"
    path.write_bytes(content)
    with pytest.raises(RunLogError, match=reason) as caught:
        hdr.read(path)
    assert str(path) in str(caught.value)


def test_a_small_blob_that_inflates_to_gigabytes_is_refused_early(tmp_path):
    path = tmp_path / "x.hdr"
    bomb = zlib.compressobj(9)
    head = struct.pack(">iiiiqqd", 0x1C849313, 100_000, 0, 3, 1, HIGHEST, 1.0)
    deflated = bomb.compress(head) + b"".join(bomb.compress(b"\0" * 2**20) for _ in range(80)) + bomb.flush()
    path.write_bytes(COLUMNS + row(base64.b64encode(struct.pack(">ii", 0x1C849314, len(deflated)) + deflated)))
    with pytest.raises(RunLogError, match="says it inflates to 100,000 bytes, but does not"):
        hdr.read(path)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_damage_is_refused_or_harmless(tmp_path_factory, data):
    blob = bytearray((DATA / "hdr" / "run_a_CLEANUP.hdr").read_bytes())
    at = data.draw(st.integers(0, len(blob) - 1))
    blob[at : at + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=5))
    path = tmp_path_factory.getbasetemp() / "damaged.hdr"
    path.write_bytes(blob)
    try:
        found = hdr.read(path)
    except RunLogError:
        return
    assert found.count <= 8


@pytest.mark.shared
def test_two_clients_with_encoding_v1_give_the_figures_of_their_manifest(shared):
    folder = shared / "samples" / "benchant_small_2clients"
    wanted = {
        "READ": (4563996, [4759, 12735, 20527, 98495, 455423]),
        "UPDATE": (4563052, [26575, 66239, 118783, 615935, 1857535]),
    }
    for operation, (count, percentiles) in wanted.items():
        first, second = (hdr.read(folder / f"{client}_{operation}.hdr") for client in (0, 1))
        merged = hdr.HdrLog(
            first.mapping,
            first.counts + second.counts,
            first.start_s,
            first.length_s,
            first.interval_counts,
            encoding=1,
        )
        assert merged.count == count
        assert list(merged.percentiles((50.0, 95.0, 99.0, 99.9, 99.99)).values()) == percentiles
    first = hdr.read(folder / "0_READ.hdr")
    assert first.mean == pytest.approx(5968.83092837411, rel=1e-12)
    assert list(first.percentiles((95.0, 99.0)).values()) == [12719, 20511]
