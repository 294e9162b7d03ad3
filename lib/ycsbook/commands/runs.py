"""The commands about the runs of a sweep and the store that keeps them."""

import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import messages, paths, sweep_runs, units
from ycsbook.commands import Every, Json, Params, Store, runs_of
from ycsbook.errors import YcsbookError
from ycsbook.messages.formats import gathered
from ycsbook.params import Sweep, thread_counts
from ycsbook.printing import counts, paragraph, print_json, table, varied
from ycsbook.runner.dispatch import Dispatch, Job, takes_s
from ycsbook.runner.progress import REFRESH_S, snapshot
from ycsbook.runner.selection import Selection
from ycsbook.store import lock
from ycsbook.store.runs import PARTIAL, RunStore, delete_attempts, in_quarantine
from ycsbook.verdicts import Outcome

if TYPE_CHECKING:
    from ycsbook.sweep_runs import SweepRuns

# So many findings and runs fit on a screen beside the rest.
FINDINGS, LATEST = 5, 5
_SHOWN = ("spec", "workload", "threads", "repeat", "outcome", "reasons")


def plan(params: Params, store: Store = paths.RUNS, *, every: Every = False, as_json: Json = False) -> None:
    """The runs a params file asks for, and which are done. Says how long the others take."""
    runs = runs_of(params, store)
    _print_plan(runs.plan_rows(), runs.sweep, as_json, every=every)


def _print_plan(rows: list[dict], sweep: Sweep, as_json: bool, *, force: bool = False, every: bool = False) -> None:
    if as_json:
        print_json(rows)
        return
    columns = ["spec", "workload", "threads", "repeat", *varied(rows), "state", "runs"]
    table_rows = [{**row, "runs": 1} for row in rows] if every else _grouped(rows)
    table(columns, [[str(row[column]) for column in columns] for row in table_rows])
    pending = [row for row in rows if force or row["state"] != "completed"]
    servers = [row for row in pending if not row["state"].startswith("no server")]
    parts = [
        f"{len(rows)} run{'' if len(rows) == 1 else 's'}: {len(rows) - len(pending)} done",
        f"{len(servers)} to make{_duration(servers, sweep.cluster.at_once)}",
    ]
    if without := [row for row in pending if row["state"].startswith("no server")]:
        parts.append(f"{len(without)} without a server{_duration(without)}")
    more = "" if len(table_rows) == len(rows) else "; --all lists each, in the order of their making"
    paragraph(", ".join(parts) + more)
    if (until := sweep.until) is not None:
        most = len(sweep.specs) * len(sweep.workloads) * len(thread_counts(sweep)) * sweep.repeats
        limits = [f"{until.max_hours:g} h"] if until.max_hours is not None else []
        limits += [f"{until.max_cost:g} {sweep.currency}".strip()] if until.max_cost is not None else []
        at_most = " and ".join(limits) or f"{most} runs, as many as the whole matrix has"
        paragraph(f"until {until.goal} is answered; further rounds follow from what is measured, at most {at_most}")


def _duration(rows: list[dict], at_once: int = 1) -> str:
    if not rows:
        return ""
    if at_once == 1:
        return f" (about {units.duration(sum(row['expected_s'] for row in rows))})"
    jobs = [Job(row, row["spec"], "") for row in rows]
    lasts_s = takes_s(Dispatch([str(i) for i in range(at_once)], 1, at_once, jobs), lambda job: job.run["expected_s"])
    return f" (about {units.duration(lasts_s)}, {at_once} servers at once)"


def _grouped(rows: list[dict]) -> list[dict]:
    grouped = []
    for alike in gathered(((row["spec"], row["variation"], row["state"]), row) for row in rows).values():
        several = {name: sorted({row[name] for row in alike}) for name in ("workload", "threads", "repeat")}
        listed = {name: ", ".join(map(str, values)) for name, values in several.items()}
        grouped.append({**alike[0], **listed, "runs": len(alike)})
    return grouped


