"""What the neighbours of a row say of its throughput: the next thread counts of its spec, the next core counts."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

import numpy as np
import pandas as pd

from ycsbook.columns import KIND
from ycsbook.scaling.cells import ASSUMED_NOISE, MAD_TO_SD

# Differences of ln X of two single runs, at the noise that is assumed: three standard deviations do not fit, two do.
MISFIT, FITS = 3 * np.sqrt(2) * ASSUMED_NOISE, 2 * np.sqrt(2) * ASSUMED_NOISE
# With fewer thread counts a ladder does not tell exchanged rows from servers that differ; nor do fewer columns of mixes
# and thread counts, or fewer specs.
LEAST_COUNTS, LEAST_COLUMNS, LEAST_SPECS = 3, 3, 4
_ROUNDS_OF_MEDIANS = 10
# Pairs of rows: the labels of the cells that are too high and too low.
Rows = list[tuple[int, int]]
# So many standard deviations of the whole table are odd, though it scatters more than is assumed.
_USUAL_ODD = 6.0
# At the end of a ladder a fall is usual; and beside an odd row the end looks odd as well.
_AT_END = 2
_DOUBLING = np.log(2)
# Of neighbours that are nearer to each other in cores the line between them tells little.
_SPAN = 3.0
_SAME_COUNT = 1e-9


def outside(log_y: np.ndarray, octaves: np.ndarray) -> np.ndarray:
    """How far each row of a ladder, ln X by ascending threads, (n,), n > 1, lies above (> 0) or below (< 0) what its
    neighbours allow; octaves: log2 of the threads, (n,). It may be as high as the higher of two neighbours and as low
    as the lower one; at an end the ladder may go on as its next two rows do, and grow as the threads at most.

    Examples
        >>> outside(np.log([1000, 1900, 700, 1900, 1900]), np.arange(5.0)).round(2).tolist()
        [0.0, 0.64, -1.0, 0.0, 0.0]
    """
    # Of counts that differ by rounding alone nothing follows.
    gap = np.maximum(np.diff(octaves), _SAME_COUNT)
    slope = np.diff(log_y) / gap
    before, after = log_y[:-1], log_y[1:]
    falls, rises = (max(0.0, -slope[1]), max(0.0, slope[-2])) if len(slope) > 1 else (0.0, _DOUBLING)
    first = after[0] - _DOUBLING * gap[0], after[0] + falls * gap[0]
    last = before[-1], before[-1] + min(rises, _DOUBLING) * gap[-1]
    low = np.array([first[0], *np.minimum(before[:-1], after[1:]), last[0]])
    high = np.array([first[1], *np.maximum(before[:-1], after[1:]), last[1]])
    return np.maximum(log_y - high, 0) + np.minimum(log_y - low, 0)


def swapped(cells: pd.DataFrame, over_cores: Sequence[Rows]) -> Rows:
    """Pairs of rows of one mix that fit their ladders only if exchanged. Exchanged are two specs at one thread count,
    or two thread counts of one spec, where neither row without the other would fit. A ladder without valleys is never
    in it, whatever its peak; of fewer than LEAST_COUNTS counts only two specs are, at one mix and count, where the
    others say what each would do. Nor does it need ladders where what the specs do over their cores tells it. cells: as
    cells.cells gives them, without those whose own figures contradict each other. over_cores: what exchanged_over_cores
    gives of some rows of two specs."""
    pairs: Rows = []
    for _, mix in cells[cells["threads"] > 0].groupby([*KIND, "workload"]):
        ladders = [part.sort_values("threads") for _, part in mix.groupby("spec") if len(part) >= LEAST_COUNTS]
        log_y = [ladder["log_y"].to_numpy(float, copy=True) for ladder in ladders]
        octaves = [np.log2(ladder["threads"].to_numpy(float)) for ladder in ladders]
        done: set[tuple[int, int]] = set()
        while (best := min(_exchanges(log_y, octaves, done), default=None)) is not None:
            _, high, high_at, low, low_at = best
            done |= {(high, high_at), (low, low_at)}
            pairs.append((ladders[high].index[high_at], ladders[low].index[low_at]))
            log_y[high][high_at], log_y[low][low_at] = log_y[low][low_at], log_y[high][high_at]
    short = cells.groupby([*KIND, "workload", "spec"])["threads"].transform("nunique") < LEAST_COUNTS
    for _, kind in cells[(cells["threads"] > 0) & short].groupby(list(KIND)):
        pairs += _exchanged_specs(kind)
    for by_cores in over_cores:
        pairs += [pair for pair in by_cores if not {*pair} & {*chain.from_iterable(pairs)}]
    return pairs


def _exchanged_specs(cells: pd.DataFrame) -> Iterator[tuple[int, int]]:
    """Pairs as of `swapped`, of two specs at one mix and thread count, by what both do at other mixes and counts. ln X
    is a figure of the spec and one of the column, mix and threads, by medians; of two exchanged rows one is too high
    and one too low, by as much as the specs differ, and nothing else about these specs is odd. Source: Tukey (1977),
    Exploratory Data Analysis, ch. 11: the median polish."""
    labels = _labels(cells).dropna().to_numpy(int)
    if len(labels) < LEAST_SPECS or labels.shape[1] < LEAST_COLUMNS:
        return
    values = cells["log_y"].reindex(labels.ravel()).to_numpy().reshape(labels.shape)
    residuals = values.copy()
    for _ in range(_ROUNDS_OF_MEDIANS):
        residuals = residuals - np.median(residuals, axis=1, keepdims=True)
        residuals = residuals - np.median(residuals, axis=0, keepdims=True)
    usual = MAD_TO_SD * float(np.median(np.abs(residuals)))
    fitted, odd = values - residuals, np.abs(residuals) > max(MISFIT, _USUAL_ODD * usual)
    alone = (odd.sum(axis=1) == 1) & (np.where(odd, 0.0, np.abs(residuals)).max(axis=1) <= FITS)
    for column in np.flatnonzero(odd.sum(axis=0) == 2):
        low, high = sorted(np.flatnonzero(odd[:, column]), key=lambda row: residuals[row, column])
        misfit = values[[high, low], column] - fitted[[low, high], column]
        if alone[[low, high]].all() and np.abs(misfit).max() <= FITS:
            yield labels[high, column], labels[low, column]


def exchanged_over_cores(cells: pd.DataFrame) -> tuple[list[Rows], list[Rows]]:
    """The rows of two specs, by mix and threads, that fit the other's cores: first of specs all of whose rows do.

    In a column of mix and threads one spec must miss the straight line between its neighbours in ln X over ln cores
    by MISFIT upwards and the other downwards, or both fit it; exchanged, both lie on it, on average by FITS. Servers
    differ as much by themselves where little growth is expected between the two, so that has to be more than twice
    MISFIT. The largest spec is in none, as throughput may fall there; nor are specs whose RAM does not rise with the
    cores. cells: as of `swapped`."""
    pairs: tuple[list[Rows], list[Rows]] = [], []
    for _, kind in cells[cells["threads"] > 0].groupby(list(KIND)):
        shapes = kind.drop_duplicates("spec").dropna(subset="cores").sort_values("cores")
        is_plain = shapes["cores"].is_unique and shapes["ram_gib"].dropna().is_monotonic_increasing
        if not is_plain or len(shapes) <= LEAST_SPECS:
            continue
        labels = _labels(kind).reindex(shapes["spec"]).dropna(axis=1).to_numpy(int)
        values = kind["log_y"].reindex(labels.ravel()).to_numpy().reshape(labels.shape)
        x = np.log(shapes["cores"].to_numpy(float))
        for high, low in combinations(range(len(shapes) - 1 if labels.size else 0), 2):
            other_specs = np.delete(np.arange(len(shapes)), [high, low])
            fitted = np.array([_on_line(x[other_specs], column[other_specs], x[[high, low]]) for column in values.T]).T
            apart, exchanged = values[[high, low]] - fitted, values[[low, high]] - fitted
            odd = (apart[0] > MISFIT) & (apart[1] < -MISFIT) & (fitted[1] - fitted[0] > 2 * MISFIT)
            others_fit = np.abs(apart[:, ~odd]).max(initial=0.0) <= MISFIT
            if odd.any() and others_fit and np.abs(exchanged[:, odd].mean(axis=1)).max() <= FITS:
                rows = labels[[high, low]][:, odd].tolist()
                pairs[0 if odd.all() else 1].append([*zip(*rows, strict=True)])
    return pairs


def between(cells: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells that stand between two others of their mix and threads, as positions: the smaller neighbour, the cell,
    the larger neighbour; nearest in cores, then in RAM."""
    triples: list[tuple[int, int, int]] = []
    cores, ram = (cells[c].to_numpy(float) for c in ("cores", "ram_gib"))
    for at in cells.groupby(["workload", "threads"], dropna=False).indices.values():
        order = at[np.lexsort((ram[at], cores[at]))]
        for middle in order:
            small = order[(cores[order] < cores[middle]) & ~(ram[order] > ram[middle])][-1:]
            large = order[(cores[order] > cores[middle]) & ~(ram[order] < ram[middle])][:1]
            if len(small) and len(large) and cores[large[0]] >= _SPAN * cores[small[0]]:
                triples.append((int(small[0]), int(middle), int(large[0])))
    small, middle, large = np.array(triples, dtype=int).reshape(-1, 3).T
    return small, middle, large


