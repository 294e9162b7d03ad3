"""A single run that misses what every row beside it would have it do: a disturbed run, or a wrong figure."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.neighbours import FITS, MISFIT, between, outside
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import KIND
from ycsbook.facts import fact
from ycsbook.scaling.cells import MAD_TO_SD

# So far off, ln X; by so many standard deviations of the difference of two runs; and by so many of what is usual
# between the servers of a table.
_LEAST, _ODD, _USUAL_ODD = float(np.log(1.4)), 4.5, 6.0


@rule(
    budget=0.0001,
    cannot_know="whether the run was disturbed, its figure is wrong, or the server does so at this thread count alone; "
    "nothing of the smallest and the largest server, where thread counts have effects of their own",
    source="the straight line between the servers beside it in ln X over ln cores, and what other thread counts do on "
    "all three; no such row in simulated clean sweeps of normal noise",
)
def lone_row(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """A single run 1.4 times too high or too low, and by 4.5 standard deviations, for the servers beside it and for the
    other thread counts of its own, which fit; or as far below both the next smaller and the next larger thread count,
    which fit without it: a warning. Effect: what it did over what would fit, minus 1.

    A curve that bends, and one that rises to a peak, is none.
    """
    cells = evidence.compared[~evidence.compared["throttled"] & (evidence.compared["threads"] > 0)]
    if not cells["n"].eq(1).any():
        return
    for kind, of_kind in cells.groupby(list(KIND)):
        beside = _beside(of_kind)
        usual_odd = _USUAL_ODD * MAD_TO_SD * float(beside["away"].abs().median()) if len(beside) else 0.0
        least = max(_LEAST, _ODD * np.sqrt(2 * evidence.noise[kind].or_assumed.variance), usual_odd)
        for at, away in {**dict(_off_ladders(of_kind, least)), **dict(_off_servers(beside, least))}.items():
            row = of_kind.loc[at]
            if row["n"] == 1:
                ops, change = float(np.exp(row["log_y"])), float(np.expm1(away))
                message = fact("lone_row", cell=names.cell(row), ops=ops, fits=ops / (1 + change), change=change)
                yield Finding("warning", row["dataset"], row["run_ids"], message, effect=change, cause="lone")


def _beside(cells: pd.DataFrame) -> pd.DataFrame:
    """The rows between two servers, by their labels: workload and spec, the ln X of the `smaller` server, of the row
    itself (`y`) and of the `larger` one, ln of the ratio of cores of the first two, and how far it is `away` from the
    line between them."""
    cells = cells[cells["cores"] > 0]
    at, log_y, x = between(cells), cells["log_y"].to_numpy(float), np.log(cells["cores"].to_numpy(float))
    (below, y, above), (x_below, x, x_above) = ([of[place] for place in at] for of in (log_y, x))
    away = y - below - (x - x_below) / (x_above - x_below) * (above - below)
    rows = cells.iloc[at[1]][["workload", "spec"]]
    return rows.assign(smaller=below, y=y, larger=above, cores_more=x - x_below, away=away)


def _off_servers(beside: pd.DataFrame, least: float) -> Iterator[tuple[int, float]]:
    """The label of each row so far off the line between two servers, and how far, where other thread counts of these
    three say that the server itself is not. beside: as _beside gives it."""
    # Growth that ends lies above the line, but grows no faster than the cores, and not beyond the larger server.
    grows = beside["y"] - beside["smaller"]
    bends = (grows <= beside["cores_more"] + FITS) & (beside["y"] <= beside["larger"] + least) & (beside["away"] > 0)
    for _, of_spec in beside.groupby(["workload", "spec"]):
        for at in of_spec.index[(of_spec["away"].abs() > least) & ~bends[of_spec.index]]:
            others = of_spec.drop(at)
            more = of_spec.loc[at, ["smaller", "y", "larger"]].astype(float) - others[["smaller", "y", "larger"]]
            at_ends = more[["smaller", "larger"]]
            is_odd = (more["y"] - at_ends.max(axis=1) > least) | (more["y"] - at_ends.min(axis=1) < -least)
            if len(others) and is_odd.all() and others["away"].abs().max() <= MISFIT:
                yield at, float(of_spec.at[at, "away"])


def _off_ladders(cells: pd.DataFrame, least: float) -> Iterator[tuple[int, float]]:
    """The label of each row far below both the next smaller and larger thread count of its server, where all others fit
    without it, and how far it lies below the line between these two, ln X."""
    rungs = cells[["workload", "spec", "threads", "log_y"]].sort_values("threads")
    for _, ladder in rungs.groupby(["workload", "spec"]):
        log_y, octaves = ladder["log_y"].to_numpy(float), np.log2(ladder["threads"].to_numpy(float))
        away = outside(log_y, octaves) if len(ladder) > 2 else np.zeros(1)
        at = int(away.argmin())
        if not 0 < at < len(ladder) - 1 or away[at] >= -least:
            continue
        others = np.arange(len(ladder)) != at
        if np.abs(outside(log_y[others], octaves[others])).max() <= FITS:
            yield ladder.index[at], float(log_y[at] - np.interp(octaves[at], octaves[others], log_y[others]))
