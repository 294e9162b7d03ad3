"""What is concluded of tables as engineers and vendors publish them: families of servers, settings side by side,
repeats in a row, RAM that matters for one size."""

import numpy as np
import pytest
from anomaly_samples import flags, run
from facts_in import holds, keys_in, values_of
from known_truths import HEADINGS, row, said
from page_samples import own_table
from report_samples import head_of

from ycsbook import anomalies, comparing, named_tables
from ycsbook.facts import fact
from ycsbook.tables import Tables, from_rows

SIZES = {"large": 2, "xlarge": 4, "2xlarge": 8, "4xlarge": 16}


def side_by_side(cells, repeats=1, noise=0.03, seed=1, new=(2, 4, 8, 16)):
    """What is said beside a data set `page old` of `page new`; cells: by mix (share of reads), by what it multiplies
    throughput, or what does by threads and cores; new: the cores of its servers."""
    random = np.random.default_rng(seed)
    runs = [
        {
            "run_id": f"{name}{mix}{n}{c}{r}", "dataset": name, "outcome": "completed", "spec": f"{c}c", "cores": c,
            "workload": f"r{mix}", "threads": n, "read_fraction": mix / 100, "repeat": r,
            "throughput_ops_s": 1000 * c**0.9 * np.exp(random.normal(0, noise))
            * ((factor if isinstance(factor, float) else factor[n, c]) if name == "page new" else 1),
        }
        for name in ("page old", "page new")
        for mix, factor in cells.items()
        for n in (100, 200) for c in ((2, 4, 8, 16) if name == "page old" else new) for r in range(repeats)
    ]  # fmt: skip
    return comparing.beside(Tables(runs=from_rows(runs, "runs"))).get("page new", fact("nothing"))


def test_a_gain_that_is_much_larger_on_some_servers_is_no_one_figure():
    gains = {2: 1.85, 4: 3.7, 8: 5.0, 16: 5.0}
    told = side_by_side({50: {(n, c): gain for n in (100, 200) for c, gain in gains.items()}}, repeats=3)
    assert values_of(told, "short-beside-part")["low"] == pytest.approx(1.85, rel=0.1)
    assert values_of(told, "short-beside-part")["high"] == pytest.approx(5, rel=0.1)
    # That of single runs which may be one gain is.
    assert holds(side_by_side({50: 1.5, 100: 1.5}, noise=0.05), "short-beside-part", least=None, most=None)


@pytest.mark.parametrize(("gain", "is_told"), [(1.4, True), (1 / 1.4, True), (1.02, False)])
def test_data_sets_without_a_spec_in_common_are_compared_at_equal_cores(gain, is_told):
    told = side_by_side({50: gain, 95: gain}, repeats=3, new=(3, 6, 12, 24))
    assert holds(told, "short-beside", equal=False) == is_told
    assert not is_told or values_of(told, "short-beside-one")["high"] == pytest.approx(gain, rel=0.06)


@pytest.mark.parametrize(("cells", "verdict"), [
    # The same, but for noise.
    ({50: 1.0, 100: 1.0}, "same"),
    # All are on one side of 1.
    ({50: 0.93, 100: 0.93}, "unproven"),
])  # fmt: skip
def test_a_difference_that_is_not_proven_is_not_called_none(cells, verdict):
    assert holds(side_by_side(cells, noise=0.03), "short-beside-one", verdict=verdict)


def a_ladder(gain, *, seed=1):
    """What is said of two engines, each measured once with six thread counts on one server."""
    random, runs = np.random.default_rng(seed), []
    for name, factor in (("page old", 1.0), ("page new", gain)):
        for n in (8, 16, 32, 64, 128, 256):
            ops_s = 20_000 * n / (n + 30) * factor * np.exp(random.normal(0, 0.03))
            runs.append({
                "run_id": f"{name}{n}", "dataset": name, "outcome": "completed", "spec": "8c", "cores": 8,
                "workload": "a", "threads": n, "read_fraction": 0.5, "throughput_ops_s": ops_s,
            })  # fmt: skip
    return comparing.beside(Tables(runs=from_rows(runs, "runs")))["page new"]


@pytest.mark.parametrize("gain", [1.25, 0.8])
def test_what_all_thread_counts_show_together_is_shown_though_none_does_alone(gain):
    assert all(holds(a_ladder(gain, seed=seed), "short-beside-one", verdict="shown") for seed in range(5))


@pytest.mark.parametrize("gain", [1.06, 0.94, 1.03])
def test_what_two_days_alone_may_differ_by_is_not_shown_by_many_thread_counts(gain):
    assert not any(holds(a_ladder(gain, seed=seed), "short-beside-one", verdict="shown") for seed in range(5))


