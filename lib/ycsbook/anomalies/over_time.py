"""What a run's throughput does over time: it stands still, swings with a period, did not hold, or had not settled."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence, RunSeries
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import SMALLEST_VARIANCE
from ycsbook.scaling.growth import straight_line
from ycsbook.scaling.pairs import ratios
from ycsbook.units import MS_PER_S


@rule(
    cannot_know="whether the server, the network or the client stood still; a stall shorter than the interval of the "
    "status lines is invisible, and so is one in a run without them.",
    source="YCSB's status lines, which go on printing 0 current ops/sec.",
    defaults={"share": 0.05, "seconds": 2.0, "warning_s": 10.0},
)
def stall(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Throughput below `share` of the run's usual one for at least `seconds` at a stretch; from `warning_s` of them in
    all a warning, else a notice.

    The effect is the share of the run that was lost. A published text that speaks of a stall is a warning too.
    """
    for series in evidence.series:
        lasting = stretches(series, settings["share"], settings["seconds"])
        if not lasting:
            continue
        lost = float(sum(b - a for a, b in lasting))
        start, end = max(lasting, key=lambda span: span[1] - span[0])
        yield Finding(
            "warning" if lost >= settings["warning_s"] - 1e-6 else "notice", series.run["dataset"],
            (series.run["run_id"],),
            fact("stall", cell=names.cell(series.run), lost_s=lost, stretches=len(lasting), longest_s=end - start,
                 start_s=start, share=settings["share"], usual=series.usual),
            effect=-lost / float(series.length_s.sum()), cause="stall",
        )  # fmt: skip
    for dataset, document in sorted(evidence.documents.items()):
        for row in document.get("table", ()):
            if not row.get("stall"):
                continue
            server = " ".join(filter(None, (row.get("engine"), row.get("server_version"))))
            minutes, line = (str(row[name]) if row.get(name) else None for name in ("duration_min", "source_line"))
            yield Finding(
                "warning", dataset, (),
                fact("stall-published", server=server or None, words=str(row["stall"]), minutes=minutes, line=line),
                "published", cause="stall", advice=fact("stall-advice"),
            )  # fmt: skip


def stretches(series: RunSeries, share: float, seconds: float) -> list[tuple[float, float]]:
    """When the run stood still, from and to in s: below `share` of its usual throughput for at least `seconds`."""
    edges = np.diff(series.stalled(share).astype(int), prepend=0, append=0)
    starts, ends = (np.flatnonzero(edges == of) for of in (1, -1))
    begins = series.end_s - series.length_s
    spans = [(float(begins[a]), float(series.end_s[b - 1])) for a, b in zip(starts, ends, strict=True)]
    return [(start, end) for start, end in spans if end - start >= seconds - 1e-6]


# WiredTiger writes a checkpoint every 60 s unless told otherwise (storage.syncPeriodSecs, --syncdelay).
CHECKPOINT_S = 60.0
# How far a period may lie from the checkpoints' to be called theirs.
AGREES = 0.10
# A period is one when it came back at least so often.
LEAST_PERIODS = 3
# A lower frequency is the fundamental when it and all its multiples up to the peak have this share of the peak's power.
HARMONIC = 0.1
_PHASES = 8
_SYNCDELAY = re.compile(r"(?:--syncdelay|syncPeriodSecs)[=:\s]\s*(\d{1,6})", re.IGNORECASE)


class Swing(NamedTuple):
    """Period in s, height of the mean cycle as a share of throughput, and p that white noise has such a peak."""

    period_s: float
    height: float
    p: float


