"""What each step from one core count or RAM size to the next brought: local elasticities, and what a core or a GiB
brings for its price, "from 16 to 32 cores you pay 2x for 1.2x"."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from math import exp, inf, isnan, log, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.facts import Fact, fact, from_json, in_columns
from ycsbook.scaling.cells import Noise, pooled
from ycsbook.scaling.points import throughput_column, usable
from ycsbook.tables import from_rows

CONFIDENCE = 0.95
_JOINED = ", "
# A side of a step that is a lower bound; only where the larger alone is, the gain is a lower bound too.
_BOUND = {(False, False): "none", (False, True): "larger", (True, False): "smaller", (True, True): "both"}
_SHAPE = (("spec", ""), ("cores", nan), ("ram_gib", nan))
_NAMES = (("workload", ""), ("threads", nan), ("outcome", ""))


class Cell(NamedTuple):
    """One spec of a group: cores, RAM (GiB, NaN if unknown), mean of ln y, over how many runs, and whether that is
    only a lower bound of what the server can do."""

    spec: str
    cores: float
    ram_gib: float
    mean: float
    size: int
    bound: bool = False


@dataclass(frozen=True)
class Means:
    """The spec means of one group of points.

    Attributes
        cells: one per spec, sorted by cores and RAM.
        variance, df: of ln y between repeats, pooled over the cells; NaN and 0 where nothing was repeated.
        names: workload, threads and outcome of the group.
    """

    cells: list[Cell]
    variance: float
    df: int
    names: dict

    @cached_property
    def t(self) -> float:
        """The t quantile of the pooled variance; NaN where nothing was repeated."""
        return float(special.stdtrit(self.df, (1 + CONFIDENCE) / 2)) if self.df else nan

    def interval(self, step: "Step") -> tuple[float, float]:
        """The 95 % interval of a step's ln ratio, from the noise between repeats; NaN without repeats."""
        reach = self.t * sqrt(self.variance * step.of_means) if self.df else nan
        return step.log_ratio - reach, step.log_ratio + reach


@dataclass(frozen=True)
class Step:
    """Two core counts, or two RAM sizes, compared: pairs of cells on both sides, and on what basis (a fact).

    One pair per equal RAM where there is such, else one pair of all. `bound` of the basis says which side is a lower
    bound of what its server can do.
    """

    cores_from: float
    cores_to: float
    pairs: list[tuple[list[Cell], list[Cell]]]
    basis: Fact

    @property
    def log_ratio(self) -> float:
        """The mean of the pairs' ln throughput ratios."""
        return sum(mean(b) - mean(a) for a, b in self.pairs) / len(self.pairs)

    @property
    def of_means(self) -> float:
        """The variance of log_ratio, in units of one run's variance."""
        return sum(_of_mean(a) + _of_mean(b) for a, b in self.pairs) / len(self.pairs) ** 2


def elasticities(points: pd.DataFrame, y: str | None = None, *, label: str = "") -> pd.DataFrame:
    """One row per step between neighbouring core counts of one group.

    Specs of equal RAM are compared where both counts have them, and the ln ratios averaged; otherwise all specs
    of a count are averaged, and `basis` says which. An elasticity of 1 is proportional, 0 no gain. The interval
    needs repeats: it uses their variance pooled over the group, so it speaks of the noise between repeats, not
    of the scatter between specs.

    Parameters
        points: one row per run, repeats kept: spec, cores, ram_gib, y, and workload and threads.
    Returns
        The columns of the table elasticities; conf_low and conf_high are of the elasticity, NaN without repeats.
    """
    return from_rows(elasticity_rows(spec_cells(points, y), label), "elasticities")


def elasticity_rows(means: Means, label: str) -> list[dict]:
    """As `elasticities`, as plain rows from the spec means of one group."""
    rows = []
    for step in steps(means):
        span = log(step.cores_to / step.cores_from)
        low, high = means.interval(step)
        rows.append(
            {"group": label, **means.names, "cores_from": step.cores_from, "cores_to": step.cores_to,
             "gain": exp(step.log_ratio), "elasticity": step.log_ratio / span, "conf_low": low / span,
             "conf_high": high / span, **in_columns("basis", step.basis)}
        )  # fmt: skip
    return rows


