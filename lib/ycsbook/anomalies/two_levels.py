"""Repeats that fall into two groups, and tables whose rows do so everywhere."""

from collections.abc import Iterator

import numpy as np

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact

# Groups as far apart, but for this factor, at so many core counts are of two kinds of servers.
_ALIKE, _LEAST_CORES = 1.2, 3


@rule(
    cannot_know="what differs between the two groups; of fewer than four repeats nothing",
    source="the split of ln X into two groups with the least scatter within them: Fisher (1958), On grouping for "
    "maximum homogeneity, JASA 53",
)
def two_levels(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """A configuration whose repeats fall into two groups of two runs or more, ten standard deviations of a run apart
    and 10 % at least: a notice, and its mean is nobody's. Where all configurations do, by one factor at three core
    counts or more, one note: they are two kinds of servers under one name. What all have in common in a round or on a
    client machine is left out. Effect: the higher group over the lower one, minus 1."""
    for dataset, part in evidence.by_dataset(evidence.levels):
        of_two = part[part["apart"] > 0]
        apart, size = of_two["apart"], len(part[part.duplicated(["workload", "spec", "threads"], keep=False)])
        if len(of_two) == size and of_two["cores"].nunique() >= _LEAST_CORES and np.ptp(apart) <= np.log(_ALIKE):
            yield Finding(
                "note", dataset, tuple(of_two["run_id"]),
                fact("two_levels-groups", where=evidence.where(dataset), rows=fact("rows", n=size),
                     times=np.exp(apart.mean())),
                "repeats", float(np.expm1(apart.mean())),
            )  # fmt: skip
            continue
        for _, rows in of_two.groupby(["workload", "spec", "threads"], dropna=False):
            low, high = (rows["y"][rows["level"] == level] for level in (0, 1))
            gap = rows["apart"].iloc[0]
            yield Finding(
                "notice", dataset, tuple(rows["run_id"]),
                fact("two_levels", where=evidence.where(dataset), cell=names.cell(rows.iloc[0]), n=len(rows),
                     apart=-np.expm1(-gap), n_low=len(low), low=np.exp(np.log(low).mean()), n_high=len(high),
                     high=np.exp(np.log(high).mean())),
                "repeats", float(np.expm1(gap)), cause="levels",
            )  # fmt: skip
