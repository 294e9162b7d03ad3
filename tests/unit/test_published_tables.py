"""Published tables as tidy frames: labelled by their sidecar, checked against their sha256."""

import hashlib
import json
import math
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import closed_loop, paths
from ycsbook.columns import SCHEMAS
from ycsbook.errors import RunLogError
from ycsbook.ingest.published.published import read_published, read_sidecar

QINGCLOUD, TENCENT = "data/published/qingcloud-4.0.3.csv", "data/published/tencent-2020-08.csv"


@pytest.fixture(scope="module")
def qingcloud():
    return read_published(QINGCLOUD)


@pytest.fixture(scope="module")
def tencent():
    return read_published(TENCENT)


@pytest.fixture
def copy(tmp_path):
    """A copy of the Tencent table that a test may spoil."""
    for suffix in (".csv", ".json"):
        shutil.copy((paths.PUBLISHED / "tencent-2020-08").with_name(f"tencent-2020-08{suffix}"), tmp_path)
    return tmp_path / "tencent-2020-08.csv"


def respell(path, old: bytes, new: bytes) -> None:
    """Change the CSV and bring the sidecar's sha256 along, as somebody who means it would."""
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))
    said = json.loads(path.with_suffix(".json").read_bytes())
    said["csv_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_suffix(".json").write_text(json.dumps(said), encoding="utf-8")


def test_both_tables_are_whole_matrices(qingcloud, tencent):
    for tables, specs, rows in ((qingcloud, 18, 72), (tencent, 8, 32)):
        runs = tables.runs
        assert len(runs) == rows and runs.run_id.is_unique
        assert runs.groupby("spec").size().to_dict() == dict.fromkeys(runs.spec.unique(), 4)
        assert runs.spec.nunique() == specs
        assert set(zip(runs.workload, runs.read_fraction, runs.threads, strict=True)) == {
            ("a", 0.5, 100), ("a", 0.5, 200), ("b", 0.95, 100), ("b", 0.95, 200),
        }  # fmt: skip
        assert len(tables.operations) == 2 * rows
        assert tuple(runs.columns) == SCHEMAS["runs"]


def test_a_run_is_labelled_and_traceable(tencent):
    run = tencent.runs.set_index("run_id").loc["tencent-2020-08-48c512g-b-t200"]
    assert (run.vendor, run.server_version, run.topology, run.write_concern) == (
        "Tencent Cloud",
        "4.0",
        "replica_set",
        "0",
    )
    assert (run.outcome, run.phase, run.spec_label, run.cores, run.ram_gib) == (
        "published",
        "run",
        "48核512GB",
        48,
        512,
    )
    assert (run.throughput_ops_s, run.cpu_utilisation, run.rtt_us) == (211986, 0.85, 350)
    file, _, line = run.source.rpartition(":")
    assert file == TENCENT
    cells = (paths.REPOSITORY / file).read_text(encoding="utf-8").split("\n")[int(line) - 1].split(",")
    assert cells[2] == "48c512g" and "211986" in cells


def test_what_a_vendor_does_not_print_is_missing_not_zero(qingcloud):
    runs = qingcloud.runs
    for column in ("goodput_ops_s", "steady_ops_s", "runtime_ms", "operations", "cpu_utilisation", "rtt_us", "clients"):
        assert runs[column].isna().all(), column
    assert qingcloud.operations["count"].isna().all()


def test_published_latencies_are_the_operations_means(qingcloud):
    means = qingcloud.operations.set_index(["run_id", "operation"]).mean_us
    assert means["qingcloud-4.0.3-8c64g-a-t100", "READ"] == 4118
    assert means["qingcloud-4.0.3-8c64g-a-t100", "UPDATE"] == 149


def test_unacknowledged_writes_are_said_of_every_row(qingcloud, tencent):
    for tables in (qingcloud, tencent):
        assert tables.runs.warnings.str.split().map(lambda names: "UNACKED_WRITES" in names).all()


def test_rows_that_break_littles_law_are_exactly_these(qingcloud, tencent):
    flagged = [set(t.runs.run_id[t.runs.warnings.str.contains("LITTLE_LAW")]) for t in (qingcloud, tencent)]
    assert flagged[0] == {
        f"qingcloud-4.0.3-{row}"
        for row in ("8c64g-a-t100", "16c16g-a-t100", "16c32g-a-t100", "8c64g-b-t200", "16c32g-b-t200", "16c128g-b-t100")
    }
    assert flagged[1] == {"tencent-2020-08-32c240g-a-t200"}


@pytest.mark.parametrize(("vendor", "count"), [("qingcloud", 7), ("tencent", 7)])
def test_regressions_from_100_to_200_threads(vendor, count, request):
    runs = request.getfixturevalue(vendor).runs
    x = runs.pivot(index=["spec", "workload"], columns="threads", values="throughput_ops_s")
    change = (x[200] / x[100] - 1).sort_values()
    assert (change < 0).sum() == count
    if vendor == "tencent":
        assert change.index[0] == ("32c240g", "a") and change.iloc[0] == pytest.approx(-0.66, abs=0.005)
        assert change.index[1] == ("24c128g", "a") and change.iloc[1] == pytest.approx(-0.62, abs=0.005)


@given(
    st.floats(1, 1e6),
    st.floats(0, 1),
    st.integers(1, 1000),
    st.tuples(st.floats(1, 1e6), st.floats(1, 1e6)),
)
def test_a_closed_loop_without_think_time_has_utilisation_one(mean_us, reads, threads, latencies):
    read_us, update_us = latencies
    mix_us = reads * read_us + (1 - reads) * update_us
    throughput = threads / (mix_us / 1e6)
    assert closed_loop.of_mix(throughput, reads, threads, read_us, update_us) == pytest.approx(1)
    assert closed_loop.of_mix(throughput * 2, reads, threads, read_us, update_us) == pytest.approx(2)


def test_a_latency_no_operation_has_does_not_matter():
    assert closed_loop.of_mix(1000, 1.0, 1, 1000, math.nan) == pytest.approx(1)


def test_a_row_without_a_latency_has_no_operation_and_no_flag(copy):
    respell(copy, b",8243,1108,", b",7243,,")  # 8243 by itself would keep more than the threads busy
    tables = read_published(copy)
    run_id = "tencent-2020-08-32c240g-a-t200"
    assert tables.operations[tables.operations.run_id == run_id].operation.tolist() == ["READ"]
    assert tables.runs.set_index("run_id").warnings[run_id] == "UNACKED_WRITES"


def test_a_copy_elsewhere_names_its_own_place(copy):
    assert read_published(copy).runs.source.iloc[0] == f"{copy.as_posix()}:2"


def test_a_changed_csv_is_refused(copy):
    copy.write_bytes(copy.read_bytes().replace(b"52148", b"152148"))
    with pytest.raises(RunLogError, match=r"sha256 is .* its sidecar says .*published evidence must not change"):
        read_published(copy)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b",5510,", b",5x10,", r"csv:3: throughput_ops_s: got '5x10', expected a number"),
        (b",5510,", b",-5510,", r"csv:3: throughput_ops_s: got '-5510'"),
        (b",5510,", b",", r"csv:3: got 13 cells, expected 14"),
        (b",0.5,200,5510", b",0.5,0,5510", r"csv:3: threads: got '0', expected a number > 0, or nothing"),
        (b",0.5,200,5510", b",,200,5510", r"csv:3: read_fraction: got nan, expected 0 to 1"),
        (b",0.5,200,5510", b",1.5,200,5510", r"csv:3: read_fraction: got 1.5"),
        (b",0.5,200,5510", b",0.5,100,5510", r"csv:3: tencent-2020-08-2c4g-a-t100 already stands in line 2"),
        (b"ral_us,wal_us", b"ral_us,wal_ms", r"csv:1: got .*expected a vendor's table with dataset,"),
        (b"Tencent Cloud", b"\xff\xfe", r"csv: cannot be read as CSV"),
        (b"Tencent Cloud", b'"Tencent"Cloud', r"csv: cannot be read as CSV"),
    ],
)
def test_junk_is_refused_with_its_line(copy, old, new, reason):
    respell(copy, old, new)
    with pytest.raises(RunLogError, match=reason):
        read_published(copy)