def test_a_difference_in_one_mix_that_is_not_proven_is_told_with_the_mix():
    told = side_by_side({0: 1.22, 50: 1.1, 100: 1.0}, noise=0.04)
    assert holds(told, "short-beside-one", verdict="unproven")
    part = values_of(told, "short-beside-part")
    assert part["high"] > 1.15 and part["mixes"][0].values["reads"] == 0


def test_that_some_differ_by_what_two_days_may_is_told_although_others_do_not_differ():
    told = side_by_side({50: 1.0, 95: 1.07}, repeats=4, noise=0.02)
    assert holds(told, "short-beside-one", verdict="hidden")


def test_the_ends_of_what_a_ratio_depends_on_are_told_apart():
    growing = {100: (1.0, 0.95, 0.85, 0.7), 200: (1.0, 1.1, 1.4, 1.9)}
    factors = {(n, c): of for n, by_cores in growing.items() for c, of in zip(SIZES.values(), by_cores, strict=True)}
    part = values_of(side_by_side({50: factors}, repeats=3, noise=0.01), "short-beside-part")
    assert holds(part["least"], "short-beside-where", threads=100)
    assert holds(part["most"], "short-beside-where", threads=200)


def test_numbers_that_name_data_sets_keep_their_heading(tmp_path):
    rows = [f"{s},{c}c{4 * c}g,64,a,{1000 * s**0.8 * c:.0f}" for s in (1, 2, 4) for c in (4, 8)]
    tables = named_tables.read(own_table(tmp_path, "shards,spec,threads,workload,qps", rows, "t.csv"))
    assert set(tables.runs["dataset"]) == {"t shards=1", "t shards=2", "t shards=4"}


def families(**by_family):
    """Rows of families of servers, in which RAM brings nothing: by family GiB of RAM and ops/s of a core."""
    return [
        row(c, 64, each * c**0.9 * (1 + (c + ram) % 5 / 500), ram=ram * c).replace(f"{c}c{ram * c}g", f"{name}.{size}")
        for name, (ram, each) in by_family.items()
        for size, c in SIZES.items()
    ]


def test_what_families_of_servers_differ_in_is_not_told_as_what_ram_brings(tmp_path):
    head, lines = said(tmp_path, families(m5=(4, 4000), c5=(2, 4600), r5=(8, 4100)))
    told = {*keys_in(head), *keys_in([fact for facts in lines.values() for fact in facts])}
    assert not {"short-buy-first", "short-apart-range", "short-ram-step", "short-ram-most"} & told
    # Nor that cores alone bring it: RAM rises with them in each family.
    assert holds(head, "short-verdict-times", ram="more", more_ram=None)
    assert "short-unknown-families" in keys_in(head)


def test_of_one_family_ram_is_told_apart_from_cores(tmp_path):
    rows = [line.replace("c5", "m5").replace("r5", "m5") for line in families(m5=(4, 4000), c5=(2, 4600), r5=(8, 4100))]
    rows = [line.replace("m5.", f"m5-{at % 3}.") for at, line in enumerate(rows)]
    assert "short-buy-first" in keys_in(said(tmp_path, rows)[1]["buy"])


@pytest.mark.parametrize(("slow", "decides"), [(8, True), (16, False)])
def test_ram_that_is_too_little_for_one_size_is_in_the_head(tmp_path, slow, decides):
    """The least RAM; of another size it may as well be a server that is slow for another reason."""
    random = np.random.default_rng(3)
    rows = [
        f"{row(c, n, random.normal(4000, 80) * c**0.93 * (0.45 if (c, ram) == (4, slow) else 1), ram=ram)},{r}"
        for c in (4, 8, 16)
        for ram in (2 * c, 4 * c, 8 * c)
        for n in (64, 128)
        for r in (1, 2, 3)
    ]
    head, _ = said(tmp_path, rows, ",repeat")
    assert holds(head, "short-verdict-ram", cores=["4"], ram=8, ram_to=16) == decides
    assert decides or "short-verdict-ram" not in keys_in(head)


def repeats(times, first=0.9):
    """Four repeats of six configurations, the first by so much slower; times: minutes by configuration and repeat."""
    rows = []
    for at, (c, n) in enumerate((c, n) for c in (1.0, 2.0, 4.0) for n in (4, 16)):
        for r in range(4):
            minutes = times(at, r)
            started = f"2024-05-{6 + minutes // 1440:02}T{minutes % 1440 // 60:02}:{minutes % 60:02}:00Z"
            ops = 1000 * c * (first if r == 0 else 1) * (1 + (at + 3 * r) % 5 / 400)
            rows.append(run(c, n, r + 1, ops, started_at=started))
    return rows


