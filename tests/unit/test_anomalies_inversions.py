"""Bigger specs that are slower: which pairs are compared, with what budget, and which are named."""

import numpy as np
import pytest
from anomaly_samples import cell_of, flags, run, says


def of(rule, *specs, repeats=1, **more):
    """Flags on specs given as cores, RAM, ops/s, with 1 % between repeats."""
    rows = [
        run(
            float(c), 4, r, x * (1 + 0.01 * (r - 1)), ram_gib=float(g), spec=f"{c}c{g}g", run_id=f"{c}c{g}g-{r}", **more
        )
        for c, g, x in specs for r in range(1, repeats + 1)
    ]  # fmt: skip
    return flags(rule, rows)


def test_more_cores_that_are_slower_with_repeats():
    (found,) = of("more_cores_slower", (1, 1, 3000), (2, 2, 5000), (4, 4, 4000), repeats=3)
    assert (found.severity, found.evidence, found.spec, found.threads) == ("warning", "repeats", "4c4g", 4)
    assert found.conf_low < found.effect < found.conf_high < 0
    assert found.effect == pytest.approx(-0.2)
    assert says(found, "inversion", second=pytest.approx(4040, abs=1), effect=found.effect, others=0)
    assert (cell_of(found), cell_of(found, "smaller")) == ((4, 4), (2, None))


def test_a_slower_spec_is_told_once_against_the_one_that_beats_it_most():
    (found,) = of("more_cores_slower", (1, 1, 3000), (2, 2, 5000), (4, 4, 2000))
    assert found.run_ids == ("2c2g-1", "4c4g-1")
    assert says(found, first=pytest.approx(5000), others=1)


def test_more_cores_with_less_ram_are_not_bigger():
    assert of("more_cores_slower", (2, 8, 5000), (4, 4, 2000)) == []
    assert of("more_ram_slower", (2, 8, 5000), (4, 16, 2000)) == []
    assert len(of("more_cores_slower", (2, 8, 5000), (4, np.nan, 2000))) == 1


@pytest.mark.parametrize(
    ("second", "severity"), [(499, "warning"), (740, "notice"), (815, "note"), (899, "note"), (901, None)]
)
def test_single_rows_are_graded_by_size(second, severity):
    found = of("more_ram_slower", (4, 8, 1000), (4, 16, second))
    assert [f.severity for f in found] == ([severity] if severity else [])


def test_more_ram_that_is_slower():
    found = of("more_ram_slower", (4, 8, 3000), (4, 16, 2000), (4, 32, 2500))
    assert [f.severity for f in found] == ["notice", "note"]
    assert says(found[0], second=pytest.approx(2000), effect=pytest.approx(-1 / 3)) and cell_of(found[0]) == (4, 4)


def test_other_threads_and_workloads_are_other_comparisons():
    rows = [run(1.0, 4, 1, 5000), run(2.0, 8, 1, 1000), run(4.0, 4, 1, 1000, workload="b")]
    assert flags("more_cores_slower", rows) == []


def test_a_difference_within_the_noise_is_none():
    assert of("more_cores_slower", (1, 1, 1000), (2, 2, 990), repeats=3) == []


def test_runs_without_shape_are_bigger_than_nothing():
    rows = [run(threads=4, repeat=r, throughput=1000.0 * r, spec="", cores=np.nan) for r in (1, 2, 3)]
    for rule in ("more_cores_slower", "more_ram_slower"):
        assert flags(rule, rows) == []
