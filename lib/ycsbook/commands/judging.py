"""The commands that judge tables: what limits each point, what is suspicious, and how two sets of them compare."""

import shlex
from itertools import groupby
from math import isnan
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import messages, paths, printing
from ycsbook.commands import Json, SourceArgument, grades_of, opened, settings_of, sweep_of
from ycsbook.errors import ParamsError
from ycsbook.facts import fact
from ycsbook.messages.formats import within
from ycsbook.names import natural

if TYPE_CHECKING:
    import pandas as pd

    from ycsbook.tables import Tables

# What computes is loaded by the commands when they are called: --help does not wait for it.

FIRST = 10
_INDENT = " " * 8
# A verdict longer than this stands under its row.
_WORD = 12
_Side = "folder of tables or of a report, params file, or published table."


def limits(
    source: SourceArgument,
    *,
    every: Annotated[bool, typer.Option("--all", help="Each point with its reason.")] = False,
    as_json: Json = False,
) -> None:
    """What limits each point. The server, too few threads, something else, or nothing that can be told."""
    from ycsbook import trust
    from ycsbook.scaling.limits import counted, flat_sweeps, shared_ceilings
    from ycsbook.scaling.limits import limits as limits_of
    from ycsbook.scaling.points import UnfitError
    from ycsbook.store import parquet

    tables, folder = opened(source)
    points = messages.worded(limits_of(tables.runs, tables.operations))
    if folder:
        parquet.write({"limits": points}, folder)
    if as_json:
        printing.print_json(printing.records(points))
    if points.empty:
        raise UnfitError(fact("limits-nothing"))
    if as_json:
        return
    points = points.sort_values(["dataset", "outcome", "workload", "cores", "ram_gib", "spec", "threads"], key=natural)
    if every:
        grades = grades_of(source, tables, sweep_of(source, None))
        _print_points(points.assign(grade=trust.of_cells(points, tables.runs, grades)))
    printing.paragraph(messages.say(counted(points)))
    for sentence in (*flat_sweeps(points).values(), *shared_ceilings(points).values()):
        printing.paragraph(messages.say(sentence), indent="  ")
    if not every:
        for kind in points["limit_kind"].value_counts().index:
            _print_kind(points[points["limit_kind"] == kind])
        print(messages.text("limits-more"))


def _print_points(points: "pd.DataFrame") -> None:
    several = points["dataset"].nunique() > 1
    printing.table(
        [*(["dataset"] if several else []), "mix", "spec", "threads", "ops/s", "trust", "limit"],
        [
            [
                *([p.dataset or "unnamed"] if several else []),
                *(mix, p.spec, printing.threads(p.threads), f"{p.observed:,.0f}", p.grade),
                messages.text("limits-kind", kind=p.limit_kind, retrograde=bool(p.retrograde)),
            ]
            for p, mix in zip(points.itertuples(), printing.mixes(points), strict=True)
        ],
        below=points["reason"].tolist(),
    )
    counts = sorted(points["grade"].value_counts().items())
    grades = [fact("results-grade", grade=grade, n=n) for grade, n in counts if grade]
    printing.paragraph(messages.text("results-trust", grades=grades))


def _print_kind(points: "pd.DataFrame") -> None:
    kind = messages.text("limits-kind", kind=points["limit_kind"].iloc[0], retrograde=False)
    print(f"\n{kind}: {len(points)}")
    for (dataset, _), part in points.groupby(["dataset", "workload"], sort=False):
        specs = [
            f"{spec} ({', '.join(map(printing.threads, group['threads']))})"
            for spec, group in part.groupby("spec", sort=False)
        ]
        where = f"{dataset}, " if dataset else ""
        printing.paragraph(f"  {where}{printing.mixes(part)[0]}: {', '.join(specs)}", indent="    ")
    reasons, first = points["reason"], points.iloc[0]
    example = "" if reasons.nunique() == 1 else f"such as {first['spec']} ({printing.threads(first['threads'])}): "
    printing.paragraph(f"  {example}{reasons.iloc[0]}", indent="    ")


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

    settings = settings_of(source, sweep_of(source, params))
    tables, publishers, folder = _with_publishers(source)
    earlier = parquet.read(history) if history else None
    facts = checks.find(tables, settings=settings.only(rules), history=earlier, documents=publishers)
    findings = messages.worded(facts)
    # A choice of rules is not the tables' findings, and published evidence stays as it is.
    if not rules and folder:
        parquet.write({"findings": findings}, folder)
    chosen = findings if every else messages.worded(checks.grouped(findings))
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


def _with_publishers(source: str) -> tuple["Tables", dict[str, dict], Path | None]:
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


