"""The commands scaling, capacity and next, on an application of their own: also goals that are no numbers, several
datasets, and dashes for what is unknown."""

import dataclasses
import json

import pandas as pd
import pytest
import scaling_sweeps as sweeps
import yaml
from typer.testing import CliRunner

from ycsbook import named_tables, paths
from ycsbook.commands import app
from ycsbook.errors import FitError, ParamsError
from ycsbook.ingest.published.published import read_published
from ycsbook.store import parquet
from ycsbook.tables import Tables

SPECS = {c: {"name": f"{c}c{4 * c}g", "cores": c, "ram_gib": 4 * c} for c in (1, 2, 4, 8, 16, 32, 24, 3)}
PARAMS = {
    "name": "made", "server": {"kind": "mongod"}, "currency": "USD",
    "specs": [SPECS[c] for c in (1, 2, 4, 8, 16, 32, 24)],
}  # fmt: skip
PRICED = {"prices": {"1c4g": 0.1}, "goals": {"qps": 2000, "p99_ms": 5}, "specs": [SPECS[c] for c in (1, 2, 3)]}


@pytest.fixture(scope="module")
def made():
    return sweeps.tables(
        lambda p, n: sweeps.usl(p, 0.02, 1e-4), repeats=3, noise=0.03, p99_us=lambda p, n: 30.0 * n,
        cpu=lambda p, n: 0.97,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory, made):
    at = tmp_path_factory.mktemp("tables")
    parquet.write(made, at)
    return at


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    at = tmp_path_factory.mktemp("published")
    parquet.write(read_published(paths.PUBLISHED / "qingcloud-4.0.3.csv"), at)
    return at


def params(tmp_path, **more):
    file = tmp_path / "made.yml"
    file.write_text(yaml.safe_dump(PARAMS | more))
    return file


def run(*arguments):
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_scaling_says_laws_verdicts_steps_and_scatter(folder):
    said = run("scaling", folder, "--all")
    assert "100:0, 100 threads: claimed. From 1 to 32 cores the amdahl law gives 18 times (17 to 20) the" in said
    assert "6 points, 6 core counts " in said
    assert "100:0, cores and threads together: not identifiable: needs 7 measured specs, here 6. Over cores" in said
    assert "From 16 to 32 cores, with more RAM, you pay 2x for 1." in said
    assert "95 % intervals are of the law's mean curve; single specs lie" in said
    assert parquet.read_table(folder, "marginals")["sentence"].str.startswith("From 1 to 2 cores").any()


def test_scaling_of_a_vendors_table_says_how_far_its_rows_scatter(published):
    said = run("scaling", published, "--all")
    assert "From 16 to 32 cores, at 100 threads, you pay 2x for 1.1x (not repeated, no interval): " in said
    assert said.count("15 points, 5 of them the server's own, 3 core counts, 3 left out") == 4
    assert "95:5, 200 threads: not identifiable: the specs scatter 41 %" in said
    joint = "50:50, cores and threads together: not identifiable: a doubling brings ×1.84 to ×3.22 (95 %), too wide to"
    assert f"{joint} claim. Over cores and threads together: 5,620 ops/s (4,060 to" in said
    assert (
        "95:5, cores and threads together: not identifiable: a doubling brings ×2.23 to ×15.8 (95 %), too wide" in said
    )
    assert "(standard deviation) from the laws." in said


def test_scaling_says_what_rests_on_rows_in_doubt():
    said = run("scaling", "tencent-2020-08")
    assert (
        "95:5 at 100 threads: twice the cores give 1.23 times the throughput (95 %: 1.06 to 1.43), from 12 to 48 "
        "cores.\n95:5 at 100 threads gains little beyond 24 cores: 160,000 "
        "ops/s there, "
        "174,000 at 48. With 200 threads it is 212,000 at 48 cores: 100 may be too few there.\n"
        "In doubt and left out: 2c4g (D), 4c8g (D), 6c16g (D).\n"
    ) in said
    # One name for a series, in its table and in sentences.
    assert "\n50:50, 100 threads  linear " in run("scaling", "tencent-2020-08", "--all")


