"""What each step from one core count or RAM size to the next brought: local elasticities, and what a core or a GiB
brings for its price, "from 16 to 32 cores you pay 2x for 1.2x"."""

from collections.abc import Mapping
from itertools import groupby, pairwise
from math import exp, isnan, log, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook.columns import SCHEMAS
from ycsbook.errors import FitError
from ycsbook.facts import Fact, fact, from_json, in_columns
from ycsbook.scaling.cells import Noise, pooled, student_t
from ycsbook.scaling.points import analysable, cell_means
from ycsbook.tables import conform, dicts, from_rows
from ycsbook.units import SECONDS_PER_HOUR

# Cores and RAM that are correlated more closely than this cannot be told apart.
MOST_ALIKE = 0.95
# Cores, RAM and a constant, and as much again to tell chance from them.
LEAST_SPECS = 6
# RAM sizes at so many core counts; at fewer it is a pair, and no trend.
LEAST_CORE_COUNTS = 3
# So many times the throughput by more RAM at equal cores is much.
MUCH_BY_RAM = 1.5
_JOINED = ", "
# The family of an instance type, as m5 of m5.2xlarge.
_FAMILY = r"([a-z]\w*)(?:\.(?:nano|micro|small|medium|\d*x?large|metal)\b|-(?:standard|high(?:mem|cpu))-\d)"
_SHAPE = ["cores", "ram_gib", "spec"]
_UNKNOWN = {"spec": "", "ram_gib": nan, "censored": False}
_NAMES = {"workload": "", "threads": nan, "outcome": ""}


class Cell(NamedTuple):
    """One spec of a group: cores, RAM (GiB, NaN if unknown), mean of ln y, over how many runs, and whether that is
    only a lower bound of what the server can do."""

    cores: float
    ram_gib: float
    spec: str
    mean: float
    size: int
    bound: bool


# Cells on both sides of a step.
Pair = tuple[list[Cell], list[Cell]]


def marginals(points: pd.DataFrame, y: str | None = None, *, label: str = "") -> pd.DataFrame:
    """One row per step: between neighbouring core counts, then at each core count between neighbouring RAM sizes.

    A step in cores compares specs of equal RAM where both counts have them, and averages their ln ratios; else all
    specs of both counts, and `basis` says which. A step in RAM compares specs with equal cores.

    Parameters
        points: one row per run of one workload and one thread count, repeats kept: spec, cores, ram_gib and y (ops/s).
        y: the throughput column; chosen if None.
    Returns
        The table `marginals`. gain is the throughput ratio, conf_low and conf_high its 95 % interval from the noise
        between repeats (NaN without repeats), pooled over the group: not from the scatter between specs. basis says
        also where a side is a lower bound (a column `censored`): where only the larger is, the sentence says "at
        least", else that it speaks of this many threads. Where the interval includes 1, or at least a loss is all that
        is known, it says that no gain is shown, and no rate.
        elasticity is ln gain over the ln ratio of cores (of RAM in a RAM step): 1 is proportional, 0 no gain.
        cost_ratio: that of the cores, or of the prices (with_prices); in a RAM step without prices NaN. efficiency =
        gain / cost_ratio. ops_per_core and ops_per_gib: throughput gained (geometric means) per core or GiB added.
    Examples
        >>> points = pd.DataFrame({"spec": ["s", "l"], "cores": [16, 32], "throughput_ops_s": [50e3, 60e3]})
        >>> marginals(points)[["cost_ratio", "gain", "ops_per_core"]].iloc[0].round(6).tolist()
        [2.0, 1.2, 625.0]
    """
    points, y = analysable(points, y)
    return from_rows(marginal_rows(points, label, y), "marginals")


def elasticities(marginals: pd.DataFrame) -> pd.DataFrame:
    """The table `elasticities`: the steps in cores of a table `marginals`, with the interval of the elasticity."""
    steps = marginals[marginals["cores_from"] < marginals["cores_to"]].reset_index(drop=True)
    span = np.log(steps["cores_to"] / steps["cores_from"])
    ends = {end: np.log(steps[end]) / span for end in ("conf_low", "conf_high")}
    return conform(steps[[*SCHEMAS["elasticities"]]].assign(**ends), "elasticities")


