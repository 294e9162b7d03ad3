"""CPU, threads and throughput that contradict each other."""

import numpy as np
import pytest
from anomaly_samples import flags, run, says


def ladder(*rungs, cpu=np.nan, repeats=1, **more):
    """Runs at thread counts with ops/s, 1 % between repeats."""
    return [
        run(threads=t, repeat=r, throughput=x * (1 + 0.01 * (r - 1)), cpu_utilisation=cpu, **more)
        for t, x in rungs for r in range(1, repeats + 1)
    ]  # fmt: skip


def severities(rule, rows, settings=None):
    return [f.severity for f in flags(rule, rows, settings)]


def test_a_full_cpu_that_does_more():
    (found,) = flags("cpu_contradiction", ladder((100, 1000), (200, 1300), cpu=0.97))
    assert (found.severity, found.effect) == ("warning", pytest.approx(0.3))
    assert says(found, "cpu_contradiction", cpu=0.97, threads=100, threads_to=200, second=pytest.approx(1300))
    assert severities("cpu_contradiction", ladder((100, 1000), (200, 1300), cpu=0.94)) == []
    assert severities("cpu_contradiction", ladder((100, 1000), (200, 1300), cpu=0.94), {"cpu": 0.9}) == ["warning"]
    assert severities("cpu_contradiction", ladder((100, 1000), (200, 1240), cpu=1.0)) == []
    assert severities("cpu_contradiction", ladder((100, 1000), (200, 1300))) == []


def test_the_gain_is_per_doubling_of_threads():
    assert severities("cpu_contradiction", ladder((4, 1000), (16, 1500), cpu=1.0)) == []
    assert severities("cpu_contradiction", ladder((4, 1000), (16, 1600), cpu=1.0)) == ["warning"]


def test_more_than_the_threads_grew_is_the_other_rule():
    rows = ladder((100, 1000), (200, 3000), cpu=1.0)
    assert severities("cpu_contradiction", rows) == []
    (found,) = flags("superlinear_threads", rows)
    assert (found.severity, found.evidence, found.effect) == ("warning", "single", pytest.approx(2.0))
    assert says(found, "superlinear_threads", threads=100, threads_to=200, ratio=pytest.approx(3))


@pytest.mark.parametrize(("second", "severity"), [(2100, None), (2200, "note"), (2500, "warning")])
def test_single_pairs_by_size(second, severity):
    assert severities("superlinear_threads", ladder((100, 1000), (200, second))) == ([severity] if severity else [])
    assert severities("superlinear_threads", ladder((50, 1000), (200, second))) == []


def test_with_repeats_chance_is_ruled_out():
    assert severities("superlinear_threads", ladder((100, 1000), (200, 2060), repeats=3)) == []
    (found,) = flags("superlinear_threads", ladder((100, 1000), (200, 2600), repeats=3))
    assert (found.severity, found.evidence) == ("warning", "repeats")
    assert 1 < found.conf_low < found.effect < found.conf_high


def test_cpu_time_of_an_operation_out_of_family():
    rows = [
        row for c in range(1, 9) for row in ladder((100, 1000 * c), cpu=0.5 + c / 100, cores=float(c), spec=f"{c}c")
    ]
    assert flags("cpu_per_operation", rows) == []
    rows[3] = {**rows[3], "goodput_ops_s": rows[3]["goodput_ops_s"] / 4}
    (found,) = flags("cpu_per_operation", rows)
    assert (found.severity, found.run_ids) == ("note", (rows[3]["run_id"],))
    assert found.effect == pytest.approx(2.9, abs=0.1)
    assert says(found, "cpu_per_operation", cpu_us=pytest.approx(2160, abs=1), usual_us=pytest.approx(555, abs=1))
    assert flags("cpu_per_operation", rows[:7]) == []


def test_findings_of_one_pair_have_one_cause():
    rows = [row for c in range(1, 9) for row in ladder((100, 1000 * c), (200, 1000 * c), cpu=0.9, cores=float(c))]
    rows = [{**row, "spec": f"{row['cores']:g}c", "run_id": f"{row['cores']:g}-{row['threads']:g}"} for row in rows]
    rows[4] = {**rows[4], "goodput_ops_s": 500.0}
    found = [f for rule in ("superlinear_threads", "cpu_per_operation") for f in flags(rule, rows)]
    assert len(found) == 2
    assert {f.cause for f in found} == {"a on 3c: CPU, threads and throughput contradict each other"}
