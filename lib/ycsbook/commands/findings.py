"""`ycsbook anomalies`: what is impossible, suspicious or worth knowing."""

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import printing
from ycsbook.commands import Json, SourceArgument, opened, settings_of, sweep_of
from ycsbook.messages import worded

if TYPE_CHECKING:
    from ycsbook.tables import Tables

# What computes is loaded by the functions that need it: --help does not wait for it.

# So many findings fit on a screen.
FIRST = 10
_INDENT = " " * 8


def anomalies(
    source: SourceArgument,
    rules: Annotated[
        list[str], typer.Option("--rule", metavar="NAME", help="Only this rule; may be given again.")
    ] = [],  # noqa: B006
    *,
    every: Annotated[bool, typer.Option("--all", help="Each finding, also those with one cause.")] = False,
    params: Annotated[Path | None, typer.Option("--params", help="Params file with thresholds and the plan.")] = None,
    history: Annotated[
        Path | None, typer.Option("--history", help="Tables of earlier runs, for change points.")
    ] = None,
    as_json: Json = False,
) -> None:
    """What is impossible, suspicious or worth knowing in tables. Findings with one cause are told as one."""
    from ycsbook import anomalies as checks
    from ycsbook.store import parquet

    sweep = sweep_of(source, params)
    settings = settings_of(source, sweep)
    tables, publishers, folder = _read(source)
    earlier = parquet.read(history) if history else None
    findings = worded(checks.find(tables, settings=settings.only(rules), history=earlier, documents=publishers))
    # A choice of rules is not the tables' findings, and published evidence stays as it is.
    if not rules and folder:
        parquet.write({"findings": findings}, folder)
    chosen = findings if every else worded(checks.grouped(findings))
    if as_json:
        printing.print_json(printing.records(chosen))
        return
    # The gravest first; what to do is said once where neighbours have it in common.
    listed = chosen if every else chosen.head(FIRST)
    for (_, step), rows in groupby(listed.itertuples(), key=lambda row: (row.severity, row.next_step)):
        for row in rows:
            printing.paragraph(f"{row.severity:8}{row.rule}: {row.message}", indent=_INDENT)
        printing.paragraph(f"{_INDENT}→ {step}", indent=f"{_INDENT}  ")
    hidden = f"; by cause {len(listed)} of {len(chosen)} shown, --all lists each" if len(listed) < len(findings) else ""
    print(f"{len(findings)} {'finding' if len(findings) == 1 else 'findings'}{hidden}")


def _read(source: str) -> tuple["Tables", dict[str, dict], Path | None]:
    """The tables of a source, what publishers say of their datasets, and the folder where tables lie."""
    from ycsbook import documents
    from ycsbook.ingest.published.published import read_published
    from ycsbook.store import parquet
    from ycsbook.tables import concat

    path = Path(source)
    sidecars = documents.within(path) if path.is_dir() and not parquet.is_in(path) else {}
    if not sidecars:
        tables, folder = opened(source)
        return tables, documents.of(tables), folder
    vendors = [name for name, sidecar in sidecars.items() if "vendor" in sidecar["facts"]]
    return concat([read_published(path.resolve() / f"{name}.csv") for name in vendors]), sidecars, None