def marginal_rows(points: pd.DataFrame, label: str, y: str = "y", noise: Noise | None = None) -> list[dict]:
    """As `marginals`, as plain rows. noise: of a run of the whole dataset; None: pooled over these points."""
    cells, noise = _spec_means(points, y, noise)
    by_cores = [list(alike) for _, alike in groupby(cells, key=lambda c: c.cores)]
    steps = [_compared(low, high) for low, high in pairwise(by_cores)]
    for cells_alike in by_cores:
        with_ram = [cell for cell in cells_alike if not isnan(cell.ram_gib)]
        by_ram = [list(cells) for _, cells in groupby(with_ram, key=lambda c: c.ram_gib)]
        steps += [([pair], fact("step-equal-cores", bound=_bound([pair]))) for pair in pairwise(by_ram)]
    names = {c: points[c].iloc[0] if c in points and len(points) else missing for c, missing in _NAMES.items()}
    rows = ({"group": label, **names, **_row(pairs, basis, noise)} for pairs, basis in steps)
    return [row | _sentence(row) for row in rows]


def _spec_means(points: pd.DataFrame, y: str, noise: Noise | None) -> tuple[list[Cell], Noise]:
    """The specs sorted by cores and RAM, and the noise of a run; where none is given, pooled over these points."""
    rows = points[(points[y] > 0) & points["cores"].notna()]
    rows = rows.assign(**{column: value for column, value in _UNKNOWN.items() if column not in rows})
    logs = np.log(rows[y].to_numpy(float))
    means = cell_means(rows, _SHAPE, logs, rows["censored"].to_numpy(bool))
    if noise is None:
        spec_mean = pd.Series(logs, rows.index).groupby([rows[c] for c in _SHAPE], dropna=False).transform("mean")
        noise = pooled(float(np.square(logs - spec_mean).sum()), len(rows) - len(means))
    columns = means[[*_SHAPE, "log_y", "n_runs", "censored"]].astype({"cores": float, "ram_gib": float})
    return [Cell(*row) for row in columns.itertuples(index=False)], noise


def _compared(low: list[Cell], high: list[Cell]) -> tuple[list[Pair], Fact]:
    """What is compared of two core counts, a pair per equal RAM, else one of all; and the basis."""
    shared = sorted({c.ram_gib for c in low if not isnan(c.ram_gib)} & {c.ram_gib for c in high})
    if shared:
        pairs = [([c for c in low if c.ram_gib == r], [c for c in high if c.ram_gib == r]) for r in shared]
        return pairs, fact("step-equal-ram", sizes=[f"{r:g}" for r in shared], bound=_bound(pairs))
    key = "step-one-each" if len(low) == len(high) == 1 else "step-all-specs"
    if all(isnan(c.ram_gib) for c in (*low, *high)):
        key = "step-ram-unknown"
    return [(low, high)], fact(key, bound=_bound([(low, high)]))


def _bound(pairs: list[Pair]) -> str:
    """Which side of these pairs is a lower bound: none, larger, smaller or both; `larger`: so is the gain."""
    smaller, larger = (any(cell.bound for pair in pairs for cell in pair[side]) for side in (0, 1))
    return "both" if smaller and larger else "smaller" if smaller else "larger" if larger else "none"


def _row(pairs: list[Pair], basis: Fact, noise: Noise) -> dict:
    first, second = ([c for side in sides for c in side] for sides in zip(*pairs, strict=True))
    log_ratio = sum(_mean(b) - _mean(a) for a, b in pairs) / len(pairs)
    gained = sum(exp(_mean(b)) - exp(_mean(a)) for a, b in pairs) / len(pairs)
    # The variance of log_ratio, in units of one run's variance.
    share = sum(sum(1 / c.size for c in side) / len(side) ** 2 for pair in pairs for side in pair) / len(pairs) ** 2
    reach = student_t(noise.df) * sqrt(noise.variance * share) if noise.df else nan
    row = {
        "from_spec": _JOINED.join(c.spec for c in first),
        "to_spec": _JOINED.join(c.spec for c in second), "cores_from": first[0].cores, "cores_to": second[0].cores,
        "ram_from": _only(first), "ram_to": _only(second), **in_columns("basis", basis),
        "gain": exp(log_ratio), "conf_low": exp(log_ratio - reach), "conf_high": exp(log_ratio + reach),
    }  # fmt: skip
    in_cores = first[0].cores < second[0].cores
    low, high = (row[f"cores_{end}" if in_cores else f"ram_{end}"] for end in ("from", "to"))
    paid, rate = high / low if in_cores else nan, "ops_per_core" if in_cores else "ops_per_gib"
    elasticity = log_ratio / log(high / low)
    more = {"cost_ratio": paid, "efficiency": row["gain"] / paid, "elasticity": elasticity}
    return row | more | {rate: gained / (high - low)}


def _mean(cells: list[Cell]) -> float:
    return sum(c.mean for c in cells) / len(cells)


def _only(cells: list[Cell]) -> float:
    sizes = {c.ram_gib for c in cells}
    return sizes.pop() if len(sizes) == 1 else nan


