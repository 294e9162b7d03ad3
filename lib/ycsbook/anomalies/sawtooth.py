"""Throughput that swings with a period, as checkpoints make it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence, RunSeries
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact

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
    own = samples[samples["run_id"] == run["run_id"]].sort_values("elapsed_s")
    running = own["checkpoint_running"].to_numpy(float) == 1
    starts = own["elapsed_s"].to_numpy(float)[1:][running[1:] & ~running[:-1]]
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
    place = np.arange(n)
    relative = rate / rate.mean()
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
    return Swing(n * step / cycles, _height(relative, cycles), p)


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


def _height(relative: np.ndarray, cycles: int) -> float:
    """Top to bottom of the mean cycle."""
    phase = np.floor(_PHASES * ((np.arange(len(relative)) * cycles / len(relative)) % 1)).astype(int)
    means = [relative[phase == k].mean() for k in range(_PHASES) if (phase == k).any()]
    return float(max(means) - min(means))
