"""The notebook that makes the runs: the same thing as `ycsbook run`, driven by papermill's parameters."""

import json

import nbformat
import pytest

from ycsbook import paths
from ycsbook.errors import YcsbookError

NOTEBOOK = paths.NOTEBOOKS / "10_run.ipynb"
PARAMS = """
name: asked
server: {server}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1{uri}}}
workloads: [c]
threads: [1, 2]
records: 100
min_duration: 3s
vary: {{write_concern: [1, majority]}}
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx128m]
"""


def run(executed, folder, server="{kind: mongod}", uri="", **values):
    params = folder / "asked.yml"
    params.write_text(PARAMS.format(server=server, uri=uri))
    return executed(NOTEBOOK, folder / "10_run.ipynb", {"params": str(params), "store": str(folder / "runs"), **values})


def shown(notebook) -> str:
    """Everything that the cells show, as text."""
    cells = nbformat.read(notebook, as_version=4).cells
    outputs = [o for cell in cells if cell.cell_type == "code" for o in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    data = (o.get("data", {}) for o in outputs)
    return "\n".join(d.get("text/markdown", d.get("text/html", "")) for d in data)


@pytest.mark.live
def test_it_makes_the_runs_that_are_asked_for(tmp_path, executed):
    notebook = run(executed, tmp_path, only=["threads=2,write_concern=majority"], repeat=1)
    (manifest,) = [json.loads(p.read_text()) for p in (tmp_path / "runs").glob("*-t*/manifest.json")]
    assert (manifest["outcome"], manifest["threads"], manifest["variation"]) == (
        "completed", 2, {"write_concern": "majority"},
    )  # fmt: skip
    text = shown(notebook)
    assert "1 of 1 runs done" in text and "completed" in text and "write concern majority" in text


def test_a_dry_run_shows_the_plan_and_makes_nothing(tmp_path, executed):
    notebook = run(executed, tmp_path, "{kind: uri}", ", uri_env: ASKED_URI", dry_run=True, repeat=2)
    assert not (tmp_path / "runs").exists()
    text = shown(notebook)
    assert text.count("no server: set ASKED_URI") == 8 and "write concern majority" in text


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"only": "cores"}, "--only: got 'cores', expected conditions such as"),
        ({"repeat": "3"}, "10_run.ipynb: parameter repeat: got '3', expected a whole number, or null"),
        ({"force": "no"}, "10_run.ipynb: parameter force: got 'no', expected true or false"),
    ],
)
def test_a_parameter_that_is_not_what_it_should_be_is_one_line(tmp_path, executed, values, said):
    with pytest.raises(YcsbookError) as caught:
        run(executed, tmp_path, "{kind: uri}", ", uri_env: ASKED_URI", **values)
    assert said in str(caught.value) and len(str(caught.value).splitlines()) == 1
