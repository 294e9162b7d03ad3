"""What capacity and next print: goals that are no numbers, several datasets, and dashes for what is unknown."""

import dataclasses
import json

import pandas as pd
import pytest
import scaling_sweeps as sweeps
import yaml
from typer.testing import CliRunner

from ycsbook import named_tables
from ycsbook.commands import app
from ycsbook.errors import ParamsError
from ycsbook.store import parquet
from ycsbook.tables import Tables

PARAMS = {
    "name": "made", "server": {"kind": "mongod"}, "prices": {"1c4g": 0.1}, "goals": {"qps": 2000, "p99_ms": 5},
    "specs": [{"name": f"{c}c{4 * c}g", "cores": c, "ram_gib": 4 * c} for c in (1, 2, 3)],
}  # fmt: skip


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


def run(*arguments):
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("value", ["nan", "0", "-1", "inf"])
@pytest.mark.parametrize("goal", ["--qps", "--p99-ms"])
def test_a_goal_is_a_number_above_zero_whatever_the_params_file_says(folder, tmp_path, goal, value):
    file = tmp_path / "made.yml"
    file.write_text(yaml.safe_dump(PARAMS))
    with pytest.raises(ParamsError, match=f"{goal}: got {float(value):g}, expected a number > 0") as caught:
        run("capacity", folder, "--params", file, goal, value)
    assert "\n" not in str(caught.value)


def test_the_p99_is_said_with_its_repeats_and_throughput(folder):
    said = run("capacity", folder, "--qps", 30_000, "--p99-ms", 5)
    assert "is 8c32g at 100 threads: measured at 3" in said and "mean of 3 repeats, more than 99 % to reach" in said
    assert "; p99 measured 3 ms in the worst of 3 repeats, at 3" in said
    assert "of what so many threads deliver, lower bounds taken as they are" in said
    none = run("capacity", folder, "--qps", 30_000, "--p99-ms", 2.5)
    assert "No spec was measured within 2.5 ms; the nearest is " in none and "90 %" not in none
    assert "lower bounds" in json.loads(run("capacity", folder, "--qps", 30_000, "--json"))["note"]


def test_what_is_unknown_is_one_dash(tmp_path):
    parquet.write(sweeps.tables(lambda p, n: 5000 * p, cores=(1, 2), threads=(100,), repeats=2, noise=0.02), tmp_path)
    file = tmp_path / "made.yml"
    file.write_text(yaml.safe_dump(PARAMS | {"goals": {"qps": 2000}}))
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
    assert "100:0, 200 threads: nothing shows that the server is the limit of " in said
    assert "a, 100 threads: nothing" not in said and "64 cores" not in said


def test_a_p99_of_all_operations_together_counts(tmp_path):
    measured = ((2, 4479, 27.5), (4, 8061, 13.7), (8, 14700, 6.5), (16, 26300, 4))
    rows = "".join(f"{cores},32,{qps},{p99_ms}\n" for cores, qps, p99_ms in measured)
    own = tmp_path / "tails.csv"
    own.write_text(f"vCPU,Clients,TPS,p99_ms\n{rows}")
    said = run("capacity", own, "--qps", 4000, "--p99-ms", 20)
    assert "is 4c at 32 threads" in said and "p99 measured 13.7 ms" in said
