"""Write latencies that are no latencies: writes nobody answered, and what then shows in their place."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.family import Family
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.points import KIND
from ycsbook.verdicts import Warn

WRITES = ("UPDATE", "INSERT")
_COLUMNS = [
    "run_id", *KIND, "vendor", "spec", "cores", "ram_gib", "workload", "read_fraction", "threads", "rtt_us",
]  # fmt: skip
# What slow writes without an answer have in common.
_BACK_PRESSURE = "back-pressure on unanswered writes"


def latencies(run_ids: pd.Series, operations: pd.DataFrame) -> pd.DataFrame:
    """Mean latency of the reads and of the writes of runs.

    Parameters
        run_ids: whose. operations: the table of this name. Batched writes are left out: their latency is a buffer's.
    Returns
        read_us, write_us with the index of run_ids: weighted by counts where all of a run's operations have them,
        NaN where a run has none.
    """
    rows = operations[operations["operation"].isin(["READ", *WRITES])]
    at = pd.Index(run_ids).get_indexer(rows["run_id"])
    mean_us, count = rows["mean_us"].to_numpy(float), rows["count"].to_numpy(float)
    usable = (at >= 0) & np.isfinite(mean_us) & ~(rows["batched_ok"].to_numpy(float) > 0)
    read = (rows["operation"] == "READ").to_numpy()
    found = {}
    for name, of in (("read_us", read), ("write_us", ~read)):
        chosen = usable & of
        uncounted = np.bincount(at[chosen], np.isnan(count[chosen]), len(run_ids)) > 0
        weight = np.where(uncounted[at[chosen]], 1.0, count[chosen])
        time = np.bincount(at[chosen], weight * mean_us[chosen], len(run_ids))
        total = np.bincount(at[chosen], weight, len(run_ids))
        found[name] = np.divide(time, total, out=np.full(len(run_ids), np.nan), where=total > 0)
    return pd.DataFrame(found, index=run_ids.index)


def _unacked(runs: pd.DataFrame) -> np.ndarray:
    """Which runs wrote without an answer, by their settings."""
    warned = np.array([Warn.UNACKED_WRITES.value in words.split() for words in runs["warnings"]], dtype=bool)
    return warned | (runs["write_concern"] == "0").to_numpy(bool)


def _with_latencies(runs: pd.DataFrame, evidence: Evidence) -> pd.DataFrame:
    return runs[_COLUMNS].join(latencies(runs["run_id"], evidence.tables.operations))


@rule(
    cannot_know="how many writes reached the database, and so the goodput; a round trip that was measured at another "
    "time than the run may have been longer",
    source="the stock binding takes every write without an exception as OK; an answer takes a round trip at least",
)
def unacked_writes(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Write concern 0, or writes faster than the network's round trip: their latency is the time to send.

    A warning where the settings say so, and a notice where only the latency does. Goodput is then unknowable.
    """
    unacked = _unacked(evidence.runs)
    chosen = unacked | evidence.runs["rtt_us"].notna()
    if not chosen.any():
        return
    runs = _with_latencies(evidence.runs[chosen], evidence).assign(unacked=unacked[chosen])
    below = runs["write_us"] < runs["rtt_us"]
    for dataset, part in evidence.by_dataset(runs[runs["unacked"]]):
        total = len(evidence.alike(evidence.runs, part))
        which = "all" if len(part) == total else f"{len(part)} of"
        rows = wording.count(total, evidence.noun(part, "row"))
        sentence = f"{which} {rows} measured with write concern 0: writes were sent, not answered"
        faster = part[below[part.index]]
        if len(faster):
            sentence += (
                f"; in {len(faster)} of {int(part['write_us'].notna().sum())} the mean write latency is below the "
                f"network round trip of {faster['rtt_us'].min():.0f} µs"
            )
        yield Finding(
            "warning", dataset, tuple(part["run_id"]), sentence, Warn.UNACKED_WRITES.advice, "single",
        )  # fmt: skip
    for dataset, part in evidence.by_dataset(runs[below & ~runs["unacked"]]):
        row = part.loc[(part["write_us"] / part["rtt_us"]).idxmin()]
        yield Finding(
            "notice", dataset, tuple(part["run_id"]),
            f"in {wording.count(len(part), evidence.noun(part, 'run'))} the mean write latency is below the network "
            f"round trip (least {row['write_us']:.0f} of {row['rtt_us']:.0f} µs: {wording.cell(row)}): no answer "
            "comes that fast",
            "check the write concern that the client really used, and measure the round trip again", "single",
            float(row["write_us"] / row["rtt_us"] - 1),
        )  # fmt: skip


