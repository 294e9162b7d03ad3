"""The ratio of each cell of one side to its like on the other: the same spec, or the other's curve at its cores.

Before them the mean ratio over the specs of each workload and thread count, which says more than each spec alone: it
carries their scatter divided by their number. It means something only where the ratio is the same at few and at many
cores, so the slope of ln ratio over ln cores is measured beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.comparing.sides import BETWEEN, LAW, UNKNOWN_THREADS, Side, sides
from ycsbook.comparing.verdicts import ASSUMED, OCCASION, doubt, interleaved, judged
from ycsbook.facts import fact
from ycsbook.scaling.cells import SMALLEST_VARIANCE
from ycsbook.scaling.growth import straight_line
from ycsbook.scaling.pairs import ratios, satterthwaite
from ycsbook.tables import Tables, from_rows

# With fewer differences than this neither their mean nor a line through them has an error worth the name.
_FEWEST = 3
# Specs have ratios of their own, at this chance of saying so where they have one in common.
_APART = 0.05
# Degrees of freedom of what is as good as known.
_MANY = 1e6


def compare(
    a: Tables, b: Tables, *, by: Literal["spec", "law"] | None = None, names: tuple[str, str] | None = None
) -> pd.DataFrame:
    """The throughput of b over that of a: for every cell (workload, spec, thread count) of a, and in the mean.

    A cell is matched with b's cell of the same spec, workload and threads; where b has not measured that spec, with
    b's law over cores where one may be claimed, else between b's measured cells, inside the cores that b measured. The
    interval is a t interval on ln X (Welch) from the noise of the repeats, and from OCCASION where the two were not
    measured in turn, which all cells of a side share. Where a side repeated nothing, the scatter of its specs around
    its own curve stands in for noise, or what is assumed of single runs where these are too few to tell (Side.spread);
    a curve's value carries that scatter too, because the question is what one more spec of b would give. Before the
    cells comes a row per workload and thread count with the mean ratio, spec_a and spec_b empty. The means of b over a
    are the inverse of those of a over b, with the same p and the verdict turned round.

    The mean is that of ln ratios over equal specs (its error: _of_repeats), or by the curves: the distance of a's specs
    from b's curve (its law, or the line of its growth: Curve.line) and that of b's from a's, half and half; where only
    one side has a curve, the other's specs alone (_spreads).

    Parameters
        a, b: the tables; each may hold several datasets, which are compared each with each.
        by: "spec": equal specs only. "law": b's curve everywhere. By default equal specs, else the curve.
        names: what to call a and b, by default as their datasets are called.
    Returns
        The table `comparisons`. verdict, a fact: HIGHER or LOWER (b than a, at a family-wise 5 % by Holm, over the
        means and over the cells), NOT_SHOWN, HIDDEN (not shown, as the two were not measured in turn), UNREPEATED (not
        shown, as nothing tells the noise), or NOT_COMPARABLE with the reason. p is adjusted accordingly; each interval
        is of its row alone. SOME: the mean shows nothing, the cells that it names do. A mean whose ln ratio has a trend
        over ln cores (5 %, by Holm over the means) is none: its verdict is DEPENDS with the geometric mean of the
        cells' ratios at either end, and ratio, interval and p are NaN. messages.worded says the verdicts in English.
    References
        Welch (1947), Biometrika 34; Holm (1979), Scand. J. Statist. 6.
    Examples
        >>> from ycsbook import paths
        >>> from ycsbook.ingest.published.published import read_published
        >>> a, b = (read_published(paths.PUBLISHED / f"{n}.csv") for n in ("qingcloud-4.0.3", "tencent-2020-08"))
        >>> sorted(set(compare(a, b, by="spec")["spec_a"]))
        ['2c4g', '4c8g']
        >>> means = compare(a, b).query("spec_a == ''")
        >>> means[["workload", "threads", "ratio", "verdict_key"]].round(2).to_numpy().tolist()[1:3]
        [['a', 200.0, 0.45, 'compare-lower'], ['b', 100.0, 1.29, 'compare-not-shown']]
    """
    table = []
    for first, second in product(*sides(a, b, names)):
        occasions = 0.0 if interleaved(first.started_at, second.started_at) else 2 * OCCASION**2
        rows = list(_rows(first, second, by, occasions))
        # Where all cells are pairs, the other way round says nothing more.
        paired = by == "spec" or (len(rows) == len(second.cells) and all(row["basis"] == "spec" for row in rows))
        back = [] if paired else list(_rows(second, first, by, occasions))
        table += [*_means(first, second, rows, back, occasions), *rows]
    comparisons = from_rows(judged(table), "comparisons")
    return comparisons.assign(threads=comparisons["threads"].replace(UNKNOWN_THREADS, np.nan))


def _rows(a: Side, b: Side, by: str | None, occasions: float) -> Iterator[dict]:
    """A row for each cell of a that has a like of b. occasions: variance of ln b - ln a from measuring at two times."""
    repeated, published = a.noise.df > 0 and b.noise.df > 0, a.published or b.published
    evidence = "repeats" if repeated else "published" if published else "single"
    for _, cell in a.cells.iterrows():
        like = None if by == "law" else _same_spec(cell, a, b)
        if by == "spec" and like is None:
            continue
        shared = {
            "a": a.name, "b": b.name, "workload": cell["workload"],
            "read_fraction": cell["read_fraction"], "spec_a": cell["spec"], "threads": cell["threads"],
            "evidence": evidence, "basis": BETWEEN if like is None else "spec",
        }  # fmt: skip
        yield shared | (_on_curve(a, cell, b, occasions) if like is None else _by_spec(a, cell, b, like, occasions))


def _by_spec(a: Side, cell: pd.Series, b: Side, like: pd.Series, occasions: float) -> dict:
    spreads = [a.spread(cell), b.spread(like)]
    assumed = {"evidence": ASSUMED} if any(np.isinf(df) for _, df in spreads) else {}
    ratio = _ratio(like["log_y"] - cell["log_y"], spreads, occasions)
    return {"spec_b": like["spec"], "reason": doubt(a, b, cell, like), **assumed, **ratio}


def _on_curve(a: Side, cell: pd.Series, b: Side, occasions: float) -> dict:
    key = (cell["workload"], cell["threads"])
    if key not in b.groups:
        return {"reason": fact("compare-no-run", side=b.name, threads=cell["threads"] or None)}
    if np.isnan(cell["cores"]):
        return {"reason": fact("compare-no-cores", side=b.name)}
    curve = b.curve(*key)
    if curve is None:
        return {"reason": fact("compare-no-curve", side=b.name)}
    if not curve.first <= cell["cores"] <= curve.last:
        ends = {"first": curve.first, "last": curve.last}
        return {"basis": curve.basis, "reason": fact("compare-outside", cores=cell["cores"], side=b.name, **ends)}
    (on_curve,), (error,) = curve.at(np.array([cell["cores"]]))
    spreads = [a.spread(cell), (error**2 + curve.scatter**2, curve.df)]
    reason = doubt(a, b, cell, b.groups[key].iloc[0].drop("limit_kind"))
    ratio = _ratio(on_curve - cell["log_y"], spreads, occasions)
    return {"spec_b": "", "basis": curve.basis, "reason": reason, **ratio}


def _ratio(difference: float, spreads: list[tuple[float, float]], occasions: float) -> dict:
    """Ratio, interval and two-sided p, the degrees of freedom by Welch and Satterthwaite; `p_in_turn`, the p without
    what the occasions are assumed to differ by, which is known: it has no degrees of freedom to lose."""
    # A curve whose interval is open at one end has no error.
    is_known, p = all(df > 0 and np.isfinite(variance) for variance, df in spreads), []
    for of_occasions in (0.0, occasions):
        variance, df = satterthwaite(*spreads, (of_occasions, np.inf)) if is_known else (np.nan, 0.0)
        ratio, conf_low, conf_high, p_falls = map(float, ratios(difference, np.sqrt(variance), min(df, _MANY)))
        p.append(2 * min(p_falls, 1 - p_falls))
    figures = {"ratio": ratio, "conf_low": conf_low, "conf_high": conf_high}
    return {**figures, "spreads": spreads, "p_in_turn": p[0], "p": p[1]}


def _same_spec(cell: pd.Series, a: Side, b: Side) -> pd.Series | None:
    """b's cell of the same spec as a's, where each is the other's only match: the same pairs from either side."""
    like = _like(cell, b)
    back = cell if like is None or like["spec"] == cell["spec"] else _like(like, a)
    return like if back is not None and back["spec"] == cell["spec"] else None