def with_prices(marginals: pd.DataFrame, prices: Mapping[str, float]) -> pd.DataFrame:
    """The table `marginals` with what the steps cost: cost_ratio, efficiency and sentence by prices where known.
    marginals: as `marginals` gives it. prices: price per hour by spec; empty: the table as it is."""
    if not prices:
        return marginals
    rows = []
    for row in dicts(marginals):
        paid = _price(row["to_spec"], prices) / _price(row["from_spec"], prices)
        priced = row if isnan(paid) else row | {"cost_ratio": paid, "efficiency": row["gain"] / paid}
        rows.append(priced | _sentence(priced))
    return from_rows(rows, "marginals")


def _price(specs: str, prices: Mapping[str, float]) -> float:
    names = specs.split(_JOINED)
    return sum(prices.get(name, nan) for name in names) / len(names)


def _sentence(row: Mapping[str, object]) -> dict[str, str]:
    basis = from_json(row["basis_key"], row["basis_values"])
    bound, threads = basis.values["bound"], row["threads"]
    at_least = bound == "larger"
    # "At least" less than before says nothing, and neither does a rate that may as well be 0.
    is_shown = not (row["conf_low"] <= 1 <= row["conf_high"] or (at_least and row["gain"] <= 1))
    in_cores = row["cores_from"] < row["cores_to"]
    # Of several specs a side the RAM is no one figure, which counts as more.
    unequal = in_cores and basis.key in ("step-one-each", "step-all-specs")
    more_ram, limited = unequal and not row["ram_to"] <= row["ram_from"], bound != "none" and not isnan(threads)
    aside = "both" if more_ram and limited else "ram" if more_ram else "threads" if limited else "none"
    shared = {
        "aside": aside, "threads": threads, "shown": is_shown, "paid": row["cost_ratio"], "gain": row["gain"],
        "low": row["conf_low"], "high": row["conf_high"], "at_least": at_least,
    }  # fmt: skip
    resource, per, place = ("cores", "core", {}) if in_cores else ("ram", "gib", {"cores": row["cores_from"]})
    ends = {**place, "from": row[f"{resource}_from"], "to": row[f"{resource}_to"]}
    rate = row[f"ops_per_{per}"] if is_shown else None
    return in_columns("sentence", fact(f"step-{resource}", **ends, **shared, rate=rate))


class Apart(NamedTuple):
    """By what twice the cores at the same RAM, and twice the RAM at the same cores, multiply throughput."""

    workload: str
    threads: float
    cores: float
    ram: float


def cores_and_ram_effects(rows: pd.DataFrame) -> list[Apart]:
    """What twice the cores bring among specs of equal RAM, and twice the RAM among specs of equal cores, of each
    workload and thread count whose specs vary both apart; nothing where RAM rises with the cores, or where families of
    servers differ, which may make what RAM seems to. Each is the least-squares slope of ln X within the groups that are
    alike in the other: growth need not be a straight line in either. rows: points.with_throughput(runs)."""
    if several_families(rows):
        return []
    planes = []
    for (workload, threads), cells in _known_cells(rows).groupby(["workload", "threads"], dropna=False):
        several = cells.groupby("cores")["ram_gib"].nunique() > 1
        is_apart = several.sum() >= LEAST_CORE_COUNTS and (cells.groupby("ram_gib")["cores"].nunique() > 1).any()
        logs = np.log2(cells[["cores", "ram_gib"]].to_numpy(float))
        if len(cells) >= LEAST_SPECS and is_apart and _alike(logs) <= MOST_ALIKE:
            by_cores, by_ram = _within(cells, "cores", alike="ram_gib"), _within(cells, "ram_gib", alike="cores")
            planes.append(Apart(str(workload), float(threads), by_cores, by_ram))
    return planes


def _within(cells: pd.DataFrame, column: str, *, alike: str) -> float:
    """By what a doubling of a column multiplies throughput among cells that are alike in another."""
    frame = pd.DataFrame({"x": np.log2(cells[column]), "y": cells["log_y"]})
    x, y = (frame - frame.groupby(cells[alike]).transform("mean")).to_numpy().T
    return float(np.exp(x @ y / (x @ x)))


def several_families(rows: pd.DataFrame) -> bool:
    """Whether the specs are named as instance types of several families of servers, as m5.large and c5.large."""
    return rows["spec"].str.extract(_FAMILY, expand=False).nunique() > 1


def ram_rises(rows: pd.DataFrame) -> bool:
    """Whether RAM rises with the cores so that the two cannot be told apart."""
    specs = rows[["spec", "cores", "ram_gib"]].drop_duplicates("spec").dropna()
    return specs["cores"].nunique() > 2 and specs["cores"].rank().corr(specs["ram_gib"].rank()) > 0.95


