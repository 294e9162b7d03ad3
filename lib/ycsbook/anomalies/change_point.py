"""The same configuration measured again and again: where it became faster or slower, and with which version."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ycsbook.anomalies import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.points import with_throughput
from ycsbook.verdicts import Outcome

_CONFIGURATION = ["workload", "spec", "cores", "ram_gib", "threads", "write_concern", "topology", "target_ops_s"]
# Fewest runs on each side of a change.
LEAST = 5
# Below this squared error of ln X the runs agree to rounding.
_EXACT = 1e-24
# Permutations are drawn so many at a time, and their distances need at most so many doubles.
_BATCH = 200
_MOST_DOUBLES = 4_000_000


@rule(
    cannot_know="why: whatever changed with the version changed too, and a version that came with another host looks "
    "the same. Fewer than ten runs with a start time, or fewer than five since the change, show nothing yet. The "
    "interval takes the place of the change for known, so it is a little too narrow.",
    source="E-divisive: Matteson and James (2014), J. Am. Stat. Assoc. 109; permutations seeded by the "
    "configuration's name, the level shared among the configurations.",
    defaults={"level": 0.05, "change": 0.02},
)
def change_point(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A change of at least `change` in the history of a configuration, at a `level` shared among all configurations
    with enough runs, and the version with which it began."""
    histories = [(key, part) for key, part in _histories(evidence) if len(part) >= 2 * LEAST]
    for key, part in histories:
        log_y = np.log(part["y"].to_numpy(float))
        changes = splits(log_y, level=settings["level"] / len(histories), least=LEAST, seed=seed_of(repr(key)))
        edges = [0, *(split.at for split in changes), len(part)]
        for i, split in enumerate(changes, 1):
            finding = _finding(part, log_y, edges[i - 1], split.at, edges[i + 1])
            if abs(finding.effect) >= settings["change"]:
                yield finding


def _histories(evidence: Evidence) -> list[tuple[tuple, pd.DataFrame]]:
    """The runs of each configuration in order of time, with one throughput column for all of them."""
    runs = evidence.tables.runs
    if evidence.history is not None:
        runs = pd.concat([evidence.history.runs, runs], ignore_index=True).drop_duplicates("run_id", keep="last")
    runs = runs[(runs["started_at"] != "") & (runs["outcome"] == Outcome.COMPLETED) & (runs["spec"] != "")]
    # Of all datasets one throughput, or a change of column would look like one of the server.
    rows = with_throughput(runs.assign(own=runs["dataset"], dataset="")) if len(runs) else runs.assign(y=0.0)
    rows = rows[rows["y"] > 0].sort_values(["started_at", "run_id"])
    here = set(evidence.tables.runs["run_id"])
    grouped = rows.groupby(_CONFIGURATION, dropna=False, sort=True)
    return [(key, part) for key, part in grouped if part["run_id"].isin(here).any()]


def _finding(part: pd.DataFrame, log_y: np.ndarray, start: int, at: int, end: int) -> Finding:
    before, after = log_y[start:at], log_y[at:end]
    middle, reach = float(after.mean() - before.mean()), _reach(before, after)
    effect, low, high = (float(np.expm1(v)) for v in (middle, middle - reach, middle + reach))
    first = part.iloc[at]
    return Finding(
        "notice", str(part["own"].iloc[-1]), tuple(part["run_id"].iloc[start:end]),
        fact("change_point", cell=names.cell(first), effect=effect, low=low, high=high, started_at=first["started_at"],
             before=at - start, since=end - at, **_versions(part, start, at, end)),
        "repeats", effect, low, high, cause=f"change {first['server_version']}" if _changed(part, at) else "",
    )  # fmt: skip


def _reach(before: np.ndarray, after: np.ndarray) -> float:
    """Half the width of the 95 % interval of a difference of means, variances not taken for equal (Welch 1947)."""
    errors = np.array([part.var(ddof=1) / len(part) for part in (before, after)])
    if errors.sum() < _EXACT:
        return 0.0
    df = errors.sum() ** 2 / (errors**2 / [len(before) - 1, len(after) - 1]).sum()
    return float(stdtrit(df, 0.975) * np.sqrt(errors.sum()))


def _changed(part: pd.DataFrame, at: int) -> bool:
    versions = part["server_version"].iloc[at - 1 : at + 1]
    return versions.ne("").all() and versions.nunique() == 2


def _versions(part: pd.DataFrame, start: int, at: int, end: int) -> dict[str, str]:
    """What the server's version did: changed, was the same throughout or as before, or is unknown."""
    before, since = part["server_version"].iloc[at - 1], part["server_version"].iloc[at]
    if _changed(part, at):
        return {"versions": "changed", "version": since, "version_before": before}
    recorded = sorted(set(part["server_version"].iloc[start:end]) - {""})
    if len(recorded) == 1:
        return {"versions": "throughout", "version": recorded[0]}
    return {"versions": "as-before" if since else "unknown", "version": since}


class ChangePoint(NamedTuple):
    """`at`: how many values come before the change in the whole series; p: of the permutation test."""

    at: int
    p: float


def seed_of(name: str) -> int:
    """A seed that is the same for the same name on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def splits(values: np.ndarray, *, level: float, least: int = 5, seed: int) -> list[ChangePoint]:
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
    accepted, waiting = [], [(0, len(values), level)]
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
            accepted.append(ChangePoint(middle, p))
            waiting += [(middle, end, allowed / 2), (start, middle, allowed / 2)]
    return sorted(accepted)


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
