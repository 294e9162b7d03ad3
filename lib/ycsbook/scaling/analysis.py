"""Every group of a runs table: fits of all laws, curves for the plots, elasticities, and which law to show."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.scaling import claims
from ycsbook.scaling.bottleneck import saturated
from ycsbook.scaling.elasticity import elasticities
from ycsbook.scaling.fit import Fit
from ycsbook.scaling.points import THROUGHPUTS, throughput_column, usable
from ycsbook.scaling.select import Choice, select
from ycsbook.tables import conform, empty, from_rows

CURVE_POINTS, CURVE_POINTS_BEYOND = 33, 8
EXTRAPOLATION = 2.0
_GROUP = ["dataset", "workload", "threads"]


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
    """Fit every law to every group (dataset, workload, threads) of completed or published runs.

    Parameters
        runs: the runs table.
    Returns
        Analysis. Runs without any throughput, and those that did not complete, are left out.
    """
    rows = usable(runs)
    rows = rows[rows[list(THROUGHPUTS)].notna().any(axis=1) & rows["cores"].notna()]
    parts = [_group(label, group) for label, group in _groups(rows)]
    names = ("fit_tidy", "fit_glance", "fit_augment", "elasticities", "fit_curves", "fit_choices")
    return Analysis(*(_stack([frame for p in parts for frame in p[name]], name) for name in names))


def _groups(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    several = rows["dataset"].nunique() > 1
    groups = []
    for (dataset, workload, threads), group in rows.groupby(_GROUP, dropna=False, sort=True):
        loops = "threads unknown" if np.isnan(threads) else f"{threads:g} threads"
        label = f"{workload}, {loops}" if workload else loops
        whole = rows[rows["dataset"] == dataset]
        try:
            y = throughput_column(group)
        except FitError:
            known = pd.Series(False, index=group.index)
        else:
            known = saturated(whole[whole[y].notna()], y).reindex(group.index, fill_value=False)
        groups.append((f"{dataset}: {label}" if several and dataset else label, group.assign(saturated=known)))
    return groups


def _group(label: str, group: pd.DataFrame) -> dict[str, list[pd.DataFrame]]:
    choice = select(group)
    for found in choice.fits.values():
        found.label = label
    names = {"group": label, "workload": group["workload"].iloc[0], "threads": group["threads"].iloc[0]}
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
        return elasticities(group, label=label)
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
