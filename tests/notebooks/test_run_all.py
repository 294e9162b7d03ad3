"""Every notebook alone, top to bottom, on a vendor's table, in a fresh kernel and with nothing made before it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from ycsbook import paths

NOTEBOOKS = sorted(p.stem for p in paths.NOTEBOOKS.glob("*.ipynb"))
VENDOR = paths.PARAMS / "tencent-2020-08.yml"
# One process loads everything; each notebook is executed in a fork of it, which knows of no other.
EXECUTE = """
import json, sys
from pathlib import Path
from ycsbook.batch import tasks

tasks.load()
from ycsbook.batch.execute import execute

works = [(name, execute, Path(name), Path(target), values) for name, target, values in json.load(sys.stdin)]
tasks.several(works, 2, lambda place, task: task.result())
"""


def _place(stem: str) -> Path:
    """An output folder with a name of its own: no other notebook's tables are there. In the repository, as a user's."""
    return paths.OUTPUT / f"test-alone-{stem.replace('_', '-')}"


def _order(stem: str) -> tuple[str, str, dict[str, str]]:
    """Notebook, target and parameters of an execution; the params file is written."""
    folder = _place(stem)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    params = folder / "params.yml"
    params.write_text(VENDOR.read_text().replace("name: tencent-2020-08\n", f"name: {folder.name}\n"))
    values = {"params": params.relative_to(paths.REPOSITORY).as_posix(), "store": "output/no-runs-here"}
    return str(paths.NOTEBOOKS / f"{stem}.ipynb"), str(folder / "notebooks" / f"{stem}.ipynb"), values


@pytest.fixture(scope="module")
def executed():
    """By notebook: the executed one, its text, and the files it left."""
    try:
        orders = {stem: _order(stem) for stem in NOTEBOOKS}
        done = subprocess.run(
            [sys.executable, "-c", EXECUTE], input=json.dumps(list(orders.values())), capture_output=True, text=True,
            timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        yield {
            stem: (
                nbformat.read(target, as_version=4),
                Path(target).read_text(),
                {p.relative_to(_place(stem)).as_posix() for p in _place(stem).rglob("*") if p.is_file()},
            )
            for stem, (_, target, _) in orders.items()
        }
    finally:
        for stem in NOTEBOOKS:
            shutil.rmtree(_place(stem), ignore_errors=True)


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_runs_alone_without_an_error_or_a_warning(executed, stem):
    content, _, _ = executed[stem]
    code = [c for c in content.cells if c.cell_type == "code"]
    assert all(c.execution_count for c in code)
    outputs = [o for c in code for o in c.outputs]
    assert [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"] == []
    assert any(o.output_type in ("display_data", "execute_result") for o in outputs)


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_names_no_place_of_this_machine(executed, stem):
    _, text, _ = executed[stem]
    assert str(paths.REPOSITORY) not in text
    assert f"'{Path.home()}/" not in text and f'"{Path.home()}/' not in text


WRITES = {
    "10_run": set(),
    "20_ingest": {"tables/runs.parquet", "tables/inputs.json"},
    "30_scaling": {"tables/fit_tidy.parquet", "tables/fit_glance.parquet", "tables/elasticities.parquet"},
    "40_anomalies": {"tables/findings.parquet"},
    "50_compare": {"tables/runs.parquet"},
    "90_report": {"report.html", "report.md", "figures/scaling-1.svg"},
    "explore": {"tables/runs.parquet"},
}


@pytest.mark.parametrize("stem", NOTEBOOKS)
def test_leaves_what_the_guide_says(executed, stem):
    _, _, left = executed[stem]
    assert WRITES[stem] <= left
    assert not any(".failed." in name or ".partial." in name for name in left)


def test_papermill_by_hand_from_another_folder(tmp_path):
    report = paths.OUTPUT / "tencent-2020-08" / "report.html"
    before = report.stat().st_mtime_ns if report.exists() else None
    shutil.copytree(paths.NOTEBOOKS, tmp_path / "notebooks")
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "notebooks/90_report.ipynb", "out.ipynb",
         "-p", "params", "params/tencent-2020-08.yml"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.ipynb").is_file()
    assert report.stat().st_mtime_ns != before and "Tencent Cloud" in report.read_text()
