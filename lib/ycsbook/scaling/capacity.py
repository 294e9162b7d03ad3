"""The smallest spec that carries a load, how sure that is, and what a million operations cost on it.

Two questions, never mixed. A spec that was measured carries the load again if its own runs did, but for the noise
between runs. Another server of a spec, or a spec that was not measured, is as far from the law as the measured specs
are: that probability counts the law's own uncertainty and that scatter. Nothing is said beyond the measured cores.
"""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.closed_loop import is_counted
from ycsbook.columns import KIND
from ycsbook.facts import Fact, fact
from ycsbook.names import mixes, natural
from ycsbook.operations import TOTAL
from ycsbook.scaling import claims
from ycsbook.scaling.cells import REACHED, Noise, Prior, moderated, priors, run_noise, student_t, within
from ycsbook.scaling.fitted import Fit
from ycsbook.scaling.fitting import select
from ycsbook.scaling.growth import growths
from ycsbook.scaling.limits import HELD_TO_A_RATE, LEFT_OUT
from ycsbook.scaling.points import SHAPE, UnfitError, throughputs, with_throughput
from ycsbook.scaling.steps import per_million
from ycsbook.tables import conform, empty

# A spec suffices when another server of it would reach the goal this surely.
SURE = 0.90
NO_HOPE = 0.01
# The chance that so few of a spec's runs reached a load, below which its noise is not what it is held to be.
FEWER_REACHED = 0.05
# Rows in doubt are left out of a law where the others have so many core counts.
FEWEST_SOUND = 3
MEASURED, INTERPOLATED = "measured", "interpolated"


def smallest(
    runs: pd.DataFrame, limits: pd.DataFrame, *, qps: float, workload: str | None = None, threads: float | None = None,
    p99_ms: float | None = None, percentiles: pd.DataFrame | None = None,
    specs: Mapping[str, tuple[float, float]] | None = None, prices: Mapping[str, float] | None = None,
    doubted: Collection[str] = (),
) -> pd.DataFrame:  # fmt: skip
    """Each spec with the probability that a server like it carries the load; the answer is the first that suffices.

    At each thread count the law that predicts left-out specs best is fitted to what was measured there, whatever
    limits it: at that many threads it is what one gets. P = 1 - T((ln qps - ln f) / sqrt(se² + s²)) with the law's
    throughput f, its standard error se, the specs' scatter s around it (at least the noise of a run, measured or
    assumed), and Student's T with its residual degrees of freedom. P is of the throughput alone: a p99 is that of the
    runs that were made: in a closed loop at full throughput, or where that is too slow held to qps or more
    (`target_ops_s`), of which the least counts. Of several thread counts those within the p99 count first,
    then those that are sure: of these the fewest threads, at which operations wait least; else the likeliest.

    Parameters
        runs: the runs table. limits: the table `limits` of the same runs; points that cannot be right, or gain more
            than their threads, are not looked at, their specs are judged by the law alone.
        qps: ops/s wanted. workload: its name; None: each there is. threads: client threads; None: all measured.
        p99_ms: highest 99th percentile allowed, of every operation in every repeat; needs percentiles, the table.
        specs: cores and RAM (GiB) of specs that were not measured: judged where their cores lie inside the measured
            range and no p99 is asked for.
        prices: price per hour by spec; then the cheapest comes first, else the one with the fewest cores and GiB.
        doubted: the ids of runs in doubt: no law is fitted to them where others have three core counts.
    Returns
        The table `capacity`, one row per workload, kind (dataset, measured or published) and spec, smallest first.
        probability is of another server of the spec, NaN where the points are too few for any law; `again` is of the
        spec that was measured, from its own runs. n_runs: the cell's repeats. `suffices`: 90 % by its own runs, or by
        the law where these are no measure of its server; and p99 within the limit.
    Raises
        FitError: nothing of that workload or thread count, qps or p99_ms not a number > 0, or a p99 where none was
            measured.
    """
    for value, goal in ((qps, "qps"), (p99_ms, "p99"), (threads, "threads")):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise UnfitError(fact("capacity-bad-number", value=f"{value:g}", what=goal))
    workloads = [workload] if workload is not None else sorted(set(with_throughput(runs)["workload"])) or [""]
    capacities = []
    for name in workloads:
        rows, specs_of = _rows_and_specs(runs, limits, name, threads)
        tails = pd.Series(np.nan, index=rows.index) if p99_ms is None else _tails(rows, percentiles)
        if p99_ms is not None and tails.isna().all():
            raise UnfitError(fact("capacity-no-percentiles", p99_ms=p99_ms))
        rows = rows.assign(p99_us=tails, doubted=rows["run_id"].isin(doubted))
        cells = _cells(rows, specs_of, specs or {}, qps, p99_ms)
        if p99_ms is not None:
            cells = _at_the_rate(cells, runs[runs["workload"] == name], percentiles, qps, p99_ms)
        best = _at_best_threads(cells, p99_ms)
        if prices:
            best = per_million(best, prices)
        size = ["price_per_hour", "cores", "ram_gib"] if prices else ["cores", "ram_gib"]
        best = best.sort_values([*KIND, *size, "spec"], key=natural, kind="stable").reset_index(drop=True)
        capacities.append(conform(best.assign(workload=name, read_fraction=rows["read_fraction"].mean()), "capacity"))
    return conform(pd.concat(capacities, ignore_index=True), "capacity")


