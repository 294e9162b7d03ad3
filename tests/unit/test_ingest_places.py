"""Which server a log is of, by the names of its file and folders, and what in names contradicts the log."""

import pytest

from ycsbook import ingest
from ycsbook.ingest.archive import update
from ycsbook.ingest.log.labels import server, settings_of_path
from ycsbook.scaling.cells import cells, with_utilisation
from ycsbook.store import parquet


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("records_1000_threads_16", {"records": 1000, "threads": 16}),
        ("16_threads_100_records", {"threads": 16, "records": 100}),
        ("iteration-2-threads-8", {"repeat": 2, "threads": 8}),
        ("workloada_100_threads_8", {"workload": "a", "threads": 8}),
        ("threads=12-records=5000000", {"threads": 12, "records": 5_000_000}),
        ("records=50000-threads=16", {"records": 50_000, "threads": 16}),
        ("workloada_64_threads_10M_records", {"workload": "a", "threads": 64, "records": 10_000_000}),
        ("64_threads_3_nodes", {"threads": 64}),
        ("64threads_100ops", {"threads": 64}),
        ("run_64threads_2", {"threads": 64}),
        ("64线程-1", {"threads": 64}),
        ("并发数：64", {"threads": 64}),
        ("concurrency_64", {"threads": 64}),
        ("threads_64_nodes_3", {"threads": 64}),
        ("mongo_th64", {"threads": 64}),
        ("mongo-64thr", {"threads": 64}),
        ("mongo.a.t64", {"threads": 64}),
        ("mongo-conc64-b", {"threads": 64}),
        ("parallel_64", {"threads": 64}),
        ("4th_try", {}),
        ("t3.large", {}),
    ],
)
def test_a_number_is_that_of_one_word(name, said):
    assert settings_of_path(f"{name}.log") == said


HEAD = "Command line: -t -db site.ycsb.db.MongoDbClient -P workloads/workload{workload} -threads {threads}\n"


def text(ops_s: float, threads: int, *, workload: str = "b", head: bool = True, n: int = 100_000) -> str:
    ms = round(n / ops_s * 1000)
    parts = {"READ": n * 95 // 100, "UPDATE": n * 5 // 100, "CLEANUP": threads}
    lines = [f"[OVERALL], RunTime(ms), {ms}", f"[OVERALL], Throughput(ops/sec), {n / ms * 1000}"]
    for name, count in parts.items():
        mean = threads / ops_s * 0.98e6 if name != "CLEANUP" else 900
        lines += [f"[{name}], Operations, {count}", f"[{name}], AverageLatency(us), {mean}"]
        lines += [] if name == "CLEANUP" else [f"[{name}], Return=OK, {count}"]
    return (HEAD.format(workload=workload, threads=threads) if head else "") + "\n".join(lines) + "\n"


def write(folder, names, **kwargs):
    """Logs of these names, each of another throughput; a name stands with its threads."""
    for i, (name, threads) in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(1000 * (1 + i / 100), threads, **kwargs))
    return ingest.read(folder)


def cells_of(tables):
    return cells(with_utilisation(tables.runs, tables.operations)).set_index(["spec", "threads"])["n"].to_dict()


THREADS, REPEATS = (50, 100), (1, 2, 3)


@pytest.mark.parametrize(
    "pattern",
    [
        "workloadb_{t}threads_run{r}.log",
        "b_{t}t_run{r}.log",
        "workloadb-{t}-{r}.log",
        "threads={t}/rep{r}.log",
        "{t}并发/第{r}次.txt",
        "b{t}_{r}/ycsb.log",
        "{t}/run{r}.log",
        "b_{t}t_rep{r}_2025-05-18_23-34-1{r}.txt",
        "{t}/run_rep{r}_2025050{r}090800.txt",
        "{t}/1747604{t:03d}-b-r{r}.log",
        "load/workload-b-{t}threads-load-{r}.txt",
    ],
)
def test_logs_of_a_folder_that_differ_in_settings_alone_are_of_one_server(tmp_path, pattern):
    names = [(pattern.format(t=t, r=r), t) for t in THREADS for r in REPEATS]
    tables = write(tmp_path / "Server A", names)
    assert cells_of(tables) == {("server-a", t): 3 for t in THREADS}
    assert sorted(tables.runs["repeat"]) == [1, 1, 2, 2, 3, 3]
    assert tables.runs["warnings"].str.contains("SETTINGS_INFERRED").all()
    assert set(tables.runs["spec_label"]) == {"Server A"}


