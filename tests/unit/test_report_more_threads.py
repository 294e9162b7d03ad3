"""What a report says of several thread counts, of a fall with cores, and of CPU time where throughput falls."""

import numpy as np
import pandas as pd
from facts_in import facts_in, holds, keys_in, values_of
from report_samples import head_of

from ycsbook import messages
from ycsbook.facts import Fact
from ycsbook.ingest import read
from ycsbook.ingest.published.own_data import of_frame
from ycsbook.report import results
from ycsbook.report.short import Short
from ycsbook.scaling.points import OWN_THREADS
from ycsbook.tables import Tables, from_rows

LADDER = (50, 100, 200)
# The verdicts that name a thread count to use.
ADVICE = {f"short-verdict-{advice}" for advice in ("enough", "fewer", "gain", "more")}
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
    return head_of(tables)


def verdicts(head: Short) -> list[Fact]:
    return list(head.verdicts)


def enough_everywhere(head: Short, threads: int) -> bool:
    """Whether the verdict is that so many threads are enough on all specs."""
    return holds(head.verdicts, "short-verdict-enough", uses=[{"parts": [{"threads": threads, "place": "all"}]}])


def test_a_loss_beyond_a_middle_count_is_no_gain_over_the_fewest():
    head = short({8: (30e3, 52e3, 31e3), 16: (40e3, 78e3, 45e3), 32: (41e3, 80e3, 60e3)})
    assert enough_everywhere(head, 100)
    assert holds(head.verdicts, "short-verdict-together", low=100, threads=200, least=0.25, most=0.423)
    (loss,) = values_of(head.facts()["threads"][0], "short-loss")["lost"]
    assert holds(head.facts()["threads"][0], "short-loss", low=100, threads=200)
    assert holds(loss.values["specs"][0], "short-spec-change", cell={"cores": 8, "ram_gib": 8}, change=-0.404)
    assert set(head.changes["threads_low"]) == {100}


def head_of_page(folder, first, *rows):
    """The head of the report of a page whose rows are of `first`, threads and QPS."""
    page = folder / "page.md"
    page.write_text("\n".join([f"{first} | Threads | QPS", "---|---|---", *rows]))
    tables = read(page)
    return head_of(tables)


def test_counts_of_threads_are_those_of_the_mixes_that_lose_or_gain(tmp_path):
    falls = ("oltp_read_only | 8 | 4667", "oltp_read_only | 128 | 1743")
    head = head_of_page(tmp_path, "Workload", *falls, "oltp_update | 8 | 600", "oltp_update | 16 | 1076")
    page = {"mix": {"workload": "oltp_read_only"}, "specs": [{"cell": {"spec": "page"}, "change": -0.627}]}
    threads = head.facts()["threads"]
    assert holds(threads[0], "short-loss", low=8, threads=128, lost=[page])
    update = {"workload": "oltp_update"}
    assert holds(threads, "short-gain", threads=16, noise=False, gained=[{"cell": update, "change": 0.793}])
    assert holds(head.verdicts, "short-verdict-fewer", high=None, most=0.627, better=[update])
    less = ("只读 | 20 | 456", "只读 | 300 | 343", "读写 | 20 | 273", "读写 | 150 | 212")
    head = head_of_page(tmp_path, "Workload", *less)
    assert holds(head.facts()["threads"][0], "short-together", low=20, threads=None, n=2, least=0.223, most=0.248)
    zh = " ".join(messages.say(fact, "zh") for fact in head.facts()["threads"])
    assert zh.startswith("线程数从 20 增至最大值时，2 组吞吐量全部下降")


def test_specs_without_cores_are_named_where_they_lose(tmp_path):
    rows = ("M10 | 8 | 1600", "M10 | 64 | 600", "M30 | 8 | 3000", "M30 | 64 | 500", "M50 | 8 | 6000", "M50 | 64 | 6010")
    head = head_of_page(tmp_path, "Instance", *rows)
    where = [{"mixes": [{"reads": None, "workload": None}], "specs": [{"spec": "M10"}, {"spec": "M30"}]}]
    assert holds(head.verdicts, "short-verdict-fewer", threads=8, high=64, least=0.625, most=0.833, where=where)


