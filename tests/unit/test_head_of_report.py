"""What the first lines of a report say of tables whose truth is known."""

import re
from itertools import product

import numpy as np
import pytest

from ycsbook import anomalies, named_tables
from ycsbook.params import Sweep
from ycsbook.report import html, in_short, markdown
from ycsbook.report.blocks import Items


def points(tmp_path, rows, columns="cores,ram_gib,threads,read_percent,qps", params=None):
    (tmp_path / "t.csv").write_text("\n".join([columns, *(",".join(map(str, row)) for row in rows)]) + "\n")
    if params is None:
        tables = named_tables.read(tmp_path / "t.csv")
        return in_short(Sweep.of_tables("t", "t"), tables, anomalies.find(tables))
    ((_, said),) = named_tables.write_reports(tmp_path / "t.csv", tmp_path / "out", params)
    return said


def grown(cores, start=3000, power=0.85):
    return round(start * cores**power)


@pytest.mark.parametrize(
    ("busy", "told"), [("", "find what limits it"), (0.4, "at most 40 % busy: the limit is elsew")]
)
def test_a_mix_that_stays_at_one_throughput_while_another_grows(tmp_path, busy, told):
    rows = [
        (c, 4 * c, n, reads, round(min(grown(c), most) * (1.002 if n == 200 else 1)), busy)
        for c in (2, 4, 8, 16, 24, 32, 48)
        for n in (100, 200)
        for reads, most in ((50, 1e9), (95, 25_000))
    ]
    said = points(tmp_path, rows, "cores,ram_gib,threads,read_percent,qps,cpu")
    (line,) = [line for line in said.points if "stays near" in line]
    assert line.startswith("95:5 stays near 25,000 ops/s from 16 cores on") and told in line
    # Level is no fall.
    assert "beyond 16 nothing more" in dict(said.lines)["Cores"]


def test_a_mix_that_goes_on_growing_has_no_ceiling(tmp_path):
    rows = [(c, 4 * c, n, 95, grown(c)) for c in (2, 4, 8, 16, 24, 32, 48) for n in (100, 200)]
    assert not any("stays near" in line for line in points(tmp_path, rows).points)


def test_a_larger_spec_that_does_less_is_named(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (c, 4 * c, 200, 50, round(grown(c) * (0.6 if c == 48 else 1) * np.exp(rng.normal(0, 0.02))), r)
        for r in (1, 2, 3)
        for c in (2, 4, 8, 16, 32, 48)
    ]
    said = points(tmp_path, rows, "cores,ram_gib,threads,read_percent,qps,repeat").points
    (line,) = [line for line in said if "less than" in line]
    assert line.startswith("48 cores 192 GiB does 1") and "less than 32 cores, 128 GiB" in line
    fine = [(*row[:4], grown(row[0]), row[5]) for row in rows]
    assert not any(
        "less than" in line for line in points(tmp_path, fine, "cores,ram_gib,threads,read_percent,qps,repeat").points
    )


def test_of_a_ladder_each_spec_counts_at_its_best_thread_count(tmp_path):
    """Peaks at 32, 64, 128 and 256 threads: at any one count growth would look steeper or flatter than it is."""
    rows = [
        (c, 4 * c, n, 50, round(grown(c) * 4 * (n / (8 * c)) / (1 + (n / (8 * c))) ** 2))
        for c in (4, 8, 16, 32)
        for n in (1, 4, 16, 32, 64, 128, 256, 512)
    ]
    first = points(tmp_path, rows).points[0]
    assert "at the best thread count" in first and "give ×1.80" in first


def test_where_ram_tells_it_stands_beside_what_cores_bring(tmp_path):
    rows = [(c, ram, 100, 95, round(grown(c) * (ram / 16) ** 0.6)) for c in (4, 8, 16) for ram in (16, 32, 64)]
    assert "twice the cores give ×1.80 at equal RAM, twice the RAM ×1.52" in points(tmp_path, rows).points[0]
    rows = [(c, ram, 100, 95, grown(c)) for c in (4, 8, 16) for ram in (16, 32, 64)]
    assert "twice the cores give ×1.80." in points(tmp_path, rows).points[0]


