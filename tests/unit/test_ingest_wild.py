"""Logs as people publish them: without their last newline, from forks that name operations and transactions of their
own, below the command that made them, and among files of other programs."""

import gzip
import math
import os
import sys

import pytest

from ycsbook import cli, ingest, messages
from ycsbook.errors import RunLogError
from ycsbook.ingest import archive
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.reading import explain
from ycsbook.ingest.runs import checks, command_line
from ycsbook.verdicts import Outcome, Warn


def overall(operations: float, runtime_ms: int = 10_000) -> str:
    return f"[OVERALL], RunTime(ms), {runtime_ms}\n[OVERALL], Throughput(ops/sec), {operations * 1000 / runtime_ms}\n"


def block(name: str, count: int, **codes: int) -> str:
    """What YCSB prints of an operation: the calls that succeeded, and every call by its return code."""
    lines = [f"Operations, {count}", "AverageLatency(us), 900.0", "MinLatency(us), 90", "MaxLatency(us), 9900"]
    lines += [f"Return={code}, {n}" for code, n in codes.items()]
    return "".join(f"[{name}], {line}\n" for line in lines)


def status(operations: int, seconds: int = 10) -> str:
    """The status lines of a run of so many operations."""
    lines = [f"{at} sec: {operations * at // seconds} operations; 1.0 current ops/sec;" for at in range(seconds + 1)]
    return "".join(f"2026-11-23 09:00:{at:02d}:000 {line}\n" for at, line in enumerate(lines))


def only(text: str) -> RunLog:
    (log,) = ycsb.parse(text)
    return log


def warned(log: RunLog) -> set[Warn]:
    return set(checks.warnings(log, run_phase="run", threads=math.nan, asked=math.nan))


class TestWithoutLastNewline:
    FAILED_READS = overall(1000) + block("UPDATE", 500, OK=500) + block("READ", 460, OK=460, NOT_FOUND=40)

    @pytest.mark.parametrize(
        "text",
        [
            # All calls add up to [OVERALL].
            FAILED_READS,
            # Failed inserts of a load are no operations of [OVERALL], but are counted apart.
            overall(460) + block("INSERT-FAILED", 40) + block("INSERT", 460, OK=460, ERROR=40),
        ],
    )
    def test_counts_prove_that_the_last_line_is_whole(self, text):
        log = only(text.removesuffix("\n"))
        assert not log.truncated
        assert log.failed == 40
        assert log.summaries == only(text).summaries
        assert checks.verdict(log).outcome == Outcome.COMPLETED

    def test_a_cut_latency_of_failed_calls_costs_that_latency_alone(self):
        log = only(
            self.FAILED_READS + "[READ-FAILED], Operations, 40\n[READ-FAILED], 99thPercentileLatency(us), 501759"
        )
        assert not log.truncated
        assert log.by_operation["READ-FAILED"].percentiles == ()

    @pytest.mark.parametrize(
        "text",
        [
            FAILED_READS.removesuffix("0\n"),
            overall(460) + block("INSERT", 460, OK=460, ERROR=40).removesuffix("0\n"),
            overall(460) + block("INSERT-FAILED", 40) + block("INSERT", 460, ERROR=40, OK=460).removesuffix("0\n"),
            FAILED_READS.partition("[READ], Return=NOT_FOUND")[0] + "[READ], 99thPercentileLatency(us), 812",
            overall(40) + "[READ], Return=ERROR, 40",
        ],
    )
    def test_what_no_count_proves_is_cut(self, text):
        log = only(text)
        assert log.truncated
        assert checks.verdict(log).outcome == Outcome.INCOMPLETE


