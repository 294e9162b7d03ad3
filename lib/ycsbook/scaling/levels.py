"""Repeats of one configuration that fall into two groups, one that is far below the others, and configurations that
exchanged one of their repeats."""

from collections import Counter
from itertools import chain, combinations

import numpy as np
import pandas as pd

from ycsbook.columns import KIND
from ycsbook.scaling.groups import cell_numbers, group_medians, group_numbers, numbers_of

# Two groups are so many standard deviations of a run apart, and at least so far in ln X. A run of another configuration
# is nearer to its repeats by the same factor.
APART, LEAST = 10.0, float(np.log(1.1))
# One run is far below the others by a third and so many standard deviations: heavy tails of 3 % noise reach that far in
# one run of 10,000.
_BELOW, _THIRD = 5.0, float(np.log(1.5))
# Of one run alone, or with fewer degrees of freedom left, nothing is told.
_LEAST_RUNS, _LEAST_DF = 2, 4
# What so many configurations have in common is their round or client machine.
_LEAST_CELLS = 4


def levels(rows: pd.DataFrame) -> pd.DataFrame:
    """Which runs are of a second level: the higher of two groups of repeats, of two runs at least and far apart for
    their scatter; or one run that fits the repeats of another configuration, as one of those fits its own.

    Parameters
        rows: as cells.within takes them.
    Returns
        With the index of rows: `level`, 1 for such a run, else 0; `apart`, how far the two groups of its configuration
        lie apart, ln X, 0 without groups; `partner`, the position of the run it was exchanged with, -1 for none;
        `far_below`, how far any other run lies below its repeats, ln X, two at least, which agree; 0 for none.
    """
    log_y = np.log(rows["y"].to_numpy(float))
    kind, cell = numbers_of(rows, KIND), cell_numbers(rows)
    nothing = pd.DataFrame({"level": 0, "apart": 0.0, "partner": -1, "far_below": 0.0}, index=rows.index)
    n = np.bincount(cell)[cell] if len(rows) else cell
    if n.max(initial=0) <= _LEAST_RUNS:
        return nothing
    repeated = np.flatnonzero(n > 1)
    off = (log_y - group_medians(log_y, cell)[cell])[repeated]
    for name in rows.columns.intersection(["repeat", "client_machine"]):
        alike = group_numbers([kind[repeated], rows[name].to_numpy()[repeated]])
        is_common = (np.bincount(alike)[alike] >= _LEAST_CELLS) & rows[name].notna().to_numpy()[repeated]
        off -= np.where(is_common, group_medians(off, alike)[alike], 0.0)
    order, splits = _best_splits(off, repeated, kind, cell, n)
    far = _far(splits)
    if far.empty:
        return nothing
    is_two = far[["below", "above"]].min(axis=1) >= _LEAST_RUNS
    level, apart, partner, far_below = (nothing[name].to_numpy(copy=True) for name in nothing)
    alone = []
    for of in far.assign(is_two=is_two).itertuples():
        at = order[of.first : of.first + of.n]
        if of.is_two:
            level[at[of.below :]], apart[at] = 1, of.gap
        else:
            odd, others = (at[-1], at[:-1]) if of.above == 1 else (at[0], at[1:])
            far_below[odd] = of.gap if of.is_low else 0.0
            alone.append((odd, log_y[odd], log_y[others].mean(), of.kind, of.gap / APART))
    fitting = [
        (first, second)
        for (first, y1, others1, kind1, near1), (second, y2, others2, kind2, near2) in combinations(alone, 2)
        if kind1 == kind2 and max(abs(y1 - others2), abs(y2 - others1)) < min(near1, near2)
    ]
    counts = Counter(chain.from_iterable(fitting))
    for first, second in fitting:
        if counts[first] == counts[second] == 1:
            level[[first, second]], partner[[first, second]], far_below[[first, second]] = 1, (second, first), 0.0
    figures = {"level": level, "apart": apart, "partner": partner, "far_below": far_below}
    return pd.DataFrame(figures, index=rows.index)


