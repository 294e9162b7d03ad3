"""What the rules look at: the tables, what several rules need of them, series over time, and what is usual."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
import pandas as pd

from ycsbook.anomalies.families import NEAR, families, times_usual, written
from ycsbook.anomalies.neighbours import exchanged_over_cores, misprinted, swapped, wrong_digits
from ycsbook.closed_loop import with_means
from ycsbook.facts import Fact, fact
from ycsbook.groups import group_numbers
from ycsbook.operations import TOTAL
from ycsbook.scaling.cells import cells, noise, with_utilisation, within
from ycsbook.scaling.pairs import pairs
from ycsbook.scaling.points import loads
from ycsbook.tables import Tables, dicts
from ycsbook.verdicts import Outcome

# The last interval is usually a fragment that holds the shutdown.
FRAGMENT = 0.5
# Fewer operations than this in the usual interval, and an empty one is chance.
LEAST_OPERATIONS = 20.0


@dataclass(frozen=True)
class RunSeries:
    """One run's throughput by interval, in order of time. run: its row of cells.with_utilisation. end_s: end of each
    interval from the start of the run, s; length_s: its length, s; rate: operations per second in it."""

    run: dict
    end_s: np.ndarray
    length_s: np.ndarray
    rate: np.ndarray

    @property
    def steady(self) -> np.ndarray:
        """Which intervals (bool) come after the warm-up; all where none was found."""
        warmup = self.run["warmup_s"]
        return self.end_s - self.length_s >= (0.0 if np.isnan(warmup) else warmup) - 1e-6

    @property
    def usual(self) -> float:
        """The median rate after the warm-up, ops/s."""
        return float(np.median(self.rate[self.steady])) if self.steady.any() else float("nan")

    def stalled(self, share: float) -> np.ndarray:
        """Which intervals (bool) are below that share of the usual rate, the run's first slow ones left out."""
        # Chance must not look like a stall: rates of a few operations an interval are empty now and then.
        if not self.usual * np.median(self.length_s) >= LEAST_OPERATIONS:
            return np.zeros(len(self.rate), dtype=bool)
        low = self.rate < share * self.usual
        return low & np.logical_or.accumulate(~low)


