"""When the runs of a table of one's own were made: dates as people write them, and occasions far apart."""

import re
from collections.abc import Sequence
from datetime import datetime, time

import pandas as pd

# Runs that lie further apart were made on another occasion: servers, clouds and drivers change meanwhile.
_APART = pd.Timedelta(days=30)
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


def occasions(started: Sequence[str]) -> list[str]:
    """Of runs with such dates the first day of the occasion of each: of runs that follow one another within a month;
    empty where a run has no date.

    Examples
        >>> occasions(["2024-06-01", "2020-03-01", "2020-03-09T10:00:00", ""])
        ['2024-06-01', '2020-03-01', '2020-03-01', '']
    """
    days = pd.to_datetime(pd.Series(started, dtype=object).str[:10], format="%Y-%m-%d", errors="coerce")
    known = days.dropna().sort_values()
    first = known.mask(known.diff() <= _APART).ffill().dt.strftime("%Y-%m-%d")
    return first.reindex(days.index).fillna("").tolist()
