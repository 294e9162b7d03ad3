"""A spec far from the law that the other specs of its workload and threads follow."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import special

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import KIND
from ycsbook.facts import fact
from ycsbook.scaling.laws import LAWS, Law
from ycsbook.scaling.limits import LimitKind, judge
from ycsbook.scaling.pairs import beyond, holm
from ycsbook.scaling.problem import Problem, solve
from ycsbook.tables import dicts

BUDGET = 0.0003
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
    "curve as well. Two outliers may hide each other. Points that their threads or a target are shown to limit are "
    "left out.",
    source="externally studentised residuals, t with n - k - 1 degrees of freedom, by Holm over all points: Cook and "
    "Weisberg (1982), Residuals and Influence in Regression, ch. 2.",
    defaults={"note_level": 0.01},
)
def scaling_outlier(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Specs whose mean throughput misses the law by more than the others' scatter explains: a warning within the budget
    where half of its runs do, or its only run by more than the assumed noise; a note at the family-wise `note_level`.

    The law is the one with the lowest AICc when each law may leave out its worst point: an outlier must not choose it.
    """
    cells = evidence.compared
    # What limits them costs more than all else here: of cells too few for any law nobody needs to know.
    if cells.groupby(_SERIES, dropna=False).size().max() - min(law.parameters for law in LAWS.values()) <= LEAST_DF:
        return
    is_below_its_server = judge(cells, evidence.noise)["limit_kind"].isin([LimitKind.CONCURRENCY, LimitKind.ELSEWHERE])
    points = cells[(cells["cores"] > 0) & cells["threads"].notna() & ~is_below_its_server]
    for _, part in _beside_their_laws(points).groupby(list(KIND), sort=True):
        adjusted = holm(part["p"].to_numpy())
        for row in dicts(part.assign(adjusted=adjusted)[adjusted <= _CHOICE * settings["note_level"]]):
            is_sure = row["adjusted"] <= _CHOICE * BUDGET and _is_beyond_its_runs(evidence, row)
            effect = float(np.expm1(row["log_y"] - row["fitted"]))
            yield Finding(
                "warning" if is_sure else "note", row["dataset"], row["run_ids"],
                fact("scaling_outlier", cell=names.cell(row), observed=np.exp(row["log_y"]), effect=effect,
                     fitted=np.exp(row["fitted"]), law=row["law"], errors=abs(row["studentised"])),
                "repeats" if row["n"] > 1 else "single", effect,
            )  # fmt: skip


def _is_beyond_its_runs(evidence: Evidence, row: dict) -> bool:
    """Whether half of the spec's runs miss the law by half as much as their mean, so that it is no single run that
    stalled; of one run, whether it misses by more than single runs do."""
    off = row["log_y"] - row["fitted"]
    if row["n"] < 2:
        return bool(abs(off) >= -np.log1p(-beyond(evidence.noise[tuple(row[k] for k in KIND)].assumed)))
    y = evidence.runs.set_index("run_id")["y"].reindex(row["run_ids"]).to_numpy(float)
    return bool(np.sort((np.log(y) - row["fitted"]) * np.sign(off))[(len(y) - 1) // 2] >= abs(off) / 2)


def _beside_their_laws(points: pd.DataFrame) -> pd.DataFrame:
    """The points with the `law` chosen for their series and, by it without the point, `fitted` (ln y), `studentised`
    (the residual) and its two-sided `p`; NaN where a series has too few."""
    law, values = np.full(len(points), "", dtype=object), np.full((3, len(points)), np.nan)
    cores, log_y = points["cores"].to_numpy(float), points["log_y"].to_numpy(float)
    # Series over the same cores, as those of one sweep mostly are, are fitted at once.
    alike: dict[tuple, list[np.ndarray]] = {}
    for rows in points.groupby(_SERIES, dropna=False).indices.values():
        at = rows[np.argsort(cores[rows], kind="stable")]
        alike.setdefault(tuple(cores[at]), []).append(at)
    for x, series in alike.items():
        laws = [of for of in LAWS.values() if len(x) - of.parameters > LEAST_DF and len(set(x)) > of.parameters]
        if not laws:
            continue
        best = [_judged(law, np.array(x), log_y[np.stack(series)]) for law in laws]
        chosen = np.argmin([aicc for aicc, *_ in best], axis=0)
        for row, (at, k) in enumerate(zip(series, chosen, strict=True)):
            law[at] = laws[k].name
            values[:, at] = [value[row] for value in best[k][1:]]
    fitted, studentised, p = values
    return points.assign(law=law, fitted=fitted, studentised=studentised, p=p)


def _judged(law: Law, x: np.ndarray, log_y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """AICc of each series (series, n) without its worst point; and of each point, from the law fitted without it, ln y,
    the studentised residual and its two-sided p."""
    series, n = log_y.shape
    k, df = law.parameters + 1, n - 1 - law.parameters
    # One problem per point: all points but that one.
    all_but_one = np.tile(1 - np.eye(n), (series, 1))
    problem = Problem(law, x, np.repeat(log_y, n, axis=0))
    model = problem.model(np.ones(series * n), all_but_one)
    start = np.repeat(Problem(law, x, log_y).best().theta, n, axis=0)
    theta = solve(model, start, *problem.bounds()).theta
    residual, jacobian = model(theta)
    squares = np.maximum((residual**2).sum(axis=1), n * _EXACT**2).reshape(series, n)
    shape, gradient = law.log_shape(x, theta[:, 1:])
    is_own_point = np.tile(np.eye(n, dtype=bool), (series, 1))
    fitted = (theta[:, :1] + shape)[is_own_point].reshape(series, n)
    direction = np.concatenate([np.ones((series * n, 1)), gradient[is_own_point]], axis=1)
    # A parameter on its bound does not move, and adds nothing to the error.
    low, high = problem.bounds()
    free = (theta > low) & (theta < high)
    moving = jacobian * free[:, None]
    inverse = np.linalg.pinv(np.einsum("pni,pnj->pij", moving, moving), hermitian=True)
    pull = np.einsum("pi,pij,pj->p", direction * free, inverse, direction * free).reshape(series, n)
    t = (log_y - fitted) / np.sqrt(squares / df * (1 + pull))
    aicc = (n - 1) * np.log(squares.min(axis=1) / (n - 1)) + 2 * k + 2 * k * (k + 1) / (n - k - 2)
    return aicc, fitted, t, 2 * special.stdtr(df, -np.abs(t))
