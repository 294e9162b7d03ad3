"""U = X R / N over whole tables says of each run what the reader says of one log."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import closed_loop as one_log
from ycsbook import paths
from ycsbook.closed_loop import of_runs
from ycsbook.ingest.published.published import read_published
from ycsbook.tables import empty, from_rows

SERIES = ("READ", "UPDATE", "INSERT", "READ-FAILED", "READ-MODIFY-WRITE", "CLEANUP", "VERIFY")
numbers = st.floats(1, 1e5)
maybe = st.just(float("nan")) | numbers
series = st.dictionaries(st.sampled_from(SERIES), st.tuples(st.just(0.0) | numbers, maybe), max_size=5)


@settings(max_examples=60, deadline=None)
@given(logs=st.lists(st.tuples(maybe, maybe, series), min_size=1, max_size=5))
def test_counted_logs(logs):
    runs = [{"run_id": f"r{i}", "threads": n, "runtime_ms": ms} for i, (n, ms, _) in enumerate(logs)]
    operations = [
        {"run_id": f"r{i}", "operation": name, "count": count, "mean_us": mean}
        for i, (_, _, series) in enumerate(logs)
        for name, (count, mean) in series.items()
    ]
    found = of_runs(from_rows(runs, "runs"), from_rows(operations, "operations"))["utilisation"]
    for i, (threads, runtime_ms, log) in enumerate(logs):
        rows = [(name, count, mean) for name, (count, mean) in log.items()]
        counted = any(one_log.is_counted(name) for name in log)
        expected = one_log.of_series(rows, runtime_ms, threads) if counted else float("nan")
        assert found[f"r{i}"] == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_published_means():
    table = read_published(paths.PUBLISHED / "tencent-2020-08.csv")
    page = pd.read_csv(paths.PUBLISHED / "tencent-2020-08.csv")
    expected = [
        one_log.of_mix(r.throughput_ops_s, r.read_fraction, r.threads, r.ral_us, r.wal_us) for r in page.itertuples()
    ]
    found = of_runs(table.runs, table.operations)["utilisation"]
    assert found.to_numpy() == pytest.approx(expected, rel=1e-12)
    assert found.max() == pytest.approx(1.219, abs=5e-4)
    # Any order of the operations; runs that have none give nothing.
    mixed = table.operations.sample(frac=1, random_state=1)
    assert of_runs(table.runs, mixed)["utilisation"].equals(found)
    assert of_runs(table.runs, empty("operations"))["utilisation"].isna().all()


@pytest.mark.parametrize("column", ["read_fraction", "throughput_ops_s", "threads"])
def test_a_published_row_that_lacks_a_figure_gives_nothing(column):
    table = read_published(paths.PUBLISHED / "tencent-2020-08.csv")
    table.runs.loc[3, column] = np.nan
    found = of_runs(table.runs, table.operations)["utilisation"]
    assert found.isna().sum() == 1
    assert np.isnan(found[table.runs.loc[3, "run_id"]])


def test_reads_alone_need_no_write_latency():
    runs = from_rows([{"run_id": "r", "threads": 4, "throughput_ops_s": 1000, "read_fraction": 1.0}], "runs")
    operations = from_rows([{"run_id": "r", "operation": "READ", "mean_us": 2000}], "operations")
    assert of_runs(runs, operations)["utilisation"]["r"] == pytest.approx(0.5)


def test_latencies_that_are_no_time_in_the_database_do_not_count():
    runs = from_rows([{"run_id": "r", "threads": 4, "runtime_ms": 1000, "warnings": ""}], "runs")
    operations = from_rows([{"run_id": "r", "operation": "UPDATE", "count": 1000, "mean_us": 2000}], "operations")
    assert of_runs(runs, operations)["utilisation"]["r"] == pytest.approx(0.5)
    assert np.isnan(of_runs(runs.assign(warnings="SHORT_RUN INTENDED_LATENCY"), operations)["utilisation"]["r"])
    assert np.isnan(of_runs(runs, operations.assign(batched_ok=3.0))["utilisation"]["r"])
