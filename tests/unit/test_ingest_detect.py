"""What files, folders and patterns hold, told by names, and by content where names do not tell."""

import gzip
import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.ingest import readers
from ycsbook.ingest.files.scan import scan
from ycsbook.ingest.finding import names
from ycsbook.ingest.finding.detect import IngestItem, Kind, find, group
from ycsbook.ingest.readers import format_of

DATA = Path(__file__).parents[1] / "data" / "ycsb"
LOG = b"YCSB Client 0.17.0\n[OVERALL], RunTime(ms), 10\n"
RAW = b"READ latency raw data: op, timestamp(ms), latency(us)\nREAD,1,2\n"
PAGE = b"## 50:50\n| spec | threads | QPS |\n|---|---|---|\n| 2C4G | 100 | 3188 |\n"


def fill(folder: Path, *files: str, **contents: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(LOG)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def short(found: list[IngestItem], root: Path) -> list[tuple]:
    """Kind, and names of files, from the folder."""

    def under(files):
        return tuple(os.path.relpath(f, root) for f in files)

    return [(f.kind.value, *(under(c.files) for c in f.clients)) if f.clients else (f.kind.value, *under(f.files))
            for f in found]  # fmt: skip


def found_in(folder: Path) -> list[tuple]:
    found, errors = find([folder])
    assert errors == []
    return short(found, folder)


def belonging(found: list[IngestItem]) -> dict[str, set[str]]:
    """The histograms and raw measurements of each log and of each client."""
    each = [c for f in found for c in (f.clients or (f,))]
    return {f.files[0].name: {p.name for p in (*f.hdr, *f.raw)} for f in each}


@pytest.mark.parametrize(
    ("files", "pairs"),
    [
        (["x.out", "x.err"], [("x.out", "x.err")]),
        (["x.stdout", "x.stderr"], [("x.stdout", "x.stderr")]),
        (["x.out.gz", "x.err.zst"], [("x.out.gz", "x.err.zst")]),
        (["x_stdout.log", "x_stderr.log"], [("x_stdout.log", "x_stderr.log")]),
        (["stdout.txt", "stderr.txt"], [("stdout.txt", "stderr.txt")]),
        (["x.log", "x.err"], [("x.log", "x.err")]),
        # Which of two logs the lone stderr is of, nobody knows.
        (["x.log", "x.txt", "x.err"], [("x.err",), ("x.log",), ("x.txt",)]),
        (["x.out", "x.err", "x.log"], [("x.log",), ("x.out", "x.err")]),
        (["x.out", "y.err"], [("x.out",), ("y.err",)]),
        (["timeout.log", "time.err"], [("time.err",), ("timeout.log",)]),
        (["x.log", "x.log.gz"], [("x.log",)]),
        (["X.LOG", "X.ERR"], [("X.LOG", "X.ERR")]),
    ],
)
def test_streams_of_one_run(tmp_path, files, pairs):
    assert found_in(fill(tmp_path, *files)) == [("log", *pair) for pair in pairs]


@pytest.mark.parametrize(
    ("files", "groups"),
    [
        (["0_run.txt", "1_run.txt"], [["0_run.txt", "1_run.txt"]]),
        (["1_run.txt", "2_run.txt", "3_run.txt"], [["1_run.txt", "2_run.txt", "3_run.txt"]]),
        (
            ["0_load.txt", "0_run.txt", "1_load.txt", "1_run.txt"],
            [["0_load.txt", "1_load.txt"], ["0_run.txt", "1_run.txt"]],
        ),
        (["run_client0.log", "run_client1.log"], [["run_client0.log", "run_client1.log"]]),
        (["client-1.log.gz", "client-2.log"], [["client-1.log.gz", "client-2.log"]]),
        ([f"{i}_run.txt" for i in range(11)], [[f"{i}_run.txt" for i in range(11)]]),
        # Numbers of threads, steps of a sweep, and what says nothing.
        (["1_run.txt", "2_run.txt", "4_run.txt"], []),
        (["2_run.txt", "3_run.txt"], []),
        (["01_load_a.txt", "02_run_a.txt"], []),
        (["run_0.txt", "run_1.txt"], []),
        (["0_run.txt", "1_run.log"], []),
        (["0_run.txt"], []),
        (["run_2clients.log", "run_1clients.log"], []),
    ],
)
def test_clients_of_one_run(tmp_path, files, groups):
    found, errors = find([fill(tmp_path, *files)])
    assert errors == []
    merged = [[c.files[0].name for c in f.clients] for f in found if f.kind == Kind.CLIENTS]
    assert merged == groups
    assert len(found) == len(files) - sum(len(g) - 1 for g in groups)
    assert all(f.kind in (Kind.LOG, Kind.CLIENTS) for f in found)
    assert sorted(s.path for f in found for s in f.stats) == sorted(str(tmp_path / name) for name in files)


def test_clients_with_two_streams_each(tmp_path):
    fill(tmp_path, "0_run.out", "0_run.err", "1_run.out")
    assert found_in(tmp_path) == [("clients", ("0_run.out", "0_run.err"), ("1_run.out",))]


def test_clients_in_folders_of_their_own(tmp_path):
    for i in (0, 1):
        fill(tmp_path / f"client-{i}", "run.out", "run.err", "load.txt", "READ.hdr")
    fill(tmp_path, "other.log")
    found, errors = find([tmp_path])
    assert errors == []
    assert short(found, tmp_path) == [
        ("log", "other.log"),
        ("clients", ("client-0/load.txt",), ("client-1/load.txt",)),
        ("clients", ("client-0/run.out", "client-0/run.err"), ("client-1/run.out", "client-1/run.err")),
    ]
    assert [[p.name for p in c.hdr] for c in found[2].clients] == [["READ.hdr"], ["READ.hdr"]]


def test_a_sidecar_says_which_logs_are_clients(tmp_path):
    fill(tmp_path, "a.log", "b.out", "b.err", "c.log")
    (tmp_path / "ycsbook.yml").write_text("clients:\n  - [a.log, b.out]\n")
    assert found_in(tmp_path) == [("clients", ("a.log",), ("b.out", "b.err")), ("log", "c.log")]
    found, _ = find([tmp_path / "a.log"])
    assert short(found, tmp_path) == [("log", "a.log")]


@pytest.mark.parametrize("said", [1, 2, 3, "2", None])
def test_a_manifest_says_how_many_clients_there_are(tmp_path, said):
    fill(tmp_path, "a.log", "b.log")
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 2, "clients": said}))
    found, errors = find([tmp_path])
    assert len(found) == {2: 1, 3: 0}.get(said, 2)
    assert [str(e).partition(": ")[2] for e in errors] == (
        ["speaks of 3 clients, but 2 logs lie beside it; a part of a run is no run"] if said == 3 else []
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # client numbers
        (
            ["0_run.txt", "1_run.txt", "0_READ.hdr", "0_UPDATE.hdr", "1_READ.hdr"],
            {"0_run.txt": {"0_READ.hdr", "0_UPDATE.hdr"}, "1_run.txt": {"1_READ.hdr"}},
        ),
        (
            ["0_load.txt", "0_run.txt", "0_INSERT.hdr", "0_READ.hdr", "0_CLEANUP.hdr"],
            {"0_load.txt": {"0_INSERT.hdr"}, "0_run.txt": {"0_READ.hdr", "0_CLEANUP.hdr"}},
        ),
        (
            ["run_client0.log", "run_client1.log", "client1_READ.hdr", "run_client0_READ.hdr"],
            {"run_client0.log": {"run_client0_READ.hdr"}, "run_client1.log": {"client1_READ.hdr"}},
        ),
        # the log's own name
        (
            ["x.out", "x.err", "y.out", "x_READ.hdr", "xUPDATE.hdr", "y.READ-MODIFY-WRITE.hdr"],
            {"x.out": {"x_READ.hdr", "xUPDATE.hdr"}, "y.out": {"y.READ-MODIFY-WRITE.hdr"}},
        ),
        (["x.log.gz", "x_READ.hdr.gz"], {"x.log.gz": {"x_READ.hdr.gz"}}),
        # the only log
        (["x.log", "READ.hdr", "hdr_UPDATE.hdr"], {"x.log": {"READ.hdr", "hdr_UPDATE.hdr"}}),
        (["x.log", "hdr/READ.hdr", "hdr/x_UPDATE.hdr"], {"x.log": {"READ.hdr", "x_UPDATE.hdr"}}),
        # no telling
        (["x.log", "y.log", "READ.hdr"], {"x.log": set(), "y.log": set(), "READ.hdr": {"READ.hdr"}}),
        (["x.log", "y.log", "hdr/z_READ.hdr"], {"x.log": set(), "y.log": set(), "z_READ.hdr": {"z_READ.hdr"}}),
        (["x.log", "z_READ.hdr"], {"x.log": set(), "z_READ.hdr": {"z_READ.hdr"}}),
    ],
)
def test_histograms_belong_to_the_log_that_they_are_named_after(tmp_path, files, expected):
    found, errors = find([fill(tmp_path, *files)])
    assert errors == []
    assert belonging(found) == expected
    assert sorted(s.path for f in found for s in f.stats) == sorted(str(tmp_path / name) for name in files)


