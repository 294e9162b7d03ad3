"""What the first lines of a report say of tables whose truth is known."""

from itertools import product

import numpy as np
import pytest
from facts_in import facts_in, holds, keys_in, values_of
from page_samples import own_table
from report_samples import head_of

from ycsbook import named_tables
from ycsbook.facts import Fact
from ycsbook.report import html, markdown
from ycsbook.report.blocks import Items
from ycsbook.scaling.growth import BEST_THREADS

COLUMNS = "cores,ram_gib,threads,read_percent,qps"


def head(tmp_path, rows, columns=COLUMNS):
    return head_of(named_tables.read(own_table(tmp_path, columns, rows)))


def verdicts(tmp_path, rows, columns=COLUMNS) -> list[Fact]:
    return list(head(tmp_path, rows, columns).head)


def grown(cores, start=3000, power=0.85):
    return round(start * cores**power)


@pytest.mark.parametrize("busy", [None, 0.4])
def test_a_mix_that_stays_at_one_throughput_while_another_grows(tmp_path, busy):
    rows = [
        (c, 4 * c, n, reads, round(min(grown(c), most) * (1.002 if n == 200 else 1)), busy or "")
        for c in (2, 4, 8, 16, 24, 32, 48)
        for n in (100, 200)
        for reads, most in ((50, 1e9), (95, 25_000))
    ]
    of = head(tmp_path, rows, f"{COLUMNS},cpu")
    assert keys_in(of.head).count("short-verdict-ceiling") == 1
    assert holds(of.head, "short-verdict-ceiling", mix={"reads": 95}, ops=25_000, cores=16, busy=busy)
    # Level is no fall.
    assert holds(of.facts()["cores"], "short-growth-turns", mix={"reads": 95}, cores=16, beyond="level")


def test_a_mix_that_goes_on_growing_has_no_ceiling(tmp_path):
    rows = [(c, 4 * c, n, 95, grown(c)) for c in (2, 4, 8, 16, 24, 32, 48) for n in (100, 200)]
    assert "short-verdict-ceiling" not in keys_in(verdicts(tmp_path, rows))


def test_a_larger_spec_that_does_less_is_named(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (c, 4 * c, 200, 50, round(grown(c) * (0.6 if c == 48 else 1) * np.exp(rng.normal(0, 0.02))), r)
        for r in (1, 2, 3)
        for c in (2, 4, 8, 16, 32, 48)
    ]
    slower = {"spec": {"cores": 48, "ram_gib": 192}, "smaller": {"cores": 32, "ram_gib": 128}, "most": 0.159}
    assert holds(verdicts(tmp_path, rows, f"{COLUMNS},repeat"), "short-verdict-slower", **slower)
    fine = [(*row[:4], grown(row[0]), row[5]) for row in rows]
    assert "short-verdict-slower" not in keys_in(verdicts(tmp_path, fine, f"{COLUMNS},repeat"))


def test_of_a_ladder_each_spec_counts_at_its_best_thread_count(tmp_path):
    """Peaks at 32, 64, 128 and 256 threads: at any one count growth would look steeper or flatter than it is."""
    rows = [
        (c, 4 * c, n, 50, round(grown(c) * 4 * (n / (8 * c)) / (1 + (n / (8 * c))) ** 2))
        for c in (4, 8, 16, 32)
        for n in (1, 4, 16, 32, 64, 128, 256, 512)
    ]
    assert holds(verdicts(tmp_path, rows)[0], "short-verdict-times", threads=BEST_THREADS, factor=1.8)


