"""Growth with cores and the change with threads, of the measured cells, without a law; grades of trust; in short."""

import numpy as np
import pandas as pd
import pytest
from facts_in import holds
from hypothesis import given, settings
from hypothesis import strategies as st
from page_samples import own_table
from report_samples import head_of
from scipy import stats

from ycsbook import anomalies, closed_loop, documents, messages, named_tables, params, paths, trust
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.published import read_published
from ycsbook.messages.formats import within
from ycsbook.report.rows import ReportRows
from ycsbook.report.scaling import ceilings, figure
from ycsbook.report.scaling import growth as growth_section
from ycsbook.report.short import Short
from ycsbook.scaling.cells import ASSUMED_NOISE, run_noise
from ycsbook.scaling.growth import BEST_THREADS, at_best_threads, growths, steps
from ycsbook.scaling.pairs import thread_changes
from ycsbook.scaling.points import with_throughput
from ycsbook.scaling.steps import cores_and_ram_effects, ram_steps
from ycsbook.tables import Tables, conform, from_rows

VENDORS = ("qingcloud-4.0.3", "tencent-2020-08")


def rows(cells: dict[tuple[float, float], list[float]]) -> pd.DataFrame:
    """Runs of one workload: throughputs in rounds by cores and threads."""
    return rows_of([cells])


def rows_of(datasets: list[dict[tuple[float, float], list[float]]]) -> pd.DataFrame:
    """The same of several data sets."""
    runs = [
        {
            "run_id": f"{f'{n}-' if n else ''}{cores:g}-{threads:g}-{i}", "dataset": f"x{n:03}", "outcome": "completed",
            "phase": "run", "workload": "a", "spec": f"{cores:g}c", "cores": cores, "ram_gib": 4.0, "threads": threads,
            "repeat": float(i), "throughput_ops_s": value, "read_fraction": 0.5, "write_concern": "1",
        }
        for n, cells in enumerate(datasets)
        for (cores, threads), values in cells.items()
        for i, value in enumerate(values, 1)
    ]  # fmt: skip
    return with_throughput(from_rows(runs, "runs"))


@pytest.fixture(scope="module")
def vendors():
    tables = {name: read_published(paths.PUBLISHED / f"{name}.csv") for name in VENDORS}
    return {
        name: head_of(table, params.load(paths.PARAMS / f"{name}.yml"), documents=documents.of(table))
        for name, table in tables.items()
    }


@pytest.mark.parametrize(
    ("name", "workload", "threads", "expected"),
    [
        ("qingcloud-4.0.3", "a", 200, (1.82, 1.68, 1.97)),
        ("qingcloud-4.0.3", "a", 100, (1.74, 1.59, 1.89)),
        ("tencent-2020-08", "b", 200, (1.88, 1.70, 2.07)),
    ],
)
def test_the_slope_is_that_of_ordinary_least_squares(vendors, name, workload, threads, expected):
    [growth] = [g for g in vendors[name].growth if (g.workload, g.threads) == (workload, threads)]
    points = vendors[name].points.query("workload == @workload and threads == @threads")
    fit = stats.linregress(np.log2(points["cores"]), np.log(points["y"]))
    assert growth.factor == pytest.approx(np.exp(fit.slope))
    assert (growth.factor, growth.low, growth.high) == pytest.approx(expected, abs=0.006)
    assert growth.evidence == "scatter"


def test_where_growth_stops_and_where_it_is_flat(vendors):
    found = {
        (name, g.workload, g.threads): (g.stops and g.stops.cores, g.flat and tuple(level.cores for level in g.flat))
        for name, short in vendors.items()
        for g in short.growth
    }
    assert {key: value for key, value in found.items() if any(value)} == {
        ("qingcloud-4.0.3", "b", 100): (8.0, None),
        ("tencent-2020-08", "a", 200): (None, (12.0, 32.0)),
        ("tencent-2020-08", "b", 100): (24.0, None),
    }