def _labels(cells: pd.DataFrame) -> pd.DataFrame:
    """The labels of the cells of one kind, by spec and by mix and threads; NaN where there is none."""
    by_column = cells[["spec", "workload", "threads"]].assign(label=cells.index)
    return by_column.pivot(index="spec", columns=["workload", "threads"], values="label")


def _on_line(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """y between the points, and before the first one on the line through the first two."""
    before = y[0] + (y[1] - y[0]) / (x[1] - x[0]) * (at - x[0])
    return np.where(at < x[0], before, np.interp(at, x, y))


def _exchanges(
    log_y: list[np.ndarray], octaves: list[np.ndarray], done: set[tuple[int, int]]
) -> Iterator[tuple[float, int, int, int, int]]:
    """Exchanges of two rows, neither of them done, after which both fit: how much the ladders then go up and down, and
    ladder and position of the row that is too high and of the other."""
    odd = []
    for ladder, values in enumerate(log_y):
        away = outside(values, octaves[ladder])
        limit = np.full(len(values), MISFIT)
        limit[[0, -1]] = np.where(np.abs(away[[1, -2]]) > MISFIT, np.inf, _AT_END * MISFIT)
        odd += [(ladder, at, away[at] > 0) for at in np.flatnonzero(np.abs(away) > limit) if (ladder, at) not in done]
    for high, at, _ in (row for row in odd if row[2]):
        for low, low_at, _ in (row for row in odd if not row[2]):
            if octaves[high][at] != octaves[low][low_at] and high != low:
                continue
            at_end = {at, low_at} & {0, len(log_y[high]) - 1}
            if high == low and (at_end or _suffices(log_y[high], octaves[high], at, low_at)):
                continue
            after = {ladder: log_y[ladder].copy() for ladder in (high, low)}
            after[high][at], after[low][low_at] = log_y[low][low_at], log_y[high][at]
            misfits = (outside(after[of], octaves[of])[place] for of, place in ((high, at), (low, low_at)))
            if max(map(abs, misfits)) <= FITS:
                yield sum(float(np.abs(np.diff(values)).sum()) for values in after.values()), high, at, low, low_at


def _suffices(log_y: np.ndarray, octaves: np.ndarray, high_at: int, low_at: int) -> bool:
    """Whether one of these two rows fits once some other row is left out: that one may be the wrong one."""
    for removed in range(len(log_y)):
        away = outside(np.delete(log_y, removed), np.delete(octaves, removed))
        if any(row != removed and abs(away[row - (row > removed)]) <= MISFIT for row in (high_at, low_at)):
            return True
    return False


def misprinted(cells: pd.DataFrame, times_usual: pd.Series) -> pd.Series:
    """Rows whose throughput is off from their neighbours' by as much as X R / N is from what is usual: the throughput
    that would fit both, ops/s. cells: as cells.cells gives them. times_usual: by the label of a cell, how many times U
    is what is usual. The result is by label as well."""
    off = np.log(times_usual.where(times_usual > 0))
    sound = cells[~(off.abs() > MISFIT)]
    fits = {}
    for at in off.index[off.abs() > MISFIT]:
        row, change = cells.loc[at], off[at]
        of_mix = sound[(sound[[*KIND, "workload"]] == row[[*KIND, "workload"]]).all(axis=1)]
        before = list(_outside_of_neighbours(row, row["log_y"], of_mix))
        after = list(_outside_of_neighbours(row, row["log_y"] - change, of_mix))
        if any(away * change > 0 and abs(away) > MISFIT for away in before) and max(map(abs, after)) <= FITS:
            fits[at] = float(np.exp(row["log_y"] - change))
    return pd.Series(fits, dtype=float)


def wrong_digits(cells: pd.DataFrame, asked: pd.Series) -> dict[int, int]:
    """Rows a power of ten off all their neighbours, the other thread counts and the next smaller and larger servers, or
    all rows of a spec and mix so far off the line between these servers: by the label of a cell the power, which is 1
    where its throughput is ten times what would fit. cells: as cells.cells gives them. asked: whether (bool) a row is
    looked at; its neighbours are of all."""
    steps = cells.assign(x=np.log(cells["cores"])).sort_values("x").groupby([*KIND, "workload", "threads"])
    (before, from_small), (after, from_large) = (
        [steps[name].diff(away).reindex(cells.index) for name in ("log_y", "x")] for away in (1, -1)
    )
    above, below = ~((before < _DOUBLING) | (after < _DOUBLING)), ~((before > -_DOUBLING) | (after > -_DOUBLING))
    powers = {}
    for at in cells.index[asked & (above | below)]:
        row = cells.loc[at]
        of_mix = cells[(cells[[*KIND, "workload"]] == row[[*KIND, "workload"]]).all(axis=1)].drop(at)
        away = np.array([*_outside_of_neighbours(row, row["log_y"], of_mix)])
        beside = of_mix.loc[of_mix["threads"] == row["threads"], "cores"]
        # A single neighbour may be the wrong one itself.
        if len(away) + (beside.min() < row["cores"] < beside.max()) < 2:
            continue
        for power in (-3, -2, -1, 1, 2, 3):
            misfits = _outside_of_neighbours(row, row["log_y"] - power * np.log(10), of_mix)
            if (power * away > _DOUBLING * abs(power)).all() and max(map(abs, misfits)) <= FITS:
                powers[at] = power
    # Off the line between the two servers, in powers of ten.
    off = (after * from_small - before * from_large) / (from_small - from_large) / np.log(10)
    for _, of_spec in off[asked].groupby([cells[name] for name in (*KIND, "workload", "spec")]):
        power = round(of_spec.median()) if of_spec.notna().all() else 0
        if power and (abs(of_spec - power) <= FITS / np.log(10)).all():
            powers |= dict.fromkeys(of_spec.index, power)
    return powers


def _outside_of_neighbours(row: pd.Series, log_y: float, of_mix: pd.DataFrame) -> Iterator[float]:
    """How far ln X of a row lies outside its ladder, and outside the next smaller and larger servers at its threads; of
    one of these alone, outside growth as the cores and a loss of half."""
    ladder = of_mix[(of_mix["spec"] == row["spec"]) & of_mix["threads"].notna()]
    if len(ladder) and row["threads"] > 0:
        ladder = pd.concat([ladder, row.to_frame().T.assign(log_y=log_y)]).astype({"threads": float, "log_y": float})
        ladder = ladder.sort_values("threads")
        at = ladder.index.get_loc(row.name)
        yield float(outside(ladder["log_y"].to_numpy(), np.log2(ladder["threads"].to_numpy()))[at])
    beside = of_mix[(of_mix["threads"] == row["threads"]) & of_mix["cores"].notna()]
    smaller, larger = beside[beside["cores"] < row["cores"]], beside[beside["cores"] > row["cores"]]
    if len(smaller) or len(larger):
        down, up = smaller[smaller["cores"] == smaller["cores"].max()], larger[larger["cores"] == larger["cores"].min()]
        near = pd.concat([down, up])
        # Of two sides the other one bounds it.
        growth = 0.0 if len(down) and len(up) else abs(np.log(row["cores"] / near["cores"].iloc[0]))
        loss = _DOUBLING if growth else 0.0
        high = near["log_y"].max() + (growth if len(down) else loss)
        low = near["log_y"].min() - (loss if len(down) else growth)
        yield float(max(log_y - high, 0.0) + min(log_y - low, 0.0))
