"""A single run that misses what every row beside it would have it do: a disturbed run, or a figure that is wrong."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.neighbours import FITS, MISFIT, outside
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import KIND
from ycsbook.facts import fact
from ycsbook.scaling.cells import MAD_TO_SD

BUDGET = 0.0001
# So far off, ln X; by so many standard deviations of the difference of two runs; and by so many of what is usual
# between the servers of a table.
_LEAST, _ODD, _USUAL_ODD = float(np.log(1.4)), 4.5, 6.0


class _Servers(NamedTuple):
    """The rows of a mix by server and threads, (servers, threads), in the order of their cores: their labels and ln X,
    NaN where there is none; the ln of the cores, (servers, 1)."""

    labels: np.ndarray
    y: np.ndarray
    x: np.ndarray

    @classmethod
    def of(cls, mix: pd.DataFrame) -> "_Servers":
        """None of servers whose RAM does not rise with the cores."""
        shapes = mix[mix["cores"] > 0].drop_duplicates("spec").sort_values("cores")
        if not (shapes["cores"].is_unique and shapes["ram_gib"].dropna().is_monotonic_increasing):
            shapes = shapes[:0]
        labels = mix.assign(label=mix.index).pivot(index="spec", columns="threads", values="label")
        labels = labels.reindex(shapes["spec"]).to_numpy()
        y = mix["log_y"].reindex(labels.ravel()).to_numpy(float).reshape(labels.shape)
        return cls(labels, y, np.log(shapes["cores"].to_numpy(float))[:, None])

    @property
    def off_line(self) -> np.ndarray:
        """How far each row but those of the ends is off the line between the next smaller and larger server, ln X."""
        share = (self.x[1:-1] - self.x[:-2]) / (self.x[2:] - self.x[:-2])
        return self.y[1:-1] - self.y[:-2] - share * (self.y[2:] - self.y[:-2])

    def off(self, least: float) -> Iterator[tuple[int, float]]:
        """The label of each row so far off the line, and how far, where other thread counts of these three servers say
        that the server itself is not."""
        y, away = self.y, self.off_line
        # Growth that ends lies above the line, but grows no faster than the cores, and not beyond the larger server.
        bends = (y[1:-1] - y[:-2] <= self.x[1:-1] - self.x[:-2] + FITS) & (y[1:-1] <= y[2:] + least)
        for spec, at in product(range(len(away)), range(y.shape[1])):
            others = np.flatnonzero(np.isfinite(away[spec]) & (np.arange(y.shape[1]) != at))
            if abs(away[spec, at]) > least and len(others) and not (away[spec, at] > 0 and bends[spec, at]):
                more = y[spec : spec + 3, [at]] - y[spec : spec + 3, others]
                above, below = more[1] - more[[0, 2]].max(axis=0), more[1] - more[[0, 2]].min(axis=0)
                if ((above > least) | (below < -least)).all() and np.abs(away[spec, others]).max() <= MISFIT:
                    yield self.labels[spec + 1, at], float(away[spec, at])


@rule(
    budget=BUDGET,
    cannot_know="whether the run was disturbed, its figure is wrong, or the server does so at this thread count alone; "
    "nothing of the smallest and the largest server, where thread counts have effects of their own",
    source="the straight line between the servers beside it in ln X over ln cores, and what other thread counts do on "
    "all three; no such row in simulated clean sweeps",
)
def lone_row(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """A single run 1.4 times too high or too low, and by 4.5 standard deviations, for the servers beside it and for the
    other thread counts of its own, which fit; or as far below both the next smaller and the next larger thread count,
    which fit without it: a warning. Effect: what it did over what would fit, minus 1.

    A curve that bends, and one that rises to a peak, is none.
    """
    cells = evidence.compared[~evidence.compared["throttled"] & (evidence.compared["threads"] > 0)]
    for kind, of_kind in cells.groupby(list(KIND)):
        mixes = [(mix, _Servers.of(mix)) for _, mix in of_kind.groupby("workload")]
        usual = np.concatenate([np.abs(servers.off_line).ravel() for _, servers in mixes])
        usual = usual[np.isfinite(usual)]
        usual_odd = _USUAL_ODD * MAD_TO_SD * float(np.median(usual)) if len(usual) else 0.0
        least = max(_LEAST, _ODD * np.sqrt(2 * evidence.noise[kind].or_assumed.variance), usual_odd)
        for mix, servers in mixes:
            for at, away in {**dict(_off_ladders(mix, least)), **dict(servers.off(least))}.items():
                row = mix.loc[at]
                if row["n"] == 1:
                    ops, change = float(np.exp(row["log_y"])), float(np.expm1(away))
                    message = fact("lone_row", cell=names.cell(row), ops=ops, fits=ops / (1 + change), change=change)
                    yield Finding("warning", row["dataset"], row["run_ids"], message, "single", effect=change,
                                  cause="lone", advice=fact("lone_row-advice"))  # fmt: skip


def _off_ladders(mix: pd.DataFrame, least: float) -> Iterator[tuple[int, float]]:
    """The label of each row far below both the next smaller and larger thread count of its server, where all others fit
    without it, and how far it lies below the line between these two, ln X."""
    for _, ladder in mix.sort_values("threads").groupby("spec"):
        log_y, octaves = ladder["log_y"].to_numpy(float), np.log2(ladder["threads"].to_numpy(float))
        away = outside(log_y, octaves) if len(ladder) > 2 else np.zeros(1)
        at = int(away.argmin())
        if not 0 < at < len(ladder) - 1 or away[at] >= -least:
            continue
        others = np.arange(len(ladder)) != at
        if np.abs(outside(log_y[others], octaves[others])).max() <= FITS:
            yield ladder.index[at], float(log_y[at] - np.interp(octaves[at], octaves[others], log_y[others]))
