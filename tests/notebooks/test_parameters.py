"""A notebook's parameters: typed in its own cell, checked before anything runs."""

import json
import math

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.batch import execute
from ycsbook.errors import ParamsError

NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("*.ipynb"))
CELL = """name: str = "a"
runs: list[str] = []
repeats: int = None  # how often
share: float = 0.5
force: bool = False
anything = 3
"""
DEFAULTS = {"name": "a", "runs": [], "repeats": None, "share": 0.5, "force": False, "anything": 3}


def notebook(folder, cell=CELL):
    """A notebook whose parameters cell is this."""
    tagged = nbformat.v4.new_code_cell(cell, metadata={"tags": ["parameters"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[tagged]), folder / "asked.ipynb")
    return folder / "asked.ipynb"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return notebook(tmp_path_factory.mktemp("asked"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_parameter_of_the_repository_s_notebooks_has_a_type(path):
    parameters = execute.declared(path)
    assert parameters and all(parameter.type for parameter in parameters.values())
    assert execute.check(path, {}) == {name: p.default for name, p in parameters.items()}


def test_what_is_not_given_has_its_default_and_what_is_given_its_type(asked):
    assert execute.check(asked, {}) == DEFAULTS
    found = execute.check(asked, {"runs": "cores=8", "repeats": 3, "share": 1, "anything": ["a", 1]})
    assert found == DEFAULTS | {"runs": ["cores=8"], "repeats": 3, "share": 1.0, "anything": ["a", 1]}
    assert isinstance(found["share"], float)
    assert execute.check(asked, {"repeats": None})["repeats"] is None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("name", 3, "text"),
        ("name", None, "text"),
        ("name", "data\nimport os", "text"),
        ("runs", ["a", 1], "a list of texts"),
        ("runs", {"a": 1}, "a list of texts"),
        ("repeats", "3", "a whole number, or null"),
        ("repeats", 2.5, "a whole number"),
        ("repeats", True, "a whole number"),
        ("share", math.nan, "a number"),
        ("share", False, "a number"),
        ("force", "no", "true or false"),
        ("force", 0, "true or false"),
        ("anything", {"a": 1}, "text, a number, true or false, null, or a list"),
    ],
)
def test_a_wrong_value_is_refused(asked, name, value, expected):
    with pytest.raises(ParamsError, match=rf"asked\.ipynb: parameter {name}: got .*, expected {expected}") as caught:
        execute.check(asked, {name: value})
    assert len(str(caught.value).splitlines()) == 1


def test_a_notebook_of_the_repository_is_named_from_there():
    with pytest.raises(ParamsError, match=r"^notebooks/10_run\.ipynb: parameter repeat: got 'a', expected a whole"):
        execute.check(paths.NOTEBOOKS / "10_run.ipynb", {"repeat": "a"})


@given(st.text())
def test_only_declared_names_are_taken(asked, name):
    if name not in DEFAULTS:
        with pytest.raises(ParamsError, match=r"no parameter .* expected one of name, runs, repeats"):
            execute.check(asked, {name: "a"})


@given(st.dictionaries(st.sampled_from(sorted(DEFAULTS)), st.from_type(object) | st.none() | st.text() | st.floats()))
def test_whatever_is_given_is_refused_or_typed(asked, values):
    try:
        found = execute.check(asked, values)
    except ParamsError as e:
        assert len(str(e)) < 700
    else:
        assert set(found) == set(DEFAULTS)
        assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(
    ("name", "value"),
    [("name", "mongodb://user:hunter2@db.example/ycsb"), ("runs", ["ok", "mongodb.password=hunter2"])],
)
def test_a_password_never_becomes_a_parameter(asked, name, value):
    with pytest.raises(ParamsError, match=r"holds a password.*uri_env") as caught:
        execute.check(asked, {name: value})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("cell", ["a: bytes = b''", "a: bool = 'nope'", "a = print()", "a: str", "a[0] = 1", "a ="])
def test_a_cell_that_assigns_something_else_is_refused(tmp_path, cell):
    with pytest.raises(ParamsError, match=r"asked\.ipynb: expected .* only assigns literals, of the types str, list"):
        execute.check(notebook(tmp_path, cell), {})


@pytest.mark.parametrize("text", ["", "{}", '{"cells": 3}', '{"cells": [{"metadata": {"tags": ["parameters"]}}]}'])
def test_what_is_no_notebook_is_said_so(tmp_path, text):
    path = tmp_path / "asked.ipynb"
    path.write_text(text)
    with pytest.raises(ParamsError, match=r"asked\.ipynb: expected a notebook whose cell tagged 'parameters'"):
        execute.check(path, {})