def test_the_fewest_threads_that_do_nearly_the_most_are_named():
    head = short({2: (9e3, 9.2e3, 9.3e3), 4: (17e3, 18e3, 18.4e3), 8: (25e3, 33e3, 36e3)})
    parts = [{"threads": 50, "first": 2, "last": 4}, {"threads": 100, "first": 8, "last": 8}]
    assert holds(head.verdicts, "short-verdict-enough", uses=[{"parts": parts}], share=0.9)
    alike = short({2: (9e3, 9.2e3, 9.3e3), 4: (17e3, 18e3, 18.4e3)})
    assert enough_everywhere(alike, 50)
    # 12 % below the most of three single runs may be noise.
    level = short({2: (9e3, 9.2e3, 10.2e3), 4: (17e3, 19.3e3, 18.4e3)})
    assert enough_everywhere(level, 50)
    # Of two counts there is a gain or none, and no ladder.
    two = verdicts(short({2: (9e3, 9.2e3), 4: (17e3, 18e3)}, (50, 100)))
    assert holds(two, "short-verdict-no-gain", threads=100, low=50) and "short-verdict-enough" not in keys_in(two)


def test_a_gain_within_the_assumed_noise_decides_nothing():
    at = {2: (10e3, 11.6e3), 8: (40e3, 40.4e3), 32: (90e3, 89e3)}
    assert ADVICE.isdisjoint(keys_in(short(at, (100, 200)).verdicts))
    clear = short(at | {2: (10e3, 9.9e3), 8: (40e3, 56e3)}, (100, 200))
    cells = [{"spec": {"cores": 8, "ram_gib": 8}, "mixes": [{"reads": 50}], "all": True}]
    assert holds(clear.verdicts, "short-verdict-gain", threads=200, cells=cells, most=0.4, everywhere=False)


def test_a_fall_with_cores_is_no_small_gain():
    head = short({2: (14e3,), 4: (26e3,), 8: (40e3,), 16: (46e3,), 32: (36e3,), 64: (29e3,)}, (100,))
    fall = {"threads": 100, "cores": 16, "ops": 46e3, "last": 64, "then": 29e3, "change": -0.37, "doubted": False}
    assert holds(head.facts()["cores"], "short-falls", **fall)
    times = {"first": 2, "first_ops": 14e3, "bend": 16, "middle_ops": 46e3, "last": 64, "last_ops": 29e3}
    assert holds(head.verdicts, "short-verdict-times", **times)


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
    head = head_of(tables)
    cores = head.facts()["cores"]
    assert holds(cores, "short-stops", less=True, cores=4) and "short-falls" not in keys_in(cores)


def test_a_loss_beyond_the_assumed_noise_is_not_called_noise():
    head = short({2: (10e3, 7.5e3), 8: (40e3, 42e3), 32: (90e3, 95e3)}, (100, 200))
    less = [{"cell": {"cores": 2, "ram_gib": 8, "reads": 50}, "change": -0.25, "low": 100, "threads": 200}]
    assert holds(head.facts()["threads"], "short-no-loss", size="noticed", assumed=True, less=less)
    assert head.changes["noticed"].tolist() == [True, False, False]
    small = short({2: (10e3, 8.5e3), 8: (40e3, 42e3), 32: (90e3, 95e3)}, (100, 200))
    assert holds(small.facts()["threads"], "short-no-loss", size="unclear")


def test_losses_on_a_full_cpu_cost_cpu_time():
    losses = {8: (40e3, 20e3), 16: (80e3, 38e3), 32: (150e3, 70e3)}
    full = short(losses, (100, 200), {(c, n): 0.99 for c in losses for n in (100, 200)})
    assert holds(full.facts()["threads"], "short-loss-cpu", least=2, most=2.143, one=False)
    idle = short(losses, (100, 200), {(c, n): 0.99 if n == 100 else 0.5 for c in losses for n in (100, 200)})
    assert "short-loss-cpu" not in keys_in(idle.facts()["threads"])