class TestOperationsOfForks:
    """A fork that measures operations of its own."""

    OWN = block("DELETE", 250, OK=250) + block("SET_VERTEX_PROPERTY", 700, OK=690, ERROR=10) + block("UPDATEMETA", 50)

    @pytest.mark.parametrize("command", ["", "Command line: -threads 8 -t -P workloads/workloadmeta\n"])
    def test_whatever_has_the_shape_of_an_operation_is_one(self, command):
        log = only(command + overall(1000) + block("CLEANUP", 8) + self.OWN)
        assert (log.attempted, log.failed) == (1000, 10)
        assert checks.verdict(log).outcome == Outcome.COMPLETED
        assert Warn.COUNTS_DISAGREE not in warned(log)
        assert [s.operation for s in log.summaries][1:] == ["DELETE", "SET_VERTEX_PROPERTY", "UPDATEMETA"]

    @pytest.mark.parametrize("read", ["", block("READ", 300, OK=300)])
    def test_what_is_read_as_columns_counts_them_too(self, read, tmp_path):
        own = block("SET_VERTEX_PROPERTY", 700, OK=700)
        done = 1000 if read else 700
        (tmp_path / "a.log").write_text(status(done) + overall(done) + read + own)
        tables = ingest.read(tmp_path)
        assert tables.runs["goodput_ops_s"].item() == done / 10
        assert tables.runs["outcome"].item() == "completed"
        assert tables.runs["read_fraction"].item() == pytest.approx(0.3 if read else 0)

    def test_what_is_made_of_other_operations_is_not_counted_twice(self):
        log = only(overall(1000) + block("READ", 1000, OK=1000) + block("READ_WITH_RETRIES", 990, OK=990))
        assert (log.attempted, log.failed) == (1000, 0)

    def test_reads_that_gave_something_else_than_was_written_failed(self):
        verified = block("VERIFY", 1000, OK=460, UNEXPECTED_STATE=530, ERROR=10)
        log = only(overall(1000) + block("READ", 990, OK=990, ERROR=10) + verified)
        assert (log.attempted, log.failed) == (1000, 540)

    def test_failures_of_its_own_operations_are_no_operations(self):
        log = only(overall(1000) + block("READMETA", 960) + block("READMETA-FAILED", 40))
        assert (log.attempted, log.failed) == (1000, 40)

    def test_an_operation_that_never_succeeded_fails_the_run(self):
        log = only(overall(1000) + block("READ", 600, OK=600) + block("READMETA", 0, ERROR=400))
        assert checks.verdict(log).reason.key == "reason-never-succeeded"

    def test_its_time_is_part_of_the_closed_loop(self):
        log = only(overall(1000) + block("READ", 500, OK=500) + block("READMETA", 500, OK=500))
        assert checks.utilisation(log, threads=1) == pytest.approx(1000 * 900 / 10_000_000)


class TestQuoted:
    """Logs as pages and other programs print them."""

    def test_lines_may_end_in_the_backslash_of_markdown(self):
        text = overall(1000) + block("READ", 500, OK=500) + block("UPDATE", 500, OK=490, ERROR=10)
        assert only(text.replace("\n", " \\\n")).summaries == only(text).summaries
        assert only(text.replace("\n", "\\\n")).failed == 10

    def test_lines_may_stand_in_tags_and_mails(self):
        text = status(1000) + overall(1000) + block("READ", 500, OK=500) + block("UPDATE", 500, OK=490, ERROR=10)
        in_cells = "".join(f"<td class='x'>{line}</td>\n" for line in text.splitlines())
        in_mail = "".join(f"> > {line}\n" for line in text.splitlines())
        for page in (f"<pre>{text[:-1]}</pre>\n", in_cells, in_mail):
            assert only(page).summaries == only(text).summaries
            assert only(page).series.lines == 11

    def test_a_clock_of_fractions_is_no_mean_of_several_logs(self):
        log = only(
            "[OVERALL], RunTime(ms), 1367.115696\n[OVERALL], Throughput(ops/sec), 73146.698771\n"
            "[READ], Operations, 100000\n[READ], AverageLatency(us), 3.969580\n[READ], Return=, 100000\n"
        )
        assert (log.derived, log.attempted, log.failed) == (False, 100_000, 0)
        assert checks.verdict(log).outcome == Outcome.COMPLETED

    def test_a_mean_of_several_logs_is_told_by_its_totals(self):
        log = only("[OVERALL], RunTime(ms), 1500.5\n[OVERALL], Throughput(ops/sec), 700.0\n" + block("INSERT", 1000))
        assert log.derived


