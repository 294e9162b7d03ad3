"""The benchmark's corpora hold what they say, and the peers lose what is said of them."""

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


def peer(way: str, folder: Path) -> dict:
    argv = [sys.executable, str(BENCH / "peers.py"), way, str(folder)]
    return json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)


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


def test_the_peers_lose_what_is_said_of_them(logs):
    folder, facts = logs
    pkb = peer("pkb", folder)
    assert pkb["lost_files"] > 0
    # A second printed twice: about half of the runs lose their last interval.
    lost_lines = facts["status_lines"] - pkb["status_lines"] - 120 * pkb["lost_files"]
    assert LOGS / 3 < lost_lines < LOGS * 2 / 3
    assert facts["rows"] > pkb["rows"]
    # READ-MODIFY-WRITE and READ-FAILED are in summaries too, and it does not see them there.
    assert pkb["summary_operations"] == 2 * pkb["files"]


def test_nearly_all_bytes_are_read_as_columns(logs):
    argv = [sys.executable, str(BENCH / "share.py"), str(logs[0])]
    share = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    assert share["bytes"] == logs[1]["bytes"]
    assert min(share["status_bytes"], share["whole_bytes"]) > 0.95 * share["bytes"]


def test_a_corpus_is_made_once(logs):
    folder, facts = logs
    at = folder.stat().st_mtime_ns
    assert made("logs", folder.parent, "--logs", LOGS) == (folder, facts)
    assert folder.stat().st_mtime_ns == at


def test_a_corpus_that_was_cut_short_is_made_again(logs, tmp_path):
    folder, facts = made("logs", tmp_path, "--logs", 2)
    (folder.parent / f"{folder.name}.json").unlink()
    next(folder.rglob("*.log")).write_text("torn")
    again, facts_again = made("logs", tmp_path, "--logs", 2)
    assert facts_again == facts
    assert sum(p.stat().st_size for p in again.rglob("*.log")) == facts["bytes"]


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
    found = peer("hdr", folder)
    assert found == {"intervals": facts["intervals"], "counts": facts["counts"]}
