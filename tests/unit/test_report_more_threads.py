"""What a report says of several thread counts, of a fall with cores, and of CPU time where throughput falls."""

import numpy as np
import pandas as pd

from ycsbook import anomalies, messages
from ycsbook.ingest import read
from ycsbook.ingest.published.own_data import of_frame
from ycsbook.params import Sweep
from ycsbook.report import results
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.tables import Tables, from_rows

LADDER = (50, 100, 200)
ROWS = {2: (10e3, 10.2e3, 10.1e3), 4: (19e3, 20e3, 20.2e3), 8: (38e3, 39e3, 40e3), 16: (75e3, 77e3, 78e3)}


def short(throughputs: dict[float, tuple[float, ...]], threads=LADDER, cpu: dict | None = None,
          latency_us: dict | None = None, outcome: str = "completed") -> Short:  # fmt: skip
    """The head of a report of single runs: throughputs at `threads` by cores; CPU utilisations, latencies likewise."""
    runs = [
        {
            "run_id": f"{cores:g}-{n}", "dataset": "x", "outcome": outcome, "phase": "run", "workload": "a",
            "spec": f"{cores:g}c", "cores": cores, "ram_gib": 8.0, "threads": n, "repeat": 1.0, "throughput_ops_s": x,
            "operations": x * 1500, "failed_operations": 0.0, "runtime_ms": 1.5e6, "read_fraction": 0.5,
            "write_concern": "1", "cpu_utilisation": (cpu or {}).get((cores, n), np.nan),
        }
        for cores, row in throughputs.items() for n, x in zip(threads, row, strict=True)
    ]  # fmt: skip
    operations = [
        {"run_id": f"{cores:g}-{n}", "operation": operation, "mean_us": us}
        for (cores, n), us in (latency_us or {}).items() for operation in ("READ", "UPDATE")
    ]  # fmt: skip
    tables = Tables(runs=from_rows(runs, "runs"), operations=from_rows(operations, "operations"))
    return Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))


def said(head: Short, about: str) -> str:
    return " ".join(map(messages.say, head.facts()[about]))


def test_a_loss_beyond_a_middle_count_is_no_gain_over_the_fewest():
    head = short({8: (30e3, 52e3, 31e3), 16: (40e3, 78e3, 45e3), 32: (41e3, 80e3, 60e3)})
    assert "Use 100 threads on all specs: enough for" in head.answer.verdict
    assert "With 200 threads instead of 100 throughput falls by 25 to 42 %." in head.answer.verdict
    assert said(head, "threads").startswith("From 100 to 200 threads 50:50 loses on 8 cores 8 GiB (−40 %)")
    assert set(head.changes["threads_low"]) == {100}


def head_of_page(folder, first, *rows):
    """The head of the report of a page whose rows are of `first`, threads and QPS."""
    page = folder / "page.md"
    page.write_text("\n".join([f"{first} | Threads | QPS", "---|---|---", *rows]))
    tables = read(page)
    return Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))


def test_counts_of_threads_are_those_of_the_mixes_that_lose_or_gain(tmp_path):
    falls = ("oltp_read_only | 8 | 4667", "oltp_read_only | 128 | 1743")
    head = head_of_page(tmp_path, "Workload", *falls, "oltp_update | 8 | 600", "oltp_update | 16 | 1076")
    assert said(head, "threads").startswith("From 8 to 128 threads workload oltp_read_only loses on page (−63 %).")
    assert "16 threads gain on workload oltp_update (+79 %)." in said(head, "threads")
    assert "with the most throughput falls by 63 %. It rises on workload oltp_update." in head.answer.verdict
    less = ("只读 | 20 | 456", "只读 | 300 | 343", "读写 | 20 | 273", "读写 | 150 | 212")
    head = head_of_page(tmp_path, "Workload", *less)
    assert said(head, "threads").startswith("From 20 to the most threads tried all 2 lose throughput, 22 to 25 %")
    zh = " ".join(messages.say(fact, "zh") for fact in head.facts()["threads"])
    assert zh.startswith("线程数从 20 增至最大值时，2 组吞吐量全部下降")