class TestTransactions:
    """A fork that runs several operations in each transaction."""

    def log(self, operations: int, **errors: int) -> RunLog:
        """1,000 transactions, of which 120 could not be committed."""
        half = operations // 2
        calls = block("READ", half, OK=half) + block("UPDATE", half, OK=half)
        commits = block("COMMIT", 880, OK=880, **errors) + block("COMMIT-FAILED", 120, ERROR=120)
        return only(overall(1000) + block("START", 1000, OK=1000) + calls + commits)

    @pytest.mark.parametrize("operations", [1000, 10_000])
    @pytest.mark.parametrize("errors", [{"ERROR": 120}, {}], ids=["among the return codes", "apart"])
    def test_failed_commits_are_failures(self, operations, errors):
        log = self.log(operations, **errors)
        assert (log.attempted, log.failed) == (1000, 120)
        assert Warn.OPERATIONS_FAILED in warned(log)
        assert Warn.COUNTS_DISAGREE not in warned(log)
        assert checks.verdict(log).outcome == Outcome.COMPLETED

    def test_goodput_is_that_of_committed_transactions(self, tmp_path):
        commits = block("COMMIT", 880, OK=880, ERROR=120)
        (tmp_path / "a.log").write_text(overall(1000) + block("READ", 7000, OK=7000) + block("SCAN", 1000) + commits)
        run = ingest.read(tmp_path).runs.iloc[0]
        assert (run["goodput_ops_s"], run["failed_operations"], run["read_fraction"]) == (88.0, 120, 1.0)

    def test_operations_of_failed_commits_failed(self):
        calls = block("READ", 5000, OK=5000) + block("COMMIT", 400, OK=400, ERROR=100)
        assert (only(overall(5000) + calls).attempted, only(overall(5000) + calls).failed) == (5000, 1000)

    def test_a_failed_read_and_its_failed_commit_are_one_failure(self):
        log = only(overall(100) + block("READ", 160, OK=160, ERROR=40) + block("COMMIT", 70, OK=70, ERROR=30))
        assert (log.attempted, log.failed) == (100, 40)

    def test_a_run_without_a_single_commit_failed(self):
        log = only(overall(100) + block("READ", 1000, OK=1000) + block("COMMIT", 0, ERROR=100))
        assert checks.verdict(log).outcome == Outcome.FAILED

    def test_counts_that_fit_neither_operations_nor_transactions_disagree(self):
        log = only(overall(777) + block("READ", 1000, OK=1000) + block("COMMIT", 100, OK=100))
        assert Warn.COUNTS_DISAGREE in warned(log)