def test_the_best_of_one_server_is_told_at_the_fewest_threads_that_do_as_much(tmp_path):
    """64,000 ops/s from 128 threads on: at 512, an operation only waits four times as long."""
    rows = [
        (8, 32, n, reads, round(min(500 * n, 64_000) * (1 + n / 1e5)), 1000 * n / min(500 * n, 64_000))
        for n in (1, 8, 32, 64, 128, 256, 512)
        for reads in (50, 95)
    ]
    of = head(tmp_path, rows, f"{COLUMNS},read_latency_ms")
    for reads in (50, 95):
        assert holds(of.head, "short-best", mix={"reads": reads}, threads=128, ops=64_082)
        assert holds(of.facts()["measured"], "short-alone", mix={"reads": reads}, threads=128, read_ms=2.0)


def test_where_ram_tells_it_stands_beside_what_cores_bring(tmp_path):
    rows = [(c, ram, 100, 95, round(grown(c) * (ram / 16) ** 0.6)) for c in (4, 8, 16) for ram in (16, 32, 64)]
    assert holds(verdicts(tmp_path, rows)[0], "short-verdict-times", factor=1.802, more_ram=1.516)
    rows = [(c, ram, 100, 95, grown(c)) for c in (4, 8, 16) for ram in (16, 32, 64)]
    assert holds(verdicts(tmp_path, rows)[0], "short-verdict-times", factor=1.802, more_ram=None, ram="none")


def test_with_prices_what_gives_most_for_the_money_stands_on_top(tmp_path):
    params = tmp_path / "prices.yml"
    params.write_text("prices: {4c16g: 0.4, 8c32g: 0.5}\ncurrency: USD\n")
    rows = [(c, 4 * c, 100, 50, grown(c)) for c in (4, 8)]
    ((_, short),) = named_tables.write_reports(own_table(tmp_path, COLUMNS, rows), tmp_path / "out", params)
    assert any(line.startswith("50:50: 8 cores, 32 GiB") and "0.5 per hour" in line for line in short.points)


def test_each_sentence_below_the_pictures_is_a_line_of_its_own():
    items = Items((("Cores", "A first one.\nA second one."), ("Threads", "Alone.")))
    assert markdown.fragment(items) == "- **Cores:**\n  - A first one.\n  - A second one.\n- **Threads:** Alone."
    lines = "<ul><li>A first one.</li><li>A second one.</li></ul></li>"
    assert f"<li><strong>Cores:</strong>{lines}" in html.fragment(items)


def test_what_rows_in_doubt_may_come_from_is_told(tmp_path):
    def causes(rows, columns=f"{COLUMNS},read_us,write_us"):
        facts = facts_in(verdicts(tmp_path, rows, columns))
        return {of.values["cause"]: of.values["n"] for of in facts if of.key == "short-cause"}

    clean = [(c, 4 * c, n, 50, grown(c), round(1e6 * n / grown(c)) - 3) for c in (2, 4, 8, 16, 32) for n in (100, 200)]
    rows = [(*row, row[-1]) for row in clean]
    assert not causes(rows)
    milliseconds = [(*row[:-2], row[-2] / 1e3, row[-1] / 1e3) for row in rows]
    assert causes(milliseconds) == {"little_law-unit": 10}
    copied = [(*row[:4], *rows[i - 2][4:]) if row[0] == 16 else row for i, row in enumerate(rows)]
    assert causes(copied) == {"copied_rows": 4}
    digit = [(*row[:4], row[4] / 10, *row[5:]) if row[:3] == (16, 64, 100) else row for row in rows]
    assert causes([row[:5] for row in digit], COLUMNS) == {"wrong_digits": 1}


def test_cores_that_do_unlike_amounts_are_not_said_to_do_alike(tmp_path):
    rows = [(c, 4 * c, 64, 50, round(4000 * c**power)) for power in (0.93,) for c in (2, 4, 8, 16)]
    assert "short-verdict-even" not in keys_in(verdicts(tmp_path, rows))
    # Nor that half of the most takes half of the cores.
    assert holds(verdicts(tmp_path, rows), "short-verdict-nearly-even", mixes=[{"reads": 50}], less=0.1354)
    assert "short-verdict-half" not in keys_in(verdicts(tmp_path, rows))
    even = [(c, 4 * c, 64, 50, 4000 * c + 40 * (c % 3)) for c in (2, 4, 8, 16)]
    assert "short-verdict-even" in keys_in(verdicts(tmp_path, even))