def test_notes_beside_the_only_log_are_no_second_log(tmp_path):
    fill(tmp_path, "x.log", "READ.hdr")
    (tmp_path / "notes.txt").write_text("nothing of interest\n")
    found, _ = find([tmp_path])
    assert belonging(found) == {"x.log": {"READ.hdr"}, "notes.txt": set()}


def test_loose_histograms_are_one_run_per_name_and_come_last(tmp_path):
    fill(tmp_path, "a_READ.hdr", "a_UPDATE.hdr", "bREAD.hdr", "z/z.log")
    assert found_in(tmp_path) == [
        ("log", "z/z.log"), ("hdr", "a_READ.hdr", "a_UPDATE.hdr"), ("hdr", "bREAD.hdr"),
    ]  # fmt: skip


def test_a_folder_of_histograms_named_before_the_logs_is_theirs_all_the_same(tmp_path):
    fill(tmp_path, "x.log", "hdr/READ.hdr")
    found, _ = find([tmp_path / "hdr", tmp_path])
    assert belonging(found) == {"x.log": {"READ.hdr"}}


@pytest.mark.parametrize("name", ["x_raw.csv", "x.raw", "x.csv", "raw.csv"])
def test_raw_measurements_belong_to_their_log(tmp_path, name):
    fill(tmp_path, "x.out", "x.err", **{name: RAW})
    found, _ = find([tmp_path])
    assert belonging(found) == {"x.out": {name}}
    found, _ = find([tmp_path / "x.out"])
    assert belonging(found) == {"x.out": {name}}


