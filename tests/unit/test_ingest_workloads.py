"""The workload of logs without a command line, and what contradicts the one that is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import ingest
from ycsbook.ingest.log.labels import settings_of_path
from ycsbook.ingest.runs.runs import settled_workload
from ycsbook.operations import STANDARD_MIXES
from ycsbook.verdicts import Warn

HEAD = "Command line: -t -db com.yahoo.ycsb.db.MongoDbClient -p operationcount=10000 -threads 8\n"


def log(counts, head="", threads=8):
    """A whole log of YCSB with so many calls of each operation."""
    n = sum(count for name, count in counts.items() if name != "READ-MODIFY-WRITE")
    n -= counts.get("READ-MODIFY-WRITE", 0)
    lines = [f"[OVERALL], RunTime(ms), {n}", f"[OVERALL], Throughput(ops/sec), {1000.0}"]
    for name, count in {**counts, "CLEANUP": threads}.items():
        codes = [] if name in ("CLEANUP", "READ-MODIFY-WRITE") else [f"[{name}], Return=OK, {count}"]
        lines += [f"[{name}], Operations, {count}", f"[{name}], AverageLatency(us), 900.0", *codes]
    seconds = n // 1000
    status = [
        f"2024-05-01 10:00:{s:02d}:000 {s} sec: {1000 * s} operations; 1000 current ops/sec;"
        for s in range(1, seconds + 1)
    ]
    return head + "\n".join([*status, *lines]) + "\n"


def row_of(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    (row,) = ingest.read(path).runs.to_dict("records")
    return row


@pytest.mark.parametrize(
    ("counts", "workload"),
    [
        ({"READ": 5020, "UPDATE": 4980}, "a"),
        ({"READ": 9510, "UPDATE": 490}, "b"),
        ({"READ": 10_000}, "c"),
        ({"READ": 9480, "INSERT": 520}, "d"),
        ({"SCAN": 9480, "INSERT": 520}, "e"),
        ({"READ": 10_000, "UPDATE": 4970, "READ-MODIFY-WRITE": 4970}, "f"),
        ({"READ": 7000, "UPDATE": 3000}, ""),
        ({"INSERT": 10_000}, ""),
    ],
)
@pytest.mark.parametrize("head", ["", HEAD])
def test_the_mix_of_operations_tells_the_workload(tmp_path, counts, workload, head):
    row = row_of(tmp_path, "8.log", log(counts, head))
    assert row["outcome"] == "completed" and row["workload"] == workload
    assert ("WORKLOAD_INFERRED" in row["warnings"]) == bool(workload)


@pytest.mark.parametrize(
    "name", ["workloadb-8.log", "Workload B/8.log", "ycsb/WorkloadB/x/8.txt", "run_workload_b.out"]
)
def test_the_name_of_file_or_folder_tells_it(tmp_path, name):
    row = row_of(tmp_path, name, log({"READ": 9490, "UPDATE": 510}))
    assert row["workload"] == "b" and "WORKLOAD_INFERRED" in row["warnings"]
    row = row_of(tmp_path, name, log({"READ": 5000, "UPDATE": 5000}))
    assert row["workload"] == "b" and "WORKLOAD_CONTRADICTED" in row["warnings"]


def test_what_the_command_line_or_the_user_says_stands(tmp_path):
    told = HEAD.replace("-threads", "-P workloads/workloada -threads")
    row = row_of(tmp_path, "workloadb/8.log", log({"READ": 5000, "UPDATE": 5000}, told))
    assert row["workload"] == "a" and "WORKLOAD" not in row["warnings"]
    row = row_of(tmp_path, "8.log", log({"READ": 10_000}, told))
    assert row["workload"] == "a" and "WORKLOAD_CONTRADICTED" in row["warnings"]
    (tmp_path / "ycsbook.yml").write_text("workload: c\n")
    row = row_of(tmp_path, "8.log", log({"READ": 10_000}))
    assert row["workload"] == "c" and "WORKLOAD" not in row["warnings"]


@pytest.mark.parametrize("path", ["workloads/8.log", "workload-all.log", "myworkload1.log", "homework load a.log", ""])
def test_other_names_tell_nothing(path):
    assert "workload" not in settings_of_path(path)


@settings(max_examples=40)
@given(st.sampled_from("abcdef"), st.integers(1000, 10**9))
def test_a_mix_is_never_a_contradiction_of_itself(letter, n):
    mix = STANDARD_MIXES[letter]
    rmw = round(n * mix.get("readmodifywrite", 0))
    calls = {name.upper(): round(n * share) for name, share in mix.items() if name != "readmodifywrite"}
    calls = {name: calls.get(name, 0) + (rmw if name in ("READ", "UPDATE") else 0) for name in (*calls, "UPDATE")}
    assert settled_workload("", "8.log", {**calls, "READ-MODIFY-WRITE": rmw}) == (letter, Warn.WORKLOAD_INFERRED)
    assert settled_workload(letter, "8.log", {**calls, "READ-MODIFY-WRITE": rmw}) == (letter, None)


def test_logs_called_alike_in_two_folders_are_told_apart(tmp_path):
    for folder in ("mongo/100", "postgres/100"):
        row_of(tmp_path, f"{folder}/run.log", log({"READ": 10_000}))
    ids = sorted(ingest.read(tmp_path).runs["run_id"])
    assert ids[0].startswith("mongo-100-run-") and ids[1].startswith("postgres-100-run-")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("Records_1000/thread_4/iteration_1/out.log", {"records": 1000, "threads": 4, "repeat": 1}),
        ("redis_workloadf_t16_r2.log", {"workload": "f", "threads": 16, "repeat": 2}),
        ("100k-records/64threads/trial-3.txt", {"records": 100_000, "threads": 64, "repeat": 3}),
        ("recordcount=5m/threadcount=8/run.log", {"records": 5_000_000, "threads": 8}),
        ("iteration_0/thread_2/thread_16.log", {"threads": 16}),
        ("t3.large/r5.xlarge/run1.log", {}),
        ("multithreaded/format2/records.log", {}),
        ("8c32g/t100.log", {"threads": 100, "spec": "8c32g", "cores": 8, "ram_gib": 32}),
        ("mongo 16核64G/run.log", {"spec": "16c64g", "cores": 16, "ram_gib": 64}),
        ("mongo-8c32g-t200-run2.log", {"threads": 200, "repeat": 2, "spec": "8c32g", "cores": 8, "ram_gib": 32}),
        ("redis_t16_run-3.txt", {"threads": 16, "repeat": 3}),
        ("redis_t16_RUN_3_b/out.log", {"threads": 16, "repeat": 3}),
        ("t8_run12.out", {"threads": 8, "repeat": 12}),
        # The phase and its threads, a year, a name, or words that end so.
        ("workloada-run-16.log", {"workload": "a"}),
        ("mongo-run2023-08.log", {}),
        ("mongo-run-2023.log", {}),
        ("run1/out.log", {}),
        ("my-rerun2.log", {}),
        ("mongo-run1.5.log", {}),
        ("4vcpu-16gb_r2.log", {"repeat": 2, "spec": "4c16g", "cores": 4, "ram_gib": 16}),
        ("2c4g-against-4c8g/run.log", {}),
        ("abc12gen/run.log", {}),
    ],
)
def test_names_tell_threads_records_repeat_and_spec(path, said):
    assert settings_of_path(path) == said


@pytest.mark.parametrize("lost", [(), (" sec: ",)])
def test_the_spec_of_a_folder_is_that_of_its_logs_unless_the_user_says_another(tmp_path, lost):
    lines = log({"READ": 10_000}, threads=8).splitlines(keepends=True)
    text = "".join(line for line in lines if not any(part in line for part in lost))
    row = row_of(tmp_path / "a", "8c32g/run.log", text)
    assert (row["spec"], row["cores"], row["ram_gib"]) == ("8c32g", 8, 32)
    assert "SETTINGS_INFERRED" in row["warnings"]
    (tmp_path / "b" / "8c32g").mkdir(parents=True)
    (tmp_path / "b" / "8c32g" / "ycsbook.yml").write_text("cores: 4\n")
    row = row_of(tmp_path / "b", "8c32g/run.log", text)
    assert row["cores"] == 4 and row["spec"] != "8c32g"


@pytest.mark.parametrize("lost", [(), ("[CLEANUP]",), (" sec: ",), ("[CLEANUP]", " sec: ")])
def test_what_only_names_say_is_inferred_and_marked(tmp_path, lost):
    lines = log({"READ": 10_000}, threads=8).splitlines(keepends=True)
    text = "".join(line for line in lines if not any(part in line for part in lost))
    row = row_of(tmp_path, "records_20k/thread_32/iteration_2/run.log", text)
    assert (row["threads"], row["records"], row["repeat"]) == (32 if "[CLEANUP]" in lost else 8, 20_000, 2)
    assert "SETTINGS_INFERRED" in row["warnings"] and "THREADS_UNKNOWN" not in row["warnings"]


def test_what_a_log_says_goes_before_its_name(tmp_path):
    row = row_of(
        tmp_path, "thread_64/run.log", log({"READ": 10_000}, "Command line: -t -P workloads/workloadc -threads 4\n")
    )
    assert row["threads"] == 4 and "SETTINGS_INFERRED" not in row["warnings"]


def test_run_ids_keep_the_folders_that_say_something(tmp_path):
    for records in (1000, 5000):
        row_of(tmp_path, f"Records_{records}/mongo/thread_4/iteration_1/out.log", log({"READ": 10_000}))
    ids = sorted(ingest.read(tmp_path).runs["run_id"])
    assert ids[0].startswith("records_1000-thread_4-iteration_1-out-")
    assert ids[1].startswith("records_5000-thread_4-iteration_1-out-")