def test_one_thread_count_that_brings_no_more_may_be_too_few(tmp_path):
    rows = [(c, 4 * c, 32, 95, 26_000 + c) for c in (8, 16, 32, 64)]
    assert holds(verdicts(tmp_path, rows)[0], "short-verdict-flat", few=True)
    both = [*rows, *((*row[:2], 64, *row[3:]) for row in rows)]
    assert holds(verdicts(tmp_path, both), "short-verdict-flat", few=False)


def test_a_step_that_cores_cannot_give_is_told(tmp_path):
    rows = [(c, 4 * c, 64, 50, grown(c, 300 if c < 8 else 3000)) for c in (2, 4, 8, 16, 32)]
    leap = {"mixes": [{"reads": 50}], "most": 18.02, "first": 4, "cores": 8}
    assert holds(verdicts(tmp_path, rows)[1], "short-leap", **leap)
    even = [(c, m, n, w, grown(c)) for c, m, n, w, _ in rows]
    assert "short-leap" not in keys_in(verdicts(tmp_path, even))


@pytest.mark.parametrize(
    ("lengths_s", "short_cores"),
    [
        ({2: 1800, 4: 1800, 8: 25, 16: 25}, [8, 16]),
        ({2: 1800, 4: 1800, 8: 1500, 16: 1500}, []),
        ({2: 900, 4: 400, 8: 200, 16: 100}, []),
        ({2: 60, 4: 60, 8: 60, 16: 60}, []),
    ],
)
def test_runs_of_unlike_length_are_not_to_be_compared(tmp_path, lengths_s, short_cores):
    rows = [(c, 4 * c, n, 50, grown(c), 1000 * s) for c, s in lengths_s.items() for n in (100, 200)]
    first = verdicts(tmp_path, rows, f"{COLUMNS},runtime_ms")[0]
    specs = [{"cores": c, "ram_gib": 4 * c} for c in short_cores]
    assert holds(first, "short-verdict-lengths", specs=specs, apart=True, most=25, least=1800) == bool(short_cores)
    assert (first.key == "short-verdict-lengths") == bool(short_cores)


def test_of_short_repeats_of_the_same_specs_the_number_is_told(tmp_path):
    rows = [(c, 4 * c, 100, 50, grown(c), r, 1800_000 if r < 3 else 30_000) for c in (2, 4, 8) for r in (1, 2, 3)]
    first = verdicts(tmp_path, rows, f"{COLUMNS},repeat,runtime_ms")[0]
    assert holds(first, "short-verdict-lengths", apart=False, n=3, total=9, most=30, least=1800)


def test_one_spec_that_is_not_in_doubt_is_no_average_of_its_core_count(tmp_path):
    """Of three specs of 2 cores two have rows that Little's law excludes."""

    def first(slip):
        rng, rows = np.random.default_rng(5), []
        for c, share, n in product((2, 4, 8, 16), (2, 4, 8), (100, 200)):
            qps = round(grown(c) * np.exp(rng.normal(0, 0.01)))
            us = round((slip if c == 2 and share < 8 else 1) * 1e6 * n / qps)
            rows.append((c, share * c, n, 50, qps, us, us))
        times = values_of(verdicts(tmp_path, rows, f"{COLUMNS},read_us,write_us")[0], "short-verdict-times")
        return times["several"], times["first"], round(times["first_ops"] / 1e3)

    assert first(1.3) == (True, 4, round(grown(4) / 1e3))
    assert first(1) == (True, 2, round(grown(2) / 1e3))