def test_raw_measurements_without_a_log(tmp_path):
    fill(tmp_path, "x.out", **{"other.csv": RAW, "README.csv": b"a,b\n1,2\n"})
    assert found_in(tmp_path) == [("log", "x.out"), ("raw", "other.csv")]


def test_a_stored_run_of_several_clients(tmp_path):
    run = tmp_path / "run"
    (run / "hdr").mkdir(parents=True)
    for i in (0, 1, 10):
        fill(run / f"client-{i}", "run.out", "run.err", "hdr/READ.hdr")
    fill(run, "manifest.json", "samples.csv", "notes/x.log")
    (found,), errors = find([tmp_path])
    assert errors == []
    assert (found.kind, found.files, found.explicit) == (Kind.STORED, (run,), False)
    assert [[p.name for p in c.files + c.hdr] for c in found.clients] == 3 * [["run.out", "run.err", "READ.hdr"]]
    assert [c.files[0].parent.name for c in found.clients] == ["client-0", "client-1", "client-10"]
    assert len(found.stats) == 2 + 3 * 3


def test_a_stored_run_with_its_histograms(tmp_path):
    run = fill(tmp_path / "run", "manifest.json", "run.out", "run.err", "hdr/READ.hdr", "samples.csv")
    for asked in (tmp_path, run, run / "manifest.json"):
        (found,), errors = find([asked])
        assert errors == []
        assert (found.kind, found.files, found.clients) == (Kind.STORED, (run,), ())
        assert found.hdr == (run / "hdr" / "READ.hdr",)
        assert {Path(s.path).name for s in found.stats} == {
            "manifest.json", "run.out", "run.err", "READ.hdr", "samples.csv",
        }  # fmt: skip
        assert found.explicit == (asked.name == "manifest.json")


def test_a_log_named_beside_a_stored_run_does_not_take_its_histograms(tmp_path):
    fill(tmp_path, "manifest.json", "0_run.txt", "client-0/run.out", "hdr/READ.hdr")
    found, errors = find([tmp_path, tmp_path / "0_run.txt"])
    assert ([(item.kind, len(item.hdr)) for item in found], errors) == ([(Kind.STORED, 1), (Kind.LOG, 0)], [])


def test_what_is_not_searched(tmp_path):
    for folder in ("quarantine", "a.partial", ".git", "__pycache__", "good"):
        fill(tmp_path / folder, "x.log")
    fill(tmp_path, ".hidden.log", "script.py", "picture.png")
    assert found_in(tmp_path) == [("log", "good/x.log")]
    assert found_in(tmp_path / "a.partial") == [("log", "x.log")]


