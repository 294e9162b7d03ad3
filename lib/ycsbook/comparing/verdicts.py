"""What is said of a comparison: a verdict on each ratio, all of them in short, and what else differs between the two.

Many ratios are judged at once, so there is a budget for false differences over all of them.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import trust
from ycsbook.comparing.sides import BETWEEN, LAW, Side
from ycsbook.facts import Fact, fact, from_json, in_columns
from ycsbook.names import listed, mix
from ycsbook.scaling.cells import ASSUMED_NOISE
from ycsbook.scaling.limits import LEFT_OUT, LimitKind, limits
from ycsbook.scaling.pairs import BEYOND_ASSUMED, holm
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables

# The chance that any of the differences named in one comparison is none.
FALSE_DIFFERENCES = 0.05
# Each mean, all means together, cells and trends are tested apart, and share that chance.
_FAMILIES = 4
# The keys of verdicts.
HIGHER, LOWER, NOT_SHOWN, UNREPEATED = "compare-higher", "compare-lower", "compare-not-shown", "compare-unrepeated"
NOT_COMPARABLE, DEPENDS, HIDDEN = "compare-not-comparable", "compare-depends", "compare-hidden"
# Of a mean: no difference in the mean, and one in some of its cells.
SOME = "compare-some"
# The evidence of a row whose noise nothing tells.
ASSUMED = "assumed"
# Mixes are printed as whole per cents.
_SAME_MIX = 0.005
# What two occasions differ by (standard deviation of ln X) where nothing was measured in turn: neighbours on the host,
# its clock, the place of the data. Assumed.
OCCASION = 0.03
_FAULTS = {LimitKind.SUSPECT: "compare-suspect", LimitKind.INCONSISTENT: "compare-inconsistent"}
# Ratios that differ by less are printed as one.
CLOSE = 1.01
# So many series with rows in doubt are named.
_NAMED_DOUBTED = 12
_SERIES = ["workload", "threads"]
# What else may differ between runs: columns of the runs table.
_NAMED = ("vendor", "server_version", "topology", "write_concern", "clients", "format", "target_ops_s")


def doubt(a: Side, b: Side, cell: pd.Series, like: pd.Series) -> Fact | None:
    """Why two cells are not comparable; None if they are. `like` may be a cell or stand for a curve (no limit_kind)."""
    mixes = (cell["read_fraction"], like["read_fraction"])
    if abs(mixes[0] - mixes[1]) > _SAME_MIX:
        return fact("compare-mixes", a=mixes[0], b=mixes[1])
    unsafe = [side.name for side in (a, b) if side.write_concerns == {"0"}]
    acknowledged = [side for side in (a, b) if side.write_concerns and "0" not in side.write_concerns]
    if unsafe and acknowledged and mixes[0] != 1:
        return fact("compare-unacknowledged", side=unsafe[0])
    for side, row in ((a, cell), (b, like)):
        if (kind := row.get("limit_kind")) in LEFT_OUT:
            return fact(_FAULTS[kind], side=side.name)
    return None


def judged(rows: list[dict]) -> list[dict]:
    """The rows with their verdict as a fact, and p adjusted for their number: the means and the cells apart. Source:
    Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24: all means at once."""
    # Without ratio, interval and p of those with a trend that is shown, by Holm over all trends.
    p = holm(np.array([row["trend"][0] if row.get("trend") else np.nan for row in rows]))
    nothing = dict.fromkeys(("ratio", "conf_low", "conf_high", "p", "p_in_turn"), float("nan"))
    sure = _FAMILIES * p <= FALSE_DIFFERENCES
    rows = [row | nothing if tells else row | {"trend": None} for row, tells in zip(rows, sure, strict=True)]
    adjusted, in_turn = (_adjusted(rows, name) for name in ("p", "p_in_turn"))
    verdicts = [in_columns("verdict", _verdict(*row)) for row in zip(rows, adjusted, in_turn, strict=True)]
    # What a row was judged by is no column of the table.
    tabled = [{k: v for k, v in row.items() if k not in ("reason", "trend", "spreads", "p_in_turn")} for row in rows]
    rows = [row | {"p": row_p} | verdict for row, row_p, verdict in zip(tabled, adjusted, verdicts, strict=True)]
    return [row | _of_cells(row, rows) for row in rows]


def _of_cells(row: dict, rows: list[dict]) -> dict:
    """The verdict SOME on a mean that shows no difference while some of its cells do."""
    if not is_mean(row["basis"]) or row["verdict_key"] in (HIGHER, LOWER, DEPENDS):
        return {}
    of_series = [c for c in rows if c["spec_a"] and all(c[k] == row[k] for k in ("a", "b", "workload", "threads"))]
    parts = []
    for verdict in (LOWER, HIGHER):
        if cells := [cell for cell in of_series if cell["verdict_key"] == verdict]:
            ratios, specs = [cell["ratio"] for cell in cells], listed("specs", [cell["spec_a"] for cell in cells])
            low, high = min(ratios), max(ratios)
            ends = {"low": low if high > CLOSE * low else None, "high": high}
            parts.append(fact("compare-some-part", higher=verdict == HIGHER, **ends, **specs))
    return in_columns("verdict", fact(SOME, parts=parts)) if parts else {}


def _adjusted(rows: list[dict], name: str) -> np.ndarray:
    p = np.array([np.nan if row["reason"] else row.get(name, np.nan) for row in rows], dtype=float)
    of_means = np.array([is_mean(row["basis"]) for row in rows], dtype=bool)
    adjusted = np.full(p.shape, np.nan)
    for family in (of_means, ~of_means):
        adjusted[family] = np.minimum(_FAMILIES * holm(p[family]), 1.0)
    # What all means show, each by itself, needs no more for being many: an intersection-union test.
    tested = of_means & ~np.isnan(p)
    higher = np.array([row.get("ratio", np.nan) > 1 for row in rows], dtype=bool)[tested]
    if len(higher) and (higher.all() or not higher.any()):
        adjusted[tested] = np.minimum(adjusted[tested], _FAMILIES * p[tested].max())
    return adjusted


def interleaved(first: pd.Series, second: pd.Series) -> bool:
    """Whether two sides were measured in turn: most runs of each began between the first and the last run of the other.
    The series hold started_at of their runs, empty where unknown; of a day alone nobody knows which was first."""
    first, second = (side[side.str.len() > len("2024-06-01")] for side in (first, second))
    if first.empty or second.empty:
        return False
    return all(a.between(b.min(), b.max()).mean() > 0.5 for a, b in ((first, second), (second, first)))


def is_mean(basis: str) -> bool:
    return basis.startswith("mean")


def summary(comparisons: pd.DataFrame) -> Fact:
    """The whole table in short: the facts of a few sentences, as the `parts` of one.

    Examples
        >>> from ycsbook.tables import empty
        >>> [part.key for part in summary(empty("comparisons")).values["parts"]]
        ['compare-nothing']
    """
    sides = comparisons.groupby(["a", "b"], sort=False)
    parts = [part for (a, b), table in sides for part in _summary(str(a), str(b), table)]
    return fact("sentences", parts=parts or [fact("compare-nothing")])


def _summary(a: str, b: str, part: pd.DataFrame) -> list[Fact]:
    of_means = part["basis"].map(is_mean).astype(bool)
    cells = part[~of_means]
    means, tested, counts = part[of_means], cells[cells["p"].notna()], cells["verdict_key"].value_counts()
    facts = [fact("compare-sides", a=a, b=b)]
    if len(means) > 1 and set(means["verdict_key"]) in ({HIGHER}, {LOWER}):
        least, most = sorted(means["ratio"])[:: len(means) - 1]
        facts.append(fact("compare-all", b=b, n=len(means), least=least, most=most, close=most < CLOSE * least))
    facts += [_mean(row) for row in means.itertuples()]
    by_law, between = (int((tested["basis"] == basis).sum()) for basis in (LAW, BETWEEN))
    higher, lower = counts.get(HIGHER, 0), counts.get(LOWER, 0)
    facts.append(fact("compare-counts", tested=len(tested), equal=len(tested) - by_law - between, by_law=by_law,
                      between=between, b=b, higher=higher, lower=lower, open=len(tested) - higher - lower,
                      apart=counts.get(NOT_COMPARABLE, 0), cells=len(cells)))  # fmt: skip
    if len(tested) > 1 and not higher + lower and means["verdict_key"].isin([HIGHER, LOWER]).any():
        facts.append(fact("compare-cells-need-more", n=len(tested)))
    kinds = set(tested["evidence"])
    if kinds - {"repeats", ASSUMED}:
        facts.append(fact("compare-scatter"))
    if ASSUMED in kinds:
        facts.append(fact("compare-assumed", noise=ASSUMED_NOISE, difference=BEYOND_ASSUMED))
    return facts


def _mean(row: tuple) -> Fact:
    where = {"mix": mix(row._asdict()), "threads": row.threads}
    if row.verdict_key in (DEPENDS, SOME):
        verdict = from_json(row.verdict_key, row.verdict_values)
        return fact("compare-mean-depends", **where, verdict=verdict, some=row.verdict_key == SOME)
    # By itself it would be shown, and is not as one of many.
    none = "many" if row.conf_low > 1 or row.conf_high < 1 else "none"
    verdict = {HIGHER: "higher", LOWER: "lower", HIDDEN: "hidden"}.get(row.verdict_key, none)
    figures = {"ratio": row.ratio, "low": row.conf_low, "high": row.conf_high, "by": row.basis.rpartition(" ")[2]}
    return fact("compare-mean", **where, **figures, verdict=verdict, effect=OCCASION)


def _verdict(row: dict, p: float, in_turn: float) -> Fact:
    if row["trend"]:
        return fact(DEPENDS, **row["trend"][1])
    if row["reason"]:
        return fact(NOT_COMPARABLE, reason=row["reason"])
    if np.isnan(p):
        return fact(UNREPEATED)
    if p > FALSE_DIFFERENCES:
        return fact(HIDDEN, effect=OCCASION) if in_turn <= FALSE_DIFFERENCES else fact(NOT_SHOWN)
    return fact(HIGHER if row["ratio"] > 1 else LOWER)


def conditions(a: Tables, b: Tables) -> list[Fact]:
    """What differs or is unknown besides what the cells name; the usable runs of each side together.

    Examples
        >>> from ycsbook.tables import from_rows
        >>> old, new = (
        ...     Tables(runs=from_rows([{"outcome": "completed", "server_version": v, "goodput_ops_s": 1}], "runs"))
        ...     for v in ("4.4.1", "7.0.2")
        ... )
        >>> conditions(old, new)[0].values["what"]
        'server_version'
    """
    first, second = with_throughput(a.runs), with_throughput(b.runs)
    differences = []
    for column in _NAMED:
        values = _values(first[column]), _values(second[column])
        if values[0] != values[1]:
            texts = [fact("compare-values", values=v) if v else fact("compare-unknown") for v in values]
            differences.append(fact("compare-differs", what=column, a=texts[0], b=texts[1]))
    if len(first) and len(second) and not interleaved(first["started_at"], second["started_at"]):
        differences.append(fact("compare-occasion", effect=OCCASION))
    columns = [sorted(set(side["y_column"])) for side in (first, second)]
    if columns[0] != columns[1]:
        measures = [fact("compare-measures", values=[fact("compare-measure", column=c) for c in of]) for of in columns]
        differences.append(fact("compare-differs", what="throughput", a=measures[0], b=measures[1]))
    if all((side["write_concern"] == "0").all() and len(side) for side in (first, second)):
        differences.append(fact("compare-unanswered"))
    if all((side["spec"] == "").all() and len(side) for side in (first, second)):
        differences.append(fact("compare-unnamed"))
    doubted = [row for tables, rows_of_other in ((a, second), (b, first)) for row in _doubted(tables, rows_of_other)]
    if doubted:
        differences.append(fact("compare-doubted", **listed("rows", doubted, _NAMED_DOUBTED)))
    return differences


def _doubted(tables: Tables, rows_of_other: pd.DataFrame) -> Iterator[Fact]:
    """The rows in doubt that a comparison with the other side's rows does not leave out, by workload and threads."""
    points = limits(tables.runs, tables.operations).sort_values(["cores", "ram_gib"])
    points = points[~points["limit_kind"].isin(LEFT_OUT)].merge(rows_of_other[_SERIES].drop_duplicates(), on=_SERIES)
    points = points.assign(grade=trust.of_cells(points, tables.runs, trust.of_runs(tables)))
    for _, rows in points[points["grade"].isin(trust.DOUBTFUL)].groupby(["dataset", "outcome", *_SERIES]):
        first = rows.iloc[0]
        specs = [f"{row.spec} ({row.grade})" for row in rows.itertuples()]
        yield fact("compare-doubted-rows", side=first["dataset"] or None, mix=mix(first), threads=first["threads"],
                   specs=specs)  # fmt: skip


def _values(column: pd.Series) -> list[str]:
    values = column.dropna()
    values = values[values != ""] if values.dtype.kind != "f" else values.map("{:g}".format)
    return sorted(set(values.astype(str)))
