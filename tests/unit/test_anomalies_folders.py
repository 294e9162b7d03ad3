"""Repeats from folders whose names nobody understood, which may be of other servers."""

import pytest
from anomaly_samples import flags, run
from facts_in import holds

from ycsbook import messages


def runs_in(*folders, below="8c/run.log", repeats=2, **more):
    """Two configurations, each with repeats in each folder; each folder does 15 % more than the last."""
    rows = []
    for place, folder in enumerate(folders):
        for threads in (4, 8):
            for repeat in range(1, repeats + 1):
                row = run(2.0, threads, repeat, 1000.0 * 1.15**place, source=f"old/{folder}/{below}", **more)
                rows.append(row | {"run_id": f"{folder}-{threads}-{repeat}"})
    return rows


@pytest.mark.parametrize("folders", [("mongo44", "mongo60"), ("wiredtiger", "mmapv1"), ("a-old", "b-new", "c")])
def test_folders_that_may_be_other_servers_are_named_with_the_pattern(folders):
    (found,) = flags("mixed_folders", runs_in(*folders))
    assert found.severity == "notice" and len(found.run_ids) == 4 * len(folders)
    assert found.effect == pytest.approx(1.15 ** (len(folders) - 1) - 1)
    named = set(found.message.values["folders"])
    assert holds(found.message, "mixed_folders", runs={"n": len(found.run_ids)}, cells=2) and named == set(folders)
    assert "--pattern '{dataset}/*/*'" in messages.say(found.advice or found.message)


@pytest.mark.parametrize(
    "folders",
    [
        ("run1", "run2"),
        ("iteration_1", "iteration_2"),
        ("2023-03-01", "2023-03-02"),
        ("20230301T1000", "20230302T1000"),
        ("1", "2"),
        ("batch-a1", "batch-a1"),
        ("4threads", "8threads"),
        ("2c8g", "4c16g"),
        ("workloada", "workloadb"),
        ("第1轮", "第2轮"),
        ("only",),
    ],
)
def test_numbers_dates_and_what_is_understood_are_no_news(folders):
    assert flags("mixed_folders", runs_in(*folders)) == []


def test_a_folder_for_each_run_is_its_own():
    rows = [row | {"source": f"store/{row['run_id']}"} for row in runs_in("x", "y")]
    assert flags("mixed_folders", [row | {"source": row["source"] + "/stdout"} for row in rows]) == []
    assert flags("mixed_folders", runs_in("x", "y", repeats=1)[:1] + runs_in("y", repeats=1)) == []


def test_folders_without_repeats_in_common_or_named_in_a_column_are_no_news():
    apart = runs_in("x", workload="a") + [row | {"workload": "b"} for row in runs_in("y")]
    assert flags("mixed_folders", apart) == []
    named = [row | {"topology": row["source"].split("/")[1]} for row in runs_in("sharded", "replica")]
    assert flags("mixed_folders", named) == []
    assert flags("mixed_folders", [row | {"spec": ""} for row in runs_in("x", "y")]) == []
    assert flags("mixed_folders", [row | {"outcome": "published"} for row in runs_in("x", "y")]) == []