def test_series_with_too_few_points_of_the_servers_own_are_told_together():
    said = " ".join(run("scaling", "tencent-2020-08").split())
    (told,) = (part for part in said.split(". ") if "limited by the server" in part)
    counts = ("50:50, 100 threads: 2 of 8 at 1 core count", "50:50, 200 threads: 0 of 7", "95:5, 200 threads: 0 of 6")
    assert all(count in told for count in counts)


def test_scaling_prints_the_laws_over_threads(tmp_path):
    made = sweeps.tables(lambda p, n: 1000 * p * n / (n + 4), cores=(2, 4), threads=(1, 2, 4, 8, 16), noise=0.01)
    parquet.write(made, tmp_path)
    said = run("scaling", tmp_path, "--all")
    assert "100:0, 4c16g, over its thread counts: " in said and "From 1 to 16 threads the " in said
    assert "100:0, 4 threads: not identifiable: " in said
    assert "100:0, cores and threads together: not identifiable: 2 distinct cores measured" in said


def test_scaling_with_prices(folder, tmp_path):
    file = params(tmp_path, prices={"16c64g": 1.0, "32c128g": 1.5})
    assert "From 16 to 32 cores, with more RAM, you pay 1.5x for 1." in run(
        "scaling", folder, "--all", "--params", file
    )


def test_scaling_as_json(folder):
    told = json.loads(run("scaling", folder, "--json"))
    assert set(told) == {"fits", "terms", "choices", "marginals", "joint", "threads", "limits"}
    assert {f["law"] for f in told["fits"]} == {"linear", "power", "amdahl", "usl"}
    assert len(told["marginals"]) == 10 and len(told["limits"]) == 12


def test_capacity_names_the_smallest_spec_its_probability_and_cost(folder, tmp_path):
    file = params(tmp_path, prices={"16c64g": 1.0, "32c128g": 1.5, "24c96g": 1.2})
    said = run("capacity", folder, "--qps", 70_000, "--workload", "a", "--params", file)
    assert "The cheapest spec that carries 70,000 ops/s of 100:0 is 24c96g" in said
    assert "per million operations, USD" in said
    plain = run("capacity", folder, "--qps", 50_000, "-w", "a")
    assert "The smallest spec that carries 50,000 ops/s of 100:0 is 16c64g" in plain
    assert "per million" not in plain


def test_capacity_takes_goals_from_the_params_file_and_says_that_prices_are_missing(folder, tmp_path):
    file = params(tmp_path, goals={"qps": 30_000, "p99_ms": 5})
    said = run("capacity", folder, "--params", file)
    assert "30,000 ops/s of 100:0 with a p99 of 5 ms is 8c32g at 100 threads" in said
    assert "no prices; with 'prices: {spec: amount per hour}'" in said


def test_capacity_as_json(folder):
    told = json.loads(run("capacity", folder, "--qps", 30_000, "--p99-ms", 5, "--threads", 100, "--json"))
    assert told["answers"][0].startswith("The smallest spec that carries 30,000 ops/s of 100:0 with a p99 of 5 ms")
    rows = {row["spec"]: row for row in told["specs"]}
    assert rows["8c32g"]["suffices"] and not rows["4c16g"]["suffices"]
    assert rows["8c32g"]["cost_per_million"] is None and rows["8c32g"]["p99_us"] == 3000


