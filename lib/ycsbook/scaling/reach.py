"""How much more any number of threads could bring: an upper bound from the closed loop.

A further thread makes an operation wait for at most one operation more at the slowest place, which takes 1 / X_max. So
R(N) - R(n) <= (N - n) / X_max for N > n threads, and with R + Z = N / X: X_max <= (N - n) / (N / X(N) - n / X(n)).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ycsbook.scaling.pairs import ratios
from ycsbook.scaling.points import KIND
from ycsbook.scaling.variance import ASSUMED_NOISE, CELL, SMALLEST_VARIANCE, Noise

# Queueing is shown where so much of N / n, at most, is gained.
_QUEUEING = 0.8
# Degrees of freedom of a noise that is assumed: as good as known.
_MANY = 10_000


def at_most(cells: pd.DataFrame, noise: Mapping[tuple[str, str], Noise], sound: np.ndarray) -> np.ndarray:
    """The most that any number of threads would bring, of everything that takes part: server, network and client.

    From the fewest threads of a spec and workload and those that did most; with one thread it is tightest. The upper
    end of the ratio's 95 % interval is taken, by the noise that is assumed where nothing was repeated.

    Parameters
        cells, noise: as for limits.judge. sound: bool, which cells may be built on, (cells,).
    Returns
        ops/s, (cells,), the same for all threads of a spec; NaN where no queueing is shown.
    References
        Zahorjan et al. (1982), Balanced job bound analysis, Comm. ACM 25(2). It holds where an operation waits for
        those before it alone: not where a server takes less for each under load, as one that writes several at once.
    """
    found = np.full(len(cells), np.nan)
    threads, log_y, n_runs = (cells[c].to_numpy(float) for c in ("threads", "log_y", "n"))
    ladder = [c for c in CELL if c != "threads"]
    for at in cells.groupby(ladder, dropna=False).indices.values():
        rungs = at[sound[at] & (threads[at] > 0)]
        if len(rungs) < 2:
            continue
        few, most = rungs[threads[rungs].argmin()], rungs[log_y[rungs].argmax()]
        pooled = noise[tuple(cells.iloc[few][list(KIND)])]
        if pooled.df < 1:
            pooled = Noise(ASSUMED_NOISE**2, _MANY)
        error = np.sqrt(max(pooled.variance, SMALLEST_VARIANCE) * (1 / n_runs[few] + 1 / n_runs[most]))
        gain = float(ratios(log_y[most] - log_y[few], error, pooled.df).conf_high)
        if threads[few] * gain <= _QUEUEING * threads[most]:
            left = threads[most] - threads[few] * gain
            found[at] = np.exp(log_y[most]) * (threads[most] - threads[few]) / left
    return found