def test_with_prices_what_gives_most_for_the_money_stands_on_top(tmp_path):
    params = tmp_path / "prices.yml"
    params.write_text("prices: {4c16g: 0.4, 8c32g: 0.5}\ncurrency: USD\n")
    said = points(tmp_path, [(c, 4 * c, 100, 50, grown(c)) for c in (4, 8)], params=params)
    assert any(
        line.startswith("50:50: 8 cores, 32 GiB at 100 threads gives the most for the money") for line in said.points
    )


def test_each_sentence_below_the_pictures_is_a_line_of_its_own():
    items = Items((("Cores", "A first one.\nA second one."), ("Threads", "Alone.")))
    assert markdown.fragment(items) == "- **Cores:**\n  - A first one.\n  - A second one.\n- **Threads:** Alone."
    lines = "<ul><li>A first one.</li><li>A second one.</li></ul></li>"
    assert f"<li><strong>Cores:</strong>{lines}" in html.fragment(items)


def test_what_rows_in_doubt_may_come_from_is_told(tmp_path):
    def answers(rows, columns="cores,ram_gib,threads,read_percent,qps,read_us,write_us"):
        return " ".join(points(tmp_path, rows, columns).points)

    clean = [(c, 4 * c, n, 50, grown(c), round(1e6 * n / grown(c)) - 3) for c in (2, 4, 8, 16, 32) for n in (100, 200)]
    rows = [(*row, row[-1]) for row in clean]
    assert "Check first" not in answers(rows)
    milliseconds = [(*row[:-2], row[-2] / 1e3, row[-1] / 1e3) for row in rows]
    assert "Check first: latencies in another unit (10 rows)." in answers(milliseconds)
    copied = [(*row[:4], *rows[i - 2][4:]) if row[0] == 16 else row for i, row in enumerate(rows)]
    assert "Check first: rows copied from others (4)." in answers(copied)
    digit = [(*row[:4], row[4] / 10, *row[5:]) if row[:3] == (16, 64, 100) else row for row in rows]
    said = answers([row[:5] for row in digit], "cores,ram_gib,threads,read_percent,qps")
    assert "Check first: a digit too few or too many (1 row)." in said


def test_cores_that_do_unlike_amounts_are_not_said_to_do_alike(tmp_path):
    rows = [(c, 4 * c, 64, 50, round(4000 * c**power)) for power in (0.93,) for c in (2, 4, 8, 16)]
    assert "each core does as much" not in " ".join(points(tmp_path, rows).points)
    even = [(c, 4 * c, 64, 50, 4000 * c + 40 * (c % 3)) for c in (2, 4, 8, 16)]
    assert "each core does as much on every spec" in " ".join(points(tmp_path, even).points)


def test_one_thread_count_that_brings_no_more_may_be_too_few(tmp_path):
    rows = [(c, 4 * c, 32, 95, 26_000 + c) for c in (8, 16, 32, 64)]
    assert "elsewhere (too few threads, client" in points(tmp_path, rows).points[0]
    both = [*rows, *((*row[:2], 64, *row[3:]) for row in rows)]
    assert "elsewhere (client" in " ".join(points(tmp_path, both).points)


def test_a_step_that_cores_cannot_give_is_told(tmp_path):
    rows = [(c, 4 * c, 64, 50, grown(c, 300 if c < 8 else 3000)) for c in (2, 4, 8, 16, 32)]
    assert points(tmp_path, rows).points[1] == "50:50 grows 18 times from 4 to 8 cores: more than cores can give."
    even = [(c, m, n, w, grown(c)) for c, m, n, w, _ in rows]
    assert "grows" not in " ".join(points(tmp_path, even).points)