class TestTypedCommand:
    """The command above a log, where YCSB's own line with its arguments is not in it."""

    SUMMARY = overall(1000) + block("READ", 500, OK=500) + block("UPDATE", 500, OK=500)
    OPTIONS = "-P workloads/workloada -p recordcount=5000000 -threads 840 -target 120000"

    @pytest.mark.parametrize(
        "above",
        [
            "$ bin/ycsb run mongodb {}\n",
            "[me@client ycsb-0.17.0]# ./bin/ycsb.sh run mongodb-async -s {} > run.log 2>&1\n",
            "+ python2 /opt/ycsb/bin/ycsb.py run mongodb {} -p mongodb.url='mongodb://h/db?w=1&j=0' | tee run.log\n",
            "$ bin/ycsb load mongodb -P workloads/workloada -threads 2 && bin/ycsb run mongodb {}\n",
            "# Results\n\n    bin/ycsb load mongodb -threads 3\n\n```console\n$ bin/ycsb run mongodb {}\n```\n\n",
            "We ran `bin/ycsb run mongodb {}` on a small machine, and got:\n\n",
            "## 120K, 840t\n\n    -db site.ycsb.db.MongoDbClient -s -t {} -s\n\n    ...\n",
        ],
    )
    def test_it_is_evidence(self, above, tmp_path):
        (tmp_path / "a.log").write_text(above.format(self.OPTIONS) + self.SUMMARY)
        run = ingest.read(tmp_path).runs.iloc[0]
        assert (run["workload"], run["phase"], run["threads"], run["records"]) == ("a", "run", 840, 5_000_000)
        assert run["target_ops_s"] == 120_000

    @pytest.mark.parametrize("end", [" \\\n", "\\\r\n", " \\\n   "])
    def test_it_goes_on_over_lines_that_end_in_a_backslash(self, end, tmp_path):
        command = "$ bin/ycsb run mongodb" + "".join(f"{end} -{o}" for o in self.OPTIONS.split("-") if o)
        log = only(f"{command}\n{self.SUMMARY}")
        assert log.threads == 840
        assert command_line.target_ops_s(log.command_line) == 120_000
        assert log.attempted == 1000

    def test_it_is_read_beside_status_lines_and_in_a_page(self, tmp_path):
        page = f"# Run\n\n```\n$ bin/ycsb run mongodb \\\n{self.OPTIONS}\n{status(1000)}{self.SUMMARY}```\n"
        (tmp_path / "README.md").write_text(page)
        (tmp_path / "a.log").write_text(page)
        runs = ingest.read(tmp_path).runs
        assert runs["target_ops_s"].tolist() == [120_000, 120_000]
        assert runs["threads"].tolist() == [840, 840]

    def test_each_log_has_the_command_above_it(self):
        logs = ycsb.parse(
            f"$ bin/ycsb load mongodb -threads 2\n{overall(100)}{block('INSERT', 100, OK=100)}"
            f"$ bin/ycsb run mongodb -threads 4 -target 9\n{self.SUMMARY}$ bin/ycsb run mongodb -threads 8\n"
        )
        assert [log.threads for log in logs] == [2, 4]
        assert [checks.phase(log) for log in logs] == ["load", "run"]

    def test_a_load_is_not_what_made_a_log_of_reads(self):
        log = only(f"$ bin/ycsb load mongodb -threads 2 -target 5\n{self.SUMMARY}")
        assert (log.threads, log.command_line, checks.phase(log)) == (None, "", "run")

    def test_of_commands_without_logs_the_one_counts_that_does_what_the_log_shows(self):
        commands = "$ bin/ycsb load mongodb -threads 2\n$ bin/ycsb run mongodb -threads 4\n"
        assert [only(commands + log).threads for log in (overall(9) + block("INSERT", 9), self.SUMMARY)] == [2, 4]

    @pytest.mark.parametrize(("workload", "threads"), [("workloada", None), ("workload_writeonly", 4)])
    def test_no_standard_workload_only_inserts(self, workload, threads):
        log = only(f"$ bin/ycsb run mongodb -P w/{workload} -threads 4\n{overall(9)}{block('INSERT', 9)}")
        assert log.threads == threads

    @pytest.mark.parametrize(
        ("options", "is_its_own"),
        [
            ("-p recordcount=20000000", False),
            ("-p recordcount=99", False),
            ("-p recordcount=100", True),
            ("-p recordcount=20000000 -p insertcount=110", True),
        ],
    )
    def test_a_load_that_stores_otherwise_many_is_not_what_made_a_log(self, options, is_its_own):
        log = only(f"$ bin/ycsb load mongodb -threads 2 {options}\n{overall(100)}{block('INSERT', 100, OK=100)}")
        assert (log.threads == 2) == is_its_own and checks.phase(log) == "load"

    def test_the_clients_own_line_counts_for_more(self):
        log = only(f"$ bin/ycsb run mongodb -threads 2\nCommand line: -t -threads 16\n{self.SUMMARY}")
        assert log.threads == 16

    def test_prose_is_no_command(self):
        log = only(f"We took go-ycsb run mysql -p threadcount=3, ycsb run here, and ycsb load there.\n{self.SUMMARY}")
        assert log.command_line == ""

    def test_a_line_that_is_continued_by_none_loses_no_figure(self):
        log = only(f"$ bin/ycsb run mongodb -threads 2 \\\n{status(1000)}{self.SUMMARY}")
        assert (log.attempted, log.series.lines, log.overall_count) == (1000, 11, 1)

    def test_passwords_in_it_are_not_kept(self):
        url = "mongodb://me:geheim@h/db"
        log = only(f"$ bin/ycsb run mongodb -p mongodb.url={url} \\\n -p jdbc.passwd=geheim\n{self.SUMMARY}")
        assert log.command_line.startswith("run mongodb")
        assert "geheim" not in log.command_line

    @pytest.mark.parametrize(
        ("option", "name"),
        [("workloads/workload_grace", "grace"), ("workloads/workloadA", "a"), ("w/workload-b.properties", "b")],
    )
    def test_workload_files_have_names(self, option, name):
        assert command_line.workload(f"-t -P {option} -threads 4") == name


