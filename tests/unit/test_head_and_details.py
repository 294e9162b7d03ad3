"""That a report's head and the lines below it agree, in tables whose truth is known, and that no sentence has a range
of one value, lacks a figure, or says of one mix what holds of another."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from facts_in import holds, keys_in, values_of
from known_truths import HEADINGS, closed_loop, row, said, tables
from page_samples import own_table
from report_samples import head_of

from ycsbook import ingest, messages, named_tables
from ycsbook.report import method, results
from ycsbook.report.results import threads, threads_figure
from ycsbook.report.rows import ReportRows
from ycsbook.scaling.points import with_throughput
from ycsbook.scaling.steps import cores_and_ram_effects
from ycsbook.tables import Tables

A, B, C = ({"reads": share} for share in (50, 95, 100))


def ladder(ladder_of_threads=(75, 175), cores=(3, 6, 10, 14, 20, 28)):
    """Servers of which the largest do a bit more with more threads."""
    return [row(c, n, closed_loop(n, 3000 * c**0.95), 3 * c) for c in cores for n in ladder_of_threads]


def steady(cores=(2, 4, 8, 16), mixes="ab", threads=(50, 100), power=0.9):
    return [row(c, n, 4500 * c**power, mix=m) for c in cores for n in threads for m in mixes]


def bad_runs(share):
    """Repeats with 12 % noise, one run of 6 cores and 120 threads at `share` of what it would be."""
    rng = np.random.default_rng(44)
    return [
        f"{row(c, n, 4200 * c**0.8 * np.exp(rng.normal(0, 0.12)) * (share if (c, n, k) == (6, 120, 1) else 1))},{k}"
        for c in (3, 6, 12, 24, 48)
        for n in (60, 120)
        for k in (1, 2, 3, 4)
    ]


# The most threads do ten times as much on 8 cores, which no other row bears out.
WRONG = [line.replace(f",{x},", f",{10 * int(x)},") if line.startswith("8c") and ",100," in line else line
         for line in steady() for x in [line.split(",")[5]]]  # fmt: skip
# Noiseless, so that the ends of many ranges are alike.
ALIKE = {
    "RAM": [row(8, n, x * (1 if ram >= 32 else 0.3), ram, m) for ram in (8, 16, 32, 64) for n in (64, 128)
            for m, x in (("a", 30e3), ("b", 45e3))],
    "CPU": [f"{row(c, n, 5000 * c * (1 if n == 60 else 0.65))},0.98" for c in (2, 4, 8, 16) for n in (60, 240)],
    "gain": [row(c, n, 5000 * c * (1 if n == 8 else 1.9), mix=m) for c in (2, 4, 8) for n in (8, 64) for m in "ab"],
    "failed": [f"{line},{300_000 if line[:4] == '16c6' and ',100,' in line else 0},1000000" for line in steady()],
    "no RAM alike": [row(c, n, 4000 * c * (1 + n / 2000), ram, m) for c in (2, 4, 16) for ram in (3 * c, 7 * c)
                     for n in (50, 100) for m in "abc"],
    "doubt": WRONG,
}  # fmt: skip
MORE = {"CPU": ",cpu", "failed": ",failed_operations,operations"}


@pytest.mark.matrix
@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_range_has_one_value_and_no_figure_is_missing(tmp_path, name, lang):
    head, lines = said(tmp_path, ALIKE[name], MORE.get(name, ""))
    texts = [messages.say(one, lang) for one in (*head, *(one for part in lines.values() for one in part))]
    assert not [text for text in texts if re.search(r"×–|nan|([×+−]?\d[\d.,]* ?%?)\s?(?:to|～|至)\s?\1(?!\.?\d)", text)]


def test_where_no_specs_have_equal_ram_nothing_is_told_of_cores_apart_from_ram(tmp_path):
    found = tables(tmp_path, ALIKE["no RAM alike"])
    assert cores_and_ram_effects(with_throughput(found.runs)) == []


def test_the_most_is_what_was_measured_and_specs_are_compared_at_their_best(tmp_path):
    head, lines = said(tmp_path, ladder())
    last = values_of(head, "short-verdict-times")["last_ops"]
    assert holds(lines["buy"], "short-buy", threads=75, top_ops=last, is_most=True)
    # The largest do a bit more with 175 threads, which is none of the difference between the specs.
    changes = [one.values["change"] for one in values_of(lines["buy"], "short-buy")["alike"]]
    assert changes == pytest.approx([-0.034, -0.058, -0.074], abs=1e-3)


def test_of_specs_that_repeats_do_not_tell_apart_none_is_said_to_give_the_most(tmp_path):
    rng, each = np.random.default_rng(5), {2: 5000, 4: 4990, 8: 4800, 16: 2000}
    rows = [f"{row(c, 64, x * c * np.exp(rng.normal(0, 0.05)))},{k}" for c, x in each.items() for k in (1, 2, 3)]
    head, lines = said(tmp_path, rows, ",repeat")
    assert holds(head, "short-verdict-buy", specs=[{"spec": {"cores": 8}}], alike=True, some=False)
    assert holds(lines["buy"], "short-buy", spec={"cores": 8}, is_most=False)


def test_only_mixes_of_which_others_are_as_good_are_said_to_have_such(tmp_path):
    each = {"a": {2: 3000, 4: 5000, 8: 4950, 16: 3000}, "c": {2: 3000, 4: 5000, 8: 3000, 16: 2900}}
    head, lines = said(tmp_path, [row(c, 64, x * c, mix=m) for m, of in each.items() for c, x in of.items()])
    specs = [{"spec": {"cores": 4}, "mixes": [A, C]}]
    assert holds(head, "short-verdict-buy", specs=specs, alike=True, some=True, alike_mixes=[A])
    assert [bool(one.values["alike"]) for one in lines["buy"] if one.key == "short-buy"] == [True, False]


def test_the_spec_that_does_the_most_is_not_the_one_for_half_of_it(tmp_path):
    head, lines = said(tmp_path, steady((4, 16), threads=(64,), power=0.8))
    assert "short-verdict-half" not in keys_in(head) and "short-buy-half" not in keys_in(lines["buy"])
    assert holds(head, "short-verdict-buy", specs=[{"spec": {"cores": 4}, "mixes": [A, B]}])


def test_for_the_money_mixes_with_one_answer_share_a_sentence_and_take_the_fewest_threads(tmp_path):
    prices = tmp_path / "prices.yml"
    prices.write_text("prices: {2c8g: 0.12, 4c16g: 0.2, 8c32g: 0.5}\n")
    each = (("a", 5000), ("b", 6000), ("c", 7000))
    rows = [row(c, n, x * c**0.8 * (1 + n / 9000), mix=m) for m, x in each for c in (2, 4, 8) for n in (50, 100)]
    ((_, short),) = named_tables.write_reports(own_table(tmp_path, HEADINGS, rows), tmp_path / "out", prices)
    assert sum("4 cores, 16 GiB at 50 threads" in line and "0.2 per hour" in line for line in short.points) == 1
    # Known prices have decided where each core does as much on every spec.
    even = [row(c, 50, 5000 * c) for c in (2, 4, 8)]
    for params, decides in ((prices, False), (None, True)):
        ((_, short),) = named_tables.write_reports(own_table(tmp_path, HEADINGS, even), tmp_path / "even", params)
        assert any("each core does as much" in line for line in short.points)
        assert any("the price decides" in line for _, line in short.lines) == decides


def test_ram_decides_where_all_specs_have_the_same_cores(tmp_path):
    head, _ = said(tmp_path, ALIKE["RAM"])
    assert holds(head, "short-verdict-ram", cores=["8"], ram=16, ram_to=32, least=None, most=3.333, mixes=[A, B])
    assert "short-verdict-ram" not in keys_in(said(tmp_path, ALIKE["RAM"][4:10:4])[0])


def test_rows_that_are_too_low_would_make_no_spec_the_best_if_they_were_right(tmp_path):
    assert "short-otherwise-buy" not in keys_in(said(tmp_path, bad_runs(0.3), ",repeat")[1]["doubt"])
    _, lines = said(tmp_path, WRONG)
    specs = [{"spec": {"cores": 8, "ram_gib": 32}, "mixes": [A, B]}]
    assert holds(lines["doubt"], "short-otherwise-buy", specs=specs)


def test_rows_that_do_not_fit_are_said_to_in_both_languages(tmp_path):
    (doubt,) = (one for one in said(tmp_path, bad_runs(3.0), ",repeat")[0] if one.key == "short-verdict-doubt")
    assert holds(doubt, "short-verdict-doubt", impossible=0, failed=0, others=1, n=1)
    assert "does not fit" in messages.say(doubt) and "与其他数据不符" in messages.say(doubt, "zh")


def test_growth_is_that_of_a_series_without_rows_in_doubt_where_it_reaches_as_much(tmp_path):
    most = {(c, n): closed_loop(n, 4500 * c**0.92) for c in (2, 4, 8, 16) for n in (30, 90, 270)}
    most[4, 90], most[8, 90] = most[8, 90], most[4, 90]
    head, _ = said(tmp_path, [row(*cell, x) for cell, x in most.items()])
    assert holds(head, "short-verdict-times", threads=270, factor=1.89)
    assert "short-leap" not in keys_in(head) and holds(head, "short-cause", cause="swapped_rows", n=2)


@pytest.mark.parametrize(("last", "told"), [(52_000, True), (60_000, False)])
def test_a_ceiling_begins_where_throughput_is_level(tmp_path, last, told):
    ops = {2: 12_000, 4: 24_000, 8: 46_000, 16: 51_700, 32: last}
    rows = [f"{row(c, n, x + n)},{min(1, x / (6000 * c)):.2f}" for c, x in ops.items() for n in (64, 192)]
    head, _ = said(tmp_path, rows, ",cpu")
    assert holds(head, "short-verdict-ceiling", mix=A, cores=16, busy=0.54) == told


def test_the_best_server_is_named_where_nobody_knows_its_cores(tmp_path):
    most = {"small": 9000, "medium": 21_000, "large": 33_000}
    rows = [f"{name},{n},{m},{x * f:.0f}" for name, x in most.items() for n, f in ((50, 0.9), (100, 1)) for m in "ab"]
    head = head_of(named_tables.read(own_table(tmp_path, "spec,threads,workload,qps", rows)))
    assert holds(head.head, "short-best", mix=A, ops=33e3, spec={"spec": "large"})
    assert holds(head.facts()["measured"], "short-alone", mix=B, ops=33e3, spec={"spec": "large"})
    for lang in ("en", "zh"):
        assert "large" in messages.say(head.head[0], lang)


def test_mixes_of_which_the_same_is_said_share_the_sentence(tmp_path):
    each = {2: 0.6, 4: 0.75, 8: 1, 16: 1}
    rows = [row(c, n, 5000 * c * (1 if n == 64 else each[c]), mix=m) for c in each for n in (64, 256) for m in "ab"]
    head, _ = said(tmp_path, rows)
    assert holds(head, "short-verdict-fewer", where=[{"mixes": [A, B], "cores": ["2", "4"]}])
    head, _ = said(tmp_path, ALIKE["failed"], MORE["failed"])
    assert holds(head, "short-verdict-doubt", failed=2, n=2, where=[{"mixes": [A, B], "some": ["16"]}])
    jump = {"a": 0.3, "b": 0.25, "c": 0.2}
    rows = [row(c, 60, 2500 * c * (jump[m] if c < 8 else 1), mix=m) for c in (2, 4, 8, 16) for m in jump]
    head, _ = said(tmp_path, rows)
    assert holds(head, "short-leap", mixes=[A, B, C], first=4, cores=8, least=6.667, most=10)


def test_a_spec_that_does_too_little_is_told_before_threads_that_bring_nothing(tmp_path):
    each = (("a", 3000), ("b", 5000), ("c", 6000))
    rows = [
        f"{row(c, n, x * c**0.9 * (0.45 if c == 16 else 1) * (1 + k / 300), mix=m)},{k}"
        for m, x in each
        for c in (2, 4, 8, 16, 32)
        for n in (50, 100)
        for k in (1, 2, 3)
    ]
    head, lines = said(tmp_path, rows, ",repeat")
    assert holds(head, "short-verdict-slower", spec={"cores": 16})
    assert "short-verdict-no-gain" in keys_in(lines["threads"]) and "short-verdict-no-gain" not in keys_in(head)


def test_where_growth_bends_before_a_rise_of_ram_that_is_told(tmp_path):
    rows = [row(c, 60, x) for c, x in ((4, 4200), (6, 6400), (8, 8500), (12, 36_400), (16, 48_600), (24, 72_900))]
    (times,) = (one for one in said(tmp_path, rows)[0] if one.key == "short-verdict-times")
    assert holds(times, "short-verdict-times", later=True, ram="more")
    assert "RAM" in messages.say(times) and "内存" in messages.say(times, "zh")


def test_a_short_run_is_not_built_on_and_what_its_warm_up_took_is_told(tmp_path):
    summary = [
        "[OVERALL], RunTime(ms), 60000", "[OVERALL], Throughput(ops/sec), 1833.3", "[READ], Operations, 110000",
        "[READ], AverageLatency(us), 500", "[READ], MinLatency(us), 100", "[READ], MaxLatency(us), 900",
        "[READ], 95thPercentileLatency(us), 700", "[READ], 99thPercentileLatency(us), 800",
        "[READ], Return=OK, 110000",
    ]  # fmt: skip
    command = "java -cp core.jar site.ycsb.Client -t -db site.ycsb.db.MongoDbClient -threads 4"
    (tmp_path / "run.log").write_text("\n".join([f"Command line: {command}", *summary]) + "\n")
    tables = ingest.read(tmp_path)
    # As of status lines of 1,000 ops/s in the first ten seconds, and of 2,000 after these.
    tables = replace(tables, runs=tables.runs.assign(steady_ops_s=2000.0, warmup_s=10.0))
    short = head_of(tables)
    assert holds(short.head, "short-verdict-short", n=1, most=60)
    (alone,) = (fact.values for fact in short.facts()["measured"])
    assert (alone["ops"], alone["whole"], alone["early_s"]) == (2000, 1833.3, 10)
    # One core count has no laws to explain.
    assert len(method.method(short.rows).blocks) == 1
    runs = [tables.runs.assign(cores=cores, run_id=str(cores)) for cores in (2.0, 4.0)]
    assert len(method.method(ReportRows(short.rows.sweep, Tables(runs=pd.concat(runs, ignore_index=True)))).blocks) == 5


@pytest.mark.parametrize("counts", [(60, 120), (30, 60, 120)])
@pytest.mark.parametrize("doubted", [False, True])
def test_captions_explain_only_what_the_figure_shows(tmp_path, counts, doubted):
    """Hollow dots and hatched cells where rows are in doubt, arrows where a spec has several thread counts."""
    cells = [(c, n, closed_loop(n, 5000 * c)) for c in (2, 4, 8, 16) for n in counts]
    # Four times as much as its threads can do at its latency.
    rows = [row(c, n, x) if not doubted or c != 8 else row(c, n, x).replace(f",{x:.0f},", f",{4 * x:.0f},", 1)
            for c, n, x in cells]  # fmt: skip
    short = head_of(tables(tmp_path, rows))
    drawn, heat = threads_figure(short.rows, short), threads(short.rows, short).blocks[0]
    assert [("ollow" in drawn.caption), ("hatched" in heat.caption)] == [doubted, doubted]
    assert "arrows" in results.latency(short.rows, short).blocks[0].caption
    one = head_of(tables(tmp_path, rows[:: len(counts)]))
    assert "arrows" not in results.latency(one.rows, one).blocks[0].caption


def test_for_each_core_the_row_that_is_quoted_is_the_one_compared(tmp_path):
    # 4 cores do 5 % more with 200 threads, within the noise that is assumed: the fewer threads are advised.
    rows = [row(c, n, each * c) for c, each in ((2, 5300), (4, 5200), (8, 2000)) for n in (100,)]
    rows += [row(c, n, each * c) for c, each in ((2, 5370), (4, 5450), (8, 2000)) for n in (200,)]
    _, lines = said(tmp_path, rows)
    of_two = {"threads": 200, "change": 5370 / 5200 - 1}
    assert holds(lines["buy"], "short-buy", threads=100, ops=20_800, is_most=False, alike=[of_two])


@pytest.mark.parametrize("threads", [64, ""])
def test_what_ram_brings_is_that_at_equal_cores_whatever_smaller_servers_do(tmp_path, threads):
    # 10 GB of data: 16 GiB on 8 cores do a third to a sixth of what 32 do; 2 cores wait for their disk alike.
    of = {"a": {(2, 8): 8e3, (4, 16): 9e3, (8, 16): 10e3, (8, 32): 60e3, (16, 64): 110e3}}
    of["c"] = {shape: x * (0.5 if shape == (8, 32) else 1) for shape, x in of["a"].items()}
    rows = [f"{c}c{r}g,{c},{r},{threads},{m},{x:.0f},10" for m, by in of.items() for (c, r), x in by.items()]
    head = head_of(
        named_tables.read(own_table(tmp_path, "spec,cores,ram_gib,threads,workload,qps,Data size (GB)", rows))
    )
    ram = {"cores": ["8"], "ram": 16, "ram_to": 32, "least": 3, "most": 6, "mixes": [C, A]}
    assert holds(head.head, "short-verdict-ram", **ram) and "short-verdict-outgrown" not in keys_in(head.verdicts)


@pytest.mark.parametrize(("times", "open_"), [(1.6, True), (1.15, False)])
def test_threads_that_still_bring_much_are_no_end_of_what_the_server_does(tmp_path, times, open_):
    head, lines = said(tmp_path, [row(8, n, x) for n, x in ((16, 20e3), (32, 20e3 * times))])
    assert holds(head, "short-best", threads=32, at_least=open_)
    assert holds(lines["measured"], "short-alone", threads=32, at_least=open_)
    assert holds(lines["unknown"], "short-unknown-more", threads=32) is open_
    assert holds(head, "short-verdict-gain", threads=32, open=True) is open_


@pytest.mark.parametrize(("most", "beyond"), [(16, "level"), (64, None)])
def test_a_curve_that_levels_has_no_factor_of_all_its_cores(tmp_path, most, beyond):
    rows = [
        f"{row(c, 64, 9000 * min(c, most) ** 0.95 * (1 + 0.001 * ((r * c) % 5)))},{r}"
        for c in (1, 2, 4, 8, 16, 32, 64)
        for r in (1, 2, 3)
    ]
    cores = said(tmp_path, rows, ",repeat")[1]["cores"]
    if beyond:
        assert holds(cores, "short-growth-turns", cores=16, lower=2**0.95, beyond=beyond, last=64)
        assert "short-growth" not in keys_in(cores)
    else:
        # Its interval reads 1.93 to 1.93.
        assert holds(cores, "short-growth", factor=2**0.95, low=None, high=None)


def test_what_falls_does_most_where_it_was_measured_to(tmp_path):
    of = {c: 2000 * c / (1 + 0.05 * (c - 1) + 0.002 * c * (c - 1)) for c in (1, 2, 4, 8, 16, 24, 32, 48)}
    rows = [f"{row(c, 400, x * (1 + 0.002 * (r - 2)))},{r}" for c, x in of.items() for r in (1, 2, 3)]
    head, lines = said(tmp_path, rows, ",repeat")
    assert holds(lines["cores"], "short-falls", cores=24, ops=of[24], last=48)
    assert holds(head, "short-verdict-times", bend=24, middle_ops=of[24])
    # The law is claimed: its peak is told, wherever it lies between those measured.
    ((_, short),) = named_tables.write_reports(own_table(tmp_path, HEADINGS + ",repeat", rows), tmp_path / "out")
    assert any("peak near 22 cores (USL)" in line for line in short.points)


def test_what_cores_bring_at_equal_ram_and_records_is_the_first_that_is_said(tmp_path):
    shapes = [(2, 4, 1), (2, 8, 2), (4, 8, 2), (4, 16, 4), (8, 16, 4), (8, 32, 10), (16, 32, 10)]
    rows = [f"{row(c, 64, x * c**0.5 * ram**0.3, ram, m)},{records}000000"
            for m, x in (("a", 4e3), ("b", 5e3), ("c", 6e3), ("r80", 7e3)) for c, ram, records in shapes]  # fmt: skip
    head, lines = said(tmp_path, rows, ",recordcount")
    first, together = head[:2]
    assert holds(first, "short-apart-range", n=4, cores_low=2**0.5, ram_high=2**0.3)
    assert holds(together, "short-verdict-range", ram="more")
    assert "short-unknown-records" not in keys_in(lines["unknown"])


def test_of_servers_that_do_as_much_for_each_core_the_one_with_the_least_ram_is_named(tmp_path):
    rng = np.random.default_rng(7)
    rows = [
        f"{row(c, 64, 4500 * c**power * np.exp(rng.normal(each / 500, 0.02)), each * c)},{k}"
        for c, power in ((4, 1), (8, 1), (32, 0.9)) for each in (2, 4, 8) for k in (1, 2, 3)
    ]  # fmt: skip
    head, lines = said(tmp_path, rows, ",repeat")
    assert holds(lines["buy"], "short-buy", spec={"cores": 8, "ram_gib": 16})
    # Which did a bit more by chance.
    assert holds(head, "short-verdict-buy", is_most=False)


def test_ram_that_brings_much_up_to_some_size_and_nothing_beyond_is_told(tmp_path):
    grown, rng = {8: 1.0, 16: 1.5, 32: 2.2, 64: 2.2, 128: 2.2}, np.random.default_rng(2)
    rows = [
        row(c, 100, 1200 * c**0.8 * x * np.exp(rng.normal(0, 0.01)), ram, m)
        for c in (4, 8, 16) for ram, x in grown.items() for m in "ab"
    ]  # fmt: skip
    head, _ = said(tmp_path, rows)
    assert holds(head, "short-verdict-ram", cores=["4", "8", "16"], ram=8, ram_to=32, enough=True)
    assert values_of(head, "short-verdict-ram")["most"] == pytest.approx(2.2, abs=0.08)
    # With RAM that goes on to help, nobody knows how much is enough.
    still = [row(c, 100, 1200 * c**0.8 * ram**0.4, ram, m) for c in (4, 8, 16) for ram in grown for m in "ab"]
    assert "short-verdict-ram" not in keys_in(said(tmp_path, still)[0])


def test_of_many_mixes_those_whose_growth_ends_are_named(tmp_path):
    mixes = {"100:0": 3000, "95:5": 2800, "75:25": 2200, "50:50": 1800}
    rows = [
        row(c, 64, min(each * c**0.95, 20_000 if mix == "75:25" else 1e6) * (1 + 0.003 * r), mix=mix) + f",{r}"
        for mix, each in mixes.items() for c in (4, 8, 16, 32) for r in (1, 2)
    ]  # fmt: skip
    head, _ = said(tmp_path, rows, ",repeat")
    values = values_of(head, "short-verdict-range")
    assert (values["all"], len(values["mixes"]), values["turns"]) == (False, 1, ("8",)) and values["upper"] < 1.2
    assert values["cores"] == 32 and values["slow_ops"] == pytest.approx(20_000, rel=0.01)
    assert values["slow_mix"].values["reads"] == 75 and values["fast_mix"].values["reads"] == 100
    rows = [
        row(c, 64, min(each * c**0.95, each * 9) * (1 + 0.003 * r), mix=mix) + f",{r}"
        for mix, each in mixes.items() for c in (4, 8, 16, 32) for r in (1, 2)
    ]  # fmt: skip
    assert holds(said(tmp_path, rows, ",repeat")[0], "short-verdict-range", all=True)


def test_servers_without_cores_have_prices_and_are_compared_at_the_threads_that_bring_as_much(tmp_path):
    random = np.random.default_rng(2)
    rows = [
        f"{tier},{n},50:50,{ops * random.normal(1 + n / 100_000, 0.01):.0f},{n / ops * 1e6:.0f},{price},{r}"
        for tier, ops, price in (("M30", 3600, 0.54), ("M40", 6900, 0.86), ("M50", 13_900, 2.0))
        for n in (32, 128) for r in (1, 2)
    ]  # fmt: skip
    file = own_table(tmp_path, "tier,threads,workload,qps,latency_us,price_per_hour,repeat", rows)
    ((_, short),) = named_tables.write_reports(file, tmp_path / "report")
    (line,) = (line for line in short.points if "for the money" in line)
    assert "M40 at 32 threads" in line and "0.86 per hour" in line
    (behind,) = (line for line in short.points if line.startswith("50:50 behind M50"))
    assert "(−74 %, 8.89 ms)" in behind


def test_beside_servers_of_known_cores_one_without_gets_no_thread_count(tmp_path):
    rows = [f"{c}c,{c},{n},{c * 1000 * (1 + n / 20_000):.0f}" for c in (2, 4) for n in (50, 100, 200)]
    rows += [f"serverless,,{n},{3000 * (1 + n / 20_000):.0f}" for n in (50, 100, 200)]
    head = head_of(named_tables.read(own_table(tmp_path, "spec,cores,threads,qps", rows)))
    parts = values_of(head.head, "short-verdict-use")["parts"]
    assert [(part.values["first"], part.values["last"]) for part in parts] == [(2, 4)]
