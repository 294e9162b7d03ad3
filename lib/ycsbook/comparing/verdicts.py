"""What may be said of many ratios at once: a budget for false differences over all of them."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ycsbook.scaling.limits import LEFT_OUT, LimitKind

if TYPE_CHECKING:
    from ycsbook.comparing.sides import Side

# The chance that any of the differences named in one comparison is none.
FALSE_DIFFERENCES = 0.05
HIGHER, LOWER, NOT_SHOWN, NOT_COMPARABLE = "higher", "lower", "not shown", "not comparable"
DEPENDS = "depends on the cores"
# What a row brings to be judged by, and the table does not have.
_EVIDENCE = {"reason", "trend"}
_FAULTS = {
    LimitKind.SUSPECT: "breaks Little's law or is paired with a row that does",
    LimitKind.INCONSISTENT: "gains more than its threads",
}


def doubt(a: "Side", b: "Side", cell: pd.Series, like: pd.Series) -> str:
    """Why two cells are not comparable; empty if they are. `like` may be a cell or stand for a law (no limit_kind)."""
    mixes = (cell["read_fraction"], like["read_fraction"])
    if abs(mixes[0] - mixes[1]) > _SAME_MIX:
        return f"the mixes differ: {mixes[0]:.0%} reads against {mixes[1]:.0%}".replace("%", " %")
    unsafe = [side.name for side in (a, b) if side.write_concerns == {"0"}]
    acknowledged = [side for side in (a, b) if side.write_concerns and "0" not in side.write_concerns]
    if unsafe and acknowledged and mixes[0] != 1:
        return f"only {unsafe[0]} sent its writes with write concern 0, unanswered"
    for side, row in ((a, cell), (b, like)):
        if (kind := row.get("limit_kind")) in LEFT_OUT:
            return f"the row of {side.name} {_FAULTS[kind]}"
    return ""


def judged(rows: list[dict]) -> list[dict]:
    """The rows with `verdict` instead of `reason`, and p adjusted for their number: the means and the cells apart."""
    rows = _without_false_means(rows)
    p = np.array([np.nan if row["reason"] else row.get("p", np.nan) for row in rows], dtype=float)
    of_means = np.array([is_mean(row["basis"]) for row in rows], dtype=bool)
    adjusted = np.full(p.shape, np.nan)
    for family in (of_means, ~of_means):
        adjusted[family] = holm_adjusted(p[family])
    return [
        {**{k: v for k, v in row.items() if k not in _EVIDENCE}, "p": one, "verdict": _verdict(row, one)}
        for row, one in zip(rows, adjusted, strict=True)
    ]


def _without_false_means(rows: list[dict]) -> list[dict]:
    """The rows, those with a trend that is shown (by Holm over all trends) without ratio, interval and p."""
    trends = [row.get("trend") for row in rows]
    sure = holm_adjusted(np.array([np.nan if trend is None else trend.p for trend in trends])) <= FALSE_DIFFERENCES
    nothing = dict.fromkeys(("ratio", "conf_low", "conf_high", "p"), float("nan"))
    return [row | nothing if tells else row | {"trend": None} for row, tells in zip(rows, sure, strict=True)]


def is_mean(basis: str) -> bool:
    """Whether a row is the mean over specs, not one cell."""
    return basis.startswith("mean")


def holm_adjusted(p: np.ndarray) -> np.ndarray:
    """Holm's adjusted p values: each is the smallest family-wise level at which its hypothesis is rejected.

    Parameters
        p: NaN where nothing was tested, which stays NaN and does not count.
    References
        Holm (1979), Scand. J. Statist. 6.
    Examples
        >>> holm_adjusted(np.array([0.01, np.nan, 0.04, 0.03])).round(3).tolist()
        [0.03, nan, 0.06, 0.06]
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p)[: int(np.isfinite(p).sum())]
    steps = p[order] * (len(order) - np.arange(len(order)))
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def summary(comparisons: pd.DataFrame) -> str:
    """The whole table in a few sentences.

    Examples
        >>> from ycsbook.tables import empty
        >>> summary(empty("comparisons"))
        'The two have nothing that can be compared.'
    """
    parts = [_summary(str(a), str(b), part) for (a, b), part in comparisons.groupby(["a", "b"], sort=False)]
    return " ".join(parts) or "The two have nothing that can be compared."


def _summary(a: str, b: str, part: pd.DataFrame) -> str:
    of_means = part["basis"].map(is_mean).astype(bool)
    cells = part[~of_means]
    verdicts = cells["verdict"].where(~cells["verdict"].str.startswith(NOT_COMPARABLE), NOT_COMPARABLE)
    counts, tested = verdicts.value_counts(), cells[cells["p"].notna()]
    sentences = [f"{b} against {a}."] + [_mean(row) for row in part[of_means].itertuples()]
    by_law = int((tested["basis"] == "law").sum())
    sentences.append(
        f"{len(tested)} cells tested ({len(tested) - by_law} on equal specs, {by_law} by the law of {b}): higher in "
        f"{counts.get(HIGHER, 0)}, lower in {counts.get(LOWER, 0)}, no difference shown in "
        f"{len(tested) - counts.get(HIGHER, 0) - counts.get(LOWER, 0)}; "
        f"{counts.get(NOT_COMPARABLE, 0)} of {len(cells)} are not comparable."
    )
    if len(tested) and (tested["evidence"] != "repeats").any():
        sentences.append("Where nothing was repeated, the scatter of the specs around their law stands in for noise.")
    return " ".join(sentences)


def _mean(row: tuple) -> str:
    if row.verdict.startswith(DEPENDS):
        return f"Workload {row.workload}, {row.threads:g} threads: the ratio {row.verdict}; no mean says it."
    word = {HIGHER: "more", LOWER: "less"}.get(row.verdict, "no difference shown")
    return (
        f"Workload {row.workload}, {row.threads:g} threads: {row.ratio:.2f} times the throughput in the mean "
        f"(95 % interval {row.conf_low:.2f} to {row.conf_high:.2f}): {word}."
    )


def _verdict(row: dict, p: float) -> str:
    if trend := row["trend"]:
        ends = f"{trend.at_fewest:.2f} at {trend.fewest:g} cores to {trend.at_most:.2f} at {trend.most:g}"
        return f"{DEPENDS}: {ends}"
    if row["reason"]:
        return f"{NOT_COMPARABLE}: {row['reason']}"
    if np.isnan(p):
        return f"{NOT_SHOWN}: nothing was repeated, and no law tells the scatter"
    if p > FALSE_DIFFERENCES:
        return NOT_SHOWN
    return HIGHER if row["ratio"] > 1 else LOWER


# Mixes are printed as whole per cents.
_SAME_MIX = 0.005
