"""The smallest spec that carries a load, and how sure that is.

Another server of a spec is as far from the law as the measured specs are: the probability counts the law's own
uncertainty and that scatter, never the noise between repeats alone. Nothing is said beyond the measured cores.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.errors import FitError
from ycsbook.ingest.log.closed_loop import is_counted
from ycsbook.scaling import claims, cost
from ycsbook.scaling.fitted import Fit
from ycsbook.scaling.limits import LEFT_OUT
from ycsbook.scaling.points import KIND, with_throughput
from ycsbook.scaling.select import select
from ycsbook.tables import conform, empty

CONFIDENCE = 0.95
# A spec suffices when another server of it would reach the goal this surely.
SURE = 0.90
MEASURED, INTERPOLATED = "measured", "interpolated"
_SHAPE = ["spec", "cores", "ram_gib"]


def smallest(
    runs: pd.DataFrame,
    limits: pd.DataFrame,
    *,
    qps: float,
    workload: str,
    threads: float | None = None,
    p99_ms: float | None = None,
    percentiles: pd.DataFrame | None = None,
    specs: Mapping[str, tuple[float, float]] | None = None,
    prices: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Each spec with the probability that another server like it carries the load; the first that suffices is it.

    At each thread count the law that predicts left-out specs best is fitted to what was measured there, whatever
    limits it: at that many threads it is what one gets. P = 1 - T((ln qps - ln f) / sqrt(se² + s²)) with the law's
    throughput f, its standard error se, the specs' scatter s around it, and Student's T with its residual degrees
    of freedom. P is of the throughput alone: a p99 is that of the runs that were made, in a closed loop at full
    throughput. Of several thread counts those within the p99 count first, then the one with the highest P.

    Parameters
        runs: the runs table. limits: the table `limits` of the same runs; suspect and inconsistent points are not
            looked at, their specs are judged by the law alone.
        qps: ops/s wanted. workload: its name. threads: client threads; None: the best measured.
        p99_ms: highest 99th percentile allowed, of every operation in every repeat; needs percentiles, the table.
        specs: cores and RAM (GiB) of specs that were not measured: judged where their cores lie inside the measured
            range and no p99 is asked for.
        prices: price per hour by spec; then the cheapest comes first, else the one with the fewest cores and GiB.
    Returns
        The table `capacity`, one row per kind (dataset, measured or published) and spec, smallest first. probability
        is NaN where the points are too few for any law. n_runs: the cell's repeats. `suffices`: at least 90 %, p99
        within the limit, and not itself measured below qps with its server as the limit.
    Raises
        FitError: nothing of that workload or thread count, qps or p99_ms not a number > 0, or a p99 where none was
            measured.
    """
    for value, unit in ((qps, "ops/s"), (p99_ms, "ms as the p99"), (threads, "threads")):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise FitError(f"capacity: got {value:g} {unit}, expected a number > 0")
    rows, left_out = _chosen(runs, limits, workload, threads)
    tails = _tails(rows, percentiles, p99_ms) if p99_ms is not None else pd.Series(np.nan, index=rows.index)
    rows = rows.assign(p99_us=tails)
    # A p99 is never taken from a law: no spec that was not measured is within it.
    asked = dict(specs or {}) if p99_ms is None else {}
    cells = pd.concat(
        [
            _judged(group, qps, (left_out[key[:2]] if p99_ms is None else {}) | asked)
            for key, group in rows.groupby([*KIND, "threads"], dropna=False)
        ]
    )
    cells["suffices"] = (cells["probability"] >= SURE) & ~(~cells["at_least"] & (cells["observed"] < qps))
    if p99_ms is not None:
        cells["suffices"] &= cells["p99_us"] <= p99_ms * 1e3
        slow = ~(cells["p99_us"] <= p99_ms * 1e3)
        cells = cells.assign(_slow=slow, _tail=cells["p99_us"].where(slow, 0.0))
    # The best thread count of each spec: one within the p99, then the likeliest; of those beyond it the fastest.
    order = [*(["_slow", "_tail"] if p99_ms is not None else []), "_unlikely", "threads"]
    best = cells.assign(_unlikely=-cells["probability"].fillna(-1.0)).sort_values(order, kind="stable")
    best = best.drop_duplicates([*KIND, *_SHAPE]).drop(columns=order[:-1])
    if prices:
        best = cost.per_million(best, prices)
    size = ["price_per_hour", "cores", "ram_gib"] if prices else ["cores", "ram_gib"]
    best = best.sort_values([*KIND, *size, "spec"], kind="stable").reset_index(drop=True)
    return conform(best.assign(workload=workload), "capacity")


