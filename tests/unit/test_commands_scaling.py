"""The commands scaling, capacity and next, on an application of their own: also goals that are no numbers, several
datasets, and dashes for what is unknown."""

import dataclasses
import json
import re

import pandas as pd
import pytest
import scaling_sweeps as sweeps
import yaml
from command_samples import invoke
from facts_in import holds, in_order
from page_samples import own_table

from ycsbook import messages, named_tables, paths
from ycsbook.errors import FitError, ParamsError
from ycsbook.ingest.published.published import read_published
from ycsbook.messages import fact_of, facts_of
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
    done = invoke(*arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def facts(folder, table, column="sentence"):
    return facts_of(parquet.read_table(folder, table), column)


def test_scaling_says_laws_verdicts_steps_and_scatter(folder):
    said = run("scaling", folder, "--all")
    assert in_order(said, "100:0, 100 threads: claimed", "From 1 to 32 cores", "amdahl", "18 times (17 to 20)")
    assert "6 points, 6 core counts " in said
    assert holds(facts(folder, "fit_joint", "verdict"), "not-identifiable", reason={"needed": 7, "n": 6})
    assert in_order(said, "From 16 to 32 cores", "2x for 1.", "1 % to 21 %")
    for cores in (1, 16):
        step = {"from": cores, "to": 2 * cores, "aside": "ram", "paid": 2, "shown": True}
        assert holds(facts(folder, "marginals"), "step-cores", **step)


def test_scaling_of_a_vendors_table_says_how_far_its_rows_scatter(published):
    said = run("scaling", published, "--all")
    step = {"from": 16, "to": 32, "aside": "threads", "threads": 100, "paid": 2, "gain": 1.102, "low": None}
    assert holds(facts(published, "marginals"), "step-cores", **step) and "2x for 1.1x (not repeated" in said
    laws = parquet.read_table(published, "fit_glance").query("n_obs == 15 and n_left_out == 3 and n_specs == 3")
    assert said.count("15 points, 5 of them") == 4 == len(laws) and set(laws["n_obs"] - laws["n_censored"]) == {5}
    series = {"parts": [{"reads": 95}, {"threads": 200}]}
    choices = parquet.read_table(published, "fit_choices")
    (poor,) = choices[[holds(of, "series", **series) for of in facts_of(choices, "series")]].to_dict("records")
    assert holds(fact_of(poor, "verdict"), "law-poor", scatter=0.406)
    for wide in ({"low": 1.842, "high": 3.217}, {"low": 2.226, "high": 15.81}):
        assert holds(facts(published, "fit_joint", "verdict"), "law-wide", **wide)
    assert in_order(said, "×1.84 to ×3.22", "5,600 ops/s (4,100 to", "×2.2 to ×15.8")


def test_scaling_says_what_rests_on_rows_in_doubt():
    said = run("scaling", "tencent-2020-08")
    growth = ("\n95:5 at 100 threads: ", "×1.23", "(95 %: 1.06 to 1.43), from 12 to 48 cores.\n")
    stops = ("95:5 at 100 threads", "24 cores: 160,000 ops/s", "174,000 at 48", "200 threads", "212,000 at 48 cores")
    assert in_order(said, *growth, *stops, "2c4g (D), 4c8g (D), 6c16g (D).\n")
    # One name for a series, in its table and in sentences.
    assert "\n50:50, 100 threads  linear " in run("scaling", "tencent-2020-08", "--all")


def test_series_with_too_few_points_of_the_servers_own_are_told_together():
    said = " ".join(run("scaling", "tencent-2020-08").split())
    (told,) = (part for part in said.split(". ") if "50:50, 100 threads: 2 of 8" in part)
    assert in_order(told, "2 of 8 at 1 core count", "50:50, 200 threads: 0 of 7", "95:5, 200 threads: 0 of 6")


def test_scaling_prints_the_laws_over_threads(tmp_path):
    made = sweeps.tables(lambda p, n: 1000 * p * n / (n + 4), cores=(2, 4), threads=(1, 2, 4, 8, 16), noise=0.01)
    parquet.write(made, tmp_path)
    said = run("scaling", tmp_path, "--all")
    assert in_order(said, "100:0, 4c16g, over its", "From 1 to 16 threads the ")
    assert "100:0, 4 threads: not identifiable: " in said
    assert holds(facts(tmp_path, "fit_joint", "verdict"), "joint-too-few", at={"n": 2, "x": "cores"}, needed=3)


def test_scaling_with_prices(folder, tmp_path):
    file = params(tmp_path, prices={"16c64g": 1.0, "32c128g": 1.5})
    assert re.search("From 16 to 32 cores.* 1.5x for 1.", run("scaling", folder, "--all", "--params", file))


def test_scaling_as_json(folder):
    told = json.loads(run("scaling", folder, "--json"))
    assert set(told) == {"fits", "terms", "choices", "marginals", "joint", "threads", "limits"}
    assert {f["law"] for f in told["fits"]} == {"linear", "power", "amdahl", "usl"}
    assert len(told["marginals"]) == 10 and len(told["limits"]) == 12


def test_capacity_names_the_smallest_spec_its_probability_and_cost(folder, tmp_path):
    file = params(tmp_path, prices={"16c64g": 1.0, "32c128g": 1.5, "24c96g": 1.2})
    said = run("capacity", folder, "--qps", 70_000, "--workload", "a", "--params", file)
    assert in_order(said, "cheapest", "70,000 ops/s of 100:0 is 24c96g")
    assert "per million operations, USD" in said
    plain = run("capacity", folder, "--qps", 50_000, "-w", "a")
    assert in_order(plain, "smallest", "50,000 ops/s of 100:0 is 16c64g")
    assert "per million" not in plain


def test_capacity_takes_goals_from_the_params_file_and_says_that_prices_are_missing(folder, tmp_path):
    file = params(tmp_path, goals={"qps": 30_000, "p99_ms": 5})
    said = run("capacity", folder, "--params", file)
    assert in_order(said, "30,000 ops/s of 100:0", "p99 of 5 ms is 8c32g at 100 threads")
    example = "prices: {spec: amount per hour}"
    assert messages.text("capacity-no-prices", file=str(file), example=example) in said.replace("\n  ", " ")


def test_capacity_as_json(folder):
    told = json.loads(run("capacity", folder, "--qps", 30_000, "--p99-ms", 5, "--threads", 100, "--json"))
    assert in_order(told["answers"][0], "30,000 ops/s of 100:0", "p99 of 5 ms", "8c32g")
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
    assert in_order(said, "95 %", "kappa", "6 of 6", "1c4g, 100:0", messages.text("knee-no-single-thread"))


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
    assert re.search("4c16g, 100:0: more than 16 threads .* 16,000 ops/s", run("next", tmp_path))


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
    assert in_order(said, "100:0 at 100 threads", "With 400 threads it is", "100 may")
    assert in_order(said, "at 64 cores even 400 threads", "2.28 ms")


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
    assert in_order(said, "is 8c32g at 100 threads", " 3", "3 repeats", "more than 99 %", "3 ms", "of 3 repeats, at 3")
    note = messages.text("capacity-note")
    assert note in " ".join(said.split())
    none = run("capacity", folder, "--qps", 30_000, "--p99-ms", 2.5)
    assert in_order(none, "within 2.5 ms", "1c4g at 100 threads: p99") and "90 %" not in none
    assert json.loads(run("capacity", folder, "--qps", 30_000, "--json"))["note"] == note


def test_what_is_unknown_is_one_dash(tmp_path):
    parquet.write(sweeps.tables(lambda p, n: 5000 * p, cores=(1, 2), threads=(100,), repeats=2, noise=0.02), tmp_path)
    file = params(tmp_path, **PRICED | {"goals": {"qps": 2000}})
    said = run("capacity", tmp_path, "--params", file)
    assert "is 1c4g at 100 threads: measured at " in said and "by the law" not in said.split("“Again”")[0]
    assert "– to" not in said and "(–" not in said and "nan" not in said


def test_rows_in_doubt_are_marked_and_the_table_fits_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = run("capacity", "qingcloud-4.0.3", "--qps", 20_000)
    # A row is a line, and what has no room stands under it.
    assert "\n50:50  16c16g (D) " in said and "2c4g (D)" in said and "\n    new server (95 %): " in said
    (heads,) = (line for line in said.splitlines() if line.startswith("mix "))
    assert heads.split() == ["mix", "spec", "threads", "measured", "law", "again", "chance", "enough"]
    assert max(map(len, said.splitlines())) <= 80
    # Sound rows are named first; where there is none it is said.
    said = " ".join(run("capacity", "tencent-2020-08", "--qps", 9000, "-w", "b").split())
    assert in_order(said, "is 12c32g at 100 threads", "4c8g (D), 6c16g (D).")


def test_a_ladder_that_no_threads_lift_is_answered_by_its_fewest(tmp_path):
    rungs = {8: 13330, 16: 26295, 32: 38923, 64: 39981, 128: 40000, 256: 40000}
    rows = (f"8,32,{n},{x},{1000 * n / x:.3f}" for n, x in rungs.items())
    own = own_table(tmp_path, "cores,ram_gb,threads,qps,read_ms", rows)
    assert "at 32 threads: measured at 38,900" in run("capacity", own, "--qps", 30_000)
    none = run("capacity", own, "--qps", 900_000)
    assert in_order(none, "900,000 ops/s", "40,000 ops/s (8c32g at 128 threads), 4 %") and none.count("\n") == 1
    three = "cores,ram_gb,threads,qps\n8,32,100,52000\n16,64,100,78000\n32,128,100,80000\n"
    own.write_text(three)
    assert run("capacity", own, "--qps", 50_000).count("too few specs") == 3


def test_a_spec_in_doubt_is_not_recommended_silently(tmp_path):
    tables = named_tables.read("tencent-2020-08")
    parquet.write(dataclasses.replace(tables, runs=tables.runs[tables.runs["spec"] == "4c8g"]), tmp_path)
    said = run("capacity", tmp_path, "--qps", 9000, "-w", "b")
    assert "is 4c8g (D) at 100 threads" in said
    assert messages.text("capacity-doubted", specs=[], specs_n=0) in " ".join(said.split())


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
    assert re.search(r"100:0, 200 threads: more threads .* [1-6] of 6 specs", said)
    assert "a, 100 threads: nothing" not in said and "64 cores" not in said


def test_a_p99_of_all_operations_together_counts(tmp_path):
    measured = ((2, 4479, 27.5), (4, 8061, 13.7), (8, 14700, 6.5), (16, 26300, 4))
    rows = (f"{cores},32,{qps},{p99_ms}" for cores, qps, p99_ms in measured)
    own = own_table(tmp_path, "vCPU,Clients,TPS,p99_ms", rows)
    said = run("capacity", own, "--qps", 4000, "--p99-ms", 20)
    assert "is 4c at 32 threads" in said and "p99 measured 13.7 ms" in said


LIST = "prices: {4c16g: 0.2, 8c32g: 0.4, 16c64g: 0.8, 24c96g: 0.7, 32c128g: 1.5}\n"
FURTHER = "specs: [{name: 24c96g, cores: 24, ram_gib: 96}]\n"
URI = "name: buy\nserver: {kind: uri}\n"


@pytest.mark.matrix
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
    told = messages.text("capacity-unjudged", specs=["24c96g"])
    for p99_ms in (5, 2.5):
        assert told in " ".join(run("capacity", folder, "--params", file, "--p99-ms", p99_ms).split())
    not_judged = told.partition(",")[0]
    assert not_judged not in run("capacity", folder, "--params", file)
    assert not_judged not in run("capacity", folder, "--qps", 30_000, "--p99-ms", 5)
