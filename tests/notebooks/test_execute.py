"""Running notebooks: parameters are checked and stay literals, failures say one line, nothing half-made looks whole."""

import ast
import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from ycsbook import paths
from ycsbook.batch import engine, execute
from ycsbook.errors import ParamsError, PublishError, StoreError, YcsbookError

TRICKY = st.sampled_from("\"'\\{}\n\r\t\0;#=()$`u\u2028\x85é核😀")
TEXT = st.text(st.one_of(TRICKY, st.characters(exclude_categories=("Cs",))), max_size=30)


def notebook(folder: Path, *cells: str, name: str = "asked.ipynb") -> Path:
    """A notebook with the parameters `params` and `store`, then these code cells."""
    first = nbformat.v4.new_code_cell("params = 'a'\nstore = 'b'", metadata={"tags": ["parameters"]})
    content = nbformat.v4.new_notebook(cells=[first, *map(nbformat.v4.new_code_cell, cells)])
    content.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = folder / name
    nbformat.write(content, path)
    return path


def names(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()} if folder.exists() else set()


@pytest.mark.parametrize("name", ["parms", "params; import os", "__import__", ""])
def test_a_name_the_notebook_does_not_declare_is_refused_before_anything_runs(tmp_path, name):
    asked = notebook(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    with pytest.raises(ParamsError, match=r"asked\.ipynb: no parameter .* expected one of params, store"):
        execute.execute(asked, tmp_path / "out" / "asked.ipynb", {"params": "x", name: "1"})
    assert names(tmp_path) == {"asked.ipynb"}


@given(TEXT, TEXT)
@settings(max_examples=150, deadline=None)
def test_what_is_injected_are_literals_whatever_the_text(params, store):
    content = load_notebook_node(str(paths.NOTEBOOKS / "90_report.ipynb"))
    made = parameterize_notebook(content, {"params": params, "store": store})
    (cell,) = [c for c in made.cells if "injected-parameters" in c.metadata.get("tags", [])]
    values = {}
    for statement in ast.parse(cell.source).body:
        assert isinstance(statement, ast.Assign)
        (target,) = statement.targets
        values[target.id] = ast.literal_eval(statement.value)
    assert values == {"params": params, "store": store}


def test_values_reach_the_cells_as_given(tmp_path, executed):
    tricky = 'a"b\'c\\d{e}\n#"""'
    seen = tmp_path / "seen.json"
    asked = notebook(tmp_path, f"import json\njson.dump([params, store], open({str(seen)!r}, 'w'))")
    target = executed(asked, tmp_path / "out" / "asked.ipynb", {"params": tricky, "store": "s"})
    assert json.loads(seen.read_text()) == [tricky, "s"]
    assert names(tmp_path / "out") == {"asked.ipynb"} and target == tmp_path / "out" / "asked.ipynb"
    nbformat.validate(nbformat.read(target, as_version=4))


def test_a_folder_with_braces_in_its_name_is_no_template(tmp_path, executed):
    folder = tmp_path / "{params}"
    folder.mkdir()
    target = executed(notebook(folder, "1 + 1"), folder / "out" / "asked.ipynb", {"params": "x"})
    assert target.is_file() and names(tmp_path) == {"{params}"}


def test_a_failing_call_raises_its_own_text_as_one_line_and_keeps_what_was_executed(tmp_path, executed):
    out = tmp_path / "out"
    out.mkdir()
    for old in ("asked.ipynb", "asked.html"):
        (out / old).write_text("of an earlier execution")
    asked = notebook(
        tmp_path,
        "before = 41 + 1\nbefore",
        "from ycsbook.errors import ParamsError\nraise ParamsError('params/a.yml:3: specs: got 0,\\nexpected 1')",
        "after = 1",
    )
    with pytest.raises(YcsbookError) as caught:
        executed(asked, out / "asked.ipynb", {})
    assert str(caught.value) == "params/a.yml:3: specs: got 0, expected 1"
    assert names(out) == {"asked.failed.ipynb"}
    kept = nbformat.read(out / "asked.failed.ipynb", as_version=4)
    text = json.dumps(kept)
    assert '"42"' in text and "ParamsError" in text
    assert [c.execution_count for c in kept.cells if c.source == "after = 1"] == [None]


def test_another_error_names_notebook_and_error_and_where_the_rest_is(tmp_path, executed):
    asked = notebook(tmp_path, "{}['missing']")
    with pytest.raises(PublishError, match=r"^asked\.ipynb: KeyError: .*asked\.failed\.ipynb$") as caught:
        executed(asked, tmp_path / "out" / "asked.ipynb", {})
    assert "\n" not in str(caught.value)


def test_no_error_speaks_of_a_secret(tmp_path, executed):
    secret = "mongodb://me:c%40nary-word@127.0.0.1/"
    for cls in ("ValueError", "ycsbook.errors.ToolError"):
        asked = notebook(tmp_path, f"import ycsbook.errors\nraise {cls}('not c@nary-word')")
        with pytest.raises(YcsbookError, match="not REDACTED") as caught:
            executed(asked, tmp_path / "out" / "asked.ipynb", {}, (secret,))
        assert "nary-word" not in str(caught.value)


def test_the_next_success_takes_the_failures_place(tmp_path, executed):
    good = notebook(tmp_path, "1")
    out = tmp_path / "out"
    out.mkdir()
    (out / "asked.failed.ipynb").write_text("{}")
    executed(good, out / "asked.ipynb", {})
    assert names(out) == {"asked.ipynb"}


def test_a_process_that_is_killed_is_one_line(tmp_path, executed):
    asked = notebook(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(PublishError, match=r"asked\.ipynb: its process was killed by SIGKILL"):
        executed(asked, tmp_path / "out" / "asked.ipynb", {})
    assert names(tmp_path / "out") == {"asked.failed.ipynb"}


def test_a_process_that_ends_between_two_cells_is_one_line(tmp_path, executed):
    later = "import os, threading\nthreading.Timer(0.01, os._exit, [4]).start()"
    cells = [later, *["import time\ntime.sleep(0.02)"] * 20]
    with pytest.raises(PublishError, match=r"asked\.ipynb: its process ended with code 4"):
        executed(notebook(tmp_path, *cells), tmp_path / "out" / "asked.ipynb", {})


def ends_at_once(pipe):
    os._exit(3)


def test_a_process_that_never_begins_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "run_cells", ends_at_once)
    with pytest.raises(PublishError, match=r"^asked\.ipynb: its process ended with code 3.*; the executed part is "):
        execute.execute(notebook(tmp_path, "1"), tmp_path / "out" / "asked.ipynb", {})
    assert names(tmp_path / "out") == {"asked.failed.ipynb"}


def test_a_process_that_hangs_before_it_begins_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "_START_S", 0.0)
    with pytest.raises(PublishError, match=r"^asked\.ipynb: its process did not begin within 0 s"):
        execute.execute(notebook(tmp_path, "1"), tmp_path / "out" / "asked.ipynb", {})
    assert names(tmp_path / "out") == {"asked.failed.ipynb"}