@rule(
    cannot_know="what swings: only the period is compared with the checkpoints' (as sampled, or the --syncdelay that "
    "the source prints, else 60 s). Periods below two intervals of the status lines, or longer than a third of the "
    "run, are not seen.",
    source="Fisher (1929), Proc. R. Soc. A 125: the largest share of the periodogram, relative to its local level.",
    defaults={"height": 0.05, "level": 0.001},
)
def sawtooth(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Throughput that swings with a period by at least `height`, its peak in the periodogram beyond the `level`."""
    for series in evidence.series:
        swing = find_period(series)
        if swing is None or not (swing.p < settings["level"] and swing.height >= settings["height"]):
            continue
        every, source = _checkpoints(evidence, series.run)
        yield Finding(
            "notice", series.run["dataset"], (series.run["run_id"],),
            fact("sawtooth", cell=names.cell(series.run), height=swing.height, period_s=swing.period_s,
                 fits=abs(swing.period_s / every - 1) <= AGREES, every_s=every, known=source),
            effect=-swing.height, cause="sawtooth",
        )  # fmt: skip


def _checkpoints(evidence: Evidence, run: dict) -> tuple[float, str]:
    """The time between checkpoints, s, and how it is known: seen by the samples, printed by the source, or default."""
    samples = evidence.tables.samples
    of_run = samples[samples["run_id"] == run["run_id"]].sort_values("elapsed_s")
    running = of_run["checkpoint_running"].to_numpy(float) == 1
    starts = of_run["elapsed_s"].to_numpy(float)[1:][running[1:] & ~running[:-1]]
    if len(starts) > 1:
        return float(np.median(np.diff(starts))), "seen"
    for text in evidence.documents.get(run["dataset"], {}).get("environment", {}).values():
        if match := _SYNCDELAY.search(str(text)):
            return float(match[1]), "printed"
    return CHECKPOINT_S, "default"


def find_period(series: RunSeries) -> Swing | None:
    """The strongest period of a run's throughput after the warm-up; None where it is too short to tell."""
    rate, length = series.rate[series.steady], series.length_s[series.steady]
    n = len(rate)
    if n < 8 * LEAST_PERIODS or not rate.mean() > 0:
        return None
    step = float(np.median(length))
    place, relative = np.arange(n), rate / rate.mean()
    relative = relative - np.polyval(np.polyfit(place, relative, 1), place)
    power = np.abs(np.fft.rfft(relative)[1 : (n - 1) // 2 + 1]) ** 2
    if not power.max() > 1e-18:
        return None
    level = _local_level(power)
    share = (power / level) / (power / level).sum()
    candidates = share[LEAST_PERIODS - 1 :]
    peak = int(np.argmax(candidates)) + LEAST_PERIODS
    p = min(1.0, len(power) * float(np.exp((len(power) - 1) * np.log1p(-candidates.max()))))
    cycles = _fundamental(power, peak)
    phase = np.floor(_PHASES * ((np.arange(n) * cycles / n) % 1)).astype(int)
    mean_cycle = [relative[phase == k].mean() for k in np.unique(phase)]
    return Swing(n * step / cycles, float(max(mean_cycle) - min(mean_cycle)), p)


def _local_level(power: np.ndarray) -> np.ndarray:
    """The usual power around each frequency, so that a slow wandering is no period: a median over the neighbours."""
    reach = max(5, len(power) // 8)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(power, reach, mode="reflect"), 2 * reach + 1)
    return np.maximum(np.median(windows, axis=1) / np.log(2), 1e-12 * power.max())


def _fundamental(power: np.ndarray, peak: int) -> int:
    """The lowest frequency (cycles in the series) of which the peak is a multiple and all multiples have power."""
    for parts in range(6, 1, -1):
        base = round(peak / parts)
        if base < LEAST_PERIODS or abs(base * parts - peak) > parts / 2:
            continue
        near = [power[max(0, round(peak * k / parts) - 2) : round(peak * k / parts) + 1].max() for k in range(1, parts)]
        if min(near) >= HARMONIC * power[peak - 1]:
            return base
    return peak


# Means of so many stretches: neighbouring intervals hang together, stretches hardly do.
BLOCKS = 10
# With fewer intervals a warm-up is only seen where it is short.
INTERVALS = 20
# So many that rise at every step have not settled.
ALWAYS = 7


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
    cannot_know="where it would have settled. Of runs without status lines nothing is known, of those with fewer than "
    "twenty intervals only that they rose at each of seven or more.",
    source="the warm-up is found by White (1997), Simulation 69(6), in the first half of a run; what still rises after "
    "it as in `degradation`.",
    defaults={"share": 0.25, "warmup": 0.05, "change": 0.10, "level": 0.001},
)
def not_settled(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Runs whose warm-up takes at least the `share` of their time and changes their throughput by at least `warmup`,
    or whose throughput still rises by at least `change` after it, at the two-sided `level`, or at every one of few
    intervals; once per dataset."""
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
        # By chance one of 5,040 series of so many rises at every step.
        rises = len(series.rate) >= ALWAYS and (np.diff(series.rate) > 0).all()
        return float(series.rate[-1] / series.rate.mean()) - 1 if rises else 0.0
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
