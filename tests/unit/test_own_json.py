"""JSON of one's own is read as a CSV with the same columns is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ycsbook as yb
from ycsbook import ingest
from ycsbook.errors import DataError
from ycsbook.ingest.published import own_csv

ROWS = [{"cores": 2 * n, "threads": 16, "qps": 900 * n, "read": {"avg_us": 1000.5}} for n in (1, 2, 4)]
FORMS = {
    "list.json": json.dumps(ROWS),
    "indented.json": json.dumps(ROWS, indent=2),
    "inside.json": json.dumps({"tool": "mine", "results": ROWS, "tags": ["a"]}, indent=2),
    "lines.jsonl": "\n".join(map(json.dumps, ROWS)) + "\n",
    "lines.ndjson": "\n\n".join(map(json.dumps, ROWS)),
}


@pytest.mark.parametrize("name", FORMS)
def test_each_form_gives_the_rows_each_with_its_line(tmp_path, name):
    (tmp_path / name).write_text(FORMS[name])
    tables = own_csv.of_csv(tmp_path / name)
    assert tables.runs[["cores", "threads", "throughput_ops_s"]].to_numpy().tolist() == [
        [row["cores"], 16, row["qps"]] for row in ROWS
    ]
    assert tables.operations[["operation", "mean_us"]].to_numpy().tolist() == [["READ", 1000.5]] * 3
    lines = FORMS[name].split("\n")
    for source, row in zip(tables.runs["source"], ROWS, strict=True):
        at = int(source.rpartition(":")[2])
        # An object that is written over several lines begins in the one of its bracket.
        assert f'"qps": {row["qps"]}' in "".join(lines[at - 1 :]).replace("\n", "") and "{" in lines[at - 1]
    assert ingest.read([tmp_path / name]).runs["format"].tolist() == ["csv"] * 3
    assert yb.read(str(tmp_path / name))["qps"].tolist() == [900, 1800, 3600]


def test_what_stands_beside_the_list_is_of_all_rows(tmp_path):
    (tmp_path / "a.json").write_text(
        json.dumps({"spec": "4c16g", "workload": "a", "runs": [{"threads": 8, "ops_s": 900}]})
    )
    (run,) = own_csv.of_csv(tmp_path / "a.json").runs.to_dict("records")
    assert (run["cores"], run["ram_gib"], run["workload"], run["threads"]) == (4, 16, "a", 8)


def test_a_value_that_is_missing_is_missing_and_one_that_is_wrong_is_named_with_its_line(tmp_path):
    rows = [{"cores": 2, "qps": 900, "threads": None}, {"cores": 4, "qps": 1800}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert own_csv.of_csv(tmp_path / "a.json").runs["threads"].isna().all()
    (tmp_path / "a.json").write_text(json.dumps([*rows, {"cores": 8, "qps": "fast"}], indent=1))
    with pytest.raises(DataError, match="line 11: got 'fast', expected a number"):
        own_csv.of_csv(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "got 0 lists of objects"),
        ('{"a": [{"qps": 1}], "b": [{"qps": 2}]}', "got 2 lists of objects"),
        ("[1, 2]", "expected a list with an object"),
        ('{"qps": 1}\n[2]', "expected an object in each line"),
        ('[{"qps": 1}', "Expecting"),
        ("[" * 100_000, ""),
        ('{"a":' * 100_000, ""),
    ],
)
def test_what_is_no_table_is_refused_in_a_line(tmp_path, text, said):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(DataError, match=f"cannot be read as JSON: .*{said}"):
        own_csv.of_csv(path)
    assert not own_csv.is_plain(path)


def test_the_json_beside_a_csv_and_that_of_a_run_are_no_tables(tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"run_id": "a", "hosts": [{"cores": 4}]}))
    assert not own_csv.is_plain(tmp_path / "manifest.json")


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, width=32)
    | st.text(max_size=9)
)
OBJECTS = st.dictionaries(
    st.text(max_size=6), SCALARS | st.dictionaries(st.text(max_size=4), SCALARS, max_size=2), max_size=4
)


@given(st.lists(OBJECTS, min_size=1, max_size=5), st.sampled_from([None, 1]))
def test_every_object_is_a_row_of_its_own(objects, indent):
    (_, headings), *rows = own_csv.json_records(json.dumps(objects, indent=indent))
    assert len(rows) == len(objects) and all(len(cells) == len(headings) for _, cells in rows)
    lines = [line for line, _ in rows]
    assert lines == sorted(lines)