def test_what_a_long_cell_prints_is_kept_while_it_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "_IN_CELL_S", 0.01)
    monkeypatch.setattr(execute, "_EVERY_S", 0.0)
    target = tmp_path / "out" / "asked.ipynb"
    under_way = target.with_name("asked.failed.ipynb")
    cell = f"""
import pathlib, time
for _ in range(100):
    print("12 of", 40, "runs")
    time.sleep(0.1)
    if "12 of " + "40 runs" in pathlib.Path({str(under_way)!r}).read_text():
        break
else:
    raise TimeoutError
"""
    execute.execute(notebook(tmp_path, cell), target, {})
    assert names(tmp_path / "out") == {"asked.ipynb"}


def test_ctrl_c_leaves_nothing_that_looks_whole(tmp_path):
    # Twice, as people do: Python drops an interrupt that comes while it is in a callback of a weak reference.
    interrupt = f"os.kill({os.getpid()}, signal.SIGINT)\ntime.sleep(4)\n"
    asked = notebook(tmp_path, f"import os, signal, time\n{interrupt}{interrupt}")
    with pytest.raises(KeyboardInterrupt):
        execute.execute(asked, tmp_path / "out" / "asked.ipynb", {})
    assert names(tmp_path / "out") <= {"asked.failed.ipynb"}


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path, executed):
    (tmp_path / "out").write_text("a file in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        executed(notebook(tmp_path, "1"), tmp_path / "out" / "asked.ipynb", {})


def test_an_executor_killed_in_the_middle_leaves_nothing_that_looks_whole(tmp_path):
    pid_file = tmp_path / "pid"
    asked = notebook(
        tmp_path, f"import os, time\nopen({str(pid_file)!r}, 'w').write(str(os.getpid()))", "time.sleep(60)"
    )
    target = tmp_path / "out" / "asked.ipynb"
    code = f"from pathlib import Path; from ycsbook.batch import execute; execute.execute(Path({str(asked)!r}), "
    code += f"Path({str(target)!r}), {{}})"
    executor = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 60
        while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < limit:
            time.sleep(0.05)
        kernel = int(pid_file.read_text())
        assert not target.exists()
    finally:
        executor.kill()
        executor.wait()
    # It is whole, and says that it was cut; beside it may lie the temporary file of a write that was killed.
    assert {n for n in names(tmp_path / "out") if not n.startswith(".asked.failed.ipynb.")} == {"asked.failed.ipynb"}
    left = nbformat.read(tmp_path / "out" / "asked.failed.ipynb", as_version=4)
    assert left.metadata["ycsbook"]["state"].startswith("killed before it ended")
    with contextlib.suppress(ProcessLookupError):
        os.kill(kernel, signal.SIGKILL)
    execute.execute(notebook(tmp_path, "1"), target, {})
    assert names(tmp_path / "out") == {"asked.ipynb"}


def test_places_of_this_machine_are_shortened_wherever_they_show(tmp_path, executed):
    home, repository = str(Path.home()), str(paths.REPOSITORY)
    asked = notebook(
        tmp_path,
        f"print({repository + '/data/runs'!r}, {'file://' + repository!r})\n{{{home + '/place'!r}: 1}}",
        f"print({repository + 'other'!r}, {'AAAA' + home + '/'!r})",
    )
    target = executed(asked, tmp_path / "out" / "asked.ipynb", {})
    content = nbformat.read(target, as_version=4)
    first, second = content.cells[-2].outputs, content.cells[-1].outputs
    assert first[0].text == "data/runs file://\n"
    assert first[1].data["text/plain"] == "{'~/place': 1}"
    # Another folder, and what may be the inside of a picture, are left alone.
    assert second[0].text == f"{repository}other AAAA{home}/\n"


NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("*.ipynb"))
CELL = """name: str = "a"
runs: list[str] = []
repeats: int = None  # how often
share: float = 0.5
force: bool = False
anything = 3
"""
DEFAULTS = {"name": "a", "runs": [], "repeats": None, "share": 0.5, "force": False, "anything": 3}


