"""The data sets that can be looked at; their tables, fits and findings are made when they are asked for."""

from functools import cached_property
from pathlib import Path

import pandas as pd

from ycsbook import anomalies, documents, named_tables, opening, params, paths, scaling
from ycsbook.errors import ParamsError
from ycsbook.params import Sweep
from ycsbook.study import Study
from ycsbook.tables import Tables


def choices(first: str) -> dict[str, str]:
    """The data sets that can be chosen, by title: `first`, the params files, then other tables.

    Parameters
        first: what to begin with, as named_tables.read takes it.
    """
    names = {_title(first): first}
    for params_file in sorted(paths.PARAMS.glob("*.yml")):
        names.setdefault(_title(params_file.as_posix()), params_file.relative_to(paths.REPOSITORY).as_posix())
    for runs in sorted(paths.OUTPUT.glob("*/tables/runs.parquet")):
        folder = runs.parents[1]
        names.setdefault(folder.name, folder.relative_to(paths.REPOSITORY).as_posix())
    for table in sorted(paths.PUBLISHED.glob("*.csv")):
        # Other tables have no runs: experiments of other kinds.
        with opening.opened(table, root=paths.PUBLISHED) as file:
            header = file.readline(4096).decode("utf-8", errors="replace")
        if "spec_label" in header.rstrip().split(","):
            names.setdefault(table.stem, table.stem)
    return names


def language(first: str) -> str:
    """The language of the reports of a params file; English for other tables."""
    sweep = _sweep(first)
    return sweep.report.lang if sweep else "en"


class Dataset:
    """The tables behind a name, what the laws say of them and what was found in them.

    Those of a params file are kept on disk by its study, as every other notebook does.
    """

    def __init__(self, name: str, store: str | Path = paths.RUNS):
        self.name, self.store = name, store

    @cached_property
    def tables(self) -> Tables:
        """The tables of the data set; raises what named_tables.read raises."""
        return self._study.tables() if self._study else named_tables.read(self.name, self.store)

    @cached_property
    def analysis(self) -> scaling.Analysis:
        """The fits of all groups."""
        return self._study.analysis() if self._study else scaling.analyse(self.tables.runs, self.tables.operations)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """The findings, one for each cause, the gravest first."""
        study, tables = self._study, self.tables
        findings = study.findings() if study else anomalies.find(tables, documents=documents.of(tables))
        return anomalies.grouped(findings) if len(findings) else findings

    @cached_property
    def _study(self) -> Study | None:
        return Study(self.name, store=self.store) if _is_params(self.name) else None


def _is_params(name: str) -> bool:
    return paths.resolve(name).suffix in (".yml", ".yaml") and not Path(name).is_dir()


def _sweep(first: str) -> Sweep | None:
    try:
        return params.load(paths.resolve(first)) if _is_params(first) else None
    except ParamsError:
        # What is wrong with it is said when it is read.
        return None


def _title(first: str) -> str:
    sweep = _sweep(first)
    return sweep.name if sweep else Path(first).stem
