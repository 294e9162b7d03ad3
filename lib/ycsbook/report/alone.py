"""What was measured at best, in sentences, where no growth can be spoken of."""

from collections.abc import Iterator, Sequence, Set

import numpy as np
import pandas as pd

from ycsbook import names, trust
from ycsbook.facts import Fact, fact
from ycsbook.scaling.cells import Noise, with_fewest_threads
from ycsbook.units import US_PER_MS

# Each of so many mixes is named; of more the least and the most.
MANY = 3
# A run whose warm-up takes more than this share of its throughput is told with what the whole run did.
WARMUP_TELLS = 0.05
# What does less by no more than this with fewer threads does as much.
LITTLE = 0.05


def best_of_each(points: pd.DataFrame, workloads: Sequence[str], noise: Noise) -> list[pd.Series]:
    """The best of each workload's possible rows, those not in doubt first, with the means of its repeats; of what one
    spec does with several thread counts, but for noise and LITTLE, that with the fewest.

    Parameters
        points: with `y` and grade. noise: of a run.
    """
    possible = _with_means_of_repeats(points[points["grade"] != "F"])
    order = {"is_doubted": possible["grade"].isin(trust.DOUBTFUL), "less": -possible["y"]}
    best = possible.assign(**order).sort_values([*order], kind="stable").drop_duplicates("workload")
    share, by_workload = min(noise.reach, LITTLE), {}
    for row in best.to_dict("records"):
        of = ("workload", "target_ops_s")
        is_like = possible["grade"].isin(trust.DOUBTFUL) == row["is_doubted"]
        for column in of:
            is_like &= possible[column].eq(row[column]) | (possible[column].isna() & pd.isna(row[column]))
        by_workload[row["workload"]] = with_fewest_threads(possible[is_like], row, share)
    return [by_workload[workload] for workload in workloads if workload in by_workload]


def _with_means_of_repeats(points: pd.DataFrame) -> pd.DataFrame:
    """The points, each with the means of its repeats, those in doubt apart: the best run alone would be a lucky one."""
    keys = [points[name] for name in ("workload", "spec", "threads", "target_ops_s")]
    cells = [*keys, points["grade"].isin(trust.DOUBTFUL)]
    figures = points.columns.intersection(["throughput_ops_s", "ral_us", "wal_us", "warmup_s", "latency_us"])
    means = points[figures].groupby(cells, dropna=False).transform("mean")
    log_y = np.log(points["y"])
    # As a factor: of a single run its figure stays as it is, to the last digit.
    return points.assign(**means, y=points["y"] * np.exp(log_y.groupby(cells, dropna=False).transform("mean") - log_y))


def verdict(points: pd.DataFrame, best: Sequence[pd.Series], rising: Set[tuple[str, str]]) -> Iterator[Fact]:
    """The best of each workload, or of many the least and the most of these. Parameters as for `facts`."""
    if len(best) > MANY:
        least, *_, most = sorted(best, key=lambda row: row["y"])
        yield fact("short-verdict-best", several=True, least=least["y"], least_mix=names.mix(least),
                   most=most["y"], most_mix=names.mix(most))  # fmt: skip
    elif best:
        yield fact("short-verdict-best", several=False, of=_listed(points, best, rising))


def ranks(points: pd.DataFrame, best: Sequence[pd.Series]) -> Iterator[Fact]:
    """How far behind the best the other servers are whose cores nobody knows, of each workload; parameters as for
    `facts`, points with `latency_us`, the mean over all operations. Rates that were asked for have no ranks."""
    for row in best[:MANY]:
        here = points[(points["workload"] == row["workload"]) & points["cores"].isna() & ~points["throttled"]]
        means = _with_means_of_repeats(here[here["grade"] != "F"])
        best_of_specs = means.sort_values("y", ascending=False).drop_duplicates("spec").to_dict("records")
        # Each at the fewest threads that do as much, as the best, so that latencies can be compared.
        ranked = pd.DataFrame([with_fewest_threads(means, of, LITTLE) for of in best_of_specs], columns=means.columns)
        behind = [
            fact("short-behind", spec=names.spec(other), ops=other["y"], change=other["y"] / row["y"] - 1,
                 latency_ms=other["latency_us"] / US_PER_MS)
            for other in ranked[ranked["spec"] != row["spec"]].to_dict("records")
        ]  # fmt: skip
        if behind and row["spec"] in set(ranked["spec"]):
            latency_ms = ranked.set_index("spec")["latency_us"][row["spec"]] / US_PER_MS
            yield fact("short-ranks", mix=names.mix(row), spec=names.spec(row), latency_ms=latency_ms,
                       **names.listed("behind", behind))  # fmt: skip


def facts(points: pd.DataFrame, best: Sequence[pd.Series], rising: Set[tuple[str, str]]) -> Iterator[Fact]:
    """What was measured, `points`, and the best of each workload; rising: workload and spec where still more threads
    may do more."""
    if len(best) > MANY:
        yield fact("short-alone-many", of=_listed(points, best, rising))
        return
    for row in best:
        here = points[points["workload"] == row["workload"]]
        spec = names.spec(row) if row["cores"] > 0 else _of_several(points, row)
        early_s = row["warmup_s"] if row["throughput_ops_s"] < (1 - WARMUP_TELLS) * row["y"] else None
        yield fact(
            "short-alone", mix=names.mix(row), threads=row["threads"], ops=row["y"], spec=spec, alone=len(here) == 1,
            at_least=_may_do_more(row, rising),
            early_s=early_s, whole=row["throughput_ops_s"], read_ms=row["ral_us"] / US_PER_MS,
            write_ms=row["wal_us"] / US_PER_MS,
        )  # fmt: skip


def _listed(points: pd.DataFrame, best: Sequence[pd.Series], rising: Set[tuple[str, str]]) -> list[Fact]:
    return [
        fact("short-best", mix=names.mix(row), threads=row["threads"], ops=row["y"], spec=_of_several(points, row),
             at_least=_may_do_more(row, rising))
        for row in best
    ]  # fmt: skip


def _may_do_more(row: pd.Series, rising: Set[tuple[str, str]]) -> bool:
    """Whether more threads, or a higher rate to be asked for, may bring more."""
    return bool(row["throttled"]) or (row["workload"], row["spec"]) in rising


def _of_several(points: pd.DataFrame, row: pd.Series) -> Fact | None:
    """The spec of a row whose cores nobody knows, if several were measured: nothing else names it."""
    return None if row["cores"] > 0 or points["spec"].nunique() < 2 else names.spec(row)
