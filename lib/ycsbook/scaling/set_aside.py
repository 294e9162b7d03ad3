"""Runs that say nothing of their configuration, and are left out where its repeats are averaged."""

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.columns import CELL, KIND
from ycsbook.scaling.groups import cell_numbers, group_maxima, group_numbers
from ycsbook.scaling.levels import levels
from ycsbook.verdicts import Warn

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


def failed_beside_repeats(rows: pd.DataFrame) -> pd.Series:
    """Which runs say nothing of their cell (bool): more than FAILED_SHARE of their operations failed, or nobody says
    what share, which of another run of the same cell did not. Runs of a server that nobody names are nobody's repeats;
    without the columns that tell it, no run is meant."""
    needed = {*CELL, "run_id", "operations", "failed_operations", "goodput_ops_s", "throughput_ops_s", "warnings"}
    if not needed <= set(rows.columns):
        return pd.Series(False, index=rows.index)
    # Of a table that prints how many failed, but not of how many, nobody knows the share.
    share, is_warned = failed_share(rows), rows["warnings"].str.contains(Warn.OPERATIONS_FAILED, regex=False)
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
    was held to more, or to nothing.

    Parameters
        rows: as `throughputs` gives them.
    """
    if not rows["throttled"].any():
        return rows["throttled"]
    cell, target = cell_numbers(rows), rows["target_ops_s"].fillna(np.inf)
    return rows["throttled"] & (target < group_maxima(target.to_numpy(), cell)[cell])


def early_rounds(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs of first rounds that say nothing of the later ones, as where caches were cold or a server had burst
    credits: in all cells of a dataset, or of a spec, the first rounds differ by as much as EARLY, and the later agree.

    Parameters
        rows: one row per run: KIND, workload, spec, threads, `repeat` (the number of the round) and `y` (ops/s);
            without these columns nothing is known.
    Returns
        By the index of such runs `change` (ln X of the first rounds less that of the later ones, mean of its cells),
        `early` (how many rounds they are) and `rounds` (of how many). One round later is never enough to tell.
    """
    frames = [pd.DataFrame({"change": [], "early": [], "rounds": []}, index=rows.index[:0])]
    if not {*CELL, "repeat"} <= set(rows.columns):
        return frames[0]
    numbered = rows[(rows["y"] > 0) & rows["repeat"].notna()]
    for _, kind in numbered.groupby(list(KIND)):
        if kind["repeat"].nunique() < 3 or kind.duplicated([*CELL, "repeat"]).any():
            continue
        table = kind.assign(log_y=np.log(kind["y"])).pivot(index=CELL, columns="repeat", values="log_y").dropna()
        specs = table.index.get_level_values("spec")
        split = _split(table.to_numpy(), _EARLY_LEVEL) if len(table) >= _EARLY_RUNS else None
        parts = {spec: _split(table[specs == spec].to_numpy(), _EARLY_LEVEL / len(specs)) for spec in specs.unique()}
        parts = dict.fromkeys(parts, split) if split else {spec: part for spec, part in parts.items() if part}
        # One cell alone may as well have had a change of its own.
        early_runs = [parts[spec][0] for spec in specs if spec in parts]
        if len(early_runs) < 2 or sum(early_runs) < _EARLY_RUNS:
            continue
        for spec, (early, change) in parts.items():
            first = kind[(kind["spec"] == spec) & kind["repeat"].isin(table.columns[:early])]
            frames.append(pd.DataFrame({"change": change, "early": early, "rounds": table.shape[1]}, index=first.index))
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


def far_below_repeats(rows: pd.DataFrame) -> pd.Series:
    """Which runs say nothing of their cell (bool): the other repeats agree, and they are far below, levels.levels.
    Parameters as of `early_rounds`."""
    far_below = np.zeros(len(rows), bool)
    if {*CELL, "run_id"} <= set(rows.columns):
        with_y = (rows["y"] > 0).to_numpy()
        far_below[with_y] = levels(rows[with_y])["far_below"] > 0
    return pd.Series(far_below, index=rows.index)
