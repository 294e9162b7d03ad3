"""Published evidence of somebody else under `publish --check`: bounded memory, and a line for what is mistyped."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from unittest import mock

import pytest
from confined import confined
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ycsbook import anomalies, opening, paths
from ycsbook import confined as bounds
from ycsbook.errors import PublishError, YcsbookError, one_line
from ycsbook.report import vendor
from ycsbook.report.site import evidence, tree
from ycsbook.tables import Tables

# A promise in all its variations.
pytestmark = pytest.mark.matrix

# The package gives the function of that name.
checking = sys.modules["ycsbook.report.site.publishing"]


def test_a_table_that_inflates_to_gigabytes_takes_little_memory(tmp_path):
    folder = tmp_path / evidence.FOLDER
    folder.mkdir()
    with gzip.open(folder / "runs.csv.gz", "wb", compresslevel=1) as packed:
        for _ in range(200):
            packed.write(b"\n" * 10_000_000)
    with pytest.raises(PublishError, match=f"unpacks to more than {opening.MAX_TABLE_BYTES:,} bytes"):
        confined(evidence.read, tmp_path, memory_mib=400)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("environment.json", []),
        ("environment.json", {"a": 1}),
        ("environment.json", {"a": {"b": {"c": "d"}}}),
        ("environment.json", "x"),
        ("environment.json", None),
        ("rejected.json", {"a": "b"}),
        ("rejected.json", [1]),
        ("rejected.json", [["a"]]),
        ("rejected.json", [["a", "b", "c"]]),
        ("rejected.json", [[["a"], "b"]]),
    ],
)
def test_mistyped_json_is_refused_in_a_line(tmp_path, name, content):
    (tmp_path / name).write_text(json.dumps(content))
    schema = {"environment.json": dict[str, dict[str, str]], "rejected.json": list[tuple[str, str]]}[name]
    with pytest.raises(PublishError, match=name) as caught:
        evidence._json(tmp_path / name, schema)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), ""])
def test_deep_and_broken_json_is_refused_in_a_line(tmp_path, text):
    (tmp_path / "environment.json").write_text(text)
    with pytest.raises(PublishError, match="cannot be read as JSON"):
        evidence._json(tmp_path / "environment.json")


# Anything that JSON can hold, of wrong types and of odd values: what stands in the place of a part that is right.
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["\ud800", "\0", "../../x", "x" * 5000, 10**400, "zz", "{{ x }}", -1, "=1+1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


def mutated(content, draw):
    """The content with another value in one or two places, or a part without its name or under another."""
    content = json.loads(json.dumps(content))
    for _ in range(draw(st.integers(1, 2))):
        at = content
        while isinstance(at, dict | list) and at:
            key = draw(st.sampled_from(list(at))) if isinstance(at, dict) else draw(st.integers(0, len(at) - 1))
            if not isinstance(at[key], dict | list) or draw(st.integers(0, 2)) == 0:
                match draw(st.integers(0, 5)):
                    case 0:
                        del at[key]
                    case 1 if isinstance(at, dict):
                        at[draw(st.text(max_size=5) | st.sampled_from(["\ud800", "a/" * 600, "../x", "\0"]))] = at[key]
                    case _:
                        at[key] = draw(ANYTHING)
                break
            at = at[key]
    return draw(ANYTHING) if draw(st.integers(0, 30)) == 0 else content


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A tree with the report of a published table, and its page in a vendor's shape."""
    folder = tmp_path_factory.mktemp("hostile") / "docs"
    pages = paths.REPOSITORY / "docs" / "reports"
    shutil.copytree(pages, folder, ignore=shutil.ignore_patterns("tencent*", "report.html"))
    return folder


def refused_in_lines(work) -> list[str]:
    """What is said against what the work reads, a line each, none of which is a mistake of ours."""
    try:
        said = list(map(str, work() or ()))
    except YcsbookError as e:
        said = [str(e)]
    assert all(len(line.splitlines()) == 1 and "mistake in ycsbook" not in line for line in map(one_line, said)), said
    assert not any("Traceback" in line for line in said)
    return said


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_record_of_any_json_is_a_line(published, data):
    """Of a page, and of the index; the data that a page follows from are not read again for each."""
    folder = data.draw(
        st.sampled_from([published, published / "qingcloud-4.0.3", published / "qingcloud-4.0.3-qingcloud"])
    )
    path = folder / tree.RECORD
    before = path.read_bytes()
    try:
        path.write_text(json.dumps(mutated(json.loads(before), data.draw)))
        with mock.patch.object(evidence, "read", side_effect=PublishError("not read here")):
            refused_in_lines(lambda: checking._bounded(published, lambda: checking._of_index(published)))
            refused_in_lines(lambda: checking._bounded(folder, lambda: checking._of_page(folder)))
            refused_in_lines(lambda: checking.edited(published))
    finally:
        path.write_bytes(before)


@given(st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_evidence_of_any_json_is_a_line(published, data):
    """Its environment, its rejected files, and what a publisher says beside the figures."""
    page = published / "qingcloud-4.0.3-qingcloud"
    names = ["environment.json", "rejected.json", "qingcloud-4.0.3.json"]
    path = page / evidence.FOLDER / data.draw(st.sampled_from(names))
    before = path.read_bytes() if path.exists() else None
    try:
        path.write_text(json.dumps(mutated(json.loads(before or '[["a.log", "x"]]'), data.draw)))

        def derived():
            found = evidence.read(page)
            runs = found.tables.runs[:4]
            few = Tables(runs, found.tables.operations[found.tables.operations["run_id"].isin(runs["run_id"])])
            anomalies.find(few, documents=found.documents)
            template = str(page / evidence.FOLDER / "qingcloud.md.j2")
            vendor.page(found.sweep, few, template, found.environment, documents=found.documents)

        refused_in_lines(lambda: bounds.answer(derived, 60))
    finally:
        path.write_bytes(before) if before else path.unlink()


# In a process with one thread, as the command is: others cannot fork.
CHECKED = """
import sys
from pathlib import Path
from ycsbook.errors import PublishError
from ycsbook.report.site import evidence
page = sys.modules["ycsbook.report.vendor.profiles"]
check = sys.modules["ycsbook.report.site.publishing"]
page._FILL_S, check.SECONDS = 1.0, 0.02
docs, *templates = sys.argv[1:]
found = evidence.read(Path(docs))
vars(found)["findings"] = None
for template in templates:
    try:
        found.vendor_page(template, "sphinx")
    except PublishError as e:
        print(e)
for mismatch in check.check(Path(docs)):
    print(mismatch)
"""
TEMPLATES = {
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}": "more than 1 s of CPU time",
    "{{ 'a' * 10 ** 10 }}": "more than 2,048 MiB of memory",
    "{{ ''.__class__.__mro__ }}": "unsafe",
}


def test_a_template_and_a_page_take_neither_all_time_nor_all_memory(published, tmp_path):
    page = published / "qingcloud-4.0.3-qingcloud"
    paths_ = [tmp_path / f"t{i}.md.j2" for i in range(len(TEMPLATES))]
    for path, template in zip(paths_, TEMPLATES, strict=True):
        path.write_text(template)
    command = [sys.executable, "-c", CHECKED, str(page), *map(str, paths_)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    *lines, of_page = done.stdout.splitlines()
    for line, path, said in zip(lines, paths_, TEMPLATES.values(), strict=True):
        assert line.startswith(f"{path.name}: cannot be filled in: ") and said in line
    assert of_page == f"{page}: took more than 0 s of CPU time"