def test_a_loss_in_doubt_is_not_called_noise_and_gains_are_held_to_the_noise_as_losses_are():
    flat = {2: (5e3, 5e3), 4: (9e3, 9e3), 8: (16e3, 16e3), 16: (27e3, 27e3), 32: (40e3, 40e3)}
    # A digit left out: throughput x latency is a tenth of what the others' is.
    latencies = {(cores, n): n / row[0] * 1e6 for cores, row in flat.items() for n in (100, 200)}
    typo = short(flat | {8: (16e3, 1.6e3)}, (100, 200), latency_us=latencies, outcome="published")
    assert not any(holds(typo.facts()["threads"], key, cores=8) for key in ("spec-listed", "spec-mix-plain"))
    assert holds(typo.facts()["doubt"], "spec-listed", cores=8)
    noisy = short(flat | {2: (5e3, 4.2e3), 8: (16e3, 18.2e3), 16: (27e3, 30.5e3)}, (100, 200))
    assert holds(noisy.facts()["threads"], "short-no-loss", size="unclear")
    gained = [{"cell": {"cores": 8}, "change": 0.1375}, {"cell": {"cores": 16}, "change": 0.1296}]
    assert holds(noisy.facts()["threads"], "short-gain", noise=True, gained=gained)
    clear = short(flat | {16: (27e3, 36e3)}, (100, 200))
    gained = [{"cell": {"cores": 16}, "change": 0.333}]
    assert holds(clear.facts()["threads"], "short-gain", threads=200, noise=False, gained=gained)


def test_the_fewest_threads_that_do_as_much_are_recommended():
    flat = {2: (5e3, 5.1e3), 4: (9e3, 9.3e3), 8: (16e3, 16.2e3), 16: (27e3, 27.9e3), 32: (40e3, 41e3)}
    head = short(flat, (100, 200))
    times = {"threads": 100, "first": 2, "first_ops": 5e3, "last": 32, "last_ops": 40e3}
    assert holds(head.verdicts, "short-verdict-times", **times)
    assert holds(head.facts()["buy"], "short-buy", spec={"cores": 2, "ram_gib": 8}, threads=100)


def test_ram_that_decides_is_the_second_thing_that_is_said():
    rows = [
        {"run_id": f"{c}-{ram}", "dataset": "x", "outcome": "completed", "phase": "run", "workload": "b",
         "threads": 200.0, "spec": f"{c}c{ram}g", "cores": c, "ram_gib": ram, "repeat": 1.0, "read_fraction": 0.95,
         "write_concern": "1", "throughput_ops_s": 4e3 * c if ram >= 64 else 10e3, "operations": 6e6,
         "failed_operations": 0.0}
        for c in (8.0, 16.0, 32.0) for ram in (16.0, 32.0, 64.0, 128.0)
    ]  # fmt: skip
    tables = Tables(runs=from_rows(rows, "runs"))
    head = head_of(tables)
    cliff = {"cores": ["8", "16", "32"], "ram": 32, "ram_to": 64, "unit": "GiB", "mixes": [{"reads": 95}]}
    assert holds(head.verdicts, "short-verdict-ram", **cliff, least=3.2, most=12.8)
    assert keys_in(head.verdicts).count("short-verdict-ram") == 1
    for row in rows:
        row["throughput_ops_s"] = 4e3 * row["cores"] * (1.4 if row["ram_gib"] >= 64 else 1)
    tables = Tables(runs=from_rows(rows, "runs"))
    head = head_of(tables)
    assert "short-verdict-ram" not in keys_in(head.verdicts)


def test_growth_beyond_proportional_is_said_to_be_more_than_cores_give():
    steep = {cores: (1000 * cores**1.2,) * 2 for cores in (2, 4, 8, 16)}
    assert holds(short(steep, (100, 200)).facts()["cores"], "short-steep", mixes=[{"reads": 50}], cores=None)
    bent = {cores: (1000 * 2 ** (1.3 * k if k < 2 else 2.6 + 0.4 * (k - 2)),) * 2
            for k, cores in enumerate((2, 4, 8, 16, 32))}  # fmt: skip
    assert holds(short(bent, (100, 200)).facts()["cores"], "short-steep", mixes=[{"reads": 50}], cores=8)
    plain = {cores: (1000 * cores,) * 2 for cores in (2, 4, 8, 16)}
    assert "short-steep" not in keys_in(short(plain, (100, 200)).facts()["cores"])