def _best_splits(
    off: np.ndarray, repeated: np.ndarray, kind: np.ndarray, cell: np.ndarray, n: np.ndarray
) -> tuple[np.ndarray, pd.DataFrame]:
    """The positions of the repeated runs by cell and ln X, and for each cell the split of its runs into two groups that
    takes most of their scatter: `kind`, `n`, `first` (its place in that order), `below` and `above` (runs in either
    group), `gap` between the groups' means, the sums of squares `between` them and of all runs (`squares`), and `df`
    within them. off: ln X less that of its cell, of the positions `repeated`; kind, cell, n (runs of the cell): of all
    positions."""
    in_order = np.lexsort((off, cell[repeated]))
    order, x = repeated[in_order], off[in_order]
    of_cell, size = cell[order], n[order]
    first = np.flatnonzero(np.append(True, of_cell[1:] != of_cell[:-1]))

    def spread(values: np.ndarray) -> np.ndarray:
        return np.repeat(values, size[first])

    below = np.arange(len(x)) - spread(first) + 1
    above, sums, squares = size - below, np.cumsum(x), np.square(x - spread(np.add.reduceat(x, first) / size[first]))
    sums -= spread(sums[first] - x[first])
    total, squares = spread(np.add.reduceat(x, first)), np.add.reduceat(squares, first)
    gap = np.where(above > 0, (total - sums) / np.maximum(above, 1) - sums / below, 0.0)
    between = gap**2 * below * above / size
    is_best = np.flatnonzero(between == spread(np.maximum.reduceat(between, first)))
    best = is_best[np.unique(of_cell[is_best], return_index=True)[1]]
    figures = {"kind": kind[order], "n": size, "below": below, "above": above, "gap": gap, "between": between}
    splits = pd.DataFrame({name: values[best] for name, values in figures.items()})
    return order, splits.assign(
        first=first, squares=squares, df=np.where(splits["n"] > _LEAST_RUNS, splits["n"] - 2, 1)
    )


def _far(splits: pd.DataFrame) -> pd.DataFrame:
    """Those of `_best_splits` whose groups are far apart, and whether one run is far below the others (`is_low`)."""
    within = (splits["squares"] - splits["between"]).clip(lower=0.0)
    # The best split of any repeats takes most of their scatter: only one that takes nearly all counts.
    is_split = (splits["n"] > _LEAST_RUNS) & (splits["between"] > APART**2 / 4 * within)
    if not is_split.any():
        return splits[is_split]
    whole = splits["squares"] / (splits["n"] - 1)
    within = (within / splits["df"]).where(is_split, whole)
    # Of three runs two agree by chance in a quarter of all cells, so a split is no sign that they are of two kinds. The
    # median of variances is less than their mean: Wilson and Hilferty (1931), The distribution of chi-square, PNAS 17.
    mean_of_median = 1 / (1 - 2 / (9 * (splits["n"] - 1))) ** 3
    kind = splits["kind"].to_numpy()
    usual, usual_whole = (group_medians(of.to_numpy(), kind)[kind] for of in (within, whole * mean_of_median))
    is_enough = np.bincount(kind, splits["df"])[kind] >= _LEAST_DF
    # A scatter of few degrees of freedom may be small by chance.
    noise = np.maximum(within * (_LEAST_DF / splits["df"]).clip(lower=1.0), usual)
    noise_of_few = np.maximum(noise, np.where(splits["n"] == _LEAST_RUNS + 1, usual_whole, 0.0))
    is_far = splits["gap"] > np.maximum(APART * np.sqrt(noise), LEAST)
    is_low = (splits["below"] == 1) & (splits["gap"] > np.maximum(_BELOW * np.sqrt(noise_of_few), _THIRD))
    return splits.assign(is_low=is_low)[is_split & is_enough & (is_far | is_low)]