def with_cell(folder, cell=CELL):
    """A notebook whose parameters cell is this."""
    tagged = nbformat.v4.new_code_cell(cell, metadata={"tags": ["parameters"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[tagged]), folder / "asked.ipynb")
    return folder / "asked.ipynb"


@pytest.fixture(scope="module")
def declaring(tmp_path_factory):
    return with_cell(tmp_path_factory.mktemp("asked"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_parameter_of_the_repository_s_notebooks_has_a_type(path):
    parameters = execute.declared(path)
    assert parameters and all(parameter.type for parameter in parameters.values())
    assert execute.check(path, {}) == {name: p.default for name, p in parameters.items()}


def test_what_is_not_given_has_its_default_and_what_is_given_its_type(declaring):
    assert execute.check(declaring, {}) == DEFAULTS
    found = execute.check(declaring, {"runs": "cores=8", "repeats": 3, "share": 1, "anything": ["a", 1]})
    assert found == DEFAULTS | {"runs": ["cores=8"], "repeats": 3, "share": 1.0, "anything": ["a", 1]}
    assert isinstance(found["share"], float)
    assert execute.check(declaring, {"repeats": None})["repeats"] is None


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
def test_a_wrong_value_is_refused(declaring, name, value, expected):
    with pytest.raises(ParamsError, match=rf"asked\.ipynb: parameter {name}: got .*, expected {expected}") as caught:
        execute.check(declaring, {name: value})
    assert len(str(caught.value).splitlines()) == 1


def test_a_notebook_of_the_repository_is_named_from_there():
    with pytest.raises(ParamsError, match=r"^notebooks/10_run\.ipynb: parameter repeat: got 'a', expected a whole"):
        execute.check(paths.NOTEBOOKS / "10_run.ipynb", {"repeat": "a"})


@given(st.text())
def test_only_declared_names_are_taken(declaring, name):
    if name not in DEFAULTS:
        with pytest.raises(ParamsError, match=r"no parameter .* expected one of name, runs, repeats"):
            execute.check(declaring, {name: "a"})


@given(st.dictionaries(st.sampled_from(sorted(DEFAULTS)), st.from_type(object) | st.none() | st.text() | st.floats()))
def test_whatever_is_given_is_refused_or_typed(declaring, values):
    try:
        found = execute.check(declaring, values)
    except ParamsError as e:
        assert len(str(e)) < 700
    else:
        assert set(found) == set(DEFAULTS)
        assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(
    ("name", "value"),
    [("name", "mongodb://user:hunter2@db.example/ycsb"), ("runs", ["ok", "mongodb.password=hunter2"])],
)
def test_a_password_never_becomes_a_parameter(declaring, name, value):
    with pytest.raises(ParamsError, match=r"holds a password.*uri_env") as caught:
        execute.check(declaring, {name: value})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("cell", ["a: bytes = b''", "a: bool = 'nope'", "a = print()", "a: str", "a[0] = 1", "a ="])
def test_a_cell_that_assigns_something_else_is_refused(tmp_path, cell):
    with pytest.raises(ParamsError, match=r"asked\.ipynb: expected .* only assigns literals, of the types str, list"):
        execute.check(with_cell(tmp_path, cell), {})


@pytest.mark.parametrize("text", ["", "{}", '{"cells": 3}', '{"cells": [{"metadata": {"tags": ["parameters"]}}]}'])
def test_what_is_no_notebook_is_said_so(tmp_path, text):
    path = tmp_path / "asked.ipynb"
    path.write_text(text)
    with pytest.raises(ParamsError, match=r"asked\.ipynb: expected a notebook whose cell tagged 'parameters'"):
        execute.check(path, {})
