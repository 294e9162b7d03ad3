"""Rows whose throughput, latency and threads agree less well than those of all other rows of their workload."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.family import Family
from ycsbook.anomalies.little_law import SUSPECT, cause
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.points import KIND
from ycsbook.verdicts import Outcome

DEVIATIONS, LEAST_ROWS, LEAST_SD = 5.0, 8, 0.002
_COLUMNS = [
    "run_id", *KIND, "vendor", "spec", "cores", "ram_gib", "workload", "read_fraction", "threads", "throughput_ops_s",
    "utilisation",
]  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """The runs of one dataset, outcome and workload with `z`, U's distance from their median in robust sd."""

    dataset: str
    outcome: str
    workload: str
    family: Family
    rows: pd.DataFrame


def families(evidence: Evidence, least_rows: float = LEAST_ROWS, least_sd: float = LEAST_SD) -> list[Rows]:
    """The families of U = X R / N that have enough rows to show what is usual."""
    known = evidence.runs.loc[evidence.runs["utilisation"].notna(), _COLUMNS]
    found = []
    for (dataset, outcome, workload), rows in known.groupby([*KIND, "workload"], sort=True):
        if len(rows) >= least_rows:
            used = rows["utilisation"].to_numpy(float)
            family = Family.of(used, least_sd)
            found.append(Rows(dataset, outcome, workload, family, rows.assign(z=family.deviations(used))))
    return found


@rule(
    cannot_know="which figure of a row is wrong, or whether any is: below the family, threads may have waited in the "
    "client; above it, repeats may have been unequal",
    source="median and 1.4826 times the median absolute deviation: Hampel (1974), JASA 69, 383-393",
    defaults={"deviations": DEVIATIONS, "rows": LEAST_ROWS, "least_sd": LEAST_SD},
)
def little_family(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """U further than `deviations` robust standard deviations from the median of its dataset and workload.

    Needs at least `rows` rows; the standard deviation is taken to be at least `least_sd`. A row alone is a notice, and
    none where little_law warns of it already; a block of neighbouring specs in a published table is a warning. In
    logs, where all figures come from one file, a block is a notice as well. Effect: U over the median, minus 1.
    """
    for group in families(evidence, settings["rows"], settings["least_sd"]):
        odd = group.rows[group.rows["z"].abs() > settings["deviations"]]
        if odd.empty:
            continue
        for row in odd[odd["utilisation"] <= SUSPECT].to_dict("records"):
            yield _alone(group, row)
        for specs in _blocks(group.rows, set(odd["spec"])):
            yield _block(group, odd[odd["spec"].isin(specs)])


def _alone(group: Rows, row: dict) -> Finding:
    side = "below" if row["z"] < 0 else "above"
    return Finding(
        "notice", group.dataset, (row["run_id"],),
        f"{wording.cell(row)}: throughput x latency / threads "
        f"= {row['utilisation']:.3f}, {abs(row['z']):.1f} robust standard deviations {side} the "
        f"{group.family.median:.3f} that is usual in its {len(group.rows)} rows; {_meaning(group, row['z'])}",
        _next(group), "single", row["utilisation"] / group.family.median - 1, cause=cause(group.workload),
    )  # fmt: skip


def _meaning(group: Rows, z: float) -> str:
    if group.outcome != Outcome.PUBLISHED and z < 0:
        return "its threads spent more time outside the database than those of the other runs"
    return "one of its figures is likely to be another run's or a slip"


def _next(group: Rows) -> str:
    if group.outcome == Outcome.PUBLISHED:
        return "check these rows against their source, and leave them out of fits until then"
    return "look at the client's own CPU and at pauses during these runs, and repeat them"


def _blocks(rows: pd.DataFrame, odd: set[str]) -> list[list[str]]:
    """Runs of at least two neighbouring specs, by cores and then RAM, that all have an odd row."""
    order = rows.drop_duplicates("spec").sort_values(["cores", "ram_gib"])["spec"].tolist()
    blocks: list[list[str]] = [[]]
    for spec in order:
        if spec in odd:
            blocks[-1].append(spec)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if len(block) > 1]


def _block(group: Rows, odd: pd.DataFrame) -> Finding:
    ends = odd.sort_values(["cores", "ram_gib"]).iloc[[0, -1]].to_dict("records")
    worst = odd.loc[odd["z"].abs().idxmax()]
    high, low = int((odd["z"] > 0).sum()), int((odd["z"] < 0).sum())
    sides = " and ".join(f"{n} {side}" for n, side in ((high, "above"), (low, "below")) if n)
    return Finding(
        "warning" if group.outcome == Outcome.PUBLISHED else "notice", group.dataset, tuple(odd["run_id"]),
        f"{wording.mix(worst)}: every spec from {wording.spec(ends[0])} to {wording.spec(ends[1])} has a row out of "
        f"family in throughput x latency / threads ({wording.count(len(odd), 'row')} of "
        f"{odd['spec'].nunique()} neighbouring specs, {sides}; usual {group.family.median:.3f}, furthest "
        f"{worst['utilisation']:.3f}): a block of bad rows",
        _next(group), "single", float(worst["utilisation"] / group.family.median - 1),
        cause=cause(group.workload),
    )  # fmt: skip