@pytest.mark.parametrize("head", [True, False])
@pytest.mark.parametrize(
    ("folders", "specs", "cores"),
    [
        (("c5.xlarge", "c5.2xlarge"), ("c5.xlarge", "c5.2xlarge"), None),
        (("Standard_D8s_v5", "M40"), ("standard_d8s_v5", "m40"), None),
        (("n2-standard-50", "n2-standard-100"), ("n2-standard-50", "n2-standard-100"), None),
        (("4vcpu", "16vcpu"), ("4vcpu", "16vcpu"), (4, 16)),
        (("cores=4", "cores=16"), ("cores-4", "cores-16"), (4, 16)),
        (("node-4core/mongo", "node-16core/mongo"), ("node-4core-mongo", "node-16core-mongo"), (4, 16)),
        (("4U16G", "16U64G"), ("4c16g", "16c64g"), (4, 16)),
        (("cpu8_mem32", "8CPU-64RAM"), ("8c32g", "8c64g"), (8, 8)),
    ],
)
def test_folders_name_servers_by_type_or_cores(tmp_path, folders, specs, cores, head):
    names = [(f"{f}/b_{t}t_run{r}.log", t) for f in folders for t in THREADS for r in REPEATS]
    tables = write(tmp_path, names, head=head)
    assert cells_of(tables) == {(spec, t): 3 for spec in specs for t in THREADS}
    found = tables.runs.drop_duplicates("spec").set_index("spec")["cores"]
    assert tuple(found[list(specs)]) == cores if cores else found.isna().all()


def test_the_same_folder_below_others_is_another_server(tmp_path):
    names = [(f"{above}/logs/b_50t_run{r}.log", 50) for above in ("alpha", "beta") for r in REPEATS]
    assert cells_of(write(tmp_path, names)) == {("alpha-logs", 50): 3, ("beta-logs", 50): 3}


@pytest.mark.parametrize(
    "names",
    [
        ("mongo.log", "redis.log", "tikv.log"),
        ("mongo_b_50t_run1.log", "redis_b_50t_run1.log", "tikv_b_50t_run1.log"),
        ("node-1.log", "node-2.log", "node-3.log"),
        ("1.log", "2.log", "3.log"),
        ("b-50-1.log", "b-50-3.log", "b-50-5.log"),
        ("2026-11-01.log", "2026-11-02.log", "2026-11-03.log"),
        ("b_50t_2026-11-01.log", "b_50t_2026-11-02.log", "b_50t_2026-11-03.log"),
        ("b_50t_r1_2026-11-01.log", "b_50t_r1_2026-11-02.log", "b_50t_r1_2026-11-03.log"),
    ],
)
def test_logs_that_differ_in_anything_else_are_no_repeats(tmp_path, names):
    tables = write(tmp_path, [(name, 50) for name in names])
    assert list(cells_of(tables).values()) == [1, 1, 1]


def test_dates_are_no_threads():
    assert settings_of_path("out/2025-05-18_threads_8.log") == {"threads": 8.0}


def test_long_names_that_end_otherwise_are_two_servers(tmp_path):
    names = [(f"{'campaign-of-autumn-' * 4}{end}/b_50t_run{r}.log", 50) for end in ("alpha", "beta") for r in REPEATS]
    found = cells_of(write(tmp_path, names))
    assert list(found.values()) == [3, 3] and all(len(spec) <= 64 for spec, _ in found)


def test_runs_of_unknown_threads_are_no_repeats(tmp_path):
    for r in REPEATS:
        lines = text(1000 + r, 50, head=False).splitlines(keepends=True)
        (tmp_path / f"workloadb-run-{r}.log").write_text("".join(line for line in lines if "CLEANUP" not in line))
    tables = ingest.read(tmp_path)
    assert tables.runs["threads"].isna().all()
    assert list(cells_of(tables).values()) == [1, 1, 1]


def test_several_runs_of_one_file_are_not_taken_for_repeats(tmp_path):
    (tmp_path / "b_50t_run1.log").write_text(text(1000, 50) + text(1400, 50))
    assert list(cells_of(ingest.read(tmp_path)).values()) == [1, 1]


def test_what_is_said_of_the_server_goes_before_names(tmp_path):
    (tmp_path / "c5.xlarge").mkdir()
    (tmp_path / "c5.xlarge" / "ycsbook.yml").write_text("spec: mine\n")
    tables = write(tmp_path, [(f"c5.xlarge/b_50t_run{r}.log", 50) for r in REPEATS])
    assert cells_of(tables) == {("mine", 50): 3}


def test_a_repeat_that_comes_later_makes_the_first_one_one(tmp_path):
    logs, out = tmp_path / "logs", tmp_path / "tables"
    write(logs, [("b-50-1.log", 50)])
    update([logs], out)
    write(logs, [("b-50-1.log", 50), ("b-50-2.log", 50)])
    update([logs], out)
    assert sorted(parquet.read(out).runs["repeat"]) == [1, 2]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("client-16core/run.log", {}),
        ("m5.2xlarge/multicore16/b.log", {}),
        ("0core/x.log", {}),
        ("8cores/x.log", {"cores": 8}),
        ("a/cpus-8/x.log", {"cores": 8}),
    ],
)
def test_names_tell_cores_alone(path, said):
    assert settings_of_path(path) == said


