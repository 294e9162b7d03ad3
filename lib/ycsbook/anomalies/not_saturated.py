"""A server that had CPU to spare at the highest thread count: its CPU was not the limit."""

from collections.abc import Iterator

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.cells import CELL


@rule(
    cannot_know="what the limit was: too few threads, the client, the network, the pool, the disk or a lock; a lock or "
    "one busy core hides in the mean over all cores. Without a CPU column it says nothing.",
    defaults={"cpu": 0.90},
)
def not_saturated(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Specs whose server was busy below `cpu` at the highest thread count measured; once per dataset.

    Not those that reached their target throughput: nothing more was asked of them.
    """
    cells = evidence.cells
    known = cells[cells["cpu_utilisation"].notna() & cells["threads"].notna()]
    top = known[known["threads"] == known.groupby(CELL[:-1], dropna=False)["threads"].transform("max")]
    top = top[~top["throttled"]]
    for dataset, part in evidence.by_dataset(top[top["cpu_utilisation"] < settings["cpu"]]):
        total = len(evidence.alike(top, part))
        least = part.loc[part["cpu_utilisation"].idxmin()]
        names = wording.listed([f"{wording.spec(r)} {wording.mix(r)}" for r in part.to_dict("records")])
        yield Finding(
            "note", dataset, tuple(r for ids in part["run_ids"] for r in ids),
            f"in {len(part)} of {wording.count(total, 'configuration')} the server was not busy at the highest thread "
            f"count, so its CPU was not the limit: {names}; least busy {wording.spec(least)}, {wording.mix(least)}, "
            f"{wording.threads(least['threads'])} at {100 * least['cpu_utilisation']:.0f} %",
            "use more client threads or machines, and check the pool, before reading these points as the server's",
            "single", float(least["cpu_utilisation"] - 1), cause="not saturated",
        )  # fmt: skip
