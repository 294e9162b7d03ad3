"""The commands scaling, capacity and next, on an application of their own."""

import json

import pytest
import scaling_sweeps as sweeps
import yaml
from typer.testing import CliRunner

from ycsbook import paths
from ycsbook.commands import app
from ycsbook.errors import FitError, ParamsError
from ycsbook.ingest.published.published import read_published
from ycsbook.store import parquet

PARAMS = {
    "name": "made", "server": {"kind": "mongod"}, "currency": "USD",
    "specs": [{"name": f"{c}c{4 * c}g", "cores": c, "ram_gib": 4 * c} for c in (1, 2, 4, 8, 16, 32, 24)],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("tables")
    made = sweeps.tables(
        lambda p, n: sweeps.usl(p, 0.02, 1e-4), repeats=3, noise=0.03, p99_us=lambda p, n: 30.0 * n,
        cpu=lambda p, n: 0.97,
    )  # fmt: skip
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
    assert "50:50, cores and threads together: claimed. Over cores and threads together: 5,620 ops/s (4,060 to" in said
    assert "95:5, cores and threads together: claimed. Over cores and threads together: 2,870 ops/s (1,010 to" in said
    assert "(standard deviation) from the laws." in said


def test_scaling_says_what_rests_on_rows_in_doubt():
    said = run("scaling", "tencent-2020-08")
    assert (
        "95:5 at 100 threads: twice the cores give 2.59 times the throughput (95 %: 1.92 to 3.49), from 2 to 48 cores; "
        "beyond 12 only 1.23 times.\n95:5 at 100 threads gains little beyond 24 cores: 160,000 ops/s there, "
        "174,000 at 48. With 200 threads it is 212,000 at 48 cores, so 100 are too few there.\n"
        "In doubt: 2c4g (D), 4c8g (D), 6c16g (D). Without such rows it is 1.23 times (95 %: 1.06 to "
        "1.43).\n"
    ) in said
    # One name for a series, in its table and in sentences.
    assert "\n50:50, 100 threads  linear " in run("scaling", "tencent-2020-08", "--all")


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
    assert "The knee of 6 of 6 is unknown, such as 1c4g, 100:0: no run at one thread" in said


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
    assert "so 100 are too few there" in said
    assert "an operation of 400 threads takes 2.28 ms" in said and "nearly all threads are in service there" in said


def test_what_falls_is_not_said_to_gain_little_as_well(tmp_path):
    made = sweeps.tables(
        lambda p, n: sweeps.usl(p, 0.05, 6e-4), cores=(1, 2, 4, 8, 16, 32, 64), threads=(256,), repeats=3
    )
    parquet.write(made, tmp_path)
    said = run("scaling", tmp_path)
    assert "it falls (" in said and "gains little" not in said
