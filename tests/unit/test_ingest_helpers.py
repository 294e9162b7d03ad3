"""Processes that read beside this one."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from ycsbook.errors import StoreError
from ycsbook.ingest import archive, workers
from ycsbook.ingest.files.scan import scan
from ycsbook.ingest.helpers import Helpers

LOG = Path(__file__).parents[1] / "data" / "ycsb" / "03_mongod_run_b_t4_merged.log"


@pytest.fixture
def logs(tmp_path, monkeypatch) -> Path:
    """Twenty logs, each a part of its own."""
    monkeypatch.setattr(workers, "BATCH_BYTES", 1000)
    (tmp_path / "logs").mkdir()
    for i in range(20):
        shutil.copy(LOG, tmp_path / "logs" / f"{i:02d}.log")
    return tmp_path / "logs"


@pytest.mark.timeout(60)
def test_a_helper_that_dies_before_it_reads_ends_the_ingest(logs, tmp_path):
    with pytest.raises(StoreError, match=r"ended from outside.* -j 1"), Helpers(2) as helpers:
        listed = scan([logs])
        for pid in list(helpers._pool._processes):
            os.kill(pid, signal.SIGKILL)
        archive.update_listed(listed, tmp_path / "out", helpers=helpers)
    assert not (tmp_path / "out" / "runs.parquet").exists()


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_whoever_reads_the_rows_come_in_the_order_of_the_files(logs, tmp_path, jobs):
    from ycsbook.store import parquet

    summary = archive.update([logs], tmp_path / "out", jobs=jobs)
    runs = parquet.read(tmp_path / "out").runs
    assert summary.runs == 20
    assert [Path(source).name[:2] for source in runs["source"]] == [f"{i:02d}" for i in range(20)]
    assert runs["run_id"].is_unique


def test_one_process_starts_no_other():
    with Helpers(1) as helpers:
        assert helpers.count == 0 and helpers._pool is None
