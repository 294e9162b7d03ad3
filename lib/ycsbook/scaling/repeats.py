"""The repeats of a configuration: which rows they are, runs that fall into two levels or are far off the others, and
those that say nothing of their configuration and are left out where its repeats are averaged."""

from collections import Counter
from itertools import chain, combinations

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.columns import CELL, KIND
from ycsbook.groups import group_maxima, group_medians, group_numbers, numbers_of
from ycsbook.verdicts import Warn


def spec_or_run_id(rows: pd.DataFrame) -> pd.Series:
    """The spec of each run; its own name where the server is unknown: such logs are nobody's repeats."""
    unknown = (rows["spec"] == "").to_numpy()
    return rows["spec"].mask(unknown, rows["run_id"]) if unknown.any() else rows["spec"]


def cell_numbers(rows: pd.DataFrame) -> np.ndarray:
    """group_numbers of the configurations of runs: CELL, with the spec or the run of an unknown one."""
    return group_numbers(spec_or_run_id(rows) if name == "spec" else rows[name] for name in CELL)


# Two groups are so many standard deviations of a run apart, and at least so far in ln X. A run of another configuration
# is nearer to its repeats by the same factor.
APART, LEAST = 10.0, float(np.log(1.1))
# One run is far below the others by a third and so many standard deviations: heavy tails of 3 % noise reach that far in
# one run of 10,000.
_BELOW, _THIRD = 5.0, float(np.log(1.5))
# No run does so many times what its repeats do, which agree: a digit too many, or another configuration.
_TIMES = float(np.log(5))
# Of one run alone, or with fewer degrees of freedom left, nothing is told.
_LEAST_RUNS, _LEAST_DF = 2, 4
# What so many configurations have in common is their round or client machine.
_LEAST_CELLS = 4


def levels(rows: pd.DataFrame) -> pd.DataFrame:
    """Which runs are of a second level: the higher of two groups of repeats, of two runs at least and far apart for
    their scatter; or one run that fits the repeats of another configuration, as one of those fits its own. rows: as
    cells.within takes them. Returns with the index of rows: `level`, 1 for such a run, else 0; `apart`, how far the two
    groups of its configuration lie apart, ln X, 0 without groups; `partner`, the position of the run it was exchanged
    with, -1 for none; `far_off`, how far any other run lies below its repeats, ln X, two at least, which agree, or
    above them (negative); 0 for none."""
    log_y = np.log(rows["y"].to_numpy(float))
    kind, cell = numbers_of(rows, KIND), cell_numbers(rows)
    nothing = pd.DataFrame({"level": 0, "apart": 0.0, "partner": -1, "far_off": 0.0}, index=rows.index)
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
    level, apart, partner, far_off = (nothing[name].to_numpy(copy=True) for name in nothing)
    alone = []
    for of in far.assign(is_two=is_two).itertuples():
        at = order[of.first : of.first + of.n]
        if of.is_two:
            level[at[of.below :]], apart[at] = 1, of.gap
        else:
            odd, others = (at[-1], at[:-1]) if of.above == 1 else (at[0], at[1:])
            far_off[odd] = of.gap if of.is_low else -of.gap if of.above == 1 and of.gap > _TIMES else 0.0
            alone.append((odd, log_y[odd], log_y[others].mean(), of.kind, of.gap / APART))
    fitting = [
        (first, second)
        for (first, y1, others1, kind1, near1), (second, y2, others2, kind2, near2) in combinations(alone, 2)
        if kind1 == kind2 and max(abs(y1 - others2), abs(y2 - others1)) < min(near1, near2)
    ]
    counts = Counter(chain.from_iterable(fitting))
    for first, second in fitting:
        if counts[first] == counts[second] == 1:
            level[[first, second]], partner[[first, second]], far_off[[first, second]] = 1, (second, first), 0.0
    return nothing.assign(level=level, apart=apart, partner=partner, far_off=far_off)


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
    df = np.where(splits["n"] > _LEAST_RUNS, splits["n"] - 2, 1)
    return order, splits.assign(first=first, squares=squares, df=df)


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