def run(
    params: Params,
    store: Store = paths.RUNS,
    *,
    only: Annotated[
        list[str],
        typer.Option("--only", metavar="WHICH", help="Only these: --only 'cores=8,threads=100|200'; several add up."),
    ] = [],  # noqa: B006
    repeat: Annotated[
        int | None,
        typer.Option("--repeat", metavar="NUMBER", min=1, help="So many repeats instead of the params file's."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Also those that are completed; the old ones move to quarantine.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would be made, make nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Make the runs that are not there yet. Can be stopped at any time and goes on where it stopped."""
    selection, runs = Selection.parse(only, repeat, force), runs_of(params, store)
    if dry_run:
        _print_plan(runs.plan_rows(selection), selection.of(runs.sweep), as_json, force=force)
        return

    def study():
        # Data frames and pictures take seconds to load, which short sweeps never need.
        from ycsbook.study import Study

        return Study(runs.params_file, store=runs.store.root)

    rows = runs.run_rows(selection, study)
    if as_json:
        print_json(rows)
    else:
        unset = sweep_runs.without_address(runs.sweep)
        lacking = f"no server: set {sweep_runs.variables(unset[s] for s in unset if any(r['spec'] == s for r in rows))}"
        print(counts(lacking if row["state"].startswith("no server") else row["state"] for row in rows))
    if all(row["state"].startswith("no server") for row in rows):
        raise YcsbookError(
            f"{params}: none of its specs has a server; set the environment variables named above to their URIs"
        )
    bad = [row for row in rows if row["state"] in ("failed", "incomplete")]
    for row in bad:
        print(f"ycsbook: {row['run_id']}: {row['state']}: {row['reasons']}", file=sys.stderr)
    if bad:
        raise typer.Exit(1)


def status(params: Params, store: Store = paths.RUNS, *, every: Every = False, as_json: Json = False) -> None:
    """Each run of a sweep with its outcome. Needs neither servers nor the load generator."""
    runs = runs_of(params, store)
    rows = runs.status_rows()
    if as_json:
        print_json(rows)
        return
    columns = ["spec", "workload", "threads", "repeat", *varied(rows), "outcome", "ended_at"]
    listed = rows if every else [row for row in rows if row["outcome"] not in (Outcome.COMPLETED, sweep_runs.MISSING)]
    if listed:
        cells = [[str(row[column]) for column in columns] for row in listed]
        table(columns, cells, below=[row["reasons"] for row in listed])
    more = "; --all lists each" if len(listed) < len(rows) else ""
    print(f"{len(rows)} runs: {counts(row['outcome'] for row in rows)}{more}")
    missing = {row["spec"] for row in rows if row["outcome"] == sweep_runs.MISSING}
    if unset := {s: name for s, name in sweep_runs.without_address(runs.sweep).items() if s in missing}:
        specs = f"{len(unset)} specs" if len(unset) > 3 else ", ".join(unset)
        print(f"no server for what is missing of {specs}: set {sweep_runs.variables(unset.values())}")


def fsck(store: Store = paths.RUNS, *, as_json: Json = False) -> None:
    """Verify the files of every finished run. Against the hashes in its manifest; 'run' remakes what was altered."""
    runs = RunStore(store.resolve())
    manifests = list(runs.manifests())
    altered = {manifest["run_id"]: runs.altered(manifest) for manifest in manifests}
    loads = sum(manifest.get("phase") == "load" for manifest in manifests)
    bad = {run_id: files for run_id, files in altered.items() if files}
    if as_json:
        print_json({"runs": len(altered) - loads, "loads": loads, "altered": bad})
    else:
        for run_id, files in bad.items():
            paragraph(f"{run_id}: gone or altered: {', '.join(files)}", indent="  ")
        print(f"{store}: {len(altered) - loads} runs{f' and {loads} loads' if loads else ''}, {len(bad)} altered")
    if bad:
        raise typer.Exit(1)


def prune(
    store: Store = paths.RUNS,
    *,
    older_than: Annotated[str, typer.Option("--older-than", help="Only what is older: 12h, 30d.")] = "0s",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would go, delete nothing.")] = False,
) -> None:
    """Delete what lies in the store's quarantine. That is attempts without success, remains, and runs made again since.

    Runs that count are never deleted.
    """
    root = store.resolve()
    attempts = in_quarantine(root, older_than)
    if not attempts:
        print(f"{store}: nothing in quarantine" + ("" if older_than == "0s" else f" older than {older_than}"))
        return
    rows = [[a.folder.name, a.outcome, units.duration(a.age_s), f"{a.size_bytes / 1e6:.1f} MB"] for a in attempts]
    table(["attempt", "outcome", "age", "size"], rows)
    total = f"{len(attempts)} attempts, {sum(a.size_bytes for a in attempts) / 1e6:.1f} MB"
    if dry_run:
        print(f"would delete {total}")
        return
    if not yes and not (sys.stdin.isatty() and typer.confirm(f"delete {total}?")):
        print("nothing deleted" + ("" if sys.stdin.isatty() else "; say --yes where nobody can be asked"))
        raise typer.Exit(1)
    delete_attempts(root, attempts)
    print(f"deleted {total}")


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
    watched.look()
    if as_json:
        print_json(watched.as_dict())
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
            watched.look()


class _Watched:
    """A watched sweep. Plan and findings are read again only when a run has ended: hashing would disturb it."""

    def __init__(self, runs: "SweepRuns"):
        self._runs, self._completed, self._seen = runs, set(), None

    def look(self) -> None:
        store, report = self._runs.store, paths.OUTPUT / self._runs.sweep.name / "tables" / "findings.parquet"
        ended = {path.name for path in store.root.glob("*") if path.suffix != PARTIAL}
        state = (ended, report.stat().st_mtime_ns if report.is_file() else 0)
        if state != self._seen:
            from ycsbook.runner.sweep import planned_runs  # here: what starts servers takes long to load

            self._seen, self._planned = state, planned_runs(self._runs.sweep, store=store)[0]
            self._findings = _findings(report.parent) if report.is_file() else []
            self._below = list(_below(self._runs, self._findings))
        self._measuring = lock.is_held(store.root)
        self.progress = snapshot(self._planned, store, completed=self._completed)

    def lines(self) -> Iterator[str]:
        progress, name = self.progress, self._runs.sweep.name
        yield messages.text("watch-progress", name=name, done=progress.done, total=progress.total,
                            seconds=progress.seconds_left)  # fmt: skip
        if progress.current and self._measuring:
            yield messages.text("watch-current", run=progress.current, pace=progress.pace or None)
        elif progress.done < progress.total and not self._measuring:
            yield messages.text("watch-idle")
        yield from self._below

    def as_dict(self) -> dict:
        findings = [{"severity": severity, "message": message} for severity, message in self._findings]
        name, progress = self._runs.sweep.name, asdict(self.progress)
        return {"name": name, **progress, "measuring": self._measuring, "findings": findings}


def _below(runs: "SweepRuns", findings: list[tuple[str, str]]) -> Iterator[str]:
    rows = sorted((row for row in runs.status_rows() if row["ended_at"]), key=lambda row: row["ended_at"], reverse=True)
    if rows:
        yield ""
    for row in rows[:LATEST]:
        yield messages.text("watch-run", at=row["ended_at"][11:19], **{name: row[name] or None for name in _SHOWN})
    if findings:
        yield ""
        yield messages.text("watch-findings", n=len(findings), shown=FINDINGS if len(findings) > FINDINGS else None)
    for severity, message in findings[:FINDINGS]:
        yield f"{severity:8}{message}"


def _findings(folder: Path) -> list[tuple[str, str]]:
    # Tables take a second to load, which whoever watches a short sweep never needs.
    from ycsbook import anomalies
    from ycsbook.store import parquet

    findings = messages.worded(anomalies.grouped(parquet.read_table(folder, "findings")))
    return list(zip(findings["severity"], findings["message"], strict=True))
