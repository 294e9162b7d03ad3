"""Logs of several versions of a server: no repeats of one another, but data sets that can be compared."""

import pytest
from anomaly_samples import run, tables
from command_samples import invoke

from ycsbook import ingest, named_tables
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.store import parquet

SUMMARY = """[OVERALL], RunTime(ms), 1300000
[OVERALL], Throughput(ops/sec), {ops}
[READ], Operations, {half}
[READ], AverageLatency(us), {us}
[READ], Return=OK, {half}
[UPDATE], Operations, {half}
[UPDATE], AverageLatency(us), {us}
[UPDATE], Return=OK, {half}
"""
PATTERN = "*/{server_version}/{spec}/t{threads}_r{repeat}.out"


def log(ops):
    return SUMMARY.format(ops=ops, half=round(650 * ops), us=1e6 * 8 / ops)


@pytest.fixture
def logs(tmp_path):
    """Two versions, three specs, two repeats: the second version does half as much again."""
    for version, factor in (("4.4", 1.0), ("6.0", 1.5)):
        for cores in (2, 4, 8):
            folder = tmp_path / "logs" / version / f"{cores}c{4 * cores}g"
            folder.mkdir(parents=True)
            for repeat in (1, 2):
                ops = 1000 * cores**0.75 * factor * (1 + 0.01 * repeat)
                (folder / f"t8_r{repeat}.out").write_text(log(ops))
    return tmp_path / "logs"


def measured(*versions, **more):
    """A run of one configuration for each of these versions."""
    return [run(2.0, 4, i, server_version=version, **more) for i, version in enumerate(versions, 1)]


def test_versions_in_tables_are_data_sets_that_can_be_compared(logs, tmp_path):
    found = ingest.read([logs], annotations=Annotations.parse([], PATTERN))
    assert set(found.runs["server_version"]) == {"4.4", "6.0"} and set(found.runs["dataset"]) == {""}
    parquet.write(found, tmp_path / "t")
    read = named_tables.read(tmp_path / "t")
    assert read.runs.groupby("dataset")["server_version"].unique().map(list).to_dict() == {
        "4.4": ["4.4"],
        "6.0": ["6.0"],
    }
    done = invoke("compare", tmp_path / "t")
    assert done.exit_code == 0, done.output
    assert "6.0 against 4.4.\n50:50, 8 threads: 1.50 times the throughput" in done.output
    titles = [written.html.parent.name for written, _ in named_tables.write_reports(tmp_path / "t", tmp_path / "r")]
    assert titles == ["4-4", "6-0"]


def test_a_sidecar_beside_logs_says_the_version(logs):
    for version in ("4.4", "6.0"):
        (logs / version / "ycsbook.yml").write_text(f"server_version: '{version}'\n")
    assert sorted(set(named_tables.read(logs).runs["dataset"])) == ["4.4", "6.0"]


@pytest.mark.parametrize(
    ("rows", "datasets"),
    [
        (measured("4.4", "6.0"), ["local 4.4", "local 6.0"]),
        (measured("4.4", "6.0", ""), ["local", "local 4.4", "local 6.0"]),
        (measured("4.4", "6.0", dataset=""), ["4.4", "6.0"]),
        (measured("4.4", "4.4"), ["local"]),
        (measured("4.4", ""), ["local"]),  # who knows
        # Another mix, another spec, or a load of another version: one series as it was.
        ([*measured("4.4"), *measured("6.0", workload="b")], ["local"]),
        ([*measured("4.4"), *measured("6.0", spec="other")], ["local"]),
        ([*measured("4.4"), *measured("6.0", phase="load")], ["local"]),
        # What was published names its data sets itself.
        (measured("4.4", "6.0", outcome="published"), ["local"]),
        # All of a data set, once some cell has both.
        ([*measured("4.4", "6.0"), *measured("6.0", workload="b")], ["local 4.4", "local 6.0"]),
        ([*measured("4.4", "6.0"), *measured("4.4", dataset="more")], ["local 4.4", "local 6.0", "more"]),
    ],
)
def test_only_where_one_configuration_has_several(rows, datasets):
    given = tables(rows)
    assert sorted(set(given.by_version().runs["dataset"])) == datasets
    assert sorted(set(given.runs["dataset"])) == sorted({row["dataset"] for row in rows})
