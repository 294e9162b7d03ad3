"""The machines: what servers given by URI and the names of specs tell, against the specs' columns; other work on the
client's machine while it measured, and whether its speed changed meanwhile."""

import math
from collections.abc import Iterator

import numpy as np

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import CELL, KIND
from ycsbook.facts import fact
from ycsbook.ingest.log.labels import shape
from ycsbook.scaling import repeats
from ycsbook.scaling.cells import MAD_TO_SD, SMALLEST_VARIANCE
from ycsbook.scaling.pairs import ratios
from ycsbook.scaling.points import throughputs
from ycsbook.tables import dicts
from ycsbook.verdicts import HOST_SPEED_TOLERANCE, Warn

# Fewer configurations in both rounds say nothing about a round.
LEAST_CELLS = 3
# Specs named in a sentence; the others are counted.
NAMED_EARLY = 4
# How manifests name a server that tells no process: by a hash of its address.
_ADDRESS = "at-"


@rule(
    cannot_know="who the others are; a server on the client's own machine that is addressed by its name counts as one. "
    "Of several clients and of a private replica set it says nothing. A load average also counts who waits "
    "for a disk, and the minute before.",
    source="CPU time of the whole machine, stolen time included, less that of client and server; a load average above "
    "the cores while the own programs leave cores free means that others hold them.",
    defaults={"others": 0.2, "full": 0.9, "load": 2.0, "own": 0.75},
)
def busy_host(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Others took at least the share `others` of the cores of the client's machine in a run: a warning where at least
    `full` of them was busy in all, so that client and server had to wait, else a notice. Where the CPU of the machine
    was not recorded, a notice for a load average of `load` times its cores while client and server used less than
    `own` of them. Where a server given by URI runs on it and its share is not known, a notice where at least `full` of
    it was busy."""
    runs = evidence.tables.runs[evidence.tables.runs["phase"] != "load"]
    other_share, busy = runs["other_cpu"] / runs["host_cores"], runs["host_cpu"] / runs["host_cores"]
    crowded = other_share >= settings["others"]
    full = crowded & (busy >= settings["full"])
    # Of a server elsewhere, all that is not the client's is others'.
    elsewhere = (runs["server_id"] != "") & runs["other_cpu"].isna() & ~(runs["clients"] > 1)
    # Of runs on this machine's own server that have nothing better.
    load = runs["run_id"].map(evidence.tables.samples.groupby("run_id")["load_average"].median()).astype(float)
    used = runs["client_cpu"] + runs["cpu_utilisation"] * runs["cores"]
    is_local = (runs["cores_enforced_by"] != "") & (runs["topology"] != "replica_set") & runs["other_cpu"].isna()
    high = is_local & (load >= settings["load"] * runs["host_cores"]) & (used < settings["own"] * runs["host_cores"])
    for severity, key, rows, measure, advice in (
        ("warning", "busy_host", full, other_share, None),
        ("notice", "busy_host", crowded & ~full, other_share, None),
        ("notice", "busy_host-full", elsewhere & (busy >= settings["full"]), busy, None),
        ("notice", "busy_host-load", high, load, fact("busy_host-advice")),
    ):
        for dataset, part, worst in evidence.worst_of(runs[rows], measure):
            own_figures = {
                "busy_host": {"taken": worst["other_cpu"], "least": settings["others"], "full": severity == "warning"},
                "busy_host-full": {"busy": worst["host_cpu"], "client": worst["client_cpu"]},
                "busy_host-load": {"load": load[worst.name], "own": used[worst.name]},
            }
            yield Finding(
                severity, dataset, tuple(part["run_id"]),
                fact(key, where=evidence.where(dataset), host_cores=worst["host_cores"], cell=names.cell(worst),
                     n=len(part), runs=evidence.total(runs, part), **own_figures[key]),
                effect=float(other_share[worst.name]) if key == "busy_host" else math.nan, cause="host", advice=advice,
            )  # fmt: skip


@rule(
    cannot_know="what slowed the host; a change that came and went between two probes, or that hit all repeats of a "
    "configuration alike, is not seen.",
    source="a probe of the host's own speed before and after each run; t test over the configurations' differences "
    "between the first and the last round of interleaved repeats.",
    defaults={"speed": HOST_SPEED_TOLERANCE, "rounds": 0.05, "level": 0.003},
)
def host_drift(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """The host's speed, probed around a run, moved by more than `speed`: a warning. The last round of repeats differs
    from the first, or one of three or more from the others, by at least `rounds` over all configurations, at the
    two-sided `level` for all rounds together: a notice; of the order of repeats that were made in a row, not of
    rounds, where the times say so."""
    probed = evidence.runs[evidence.runs["host_speed"].notna()]
    moved = (probed["host_speed"] - 1).abs()
    for dataset, part, worst in evidence.worst_of(probed[moved > settings["speed"]], moved):
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("host_drift", tolerance=settings["speed"], n=len(part), runs=evidence.total(probed, part),
                 effect=worst["host_speed"] - 1, cell=names.cell(worst)),
            effect=float(worst["host_speed"] - 1), cause="host", advice=Warn.HOST_SPEED_CHANGED.advice,
        )  # fmt: skip
    # Runs of unknown threads are nobody's repeats.
    runs = evidence.runs[(evidence.runs["y"] > 0) & evidence.runs[["repeat", "threads"]].notna().all(axis=1)]
    for dataset, part in evidence.by_dataset(runs):
        if part["repeat"].nunique() < 2:
            continue
        table = part.assign(log_y=np.log(part["y"])).pivot_table(index=CELL, columns="repeat", values="log_y")
        # The last against the first, and each against the others; how far, in units of one round's noise.
        rounds = table.columns
        changes = {None: table.iloc[:, -1] - table.iloc[:, 0]}
        if len(rounds) > 2:
            changes |= {number: table[number] - table.drop(columns=number).mean(axis=1) for number in rounds}
        noise = {number: 2.0 if number is None else len(rounds) / (len(rounds) - 1) for number in changes}
        number = max(changes, key=lambda number: abs(changes[number].mean()) / np.sqrt(noise[number]))
        change = changes[number].dropna()
        n = len(change)
        if n < LEAST_CELLS or abs(np.expm1(change.mean())) < settings["rounds"]:
            continue
        *ends, p_falls = ratios(change.mean(), np.sqrt(max(change.var(), SMALLEST_VARIANCE) / n), n - 1)
        if 2 * min(p_falls, 1 - p_falls) * len(changes) > settings["level"]:
            continue
        effect, low, high = (float(end) - 1 for end in ends)
        # None begins when the one before has where repeats are made in a row; or nobody knows when they began.
        began = part[part["started_at"] != ""].groupby("repeat")["started_at"].agg(["min", "max"])
        are_rounds = (began["max"].shift() <= began["min"]).any() or len(began) < 2
        yield Finding(
            "notice", dataset, tuple(part["run_id"]),
            fact("host_drift-rounds" if are_rounds else "host_drift-order", effect=effect, low=low, high=high,
                 configurations=fact("configurations", n=n), round=number),
            "repeats", effect, low, high, cause="host",
        )  # fmt: skip


@rule(
    cannot_know="what slowed them: another load on the host, on the network or on the storage, or a backup. A stretch "
    "that holds most repeats of a configuration is not told from the others.",
    source="each run's ln X less the median of its repeats', against 1.4826 times their median absolute deviation",
    defaults={"loss": 0.15, "deviations": 4.0, "runs": 4},
)
def slow_stretch(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Consecutive runs, `runs` at least and of several configurations, each of which did less than its repeats by the
    share `loss` and by `deviations` robust standard deviations: a warning."""
    runs = evidence.runs[(evidence.runs["y"] > 0) & (evidence.runs["started_at"] != "")]
    log_y = np.log(runs["y"])
    by_cell = log_y.groupby([runs[name] for name in CELL], dropna=False)
    runs = runs.assign(off=log_y - by_cell.transform("median"))[by_cell.transform("size") > 2]
    for dataset, part in evidence.by_dataset(runs.sort_values(["started_at", "run_id"])):
        least = max(-math.log1p(-settings["loss"]), settings["deviations"] * MAD_TO_SD * part["off"].abs().median())
        is_low = part["off"] <= -least
        for _, stretch in part[is_low].groupby((~is_low).cumsum()[is_low]):
            if len(stretch) < settings["runs"] or stretch.groupby(CELL, dropna=False).ngroups < LEAST_CELLS:
                continue
            effect = float(np.expm1(stretch["off"].median()))
            minutes = stretch["started_at"].str[:16].str.replace("T", " ")
            yield Finding(
                "warning", dataset, tuple(stretch["run_id"]),
                fact("slow_stretch", where=evidence.where(dataset), n=len(stretch), effect=effect,
                     first=minutes.iloc[0], last=minutes.iloc[-1]),
                "repeats", effect, cause="host",
            )  # fmt: skip


@rule(
    cannot_know="what made the difference: cold caches, a compiler, burst credits or another load that came or went",
    source="t test of the first rounds against the later ones over all cells, or those of a spec",
)
def early_rounds(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """First rounds of repeats that differ from the later by a quarter or more, alike in every cell or every cell of
    a spec, while the later ones agree: a warning. They are left out of all that is said."""
    rows = throughputs(evidence.tables.runs)
    early = rows.join(repeats.early_rounds(rows), how="inner")
    kinds = [*KIND, "early", early["change"].lt(0).rename("slow")]
    for (dataset, outcome, first, slow), part in early.groupby(kinds):
        specs = part.drop_duplicates("spec").sort_values(["cores", "ram_gib"])
        of_kind = rows[(rows[list(KIND)] == [dataset, outcome]).all(axis=1)]
        everywhere = len(specs) == of_kind["spec"].nunique()
        days, later = (set(of["started_at"].str[:10]) for of in (part, of_kind.drop(index=part.index)))
        change = float(part["change"].mean())
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("early_rounds", where=evidence.where(dataset), n=int(first), rounds=int(part["rounds"].iloc[0]),
                 slow=bool(slow), less=float(-np.expm1(change)), times=float(np.exp(change)), everywhere=everywhere,
                 other_day="" not in days and days.isdisjoint(later),
                 **names.listed("specs", map(names.spec_listed, dicts(specs)), NAMED_EARLY)),
            "repeats", float(np.expm1(change)), cause="host",
        )  # fmt: skip


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
                cause="server",
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
    for figure, planned, actual, least in (
        ("cores", "cores", "server_cores", 1.0),
        ("ram", "ram_gib", "server_ram_gib", settings["ram"]),
    ):
        share = runs[actual] / runs[planned]
        for severity, rows in (("warning", share < least), ("note", share > 2)):
            for dataset, part in evidence.by_dataset(runs[rows]):
                for spec, on in part.groupby("spec", sort=True):
                    row = on.loc[share[on.index].idxmin()]
                    yield Finding(
                        severity, dataset, tuple(on["run_id"]),
                        fact(f"server_size-{figure}", where=evidence.where(dataset), spec=spec, wanted=row[planned],
                             seen=row[actual], outside=severity == "note"),
                        effect=float(row[actual] / row[planned] - 1), cause="server", advice=fact("same_server-advice"),
                    )  # fmt: skip


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
            if (label := shape(str(spec))) is None:
                continue
            cores, ram = (float(part[figure].iloc[0]) for figure in ("cores", "ram_gib"))
            if np.nanmax(np.abs(np.log([label.cores / cores, label.ram_gib / ram, 1]))) > np.log1p(settings["share"]):
                yield Finding(
                    "warning", dataset, tuple(part["run_id"]),
                    fact("spec_label", where=evidence.where(dataset), spec=spec, cores=cores, ram=ram), cause="label",
                )  # fmt: skip