def _like(cell: pd.Series, b: Side) -> pd.Series | None:
    """b's cell of the same name, workload and threads; else its only one with the same cores and RAM."""
    cells = b.groups.get((cell["workload"], cell["threads"]))
    if cells is None:
        return None
    same_shape = (cells["cores"] == cell["cores"]) & (cells["ram_gib"] == cell["ram_gib"])
    # Of equal names with equal cores the RAM may be unknown on both sides.
    alike = same_shape | ((cells["cores"] == cell["cores"]) & cells["ram_gib"].isna() & np.isnan(cell["ram_gib"]))
    same_name = (cells["spec"] == cell["spec"]) & (alike | cells["cores"].isna() | np.isnan(cell["cores"]))
    return next((cells[fits].iloc[0] for fits in (same_name, same_shape) if fits.sum() == 1), None)


@dataclass(frozen=True)
class Differences:
    """ln ratios of some cells and their cores. cells: the same ratios, not of a smooth line but of what was measured.
    curve_variance: of the curve they are distances from, at the mean, the fewest and the most cores; curve_df: its
    degrees of freedom. Zero and infinite where no curve is in them."""

    values: np.ndarray
    cells: np.ndarray
    cores: np.ndarray
    curve_variance: np.ndarray = field(default_factory=lambda: np.zeros(3))
    curve_df: float = np.inf


