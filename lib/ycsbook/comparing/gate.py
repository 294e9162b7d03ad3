"""Whether new runs lost more throughput than is allowed: for every cell, and for all together.

Two occasions differ even where nothing was changed: the host's neighbours, its clock, the place of the data. Of
LEAST_OCCASIONS earlier ones or more it is measured by how much; of fewer it is assumed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from ycsbook import names
from ycsbook.comparing.sides import Side, sides
from ycsbook.comparing.verdicts import OCCASION, doubt, interleaved
from ycsbook.errors import DataError
from ycsbook.facts import Fact, fact
from ycsbook.scaling.cells import SMALLEST_VARIANCE, Noise, pooled, with_utilisation
from ycsbook.scaling.cells import cells as cells_of
from ycsbook.scaling.pairs import holm, satterthwaite
from ycsbook.tables import Tables

SLOWER, NOT_SHOWN, HOLDS, FASTER = "slower", "not-shown", "holds", "faster"
LEAST_OCCASIONS = 4
# A loss counts as one that would have been found if four of five such comparisons find it.
POWER = 0.8
_KEY = ["workload", "spec", "threads"]
# What a cell is called by.
_NAMED = ["vendor", "called", *_KEY, "read_fraction", "cores", "ram_gib"]


@dataclass(frozen=True)
class Gate:
    """How the new runs compare with the earlier ones: a verdict on each cell, and on all together. rows: that of all
    cells together first (spec empty), then the cells, by what they are called: vendor, workload, spec, threads,
    read_fraction, cores, ram_gib; ratio (new over earlier), conf_low, conf_high (two-sided), found_from (the ratio
    below which a loss would have been found with POWER), verdict. NaN without noise. occasions: how many earlier ones
    the noise between occasions was measured by; 0: they were measured in turn with the new runs; 1: it was assumed.
    left_out: why other cells of the new runs could not be compared, and how many for each reason."""

    rows: pd.DataFrame
    limit: float
    confidence: float
    occasions: int
    left_out: Mapping[Fact, int]

    @property
    def verdict(self) -> str:
        """SLOWER: some cell, or all together, lost more than the limit. HOLDS: each is shown not to have; FASTER: and
        all together gained. Else NOT_SHOWN."""
        verdicts = set(self.rows["verdict"])
        if SLOWER in verdicts:
            return SLOWER
        if NOT_SHOWN in verdicts:
            return NOT_SHOWN
        return FASTER if self.rows["verdict"].iloc[0] == FASTER else HOLDS

    @property
    def summary(self) -> Fact:
        """The finding and what it rests on, as the `parts` of one fact."""
        cells, all_cells = self.rows.iloc[1:], self.rows.iloc[0]
        open_ = cells[cells["verdict"] == NOT_SHOWN]
        worst = self.rows.loc[self.rows["ratio"].idxmin()]
        parts = [
            fact(
                "gate-verdict", verdict=self.verdict, limit=self.limit, cells=len(cells), open=len(open_),
                slower=int((cells["verdict"] == SLOWER).sum()), row=row_name(worst), ratio=worst["ratio"],
                low=worst["conf_low"], high=worst["conf_high"], apart=self.occasions > 0,
            ),
            fact("gate-together", ratio=all_cells["ratio"], low=all_cells["conf_low"], high=all_cells["conf_high"],
                 confidence=self.confidence),
            fact("gate-found-from", loss=1 - self.rows["found_from"].min()),
            fact("gate-occasions", n=self.occasions, effect=OCCASION, least=LEAST_OCCASIONS),
        ]  # fmt: skip
        if self.left_out:
            reasons = [fact("gate-left-out-cells", n=n, reason=reason) for reason, n in self.left_out.items()]
            parts.append(fact("gate-left-out", parts=reasons))
        return fact("sentences", parts=parts)


def gate(earlier: Sequence[Tables], new: Tables, *, limit: float, confidence: float = 0.95) -> Gate:
    """Whether the new runs are slower than earlier ones by more than a limit. Every cell (workload, spec, threads) that
    all occasions have is compared, by t tests on ln X. Of LEAST_OCCASIONS or more earlier ones the new value stands
    beside their mean; what an occasion does to all cells alike and to each by itself comes from their two-way layout,
    with Satterthwaite's degrees of freedom. Of fewer the last one counts: with the noise of the repeats of both, and
    OCCASION where they were not measured in turn. SLOWER and FASTER hold at the confidence for all rows together
    (Holm), HOLDS for each row, as it must hold in every one. earlier: one for each occasion, in order of time; each of
    one data set. limit: the share that may be lost. Raises DataError: several data sets on one side, or no cell that
    all have. Source: Satterthwaite (1946), Biometrics Bull. 2; Holm (1979), Scand. J. Statist. 6; Berger (1982),
    Technometrics 24, for what must hold in every row."""
    before, after = (_only(side) for side in sides(earlier[-1], new))
    older = [cells_of(with_utilisation(tables.runs, tables.operations)) for tables in earlier[:-1]]
    *_, last = by_occasion = [_by_key(table) for table in (*older, before.cells)]
    cells, paired_keys, left_out = _by_key(after.cells), [], Counter()
    for key, cell in cells.iterrows():
        is_paired = all(key in table.index for table in by_occasion)
        reason = doubt(after, before, cell, last.loc[key]) if is_paired else fact("gate-no-counterpart")
        if reason is None:
            paired_keys.append(key)
        else:
            left_out[reason] += 1
    if not paired_keys:
        raise DataError("compare: no cell (workload, spec, threads) of the new runs is in all of the earlier ones")
    cells, by_occasion = cells.loc[paired_keys], [table.loc[paired_keys] for table in by_occasion]
    levels, shares = (np.array([table[column] for table in by_occasion], dtype=float) for column in ("log_y", "n"))
    noises = [side.noise for side in (before, after) if side.noise.df]
    noise = pooled(sum(n.variance * n.df for n in noises), sum(n.df for n in noises))
    together = interleaved(before.started_at, after.started_at)
    if len(by_occasion) >= LEAST_OCCASIONS:
        occasions, level = len(by_occasion), levels.mean(axis=0)
        error, df = _of_history(levels, noise, (1 / cells["n"] - (1 / shares).mean(axis=0)).to_numpy())
    else:
        occasions, level = 0 if together else 1, levels[-1]
        error, df = _of_two(noise, (1 / cells["n"] + 1 / shares[-1]).to_numpy(), 0.0 if together else 2 * OCCASION**2)
    difference = cells["log_y"].to_numpy(float) - level
    # All together is of no cell.
    rows = cells.reset_index(drop=True)[_NAMED].reindex([-1, *range(len(cells))])
    rows = rows.fillna({"workload": "", "spec": "", "vendor": ""}).reset_index(drop=True)
    tested = _tested(np.append(difference.mean(), difference), error, df, limit, 1 - confidence)
    return Gate(rows.assign(**tested), limit, confidence, occasions, left_out)


def row_name(row: pd.Series) -> Fact:
    return names.cell(row) if row["spec"] else fact("gate-all")


def _only(sides: list[Side]) -> Side:
    if len(sides) != 1:
        names_ = ", ".join(sorted(side.name for side in sides)) or "none"
        raise DataError(f"compare: expected one data set on each side of a gate, found {names_}; name one of them")
    return sides[0]


def _by_key(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells by what tells them apart; of an unknown number of threads by -1."""
    return cells.set_index([cells["workload"], cells["spec"], cells["threads"].fillna(-1)])