@settings(max_examples=25)
@given(st.floats(-1, 1.5), st.floats(1, 1e6))
def test_a_power_law_has_its_exponent_at_every_step_and_no_noise(exponent, at_one):
    [growth] = growths(rows({(cores, 8): [at_one * cores**exponent] for cores in (1, 2, 4, 8)}))
    assert growth.factor == pytest.approx(2**exponent)
    assert [factor for _, _, factor in steps(growth)] == pytest.approx([2**exponent] * 3)
    # However well single runs lie on a line, the noise that is assumed of each is in the interval.
    reach = np.exp(1.96 * ASSUMED_NOISE / np.sqrt(5))
    assert (growth.factor / growth.low, growth.high / growth.factor) == pytest.approx((reach, reach), rel=1e-3)
    assert growth.bend is None


def test_noise_alone_bends_no_growth():
    rng = np.random.default_rng(5)
    cores = (1, 2, 4, 8, 16, 32)
    bends = 0
    for _ in range(100):
        [growth] = growths(rows({(p, 8): [1000 * p * np.exp(rng.normal(0, 0.05))] for p in cores}))
        bends += growth.bend is not None
    assert bends <= 0.05 * 100


@settings(max_examples=40)
@given(st.lists(st.lists(st.floats(1e-3, 1e7), min_size=1, max_size=3), min_size=2, max_size=6))
def test_no_table_is_beyond_it(values):
    for growth in growths(rows({(2.0**i, 8): of_cell for i, of_cell in enumerate(values)})):
        assert growth.factor > 0 and not growth.low > growth.factor and not growth.high < growth.factor


def test_a_slow_round_is_no_noise_of_the_cells():
    truth, random = {1: 1e3, 2: 2e3, 4: 3e3, 8: 5e3}, np.random.default_rng(1)
    slow = {(c, 8): [y * f * np.exp(random.normal(0, 0.01)) for f in (1, 0.5, 1)] for c, y in truth.items()}
    noise = run_noise(rows(slow))
    assert noise.df == 12 - 4 - 2 and np.sqrt(noise.variance) < 0.02


@pytest.mark.matrix
def test_the_interval_of_these_specs_holds_the_slope_of_their_true_throughputs():
    random, n = np.random.default_rng(7), 400
    cores, slopes, sweeps = np.array([1, 2, 4, 8, 16]), [], []
    for _ in range(n):
        truth = 1000 * cores**0.8 * np.exp(random.normal(0, 0.15, len(cores)))
        slopes.append(np.exp(np.polyfit(np.log2(cores), np.log(truth), 1)[0]))
        noisy = zip(cores, truth, strict=True)
        sweeps.append({(c, 8): list(t * np.exp(random.normal(0, 0.1, 3))) for c, t in noisy})
    told = growths(rows_of(sweeps))
    assert {growth.evidence for growth in told} == {"repeats"}
    held = [growth.low <= slope <= growth.high for growth, slope in zip(told, slopes, strict=True)]
    assert 0.92 <= np.mean(held) <= 0.98


@pytest.mark.matrix
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize(("lower", "upper", "at"), [(2.1, 1.3, 8), (1.9, 1.65, 4), (1.8, 1.8, 8)])
def test_the_intervals_of_the_parts_around_a_bend_hold_the_truth_though_its_place_is_chosen(lower, upper, at, repeats):
    """Where growth bends hardly, or not at all, too: of all draws few tell a part that misses its truth."""
    random, told, missed, n = np.random.default_rng(3), 0, 0, 250

    def truth(cores):
        return 1000 * lower ** np.log2(min(cores, at)) * upper ** np.log2(max(cores, at) / at)

    sweeps = [
        {(p, 8): list(truth(p) * np.exp(random.normal(0, 0.05, repeats))) for p in (1, 2, 4, 8, 16, 32)}
        for _ in range(n)
    ]
    for growth in growths(rows_of(sweeps)):
        bend = growth.bend
        for a, b in [(growth.first, bend), (bend, growth.last)] if bend else []:
            part, octaves = growth.part(a, b), np.log2(b.cores / a.cores)
            told += 1
            missed += not part.low <= (truth(b.cores) / truth(a.cores)) ** (1 / octaves) <= part.high
    assert missed <= 0.05 * 2 * n
    if lower > upper:
        assert told > 0.25 * 2 * n and 0.92 <= 1 - missed / told <= 0.99
    else:
        assert told <= 0.05 * 2 * n


