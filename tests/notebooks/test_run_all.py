"""Every notebook alone, top to bottom, on a vendor's table, in a fresh kernel and with nothing made before it."""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

from ycsbook import paths

NOTEBOOKS = sorted(p.stem for p in paths.NOTEBOOKS.glob("*.ipynb"))
EXECUTE = """
import json, sys
from pathlib import Path
from ycsbook.batch.execute import execute

execute(Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
"""
VENDOR = paths.PARAMS / "tencent-2020-08.yml"


def _run_alone(stem: str):
    """The executed notebook, as content, and what it left in an output folder of its own."""
    # A name of its own: no other notebook's tables are there. Inside the repository, as a user's params are.
    name = f"test-alone-{stem.replace('_', '-')}"
    folder = paths.OUTPUT / name
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(parents=True)
        params = folder / "params.yml"
        params.write_text(VENDOR.read_text().replace("name: tencent-2020-08\n", f"name: {name}\n"))
        values = {"params": params.relative_to(paths.REPOSITORY).as_posix(), "store": "output/no-runs-here"}
        target = folder / "notebooks" / f"{stem}.ipynb"
        # Papermill changes its process' working folder: two at a time need a process each.
        done = subprocess.run(
            [sys.executable, "-c", EXECUTE, paths.NOTEBOOKS / f"{stem}.ipynb", target, json.dumps(values)],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        left = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
        return nbformat.read(target, as_version=4), target.read_text(), left
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def executed():
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(NOTEBOOKS, pool.map(_run_alone, NOTEBOOKS), strict=True))


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
