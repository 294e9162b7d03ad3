"""A store, a folder of tables, a report that came from somebody else, with links in every place
that is written to or deleted from: what they lead to stays as it was."""

import contextlib
import glob
import os
import shutil
from pathlib import Path

import log_samples
import pandas as pd
import pytest
from confined import confined
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import YcsbookError
from ycsbook.ingest import archive
from ycsbook.ingest.archive_index import INDEX
from ycsbook.ingest.files.scan import _matches, scan
from ycsbook.plots import style
from ycsbook.report import Report, Section, write
from ycsbook.report.blocks import Figure, Panel
from ycsbook.store import lock, parquet
from ycsbook.store.runs import MANIFEST, RunStore, delete_attempts, in_quarantine
from ycsbook.tables import from_rows


@pytest.fixture
def precious(tmp_path) -> Path:
    folder = tmp_path / "precious"
    (folder / "photos").mkdir(parents=True)
    for name in ("photos/a.jpg", "x.svg", "x.csv", "runs.parquet", MANIFEST, "run.out", "file"):
        (folder / name).write_text("mine")
    return folder


def state(folder: Path) -> list[tuple]:
    return sorted((str(p.relative_to(folder)), p.lstat().st_mtime_ns, p.is_file() and p.read_bytes())
                  for p in folder.rglob("*"))  # fmt: skip


def prune(place: Path) -> None:
    delete_attempts(place, in_quarantine(place))


def run(place: Path) -> None:
    """What a runner does with a store, without a client."""
    store = RunStore(place)
    with lock.exclusive(place):
        store.claim()
        store.sweep_up()
        partial = store.begin("r1")
        (partial / "run.out").write_text("log")
        store.finish(partial, {"run_id": "r1", "outcome": "completed"})


def ingested(place: Path) -> None:
    log = place.parent / "a.log"
    log.write_text(log_samples.YCSB_014)
    archive.update([log], place, force=True)


def written(place: Path) -> None:
    with style.theme():
        panel = Panel(style.panel()[0], "picture", "an empty picture")
    figure = Figure((panel,), "Empty", frame=pd.DataFrame({"a": [1]}))
    write(Report("Small", "small", "en", (), (Section("One", "one", (figure,)),)), place)


def tables(place: Path) -> None:
    parquet.write({"runs": from_rows([{"run_id": "r1"}], "runs")}, place)


# What is done, and in which places links may stand.
DONE = {
    run: ("quarantine", "r1", "r1.partial", "r2.partial", ".schema", ".lock", ".server"),
    prune: ("quarantine", "quarantine/r1.1", "quarantine/r1.1/hdr", f"quarantine/r1.1/{MANIFEST}", ".lock"),
    ingested: ("runs.parquet", "intervals.parquet", INDEX, ".tables", ".tables-x", f".{INDEX}.x", ".lock"),
    written: ("figures", "data", "report.html", "report.md", "figures/picture.svg", "figures/x.svg", "data/x.csv"),
    tables: ("runs.parquet", ".tables", ".tables-12345678", ".runs.parquet.12345678.tmp"),
}


@pytest.mark.parametrize("target", ["precious", "precious/file", "precious/none", "place", "place/.."])
@pytest.mark.parametrize(("what", "name"), [(what, name) for what, names in DONE.items() for name in names])
def test_what_links_lead_to_stays_as_it_was(tmp_path, precious, what, name, target):
    place = tmp_path / "place"
    own = place / "own.1"
    own.mkdir(parents=True)
    (own / MANIFEST).write_text('{"run_id": "own", "outcome": "completed", "schema": 2}')
    if name.startswith("quarantine/"):
        (place / "quarantine" / "r2.1").mkdir(parents=True)
    (place / "r0.partial").mkdir()
    link = place / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(os.path.relpath(tmp_path / target, link.parent))
    before = state(precious), state(own)
    try:
        what(place)
    except YcsbookError as e:
        assert len(str(e).splitlines()) == 1
    assert (state(precious), state(own)) == before
    assert not (precious / "none").exists()


def test_a_store_behind_a_link_that_the_user_named_is_used(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "runs").symlink_to("disk")
    for _ in range(2):
        run(tmp_path / "runs")
    assert [a.folder.name for a in in_quarantine(tmp_path / "runs")] == ["r1.1"]
    prune(tmp_path / "runs")
    assert sorted(p.name for p in (tmp_path / "disk" / "quarantine").iterdir()) == []
    shutil.rmtree(tmp_path / "disk" / "quarantine")


@pytest.mark.parametrize("pattern", ["**/*.out", "**", "*/**/*.out", "**/**/**/*.out", "*/*.out", "*.out", "*"])
def test_a_pattern_leads_through_no_link_out_and_no_loop(tmp_path, precious, monkeypatch, pattern):
    """Twenty links back to the folder would make 20**40 paths."""
    logs = tmp_path / "logs"
    for folder in (logs, logs / "a", logs / "a" / "b"):
        folder.mkdir()
        (folder / "run.out").write_text(log_samples.YCSB_014)
    for n in range(20):
        (logs / "a" / f"loop{n}").symlink_to("..")
    (logs / "out").symlink_to(precious)
    (logs / "out.out").symlink_to(precious / "run.out")
    (precious / "run.out").write_text(log_samples.YCSB_014)
    monkeypatch.chdir(tmp_path)
    listed = confined(scan, [f"{logs}/{pattern}"], seconds=20)
    assert set(listed.folders) <= {str(folder) for folder in (logs, logs / "a", logs / "a" / "b")}
    assert any("is a link out of the folder" in str(e) for e in listed.errors) or pattern == "*/**/*.out"
    relative = confined(scan, [f"logs/{pattern}"], seconds=20)
    assert list(relative.folders) == list(listed.folders)


@given(st.data())
def test_a_pattern_finds_what_glob_finds_where_there_are_no_links(tmp_path_factory, data):
    root = tmp_path_factory.mktemp("glob")
    names = st.sampled_from(["a", "b", ".h", "c.out", "d.log"])
    for parts in data.draw(st.lists(st.lists(names, min_size=1, max_size=4), max_size=8)):
        with contextlib.suppress(OSError):
            root.joinpath(*parts[:-1]).mkdir(parents=True, exist_ok=True)
            root.joinpath(*parts).touch()
    pieces = st.sampled_from(["**", "*", "a", "*.out", "[ab]", "c.out"])
    pattern = "/".join([str(root), *data.draw(st.lists(pieces, min_size=1, max_size=4))])
    found = {os.path.normpath(p) for p in _matches(pattern)}
    # It gives what stands before `**` even where there is none.
    there = filter(os.path.lexists, glob.glob(pattern, recursive=True))
    assert found == {os.path.normpath(p) for p in there}
