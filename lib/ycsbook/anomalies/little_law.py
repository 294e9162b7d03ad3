"""Rows whose throughput, latency, threads and mix cannot all be right, or agree less well than their family's."""

import math
from collections.abc import Iterator
from itertools import groupby

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies import families
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import DEVIATIONS, FAR, LEAST_ROWS, LEAST_SD, FamilyRows, last_place
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.closed_loop import MAX_UTILISATION
from ycsbook.facts import Fact, fact
from ycsbook.tables import dicts
from ycsbook.units import US_PER_S

ADVICE = fact("little_law-advice")
IMPOSSIBLE, SUSPECT, ROUNDING = 1.10, MAX_UTILISATION, 1.001
# One row that is off by such a power of ten, to so much, has a wrong unit or number of digits.
_POWERS, _NEAR_POWER = (1, 2, 3), 0.05
_LEAST_OFF = 3
# U of most tables, once threads and throughput are of all clients.
_OF_ALL = (0.9, MAX_UTILISATION)
# How the cause ends of latencies that are in another unit, beside throughputs that are right.
LATENCY_UNIT = "latencies in another unit"


@rule(
    cannot_know="which of throughput, latency, thread count and mix is wrong; means over unequal repeats give up to "
    "1 + cv² without any of them being wrong (1.05 takes a spread of 22 %)",
    source="Little (1961), A proof for the queuing formula L = lambda W: in a closed loop N = X (R + Z), Z >= 0, so "
    "U = X R / N cannot exceed 1",
    defaults={"error": IMPOSSIBLE, "warning": SUSPECT, "note": ROUNDING},
)
def little_law(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """U above `error` is an error, above `warning` a warning, above `note` and the rounding of the printed figures one
    note per dataset. Effect: U - 1.

    Where one latency is unknown U is at least the other's part, where the mix is at least that of the faster operation
    alone. Where nearly all rows of a dataset are off by about 1000 or 0.001, one finding says that a unit looks wrong,
    instead of one for each. A notice says so where U of nearly all written rows with several clients is
    their number, or one over it: the threads, or the throughput, are those of one client.
    """
    runs = pd.concat([evidence.runs, evidence.loads], ignore_index=True)
    kinds = [runs["utilisation"].notna(), runs["read_us"].isna(), runs["write_us"].isna()]
    by = np.select(kinds, ["", "-writes", "-reads"], "-any_mix")
    runs = runs.assign(by=by, utilisation=runs["least_utilisation"])
    for dataset, part in evidence.by_dataset(runs[runs["utilisation"] > 0]):
        for factor in (families.PER_UNIT, 1 / families.PER_UNIT):
            # Threads that were held to a rate are idle for most of the time, and so for one kind of operation.
            could = part if factor > 1 else part[part["target_ops_s"].isna() & part["by"].isin(["", "-any_mix"])]
            off = could[could["utilisation"].div(factor).between(*families.USUAL)]
            if len(off) >= max(_LEAST_OFF, families.NEARLY_ALL * len(part)):
                usual = float(off["utilisation"].median())
                yield Finding(
                    "error" if factor > 1 else "notice", dataset, tuple(off["run_id"]),
                    fact("little_law-unit", n=len(off), rows=fact("rows", n=len(part)), utilisation=usual,
                         large=factor > 1),
                    effect=usual - 1, cause=LATENCY_UNIT,
                )  # fmt: skip
                runs = runs.drop(off.index)
        several = part[families.written(part) & (part["clients"] > 1)]
        for key, of in (("threads", several["clients"]), ("ops", 1 / several["clients"])):
            off = several[several["utilisation"].div(of).between(*_OF_ALL)]
            if len(off) >= max(_LEAST_OFF, families.NEARLY_ALL * len(several)):
                usual = float(off["utilisation"].median())
                yield Finding(
                    "notice", dataset, tuple(off["run_id"]),
                    fact(f"little_law-client_{key}", n=len(off), rows=fact("rows", n=len(several)), utilisation=usual),
                    effect=usual - 1, advice=fact("little_law-client-advice"),
                )  # fmt: skip
                runs = runs.drop(off.index)
    for row in dicts(runs[runs["utilisation"] > settings["warning"]]):
        yield Finding(
            "error" if row["utilisation"] > settings["error"] else "warning", row["dataset"], (row["run_id"],),
            _with_slip(f"little_law{row['by']}", _slip(evidence, row),
                       cell=names.cell(row), utilisation=row["utilisation"], threads=row["threads"]),
            effect=row["utilisation"] - 1, cause=cause(row["workload"]), advice=ADVICE,
        )  # fmt: skip
    for dataset, part in evidence.by_dataset(runs):
        # How far U may be off by the last printed places of throughput and latencies.
        operations, ops = evidence.tables.operations, part["throughput_ops_s"]
        means = operations.loc[operations["run_id"].isin(part["run_id"])].groupby("operation")["mean_us"]
        place_us = means.agg(last_place).max() if len(means) else 0.0
        by_latency = ops * place_us / 2 / US_PER_S / part["threads"]
        least = settings["note"] + by_latency + part["utilisation"] * last_place(ops) / 2 / ops
        near = part[(part["utilisation"] > least) & (part["utilisation"] <= settings["warning"])]
        if near.empty:
            continue
        worst = near.loc[near["utilisation"].idxmax()]
        yield Finding(
            "note", dataset, tuple(near["run_id"]),
            fact("little_law-near", rows=fact("rows", n=len(near)), limit=settings["warning"],
                 utilisation=worst["utilisation"], cell=names.cell(worst)),
            effect=float(worst["utilisation"] - 1),
        )  # fmt: skip


def cause(workload: str) -> str:
    return f"{workload}: throughput, latency and threads do not agree"


def _slip(evidence: Evidence, row: dict) -> dict[str, float | None]:
    """What a row's U tells beyond being wrong: the `power` of ten that it is from what is usual, as by a wrong unit or
    number of digits, 0 if none; and the throughput that `fits` its latency and its neighbours. Empty of neither."""
    times = evidence.times_usual.get(row["run_id"], math.nan)
    power = round(math.log10(times)) if times > 0 else 0
    power = power if abs(power) in _POWERS and abs(times / 10.0**power - 1) <= _NEAR_POWER else 0
    fits = next((x for at, x in evidence.misprinted.items() if row["run_id"] in evidence.cells["run_ids"][at]), None)
    return {"power": power, "fits": fits} if power or fits else {}


def _with_slip(key: str, slip: dict[str, float | None], **values: object) -> Fact:
    """The message of a row, and how it may have come about where that is known."""
    return fact(f"{key.partition('-')[0]}-slip", **values, **slip) if slip else fact(key, **values)


@rule(
    cannot_know="which figure of a row is wrong, or whether any is: below the family, threads may have waited in the "
    "client; above it, repeats may have been unequal",
    source="median and 1.4826 times the median absolute deviation: Hampel (1974), JASA 69, 383-393",
    defaults={"deviations": DEVIATIONS, "rows": LEAST_ROWS, "least_sd": LEAST_SD, "far": FAR},
)
def little_family(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """U further than `deviations` robust standard deviations from the median of its dataset and workload.

    Needs at least `rows` rows, or five that agree to 1 % beside one that is off by 25 % or more; the standard deviation
    is taken to be at least `least_sd`. A row alone is a notice, and none where little_law warns of it already; in a
    table that somebody wrote, published or one's own, a row alone that is off by `far` or more, and a block of
    neighbouring specs, is a warning. In logs, where all figures come from one file, either is a notice as well. Several
    rows that are off by 1000 or 0.001, of throughputs that fit, are one finding: a unit of their latencies.
    Effect: U over the median, minus 1.
    """
    for group in families.families(evidence.runs, settings["rows"], settings["least_sd"]):
        odd = group.odd(settings["deviations"])
        if odd.empty:
            continue
        for power, rows in _other_units(evidence, odd).items():
            specs = map(names.spec_listed, dicts(rows.sort_values(["cores", "ram_gib"])))
            yield Finding(
                "warning" if group.is_written else "notice", group.dataset, tuple(rows["run_id"]),
                fact("little_family-unit", mix=names.mix(rows.iloc[0]), rows=fact("rows", n=len(rows)), power=power,
                     **names.listed("specs", specs)),
                effect=10.0**power - 1, cause=f"{group.workload}: {LATENCY_UNIT}",
            )  # fmt: skip
            odd = odd.drop(rows.index)
        for row in dicts(odd[odd["utilisation"] <= SUSPECT]):
            yield _alone(group, row, settings["far"], _slip(evidence, row))
        for specs in _blocks(group.rows, set(odd["spec"])):
            yield _block(group, odd[odd["spec"].isin(specs)])


def _other_units(evidence: Evidence, odd: pd.DataFrame) -> dict[int, pd.DataFrame]:
    """Odd rows, several at least, whose U is off by the factor between two units though their throughputs fit: it is
    their latencies. By the power of ten."""
    slips = [_slip(evidence, row) for row in dicts(odd)]
    powers = np.array([0 if slip.get("fits") else slip.get("power", 0) for slip in slips])
    return {power: odd[powers == power] for power in (-3, 3) if (powers == power).sum() >= _LEAST_OFF}


def _alone(group: FamilyRows, row: dict, far: float, slip: dict[str, float | None]) -> Finding:
    below, effect = row["z"] < 0, row["utilisation"] / group.family.median - 1
    return Finding(
        "warning" if group.is_written and abs(effect) >= far else "notice",
        group.dataset, (row["run_id"],),
        _with_slip("little_family", slip, cell=names.cell(row), utilisation=row["utilisation"],
                   deviations=abs(row["z"]), above=not below, usual=group.family.median, n=len(group.rows),
                   outside=bool(below and not group.is_written)),
        effect=effect, cause=cause(group.workload), advice=_advice(group),
    )  # fmt: skip


def _advice(group: FamilyRows) -> Fact:
    return fact(f"little_family-{'published' if group.is_written else 'measured'}-advice")


def _blocks(rows: pd.DataFrame, odd: set[str]) -> list[list[str]]:
    """Runs of at least two neighbouring specs, by cores and then RAM, that all have an odd row."""
    order = rows.drop_duplicates("spec").sort_values(["cores", "ram_gib"])["spec"]
    blocks = [list(block) for is_odd, block in groupby(order, key=lambda spec: spec in odd) if is_odd]
    return [block for block in blocks if len(block) > 1]


def _block(group: FamilyRows, odd: pd.DataFrame) -> Finding:
    ends = dicts(odd.sort_values(["cores", "ram_gib"]).iloc[[0, -1]])
    worst = odd.loc[odd["z"].abs().idxmax()]
    sides = {"above": int((odd["z"] > 0).sum()), "below": int((odd["z"] < 0).sum())}
    return Finding(
        "warning" if group.is_written else "notice", group.dataset, tuple(odd["run_id"]),
        fact("little_family-block", mix=names.mix(worst), first=names.spec(ends[0]), last=names.spec(ends[1]),
             rows=fact("rows", n=len(odd)), specs=odd["spec"].nunique(),
             sides=[fact(f"little_family-{side}", n=n) for side, n in sides.items() if n],
             usual=group.family.median, utilisation=worst["utilisation"]),
        effect=float(worst["utilisation"] / group.family.median - 1), cause=cause(group.workload),
        advice=_advice(group),
    )  # fmt: skip