# Where more of a run's operations failed, its throughput is not that of the others.
FAILED_SHARE = 0.01
# Runs that were so many times as long are of another kind.
UNLIKE = 4.0
# First rounds say nothing of the later ones where they differ by so much, ln X, in each cell, and are so many runs;
# where rounds on either side differ by less than a third of that; and by chance, of cells without any change, in so few
# sweeps.
EARLY, _EARLY_RUNS, _ALIKE, _EARLY_LEVEL = np.log(1.25), 3, 1 / 3, 0.001


def failed_share(rows: pd.DataFrame) -> pd.Series:
    """What share of each run's operations failed: by their numbers; of rows of tables that are warned of, by what the
    goodput is below the throughput. NaN: nobody says.

    Examples
        >>> of = {"operations": [200, None], "failed_operations": [2, 5], "goodput_ops_s": [99, 75]}
        >>> failed_share(pd.DataFrame({**of, "throughput_ops_s": 100, "warnings": ["", "OPERATIONS_FAILED"]})).tolist()
        [0.01, 0.25]
    """
    counted = (rows["failed_operations"] / rows["operations"]).where(rows["operations"] > 0)
    is_warned = rows["warnings"].str.contains(Warn.OPERATIONS_FAILED, regex=False)
    return counted.fillna((1 - rows["goodput_ops_s"] / rows["throughput_ops_s"]).where(is_warned))


def unlike_repeats(rows: pd.DataFrame) -> pd.Series:
    """Which runs say nothing of their cell (bool): they failed, or were short, beside repeats."""
    return failed_beside_repeats(rows) | short_beside_repeats(rows)


def failed_beside_repeats(rows: pd.DataFrame) -> pd.Series:
    """Which runs say nothing of their cell (bool): more than FAILED_SHARE of their operations failed, or nobody says
    what share, which of another run of the same cell did not. Runs of a server that nobody names are nobody's repeats;
    without the columns that tell it, no run is meant."""
    needed = {*CELL, "run_id", "operations", "failed_operations", "goodput_ops_s", "throughput_ops_s", "warnings"}
    if not needed <= set(rows.columns):
        return pd.Series(False, index=rows.index)
    is_warned = rows["warnings"].str.contains(Warn.OPERATIONS_FAILED, regex=False)
    if not (is_warned | (rows["failed_operations"] > 0)).any():
        return is_warned
    # Of a table that prints how many failed, but not of how many, nobody knows the share.
    share = failed_share(rows)
    failed = (share > FAILED_SHARE) | (share.isna() & is_warned)
    if not failed.any():
        return failed
    cell = cell_numbers(rows)
    return failed & (group_maxima(~failed.to_numpy(), cell)[cell] > 0)


def short_beside_repeats(rows: pd.DataFrame) -> pd.Series:
    """Which runs say nothing of their cell (bool): too short for caches to settle, beside a run of the same cell and
    target that took UNLIKE times as long. Parameters as of `failed_beside_repeats`."""
    if not {*CELL, "run_id", "runtime_ms", "target_ops_s", "warnings"} <= set(rows.columns):
        return pd.Series(False, index=rows.index)
    is_short = rows["warnings"].str.contains(Warn.SHORT_RUN, regex=False)
    if not is_short.any():
        return is_short
    alike = group_numbers([cell_numbers(rows), rows["target_ops_s"]])
    longest = group_maxima(rows["runtime_ms"].to_numpy(float), alike)[alike]
    return (longest >= UNLIKE * rows["runtime_ms"]) & is_short


def held_back(rows: pd.DataFrame) -> pd.Series:
    """Which runs say nothing of their cell (bool): they did what they were held to, and another run of the same cell
    was held to more, or to nothing. rows: as `throughputs` gives them."""
    if not rows["throttled"].any():
        return rows["throttled"]
    cell, target = cell_numbers(rows), rows["target_ops_s"].fillna(np.inf)
    return rows["throttled"] & (target < group_maxima(target.to_numpy(), cell)[cell])


