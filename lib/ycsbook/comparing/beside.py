"""The data sets of one source against each other, such as the products of a page: which does more, in a sentence."""

import re
from collections.abc import Iterable
from itertools import combinations
from math import exp, log
from os.path import commonprefix

import numpy as np
import pandas as pd

from ycsbook.closed_loop import with_means
from ycsbook.columns import CELL
from ycsbook.comparing import verdicts
from ycsbook.comparing.ratios import compare
from ycsbook.comparing.verdicts import CLOSE, OCCASION, interleaved
from ycsbook.facts import Fact, fact
from ycsbook.names import listed, mix
from ycsbook.scaling.cells import student_t
from ycsbook.scaling.points import slowest_p99_us, usable, with_throughput
from ycsbook.tables import Tables, dicts

# Of more data sets only the one with the most throughput is compared with each of the others.
_EACH_WITH_EACH = 5
# From one record count to the next throughput falls by so much: the data is no longer in the cache.
_FALL = 0.25
# As many others are named.
_NAMED = 2
# Mixes whose ratios differ by less are told together, as are all where so many do not suffice.
_ALIKE, _MIXES = 1.15, 3
# So many cells may tell together what none does; beyond so many standard errors, of 5 % for four families of tests.
_LEAST_TOGETHER, _TOGETHER = 3, 2.5
# What ratios may depend on, a column and what messages call it; that which explains so much of how they differ is told
# beside the ends.
_FACTORS, _EXPLAINED = {"workload": "mix", "threads": "threads", "spec_a": "spec"}, 0.6