def test_the_parts_around_a_bend_have_their_intervals_in_the_details(tmp_path):
    """By the noise of the repeats; of single runs by that which is assumed, which is said."""
    for noise, n, assumed in ((0.02, 3, None), (0.0, 1, ASSUMED_NOISE)):
        random = np.random.default_rng(1)
        table = [
            f"{c}c,{c},{4 * c},64,50,{y * np.exp(random.normal(0, noise)):.0f},{k}"
            for k in range(n)
            for c, y in ((1, 1000), (2, 2000), (4, 4000), (8, 8000), (16, 8000 * 2**0.3), (32, 8000 * 4**0.3))
        ]
        file = own_table(tmp_path, "spec,cores,ram_gib,threads,read_percent,qps,repeat", table)
        (told,) = head_of(named_tables.read(file)).facts()["cores"][:1]
        assert holds(told, "short-growth", bend=8, start=1, assumed=assumed)
        values = told.values
        assert values["lower_low"] < 2 < values["lower_high"] and values["upper_low"] < 2**0.3 < values["upper_high"]
        assert values["upper_high"] < values["lower_low"]


@pytest.mark.parametrize(
    ("at", "noise", "repeats", "idle"),
    [
        ((5, 5, 10, 20, 40), 0.015, 3, [{"first": 2, "last": 4}]),  # two servers of one network
        ((10, 12, 12, 24, 24), 0.015, 3, [{"first": 4, "last": 8}]),  # two disks
        ((5, 5, 10, 20, 40), 0.2, 3, []),
        ((5, 5, 10, 20, 40), 0, 1, []),
        ((10, 12, 16, 22, 29), 0.015, 3, []),
        ((5, 10, 20, 20, 20), 0.015, 3, []),  # an end of growth
    ],
)
def test_steps_that_bring_nothing_are_told_though_growth_goes_on(tmp_path, at, noise, repeats, idle):
    random = np.random.default_rng(1)
    table = [
        f"{c}c,{c},{4 * c},64,50,{1000 * y * np.exp(random.normal(0, noise)):.0f},{k}"
        for k in range(repeats)
        for c, y in zip((2, 4, 8, 16, 32), at, strict=True)
    ]
    file = own_table(tmp_path, "spec,cores,ram_gib,threads,read_percent,qps,repeat", table)
    head = head_of(named_tables.read(file))
    (told,) = head.facts()["cores"][:1]
    assert holds(told, told.key, idle=idle, idles=len(idle))
    assert holds(head.head, "short-verdict-times", idles=len(idle))


def test_what_other_servers_do_is_not_told_of_a_scatter_that_holds_anything(tmp_path):
    """The smaller servers ran out of burst credits."""
    table = [
        f"{c}c,{c},{4 * c},64,50,{y * (1 + k / 500):.0f},{k}"
        for k in (1, 2, 3)
        for c, y in ((2, 3500), (4, 7000), (8, 40e3))
    ]
    file = own_table(tmp_path, "spec,cores,ram_gib,threads,read_percent,qps,repeat", table)
    assert holds(head_of(named_tables.read(file)).facts()["cores"], "short-growth", others_low=None, others_high=None)


def test_other_servers_are_no_surer_than_these():
    """Two levels of noise that cancel over the specs: their means lie on a line, their repeats do not."""
    rows = [
        {"dataset": "", "outcome": "completed", "workload": "a", "threads": 100.0, "spec": f"{c}c", "cores": float(c),
         "ram_gib": 4.0 * c, "repeat": float(k), "run_id": f"{c}-{k}", "y": 1000.0 * c * (1.1 if k else 1 / 1.1)}
        for c in (1, 2, 4, 8) for k in (0, 1)
    ]  # fmt: skip
    rows[1]["y"], rows[0]["y"] = rows[0]["y"], rows[1]["y"]
    (found,) = growths(pd.DataFrame(rows))
    assert found.spec_low <= found.low < found.factor < found.high <= found.spec_high


