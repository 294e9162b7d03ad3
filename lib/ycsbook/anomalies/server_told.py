"""What servers that are given by URI tell of themselves, against the specs that were measured on them."""

from collections.abc import Iterator

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact

_CAUSE = "server"
_ADVICE = fact("same_server-advice")
# How manifests name a server that tells no process: by a hash of its address.
_ADDRESS = "at-"


@rule(
    cannot_know="whether limits outside of the server (a container's, a hypervisor's) were changed while it ran. Of a "
    "server that does not name its process only addresses are compared: it may have been resized between runs, or "
    "several stand behind a tunnel.",
    source="`topologyVersion.processId` of `hello`, which is new with every start of a mongod or mongos.",
)
def same_server(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Specs that were measured on one and the same server: an error where its process says so and the specs differ in
    cores or RAM, else a warning. Runs before and after a resize that the server tells are apart."""
    runs = evidence.tables.runs
    for dataset, part in evidence.by_dataset(runs[runs["server_id"] != ""]):
        flagged = set()
        for (name, *_), on in part.groupby(["server_id", "server_cores", "server_ram_gib"], dropna=False, sort=True):
            specs = sorted(set(on["spec"]))
            if len(specs) < 2 or (*specs, name.startswith(_ADDRESS)) in flagged:
                continue
            flagged.add((*specs, name.startswith(_ADDRESS)))
            differ = len(on[["cores", "ram_gib"]].drop_duplicates()) > 1
            yield Finding(
                "error" if differ and not name.startswith(_ADDRESS) else "warning", dataset, tuple(on["run_id"]),
                fact("same_server", where=evidence.where(dataset), **names.listed("specs", specs),
                     address=name.startswith(_ADDRESS)),
                cause=_CAUSE,
            )  # fmt: skip


@rule(
    cannot_know="a container's limit that the server itself does not see; a server behind mongos, whose host alone "
    "answers, is not compared. Where the user may not ask for hostInfo it says nothing.",
    source="`hostInfo` of the server: numCores, memLimitMB or memSizeMB.",
    defaults={"ram": 0.8},
)
def server_size(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A server that tells fewer cores than its spec says, or less than the share `ram` of its RAM (a machine never
    shows all of it): a warning. More than twice as much of either, as where a limit is set outside of it: a note."""
    runs = evidence.tables.runs[evidence.tables.runs["topology"] != "sharded"]
    for figure, planned, seen, least in (
        ("cores", "cores", "server_cores", 1.0),
        ("ram", "ram_gib", "server_ram_gib", settings["ram"]),
    ):
        share = runs[seen] / runs[planned]
        for severity, rows in (("warning", share < least), ("note", share > 2)):
            for dataset, part in evidence.by_dataset(runs[rows]):
                for spec, on in part.groupby("spec", sort=True):
                    row = on.loc[share[on.index].idxmin()]
                    yield Finding(
                        severity, dataset, tuple(on["run_id"]),
                        fact(f"server_size-{figure}", where=evidence.where(dataset), spec=spec, wanted=row[planned],
                             seen=row[seen], outside=severity == "note"),
                        effect=float(row[seen] / row[planned] - 1), cause=_CAUSE, advice=_ADVICE,
                    )  # fmt: skip