def spec_cells(points: pd.DataFrame, y: str | None = None, noise: Noise | None = None) -> Means:
    """The means of ln y per spec, and the noise between repeats.

    Parameters
        points: one row per run of one workload and one thread count, repeats kept: cores, y, and spec, ram_gib,
            workload, threads, outcome, censored (whether y is a lower bound) where known. y: the throughput column,
            ops/s, chosen if None.
        noise: of a run of the whole dataset (variance.run_noise); by default pooled over these points.
    """
    if {"phase", "outcome"} <= set(points.columns):
        points = usable(points)
    y = y if y is not None else throughput_column(points)
    known = points[y].to_numpy(float) > 0
    columns = (points[c].to_numpy()[known] if c in points else [m] * int(known.sum()) for c, m in _SHAPE)
    bounds = points["censored"].to_numpy(bool)[known] if "censored" in points else np.zeros(int(known.sum()), bool)
    runs: dict[tuple, list[tuple[float, bool]]] = {}
    logs = np.log(points[y].to_numpy(float)[known]).tolist()
    for *shape, value, bound in zip(*columns, logs, bounds.tolist(), strict=True):
        # NaN is no key: RAM that is not known is None here.
        key = tuple(None if isinstance(v, float) and isnan(v) else v for v in shape)
        runs.setdefault(key, []).append((value, bound))
    cells, squares, df = [], 0.0, 0
    for (spec, cores, ram), here in runs.items():
        if cores is not None:
            values = [value for value, _ in here]
            centre = sum(values) / len(values)
            bound = any(flag for _, flag in here)
            cells.append(Cell(spec, float(cores), nan if ram is None else float(ram), centre, len(values), bound))
            squares, df = squares + sum((v - centre) ** 2 for v in values), df + len(values) - 1
    cells.sort(key=lambda c: (c.cores, inf if isnan(c.ram_gib) else c.ram_gib, c.spec))
    names = {c: points[c].iloc[0] if c in points and len(points) else missing for c, missing in _NAMES}
    noise = noise or pooled(squares, df)
    return Means(cells, noise.variance, noise.df, names)


def steps(means: Means) -> list[Step]:
    """The steps between neighbouring core counts, lowest first."""
    by_cores = [list(cells) for _, cells in groupby(means.cells, key=lambda c: c.cores)]
    return [_step(low, high) for low, high in pairwise(by_cores)]


def mean(cells: list[Cell]) -> float:
    """The mean of ln y over the cells."""
    return sum(c.mean for c in cells) / len(cells)


def _step(low: list[Cell], high: list[Cell]) -> Step:
    cores = low[0].cores, high[0].cores
    shared = sorted({c.ram_gib for c in low if not isnan(c.ram_gib)} & {c.ram_gib for c in high})
    if shared:
        pairs = [([c for c in low if c.ram_gib == r], [c for c in high if c.ram_gib == r]) for r in shared]
        return Step(*cores, pairs, fact("step-equal-ram", sizes=[f"{r:g}" for r in shared], bound=_bound(pairs)))
    key = "step-one-each" if len(low) == len(high) == 1 else "step-all-specs"
    if all(isnan(c.ram_gib) for c in (*low, *high)):
        key = "step-ram-unknown"
    return Step(*cores, [(low, high)], fact(key, bound=_bound([(low, high)])))


def _bound(pairs: list[tuple[list[Cell], list[Cell]]]) -> str:
    """Which side of these pairs is a lower bound: none, larger, smaller or both."""
    return _BOUND[tuple(any(cell.bound for pair in pairs for cell in pair[side]) for side in (0, 1))]


def _of_mean(cells: list[Cell]) -> float:
    """Variance of the cells' mean, in units of one run's variance."""
    return sum(1 / c.size for c in cells) / len(cells) ** 2


def marginals(
    points: pd.DataFrame, y: str | None = None, *, label: str = "", prices: Mapping[str, float] | None = None
) -> pd.DataFrame:
    """One row per step: between neighbouring core counts, then at each core count between neighbouring RAM sizes.

    A step in cores compares specs of equal RAM where both counts have them, and averages their ln ratios; else all
    specs of both counts (as `elasticities`). A step in RAM compares specs with equal cores.

    Parameters
        points: one row per run of one workload and one thread count, repeats kept: spec, cores, ram_gib (GiB) and y
            (ops/s).
        y: the throughput column; chosen if None.
        prices: price per hour by spec. Where both sides have one, `cost_ratio` is the ratio of their mean prices.
    Returns
        The table `marginals`. gain is the throughput ratio, conf_low and conf_high its 95 % interval from the noise
        between repeats (NaN without repeats). basis says also where a side is a lower bound (a column `censored`):
        where only the larger is, the sentence says "at least", else that it speaks of this many threads. Where the
        interval includes 1, or at least a loss is all that is known, it says that no gain is shown, and no rate.
        elasticity is ln gain over the ln ratio of cores (of RAM in a RAM step).
        cost_ratio: prices, else cores; in a RAM step without prices NaN. efficiency = gain / cost_ratio.
        ops_per_core and ops_per_gib: throughput gained (geometric means) per core or GiB added, ops/s.
    Examples
        >>> points = pd.DataFrame({"spec": ["s", "l"], "cores": [16, 32], "throughput_ops_s": [50e3, 60e3]})
        >>> marginals(points)[["cost_ratio", "gain", "ops_per_core"]].iloc[0].round(6).tolist()
        [2.0, 1.2, 625.0]
    """
    return with_prices(from_rows(marginal_rows(spec_cells(points, y), label), "marginals"), prices or {})