def compare(
    a: Annotated[str, typer.Argument(help=f"What is compared with: {_Side}")],
    b: Annotated[str, typer.Argument(help=f"What is compared: {_Side} Left out: A holds two data sets.")] = "",
    c: Annotated[str, typer.Argument(help="With it, B and C name two of the data sets that A holds.")] = "",
    *,
    by: Annotated[str, typer.Option("--by", help="spec: equal specs only; law: B's law, or line, everywhere.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for comparisons.parquet.")] = None,
    store: Annotated[Path, typer.Option("--store", help="Run store.", show_default="data/runs")] = paths.RUNS,
    every: Annotated[bool, typer.Option("--all", help="Each cell, not only the means over specs.")] = False,
    fail_if_slower: Annotated[
        str,
        typer.Option("--fail-if-slower", metavar="SHARE", help="Judge by exit code whether B lost more, such as 5%."),
    ] = "",
    confidence: Annotated[str, typer.Option("--confidence", metavar="SHARE", help="Of that verdict.")] = "95%",
    history: Annotated[
        Path | None, typer.Option("--history", help="Folder with the tables of earlier occasions, for that verdict.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="JUnit XML file for that verdict.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Markdown file for that verdict.")] = None,
    as_json: Json = False,
) -> None:
    """The throughput of B over that of A, cell by cell. Also in the mean, with intervals and what is shown.

    Of one source with several data sets, `compare SOURCE B C` gives C over B; a part of a name suffices.

    With --fail-if-slower: exit code 0 B is shown not to be slower than that, 5 it is slower, 6 neither is shown.
    """
    from ycsbook import comparing, named_tables
    from ycsbook.commands import gate
    from ycsbook.comparing.verdicts import NOT_COMPARABLE
    from ycsbook.scaling.points import UnfitError
    from ycsbook.store import parquet
    from ycsbook.tables import keep_texts_as_objects

    if by not in ("", "spec", "law"):
        raise typer.BadParameter(f"got {by!r}, expected spec or law", param_hint="--by")
    if not fail_if_slower and (history or junit or markdown):
        raise typer.BadParameter(
            "expected it together with --fail-if-slower", param_hint="--history/--junit/--markdown"
        )
    keep_texts_as_objects()
    first = named_tables.read(a, store)
    first, second = (first, named_tables.read(b, store)) if b and not c else _two_datasets(a, first, b, c)
    if fail_if_slower:
        raise typer.Exit(
            gate.judged(
                first, second, limit=fail_if_slower, confidence=confidence, history=history, every=every,
                as_json=as_json, junit=junit, markdown=markdown,
            )
        )  # fmt: skip
    comparisons = messages.worded(comparing.compare(first, second, by=by or None))
    differs = [messages.say(difference) for difference in comparing.conditions(first, second)]
    by_sides = comparisons.groupby(["a", "b"], sort=False)
    lines = [messages.say(sentence) for _, part in by_sides for sentence in comparing.summary(part).values["parts"]]
    times = comparing.latency_times(first, second) if len(by_sides) == 1 else {}
    if p99 := times.pop("p99", None):
        lines.append(messages.text("compare-p99", times=p99))
    if times.get("reads"):
        lines.append(messages.text("compare-trade", **times))
    if out is not None:
        parquet.write({"comparisons": comparisons}, out)
    if as_json:
        values = {"comparisons": printing.records(comparisons), "conditions": differs, "summary": " ".join(lines)}
        printing.print_json(values)
    elif len(comparisons):
        _print_comparisons(comparisons, lines, differs, every)
    if (comparisons["verdict_key"] == NOT_COMPARABLE).all():
        raise UnfitError(fact("compare-nothing"))


def _print_comparisons(comparisons: "pd.DataFrame", lines: list[str], differs: list[str], every: bool) -> None:
    from ycsbook.comparing.verdicts import is_mean

    for line in lines:
        printing.paragraph(line, indent="  ")
    print()
    means = comparisons["basis"].map(is_mean).astype(bool)
    cells = comparisons if every or not means.any() else comparisons[:0]
    sides = cells.groupby(["a", "b"], sort=False)
    for (first, second), part in sides:
        if len(sides) > 1:
            print(messages.text("compare-sides", a=first, b=second))
        # Of single runs the scatter of the specs stands in for noise: an interval, and no p.
        tested = ["p (adjusted)"] if (part["evidence"] == "repeats").any() else []
        heads = ["mix", "threads", "spec", "by", "ratio", "95 % (this row)", *tested, "verdict"]
        rows = zip(printing.mixes(part), part.itertuples(), strict=True)
        below = [verdict if len(verdict) > _WORD else "" for verdict in part["verdict"]]
        printing.table(heads, [[mix, *_row(row, bool(tested))] for mix, row in rows], below=below)
    for line in differs:
        printing.paragraph(line, indent="  ")
    if cells.empty and not means.all():
        print(messages.text("compare-more", n=int((~means).sum())))


def _two_datasets(source: str, tables: "Tables", b: str, c: str) -> "tuple[Tables, Tables]":
    """Two data sets of one source: those called b and c; where these are empty, its only two."""
    from ycsbook.named_tables import compared_first

    names = tables.runs["dataset"].drop_duplicates().tolist()
    chosen = [_matching_dataset(b, names), _matching_dataset(c, names)] if c else names
    if len(set(chosen)) == len(chosen) == 2 and None not in chosen:
        return tables.of_dataset(chosen[0]), tables.of_dataset(chosen[1])
    listed = ", ".join(name or "unnamed" for name in names)
    if len(names) < 2:
        raise ParamsError(f"compare: {source} alone holds 1 data set ({listed}), expected two; name a second source")
    raise ParamsError(
        f"compare: {source} holds {len(names)} data sets: {listed}; name two of them: "
        f"ycsbook compare {source} {shlex.join(compared_first(tables))}"
    )


def _matching_dataset(part: str, names: list[str]) -> str | None:
    """The data set of this name, else the only one whose name contains it; None where there is no such one."""
    begin = len(commonprefix(names))  # noqa: RUF071 of names, not of paths
    rules = (
        lambda name: name == part,
        lambda name: name[begin:] == part,
        lambda name: part.lower() in name[begin:].lower(),
        lambda name: part.lower() in name.lower(),
    )
    matching = ([name for name in names if rule(name)] for rule in rules)
    return next((matches[0] for matches in matching if len(matches) == 1), None)


def _row(row: tuple, tested: bool) -> list[str]:
    ratio = "" if isnan(row.ratio) else within(row.ratio, row.conf_low, row.conf_high)
    p = ["" if isnan(row.p) else f"{row.p:.2g}"] if tested else []
    names = [printing.threads(row.threads), row.spec_a or "all", row.basis]
    verdict = row.verdict if len(row.verdict) <= _WORD else ""
    return [*names, ratio, printing.interval(row.conf_low, row.conf_high), *p, verdict]
