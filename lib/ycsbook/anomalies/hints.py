"""The smallest slip of the pen that would explain a published row that fails Little's law: of a figure, or of its
threads. A hint, never a repair."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby
from math import comb
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import DEVIATIONS, FamilyRows
from ycsbook.anomalies.little_law import cause
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.closed_loop import of_mix
from ycsbook.facts import Fact, fact
from ycsbook.tables import dicts

# The three figures of a published row.
FIGURES = ("throughput_ops_s", "read_us", "write_us")
# A random corruption: throughput or read latency times a lognormal factor of this spread.
CORRUPTION = 0.3
_DRAWS = {"draws": 1000, "seed": 2020}
# Counts that people choose: powers of two, or one digit and zeros.
_DOUBLED = {2.0**n for n in range(12)}
_ROUND = {float(digit * 10**zeros) for digit in range(1, 10) for zeros in range(4)}


class Mend(NamedTuple):
    """A change of a failing row's figure that brings it back to its family; other: the row whose figure it then has."""

    row: dict
    figure: str
    was: float
    becomes: float
    other: Fact | None = None


@rule(
    cannot_know="whether the rows were corrupted in this way or in any other: one changed digit alone would mend many "
    "random corruptions, so that it is no hint",
    source="search over all one-digit changes and all swaps within a column; the share by seeded simulation",
    defaults={"deviations": DEVIATIONS, "tolerance": 2.0, "swap_least": 3.0, "chance": 0.2, **_DRAWS},
)
def repair_hint(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """The same difference in one digit, or two exchanged cells of a column, that would bring failing rows back to
    their family.

    Failing: more than `deviations` robust standard deviations from its family (little_family); mended: at most
    `tolerance`. Two exchanged cells must mend both rows, and move each by `swap_least` at least. A difference is told
    where chance would give it to so many rows in at most `chance` of cases, by `draws` draws over the good rows.
    Effect: the change of the figure, as a fraction.
    """
    for _, of_dataset in groupby(_failing(evidence, settings), key=attrgetter("dataset")):
        groups = list(of_dataset)
        swaps = [mend for group in groups for mend in _swaps(group, settings)]
        swapped = {mend.row["run_id"] for mend in swaps}
        digits = [m for group in groups for m in _digits(group, settings) if m.row["run_id"] not in swapped]
        if digits:
            failing = sum(len(group.odd(settings["deviations"])) for group in groups)
            yield from _common(digits, _differences(groups, settings), failing, settings["chance"])
        for row, figure, was, becomes, partner in swaps:
            yield Finding(
                "note", row["dataset"], (row["run_id"],),
                fact("repair_hint", cell=names.cell(row), figure=figure, was=was, becomes=becomes, other=partner),
                effect=becomes / was - 1, cause=cause(row["workload"]),
            )  # fmt: skip


def _failing(evidence: Evidence, settings: Thresholds) -> Iterator[FamilyRows]:
    return (g for g in evidence.families if g.is_written and len(g.odd(settings["deviations"])))


def _utilisation(rows: pd.DataFrame, figure: str = "", values: np.ndarray | None = None) -> np.ndarray:
    """X R / N of each row (n, 1), or with `figure` replaced by `values`, (n, m) or (1, m)."""
    used = {name: rows[name].to_numpy(float)[:, np.newaxis] for name in (*FIGURES, "read_fraction", "threads")}
    if values is not None:
        used[figure] = values
    return of_mix(**used)


def _digits(group: FamilyRows, settings: Thresholds) -> Iterator[Mend]:
    bad = group.odd(settings["deviations"])
    rows = dicts(bad)
    for figure in FIGURES:
        changed = one_digit_changed(bad[figure].to_numpy(float))
        z = group.family.deviations(_utilisation(bad, figure, changed))
        for row, at in zip(*np.nonzero(np.abs(z) <= settings["tolerance"]), strict=True):
            yield Mend(rows[row], figure, rows[row][figure], float(changed[row, at]))


def _swaps(group: FamilyRows, settings: Thresholds) -> list[Mend]:
    """Of each failing row the exchange of one cell with another row of the workload after which both fit best."""
    rows, bad = group.rows, group.odd(settings["deviations"])
    records, failing = dicts(rows), dicts(bad)
    fitting = []
    for figure in FIGURES:
        failing_column, column = (frame[figure].to_numpy(float)[np.newaxis] for frame in (bad, rows))
        failing_z = group.family.deviations(_utilisation(bad, figure, column))
        partner_z = group.family.deviations(_utilisation(rows, figure, failing_column)).T
        moved = np.minimum(np.abs(failing_z - bad[["z"]].to_numpy()), np.abs(partner_z - rows["z"].to_numpy()))
        fits = np.maximum(np.abs(failing_z), np.abs(partner_z)) <= settings["tolerance"]
        for at, partner_at in zip(*np.nonzero(fits & (moved >= settings["swap_least"])), strict=True):
            row, partner = failing[at], records[partner_at]
            mend = Mend(row, figure, row[figure], partner[figure], names.spec_and_threads(partner))
            fitting.append((abs(failing_z[at, partner_at]), mend))
    nearest: dict[str, Mend] = {}
    for _, mend in sorted(fitting, key=itemgetter(0)):
        nearest.setdefault(mend.row["run_id"], mend)
    return list(nearest.values())


def _differences(groups: list[FamilyRows], settings: Thresholds) -> dict[tuple[str, float], float]:
    """The share of random corruptions that each single difference (becomes less was) of a figure would mend: of good
    rows, throughput or read latency of which is multiplied by a lognormal factor of CORRUPTION, and that then fail."""
    random = np.random.default_rng(int(settings["seed"]))
    failed, differences = 0, Counter()
    for group in groups:
        good = group.usual(settings["deviations"])
        draws = round(settings["draws"] / len(groups))
        rows = good.iloc[random.integers(len(good), size=draws)].reset_index(drop=True)
        factor, read = np.exp(random.normal(0, CORRUPTION, draws)), random.random(draws) < 0.5
        for figure, hit in (("throughput_ops_s", ~read), ("read_us", read)):
            rows[figure] = np.where(hit, np.round(rows[figure] * factor), rows[figure])
        rows = rows[np.abs(group.family.deviations(_utilisation(rows)[:, 0])) > settings["deviations"]]
        for figure in FIGURES:
            changed = one_digit_changed(rows[figure].to_numpy())
            mends = np.abs(group.family.deviations(_utilisation(rows, figure, changed))) <= settings["tolerance"]
            differences.update((figure, d) for d in (changed - rows[figure].to_numpy()[:, np.newaxis])[mends].tolist())
        failed += len(rows)
    return {key: n / max(failed, 1) for key, n in differences.items()}


def chance_alike(differences: dict[tuple[str, float], float], n: int, failing: int, figure: str) -> float:
    """The probability, at most, that n of the failing rows have one difference in common, each corrupted by itself: the
    expected number of such n over all differences of the figure, 0 to 1."""
    return min(1.0, comb(failing, n) * sum(share**n for (of, _), share in differences.items() if of == figure))


def _common(
    digits: list[Mend], differences: dict[tuple[str, float], float], failing: int, most: float
) -> Iterator[Finding]:
    """The differences that several rows share, those of most rows first, each row once; failing: how many rows fail."""
    mends_of: dict[tuple[str, float], dict[str, Mend]] = defaultdict(dict)
    for mend in digits:
        mends_of[mend.figure, mend.becomes - mend.was][mend.row["run_id"]] = mend
    named_rows: set[str] = set()
    for (figure, difference), mends in sorted(mends_of.items(), key=lambda item: (-len(item[1]), -abs(item[0][1]))):
        unnamed = {run_id: mend for run_id, mend in mends.items() if run_id not in named_rows}
        alike = chance_alike(differences, len(unnamed), failing, figure)
        if len(unnamed) < 2 or alike > most:
            continue
        named_rows |= unnamed.keys()
        rows = [mend.row for mend in unnamed.values()]
        changes = [
            fact("repair_hint-change", cell=names.cell(row), was=was, becomes=becomes)
            for row, _, was, becomes, _ in unnamed.values()
        ]
        yield Finding(
            "note", rows[0]["dataset"], tuple(unnamed),
            fact("repair_hint-common", figure=figure, difference=abs(difference), higher=difference > 0, n=len(unnamed),
                 changes=changes, alike=alike),
            effect=float(np.mean([mend.becomes / mend.was - 1 for mend in unnamed.values()])),
            cause=cause(rows[0]["workload"]) if len({row["workload"] for row in rows}) == 1 else "",
            advice=fact("repair_hint-advice"),
        )  # fmt: skip


def one_digit_changed(values: np.ndarray) -> np.ndarray:
    """Every number that has one other digit than the given, (n,) of at least 1, in the same place, and as many digits:
    (n, m) with NaN where a row has fewer than the most. Digits after the decimal point stay as they are.

    Examples
        >>> one_digit_changed(np.array([4287.0]))[0][[3, 35]]
        array([4283., 5287.])
        >>> int(np.isfinite(one_digit_changed(np.array([10.0]))).sum())
        17
    """
    usable = np.isfinite(values) & (values >= 1)
    numbers = np.where(usable, values, np.nan)[:, np.newaxis, np.newaxis]
    least = 10.0 ** np.floor(np.log10(numbers) + 1e-12)
    digits = int(np.log10(np.nanmax(numbers, initial=1.0)) + 1e-12) + 1
    place = 10.0 ** np.arange(digits)[:, np.newaxis]
    changed = numbers + (np.arange(10.0) - numbers // place % 10) * place
    as_long = (changed >= least) & (changed < 10 * least) & (changed != numbers)
    return np.where(as_long, changed, np.nan).reshape(len(values), 10 * digits)


@rule(
    cannot_know="whether the thread count is wrong or a figure is: of rows corrupted at random, the share that each "
    "hint states would fit another usual thread count as well",
    source="Little (1961): throughput x latency is the number of threads at work; the share by seeded simulation",
    defaults={"deviations": DEVIATIONS, "tolerance": 2.0, **_DRAWS},
)
def thread_hint(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A failing row whose throughput x latency fits another usual thread count, or that of another row of its spec.

    Failing: more than `deviations` robust standard deviations from its family (little_family); fitting: at most
    `tolerance`. Usual are the counts of the table, with powers of two where it has no others, else with those of one
    digit and zeros; the nearest fit is named. Two failing rows of one spec and workload that fit each other's counts
    are exchanged, in one note. The share of random corruptions that would fit, too, is from `draws` draws over the good
    rows. Effect: the count that fits over the printed one, minus 1.
    """
    for group in _failing(evidence, settings):
        failing = group.odd(settings["deviations"])
        fits = _fitting(group, failing, settings["tolerance"])
        failing = failing.assign(fits=fits)[~np.isnan(fits)]
        by_chance = _share_by_chance(group, settings) if len(failing) else 0.0
        exchanged = set()
        for row in dicts(failing):
            if row["run_id"] in exchanged:
                continue
            swapped = (failing[["spec", "threads", "fits"]] == [row["spec"], row["fits"], row["threads"]]).all(axis=1)
            partners = failing.loc[swapped, "run_id"].head(1).tolist()
            exchanged |= set(partners)
            yield Finding(
                "note", group.dataset, (row["run_id"], *partners),
                fact("thread_hint", cell=names.cell(row), busy=row["utilisation"] * row["threads"], fits=row["fits"],
                     printed=row["threads"], exchanged=bool(partners), by_chance=by_chance),
                effect=row["fits"] / row["threads"] - 1, cause=cause(group.workload), advice=fact("repair_hint-advice"),
            )  # fmt: skip


def _fitting(group: FamilyRows, rows: pd.DataFrame, tolerance: float) -> np.ndarray:
    """The usual thread count that each row's X R fits best, beside its own; NaN where none fits."""
    threads = rows["threads"].to_numpy(float)[:, np.newaxis]
    printed = set(group.rows["threads"])
    usual = np.array(sorted(printed | (_DOUBLED if printed <= _DOUBLED else _ROUND)))
    z = np.abs(group.family.deviations(rows["utilisation"].to_numpy(float)[:, np.newaxis] * threads / usual))
    z[threads == usual] = np.inf
    return np.where(z.min(axis=1) <= tolerance, usual[z.argmin(axis=1)], np.nan)


def _share_by_chance(group: FamilyRows, settings: Thresholds) -> float:
    """The share of good rows, corrupted by a lognormal factor so that they fail, that fit another thread count."""
    random, draws = np.random.default_rng(int(settings["seed"])), int(settings["draws"])
    good = group.usual(settings["deviations"])
    rows = good.iloc[random.integers(len(good), size=draws)]
    rows = rows.assign(utilisation=rows["utilisation"] * np.exp(random.normal(0, CORRUPTION, draws)))
    rows = rows[np.abs(group.family.deviations(rows["utilisation"])) > settings["deviations"]]
    return float(np.mean(~np.isnan(_fitting(group, rows, settings["tolerance"])))) if len(rows) else 0.0
