"""Many comparisons, one budget: which of them may be called lower when the chance of any false one is bounded."""

import numpy as np


def holm(p: np.ndarray, budget: float) -> np.ndarray:
    """Which hypotheses Holm's procedure rejects.

    The chance that any true one is among them is at most `budget`, whatever the dependence between the tests: pairs
    that share a cell and a pooled variance are not independent.

    Parameters
        p: one p value per comparison; NaN where nothing could be tested, which does not count as a comparison.
        budget: family-wise chance of a false alarm, for instance 0.003.
    Returns
        bool, of the shape of p.
    References
        Holm (1979), A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6, 65-70.
    Examples
        >>> holm(np.array([0.001, 0.02, np.nan, 0.5]), 0.05).tolist()
        [True, True, False, False]
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p)[: int(np.isfinite(p).sum())]
    allowed = budget / (len(order) - np.arange(len(order)))
    rejected = np.zeros(p.shape, dtype=bool)
    rejected[order[np.logical_and.accumulate(p[order] <= allowed)]] = True
    return rejected


def bonferroni(p: float, comparisons: int) -> float:
    """The p value of the smallest of so many, at most 1.

    Examples
        >>> bonferroni(0.02, 10)
        0.2
    """
    return min(1.0, p * comparisons)
