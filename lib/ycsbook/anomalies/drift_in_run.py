"""A run whose throughput did not hold: what the warm-up was worth, and a drift after it."""

from collections.abc import Iterator

import numpy as np

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence, RunSeries
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import SMALLEST_VARIANCE
from ycsbook.scaling.growth import straight_line
from ycsbook.scaling.pairs import ratios
from ycsbook.units import MS_PER_S

# Means of so many stretches: neighbouring intervals hang together, stretches hardly do.
BLOCKS = 10
# With fewer intervals a warm-up is only seen where it is short.
INTERVALS = 20


@rule(
    cannot_know="why: data that grows, a cache that fills, a disk's own cache, another load on the machine; and what "
    "would have come after the end. A rise and a fall that cancel are not seen.",
    source="least squares over the means of ten equal stretches after the warm-up, t with 8 degrees of freedom.",
    defaults={"change": 0.10, "level": 0.001},
)
def degradation(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Throughput that falls by at least `change` from the first to the last tenth of a run, warm-up left out, at the
    two-sided `level`."""
    for series in evidence.series:
        effect, low, high, p = _drift(series)
        if p < settings["level"] and effect <= -settings["change"]:
            yield Finding(
                "notice", series.run["dataset"], (series.run["run_id"],),
                fact("degradation", cell=names.cell(series.run), effect=effect, low=low, high=high),
                "single", effect, low, high, cause="degradation",
            )  # fmt: skip


@rule(
    cannot_know="where it would have settled. Of runs with fewer than twenty intervals, and without status lines, "
    "nothing is known.",
    source="the warm-up is found by White (1997), Simulation 69(6), in the first half of a run; what still rises after "
    "it as in `degradation`.",
    defaults={"share": 0.25, "warmup": 0.05, "change": 0.10, "level": 0.001},
)
def not_settled(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Runs whose warm-up takes at least the `share` of their time and changes their throughput by at least `warmup`,
    or whose throughput still rises by at least `change` after it, at the two-sided `level`; once per dataset."""
    rises = {series.run["run_id"]: rise(series, settings) for series in evidence.series}
    runs = evidence.runs.assign(effect=evidence.runs["run_id"].map(rises).astype(float))
    measured = runs[runs["steady_ops_s"].notna()]
    for dataset, part, worst in evidence.worst_of(runs[runs["effect"] > 0], runs["effect"]):
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("not_settled", n=len(part), runs=evidence.total(measured, part), cell=names.cell(worst),
                 effect=worst["effect"], warmup_s=worst["warmup_s"], runtime_s=worst["runtime_ms"] / MS_PER_S),
            effect=float(worst["effect"]), cause="not settled",
        )  # fmt: skip


def rise(series: RunSeries, settings: Thresholds) -> float:
    """By how much a run that had not settled rose: what is left of its warm-up, else of its mean; 0: it had settled."""
    if len(series.rate) < INTERVALS:
        return 0.0
    drift, _, _, p = _drift(series)
    if p < settings["level"] and drift >= settings["change"]:
        return drift
    long = series.run["warmup_s"] >= settings["share"] * series.end_s[-1]
    gained = float(series.rate[series.steady].mean() / series.rate.mean()) - 1 if long else 0.0
    return gained if gained >= settings["warmup"] else 0.0


def _drift(series: RunSeries) -> tuple[float, float, float, float]:
    """Relative change from the first to the last stretch, its 95 % interval, and the two-sided p; NaN: not known."""
    rate = series.rate[series.steady]
    rate = rate[rate > 0]
    if len(rate) < 2 * BLOCKS:
        return (float("nan"),) * 4
    y = np.array([part.mean() for part in np.array_split(np.log(rate), BLOCKS)])
    line = straight_line(np.arange(BLOCKS), y)
    error = np.sqrt(max(line.variance, SMALLEST_VARIANCE) / line.squares)
    *ends, p_falls = ratios((BLOCKS - 1) * line.slope, (BLOCKS - 1) * error, line.df)
    return *(float(end) - 1 for end in ends), 2 * float(min(p_falls, 1 - p_falls))


@rule(
    cannot_know="whether the warm-up was over (`not_settled`); without status lines none is known at all.",
    source="White (1997), Simulation 69(6): truncation by the marginal standard error.",
    defaults={"change": 0.05},
)
def warmup(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Runs whose warm-up, left out of the steady throughput, changes it by at least `change`; once per dataset."""
    measured = evidence.runs[evidence.runs["steady_ops_s"].notna()]
    change = measured["steady_ops_s"] / measured["goodput_ops_s"].fillna(measured["throughput_ops_s"]) - 1
    runs = measured.assign(change=change)[(measured["warmup_s"] > 0) & (change.abs() >= settings["change"])]
    for dataset, part, worst in evidence.worst_of(runs, change.abs()):
        yield Finding(
            "note", dataset, tuple(part["run_id"]),
            fact("warmup", n=len(part), runs=evidence.total(measured, part), cell=names.cell(worst),
                 effect=worst["change"], warmup_s=worst["warmup_s"]),
            effect=float(worst["change"]),
        )  # fmt: skip
