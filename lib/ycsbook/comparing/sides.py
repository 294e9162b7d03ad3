"""The two sides of a comparison: their cells, their noise, and the laws through them."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.scaling.cells import Noise, cells, noise, usable
from ycsbook.scaling.limits import LEFT_OUT, judge
from ycsbook.scaling.pairs import CONFIDENCE
from ycsbook.scaling.points import KIND
from ycsbook.scaling.select import select
from ycsbook.scaling.variance import SMALLEST_VARIANCE
from ycsbook.tables import Tables

if TYPE_CHECKING:
    from ycsbook.scaling import Fit

# What a server is called where neither side says which it was: who compares the two holds them to be alike.
UNNAMED = "unnamed"


@dataclass(frozen=True)
class Side:
    """One kind (dataset, measured or published) of one of the two sides.

    Attributes
        name: how the tables call it. published: whether a vendor measured it.
        cells: as scaling.cells gives them, with limit_kind. noise: between its repeats.
        write_concerns: those of its runs that are known. started_at: of each run, empty where unknown.
    """

    name: str
    published: bool
    cells: pd.DataFrame
    noise: Noise
    write_concerns: frozenset[str]
    started_at: pd.Series
    _laws: dict = field(default_factory=dict, repr=False)
    _at: dict = field(default_factory=dict, repr=False)

    @cached_property
    def groups(self) -> dict[tuple[str, float], pd.DataFrame]:
        """Its cells by workload and thread count (NaN threads are in none)."""
        return dict(tuple(self.cells.groupby(["workload", "threads"])))

    def law(self, workload: str, threads: float) -> "Fit | None":
        """The law that select shows for these cells, over cores; None where none can be fitted.

        It describes what is had with so many threads, whatever the limit; rows that cannot be right are left out.
        """
        key = (workload, threads)
        if key not in self._laws:
            points = self.groups[key]
            points = points[~points["limit_kind"].isin(LEFT_OUT) & points["cores"].notna()]
            points = points.assign(y=np.exp(points["log_y"]))[[*KIND, "workload", "threads", *_SHAPE, "y"]]
            choice = select(points, y="y")
            self._laws[key] = choice.fits.get(choice.law)
        return self._laws[key]

    def spans(self, workload: str, threads: float, cores: pd.Series) -> bool:
        """Whether there is a law for these cells, and all of these cores lie inside what it was fitted to."""
        law = self.law(workload, threads)
        return law is not None and bool(cores.between(law.means["cores"].min(), law.means["cores"].max()).all())

    def law_at(self, workload: str, threads: float, cores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ln of the law's mean curve at these cores, and its standard error there (half its interval over t)."""
        law = self.law(workload, threads)
        t = special.stdtrit(law.df, (1 + CONFIDENCE) / 2)
        keys = [(workload, threads, one) for one in cores]
        if new := [key for key in dict.fromkeys(keys) if key not in self._at]:
            curve = law.predict([one for _, _, one in new])
            errors = np.log(curve["conf_high"] / curve["conf_low"]) / (2 * t)
            self._at.update(zip(new, zip(np.log(curve["fitted"]), errors, strict=True), strict=True))
        found = np.array([self._at[key] for key in keys])
        return found[:, 0], found[:, 1]

    def spread(self, cell: pd.Series) -> tuple[float, float]:
        """Variance of a cell's mean ln X and its degrees of freedom; NaN and 0 where nothing tells them.

        Where nothing was repeated, the scatter of the specs around their law stands in for the noise. It holds what
        RAM and other hardware do as well, so it is rather too wide than too narrow.
        """
        if self.noise.df > 0:
            return max(self.noise.variance, SMALLEST_VARIANCE) / cell["n"], self.noise.df
        found = self.law(cell["workload"], cell["threads"])
        return (float("nan"), 0) if found is None else (max(found.residual_se**2, SMALLEST_VARIANCE), found.df)


_SHAPE = ("spec", "cores", "ram_gib")


def sides(a: Tables, b: Tables, names: tuple[str, str] | None = None) -> tuple[list[Side], list[Side]]:
    """The kinds of each of the two, named apart.

    Parameters
        names: what to call them; by default as their datasets are called.
    """
    unnamed = (a.runs["spec"] == "").all() and (b.runs["spec"] == "").all()
    return _kinds(a, 0, names, unnamed, b), _kinds(b, 1, names, unnamed, a)


def _kinds(tables: Tables, which: int, names: tuple[str, str] | None, unnamed: bool, other: Tables) -> list[Side]:
    runs = tables.runs.assign(spec=UNNAMED) if unnamed else tables.runs
    rows = usable(runs, tables.operations)
    found = cells(rows)
    variances = noise(found)
    found = found.assign(limit_kind=judge(found, variances)["limit_kind"])
    several = found.groupby("dataset")["outcome"].nunique()
    shared = set(other.runs["dataset"])
    parts = []
    # From small to large, not by the letters of their names.
    for kind, part in found.sort_values(["workload", "cores", "ram_gib", "spec", "threads"]).groupby(list(KIND)):
        dataset, published = kind[0], kind[1] == "published"
        name = names[which] if names else (dataset or "unnamed")
        if not names and dataset in shared:
            name += f" ({'ab'[which]})"
        if several[dataset] > 1 and published:
            name += ", published"
        own = rows[(rows["dataset"] == dataset) & (rows["outcome"] == kind[1])]
        known = frozenset(own["write_concern"]) - {""}
        parts.append(Side(name, published, part.reset_index(drop=True), variances[kind], known, own["started_at"]))
    return parts
