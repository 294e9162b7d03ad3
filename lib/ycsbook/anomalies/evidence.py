"""What the rules look at: the tables, and what several rules need of them."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ycsbook.scaling.cells import Noise, cells, noise, usable
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome


@dataclass(frozen=True)
class Evidence:
    """The tables with what several rules need, worked out once."""

    tables: Tables

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

    def by_dataset(self, runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        """The rows of each dataset that has any, its published rows apart, for findings that speak once for all."""
        published = (runs["outcome"] == Outcome.PUBLISHED).rename("published")
        return [(str(name), part) for (name, _), part in runs.groupby(["dataset", published], sort=True) if len(part)]

    def alike(self, runs: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
        """Those of the runs that are of the same dataset and kind as `part`, one of by_dataset's."""
        first = part.iloc[0]
        published = runs["outcome"] == Outcome.PUBLISHED
        return runs[(runs["dataset"] == first["dataset"]) & (published == (first["outcome"] == Outcome.PUBLISHED))]

    def noun(self, part: pd.DataFrame, word: str) -> str:
        """What the rows of `part` are called: `word`, or `published row` where the dataset holds both kinds."""
        first = part.iloc[0]
        outcomes = self.tables.runs.loc[self.tables.runs["dataset"] == first["dataset"], "outcome"]
        mixed = not (outcomes == Outcome.PUBLISHED).all()
        return "published row" if mixed and first["outcome"] == Outcome.PUBLISHED else word
