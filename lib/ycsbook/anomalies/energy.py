"""Where a series changes: divisive splitting by energy distance, each split tested by permutation."""

import hashlib
from typing import NamedTuple

import numpy as np

# Permutations are drawn so many at a time, and their distances need at most so many doubles.
_BATCH = 200
_MOST_DOUBLES = 4_000_000


class Split(NamedTuple):
    """`at`: how many values come before the change in the whole series; p: of the permutation test."""

    at: int
    p: float


def seed_of(name: str) -> int:
    """A seed that is the same for the same name on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def splits(values: np.ndarray, *, level: float, least: int = 5, seed: int) -> list[Split]:
    """The change points of a series, in order.

    The best split of a segment is accepted when its p is at most the level, and both parts are then split again, each
    at half that level, so that all segments of one depth share it.

    Parameters
        values: in order of time, no NaN.
        level: of the first split; least: fewest values on each side of a change; seed: of the permutations.
    References
        Matteson and James (2014), A nonparametric approach for multiple change point analysis of multivariate data,
        J. Am. Stat. Assoc. 109: E-divisive.
    Examples
        >>> steps = np.array([1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 2.0, 2.1, 1.9, 2.0, 2.05, 1.95])
        >>> [split.at for split in splits(steps, level=0.05, seed=1)]
        [6]
    """
    rng = np.random.default_rng(seed)
    found, waiting = [], [(0, len(values), level)]
    while waiting:
        start, end, allowed = waiting.pop()
        part = np.asarray(values[start:end], dtype=float)
        if len(part) < 2 * least:
            continue
        statistic = _divergence(part[None, :], least)
        at = int(statistic[0].argmax())
        p = _p(part, float(statistic[0, at]), allowed, least, rng)
        if p <= allowed:
            middle = start + least + at
            found.append(Split(middle, p))
            waiting += [(middle, end, allowed / 2), (start, middle, allowed / 2)]
    return sorted(found)


def _p(part: np.ndarray, observed: float, level: float, least: int, rng: np.random.Generator) -> float:
    """p of the best split among permutations; left early when it can no longer be at most the level."""
    total = max(999, int(np.ceil(10 / level)) - 1)
    batch = max(1, min(_BATCH, _MOST_DOUBLES // len(part) ** 2))
    hits, done = 0, 0
    while done < total:
        drawn = min(batch, total - done)
        shuffled = rng.permuted(np.tile(part, (drawn, 1)), axis=1)
        # Equal up to rounding is equal: where values repeat, many orders give the same statistic.
        hits += int((_divergence(shuffled, least).max(axis=1) >= observed * (1 - 1e-9)).sum())
        done += drawn
        if 1 + hits > level * (1 + total):
            break
    return (1 + hits) / (1 + done)


def _divergence(series: np.ndarray, least: int) -> np.ndarray:
    """The scaled energy distance between both sides of every split with `least` values on each side.

    series: (b, n) -> (b, n - 2 least + 1).
    """
    n = series.shape[1]
    distance = np.abs(series[:, :, None] - series[:, None, :])
    whole = np.cumsum(distance.sum(axis=2), axis=1)
    within = 2 * np.cumsum(np.einsum("bij,ij->bi", distance, np.tri(n, k=-1)), axis=1)
    before = np.arange(least, n - least + 1)
    after = n - before
    left = within[:, before - 1]
    between = whole[:, before - 1] - left
    right = whole[:, -1:] - 2 * whole[:, before - 1] + left
    distance = 2 * between / (before * after) - left / (before * (before - 1)) - right / (after * (after - 1))
    return before * after / n * distance
