"""What reading the logs already said of the runs: one finding per warning, or way to end, and dataset."""

from collections.abc import Iterator

import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.naming import of_dataset
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.units import duration
from ycsbook.verdicts import Outcome, Warn

# Warnings about which another rule says more.
_OWN_RULE = {Warn.UNACKED_WRITES, Warn.LITTLE_LAW, Warn.POOL_BELOW_THREADS, Warn.HOST_SPEED_CHANGED}
# What the logs show that is no doubt about the figures themselves.
_NOTES = {Warn.DERIVED, Warn.P95_IS_P90, Warn.UNIT_LABEL_WRONG}
_SHORT_S = 1200.0
# YCSB checks its clock between operations, so a run may end a little early.
_PLAN_MET = 0.995


def carries(runs: pd.DataFrame, warning: Warn) -> pd.Series:
    """Which runs carry a warning."""
    return runs["warnings"].str.split().map(lambda names: warning.value in names).astype(bool)


@rule(
    cannot_know="what a log leaves out; a run without warnings is not thereby right. Whether a short run was meant is "
    "known only where the plan is.",
    source="the warnings of the runs table, each explained in docs/ingest.md.",
    defaults={"failed_share": 0.01, "planned_s": _SHORT_S},
)
def invalid_run(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Runs that did not complete, and every warning of the logs, with all its runs, once per dataset.

    Operations that failed are an error from `failed_share` of a run, cores that were not enforced always. A run
    shorter than 20 min is a warning, unless the plan asked for runs of `planned_s`, which it reached: then a note.
    """
    yield from _not_completed(evidence)
    runs = evidence.tables.runs
    raised = set(" ".join(runs["warnings"]).split()) | {Warn.CORES_NOT_ENFORCED.value, Warn.OPERATIONS_FAILED.value}
    for warning in Warn:
        if warning in _OWN_RULE or warning.value not in raised:
            continue
        # A load is never called short, so it is not among those that could be.
        could = runs[runs["phase"] != "load"] if warning is Warn.SHORT_RUN else runs
        for dataset, part in evidence.by_dataset(could[_concerned(could, warning)]):
            total = len(evidence.alike(could, part))
            rows = wording.count(total, evidence.noun(part, "run"))
            severity, message, effect = _said(warning, part, rows, settings)
            yield Finding(
                severity, dataset, tuple(part["run_id"]), of_dataset(evidence, dataset) + message, warning.advice,
                "single", effect, cause=warning.value.lower(),
            )  # fmt: skip


def _not_completed(evidence: Evidence) -> Iterator[Finding]:
    runs = evidence.tables.runs
    for dataset, part in evidence.by_dataset(runs[runs["outcome"].isin([Outcome.FAILED, Outcome.INCOMPLETE])]):
        total = len(evidence.alike(runs, part))
        reasons = sorted({r for r in part["stop_reason"] if r}) or sorted({r for r in part["reason"] if r})
        why = f" ({wording.listed(reasons)})" if reasons else ""
        rows = wording.count(total, evidence.noun(part, "run"))
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            f"{of_dataset(evidence, dataset)}{len(part)} of {rows} did not complete{why} and count nowhere: "
            f"{wording.listed(list(part['run_id']))}",
            "read their logs, then measure them again: ycsbook run keeps what is finished", "single",
            cause="not completed",
        )  # fmt: skip


def _concerned(runs: pd.DataFrame, warning: Warn) -> pd.Series:
    rows = carries(runs, warning)
    if warning is Warn.CORES_NOT_ENFORCED:
        return rows | (runs["cores_enforced_by"] == "none")
    if warning is Warn.OPERATIONS_FAILED:
        return rows | (runs["failed_operations"] > 0)
    return rows


def _said(warning: Warn, part: pd.DataFrame, rows: str, settings: Settings) -> tuple[str, str, float]:
    """Severity, message and effect of a warning that these runs carry."""
    nothing = float("nan")
    match warning:
        case Warn.OPERATIONS_FAILED:
            return _failed(part, rows, settings["failed_share"])
        case Warn.SHORT_RUN:
            times = part["runtime_ms"] / 1000
            asked = settings["planned_s"] < _SHORT_S and (times >= _PLAN_MET * settings["planned_s"]).all()
            length = f", the shortest {duration(times.min())}" if times.notna().any() else ""
            plan = ", as the plan asks" if asked else ""
            return (
                ("note" if asked else "warning"),
                f"{len(part)} of {rows} lasted less than 20 min{length}{plan}",
                (nothing),
            )
        case Warn.CORES_NOT_ENFORCED:
            specs = wording.listed([wording.spec(r) for r in part.to_dict("records")])
            return "error", (
                f"the cores of {specs} were recorded, not enforced: throughput against cores means nothing here"
            ), nothing  # fmt: skip
        case _:
            words = warning.value.replace("_", " ").lower()
            message = f"{words} in {len(part)} of {rows}: {wording.listed(list(part['run_id']), 3)}"
            return "note" if warning in _NOTES else "warning", message, nothing


def _failed(part: pd.DataFrame, rows: str, error_from: float) -> tuple[str, str, float]:
    share = (part["failed_operations"] / part["operations"]).where(part["operations"] > 0)
    message = f"operations failed in {len(part)} of {rows}"
    worst = float(share.max())
    if share.notna().any():
        row = part.loc[share.idxmax()]
        message += f", most at {wording.cell(row)}: {100 * worst:.2g} % of {row['operations']:,.0f}"
    return "error" if worst > error_from else "warning", message, -worst
