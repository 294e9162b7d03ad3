"""What the product answers today, written as text files: python tests/frozen/freeze.py FOLDER.

Two commits are compared by freezing each and running `diff -r` over the folders. digests.json holds the hash of every
file as it was when it was last accepted; test_frozen.py compares. A change that means to alter an answer runs
`python tests/frozen/freeze.py FOLDER --accept` and says in its commit what changed and why.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pandas as pd

from ycsbook import cli, messages, paths
from ycsbook.report import build, write
from ycsbook.store import parquet
from ycsbook.study import Study

HERE = Path(__file__).parent
DIGESTS = HERE / "digests.json"
VENDORS = ("qingcloud-4.0.3", "tencent-2020-08")
_PICTURE = re.compile(r"<svg.*?</svg>|data:image/[^\"']*", re.DOTALL)
# The last digits of a sum follow from where its numbers lie in memory.
_LONG_NUMBER = re.compile(r"-?\d+\.\d{7,}(?:e[+-]?\d+)?|-?\d\.\d+e-\d+")
# The hash of the program, of the notebooks and of the jars, and the versions they ran with: not answers.
_PASSING = re.compile(r"\b[0-9a-f]{64}\b|\b3\.\d+\.\d+\b")


def freeze(folder: Path) -> None:
    """Write every answer below a folder: tables as CSV, what commands print, reports, exit codes."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ |= {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}
    os.chdir(folder)
    _samples("repository", paths.REPOSITORY / "tests" / "data" / "ycsb")
    if shared := os.environ.get("YCSBOOK_SHARED"):
        for part in sorted((Path(shared) / "samples").iterdir()):
            _samples(f"shared-{part.name}", part)
        for page in sorted((Path(shared) / "seeds").iterdir()):
            _samples(f"shared-seed-{page.name}", page)
    for vendor in VENDORS:
        _vendor(vendor)
    _answer("compare", "compare", *VENDORS, "--json")
    _answer("compare-text", "compare", *VENDORS)
    _answer("published-anomalies", "anomalies", str(paths.PUBLISHED), "--json")
    _mistakes()
    for work in ("tables", "output", "bad"):
        shutil.rmtree(folder / work)
    # The folder first: it may lie in the repository, or its path begin like the repository's.
    places = {str(folder): "FOLDER", str(paths.REPOSITORY): "REPOSITORY"}
    if shared:
        places |= {str(Path(shared).resolve()): "SHARED"}
    for path in _texts(folder):
        text = path.read_text("utf-8")
        for place, name in places.items():
            text = text.replace(place, name)
        text = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.5g}", _PASSING.sub("-", text))
        path.write_text(text, "utf-8")


def _samples(name: str, source: Path) -> None:
    # A copy: run ids have the names of the folders a log lies in.
    copy = Path("in") / "samples" / (name if source.is_dir() else f"{name}{source.suffix}")
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, copy) if source.is_dir() else shutil.copy2(source, copy)
    tables = Path("tables") / name
    code = _answer(f"{name}-ingest", "ingest", str(copy), "-o", str(tables), "--json")
    shutil.rmtree("in")
    if code or not (tables / "runs.parquet").is_file():
        return
    _as_csv(tables, Path(name))
    for command in ("anomalies", "scaling", "limits"):
        _answer(f"{name}-{command}", command, str(tables), "--json")