def _cells(rows: pd.DataFrame, specs_of: Mapping, extra: Mapping, qps: float, p99_ms: float | None) -> pd.DataFrame:
    """Each spec at each thread count of its kind. A p99 is never taken from a law: with one only what was measured."""
    residuals = within(rows)
    rows = rows.assign(squares=residuals["residual"] ** 2, df=residuals["df"])
    # The noise of a run of each kind, and how unequal that of its cells may be.
    noise: dict[tuple, tuple[Noise, list[Prior]]] = {}
    for kind, part in rows.groupby(list(KIND), dropna=False):
        pooled, sums = run_noise(part), part.groupby([*SHAPE, "threads"], dropna=False)[["squares", "df"]].sum()
        squares, df = sums.to_numpy().T
        assumed = [Prior(1.0, np.inf, pooled.or_assumed.variance)]
        noise[kind] = pooled.or_assumed, priors(_variance(squares, df), df, pooled) if pooled.df else assumed
    by_threads = rows.groupby([*KIND, "threads"], dropna=False)
    other_specs = {kind: {**specs, **extra} if p99_ms is None else {} for kind, specs in specs_of.items()}
    return pd.concat([_judged(group, qps, other_specs[key[:2]], *noise[key[:2]]) for key, group in by_threads])


def _at_best_threads(cells: pd.DataFrame, p99_ms: float | None) -> pd.DataFrame:
    """Each spec at the thread count that carries the load best, and whether that suffices."""
    slow = np.zeros(len(cells), bool) if p99_ms is None else ~(cells["p99_us"] <= p99_ms * 1e3)
    by_itself, by_law = cells["again"] >= SURE, (cells["probability"] >= SURE) & cells["at_least"]
    cells = cells.assign(suffices=(by_itself | by_law) & ~slow)
    unsure = ~by_itself & ~cells["suffices"]
    # Of those that are not sure the likeliest of the measured, and where none is likely that with the most throughput.
    chance = cells["again"].fillna(cells["probability"] - 1).where(unsure, 1.0)
    order = {
        "_slow": slow, "_tail": cells["p99_us"].where(slow, 0.0),
        "_unsure": 2 - by_itself - cells["suffices"].astype(int), "_unlikely": 1 - chance,
        "_less": -cells["observed"].where(unsure, 0.0),
    }  # fmt: skip
    best = cells.assign(**order).sort_values([*order, "threads"], kind="stable")
    return best.drop_duplicates([*KIND, *SHAPE]).drop(columns=list(order))


def _rows_and_specs(runs: pd.DataFrame, limits: pd.DataFrame, workload: str, threads: float | None):
    """The sound rows of the workload with y > 0, each with what limits its cell; and each kind's specs."""
    rows = with_throughput(runs)
    rows = rows[rows["y"] > 0]
    mix_of = mixes(rows)
    name = mix_of.get(workload, fact("mix", reads=None, writes=None, workload=workload))
    rows = rows[rows["workload"] == workload]
    if rows.empty:
        raise UnfitError(fact("capacity-no-workload", mix=name, mixes=list(mix_of.values()), n=len(mix_of)))
    n, rows = len(rows), rows[rows["cores"].notna()]
    if rows.empty:
        raise UnfitError(fact("capacity-no-cores", mix=name, n=n, pattern="{spec}/run.log"))
    counts = [f"{n:g}" for n in sorted(set(rows["threads"].dropna()))]
    if threads is not None:
        rows = rows[rows["threads"] == threads]
        if rows.empty:
            raise UnfitError(fact("capacity-no-threads", mix=name, threads=threads, counts=counts))
    keys = [*KIND, "workload", "spec", "threads"]
    limits = limits.assign(asked=limits["reason_key"].isin(HELD_TO_A_RATE)).drop_duplicates(keys)
    rows = rows.merge(limits[[*keys, "limit_kind", "measured", "asked"]], on=keys, how="left")
    rows["throttled"] &= rows.pop("asked").eq(True)
    sound = rows[~rows["limit_kind"].isin(LEFT_OUT)]
    if sound.empty:
        raise UnfitError(fact("capacity-nothing-sound", mix=name))
    specs = {
        kind: {spec: (cores, ram) for spec, cores, ram in part[SHAPE].drop_duplicates("spec").itertuples(index=False)}
        for kind, part in rows.groupby(list(KIND), dropna=False)
    }
    return sound, specs


