"""The ratio of each cell of one side to its like on the other: the same spec, or the other's curve at its cores."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from ycsbook.comparing.curves import BETWEEN
from ycsbook.comparing.means import means
from ycsbook.comparing.sides import Side, sides
from ycsbook.comparing.verdicts import OCCASION, doubt, interleaved, judged
from ycsbook.facts import fact
from ycsbook.scaling.pairs import ratios
from ycsbook.tables import Tables, from_rows


def compare(
    a: Tables, b: Tables, *, by: Literal["spec", "law"] | None = None, names: tuple[str, str] | None = None
) -> pd.DataFrame:
    """The throughput of b over that of a: for every cell (workload, spec, thread count) of a, and in the mean.

    A cell is matched with b's cell of the same spec, workload and threads; where b has not measured that spec, with
    b's law over cores where one may be claimed, else between b's measured cells (comparing.curves), inside the cores
    that b measured. The interval is a t interval on ln X (Welch) from the
    noise of the repeats, and from OCCASION where the two were not measured in turn. Where a side repeated nothing,
    the scatter of its specs around its own curve stands in for noise; a curve's value carries that scatter too, because
    the question is what one more spec of b would give. Before the cells comes a row per workload and thread count
    with the mean ratio (means.means), spec_a and spec_b empty. The means of b over a are the inverse of those of a
    over b, with the same p and the verdict turned round.

    Parameters
        a, b: the tables; each may hold several datasets, which are compared each with each.
        by: "spec": equal specs only. "law": b's curve everywhere. By default equal specs, else the curve.
        names: what to call a and b, by default as their datasets are called.
    Returns
        The table `comparisons`. verdict, a fact: HIGHER or LOWER (b than a, at a family-wise 5 % by Holm, over the
        means and over the cells), NOT_SHOWN, UNREPEATED (not shown, as nothing tells the noise), or NOT_COMPARABLE with
        the reason. p is adjusted accordingly; each interval is of its row alone. A mean whose ln ratio has a trend over
        ln cores (5 %, by Holm over the means) is none: its verdict is DEPENDS with the ratio on the trend line at
        either end, and ratio, interval and p are NaN. messages.worded says the verdicts in English.
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
        [['a', 200.0, 0.45, 'compare-lower'], ['b', 100.0, 1.3, 'compare-not-shown']]
    """
    ours, theirs = sides(a, b, names)
    found = []
    for first in ours:
        for second in theirs:
            occasions = 0.0 if interleaved(first.started_at, second.started_at) else 2 * OCCASION**2
            rows = list(_rows(first, second, by, occasions))
            # Where all cells are pairs, the other way round says nothing more.
            paired = by == "spec" or (len(rows) == len(second.cells) and all(row["basis"] == "spec" for row in rows))
            back = [] if paired else list(_rows(second, first, by, occasions))
            found += [*_means(first, second, rows, back, occasions), *rows]
    return from_rows(judged(found), "comparisons")


def _means(a: Side, b: Side, rows: list[dict], back: list[dict], occasions: float) -> Iterator[dict]:
    for row in means(a, b, rows, back):
        yield row | _ratio(row.pop("difference"), row.pop("spreads"), occasions)


def _rows(a: Side, b: Side, by: str | None, occasions: float) -> Iterator[dict]:
    """occasions: variance of ln b - ln a from having measured the two at different times."""
    for _, cell in a.cells.iterrows():
        like = None if by == "law" else _same_spec(cell, a, b)
        if by == "spec" and like is None:
            continue
        shared = {
            "a": a.name, "b": b.name, "workload": cell["workload"],
            "read_fraction": cell["read_fraction"], "spec_a": cell["spec"], "threads": cell["threads"],
            "evidence": _evidence(a, b), "basis": BETWEEN if like is None else "spec",
        }  # fmt: skip
        yield shared | (_on_curve(a, cell, b, occasions) if like is None else _by_spec(a, cell, b, like, occasions))


def _by_spec(a: Side, cell: pd.Series, b: Side, like: pd.Series, occasions: float) -> dict:
    spreads = [a.spread(cell), b.spread(like)]
    reason = doubt(a, b, cell, like)
    return {"spec_b": like["spec"], "reason": reason, **_ratio(like["log_y"] - cell["log_y"], spreads, occasions)}


def _on_curve(a: Side, cell: pd.Series, b: Side, occasions: float) -> dict:
    key = (cell["workload"], cell["threads"])
    if key not in b.groups:
        return {"reason": fact("compare-no-run", side=b.name, threads=cell["threads"])}
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
    """Ratio, interval and two-sided p, the degrees of freedom by Welch and Satterthwaite."""
    (first, df_first), (second, df_second) = spreads
    variance, df = first + second + occasions, 0.0
    # A curve whose interval is open at one end has no error.
    if df_first > 0 and df_second > 0 and np.isfinite(variance):
        df = variance**2 / (first**2 / df_first + second**2 / df_second)
    found = ratios(difference, np.sqrt(variance), df)
    p = 2 * min(float(found.p_falls), 1 - float(found.p_falls))
    return {"ratio": float(found.ratio), "conf_low": float(found.conf_low), "conf_high": float(found.conf_high), "p": p}


def _same_spec(cell: pd.Series, a: Side, b: Side) -> pd.Series | None:
    """b's cell that is a's cell's like, if a's is its like too: who is paired must not hang on who is asked first."""
    like = _like(cell, b)
    if like is None or like["spec"] == cell["spec"]:
        return like
    back = _like(like, a)
    return like if back is not None and back["spec"] == cell["spec"] else None


def _like(cell: pd.Series, b: Side) -> pd.Series | None:
    """b's cell of the same name, workload and threads; else its only one with the same cores and RAM."""
    cells = b.groups.get((cell["workload"], cell["threads"]))
    if cells is None:
        return None
    shape = (cells["cores"] == cell["cores"]) & (cells["ram_gib"] == cell["ram_gib"])
    # Of equal names with equal cores the RAM may be unknown on both sides.
    alike = shape | ((cells["cores"] == cell["cores"]) & cells["ram_gib"].isna() & np.isnan(cell["ram_gib"]))
    named = (cells["spec"] == cell["spec"]) & (alike | cells["cores"].isna() | np.isnan(cell["cores"]))
    for fits in (named, shape):
        if fits.sum() == 1:
            return cells[fits].iloc[0]
    return None


def _evidence(a: Side, b: Side) -> str:
    if a.noise.df > 0 and b.noise.df > 0:
        return "repeats"
    return "published" if a.published or b.published else "single"
