"""The commands on the run store: how far a sweep is, and what lies in quarantine."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import paths, printing, sweep_runs, units
from ycsbook.commands.options import Every, Json, Params, Store, runs_of
from ycsbook.store.runs import RunStore, delete_attempts, in_quarantine
from ycsbook.verdicts import Outcome


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(epilog="Example: ycsbook status params/local.yml --json")(status)
    app.command(epilog="Example: ycsbook fsck")(fsck)
    app.command(epilog="Example: ycsbook prune --older-than 30d")(prune)


def status(
    params: Params,
    store: Store = paths.RUNS,
    *,
    every: Every = False,
    as_json: Json = False,
) -> None:
    """Each run of a sweep with its outcome. Needs neither servers nor the load generator."""
    runs = runs_of(params, store)
    rows = runs.status_rows()
    if as_json:
        printing.print_json(rows)
        return
    columns = ["spec", "workload", "threads", "repeat", *printing.varied(rows), "outcome", "ended_at"]
    # What is as it should be, or was not begun, needs no row.
    shown = rows if every else [row for row in rows if row["outcome"] not in (Outcome.COMPLETED, sweep_runs.MISSING)]
    if shown:
        cells = [[str(row[column]) for column in columns] for row in shown]
        printing.table(columns, cells, below=[row["reasons"] for row in shown])
    more = "; --all lists each" if len(shown) < len(rows) else ""
    print(f"{len(rows)} runs: {printing.counts(row['outcome'] for row in rows)}{more}")
    missing = {row["spec"] for row in rows if row["outcome"] == sweep_runs.MISSING}
    if unset := {s: name for s, name in sweep_runs.without_address(runs.sweep).items() if s in missing}:
        specs = f"{len(unset)} specs" if len(unset) > 3 else ", ".join(unset)
        print(f"no server for what is missing of {specs}: set {sweep_runs.variables(unset.values())}")


def fsck(store: Store = paths.RUNS, *, as_json: Json = False) -> None:
    """Verify the files of every finished run. Against the hashes in its manifest; 'run' remakes what was altered."""
    runs = RunStore(store.resolve())
    altered = {manifest["run_id"]: runs.altered(manifest) for manifest in runs.manifests()}
    bad = {run_id: files for run_id, files in altered.items() if files}
    if as_json:
        printing.print_json({"runs": len(altered), "altered": bad})
    else:
        for run_id, files in bad.items():
            printing.paragraph(f"{run_id}: gone or altered: {', '.join(files)}", indent="  ")
        print(f"{store}: {len(altered)} runs, {len(bad)} altered")
    if bad:
        raise typer.Exit(1)


def prune(
    store: Annotated[
        Path, typer.Option("--store", help="Run store, if not data/runs.", show_default=False)
    ] = paths.RUNS,
    *,
    older_than: Annotated[str, typer.Option("--older-than", help="Only what is older: 12h, 30d.")] = "0s",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would go, delete nothing.")] = False,
) -> None:
    """Delete what lies in the store's quarantine. That is attempts without success, remains, and runs made again since.

    Runs that count are never deleted.
    """
    attempts = in_quarantine(store.resolve(), older_than)
    if not attempts:
        print(f"{store}: nothing in quarantine" + ("" if older_than == "0s" else f" older than {older_than}"))
        return
    rows = [[a.folder.name, a.outcome, units.duration(a.age_s), f"{a.size_bytes / 1e6:.1f} MB"] for a in attempts]
    printing.table(["attempt", "outcome", "age", "size"], rows)
    total = f"{len(attempts)} attempts, {sum(a.size_bytes for a in attempts) / 1e6:.1f} MB"
    if dry_run:
        print(f"would delete {total}")
        return
    if not yes and not (sys.stdin.isatty() and typer.confirm(f"delete {total}?")):
        print("nothing deleted" + ("" if sys.stdin.isatty() else "; say --yes where nobody can be asked"))
        raise typer.Exit(1)
    delete_attempts(attempts)
    print(f"deleted {total}")