def test_specs_without_cores_are_named_where_they_lose(tmp_path):
    rows = ("M10 | 8 | 1600", "M10 | 64 | 600", "M30 | 8 | 3000", "M30 | 64 | 500", "M50 | 8 | 6000", "M50 | 64 | 6010")
    head = head_of_page(tmp_path, "Instance", *rows)
    assert (
        "Use 8 threads for unknown mix on M10 and M30: with 64 throughput falls by 62 to 83 %." in head.answer.verdict
    )


def test_the_fewest_threads_that_do_nearly_the_most_are_named():
    head = short({2: (9e3, 9.2e3, 9.3e3), 4: (17e3, 18e3, 18.4e3), 8: (25e3, 33e3, 36e3)})
    use = "Use 50 threads at 2 to 4 cores, 100 threads at 8 cores: enough for about 90 % of the most."
    assert use in head.answer.verdict
    alike = short({2: (9e3, 9.2e3, 9.3e3), 4: (17e3, 18e3, 18.4e3)})
    assert "Use 50 threads on all specs: enough" in alike.answer.verdict
    # 12 % below the most of three single runs may be noise.
    level = short({2: (9e3, 9.2e3, 10.2e3), 4: (17e3, 19.3e3, 18.4e3)})
    assert "Use 50 threads on all specs: enough" in level.answer.verdict
    # Of two counts there is a gain or none, and no ladder.
    two = short({2: (9e3, 9.2e3), 4: (17e3, 18e3)}, (50, 100)).answer.verdict
    assert "enough" not in two and "100 threads bring no more throughput than 50." in two


def test_a_gain_within_the_assumed_noise_decides_nothing():
    at = {2: (10e3, 11.6e3), 8: (40e3, 40.4e3), 32: (90e3, 89e3)}
    assert "Use" not in short(at, (100, 200)).answer.verdict
    clear = short(at | {2: (10e3, 9.9e3), 8: (40e3, 56e3)}, (100, 200))
    assert "Use 200 threads for 8 cores 8 GiB 50:50: throughput rises by up to 40 %." in clear.answer.verdict


def test_a_fall_with_cores_is_no_small_gain():
    head = short({2: (14e3,), 4: (26e3,), 8: (40e3,), 16: (46e3,), 32: (36e3,), 64: (29e3,)}, (100,))
    assert "50:50 at 100 threads does most at 16 cores: 46,000 ops/s there, 29,000 at 64 (−37 %)." in said(
        head, "cores"
    )
    assert "14,000 ops/s at 2 cores, 46,000 at 16, 29,000 at 64." in head.answer.verdict
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
    assert "gains nothing beyond 4 cores" in said(head, "cores") and "does most at" not in said(head, "cores")


