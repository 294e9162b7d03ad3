"""The data behind a figure, as a CSV file that opens in a spreadsheet."""

import re
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from ycsbook.report.blocks import Figure

DATA = "data"
# A longer file only stands beside the page: within it the reader would pay for it with every look.
MAX_EMBEDDED = 100_000
# What a spreadsheet takes for a formula when it opens the file, spaces before it or not.
_FORMULA = re.compile(r"^\s*[=+\-@|%]|^[\t\r]")


def csv(frame: pd.DataFrame) -> str:
    """The frame as CSV: a line of column names, numbers with ten digits, missing ones empty, lines that end in LF.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    guarded = frame.rename(columns=_guarded)
    for name in guarded.columns:
        if not pd.api.types.is_numeric_dtype(guarded[name]):
            guarded[name] = guarded[name].map(_guarded, na_action="ignore")
    return guarded.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def file_name(figure: Figure) -> str:
    """Where a figure's data stand relative to the page; its first panel names them."""
    return f"{DATA}/{figure.panels[0].name}.csv"


def address(figure: Figure) -> Markup:
    """Where a page finds a figure's data: in the page itself, or, where they are large, in the file beside it."""
    text = figure.csv
    if len(text) > MAX_EMBEDDED:
        return Markup(file_name(figure))
    # Quotation marks and ampersands are gone after quote(): it needs no further escaping.
    return Markup("data:text/csv;charset=utf-8," + quote(text, safe="/:;,.()!*+-_~@|"))


def _guarded(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