@pytest.mark.parametrize(("data_gib", "told"), [(20, True), (2, False), (200, False), ("", False)])
def test_ram_that_the_data_outgrow_is_told_with_what_it_costs(tmp_path, data_gib, told):
    rows = [(c, 4 * c, n, 95, grown(c) * (0.1 if c < 8 else 1), data_gib) for c in (2, 4, 8, 16) for n in (64, 128)]
    facts = verdicts(tmp_path, rows, f"{COLUMNS},data_gib")
    outgrown = {"ram": 16, "data": 20, "ram_to": 32, "most": 9.01, "mixes": [{"reads": 95}]}
    assert holds(facts, "short-verdict-outgrown", **outgrown) == told == ("short-verdict-outgrown" in keys_in(facts))
    even = [(*row[:4], grown(row[0]), row[5]) for row in rows]
    assert "short-verdict-outgrown" not in keys_in(verdicts(tmp_path, even, f"{COLUMNS},data_gib"))


def test_growth_on_either_side_of_a_bend_multiplies_up_to_what_is_told(tmp_path):
    rows = [
        (c, 32, n, 50, round(grown(min(c, 8), power=0.9) * max(c / 8, 1) ** 0.3))
        for c in (2, 4, 8, 16, 32)
        for n in (9, 99)
    ]
    times = values_of(verdicts(tmp_path, rows)[0], "short-verdict-times")
    assert (times["first"], times["bend"], times["last"]) == (2, 8, 32)
    assert times["first_ops"] * times["lower"] ** 2 * times["upper"] ** 2 == pytest.approx(times["last_ops"])


def single_runs(mixes=(50, 95, 100)):
    """Single runs that lose and gain nothing by more threads."""
    cells = product((2, 4, 8, 16, 32, 64), (100, 200), mixes)
    return [(c, 4 * c, n, reads, grown(c, 2000 + 40 * reads)) for c, n, reads in cells]


def test_a_step_that_cores_cannot_give_stays_longer_than_what_nobody_knows(tmp_path):
    """One mix does 3.4 times as much on 8 cores as on 4; a row in doubt and its likely cause fill the head."""
    rows = [(*row[:4], round(row[4] * 1.9)) if row[0] >= 8 and row[3] == 50 else row for row in single_runs()]
    rows = [(*row[:4], row[4] / 10) if row[:4] == (16, 64, 100, 95) else row for row in rows]
    of = head(tmp_path, [(*row, 0) for row in rows], f"{COLUMNS},write_concern")
    left_out = set(keys_in(of.verdicts)) - set(keys_in(of.head))
    assert {"short-verdict-half", "short-verdict-unknown"} < left_out and len(of.head) == 6
    assert holds(of.head, "short-leap", mixes=[{"reads": 50}], first=4, cores=8)


@pytest.mark.parametrize(("lost", "told"), [(0.26, True), (0.15, False)])
def test_a_large_loss_of_single_runs_is_told_as_not_proven(tmp_path, lost, told):
    """A loss that one run that went wrong would explain is no alarm, and stands in the head all the same."""
    rows = [
        (*row[:4], round(row[4] * (1 - lost))) if row[0] in (4, 64) and row[2] == 200 else row
        for row in single_runs(mixes=(50,))
    ]
    of = head(tmp_path, rows)
    assert ("short-verdict-unproven" in keys_in(of.head)) == told
    large = {"threads": 200, "most": lost, "least": None, "cells": [{"cores": 4}, {"cores": 64}], "cells_more": 0}
    assert holds(of.head, "short-verdict-unproven", **large) == told
    assert not (of.findings["severity"] == "warning").any()


def test_of_several_large_losses_on_the_way_the_largest_is_told_with_its_threads(tmp_path):
    rows = [(8, 32, *row) for row in ((1, 50, 19_400), (2, 50, 10_800), (4, 50, 9760), (8, 50, 6270))]
    of = head(tmp_path, rows)
    assert holds(of.head, "short-verdict-unproven", threads=2, most=pytest.approx(0.443, abs=0.001), least=None)