def test_a_loss_beyond_the_assumed_noise_is_not_called_noise():
    head = short({2: (10e3, 7.5e3), 8: (40e3, 42e3), 32: (90e3, 95e3)}, (100, 200))
    assert "More than the assumed noise may explain is lost by 2 cores 8 GiB 50:50 (−25 % from 100 to 200 threads)" in (
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


def test_a_loss_in_doubt_is_not_called_noise_and_gains_are_held_to_the_noise_as_losses_are():
    flat = {2: (5e3, 5e3), 4: (9e3, 9e3), 8: (16e3, 16e3), 16: (27e3, 27e3), 32: (40e3, 40e3)}
    # A digit left out: throughput x latency is a tenth of what the others' is.
    latencies = {(cores, n): n / row[0] * 1e6 for cores, row in flat.items() for n in (100, 200)}
    typo = short(flat | {8: (16e3, 1.6e3)}, (100, 200), latency_us=latencies, outcome="published")
    assert "8 cores" not in said(typo, "threads") and "8 cores" in said(typo, "doubt")
    noisy = short(flat | {2: (5e3, 4.2e3), 8: (16e3, 18.2e3), 16: (27e3, 30.5e3)}, (100, 200))
    assert "is more than noise may be" in said(noisy, "threads")
    assert "16 cores 8 GiB 50:50 (+13 %), perhaps by noise." in said(noisy, "threads")
    clear = short(flat | {16: (27e3, 36e3)}, (100, 200))
    assert "200 threads gain on 16 cores 8 GiB 50:50 (+33 %)." in said(clear, "threads")


def test_the_fewest_threads_that_do_as_much_are_recommended():
    flat = {2: (5e3, 5.1e3), 4: (9e3, 9.3e3), 8: (16e3, 16.2e3), 16: (27e3, 27.9e3), 32: (40e3, 41e3)}
    head = short(flat, (100, 200))
    assert "50:50 at 100 threads: 5,000 ops/s at 2 cores, 40,000 at 32" in head.answer.verdict
    assert "2 cores, 8 GiB at 100 threads gives the most per core" in said(head, "buy")


def test_ram_that_decides_is_the_second_thing_that_is_said():
    rows = [
        {"run_id": f"{c}-{ram}", "dataset": "x", "outcome": "completed", "phase": "run", "workload": "b",
         "threads": 200.0, "spec": f"{c}c{ram}g", "cores": c, "ram_gib": ram, "repeat": 1.0, "read_fraction": 0.95,
         "write_concern": "1", "throughput_ops_s": 4e3 * c if ram >= 64 else 10e3, "operations": 6e6,
         "failed_operations": 0.0}
        for c in (8.0, 16.0, 32.0) for ram in (16.0, 32.0, 64.0, 128.0)
    ]  # fmt: skip
    tables = Tables(runs=from_rows(rows, "runs"))
    head = Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))
    cliff = [messages.say(fact) for fact in head.verdicts if fact.key == "short-verdict-ram"]
    assert cliff == ["RAM decides: at 8, 16 and 32 cores 64 instead of 32 GiB give ×3.2 to ×13 for 95:5."]
    for row in rows:
        row["throughput_ops_s"] = 4e3 * row["cores"] * (1.4 if row["ram_gib"] >= 64 else 1)
    tables = Tables(runs=from_rows(rows, "runs"))
    head = Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))
    assert "RAM decides" not in head.answer.verdict


def test_growth_beyond_proportional_is_said_to_be_more_than_cores_give():
    steep = {cores: (1000 * cores**1.2,) * 2 for cores in (2, 4, 8, 16)}
    assert "50:50: more than proportional, which cores alone cannot give." in said(short(steep, (100, 200)), "cores")
    plain = {cores: (1000 * cores,) * 2 for cores in (2, 4, 8, 16)}
    assert "more than proportional" not in said(short(plain, (100, 200)), "cores")


def test_an_impossible_row_leads_nothing():
    clean = {2: (5e3, 5.1e3), 4: (9e3, 9.2e3), 8: (16e3, 16.5e3), 16: (27e3, 28e3), 32: (40e3, 44e3)}
    head = short(clean | {16: (72e3, 28e3)}, (100, 200), latency_us={(16, 100): 100 / 27e3 * 1e6})
    assert head.grades.loc[head.points.query("cores == 16 and threads == 100")["run_id"]].tolist() == ["F"]
    assert "72,000" not in head.answer.verdict and "Do not buy more cores" not in said(head, "cores")
    assert "44,000 at 32" in head.answer.verdict


def test_losses_of_all_are_no_noise_though_each_alone_may_be():
    falling = {2: (10e3, 11e3, 9.4e3), 4: (20e3, 21e3, 18e3), 8: (40e3, 43e3, 36e3), 16: (70e3, 75e3, 63e3)}
    head = short(falling)
    assert "From 100 to 200 threads all 4 lose throughput, 14 to 16 %" in said(head, "threads")
    assert "With 200 threads instead of 100 throughput falls by 14 to 16 %." in head.answer.verdict
    two = short({p: row[1:] for p, row in falling.items()}, (100, 200))
    assert "With 200 threads instead of 100 throughput falls by 14 to 16 %." in two.answer.verdict
    some = short(falling | {4: (20e3, 21e3, 21.1e3)})
    assert "all" not in said(some, "threads").split("90 %")[0]


