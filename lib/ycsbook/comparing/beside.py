"""The data sets of one source against each other, such as the products of a page: which does more, in a sentence."""

from itertools import combinations
from math import exp, log
from os.path import commonprefix

import numpy as np
import pandas as pd

from ycsbook.comparing.ratios import compare
from ycsbook.comparing.verdicts import CLOSE, DEPENDS, HIDDEN, HIGHER, LOWER, SOME
from ycsbook.facts import Fact, fact
from ycsbook.names import listed, mix
from ycsbook.scaling.points import CELL, usable
from ycsbook.tables import Tables

# Of more data sets only the one with the most throughput is compared with each of the others.
_EACH_WITH_EACH = 5
# From one record count to the next throughput falls by so much: the data is no longer in the cache.
_FALL = 0.25
# As many others are named.
_NAMED = 2


def beside(tables: Tables) -> dict[str, Fact]:
    """The throughput of each data set over that of the others on equal specs, mixes and thread counts, by its name;
    without those that share none of these with another.

    Examples
        >>> from ycsbook.tables import from_rows
        >>> rows = [
        ...     {"dataset": f"page-{name}", "outcome": "completed", "spec": "4c", "cores": 4, "workload": "a",
        ...      "threads": 100, "throughput_ops_s": ops}
        ...     for name, ops in (("mongodb", 20_000), ("ferretdb", 10_000))
        ... ]
        >>> [(name, of.values["of"][0].values["name"]) for name, of in beside(Tables(from_rows(rows, "runs"))).items()]
        [('page-mongodb', 'ferretdb'), ('page-ferretdb', 'mongodb')]
    """
    runs = usable(tables.runs)
    names = runs["dataset"].drop_duplicates().tolist()
    best = runs.loc[runs["throughput_ops_s"].idxmax(), "dataset"] if len(names) > 1 else ""
    # What all names begin with says nothing here.
    start = max(map(commonprefix(names).rfind, "- ")) + 1  # noqa: RUF071 of names, not of paths
    while start and any(name[start:].isdigit() for name in names):  # w-1 is no name without its w
        start = max(map(names[0][: start - 1].rfind, "- ")) + 1
    ratios_by_name: dict[str, list[dict]] = {name: [] for name in names}
    for a, b in combinations(names, 2):
        if len(names) > _EACH_WITH_EACH and best not in (a, b):
            continue
        if ratio := _ratio(tables.of_dataset(a), tables.of_dataset(b)):
            ratios_by_name[b].append({"name": a[start:], **ratio})
            ratios_by_name[a].append({"name": b[start:], **_turned(ratio)})
    facts_by_name, fall = {}, _fall_over_records(usable(tables.runs))
    for name, ratios in ratios_by_name.items():
        clearest = sorted(ratios, key=lambda ratio: (ratio["verdict"] == "same", -abs(log(ratio["high"]))))
        if clearest:
            parts = [fact("short-beside-one", **ratio) for ratio in clearest]
            facts_by_name[name] = fact("short-beside", **listed("of", parts, _NAMED), fall=fall)
    return facts_by_name


def _fall_over_records(runs: pd.DataFrame) -> Fact | None:
    """Between which record counts throughput falls most, on equal specs, mixes and threads; None where each set of data
    is not one of several counts, or none falls by _FALL."""
    runs = runs[(runs["throughput_ops_s"] > 0) & (runs["spec"] != "")]
    cells = np.log(runs["throughput_ops_s"]).groupby([runs[c] for c in (*CELL[2:], "records")], dropna=False).mean()
    by_records = cells.unstack("records").dropna()
    steps = by_records.diff(axis=1).mean().dropna()
    if runs.groupby("dataset")["records"].nunique().max() != 1 or len(steps) < 2 or steps.min() > log(1 - _FALL):
        return None
    at = by_records.columns.get_loc(steps.idxmin())
    return fact("short-beside-fall", low=by_records.columns[at - 1], high=steps.idxmin(), times=exp(steps.min()))


def _ratio(a: Tables, b: Tables) -> dict | None:
    """The verdict on b over a on equal specs; the ratio and its 95 % interval where there is one series of these,
    else the least and the most of the ratios. None: they share no spec, mix and thread count."""
    rows = compare(a, b, by="spec")
    ratios = rows[rows["ratio"].notna()]
    if ratios.empty:
        return None
    means = ratios[ratios["basis"] != "spec"]
    depends = bool(set(rows["verdict_key"]) & {DEPENDS, SOME})
    series = (ratios[ratios["basis"] == "spec"] if means.empty or depends else means).sort_values("ratio")
    differing = set(series["verdict_key"]) & {HIGHER, LOWER}
    is_hidden = set(series["verdict_key"]) == {HIDDEN}
    least, most = series.iloc[0], series.iloc[-1]
    low, high = least["ratio"], most["ratio"]
    # Where a difference is shown of some mixes or specs alone, which they are has to be told.
    depends |= len(differing) > 1 or (bool(differing) and differing != set(series["verdict_key"]))
    verdict = "depends" if depends else "shown" if differing else "hidden" if is_hidden else "same"
    if len(series) == 1:
        return {"verdict": verdict, "ratio": low, "low": least["conf_low"], "high": least["conf_high"]}
    is_one = high < CLOSE * low or f"{low:.2f}" == f"{high:.2f}"
    ends = {"ratio": None, "low": None if verdict != "depends" and is_one else low, "high": high}
    return {"verdict": verdict, **ends, "least": _where(least), "most": _where(most)}


def _turned(ratio: dict) -> dict:
    """The ratio of `_ratio` turned round: a over b."""
    low, high = (None if end is None else 1 / end for end in (ratio["high"], ratio["low"]))
    if high is None:  # all alike: the one figure stands in `high`
        low, high = high, low
    ends = {"ratio": ratio["ratio"] and 1 / ratio["ratio"], "low": low, "high": high}
    where = {"least": ratio["most"], "most": ratio["least"]} if "least" in ratio else {}
    return {"verdict": ratio["verdict"], **ends, **where}


def _where(row: pd.Series) -> Fact:
    return fact("short-beside-where", spec=row["spec_a"] or None, mix=mix(row))