def _vendor(vendor: str) -> None:
    study = Study(paths.PARAMS / f"{vendor}.yml", output=Path("output") / vendor)
    study.tables(), study.analyse(), study.find()
    tables = study.tables_folder
    # Not called as the vendor is: `compare` would take a folder of its name for the tables.
    _as_csv(tables, Path(f"tables-of-{vendor}"))
    for command in ("limits", "scaling", "anomalies"):
        _answer(f"{vendor}-{command}", command, str(tables), "--json")
        _answer(f"{vendor}-{command}-text", command, str(tables))
    _answer(f"{vendor}-anomalies-all", "anomalies", str(tables), "--all", "--json")
    params = str(paths.PARAMS / f"{vendor}.yml")
    _answer(f"{vendor}-next", "next", str(tables), "--params", params, "--json")
    _answer(f"{vendor}-next-text", "next", str(tables), "--params", params)
    for qps in ("20000", "80000", "1000000"):
        asked = ("capacity", str(tables), "--qps", qps, "-w", "a")
        _answer(f"{vendor}-capacity-{qps}", *asked, "--json")
        _answer(f"{vendor}-capacity-{qps}-text", *asked)
    write(study.report(), Path(f"{vendor}-en"))
    facts = json.loads((tables / "environment.json").read_text("utf-8"))
    chinese = study.sweep.model_copy(update={"report": study.sweep.report.model_copy(update={"lang": "zh"})})
    report = build(chinese, study.tables(), study.analysis(), study.findings(), facts, rejected=study.rejected())
    write(report, Path(f"{vendor}-zh"))


def _mistakes() -> None:
    """Bad input: the message and the exit code of each."""
    bad = Path("bad")
    bad.mkdir(exist_ok=True)
    (bad / "empty.log").write_text("")
    (bad / "junk.log").write_bytes(b"\x00\xff" * 500)
    (bad / "cut.log").write_text("[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), \n")
    (bad / "key.yml").write_text("name: x\nspec: 1\nspecs: []\nthreads: [1, yes]\n")
    (bad / "nested.yml").write_text("[" * 5000)
    for name, arguments in {
        "no-folder": ("ingest", "nowhere", "-o", "tables/none"),
        "empty-log": ("ingest", "bad/empty.log", "-o", "tables/empty", "--json"),
        "junk-log": ("ingest", "bad/junk.log", "-o", "tables/junk", "--json"),
        "cut-log": ("ingest", "bad/cut.log", "-o", "tables/cut", "--json"),
        "params-key": ("plan", "bad/key.yml"),
        "params-nested": ("plan", "bad/nested.yml"),
        "params-none": ("plan", "bad/none.yml"),
        "no-tables": ("anomalies", "bad"),
        "rule-unknown": ("anomalies", "tables/repository", "--rule", "nonsense"),
        "capacity-nothing": ("capacity", "tables/repository"),
        "compare-unknown": ("compare", "nonsense", VENDORS[0]),
        "option-unknown": ("ingest", "--nonsense"),
    }.items():
        _answer(f"bad-{name}", *arguments)


def _as_csv(tables: Path, to: Path) -> None:
    to.mkdir(exist_ok=True)
    for file in sorted(tables.glob("*.parquet")):
        frame: pd.DataFrame = messages.worded(parquet.read_table(tables, file.stem))
        digits = 6 if file.stem.startswith("fit_") else 9
        frame.to_csv(to / f"{file.stem}.csv", index=False, float_format=f"%.{digits}g")


def _answer(name: str, *arguments: str) -> int:
    """Call a command as the shell would; keep what it printed and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    argv, sys.argv = sys.argv, ["ycsbook", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
    except SystemExit as e:
        code = e.code or 0
    finally:
        sys.argv = argv
    Path(f"{name}.txt").write_text(f"exit {code}\n--- out\n{out.getvalue()}--- err\n{err.getvalue()}", "utf-8")
    return int(code)


def digests(folder: Path) -> dict[str, str]:
    """The hash of every frozen text; of pages without the pictures in them, which follow the machine's fonts."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(
            _PICTURE.sub("", path.read_text("utf-8")).encode()
        ).hexdigest()
        for path in _texts(folder)
    }


def _texts(folder: Path) -> list[Path]:
    return [p for p in sorted(folder.rglob("*")) if p.suffix in (".md", ".html", ".txt", ".csv") and p.is_file()]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the answers are written")
    parser.add_argument("--accept", action="store_true", help="these are the answers from now on")
    asked = parser.parse_args()
    if asked.accept and not os.environ.get("YCSBOOK_SHARED"):
        parser.error("set YCSBOOK_SHARED: without the shared samples their answers would be accepted as gone")
    target = asked.folder.resolve()
    freeze(target)
    if asked.accept:
        DIGESTS.write_text(json.dumps(digests(target), indent=0, sort_keys=True) + "\n", "utf-8")