PREAMBLE = "[INFO] Downloading from central: https://repo.example/artifact\n"
SMALL = overall(1000) + block("READ", 1000, OK=1000)
K6 = "     execution: local\n        script: load.js\n\n     http_req_duration..............: avg=12.1ms p(95)=30ms\n"
MEMTIER = "Writing results to stdout\n\nALL STATS\n====\nType         Ops/sec     Hits/sec\nSets  9000.1 0\n"
BENCHBASE = '{\n    "DBMS Type": "MYSQL",\n    "Benchmark Type": "ycsb",\n    "terminals": "8"\n}\n'
BENCHBASE_CSV = "Time (seconds),Throughput (requests/second),Average Latency (millisecond)\n0,205.2,0.5\n"
MONGO_PERF = '{"results": [{"name": "Insert.Empty", "results": {"1": {"ops_per_sec_values": [12345.6]}}}]}\n'
OWN_CSV = "instance,cores,threads,qps,avg_latency_ms\nm1,2,16,3100,5.1\n"
HELM = "NAME: bench\nLAST DEPLOYED: Mon Nov 23 09:00:00 2026\nNOTES:\n1. Run the benchmark with ycsb.\n"
TPC_C = "_elapsed_______tpmC____efc__avg(ms)__p50(ms)__p90(ms)\n  300.0s    128.1  99.6%     21.1     19.9   30.0\n"
HTML = "<!DOCTYPE html>\n<html><body><td>[OVERALL], RunTime(ms), and so on</td> of YCSB</body></html>\n"


