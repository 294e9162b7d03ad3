"""The smallest slip of the pen that would explain a published row that fails Little's law. A hint, never a repair."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.little_family import DEVIATIONS, FamilyRows, families
from ycsbook.anomalies.little_law import cause
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.anomalies.write_latency import latencies
from ycsbook.facts import Fact, fact
from ycsbook.units import US_PER_S
from ycsbook.verdicts import Outcome

# The three figures of a published row.
FIGURES = ("throughput_ops_s", "read_us", "write_us")
# A random corruption: throughput or read latency times a lognormal factor of this spread.
CORRUPTION = 0.3


@dataclass(frozen=True)
class Mend:
    """A change that brings a row's U to `z` robust standard deviations from its family's median."""

    run_id: str
    figure: str
    was: float
    becomes: float
    z: float
    swapped_with: Fact | None = None


@rule(
    cannot_know="whether the row was corrupted in this way or in any other: a share of random corruptions, which each "
    "hint states, would be mended by one digit as well",
    source="search over all one-digit changes and all swaps within a column; the share by seeded simulation",
    defaults={"deviations": DEVIATIONS, "tolerance": 2.0, "swap_least": 3.0, "most": 3, "draws": 1000, "seed": 2020},
)
def repair_hint(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """One changed digit, or two exchanged cells of a column, that would bring a failing row back to its family.

    Failing: more than `deviations` robust standard deviations from its family (little_family); mended: at most
    `tolerance`. Of several mends the `most` nearest to the median are named. Two exchanged cells must mend both rows,
    and move each by `swap_least` at least. Rows that the same difference mends come first, in one note. The share of
    random corruptions that one digit would mend too, and how often such rows would agree in a difference, are from
    `draws` draws over the good rows. Effect: the change of
    the figure, as a fraction.
    """
    for groups in _failing(evidence, settings).values():
        mended = [(group, mends) for group in groups for mends in _mends(group, settings)]
        if mended:
            failing = sum(int((group.rows["z"].abs() > settings["deviations"]).sum()) for group in groups)
            yield from _hints(mended, int(settings["most"]), _chance(groups, settings), failing)


class Chance(NamedTuple):
    """The shares of random corruptions that fail and that one digit would mend: of the throughput alone, and of any of
    the three figures, each 0 to 1; and by figure and difference (becomes less was), of each single difference."""

    by_throughput: float
    by_any: float
    by_difference: dict[tuple[str, float], float]

    def alike(self, n: int, failing: int, figure: str) -> float:
        """At most so often have n of so many failing rows one difference in common, if each was corrupted by itself:
        the expected number of such n over all differences of the figure, 0 to 1."""
        expected = sum(share**n for (of, _), share in self.by_difference.items() if of == figure)
        return min(1.0, comb(failing, n) * expected)


def by_chance(evidence: Evidence, dataset: str, settings: Thresholds) -> Chance:
    """The share of random corruptions of a published dataset that one digit would mend, as the hints say it.

    Good rows of the families that have a failing one; throughput or read latency, with equal chance, multiplied by a
    lognormal factor of CORRUPTION and rounded; of the rows that then fail.

    Raises
        KeyError: no row of the dataset fails.
    """
    return _chance(_failing(evidence, settings)[dataset], settings)


def _failing(evidence: Evidence, settings: Thresholds) -> dict[str, list[FamilyRows]]:
    """By published dataset the families that have a failing row, with their latencies."""
    failing = defaultdict(list)
    if not (evidence.runs["outcome"] == Outcome.PUBLISHED).any():
        return failing
    for group in families(evidence):
        if group.outcome == Outcome.PUBLISHED and (group.rows["z"].abs() > settings["deviations"]).any():
            failing[group.dataset].append(_with_latencies(group, evidence.tables.operations))
    return failing


def _with_latencies(group: FamilyRows, operations: pd.DataFrame) -> FamilyRows:
    """The same rows with read_us and write_us, the mean latencies; NaN where the row has no such operation."""
    rows = group.rows.join(latencies(group.rows["run_id"], operations))
    return FamilyRows(group.dataset, group.outcome, group.workload, group.family, rows)


def _utilisation(rows: pd.DataFrame, figure: str = "", values: np.ndarray | None = None) -> np.ndarray:
    """X R / N of each row, with `figure` replaced by `values` (n,) or (n, m): every row m times."""
    used = {name: rows[name].to_numpy(float) for name in (*FIGURES, "read_fraction", "threads")}
    if values is not None and values.ndim == 2:
        used = {name: column[:, np.newaxis] for name, column in used.items()}
    if values is not None:
        used[figure] = values
    share = used["read_fraction"]
    reads = np.where(share > 0, share * used["read_us"], 0.0)
    writes = np.where(share < 1, (1 - share) * used["write_us"], 0.0)
    return used["throughput_ops_s"] * (reads + writes) / US_PER_S / used["threads"]


def _mends(group: FamilyRows, settings: Thresholds) -> Iterator[list[Mend]]:
    """Of each failing row that has any: all its mends, nearest first; swaps, which mend two rows, before digits."""
    bad = group.rows[group.rows["z"].abs() > settings["deviations"]].reset_index(drop=True)
    digits: dict[int, list[Mend]] = defaultdict(list)
    for figure in FIGURES:
        changed = one_digit_changed(bad[figure].to_numpy(float))
        z = group.family.deviations(_utilisation(bad, figure, changed))
        for row, at in zip(*np.nonzero(np.abs(z) <= settings["tolerance"]), strict=True):
            was = float(bad[figure][row])
            digits[row].append(Mend(bad["run_id"][row], figure, was, float(changed[row, at]), float(z[row, at])))
    swaps: dict[int, list[Mend]] = defaultdict(list)
    for row, mend in _swaps(group, bad, settings):
        swaps[row].append(mend)
    for row in range(len(bad)):
        mends = [mend for of in (swaps, digits) for mend in sorted(of[row], key=lambda mend: abs(mend.z))]
        if mends:
            yield mends


def _swaps(group: FamilyRows, bad: pd.DataFrame, settings: Thresholds) -> Iterator[tuple[int, Mend]]:
    """Exchanges of one cell with another row of the workload after which both fit, with the position of the row."""
    rows = group.rows
    for figure in FIGURES:
        ours, others = (frame[figure].to_numpy(float) for frame in (bad, rows))
        mine = group.family.deviations(_utilisation(bad, figure, np.tile(others, (len(bad), 1))))
        theirs = group.family.deviations(_utilisation(rows, figure, np.tile(ours, (len(rows), 1)))).T
        z, z_of_others = bad["z"].to_numpy()[:, np.newaxis], rows["z"].to_numpy()
        moved = np.minimum(np.abs(mine - z), np.abs(theirs - z_of_others))
        fits = np.maximum(np.abs(mine), np.abs(theirs)) <= settings["tolerance"]
        for row, at in zip(*np.nonzero(fits & (moved >= settings["swap_least"])), strict=True):
            other = rows.iloc[at]
            name = names.spec_and_threads(other)
            was, becomes = float(ours[row]), float(others[at])
            yield int(row), Mend(bad["run_id"][row], figure, was, becomes, float(mine[row, at]), name)


def _chance(groups: list[FamilyRows], settings: Thresholds) -> Chance:
    """As by_chance says."""
    random = np.random.default_rng(int(settings["seed"]))
    failed, by_throughput, by_any, differences = 0, 0, 0, Counter()
    for group in groups:
        good = group.rows[group.rows["z"].abs() <= settings["deviations"]]
        draws = round(settings["draws"] / len(groups))
        rows = good.iloc[random.integers(len(good), size=draws)].reset_index(drop=True)
        factor, read = np.exp(random.normal(0, CORRUPTION, draws)), random.random(draws) < 0.5
        for figure, hit in (("throughput_ops_s", ~read), ("read_us", read)):
            rows[figure] = np.where(hit, np.round(rows[figure] * factor), rows[figure])
        rows = rows[np.abs(group.family.deviations(_utilisation(rows))) > settings["deviations"]]
        mended = {}
        for figure in FIGURES:
            changed = one_digit_changed(rows[figure])
            mends = np.abs(group.family.deviations(_utilisation(rows, figure, changed))) <= settings["tolerance"]
            mended[figure] = mends.any(axis=1)
            differences.update((figure, d) for d in (changed - rows[figure].to_numpy()[:, np.newaxis])[mends].tolist())
        failed += len(rows)
        by_throughput += int(mended["throughput_ops_s"].sum())
        by_any += int(np.logical_or.reduce(list(mended.values())).sum())
    of = max(failed, 1)
    return Chance(by_throughput / of, by_any / of, {key: n / of for key, n in differences.items()})


def _hints(mended: list[tuple[FamilyRows, list[Mend]]], most: int, chance: Chance, failing: int) -> Iterator[Finding]:
    """The rows with a common difference in one note, then the others one by one; failing: how many rows fail."""
    rows_of = defaultdict(dict)
    for i, (_, mends) in enumerate(mended):
        for mend in mends:
            if not mends[0].swapped_with:
                rows_of[mend.figure, mend.becomes - mend.was][i] = mend
    common = {key: rows for key, rows in rows_of.items() if len(rows) > 1}
    hinted: set[int] = set()
    for (figure, difference), rows in sorted(common.items(), key=lambda item: (-len(item[1]), -abs(item[0][1]))):
        rest = {i: mend for i, mend in rows.items() if i not in hinted}
        if len(rest) > 1:
            hinted |= set(rest)
            yield _common(mended, figure, difference, rest, chance.alike(len(rest), failing, figure))
    for i, (group, mends) in enumerate(mended):
        if i not in hinted:
            yield _of_one(group, mends, most, chance)


def _common(
    mended: list[tuple[FamilyRows, list[Mend]]],
    figure: str,
    difference: float,
    rows: dict[int, Mend],
    alike: float,
) -> Finding:
    workloads = {mended[i][0].workload for i in rows}
    changes = [
        fact("repair_hint-change", cell=_cell(mended[i][0], mend.run_id), was=mend.was, becomes=mend.becomes)
        for i, mend in rows.items()
    ]
    group = mended[next(iter(rows))][0]
    return Finding(
        "note", group.dataset, tuple(mend.run_id for mend in rows.values()),
        fact("repair_hint-common", figure=figure, difference=abs(difference), higher=difference > 0, n=len(rows),
             changes=changes, alike=alike),
        effect=float(np.mean([mend.becomes / mend.was - 1 for mend in rows.values()])),
        cause=cause(group.workload) if len(workloads) == 1 else "", advice=fact("repair_hint-advice"),
    )  # fmt: skip


def _of_one(group: FamilyRows, mends: list[Mend], most: int, chance: Chance) -> Finding:
    kinds = dict.fromkeys("two_cells" if mend.swapped_with else "one_digit" for mend in mends[:most])
    return Finding(
        "note", group.dataset, (mends[0].run_id,),
        fact("repair_hint", cell=_cell(group, mends[0].run_id), kinds=[fact(f"repair_hint-{kind}") for kind in kinds],
             changes=[_change(mend) for mend in mends[:most]], more=max(len(mends) - most, 0),
             by_throughput=chance.by_throughput, by_any=chance.by_any),
        effect=mends[0].becomes / mends[0].was - 1, cause=cause(group.workload),
    )  # fmt: skip


def _change(mend: Mend) -> Fact:
    figures = {"figure": mend.figure, "was": mend.was, "becomes": mend.becomes}
    if mend.swapped_with:
        return fact("repair_hint-exchange", **figures, other=mend.swapped_with)
    return fact("repair_hint-digit", **figures)


def _cell(group: FamilyRows, run_id: str) -> Fact:
    return names.cell(group.rows.set_index("run_id").loc[run_id].to_dict())


def one_digit_changed(values: np.ndarray) -> np.ndarray:
    """Every number that has one other digit than the given, in the same place, and as many digits.

    Digits after the decimal point stay as they are.

    Parameters
        values: (n,) numbers of at least 1; NaN gives NaN.
    Returns
        (n, m) with NaN where a row has fewer than the most.
    Examples
        >>> one_digit_changed(np.array([4287.0]))[0][[3, 35]]
        array([4283., 5287.])
        >>> int(np.isfinite(one_digit_changed(np.array([10.0]))).sum())
        17
    """
    values = np.asarray(values, dtype=float)
    usable = np.isfinite(values) & (values >= 1)
    whole = np.where(usable, values, 1.0)
    leading = np.floor(np.log10(whole) + 1e-12).astype(int)
    place = np.arange(int(leading.max(initial=0)) + 1)
    digit = np.floor(whole[:, np.newaxis] / 10.0**place) % 10
    other = np.arange(10.0)
    changed = whole[:, np.newaxis, np.newaxis] + (other - digit[..., np.newaxis]) * 10.0 ** place[:, np.newaxis]
    first = place == leading[:, np.newaxis]
    none = (
        (other == digit[..., np.newaxis])
        | (place > leading[:, np.newaxis])[..., np.newaxis]
        | (first[..., np.newaxis] & (other == 0))
        | ~usable[:, np.newaxis, np.newaxis]
    )
    return np.where(none, np.nan, changed).reshape(len(values), place.size * other.size)
