"""Files that are damaged, cut or huge: typed errors, bounded memory, and never a wrong number.

The long versions are `make faults`.
"""

import math
import subprocess
import sys
from pathlib import Path
from random import Random

import log_samples
import pytest
from consistency import DOUBTS, contradictions
from fuzz import GROUPS
from mutations import mutated

from ycsbook import ingest
from ycsbook.errors import RunLogError
from ycsbook.ingest import readers
from ycsbook.ingest.files.sources import Source
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome

FUZZ = Path(__file__).with_name("fuzz.py")
YCSBOOK = Path(sys.executable).with_name("ycsbook")
CANARY = "canary-pw-9431"
KEYS = {
    "runs": ("throughput_ops_s", "runtime_ms", "operations"),
    "operations": ("count", "ok", "errors", "mean_us", "min_us", "max_us"),
}
# Runs a command and prints its exit code and its peak memory: that of a child counts its parent's at the start, and
# a test runner is large.
MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
unit = 1024**2 if sys.platform == "darwin" else 1024
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit)
print(done.stderr)
"""


def tables_of(folder: Path, contents: dict[str, bytes], name: str = "run.log") -> tuple[Tables, list]:
    """The tables of files in folders of their own, named by the keys."""
    paths = []
    for key, data in contents.items():
        path = folder / key / name
        path.parent.mkdir()
        path.write_bytes(data)
        paths.append(path)
    return ingest.read_with_rejects(paths)


@pytest.mark.matrix
@pytest.mark.parametrize("group", GROUPS)
def test_damaged_files_break_no_rule(group):
    done = subprocess.run(
        [sys.executable, str(FUZZ), group, "--count", "150"], capture_output=True, text=True, timeout=200, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    files, runs = (int(n.replace(",", "")) for n in done.stdout.split()[1:5:3])
    assert files == 150 and runs > 40


def test_the_same_seed_gives_the_same_damage():
    samples = log_samples.ycsb()
    damaged = [[mutated(samples[1], Random(seed), samples) for seed in range(20)] for _ in range(2)]
    assert damaged[0] == damaged[1]
    assert len(set(damaged[0])) > 15


@pytest.mark.parametrize("name", log_samples.OTHERS)
def test_the_samples_to_damage_are_read_when_whole(name, tmp_path):
    texts = log_samples.OTHERS[name]
    for text in texts:
        assert readers.format_of(text.encode()) == name
    tables, rejected = tables_of(tmp_path, {f"s{'i' * n}": t.encode() for n, t in enumerate(texts)}, _file_name(name))
    assert not rejected
    # Raw measurements without the log of their run are exact, and no run.
    assert set(tables.runs["outcome"]) <= ({"incomplete"} if name == readers.RAW else {"completed", "published"})
    assert len(tables.runs) >= len(texts) and len(tables.operations)
    assert contradictions(tables) == []


# The readers of other formats are cut in tests/unit/test_ingest_text_readers.py and test_ingest_json.py.
CUT = {
    "014": log_samples.YCSB_014,
    "017": (log_samples.DATA / "11_auth_ok.out").read_text(),
    "status": (log_samples.DATA / "11c_pwfile.err").read_text() + (log_samples.DATA / "11c_pwfile.out").read_text(),
    "iibench-java": log_samples.IIBENCH_TSV,
    "jmeter": log_samples.JMETER,
    "page": log_samples.PAGE,
}
# Has no end: what is left after any whole line is a log too.
ENDLESS = ("iibench-java", "jmeter")


@pytest.mark.matrix
@pytest.mark.parametrize("name", CUT)
def test_a_log_cut_at_any_byte_gives_its_own_figures_or_none(name, tmp_path):
    """A number cut to its first digits is a wrong number: everything shown must be as in the whole log."""
    data = CUT[name].encode()
    file_name = "page.md" if name == "page" else "run.log"
    whole, _ = tables_of(tmp_path, {"whole": data}, file_name)
    cuts = {f"cut-{'x' * (n // 100)}-{n}": data[:n] for n in range(len(data))}
    tables, _ = tables_of(tmp_path, cuts, file_name)
    assert contradictions(tables) == []
    if name in ENDLESS:
        ends = [n + 1 for n, byte in enumerate(data) if byte == ord("\n")]
        whole, _ = tables_of(tmp_path, {f"whole-{n}": data[:n] for n in ends}, file_name)
    doubtful = tables.runs["warnings"].map(lambda said: bool(DOUBTS & set(said.split())))
    usable = tables.runs[(tables.runs["outcome"] != Outcome.INCOMPLETE) & ~doubtful]
    for column in KEYS["runs"]:
        strange = set(usable[column].dropna()) - set(whole.runs[column].dropna())
        assert not strange, f"{column} of runs that were cut: {sorted(strange)}"
    known = {op: rows for op, rows in whole.operations.groupby("operation")}
    shown = tables.operations[tables.operations["run_id"].isin(usable["run_id"])]
    for operation, rows in shown.groupby("operation"):
        for column in KEYS["operations"]:
            strange = set(rows[column].dropna()) - set(known[operation][column].dropna())
            assert not strange, f"{operation} {column} of runs that were cut: {sorted(strange)}"


def test_a_password_is_not_shown_wherever_a_log_is_cut(tmp_path):
    data = (log_samples.DATA / "11_auth_ok.err").read_bytes() + (log_samples.DATA / "11_auth_ok.out").read_bytes()
    command = f"Command line: -t -p mongodb.url=mongodb://bench:{CANARY}@10.0.0.7:27017/ycsb?w=1\n".encode()
    message = f"com.mongodb.MongoTimeoutException: mongodb://bench:{CANARY}@10.0.0.7:27017 is not there\n".encode()
    log = command + message + data
    cuts = {f"cut-{'x' * (n // 100)}-{n}": log[:n] for n in range(len(command + message) + 1)}
    tables, rejected = tables_of(tmp_path, cuts)
    shown = "".join(frame.to_csv() for frame in tables.__dict__.values()) + "".join(map(str, rejected))
    assert len(tables.runs) > 100
    assert CANARY not in shown


HOLE = 1_000_000_000


@pytest.mark.matrix
@pytest.mark.parametrize("around", ["nothing", "log"])
def test_a_gigabyte_of_zeros_takes_little_memory(around, tmp_path):
    log = (log_samples.DATA / "03_mongod_run_b_t4_merged.log").read_bytes() if around == "log" else b""
    path = tmp_path / "sparse.log"
    with path.open("wb") as file:
        file.write(log)
        file.truncate(len(log) + HOLE)
        file.seek(0, 2)
        file.write(b"\n" + log[-200:] if log else b"")
    command = [str(YCSBOOK), "ingest", str(path), "--out", str(tmp_path / "tables")]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, timeout=250, check=True
    )
    code, peak_mb = done.stdout.split()[:2]
    assert int(code) in ((0,) if log else (0, 3)), done.stdout
    assert "Traceback" not in done.stdout
    assert float(peak_mb) < 256


@pytest.fixture(scope="module")
def good() -> Tables:
    tables, _ = ingest.read_with_rejects([log_samples.DATA / "03_mongod_run_b_t4_merged.log"])
    assert contradictions(tables) == []
    return tables


@pytest.mark.parametrize(
    ("table", "column", "value", "said"),
    [
        ("runs", "throughput_ops_s", 5000.0, "operations behind the throughput"),
        ("runs", "goodput_ops_s", 9e9, "above throughput"),
        ("runs", "operations", 4.0, "counted, no warning"),
        ("runs", "failed_operations", 9e9, "operations failed"),
        ("runs", "runtime_ms", -1.0, "completed with"),
        ("runs", "rtt_us", math.inf, "is inf"),
        ("runs", "outcome", "incomplete", "incomplete, but"),
        ("runs", "warnings", "SO_SO", "SO_SO"),
        ("runs", "run_id", "another", "no run"),
        ("operations", "count", -1.0, "a negative figure"),
        ("percentiles", "latency_us", -1.0, "percentiles"),
        ("intervals", "interval_s", 0.0, "without length"),
        ("intervals", "throughput_ops_s", math.inf, "infinite"),
    ],
)
def test_the_rules_see_a_wrong_figure(good, table, column, value, said):
    changed = getattr(good, table).copy()
    changed.loc[changed.index[0], column] = value
    found = contradictions(Tables(**{**good.__dict__, table: changed}))
    assert any(said in sentence for sentence in found), found


def test_every_parser_rejects_or_reads_what_is_not_its_own(tmp_path):
    """`--format` can name a wrong one: a typed error or an empty run, never a crash."""
    for number, text in enumerate(t for texts in log_samples.OTHERS.values() for t in texts):
        path = tmp_path / f"{number}.log"
        path.write_text(text, encoding="utf-8")
        for name in GROUPS["others"].parsers:
            try:
                runs = readers.parse(name, [Source(path)])
            except RunLogError:
                continue
            assert runs


def _file_name(format_: str) -> str:
    return {readers.PAGE: "page.md", readers.RAW: "raw.csv"}.get(format_, "run.log")
