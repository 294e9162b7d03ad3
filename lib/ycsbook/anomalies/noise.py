"""How much repeats vary, which of them vary too much or fall into two groups, and how small a change the sweep can
show."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import fdtrc, stdtrit

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.anomalies.thread_regression import FALSE_ALARMS
from ycsbook.columns import CELL, KIND
from ycsbook.facts import Fact, fact
from ycsbook.scaling.cells import SMALLEST_VARIANCE, Noise, priors
from ycsbook.scaling.pairs import holm
from ycsbook.tables import dicts

BUDGET = 0.0005
CHANGE = 0.05
# Noise that is so many times larger at the most cores is told with them.
GROWN = 2.0
POWERS = (0.80, 0.95)
MOST_REPEATS = 10_000
# The noise of the others is taken to be unequal where that is so likely: of normal noise in one sweep of five.
UNEQUAL = 0.02
# Standard deviation of ln X of one configuration's repeats from which on their mean says nothing: of 3 repeats its 95 %
# interval goes from half to twice. With a true noise of 8 % three repeats scatter so in 1 of a million configurations,
# exp(-(0.3 / 0.08)^2), two in 2 of 10,000, and with one of 3 % never.
SCATTER = 0.3
# One run that lies so many standard errors from the others of its cell, if these are so many, is what varies.
_ALONE, _OTHERS = 10.0, 3
# Runs named in a sentence.
NAMED = 4


class Detectable(NamedTuple):
    """What a sweep can show. sd: of ln X between repeats, pooled; losses: the smallest loss (fraction, < 0) seen with
    each of POWERS by a one-sided pooled t test of two configurations at FALSE_ALARMS / comparisons, which is that of
    thread_regression; repeats_needed: for a loss of CHANGE with the first of POWERS, at most MOST_REPEATS."""

    sd: float
    losses: tuple[float, ...]
    repeats_needed: int


def detectable(noise: Noise, *, cells: int, repeats: int, comparisons: int) -> Detectable:
    """What `cells` configurations with so many repeats each, compared in so many pairs, can show. noise: pooled over
    the cells; its df at least 1.

    References
        Power of the t test by the noncentral t distribution: Cohen (1988), Statistical Power Analysis, ch. 2.
    Examples
        >>> found = detectable(Noise(0.03**2, 72), cells=36, repeats=3, comparisons=18)
        >>> [round(100 * loss, 1) for loss in found.losses], found.repeats_needed
        ([-10.7, -12.6], 14)
    """
    sd = float(np.sqrt(max(noise.variance, SMALLEST_VARIANCE)))
    level = FALSE_ALARMS / max(comparisons, 1)
    losses = tuple(float(np.expm1(-_shift(power, noise.df, level) * sd * np.sqrt(2 / repeats))) for power in POWERS)
    shift = -np.log1p(-CHANGE) / sd

    def enough(n: int) -> bool:
        df = cells * (n - 1)
        # Beyond this the noncentral t only loses digits: the normal limit is as good.
        if shift * np.sqrt(n / 2) > 30:
            return True
        return _exceeds(-stdtrit(df, level), df, shift * np.sqrt(n / 2)) >= POWERS[0]

    return Detectable(sd, losses, 2 + bisect_left(range(2, MOST_REPEATS), True, key=enough))


def _shift(power: float, df: int, level: float) -> float:
    """The noncentrality with which a one-sided t test at that level has that power."""
    from scipy.optimize import brentq

    cut = -float(stdtrit(df, level))
    return float(brentq(lambda nc: _exceeds(cut, df, nc) - power, 0.0, 3 * cut + 10))


def _exceeds(cut: float, df: int, noncentrality: float) -> float:
    """How often a t with that noncentrality exceeds the cut."""
    # Only here, as above: they take longer to load than the rest of this package.
    from scipy.stats import nct

    return float(nct.sf(cut, df, noncentrality))


@rule(
    budget=BUDGET,
    cannot_know="variation that repeats do not see: a host that was slow for the whole sweep, or another day. From "
    "single runs it can say nothing at all.",
    source="pooled variance of ln X; F test of a configuration's variance against the others', which may be "
    "unequal (Smyth 2004), by Holm; noncentral t.",
    defaults={"times": 3.0, "scatter": SCATTER},
)
def noise(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Repeats that vary more than `times` the pooled variation of the other configurations: a warning where the F test
    is within the budget, else a note; and repeats that vary by more than `scatter` at all: a warning. Either is of one
    run only where the others of its configuration agree without it. One that is far below two or more others, by a
    third and five standard deviations, is left out of all that is said: a notice beside two, a warning beside three.
    So is one that does five times as much: a warning.
    And for every sweep a note: the smallest loss it can show, and how many repeats a change of 5 % would need."""
    log_y = np.log(evidence.levels.set_index("run_id")["y"])
    cell = [evidence.levels[name] for name in CELL]
    others = evidence.levels.groupby(cell, dropna=False)["y"].transform("size") - 1
    for kind, part in evidence.cells.groupby(list(KIND), sort=True):
        of_kind = (evidence.levels[list(KIND)] == list(kind)).all(axis=1)
        far = evidence.levels[of_kind & (evidence.levels["far_off"] != 0)]
        off_by_run = np.expm1(-far.set_index("run_id")["far_off"])
        is_sure, is_low = (others[far.index] >= _OTHERS).to_numpy(), off_by_run < 0
        alone_runs: dict[str, float] = {}
        for finding in _wild(part, settings, evidence.where(str(kind[0]))):
            alone = _alone(log_y[list(finding.run_ids)], settings["scatter"]) if finding.severity == "warning" else {}
            alone_runs |= alone
            yield from () if alone else [finding]
        groups = (
            ("warning", "noise-left-out", off_by_run[is_sure & is_low].to_dict()),
            ("notice", "noise-left-out", off_by_run[~is_sure & is_low].to_dict()),
            ("warning", "noise-left-out", off_by_run[~is_low].to_dict()),
            ("warning", "noise-runs", alone_runs),
        )
        for severity, key, alone in (group for group in groups if group[2]):
            rows = dicts(evidence.runs[evidence.runs["run_id"].isin(alone)])
            least, most = min(alone.values()), max(alone.values())
            run_names = [fact("noise-run", cell=names.cell_listed(row), repeat=row["repeat"]) for row in rows]
            yield Finding(
                severity, str(kind[0]), tuple(alone),
                fact(key, where=evidence.where(str(kind[0])), n=len(alone),
                     total=int(part["n"].sum()) + len(far), low=least, less=-least,
                     times=1 + most if most > 0 else None,
                     high=most if round(most, 2) > round(least, 2) else None, **_in_common(rows),
                     **names.listed("rows", run_names, NAMED)),
                "repeats", max(least, most, key=abs), cause="noise", advice=fact("noise-advice"),
            )  # fmt: skip
        if len(part) > 1:
            yield _power(evidence, kind, part)


