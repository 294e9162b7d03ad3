"""A spec far from the law that the other specs of its workload and threads follow."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.laws import LAWS, Law
from ycsbook.scaling.pairs import beyond, holm
from ycsbook.scaling.points import KIND
from ycsbook.scaling.problem import Problem, solve

BUDGET = 0.0005
# With fewer degrees of freedom left the law bends to the outlier, or nothing is extreme.
LEAST_DF = 3
# Choosing the law that suits all points but one makes that one look odd: half of each level is left to that.
_CHOICE = 0.5
# Points closer to the law than this are on it, to rounding.
_EXACT = 1e-6
_SERIES = [*KIND, "workload", "threads"]


@rule(
    budget=BUDGET,
    cannot_know="whether the spec or the law is wrong: RAM, a ceiling of the threads or a step in the machine bends a "
    "curve as well. Two outliers may hide each other. All points count, lower bounds included.",
    source="externally studentised residuals, t with n - k - 1 degrees of freedom, by Holm over all points: Cook and "
    "Weisberg (1982), Residuals and Influence in Regression, ch. 2.",
    defaults={"note_level": 0.01},
)
def scaling_outlier(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Specs whose mean throughput misses the law by more than the others' scatter explains: a warning within the
    budget where half of its runs do, or its only run by more than the assumed noise; a note at the family-wise
    `note_level`.

    The law is the one with the lowest AICc when each law may leave out its worst point: an outlier must not choose it.
    """
    cells = evidence.compared
    points = cells[(cells["cores"] > 0) & cells["threads"].notna()]
    fits = _fits(points)
    for _, part in points.groupby(list(KIND), sort=True):
        p = fits.p[points.index.get_indexer(part.index)]
        adjusted = holm(p)
        for i in np.flatnonzero(adjusted <= _CHOICE * settings["note_level"]):
            at, row = points.index.get_loc(part.index[i]), part.iloc[i]
            is_sure = adjusted[i] <= _CHOICE * BUDGET and _is_beyond_its_runs(evidence, row, fits.fitted[at])
            yield _finding(row, fits, at, "warning" if is_sure else "note")


def _is_beyond_its_runs(evidence: Evidence, row: pd.Series, fitted: float) -> bool:
    """Whether half of the spec's runs miss the law by half as much as their mean, so that it is no single run that
    stalled; of one run, whether it misses by more than single runs do."""
    off = row["log_y"] - fitted
    if row["n"] < 2:
        return bool(abs(off) >= -np.log1p(-beyond(evidence.noise[tuple(row[list(KIND)])].assumed)))
    runs = np.log(evidence.runs.set_index("run_id")["y"].reindex(row["run_ids"]).to_numpy(float)) - fitted
    return bool(np.sort(runs * np.sign(off))[(len(runs) - 1) // 2] >= abs(off) / 2)


@dataclass(frozen=True)
class _Fits:
    """Per point: the law chosen for its series, its fitted ln y, studentised residual and two-sided p (NaN: none)."""

    law: np.ndarray
    fitted: np.ndarray
    studentised: np.ndarray
    p: np.ndarray


def _fits(points: pd.DataFrame) -> _Fits:
    n = len(points)
    fits = _Fits(np.full(n, "", dtype=object), *(np.full(n, np.nan) for _ in range(3)))
    cores, log_y = points["cores"].to_numpy(float), points["log_y"].to_numpy(float)
    # Series over the same cores, as those of one sweep mostly are, are fitted at once.
    alike: dict[tuple, list[np.ndarray]] = {}
    for rows in points.groupby(_SERIES, dropna=False).indices.values():
        at = rows[np.argsort(cores[rows], kind="stable")]
        alike.setdefault(tuple(cores[at]), []).append(at)
    for x, series in alike.items():
        at = np.stack(series)
        laws = [law for law in LAWS.values() if _suffices(law, x)]
        if not laws:
            continue
        best = [_judged(law, np.array(x), log_y[at]) for law in laws]
        chosen = np.argmin([aicc for aicc, *_ in best], axis=0)
        for row, k in enumerate(chosen):
            _, *values = best[k]
            fits.law[at[row]] = laws[k].name
            for column, value in zip((fits.fitted, fits.studentised, fits.p), values, strict=True):
                column[at[row]] = value[row]
    return fits


def _suffices(law: Law, x: tuple) -> bool:
    return len(x) - law.parameters - 1 >= LEAST_DF and len(set(x)) > law.parameters


def _judged(law: Law, x: np.ndarray, log_y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """AICc of each series (series, n) without its worst point; and of each point, from the law fitted without it, ln y,
    the studentised residual and its two-sided p."""
    series, n = log_y.shape
    k, df = law.parameters + 1, n - 1 - law.parameters
    # One problem per point: all points but that one.
    others = np.tile(1 - np.eye(n), (series, 1))
    problem = Problem(law, x, np.repeat(log_y, n, axis=0))
    model = problem.model(np.ones(series * n), others)
    start = np.repeat(Problem(law, x, log_y).best().theta, n, axis=0)
    theta = solve(model, start, *problem.bounds()).theta
    residual, jacobian = model(theta)
    squares = np.maximum((residual**2).sum(axis=1), n * _EXACT**2).reshape(series, n)
    shape, gradient = law.log_shape(x, theta[:, 1:])
    own = np.tile(np.eye(n, dtype=bool), (series, 1))
    fitted = (theta[:, :1] + shape)[own].reshape(series, n)
    direction = np.concatenate([np.ones((series * n, 1)), gradient[own]], axis=1)
    # A parameter on its bound does not move, and adds nothing to the error.
    low, high = problem.bounds()
    free = (theta > low) & (theta < high)
    moving = jacobian * free[:, None]
    inverse = np.linalg.pinv(np.einsum("pni,pnj->pij", moving, moving), hermitian=True)
    pull = np.einsum("pi,pij,pj->p", direction * free, inverse, direction * free).reshape(series, n)
    t = (log_y - fitted) / np.sqrt(squares / df * (1 + pull))
    aicc = (n - 1) * np.log(squares.min(axis=1) / (n - 1)) + 2 * k + 2 * k * (k + 1) / (n - k - 2)
    return aicc, fitted, t, 2 * special.stdtr(df, -np.abs(t))


def _finding(row: pd.Series, fits: _Fits, at: int, severity: str) -> Finding:
    effect = float(np.expm1(row["log_y"] - fits.fitted[at]))
    return Finding(
        severity, row["dataset"], tuple(row["run_ids"]),
        fact("scaling_outlier", cell=names.cell(row), observed=np.exp(row["log_y"]), effect=effect,
             fitted=np.exp(fits.fitted[at]), law=fits.law[at], errors=abs(fits.studentised[at])),
        "repeats" if row["n"] > 1 else "single", effect,
    )  # fmt: skip
