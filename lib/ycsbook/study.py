"""A params file and everything made from it, stage by stage; each stage starts from the files of the one before.

from ycsbook.study import Study
study = Study("params/local.yml")
study.run()             # data/runs/
study.ingest()          # output/<name>/tables/
study.analyse()
study.find()
study.write_report()    # output/<name>/report.html, report.md
"""

import json
import sys
from functools import cached_property
from pathlib import Path

import pandas as pd

from ycsbook import anomalies, documents, ingest, messages, opening, paths, provenance, scaling, sweep_runs
from ycsbook.errors import ParamsError, RunLogError, StoreError
from ycsbook.ingest.published import published
from ycsbook.report import InShort, Report, Section, Written, in_short, write
from ycsbook.report.build import build, part
from ycsbook.runner.selection import Selection
from ycsbook.store import atomic, parquet
from ycsbook.store.runs import MANIFEST
from ycsbook.sweep_runs import SweepRuns
from ycsbook.tables import Tables, concat

INPUTS, PARAMS, ENVIRONMENT = "inputs.json", "params.yml", "environment.json"
REJECTED = "rejected.json"
# That the report is whole.
REPORTED = "reported.json"


class Study(SweepRuns):
    """One sweep: its plan, its measured and published runs, its fits, findings and report. `params_file`, `store`: as
    for SweepRuns; `output`: where results are written, by default output/<name>."""

    def __init__(self, params_file: str | Path, *, store: str | Path = paths.RUNS, output: Path | None = None):
        super().__init__(params_file, store=store)
        # As loaded: results of this object do not follow from what is changed later.
        self._loaded = {**provenance.hashes([self.params_file]), **provenance.code()}
        self.folder = output or paths.OUTPUT / self.sweep.name
        self.tables_folder = self.folder / "tables"
        self._read: tuple[tuple[int, int], Tables] | None = None

    def plan(self, selection: Selection | None = None) -> pd.DataFrame:
        return pd.DataFrame(self.plan_rows(selection))

    def run(self, selection: Selection | None = None) -> pd.DataFrame:
        """Make the runs that are not there yet, showing progress; returns the plan as it then stands. While they are
        made the report is rewritten behind them, with what is known so far."""
        return pd.DataFrame(self.run_rows(selection, lambda: self))

    def ingest(self) -> Tables:
        """Read the sweep's measured and published runs and write their tables; says on stderr what is unreadable.
        Raises StoreError where there is nothing to read, or the output folder cannot be written."""
        self.look_again()
        parts, unread = [], []
        if self.sweep.server.published:
            parts.append(published.read_published(paths.resolve(self.sweep.server.published)))
        folders = [self.store.folder(m["run_id"]) for m in self.manifests]
        if folders:
            measured, rejected = ingest.read_with_rejects(folders)
            parts.append(measured)
            for error in rejected:
                print(f"rejected: {error}", file=sys.stderr)
                unread.append(self._place(error))
        if not parts:
            unset, first = sweep_runs.without_address(self.sweep), ""
            if len(unset) == len(self.sweep.specs):
                variables = sweep_runs.variables(unset.values())
                first = f"set the environment variables {variables} to its servers' URIs and "
            raise StoreError(
                f"{self.store.root}: holds no run of {self.sweep.name!r} yet; {first}"
                f"make them with 'ycsbook run {provenance.short(self.params_file)}', or choose a params file with "
                "published rows, such as params/qingcloud-4.0.3.yml"
            )
        tables = concat(parts)
        atomic.require_inside(self.folder, self.tables_folder)
        atomic.settle(self.tables_folder)
        with atomic.writing(self.tables_folder):
            # Fits and findings of the tables before must not be taken for those of the new ones.
            derived = (p for p in self.tables_folder.glob("*.parquet") if p.stem not in dict(tables.items()))
            atomic.remove(self.tables_folder / REPORTED, *derived)
        # The params are what a published report is checked with; the inputs say whether it is that of these tables.
        unread_text = json.dumps(unread, indent=1, ensure_ascii=False) + "\n"
        inputs_text = json.dumps(self.inputs, indent=1, sort_keys=True) + "\n"
        beside = {REJECTED: unread_text.encode(), INPUTS: inputs_text.encode(), PARAMS: self.params_file.read_bytes()}
        parquet.write(tables, self.tables_folder, beside)
        return tables

    def tables(self) -> Tables:
        """The tables as ingested; ingests first where an input or the code has changed."""
        self.look_again()
        if not self._is_fresh():
            return self.ingest()
        # Written with the tables, so another time or file means other tables.
        written = (self.tables_folder / INPUTS).stat()
        stamp = (written.st_mtime_ns, written.st_ino)
        if self._read is None or self._read[0] != stamp:
            self._read = (stamp, parquet.read(self.tables_folder))
        return self._read[1].copy()

    @cached_property
    def inputs(self) -> dict[str, str]:
        """Everything the results follow from: files by path with their SHA-256, and the code's."""
        files = list(paths.NOTEBOOKS.glob("[0-9]*.ipynb"))
        if self.sweep.server.published:
            table = paths.resolve(self.sweep.server.published)
            files += [table, table.with_suffix(".json")]
        files += [folder / "runs.parquet" for folder in self._earlier]
        runs = {f"{m['run_id']}/{MANIFEST}": self.store.folder(m["run_id"]) / MANIFEST for m in self.manifests}
        made = {name: provenance.digest(file) for name, file in runs.items()}
        return {**provenance.hashes(files), **made, **self._loaded}

    @property
    def _earlier(self) -> list[Path]:
        history = self.sweep.report.history
        return parquet.folders(paths.resolve(history)) if history else []

    def history(self) -> Tables | None:
        """The runs of earlier occasions; None: there are none, or the params file names no folder of them."""
        runs = [parquet.read_table(folder, "runs") for folder in self._earlier]
        return Tables(runs=pd.concat(runs, ignore_index=True)) if runs else None

    def is_reported(self) -> bool:
        written = (self.tables_folder / REPORTED, self.folder / "report.html", self.folder / "report.md")
        return self._is_fresh() and all(path.is_file() for path in written)

    def made_from(self) -> str:
        """The other params file that made this folder's results; empty: this one, also moved or renamed, or none."""
        try:
            recorded = self._json(INPUTS)
            made_with = provenance.digest(self.tables_folder / PARAMS)
            name = next((name for name, digest in recorded.items() if digest == made_with), "")
        except (OSError, ValueError, AttributeError, StoreError):
            return ""
        own_name = provenance.short(self.params_file)
        # One that is gone was renamed and then edited. Of those outside the repository only the name is known.
        gone = "/" in name and not paths.resolve(name).is_file()
        return "" if name == own_name or gone or made_with in self._loaded.values() else name

    def look_again(self) -> None:
        """Forget what was read of the store and the inputs, which may have changed."""
        super().look_again()
        atomic.settle(self.tables_folder)
        self.__dict__.pop("inputs", None)

    def _is_fresh(self) -> bool:
        try:
            return self._json(INPUTS) == self.inputs
        except (OSError, ValueError):
            return False

    def _json(self, name: str) -> object:
        return opening.json_content(self.tables_folder / name, root=self.tables_folder)

    def analyse(self) -> scaling.Analysis:
        tables = self.tables()
        analysis = scaling.analyse(tables.runs, tables.operations).with_tables(messages.worded)
        parquet.write(analysis.tables(), self.tables_folder)
        return analysis

    def analysis(self) -> scaling.Analysis:
        if self._has(*scaling.TABLES):
            parts = {part: parquet.read_table(self.tables_folder, name) for name, part in scaling.TABLES.items()}
            return scaling.Analysis(**parts)
        return self.analyse()

    def find(self) -> pd.DataFrame:
        tables = self.tables()
        settings = anomalies.Settings.of(self.sweep.anomalies, planned_s=self.sweep.min_duration)
        about = {"history": self.history(), "documents": documents.of(tables)}
        findings = messages.worded(anomalies.find(tables, settings=settings, **about))
        parquet.write({"findings": findings}, self.tables_folder)
        return findings

    def findings(self) -> pd.DataFrame:
        """The findings as written; looks first where there are none for these tables."""
        if self._has("findings"):
            return parquet.read_table(self.tables_folder, "findings")
        return self.find()

    def report(self, *, details: bool = True) -> Report:
        """The report, as blocks that show themselves in a notebook; without details only the first part."""
        tables = self.tables()
        facts = self._facts()
        atomic.write_text(self.tables_folder / ENVIRONMENT, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
        return build(
            self.sweep, tables, self.analysis(), self.findings(), facts, rejected=self.rejected(),
            history=self.history(), details=details,
        )  # fmt: skip

    def in_short(self) -> InShort:
        return in_short(self.sweep, self.tables(), self.findings())

    def rejected(self) -> list[tuple[str, str]]:
        """The files that could not be read: path in the store, with the line where known, and why."""
        unread = self._json(REJECTED) if (self.tables_folder / REJECTED).is_file() else []
        return [(place, reason) for place, reason in unread]

    def _place(self, error: RunLogError) -> tuple[str, str]:
        path = Path(error.path)
        name = path.relative_to(self.store.root).as_posix() if path.is_relative_to(self.store.root) else path.name
        return f"{name}:{error.line}" if error.line is not None else name, error.reason

    def write_report(self, report: Report | None = None, *, whole: bool = True) -> Written:
        """Write report.html, report.md and figures/ of this report, else of one made now; returns their paths. One that
        is not whole, as of a sweep under way, is made again by whoever asks for the report."""
        report = report or self.report()
        # Pages, figures and data change one by one: what is cut half-way must not pass for a report.
        with atomic.writing(self.tables_folder):
            atomic.remove(self.tables_folder / REPORTED)
        written = write(report, self.folder)
        if whole:
            atomic.write_text(self.tables_folder / REPORTED, "{}\n")
        return written

    def part(self, anchor: str) -> Section:
        """One section of the report by its anchor, such as scaling or latency; raises ParamsError for any other."""
        try:
            return part(
                self.sweep, self.tables(), anchor, self.analysis, self.findings, environment=self._facts,
                rejected=self.rejected(),
            )  # fmt: skip
        except KeyError as e:
            raise ParamsError(f"{self.sweep.name}: {e.args[0]}") from None

    def _facts(self) -> dict[str, dict[str, str]]:
        return provenance.environment(self.sweep, self.manifests, self.inputs)

    def _has(self, *tables: str) -> bool:
        return self._is_fresh() and all((self.tables_folder / f"{t}.parquet").is_file() for t in tables)
