"""`ycsbook watch`: a sweep while it is being made, from another terminal."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import messages, params, paths, printing
from ycsbook.commands.options import Json, Params, Store, runs_of
from ycsbook.runner.progress import REFRESH_S, Progress, snapshot
from ycsbook.store import lock

if TYPE_CHECKING:
    from ycsbook.sweep_runs import SweepRuns

# So many findings and runs fit on a screen beside the rest.
FINDINGS, LATEST = 5, 5


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook watch params/local.yml")(watch)


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
    runs, completed = runs_of(params, store), set()
    if as_json or once:
        progress = _look(runs, completed)
        if as_json:
            printing.print_json(_as_dict(runs, progress))
        else:
            print(*_lines(runs, progress), sep="\n")
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    console = Console()
    with Live(console=console, auto_refresh=False, transient=False) as live:
        while True:
            progress = _look(runs, completed)
            live.update(Group(*(Text(line, overflow="fold") for line in _lines(runs, progress))), refresh=True)
            if progress.done == progress.total:
                return
            time.sleep(REFRESH_S)


def _look(runs: "SweepRuns", completed: set[str]) -> Progress:
    runs.look_again()
    return snapshot(_planned(runs), runs.store, completed=completed)


def _planned(runs: "SweepRuns") -> list[params.PlannedRun]:
    from ycsbook.runner.sweep import planned_runs

    return planned_runs(runs.sweep, store=runs.store)[0]


def _lines(runs: "SweepRuns", progress: Progress) -> Iterator[str]:
    """What is shown: how far, the run being made, the latest runs, the findings of the report that grows beside."""
    yield messages.text("watch-progress", name=runs.sweep.name, done=progress.done, total=progress.total,
                        seconds=progress.seconds_left)  # fmt: skip
    measuring = lock.is_held(runs.store.root)
    if progress.current and measuring:
        yield messages.text("watch-current", run=progress.current, pace=progress.pace or None)
    elif progress.done < progress.total and not measuring:
        yield messages.text("watch-idle")
    latest = sorted(
        (row for row in runs.status_rows() if row["ended_at"]), key=lambda row: row["ended_at"], reverse=True
    )
    if latest:
        yield ""
    for row in latest[:LATEST]:
        yield messages.text("watch-run", at=row["ended_at"][11:19], **{name: row[name] or None for name in _SHOWN})
    found = _findings(runs)
    if found:
        yield ""
        yield messages.text("watch-findings", n=len(found))
    for severity, message in found[:FINDINGS]:
        yield f"{severity:8}{message}"


_SHOWN = ("spec", "workload", "threads", "repeat", "outcome", "reasons")


def _findings(runs: "SweepRuns") -> list[tuple[str, str]]:
    """Severity and sentence of each finding that the report knows of, the gravest first."""
    folder = paths.OUTPUT / runs.sweep.name / "tables"
    if not (folder / "findings.parquet").is_file():
        return []
    # Tables take a second to load, which whoever watches a short sweep never needs.
    from ycsbook import anomalies
    from ycsbook.store import parquet

    found = messages.worded(anomalies.grouped(parquet.read_table(folder, "findings")))
    return list(zip(found["severity"], found["message"], strict=True))


def _as_dict(runs: "SweepRuns", progress: Progress) -> dict:
    return {
        "name": runs.sweep.name, "done": progress.done, "total": progress.total, "current": progress.current,
        "seconds_left": progress.seconds_left, "recent_ops_s": progress.recent_ops_s,
        "measuring": lock.is_held(runs.store.root),
        "findings": [{"severity": severity, "message": message} for severity, message in _findings(runs)],
    }  # fmt: skip