def test_files_whose_names_do_not_tell_are_looked_into(tmp_path):
    json_log = b'[ {\n  "metric" : "OVERALL",\n  "measurement" : "RunTime(ms)",\n  "value" : 1\n} ]'
    fill(
        tmp_path, "runlog", "ycsb.log.1", "x.json",
        **{"notes": b"nothing\n", "junk": bytes(range(256)), "empty": b"", "y.json": json_log, "z.json": b"{}",
           "packed.gz": gzip.compress(LOG), "cut.gz": gzip.compress(LOG)[:15], "page.md": PAGE, "about.md": b"# x\n",
           "empty.log": b""},
    )  # fmt: skip
    assert sorted(found_in(tmp_path)) == [
        ("log", "cut.gz"), ("log", "empty.log"), ("log", "packed.gz"), ("log", "runlog"), ("log", "x.json"),
        ("log", "y.json"), ("log", "ycsb.log.1"), ("page", "page.md"),
    ]  # fmt: skip


def test_what_is_named_is_read_whatever_it_is(tmp_path):
    named = ["notes", "x.json", "about.md", ".hidden", "empty", "picture.png", "a.csv", "page.txt", "plain.txt"]
    fill(tmp_path, **{n: b"x" for n in named if n != "empty"}, empty=b"")
    (tmp_path / "page.txt").write_bytes(PAGE)
    found, errors = find([tmp_path / name for name in named])
    assert errors == []
    assert all(f.explicit for f in found)
    kinds = {f.files[0].name: f.kind.value for f in found}
    assert kinds == dict.fromkeys(named, "log") | {"about.md": "page", "page.txt": "page"}


def test_a_named_file_brings_what_belongs_to_it_and_no_other(tmp_path):
    fill(tmp_path, "x.out", "x.err", "x_READ.hdr", "y.log", "y_READ.hdr", "manifest.json", **{"z.csv": RAW})
    for name in ("x.out", "x.err"):
        (found,), errors = find([tmp_path / name])
        assert errors == []
        assert ([p.name for p in found.files], [p.name for p in found.hdr]) == (["x.out", "x.err"], ["x_READ.hdr"])
        assert found.explicit
    (found,), _ = find([tmp_path / "x_READ.hdr"])
    assert (found.kind, found.explicit, belonging([found])) == (Kind.HDR, True, {"x_READ.hdr": {"x_READ.hdr"}})
    (found,), _ = find([tmp_path / "x.err", tmp_path / "x_READ.hdr"])
    assert belonging([found]) == {"x.out": {"x_READ.hdr"}}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["x.log.gz"], "x.log.gz"),
        (["x.log.zst"], "x.log.zst"),
        (["x.log"], "x.log"),
        (["x.log", "x.log.gz", "x.log.zst"], "x.log"),
        ([""], "x.log"),
    ],
)
def test_of_a_log_that_is_there_packed_as_well_the_named_one_is_read(tmp_path, asked, expected):
    fill(tmp_path, "x.log", "x.log.gz", "x.log.zst")
    found, errors = find([tmp_path / name for name in asked])
    assert ([item.files[0].name for item in found], errors) == ([expected], [])


def test_one_client_that_is_named_is_a_run_of_its_own(tmp_path):
    fill(tmp_path, "0_run.txt", "1_run.txt", "0_READ.hdr", "1_READ.hdr")
    found, _ = find([tmp_path / "1_run.txt"])
    assert short(found, tmp_path) == [("log", "1_run.txt")]
    assert belonging(found) == {"1_run.txt": {"1_READ.hdr"}}
    found, _ = find([tmp_path / "0_run.txt", tmp_path / "1_run.txt"])
    assert short(found, tmp_path) == [("clients", ("0_run.txt",), ("1_run.txt",))]


def test_patterns_are_expanded(tmp_path, monkeypatch):
    fill(tmp_path / "logs", "b.txt", "a.txt", "c.log", "deep/d.txt", "e[1].txt")
    monkeypatch.chdir(tmp_path)
    found, errors = find(["logs/*.txt"])
    assert errors == []
    assert [str(f.files[0]) for f in found] == ["logs/a.txt", "logs/b.txt", "logs/e[1].txt"]
    assert all(f.explicit for f in found)
    assert len(find(["logs/**/*.txt"])[0]) == 4
    assert [f.files[0].name for f in find(["logs/e[1].txt"])[0]] == ["e[1].txt"]
    assert [f.files[0].name for f in find(["lo*"])[0]] == ["a.txt", "b.txt", "c.log", "e[1].txt", "d.txt"]
    _, (error,) = find(["logs/*.xyz"])
    assert "no file matches" in str(error)


