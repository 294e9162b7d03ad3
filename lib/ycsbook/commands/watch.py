"""`ycsbook watch`: a sweep while it is being made, from another terminal."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import messages, params, paths, printing
from ycsbook.commands import Json, Params, Store, runs_of
from ycsbook.runner.progress import REFRESH_S, Progress, snapshot
from ycsbook.store import lock
from ycsbook.store.runs import PARTIAL

if TYPE_CHECKING:
    from ycsbook.sweep_runs import SweepRuns

# So many findings and runs fit on a screen beside the rest.
FINDINGS, LATEST = 5, 5
_SHOWN = ("spec", "workload", "threads", "repeat", "outcome", "reasons")


def watch(
    params: Params,
    store: Store = paths.RUNS,
    *,
    once: Annotated[bool, typer.Option("--once", help="Say how it is now, and end.")] = False,
    as_json: Json = False,
) -> None:
    """A sweep while it is made. Runs done, throughput of late, time left, findings as they appear.

    Ends with the last run, or with Ctrl-C, which stops nothing but this.
    """
    watched = _Watched(runs_of(params, store))
    if as_json:
        printing.print_json(watched.as_dict())
        return
    if once:
        print(*watched.lines(), sep="\n")
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            live.update(Group(*(Text(line, overflow="fold") for line in watched.lines())), refresh=True)
            if watched.progress.done == watched.progress.total:
                return
            time.sleep(REFRESH_S)


class _Watched:
    """A sweep as it stands. Plan, verdicts and findings are read anew when a run has ended, not each time it is looked
    at: they take hashing and loading, beside a run that is being measured."""

    def __init__(self, runs: "SweepRuns"):
        self._runs, self._completed, self._seen = runs, set(), None
        self._planned: list[params.PlannedRun] = []
        self._below: list[str] = []
        self.findings: list[tuple[str, str]] = []

    @property
    def progress(self) -> Progress:
        return snapshot(self._planned, self._runs.store, completed=self._completed)

    @property
    def is_measuring(self) -> bool:
        return lock.is_held(self._runs.store.root)

    def _look(self) -> Progress:
        report = paths.OUTPUT / self._runs.sweep.name / "tables" / "findings.parquet"
        ended = {path.name for path in self._runs.store.root.glob("*") if path.suffix != PARTIAL}
        seen = (ended, report.stat().st_mtime_ns if report.is_file() else 0)
        if seen != self._seen:
            from ycsbook.runner.sweep import planned_runs

            self._seen, self._planned = seen, planned_runs(self._runs.sweep, store=self._runs.store)[0]
            self.findings = _findings(report.parent) if report.is_file() else []
            self._below = list(_below(self._runs, self.findings))
        return self.progress

    def lines(self) -> Iterator[str]:
        """How far it is, the run being made, the latest runs, the findings of the report that grows beside."""
        progress, name = self._look(), self._runs.sweep.name
        yield messages.text("watch-progress", name=name, done=progress.done, total=progress.total,
                            seconds=progress.seconds_left)  # fmt: skip
        if progress.current and self.is_measuring:
            yield messages.text("watch-current", run=progress.current, pace=progress.pace or None)
        elif progress.done < progress.total and not self.is_measuring:
            yield messages.text("watch-idle")
        yield from self._below

    def as_dict(self) -> dict:
        progress = self._look()
        return {
            "name": self._runs.sweep.name, "done": progress.done, "total": progress.total, "current": progress.current,
            "seconds_left": progress.seconds_left, "recent_ops_s": progress.recent_ops_s,
            "measuring": self.is_measuring,
            "findings": [{"severity": severity, "message": message} for severity, message in self.findings],
        }  # fmt: skip


def _below(runs: "SweepRuns", findings: list[tuple[str, str]]) -> Iterator[str]:
    rows = sorted((row for row in runs.status_rows() if row["ended_at"]), key=lambda row: row["ended_at"], reverse=True)
    if rows:
        yield ""
    for row in rows[:LATEST]:
        yield messages.text("watch-run", at=row["ended_at"][11:19], **{name: row[name] or None for name in _SHOWN})
    if findings:
        yield ""
        yield messages.text("watch-findings", n=len(findings))
    for severity, message in findings[:FINDINGS]:
        yield f"{severity:8}{message}"


def _findings(folder: Path) -> list[tuple[str, str]]:
    """Severity and sentence of each finding that the report knows of, the gravest first."""
    # Tables take a second to load, which whoever watches a short sweep never needs.
    from ycsbook import anomalies
    from ycsbook.store import parquet

    found = messages.worded(anomalies.grouped(parquet.read_table(folder, "findings")))
    return list(zip(found["severity"], found["message"], strict=True))
