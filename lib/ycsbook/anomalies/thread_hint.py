"""The thread count that a published row's figures do fit, where they do not fit its own. A hint, never a repair."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.little_family import DEVIATIONS, FamilyRows, families
from ycsbook.anomalies.little_law import cause
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.anomalies.repair_hint import CORRUPTION
from ycsbook.facts import fact
from ycsbook.verdicts import Outcome

# Counts that people choose: powers of two, or one digit and zeros.
_DOUBLED = {2.0**n for n in range(12)}
_ROUND = {float(digit * 10**zeros) for digit in range(1, 10) for zeros in range(4)}


@rule(
    cannot_know="whether the thread count is wrong or a figure is: of rows corrupted at random, the share that each "
    "hint states would fit another usual thread count as well",
    source="Little (1961): throughput x latency is the number of threads at work; the share by seeded simulation",
    defaults={"deviations": DEVIATIONS, "tolerance": 2.0, "draws": 1000, "seed": 2020},
)
def thread_hint(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A failing row whose throughput x latency fits another usual thread count, or that of another row of its spec.

    Failing: more than `deviations` robust standard deviations from its family (little_family); fitting: at most
    `tolerance`. Usual are the counts of the table, with powers of two where it has no others, else with those of one
    digit and zeros; the nearest fit is named.
    Two failing rows of one spec and workload that fit each other's counts are exchanged, in one note. The share of
    random corruptions that would fit, too, is from `draws` draws over the good rows. Effect: the count that fits over
    the printed one, minus 1.
    """
    for group in families(evidence):
        failing = group.rows[group.rows["z"].abs() > settings["deviations"]]
        if group.outcome != Outcome.PUBLISHED or failing.empty:
            continue
        fits = _fitting(group, failing, settings["tolerance"])
        failing = failing.assign(fits=fits)[~np.isnan(fits)]
        by_chance = _share_by_chance(group, settings) if len(failing) else 0.0
        exchanged = set()
        for row in failing.to_dict("records"):
            if row["run_id"] in exchanged:
                continue
            other = failing[
                (failing["spec"] == row["spec"])
                & (failing["threads"] == row["fits"])
                & (failing["fits"] == row["threads"])
            ]
            others = list(other["run_id"][:1])
            exchanged |= set(others)
            yield Finding(
                "note", group.dataset, (row["run_id"], *others),
                fact("thread_hint", cell=names.cell(row), busy=row["utilisation"] * row["threads"], fits=row["fits"],
                     printed=row["threads"], exchanged=bool(others), by_chance=by_chance),
                effect=row["fits"] / row["threads"] - 1, cause=cause(group.workload), advice=fact("repair_hint-advice"),
            )  # fmt: skip


def _fitting(group: FamilyRows, rows: pd.DataFrame, tolerance: float) -> np.ndarray:
    """The usual thread count that each row's X R fits best, beside its own; NaN where none fits."""
    threads = rows["threads"].to_numpy(float)[:, np.newaxis]
    printed = set(group.rows["threads"])
    usual = np.array(sorted(printed | (_DOUBLED if printed <= _DOUBLED else _ROUND)))
    z = np.abs(group.family.deviations(rows["utilisation"].to_numpy(float)[:, np.newaxis] * threads / usual))
    z[threads == usual] = np.inf
    best = z.argmin(axis=1)
    return np.where(z.min(axis=1) <= tolerance, usual[best], np.nan)


def _share_by_chance(group: FamilyRows, settings: Thresholds) -> float:
    """Of good rows one of whose figures is multiplied by a lognormal factor and that then fail, those that fit."""
    random, draws = np.random.default_rng(int(settings["seed"])), int(settings["draws"])
    good = group.rows[group.rows["z"].abs() <= settings["deviations"]]
    rows = good.iloc[random.integers(len(good), size=draws)]
    rows = rows.assign(utilisation=rows["utilisation"] * np.exp(random.normal(0, CORRUPTION, draws)))
    rows = rows[np.abs(group.family.deviations(rows["utilisation"])) > settings["deviations"]]
    return float(np.mean(~np.isnan(_fitting(group, rows, settings["tolerance"])))) if len(rows) else 0.0