def test_threads_are_compared_by_the_means_of_the_repeats():
    changes = thread_changes(rows({(1, 4): [100, 400], (1, 16): [100, 100], (2, 4): [300]}))
    [change] = changes.to_dict("records")
    assert change["low"] == pytest.approx(200) and change["change"] == pytest.approx(-0.5)
    assert set(change["ids_low"].split() + change["ids_high"].split()) == {"1-4-1", "1-4-2", "1-16-1", "1-16-2"}


def test_grades_of_the_vendors_rows(vendors):
    counts = {name: short.points["grade"].value_counts().to_dict() for name, short in vendors.items()}
    assert counts == {"qingcloud-4.0.3": {"C": 57, "F": 6, "D": 9}, "tencent-2020-08": {"C": 19, "D": 12, "F": 1}}


@pytest.mark.parametrize(
    ("values", "write_concern", "grade"),
    [([1e3], "1", "C"), ([1e3, 1e3], "1", "C"), ([1e3, 1010], "1", "A"), ([1e3, 1010], "0", "B")],
)
def test_grades_without_findings(values, write_concern, grade):
    runs = rows({(1, 8): values, (2, 8): values}).assign(write_concern=write_concern)
    assert set(trust.grades(runs, anomalies.find(from_tables(runs)).head(0))) == {grade}


def from_tables(runs):
    return Tables(runs=conform(runs[[c for c in runs if c in SCHEMAS["runs"]]], "runs"))


