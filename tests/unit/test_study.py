"""A study takes the right runs, and works from disk exactly as long as what is there follows from its inputs."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from studied import PARAMS, Place

from ycsbook import paths
from ycsbook.batch import reports
from ycsbook.errors import ParamsError, RunLogError, StoreError
from ycsbook.store import lock, parquet
from ycsbook.study import INPUTS, Study


@pytest.fixture
def place(tmp_path) -> Place:
    return Place(tmp_path)


def test_no_run_at_all_says_what_to_do(place):
    with pytest.raises(StoreError, match=r"holds no run of 'studied' yet; make them with 'ycsbook run studied\.yml'"):
        place.study().tables()
    assert not place.output.exists()


def test_without_an_address_it_says_which_variables_are_needed(place, monkeypatch):
    monkeypatch.delenv("STUDIED_URI", raising=False)
    place.params.write_text(
        "name: studied\nserver: {kind: uri}\nspecs: [{name: 1c, cores: 1, ram_gib: 2, uri_env: STUDIED_URI}]\n"
    )
    with pytest.raises(
        StoreError, match=r"set the environment variables STUDIED_URI to its servers' URIs and make them"
    ):
        place.study().tables()


def test_runs_come_in_plan_order_with_the_loads_before_them(place):
    plan = place.planned()
    ids = [place.make(run) for run in reversed(plan)]
    load = place.make(plan[0], phase="load")
    assert len(ids) == 24 and place.taken() == [load, *reversed(ids)]


def test_runs_made_with_another_client_or_server_count_and_the_newest_wins(place):
    first = place.planned()[0]
    old = place.make(first, ended="2026-01-01T00:00:09Z")
    assert place.taken() == [old]
    rebuilt = place.make(place.planned(client="c2")[0], ended="2026-01-02T00:00:09Z")
    assert rebuilt != old and place.taken() == [rebuilt]
    upgraded = place.make(place.planned(server="mongod 7.0.1")[0], ended="2026-01-03T00:00:09Z")
    assert place.taken() == [upgraded]
    place.make(place.planned(client="c0")[0], ended="2025-01-01T00:00:09Z")
    assert place.taken() == [upgraded]


@pytest.mark.parametrize(
    "change",
    [
        ("min_duration: 5s", "min_duration: 6s"),
        ("records: 1000", "records: 2000"),
        ("kind: mongod}", "kind: mongod}\nwrite_concern: majority"),
        ("name: studied", "name: another"),
        ("cores: 1,", "cores: 1.5,"),
    ],
)
def test_a_changed_setting_takes_no_run_made_before_it(place, change):
    first = next(run for run in place.planned() if run.spec.name == "1c")
    place.make(first)
    text = place.params.read_text()
    assert text.count(change[0]) == 1
    place.params.write_text(text.replace(*change))
    assert place.taken() == []


@pytest.mark.parametrize("change", [("name: studied", "name: studied\ntitle: New"), ("repeats: 4", "repeats: 5")])
def test_a_setting_that_measures_nothing_keeps_the_runs(place, change):
    run_id = place.make(place.planned()[0])
    place.params.write_text(place.params.read_text().replace(*change))
    assert place.taken() == [run_id]


def test_loads_count_as_long_as_they_are_of_these_data(place):
    load = place.make(place.planned()[0], phase="load")
    text = place.params.read_text()
    place.params.write_text(text.replace("min_duration: 5s", "min_duration: 6s").replace("[4, 8, 16]", "[32]"))
    assert place.taken() == [load]
    place.params.write_text(text.replace("records: 1000", "records: 2000"))
    assert place.taken() == []


def test_failed_runs_come_along_with_their_outcome(place):
    good, bad, *_ = place.planned()
    place.make(good)
    failed = place.make(bad, outcome="failed", reasons=["9 of 10 operations failed"])
    runs = place.study().tables().runs.set_index("run_id")
    assert runs["outcome"].to_dict() == {good.run_id: "completed", failed: "failed"}
    assert "9 of 10 operations failed" in place.study().store.manifest(failed)["reasons"]


def test_a_study_of_one_run_has_a_report(place):
    place.make(place.planned()[0])
    assert place.study().report().section("findings")


def test_an_unreadable_run_is_named_and_the_others_are_read(place, capsys):
    good, bad, *_ = place.planned()
    place.make(good)
    other = place.make(bad, schema=99)
    assert list(place.study().ingest().runs["run_id"]) == [good.run_id]
    err = capsys.readouterr().err
    assert err.count("left out: ") == 1 and other in err and "has schema 99, this release reads 2" in err


def test_published_and_measured_rows_stand_side_by_side(place):
    place.params.write_text(
        PARAMS.replace("{kind: mongod}", "{kind: mongod, published: data/published/tencent-2020-08.csv}")
    )
    place.make(place.planned()[0])
    study = place.study()
    outcomes = study.tables().runs["outcome"].value_counts()
    assert outcomes["published"] == 32 and outcomes["completed"] == 1
    assert {"data/published/tencent-2020-08.csv", "data/published/tencent-2020-08.json"} <= set(study.inputs)
    groups = study.analysis().glance
    assert len(groups) and study.findings() is not None


# -- freshness


def stamp(place: Place) -> int:
    return (place.output / "tables" / "runs.parquet").stat().st_mtime_ns


def test_tables_are_read_when_fresh(place):
    place.make(place.planned()[0])
    made = place.study().tables()
    before = stamp(place)
    again = place.study().tables()
    assert stamp(place) == before
    assert again.runs.equals(parquet.read(place.output / "tables").runs) and len(again.runs) == len(made.runs)


def _edit_params(place):
    place.params.write_text(place.params.read_text() + "# a comment\n")


def _edit_manifest(place):
    (path,) = place.store.root.glob("*/manifest.json")
    path.write_text(path.read_text() + " ")


def _another_run(place):
    place.make(place.planned()[1])


def _no_inputs(place):
    (place.output / "tables" / INPUTS).unlink()


def _cut_inputs(place):
    path = place.output / "tables" / INPUTS
    path.write_text(path.read_text()[:40])


@pytest.mark.parametrize("change", [_edit_params, _edit_manifest, _another_run, _no_inputs, _cut_inputs])
def test_tables_are_made_anew_when_an_input_changes(place, change):
    place.make(place.planned()[0])
    study = place.study()
    study.analyse()
    before = stamp(place)
    change(place)
    fresh = place.study()
    assert not fresh.is_reported()
    fresh.tables()
    assert stamp(place) != before
    assert not (place.output / "tables" / "fit_tidy.parquet").exists()  # fits of other tables do not stay
    assert fresh.analysis() is not None


def test_a_changed_published_table_is_noticed(place, monkeypatch):
    for suffix in (".csv", ".json"):
        shutil.copy((paths.PUBLISHED / "tencent-2020-08.csv").with_suffix(suffix), place.output.parent / f"t{suffix}")
    # A published table must stand inside the repository; here that is the test's own folder.
    monkeypatch.setattr(paths, "REPOSITORY", place.output.parent)
    place.params.write_text(PARAMS.replace("{kind: mongod}", "{kind: mongod, published: t.csv}"))
    place.study().tables()
    assert place.study()._is_fresh()
    sidecar = place.output.parent / "t.json"
    sidecar.write_text(sidecar.read_text() + " ")
    assert not place.study()._is_fresh()
    place.study().tables()
    table = place.output.parent / "t.csv"
    table.write_text(table.read_text() + " ")
    with pytest.raises(RunLogError, match="sha256"):
        place.study().tables()


def test_an_object_that_was_there_before_the_runs_sees_them(place):
    study = place.study()
    with pytest.raises(StoreError):
        study.tables()
    first = place.make(place.planned()[0])
    assert list(study.tables().runs["run_id"]) == [first]
    place.make(place.planned()[1])
    assert len(study.tables().runs) == 2
    assert len(study.ingest().runs) == 2


def test_tables_of_an_object_loaded_before_the_params_changed_are_not_fresh(place):
    place.make(place.planned()[0])
    old = place.study()
    place.params.write_text(place.params.read_text().replace("name: studied", "name: studied\ntitle: New"))
    old.ingest()
    assert not place.study()._is_fresh()
    assert old._is_fresh()


def test_an_ingest_that_is_cut_leaves_the_tables_of_before(place, monkeypatch):
    runs = place.planned()
    place.make(runs[0])
    place.study().tables()
    place.make(runs[1])

    def cut(path, target):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "rename", cut)
        place.study().ingest()
    assert not place.study()._is_fresh()
    assert parquet.read(place.output / "tables").runs["run_id"].tolist() == [runs[0].run_id]


def test_fits_and_findings_are_read_when_they_are_there(place):
    for run in place.planned():
        place.make(run)
    place.study().analyse()
    place.study().find()
    files = [*(place.output / "tables").glob("*.parquet")]
    before = {f: f.stat().st_mtime_ns for f in files}
    study = place.study()
    assert len(study.analysis().glance) == len(place.study().analysis().glance)
    assert len(study.findings()) == len(parquet.read_table(place.output / "tables", "findings"))
    assert {f: f.stat().st_mtime_ns for f in files} == before


def test_reported_is_what_was_written_from_these_inputs(place):
    for run in place.planned():
        place.make(run)
    written = place.study().write_report()
    assert written.html == place.output / "report.html"
    assert place.study().is_reported()
    written.markdown.unlink()
    assert not place.study().is_reported()
    recorded = json.loads((place.output / "tables" / INPUTS).read_text())
    assert recorded["studied.yml"] and sum(name.endswith("/manifest.json") for name in recorded) == 24


def test_a_part_that_is_not_there_is_refused_with_those_that_are(place):
    for run in place.planned():
        place.make(run)
    with pytest.raises(ParamsError, match=r"studied: .*nonsense.*findings"):
        place.study().part("nonsense")
    assert place.study().part("results").anchor == "results"


def test_the_status_of_each_run_needs_no_server(place):
    first, second, *_ = place.planned()
    place.make(first)
    place.make(second, outcome="failed", reasons=["9 of 10 operations failed"])
    (place.store.root / f"{place.planned()[2].run_id}.partial").mkdir()
    with lock.exclusive(place.store.root):
        rows = place.study().status_rows()
    assert len(rows) == 24
    assert [row["outcome"] for row in rows] == ["completed", "failed", "running", *["missing"] * 21]
    # What a killed runner left behind is not being made by anybody.
    outcomes = [row["outcome"] for row in place.study().status_rows()]
    assert outcomes == ["completed", "failed", *["missing"] * 22]
    assert [row["reasons"] for row in rows[:2]] == ["", "9 of 10 operations failed"]
    assert [row["run_id"] for row in rows[:3]] == [first.run_id, second.run_id, ""]


def test_repeats_beyond_the_plan_are_evidence_too(place):
    planned = place.planned()[0]
    more = place.make(dataclasses.replace(planned, repeat=9))
    usual = place.make(planned)
    assert place.taken() == [usual, more]
    rows = place.study().status_rows()
    assert len(rows) == 25 and rows[-1]["repeat"] == 9
    assert set(place.study().tables().runs["repeat"]) == {1, 9}


def test_another_params_file_of_the_same_name_does_not_replace_a_report(place):
    place.make(place.planned()[0])
    assert place.study().made_from() == ""
    place.study().ingest()
    other = place.params.with_name("zh.yml")
    shutil.copy(place.params, other)
    renamed = Study(other, store=place.store.root, output=place.output)
    assert place.study().made_from() == renamed.made_from() == ""

    other.write_text(PARAMS + "report: {lang: zh}\n")
    study = Study(other, store=place.store.root, output=place.output)
    assert study.made_from() == "studied.yml"
    with pytest.raises(ParamsError, match=r"zh\.yml: has the name 'studied' as studied\.yml, .*--force"):
        reports.report(study, quiet=True)
    place.params.write_text(PARAMS + "seed: 9\n")
    assert place.study().made_from() == ""
