"""Whether a run's slow seconds fall inside the server's checkpoints more often than chance would have it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
import pandas as pd

from ycsbook import units
from ycsbook.anomalies.evidence import LEAST_OPERATIONS, RunSeries

# Slow are this share of a run's seconds, if they lie below that share of the median within so many seconds of them,
# because the usual rate falls while a collection grows; and every second in which next to nothing was done.
SLOWEST, BELOW, AROUND_S, STILL = 0.1, 0.9, 15.0, 0.05
LEVEL = 0.05
# What happened with fewer than that happened once.
LEAST_CHECKPOINTS = 3
# So far samples and status lines of the same moment may lie apart, s.
_CLOCKS_S = 0.05


@dataclass(frozen=True)
class Coincidence:
    """The slow intervals of a run, or of several, beside checkpoints. slow, intervals: how many intervals were slow,
    and all; inside, touched: in how many of them a checkpoint was being written. checkpoints: how many there were.
    during: the median rate while one was being written, over what is usual around it; of several runs the mean by their
    numbers of checkpoints. NaN: not known. chances: the probability of 0, 1, 2, ... slow intervals inside checkpoints,
    if neither had to do with the other."""

    slow: int = 0
    inside: int = 0
    intervals: int = 0
    touched: int = 0
    checkpoints: int = 0
    during: float = np.nan
    chances: np.ndarray = field(default_factory=lambda: np.ones(1))

    @property
    def p(self) -> float:
        """How probable at least as many slow intervals inside checkpoints are by chance."""
        return float(min(1.0, self.chances[self.inside :].sum()))

    @property
    def least_p(self) -> float:
        """The lowest p that these slow intervals and checkpoints could have had."""
        return float(self.chances[np.flatnonzero(self.chances > 0)[-1]])

    @property
    def verdict(self) -> str:
        """shown or not-shown; where nothing can be said no-checkpoints, no-slow or too-few, which is why."""
        if not (self.checkpoints and self.slow):
            return "no-slow" if self.checkpoints else "no-checkpoints"
        if self.checkpoints < LEAST_CHECKPOINTS or self.least_p > LEVEL:
            return "too-few"
        return "shown" if self.p <= LEVEL else "not-shown"


def coincidence(series: RunSeries, written: list[tuple[float, float]]) -> Coincidence:
    """The slow intervals of one run laid beside its checkpoints, which were written from and to these seconds. Both are
    series of yes and no over the same intervals. That of the checkpoints is shifted against the other by every number
    of intervals, what leaves at the end coming in at the beginning; p is the share of all shifts with at least as many
    hits as seen. It is exact if every shift was equally likely, and keeps the order within each series: slow seconds
    come in groups, and checkpoints last. Source: Lotwick and Silverman (1982), J. R. Stat. Soc. B 44."""
    low = slow(series)
    begin, end = series.end_s - series.length_s, series.end_s
    touched = np.zeros(len(low), dtype=bool)
    for start, stop in written:
        touched |= (begin < stop + _CLOCKS_S) & (end > start - _CLOCKS_S)
    first = int(np.argmax(has_begun(series)))
    low, touched, beside = low[first:], touched[first:], relative(series)[first:]
    n_spans = sum(stop > begin[0] and start < end[-1] for start, stop in written)
    during = float(np.nanmedian(beside[touched])) if np.isfinite(beside[touched]).any() else np.nan
    counts = int(low.sum()), int((low & touched).sum()), len(low), int(touched.sum()), n_spans
    return Coincidence(*counts, during, chances(low, touched))


def chances(low: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """The probability of 0, 1, 2, ... places where both (bool, of one length) are true, if each circular shift of the
    second is as likely as any other."""
    n = len(low)
    # All shifts at once: the circular correlation.
    hits = np.fft.irfft(np.fft.rfft(low.astype(float)) * np.conj(np.fft.rfft(touched.astype(float))), n)
    return np.bincount(np.rint(hits).astype(int)) / n


def together(parts: Iterable[Coincidence]) -> Coincidence:
    """Several runs as one: each is shifted by itself, so the chances of their sum are the convolution of theirs."""
    parts = list(parts)
    weighed = [(part.during, part.checkpoints) for part in parts if not np.isnan(part.during)]
    sums = [sum(getattr(part, n) for part in parts) for n in ("slow", "inside", "intervals", "touched", "checkpoints")]
    return Coincidence(
        *sums,
        during=sum(rate * n for rate, n in weighed) / sum(n for _, n in weighed) if weighed else np.nan,
        chances=reduce(np.convolve, (part.chances for part in parts), np.ones(1)),
    )


def relative(series: RunSeries) -> np.ndarray:
    """The rate of each interval over the median of those around it; NaN for the first slow ones, which are the client's
    start and nobody's stall, and where a few operations more or less make the difference."""
    rate, length = series.rate, np.median(series.length_s)
    reach = max(1, round(AROUND_S / length))
    usual = pd.Series(rate).rolling(2 * reach + 1, center=True, min_periods=1).median().to_numpy()
    counts = (usual * length >= LEAST_OPERATIONS) & has_begun(series)
    return np.where(counts, rate / np.where(usual > 0, usual, 1.0), np.nan)


def has_begun(series: RunSeries) -> np.ndarray:
    """Which intervals (bool) come after the first that reached half of the run's usual rate."""
    return np.logical_or.accumulate(series.rate >= 0.5 * series.usual)


def slow(series: RunSeries) -> np.ndarray:
    """Which intervals (bool) are slow: the slowest tenth beside those around them, and those that stood still."""
    beside = relative(series)
    with_rate = np.flatnonzero(~np.isnan(beside))
    lowest = with_rate[np.argsort(beside[with_rate], kind="stable")[: round(SLOWEST * len(with_rate))]]
    tenth = np.isin(np.arange(len(beside)), lowest) & (np.nan_to_num(beside, nan=1.0) < BELOW)
    return tenth | series.stalled(STILL)


def spans(samples: pd.DataFrame) -> list[tuple[float, float]]:
    """When checkpoints were being written, from and to in seconds since the start of the run, in order. Each second the
    server says whether it writes one, and how long the last one took: a new figure tells of one that has ended since
    the second before. samples: the table's rows of one run."""
    by_second = samples[["elapsed_s", "interval_s", "checkpoint_running", "checkpoint_ms"]].sort_values("elapsed_s")
    spans: list[tuple[float, float]] = []
    before_ms = np.nan
    for at, length, running, took_ms in by_second.to_numpy(float).tolist():
        if took_ms != before_ms and not np.isnan(before_ms) and not np.isnan(took_ms):
            # Somewhere between the two samples it ended.
            spans.append((at - length - took_ms / units.MS_PER_S, at))
        if running == 1:
            spans.append((at, at))
        before_ms = took_ms
    # One that begins at the sample after another's end is the same.
    return joined(spans, 1.2 * float(by_second["interval_s"].median()))


def joined(spans: Iterable[tuple[float, float]], apart_s: float = 0.0) -> list[tuple[float, float]]:
    """Spans in order, those that overlap, or are no more than so many seconds apart, as one."""
    joined_spans: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if joined_spans and start <= joined_spans[-1][1] + apart_s:
            joined_spans[-1] = (joined_spans[-1][0], max(joined_spans[-1][1], end))
        else:
            joined_spans.append((start, end))
    return joined_spans