def test_what_is_said_of_tencent(vendors):
    said_of = vendors["tencent-2020-08"].facts()
    facts = {about: {f.key: f.values for f in said} for about, said in said_of.items()}
    assert list(facts) == ["cores", "threads", "doubt", "buy", "unknown"]
    growth, flat = said_of["cores"][0].values, facts["cores"]["short-flat"]
    assert growth["bend"] == 24
    lost = [mix.values["specs"] for mix in facts["threads"]["short-loss"]["lost"]]
    assert (flat["first"], flat["cores"], round(flat["ops"], -3)) == (12, 32, 50_000)
    # Each regression by the name of its spec; the one whose row cannot be right apart.
    assert [[(x.values["cell"].values["cores"], round(x.values["change"], 2)) for x in specs] for specs in lost] == [
        [(24, -0.52), (24, -0.62), (48, -0.30)], [(12, -0.51), (24, -0.30), (24, -0.29)],
    ]  # fmt: skip
    assert round(facts["threads"]["short-loss-doubted"]["change"], 2) == -0.66
    gain = facts["threads"]["short-gain"]
    assert [round(x.values["change"], 2) for x in gain["gained"]] == [0.12, 0.22]
    assert (gain["n"], round(gain["most"], 2)) == (6, 2.69)
    refuted = facts["doubt"]["short-cpu-refuted"]
    assert (refuted["n"], refuted["total"]) == (6, 16)
    stops = facts["cores"]["short-stops"]
    assert (stops["cores"], stops["more"], round(stops["more_ops"], -3)) == (24, 200, 212_000)
    # 100 threads cannot do more than about 170,000 at the lowest latency, that of 12 cores.
    assert 0.99 <= stops["at_most"] / stops["then"] < 1.1 and 0.5 < stops["least_ms"] < 0.7
    # The first whose cache holds the data; what smaller ones cost stands below, as six sentences say more.
    first = facts["cores"]["short-ram-rises"]["holds"].values
    assert (first["spec"].values["cores"], first["data"]) == (12, 10)
    half, reads, more_ram, outgrown = (f.values for f in vendors["tencent-2020-08"].facts()["buy"])
    assert (outgrown["ram"], outgrown["ram_to"], round(outgrown["most"], 1)) == (16, 64, 2.7)
    assert (half["spec"].values["cores"], half["threads"], round(half["ops"], -3)) == (24, 100, 131_000)
    assert (reads["spec"].values["cores"], reads["threads"], round(reads["ops"], -3)) == (12, 100, 116_000)
    assert (reads["top"].values["cores"], round(reads["share"], 2)) == (48, 0.54)
    assert (more_ram["cores"], more_ram["ram"], more_ram["ram_to"]) == (24, 64, 128)
    assert (round(more_ram["least"], 3), round(more_ram["most"], 2)) == (-0.035, 0.22)
    assert facts["doubt"]["short-impossible"]["n"] == 1
    verdicts = vendors["tencent-2020-08"].head
    of_a, of_b = {"reads": 50}, {"reads": 95}
    expected = [
        ("times", {"mix": of_a, "threads": BEST_THREADS, "several": True, "first": 6, "first_ops": 10_041, "bend": 24,
                   "middle_ops": 118_334, "last": 48, "last_ops": 174_284, "later": True, "upper": 1.473}),
        ("times", {"mix": of_b, "threads": BEST_THREADS, "several": True, "first": 12, "first_ops": 115_529,
                   "middle_ops": None, "last": 48, "last_ops": 211_986, "factor": 1.346, "ram": "more"}),
        ("buy", {"alike": True, "some": True, "alike_mixes": [of_a],
                 "specs": [{"spec": {"cores": 24, "ram_gib": 128}, "mixes": [of_a]},
                           {"spec": {"cores": 12, "ram_gib": 32}, "mixes": [of_b]}]}),
        ("fewer", {"threads": 100, "high": 200, "least": 0.29, "most": 0.623,
                   "where": [{"mixes": [of_a], "cores": ["24", "48"]}, {"mixes": [of_b], "cores": ["12", "24"]}]}),
        ("doubt", {"n": 13, "total": 32, "impossible": 1, "others": 12,
                   "where": [{"mixes": [of_a], "whole": ["2", "4", "12"], "some": ["32"]},
                             {"mixes": [of_b], "whole": ["2", "4", "6"], "some": []}]}),
        ("unknown", {"parts": ["short-unknown-writes", "short-unknown-noise"]}),
    ]  # fmt: skip
    assert [verdict.key for verdict in verdicts] == [f"short-verdict-{key}" for key, _ in expected]
    assert all(holds(verdict, verdict.key, **values) for verdict, (_, values) in zip(verdicts, expected, strict=True))


def test_growth_is_of_the_rows_not_in_doubt_and_the_table_has_that_of_all_too(vendors):
    sound, reads, *_ = vendors["tencent-2020-08"].facts()["cores"]
    short = vendors["tencent-2020-08"]
    table = growth_section(short.rows, short).blocks[1].frame
    best = table[table["threads"] == "the best"]
    # The head, the table and the title of the figure have one factor: none with a digit finer than the second of half
    # its interval.
    of = [within(*(one.values[name] for name in ("factor", "low", "high"))) for one in (sound, reads)]
    assert best["factor"].tolist() == [f"×{factor}" for factor in of] == ["×2.8", "×1.35"]
    assert best["of_all"].tolist() == ["×2.31", "×1.94"]
    of_100 = table.query("threads == '100'").iloc[0]
    title = figure(short.rows, short).panels[0].alt
    # Of a curve that bends the title has the rise and what follows, the table its least-squares slope.
    assert of_100["factor"] == "×2.9" and "100 threads: ×3.63 per doubling up to 24 cores, ×1.47 beyond" in title
    assert sound.values["first"] == 6 and sound.values["high"] / sound.values["low"] > 2
    # Two of its points would be no growth to speak of.
    few = short.rows.tables.runs.query("cores in (2, 6, 24)")
    of_few = Short(ReportRows(short.rows.sweep, Tables(runs=few)), short.findings)
    assert of_few.sound_growth and all(of_few.trusted(growth) is growth for growth in of_few.growth)


