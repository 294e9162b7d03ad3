"""The same configuration measured again and again: where it became faster or slower, and with which version."""

import hashlib
from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import SMALLEST_VARIANCE
from ycsbook.scaling.pairs import ratios, satterthwaite
from ycsbook.scaling.points import throughputs
from ycsbook.verdicts import Outcome

_CONFIGURATION = ["workload", "spec", "cores", "ram_gib", "threads", "write_concern", "topology", "target_ops_s"]
# Fewest runs on each side of a change.
LEAST = 5
# Below this squared error of ln X the runs agree to rounding.
_EXACT = 1e-24
# Of what a run has beyond the mean no more is taken to come from the run before.
_MOST_CARRIED_ON = 0.9
# The share carried on is itself estimated, from few runs: with it the level holds at this part of it.
_AGAIN = 0.2
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
        changes = splits(log_y, level=settings["level"] / len(histories), seed=seed_of(repr(key)))
        edges = [0, *changes, len(part)]
        for start, at, end in zip(edges, changes, edges[2:], strict=False):
            finding = _finding(part, log_y, start, at, end)
            if abs(finding.effect) >= settings["change"]:
                yield finding


def _histories(evidence: Evidence) -> list[tuple[tuple, pd.DataFrame]]:
    runs = evidence.tables.runs
    if evidence.history is not None:
        runs = pd.concat([evidence.history.runs, runs], ignore_index=True).drop_duplicates("run_id", keep="last")
    runs = runs[(runs["started_at"] != "") & (runs["outcome"] == Outcome.COMPLETED) & (runs["spec"] != "")]
    if len(runs) < 2 * LEAST:
        return []
    # Of all datasets one throughput, or a change of column would look like one of the server; with the first rounds, as
    # where they end is a change.
    rows = throughputs(runs.assign(own=runs["dataset"], dataset=""))
    rows = rows[rows["y"] > 0].sort_values(["started_at", "run_id"])
    current_run_ids = set(evidence.tables.runs["run_id"])
    grouped = rows.groupby(_CONFIGURATION, dropna=False, sort=True)
    return [(key, part) for key, part in grouped if part["run_id"].isin(current_run_ids).any()]


def _finding(part: pd.DataFrame, log_y: np.ndarray, start: int, at: int, end: int) -> Finding:
    before, after = log_y[start:at], log_y[at:end]
    spreads = ((max(part.var(ddof=1), SMALLEST_VARIANCE) / len(part), len(part) - 1) for part in (before, after))
    variance, df = satterthwaite(*spreads)
    effect, low, high, _ = (float(value) - 1 for value in ratios(after.mean() - before.mean(), variance**0.5, df))
    first, versions = part.iloc[at], _versions(part, start, at, end)
    return Finding(
        "notice", str(part["own"].iloc[-1]), tuple(part["run_id"].iloc[start:end]),
        fact("change_point", cell=names.cell(first), effect=effect, low=low, high=high, started_at=first["started_at"],
             before=at - start, since=end - at, **versions),
        "repeats", effect, low, high,
        cause=f"change {versions['version']}" if versions["versions"] == "changed" else "",
    )  # fmt: skip


def _versions(part: pd.DataFrame, start: int, at: int, end: int) -> dict[str, str]:
    before, since = part["server_version"].iloc[at - 1], part["server_version"].iloc[at]
    if before and since and before != since:
        return {"versions": "changed", "version": since, "version_before": before}
    recorded = sorted(set(part["server_version"].iloc[start:end]) - {""})
    if len(recorded) == 1:
        return {"versions": "throughout", "version": recorded[0]}
    return {"versions": "as-before" if since else "unknown", "version": since}


