"""What one more core and one more GiB bring, and what they cost: "from 16 to 32 cores you pay 2x for 1.2x"."""

from collections.abc import Mapping
from itertools import groupby, pairwise
from math import exp, isnan, log, nan

import pandas as pd

from ycsbook.scaling.elasticity import (
    ALL_SPECS,
    BOUNDS,
    LARGER_BOUND,
    ONE_EACH,
    Cell,
    Means,
    Step,
    bounded,
    mean,
    spec_cells,
    steps,
)
from ycsbook.tables import from_rows
from ycsbook.units import significant

_JOINED = ", "


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
        >>> print(marginals(points)["sentence"].iloc[0])
        From 16 to 32 cores you pay 2x for 1.2x (single runs, no interval): 625 ops/s for each core added.
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
    rows = marginals.to_dict("records")
    for row in rows:
        paid = _price(row["to_spec"], prices) / _price(row["from_spec"], prices)
        if not isnan(paid):
            row |= {"cost_ratio": paid, "efficiency": row["gain"] / paid}
            row["sentence"] = _sentence(row)
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
    return {**row, "sentence": _sentence(row)}


def _ram_step(means: Means, pair: tuple[list[Cell], list[Cell]]) -> dict:
    first, second = pair
    step = Step(first[0].cores, second[0].cores, [pair], "equal cores" + bounded([pair]))
    row = _compared(means, step)
    low, high = row["ram_from"], row["ram_to"]
    row |= {
        "cost_ratio": nan, "elasticity": step.log_ratio / log(high / low),
        "ops_per_gib": (exp(mean(second)) - exp(mean(first))) / (high - low),
    }  # fmt: skip
    return {**row, "sentence": _sentence(row)}


def _sentence(row: Mapping[str, object]) -> str:
    paid, basis = row["cost_ratio"], row["basis"]
    limited, at_least = basis.endswith(BOUNDS), "at least " if basis.endswith(LARGER_BOUND) else ""
    gain = f"{_times(row['gain'])} ({_interval(row['conf_low'], row['conf_high'])})"
    # "At least" less than before says nothing, and neither does a rate that may as well be 0.
    open_ = row["conf_low"] <= 1 <= row["conf_high"] or (at_least and row["gain"] <= 1)
    if open_:
        bargain = f"{'' if isnan(paid) else f'you pay {_times(paid)} and '}no gain in throughput is shown: {gain}"
    else:
        bargain = f"throughput is {at_least}{gain}" if isnan(paid) else f"you pay {_times(paid)} for {at_least}{gain}"

    def rate(per: str, unit: str) -> str:
        return "" if open_ else f": {at_least}{_signed(row[per])} ops/s for each {unit} added"

    asides = [f"at {row['threads']:g} threads"] if limited and not isnan(row["threads"]) else []
    if row["cores_from"] < row["cores_to"]:
        # Of several specs a side the RAM is no one figure, which counts as more.
        more = basis.startswith((ONE_EACH, ALL_SPECS)) and not row["ram_to"] <= row["ram_from"]
        aside = _aside(["with more RAM", *asides] if more else asides)
        return (
            f"From {row['cores_from']:g} to {row['cores_to']:g} cores{aside} {bargain}{rate('ops_per_core', 'core')}."
        )
    return (
        f"At {row['cores_from']:g} cores, from {row['ram_from']:g} to {row['ram_to']:g} GiB{_aside(asides)} "
        f"{bargain}{rate('ops_per_gib', 'GiB')}."
    )


def _aside(parts: list[str]) -> str:
    return f", {', '.join(parts)}," if parts else ""


def _interval(low: float, high: float) -> str:
    return "single runs, no interval" if isnan(low) else f"{low:.3g} to {high:.3g}"


def _compared(means: Means, step: Step) -> dict:
    first, second = ([c for side in sides for c in side] for sides in zip(*step.pairs, strict=True))
    low, high = means.interval(step)
    return {
        **means.names, "from_spec": _JOINED.join(c.spec for c in first),
        "to_spec": _JOINED.join(c.spec for c in second), "basis": step.basis, "cores_from": step.cores_from,
        "cores_to": step.cores_to, "ram_from": _only(first), "ram_to": _only(second),
        "gain": exp(step.log_ratio), "conf_low": exp(low), "conf_high": exp(high),
    }  # fmt: skip


def _only(cells: list[Cell]) -> float:
    sizes = {c.ram_gib for c in cells}
    return sizes.pop() if len(sizes) == 1 else nan


def _times(ratio: float) -> str:
    return f"{ratio:.3g}x"


def _signed(value: float) -> str:
    return f"−{significant(-value)}" if value < 0 else significant(value)
