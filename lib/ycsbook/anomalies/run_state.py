"""What the runs say about themselves: failures, too short, not enforced, not acknowledged. Once per dataset."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.units import duration
from ycsbook.verdicts import Warn

FAILED_ERROR = 0.01
# Warnings with a rule of their own; all others are passed on by run_warnings.
_OWN_RULE = {
    Warn.OPERATIONS_FAILED, Warn.UNACKED_WRITES, Warn.SHORT_RUN, Warn.LITTLE_LAW, Warn.CORES_NOT_ENFORCED,
    Warn.HOST_SPEED_CHANGED,
}  # fmt: skip


def carries(runs: pd.DataFrame, warning: Warn) -> pd.Series:
    """Which runs carry a warning."""
    return runs["warnings"].str.split().map(lambda names: warning.value in names).astype(bool)


@rule
def incomplete_runs(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Runs that failed or ended early, which no figure here uses."""
    runs = evidence.tables.runs
    for dataset, part in evidence.by_dataset(runs[runs["outcome"].isin(["failed", "incomplete"])]):
        total = len(evidence.alike(runs, part))
        reasons = sorted({r for r in part["stop_reason"] if r})
        why = f" ({wording.listed(reasons)})" if reasons else ""
        rows = wording.count(total, evidence.noun(part, "run"))
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            f"{len(part)} of {rows} did not complete{why} and count nowhere: "
            f"{wording.listed(list(part['run_id']))}",
            "read their logs, then run the sweep again: finished runs are kept", "single",
        )  # fmt: skip


@rule
def operations_failed(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Operations that the database refused or lost: above 1 % of a run an error."""
    runs = evidence.runs
    share = (runs["failed_operations"] / runs["operations"]).where(runs["operations"] > 0)
    rows = runs.assign(share=share)[(runs["failed_operations"] > 0) | carries(runs, Warn.OPERATIONS_FAILED)]
    for dataset, part in evidence.by_dataset(rows):
        total = len(evidence.alike(runs, part))
        sentence = f"operations failed in {len(part)} of {wording.count(total, evidence.noun(part, 'run'))}"
        worst = float(part["share"].max())
        if not np.isnan(worst):
            row = part.loc[part["share"].idxmax()]
            sentence += (
                f", most at {wording.spec(row)}, {wording.mix(row)}, {wording.threads(row['threads'])}: "
                f"{100 * worst:.2g} % of {row['operations']:,.0f}"
            )
        yield Finding(
            "error" if worst > FAILED_ERROR else "warning", dataset, tuple(part["run_id"]), sentence,
            Warn.OPERATIONS_FAILED.advice, "single",
        )  # fmt: skip


@rule
def unacknowledged_writes(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Write concern 0: the write latency is the time to send, and nobody knows what was written."""
    runs = evidence.runs
    for dataset, part in evidence.by_dataset(runs[carries(runs, Warn.UNACKED_WRITES) | (runs["write_concern"] == "0")]):
        total = len(evidence.alike(runs, part))
        which = "all" if len(part) == total else f"{len(part)} of"
        rows = wording.count(total, evidence.noun(part, "row"))
        sentence = f"{which} {rows} measured with write concern 0: writes were sent, not answered"
        writes = evidence.tables.operations
        writes = writes[writes["operation"].isin(["UPDATE", "INSERT"]) & writes["run_id"].isin(part["run_id"])]
        rtt = writes["run_id"].map(part.set_index("run_id")["rtt_us"]).astype(float)
        below = int((writes["mean_us"] < rtt).sum())
        if below:
            sentence += (
                f"; in {below} of {len(writes)} the mean write latency is below the network round trip of "
                f"{rtt.min():.0f} µs"
            )
        yield Finding(
            "warning", dataset, tuple(part["run_id"]), sentence, Warn.UNACKED_WRITES.advice, "single",
        )  # fmt: skip


@rule
def short_runs(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Runs too short for caches and checkpoints to settle; a note, because the plan may have asked for it."""
    runs = evidence.runs
    for dataset, part in evidence.by_dataset(runs[carries(runs, Warn.SHORT_RUN)]):
        total = len(evidence.alike(runs, part))
        times = part["runtime_ms"].dropna() / 1000
        length = "" if times.empty else f", the shortest {duration(times.min())}"
        yield Finding(
            "note", dataset, tuple(part["run_id"]),
            f"{len(part)} of {wording.count(total, evidence.noun(part, 'run'))} lasted less than 20 min{length}",
            Warn.SHORT_RUN.advice, "single",
        )  # fmt: skip


@rule
def cores_not_enforced(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Specs whose cores are only a label: every curve over cores is then void."""
    runs = evidence.runs
    rows = runs[carries(runs, Warn.CORES_NOT_ENFORCED) | (runs["cores_enforced_by"] == "none")]
    for dataset, part in evidence.by_dataset(rows):
        yield Finding(
            "error", dataset, tuple(part["run_id"]),
            f"the cores of {wording.listed([wording.spec(r) for r in part.to_dict('records')])} were recorded, not "
            "enforced: throughput against cores means nothing here",
            "run where CPU quotas are possible (cgroup, systemd or a duty cycle on Linux), or on real specs",
            "single",
        )  # fmt: skip


@rule
def run_warnings(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Every other warning that reading the logs raised, once per dataset."""
    runs = evidence.tables.runs
    for warning in Warn:
        if warning in _OWN_RULE:
            continue
        for dataset, part in evidence.by_dataset(runs[carries(runs, warning)]):
            total = len(evidence.alike(runs, part))
            rows = wording.count(total, evidence.noun(part, "run"))
            yield Finding(
                "note" if warning is Warn.DERIVED else "warning", dataset, tuple(part["run_id"]),
                f"{warning.value.replace('_', ' ').lower()} in {len(part)} of {rows}: "
                f"{wording.listed(list(part['run_id']), 3)}",
                warning.advice, "single",
            )  # fmt: skip