REFUSALS = {
    "no percentiles": (["--qps", "5e4", "-w", "a", "--p99-ms", "5"], FitError, "capacity-no-percentiles"),
    "no goal": (["-w", "a"], ParamsError, "how much is wanted"),
    "no workload": (["--qps", "5e4", "-w", "f"], FitError, "capacity-no-workload"),
    "no such threads": (["--qps", "5e4", "-w", "a", "--threads", "7"], FitError, "'100', '200'"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_capacity_refuses_in_one_sentence(published, case):
    arguments, error, said = REFUSALS[case]
    with pytest.raises(error, match=said) as caught:
        run("capacity", published, *arguments)
    assert "\n" not in str(caught.value)


def test_next_names_runs_and_knees(folder, tmp_path):
    said = run("next", folder, "--params", params(tmp_path), "-n", 3)
    assert said.startswith(" 1 100:0 on 24c96g at ")
    assert "the 95 % interval of kappa" in said
    assert "operations only queue is unknown for 6 of 6, such as 1c4g, 100:0: no run at one thread" in said


def test_next_as_json(folder):
    told = json.loads(run("next", folder, "--json"))
    assert len(told["runs"]) <= 5 and told["runs"][0]["reduction"] > 0
    assert [k["knee_threads"] for k in told["knee"]] == [None] * 6


def test_next_shows_the_knee_of_a_ladder(tmp_path):
    def closed_loop(p, n):
        return ((4000 * p) ** -8 + (n / 0.001) ** -8) ** (-1 / 8)

    made = sweeps.tables(
        closed_loop, cores=(1, 2, 4), threads=(1, 2, 4, 8, 16, 32, 64), cpu=lambda p, n: min(1.0, n / (4 * p))
    )
    parquet.write(made, tmp_path)
    assert "4c16g, 100:0: more than 16 threads only queue: the server does" in run("next", tmp_path)


@pytest.mark.parametrize("command", ["scaling", "capacity", "next"])
def test_each_explains_itself_with_an_example(command):
    said = " ".join(run(command, "--help").split())
    assert f"Example: ycsbook {command}" in said


def test_threads_that_are_nearly_all_in_service_are_said_to_bend_the_growth(tmp_path):
    """Servers of 4,000 ops/s a core, 2 ms an operation: 100 threads do 50,000 ops/s at most, 400 four times that."""
    made = sweeps.tables(
        lambda p, n: ((4000 * p) ** -3 + (n / 0.002) ** -3) ** (-1 / 3), cores=(2, 4, 8, 16, 32, 64), threads=(100, 400)
    )
    parquet.write(made, tmp_path)
    said = " ".join(run("scaling", tmp_path).split())
    assert "100 may be too few there" in said
    assert "even 400 threads may be too few: an operation takes 2.28 ms" in said


def test_what_falls_is_not_said_to_gain_little_as_well(tmp_path):
    made = sweeps.tables(
        lambda p, n: sweeps.usl(p, 0.05, 6e-4), cores=(1, 2, 4, 8, 16, 32, 64), threads=(256,), repeats=3
    )
    parquet.write(made, tmp_path)
    said = run("scaling", tmp_path)
    assert "it falls" in said and "gains little" not in said


@pytest.mark.parametrize("value", ["nan", "0", "-1", "inf"])
@pytest.mark.parametrize("goal", ["--qps", "--p99-ms"])
def test_a_goal_is_a_number_above_zero_whatever_the_params_file_says(folder, tmp_path, goal, value):
    file = params(tmp_path, **PRICED)
    with pytest.raises(ParamsError, match=f"{goal}: got {float(value):g}, expected a number > 0") as caught:
        run("capacity", folder, "--params", file, goal, value)
    assert "\n" not in str(caught.value)


def test_the_p99_is_said_with_its_repeats_and_throughput(folder):
    said = run("capacity", folder, "--qps", 30_000, "--p99-ms", 5)
    assert "is 8c32g at 100 threads: measured at 3" in said and "mean of 3 repeats, more than 99 % to reach" in said
    assert "; p99 measured 3 ms in the worst of 3 repeats, at 3" in said
    assert "≥: more threads might bring more" in said
    none = run("capacity", folder, "--qps", 30_000, "--p99-ms", 2.5)
    assert "No spec was measured within 2.5 ms; the nearest is " in none and "90 %" not in none
    assert "more threads might bring more" in json.loads(run("capacity", folder, "--qps", 30_000, "--json"))["note"]


def test_what_is_unknown_is_one_dash(tmp_path):
    parquet.write(sweeps.tables(lambda p, n: 5000 * p, cores=(1, 2), threads=(100,), repeats=2, noise=0.02), tmp_path)
    file = params(tmp_path, **PRICED | {"goals": {"qps": 2000}})
    said = run("capacity", tmp_path, "--params", file)
    assert "is 1c4g at 100 threads: measured at " in said and "by the law" not in said.split("“Again”")[0]
    assert "– to" not in said and "(–" not in said and "nan" not in said


def test_rows_in_doubt_are_marked_and_the_table_fits_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = run("capacity", "qingcloud-4.0.3", "--qps", 20_000)
    assert "\n50:50  16c16g" in said and "\n       (D) " in said and "2c4g (D)" in said
    (heads,) = (line for line in said.splitlines() if line.startswith("mix "))
    assert heads.split() == ["mix", "spec", "threads", "measured", "law", "again", "new", "server", "chance", "enough"]
    assert max(map(len, said.splitlines())) <= 80
    # Sound rows are named first; where there is none it is said.
    said = " ".join(run("capacity", "tencent-2020-08", "--qps", 9000, "-w", "b").split())
    assert "is 12c32g at 100 threads" in said and "Smaller, but in doubt: 4c8g (D), 6c16g (D)." in said


def test_a_ladder_that_no_threads_lift_is_answered_by_its_fewest(tmp_path):
    rungs = {8: 13330, 16: 26295, 32: 38923, 64: 39981, 128: 40000, 256: 40000}
    rows = "".join(f"8,32,{n},{x},{1000 * n / x:.3f}\n" for n, x in rungs.items())
    own = tmp_path / "ladder.csv"
    own.write_text(f"cores,ram_gb,threads,qps,read_ms\n{rows}")
    assert "at 32 threads: measured at 38,900" in run("capacity", own, "--qps", 30_000)
    none = run("capacity", own, "--qps", 900_000)
    assert none == (
        "No spec carries 900,000 ops/s of unknown mix: the highest row is 40,000 ops/s (8c32g at 128 threads), 4 % of "
        "the goal.\n"
    )
    three = "cores,ram_gb,threads,qps\n8,32,100,52000\n16,64,100,78000\n32,128,100,80000\n"
    own.write_text(three)
    assert run("capacity", own, "--qps", 50_000).count("too few specs") == 3


def test_a_spec_in_doubt_is_not_recommended_silently(tmp_path):
    tables = named_tables.read("tencent-2020-08")
    parquet.write(dataclasses.replace(tables, runs=tables.runs[tables.runs["spec"] == "4c8g"]), tmp_path)
    said = run("capacity", tmp_path, "--qps", 9000, "-w", "b")
    assert "is 4c8g (D) at 100 threads" in said
    assert "Its row is in doubt, and no sound row suffices: measure it again." in said


def test_what_is_doubted_stays_in_the_table_as_it_was():
    rows = json.loads(run("capacity", "tencent-2020-08", "--qps", 9000, "-w", "b", "--json"))["specs"]
    assert rows[0]["spec"] == "4c8g"


def test_several_datasets_are_named_in_table_and_sentences(tmp_path, made):
    both = {}
    for name in ("runs", "operations", "percentiles"):
        frame = getattr(made, name)
        other = frame.assign(run_id=frame["run_id"] + "-o")
        other = other.assign(dataset="other") if name == "runs" else other
        both[name] = pd.concat([frame, other], ignore_index=True)
    parquet.write(Tables(**both), tmp_path)
    said = run("capacity", tmp_path, "--qps", 30_000)
    assert "\ndataset" in said
    assert "made, completed: The smallest spec" in said and "other, completed: The smallest spec" in said
    proposed = run("next", tmp_path, "-n", 2)
    assert "made: 100:0 on" in proposed and "other: 100:0 on" in proposed
    assert "such as made: 1c4g, 100:0" in proposed


def test_next_asks_for_more_threads_only_above_the_highest(tmp_path):
    def closed_loop(p, n):
        return ((4000 * p) ** -8 + (n / 0.004) ** -8) ** (-1 / 8)

    parquet.write(sweeps.tables(closed_loop, noise=0.01, cpu=lambda p, n: min(1.0, n / (16 * p))), tmp_path)
    said = run("next", tmp_path, "-n", 10)
    assert "100:0, 200 threads: more threads may bring more on " in said
    assert "a, 100 threads: nothing" not in said and "64 cores" not in said


def test_a_p99_of_all_operations_together_counts(tmp_path):
    measured = ((2, 4479, 27.5), (4, 8061, 13.7), (8, 14700, 6.5), (16, 26300, 4))
    rows = "".join(f"{cores},32,{qps},{p99_ms}\n" for cores, qps, p99_ms in measured)
    own = tmp_path / "tails.csv"
    own.write_text(f"vCPU,Clients,TPS,p99_ms\n{rows}")
    said = run("capacity", own, "--qps", 4000, "--p99-ms", 20)
    assert "is 4c at 32 threads" in said and "p99 measured 13.7 ms" in said


LIST = "prices: {4c16g: 0.2, 8c32g: 0.4, 16c64g: 0.8, 24c96g: 0.7, 32c128g: 1.5}\n"
FURTHER = "specs: [{name: 24c96g, cores: 24, ram_gib: 96}]\n"
URI = "name: buy\nserver: {kind: uri}\n"


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        (LIST, "16c64g"),
        (LIST + FURTHER + "currency: USD\ngoals: {qps: 40000}\n", "24c96g"),
        (URI + LIST + FURTHER, "24c96g"),
        (URI + LIST, "16c64g"),
    ],
)
def test_a_list_of_prices_needs_no_server(folder, tmp_path, text, spec):
    file = tmp_path / "prices.yml"
    file.write_text(text)
    said = run("capacity", folder, "--qps", 50_000, "--params", file)
    assert f"The cheapest spec that carries 50,000 ops/s of 100:0 is {spec}" in said
    assert ("per million operations, USD" in said) == ("USD" in text) and "per million" in said
    assert text != LIST or "you pay 1.88x" in run("scaling", folder, "--all", "--params", file)
    proposed, goal = run("next", folder, "--params", file), "goals" in text
    assert "100:0 on 24c96g at " in proposed if "24c96g, cores" in text else proposed == run("next", folder)
    assert ("where the goal is reached" in proposed) == goal


