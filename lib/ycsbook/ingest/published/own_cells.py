"""What the cells of one's own tables hold: numbers in the unit of their column, dates, words."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, time
from decimal import Decimal
from math import isnan, nan
from numbers import Real

import numpy as np
import pandas as pd

from ycsbook.columns import THROUGHPUTS
from ycsbook.errors import shown
from ycsbook.ingest.published import page_cells
from ycsbook.ingest.published.page_cells import BLANK, PageSpec, PageSpecs, RowError, figure, is_bound, two_signs
from ycsbook.ingest.published.page_headings import DEVIATION, LATENCIES, ON_PAGES, OPERATIONS, QPS, understand
from ycsbook.units import BYTES_PER_GIB

_FAILED = ("failed_operations", "failed_share")
_RATES = {*THROUGHPUTS, "target_ops_s", "records", DEVIATION}
_POSITIVE = {"cores", "threads", "ram_gib", "cache_gib", "clients", *OPERATIONS}
# A share above this is meant in per cent; a server counts a little more than its cores at most.
_SHARES = {"read_fraction": 1.0, "cpu_utilisation": 1.5, "failed_share": 1.0}
# Beyond these no benchmark goes, and logarithms of sums overflow.
_LEAST, _MOST = 1e-9, 1e12
_UNIT = "a known unit in its heading, such as (us), (ms), (k) or (万)"
_FIGURE = re.compile(r"\W{0,2}\d")
# 01/02/2024 may be of January or February, so the year stands first.
_DATE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?", re.ASCII)


def number(value: object) -> float | None:
    """The value as a number, NaN where it is missing; None: it is none."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, str) and not value.strip()):
        return float("nan")
    if isinstance(value, bool | np.bool_) or not isinstance(value, str | Real | Decimal):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def text_of(value: object) -> str:
    missing = value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value))
    return "" if missing else f"{value:g}" if isinstance(value, float) else str(value)


def in_unit(values: pd.Series, column: str, factor: float, lines: Sequence[int] = ()) -> tuple[np.ndarray, str]:
    """The values in the unit of the column, NaN where they are missing, and the first mistake among them."""
    is_positive = column.partition("@")[0] in _POSITIVE
    texts = list(map(text_of, values)) if not pd.api.types.is_numeric_dtype(values) else []
    if mistake := two_signs(texts, lines or range(1, len(texts) + 1)):
        return np.full(len(values), np.nan), mistake
    numbers = [_scaled(value, column, factor) for value in values.astype(object)]
    for row, value in enumerate(numbers):
        expected = ""
        if isinstance(value, str):
            expected = value
        elif np.isinf(value) or value > _MOST * (BYTES_PER_GIB if column.endswith("_bytes") else 1):
            expected = f"at most {_MOST:g}"
        elif value < 0 or (is_positive and value < _LEAST):
            expected = "a number > 0" if is_positive else "a number >= 0"
        elif value > _SHARES.get(column, np.inf):
            expected = f"a share up to 1; of per cents call the column {column.partition('_')[0]}_percent"
        if expected:
            got = shown(values.astype(object).iloc[row])
            at = f"line {lines[row]}" if lines else f"row {row}"
            return np.full(len(numbers), np.nan), f"{at}: got {got}, expected {expected}"
    return np.array(numbers, dtype=float), ""


def _scaled(value: object, column: str, factor: float) -> float | str:
    """A cell in the unit of its column, NaN where it is missing; what was expected where it is no such figure.

    What is written with a unit or with commas is read as in pages."""
    plain = number(value)
    if plain is not None and (isnan(plain) or not isnan(factor)):
        # An error rate above 1 is in per cent, as in pages.
        return plain * (0.01 if column == "failed_share" and factor == 1 < plain else factor)
    base = column.partition("@")[0]
    name = QPS if base in _RATES else "cpu_utilisation" if base == "read_fraction" else ON_PAGES.get(base, base)
    is_read = name in (QPS, "threads", "cores", "ram_gib", "cpu_utilisation", *_FAILED, *LATENCIES)
    if plain is not None:
        return _UNIT
    if not is_read or not isinstance(value, str):
        return "a number"
    text = " ".join(page_cells.plain(value).split())
    try:
        scaled_value = figure(name, text, factor)
    except RowError as e:
        return str(e)
    is_missing = text.lower() in BLANK or is_bound(text)
    return _UNIT if isnan(scaled_value) and not is_missing else scaled_value


def shapes(texts: np.ndarray) -> dict[str, np.ndarray]:
    """The columns that specs such as 8核32GB or c5.2xlarge (8C16G) give; none where no text has a shape."""
    walk, by_text = PageSpecs(), {}
    for text in dict.fromkeys(texts):
        try:
            walk.take(text, 0)
            by_text[text] = walk.current
        except RowError:
            by_text[text] = PageSpec(text, text, nan, nan)
    if all(isnan(spec.cores) for spec in by_text.values()):
        return {}
    slugs, _, cores, ram_gib = zip(*(by_text[text] for text in texts), strict=True)
    words = {"spec": np.array(slugs, dtype=object), "spec_label": np.array(texts, dtype=object)}
    return words | {"cores": np.array(cores), "ram_gib": np.array(ram_gib)}


def agree(values: np.ndarray, other_columns: list[pd.Series], column: str) -> bool:
    """Whether each value is missing, or equals that of another column."""
    if values.dtype == object:
        return all((values == np.array([text_of(v) for v in other], dtype=object)).all() for other in other_columns)
    table = np.array([in_unit(other, column, understand(other.name)[1])[0] for other in other_columns])
    return bool((np.isnan(values) | np.isclose(values, table, rtol=1e-9, atol=0).any(axis=0)).all())


def iso(text: str) -> str:
    """A date, with its time where it has one but midnight, in ISO 8601; empty where it is none, or may be several."""
    try:
        moment = datetime.fromisoformat(_DATE.sub(lambda d: f"{d[1]}-{int(d[2]):02}-{int(d[3]):02}", text.strip()))
    except ValueError:
        return ""
    return moment.isoformat() if moment.time() != time() else moment.date().isoformat()


def are_words(cells: Iterable[str]) -> bool:
    texts = [cell for cell in cells if cell.lower() not in BLANK]
    return bool(texts) and not any(map(_FIGURE.match, texts))
