"""What tells the rows of a table of one's own apart beyond their configurations, so that they are of several data sets:
words, settings, families of servers, amounts, occasions."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ycsbook.ingest.log.table_columns import distinguishing_columns, is_product, unread_columns, words_of
from ycsbook.ingest.published.own_cells import text_of
from ycsbook.ingest.published.page_headings import plain
from ycsbook.units import BYTES_PER_GIB

# What tells the runs of a frame apart by itself.
KEYS = ("dataset", "server_version", "spec", "cores", "ram_gib", "workload", "read_fraction", "threads", "clients")
# Rows that differ in these are of other servers or settings, where no column names data sets.
SETTINGS = ("vendor", "server_version", "topology", "write_concern", "read_preference", "distribution")
# Runs that lie further apart were made on another occasion: servers, clouds and drivers change meanwhile.
_APART = pd.Timedelta(days=30)
_PRICE = re.compile(r"price|cost|(?:^|_)(?:usd|eur|cny|rmb)_|价格|单价|费用")
# The hours of what a price may be for, as clouds count them.
_PERIODS = {
    1: re.compile(r"hour|(?:^|_)hr?(?:_|$)|小时|每时"),
    730: re.compile(r"month|(?:^|_)mo(?:_|$)|月"),
    8760: re.compile(r"year|annual|年"),
}
# What parts the words of a server's name.
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def variants_of(
    frame: pd.DataFrame, roles: list[tuple[str, float]], columns: dict[str, np.ndarray]
) -> tuple[list[str], list[str]]:
    """Of the columns that stand for nothing here: the words of those that tell rows apart, row by row (empty: none
    does), and the labels of the others.

    Parameters
        frame: as the user has it. roles: what each of its columns stands for, as `understand`; columns: those of `runs`
            that there are, to which a column of products adds the server's version where none names it.
    """
    unknown = [at for at, (name, _) in enumerate(roles) if not name and not hours_of_price(frame.columns[at])]
    # As text: no NaN is like another.
    parts = [map(str, columns[name]) for name in KEYS if name in columns]
    keys = list(zip(*parts, strict=True)) if parts else [()] * len(frame)
    cells = [[text_of(value) for value in row] for row in frame.iloc[:, unknown].astype(object).to_numpy().tolist()]
    labels = [str(frame.columns[at]) for at in unknown]
    at = distinguishing_columns(labels, cells, keys) if cells else []
    of_rows = [[words_of(labels[i], row[i]) for row in cells] for i in at]
    if "dataset" not in columns:
        of_rows += [columns[name] for name in SETTINGS if len(set(columns.get(name, ()))) > 1]
        of_rows += [of for of in [_families(columns)] if of]
        of_rows += _amounts(columns, (*KEYS, "phase"))
    products = [i for i in at if is_product(labels[i])]
    if products and "server_version" not in columns:
        columns["server_version"] = np.array([row[products[0]] for row in cells], dtype=object)
    variants = [" ".join(filter(None, words)) for words in zip(*of_rows, strict=True)]
    return variants, unread_columns(labels, cells, at)


def hours_of_price(label: object) -> int:
    """For how many hours a heading says what a server costs, 0 where it does not.

    Examples
        >>> [hours_of_price(label) for label in ("price_per_hour", "价格(元/小时)", "price_usd_month", "cost")]
        [1, 1, 730, 0]
    """
    of_price = _PRICE.search(plain(label)) is not None
    return next((hours for hours, words in _PERIODS.items() if of_price and words.search(plain(label))), 0)


def _families(columns: Mapping[str, np.ndarray]) -> list[str]:
    """The family of each row's server, such as c7g of c7g.large: that word of the names that tells servers of equal
    cores and RAM apart, at two sizes or more, and stands for several sizes; none where no word does.

    Parameters
        columns: those of `runs` that there are.
    Examples
        >>> names = np.array(["c7g.large", "c6i.large", "c7g.xlarge", "c6i.xlarge"])
        >>> _families({"spec": names, "cores": np.array([2, 2, 4, 4])})
        ['c7g', 'c6i', 'c7g', 'c6i']
    """
    if "cores" not in columns or "spec" not in columns:
        return []
    frame = pd.DataFrame({name: columns.get(name, 0.0) for name in ("cores", "ram_gib")})
    words = pd.Series(columns.get("spec_label", columns["spec"])).str.split(_BETWEEN_WORDS, expand=True).fillna("")
    size = frame.groupby(["cores", "ram_gib"], dropna=False).ngroup()
    servers = words.assign(size=size).drop_duplicates()
    for at in words:
        alike = servers.groupby("size")[at].agg(["size", "nunique"])
        is_told = (alike["size"] == alike["nunique"]).all() and (alike["size"] > 1).sum() > 1
        if is_told and 2 * servers[at].nunique() <= len(servers):
            return words[at].tolist()
    return []


def _amounts(columns: Mapping[str, np.ndarray], keys: Sequence[str]) -> list[list[str]]:
    """The words of each row for an amount or an occasion, for those in which rows of one configuration differ, and
    of which each value stands in several rows: a measured size differs in all.

    Parameters
        columns: those of `runs` that there are; keys: the columns that make a configuration.
    """
    called = {
        c: [f"{_short(v)} {c if v != 1 else c[:-1]}" if v > 0 else "" for v in columns[c]]
        for c in ("clients", "records")
        if c in columns
    }
    if "data_bytes" in columns:
        called["data_bytes"] = [f"{v / BYTES_PER_GIB:g} GiB" if v > 0 else "" for v in columns["data_bytes"]]
    called["started_at"] = _occasions(columns.get("started_at", ()))
    telling = []
    for name, words in called.items():
        rows = list(zip(*(map(str, columns[c]) for c in keys if c in columns and c != name), strict=True))
        if 1 < len(set(words)) <= len(words) / 2 and len(set(zip(rows, words, strict=True))) > len(set(rows)):
            telling.append(words)
    return telling


def _short(n: float) -> str:
    """A number, in millions where that is exact.

    Examples
        >>> _short(20_000_000), _short(2_500_000), _short(1_234_567)
        ('20M', '2.5M', '1234567')
    """
    return f"{n / 1e6:g}M" if n >= 1e6 and n % 1e5 == 0 else f"{n:.15g}"


def _occasions(started: Sequence[str]) -> list[str]:
    """The first day of each run's occasion: runs that follow one another within a month are of one; empty where a run
    has no date.

    Examples
        >>> _occasions(["2024-06-01", "2020-03-01", "2020-03-09T10:00:00", ""])
        ['2024-06-01', '2020-03-01', '2020-03-01', '']
    """
    days = pd.to_datetime(pd.Series(started, dtype=object).str[:10], format="%Y-%m-%d", errors="coerce")
    dates = days.dropna().sort_values()
    first = dates.mask(dates.diff() <= _APART).ffill().dt.strftime("%Y-%m-%d")
    return first.reindex(days.index).fillna("").tolist()