def test_each_file_once_however_it_is_named(tmp_path, monkeypatch):
    fill(tmp_path, "x.out", "x.err", "sub/y.log", "link_target.log")
    (tmp_path / "link").symlink_to(tmp_path / "x.out")
    monkeypatch.chdir(tmp_path)
    found, errors = find([".", "x.err", "./sub", tmp_path / "sub" / "y.log", "link", tmp_path])
    assert errors == []
    assert [[p.name for p in f.files] for f in found] == [["link_target.log"], ["x.out", "x.err"], ["y.log"]]
    assert [f.explicit for f in found] == [False, True, True]


def test_links_are_not_followed_out_of_the_folder(tmp_path):
    outside = fill(tmp_path / "outside", "secret.log", "plain.txt")
    folder = fill(tmp_path / "logs", "a.log")
    (folder / "out.log").symlink_to(outside / "secret.log")
    (folder / "nowhere.log").symlink_to(folder / "nothing")
    (folder / "picture.png").symlink_to(outside / "plain.txt")
    (folder / "same.log").symlink_to("a.log")
    (folder / "round").symlink_to(folder)
    (folder / "folder").symlink_to(outside)
    found, errors = find([folder])
    assert short(found, folder) == [("log", "a.log")]
    assert sorted(Path(e.path).name for e in errors) == ["nowhere.log", "out.log"]
    found, errors = find([folder / "out.log"])
    assert (found[0].files, errors) == ((outside / "secret.log",), [])


@pytest.mark.parametrize("name", ["nothing.log", "loop.log", "pipe.log", "a\0b.log", "a" * 300, "old.zip", "x.log.xz"])
def test_what_cannot_be_read_is_said(tmp_path, name):
    (tmp_path / "loop.log").symlink_to(tmp_path / "loop.log")
    os.mkfifo(tmp_path / "pipe.log")
    fill(tmp_path, "old.zip", "x.log.xz")
    found, (error,) = find([f"{tmp_path}/{name}"])
    assert found == []
    assert name in str(error)


def test_logs_packed_in_another_way_are_said_in_folders_too(tmp_path):
    fill(tmp_path, "x.log.xz", "logo.png.xz", "site.tar.gz", "Data.ZIP", "logs.tgz")
    found, errors = find([tmp_path])
    named = {Path(e.path).name for e in errors}
    assert (found, named) == ([], {"x.log.xz", "site.tar.gz", "Data.ZIP", "logs.tgz"})
    assert all("unpack it" in e.reason for e in errors)


def test_vendors_tables(tmp_path):
    vendors = {f.files[0].stem for f in find([paths.PUBLISHED])[0]}
    others = {"crud-2012-failover", "crud-2012-queries", "iibench-wiredtiger", "mongotest-2010"}
    assert vendors == {path.stem for path in paths.PUBLISHED.glob("*.csv")} - others
    (found,), _ = find([paths.PUBLISHED / "mongotest-2010.csv"])
    assert (found.kind, found.explicit) == (Kind.PUBLISHED, True)
    assert [Path(s.path).suffix for s in found.stats] == [".csv", ".json"]


def test_a_scan_that_is_repeated_is_equal_until_something_changes(tmp_path):
    fill(tmp_path, "a.log", "sub/b.log")

    def listed() -> dict[str, tuple[int, int]]:
        return {f.join(name): told for f in scan([tmp_path]).folders.values() for name, told in f.files.items()}

    before = listed()
    assert listed() == before
    assert {Path(p).name for p in before} == {"a.log", "b.log"}
    os.utime(tmp_path / "sub" / "b.log", ns=(0, 0))
    after = listed()
    assert {Path(p).name for p in before if before[p] != after[p]} == {"b.log"}
    (found, _), _ = group(scan([tmp_path]))
    assert found.stats[0] == (str(tmp_path / "a.log"), len(LOG), (tmp_path / "a.log").stat().st_mtime_ns)


FILES = st.lists(
    st.tuples(
        st.sampled_from(["", "sub/", "client-0/", "client-1/", "hdr/", "run/"]),
        st.sampled_from(
            ["0_run.txt", "1_run.txt", "x.out", "x.err", "x.err.gz", "x.log", "READ.hdr", "x_READ.hdr", "0_UPDATE.hdr",
             "run.out", "manifest.json", "raw.csv", "notes", "y.json", "out", "stderr"]
        ),
    ),
    unique=True,
)  # fmt: skip


