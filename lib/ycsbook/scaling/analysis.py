"""Every group of a runs table: fits of all laws, curves for the plots, elasticities, and which law to show."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.scaling import claims
from ycsbook.scaling.bottleneck import saturated
from ycsbook.scaling.elasticity import elasticities
from ycsbook.scaling.fit import Fit
from ycsbook.scaling.points import KIND, with_throughput
from ycsbook.scaling.select import Choice, select
from ycsbook.tables import conform, empty, from_rows
from ycsbook.verdicts import Outcome

CURVE_POINTS, CURVE_POINTS_BEYOND = 33, 8
EXTRAPOLATION = 2.0
_GROUP = [*KIND, "workload", "threads"]


@dataclass(frozen=True)
class Analysis:
    """What the laws say about a runs table, in the tables of the same names (SCHEMAS).

    tidy, glance and augment are fit_tidy, fit_glance and fit_augment; curves is fit_curves; choices is
    fit_choices. Each holds every group; a group that no law fits is in glance with a `refused` verdict.
    """

    tidy: pd.DataFrame
    glance: pd.DataFrame
    augment: pd.DataFrame
    elasticities: pd.DataFrame
    curves: pd.DataFrame
    choices: pd.DataFrame

    def tables(self) -> dict[str, pd.DataFrame]:
        """The frames under their table names, as store.parquet.write takes them."""
        return {
            "fit_tidy": self.tidy, "fit_glance": self.glance, "fit_augment": self.augment,
            "elasticities": self.elasticities, "fit_curves": self.curves, "fit_choices": self.choices,
        }  # fmt: skip


def analyse(runs: pd.DataFrame) -> Analysis:
    """Fit every law to every group (dataset, measured or published, workload, threads).

    All groups of a kind use the same throughput column (points.with_throughput).

    Parameters
        runs: the runs table.
    Returns
        Analysis. Runs without any throughput, and those that did not complete, are left out.
    """
    rows = with_throughput(runs)
    rows = rows[rows["y"].notna() & rows["cores"].notna()]
    parts = [_group(label, group) for label, group in _groups(rows)]
    names = ("fit_tidy", "fit_glance", "fit_augment", "elasticities", "fit_curves", "fit_choices")
    return Analysis(*(_stack([frame for p in parts for frame in p[name]], name) for name in names))


def _groups(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    several = rows["dataset"].nunique() > 1
    kinds = rows.groupby("dataset", dropna=False)["outcome"].transform("nunique")
    known = pd.Series(False, index=rows.index)
    for _, kind in rows.groupby(list(KIND), dropna=False):
        known[kind.index] = saturated(kind, "y")
    groups = []
    grouped = rows.assign(saturated=known, kinds=kinds).groupby(_GROUP, dropna=False, sort=True)
    for (dataset, outcome, workload, threads), group in grouped:
        loops = "threads unknown" if np.isnan(threads) else f"{threads:g} threads"
        label = f"{workload}, {loops}" if workload else loops
        if outcome == Outcome.PUBLISHED and (group["kinds"] > 1).all():
            label += ", published"
        groups.append((f"{dataset}: {label}" if several and dataset else label, group))
    return groups


def _group(label: str, group: pd.DataFrame) -> dict[str, list[pd.DataFrame]]:
    choice = select(group, y=group["y_column"].iloc[0])
    for found in choice.fits.values():
        found.label = label
    names = {"group": label, **{c: group[c].iloc[0] for c in ("workload", "threads", "outcome")}}
    chosen = {**names, "law": choice.law, "verdict": choice.verdict, "sentence": choice.sentence}
    found = list(choice.fits.values())
    return {
        "fit_tidy": [f.tidy() for f in found],
        "fit_glance": [*(f.glance() for f in found), _refusals(names, group, choice)],
        "fit_augment": [f.augment() for f in found],
        "elasticities": [_steps(label, group)],
        "fit_curves": [_curve(f, names) for f in found],
        "fit_choices": [from_rows([chosen], "fit_choices")],
    }


def _refusals(names: dict, group: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    sizes = {
        "n_obs": group.groupby(["spec", "cores", "ram_gib"], dropna=False).ngroups, "n_runs": len(group),
        "n_specs": group["cores"].nunique(),
    }  # fmt: skip
    rows = [
        {**names, **sizes, "law": law, "converged": False, "verdict": claims.refused(reason)}
        for law, reason in choice.refusals.items()
    ]
    return from_rows(rows, "fit_glance")


def _steps(label: str, group: pd.DataFrame) -> pd.DataFrame:
    try:
        return elasticities(group, "y", label=label)
    except FitError:
        return empty("elasticities")


def _curve(found: Fit, names: dict) -> pd.DataFrame:
    first, last = found.problem.x.min(), found.problem.x.max()
    inside = np.unique(np.concatenate([np.geomspace(first, last, CURVE_POINTS), found.problem.x]))
    beyond = np.geomspace(last, EXTRAPOLATION * last, CURVE_POINTS_BEYOND + 1)[1:]
    curve = found.predict(np.concatenate([np.clip(inside, first, last), beyond]))
    return conform(curve.assign(**names, law=found.law.name), "fit_curves")


def _stack(parts: list[pd.DataFrame], table: str) -> pd.DataFrame:
    parts = [p for p in parts if not p.empty]
    return conform(pd.concat(parts, ignore_index=True), table) if parts else empty(table)