def _means(a: Side, b: Side, rows: list[dict], back: list[dict], occasions: float) -> Iterator[dict]:
    """The mean ratio of each workload and thread count with its `trend`: over equal specs, else by the curves. `rows`:
    the cells of a against b; `back`: those of b against a; those with a reason are left out."""
    ours, theirs = ([row for row in side if not row["reason"] and np.isfinite(row["ratio"])] for side in (rows, back))
    for key in dict.fromkeys((row["workload"], row["threads"]) for row in (*ours, *theirs)):
        group, reverse = ([row for row in side if (row["workload"], row["threads"]) == key] for side in (ours, theirs))
        equal = [row for row in group if row["basis"] == "spec"]
        if len(equal) >= _FEWEST:
            basis = "mean of specs"
            cores = _measured(a, key, equal)["cores"].to_numpy(float)
            values = np.log([row["ratio"] for row in equal])
            parts = [Differences(values, values, cores)]
        else:
            curves = [side.curve(*key) for side in (a, b) if key in side.groups]
            is_law = all(curve is None or curve.basis == LAW for curve in curves)
            basis = "mean by law" if is_law else "mean by growth"
            parts = [part for part in (_from_curve(a, b, key, group, 1), _from_curve(b, a, key, reverse, -1)) if part]
        if parts:
            spreads = _of_repeats(equal) if basis == "mean of specs" else None
            difference = float(np.mean([part.values.mean() for part in parts]))
            first = (group or reverse)[0]
            yield {
                "a": a.name, "b": b.name, "workload": key[0], "read_fraction": first["read_fraction"], "spec_a": "",
                "spec_b": "", "threads": key[1], "evidence": first["evidence"], "basis": basis, "reason": None,
                "trend": _trend(parts), **_ratio(difference, spreads or _spreads(parts), occasions),
            }  # fmt: skip


def _of_repeats(equal: list[dict]) -> list[tuple[float, float]] | None:
    """Variance and degrees of freedom that the repeats of either side give a mean of these ratios; None where these lie
    farther apart than the repeats do (F test), or nothing was repeated: then the ratios themselves tell."""
    if any(row["evidence"] != "repeats" for row in equal):
        return None
    k, sides_of = len(equal), list(zip(*(row["spreads"] for row in equal), strict=True))
    spreads = [(sum(variance for variance, _ in side) / k**2, side[0][1]) for side in sides_of]
    expected, df = k * sum(variance for variance, _ in spreads), min(df for _, df in spreads)
    apart = float(np.log([row["ratio"] for row in equal]).var(ddof=1)) / expected
    return spreads if special.fdtrc(k - 1, df, apart) > _APART else None


