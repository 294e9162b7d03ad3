"""A server that had CPU to spare at the highest thread count: its CPU was not the limit."""

from collections.abc import Iterator

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import CELL


@rule(
    cannot_know="what the limit was: too few threads, the client, the network, the pool, the disk or a lock; a lock or "
    "one busy core hides in the mean over all cores. Without a CPU column it says nothing.",
    defaults={"cpu": 0.90},
)
def not_saturated(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Specs whose server was busy below `cpu` at the highest thread count measured; once per dataset.

    Not those that reached their target throughput: nothing more was asked of them.
    """
    cells = evidence.cells
    cells = cells[cells["cpu_utilisation"].notna() & cells["threads"].notna()]
    top = cells[cells["threads"] == cells.groupby(CELL[:-1], dropna=False)["threads"].transform("max")]
    top = top[~top["throttled"]]
    for dataset, part in evidence.by_dataset(top[top["cpu_utilisation"] < settings["cpu"]]):
        total = len(evidence.alike(top, part))
        least = part.loc[part["cpu_utilisation"].idxmin()]
        yield Finding(
            "note", dataset, tuple(r for ids in part["run_ids"] for r in ids),
            fact("not_saturated", n=len(part), configurations=fact("configurations", n=total),
                 **names.listed("names", map(names.spec_and_mix_listed, part.to_dict("records"))),
                 cell=names.cell(least), cpu=least["cpu_utilisation"]),
            effect=float(least["cpu_utilisation"] - 1), cause="not saturated",
        )  # fmt: skip
