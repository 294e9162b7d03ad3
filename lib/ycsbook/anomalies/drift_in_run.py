"""A run whose throughput did not hold: what the warm-up was worth, and a drift after it."""

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtrit

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.anomalies.series import RunSeries
from ycsbook.facts import fact

# Means of so many stretches: neighbouring intervals hang together, stretches hardly do.
BLOCKS = 10
# The truncation looks for the warm-up in the first half of a run only.
NEARLY_HALF = 0.45


@rule(
    cannot_know="why: data that grows, a cache that fills, a disk's own cache, another load on the machine; and what "
    "would have come after the end. A rise and a fall that cancel are not seen.",
    source="least squares over the means of ten equal stretches after the warm-up, t with 8 degrees of freedom.",
    defaults={"change": 0.10, "level": 0.001},
)
def degradation(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Throughput that drifts by at least `change` from the first to the last tenth of a run, warm-up left out, at the
    two-sided `level`."""
    for series in evidence.series:
        effect, low, high, p = _drift(series)
        if p < settings["level"] and abs(effect) >= settings["change"]:
            falls = effect < 0
            yield Finding(
                "notice", series.run["dataset"], (series.run["run_id"],),
                fact("degradation", cell=names.cell(series.run), falls=falls, effect=effect, low=low, high=high),
                "single", effect, low, high, cause="degradation" if falls else "still rising",
            )  # fmt: skip


def _drift(series: RunSeries) -> tuple[float, float, float, float]:
    """Relative change from the first to the last stretch, its 95 % interval, and the two-sided p; NaN: too short."""
    rate = series.rate[series.steady]
    rate = rate[rate > 0]
    if len(rate) < 2 * BLOCKS:
        return (float("nan"),) * 4
    y = np.array([part.mean() for part in np.array_split(np.log(rate), BLOCKS)])
    if np.ptp(y) < 1e-12:
        return 0.0, 0.0, 0.0, 1.0
    # Only here: it takes longer to load than the rest of this package.
    from scipy.stats import linregress

    line = linregress(np.arange(BLOCKS), y)
    reach = stdtrit(BLOCKS - 2, 0.975) * line.stderr
    ends = np.expm1((BLOCKS - 1) * np.array([line.slope, line.slope - reach, line.slope + reach]))
    return float(ends[0]), float(ends[1]), float(ends[2]), float(line.pvalue)


@rule(
    cannot_know="whether the warm-up was over: it is looked for in the first half of a run, so a longer one is cut "
    "short; without status lines none is known at all.",
    source="White (1997), Simulation 69(6): truncation by the marginal standard error.",
    defaults={"change": 0.05},
)
def warmup(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Runs whose warm-up, left out of the steady throughput, changes it by at least `change`; once per dataset."""
    runs = evidence.runs
    change = runs["steady_ops_s"] / runs["goodput_ops_s"].fillna(runs["throughput_ops_s"]) - 1
    runs = runs.assign(change=change, share=1000 * runs["warmup_s"] / runs["runtime_ms"])
    for dataset, part in evidence.by_dataset(runs[(runs["warmup_s"] > 0) & (change.abs() >= settings["change"])]):
        measured = int(evidence.alike(runs, part)["steady_ops_s"].notna().sum())
        worst = part.loc[part["change"].abs().idxmax()]
        long = int((part["share"] >= NEARLY_HALF).sum())
        yield Finding(
            "note", dataset, tuple(part["run_id"]),
            fact("warmup", n=len(part), runs=fact("runs", n=measured), cell=names.cell(worst), effect=worst["change"],
                 warmup_s=worst["warmup_s"], half=long),
            effect=float(worst["change"]),
        )  # fmt: skip
