"""What a notebook's sidecar says of its parameters is true, and wrong values are refused with their place."""

import ast
import json
import math

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.batch import notebook_parameters
from ycsbook.errors import ParamsError

NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("*.ipynb"))
ASKED = """\
params:
  name: {type: text, default: a, pattern: '[a-z]+', meaning: a word}
  runs: {type: texts, default: [], meaning: some runs}
  place: {type: path, default: data, meaning: a folder}
  repeats: {type: integer, default: null, optional: true, min: 1, max: 9, unit: repeats, meaning: how often}
  share: {type: number, default: 0.5, min: 0, max: 1, meaning: a share}
  force: {type: boolean, default: false, meaning: again}
  law: {type: choice, default: usl, choices: [usl, power], meaning: a law}
"""
DEFAULTS = {"name": "a", "runs": [], "place": "data", "repeats": None, "share": 0.5, "force": False, "law": "usl"}


def notebook(folder, sidecar=ASKED):
    """A notebook with those parameters, its sidecar beside it."""
    text = "\n".join(f"{name} = {value!r}" for name, value in DEFAULTS.items())
    cell = nbformat.v4.new_code_cell(text, metadata={"tags": ["parameters"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "asked.ipynb")
    (folder / "asked.params.yml").write_text(sidecar)
    return folder / "asked.ipynb"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return notebook(tmp_path_factory.mktemp("asked"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_the_sidecar_names_the_cell_s_parameters_with_their_defaults(path):
    typed, lines = notebook_parameters.read(path)
    assert list(typed) == list(notebook_parameters.declared(path))
    for name, default in notebook_parameters.declared(path).items():
        assert typed[name].default == default and type(typed[name].default) is type(default)
        text = notebook_parameters.sidecar(path).read_text().splitlines()[lines[name] - 1]
        assert text.strip() == f"{name}:"
    assert notebook_parameters.check(path, {}) == notebook_parameters.declared(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_type_that_the_cell_annotates_is_the_sidecar_s(path):
    cells = [c for c in json.loads(path.read_text())["cells"] if "parameters" in c["metadata"].get("tags", [])]
    typed, _ = notebook_parameters.read(path)
    python = {"path": "str", "text": "str", "choice": "str", "texts": "list[str]", "integer": "int",
              "number": "float", "boolean": "bool"}  # fmt: skip
    for statement in ast.parse("".join(cells[0]["source"])).body:
        if isinstance(statement, ast.AnnAssign):
            assert ast.unparse(statement.annotation) == python[typed[statement.target.id].type]


def test_there_is_no_sidecar_without_a_notebook():
    stems = {p.name.removesuffix(notebook_parameters.SUFFIX) for p in paths.NOTEBOOKS.glob("*.yml")}
    assert stems == {p.stem for p in NOTEBOOKS}


def test_what_is_not_given_has_its_default_and_what_is_given_its_type(asked):
    assert notebook_parameters.check(asked, {}) == DEFAULTS
    given_ = {"runs": "cores=8", "repeats": 3, "share": 1, "law": "power"}
    found = notebook_parameters.check(asked, given_)
    assert found == DEFAULTS | {"runs": ["cores=8"], "repeats": 3, "share": 1.0, "law": "power"}
    assert isinstance(found["share"], float)
    assert notebook_parameters.check(asked, {"repeats": None})["repeats"] is None


@pytest.mark.parametrize(
    ("name", "value", "expected", "line"),
    [
        ("name", "A1", r"text matching \[a-z\]\+", 2),
        ("name", 3, "text matching", 2),
        ("name", None, "text matching", 2),
        ("runs", ["a", 1], "a list of texts", 3),
        ("runs", {"a": 1}, "a list of texts", 3),
        ("place", "", "a path as text", 4),
        ("place", "data\nimport os", "a path as text", 4),
        ("repeats", "3", "a whole number from 1 up to 9 in repeats, or null", 5),
        ("repeats", 0, "a whole number from 1 up to 9", 5),
        ("repeats", 10, "a whole number from 1 up to 9", 5),
        ("repeats", 2.5, "a whole number", 5),
        ("repeats", True, "a whole number", 5),
        ("share", 1.01, "a number from 0 up to 1", 6),
        ("share", math.nan, "a number from 0 up to 1", 6),
        ("share", False, "a number from 0 up to 1", 6),
        ("force", "no", "true or false", 7),
        ("force", 0, "true or false", 7),
        ("law", "amdahl", "one of usl, power", 8),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(asked, name, value, expected, line):
    with pytest.raises(ParamsError, match=rf"asked\.ipynb: parameter {name}: got .*, expected {expected}") as caught:
        notebook_parameters.check(asked, {name: value})
    assert str(caught.value).endswith(f"(asked.params.yml:{line})")
    assert len(str(caught.value).splitlines()) == 1


def test_a_notebook_of_the_repository_is_named_from_there():
    message = r"^notebooks/10_run\.ipynb: parameter repeat: .* \(notebooks/10_run\.params\.yml:\d+\)$"
    with pytest.raises(ParamsError, match=message):
        notebook_parameters.check(paths.NOTEBOOKS / "10_run.ipynb", {"repeat": 0})


@given(st.text())
def test_only_declared_names_are_taken(asked, name):
    if name not in DEFAULTS:
        with pytest.raises(ParamsError, match=r"no parameter .* expected one of name, runs, place"):
            notebook_parameters.check(asked, {name: "a"})


@given(st.dictionaries(st.sampled_from(sorted(DEFAULTS)), st.from_type(object) | st.none() | st.text() | st.floats()))
def test_whatever_is_given_is_refused_or_typed(asked, values):
    try:
        found = notebook_parameters.check(asked, values)
    except ParamsError as e:
        assert len(str(e)) < 700
    else:
        assert set(found) == set(DEFAULTS)
        assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(
    ("name", "value"),
    [("place", "mongodb://user:hunter2@db.example/ycsb"), ("runs", ["ok", "mongodb.password=hunter2"])],
)
def test_a_password_never_becomes_a_parameter(asked, name, value):
    with pytest.raises(ParamsError, match=r"holds a password.*uri_env") as caught:
        notebook_parameters.check(asked, {name: value})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("type: boolean", "type: bool", r"asked\.params\.yml:7: params\.force\.type: "),
        ("default: false", "default: nope", r"asked\.params\.yml:7: force: default 'nope', expected true or false"),
        ("min: 0, max: 1", "min: 0, top: 1", r"asked\.params\.yml:6: params\.share\.top: "),
        ("meaning: a law", "min: 1, meaning: a law", r"asked\.params\.yml:8: .*min and max bound integers and numbers"),
        ("choices: [usl, power], ", "", r"asked\.params\.yml:8: .*a choice needs choices"),
        ("params:", "parameters:", r"asked\.params\.yml:1: params: "),
    ],
)
def test_a_sidecar_that_is_wrong_says_where(tmp_path, old, new, said):
    assert ASKED.count(old)
    with pytest.raises(ParamsError, match=said):
        notebook_parameters.check(notebook(tmp_path, ASKED.replace(old, new)), {})


def test_a_notebook_without_a_sidecar_takes_plain_values_under_its_names(tmp_path):
    path = notebook(tmp_path)
    notebook_parameters.sidecar(path).unlink()
    assert notebook_parameters.check(path, {"name": "b", "runs": ["a", 1]}) == {"name": "b", "runs": ["a", 1]}
    with pytest.raises(ParamsError, match="expected text, a number, true or false, null, or a list"):
        notebook_parameters.check(path, {"name": {"a": 1}})


@pytest.mark.parametrize("text", ["", "{}", '{"cells": 3}', '{"cells": [{"metadata": {"tags": ["parameters"]}}]}'])
def test_what_is_no_notebook_is_said_so(tmp_path, text):
    path = tmp_path / "asked.ipynb"
    path.write_text(text)
    with pytest.raises(ParamsError, match=r"asked\.ipynb: expected a notebook whose cell tagged 'parameters'"):
        notebook_parameters.check(path, {})