def test_an_impossible_row_leads_nothing():
    clean = {2: (5e3, 5.1e3), 4: (9e3, 9.2e3), 8: (16e3, 16.5e3), 16: (27e3, 28e3), 32: (40e3, 44e3)}
    head = short(clean | {16: (72e3, 28e3)}, (100, 200), latency_us={(16, 100): 100 / 27e3 * 1e6})
    assert head.grades.loc[head.points.query("cores == 16 and threads == 100")["run_id"]].tolist() == ["F"]
    assert 72e3 not in [value for of in facts_in(head.verdicts) for value in of.values.values()]
    assert "short-falls" not in keys_in(head.facts()["cores"])
    assert holds(head.verdicts, "short-verdict-times", last=32, last_ops=44e3)


def test_losses_of_all_are_no_noise_though_each_alone_may_be():
    falling = {2: (10e3, 11e3, 9.4e3), 4: (20e3, 21e3, 18e3), 8: (40e3, 43e3, 36e3), 16: (70e3, 75e3, 63e3)}
    head = short(falling)
    together = {"low": 100, "threads": 200, "n": 4, "least": 0.143, "most": 0.163}
    assert holds(head.facts()["threads"], "short-together", **together)
    assert holds(head.verdicts, "short-verdict-together", **together)
    two = short({p: row[1:] for p, row in falling.items()}, (100, 200))
    assert holds(two.verdicts, "short-verdict-together", **together)
    some = short(falling | {4: (20e3, 21e3, 21.1e3)})
    assert "short-together" not in keys_in(some.facts()["threads"])


def test_threads_that_rise_with_the_cores_are_one_series():
    rows = pd.DataFrame({"cores": [2, 4, 8], "ram_gib": [8, 8, 8], "threads": [32, 64, 128], "qps": [4e3, 8.1e3, 16e3]})
    tables = of_frame(rows, dataset="x")
    head = head_of(tables)
    own_count = {"threads": OWN_THREADS, "first": 2, "first_ops": 4e3, "last": 8, "last_ops": 16e3, "factor": 2}
    assert holds(head.verdicts, "short-verdict-times", **own_count, bend=None, low=None, ram="none")
    assert "short-verdict-even" in keys_in(head.verdicts)


def test_more_cores_that_bring_nothing_are_said_to():
    head = short({2: (20e3,), 4: (20.2e3,), 8: (19.9e3,), 16: (20.1e3,)}, (100,))
    flat = {"first": 2, "first_ops": 20e3, "last": 16, "last_ops": 20_100}
    assert holds(head.verdicts, "short-verdict-flat", **flat)
    assert "short-stops" not in keys_in(head.facts()["cores"])


def test_where_the_smallest_spec_does_most_for_each_core_half_of_the_most_is_named():
    head = short({2: (10e3,), 4: (16e3,), 8: (25e3,), 16: (38e3,), 32: (48e3,)}, (100,))
    spec = {"cores": 8, "ram_gib": 8}
    assert holds(head.verdicts, "short-verdict-half", specs=[{"spec": spec, "mixes": [{"reads": 50}]}])
    assert holds(head.facts()["buy"], "short-buy-half", spec=spec, threads=100, ops=25e3)


def test_more_threads_than_were_tried_are_not_said_to_add_latency():
    growing = short({2: (10e3, 20e3, 40e3), 4: (20e3, 40e3, 80e3)})
    assert not holds(growing.facts()["threads"], "short-enough", fewer=True)
    assert holds(growing.facts()["unknown"], "short-unknown-more", threads=200)


def test_where_fewer_threads_are_in_doubt_no_more_are_asked_for():
    # 50 threads at 4 cores do a tenth of what they should: a slip, or another run's figures.
    slip = {(p, n): n / x * 1e6 for p, row in ROWS.items() for n, x in zip(LADDER, row, strict=True)}
    head = short(ROWS | {4: (1.9e3, 20e3, 20.2e3)}, latency_us=slip)
    assert head.grades["4-50"] == "D"
    assert enough_everywhere(head, 50)


