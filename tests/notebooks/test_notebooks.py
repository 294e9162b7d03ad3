"""Notebooks ask and show; what they may not do is checked cell by cell."""

import ast
import json

import pytest

from ycsbook import paths
from ycsbook.batch.reports import STAGES

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
