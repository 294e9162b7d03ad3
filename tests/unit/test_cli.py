"""The command line: help, exit codes, one clear line for every mistake."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import commands
from ycsbook.commands import COMMANDS

YCSBOOK = Path(sys.executable).with_name("ycsbook")


def ycsbook(*arguments, cwd=None, **variables):
    command = [YCSBOOK, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=cwd, env=os.environ | variables
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command):
    done = ycsbook(command, "-h")
    assert done.returncode == 0 and re.search(f"Examples?: ycsbook {command}", " ".join(done.stdout.split()))


def test_no_summary_is_cut_off_at_80_columns_and_no_type_is_shown_to_users():
    texts = [
        ycsbook("--help", COLUMNS="80").stdout,
        *(ycsbook(name, "-h").stdout for name in ("run", "probe", "anomalies")),
    ]
    assert "..." not in texts[0].partition("Commands:")[2] and max(map(len, texts[0].splitlines())) <= 80
    assert not any(word in text for text in texts for word in ("list[", "(data/runs)"))


def test_help_lists_every_command():
    text = ycsbook("--help").stdout
    assert all(command in text for command in COMMANDS)


MISTAKES = {
    "no params file": (("report", "params/none.yml"), "no such params file; the repository has params/"),
    "no tables": (("scaling", "nowhere"), "no such folder, params file or table"),
    "no logs": (("ingest", "nowhere", "-o", "x"), "nowhere: no such file or folder"),
    "no report": (("publish", "nowhere", "--to", "x"), "report.md"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_and_not_success(case, tmp_path):
    arguments, expected = MISTAKES[case]
    done = ycsbook(*arguments, cwd=tmp_path)
    assert done.returncode == 1 and expected in done.stderr
    assert done.stderr.startswith("ycsbook: ") and len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_mistyped_option_is_a_usage_error():
    done = ycsbook("plan", "--jsn", "params/local.yml")
    assert done.returncode == 2 and "--jsn" in done.stderr


@pytest.mark.parametrize("name", ["qingcloud-4.0.3", "tencent-2020-08"])
def test_a_vendors_plan_needs_no_server_and_names_the_variables(name):
    done = ycsbook("plan", f"params/{name}.yml", "--json")
    rows = json.loads(done.stdout)
    assert done.returncode == 0 and len(rows) in (72, 32)
    assert all(row["state"].startswith("no server: set ") for row in rows)


def test_what_has_no_server_is_one_line_a_spec_and_says_which_variables(tmp_path):
    plan = ycsbook("plan", "params/qingcloud-4.0.3.yml", cwd=_repository()).stdout
    assert plan.count("no server: set QINGCLOUD_URI_") == 18 and "100, 200" in plan
    status = ycsbook("status", "params/qingcloud-4.0.3.yml", "--store", tmp_path, cwd=_repository()).stdout
    assert "72 runs: 72 missing" in status
    assert "no server for what is missing of 18 specs: set QINGCLOUD_URI_* (18)" in status


def test_every_mistake_of_a_params_file_has_a_line_on_stderr(tmp_path):
    file = tmp_path / "p.yml"
    file.write_text("name: t\nserver: {kind: mongod}\nspecs: 5\nrecords: many\n")
    done = ycsbook("plan", file)
    first, second = done.stderr.splitlines()
    assert done.returncode == 1 and "p.yml:3: specs: got 5" in first
    assert second == f"ycsbook: {file}:4: records: got 'many', expected a whole number"


def test_a_table_is_analysed_from_the_command_line(tmp_path):
    done = ycsbook("ingest", "data/published/tencent-2020-08.csv", "-o", tmp_path, "--json", cwd=_repository())
    told = json.loads(done.stdout)
    assert (told["runs"], told["outcomes"], told["rejected"]) == (32, {"published": 32}, [])
    fits = json.loads(ycsbook("scaling", tmp_path, "--json").stdout)["fits"]
    assert {f["law"] for f in fits} == {"linear", "power", "amdahl", "usl"}
    findings = json.loads(ycsbook("anomalies", tmp_path, "--json").stdout)
    # The seventh loss stands under the row that cannot be right.
    assert sum(f["rule"] == "thread_regression" for f in findings) == 6


def test_a_file_that_cannot_be_read_is_exit_code_3(tmp_path):
    good = _repository() / "data/published/tencent-2020-08.csv"
    (tmp_path / "tencent.csv").write_bytes(good.read_bytes().replace(b"3188", b"9999", 1))
    (tmp_path / "tencent.json").write_bytes(good.with_suffix(".json").read_bytes())
    done = ycsbook("ingest", good, tmp_path / "tencent.csv", "-o", tmp_path / "out")
    assert done.returncode == 3 and "rejected: " in done.stderr and "32 runs" in done.stdout


def test_an_unwritable_output_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    good = _repository() / "data/published/tencent-2020-08.csv"
    done = ycsbook("ingest", good, "-o", tmp_path / "file" / "out")
    assert done.returncode == 1 and "cannot be written" in done.stderr and "Traceback" not in done.stderr


def _repository():
    from ycsbook import paths

    return paths.REPOSITORY


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_of_each_what_it_says_of_itself(name):
    first_sentence, _, _ = commands.load(name).help.partition(". ")
    assert f"{first_sentence.splitlines()[0].rstrip('.')}." == COMMANDS[name][1]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("ycsbook comp", "compare"), ("ycsbook compare --fail", "--fail-if-slower"), ("ycsbook wat", "watch")],
)
def test_a_shell_is_told_how_a_command_goes_on(typed, offered):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_YCSBOOK_COMPLETE": "complete_bash"}
    command = Path(sys.executable).with_name("ycsbook")
    told = subprocess.run(
        [command], env={**os.environ, **words}, capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.split() == [offered]
