"""Every group of a runs table: what limits its points, fits of all laws, curves, steps, and which law to show."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ycsbook.columns import CELL, KIND, SCHEMAS
from ycsbook.errors import FitError
from ycsbook.facts import Fact, fact, from_json, in_columns
from ycsbook.names import mixes
from ycsbook.scaling import claims
from ycsbook.scaling.cells import Noise, run_noise
from ycsbook.scaling.fitting import Choice, nothing_fits, select
from ycsbook.scaling.joint import fit_joint
from ycsbook.scaling.limits import HELD_TO_A_RATE, LEFT_OUT, LimitKind, decided, limits
from ycsbook.scaling.points import OWN_THREADS, SHAPE, at_own_threads, refusal, with_throughput, without_ceiling
from ycsbook.scaling.repeats import spec_or_run_id
from ycsbook.scaling.steps import elasticities, marginal_rows
from ycsbook.tables import dicts, from_rows
from ycsbook.verdicts import Outcome

CURVE_POINTS, CURVE_POINTS_BEYOND = 17, 4
EXTRAPOLATION = 2.0
# Fewer thread counts on one spec than this are no curve.
MIN_THREADS = 4
_GROUP = [*KIND, "workload", "threads"]
_COLUMNS = ["run_id", *CELL, "read_fraction", "cores", "ram_gib", "cache_gib", "y", "y_column", "throttled"]
# The attribute of Analysis that holds each table.
TABLES = {
    "fit_tidy": "tidy", "fit_glance": "glance", "fit_augment": "augment", "elasticities": "elasticities",
    "fit_curves": "curves", "fit_choices": "choices", "limits": "limits", "fit_joint": "joint",
    "marginals": "marginals", "fit_threads": "threads",
}  # fmt: skip


@dataclass(frozen=True)
class Analysis:
    """What the laws say about a runs table, in the tables that TABLES names (SCHEMAS). curves: the law to show and the
    USL; joint: one law for each workload; threads: the law to show over the thread counts of each spec with at least 4.
    Each holds every group; one that no law fits is in glance with a `refused` verdict. What the tables say are facts;
    `with_tables(messages.worded)` has them in English as well."""

    tidy: pd.DataFrame
    glance: pd.DataFrame
    augment: pd.DataFrame
    elasticities: pd.DataFrame
    curves: pd.DataFrame
    choices: pd.DataFrame
    limits: pd.DataFrame
    joint: pd.DataFrame
    marginals: pd.DataFrame
    threads: pd.DataFrame

    @cached_property
    def series(self) -> Mapping[str, Fact]:
        """The name of each `group` of the tables, as a fact."""
        groups = pd.concat([t[["group", "series_values"]] for t in (self.choices, self.joint, self.threads)])
        groups = groups.drop_duplicates("group")
        return {label: from_json("series", values) for label, values in groups.itertuples(index=False)}

    def tables(self) -> dict[str, pd.DataFrame]:
        """The frames under their table names, as store.parquet.write takes them."""
        return {table: getattr(self, attribute) for table, attribute in TABLES.items()}

    def with_tables(self, change: Callable[[pd.DataFrame], pd.DataFrame]) -> "Analysis":
        return replace(self, **{attribute: change(getattr(self, attribute)) for attribute in TABLES.values()})


def analyse(runs: pd.DataFrame, operations: pd.DataFrame | None = None) -> Analysis:
    """Say what limits each point, then fit every law to every group (dataset, outcome, workload, threads).

    Where threads rise with cores, each spec at its own thread count is one group, whose threads are NaN in the tables.
    Points that cannot be right (suspect, inconsistent) are left out. Where it is known what limits a group's points,
    those that something else than the server limited are lower bounds; where it is not, nothing that a ceiling could
    fake is claimed. All groups of a kind use the same throughput column (points.with_throughput). Runs without any
    throughput, and those that did not complete, are left out.

    Parameters
        runs, operations: the tables of these names. Without operations Little's law is not tested.
    """
    limits_by_cell = limits(runs, operations)
    noise, rows = _noise(runs), judged(runs, limits_by_cell)
    tables: dict[str, list[dict]] = {name: [] for name in TABLES if name not in ("limits", "elasticities")}
    for groups, add in (
        (_over_cores_groups(rows), partial(_over_cores, noise)),
        (_groups(rows, [*KIND, "workload"]), _joint),
        (_groups(rows, [*KIND, "workload", "spec"]), _over_threads),
    ):
        for label, series, group in groups:
            for name, part in add(label, group).items():
                title = in_columns("series", series) if "series_key" in SCHEMAS[name] else {}
                tables[name] += [row | title for row in part]
    frames = {TABLES[name]: from_rows(part, name) for name, part in tables.items()}
    return Analysis(**frames, limits=limits_by_cell, elasticities=elasticities(frames["marginals"]))


def marginals_of_groups(runs: pd.DataFrame, operations: pd.DataFrame | None = None) -> pd.DataFrame:
    """The table `marginals` of every group as `analyse` gives it, without fitting any law; parameters as there."""
    noise, groups = _noise(runs), _over_cores_groups(judged(runs, limits(runs, operations)))
    return from_rows([row for label, _, group in groups for row in _marginals(noise, label, group)], "marginals")


def _over_cores_groups(rows: pd.DataFrame) -> list[tuple[str, Fact, pd.DataFrame]]:
    groups = _groups(at_own_threads(rows), _GROUP)
    return [(label, series, without_ceiling(group)) for label, series, group in groups]


def _marginals(noise: Mapping[tuple[str, str], Noise], label: str, group: pd.DataFrame) -> list[dict]:
    return marginal_rows(sound(group), label, noise=noise[tuple(group[list(KIND)].iloc[0])])


def _noise(runs: pd.DataFrame) -> dict[tuple[str, str], Noise]:
    return {kind: run_noise(part) for kind, part in with_throughput(runs).groupby(list(KIND), dropna=False)}


def by_run(runs: pd.DataFrame, limits_by_cell: pd.DataFrame) -> pd.DataFrame:
    """The row of the table `limits` that is about each run, with the index of `runs`; missing where there is none."""
    cell = runs.assign(spec=spec_or_run_id(runs))[CELL]
    return cell.merge(limits_by_cell, on=CELL, how="left").set_axis(runs.index)


def judged(runs: pd.DataFrame, limits_by_cell: pd.DataFrame, x: str = "cores") -> pd.DataFrame:
    """Of the runs whose x and throughput `y` (points.with_throughput) are known, what a law may look at, with
    `limit_kind`; `left_out`: the run cannot be right; `known`: it is known what limits some run of its group.
    limits_by_cell: the table `limits` of the runs."""
    rows = with_throughput(runs)
    rows = rows.loc[rows["y"].notna() & rows[x].notna(), _COLUMNS]
    limit = by_run(rows, limits_by_cell)
    rows = rows.assign(limit_kind=limit["limit_kind"].fillna(str(LimitKind.UNDECIDED)),
                       throttled=rows["throttled"] & limit["reason_key"].isin(HELD_TO_A_RATE))  # fmt: skip
    groups = [rows[c] for c in _GROUP]
    return rows.assign(left_out=rows["limit_kind"].isin(LEFT_OUT),
                       known=decided(rows["limit_kind"]).groupby(groups, dropna=False).transform("any"))  # fmt: skip


def lower_bounds(rows: pd.DataFrame) -> pd.Series:
    """Of rows as `judged` gives them, those that are lower bounds to a law over cores."""
    return rows["known"] & ~rows["left_out"] & (rows["limit_kind"] != LimitKind.SERVER)


def sound(group: pd.DataFrame, x: str = "cores") -> pd.DataFrame:
    """The rows of one group, as `judged` gives them, that a law over x, cores or threads, is fitted to. Over cores
    lower bounds are marked (`censored`), where these are known, and points of which that is not (`undecided`). Over
    threads nothing is: what a target holds back shows nothing of the threads and is left out."""
    rows = group[~group["left_out"]]
    if x == "threads":
        return rows[~rows["throttled"]]
    if not group["known"].any():
        return rows
    return rows.assign(censored=lower_bounds(rows), undecided=rows["limit_kind"] == LimitKind.UNDECIDED)


def _groups(rows: pd.DataFrame, keys: list[str]) -> list[tuple[str, Fact, pd.DataFrame]]:
    """Label, series and rows of each group; both say no more than is needed to tell the groups apart."""
    mix_of = mixes(rows)
    several = rows["dataset"].nunique() > 1
    kinds = rows.groupby("dataset", dropna=False)["outcome"].transform("nunique")
    groups = []
    for key, group in rows.assign(kinds=kinds).groupby(keys, dropna=False, sort=True):
        names = dict(zip(keys, key, strict=True))
        parts: dict[str, object] = {names["workload"]: mix_of[names["workload"]]} if names["workload"] else {}
        if "threads" in names:
            n = names["threads"]
            count = "threads unknown" if np.isnan(n) else f"{n:g} thread{'' if n == 1 else 's'}"
            parts["own threads" if n == OWN_THREADS else count] = fact("series-threads", threads=n)
        if names.get("spec"):
            parts[names["spec"]] = names["spec"]
        if names["outcome"] == Outcome.PUBLISHED and (group["kinds"] > 1).all():
            parts["published"] = fact("series-published")
        dataset = names["dataset"] if several and names["dataset"] else None
        label = ", ".join(parts)
        series = fact("series", dataset=dataset, parts=list(parts.values()))
        groups.append((f"{dataset}: {label}" if dataset else label, series, group))
    return groups


def _over_cores(noise: Mapping[tuple[str, str], Noise], label: str, group: pd.DataFrame) -> dict[str, list[dict]]:
    left_out, points = group.loc[group["left_out"], "spec"].nunique(), sound(group)
    names = {"group": label, **{c: group[c].iloc[0] for c in ("workload", "threads", "outcome") if c in group}}
    at = places(points["cores"].to_numpy(float))
    choice = nothing_fits({"linear": fact("law-all-left-out", n=left_out)})
    if len(points):
        choice = select(points, y="y", places=at)
    for fit in choice.fits.values():
        fit.label, fit.y, fit.n_left_out = label, group["y_column"].iloc[0], left_out
    curves = [
        (choice if law == choice.law else choice.fits[law]).curve(at).assign(law=law, cores=at)
        for law in choice.fits
        if law in (choice.law, "usl")
    ]
    return {
        "fit_tidy": [row for fit in choice.fits.values() for row in fit.tidy_rows()],
        "fit_glance": [
            *(fit.glance_row() for fit in choice.fits.values()), *_refusals(names, points, left_out, choice)
        ],
        "fit_augment": [row for fit in choice.fits.values() for row in fit.augment_rows()],
        "fit_curves": [{**names, **row} for curve in curves for row in dicts(curve)],
        "fit_choices": [{**names, **_chosen(choice)}],
        "marginals": _marginals(noise, label, group),
    }  # fmt: skip


def _chosen(choice: Choice) -> dict[str, str]:
    return {"law": choice.law, **in_columns("verdict", choice.verdict), **in_columns("sentence", choice.sentence)}


def _refusals(names: dict, group: pd.DataFrame, left_out: int, choice: Choice) -> list[dict]:
    names = names | {
        "n_obs": group.groupby(SHAPE, dropna=False).ngroups, "n_runs": len(group),
        "n_specs": group["cores"].nunique(), "n_left_out": left_out, "converged": False,
    }  # fmt: skip
    for fit in choice.fits.values():
        # All laws see the same points, also those that do not suffice for this one.
        names |= {"n_specs": fit.n_specs, "n_censored": len(fit.means) - fit.n_measured}
    refused = ((law, fact("refused", reason=reason)) for law, reason in choice.refusals.items())
    return [{**names, "law": law, **in_columns("verdict", verdict)} for law, verdict in refused]


def places(x: np.ndarray) -> np.ndarray:
    """Where a curve is drawn: the points' own x, a grid between them, and as far again beyond."""
    if not len(x):
        return x
    inside = np.clip(np.geomspace(x.min(), x.max(), CURVE_POINTS), x.min(), x.max())
    beyond = np.geomspace(x.max(), EXTRAPOLATION * x.max(), CURVE_POINTS_BEYOND + 1)[1:]
    return np.unique(np.concatenate([inside, x, beyond]))