@pytest.mark.parametrize(
    ("lengths_s", "told"),
    [
        (
            {2: 1800, 4: 1800, 8: 25, 16: 25},
            "8 cores 32 GiB, 16 cores 64 GiB ran for at most 25 s, the others for at least",
        ),
        ({2: 1800, 4: 1800, 8: 1500, 16: 1500}, ""),
        ({2: 900, 4: 400, 8: 200, 16: 100}, ""),
        ({2: 60, 4: 60, 8: 60, 16: 60}, ""),
    ],
)
def test_runs_of_unlike_length_are_not_to_be_compared(tmp_path, lengths_s, told):
    rows = [(c, 4 * c, n, 50, grown(c), 1000 * s) for c, s in lengths_s.items() for n in (100, 200)]
    first = points(tmp_path, rows, "cores,ram_gib,threads,read_percent,qps,runtime_ms").points[0]
    assert (first.startswith(told) and told) or "do not compare" not in first


def test_of_short_repeats_of_the_same_specs_the_number_is_told(tmp_path):
    rows = [(c, 4 * c, 100, 50, grown(c), r, 1800_000 if r < 3 else 30_000) for c in (2, 4, 8) for r in (1, 2, 3)]
    first = points(tmp_path, rows, "cores,ram_gib,threads,read_percent,qps,repeat,runtime_ms").points[0]
    assert first == "3 of 9 rows ran for at most 30 s, the others for at least 30 min: do not compare the two."


def test_one_spec_that_is_not_in_doubt_is_no_average_of_its_core_count(tmp_path):
    """Of three specs of 2 cores two have rows that Little's law excludes."""

    def first(slip):
        rng, rows = np.random.default_rng(5), []
        for c, share, n in product((2, 4, 8, 16), (2, 4, 8), (100, 200)):
            qps = round(grown(c) * np.exp(rng.normal(0, 0.01)))
            us = round((slip if c == 2 and share < 8 else 1) * 1e6 * n / qps)
            rows.append((c, share * c, n, 50, qps, us, us))
        return points(tmp_path, rows, "cores,ram_gib,threads,read_percent,qps,read_us,write_us").points[0]

    assert "on average 9," in first(1.3) and "ops/s at 4 cores" in first(1.3)
    assert "on average 5," in first(1) and "ops/s at 2 cores" in first(1)


@pytest.mark.parametrize(("data_gib", "told"), [(20, True), (2, False), (200, False), ("", False)])
def test_ram_that_the_data_outgrow_is_told_with_what_it_costs(tmp_path, data_gib, told):
    rows = [(c, 4 * c, n, 95, grown(c) * (0.1 if c < 8 else 1), data_gib) for c in (2, 4, 8, 16) for n in (64, 128)]
    said = " ".join(points(tmp_path, rows, "cores,ram_gib,threads,read_percent,qps,data_gib").points)
    line = (
        "With 16 GiB of RAM or less the 20 GiB of data hardly fit: each core does 9.0 times less than with 32 (95:5)."
    )
    assert (line in said) == told and ("hardly fit" in said) == told
    even = [(*row[:4], grown(row[0]), row[5]) for row in rows]
    assert "hardly" not in " ".join(points(tmp_path, even, "cores,ram_gib,threads,read_percent,qps,data_gib").points)


def test_growth_on_either_side_of_a_bend_multiplies_up_to_what_is_told(tmp_path):
    rows = [
        (c, 32, n, 50, round(grown(min(c, 8), power=0.9) * max(c / 8, 1) ** 0.3))
        for c in (2, 4, 8, 16, 32)
        for n in (9, 99)
    ]
    first = points(tmp_path, rows).points[0]
    numbers = re.fullmatch(
        r".*: ([\d,]+) ops/s at 2 cores, ([\d,]+) at 32; twice the cores give ×(.*) up to 8, ×(.*) beyond.", first
    )
    low, high, before, beyond = (float(n.replace(",", "")) for n in numbers.groups())
    assert low * before**2 * beyond**2 == pytest.approx(high, rel=0.02)
