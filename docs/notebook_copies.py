"""Executed copies of the notebooks, for a forge to show: python docs/notebook_copies.py, or `make docs-reports`."""

import re
from pathlib import Path

import nbformat

from ycsbook import paths
from ycsbook.batch.execute import execute

FOLDER = Path(__file__).parent / "notebooks"
PARAMS = "params/qingcloud-4.0.3.yml"
COPIES: dict[str, dict[str, object]] = {
    "30_scaling": {"params": PARAMS},
    "40_anomalies": {"params": PARAMS},
    "50_compare": {},
}
# Files beside a report.
_LINK = re.compile(r"\]\((figures|data)/")
# What changes from one execution to the next and is no answer.
_PASSING = ("papermill", "ycsbook")


def make() -> None:
    """Execute each notebook on a vendor's table and write what it shows."""
    for stem, values in COPIES.items():
        target = execute(paths.NOTEBOOKS / f"{stem}.ipynb", FOLDER / f"{stem}.ipynb", values)
        notebook = nbformat.read(target, as_version=4)
        for part in (notebook, *notebook.cells):
            for name in _PASSING:
                part.metadata.pop(name, None)
        for i, cell in enumerate(notebook.cells):
            # The injected cell's own is another each time.
            cell.id = f"{stem}-{i}"
        for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
            # Markdown says the same in a hundredth of the size; its pictures are those of the published report.
            if text := output.get("data", {}).get("text/markdown"):
                text = _LINK.sub(rf"](../reports/{Path(PARAMS).stem}/\1/", text)
                output["data"] = {"text/markdown": text}
        nbformat.write(notebook, target)
        print(f"{target.relative_to(paths.REPOSITORY)}  {target.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    make()