def _tails(rows: pd.DataFrame, percentiles: pd.DataFrame | None) -> pd.Series:
    """The highest p99 (us) of each row's run over its operations and all together; NaN where it has none."""
    table = empty("percentiles") if percentiles is None else percentiles
    has_operation = table["operation"].map(lambda name: name == TOTAL or is_counted(name)).astype(bool)
    counted = (table["percentile"] == 99) & has_operation
    # Of several clients that cannot be merged the slowest counts.
    latency = table["latency_us"].fillna(table["latency_high_us"])[counted]
    return rows["run_id"].map(latency.groupby(table.loc[counted, "run_id"]).max()).astype(float)


def _at_the_rate(
    cells: pd.DataFrame, runs: pd.DataFrame, percentiles: pd.DataFrame | None, qps: float, p99_ms: float
) -> pd.DataFrame:
    """The cells, those that are too slow at full throughput with p99, throughput and repeats of the runs of theirs that
    were held to the least rate of at least qps, and kept it, where these are faster."""
    rows = throughputs(runs)
    rows = rows[(rows["target_ops_s"] >= qps) & (rows["y"] >= REACHED * rows["target_ops_s"])]
    if rows.empty:
        return cells
    keys = [*KIND, *SHAPE, "threads"]
    least = rows.groupby(keys, dropna=False)["target_ops_s"].transform("min")
    rows = rows.assign(p99_us=_tails(rows, percentiles), ln_y=np.log(rows["y"]))[rows["target_ops_s"] == least]
    held = rows.groupby(keys, dropna=False, as_index=False).agg(
        p99_us=("p99_us", lambda v: v.max(skipna=False)), observed=("ln_y", "mean"), n_runs=("ln_y", "size")
    )
    held["observed"] = np.exp(held["observed"])
    beside = cells[keys].merge(held, on=keys, how="left").set_axis(cells.index)
    is_faster = ~(cells["p99_us"] <= p99_ms * 1e3) & ~(beside["p99_us"] >= cells["p99_us"]) & beside["p99_us"].notna()
    columns = ["p99_us", "observed", "n_runs"]
    return cells.assign(**{name: cells[name].where(~is_faster, beside[name]) for name in columns})


def _variance(squares: np.ndarray, df: np.ndarray) -> np.ndarray:
    return np.divide(squares, df, out=np.full(len(df), np.nan), where=df > 0)


def _judged(
    group: pd.DataFrame, qps: float, other_specs: Mapping[str, tuple[float, float]], noise: Noise, of_cells: list[Prior]
) -> pd.DataFrame:
    """One row per spec of a kind's thread count; `other_specs`: those to be judged by the law."""
    group = group.assign(ln_y=np.log(group["y"]))
    cells = group.groupby(SHAPE, dropna=False, as_index=False).agg(
        observed=("ln_y", "mean"), p99_us=("p99_us", lambda v: v.max(skipna=False)), measured=("measured", "first"),
        n_runs=("ln_y", "size"), squares=("squares", "sum"), df=("df", "sum"),
        n_reached=("ln_y", lambda v: (v >= np.log(qps)).sum()),
    )  # fmt: skip
    again = _again(cells, qps, noise, of_cells)
    is_bound = ~cells["measured"].fillna(False).astype(bool)
    cells = cells.assign(observed=np.exp(cells["observed"]), basis=MEASURED, at_least=is_bound, again=again)
    cells = cells.drop(columns=["measured", "squares", "df", "n_reached"])
    first, last = cells["cores"].min(), cells["cores"].max()
    unseen = [(s, c, r) for s, (c, r) in other_specs.items() if s not in set(cells["spec"]) and first <= c <= last]
    if unseen:
        added = pd.DataFrame(unseen, columns=SHAPE).assign(basis=INTERPOLATED, at_least=True)
        cells = pd.concat([cells, added], ignore_index=True)
    names = {c: group[c].iloc[0] for c in (*KIND, "threads")}
    return cells.assign(**names, **_by_law(_law(group), cells["cores"].to_numpy(float), qps, noise.variance**0.5))


