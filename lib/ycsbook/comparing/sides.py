"""The two sides of a comparison: their cells, their noise, and the curves through them."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook.comparing.curves import Curve, curve
from ycsbook.scaling.cells import SMALLEST_VARIANCE, Noise, cells, noise, usable
from ycsbook.scaling.limits import LEFT_OUT, judge
from ycsbook.scaling.points import KIND
from ycsbook.tables import Tables

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
    _curves: dict = field(default_factory=dict, repr=False)

    @cached_property
    def groups(self) -> dict[tuple[str, float], pd.DataFrame]:
        """Its cells by workload and thread count (NaN threads are in none)."""
        return dict(tuple(self.cells.groupby(["workload", "threads"])))

    def curve(self, workload: str, threads: float) -> Curve | None:
        """Throughput over the cores of these cells; None where it has fewer than two core counts.

        It is what is had with so many threads, whatever the limit; rows that cannot be right are left out.
        """
        key = (workload, threads)
        if key not in self._curves:
            points = self.groups[key]
            points = points[~points["limit_kind"].isin(LEFT_OUT) & points["cores"].notna()]
            points = points.assign(y=np.exp(points["log_y"]))[
                [*KIND, "workload", "threads", *_SHAPE, "limit_kind", "y"]
            ]
            self._curves[key] = curve(points)
        return self._curves[key]

    def spans(self, workload: str, threads: float, cores: pd.Series) -> bool:
        """Whether there is a curve of these cells, and all of these cores lie inside it."""
        found = self.curve(workload, threads)
        return found is not None and bool(cores.between(found.first, found.last).all())

    def spread(self, cell: pd.Series) -> tuple[float, float]:
        """Variance of a cell's mean ln X and its degrees of freedom; NaN and 0 where nothing tells them.

        Where nothing was repeated, the scatter of the specs around their curve stands in for the noise. It holds what
        RAM and other hardware do as well, so it is rather too wide than too narrow.
        """
        if self.noise.df > 0:
            return max(self.noise.variance, SMALLEST_VARIANCE) / cell["n"], self.noise.df
        found = self.curve(cell["workload"], cell["threads"])
        if found is None or not found.df:
            return float("nan"), 0
        return max(found.scatter**2, SMALLEST_VARIANCE), found.df


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
