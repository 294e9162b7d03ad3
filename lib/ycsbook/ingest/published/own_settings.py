"""What tells rows of one's own apart besides columns of words: families of servers, amounts, and when runs were made,
in dates as people write them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, time

import numpy as np
import pandas as pd

from ycsbook.ingest.published.page_cells import BLANK
from ycsbook.units import BYTES_PER_GIB

# Runs that lie further apart were made on another occasion: servers, clouds and drivers change meanwhile.
_APART = pd.Timedelta(days=30)
_FIGURE = re.compile(r"\W{0,2}\d")
# What parts the words of a server's name.
_BETWEEN_WORDS = re.compile(r"[\W_]+")
# 01/02/2024 may be of January or February, so the year stands first.
_DATE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?", re.ASCII)


def iso(text: str) -> str:
    """A date, with its time where it has one but midnight, in ISO 8601; empty where it is none, or may be several.

    Examples
        >>> iso("2024/3/1"), iso("2024年3月1日 08:30"), iso("2024-03-01T01:00:00Z"), iso("01/02/2024")
        ('2024-03-01', '2024-03-01T08:30:00', '2024-03-01T01:00:00+00:00', '')
    """
    try:
        moment = datetime.fromisoformat(_DATE.sub(lambda d: f"{d[1]}-{int(d[2]):02}-{int(d[3]):02}", text.strip()))
    except ValueError:
        return ""
    return moment.isoformat() if moment.time() != time() else moment.date().isoformat()


def are_words(cells: Iterable[str]) -> bool:
    """Whether cells hold words, and none begins with a figure."""
    texts = [cell for cell in cells if cell.lower() not in BLANK]
    return bool(texts) and not any(map(_FIGURE.match, texts))


def occasions(started: Sequence[str]) -> list[str]:
    """The first day of each run's occasion: runs that follow one another within a month are of one; empty where a run
    has no date.

    Examples
        >>> occasions(["2024-06-01", "2020-03-01", "2020-03-09T10:00:00", ""])
        ['2024-06-01', '2020-03-01', '2020-03-01', '']
    """
    days = pd.to_datetime(pd.Series(started, dtype=object).str[:10], format="%Y-%m-%d", errors="coerce")
    dates = days.dropna().sort_values()
    first = dates.mask(dates.diff() <= _APART).ffill().dt.strftime("%Y-%m-%d")
    return first.reindex(days.index).fillna("").tolist()


def families(columns: Mapping[str, np.ndarray]) -> list[str]:
    """The family of each row's server, such as c7g of c7g.large: that word of the names that tells servers of equal
    cores and RAM apart, at two sizes or more, and stands for several sizes; none where no word does.

    Parameters
        columns: those of `runs` that there are.
    Examples
        >>> names = np.array(["c7g.large", "c6i.large", "c7g.xlarge", "c6i.xlarge"])
        >>> families({"spec": names, "cores": np.array([2, 2, 4, 4])})
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


def amounts(columns: Mapping[str, np.ndarray], keys: Sequence[str]) -> list[list[str]]:
    """The words of each row for an amount or an occasion, for those in which rows of one configuration differ, and
    of which each value stands in several rows: a measured size differs in all.

    Parameters
        columns: those of `runs` that there are; keys: the columns that make a configuration.
    """
    called = {
        c: [f"{v:.15g} {c if v != 1 else c[:-1]}" if v > 0 else "" for v in columns[c]]
        for c in ("clients", "records")
        if c in columns
    }
    if "data_bytes" in columns:
        called["data_bytes"] = [f"{v / BYTES_PER_GIB:g} GiB" if v > 0 else "" for v in columns["data_bytes"]]
    called["started_at"] = occasions(columns.get("started_at", ()))
    telling = []
    for name, words in called.items():
        rows = list(zip(*(map(str, columns[c]) for c in keys if c in columns and c != name), strict=True))
        if 1 < len(set(words)) <= len(words) / 2 and len(set(zip(rows, words, strict=True))) > len(set(rows)):
            telling.append(words)
    return telling
