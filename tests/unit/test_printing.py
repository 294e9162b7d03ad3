"""What the commands print: nothing too wide, nothing cut, and words where a figure or a name is missing."""

import json
import math
import re

import pytest
from command_samples import invoke
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_samples import two_folders
from page_samples import own_table

from ycsbook import cli, printing
from ycsbook.store import parquet
from ycsbook.tables import Tables

# A promise in all its variations.
pytestmark = pytest.mark.matrix

WORDS = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12), max_size=6).map(" ".join)


@given(st.integers(40, 200), st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=5))
@settings(max_examples=50)
def test_a_table_fits_and_nothing_of_it_is_lost(width, rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        printed = []
        patch.setattr("builtins.print", lambda *parts, **_: printed.append(" ".join(map(str, parts))))
        printing.table(["first head", "second", "third one"], rows, below=[row[0] for row in rows])
    lines = "\n".join(printed).splitlines()
    assert max(map(printing.cell_len, lines)) <= width
    left = "".join(sorted("".join(lines).replace(" ", "")))
    for letter in {letter for row in rows for cell in row for letter in cell} - {" "}:
        assert left.count(letter) >= sum(cell.count(letter) for row in rows for cell in row)


def test_a_sentence_stands_once_below_neighbours_that_share_it(capsys):
    printing.table(["name", "n"], [["a", 1], ["b", 20], ["c", 3]], below=["why", "why", "else"])
    assert capsys.readouterr().out.splitlines() == [
        "name   n",
        "────────",
        "a      1",
        "b     20",
        "    why",
        "c      3",
        "    else",
        "",
    ]


@pytest.mark.parametrize("width", [40, 80])
def test_columns_that_have_no_room_stand_under_their_rows(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [["a", 1, "9,100 to 19,600 operations", "yes"], ["b", 2, "9,100 to 19,600 operations", ""]]
    printing.table(["name", "n", "new server (95 %)", "is enough"], rows, under=["new server (95 %)"])
    lines = capsys.readouterr().out.splitlines()
    if width == 80:
        assert lines[0].split("  ")[2] == "new server (95 %)" and len(lines) == 5
    else:
        assert lines[0] == "name  n  is enough" and lines[2:4] == ["a     1  yes", "b     2"]
        assert lines[4].strip() == "new server (95 %): 9,100 to" and len(lines) == 7


def test_json_has_null_for_what_is_missing(capsys):
    printing.print_json({"a": [math.nan, {"b": math.inf}], "c": 1.5})
    assert json.loads(capsys.readouterr().out) == {"a": [None, {"b": None}], "c": 1.5}


@pytest.fixture(scope="module")
def unknown(tmp_path_factory):
    """Tables of logs that say neither threads nor workload."""
    folder = tmp_path_factory.mktemp("unknown")
    two_folders(folder)
    return folder / "tables"


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize(
    "command", ["limits", "limits --all", "next", "compare", "anomalies", "scaling", "capacity --qps 10"]
)
def test_missing_names_and_threads_are_words_in_every_table(unknown, command, width):
    name, *options = command.split()
    arguments = [name, str(unknown), *([str(unknown)] if name == "compare" else []), *options]
    done = invoke(*arguments, env={"COLUMNS": width})
    text = done.stdout
    assert not re.search(r"\bnan\b|Workload  ?on|(?<!unnamed) workload[:,]|, workload $", re.sub(r"\n +", " ", text))
    assert max(map(len, text.splitlines()), default=0) <= int(width)
    if name in ("limits", "next", "compare"):
        assert "unknown" in text or "unnamed" in text
    told = invoke(*arguments, "--json").stdout
    assert "NaN" not in told


@pytest.mark.parametrize("command", ["scaling", "limits", "next", "capacity", "compare"])
@pytest.mark.parametrize("as_json", [False, True])
def test_nothing_to_fit_judge_or_compare_has_an_exit_code_of_its_own(tmp_path, monkeypatch, capsys, command, as_json):
    parquet.write(Tables(), tmp_path)
    more = {"capacity": ["--qps", "10", "-w", "a"], "compare": [str(tmp_path)]}.get(command, [])
    monkeypatch.setattr("sys.argv", ["ycsbook", command, str(tmp_path), *more, *(["--json"] if as_json else [])])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr()
    assert ended.value.code == cli.NOTHING == 4
    assert shown.err.startswith("ycsbook: ") and shown.err.count("\n") == 1
    if as_json and command != "capacity":
        json.loads(shown.out)


def test_runs_that_did_nothing_are_nothing_to_judge(tmp_path):
    heading = "spec,cores,ram_gib,threads,workload,qps,phase,outcome"
    table = own_table(tmp_path, heading, ["2c,2,8,16,a,0,run,completed", "4c,4,16,16,a,0,run,completed"])
    for command in ("limits", "next"):
        assert str(invoke(command, table).exception) == "limits-nothing()"


def test_capacity_says_that_cores_are_missing_not_runs(unknown, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["ycsbook", "capacity", str(unknown), "--qps", "10"])
    with pytest.raises(SystemExit):
        cli.main()
    said = capsys.readouterr().err
    assert "2 completed runs of unknown mix say nothing of the server's cores" in said and "--set cores=8" in said
