"""Notebooks ask and show, which is checked cell by cell; the one that makes runs does what `ycsbook run` does."""

import ast
import json

import nbformat
import pytest

from ycsbook import paths
from ycsbook.batch.reports import STAGES
from ycsbook.errors import StoreError, YcsbookError

NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("*.ipynb"))
FORBIDDEN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While, ast.Try, ast.With)
FORBIDDEN_CALLS = {"open", "eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"re", "subprocess", "os", "sys", "shutil", "pathlib"}


def cells(path, kind):
    return [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == kind]


def source(cell):
    return "".join(cell["source"])


def test_the_stages_are_there():
    assert {p.stem for p in NOTEBOOKS} == {*STAGES, "50_compare", "explore"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_no_outputs_are_stored(path):
    for cell in cells(path, "code"):
        assert not cell["outputs"] and cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_the_first_code_cell_holds_the_parameters(path):
    first, *rest = cells(path, "code")
    assert first["metadata"]["tags"] == ["parameters"]
    for statement in ast.parse(source(first)).body:
        assert isinstance(statement, ast.Assign | ast.AnnAssign)
        ast.literal_eval(statement.value)
    assert not any("parameters" in c["metadata"].get("tags", []) for c in rest)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_cells_ask_and_show(path):
    for cell in cells(path, "code"):
        text = source(cell)
        assert len(text.splitlines()) <= 10
        for node in ast.walk(ast.parse(text)):
            assert not isinstance(node, FORBIDDEN), ast.unparse(node)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in FORBIDDEN_CALLS
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {a.name.split(".")[0] for a in node.names} | {getattr(node, "module", None)}
                assert not names & FORBIDDEN_MODULES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_notebook_opens_with_its_question(path):
    first = json.loads(path.read_text())["cells"][0]
    assert first["cell_type"] == "markdown" and source(first).startswith("# ")


COPIES = sorted((paths.REPOSITORY / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_copies_to_read_on_a_forge():
    assert [path.stem for path in COPIES] == ["30_scaling", "40_anomalies", "50_compare"]
    guide = (paths.REPOSITORY / "docs" / "notebooks.md").read_text()
    assert all(f"(notebooks/{path.name})" in guide for path in COPIES)


@pytest.mark.parametrize("path", COPIES, ids=lambda p: p.stem)
def test_a_copy_is_of_the_notebook_as_it_is(path):
    """After a change of a notebook: python docs/notebook_copies.py"""
    copied = [c for c in json.loads(path.read_text())["cells"] if c["metadata"].get("tags") != ["injected-parameters"]]
    original = json.loads((paths.NOTEBOOKS / path.name).read_text())["cells"]
    assert [source(c) for c in copied] == [source(c) for c in original]
    outputs = [output for c in copied for output in c.get("outputs", [])]
    assert outputs and all(output["output_type"] != "error" for output in outputs)
    assert path.stat().st_size < 200_000


@pytest.mark.parametrize("stem", ["20_ingest", "30_scaling", "40_anomalies", "90_report"])
def test_without_runs_a_notebook_says_in_one_line_what_to_do(tmp_path, executed, stem):
    values = {"params": "params/local.yml", "store": str(tmp_path / "none")}
    with pytest.raises(YcsbookError, match=r"make them with .ycsbook run params/local\.yml., or choose a params file"):
        executed(paths.NOTEBOOKS / f"{stem}.ipynb", tmp_path / f"{stem}.ipynb", values)
    failed = cells(tmp_path / f"{stem}.failed.ipynb", "code")
    (error,) = [output for cell in failed for output in cell["outputs"] if output["output_type"] == "error"]
    (line,) = error["traceback"]
    assert error["ename"] == "StoreError" and line.startswith("ycsbook: ") and "holds no run of 'local' yet" in line


def test_an_error_of_ours_has_no_traceback_in_any_notebook():
    assert StoreError("first\nsecond")._render_traceback_() == ["ycsbook: first", "ycsbook: second"]


PARAMS = """
name: asked
server: {server}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1{uri}}}
workloads: [c]
threads: [1, 2]
records: 100
min_duration: 1s
vary: {{write_concern: [1, majority]}}
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx128m]
"""


def run(executed, folder, server="{kind: mongod}", uri="", **values):
    params = folder / "asked.yml"
    params.write_text(PARAMS.format(server=server, uri=uri))
    values = {"params": str(params), "store": str(folder / "runs"), **values}
    return executed(paths.NOTEBOOKS / "10_run.ipynb", folder / "10_run.ipynb", values)


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
