"""From runs to the points a law is fitted to: usable rows, which throughput, one mean per spec."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ycsbook.columns import KIND, THROUGHPUTS
from ycsbook.errors import FitError, shown
from ycsbook.facts import Fact, fact
from ycsbook.groups import group_distinct, group_numbers, numbers_of
from ycsbook.scaling.repeats import early_rounds, far_off_repeats, held_back, unlike_repeats

SHAPE = ["spec", "cores", "ram_gib"]
# A run that reaches so much of its target throughput was asked for no more: of 8 s the JVM's start costs 10 %. Where
# this errs, the point is a lower bound all the same.
THROTTLED = 0.90
# Stands for a thread count of each spec's own.
OWN_THREADS = -1.0
# So many core counts at one number of threads are a series by themselves.
_SERIES = 3


class UnfitError(FitError):
    """Points that do not support what was asked of them; `reason` is a fact, which tables and reports give as well."""

    def __init__(self, reason: Fact):
        self.reason = reason
        super().__init__(str(reason))

    def __reduce__(self):
        return UnfitError, (self.reason,)


def refusal(error: FitError) -> Fact:
    """Why points do not support a law, as a fact."""
    return error.reason if isinstance(error, UnfitError) else fact("law-error", text=str(error))


def usable(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows that may be analysed: run phases that completed, and published rows. A dataset of loads alone is about
    these: their workload is called `load` where it has no name."""
    done, load = runs["outcome"].isin(["completed", "published"]), runs["phase"].eq("load")
    if not load.any():
        return runs[done]
    # A frame of one's own may have no data sets.
    alone = load & load.groupby(runs["dataset"]).transform("all") if "dataset" in runs else load & load.all()
    rows = runs[done & (alone | ~load)]
    return rows.assign(workload=rows["workload"].mask(alone & rows["workload"].eq(""), "load")) if alone.any() else rows


def loads(runs: pd.DataFrame) -> pd.DataFrame:
    """The loads that `usable` leaves out, as they stand beside runs."""
    return runs[runs["phase"].eq("load") & ~runs.index.isin(usable(runs).index)]


def analysable(points: pd.DataFrame, y: str | None) -> tuple[pd.DataFrame, str]:
    """A user's own points: the `usable` ones, where phase and outcome say so, and y, by default the best
    throughput column that every row has; FitError where none is complete."""
    if {"phase", "outcome"} <= set(points.columns):
        points = usable(points)
        points = points[~unlike_repeats(points)]
    if y is None:
        # One column for all: mixing them would compare unlike things.
        y = next((c for c in THROUGHPUTS if c in points and len(points) and points[c].notna().all()), None)
    if y is None:
        raise FitError(
            f"no throughput column is complete for these {len(points)} rows; looked for {', '.join(THROUGHPUTS)}; "
            "leave the rows without a figure out, or name one with y="
        )
    if y in points:
        rows = points.assign(y=points[y])
        is_late = ~rows.index.isin(early_rounds(rows).index)
        points = points[is_late][~far_off_repeats(rows[is_late]).to_numpy()]
    return points, y


def with_throughput(runs: pd.DataFrame, *, far_off: bool = False) -> pd.DataFrame:
    """The usable rows with the throughput everything is said about, chosen once per dataset and kind; without those
    that are `unlike_repeats` or `held_back`, without `early_rounds`, and, but for those
    who ask for them, without those `far_off_repeats`. What it takes and gives is as of `throughputs`."""
    rows = throughputs(runs)
    rows = rows[~held_back(rows)]
    rows = rows.drop(index=early_rounds(rows).index)
    return rows if far_off else rows[~far_off_repeats(rows)]


def throughputs(runs: pd.DataFrame) -> pd.DataFrame:
    """As `with_throughput`, with the early rounds: the rows with `y` (ops/s; NaN where the row lacks the figure),
    `y_column`, where y comes from, `throttled`: whether it reached its target throughput, and is a lower bound of what
    the server can do, and `called`: the name of the spec where others of its kind have the same cores and RAM. Measured
    and published rows of a dataset are two kinds, each with one column for all its rows: the best one complete over the
    rows that have any figure. Where none is complete, the one most of them have."""
    rows = usable(runs)
    rows = rows[~unlike_repeats(rows)]
    kind, figures = numbers_of(rows, KIND), rows[list(THROUGHPUTS)].to_numpy(float)
    best = np.array([np.bincount(kind, column) for column in ~np.isnan(figures.T)]).argmax(axis=0)[kind]
    y, y_column = figures[np.arange(len(rows)), best], pd.array(np.array(THROUGHPUTS)[best], "str")
    size = group_numbers([kind, rows["cores"], rows["ram_gib"]])
    alike = group_distinct(rows["spec"], size)[size] > 1
    called = rows["spec_label"].where(rows["spec_label"] != "", rows["spec"]).where(alike, "")
    throttled = y >= THROTTLED * rows["target_ops_s"]
    return rows.assign(y=y, y_column=y_column, throttled=throttled, called=called)


