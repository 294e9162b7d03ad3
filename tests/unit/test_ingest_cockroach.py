"""The tables that `cockroach workload run ycsb` prints, alone and in pages; its other workloads are not ours."""

import pytest
from log_harness import one, parsed, rows

from ycsbook import ingest
from ycsbook.ingest import readers
from ycsbook.ingest.readers import cockroach
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome

COMMAND = (
    "$ cockroach workload run ycsb 'postgresql://root:canary7@10.1.2.3:26257' --workload B --concurrency 96 "
    "--max-rate=9000"
)
SECONDS = "_elapsed___errors__ops/sec(inst)___ops/sec(cum)__p50(ms)__p95(ms)__p99(ms)_pMax(ms)\n"
TOTALS = "_elapsed___errors_____ops(total)___ops/sec(cum)__avg(ms)__p50(ms)__p95(ms)__p99(ms)_pMax(ms)__"


def second(at: float, rate: float, name: str, errors: int = 0) -> str:
    return f"{at:7.1f}s {errors:8d} {rate:14.1f} {rate:14.1f} {2.5:8.1f} {8.9:8.1f} {15.2:8.1f} {71.3:8.1f} {name}\n"


def total(seconds: float, count: int, mean: float, name: str = "", errors: int = 0) -> str:
    kind = "total" if name else "result"
    return (f"\n{TOTALS}{kind}\n{seconds:7.1f}s {errors:8d} {count:14d} {count / seconds:14.1f} {mean:8.1f} {2.5:8.1f} "
            f"{9.4:8.1f} {17.8:8.1f} {104.9:8.1f}  {name}\n")  # fmt: skip


def log(*names: str, counts: tuple[int, ...] = (5700, 300), errors: int = 0) -> str:
    names = names or ("read", "update")
    text = f"{COMMAND}\n{SECONDS}"
    for at in (1.0, 2.0):
        text += "".join(second(at, n / 2, name, errors) for n, name in zip(counts, names, strict=True))
    text += "".join(total(2.0, n, 3.1, name, errors) for n, name in zip(counts, names, strict=True))
    return text + total(2.0, sum(counts), 3.3, errors=errors)


def test_totals_are_summaries_and_the_command_tells_the_rest(tmp_path):
    run = one(cockroach, tmp_path, log())
    assert (run.throughput_ops_s, run.runtime_ms, run.attempted, run.failed) == (3000, 2000, 6000, 0)
    read = run.by_operation["READ"]
    assert (read.count, read.mean_us, read.max_us) == (5700, 3100, 104_900)
    assert dict(read.percentiles) == {50: 2500, 95: 9400, 99: 17_800}
    assert run.columns == {"phase": "run", "threads": 96, "workload": "b", "target_ops_s": 9000}
    assert "canary7" not in repr(run)
    assert checks.verdict(run).outcome == Outcome.COMPLETED
    assert not checks.counts_disagree(run)


def test_seconds_are_intervals(tmp_path):
    run = one(cockroach, tmp_path, log())
    assert [(at, n) for at, n, _ in rows(run, "READ")] == [(1, 2850), (2, 2850)]
    assert run.series.last_operations == 6000
    old = one(cockroach, tmp_path, log().replace("    1.0s ", "     59s ").replace("    2.0s ", "    1m0s "))
    assert ([at for at, *_ in rows(old, "READ")], old.runtime_ms) == ([59, 60], 60_000)


@pytest.mark.parametrize("cut", [".0s", "m1s", "1..5s", "1h.s"])
def test_a_second_whose_time_is_cut_is_no_interval(tmp_path, cut):
    run = one(cockroach, tmp_path, log().replace("    2.0s ", f"   {cut} ", 1))
    assert [[at for at, *_ in rows(run, name)] for name in ("READ", "UPDATE")] == [[1], [1, 2]]
    assert run.series.last_operations == 2850 + 2 * 150


def test_errors_are_failed_writes(tmp_path):
    run = one(cockroach, tmp_path, log(errors=25))
    assert (run.attempted, run.failed, run.failures("UPDATE")) == (6025, 25, 25)


def test_a_read_modify_write_counts_once_though_its_parts_are_not_printed(tmp_path):
    run = one(cockroach, tmp_path, log("read", "readModifyWrite", counts=(3000, 2960)))
    assert (run.attempted, run.by_operation["READ-MODIFY-WRITE"].count) == (5960, 2960)
    assert not checks.counts_disagree(run)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "f.log").write_text(
        log("read", "readModifyWrite", counts=(3000, 2960)).replace("-workload B", "-workload F")
    )
    row = ingest.read([tmp_path / "runs"]).runs.iloc[0]
    assert (row["workload"], "CONTRADICTED" in row["warnings"], round(row["read_fraction"], 2)) == ("f", False, 0.5)


def test_totals_that_do_not_add_up_are_a_conflict(tmp_path):
    run = one(cockroach, tmp_path, log().replace(f"{6000:14d}", f"{6001:14d}"))
    assert run.conflicts == ("operations",)


def test_without_its_result_a_run_is_incomplete(tmp_path):
    text = log()
    run = one(cockroach, tmp_path, text[: text.rindex("_elapsed")])
    assert checks.verdict(run).outcome == Outcome.INCOMPLETE


def test_several_runs_in_a_page(tmp_path):
    indented = "".join(f"    {line}\n" for line in log().splitlines())
    page = f"# Contention\n\n## 96 clients\n\n{indented}\n## with errors\n\n```\n{log(errors=3)}```\n"
    assert readers.format_of(page.encode()) == cockroach.FORMAT
    runs = parsed(cockroach, tmp_path, page)
    assert [run.failed for run in runs] == [0, 3]
    only = f"{COMMAND}\n{total(300.0, 60000, 4.0)}"
    run = one(cockroach, tmp_path, only)
    assert (run.throughput_ops_s, list(run.by_operation)) == (200, ["TOTAL"])


def test_a_result_alone_is_one_where_words_name_ycsb(tmp_path):
    result = total(60.0, 900, 4.0)
    assert readers.format_of(f"Step 2: the YCSB workload\n{result}".encode()) == cockroach.FORMAT
    assert one(cockroach, tmp_path, result).throughput_ops_s == 15
    assert readers.format_of(result.encode()) == ""


@pytest.mark.parametrize(
    "text",
    [log().replace("run ycsb", "run kv"), log("newOrder", "payment").replace(COMMAND, ""), log("read", "write"),
     f"{SECONDS}", log("transfer", "read").replace(COMMAND, "")],
)  # fmt: skip
def test_other_workloads_are_not_ours(text):
    assert readers.format_of(text.encode()) == ""
