"""What `capacity` found, in sentences: never surer than the numbers are."""

import numpy as np
import pandas as pd

from ycsbook.scaling.capacity import MEASURED, SURE
from ycsbook.scaling.points import KIND
from ycsbook.units import significant

# Why the law here is not the one of scaling.analyse.
NOTE = (
    "Each law here is of what so many threads deliver, lower bounds taken as they are; 'ycsbook scaling' shows the "
    "server's own where enough points are known to be that, so its curve may differ."
)


def answers(capacity: pd.DataFrame, qps: float, p99_ms: float | None = None) -> list[str]:
    """What `smallest` found, one sentence per kind.

    Parameters
        capacity: the table `capacity`, smallest spec first. qps, p99_ms: what was asked.
    """
    goal = f"{qps:,.0f} ops/s of workload {{workload}}" + ("" if p99_ms is None else f" with a p99 of {p99_ms:g} ms")
    several = titles(capacity) is not None
    sentences = []
    for (dataset, outcome), rows in capacity.groupby(list(KIND), sort=False):
        bounds = rows.loc[rows["basis"] == MEASURED, "at_least"].astype(bool)
        table = rows.assign(mixed=bounds.any() and not bounds.all())
        said = _answer(table, goal.format(workload=table["workload"].iloc[0]), qps, p99_ms)
        sentences.append(f"{dataset}, {outcome}: {said}" if several else said)
    return sentences


def _answer(table: pd.DataFrame, goal: str, qps: float, p99_ms: float | None) -> str:
    enough = table[table["suffices"]]
    if len(enough):
        best = next(enough.itertuples())
        return f"The {_order(table)} spec that carries {goal} is {_described(best)}.{_unsaid(table)}"
    within = table if p99_ms is None else table[table["p99_us"] <= p99_ms * 1e3]
    if within.empty:
        return _too_slow(table, p99_ms)
    if within["probability"].isna().all():
        return _no_law(within, goal, qps)
    # A law may promise what the spec itself was measured not to reach.
    refuted = within["probability"] >= SURE
    some = "No spec" if p99_ms is None else f"No spec that was measured within {p99_ms:g} ms"
    if refuted.any():
        best = next(within[refuted].itertuples())
        return (
            f"{some} is shown to carry {goal}: {best.spec} would by its law, but was itself measured at "
            f"{significant(best.observed)} ops/s with the server as the limit.{_unsaid(table)}"
        )
    best = next(within.loc[[within["probability"].idxmax()]].itertuples())
    return f"{some} is {100 * SURE:.0f} % sure to carry {goal}; the likeliest is {_described(best)}.{_unsaid(table)}"


def _too_slow(table: pd.DataFrame, p99_ms: float) -> str:
    if table["p99_us"].isna().all():
        return f"No percentiles were measured, so nothing can be said about a p99 of {p99_ms:g} ms."
    best = next(table.loc[[table["p99_us"].idxmin()]].itertuples())
    return f"No spec was measured within {p99_ms:g} ms; the nearest is {best.spec}{_threads(best)}: {_tail(best)}."


def _no_law(table: pd.DataFrame, goal: str, qps: float) -> str:
    """What remains where no spec has a law: the runs themselves, without a promise."""
    said = (
        f"Nothing can be said about {goal}: no law can be fitted to so few specs, so how far another server of a spec "
        "would be off is unknown."
    )
    reached = table[table["observed"] >= qps]
    if reached.empty:
        return said
    row = next(reached.itertuples())
    runs = "in one run" if row.n_runs == 1 else f"in the mean of {row.n_runs:g} repeats"
    return f"{said} {row.spec}{_threads(row)} itself was measured at {significant(row.observed)} ops/s {runs}."


def _unsaid(table: pd.DataFrame) -> str:
    unknown = table.loc[table["probability"].isna(), "spec"]
    if unknown.empty:
        return ""
    return f" Nothing can be said about {', '.join(unknown)}: too few specs for any law at the same threads."


def _order(table: pd.DataFrame) -> str:
    return "cheapest" if table["price_per_hour"].notna().any() else "smallest"


def _threads(row: tuple) -> str:
    return "" if np.isnan(row.threads) else f" at {row.threads:g} threads"


def _tail(row: tuple) -> str:
    runs = "in one run" if row.n_runs == 1 else f"in the worst of {row.n_runs:g} repeats"
    return f"p99 measured {row.p99_us / 1e3:.3g} ms {runs}, at {significant(row.observed)} ops/s"


def _described(row: tuple) -> str:
    tail = "" if np.isnan(row.p99_us) else f" for the throughput; {_tail(row)}"
    alone = "" if row.basis == MEASURED else "not measured, or not soundly; "
    at_least = ", or more with more threads" if row.at_least and row.basis == MEASURED else ""
    law = f"the {row.law} law gives {significant(row.fitted)} ops/s{at_least}"
    scatter = f"the specs scatter {100 * row.law_scatter:.0f} % around it"
    # The laws of the scaling analysis see fewer points then: this one may be refused there.
    scatter += "; it takes lower bounds as measured, unlike the laws of the scaling analysis" if row.mixed else ""
    return f"{row.spec}{_threads(row)}: {surety(row.probability)}{tail} ({alone}{law}; {scatter})"


def titles(capacity: pd.DataFrame) -> pd.Series | None:
    """Each row's dataset and kind, as `answers` names them; None where there is one only."""
    if len(capacity[list(KIND)].drop_duplicates()) < 2:
        return None
    return capacity["dataset"] + ", " + capacity["outcome"]


def surety(probability: float) -> str:
    """A probability as people read it: no model is so right that 0 or 100 % could be meant.

    Examples
        >>> surety(0.9996), surety(0.53), surety(0.002)
        ('more than 99 %', '53 %', 'less than 1 %')
    """
    percent = 100 * probability
    if np.isnan(percent):
        return "unknown"
    return "more than 99 %" if percent > 99 else "less than 1 %" if percent < 1 else f"{percent:.0f} %"