def test_repeats_made_in_a_row_show_no_drift_of_the_machine():
    (in_a_row,) = flags("host_drift", repeats(lambda at, r: 10 * (4 * at + r)))
    (in_rounds,) = flags("host_drift", repeats(lambda at, r: 10 * (at + 6 * r)))
    assert (in_a_row.message.key, in_rounds.message.key) == ("host_drift-order", "host_drift-rounds")
    assert in_a_row.message.values["round"] == in_rounds.message.values["round"] == 1


@pytest.mark.parametrize(("apart", "other_day"), [(2000, True), (60, False)])
def test_a_first_round_of_another_day_is_no_burst(apart, other_day):
    rows = repeats(lambda at, r: 10 * at + apart * min(r, 1) + 70 * r, first=1.5)
    found = Tables(runs=from_rows(rows, "runs"))
    (told,) = anomalies.find(found).query("rule == 'early_rounds'").to_dict("records")
    assert told
    assert holds(head_of(found).head, "short-early", slow=False, other_day=other_day)


def test_specs_that_do_nearly_as_much_for_each_core_are_told_alike_for_all_mixes(tmp_path):
    """Whichever of them does most: of b that is the smallest, of a one in between, within the noise."""
    share = {("a", 4): 0.99, ("a", 8): 1.0, ("a", 16): 0.9, ("b", 4): 1.0, ("b", 8): 0.94, ("b", 16): 0.9}
    rows = [
        f"{row(c, 64, 4000 * c * share[mix, c] * (1 + (c + 3 * r + (mix == 'b')) % 5 / 400), mix=mix)},{r}"
        for mix in "ab"
        for c in (4, 8, 16)
        for r in (1, 2, 3)
    ]
    head, _ = said(tmp_path, rows, ",repeat")
    assert len(values_of(head, "short-verdict-nearly-even")["mixes"]) == 2
    assert not {"short-verdict-buy", "short-verdict-half"} & {*keys_in(head)}


def test_how_data_sets_compare_is_in_a_head_that_has_more_to_say(tmp_path):
    rows = [
        f"{records},{row(c, n, x * c**0.93 * (1 if records < 5e7 else fits) * (n / 64) ** gain, mix=mix)}"
        for records in (10_000_000, 100_000_000)
        for c, fits in ((4, 0.35), (8, 0.6), (16, 0.95))
        for mix, x, gain in (("a", 4200, 0.01), ("c", 7300, 0.12 if c == 16 else 0.02))
        for n in (64, 128)
    ]
    file = own_table(tmp_path, f"records,{HEADINGS}", rows)
    for _, short in named_tables.write_reports(file, tmp_path / "out"):
        assert short.points[0].startswith("Throughput on equal specs")


def test_data_sets_that_have_latencies_alone_are_no_error(tmp_path):
    rows = [f"{engine},8,32,c,{n},,{1000 + n}" for engine in ("x86", "arm") for n in (16, 64)]
    path = own_table(tmp_path, "engine,cores,ram_gib,workload,threads,qps,read_avg_us", rows)
    assert comparing.beside(named_tables.read(path)) == {}


@pytest.mark.parametrize(("threads", "n"), [((32,), 1), ((32, 64), 2)])
def test_where_mixes_stop_alike_few_threads_are_a_cause_only_if_no_others_were_tried(tmp_path, threads, n):
    rows = [
        row(c, t, min(each * c, 53_000) * (1 + 0.003 * (c % 3) + 0.002 * at), mix=mix)
        for at, t in enumerate(threads) for c in (2, 4, 8, 16, 32) for mix, each in (("a", 5500), ("c", 8000))
    ]  # fmt: skip
    head, _ = said(tmp_path, rows)
    assert holds(head, "limits-shared", threads=n)


def test_of_a_server_with_one_thread_count_it_is_not_said_how_many_are_enough(tmp_path):
    rows = [
        row(c, n, 5000 * c * (1 + 0.001 * at))
        for c in (2, 4, 8, 16) for at, n in enumerate((16, 64, 256)) if c < 16 or n == 16
    ]  # fmt: skip
    head, _ = said(tmp_path, rows)
    part = values_of(head, "short-enough-at")
    assert (part["place"], part["first"], part["last"]) == ("several", 2, 8)


def test_ratios_that_read_alike_once_they_are_turned_are_one():
    of = side_by_side({50: 0.03, 95: 0.0315}, repeats=2, noise=0.002)
    assert values_of(of, "short-beside-one")["low"] is None