def _in_common(rows: list[dict]) -> dict[str, object]:
    specs, repeats = ({row[name] for row in rows} for name in ("spec", "repeat"))
    same = len(rows) > 1 and len(specs) == len(repeats) == 1 and rows[0]["spec"] != ""
    return {"only": names.spec_listed(rows[0]) if same else None, "repeat": rows[0]["repeat"] if same else None}


def _wild(part: pd.DataFrame, settings: Thresholds, where: str | Fact | None) -> Iterator[Finding]:
    repeated = part[part["df"] > 0]
    df, variance = (repeated[name].to_numpy(float) for name in ("df", "variance"))
    rest_df = df.sum() - df
    # Of a single configuration there are no others to compare with.
    pooled = np.divide((df * variance).sum() - df * variance, rest_df, out=np.full(len(df), np.nan), where=rest_df > 0)
    other_variance = np.maximum(pooled, SMALLEST_VARIANCE)
    wilder, scattered = variance > settings["times"] ** 2 * other_variance, variance > settings["scatter"] ** 2
    p = fdtrc(df, rest_df, variance / other_variance)
    for i in np.flatnonzero(wilder & np.isfinite(pooled)):
        p[i] = _as_wild(variance, df, i)
    sure = holm(p) <= BUDGET
    for i in np.flatnonzero(wilder | scattered):
        row = repeated.iloc[i]
        yield Finding(
            "warning" if sure[i] or scattered[i] else "note", row["dataset"], tuple(row["run_ids"]),
            fact("noise", where=where, cell=names.cell(row), n=row["n"], sd=np.sqrt(variance[i]),
                 wilder=bool(wilder[i]), times=np.sqrt(variance[i] / other_variance[i]),
                 others=fact("configurations", n=len(repeated) - 1), usual=np.sqrt(other_variance[i])),
            "repeats", float(np.sqrt(variance[i] / other_variance[i]) - 1), cause="noise",
        )  # fmt: skip


def _alone(log_y: pd.Series, scatter: float) -> dict[str, float]:
    """The one of a configuration's runs that lies far from all others, which agree: by its id how much more it does, a
    fraction; empty where that is not what varies. log_y: ln X by run_id."""
    far = (log_y - log_y.median()).abs().idxmax()
    other_runs = log_y.drop(far)
    if len(other_runs) < _OTHERS:
        return {}
    sd, off = max(float(other_runs.std()), float(np.sqrt(SMALLEST_VARIANCE))), float(log_y[far] - other_runs.mean())
    is_alone = sd <= scatter / 2 and abs(off) > _ALONE * sd * np.sqrt(1 + 1 / len(other_runs))
    return {str(far): float(np.expm1(off))} if is_alone else {}