def test_the_ceiling_of_threads_is_drawn_only_where_they_are_too_few(vendors):
    qingcloud = vendors["qingcloud-4.0.3"]
    assert ceilings(qingcloud, "a") == {}
    rows = closed_loop.with_latency(qingcloud.points, qingcloud.rows.tables.operations)
    rows = rows.query("workload == 'b' and threads == 100 and grade != 'F'")
    [(threads, ceiling)] = ceilings(qingcloud, "b").items()
    assert threads == 100 and ceiling == pytest.approx((rows["y"] / rows["utilisation"]).max())
    # The rows on the most cores come within a few percent of it.
    assert 0.95 < rows["y"].max() / ceiling <= 1.05


def test_what_is_said_of_qingcloud(vendors):
    facts = {about: {f.key: f.values for f in said} for about, said in vendors["qingcloud-4.0.3"].facts().items()}
    growth = vendors["qingcloud-4.0.3"].facts()["cores"][0].values
    assert growth["bend"] == 8
    verdicts = list(vendors["qingcloud-4.0.3"].verdicts)
    assert holds(verdicts[0], "short-verdict-times", bend=8, lower=2.228, upper=1.502)
    # At 2 cores two of three specs are in doubt.
    times = {"first": 4, "first_ops": 36_154, "last": 32, "last_ops": 111_463}
    assert holds(verdicts[1], "short-verdict-times", mix={"reads": 95}, threads=200, several=True, **times)
    assert "short-ram-rises" not in facts["cores"]
    gained = facts["threads"]["short-gains"]["gained"]
    assert [(x.values["place"], round(x.values["least"], 2), round(x.values["most"], 2)) for x in gained] == [
        ("from", 0.03, 0.54), ("one", 0.63, 0.71),
    ]  # fmt: skip
    assert (gained[0].values["gaining"], gained[0].values["n"], gained[1].values["first"]) == (9, 11, 32)
    cores, ram = (facts["buy"]["short-buy-first"][name] for name in ("cores", "ram"))
    assert [round(f.values["factor"], 2) for f in (*cores, *ram)] == [1.79, 1.59, 1.12, 1.05]
    assert facts["threads"]["short-no-loss"]["most"] == pytest.approx(0.05, abs=1e-4)
    assert facts["doubt"]["short-impossible"]["n"] == 6
    hints = [f.values for f in vendors["qingcloud-4.0.3"].facts()["doubt"] if f.key == "short-hint"]
    assert (hints[0]["n"], hints[0]["difference"], hints[0]["higher"], len(hints[0]["cells"])) == (3, 20_000, False, 3)
    assert all(0 < hint["alike"] < 0.1 for hint in hints)
    # What is alike is said once.
    of_a, of_b = {"reads": 50}, {"reads": 95}
    buy, more, doubt, unknown = verdicts[-4:]
    specs = [{"spec": {"cores": 4, "ram_gib": 32}, "mixes": [of_a, of_b]}]
    assert holds(buy, "short-verdict-buy", specs=specs, alike=True, some=True, alike_mixes=[of_a])
    where = [{"mixes": [of_a], "first": 4, "place": "from"}, {"mixes": [of_b], "first": 32, "place": "one"}]
    assert holds(more, "short-verdict-more", threads=200, where=where)
    where = [{"mixes": [of_a], "n": 0, "some": ["8", "16"]}, {"mixes": [of_b], "n": 0, "some": ["2", "8", "16"]}]
    assert holds(doubt, "short-verdict-doubt", n=15, total=72, impossible=6, others=9, where=where)
    # Its commands as printed run under a second, and nothing says how long it measured.
    parts = [f"short-unknown-{gap}" for gap in ("writes", "length", "noise")]
    assert holds(unknown, "short-verdict-unknown", parts=parts)


