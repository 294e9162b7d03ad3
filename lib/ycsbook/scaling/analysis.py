"""Every group of a runs table: what limits its points, fits of all laws, curves, steps, and which law to show."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.scaling import claims
from ycsbook.scaling.cells import CELL
from ycsbook.scaling.elasticity import elasticity_rows, spec_cells
from ycsbook.scaling.fitted import Fit
from ycsbook.scaling.joint import fit_joint
from ycsbook.scaling.limits import LEFT_OUT, LimitKind, limits
from ycsbook.scaling.marginals import marginal_rows
from ycsbook.scaling.points import KIND, with_throughput
from ycsbook.scaling.select import Choice, select
from ycsbook.tables import empty, from_rows
from ycsbook.verdicts import Outcome

CURVE_POINTS, CURVE_POINTS_BEYOND = 17, 4
EXTRAPOLATION = 2.0
# Fewer thread counts on one spec than this are no curve.
MIN_THREADS = 4
_GROUP = [*KIND, "workload", "threads"]
_COLUMNS = ["run_id", *CELL, "cores", "ram_gib", "cache_gib", "y", "y_column", "throttled"]
# In the order of their attributes.
TABLES = (
    "fit_tidy", "fit_glance", "fit_augment", "elasticities", "fit_curves", "fit_choices", "limits", "fit_joint",
    "marginals", "fit_threads",
)  # fmt: skip


@dataclass(frozen=True)
class Analysis:
    """What the laws say about a runs table, in the tables of the same names (SCHEMAS).

    tidy, glance and augment are fit_tidy, fit_glance and fit_augment; curves is fit_curves (the law to show and the
    USL); choices is fit_choices; joint is fit_joint, one law for each workload; threads is fit_threads, the law to
    show over the thread counts of each spec with at least 4. Each holds every group; a group that no law fits is in
    glance with a `refused` verdict.
    """

    tidy: pd.DataFrame
    glance: pd.DataFrame
    augment: pd.DataFrame
    elasticities: pd.DataFrame
    curves: pd.DataFrame
    choices: pd.DataFrame
    limits: pd.DataFrame = field(default_factory=lambda: empty("limits"))
    joint: pd.DataFrame = field(default_factory=lambda: empty("fit_joint"))
    marginals: pd.DataFrame = field(default_factory=lambda: empty("marginals"))
    threads: pd.DataFrame = field(default_factory=lambda: empty("fit_threads"))

    def tables(self) -> dict[str, pd.DataFrame]:
        """The frames under their table names, as store.parquet.write takes them."""
        frames = (
            self.tidy, self.glance, self.augment, self.elasticities, self.curves, self.choices, self.limits, self.joint,
            self.marginals, self.threads,
        )  # fmt: skip
        return dict(zip(TABLES, frames, strict=True))


def analyse(runs: pd.DataFrame, operations: pd.DataFrame | None = None) -> Analysis:
    """Say what limits each point, then fit every law to every group (dataset, outcome, workload, threads).

    Points that cannot be right (suspect, inconsistent) are left out. Where it is known what limits a group's points,
    those that something else than the server limited are lower bounds; where it is not, nothing that a ceiling could
    fake is claimed. All groups of a kind use the same throughput column (points.with_throughput).

    Parameters
        runs, operations: the tables of these names. Without operations Little's law is not tested.
    Returns
        Analysis. Runs without any throughput, and those that did not complete, are left out.
    """
    found = limits(runs, operations)
    rows = with_throughput(runs)
    rows = _with_limits(rows.loc[rows["y"].notna() & rows["cores"].notna(), _COLUMNS], found)
    tables: dict[str, list[dict]] = {name: [] for name in TABLES}
    for label, group in _groups(rows, _GROUP):
        for name, part in _group(label, group).items():
            tables[name] += part
    for label, group in _groups(rows, [*KIND, "workload"]):
        tables["fit_joint"] += _joint(label, group)
    for label, group in _groups(rows, [*KIND, "workload", "spec"]):
        tables["fit_threads"] += _over_threads(label, group)
    del tables["limits"]
    frames = {name: from_rows(part, name) for name, part in tables.items()} | {"limits": found}
    return Analysis(*(frames[name] for name in TABLES))


def _with_limits(rows: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Each run with its cell's `limit_kind`, and `known`: whether anything limits its group for certain."""
    cell = rows.assign(spec=rows["spec"].where(rows["spec"] != "", rows["run_id"]))[CELL]
    kinds = cell.merge(found[[*CELL, "limit_kind"]], on=CELL, how="left")["limit_kind"]
    rows = rows.assign(limit_kind=kinds.fillna(str(LimitKind.UNDECIDED)).to_numpy())
    decided = ~rows["limit_kind"].isin([LimitKind.UNDECIDED, LimitKind.SINGLE, *LEFT_OUT])
    groups = [rows[c] for c in _GROUP]
    return rows.assign(left_out=rows["limit_kind"].isin(LEFT_OUT),
                       known=decided.groupby(groups, dropna=False).transform("any"))  # fmt: skip


