"""What the rules look at: the tables, and what several rules need of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from ycsbook.anomalies.series import RunSeries, series
from ycsbook.facts import Fact, fact
from ycsbook.scaling.cells import Noise, cells, noise, usable
from ycsbook.scaling.limits import judge
from ycsbook.scaling.pairs import pairs
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome


@dataclass(frozen=True)
class Evidence:
    """The tables with what several rules need, worked out once.

    history: earlier runs of the same configurations, for change_point; None: those in the tables alone.
    documents: by dataset what its publisher says beside the figures (documents.py): `environment`, texts by name, and
    `table`, one dict of texts per row of the CSV.
    """

    tables: Tables
    history: Tables | None = None
    documents: Mapping[str, Mapping] = field(default_factory=dict)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """As cells.usable gives them."""
        return usable(self.tables.runs, self.tables.operations)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """As cells.cells gives them."""
        return cells(self.runs)

    @cached_property
    def noise(self) -> dict[tuple[str, str], Noise]:
        """As cells.noise gives it."""
        return noise(self.cells)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """As pairs.pairs gives them."""
        return pairs(self.cells, self.noise)

    @cached_property
    def limits(self) -> pd.DataFrame:
        """As limits.judge gives them, with the index of `cells`."""
        return judge(self.cells, self.noise)

    @cached_property
    def series(self) -> list[RunSeries]:
        """The throughput over time of every run that has it, as series.series gives it."""
        return series(self.runs, self.tables.intervals)

    def by_dataset(self, runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        """The rows of each dataset that has any, its published rows apart, for findings that speak once for all."""
        published = (runs["outcome"] == Outcome.PUBLISHED).rename("published")
        return [(str(name), part) for (name, _), part in runs.groupby(["dataset", published], sort=True) if len(part)]

    def alike(self, runs: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
        """Those of the runs that are of the same dataset and kind as `part`, one of by_dataset's."""
        first = part.iloc[0]
        published = runs["outcome"] == Outcome.PUBLISHED
        return runs[(runs["dataset"] == first["dataset"]) & (published == (first["outcome"] == Outcome.PUBLISHED))]

    def where(self, dataset: str) -> str | Fact | None:
        """The dataset that a message is about, for its beginning; None where all runs are of one."""
        return (dataset or fact("unnamed-dataset")) if self.tables.runs["dataset"].nunique() > 1 else None

    def counted(self, part: pd.DataFrame, n: int, word: str = "runs") -> Fact:
        """n rows of the kind of `part`: `3 runs`, or `3 published rows` where its dataset holds both kinds.

        word: runs or rows.
        """
        first = part.iloc[0]
        outcomes = self.tables.runs.loc[self.tables.runs["dataset"] == first["dataset"], "outcome"]
        mixed = not (outcomes == Outcome.PUBLISHED).all()
        return fact("published-rows" if mixed and first["outcome"] == Outcome.PUBLISHED else word, n=n)

    def total(self, runs: pd.DataFrame, part: pd.DataFrame) -> Fact:
        """How many of the runs are of the dataset and kind of `part`: `3 runs`."""
        return fact("runs", n=len(self.alike(runs, part)))