def seed_of(name: str) -> int:
    """A seed that is the same for the same name on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def splits(values: np.ndarray, *, level: float, seed: int) -> list[int]:
    """The change points of a series, in order: how many values come before each. The best split of a segment is
    accepted when its p is at most the level, and both parts are then split again, each at half that level, so that all
    segments of one depth share it. A change must also show in what is left of the values without what each run carries
    on from the one before, and describe them better than a steady trend. values: in order of time, no NaN. level: of
    the first split; seed: of the permutations. Source: Matteson and James (2014), A nonparametric approach for multiple
    change point analysis of multivariate data, J. Am. Stat. Assoc. 109: E-divisive.

    Examples
        >>> steps = np.array([1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 2.0, 2.1, 1.9, 2.0, 2.05, 1.95])
        >>> splits(steps, level=0.05, seed=1)
        [6]
    """
    values = np.asarray(values, dtype=float)
    splits = _accepted(values, level, np.random.default_rng(seed))
    # Fewer changes leave more to be carried on from run to run, which may leave fewer changes.
    for _ in range(len(splits)):
        before = splits
        splits = _accepted(_independent(np.split(values, splits)), level * _AGAIN, np.random.default_rng(seed))
        if len(splits) >= len(before):
            break
    return splits


def _accepted(values: np.ndarray, level: float, rng: np.random.Generator) -> list[int]:
    if len(values) < 2 * LEAST:
        return []
    (statistic,) = _divergence(values[None, :], LEAST)
    at = LEAST + int(statistic.argmax())
    if _p(values, float(statistic.max()), level, rng) > level or not _steps(values, at):
        return []
    before, after = (_accepted(part, level / 2, rng) for part in (values[:at], values[at:]))
    return [*before, at, *(at + further for further in after)]


def _independent(sides: list[np.ndarray]) -> np.ndarray:
    """The values without the correlation from run to run, so that a slow wander does not look like a change. sides: the
    values between changes. The share carried on is estimated around their means, so that a step is not taken for it,
    and corrected for the bias of a short series (Marriott and Pope 1954, Biometrika 41)."""
    values, residuals = np.concatenate(sides), np.concatenate([side - side.mean() for side in sides])
    squares = float(residuals @ residuals)
    if squares < _EXACT:
        return values
    share = float(residuals[1:] @ residuals[:-1]) / squares
    share = min(share + (len(sides) + (len(sides) + 2) * share) / len(values), _MOST_CARRIED_ON)
    # Of values that are independent it strays by one standard error.
    if share * np.sqrt(len(values)) < 1:
        return values
    mean = values.mean()
    # The first value has none before it, and the variance of all.
    first = mean * (1 - share) + (values[0] - mean) * np.sqrt(1 - share**2)
    return np.append(first, values[1:] - share * values[:-1])


def _steps(part: np.ndarray, at: int) -> bool:
    """Whether a step at a place that was searched for describes the values better than a straight line, by BIC."""
    n, centred = len(part), part - part.mean()
    time = np.arange(n) - (n - 1) / 2
    line = float(centred @ centred) - float(time @ centred) ** 2 / float(time @ time)
    step = sum(float(np.square(side - side.mean()).sum()) for side in (part[:at], part[at:]))
    return n * np.log(max(step, _EXACT)) + np.log(n) < n * np.log(max(line, _EXACT))


def _p(part: np.ndarray, observed: float, level: float, rng: np.random.Generator) -> float:
    """p of the best split among permutations; left early when it can no longer be at most the level."""
    total = max(999, int(np.ceil(10 / level)) - 1)
    batch = max(1, min(_BATCH, _MOST_DOUBLES // len(part) ** 2))
    hits, done = 0, 0
    while done < total:
        drawn = min(batch, total - done)
        shuffled = rng.permuted(np.tile(part, (drawn, 1)), axis=1)
        # Equal up to rounding is equal: where values repeat, many orders give the same statistic.
        hits += int((_divergence(shuffled, LEAST).max(axis=1) >= observed * (1 - 1e-9)).sum())
        done += drawn
        if 1 + hits > level * (1 + total):
            break
    return (1 + hits) / (1 + done)


def _divergence(series: np.ndarray, least: int) -> np.ndarray:
    """The scaled energy distance between both sides of every split with `least` values on each side: of series (b, n),
    (b, n - 2 least + 1)."""
    n = series.shape[1]
    distance = np.abs(series[:, :, None] - series[:, None, :])
    to_all = np.cumsum(distance.sum(axis=2), axis=1)
    within = 2 * np.cumsum(np.einsum("bij,ij->bi", distance, np.tri(n, k=-1)), axis=1)
    before = np.arange(least, n - least + 1)
    after, earlier = n - before, within[:, before - 1]
    between = to_all[:, before - 1] - earlier
    later = to_all[:, -1:] - 2 * to_all[:, before - 1] + earlier
    distance = 2 * between / (before * after) - earlier / (before * (before - 1)) - later / (after * (after - 1))
    return before * after / n * distance