def _as_wild(variances: np.ndarray, df: np.ndarray, i: int) -> float:
    """The probability of a variance as large as that of the i-th by chance, as unequal as those of the others
    may be: with noise of heavy tails they differ much."""
    other_variances, other_df = np.delete(variances, i), np.delete(df, i)
    pooled = Noise(float(np.average(other_variances, weights=other_df)), int(other_df.sum()))
    prior = next(prior for prior in priors(other_variances, other_df, pooled) if prior.weight > UNEQUAL)
    return float(fdtrc(df[i], min(prior.df, pooled.df), variances[i] / max(prior.variance, SMALLEST_VARIANCE)))


def _by_cores(part: pd.DataFrame) -> dict[str, float | None]:
    """The noise at the fewest and the most cores, where the latter is clearly GROWN times the other; else None."""
    repeated = part[(part["cores"] > 0) & (part["df"] > 0)]
    sums = repeated.assign(squares=repeated["variance"] * repeated["df"]).groupby("cores")[["squares", "df"]].sum()
    variance = (sums["squares"] / sums["df"]).clip(lower=SMALLEST_VARIANCE)
    fewest, most = sums.index[[0, -1]] if len(sums) > 1 else (None, None)
    times = variance[most] / variance[fewest] if len(sums) > 1 else 1.0
    if times < GROWN**2 or fdtrc(sums["df"][most], sums["df"][fewest], times) > FALSE_ALARMS:
        return dict.fromkeys(("few_sd", "few", "many_sd", "many"))
    return {"few_sd": np.sqrt(variance[fewest]), "few": fewest, "many_sd": np.sqrt(variance[most]), "many": most}


def _power(evidence: Evidence, kind: tuple[str, str], part: pd.DataFrame) -> Finding:
    pooled, ids, (dataset, outcome) = evidence.noise[kind], part["run_ids"].sum(), kind
    where = evidence.where(dataset)
    if pooled.df < 1:
        rows = fact("rows" if outcome == "published" else "configurations", n=len(part))
        key = "noise-copied" if len(ids) > len(part) else "noise-unknown"
        return Finding("note", dataset, ids, fact(key, where=where, rows=rows))
    tested = int((evidence.pairs[list(KIND)] == list(kind)).all(axis=1).sum())
    repeats = max(2, round(float(part["n"].median())))
    sweep_power = detectable(pooled, cells=len(part), repeats=repeats, comparisons=tested or len(part) - 1)
    loss, larger_loss = (-effect for effect in sweep_power.losses)
    return Finding(
        "note", dataset, ids,
        fact("noise-power", where=where, sd=sweep_power.sd, configurations=fact("configurations", n=len(part)),
             repeats=repeats if len(ids) > len(part) else None, df=pooled.df, loss=loss, power=POWERS[0],
             larger_loss=larger_loss, higher_power=POWERS[1], change=CHANGE,
             over=sweep_power.repeats_needed >= MOST_REPEATS, needed=sweep_power.repeats_needed, **_by_cores(part)),
        "repeats", sweep_power.losses[0],
    )  # fmt: skip


# Groups as far apart, but for this factor, at so many core counts are of two kinds of servers.
_ALIKE, _LEAST_CORES = 1.2, 3


@rule(
    cannot_know="what differs between the two groups; of fewer than four repeats nothing",
    source="the split of ln X into two groups with the least scatter within them: Fisher (1958), On grouping for "
    "maximum homogeneity, JASA 53",
)
def two_levels(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """A configuration whose repeats fall into two groups of two runs or more, ten standard deviations of a run apart
    and 10 % at least: a notice, and its mean is nobody's. Where all configurations do, by one factor at three core
    counts or more, one note: they are two kinds of servers under one name. What all have in common in a round or on a
    client machine is left out. Effect: the higher group over the lower one, minus 1."""
    for dataset, part in evidence.by_dataset(evidence.levels):
        of_two = part[part["apart"] > 0]
        apart, size = of_two["apart"], len(part[part.duplicated(["workload", "spec", "threads"], keep=False)])
        if len(of_two) == size and of_two["cores"].nunique() >= _LEAST_CORES and np.ptp(apart) <= np.log(_ALIKE):
            yield Finding(
                "note", dataset, tuple(of_two["run_id"]),
                fact("two_levels-groups", where=evidence.where(dataset), rows=fact("rows", n=size),
                     times=np.exp(apart.mean())),
                "repeats", float(np.expm1(apart.mean())),
            )  # fmt: skip
            continue
        for _, rows in of_two.groupby(["workload", "spec", "threads"], dropna=False):
            low, high = (rows["y"][rows["level"] == level] for level in (0, 1))
            gap = rows["apart"].iloc[0]
            yield Finding(
                "notice", dataset, tuple(rows["run_id"]),
                fact("two_levels", where=evidence.where(dataset), cell=names.cell(rows.iloc[0]), n=len(rows),
                     apart=-np.expm1(-gap), n_low=len(low), low=np.exp(np.log(low).mean()), n_high=len(high),
                     high=np.exp(np.log(high).mean())),
                "repeats", float(np.expm1(gap)), cause="levels",
            )  # fmt: skip