def marginal_rows(means: Means, label: str) -> list[dict]:
    """As `marginals`, as plain rows from the spec means of one group."""
    rows = [_core_step(means, step) for step in steps(means)]
    for _, here in groupby((c for c in means.cells if not isnan(c.ram_gib)), key=lambda c: c.cores):
        by_ram = [list(cells) for _, cells in groupby(here, key=lambda c: c.ram_gib)]
        rows += [_ram_step(means, pair) for pair in pairwise(by_ram)]
    return [{"group": label, **row} for row in rows]


def with_prices(marginals: pd.DataFrame, prices: Mapping[str, float]) -> pd.DataFrame:
    """The table `marginals` with what the steps cost: cost_ratio, efficiency and sentence by prices where known.

    Parameters
        marginals: as `marginals` gives it. prices: price per hour by spec; empty: the table as it is.
    """
    if not prices:
        return marginals
    rows = []
    for row in marginals.to_dict("records"):
        paid = _price(row["to_spec"], prices) / _price(row["from_spec"], prices)
        priced = row if isnan(paid) else {**row, "cost_ratio": paid, "efficiency": row["gain"] / paid}
        rows.append({**priced, **_sentence(priced)})
    return from_rows(rows, "marginals")


def _price(specs: str, prices: Mapping[str, float]) -> float:
    names = specs.split(_JOINED)
    return sum(prices.get(name, nan) for name in names) / len(names)


def _core_step(means: Means, step: Step) -> dict:
    row = _compared(means, step)
    cores = step.cores_to / step.cores_from
    gained = sum(exp(mean(b)) - exp(mean(a)) for a, b in step.pairs) / len(step.pairs)
    per_core = gained / (step.cores_to - step.cores_from)
    row |= {
        "cost_ratio": cores, "elasticity": step.log_ratio / log(cores), "efficiency": row["gain"] / cores,
        "ops_per_core": per_core,
    }  # fmt: skip
    return {**row, **_sentence(row)}


def _ram_step(means: Means, pair: tuple[list[Cell], list[Cell]]) -> dict:
    first, second = pair
    step = Step(first[0].cores, second[0].cores, [pair], fact("step-equal-cores", bound=_bound([pair])))
    row = _compared(means, step)
    low, high = row["ram_from"], row["ram_to"]
    row |= {
        "cost_ratio": nan, "elasticity": step.log_ratio / log(high / low),
        "ops_per_gib": (exp(mean(second)) - exp(mean(first))) / (high - low),
    }  # fmt: skip
    return {**row, **_sentence(row)}


def _sentence(row: Mapping[str, object]) -> dict[str, str]:
    """The columns of what a step says."""
    basis = from_json(row["basis_key"], row["basis_values"])
    bound, threads = basis.values["bound"], row["threads"]
    at_least = bound == "larger"
    # "At least" less than before says nothing, and neither does a rate that may as well be 0.
    shown = not (row["conf_low"] <= 1 <= row["conf_high"] or (at_least and row["gain"] <= 1))
    in_cores = row["cores_from"] < row["cores_to"]
    # Of several specs a side the RAM is no one figure, which counts as more.
    unequal = in_cores and basis.key in ("step-one-each", "step-all-specs")
    more_ram, limited = unequal and not row["ram_to"] <= row["ram_from"], bound != "none" and not isnan(threads)
    aside = "both" if more_ram and limited else "ram" if more_ram else "threads" if limited else "none"
    shared = {
        "aside": aside, "threads": threads, "shown": shown, "paid": row["cost_ratio"], "gain": row["gain"],
        "low": row["conf_low"], "high": row["conf_high"], "at_least": at_least,
    }  # fmt: skip
    if in_cores:
        ends = {"from": row["cores_from"], "to": row["cores_to"]}
        rate = row["ops_per_core"] if shown else None
        return in_columns("sentence", fact("step-cores", **ends, **shared, rate=rate))
    ends = {"cores": row["cores_from"], "from": row["ram_from"], "to": row["ram_to"]}
    return in_columns("sentence", fact("step-ram", **ends, **shared, rate=row["ops_per_gib"] if shown else None))


def _compared(means: Means, step: Step) -> dict:
    first, second = ([c for side in sides for c in side] for sides in zip(*step.pairs, strict=True))
    low, high = means.interval(step)
    return {
        **means.names, "from_spec": _JOINED.join(c.spec for c in first),
        "to_spec": _JOINED.join(c.spec for c in second), "cores_from": step.cores_from, "cores_to": step.cores_to,
        "ram_from": _only(first), "ram_to": _only(second), **in_columns("basis", step.basis),
        "gain": exp(step.log_ratio), "conf_low": exp(low), "conf_high": exp(high),
    }  # fmt: skip


def _only(cells: list[Cell]) -> float:
    sizes = {c.ram_gib for c in cells}
    return sizes.pop() if len(sizes) == 1 else nan