def _joint(label: str, group: pd.DataFrame) -> dict[str, list[dict]]:
    """The joint law where the points allow one; the limits of its points are its own business, but not others'."""
    points = group[~group["left_out"] & group["threads"].notna()]
    try:
        fit = fit_joint(points.assign(censored=points["limit_kind"] == LimitKind.ELSEWHERE), "y")
    except FitError as e:
        names = {c: group[c].iloc[0] for c in ("workload", "outcome")}
        verdict = in_columns("verdict", claims.not_identifiable(refusal(e)))
        return {"fit_joint": [{"group": label, **names, "identifiable": False, **verdict}]}
    fit.label = label
    return {"fit_joint": fit.rows()}


def _over_threads(label: str, group: pd.DataFrame) -> dict[str, list[dict]]:
    points = sound(group[group["threads"].notna()], "threads")
    if points["threads"].nunique() < MIN_THREADS:
        return {}
    choice = select(points, "threads", "y")
    names = {"group": label, **{c: group[c].iloc[0] for c in ("workload", "spec", "outcome")}, **_chosen(choice)}
    if not choice.law:
        return {"fit_threads": [names]}
    fit = choice.fits[choice.law]
    names |= {"n_obs": len(fit.means), "residual_se": fit.residual_se}
    return {"fit_threads": [names | row for row in dicts(fit.parameters.drop(columns="std_error"))]}