class TestEveryFileIsAccountedFor:
    @pytest.mark.parametrize("lines", [0, 100, 6_000])
    @pytest.mark.parametrize("name", ["a.log", "result", "run.1", "job.output", "console.md"])
    def test_what_stands_before_a_log_does_not_hide_it(self, name, lines, tmp_path):
        (tmp_path / name).write_text(PREAMBLE * lines + SMALL + "[INFO] BUILD SUCCESS\n" * lines)
        runs = ingest.read(tmp_path).runs
        assert runs["outcome"].tolist() == ["completed"]
        assert runs["source"].str.endswith(f"{name}:{lines + 2}").all()

    def test_what_stands_before_a_packed_log_does_not_hide_it(self, tmp_path):
        (tmp_path / "result.gz").write_bytes(gzip.compress((PREAMBLE * 6_000 + SMALL).encode()))
        assert ingest.read(tmp_path).runs["outcome"].tolist() == ["completed"]

    def test_read_rejected_and_other_files_add_up_to_those_of_the_folder(self, tmp_path):
        folder = tmp_path / "logs"
        texts = {"a.log": SMALL, "b/result": SMALL, "k6.txt": K6, "b/helm": HELM, "x.py": "", "empty": "", "c.log": "",
                 "run.out": SMALL, "run.err": "WARNING: slow\n"}  # fmt: skip
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (folder / "bad.log.gz").write_bytes(b"\x1f\x8b" + SMALL.encode())
        (folder / "ycsbook.yml").write_text("vendor: mine\n")
        # Hidden files, pipes and links out of the folder are files of it, too.
        (tmp_path / "outside").write_text("")
        (folder / "b" / ".hidden.log").write_text(SMALL)
        (folder / "outside").symlink_to(tmp_path / "outside")
        (folder / "inside").symlink_to(folder / "a.log")
        os.mkfifo(folder / "pipe.log")
        for _ in range(2):  # the second time from the index, which lies in the folder itself
            summary = archive.update([folder], folder)
            assert (summary.files, summary.beside, len(summary.rejected), summary.others) == (5, 1, 1, 7)
            assert "7 passed over (--explain FILE says why)" in str(summary)

    @pytest.mark.parametrize(
        ("name", "text", "words"),
        [
            ("a.log", SMALL, ["is read as ycsb: completed"]),
            ("a", "2 sec: 5 operations; 1 current ops/sec;\n", ["is read as ycsb: incomplete", "no [OVERALL]"]),
            ("a", "[READ], Operations, 5\n[READ], Return=OK, 5\n", ["is read as ycsb: incomplete", "no [OVERALL]"]),
            ("b.txt", K6, ["is passed over: it is the output of k6, which is not read"]),
            ("b", "nothing\n", ["is passed over: it has nothing of a benchmark"]),
            ("b.dat", "\0\1", ["is passed over: it is not text"]),
            ("c.py", SMALL, ["is passed over: it ends in .py"]),
            ("d", "", ["is passed over: it is empty"]),
            (".e", SMALL, ["is passed over: it is hidden"]),
            ("f.log.gz", SMALL, ["is rejected: it cannot be unpacked"]),
            ("manifest.json", "{}", ["is passed over: it tells of the logs beside it"]),
        ],
    )
    def test_explain_says_why(self, name, text, words, tmp_path):
        (tmp_path / name).write_text(text)
        shown = " ".join(say if isinstance(say, str) else messages.say(say) for say in explain(tmp_path / name))
        assert all(word in shown for word in words), shown

    def test_explain_is_an_option_of_ingest(self, tmp_path, monkeypatch, capsys):
        (tmp_path / "a.txt").write_text(K6)
        monkeypatch.setattr(sys, "argv", ["ycsbook", "ingest", "--explain", str(tmp_path / "a.txt")])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert not ended.value.code
        assert "a.txt is passed over: it is the output of k6" in " ".join(capsys.readouterr().out.split())

    def test_explain_names_what_is_read_together(self, tmp_path):
        (tmp_path / "run.out").write_text(SMALL)
        (tmp_path / "run.err").write_text(status(1000))
        assert explain(tmp_path / "run.err") == [
            "is read as ycsb: completed",
            f"is read together with {tmp_path}/run.out",
        ]

    def test_explain_wants_a_file(self, tmp_path):
        with pytest.raises(RunLogError, match="is a folder; name one of its files"):
            explain(tmp_path)
        with pytest.raises(RunLogError, match="no such file"):
            explain(tmp_path / "a")


COCKROACH_KV = (
    "_elapsed___errors_____ops(total)___ops/sec(cum)__avg(ms)__p50(ms)__p95(ms)__p99(ms)_pMax(ms)__total\n"
    "   60.0s        0          61862         1031.0     11.9     11.0     19.9     26.2    192.9  write\n"
)
STRESS_ROWS = (
    "id, type,       total ops,    op/s,    pk/s,   row/s,    mean,     med,     .95,     .99,    .999,     max\n"
    "2 threadCount, WRITE, 3557, 880, 880, 880, 0.4, 0.3, 0.6, 0.9, 5.0, 50.0\n"
)


PKB_JSON = """{"metric": "overall Throughput", "value": 12345.6, "unit": "ops/sec", "labels": "|threads:64|", \
"test": "mongodb_ycsb", "product_name": "PerfKitBenchmarker"}
"""
PKB_CSV = """metric,value,unit,product_name,test,threads
overall Throughput,12345.6,ops/sec,PerfKitBenchmarker,mongodb_ycsb,64
"""