def with_latencies(gain: float, p99: float, threads=(100, 200)) -> Short:
    """Five servers that gain by more threads; p99 grows so many times, the mean as a closed loop has it."""
    rows = [
        (f"{c}c{4 * c}g", "100:0", n, x := round(3000 * c**0.8 * (gain if n > 100 else 1)), n / x * 1000,
         2000 / c * (p99 if n > 100 else 1))
        for c in (2, 4, 8, 16, 32) for n in threads
    ]  # fmt: skip
    columns = ["spec", "mix", "threads", "qps", "read avg (ms)", "read p99 (ms)"]
    tables = of_frame(pd.DataFrame(rows, columns=columns), dataset="x")
    return head_of(tables)


def test_a_small_gain_for_which_p99_multiplies_is_no_advice_and_its_price_is_said():
    costly = with_latencies(1.15, 7)
    assert (ADVICE | {"short-verdict-no-gain"}).isdisjoint(keys_in(costly.verdicts))
    price = {"threads": 200, "most": 0.15, "p99": True, "low_ms": 250, "high_ms": 1750, "mixes": [{"reads": 100}]}
    for sentences in (costly.verdicts, costly.facts()["threads"]):
        assert holds(sentences, "short-costly", **price)
    for cheap in map(verdicts, (with_latencies(1.15, 2), with_latencies(1.5, 7))):
        assert holds(cheap, "short-verdict-more", threads=200, everywhere=True) and "short-costly" not in keys_in(cheap)
    # Four times the threads for 15 % more: operations wait as long.
    waiting = with_latencies(1.15, 1, (100, 400))
    assert holds(waiting.verdicts, "short-costly", p99=False) and ADVICE.isdisjoint(keys_in(waiting.verdicts))


def test_results_show_p99_where_it_is_known():
    head = with_latencies(1.15, 7)
    (table,) = (block for part in results.results(head.rows, head.grades).blocks if hasattr(part, "blocks")
                for block in part.blocks)  # fmt: skip
    assert "p99 (us)" in [column.heading for column in table.columns]
    assert table.frame["measured_p99"].iloc[0] == "1,000,000"


def test_a_small_gain_that_is_shown_is_not_called_none():
    rows = [
        {"cores": cores, "threads": threads, "qps": base * cores * gain * noise, "workload": "b"}
        for cores in (2, 4, 8, 16)
        for threads, gain in ((64, 1.0), (128, 1.08))
        for base, noise in ((1_800, 0.99), (1_800, 1.01), (1_800, 1.0))
    ]
    head = head_of(of_frame(pd.DataFrame(rows)))
    assert holds(head.verdicts, "short-verdict-no-gain", threads=128, low=64, any=True, least=None, most=0.08)
    # The same of single runs may be noise.
    once = head_of(of_frame(pd.DataFrame(rows).drop_duplicates(["cores", "threads"])))
    assert holds(once.verdicts, "short-verdict-no-gain", any=False)


def test_what_more_threads_than_are_enough_cost_in_p99_is_told():
    costly, cheap = (with_latencies(1.05, p99, (50, 100, 200)).facts()["threads"] for p99 in (7, 2))
    assert holds(costly, "short-enough", fewer=True, low_ms=250, high_ms=1750)
    assert holds(cheap, "short-enough", fewer=True, low_ms=None, high_ms=None)


def test_of_several_mixes_the_one_whose_p99_rises_most_is_named():
    rows = [
        (f"{c}c{4 * c}g", mix, n, round(3000 * c), n / (3 * c), 2000 / c * (p99 if n > 100 else 1))
        for c in (2, 4, 8, 16, 32)
        for n in (50, 100, 200)
        for mix, p99 in (("95:5", 2), ("100:0", 7))
    ]
    columns = ["spec", "mix", "threads", "qps", "read avg (ms)", "read p99 (ms)"]
    threads = head_of(of_frame(pd.DataFrame(rows, columns=columns))).facts()["threads"]
    assert holds(threads, "short-enough", low_ms=250, high_ms=1750, costly={"reads": 100})
