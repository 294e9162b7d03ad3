"""The command `ycsbook ingest`: what it says, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import cli
from ycsbook.commands.ingest import EXIT_REJECTED
from ycsbook.ingest import readers
from ycsbook.ingest.archive_index import INDEX

LOG = Path(__file__).parents[1] / "data" / "ycsb" / "03_mongod_run_b_t4_merged.log"


def run(monkeypatch, *arguments: object) -> int:
    """The exit code of `ycsbook ingest`."""
    monkeypatch.setattr(sys, "argv", ["ycsbook", "ingest", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code or 0


@pytest.mark.parametrize("arguments", ["--format list", "a -o out --format list", "--format=list -o x"])
def test_the_formats_are_listed_without_anything_to_read(arguments, monkeypatch, capsys):
    assert (run(monkeypatch, *arguments.split()), capsys.readouterr().out.split()) == (0, list(readers.names()))


def test_names_and_passwords_in_messages(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a\n\x1b[31m\udcff.csv").write_text(
        "READ latency raw data: op, timestamp(ms), latency(us)\nREAD,1,mongodb://u:s3cret@h\n"
    )
    arguments = [folder, "-o", tmp_path / "out", "--pattern", "{threads}/x"]
    assert run(monkeypatch, *arguments) == EXIT_REJECTED
    told = capsys.readouterr().err
    assert "\\n\\x1b[31m\\udcff.csv:2: got" in told and len(told.splitlines()) == 1
    assert run(monkeypatch, *arguments, "--json") == EXIT_REJECTED
    shown = capsys.readouterr().out
    assert shown.isascii() and json.loads(shown)["rejected"]
    assert "s3cret" not in told + shown + (tmp_path / "out" / INDEX).read_text()


def test_a_folder_without_logs_is_told(tmp_path, capsys, monkeypatch):
    (tmp_path / "notes.txt").write_text("hello\n")
    assert run(monkeypatch, tmp_path, "-o", tmp_path / "out") == 0
    assert "note: nothing here is read" in capsys.readouterr().err


def test_what_did_not_complete_and_what_is_there_twice_is_named(tmp_path, capsys, monkeypatch):
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("a.log", "b.log"):
        (logs / name).write_bytes(LOG.read_bytes())
    for i in range(12):
        (logs / f"cut{i:02}.log").write_bytes(LOG.read_bytes()[: 700 + i])
    for arguments in ([], ["--force"], []):
        assert run(monkeypatch, logs, "-o", tmp_path / "out", *arguments) == 0
        told = capsys.readouterr().err.splitlines()
        assert told == [
            f"note: the same log, by its size, beginning and end, counts as 2 runs: {logs}/a.log, {logs}/b.log",
            *(f"not completed: {logs}/cut{i:02}.log: incomplete: the log has no [OVERALL] block, expected one; "
              "its last status line is of 0 s after the start: the client was ended, or what came later is lost"
              for i in range(10)),
            "not completed: 2 more; --json lists all",
        ]  # fmt: skip


def test_an_unchanged_archive_is_told_without_loading_what_reads(tmp_path):
    arguments = ["ingest", str(LOG), "-o", str(tmp_path)]
    loaded = (
        "import sys; from ycsbook import cli\n"
        "try: cli.main()\n"
        "finally: print(sorted({'numpy', 'pyarrow', 'pandas', 'ycsbook.ingest.logs'} & sys.modules.keys()))"
    )
    first, again = (
        subprocess.run([sys.executable, "-c", loaded, *arguments], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first.endswith("['numpy', 'pyarrow', 'ycsbook.ingest.logs']\n")
    assert "1 unchanged" in again and again.endswith("[]\n")


def test_what_could_not_be_read_is_told_again_with_its_exit_code(tmp_path, capsys, monkeypatch):
    (tmp_path / "broken.log.gz").write_bytes(b"\x1f\x8b no gzip")
    for _ in range(2):
        assert run(monkeypatch, tmp_path, "-o", tmp_path / "out") == EXIT_REJECTED
        assert "broken.log.gz: cannot be unpacked" in capsys.readouterr().err


def test_an_unknown_format_is_refused(tmp_path, capsys, monkeypatch):
    assert run(monkeypatch, tmp_path, "-o", tmp_path / "out", "--format", "csv") == 1
    assert "--format: got 'csv', expected one of ycsb, " in capsys.readouterr().err
