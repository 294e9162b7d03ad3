"""One row per workload and thread count: the mean ratio over specs, which says more than each spec alone.

Single cells carry all the scatter between specs; their mean carries it divided by their number. It means something
only where the ratio is the same at few and at many cores, so its trend is measured beside it.
"""

from collections.abc import Iterator

import numpy as np

from ycsbook.comparing.sides import Side
from ycsbook.comparing.trend import Differences, Trend
from ycsbook.scaling.pairs import SMALLEST_VARIANCE

# With fewer differences than this their mean has no error worth the name.
FEWEST = 3


def means(a: Side, b: Side, rows: list[dict], back: list[dict]) -> Iterator[dict]:
    """The mean ratio of each workload and thread count: over equal specs, else by both sides' laws.

    Over equal specs: the mean of ln ratios with its t interval, n - 1 degrees of freedom. By the law: the distance of
    a's specs from b's law and that of b's specs from a's law, half and half, with the errors of both; so b against a
    says the inverse of a against b. Where only one side has a law, the other's specs alone, with the error of that
    law where they have their (geometric) mean cores.

    Parameters
        rows: the cells of a against b, as ratios.compare makes them; back: those of b against a. Those with a reason
        are left out.
    Returns
        Rows without ratio, with `difference` (mean of ln b - ln a), `spreads`: variance and degrees of freedom of
        each part of its error, and `trend` (of ln b - ln a over ln cores; None where it is not to be had).
    """
    ours, theirs = _sound(rows), _sound(back)
    for key in dict.fromkeys((row["workload"], row["threads"]) for row in (*ours, *theirs)):
        group, other = ([row for row in side if (row["workload"], row["threads"]) == key] for side in (ours, theirs))
        equal = [row for row in group if row["basis"] == "spec"]
        if len(equal) >= FEWEST:
            basis = "mean of specs"
            differences = np.log([row["ratio"] for row in equal])
            parts = [Differences(differences, _of(a, key, equal)["cores"].to_numpy(float))]
        else:
            basis = "mean by law"
            parts = [part for part in (_from_law(a, b, key, group, 1), _from_law(b, a, key, other, -1)) if part]
        if parts:
            yield {
                "a": a.name, "b": b.name, "workload": key[0], "spec_a": "", "spec_b": "", "threads": key[1],
                "evidence": (group or other)[0]["evidence"], "basis": basis, "reason": "",
                "difference": float(np.mean([part.values.mean() for part in parts])), "spreads": _spreads(parts),
                "trend": Trend.of(parts),
            }  # fmt: skip


def _sound(rows: list[dict]) -> list[dict]:
    return [row for row in rows if not row["reason"] and np.isfinite(row["ratio"])]


def _of(side: Side, key: tuple[str, float], rows: list[dict]):
    return side.groups[key].set_index("spec").loc[[row["spec_a"] for row in rows]]


def _from_law(a: Side, b: Side, key: tuple[str, float], rows: list[dict], sign: int) -> Differences | None:
    """ln of b's law at the cores of a's cells less the cells' own, times `sign`; None where there are too few."""
    if len(rows) < FEWEST:
        return None
    cells = _of(a, key, rows)
    if cells["cores"].isna().any() or not b.spans(*key, cells["cores"]):
        return None
    cores = cells["cores"].to_numpy(float)
    fitted, _ = b.law_at(*key, cores)
    _, error = b.law_at(*key, np.array([np.exp(np.log(cores).mean()), cores.min(), cores.max()]))
    law = b.law(*key).df
    return Differences(sign * (fitted - cells["log_y"].to_numpy(float)), cores, error**2, law)


def _spreads(parts: list[Differences]) -> list[tuple[float, float]]:
    """Variance and degrees of freedom of the parts of the mean's error."""
    own = [
        (max(float(part.values.var(ddof=1)) / len(part.values), SMALLEST_VARIANCE), len(part.values) - 1)
        for part in parts
    ]
    # a's cells scatter around b's law as a does, b's around a's law as b does. Each law's level is known as well as
    # its own cells scatter, so with both parts the error of either side is counted once, as between two means.
    return own if len(parts) == 2 else [*own, (float(parts[0].law_variance[0]), parts[0].law_df)]
