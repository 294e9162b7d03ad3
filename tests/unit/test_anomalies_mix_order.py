"""Two mixes that change places between servers of the same cores."""

import pytest
from anomaly_samples import flags, run, says


def of(*specs, noise=(1.0,), mixes=(("a", 0.5), ("b", 0.95))):
    """Flags on 2-core specs given as RAM and the ops/s of each mix, of as many repeats as `noise` has factors: in each
    round the mixes are off in opposite ways."""
    rows = [
        run(2.0, 4, r, x * factor ** (1 if workload == "a" else -1), ram_gib=float(g), spec=f"2c{g}g",
            run_id=f"{g}-{workload}-{r}", workload=workload, read_fraction=reads)
        for g, *figures in specs for (workload, reads), x in zip(mixes, figures, strict=True)
        for r, factor in enumerate(noise, 1)
    ]  # fmt: skip
    return flags("mix_order", rows)


def test_more_reads_that_are_slower_here_and_faster_there():
    (finding,) = of((4, 1000, 650), (16, 1000, 1400))
    assert (finding.severity, finding.spec, finding.run_ids) == ("notice", "2c4g", ("4-b-1",))
    assert finding.effect == pytest.approx(-0.35)
    assert says(finding, "mix_order", ops=pytest.approx(650), fewer_ops=pytest.approx(1000),
                ratio=pytest.approx(0.65), other_ratio=pytest.approx(1.4))  # fmt: skip


@pytest.mark.parametrize("specs", [
    ((4, 1000, 650), (16, 1000, 700)),
    ((4, 1000, 900), (16, 1000, 1400)),
    ((4, 1000, 1300), (16, 1000, 1400)),
    ((4, 1000, 650),),
])  # fmt: skip
def test_an_order_that_all_specs_share_is_none(specs):
    assert of(*specs) == []


def test_a_difference_within_the_noise_of_the_repeats_is_none():
    specs = ((4, 1000, 780), (16, 1000, 1300))
    assert of(*specs) and of(*specs, noise=(0.98, 1.02))
    assert of(*specs, noise=(0.6, 1 / 0.6)) == []


def test_mixes_of_other_operations_have_no_order():
    assert of((4, 1000, 650), (16, 1000, 1400), mixes=(("a", 0.5), ("e", float("nan")))) == []