def test_with_prices_the_most_for_the_money_is_named(vendors):
    short = vendors["tencent-2020-08"]
    prices = {spec.name: 2.0 if spec.name == "12c32g" else spec.cores for spec in short.rows.sweep.specs}
    sweep = short.rows.sweep.model_copy(update={"prices": prices, "currency": "CNY"})
    said = list(Short(ReportRows(sweep, short.rows.tables), short.findings).verdicts)
    money = {f.values["mixes"][0].values["reads"]: f.values for f in said if f.key == "short-money"}
    best = money[95]
    assert (best["spec"].values["cores"], best["threads"], best["price"]) == (12, 100, 2.0)
    assert best["million"] == pytest.approx(2.0 / 3600 / 115_529 * 1e6)
    # The row of 12 cores that is in doubt buys nothing.
    assert money[50]["spec"].values["cores"] == 24
    # A page that prints no threads has prices all the same.
    runs = short.rows.tables.runs.query("threads == 100").assign(threads=np.nan)
    unknown = Short(ReportRows(sweep, Tables(runs=conform(runs, "runs"))), short.findings).verdicts
    assert any(f.key == "short-money" and np.isnan(f.values["threads"] or np.nan) for f in unknown)
    assert (money[50]["price"], money[50]["million"], money[50]["currency"]) == (
        24,
        pytest.approx(0.05096, 1e-3),
        "CNY",
    )


def test_what_would_be_concluded_if_rows_in_doubt_were_right_is_said_where_it_differs(vendors):
    told = {name: [f.values for f in vendors[name].facts()["doubt"] if f.key.startswith("short-otherwise")]
            for name in VENDORS}  # fmt: skip
    (reads,) = told["tencent-2020-08"]
    assert reads["mix"].values["reads"] == 95
    # The four doubted rows at 2 to 6 cores do far less for each core than the others.
    assert (round(reads["factor"], 2), round(reads["of_all"], 2)) == (1.35, 1.94)
    (reads,) = told["qingcloud-4.0.3"]
    assert (reads["threads"], round(reads["factor"], 2), round(reads["of_all"], 2)) == (200, 1.54, 1.78)
    # Without rows in doubt there is nothing to say.
    short = vendors["qingcloud-4.0.3"]
    sound = Short(ReportRows(short.rows.sweep, Tables(runs=short.sound)), short.findings.head(0))
    assert not any(f.key.startswith("short-otherwise") for part in sound.facts().values() for f in part)


@pytest.mark.parametrize("name", VENDORS)
def test_no_sentence_is_long(vendors, name):
    texts = [messages.say(f) for said in vendors[name].facts().values() for f in said]
    texts += map(messages.say, vendors[name].verdicts)
    sentences = [sentence for text in texts for sentence in text.split(". ")]
    # Lists, of rows and of what is not known, may be long.
    lists = ("impossible", "(grade D)", "; how", "would fit the others")
    assert max(len(s.split()) for s in sentences if not any(words in s for words in lists)) <= 31


def test_what_is_not_known_is_the_datasets_own(vendors):
    gaps = {name: {part.key.rpartition("-")[2] for f in vendors[name].facts()["unknown"] for part in f.values["parts"]}
            for name in VENDORS}  # fmt: skip
    assert gaps["qingcloud-4.0.3"] - gaps["tencent-2020-08"] == {"clients", "cpu", "date", "length", "more"}
    assert gaps["tencent-2020-08"] - gaps["qingcloud-4.0.3"] == {"counts", "rows"}


def test_specs_that_do_as_much_for_each_core_are_named(vendors):
    buys = {name: [f.values for f in vendors[name].facts()["buy"] if f.key == "short-buy"] for name in VENDORS}
    alike = {
        (name, buy["mix"].values["reads"]): [change.values["cell"].values["cores"] for change in buy["alike"] or ()]
        for name in VENDORS
        for buy in buys[name]
    }
    assert alike == {
        ("qingcloud-4.0.3", 50): [4, 8], ("qingcloud-4.0.3", 95): [],
        ("tencent-2020-08", 50): [32], ("tencent-2020-08", 95): [],
    }  # fmt: skip


