"""Specs whose name says another size than their columns."""

from collections.abc import Iterator

import numpy as np

from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.ingest.log.labels import shape


@rule(
    cannot_know="which of the two is right",
    source="names such as 8c32g or 8核32GB are a number of cores and a size of RAM.",
    defaults={"share": 0.1},
)
def spec_label(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec that is called by cores and RAM, such as 8c32g, whose columns say others, by more than `share` (GB may
    stand for GiB): a warning."""
    for dataset, runs in evidence.by_dataset(evidence.runs):
        for spec, part in runs.groupby("spec", sort=True):
            if (said := shape(str(spec))) is None:
                continue
            cores, ram = (float(part[figure].iloc[0]) for figure in ("cores", "ram_gib"))
            if np.nanmax(np.abs(np.log([said.cores / cores, said.ram_gib / ram, 1]))) > np.log1p(settings["share"]):
                yield Finding(
                    "warning", dataset, tuple(part["run_id"]),
                    fact("spec_label", where=evidence.where(dataset), spec=spec, cores=cores, ram=ram), cause="label",
                )  # fmt: skip