@dataclass(frozen=True)
class Evidence:
    """The tables with what several rules need, worked out once. history: earlier runs of the same configurations, for
    change_point; None: those in the tables alone. documents: by dataset what its publisher says beside the figures
    (documents.py): `environment`, texts by name, and `table`, one dict of texts per row of the CSV."""

    tables: Tables
    history: Tables | None = None
    documents: Mapping[str, Mapping] = field(default_factory=dict)

    # cells.with_utilisation, with the mean latencies read_us and write_us.
    runs = cached_property(lambda self: self._with_means(self.tables.runs))
    # The same of loads beside runs: no family of theirs, but each by itself may be impossible as well.
    loads = cached_property(
        lambda self: self._with_means(runs) if len(runs := loads(self.tables.runs)) else self.runs[:0]
    )
    # As the functions of these names give them.
    families = cached_property(lambda self: families(self.runs))
    times_usual = cached_property(lambda self: times_usual(self.runs, self.families))
    cells = cached_property(lambda self: cells(self.runs, self._residuals))
    noise = cached_property(lambda self: noise(self.cells))
    _residuals = cached_property(lambda self: within(self.runs[self.runs["y"] > 0]))
    # The runs with a throughput, numbered anew, with what cells.within says of each.
    levels = cached_property(lambda self: self.runs.join(self._residuals, how="inner").reset_index(drop=True))
    misprinted = cached_property(lambda self: misprinted(self.cells, self._alone.map(self.times_usual).astype(float)))
    # Of the rows that Little's law does not contradict.
    swapped = cached_property(lambda self: swapped(self._uncontradicted, self._over_cores[1]))
    # Rows of two specs, all of which fit the other's cores.
    exchanged_specs = property(lambda self: self._over_cores[0])
    _over_cores = cached_property(lambda self: exchanged_over_cores(self._uncontradicted))
    # Of the cells that may be set against each other.
    pairs = cached_property(lambda self: pairs(self.compared, self.noise))
    # The throughput over time of every run that has it.
    series = cached_property(lambda self: series(self.runs, self.tables.intervals))

    def _with_means(self, runs: pd.DataFrame) -> pd.DataFrame:
        operations = self.tables.operations
        return with_means(with_utilisation(runs, operations, far_off=True), operations)

    @cached_property
    def wrong_digits(self) -> dict[int, int]:
        """neighbours.wrong_digits of the cells that somebody wrote by hand, without latencies that could tell."""
        cells = self.cells.drop(index=self.misprinted.index)
        by_hand = {*self.runs.loc[written(self.runs), "run_id"]} - {*self.times_usual.dropna().index}
        return wrong_digits(cells, cells["run_ids"].map(by_hand.issuperset).astype(bool))

    @property
    def _alone(self) -> pd.Series:
        """The run of each cell that has one; NaN of several."""
        return self.cells["run_ids"].str[0].where(self.cells["n"] == 1)

    @cached_property
    def _uncontradicted(self) -> pd.DataFrame:
        clear = np.array([not self.contradicted(ids) for ids in self.cells["run_ids"]], dtype=bool)
        return self.cells[clear & ~self.cells["mixed"]]

    @cached_property
    def compared(self) -> pd.DataFrame:
        """The cells that are compared: without those misprinted, swapped, of wrong digits or of two levels."""
        pairs = [*self.swapped, *chain.from_iterable(self.exchanged_specs)]
        wrong_labels = {*self.misprinted.index, *self.wrong_digits, *chain.from_iterable(pairs)}
        return self.cells[~self.cells.index.isin(wrong_labels) & ~self.cells["mixed"]]

    def contradicted(self, run_ids: Iterable[str]) -> tuple[str, ...]:
        """Those of the runs whose U = X R / N is far from what it should be."""
        return tuple(i for i in run_ids if abs(self.times_usual.get(i, 1.0) - 1) > 2 * NEAR)

    def blamed(self, run_ids: tuple[str, ...]) -> tuple[str, ...]:
        """The wrong ones among runs that contradict each other, where Little's law clears the others; else all."""
        wrong = self.contradicted(run_ids)
        cleared = [i for i in run_ids if abs(self.times_usual.get(i, np.nan) - 1) <= NEAR]
        return wrong if wrong and len(wrong) + len(cleared) == len(run_ids) else run_ids

    def by_dataset(self, runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        """The rows of each dataset that has any, its published rows apart, for findings that speak once for all."""
        if runs.empty:
            return []
        number = group_numbers([runs["dataset"], runs["outcome"] == Outcome.PUBLISHED])
        parts = [runs[number == of] for of in range(number.max() + 1)]
        return [(str(part["dataset"].iloc[0]), part) for part in parts]

    def worst_of(self, runs: pd.DataFrame, measure: pd.Series) -> list[tuple[str, pd.DataFrame, pd.Series]]:
        """As by_dataset, each with its row that has the most of a measure."""
        return [(name, part, part.loc[measure[part.index].idxmax()]) for name, part in self.by_dataset(runs)]

    def alike(self, runs: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
        """Those of the runs that are of the same dataset and kind as `part`, one of by_dataset's."""
        dataset, outcome = part[["dataset", "outcome"]].iloc[0]
        published = runs["outcome"] == Outcome.PUBLISHED
        return runs[(runs["dataset"] == dataset) & (published == (outcome == Outcome.PUBLISHED))]

    def where(self, dataset: str) -> str | Fact | None:
        """The dataset that a message is about, for its beginning; None where all runs are of one."""
        return (dataset or fact("unnamed-dataset")) if self.tables.runs["dataset"].nunique() > 1 else None

    def counted(self, part: pd.DataFrame, n: int, word: str = "runs") -> Fact:
        """n rows of the kind of `part`: `3 runs`, or `3 published rows` where its dataset holds both kinds."""
        first = part.iloc[0]
        outcomes = self.tables.runs.loc[self.tables.runs["dataset"] == first["dataset"], "outcome"]
        mixed = not (outcomes == Outcome.PUBLISHED).all()
        return fact("published-rows" if mixed and first["outcome"] == Outcome.PUBLISHED else word, n=n)

    def total(self, runs: pd.DataFrame, part: pd.DataFrame) -> Fact:
        """How many of the runs are of the dataset and kind of `part`: `3 runs`."""
        return fact("runs", n=len(self.alike(runs, part)))


def series(runs: pd.DataFrame, intervals: pd.DataFrame, operation: str = TOTAL) -> list[RunSeries]:
    """The series of those runs, as cells.with_utilisation gives them, that have intervals of all operations together,
    or of one of them; a last interval shorter than half the usual one is left out."""
    of_operation = intervals[(intervals["operation"] == operation) & intervals["run_id"].isin(runs["run_id"])]
    if of_operation.empty:
        return []
    counted = of_operation["operations"] / of_operation["interval_s"]
    table = of_operation[["run_id", "elapsed_s", "interval_s"]].astype({"run_id": str})
    table = table.assign(rate=counted.where(np.isfinite(counted), of_operation["throughput_ops_s"]))
    table = table[np.isfinite(table["rate"]) & (table["interval_s"] > 0)]
    table = table.sort_values(["run_id", "elapsed_s"], kind="stable")
    by_run = table.groupby("run_id", sort=False).indices
    columns = [table[name].to_numpy(float) for name in ("elapsed_s", "interval_s", "rate")]
    series_by_run = []
    for run in dicts(runs[runs["run_id"].isin(list(by_run))]):
        at = by_run[run["run_id"]]
        if len(at) > 1 and columns[1][at[-1]] < FRAGMENT * np.median(columns[1][at[:-1]]):
            at = at[:-1]
        series_by_run.append(RunSeries(run, *(column[at] for column in columns)))
    return series_by_run


def course(intervals: pd.DataFrame) -> pd.DataFrame:
    """The rows that show how throughput went: of all operations, and none of the milliseconds that are left over
    after the last whole interval, which look as if a run came to a halt."""
    total = intervals[intervals["operation"].eq(TOTAL) & intervals["throughput_ops_s"].notna()]
    usual = total.groupby("run_id")["interval_s"].transform("median")
    return total[~(total["interval_s"] < FRAGMENT * usual)]