def test_threads_that_rise_with_the_cores_are_one_series():
    rows = pd.DataFrame({"cores": [2, 4, 8], "ram_gib": [8, 8, 8], "threads": [32, 64, 128], "qps": [4e3, 8.1e3, 16e3]})
    tables = of_frame(rows, dataset="x")
    head = Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))
    assert "at each spec's own thread count: 4,000 ops/s at 2 cores, 16,000 at 8;" in head.answer.verdict
    assert "twice the cores give ×2.00." in head.answer.verdict
    assert "each core does as much on every spec" in head.answer.verdict


def test_more_cores_that_bring_nothing_are_said_to():
    head = short({2: (20e3,), 4: (20.2e3,), 8: (19.9e3,), 16: (20.1e3,)}, (100,))
    assert "20,000 ops/s at 2 cores, 20,100 at 16: more cores bring nothing" in head.answer.verdict
    assert "gains" not in said(head, "cores")


def test_where_the_smallest_spec_does_most_for_each_core_half_of_the_most_is_named():
    head = short({2: (10e3,), 4: (16e3,), 8: (25e3,), 16: (38e3,), 32: (48e3,)}, (100,))
    assert "Enough for half of the highest throughput: 8 cores 8 GiB for 50:50." in head.answer.verdict
    assert "Half of the most takes 8 cores, 8 GiB at 100 threads: 25,000 ops/s." in said(head, "buy")


def test_more_threads_than_were_tried_are_not_said_to_add_latency():
    growing = short({2: (10e3, 20e3, 40e3), 4: (20e3, 40e3, 80e3)})
    assert "latency" not in said(growing, "threads")
    assert "what more than 200 threads would bring" in said(growing, "unknown")


def test_where_fewer_threads_are_in_doubt_no_more_are_asked_for():
    # 50 threads at 4 cores do a tenth of what they should: a slip, or another run's figures.
    slip = {(p, n): n / x * 1e6 for p, row in ROWS.items() for n, x in zip(LADDER, row, strict=True)}
    head = short(ROWS | {4: (1.9e3, 20e3, 20.2e3)}, latency_us=slip)
    assert head.grades["4-50"] == "D"
    assert "Use 50 threads on all specs: enough" in head.answer.verdict


def with_latencies(gain: float, p99: float, threads=(100, 200)) -> Short:
    """Five servers that gain by more threads; p99 grows so many times, the mean as a closed loop has it."""
    rows = [
        (f"{c}c{4 * c}g", "100:0", n, x := round(3000 * c**0.8 * (gain if n > 100 else 1)), n / x * 1000,
         2000 / c * (p99 if n > 100 else 1))
        for c in (2, 4, 8, 16, 32) for n in threads
    ]  # fmt: skip
    columns = ["spec", "mix", "threads", "qps", "read avg (ms)", "read p99 (ms)"]
    tables = of_frame(pd.DataFrame(rows, columns=columns), dataset="x")
    return Short(ReportRows(Sweep.of_tables("x", "x"), tables), anomalies.find(tables))


def test_a_small_gain_for_which_p99_multiplies_is_no_advice_and_its_price_is_said():
    costly = with_latencies(1.15, 7)
    assert "Use" not in costly.answer.verdict and "bring no more" not in costly.answer.verdict
    assert "200 threads give 100:0 +15 %, but p99 rises from 250 to 1,800 ms." in costly.answer.verdict
    assert "p99 rises from 250 to 1,800 ms" in said(costly, "threads")
    for cheap in (with_latencies(1.15, 2), with_latencies(1.5, 7)):
        assert "Use 200 threads on all specs" in cheap.answer.verdict and "p99" not in cheap.answer.verdict
    # Four times the threads for 15 % more: operations wait as long.
    waiting = with_latencies(1.15, 1, (100, 400))
    assert "but a read's mean rises from" in waiting.answer.verdict and "Use" not in waiting.answer.verdict


def test_results_show_p99_where_it_is_known():
    head = with_latencies(1.15, 7)
    (table,) = (block for part in results.results(head.rows, head.grades).blocks if hasattr(part, "blocks")
                for block in part.blocks)  # fmt: skip
    assert "p99 (us)" in [column.heading for column in table.columns]
    assert table.frame["measured_p99"].iloc[0] == "1,000,000"