def ram_helps(rows: pd.DataFrame) -> bool:
    """Whether more RAM at equal cores brings much, and the largest servers have much more of it than the smallest: what
    they do more is not by their cores alone. rows: as for cores_and_ram_effects."""
    ram = rows[rows["cores"] > 0].groupby("cores")["ram_gib"].mean().dropna()
    is_larger = len(ram) > 1 and ram.iloc[-1] >= MUCH_BY_RAM * ram.iloc[0]
    return bool(is_larger and ram_steps(rows, whole=True)["factor"].max() >= MUCH_BY_RAM)


def ram_steps(rows: pd.DataFrame, *, whole: bool = False) -> pd.DataFrame:
    """From each RAM size to the next at the same cores, workload, threads and number of records; as a whole from the
    least to the most: workload, threads, cores; ram_from and ram_to (GiB); factor, by what the larger multiplies
    throughput. rows: as for cores_and_ram_effects."""
    records = rows.get("records", pd.Series(0.0, rows.index)).fillna(0.0)
    series = ["records", "workload", "threads", "cores"]
    cells = _known_cells(rows.assign(records=records), "records")
    sizes = cells.rename(columns={"ram_gib": "ram_to"})
    sizes = sizes.groupby([*series, "ram_to"], dropna=False)["log_y"].mean().reset_index()
    sizes = sizes.groupby(series, dropna=False).nth([0, -1]) if whole else sizes
    by_series = sizes.groupby(series, dropna=False)
    steps = sizes.assign(ram_from=by_series["ram_to"].shift(), factor=np.exp(by_series["log_y"].diff()))
    return steps[steps["ram_from"].notna()]


def at_equal_ram_and_records(rows: pd.DataFrame) -> bool:
    """Whether specs of different cores have the same RAM and number of records, at one workload and thread count: what
    cores alone bring is known. rows: as for cores_and_ram_effects."""
    alike = rows[rows["ram_gib"] > 0].groupby(["workload", "threads", "ram_gib", "records"], dropna=False)
    return bool((alike["cores"].nunique() > 1).any())


def _known_cells(rows: pd.DataFrame, *more: str) -> pd.DataFrame:
    known = rows[(rows["y"] > 0) & (rows["cores"] > 0) & (rows["ram_gib"] > 0)]
    keys = ["workload", "threads", "spec", "cores", "ram_gib", *more]
    return known.assign(log_y=np.log(known["y"])).groupby(keys, dropna=False)["log_y"].mean().reset_index()


def _alike(logs: np.ndarray) -> float:
    """The correlation of cores and RAM; 1 where one of them never varies."""
    return abs(float(np.corrcoef(logs.T)[0, 1])) if (np.ptp(logs, axis=0) > 0).all() else 1.0


MILLION = 1e6


def per_million(points: pd.DataFrame, prices: Mapping[str, float]) -> pd.DataFrame:
    """The points with the cost of a million operations: price per hour / (3,600 X) x 10^6, and its interval from X's.

    Parameters
        points: one row per spec: spec, fitted (ops/s), run_low, run_high (its 95 % interval for a new server, ops/s;
            NaN where unknown). A server in less than full use costs as much per hour for fewer operations.
        prices: price per hour by spec, in any one currency. A spec without a price gets NaN.
    Returns
        points with price_per_hour, cost_per_million, cost_low and cost_high, in that currency.
    Raises
        FitError: there is no price at all, or one that is not a number > 0.
    Examples
        >>> points = pd.DataFrame({"spec": ["8c64g"], "fitted": [50e3], "run_low": [40e3], "run_high": [60e3]})
        >>> per_million(points, {"8c64g": 0.9})[["cost_per_million", "cost_low", "cost_high"]].iloc[0].round(4).tolist()
        [0.005, 0.0042, 0.0062]
    """
    if not prices:
        raise FitError("cost: no prices are known; add 'prices: {spec: amount per hour}' to the params file")
    for spec, amount in prices.items():
        if not (np.isfinite(amount) and amount > 0):
            raise FitError(f"cost: got {amount:g} per hour as the price of {spec}, expected a number > 0")
    price = points["spec"].map(lambda spec: prices.get(spec, np.nan)).astype(float)
    per_hour = {
        c: points[x] * SECONDS_PER_HOUR / MILLION
        for c, x in (("cost_per_million", "fitted"), ("cost_low", "run_high"), ("cost_high", "run_low"))
    }
    return points.assign(price_per_hour=price, **{c: price / millions for c, millions in per_hour.items()})