@given(files=FILES, seed=st.integers(0, 10), named=st.integers(0, 3))
def test_every_file_is_found_once_in_any_order(tmp_path_factory, files, seed, named):
    root = tmp_path_factory.mktemp("any")
    fill(root, *(a + b for a, b in files))
    # To name a manifest is to say that the folder is a run.
    asked = [root, *(root / a / b for a, b in files[:named] if b != "manifest.json")]
    random.Random(seed).shuffle(asked)
    found, errors = find(asked)
    assert errors == []
    flat = [c for f in found for c in (f, *f.clients)]
    read = [p for f in flat if f.kind not in (Kind.STORED, Kind.HDR, Kind.RAW) for p in f.files]
    read += [p for f in flat for p in (*f.hdr, *f.raw)]
    assert len(read) == len(set(read))
    listed = find([root])[0]
    in_folder = {f.files for f in listed}
    # A log inside a run of the store is read when it is named, and may be one client of several then.
    assert {p for f in listed for c in (f, *f.clients) for p in c.files} <= {p for f in flat for p in f.files}
    assert all(f.explicit for f in found if f.files not in in_folder)
    logs = {p.name for p in read}
    if not any(name == "manifest.json" for _, name in files):
        assert logs >= {name for _, name in files if name.endswith((".txt", ".out", ".log", ".hdr"))}


@given(st.text(alphabet="0123456789_-.clientrunou READ", max_size=40))
def test_no_name_is_too_odd(name):
    names.client(name)
    assert sum(len(u.names) for u in names.units([name])) == 1
    prefix, operation = names.histogram(f"{name}.hdr")
    assert name.startswith(prefix)
    assert name.endswith(operation)


# -- content


@pytest.mark.parametrize("name", readers.names())
def test_every_format_is_recognised_by_its_reader(name):
    reader = readers.reader(name)
    assert reader.recognises(b"") is False
    assert reader.recognises(bytes(range(256)) * 10) is False


@pytest.mark.parametrize("junk", [b"", b"nothing of interest\n", bytes(1000), bytes(range(256)), b"\x89PNG\r\n" * 50])
def test_junk_is_no_format(junk):
    assert format_of(junk) == format_of(junk, junk) == ""


def test_a_log_is_told_by_its_beginning_or_by_its_end():
    noise = b"DEBUG cluster - monitor\n" * 5000
    assert format_of(LOG) == format_of(noise, noise + LOG) == "ycsb"
    assert format_of(bytes(100) + LOG) == "ycsb"
    assert format_of(RAW) == "raw"


def test_a_page_that_quotes_a_log_is_a_page_and_a_log_never_is_one():
    assert format_of(PAGE + LOG) == readers.PAGE
    assert format_of(LOG + b"| threads | QPS\n") == "ycsb"
    assert format_of("## 测试\n| 并发数 | QPS |\n|--|--|\n".encode()) == readers.PAGE
    assert format_of(b"our throughput | many threads\n") == ""


@pytest.mark.parametrize("path", sorted(p for p in DATA.glob("*.*") if p.suffix != ".md"), ids=lambda p: p.name)
def test_own_samples_are_recognised(path):
    content = path.read_bytes()
    expected = "" if not content else "raw" if path.suffix == ".csv" else "ycsb"
    assert format_of(content[:65536], content[-65536:]) == expected


@pytest.mark.shared
def test_the_shared_samples_are_what_their_manifest_says(shared):
    samples = shared / "samples"
    found, errors = find([samples])
    assert errors == []
    (two,) = (f for f in found if f.kind == Kind.CLIENTS)
    assert belonging([two]) == {f"{i}_run.txt": {f"{i}_READ.hdr", f"{i}_UPDATE.hdr"} for i in (0, 1)}
    kinds = [f.kind.value for f in found]
    assert (kinds.count("log"), kinds.count("hdr")) == (20 + 6 + 2, 2)
    seeds, errors = find([f"{shared}/seeds/*.txt"])
    assert errors == []
    assert [f.kind.value for f in seeds] == ["page", "page", "log", "log", "log"]
    assert [format_of(f.files[0].read_bytes()) for f in seeds] == [readers.PAGE, readers.PAGE, "", "mongotest", ""]
