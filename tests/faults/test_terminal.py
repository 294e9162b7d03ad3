"""Names of files, tables and servers that hold orders for a terminal: none reaches it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import log_samples
import pytest

from ycsbook.store import parquet
from ycsbook.tables import from_rows

# A promise in all its variations.
pytestmark = pytest.mark.matrix

RED, TITLE, CLEAR, TURN = "\x1b[31m", "\x1b]0;owned\x07", "\x9b2J", "\u202e"
HOSTILE = f"{RED}{TITLE}{CLEAR}{TURN}\x7f\r"
ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def ycsbook(*arguments: object) -> subprocess.CompletedProcess:
    command = [Path(sys.executable).with_name("ycsbook"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, errors="surrogateescape")


@pytest.fixture
def tables(tmp_path) -> Path:
    """Tables whose every text is hostile."""
    rows = [
        {
            "run_id": f"{HOSTILE}{cores}", "dataset": HOSTILE, "spec": f"{HOSTILE}{cores}c", "spec_label": HOSTILE,
            "workload": HOSTILE, "server_version": HOSTILE, "vendor": HOSTILE, "source": HOSTILE, "cores": cores,
            "threads": threads, "throughput_ops_s": 100.0 * cores * threads, "outcome": "published", "phase": "run",
        }
        for cores in (1, 2, 4, 8) for threads in (10, 20)
    ]  # fmt: skip
    parquet.write({"runs": from_rows(rows, "runs")}, tmp_path / f"t{HOSTILE}")
    return tmp_path / f"t{HOSTILE}"


@pytest.mark.parametrize("command", ["scaling", "anomalies", "limits", "capacity", "next", "compare"])
@pytest.mark.parametrize("as_json", [False, True])
def test_no_order_in_a_table_reaches_the_terminal(tables, command, as_json):
    more = {"capacity": ["1000"], "compare": [tables]}.get(command, [])
    done = ycsbook(command, tables, *more, *["--json"] * as_json)
    assert done.stdout + done.stderr
    assert ORDERS.findall(done.stdout + done.stderr) == []
    assert "Traceback" not in done.stderr
    if as_json and done.returncode == 0:
        json.loads(done.stdout)


@pytest.mark.parametrize("what", ["log", "folder", "missing", "junk"])
def test_no_order_in_the_name_of_a_file_reaches_the_terminal(tmp_path, what):
    folder = tmp_path / f"{HOSTILE}d" if what == "folder" else tmp_path / "d"
    folder.mkdir()
    path = folder / f"{HOSTILE}.csv" if what == "junk" else folder / f"{HOSTILE}.log"
    if what != "missing":
        path.write_text(log_samples.YCSB_014[: -300 if what == "log" else None] if what != "junk" else "a,b\n")
    for options in ([], ["--json"]):
        done = ycsbook("ingest", path, "--out", tmp_path / f"out{HOSTILE}", *options)
        assert ORDERS.findall(done.stdout + done.stderr) == [] and "Traceback" not in done.stderr
        assert "1b[31m" in done.stdout + done.stderr