def _measured(side: Side, key: tuple[str, float], rows: list[dict]) -> pd.DataFrame:
    return side.groups[key].set_index("spec").loc[[row["spec_a"] for row in rows]]


def _from_curve(a: Side, b: Side, key: tuple[str, float], rows: list[dict], sign: int) -> Differences | None:
    """ln of b's curve at the cores of a's cells less the cells' own, times `sign`; None where there are too few."""
    if len(rows) < _FEWEST:
        return None
    cells = _measured(a, key, rows)
    curve = b.curve(*key)
    if curve is None or not cells["cores"].between(curve.first, curve.last).all():
        return None
    cores = cells["cores"].to_numpy(float)
    (on_line, _), (between, _), log_y = curve.line(cores), curve.at(cores), cells["log_y"].to_numpy(float)
    _, error = curve.line(np.array([np.exp(np.log(cores).mean()), cores.min(), cores.max()]))
    return Differences(sign * (on_line - log_y), sign * (between - log_y), cores, error**2, curve.df)


def _spreads(parts: list[Differences]) -> list[tuple[float, float]]:
    """Variance and degrees of freedom of the two parts of the mean's error; of a single curve at the specs' (geometric)
    mean cores."""
    of_parts = [
        (max(float(part.values.var(ddof=1)) / len(part.values), SMALLEST_VARIANCE), len(part.values) - 1)
        for part in parts
    ]
    # a's cells scatter around b's curve as a does, b's around a's curve as b does. Each curve's level is known as well
    # as its own cells scatter, so with both parts the error of either side is counted once, as between two means.
    return of_parts if len(parts) == 2 else [*of_parts, (float(parts[0].curve_variance[0]), parts[0].curve_df)]


def _trend(parts: list[Differences]) -> tuple[float, dict[str, float | None]] | None:
    """The mean of the lines of ln ratio over ln cores of one or two parts: p that it is flat, and what the cells' mean
    ratios are at the fewest and the most cores, and between which core counts they pass 1 where they do so once; None
    where cores are unknown or too few. With two parts (each side's cells from the other's curve) the scatter of the one
    side is in the one slope's error and that of the other in the other's: their variances add, as in a difference of
    two slopes. With one part the curve's own slope has an error as well, taken from its errors at both ends as if they
    were independent, which is rather too much. Degrees of freedom by Welch (1947)."""
    for part in parts:
        if len(part.values) < _FEWEST or np.isnan(part.cores).any() or part.cores.min() == part.cores.max():
            return None
    lines = [straight_line(np.log(part.cores), part.values) for part in parts]
    spreads = [(max(line.variance / line.squares, SMALLEST_VARIANCE), line.df) for line in lines]
    if len(parts) == 1 and np.isfinite(parts[0].curve_df):
        width = np.log(parts[0].cores.max() / parts[0].cores.min())
        spreads.append((float(parts[0].curve_variance[1:].sum() / width**2), parts[0].curve_df))
    variance, df = satterthwaite(*spreads)
    if not np.isfinite(variance):
        return None
    slope = float(np.mean([line.slope for line in lines]))
    cores = np.concatenate([part.cores for part in parts])
    counts = np.unique(cores)
    # What was measured there: the end of a straight line through points that bend is no ratio of any cell.
    at_counts = ([part.cells[part.cores == count] for part in parts] for count in counts)
    logs = np.array([np.mean([cells.mean() for cells in of if len(cells)]) for of in at_counts])
    low, high = np.exp(logs[[0, -1]]).tolist()
    values = {"at_fewest": low, "fewest": float(counts[0]), "at_most": high, "most": float(counts[-1])}
    turns = np.flatnonzero(np.diff(logs > 0))
    even = counts[turns[0] : turns[0] + 2].tolist() if len(turns) == 1 else (None, None)
    values |= dict(zip(("even_from", "even_to"), even, strict=True))
    return float(2 * special.stdtr(df, -abs(slope) / np.sqrt(variance))), values
