"""Every step of a writer is cut once, and what was not synced is lost or kept in other orders: what holds all the same.

As a command it prints how many crashes there are and how many were tried: `python tests/faults/test_crash_points.py`.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from replayed_disk import Crash, Recorder, files, restore

sys.path.append(str(Path(__file__).parents[1] / "unit"))
import published_reports
from command_samples import invoke
from report_samples import local_tables
from studied import Place

from ycsbook.errors import PublishError, StoreError
from ycsbook.ingest import archive
from ycsbook.report.site import check, publish
from ycsbook.report.site.publishing import edited
from ycsbook.store import lock, parquet
from ycsbook.store.runs import RunStore

LOGS = Path(__file__).parents[1] / "data" / "ycsb"


class Runs:
    """Two runs of a sweep: one is new, one is made again because a file of it was edited."""

    def __init__(self, place: Path, disk: Path):
        self.store = RunStore(disk / "data" / "runs")
        self.made = {}
        for run_id in ("kept", "again"):
            self.make(run_id)
        (self.store.folder("again") / "run.out").write_bytes(b"edited")

    def make(self, run_id: str) -> None:
        partial = self.store.begin(run_id)
        (partial / "clients" / "1").mkdir(parents=True)
        for name in ("run.out", "hdr/READ.hdr", "clients/1/run.out"):
            (partial / name).write_text(f"{run_id} {name}\n" * 100)
        self.store.finish(partial, {"run_id": run_id, "schema": 2, "outcome": "completed"})

    def work(self, done: Callable[[str], None]) -> None:
        with lock.exclusive(self.store.root):
            self.store.claim()
            self.store.sweep_up()
            for run_id in ("new", "again"):
                if not self.store.is_completed(run_id):
                    self.make(run_id)
                done(run_id)

    def check(self, crash: Crash) -> None:
        finished = {manifest["run_id"]: self.store.folder(manifest["run_id"]) for manifest in self.store.manifests()}
        whole = {run_id for run_id, folder in finished.items() if self.is_whole(run_id, folder)}
        assert {"kept", *crash.done} <= whole
        assert {run_id for run_id in finished if self.store.is_completed(run_id)} == whole
        assert set(finished) - whole <= {"again"}
        said = invoke("fsck", "--store", self.store.root, "--json")
        assert set(json.loads(said.stdout)["altered"]) == set(finished) - whole
        self.work(lambda run_id: None)
        assert all(self.is_whole(run_id, self.store.folder(run_id)) for run_id in ("kept", "new", "again"))
        evidence = [folder / "run.out" for folder in self.store.attempts()]
        assert [path.read_bytes() for path in evidence if path.exists()].count(b"edited") == 1
        names = {path.name for path in self.store.root.iterdir()}
        assert names == {".lock", ".schema", "quarantine", "kept", "new", "again"}

    @staticmethod
    def is_whole(run_id: str, folder: Path) -> bool:
        names = ("run.out", "hdr/READ.hdr", "clients/1/run.out")
        return all((folder / n).is_file() and (folder / n).read_text() == f"{run_id} {n}\n" * 100 for n in names)


class FirstRuns(Runs):
    """The first run of a store that is not there yet."""

    def __init__(self, place: Path, disk: Path):
        self.store = RunStore(disk / "data" / "runs")

    def work(self, done: Callable[[str], None]) -> None:
        with lock.exclusive(self.store.root):
            self.store.claim()
            self.store.sweep_up()
            if not self.store.is_completed("new"):
                self.make("new")
            done("new")

    def check(self, crash: Crash) -> None:
        finished = {manifest["run_id"] for manifest in self.store.manifests()}
        assert finished <= {"new"} and finished >= crash.done
        assert all(self.is_whole(run_id, self.store.folder(run_id)) for run_id in finished)
        self.work(lambda run_id: None)
        assert self.is_whole("new", self.store.folder("new"))
        assert {path.name for path in self.store.root.iterdir()} - {"quarantine"} == {".lock", ".schema", "new"}


class FirstIngest:
    """The tables of some logs, into a folder that is not there yet."""

    before = ()
    logs = ("02_mongod_run_a_t8_hdr.out", "07_sigterm.out")

    def __init__(self, place: Path, disk: Path):
        self.sources, self.out = place / "logs", disk / "made" / "out"
        self.sources.mkdir()
        self.versions = [self.ingested(self.before, self.out)] if self.before else [None]
        self.versions.append(self.ingested(self.logs, place / "clean"))
        self.clean = {path.name for path in (place / "clean").iterdir()}

    def ingested(self, names: tuple[str, ...], out: Path) -> dict:
        for path in self.sources.iterdir():
            path.unlink()
        for name in names:
            shutil.copy(LOGS / name, self.sources)
        archive.update([self.sources], out)
        return self.read(out)

    @staticmethod
    def read(out: Path) -> dict | None:
        try:
            return dict(parquet.read(out).items())
        except StoreError as e:
            assert "no runs.parquet there" in str(e)
            return None

    def version(self) -> int:
        """Which tables a reader sees, 0 for those before and 1 for the new ones; fails on any others."""
        found = self.read(self.out)
        for number, version in enumerate(self.versions):
            if found is None or version is None:
                if found is version:
                    return number
            elif all(frame.equals(version[name]) for name, frame in found.items()):
                return number
        raise AssertionError(f"neither old nor new: {None if found is None else {n: len(f) for n, f in found.items()}}")

    def work(self, done: Callable[[str], None]) -> None:
        archive.update([self.sources], self.out)
        done("ingest")

    def check(self, crash: Crash) -> None:
        assert self.version() == 1 or not crash.done
        archive.update([self.sources], self.out)
        assert self.version() == 1
        assert {path.name for path in self.out.iterdir()} == self.clean
        assert archive.update([self.sources], self.out).read == 0


class NextIngest(FirstIngest):
    """The same tables after a log was added and one was removed."""

    before = ("02_mongod_run_a_t8_hdr.out", "03_mongod_run_b_t4_merged.log")


class FirstPublication:
    """A report put into a docs tree that is not there yet."""

    def __init__(self, place: Path, disk: Path):
        self.docs = disk / "docs" / "reports"
        tables = published_reports.few(local_tables())
        self.reports = [
            published_reports.made(place / f"report{n}", published_reports.faster(tables, 1 + n / 10), repeats=n + 1)
            for n in range(3)
        ]
        self.report = self.reports[0]
        self.versions = [{}, *self.clean(place / "clean", self.reports[:1])]

    def clean(self, docs: Path, reports: list[Path]) -> list[dict]:
        """The tree after each of these reports was published."""
        found = []
        for report in reports:
            publish(report, docs)
            found.append(contents(docs))
        return found

    def work(self, done: Callable[[str], None]) -> None:
        publish(self.report, self.docs)
        done("publication")

    def check(self, crash: Crash) -> None:
        left = contents(self.docs)
        if crash.done:
            assert left == self.versions[-1]
        try:
            if not check(self.docs):
                assert any(without_remains(left, version) == version for version in self.versions), [*left]
        except PublishError as e:
            assert "holds no published report" in str(e) and not crash.done and len(self.versions) == 2
        before = files(self.docs) if self.docs.is_dir() else {}
        publish(self.report, self.docs)
        assert contents(self.docs) == self.versions[-1] and check(self.docs) == []
        restore(self.docs, before)
        publish(self.reports[2], self.docs)
        assert check(self.docs) == edited(self.docs) == []


class NextPublication(FirstPublication):
    """The report published again after other runs."""

    def __init__(self, place: Path, disk: Path):
        super().__init__(place, disk)
        self.report = self.reports[1]
        self.versions = [*self.versions[1:], *self.clean(place / "clean", [self.report])]
        self.clean(self.docs, self.reports[:1])


class Stages:
    """Tables, fits, findings and report of a study, made again after two more runs."""

    def __init__(self, place: Path, disk: Path):
        self.study = Place(place)
        planned = self.study.planned()
        self.study.output = disk / "output"
        self.versions = []
        for runs in (planned[:1], planned[1:3]):
            for run in runs:
                self.study.make(run)
            self.study.output, output = place / f"clean{len(self.versions)}", self.study.output
            self.work(lambda what: None)
            self.versions.append(contents(self.study.output))
            self.study.output = output
        shutil.copytree(place / "clean0", disk / "output")
        self.tables = [parquet.read(place / f"clean{n}" / "tables") for n in (0, 1)]

    def work(self, done: Callable[[str], None]) -> None:
        self.study.study().write_report()
        done("report")

    def check(self, crash: Crash) -> None:
        left, study = contents(self.study.output), self.study.study()
        found = parquet.read(self.study.output / "tables")
        assert any(all(frame.equals(getattr(v, name)) for name, frame in found.items()) for v in self.tables)
        whole = without_remains(left, self.versions[1]) == self.versions[1]
        assert study.is_reported() <= whole
        assert whole or not crash.done
        assert len(study.tables().runs) == len(self.tables[1].runs)
        self.work(lambda what: None)
        assert self.study.study().is_reported()
        assert contents(self.study.output) == self.versions[1]


def without_remains(left: dict, version: dict) -> dict:
    """What is left without the temporary files of what was cut."""
    return {name: content for name, content in left.items() if name in version or not Path(name).name.startswith(".")}


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


WRITERS = (Runs, FirstRuns, FirstIngest, NextIngest, Stages, FirstPublication, NextPublication)
# Reports take a second to make: of their crashes so many are tried at most, spread evenly; as a command all.
MOST = {Stages: 16, FirstPublication: 16, NextPublication: 6}
# How many crashes of each are tried every time: the others make reports, which takes too long.
SOME = {Runs: 25, FirstRuns: 25, FirstIngest: 15, NextIngest: 15}


def tried(writer: type, place: Path, most: int | None = None) -> tuple[int, int, int, list[str]]:
    """How many operations a writer makes, how many crashes there are and were tried, and what did not hold.

    Parameters
        most: try so many, spread evenly; None: all.
    """
    disk = place / "disk"
    disk.mkdir()
    made = writer(place, disk)
    with Recorder(disk) as recorder:
        made.work(recorder.done)
    crashes, wrong = list(recorder.crashes()), []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("os.fsync", lambda descriptor: None)
        chosen = crashes[:: 1 if most is None else max(1, len(crashes) // most)]
        for crash in chosen:
            restore(disk, crash.files)
            try:
                made.check(crash)
            except Exception as e:  # noqa: BLE001 - whatever does not hold
                wrong.append(f"{crash.point} after {crash.after}, {crash.variant}: {type(e).__name__}: {str(e)[:300]}")
    return len(recorder.operations), len(crashes), len(chosen), wrong


@pytest.mark.parametrize("writer", SOME)
def test_of_crashes_some_leave_old_or_new_and_are_healed(tmp_path, monkeypatch, writer):
    published_reports.remember(monkeypatch)
    *_, count, wrong = tried(writer, tmp_path, SOME[writer])
    assert count >= SOME[writer] and wrong == []


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.matrix
@pytest.mark.timeout(1200)
def test_whatever_a_crash_leaves_is_old_or_new_and_is_healed(tmp_path, monkeypatch, writer):
    published_reports.remember(monkeypatch)
    *_, wrong = tried(writer, tmp_path, MOST.get(writer))
    assert wrong == []


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patched:
        published_reports.remember(patched)
        for one in [w for w in WRITERS if w.__name__ in sys.argv[1:] or not sys.argv[1:]]:
            with tempfile.TemporaryDirectory() as folder:
                operations, number, count, wrong = tried(one, Path(folder))
            counts = f"{operations:>4} operations, {number:>5} crashes, {count:>5} tried, {len(wrong)} wrong"
            print(f"{one.__name__:<16} {counts}", flush=True)
            print(*wrong[:12], sep="\n", end="\n" if wrong else "")
