"""The command `ycsbook ingest`: plain arguments are understood as the command line's library does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from ycsbook import cli, commands
from ycsbook.ingest import command
from ycsbook.ingest.finding.formats import FORMATS
from ycsbook.ingest.order import Order, parse

LOG = Path(__file__).parents[1] / "data" / "ycsb" / "03_mongod_run_b_t4_merged.log"

WORDS = st.text("abc=/*{}. 08-", min_size=1, max_size=6)
OPTIONS = st.one_of(
    st.tuples(st.sampled_from(["--format", "--set", "--pattern", "-o", "--out"]), WORDS),
    st.tuples(st.sampled_from(["-j", "--jobs"]), st.sampled_from(["1", "2", "64", "65", "0", "x", "-1"])),
    st.tuples(st.sampled_from(["-f", "--force", "--json", "--", "-x", "--out=z", "-oz", "-fj2", "--help"])),
    st.tuples(WORDS),
)


def by_typer(arguments: list[str]) -> Order | None:
    """The order that typer makes of the arguments; None: it refuses or helps."""
    orders = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "run", lambda order: orders.append(order) or 0)
        CliRunner().invoke(commands.app, ["ingest", *arguments])
    return orders[0] if orders else None


@given(st.lists(OPTIONS, max_size=6).map(lambda options: [word for option in options for word in option]))
def test_what_is_understood_is_what_typer_understands(arguments):
    order = parse(arguments)
    assert order is None or vars(order) == vars(by_typer(arguments))


def test_the_usual_options_are_understood():
    arguments = "a b -o out --set cores=8 --set ram_gib=32 -j 2 --format ycsb --pattern {spec}/x -f --json"
    order = parse(arguments.split())
    assert vars(order) == {
        "sources": ["a", "b"], "out": "out", "format": "ycsb", "sets": ["cores=8", "ram_gib=32"],
        "pattern": "{spec}/x", "jobs": 2, "force": True, "as_json": True,
    }  # fmt: skip


@pytest.mark.parametrize("arguments", ["--format list", "a -o out --format list", "--format=list -o x"])
def test_the_formats_are_listed_without_anything_to_read(arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ycsbook", "ingest", *arguments.split()])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code, capsys.readouterr().out.split()) == (0, list(FORMATS))


@pytest.mark.parametrize("arguments", ["", "a", "-o out", "a -o", "a -o out --help", "a -o out -j 65", "a -o out -x"])
def test_all_else_is_left_to_typer(arguments):
    assert parse(arguments.split()) is None


def test_names_and_passwords_in_messages(tmp_path, capsys):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a\n\x1b[31m\udcff.csv").write_text(
        "READ latency raw data: op, timestamp(ms), latency(us)\nREAD,1,mongodb://u:s3cret@h\n"
    )
    order = Order([str(folder)], str(tmp_path / "out"), pattern="{threads}/x")
    assert command.run(order) == command.EXIT_REJECTED
    told = capsys.readouterr().err
    assert "\\n\\x1b[31m\\udcff.csv:2: got" in told and len(told.splitlines()) == 1
    order.as_json = True
    assert command.run(order) == command.EXIT_REJECTED
    shown = capsys.readouterr().out
    assert shown.isascii() and json.loads(shown)["rejected"]
    index = (tmp_path / "out" / "ingest-index.json").read_text()
    assert "s3cret" not in told + shown + index + (tmp_path / "out" / "ingest.json").read_text()


def test_a_folder_without_logs_is_told(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("hello\n")
    assert command.run(Order([str(tmp_path)], str(tmp_path / "out"))) == 0
    assert "note: nothing here looks like a log" in capsys.readouterr().err


def test_what_did_not_complete_and_what_is_there_twice_is_named(tmp_path, capsys, monkeypatch):
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("a.log", "b.log"):
        (logs / name).write_bytes(LOG.read_bytes())
    for i in range(12):
        (logs / f"cut{i:02}.log").write_bytes(LOG.read_bytes()[: 700 + i])
    for arguments in ([], ["--force"], []):
        monkeypatch.setattr(sys, "argv", ["ycsbook", "ingest", str(logs), "-o", str(tmp_path / "out"), *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert not ended.value.code
        told = capsys.readouterr().err.splitlines()
        assert told == [
            f"note: the same log, by its size, beginning and end, counts as 2 runs: {logs}/a.log, {logs}/b.log",
            *(f"not completed: {logs}/cut{i:02}.log: incomplete: the log has no [OVERALL] block, expected one"
              for i in range(10)),
            "not completed: 2 more; --json lists all",
        ]  # fmt: skip


def test_an_unchanged_archive_is_told_without_loading_what_reads(tmp_path):
    arguments = ["ingest", str(LOG), "-o", str(tmp_path)]
    loaded = (
        "import sys; from ycsbook import cli\n"
        "try: cli.main()\n"
        "finally: print(sorted({'numpy', 'pyarrow', 'pandas', 'typer', 'ycsbook.ingest.logs'} & sys.modules.keys()))"
    )
    first, again = (
        subprocess.run([sys.executable, "-c", loaded, *arguments], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first.endswith("['numpy', 'pyarrow', 'ycsbook.ingest.logs']\n")
    assert "1 unchanged" in again and again.endswith("[]\n")
