"""What is usual among figures that are alike, above all U = X R / N of the rows of a mix, and how far a row is off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ycsbook.closed_loop import MAX_UTILISATION
from ycsbook.columns import KIND
from ycsbook.scaling.cells import MAD_TO_SD
from ycsbook.tables import TABLE_FORMAT
from ycsbook.verdicts import Outcome

DEVIATIONS, LEAST_ROWS, LEAST_SD = 5.0, 8, 0.002
# A row of a written table this far from its family is no rounding; this near it fits.
FAR, NEAR = 0.25, 0.05
# A unit that is wrong makes U so many times as large or as small. U of most tables lies between these; nearly all rows
# are so many of them.
PER_UNIT, USUAL, NEARLY_ALL = 1000.0, (0.1, 1.10), 0.9
# Fewer rows than LEAST_ROWS show what is usual where they agree as well as this, and then only of rows that are far.
FEW_ROWS, FEW_SD = 5, 0.01
# The last printed place of a column is looked for from millions down to thousandths.
_PLACES = 10.0 ** np.arange(6, -4, -1)
_COLUMNS = [
    "run_id", *KIND, "format", "vendor", "called", "spec", "cores", "ram_gib", "workload", "read_fraction", "threads",
    "throughput_ops_s", "utilisation", "read_us", "write_us",
]  # fmt: skip


@dataclass(frozen=True)
class Family:
    """Median and robust standard deviation of some figures."""

    median: float
    sd: float

    @classmethod
    def of(cls, values: np.ndarray, least_sd: float) -> "Family":
        """Of these values, one at least and no NaN. least_sd: the standard deviation is taken to be no less: where most
        values agree to the last digit the deviation of the others would have no measure. Source: Hampel (1974), The
        influence curve and its role in robust estimation, JASA 69, 383-393.

        Examples
            >>> Family.of(np.array([1.0, 2.0, 3.0, 4.0, 100.0]), 0.1)
            Family(median=3.0, sd=1.4826)
        """
        median = float(np.median(values))
        return cls(median, max(float(MAD_TO_SD * np.median(np.abs(values - median))), least_sd))

    def deviations(self, values: np.ndarray) -> np.ndarray:
        return (values - self.median) / self.sd


def families_of(
    rows: pd.DataFrame, keys: Sequence[str], column: str, least_rows: float, least_sd: float
) -> Iterator[tuple[Family, pd.DataFrame]]:
    """The family of a column in each group that has enough rows; and these with `z`, how many robust standard
    deviations they lie above its median."""
    for _, part in rows.groupby(list(keys), dropna=False):
        if len(part) >= least_rows:
            family = Family.of(part[column].to_numpy(float), least_sd)
            yield family, part.assign(z=family.deviations(part[column]))


@dataclass(frozen=True)
class FamilyRows:
    """The runs of one dataset, outcome and workload with `z`, U's distance from their median in robust sd."""

    dataset: str
    workload: str
    family: Family
    rows: pd.DataFrame

    @property
    def is_written(self) -> bool:
        """Whether somebody wrote the figures into a table, so that each may be another run's or a slip."""
        return bool(written(self.rows).all())

    def odd(self, deviations: float) -> pd.DataFrame:
        return self.rows[self.rows["z"].abs() > deviations]

    def usual(self, deviations: float) -> pd.DataFrame:
        return self.rows[self.rows["z"].abs() <= deviations]


def written(runs: pd.DataFrame) -> pd.Series:
    """Which runs (bool) somebody wrote into a table."""
    return runs["outcome"].eq(Outcome.PUBLISHED) | runs["format"].eq(TABLE_FORMAT)


def families(runs: pd.DataFrame, least_rows: float = LEAST_ROWS, least_sd: float = LEAST_SD) -> list[FamilyRows]:
    """The families of U = X R / N that have enough rows to show what is usual; of few, near ones have a z of 0. runs:
    as cells.with_utilisation gives them."""
    groups = []
    # Threads that wait for a target are in service as long as it lets them.
    waits = runs["throttled"] & runs["target_ops_s"].notna() | runs["held"]
    with_u = runs.loc[runs["utilisation"].notna() & ~waits, _COLUMNS]
    for (dataset, _, workload), rows in with_u.groupby([*KIND, "workload"], sort=True):
        used = rows["utilisation"].to_numpy(float)
        family, is_few = Family.of(_in_one_unit(used), least_sd), len(rows) < least_rows
        if is_few and (len(rows) < FEW_ROWS or family.sd > FEW_SD * family.median):
            continue
        is_near = np.abs(used / family.median - 1) < FAR if is_few else False
        z = np.where(is_near, 0.0, family.deviations(used))
        groups.append(FamilyRows(dataset, workload, family, rows.assign(z=z)))
    return groups


def _in_one_unit(used: np.ndarray) -> np.ndarray:
    """U without the factor between two units, where some rows are near 1 and all others as near to a power of it."""
    power = np.round(np.log(np.maximum(used, 1e-9)) / np.log(PER_UNIT))
    usual = used / PER_UNIT**power
    is_near = np.abs(usual / np.median(usual) - 1).max() <= NEAR and USUAL[0] <= np.median(usual) <= USUAL[1]
    return usual if is_near and 0 < np.count_nonzero(power) < NEARLY_ALL * len(used) else used


def times_usual(runs: pd.DataFrame, groups: list[FamilyRows]) -> pd.Series:
    """U of each run over the median of its family, by run_id; without a family U itself, where it is above 1. NaN where
    nothing tells: U or the family unknown, and U possible; or below the family in a log, whose threads may have waited
    in the client. runs: as cells.with_utilisation gives them. groups: their families."""
    least = runs.drop_duplicates("run_id").set_index("run_id")["least_utilisation"]
    times = least.where(least > MAX_UTILISATION)
    for group in groups:
        over_median = group.rows.set_index("run_id")["utilisation"] / group.family.median
        times.loc[over_median.index] = over_median if group.is_written else over_median.where(over_median > 1 - NEAR)
    return times


def last_place(values: pd.Series) -> float:
    """The last place to which the figures of a column are printed, in their own unit: the coarsest of which all are
    multiples, if they are enough to tell.

    Examples
        >>> last_place(pd.Series([600.0, 1610.0, 4970.0, 12_340.0])), last_place(pd.Series([6312.4, 7855.0]))
        (10.0, 0.0)
    """
    figures = values.dropna().to_numpy(float)
    units = figures / _PLACES[:, np.newaxis]
    is_multiple = (np.abs(units - np.round(units)) < 1e-6).all(axis=1)
    return float(_PLACES[is_multiple.argmax()]) if len(figures) >= FEW_ROWS - 1 and is_multiple.any() else 0.0