def test_cores_and_ram_are_told_apart_where_specs_vary_in_both(vendors):
    effects = {(e.workload, e.threads): e for e in cores_and_ram_effects(vendors["qingcloud-4.0.3"].sound)}
    assert [round(effects[mix, 200].ram, 2) for mix in "ab"] == [1.12, 1.05]
    advice, most = [f for f in vendors["qingcloud-4.0.3"].facts()["buy"] if f.key != "short-buy"]
    assert advice.key == "short-buy-first" and advice.values["cores"]
    assert (most.values["cores"], most.values["ram"], most.values["ram_to"]) == (4, 4, 32)
    assert round(most.values["factor"], 1) == 1.7


@given(
    cores=st.floats(0.2, 3), ram=st.floats(-1, 1),
    specs=st.lists(st.tuples(st.sampled_from([1, 2, 4, 8]), st.sampled_from([4, 16, 32])), min_size=9, unique=True),
)  # fmt: skip
def test_growth_by_cores_and_by_ram_is_found_again(cores, ram, specs):
    records = [
        {
            "workload": "a",
            "threads": 8,
            "spec": f"{p}-{gib}",
            "cores": p,
            "ram_gib": gib,
            "y": 1e3 * p**cores * gib**ram,
        }
        for p, gib in specs
    ]
    for plane in cores_and_ram_effects(pd.DataFrame(records)):
        assert plane.cores == pytest.approx(2**cores) and plane.ram == pytest.approx(2**ram)


def test_ram_that_rises_with_the_cores_is_not_told_apart():
    records = [{"workload": "a", "threads": 8, "spec": f"{p}", "cores": p, "ram_gib": 4 * p, "y": 1e3 * p}
               for p in (1, 2, 4, 8, 16, 32)]  # fmt: skip
    assert cores_and_ram_effects(pd.DataFrame(records)) == [] and ram_steps(pd.DataFrame(records)).empty


def test_a_contradicted_cpu_lowers_by_a_step():
    runs = rows({(1, 8): [1e3], (2, 8): [1e3, 1010]}).assign(write_concern="1")
    found = anomalies.find(from_tables(runs)).head(0)
    record = {"rule": "cpu_contradiction", "severity": "warning", "cause": "", "run_ids": " ".join(runs["run_id"])}
    found = pd.concat([found, pd.DataFrame([record])])
    assert list(trust.grades(runs, found)) == ["D", "B", "B"]


@pytest.mark.parametrize(
    ("cause", "grade"), [("short_run", "C"), ("truncated", "D"), ("counts_disagree", "F"), ("tls_not_verified", "A")]
)
def test_what_a_log_warns_of_counts_by_what_it_is(cause, grade):
    runs = rows({(2, 8): [1e3, 1010]}).assign(write_concern="1")
    record = {"rule": "invalid_run", "severity": "warning", "cause": cause, "run_ids": " ".join(runs["run_id"])}
    found = pd.concat([anomalies.find(from_tables(runs)).head(0), pd.DataFrame([record])])
    assert list(trust.grades(runs, found)) == [grade, grade]


def test_ram_is_compared_among_data_sets_of_one_size():
    runs = rows({(4, 16): [1e3]}).assign(records=4e6)
    more = rows({(4, 16): [600]}).assign(records=16e6, ram_gib=32.0, spec="4c32g", run_id="more")
    assert ram_steps(pd.concat([runs, more])).empty
    [step] = ram_steps(pd.concat([runs, more.assign(records=4e6)])).itertuples()
    assert step.factor == pytest.approx(0.6)


def test_each_spec_counts_at_its_best_thread_count_where_more_threads_lose(vendors):
    points = vendors["tencent-2020-08"].sound.query("workload == 'b'")
    best = points.groupby("spec")[["cores", "y"]].max()
    expected = np.exp(stats.linregress(np.log2(best["cores"]), np.log(best["y"])).slope)
    [growth] = growths(at_best_threads(points))
    assert growth.factor == pytest.approx(expected) == pytest.approx(1.35, abs=0.005)
    assert (growth.first.cores, growth.last.cores) == (12, 48)
    # Repeats stay together, and a spec measured at one thread count alone counts as well.
    few = at_best_threads(rows({(1, 4): [100, 400], (1, 16): [190, 190], (2, 4): [300]}))
    assert sorted(few["y"]) == [100, 300, 400]
