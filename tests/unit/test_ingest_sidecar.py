"""What a user says of logs: ycsbook.yml, --pattern and --set, and which of them overrules which."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.columns import SCHEMAS
from ycsbook.errors import ParamsError
from ycsbook.ingest.finding.annotations import NAMES, Annotations, PathPattern, client_groups, value
from ycsbook.ingest.log.labels import shape, shape_inside, slug

SECRET = "mongodb://eve:hunter2@host/x"


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ycsbook.yml").write_text(text, encoding="utf-8")
    return folder


def said(path: Path, sets=(), pattern=None) -> dict:
    return Annotations.parse(sets, pattern).columns(path)


def test_every_column_that_may_be_said_is_one_of_the_runs_table():
    assert set(NAMES) <= set(SCHEMAS["runs"])


# --set


def test_set_gives_columns_with_their_types(tmp_path):
    got = said(
        tmp_path / "a.log", ["cores=8", "ram_gib= 32 ", "dataset=old=1", "server_version=4.10", "write_concern=0"]
    )
    assert got == {
        "cores": 8.0, "ram_gib": 32.0, "spec": "8c32g", "dataset": "old=1", "server_version": "4.10",
        "write_concern": "0",
    }  # fmt: skip


def test_nothing_said_is_nothing(tmp_path):
    assert Annotations().columns(tmp_path / "a.log") == {} and Annotations().remarks(tmp_path / "a.log") == []


def test_a_spec_gives_cores_ram_and_its_label(tmp_path):
    got = said(tmp_path / "a", ["spec=8核64G"])
    assert got == {"spec": "8c64g", "spec_label": "8核64G", "cores": 8.0, "ram_gib": 64.0}
    assert said(tmp_path / "a", ["spec=8c64g"]) == {"spec": "8c64g", "cores": 8.0, "ram_gib": 64.0}
    assert said(tmp_path / "a", ["spec=m5.large", "cores=2"]) == {"spec": "m5.large", "cores": 2.0}


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        (["cores"], r"--set 'cores': expected column=value such as cores=8"),
        (["core=8"], r"--set: 'core' is no column to set; did you mean cores\? There are dataset, vendor"),
        (["throughput_ops_s=1"], r"--set: 'throughput_ops_s' is no column to set; "),
        (["cores=8", "cores=9"], r"--set: cores is set twice"),
        (["cores=eight"], r"--set: cores: got 'eight', expected a number above 0 to 100,000"),
        (["cores=0"], r"cores: got '0', expected"),
        (["cores=-1"], r"cores: got '-1', expected"),
        (["cores=1e9"], r"cores: got '1e9', expected"),
        (["cores=inf"], r"cores: got 'inf', expected"),
        (["cores=nan"], r"cores: got 'nan', expected"),
        (["cores=1_0"], r"cores: got '1_0', expected"),
        (["cores=999999999"], r"cores: got '999999999', expected"),
        (["threads=1.5"], r"threads: got '1.5', expected a whole number from 1 to"),
        (["threads="], r"threads: got '', expected"),
        (["read_fraction=50"], r"read_fraction: got '50', expected a number from 0 to 1"),
        (["phase=warm"], r"phase: got 'warm', expected load or run"),
        (["topology=ring"], r"topology: got 'ring', expected standalone or replica_set or sharded"),
        (["write_concern=w 1"], r"write_concern: got 'w 1', expected text"),
        (["dataset="], r"dataset: got '', expected text"),
        (["dataset=a\0b"], r"dataset: got 'a\\x00b', expected text of one line"),
        (["dataset=" + "x" * 201], r"dataset: got 'x+…, expected text"),
        (["spec=8c64g", "cores=16"], r"--set: cores: got 16, but the spec '8c64g' says 8"),
        (["spec=../x y"], r"--set: spec: got '../x y', expected cores and RAM such as 8c64g, or a plain name"),
    ],
)
def test_what_cannot_be_meant_is_refused(sets, told):
    with pytest.raises(ParamsError, match=told):
        Annotations.parse(sets)


def test_a_password_is_refused_and_not_repeated(tmp_path):
    for make in (
        lambda: Annotations.parse([f"vendor={SECRET}"]),
        lambda: Annotations.parse([f"{SECRET}=1"]),
        lambda: Annotations.parse([SECRET]),
        lambda: Annotations.parse([], f"{SECRET}/{{nothing}}"),
        lambda: said(write(tmp_path / "a", f"vendor: {SECRET}\n") / "log"),
        lambda: said(write(tmp_path / "b", f"vendor: [{SECRET}]\n") / "log"),
        lambda: said(write(tmp_path / "c", f"{SECRET}\n") / "log"),
        lambda: said(write(tmp_path / "d", f"clients: [[{SECRET}]]\n") / "log"),
        lambda: said(write(tmp_path / "e", f"runs: {{a.txt: ['{SECRET}']}}\n") / "log"),
    ):
        with pytest.raises(ParamsError) as caught:
            make()
        assert "hunter2" not in str(caught.value)


# --pattern


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        (
            "{spec}/{threads}/run.log",
            "x/8c64g/100/run.log",
            {"spec": "8c64g", "cores": 8, "ram_gib": 64, "threads": 100},
        ),
        ("./{threads}/run.log", "100/run.log", {"threads": 100}),
        ("{threads}/run.log", "100/run.log.gz", {"threads": 100}),
        ("{threads}/run.log.gz", "100/run.log.gz", {"threads": 100}),
        ("{threads}/*", "100/anything.log", {"threads": 100}),
        ("{}/{threads}/{}.log", "x/100/y.log", {"threads": 100}),
        (
            "{workload}-{threads}t-{repeat}.log",
            "my-mix-a-64t-3.log",
            {"workload": "my-mix-a", "threads": 64, "repeat": 3},
        ),
        ("{cores}.{ram_gib}.log", "8.5.log", {"cores": 8, "ram_gib": 5, "spec": "8c5g"}),
        ("{cores}.log", "0.5.log", {"cores": 0.5}),
        ("workload{workload}_*.log", "workloada_2020.log", {"workload": "a"}),
        ("{dataset}.log", "a.log.log", {"dataset": "a.log"}),
        ("{vendor}/{ }/x", "阿里/y/x", {"vendor": "阿里"}),
        ("{spec}.log", "8vcpu-64gb.log", {"spec": "8c64g", "spec_label": "8vcpu-64gb", "cores": 8, "ram_gib": 64}),
    ],
)
def test_names_by_pattern(tmp_path, pattern, path, found):
    parsed = Annotations.parse([], pattern)
    assert parsed.columns(tmp_path / path) == found
    assert parsed.remarks(tmp_path / path) == []


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("{spec}/{threads}/run.log", "8c64g/100/other.log"),
        ("{spec}/{threads}/run.log", "8c64g/many/run.log"),
        ("{threads}.log", "100.txt"),
        ("{threads}.log", "٣.log"),
        ("t{threads}.log", "100.log"),
        ("{threads}/*/run.log", "100/run.log"),
        ("*.log", ".log"),
    ],
)
def test_a_log_that_is_not_named_so_is_told(tmp_path, pattern, path):
    parsed = Annotations.parse(["cores=2"], pattern)
    (remark,) = parsed.remarks(tmp_path / path)
    assert str(tmp_path / path) in remark and pattern in remark and "nothing was taken from it" in remark
    assert parsed.columns(tmp_path / path) == {"cores": 2.0}


@pytest.mark.parametrize(
    ("path", "told"),
    [("0.8c64g", "threads: got '0'"), ("8.8c64g.9", "spec: got '8c64g 9'"), ("99999999.x", "threads: got '99999999'")],
)
def test_a_field_that_is_not_what_its_column_holds_is_told(tmp_path, path, told):
    parsed = Annotations.parse([], "{threads}.{spec}")
    path = tmp_path / path.replace("g.9", "g 9")
    assert parsed.columns(path) == {} and told in parsed.remarks(path)[0]


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("", "expected such as"),
        ("x" * 501, "expected such as"),
        ("a\0b", "expected such as"),
        ("/a/{spec}", "single slashes"),
        ("a//b", "single slashes"),
        ("../{spec}", "single slashes"),
        ("{spec}/../x", "single slashes"),
        ("{thread}", r"'thread' is no column to set; did you mean threads\?"),
        ("{throughput_ops_s}", "is no column to set"),
        ("{date}/{spec}/*.out", r"'date' is no column to set; .*There are .*; \* matches anything$"),
        ("{spec}/{spec}", r"\{spec\} stands twice"),
        ("{spec}{threads}", "nothing says where one field ends"),
        ("{spec}*", "nothing says where one field ends"),
        ("**/x", "nothing says where one field ends"),
        ("{spec", "a brace in '{spec' has no partner"),
        ("spec}", "has no partner"),
        ("{spec/threads}", "has no partner"),
    ],
)
def test_a_pattern_that_is_none_is_refused(pattern, told):
    with pytest.raises(ParamsError, match=told):
        Annotations.parse([], pattern)


def test_hostile_names_take_no_time():
    pattern = PathPattern("*".join(["-"] * 60))
    assert pattern.columns(Path("-" * 250 + "x")) is None


words = st.from_regex(r"[a-z][a-z0-9.]{0,5}", fullmatch=True)


@settings(max_examples=40)
@given(st.integers(1, 128), st.integers(1, 1024), st.integers(1, 10**6), words, words)
def test_a_name_made_from_a_pattern_reads_back(cores, ram, threads, workload, dataset):
    pattern = PathPattern("{dataset}/{spec}/w_{workload}_t{threads}.log")
    path = Path(f"/data/{dataset}/{slug(cores, ram)}/w_{workload}_t{threads}.log")
    assert pattern.columns(path) == {
        "dataset": dataset, "spec": slug(cores, ram), "cores": cores, "ram_gib": ram, "workload": workload,
        "threads": threads,
    }  # fmt: skip


# ycsbook.yml


def test_a_file_holds_for_the_folders_below_and_the_nearest_wins(tmp_path):
    write(tmp_path, "cores: 8\nram_gib: 32\nvendor: Far\nserver_version: '4.10'\nwrite_concern: 0\n")
    write(tmp_path / "a" / "b", "vendor: Near\nthreads: 16\n")
    assert said(tmp_path / "a" / "x.log") == {
        "cores": 8, "ram_gib": 32, "spec": "8c32g", "vendor": "Far", "server_version": "4.10", "write_concern": "0",
    }  # fmt: skip
    below = said(tmp_path / "a" / "b" / "c" / "x.log")
    assert (below["vendor"], below["threads"], below["cores"]) == ("Near", 16, 8)


def test_folders_without_end_are_no_matter():
    assert Annotations.parse(["cores=8"]).columns(Path("/" + "a/" * 3000 + "x.log")) == {"cores": 8}


def test_set_overrules_pattern_overrules_file(tmp_path):
    write(tmp_path, "threads: 1\ncores: 1\nram_gib: 1\n")
    path = tmp_path / "2" / "2.log"
    assert said(path, ["cores=3"], "{threads}/{cores}.log") == {"threads": 2, "cores": 3, "ram_gib": 1, "spec": "3c1g"}


def test_runs_are_said_by_name_and_glob(tmp_path):
    write(
        tmp_path,
        "threads: 1\nruns:\n  run1.txt: {threads: 4}\n  'run*.txt': {threads: 2, repeat: 7}\n"
        "  'sub/*': {phase: load}\n",
    )
    assert said(tmp_path / "other.txt") == {"threads": 1}
    assert said(tmp_path / "run2.txt") == {"threads": 2, "repeat": 7}
    assert said(tmp_path / "run1.txt") == {"threads": 4, "repeat": 7}
    assert said(tmp_path / "run1.txt.gz") == {"threads": 4, "repeat": 7}
    assert said(tmp_path / "sub" / "run1.txt") == {"threads": 2, "repeat": 7, "phase": "load"}
    assert said(tmp_path / "sub" / "x" / "y.txt") == {"threads": 1}


def test_a_shape_overruled_in_part_loses_its_name(tmp_path):
    write(tmp_path, "spec: 8核64G\n")
    assert said(tmp_path / "x", ["cores=4"]) == {"cores": 4, "ram_gib": 64, "spec": "4c64g"}
    write(tmp_path / "named", "spec: m5.large\n")
    assert said(tmp_path / "named" / "x", ["cores=4"])["spec"] == "m5.large"
    assert said(tmp_path / "x", ["spec=2c4g"]) == {"cores": 2, "ram_gib": 4, "spec": "2c4g"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cores: 8\ncore: 8\n", r"ycsbook.yml:2: 'core' is no column to set; did you mean cores\?"),
        ("\ncores: many\n", r"ycsbook.yml:2: cores: got 'many', expected a number"),
        ("cores: true\n", r"ycsbook.yml:1: cores: got True"),
        ("cores: .inf\n", r"cores: got '.inf'"),
        ("cores: 1" + "0" * 400, r"cores: got '10"),
        ("threads: 1:30\n", r"threads: got '1:30'"),
        ("cores:\n", r"cores: got None"),
        ("server_version: 4.10\n", r'server_version: got the number 4.1, expected text; put it in quotes: "4.1"'),
        ("yes: 1\n", r"ycsbook.yml:1: 'True' is no column"),
        ("cores: 8\ncores: 9\n", r"ycsbook.yml:2: the key 'cores' stands twice"),
        ("a: &x 1\ncores: *x\n", r"aliases are not allowed"),
        ("cores: !!python/object:os.system x\n", r"not valid YAML"),
        ("- cores\n", r"got \['cores'\], expected columns such as cores, and runs or clients"),
        ("", r"got None, expected columns such as cores"),
        ("runs: [a]\n", r"ycsbook.yml:1: runs: expected file names with their columns"),
        ("runs:\n  a.txt: 8\n", r"ycsbook.yml:2: runs: a.txt: got 8, expected columns"),
        ("runs:\n  ../a.txt: {cores: 8}\n", r"ycsbook.yml:2: runs: got '../a.txt', expected a file name in or below"),
        ("runs:\n  /a.txt: {cores: 8}\n", r"got '/a.txt', expected a file name in or below"),
        ("runs:\n  1: {cores: 8}\n", r"runs: got 1, expected a file name"),
        ("runs:\n  a.txt:\n    cores: x\n", r"ycsbook.yml:3: cores: got 'x'"),
        (
            "runs:\n  a.txt:\n    clients: [a, b]\n",
            r"ycsbook.yml:3: clients: got \['a', 'b'\], expected a whole number",
        ),
        ("clients: 2.5\n", r"clients: got 2.5, expected a whole number"),
        ("clients: [[a]]\n", r"ycsbook.yml:1: clients: got \['a'\], expected the files of two clients or more"),
        ("clients: [a, b]\n", r"clients: got 'a', expected the files of two clients"),
        ("clients: [[a, b], [b, c]]\n", r"clients: 'b' stands twice"),
        ("clients: [[a, ../b]]\n", r"clients: got '../b', expected a file name"),
        ("clients: [[a, b/c]]\n", r"clients: got 'b/c', expected files of this folder"),
        ("spec: 8c64g\nram_gib: 1\n", r"ram_gib: got 1, but the spec '8c64g' says 64"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(tmp_path, text, told):
    write(tmp_path, text)
    with pytest.raises(ParamsError, match=told):
        said(tmp_path / "x.log")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    write(tmp_path, "").joinpath("ycsbook.yml").write_bytes(b"\xff\xfe")
    with pytest.raises(ParamsError, match=r"ycsbook.yml: cannot be read as UTF-8 text"):
        said(tmp_path / "x.log")


def test_clients_of_one_run_are_named_or_counted(tmp_path):
    write(tmp_path, "clients: [[a.txt, b.txt], [c.txt, d.txt]]\n")
    for name in "abcd":
        (tmp_path / f"{name}.txt").touch()
    assert client_groups(tmp_path) == [("a.txt", "b.txt"), ("c.txt", "d.txt")]
    assert said(tmp_path / "a.txt") == {}
    (tmp_path / "d.txt").unlink()
    with pytest.raises(ParamsError, match=r"ycsbook.yml: clients: there is no file 'd.txt' in this folder"):
        client_groups(tmp_path)
    assert client_groups(write(tmp_path / "counted", "clients: 4\n")) == []
    assert said(tmp_path / "counted" / "a.txt") == {"clients": 4}
    assert client_groups(tmp_path / "none") == []


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from(NAMES), st.text(max_size=8) | st.integers() | st.floats() | st.none() | st.booleans()
    )
)
def test_any_value_is_a_figure_in_its_range_or_one_error(given_):
    for name, one in given_.items():
        try:
            got = value(name, one, "here")
        except ParamsError as e:
            assert str(e).startswith(f"here: {name}: ")
        else:
            assert got and got.isprintable() if isinstance(got, str) else math.isfinite(got) and got >= 0


# shapes


@pytest.mark.parametrize(
    "text", ["8c64g", "8C64G", "8核64G", "8核心64GB", "8vcpu-64gb", "8 vCPU / 64 GiB", "8-core, 64 GB", "8核(vCPU)64G"]
)
def test_a_shape_in_every_spelling(text):
    assert shape(text)[1:] == (8, 64) and shape(text).label == text
    assert shape_inside(f"results for {text}: 95:5")[1:] == (8, 64)


@pytest.mark.parametrize("text", ["", "8c", "64g", "0c64g", "8c0g", "8c64gx", "-8c64g", "1.2.8c64g", "8c64t"])
def test_what_is_no_shape(text):
    assert shape(text) is None