def at_own_threads(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows; where threads rise with cores those of a workload as one series, whose threads are OWN_THREADS, with
    `own_threads`, how many a run of it had. That is where each spec has one thread count, and nearly no two the same:
    at one number of threads there is then no series over cores, only all of them together, each at its own."""
    own_threads = pd.Series(np.nan, index=rows.index)
    for _, part in rows.groupby([*KIND, "workload"], dropna=False):
        specs = part.groupby(SHAPE, dropna=False)["threads"].nunique(dropna=False)
        cores = part.groupby("threads", dropna=False)["cores"].nunique()
        if (specs == 1).all() and cores.max() < min(_SERIES, part["cores"].nunique()) and part["threads"].notna().all():
            own_threads[part.index] = part["threads"]
    return rows.assign(threads=rows["threads"].mask(own_threads.notna(), OWN_THREADS), own_threads=own_threads)


def without_ceiling(series: pd.DataFrame) -> pd.DataFrame:
    """The points of one series; of one at OWN_THREADS without them, where each core has as many threads on larger specs
    as on smaller ones: the closed loop's ceiling then bends nothing."""
    if series.empty or series["threads"].iloc[0] != OWN_THREADS:
        return series
    per_core = (series["own_threads"] / series["cores"]).groupby(series["cores"]).mean()
    return series.drop(columns="threads") if per_core.is_monotonic_increasing else series.assign(threads=np.nan)


def slowest_p99_us(percentiles: pd.DataFrame) -> pd.Series:
    """The 99th percentile of each run's slowest operation, us, by run_id; from when they were due, if they were."""
    p99 = percentiles[percentiles["percentile"] == 99]
    p99 = p99[~p99["operation"].str.contains("FAILED|CLEANUP", regex=True)]
    due = p99["operation"].str.startswith("Intended-")
    return p99[due == p99["run_id"].isin(p99.loc[due, "run_id"])].groupby("run_id")["latency_us"].max()


def spec_means(points: pd.DataFrame, x: Sequence[str], y: str) -> pd.DataFrame:
    """One row per spec and x: the mean of ln y over its repeats, which are not independent specs. points: one row per
    run with columns x and y (> 0), and SHAPE, limit_kind where known. Specs with equal cores and different RAM stay
    apart. `censored`, where there is such a column, says where y is a lower bound. Returns the columns x, `log_y`,
    `n_runs`, `censored` (where any repeat is), SHAPE and limit_kind as given, sorted by the first of x, then spec.
    Raises FitError: a missing column, or a value that has no logarithm."""
    for column in (*x, y):
        if column not in points:
            raise FitError(f"the points have no column {column!r}; they have {', '.join(map(str, points.columns))}")
        values = points[column].astype(float)
        if not np.isfinite(values).all():
            raise FitError(f"{column}: {int((~np.isfinite(values)).sum())} of {len(values)} values are missing or "
                           "infinite; leave those rows out")  # fmt: skip
        if (values <= 0).any():
            raise FitError(f"{column}: got {shown(float(values.min()))}, expected numbers > 0; ln needs them")
    keys = list(dict.fromkeys([x[0], *(c for c in (*SHAPE, "cache_gib") if c in points)]))
    flags = points["censored"].to_numpy(bool) if "censored" in points else np.zeros(len(points), bool)
    return cell_means(points, keys, np.log(points[y].to_numpy(float)), flags)


def cell_means(points: pd.DataFrame, keys: list[str], log_y: np.ndarray, flags: np.ndarray) -> pd.DataFrame:
    """One row per value of the keys, sorted: the keys, log_y (mean), n_runs, censored (any), limit_kind (first).
    points: one row per run, with the keys and perhaps `limit_kind`; log_y, flags: (runs,) ln y, and whether y is a
    lower bound."""
    cell = numbers_of(points, keys)
    _, first, n = np.unique(cell, return_index=True, return_counts=True)
    columns = [*keys, *(["limit_kind"] if "limit_kind" in points else [])]
    means = points[columns].iloc[first].reset_index(drop=True)
    return means.assign(log_y=np.bincount(cell, log_y) / n, n_runs=n, censored=np.bincount(cell, flags) > 0)