def beside(tables: Tables) -> dict[str, Fact]:
    """The throughput of each data set over that of the others on equal specs, mixes and thread counts, by its name; of
    those that share none of these with another at equal cores, by the curves of both, where that is shown of all mixes.

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
    best = runs.loc[runs["throughput_ops_s"].fillna(0.0).idxmax(), "dataset"] if len(names) > 1 else ""
    # What all names begin with says nothing here.
    start = max(map(commonprefix(names).rfind, "- ")) + 1  # noqa: RUF071 of names, not of paths
    while start and any(name[start:].isdigit() for name in names):  # w-1 is no name without its w
        start = max(map(names[0][: start - 1].rfind, "- ")) + 1
    ratios_by_name: dict[str, list[dict]] = {name: [] for name in names}
    for a, b in combinations(names, 2):
        if len(names) > _EACH_WITH_EACH and best not in (a, b):
            continue
        sides = tables.of_dataset(a), tables.of_dataset(b)
        if ratio := _ratio(*sides) or _by_curves(*sides):
            ratio |= latency_times(*sides)
            ratios_by_name[b].append({"name": a[start:], **ratio})
            ratios_by_name[a].append({"name": b[start:], **_turned(ratio)})
    facts_by_name, fall = {}, _fall_over_records(usable(tables.runs))
    for name, ratios in ratios_by_name.items():
        near = _nearness(name[start:], [other[start:] for other in names])
        # The nearest first; of as near ones those that differ, most of all.
        ordered = sorted(ratios, key=lambda of: -abs(log(of["high"])))
        ordered.sort(key=lambda of: of["verdict"] == "same" and not (of["p99"] or of["reads"]))
        ordered.sort(key=lambda of: near[of["name"]])
        on_specs = [ratio for ratio in ordered if "cores" not in ratio]
        if told := on_specs or ordered:
            parts = [fact("short-beside-one", **ratio | _facts(ratio.get("parts", ()))) for ratio in told]
            facts_by_name[name] = fact("short-beside", equal=told is on_specs, **listed("of", parts, _NAMED), fall=fall)
    return facts_by_name


def _nearness(name: str, names: list[str]) -> dict[str, tuple[int, bool]]:
    """By each other name, less for those that are to be told first: how many of its words are others, as those of one
    setting among several; then whether it is not the one before, where names are counted, as versions are."""
    words = {other: set(re.split("[ -]", other)) for other in names}
    counted = all(re.search(r"\d", other) for other in names)
    ordered = sorted(names, key=lambda other: [int(part) for part in re.findall(r"\d+", other)]) if counted else names
    at = ordered.index(name)
    before = ordered[at - 1] if at else ordered[1]
    return {other: (len(words[other] ^ words[name]), counted and other != before) for other in names if other != name}


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
    """The verdict on b over a on equal specs; the ratio and its 95 % interval where there is one series of these, else
    from what to what the ratios go, by mix where that differs. None: they share no spec, mix and thread count
    at which they may be compared."""
    rows = compare(a, b, by="spec")
    ratios = rows[rows["ratio"].notna() & rows["verdict_key"].ne(verdicts.NOT_COMPARABLE)]
    if ratios.empty:
        return None
    means = ratios[ratios["basis"] != "spec"]
    cells = ratios[ratios["basis"] == "spec"]
    # No one figure stands for cells whose intervals lie far apart.
    is_wide = cells["conf_low"].max() > _ALIKE * cells["conf_high"].min()
    depends = is_wide or bool(set(rows["verdict_key"]) & {verdicts.DEPENDS, verdicts.SOME})
    series = cells if means.empty or depends else means
    differing = set(series["verdict_key"]) & {verdicts.HIGHER, verdicts.LOWER}
    least, most = series["ratio"].min(), series["ratio"].max()
    is_near_1 = 1 / _ALIKE < least <= CLOSE and 1 / CLOSE <= most < _ALIKE
    # Where a difference is shown of some mixes or specs alone, which they are has to be told.
    depends |= len(differing) > 1 or (bool(differing) and differing != set(series["verdict_key"]))
    # Where some differ by what two occasions may, the others by less.
    not_shown = "hidden" if verdicts.HIDDEN in set(series["verdict_key"]) else "same" if is_near_1 else "unproven"
    occasions = 0.0 if interleaved(a.runs["started_at"], b.runs["started_at"]) else 2 * OCCASION**2
    is_shown = bool(differing) or _is_shown_together(cells, occasions)
    verdict = "depends" if depends else "shown" if is_shown else not_shown
    if len(series) == 1:
        (only,) = dicts(series)
        return {"verdict": verdict, "ratio": only["ratio"], "low": only["conf_low"], "high": only["conf_high"]}
    ends = {"ratio": None, **_range(least, most)}
    return {"verdict": verdict, **ends, "parts": _by_mix(cells if depends else series) if verdict != "same" else []}


def _by_curves(a: Tables, b: Tables) -> dict | None:
    """As `_ratio`, at equal `cores`: None unless the means of all mixes and thread counts show it in one direction."""
    means = compare(a, b)
    means = means[means["spec_a"] == ""]
    if set(means["verdict_key"]) not in ({verdicts.HIGHER}, {verdicts.LOWER}):
        return None
    ends = _range(means["ratio"].min(), means["ratio"].max())
    return {"verdict": "shown", "ratio": None, **ends, "parts": _by_mix(means), "cores": True}


def _is_shown_together(cells: pd.DataFrame, occasions: float) -> bool:
    """Whether ratios that show no difference each by itself do so together: all lie on one side of 1, and their mean
    farther from it than its error allows. `occasions`: the variance that they share."""
    if len(cells) < _LEAST_TOGETHER or (cells["ratio"].min() - 1) * (cells["ratio"].max() - 1) <= 0:
        return False
    # Of a t distribution, so that this is rather too much.
    errors = np.log(cells["conf_high"] / cells["conf_low"]) / (2 * student_t(np.inf))
    of_mean = (errors**2 - occasions).clip(lower=0).sum() / len(cells) ** 2 + occasions
    return bool(abs(np.log(cells["ratio"]).mean()) > _TOGETHER * np.sqrt(of_mean))


def _facts(parts: Iterable[dict]) -> dict[str, object]:
    facts = [fact("short-beside-part", **part) for part in parts]
    return {"parts": facts, "several": len(facts) > 0}


def _by_mix(rows: pd.DataFrame) -> list[dict]:
    """From what to what the ratios of each mix go, and where; those of mixes that are alike together, and all where
    many are not."""
    groups: list[list[pd.DataFrame]] = []
    for _, part in rows.groupby("workload", sort=False):
        like = next((group for group in groups if _are_alike(_ends(part), _ends(group[0]))), None)
        (groups.append([part]) if like is None else like.append(part))
    if len(groups) == 1 or len(groups) > _MIXES:
        parts = [((), _ends(rows))]
    else:
        parts = [([mix(part.iloc[0]) for part in group], _ends(pd.concat(group), of_mix=True)) for group in groups]
    return [{"mixes": mixes, "named": len(mixes) > 0, **of, **_range(of["low"], of["high"])} for mixes, of in parts]


def _are_alike(first: dict, second: dict) -> bool:
    return all(abs(log(first[end] / second[end])) < log(_ALIKE) for end in ("low", "high"))


def _ends(rows: pd.DataFrame, *, of_mix: bool = False) -> dict:
    """The least and the most of some ratios, of one mix that is named with them or of several, and which level of what
    explains most of how they differ stands for either; the rows themselves, where nothing does."""
    log_ratio = np.log(rows["ratio"])
    several = [name for name in _FACTORS if rows[name].nunique() > 1]
    means = {name: log_ratio.groupby(rows[name]).transform("mean") for name in several}
    total = float(log_ratio.var(ddof=0))
    explained = {name: float(of.var(ddof=0)) / total for name, of in means.items() if total > 0}
    factor = max(explained, key=explained.__getitem__, default=None)
    is_level = factor is not None and explained[factor] >= _EXPLAINED
    ratios = means[factor] if is_level else log_ratio
    low, high = exp(ratios.min()), exp(ratios.max())
    names = {_FACTORS[factor]} if is_level and factor != "spec_a" else {"spec", "mix"}
    if high < _ALIKE * low:
        return {"low": low, "high": high, "least": None, "most": None}
    names -= {"mix"} if of_mix else set()
    ends = rows.loc[[ratios.idxmin(), ratios.idxmax()]]
    # What is the same at both ends tells them not apart.
    least, most = (_where(end, names) for _, end in ends.iterrows())
    if least == most:
        least, most = (_where(end, {"threads"}) for _, end in ends.iterrows())
    return {"low": low, "high": high, "least": least, "most": most}


def _range(low: float, high: float) -> dict:
    """Both ends for a message; no low where they read the same."""
    return {"low": None if high < CLOSE * low or f"{low:.2f}" == f"{high:.2f}" else low, "high": high}


def _where(row: pd.Series, names: set[str]) -> Fact:
    values = {"mix": mix(row), "spec": row["spec_a"] or None, "threads": row["threads"]}
    return fact("short-beside-where", **{key: value if key in names else None for key, value in values.items()})


def _turned(ratio: dict) -> dict:
    """The ratio of `_ratio`, or one of its parts, turned round: a over b."""
    low, high = (None if end is None else 1 / end for end in (ratio["high"], ratio["low"]))
    if high is None:  # all alike: the one figure stands in `high`
        low, high = high, low
    # The ends of an interval stay two, those of several ratios are one where they read alike.
    turned = ratio | ({"low": low, "high": high} if ratio.get("ratio") else _range(low or high, high))
    if "parts" in ratio:
        turned["parts"] = [_turned(part) for part in ratio["parts"]]
    if "least" in ratio:
        turned |= {"least": ratio["most"], "most": ratio["least"]}
    return turned | {name: 1 / ratio[name] for name in ("ratio", "p99", "reads", "writes") if ratio.get(name)}


_LIKE = ["workload", "spec", "cores", "ram_gib", "threads"]
# By chance so many pairs all differ in one direction in 1 of 32 comparisons, and hardly ever by so much in the mean.
_LEAST_PAIRS, _LEAST_TIMES = 6, 1.25
# That reads differ in one direction and writes in the other everywhere is less often chance.
_LEAST_TRADES, _LEAST_TRADE = 4, 1.1


def latency_times(a: Tables, b: Tables) -> dict[str, float | None]:
    """By what latencies of b, in the geometric mean over configurations, are those of a: `p99`, `reads` and `writes`.
    a, b: the tables of one data set each. The p99 of a run is that of its slowest operation; None where it differs
    little or not everywhere in one direction, or just as much as throughput does: a closed loop with half of it waits
    twice as long. Mean latencies of reads and writes are told where one takes longer and the other less in every
    configuration: a trade, which throughput does not show; else both are None."""
    first, second = map(_by_configuration, (a, b))
    apart = second - first
    slow, each = apart[["p99", "tail"]].dropna(), apart[["reads", "writes"]].dropna()
    longer, trade = slow.mean(), each.mean()
    is_longer = (np.sign(slow) == np.sign(longer["p99"])).all(axis=None) and len(slow) >= _LEAST_PAIRS
    is_trade = (np.sign(each) == np.sign(trade)).all(axis=None) and len(each) >= _LEAST_TRADES and trade.prod() < 0
    is_longer = is_longer and longer.abs().min() >= np.log(_LEAST_TIMES)
    is_trade = is_trade and trade.abs().min() >= np.log(_LEAST_TRADE)
    times = {"p99": exp(longer["p99"]) if is_longer else None}
    return times | {name: exp(mean) if is_trade else None for name, mean in trade.items()}


def _by_configuration(tables: Tables) -> pd.DataFrame:
    """For each configuration of named specs, in the mean of its repeats at full speed, ln `p99` and `tail`, ln of p99
    over what an operation takes at that throughput; and ln of the mean latency of `reads` and of `writes`."""
    rows = with_means(with_throughput(tables.runs), tables.operations)
    p99_us = rows["run_id"].map(slowest_p99_us(tables.percentiles)).astype(float)
    logs = {"p99": p99_us, "tail": p99_us * rows["y"], "reads": rows["read_us"], "writes": rows["write_us"]}
    rows = rows.assign(**{name: np.log(of.where(of > 0)) for name, of in logs.items()})
    return rows[~rows["throttled"] & (rows["spec"] != "")].groupby(_LIKE, dropna=False)[[*logs]].mean()
