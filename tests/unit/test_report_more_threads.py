"""What a report says of several thread counts, of a fall with cores, and of CPU time where throughput falls."""

import numpy as np

from ycsbook import anomalies, messages
from ycsbook.params import Sweep
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.tables import Tables, from_rows

LADDER = (50, 100, 200)


def short(throughputs: dict[float, tuple[float, ...]], threads=LADDER, cpu: dict | None = None) -> Short:
    """The head of a report of single runs: throughputs at `threads` by cores; CPU utilisations likewise."""
    runs = [
        {
            "run_id": f"{cores:g}-{n}", "dataset": "x", "outcome": "completed", "phase": "run", "workload": "a",
            "spec": f"{cores:g}c", "cores": cores, "ram_gib": 8.0, "threads": n, "repeat": 1.0, "throughput_ops_s": x,
            "operations": x * 1500, "failed_operations": 0.0, "runtime_ms": 1.5e6, "read_fraction": 0.5,
            "write_concern": "1", "cpu_utilisation": (cpu or {}).get((cores, n), np.nan),
        }
        for cores, row in throughputs.items() for n, x in zip(threads, row, strict=True)
    ]  # fmt: skip
    tables = Tables(runs=from_rows(runs, "runs"))
    return Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))


def said(head: Short, about: str) -> str:
    return " ".join(map(messages.say, head.facts()[about]))


def test_a_loss_beyond_a_middle_count_is_no_gain_over_the_fewest():
    head = short({8: (30e3, 52e3, 31e3), 16: (40e3, 78e3, 45e3), 32: (41e3, 80e3, 60e3)})
    assert "Use 100 threads for 50:50 at 8, 16 and 32 cores: with 200 throughput falls by 25 to 42 %." in head.verdict()
    assert said(head, "threads").startswith("From 100 to 200 threads 50:50 loses on 8 cores 8 GiB (−40 %)")
    assert set(head.changes["threads_low"]) == {100}


def test_the_fewest_threads_that_do_nearly_the_most_are_named():
    head = short({2: (9e3, 9.2e3, 9.3e3), 4: (17e3, 18e3, 18.4e3), 8: (25e3, 33e3, 36e3)})
    assert "Use 50 threads at 2 to 4 cores, 100 threads at 8 cores (50:50): enough for 90 % of the most." in (
        head.verdict()
    )
    alike = short({2: (9e3, 9.2e3, 9.3e3), 4: (17e3, 18e3, 18.4e3)})
    assert "Use 50 threads on all specs (50:50)" in alike.verdict()
    # Of two counts there is a gain or none, and no ladder.
    two = short({2: (9e3, 9.2e3), 4: (17e3, 18e3)}, (50, 100)).verdict()
    assert "enough" not in two and "100 threads bring no more throughput than 50." in two


def test_a_fall_with_cores_is_no_small_gain():
    head = short({2: (14e3,), 4: (26e3,), 8: (40e3,), 16: (46e3,), 32: (36e3,), 64: (29e3,)}, (100,))
    assert "50:50 at 100 threads does most at 16 cores: 46,000 ops/s there, 29,000 at 64 (−37 %)." in said(
        head, "cores"
    )
    assert "14,000 ops/s at 2 cores, 46,000 at 16, 29,000 at 64." in head.verdict()
    assert "Do not buy more cores for it." in said(head, "cores")


def test_a_fall_within_the_noise_of_repeats_is_none():
    single = short({4: (10e3, 5e3), 8: (9.5e3, 4.8e3), 16: (8e3, 4e3)}, (100, 200)).rows.tables.runs
    runs = []
    for repeat, factors in enumerate([(0.6, 1.6), (1.6, 0.6)], 1):
        factor = single["threads"].map(dict(zip((100, 200), factors, strict=True)))
        runs += single.assign(
            repeat=float(repeat), run_id=single["run_id"] + f"-{repeat}",
            throughput_ops_s=single["throughput_ops_s"] * factor,
        ).to_dict("records")  # fmt: skip
    tables = Tables(runs=from_rows(runs, "runs"))
    head = Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))
    assert "gains little beyond 4 cores" in said(head, "cores") and "does most at" not in said(head, "cores")


def test_a_loss_beyond_the_assumed_noise_is_not_called_noise():
    head = short({2: (10e3, 7.5e3), 8: (40e3, 42e3), 32: (90e3, 95e3)}, (100, 200))
    assert "More than the assumed noise may explain is lost from 100 to 200 threads by 2 cores 8 GiB 50:50 (−25 %)" in (
        said(head, "threads")
    )
    assert head.changes["noticed"].tolist() == [True, False, False]
    small = short({2: (10e3, 8.5e3), 8: (40e3, 42e3), 32: (90e3, 95e3)}, (100, 200))
    assert "is more than noise may be" in said(small, "threads")


def test_losses_on_a_full_cpu_cost_cpu_time():
    losses = {8: (40e3, 20e3), 16: (80e3, 38e3), 32: (150e3, 70e3)}
    full = short(losses, (100, 200), {(c, n): 0.99 for c in losses for n in (100, 200)})
    assert "On these an operation takes 2.00 to 2.14 times the CPU time" in said(full, "threads")
    idle = short(losses, (100, 200), {(c, n): 0.99 if n == 100 else 0.5 for c in losses for n in (100, 200)})
    assert "CPU time" not in said(idle, "threads")