def test_an_empty_csv_is_refused(copy):
    respell(copy, copy.read_bytes(), b"")
    with pytest.raises(RunLogError, match="csv:1: got nothing, expected a vendor's table"):
        read_published(copy)


def test_a_table_of_another_kind_is_refused():
    with pytest.raises(RunLogError, match=r"mongotest-2010.csv:1: got .*expected a vendor's table"):
        read_published("data/published/mongotest-2010.csv")


def test_a_missing_csv_or_sidecar_is_named(copy):
    with pytest.raises(RunLogError, match=r"nothing.csv: cannot be read: No such file"):
        read_published(copy.with_name("nothing.csv"))
    copy.with_suffix(".json").unlink()
    with pytest.raises(RunLogError, match=r"tencent-2020-08.json: no such sidecar"):
        read_published(copy)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"csv_sha256": 1, "facts": {}}', '{"csv_sha256": "x", "facts": {"run_id": 1}}']
)
def test_a_junk_sidecar_is_refused(copy, content):
    copy.with_suffix(".json").write_text(content)
    with pytest.raises(RunLogError, match=r"tencent-2020-08.json: (cannot be read as JSON|expected an object)"):
        read_published(copy)


def test_a_sidecar_says_where_the_table_comes_from():
    said = read_sidecar(TENCENT)
    assert (said["publisher"], said["date"], said["document"]) == (
        "Tencent Cloud",
        "2020-08",
        "001_4d2e067b1c8c05a6.txt",
    )
    assert said["environment"]["ycsb"] == "ycsb-0.15.0"
