"""Ways of executing a report's notebook many times, each run by bench_reports.py in a process of its own.

    python tests/bench/report_ways.py prepare FOLDER N    params files and tables of N reports
    python tests/bench/report_ways.py forked FOLDER N     as `ycsbook batch -j 2` executes them
    python tests/bench/report_ways.py papermill FOLDER N  papermill's command line, two at a time
    python tests/bench/report_ways.py big FOLDER N        the page of a report with at least N runs
    python tests/bench/report_ways.py clean FOLDER N      what of it is in output/

Each prints JSON. Modules are loaded where they are used: what a way costs is its own.
"""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

SOURCE, STAGE, AT_A_TIME = "qingcloud-4.0.3", "90_report", 2


def name(number: int) -> str:
    return f"bench-reports-{number:02}"


def prepare(folder: Path, n: int) -> None:
    """The vendor's params under other names, and their tables, fits and findings: one report's copied for the rest."""
    from ycsbook import paths
    from ycsbook.study import INPUTS, Study

    text = (paths.PARAMS / f"{SOURCE}.yml").read_text(encoding="utf-8")
    made = None
    for number in range(n):
        path = folder / f"{name(number)}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(f"name: {SOURCE}\n", f"name: {name(number)}\n"), encoding="utf-8")
        study = Study(path, store=folder / "runs")
        if made is None:
            study.ingest(), study.analyse(), study.find()
            made = study.tables_folder
            continue
        shutil.copytree(made, study.tables_folder, dirs_exist_ok=True)
        (study.tables_folder / INPUTS).write_text(json.dumps(study.inputs), encoding="utf-8")


def forked(folder: Path, n: int) -> dict:
    from ycsbook.batch import tasks

    tasks.load()
    from ycsbook import paths
    from ycsbook.batch.execute import execute

    works = [
        (
            name(number), execute, paths.NOTEBOOKS / f"{STAGE}.ipynb", folder / "forked" / f"{name(number)}.ipynb",
            {"params": str(folder / f"{name(number)}.yml"), "store": str(folder / "runs")},
        )
        for number in range(n)
    ]  # fmt: skip
    tasks.several(works, AT_A_TIME, lambda place, task: task.result())
    return _left(folder / "forked", n)


def papermill(folder: Path, n: int) -> dict:
    from ycsbook import paths

    (folder / "papermill").mkdir(exist_ok=True)

    def one(number: int) -> None:
        command = [
            str(Path(sys.executable).with_name("papermill")), str(paths.NOTEBOOKS / f"{STAGE}.ipynb"),
            str(folder / "papermill" / f"{name(number)}.ipynb"), "--no-progress-bar", "--cwd", str(paths.REPOSITORY),
            "-p", "params", str(folder / f"{name(number)}.yml"), "-p", "store", str(folder / "runs"),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(one, range(n)))
    return _left(folder / "papermill", n)


def _left(notebooks: Path, n: int) -> dict:
    """How many notebooks were executed to their end, and the reports they wrote."""
    from ycsbook import paths

    executed = [json.loads((notebooks / f"{name(number)}.ipynb").read_text()) for number in range(n)]
    codes = [[c for c in one["cells"] if c["cell_type"] == "code"] for one in executed]
    pages = [(paths.OUTPUT / name(number) / "report.html").read_bytes() for number in range(n)]
    return {
        "completed": sum(all(c["execution_count"] for c in cells) for cells in codes),
        "pages": [sha256(page).hexdigest() for page in pages],
    }


def big(folder: Path, n: int) -> dict:
    """Runs of the tests' sample repeated until there are enough; CPU of building and writing, beyond the fits."""
    import time

    sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
    import report_samples as samples

    from ycsbook import scaling
    from ycsbook.report import build, write

    tables = samples.local_tables(seconds=20)
    times = -(-n // len(tables.runs))
    for table in ("runs", "operations", "percentiles", "intervals"):
        one = getattr(tables, table)
        many = [one.assign(run_id=one["run_id"] + f"-{i}") for i in range(times)]
        setattr(tables, table, samples.pd.concat(many, ignore_index=True))
    fits, found = scaling.analyse(tables.runs), samples.findings(tables.runs)
    started = time.process_time()
    written = write(build(samples.local_sweep(), tables, fits, found, samples.ENVIRONMENT), folder / "big")
    cpu_s = time.process_time() - started
    return {"runs": len(tables.runs), "bytes": written.html.stat().st_size, "cpu_s": cpu_s}


def clean(folder: Path, n: int) -> None:
    from ycsbook import paths

    for number in range(n):
        shutil.rmtree(paths.OUTPUT / name(number), ignore_errors=True)


WAYS = {"prepare": prepare, "forked": forked, "papermill": papermill, "big": big, "clean": clean}

if __name__ == "__main__":
    print(json.dumps(WAYS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