def _chosen(runs: pd.DataFrame, limits: pd.DataFrame, workload: str, threads: float | None):
    """The sound rows of the workload with y > 0, each with what limits its cell; and each kind's specs."""
    rows = with_throughput(runs)
    rows = rows[(rows["y"] > 0) & rows["cores"].notna()]
    known = sorted(set(rows["workload"]))
    rows = rows[rows["workload"] == workload]
    if rows.empty:
        raise FitError(
            f"capacity: no completed run of workload {workload!r}; the tables have {', '.join(known) or 'none'}"
        )
    counts = sorted(set(rows["threads"].dropna()))
    if threads is not None:
        rows = rows[rows["threads"] == threads]
        if rows.empty:
            raise FitError(
                f"capacity: no run of workload {workload!r} at {threads:g} threads; there are "
                f"{', '.join(f'{t:g}' for t in counts)}"
            )
    keys = [*KIND, "workload", "spec", "threads"]
    kinds = limits[[*keys, "limit_kind", "measured"]].drop_duplicates(keys)
    rows = rows.merge(kinds, on=keys, how="left")
    sound = rows[~rows["limit_kind"].isin(LEFT_OUT)]
    if sound.empty:
        raise FitError(
            f"capacity: every point of workload {workload!r} is suspect or inconsistent: see ycsbook anomalies"
        )
    specs = {
        kind: {spec: (cores, ram) for spec, cores, ram in part[_SHAPE].drop_duplicates("spec").itertuples(index=False)}
        for kind, part in rows.groupby(list(KIND), dropna=False)
    }
    return sound, specs


def _tails(rows: pd.DataFrame, percentiles: pd.DataFrame | None, p99_ms: float) -> pd.Series:
    """The highest p99 of each row's run over its operations, us; NaN where it has none."""
    table = percentiles if percentiles is not None else empty("percentiles")
    counted = (table["percentile"] == 99) & table["operation"].map(is_counted).astype(bool)
    # Of several clients that cannot be merged the slowest counts.
    latency = table["latency_us"].fillna(table["latency_high_us"])[counted]
    worst = latency.groupby(table.loc[counted, "run_id"]).max()
    tails = rows["run_id"].map(worst).astype(float)
    if tails.isna().all():
        raise FitError(
            f"capacity: no percentiles were measured, so nothing can be said about a p99 of {p99_ms:g} ms; ask without "
            "one, or measure with histograms"
        )
    return tails


def _judged(group: pd.DataFrame, qps: float, extra: Mapping[str, tuple[float, float]]) -> pd.DataFrame:
    """One row per spec of a kind's thread count."""
    group = group.assign(ln_y=np.log(group["y"]))
    cells = group.groupby(_SHAPE, dropna=False, as_index=False).agg(
        observed=("ln_y", "mean"), p99_us=("p99_us", lambda v: v.max(skipna=False)), measured=("measured", "first"),
        n_runs=("ln_y", "size"),
    )  # fmt: skip
    cells = cells.assign(
        observed=np.exp(cells["observed"]), basis=MEASURED, at_least=~cells["measured"].fillna(False).astype(bool)
    ).drop(columns="measured")
    first, last = cells["cores"].min(), cells["cores"].max()
    unseen = [(s, c, r) for s, (c, r) in extra.items() if s not in set(cells["spec"]) and first <= c <= last]
    if unseen:
        added = pd.DataFrame(unseen, columns=_SHAPE).assign(basis=INTERPOLATED, at_least=True)
        cells = pd.concat([cells, added], ignore_index=True)
    names = {c: group[c].iloc[0] for c in (*KIND, "threads")}
    return cells.assign(**names, **_by_law(_law(group), cells["cores"].to_numpy(float), qps))


def _law(group: pd.DataFrame) -> Fit | None:
    """The fit that predicts left-out specs best; None where the points are too few for any law."""
    points = group[~group["throttled"]].drop(columns=["limit_kind", "measured", "throttled"])
    if points.empty:
        return None
    fits = [f for f in select(points, y=points["y_column"].iloc[0]).fits.values() if claims.eligible(f)]
    errors = [f.loo_error if np.isfinite(f.loo_error) else f.residual_se for f in fits]
    return fits[int(np.argmin(errors))] if fits else None


def _by_law(fit: Fit | None, cores: np.ndarray, qps: float) -> dict[str, object]:
    if fit is None:
        return {"law": "", "fitted": np.nan, "probability": np.nan, "run_low": np.nan, "run_high": np.nan}
    curve = fit.predict(cores)
    t = float(special.stdtrit(fit.df, (1 + CONFIDENCE) / 2))
    log_f = np.log(curve["fitted"].to_numpy())
    error = np.log(curve["conf_high"].to_numpy() / curve["conf_low"].to_numpy()) / (2 * t)
    spread = np.sqrt(error**2 + fit.residual_se**2)
    return {
        "law": fit.law.name, "fitted": np.exp(log_f), "conf_low": curve["conf_low"].to_numpy(),
        "conf_high": curve["conf_high"].to_numpy(), "law_scatter": fit.residual_se,
        "run_low": np.exp(log_f - t * spread), "run_high": np.exp(log_f + t * spread),
        "probability": _probability(np.log(qps) - log_f, spread, fit.df),
    }  # fmt: skip


def _probability(short: np.ndarray, spread: np.ndarray, df: int) -> np.ndarray:
    """That a new server is at most `short` (ln) below the law; points that lie on the law leave no doubt."""
    with np.errstate(divide="ignore", invalid="ignore"):
        surely = np.where(short <= 0, 1.0, 0.0)
        return np.where(spread > 0, special.stdtr(df, -short / spread), surely)
