"""The commands that compare two sets of tables and say what limits each point of one."""

from pathlib import Path
from typing import Annotated

import typer

from ycsbook import comparing, messages, named_tables, paths, printing
from ycsbook.commands.options import Json, TablesDir
from ycsbook.scaling.limits import limits as limits_of
from ycsbook.store import parquet

_Side = "folder of tables or of a report, params file, or published table."


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(epilog="Example: ycsbook limits output/tencent-2020-08/tables")(limits)
    app.command(epilog="Example: ycsbook compare qingcloud-4.0.3 tencent-2020-08")(compare)


def limits(
    tables_dir: TablesDir,
    as_json: Json = False,
) -> None:
    """What limits each point. The server, too few threads, something else, or nothing that can be told."""
    tables = parquet.read(tables_dir)
    points = messages.worded(limits_of(tables.runs, tables.operations))
    parquet.write({"limits": points}, tables_dir)
    if as_json:
        printing.print_json(printing.records(points))
        return
    if points.empty:
        print(messages.text("limits-nothing"))
        return
    several = points["dataset"].nunique() > 1
    printing.table(
        [*(["dataset"] if several else []), "workload", "spec", "threads", "ops/s", "limited by", "why"],
        [
            [
                *([r.dataset or "unnamed"] if several else []),
                *(r.workload, r.spec, f"{r.threads:g}", f"{r.observed:,.0f}", _limit(r), r.reason),
            ]
            for r in points.sort_values(["dataset", "outcome", "workload", "cores", "ram_gib", "threads"]).itertuples()
        ],
    )
    counts = points["limit_kind"].value_counts()
    print(f"{len(points)} points: {', '.join(f'{n} {kind}' for kind, n in counts.items())}")


def compare(
    a: Annotated[str, typer.Argument(help=f"What is compared with: {_Side}")],
    b: Annotated[str, typer.Argument(help=f"What is compared: {_Side}")],
    *,
    by: Annotated[str, typer.Option("--by", help="spec: equal specs only; law: B's law everywhere.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for comparisons.parquet.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Run store.", show_default="data/runs")] = paths.RUNS,
    as_json: Json = False,
) -> None:
    """The throughput of B over that of A, cell by cell. Also in the mean, with intervals and what is shown."""
    if by not in ("", "spec", "law"):
        raise typer.BadParameter(f"got {by!r}, expected spec or law", param_hint="--by")
    first, second = named_tables.read(a, store), named_tables.read(b, store)
    comparisons = messages.worded(comparing.compare(first, second, by=by or None))
    differs = [messages.say(difference) for difference in comparing.conditions(first, second)]
    summary = messages.say(comparing.summary(comparisons))
    if out is not None:
        parquet.write({"comparisons": comparisons}, out)
    if as_json:
        values = {"comparisons": printing.records(comparisons), "conditions": differs, "summary": summary}
        printing.print_json(values)
        return
    if len(comparisons):
        figures = ["ratio", "95 % interval (of this row alone)", "p (adjusted)", "verdict"]
        heads = ["workload", "threads", "spec", "by", *figures]
        printing.table(heads, [_row(row) for row in comparisons.itertuples()])
    for line in (*differs, summary):
        print(line)


def _limit(row: tuple) -> str:
    return f"{row.limit_kind}, retrograde" if row.retrograde else row.limit_kind


def _row(row: tuple) -> list[str]:
    interval = f"{row.conf_low:.2f} to {row.conf_high:.2f}" if row.conf_low == row.conf_low else ""
    values = [f"{row.ratio:.2f}" if row.ratio == row.ratio else "", interval, f"{row.p:.2g}" if row.p == row.p else ""]
    return [row.workload, f"{row.threads:g}", row.spec_a or "all", row.basis, *values, row.verdict]
