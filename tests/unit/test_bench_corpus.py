"""The benchmark's corpora hold what they say: what is read from them adds up to it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import ingest
from ycsbook.operations import NOT_OPERATIONS

BENCH = Path(__file__).parents[1] / "bench"
LOGS = 200


def made(what: str, folder: Path, *options: object) -> tuple[Path, dict]:
    argv = [sys.executable, str(BENCH / "corpus.py"), what, str(folder), *map(str, options)]
    said = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    return Path(said["folder"]), said["facts"]


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> tuple[Path, dict]:
    return made("logs", tmp_path_factory.mktemp("corpus"), "--logs", LOGS)


def test_the_logs_are_complete_runs_without_contradiction(logs):
    folder, facts = logs
    tables = ingest.read([folder])
    rows = tables.intervals[~tables.intervals["operation"].isin(NOT_OPERATIONS)]
    assert set(tables.runs["outcome"]) == {"completed"}
    assert set(tables.runs["warnings"]) == {"", "OPERATIONS_FAILED"}
    assert (len(tables.runs), len(rows)) == (LOGS, facts["rows"])
    assert tables.runs["operations"].sum() == facts["operations"]
    assert {"READ-MODIFY-WRITE", "READ-FAILED"} < set(rows["operation"])
    assert rows["mean_us"].isna().sum() > 0


def test_the_big_log_is_one_run(tmp_path):
    folder, facts = made("big", tmp_path, "--megabytes", 2)
    tables = ingest.read([folder])
    rows = tables.intervals[~tables.intervals["operation"].isin(NOT_OPERATIONS)]
    assert tables.runs["outcome"].tolist() == ["completed"]
    assert "COUNTS_DISAGREE" not in tables.runs["warnings"].iloc[0]
    assert (len(rows), tables.runs["operations"].sum()) == (facts["rows"], facts["operations"])
    assert facts["bytes"] == pytest.approx(2_000_000, rel=0.05)


def test_the_hdr_runs_agree_with_their_logs(tmp_path):
    folder, facts = made("hdr", tmp_path, "--intervals", 200)
    tables = ingest.read([folder])
    assert set(tables.percentiles.query("operation == 'READ'")["percentile_source"]) == {"hdr"}
    counts = tables.operations.groupby("operation")["count"].sum()
    assert {name: counts[name] for name in ("READ", "UPDATE")} == facts["counts"]
    assert not any("COUNTS_DISAGREE" in said for said in tables.runs["warnings"])