def early_rounds(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs of first rounds that say nothing of the later ones, as where caches were cold or a server had burst
    credits: in all cells of a dataset, or of a spec, the first rounds differ by as much as EARLY, and the later agree.
    rows: one row per run: KIND, workload, spec, threads, `repeat` (the number of the round) and `y` (ops/s); without
    these columns nothing is known. Returns by the index of such runs `change` (ln X of the first rounds less that of
    the later ones, mean of its cells), `early` (how many rounds they are) and `rounds` (of how many). One round later
    is never enough to tell."""
    frames = [pd.DataFrame({"change": [], "early": [], "rounds": []}, index=rows.index[:0])]
    if not {*CELL, "repeat"} <= set(rows.columns) or rows["repeat"].nunique() < 3:
        return frames[0]
    numbered = rows.loc[(rows["y"] > 0) & rows["repeat"].notna(), [*CELL, "repeat", "y"]]
    of_kind = numbers_of(numbered, KIND)
    for number in np.unique(of_kind):
        kind = numbered[of_kind == number]
        rounds, place = np.unique(kind["repeat"], return_inverse=True)
        cell = numbers_of(kind, CELL)
        if len(rounds) < 3 or len(np.unique(cell * len(rounds) + place)) < len(kind):
            continue
        table = np.full((cell.max() + 1, len(rounds)), np.nan)
        table[cell, place] = np.log(kind["y"])
        is_whole = ~np.isnan(table).any(axis=1)
        table, specs = table[is_whole], kind["spec"].iloc[np.unique(cell, return_index=True)[1]][is_whole]
        split = _split(table, _EARLY_LEVEL) if len(table) >= _EARLY_RUNS else None
        parts = {spec: _split(table[specs == spec], _EARLY_LEVEL / len(specs)) for spec in specs.unique()}
        parts = dict.fromkeys(parts, split) if split else {spec: part for spec, part in parts.items() if part}
        # One cell alone may as well have had a change of its own.
        early_runs = [parts[spec][0] for spec in specs if spec in parts]
        if len(early_runs) < 2 or sum(early_runs) < _EARLY_RUNS:
            continue
        for spec, (early, change) in parts.items():
            first = kind[(kind["spec"] == spec) & kind["repeat"].isin(rounds[:early])]
            frames.append(pd.DataFrame({"change": change, "early": early, "rounds": len(rounds)}, index=first.index))
    return pd.concat(frames)


def _split(log_y: np.ndarray, level: float) -> tuple[int, float] | None:
    """How many first rounds differ from the later ones, and by how much in the mean; None where none do. log_y: (cells,
    rounds)."""
    cells, rounds = log_y.shape
    for early in range(1, rounds - 1):
        parts = log_y[:, :early], log_y[:, early:]
        change = parts[0].mean(axis=1) - parts[1].mean(axis=1)
        mean, sign = float(change.mean()), np.sign(change[0])
        ranges = [np.ptp(part.mean(axis=0)) for part in parts]
        squares = sum(float(((part - part.mean(axis=1, keepdims=True)) ** 2).sum()) for part in parts)
        df = cells * (rounds - 2)
        error = np.sqrt(squares / df * (1 / early + 1 / (rounds - early)) / cells)
        is_shown = abs(mean) > -special.stdtrit(df, level / 2 / (rounds - 2)) * error
        # A single first run of a single cell may have stalled.
        if cells + early > 2 and is_shown and (sign * change).min() >= EARLY and max(ranges) <= _ALIKE * abs(mean):
            return early, mean
    return None


def far_off_repeats(rows: pd.DataFrame) -> pd.Series:
    """Which runs say nothing of their cell (bool): the other repeats agree, and they are far off, repeats.levels.
    Parameters as of `early_rounds`."""
    far_off = np.zeros(len(rows), bool)
    if {*CELL, "run_id"} <= set(rows.columns):
        with_y = (rows["y"] > 0).to_numpy()
        far_off[with_y] = levels(rows[with_y])["far_off"] != 0
    return pd.Series(far_off, index=rows.index)