@rule(
    cannot_know="what pushed back: full socket buffers, a busy server or a slow network all make a send wait",
    source="a send without an answer takes microseconds unless buffers are full",
)
def writes_slower_than_reads(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Unanswered writes that took longer than reads, which wait for an answer: the sends were held back."""
    runs = evidence.runs[_unacked(evidence.runs)]
    if runs.empty:
        return
    runs = _with_latencies(runs, evidence)
    for dataset, part in evidence.by_dataset(runs[runs["write_us"] > runs["read_us"]]):
        ratio = part["write_us"] / part["read_us"]
        worst = part.loc[ratio.idxmax()]
        yield Finding(
            "notice", dataset, tuple(part["run_id"]),
            f"in {wording.count(len(part), 'row')} unanswered writes took longer than reads, most at "
            f"{_row(worst)} ({worst['write_us']:,.0f} against {worst['read_us']:,.0f} µs): back-pressure, so their "
            f"throughput is what the connections took, not what the server wrote. "
            f"Rows: {wording.listed([_row(r) for r in part.to_dict('records')], 8)}",
            "repeat with write concern 1, and watch the server's queues", "single", float(ratio.max() - 1),
            cause=_BACK_PRESSURE,
        )  # fmt: skip


@rule(
    cannot_know="whether the others or the outliers show the database: without answers neither does",
    source="median and 1.4826 times the median absolute deviation of ln latency: Hampel (1974), JASA 69, 383-393",
    defaults={"deviations": 4.5, "rows": 8, "most_sd": 1.0, "least_sd": 0.05},
)
def write_latency_outliers(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Times to send unanswered writes that are out of family at their number of threads.

    More than `deviations` robust standard deviations of ln latency from the median of at least `rows` rows. Where
    that deviation is above `most_sd` the rows are no family, and nothing is said; it is taken to be at least
    `least_sd`.
    """
    runs = evidence.runs[_unacked(evidence.runs) & evidence.runs["threads"].notna()]
    if runs.empty:
        return
    runs = _with_latencies(runs, evidence)
    runs = runs[runs["write_us"] > 0]
    for _, rows in runs.groupby([*KIND, "threads"], sort=True):
        if len(rows) < settings["rows"]:
            continue
        log = np.log(rows["write_us"].to_numpy(float))
        family = Family.of(log, settings["least_sd"])
        odd = rows[np.abs(family.deviations(log)) > settings["deviations"]]
        if odd.empty or family.sd > settings["most_sd"]:
            continue
        change = odd["write_us"] / np.exp(family.median)
        named = [f"{wording.spec(r)} {wording.mix(r)} {r['write_us']:,.0f} µs" for r in odd.to_dict("records")]
        yield Finding(
            "note", odd["dataset"].iloc[0], tuple(odd["run_id"]),
            f"at {wording.threads(odd['threads'].iloc[0])} sending a write took {np.exp(family.median):,.0f} µs in the "
            f"median of {len(rows)} rows, and far from that in {len(odd)}: {wording.listed(named, 8)}",
            "repeat these rows with write concern 1 before reading their latency", "single",
            float(change.loc[np.log(change).abs().idxmax()] - 1), cause=_BACK_PRESSURE,
        )  # fmt: skip


def _row(row: pd.Series | dict) -> str:
    return f"{wording.spec(row)} {wording.mix(row)} {row['threads']:g} threads"