def test_a_log_whose_names_say_nothing_of_the_run_has_no_server():
    assert server("logs/mongo", {"threads": 8.0, "workload": "a", "phase": "run"}) == {}


@pytest.mark.parametrize("head", [True, False])
def test_a_name_that_contradicts_its_log_is_told(tmp_path, head):
    logs = tmp_path / "logs"
    write(logs, [("workloadb-t64.log", 4)], head=head)
    (remark,) = update([logs], tmp_path / "tables").remarks
    assert remark.endswith("workloadb-t64.log: threads=64 stands in its name, but its log shows 4")


def test_parts_of_names_that_repeat_the_command_are_none_of_the_server(tmp_path):
    """As scripts name logs by all that they set; one that differs in what no command says is of another server."""
    more = " -p verify=true -p recordcount={n} -p requestdistribution=latest"
    for n, kept, threads in ((5000, 9, 1), (5000, 9, 16), (80_000, 9, 16), (5000, 7, 16)):
        name = f"store.run.workloadb.true.{n}.{kept}.latest.{threads}.log"
        head = HEAD.replace("\n", more.format(n=n) + "\n")
        (tmp_path / name).write_text(
            head.format(workload="b", threads=threads) + text(900 + threads, threads, head=False)
        )
    runs = ingest.read(tmp_path).runs
    assert sorted(runs["spec"]) == ["store-7", "store-9", "store-9", "store-9"]
    assert sorted(runs.loc[runs["spec"] == "store-9", "records"]) == [5000, 5000, 80_000]


@pytest.mark.parametrize("version", ["4.4", "5.0.8"])
def test_versions_stay_though_a_number_of_them_is_said(tmp_path, version):
    runs = write(tmp_path, [(f"mongo-{version}_b_{t}threads.log", t) for t in (4, 5)]).runs
    assert set(runs["spec"]) == {f"mongo-{version}"}


def without_threads(folder, name, threads, *, busy=0.95):
    """A log that says nothing of its threads, which were busy for a share of the time."""
    lines = text(900 * threads, threads, head=False).splitlines(keepends=True)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for what, comma, figure in (line.rpartition(", ") for line in lines if "CLEANUP" not in line):
            is_mean = "AverageLatency" in what
            file.write(f"{what}{comma}{float(figure) * busy / 0.98}\n" if is_mean else f"{what}{comma}{figure}")


@pytest.mark.parametrize("pattern", ["c{}/b.log", "b_{}.log", "b-{}u.log", "p{}/run.log", "mongo/vus{}-b.txt"])
def test_the_number_in_a_name_that_the_calls_keep_busy_is_that_of_the_threads(tmp_path, pattern):
    for threads in (16, 64):
        without_threads(tmp_path, pattern.format(threads), threads)
    runs = ingest.read(tmp_path).runs
    assert sorted(runs["threads"]) == [16, 64]
    assert runs["warnings"].str.contains("SETTINGS_INFERRED").all() and runs["spec"].nunique() == 1


@pytest.mark.parametrize(
    ("name", "threads", "busy"),
    [
        ("b_64.log", 64, 0.5),  # of a rate that was asked for: the threads wait
        ("b_64.log", 64, 1.1),  # more than threads can do
        ("b_60_64.log", 64, 0.9),  # two that fit
        ("b_2.log", 2, 0.95),  # counts files
        ("mongo64/b.log", 64, 0.95),
        ("b_64g.log", 64, 0.95),
        ("v6.4/b.log", 6, 0.95),
    ],
)
def test_a_number_that_does_not_fit_or_is_of_something_else_is_no_number_of_threads(tmp_path, name, threads, busy):
    without_threads(tmp_path, name, threads, busy=busy)
    assert ingest.read(tmp_path).runs["threads"].isna().all()


def test_a_number_above_the_folder_that_is_read_is_no_number_of_threads(tmp_path):
    folder = tmp_path / "box-75" / "logs"
    folder.mkdir(parents=True)
    without_threads(folder, "b_64.log", 64, busy=1.1)
    assert ingest.read(folder).runs["threads"].isna().all()
    assert ingest.read(folder.parent).runs["threads"].eq(75).all()


def test_folders_that_are_called_by_days_hold_repeats(tmp_path):
    names = [(f"{day}/b_50t.log", 50) for day in ("2024-01-05", "2024-02-09", "20240301_1200")]
    assert list(cells_of(write(tmp_path, names)).values()) == [3]


def test_a_name_that_says_cores_and_threads_is_that_of_one_server(tmp_path):
    tables = write(tmp_path, [(f"mongodb-8vcpu-conc{n}-B.log", n) for n in (16, 32)])
    assert set(tables.runs["spec"]) == {"mongodb-8vcpu"} and set(tables.runs["cores"]) == {8}
