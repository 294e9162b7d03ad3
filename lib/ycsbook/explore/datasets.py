"""The data sets there are to look at, each with its tables, fits and findings, made when they are asked for."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ycsbook import anomalies, documents, named_tables, params, paths, scaling
from ycsbook.errors import ParamsError
from ycsbook.tables import Tables

if TYPE_CHECKING:
    from ycsbook.study import Study


def known(first: str) -> dict[str, str]:
    """What can be chosen, by name: `first`, the params files, then other tables under output/ and data/published.

    Parameters
        first: what to begin with, as named_tables.read takes it.
    """
    found = {_title(first): first}
    for study in sorted(paths.PARAMS.glob("*.yml")):
        found.setdefault(_title(study.as_posix()), study.relative_to(paths.REPOSITORY).as_posix())
    for runs in sorted(paths.OUTPUT.glob("*/tables/runs.parquet")):
        folder = runs.parents[1]
        found.setdefault(folder.name, folder.relative_to(paths.REPOSITORY).as_posix())
    for table in sorted(paths.PUBLISHED.glob("*.csv")):
        # Other tables have no runs: experiments of other kinds.
        if "spec_label" in table.read_text(encoding="utf-8").partition("\n")[0].split(","):
            found.setdefault(table.stem, table.stem)
    return found


def language(first: str) -> str:
    """The language of the reports of a params file; English for other tables."""
    try:
        return params.load(paths.resolve(first)).report.lang if _is_params(first) else "en"
    except ParamsError:
        # What is wrong with it is said when it is read.
        return "en"


class Dataset:
    """The tables behind a name, what the laws say of them and what was found in them.

    Those of a params file are kept on disk by its study, as every other notebook does.
    """

    def __init__(self, name: str, store: str | Path = paths.RUNS):
        self.name, self.store = name, store

    @cached_property
    def tables(self) -> Tables:
        """Raises what named_tables.read raises."""
        return self._study.tables() if self._study else named_tables.read(self.name, self.store)

    @cached_property
    def analysis(self) -> scaling.Analysis:
        """The fits of all groups."""
        return self._study.analysis() if self._study else scaling.analyse(self.tables.runs, self.tables.operations)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """The findings, one for each cause, the gravest first."""
        found = self._study.findings() if self._study else anomalies.find(
            self.tables, documents=documents.of(self.tables))  # fmt: skip
        return anomalies.grouped(found) if len(found) else found

    @cached_property
    def _study(self) -> "Study | None":
        from ycsbook.study import Study

        return Study(self.name, store=self.store) if _is_params(self.name) else None


def _is_params(name: str) -> bool:
    return paths.resolve(name).suffix in (".yml", ".yaml") and not Path(name).is_dir()


def _title(first: str) -> str:
    if not _is_params(first):
        return Path(first).stem
    try:
        return params.load(paths.resolve(first)).name
    except ParamsError:
        # What is wrong with it is said when it is read.
        return Path(first).stem
