"""What reports say of experiments: a module for each.

It holds `answer(rows) -> InShort`, what the report says first, and `sections(rows) -> tuple[Section, ...]`.
"""

from importlib import import_module
from types import ModuleType

import pandas as pd

from ycsbook import paths
from ycsbook.ingest.published.published import verified
from ycsbook.params.experiments import YCSB
from ycsbook.report.rows import ReportRows


def of(rows: ReportRows) -> ModuleType | None:
    """The module of a sweep's experiment; None for YCSB's own mixes, and where nothing was measured."""
    name = rows.sweep.experiment
    return import_module(f"{__name__}.{name}") if name != YCSB and not rows.measured.empty else None


def seed(name: str) -> pd.DataFrame:
    """The figures of a document that this project started from, as data/published holds them.

    Raises
        RunLogError: the file is not the one that was made from the document.
    """
    from io import BytesIO

    _, content = verified(paths.PUBLISHED / f"{name}.csv")
    return pd.read_csv(BytesIO(content))