def test_goals_of_a_list_of_prices_count(folder, tmp_path):
    file = tmp_path / "prices.yml"
    file.write_text(LIST + "goals: {qps: 30000, p99_ms: 5}\n")
    assert "30,000 ops/s of 100:0 with a p99 of 5 ms is 8c32g" in run("capacity", folder, "--params", file)


def test_runs_are_not_held_against_a_plan_that_a_list_of_prices_does_not_make(tmp_path):
    file = tmp_path / "prices.yml"
    file.write_text(LIST)
    published = run("anomalies", "tencent-2020-08", "--all")
    assert run("anomalies", "tencent-2020-08", "--all", "--params", file) == published


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("prices: {M10: 0.1}\n", r"prices: got M10, expected .*; there are 1c4g, 2c8g, .*16c64g"),
        ("price: {8c32g: 0.1}\n", r"p.yml:1: price: unknown key; did you mean 'prices'\?"),
        ("prices: {8c32g: cheap}\n", "p.yml:1: prices.8c32g: got 'cheap', expected a number"),
        ("- 8c32g\n", "expected a mapping with prices, goals or specs"),
        (LIST + "specs: [24c96g]\n", r"p.yml:2: specs\[0\]: got '24c96g', expected a mapping with"),
        (URI + LIST + "specs: 5\n", "p.yml:4: specs: got 5, expected a list"),
        ("name: t\nserver: {kind: mongod}\n" + LIST + FURTHER, "prices.4c16g: there is no such spec"),
    ],
)
def test_a_list_of_prices_that_is_none_is_refused_in_a_line_each(folder, tmp_path, text, told):
    file = tmp_path / "p.yml"
    file.write_text(text)
    with pytest.raises(ParamsError, match=told) as caught:
        run("capacity", folder, "--qps", 50_000, "--params", file)
    assert not any("\n" in line for line in caught.value.args)


def test_specs_without_a_measurement_are_named_where_a_p99_is_asked_for(folder, tmp_path):
    file = tmp_path / "prices.yml"
    further = "specs: [{name: 24c96g, cores: 24, ram_gib: 96}, {name: 8c32g, cores: 8, ram_gib: 32}]\n"
    file.write_text(LIST + further + "goals: {qps: 30000}\n")
    told = "Not judged, as a p99 needs a sound measurement: 24c96g."
    for p99_ms in (5, 2.5):
        assert told in " ".join(run("capacity", folder, "--params", file, "--p99-ms", p99_ms).split())
    assert "Not judged" not in run("capacity", folder, "--params", file)
    assert "Not judged" not in run("capacity", folder, "--qps", 30_000, "--p99-ms", 5)
