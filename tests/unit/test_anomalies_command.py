"""`ycsbook anomalies`, what publishers say beside their figures, and the report's section of findings."""

import json
import re
import shlex
import shutil

import pytest
from anomaly_samples import noisy, run, tables, with_series
from command_samples import invoke

from ycsbook import anomalies, documents, messages, params, paths
from ycsbook.errors import ParamsError, RunLogError
from ycsbook.facts import fact
from ycsbook.ingest.published.published import read_published
from ycsbook.report.build import head_facts
from ycsbook.report.findings import RUN_AGAIN, section
from ycsbook.report.rows import ReportRows
from ycsbook.runner.selection import Selection
from ycsbook.store import parquet


def call(*arguments):
    result = invoke("anomalies", *arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


@pytest.fixture
def folder(tmp_path):
    """A sweep of four short runs, each of which stood still for 20 s."""
    rows, intervals = [], []
    for i in range(4):
        rate = noisy(120, seed=i)
        rate[50 : 70 + i] = 0.0
        row, part = with_series(rate, repeat=i, warnings="SHORT_RUN")
        rows.append(row)
        intervals += part
    parquet.write(tables(rows, intervals=intervals), tmp_path / "tables")
    return tmp_path / "tables"


def test_findings_with_one_cause_are_one_unless_all_are_asked_for(folder):
    shown = call(folder, "--rule", "stall")
    assert shown.count("stall: ") == 1
    assert "stood still for 23 s" in shown
    assert "(3 more like it)" in shown
    assert shown.endswith("4 findings; by cause 1 of 1 shown, --all lists each\n")
    each = call(folder, "--rule", "stall", "--all")
    assert each.count("stall: ") == 4
    assert each.endswith("4 findings\n")


def test_the_findings_are_written_unless_rules_were_chosen(folder):
    call(folder, "--rule", "stall")
    assert not (folder / "findings.parquet").exists()
    rows = json.loads(call(folder, "--all", "--json"))
    written = parquet.read_table(folder, "findings")
    assert written["message"].tolist() == [row["message"] for row in rows]
    assert len(json.loads(call(folder, "--json"))) < len(rows)


def test_params_give_thresholds_and_the_plan(folder, tmp_path):
    short = {"where": None, "n": 4, "runs": fact("runs", n=4), "shortest_s": 120}
    assert f"warning invalid_run: {messages.text('invalid_run-short_run', **short, planned=False)}" in call(folder)
    file = tmp_path / "x.yml"
    file.write_text(
        "name: x\nserver: {kind: mongod}\nspecs: [{name: 1c, cores: 1, ram_gib: 1}]\nmin_duration: 100s\n"
        "anomalies: {stall: off}\n"
    )
    shown = call(folder, "--params", file)
    assert f"note    invalid_run: {messages.text('invalid_run-short_run', **short, planned=True)}" in shown
    assert "stall: " not in shown
    with pytest.raises(ParamsError, match="did you mean 'stall'"):
        call(folder, "--rule", "stal")


def test_rules_that_more_runs_answer_are_rules():
    assert set(anomalies.RULES) >= RUN_AGAIN


def test_the_gravest_come_first_and_lines_are_as_wide_as_asked(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = call(paths.PUBLISHED)
    assert shown.startswith("error   little_law: mongodb, 50:50, 16 threads")
    assert max(map(len, shown.splitlines())) <= 80
    assert len(re.findall(r"^(?:error|warning|notice|note) ", shown, re.MULTILINE)) == 10
    monkeypatch.delenv("COLUMNS")
    assert max(map(len, call(paths.PUBLISHED).splitlines())) > 80


def test_published_evidence_can_be_looked_at_where_it_lies():
    shown = call(paths.PUBLISHED, "--all")
    assert "stall: wiredTiger 3.2 stood still for “a minute or so”" in shown
    assert "little_law: 8 cores, 64 GB, 50:50, 100 threads" in shown
    assert re.search("settings_implausible: .* operationcount=100000", shown)
    assert not (paths.PUBLISHED / "findings.parquet").exists()


def test_a_history_gives_change_points(tmp_path):
    def made(numbers, throughput):
        return tables([
            run(repeat=i, throughput=throughput * (1 + 0.001 * (i % 3)), run_id=f"r{i}",
                server_version=f"v{throughput}", started_at=f"2026-01-{i:02}T00:00:00Z") for i in numbers
        ])  # fmt: skip

    parquet.write(made(range(1, 9), 1000.0), tmp_path / "before")
    parquet.write(made(range(9, 17), 800.0), tmp_path / "now")
    shown = call(tmp_path / "now", "--history", tmp_path / "before", "--rule", "change_point")
    assert "version v800.0 (v1000.0 before)" in shown


def test_documents_are_those_of_the_published_rows():
    made = read_published(paths.PUBLISHED / "tencent-2020-08.csv")
    (name,) = found = documents.of(made)
    assert name == "tencent-2020-08"
    assert len(found[name]["table"]) == 32
    assert documents.of(tables([run()])) == {}
    assert set(documents.within(paths.PUBLISHED)) >= {"iibench-wiredtiger", "qingcloud-4.0.3"}


def test_changed_evidence_is_refused(tmp_path):
    for suffix in (".csv", ".json"):
        shutil.copy(paths.PUBLISHED / f"iibench-wiredtiger{suffix}", tmp_path)
    copy = tmp_path / "iibench-wiredtiger.csv"
    assert documents.read(copy)["table"][0]["stall"] == "a minute or so"
    copy.write_text(copy.read_text().replace("minute", "second"))
    with pytest.raises(RunLogError, match="must not change"):
        documents.read(copy)


@pytest.mark.parametrize("name", ["qingcloud-4.0.3", "tencent-2020-08"])
def test_the_report_shows_findings_by_cause(name):
    sweep = params.load(f"params/{name}.yml")
    made = read_published(paths.PUBLISHED / f"{name}.csv")
    found = anomalies.find(made, documents=documents.of(made))
    shown = section(ReportRows(sweep, made), found)
    count, blocks, others = shown.blocks
    groups = len(anomalies.grouped(found))
    # Those of one rule stand together, notes wait.
    assert sum(1 + len(flag.alike) for flag in blocks.flags) + len(others.blocks[0].flags) == groups < len(found)
    assert count.text == messages.text("findings-count", n=groups)
    assert dict(head_facts(ReportRows(sweep, made), found))["Findings"] == str(groups)
    commands = [shlex.split(flag.command) for flag in blocks.flags]
    assert all(command[0] == "ycsbook" for command in commands)
    runs = [command for command in commands if command[1] == "run"]
    planned = params.plan(sweep)
    assert bool(runs) == (name == "tencent-2020-08") and all(
        Selection.parse([only]).chosen(planned) for c in runs if "--only" in c for only in [c[4]]
    )
    assert blocks.flags[0].severity == "error"
    assert section(ReportRows(sweep, made), found.head(0)).blocks[0].text == messages.text("findings-none")