def _of_two(noise: Noise, shares: np.ndarray, occasions: float) -> tuple[np.ndarray, np.ndarray]:
    """Standard error and degrees of freedom of the mean difference and of each: one occasion against another."""
    if not noise.df:
        return np.full(len(shares) + 1, np.nan), np.zeros(len(shares) + 1)
    of_runs = max(noise.variance, SMALLEST_VARIANCE) * np.append(shares.mean() / len(shares), shares)
    variance, df = satterthwaite((of_runs, noise.df), (occasions, np.inf))
    return np.sqrt(variance), df


def _of_history(levels: np.ndarray, noise: Noise, fewer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for a new occasion against the mean of earlier ones. `levels`: ln X, (occasions, cells); `fewer`: by how
    much 1/n of the new cells exceeds theirs, (cells,)."""
    k, n = levels.shape
    residuals = levels - levels.mean(axis=0)
    shared = residuals.mean(axis=1)
    of_all = max(float(shared @ shared) / (k - 1), SMALLEST_VARIANCE)
    of_cells = residuals - shared[:, None]
    spreads = [(of_all, k - 1)]
    if n > 1:
        spreads.append((float(np.square(of_cells).sum()) / ((k - 1) * (n - 1)) * (n - 1) / n, (k - 1) * (n - 1)))
    of_cell, df = satterthwaite(*spreads)
    more = np.maximum(fewer, 0.0) * (noise.variance if noise.df else 0.0)
    variance = (1 + 1 / k) * np.append(of_all, np.full(n, of_cell)) + np.append(more.mean() / n, more)
    return np.sqrt(variance), np.append(float(k - 1), np.full(n, df))


def _tested(difference: np.ndarray, error: np.ndarray, df: np.ndarray, limit: float, budget: float) -> dict:
    """Ratio, interval, what would have been found, and the verdict of each row; the budget is that of both sides."""
    has_noise = (df > 0) & np.isfinite(error)
    df, error, border = np.where(has_noise, df, np.nan), np.where(has_noise, error, np.nan), np.log1p(-limit)
    is_above = special.stdtr(df, (difference - border) / error)
    slower, faster = holm(is_above), holm(special.stdtr(df, -difference / error))
    verdict = np.select(
        [slower <= budget / 2, faster <= budget / 2, 1 - is_above <= budget / 2], [SLOWER, FASTER, HOLDS], NOT_SHOWN
    )
    reach = special.stdtrit(df, 1 - budget / 2) * error
    sure = (special.stdtrit(df, 1 - budget / 2 / len(df)) + special.stdtrit(df, POWER)) * error
    return {
        "ratio": np.exp(difference), "conf_low": np.exp(difference - reach), "conf_high": np.exp(difference + reach),
        "found_from": np.exp(border - sure), "verdict": verdict,
    }  # fmt: skip