def _groups(rows: pd.DataFrame, keys: list[str]) -> list[tuple[str, pd.DataFrame]]:
    """Label and rows of each group; the label says no more than is needed to tell the groups apart."""
    several = rows["dataset"].nunique() > 1
    kinds = rows.groupby("dataset", dropna=False)["outcome"].transform("nunique")
    groups = []
    for key, group in rows.assign(kinds=kinds).groupby(keys, dropna=False, sort=True):
        names = dict(zip(keys, key, strict=True))
        words = [names["workload"]] if names["workload"] else []
        if "threads" in names:
            words.append("threads unknown" if np.isnan(names["threads"]) else f"{names['threads']:g} threads")
        words += [names["spec"]] if names.get("spec") else []
        if names["outcome"] == Outcome.PUBLISHED and (group["kinds"] > 1).all():
            words.append("published")
        label = ", ".join(words)
        groups.append((f"{names['dataset']}: {label}" if several and names["dataset"] else label, group))
    return groups


def _group(label: str, group: pd.DataFrame) -> dict[str, list[dict]]:
    sound = group[~group["left_out"]]
    left_out = group.loc[group["left_out"], "spec"].nunique()
    if group["known"].any():
        sound = sound.assign(censored=sound["limit_kind"] != LimitKind.SERVER)
    names = {"group": label, **{c: group[c].iloc[0] for c in ("workload", "threads", "outcome")}}
    places = _places(sound["cores"].to_numpy(float))
    choice = select(sound, y="y", places=places) if len(sound) else _nothing(left_out)
    for found in choice.fits.values():
        found.label, found.y, found.n_left_out = label, group["y_column"].iloc[0], left_out
    drawn = [f for law, f in choice.fits.items() if law in (choice.law, "usl")]
    chosen = {**names, "law": choice.law, "verdict": choice.verdict, "sentence": choice.sentence}
    means = spec_cells(sound, "y")
    return {
        "fit_tidy": [row for f in choice.fits.values() for row in f.tidy_rows()],
        "fit_glance": [*(f.glance_row() for f in choice.fits.values()), *_refusals(names, sound, left_out, choice)],
        "fit_augment": [row for f in choice.fits.values() for row in f.augment_rows()],
        "elasticities": elasticity_rows(means, label),
        "fit_curves": [{**names, **row} for f in drawn for row in _curve(f, places)],
        "fit_choices": [chosen],
        "marginals": marginal_rows(means, label),
    }


def _nothing(left_out: int) -> Choice:
    reason = f"all {left_out} points are suspect or inconsistent"
    return Choice("", f"not identifiable: {reason}", f"No law can be fitted: {reason}.", {}, {"linear": reason})


def _refusals(names: dict, group: pd.DataFrame, left_out: int, choice: Choice) -> list[dict]:
    sizes = {
        "n_obs": group.groupby(["spec", "cores", "ram_gib"], dropna=False).ngroups, "n_runs": len(group),
        "n_specs": group["cores"].nunique(), "n_left_out": left_out,
    }  # fmt: skip
    for found in choice.fits.values():
        # All laws see the same points, also those that do not suffice for this one.
        sizes |= {"n_specs": found.n_specs, "n_censored": len(found.means) - found.n_measured}
    return [
        {**names, **sizes, "law": law, "converged": False, "verdict": claims.refused(reason)}
        for law, reason in choice.refusals.items()
    ]


def _places(x: np.ndarray) -> np.ndarray:
    """Where a curve is drawn: the points' own x, a grid between them, and as far again beyond."""
    if not len(x):
        return x
    inside = np.clip(np.geomspace(x.min(), x.max(), CURVE_POINTS), x.min(), x.max())
    beyond = np.geomspace(x.max(), EXTRAPOLATION * x.max(), CURVE_POINTS_BEYOND + 1)[1:]
    return np.unique(np.concatenate([inside, x, beyond]))


def _curve(found: Fit, at: np.ndarray) -> list[dict]:
    return found.curve(at).assign(law=found.law.name, cores=at).to_dict("records")


def _joint(label: str, group: pd.DataFrame) -> list[dict]:
    """The joint law where the points allow one; the limits of its points are its own business, but not others'."""
    sound = group[~group["left_out"] & group["threads"].notna()]
    try:
        found = fit_joint(sound.assign(censored=sound["limit_kind"] == LimitKind.ELSEWHERE), "y")
    except FitError as e:
        names = {c: group[c].iloc[0] for c in ("workload", "outcome")}
        verdict = f"not identifiable: {str(e).removeprefix('joint law: ')}"
        return [{"group": label, **names, "identifiable": False, "verdict": verdict, "sentence": ""}]
    found.label = label
    return found.rows()


def _over_threads(label: str, group: pd.DataFrame) -> list[dict]:
    # What a target throughput holds back shows nothing of the threads.
    sound = group[~group["left_out"] & ~group["throttled"] & group["threads"].notna()]
    if sound["threads"].nunique() < MIN_THREADS:
        return []
    choice = select(sound, "threads", "y")
    names = {"group": label, **{c: group[c].iloc[0] for c in ("workload", "spec", "outcome")}}
    names |= {"law": choice.law, "verdict": choice.verdict, "sentence": choice.sentence}
    if not choice.law:
        return [names]
    found = choice.fits[choice.law]
    sizes = {"n_obs": len(found.means), "residual_se": found.residual_se}
    return [{**names, **sizes, **row} for row in found.parameters.drop(columns="std_error").to_dict("records")]