class TestWhatIsNotOurs:
    @pytest.mark.parametrize(
        ("text", "what"),
        [
            (K6, "is the output of k6"),
            (MEMTIER, "is the output of memtier_benchmark"),
            ('{\n  "ALL STATS": {}\n}\n', "is the output of memtier_benchmark"),
            (BENCHBASE, "is the output of BenchBase"),
            (BENCHBASE_CSV, "is the output of BenchBase"),
            (MONGO_PERF, "is the output of mongo-perf"),
            (PKB_JSON, "is the output of PerfKitBenchmarker"),
            (PKB_CSV, "is the output of PerfKitBenchmarker"),
            (OWN_CSV, "is a table of one's own, which is read where it is named"),
            ("Threads,MongoDB,Redis\n8,12000,15000\n", "is a table of one's own, which is read where it is named"),
            ("2 threads, of which one waits, in 3 loops\n", "has nothing of a benchmark"),
            (HELM, "is the output of Helm"),
            (TPC_C, "is the output of TPC-C"),
            ("09:00:01 INFO - TPM-C: 873\n", "is the output of TPC-C"),
            (COCKROACH_KV, "is the output of a cockroach workload other than ycsb"),
            (STRESS_ROWS, "is the output of cassandra-stress"),
            ("1 [T-1] com.yugabyte.sample.M - Read: 51.6 ops/sec, 2 clients\n", "is the output of YugabyteDB's sample"),
            (HTML, "is a web page without a log"),
            ("The run went well.\n", "has nothing of a benchmark that is read"),
            ("[READ] the manual, then run, 3 times\n", "has nothing of a benchmark that is read"),
        ],
    )
    def test_it_is_said_and_gives_no_run(self, text, what, tmp_path):
        folder = tmp_path / "notes"
        folder.mkdir()
        (folder / "notes.txt").write_text(text)
        summary = archive.update([folder / "notes.txt"], tmp_path / "named")
        assert (summary.runs, summary.formats) == (0, {})
        assert what in summary.rejected[0]
        summary = archive.update([folder], tmp_path / "found")
        assert (summary.runs, summary.rejected, summary.others) == (0, [], 1)

    def test_of_a_page_that_quotes_it_both_are_said(self, tmp_path):
        (tmp_path / "notes.md").write_text(f"# Ranges\n\n```\n{COCKROACH_KV}```\n")
        (reason,) = archive.update([tmp_path / "notes.md"], tmp_path / "named").rejected
        assert "no table found whose headings name threads" in reason
        assert reason.endswith("; what it holds of a cockroach workload other than ycsb is not read")

    @pytest.mark.parametrize(
        "text",
        [
            "Error: Could not find or load main class site.ycsb.Client\n",
            "/opt/ycsb/bin/ycsb.sh: line 9: java: not found\n",
            "$ bin/ycsb run mongodb -threads 8\n",
            "",
        ],
    )
    def test_a_run_that_failed_before_it_printed_anything_is_one(self, text, tmp_path):
        (tmp_path / "run.log").write_text(text)
        runs = ingest.read(tmp_path / "run.log").runs
        assert runs[["format", "outcome"]].to_numpy().tolist() == [["ycsb", "incomplete"]]

    @pytest.mark.parametrize(
        "text", ["[ycsb-client] workload=ycsb-a workers=4\nThroughput: 12034.50 ops/sec\n", "ycsb/E   69.6k ± 7%\n"]
    )
    def test_what_only_names_it_is_rejected(self, text, tmp_path):
        (tmp_path / "out.log").write_text(text)
        summary = archive.update([tmp_path / "out.log"], tmp_path / "t")
        assert summary.runs == 0 and "has nothing of a benchmark" in summary.rejected[0]

    def test_a_document_that_names_it_is_no_such_run(self, tmp_path):
        (tmp_path / "notes.rst").write_text("YCSB, by 8 threads\n")
        assert "has nothing of a benchmark" in archive.update([tmp_path / "notes.rst"], tmp_path / "t").rejected[0]

    def test_the_user_may_know_better(self, tmp_path):
        (tmp_path / "a.txt").write_text(K6)
        assert archive.update([tmp_path / "a.txt"], tmp_path / "t", format="ycsb").runs == 1