def _again(cells: pd.DataFrame, qps: float, noise: Noise, of_cells: list[Prior]) -> np.ndarray:
    """The probability that one more run of a measured spec reaches qps, averaged over how unequal the noise may be."""
    n, reached, df = (cells[c].to_numpy() for c in ("n_runs", "n_reached", "df"))
    short, variance = np.log(qps) - cells["observed"].to_numpy(float), _variance(cells["squares"].to_numpy(float), df)
    under = [(prior.weight, *moderated(variance, df, noise, prior)) for prior in of_cells]
    again = sum(weight * _probability(short, np.sqrt(var * (1 + 1 / n)), nu) for weight, var, nu in under)
    return _beside_runs(again, reached, n)


def _beside_runs(again: np.ndarray, reached: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The probability, or where hardly ever so few of n runs would have reached it with that, as when runs are of two
    kinds, what their number tells by itself (Laplace)."""
    is_refuted = special.bdtr(reached, n, again) < FEWER_REACHED
    return np.where(is_refuted, np.minimum(again, (reached + 1) / (n + 2)), again)


def _law(group: pd.DataFrame) -> Fit | None:
    """The fit that predicts left-out specs best; None where the points are too few, or no law is like them."""
    points = group[~group["throttled"]].drop(columns=["limit_kind", "measured", "throttled"])
    sound = points[~points["doubted"]]
    points = sound if sound["cores"].nunique() >= FEWEST_SOUND else points
    if points.empty:
        return None
    fits = [f for f in select(points, y=points["y_column"].iloc[0]).fits.values() if claims.eligible(f)]
    if any(growth.falls for growth in growths(points)):
        fits = [f for f in fits if f.law.name == "usl"]  # the others cannot fall
    errors = [f.loo_error if np.isfinite(f.loo_error) else f.residual_se for f in fits]
    return fits[int(np.argmin(errors))] if fits else None


def _by_law(fit: Fit | None, cores: np.ndarray, qps: float, least: float) -> dict[str, object]:
    """`least`: by how much (ln X) a run is off in any case, though single runs lie closer to the law by chance."""
    if fit is None:
        return {"law": "", "fitted": np.nan, "probability": np.nan, "run_low": np.nan, "run_high": np.nan}
    curve = fit.predict(cores)
    t, (low, high) = student_t(fit.df), curve[["conf_low", "conf_high"]].to_numpy().T
    log_f = np.log(curve["fitted"].to_numpy())
    spread = np.sqrt((np.log(high / low) / (2 * t)) ** 2 + max(fit.residual_se, least) ** 2)
    return {
        "law": fit.law.name, "fitted": np.exp(log_f), "conf_low": low, "conf_high": high,
        "run_low": np.exp(log_f - t * spread), "run_high": np.exp(log_f + t * spread), "law_scatter": fit.residual_se,
        "probability": _probability(np.log(qps) - log_f, spread, fit.df),
    }  # fmt: skip


def _probability(short: np.ndarray, spread: np.ndarray, df: int | np.ndarray) -> np.ndarray:
    """The probability that a new server is at most `short` (ln) below the law; 0 or 1 for points on the law."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, special.stdtr(df, -short / spread), short <= 0)


def answers(capacity: pd.DataFrame, qps: float, p99_ms: float | None = None, asked: Collection[str] = ()) -> list[Fact]:
    """What `smallest` found, one answer per kind and workload: never surer than the numbers are. capacity: the table
    `capacity`, smallest spec of each workload first; a column `doubted` (bool) marks rows in doubt, before which sound
    ones are named, and `mark` is what stands behind their names for it. qps, p99_ms: what was asked. asked: the specs
    that were asked for, by the names they have here; with a p99 those without a sound measurement are not judged, and
    named."""
    several = titles(capacity) is not None
    facts = []
    for (dataset, outcome, workload), rows in capacity.groupby([*KIND, "workload"], sort=False):
        bounds = rows.loc[rows["basis"] == MEASURED, "at_least"].astype(bool)
        table = rows.assign(mixed=bounds.any() and not bounds.all())
        goal = fact("capacity-goal", qps=qps, mix=mixes(table)[workload], p99_ms=p99_ms)
        marks = rows["mark"] if "mark" in rows else [""] * len(rows)
        measured_specs = {spec.removesuffix(mark) for spec, mark in zip(rows["spec"], marks, strict=True)}
        unmeasured = [] if p99_ms is None else [spec for spec in asked if spec not in measured_specs]
        unjudged = [fact("capacity-unjudged", specs=unmeasured)] if unmeasured else []
        answer = fact("sentences", parts=[*_answer(table, goal, qps, p99_ms), *unjudged])
        facts.append(fact("capacity-of", dataset=dataset, outcome=outcome, answer=answer) if several else answer)
    return facts


def titles(capacity: pd.DataFrame) -> pd.Series | None:
    """Each row's dataset and kind, as `answers` names them; None where there is one only."""
    several = len(capacity[list(KIND)].drop_duplicates()) > 1
    return capacity["dataset"] + ", " + capacity["outcome"] if several else None


def surety(probability: float) -> Fact:
    """A probability as people read it: no model is so right that 0 or 100 % could be meant.

    Examples
        >>> [surety(p).key for p in (0.9996, 0.53, 0.002)]
        ['probability-high', 'probability', 'probability-low']
    """
    percent = 100 * probability
    if np.isnan(percent):
        return fact("probability-unknown")
    if not 1 <= percent <= 99:
        return fact("probability-high" if percent > 99 else "probability-low")
    # 89.8 % is no 90 %.
    return fact("probability", value=np.floor(percent) / 100)


def _answer(table: pd.DataFrame, goal: Fact, qps: float, p99_ms: float | None) -> list[Fact]:
    without_law = table.loc[table["probability"].isna() & ~table["suffices"], "spec"].tolist()
    unknown = [fact("capacity-unknown", specs=without_law)] if without_law else []
    enough = table[table["suffices"]]
    if len(enough):
        doubted = enough["doubted"] if "doubted" in enough else pd.Series(data=False, index=enough.index)
        # Sound rows first, the order being kept.
        priced, at = bool(table["price_per_hour"].notna().any()), doubted.idxmin()
        best, smaller = next(enough.loc[[at]].itertuples()), enough.loc[: at - 1, "spec"].tolist()
        described = _itself(best) if best.again >= SURE else _described(best)
        passed = [fact("capacity-doubted", specs=smaller, specs_n=len(smaller))] if smaller or doubted[at] else []
        return [fact("capacity-enough", priced=priced, goal=goal, spec=described), *passed, *unknown]
    within = table if p99_ms is None else table[table["p99_us"] <= p99_ms * 1e3]
    if table["p99_us"].isna().all() and p99_ms is not None:
        return [fact("capacity-no-tails", p99_ms=p99_ms)]
    if within.empty:
        best = next(table.loc[[table["p99_us"].idxmin()]].itertuples())
        return [fact("capacity-too-slow", p99_ms=p99_ms, **_measured(best))]
    if p99_ms is None and hopeless(within):
        best = next(within.loc[[within["observed"].idxmax()]].itertuples())
        shown = {"goal": goal, "share": best.observed / qps, "open": bool(best.at_least)}
        return [fact("capacity-none", **shown, **_measured(best))]
    # A law may promise what the spec itself was measured not to reach.
    refuted = within["probability"] >= SURE
    if refuted.any():
        best = next(within[refuted].itertuples())
        return [fact("capacity-refuted", p99_ms=p99_ms, goal=goal, spec=best.spec, observed=best.observed), *unknown]
    chance = within[["probability", "again"]].max(axis=1)
    best = next(within.loc[[chance.idxmax()]].itertuples())
    described = _itself(best) if best.again == chance.max() else _described(best)
    return [fact("capacity-unsure", p99_ms=p99_ms, goal=goal, sure=SURE, spec=described), *unknown]


def hopeless(table: pd.DataFrame) -> bool:
    return bool(table[["probability", "again"]].max(axis=None) < NO_HOPE and table["observed"].notna().any())


def _measured(row: tuple) -> dict[str, object]:
    figures = {"n": row.n_runs, "observed": row.observed, "p99_ms_measured": row.p99_us / 1e3}
    return {"spec": row.spec, "threads": row.threads, **figures}


def _itself(row: tuple) -> Fact:
    law = None if np.isnan(row.probability) else surety(row.probability)
    return fact("capacity-again", **_measured(row), again=surety(row.again), probability=law)


def _described(row: tuple) -> Fact:
    return fact(
        "capacity-spec", **_measured(row), probability=surety(row.probability), measured=row.basis == MEASURED,
        law=row.law, fitted=row.fitted, at_least=bool(row.at_least and row.basis == MEASURED), scatter=row.law_scatter,
        mixed=bool(row.mixed),
    )  # fmt: skip
