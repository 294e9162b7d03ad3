"""YCSB-C: a rate in thousands below its label, loads with or without one, forks with the figure in the label's line."""

import math

import pytest
from log_harness import one, parsed

from ycsbook import ingest
from ycsbook.ingest import readers
from ycsbook.ingest.readers import ycsb_c
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn

RUN = (
    "$ ./ycsbc -db redis -threads 8 -P workloads/workloadb.spec\n"
    "# Loading records:\t200000\n# Transaction throughput (KTPS)\nredis\tworkloads/workloadb.spec\t8\t71.25\n"
)
BOTH = (
    "# Loading records:      30000\n# Load throughput (KTPS)\nrocksdb   workloads/load.spec   4       12.5\n"
    "# Transaction count:    90000\n# Transaction throughput (KTPS)\nrocksdb   workloads/workloada.spec      4     25\n"
)
BEHIND = (
    "rocksdb\tworkloads/workloadc.spec\t16\n# Loading records:\t1000\n# Load throughput (KOPS): 2.5\n"
    "# Run operations:\t5000\n# Run throughput (KOPS): 1.25e+03\n"
)


def test_a_run_has_nothing_but_its_rate(tmp_path):
    log = one(ycsb_c, tmp_path, RUN)
    assert (log.throughput_ops_s, log.threads, log.summaries) == (71_250, 8, ())
    assert log.columns == {"server_version": "redis", "threads": 8, "workload": "b", "phase": "run", "records": 200_000}
    assert log.is_excerpt and checks.verdict(log).outcome == Outcome.COMPLETED
    assert log.source.endswith(":4")


def test_a_load_with_a_rate_is_a_run_of_its_own(tmp_path):
    load, run = parsed(ycsb_c, tmp_path, BOTH)
    assert [log.columns["phase"] for log in (load, run)] == ["load", "run"]
    assert (load.throughput_ops_s, load.runtime_ms, load.attempted) == (12_500, 2_400, 30_000)
    assert not checks.counts_disagree(load) and not load.is_excerpt
    assert (run.throughput_ops_s, run.columns["workload"], run.columns["records"]) == (25_000, "a", 30_000)
    assert math.isnan(run.runtime_ms)


def test_figures_may_stand_behind_their_label(tmp_path):
    load, run = parsed(ycsb_c, tmp_path, BEHIND)
    assert (load.throughput_ops_s, run.throughput_ops_s) == (2_500, 1_250_000)
    assert [log.threads for log in (load, run)] == [16, 16]


@pytest.mark.parametrize("text", [RUN, BOTH, BEHIND, f"# Results\n\n```\n{RUN}```\n"])
def test_it_is_recognised(text):
    assert readers.format_of(text.encode()) == ycsb_c.FORMAT


@pytest.mark.parametrize("cut", ["\t71.25\n", "# Transaction"])
def test_one_that_was_cut_has_no_figures(tmp_path, cut):
    log = one(ycsb_c, tmp_path, RUN[: RUN.index(cut) + 2])
    assert log.truncated and log.overall_count == 0 and math.isnan(log.throughput_ops_s)


def test_rows_of_a_folder(tmp_path):
    (tmp_path / "out.txt").write_text(BOTH + RUN)
    runs = ingest.read([tmp_path]).runs
    assert runs["throughput_ops_s"].tolist() == [12_500, 25_000, 71_250]
    assert runs["server_version"].tolist() == ["rocksdb", "rocksdb", "redis"]
    assert runs["goodput_ops_s"].isna().tolist() == [False, True, True]
    assert [Warn.EXCERPT in warnings for warnings in runs["warnings"]] == [False, True, True]
